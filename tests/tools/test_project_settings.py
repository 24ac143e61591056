"""Changing one setting in a project.godot and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scree.tools.project_settings import get_setting, remove_setting, set_setting

PROJECT = """; Engine configuration file.
config_version=5

[application]

config/name="A [strange] name = \\"quoted\\""
config/description="Two lines:
[physics]
3d/physics_engine=\\"not this one\\"
"

[input]

jump={
"deadzone": 0.5,
"events": [Object(InputEventKey,"keycode":32)
]
}

[physics]

3d/default_gravity=4.9
3d/physics_engine="Jolt Physics" ; chosen by hand

[rendering]

renderer/rendering_method="gl_compatibility"
"""


def test_a_value_is_replaced_and_all_else_stays():
    changed = set_setting(PROJECT, "physics", "3d/physics_engine", '"Scree Physics"')
    assert changed == PROJECT.replace('"Jolt Physics" ; chosen by hand', '"Scree Physics"')


def test_a_new_key_goes_to_the_end_of_its_section():
    changed = set_setting(PROJECT, "application", "run/main_scene", '"res://a.tscn"')
    assert changed == PROJECT.replace('one\\"\n"\n', 'one\\"\n"\nrun/main_scene="res://a.tscn"\n', 1)


def test_a_new_section_goes_to_the_end():
    changed = set_setting(PROJECT, "threading", "worker_pool/max_threads", "2")
    assert changed == PROJECT + "\n[threading]\n\nworker_pool/max_threads=2\n"


def test_values_that_run_over_lines_are_read_whole():
    assert get_setting(PROJECT, "input", "jump").endswith("]\n}")
    assert get_setting(PROJECT, "physics", "3d/default_gravity") == "4.9"
    assert get_setting(PROJECT, "physics", "none") is None
    assert get_setting(PROJECT, "application", "3d/physics_engine") is None


def test_line_ends_of_windows_stay():
    text = PROJECT.replace("\n", "\r\n")
    changed = set_setting(text, "physics", "3d/physics_engine", '"Scree Physics"')
    assert changed == PROJECT.replace('"Jolt Physics" ; chosen by hand', '"Scree Physics"').replace("\n", "\r\n")
    added = set_setting(text, "physics", "new", "1")
    assert "\n" not in added.replace("\r\n", "") and get_setting(added, "physics", "new") == "1"


@pytest.mark.parametrize("text", ["", "config_version=5\n", "config_version=5", "[physics]", "[physics]\n\n[input]\n"])
def test_the_smallest_files(text):
    changed = set_setting(text, "physics", "3d/physics_engine", '"Scree Physics"')
    assert get_setting(changed, "physics", "3d/physics_engine") == '"Scree Physics"'
    assert set_setting(changed, "physics", "3d/physics_engine", '"Scree Physics"') == changed
    assert changed.count("[physics]") == 1 and changed.endswith("\n")


NAMES = st.text("abcdef/_3", min_size=1, max_size=8)
STRINGS = st.text('ab[]{}()="\\;,\n ', max_size=20).map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
VALUES = st.one_of(STRINGS, st.integers().map(str), st.lists(STRINGS).map(lambda texts: "[" + ",\n".join(texts) + "]"))


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), max_size=4), NAMES, NAMES, VALUES)
def test_any_setting_can_be_set_and_no_other_changes(sections, section, key, value):
    text = "config_version=5\n"
    for name, settings in sections.items():
        text += f"\n[{name}]\n\n" + "".join(f"{inner}={what}\n" for inner, what in settings.items())
    changed = set_setting(text, section, key, value)
    expected = {(name, inner): what for name, settings in sections.items() for inner, what in settings.items()}
    expected[section, key] = value
    for (name, inner), what in expected.items():
        assert get_setting(changed, name, inner) == what.strip()
    assert get_setting(changed, "", "config_version") == "5"


@pytest.mark.parametrize("text, left", [
    ("[a]\n\nk=1\n", ""), ("x=1\r\n\r\n[a]\r\n\r\nk=1\r\n", "x=1\r\n"), ("[a]\nk=1\n\n[b]\nk=1\n", "[b]\nk=1\n"),
    ("[a]\n; why\nk=1\n", "[a]\n; why\n"), ("[a]\nk=1\nl=2\n", "[a]\nl=2\n"), ("[b]\n\n[a]\nk=1\n", "[b]\n"),
])  # fmt: skip
def test_a_section_that_is_emptied_goes(text, left):
    assert remove_setting(text, "a", "k") == left
