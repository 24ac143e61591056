"""docs/godot_parity.md says what the tables say, and cannot say more."""

import dataclasses

import pytest

from scree.godot import virtual_modules, virtual_table
from scree.tools import make_parity


@pytest.fixture(scope="module")
def described():
    found = make_parity.newest_description()
    if found is None:
        pytest.skip("no Godot has described itself to this user yet")
    return found


def test_the_document_is_up_to_date(described):
    written = make_parity.DOCUMENT.read_text()
    if f"Version: {described.version}\n" not in written:
        pytest.skip(f"the document is about another version than {described.version}")
    assert written == make_parity.make_document(described), "run python -m scree.tools.make_parity"


def test_every_virtual_of_the_newest_godot_is_answered(described):
    virtual_modules.import_all()
    open_ones = {table.engine_class: sorted(set(described.virtuals(table.engine_class)) - table.answered())
                 for table in virtual_table.TABLES}  # fmt: skip
    assert not any(open_ones.values()), f"answer them: {open_ones}"


def test_a_virtual_without_an_answer_is_not_yet(described, monkeypatch):
    virtual_modules.import_all()
    answered = dict(virtual_table.SERVER.cold_functions)
    assert "| `_body_set_mode` | done |" in make_parity.make_document(described)
    del answered["_body_set_mode"]
    monkeypatch.setattr(virtual_table.SERVER, "cold_functions", answered)
    assert "| `_body_set_mode` | not yet |" in make_parity.make_document(described)


def test_an_answer_to_no_virtual_is_an_error(described):
    fewer = dict(described.classes)
    fewer["PhysicsServer3DExtension"] = {
        name: method for name, method in fewer["PhysicsServer3DExtension"].items() if name != "_step"
    }
    with pytest.raises(ValueError, match="_step"):
        make_parity.make_document(dataclasses.replace(described, classes=fewer))
