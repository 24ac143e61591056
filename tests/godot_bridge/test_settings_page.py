"""docs/settings.md says what the table of settings says, and the table is complete."""

import pytest

from scree.godot.setting_table import ENGINE_SETTINGS, SETTINGS, SOLVER_SETTINGS
from scree.step.limits import DEFAULT_LIMITS
from scree.tools import make_settings

ALL = {**SETTINGS, **SOLVER_SETTINGS, **{name: setting for name, (setting, _) in ENGINE_SETTINGS.items()}}


def test_the_page_is_up_to_date():
    assert make_settings.DOCUMENT.read_text() == make_settings.make_document(), "run python -m scree.tools.make_settings"


@pytest.mark.parametrize("name", ALL)
def test_a_setting_says_what_it_does_and_what_breaks(name):
    setting = ALL[name]
    assert setting.unit and setting.does.endswith(".") and setting.breaks.endswith(".")
    is_switch = isinstance(setting.default, bool)
    assert (setting.smallest is None) == is_switch
    assert is_switch or setting.smallest <= setting.default
    assert setting.largest is None or setting.default <= setting.largest


READ_BY_PREFIX = ("physics/scree_3d/limits/", "physics/scree_3d/broad_phase/")


@pytest.mark.parametrize("name", [name for name in SETTINGS if not name.startswith(READ_BY_PREFIX)])
def test_a_setting_is_used(name):
    room = make_settings.DOCUMENT.parent.parent / "engine_core" / "godot"
    users = [path for path in room.glob("*.py") if path.name != "setting_table.py" and f'"{name}"' in path.read_text()]
    assert users, "nothing reads it"


def test_every_limit_of_a_world_has_a_setting():
    prefix = make_settings.LIMIT_PREFIX + "max_"
    named = {name.removeprefix(prefix).replace("spaces", "systems") for name in SETTINGS if name.startswith(prefix)}
    assert named == set(DEFAULT_LIMITS)


def test_a_new_setting_makes_the_page_stale(monkeypatch):
    monkeypatch.setitem(SETTINGS, "physics/scree_3d/simulation/new", SETTINGS["physics/scree_3d/simulation/substeps"])
    assert make_settings.DOCUMENT.read_text() != make_settings.make_document()
