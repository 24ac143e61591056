"""docs/godot_parity.md says what the tables say, and cannot say more."""

import dataclasses
import importlib.util
from pathlib import Path

import pytest

from scree.godot import virtual_modules, virtual_table

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def make_parity():
    spec = importlib.util.spec_from_file_location("make_parity", ROOT / "tools" / "make_parity.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def described(make_parity):
    found = make_parity.newest_description()
    if found is None:
        pytest.skip("no Godot has described itself to this user yet")
    return found


def test_the_document_is_up_to_date(make_parity, described):
    written = make_parity.DOCUMENT.read_text()
    if f"Version: {described.version}\n" not in written:
        pytest.skip(f"the document is about another version than {described.version}")
    assert written == make_parity.make_document(described), "run python tools/make_parity.py"


def test_every_virtual_of_the_newest_godot_is_answered(described):
    virtual_modules.import_all()
    open_ones = {table.engine_class: sorted(set(described.virtuals(table.engine_class)) - table.answered())
                 for table in virtual_table.TABLES}  # fmt: skip
    assert not any(open_ones.values()), f"answer them: {open_ones}"


def test_a_virtual_without_an_answer_is_not_yet(make_parity, described, monkeypatch):
    virtual_modules.import_all()
    answered = dict(virtual_table.SERVER.cold_functions)
    assert "| `_body_set_mode` | done |" in make_parity.make_document(described)
    del answered["_body_set_mode"]
    monkeypatch.setattr(virtual_table.SERVER, "cold_functions", answered)
    assert "| `_body_set_mode` | not yet |" in make_parity.make_document(described)


def test_an_answer_to_no_virtual_is_an_error(make_parity, described):
    fewer = dict(described.classes)
    fewer["PhysicsServer3DExtension"] = {
        name: method for name, method in fewer["PhysicsServer3DExtension"].items() if name != "_step"
    }
    with pytest.raises(ValueError, match="_step"):
        make_parity.make_document(dataclasses.replace(described, classes=fewer))
