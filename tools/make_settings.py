"""Writes docs/settings.md, the list of Godot project settings, from the table that the server reads them by.

`python -m scree.tools.make_settings` writes the file; with `--check` it only says whether the file is up to date.
"""

import sys

from scree.godot.setting_table import ENGINE_SETTINGS, SETTINGS, SOLVER_SETTINGS, Setting
from scree.step.limits import DEFAULT_LIMITS, MODEST_LIMITS
from scree.tools.generated_page import page, write_or_check

DOCUMENT = page("settings.md")
_INTRODUCTION = """# Project settings

Made by `tools/make_settings.py` from the table in `engine_core/godot/setting_table.py`; do not edit it.

Scree reads project settings once, when Godot starts: a change acts after a restart. The editor shows them under Project Settings,
Physics, Scree 3D (with Advanced Settings on). A value of the wrong type or out of its range is refused with an error that names
the setting, and the default is used. `PhysicsServer3D.space_set_param` changes the initial values of one space.
"""
_LIMITS = """
Limits are large, because a limit costs address space and no memory. Where address space costs something (Windows without the
core's library, `ulimit -v`, `vm.overcommit_memory` 2) the defaults are lower: {modest}.
A project's limit counts everywhere if it differs from the default in this table.
"""
_ENGINE = """
## Settings of Godot that Scree reads

These belong to Godot; Scree reads them when it starts. Gravity and damping, `physics/3d/default_*`, are applied by Godot itself.
"""
LIMIT_PREFIX = "physics/scree_3d/limits/"


def text_of(value: bool | int | float) -> str:
    """A value as project.godot writes it; large powers of two as such."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value >= 1 << 14:
        power = value.bit_length() - 1
        return f"2^{power}" if value == 1 << power else f"2^{power + 1} - 1"
    return str(value)


def range_of(setting: Setting) -> str:
    """The values that are allowed."""
    if isinstance(setting.default, bool):
        return "true or false"
    if setting.largest is None:
        return f"{text_of(setting.smallest)} or more"
    return f"{text_of(setting.smallest)} to {text_of(setting.largest)}"


def rows_of(settings: dict[str, Setting]) -> list[str]:
    """A table of settings."""
    columns = "setting", "unit", "default", "range", "what it does", "what breaks when it is wrong"
    return ["", f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|"] + [
        f"| `{name}` | {each.unit} | {text_of(each.default)} | {range_of(each)} | {each.does} | {each.breaks} |"
        for name, each in settings.items()
    ]


def modest_limits() -> str:
    """The lower defaults, in words."""
    lower = {name: value for name, value in MODEST_LIMITS.items() if value != DEFAULT_LIMITS[name]}
    return ", ".join(f"`max_{name}` {text_of(value)}" for name, value in lower.items())


def make_document() -> str:
    """The text of docs/settings.md."""
    limits = {name: setting for name, setting in SETTINGS.items() if name.startswith(LIMIT_PREFIX)}
    others = {name: setting for name, setting in SETTINGS.items() if name not in limits}
    engine = {**SOLVER_SETTINGS, **{name: setting for name, (setting, _) in ENGINE_SETTINGS.items()}}
    explained = _LIMITS.format(modest=modest_limits()).rstrip()
    lines = [_INTRODUCTION, "## Settings of Scree", *rows_of(others), "", "## Limits", explained, *rows_of(limits)]
    return "\n".join([*lines, _ENGINE.rstrip(), *rows_of(engine)]) + "\n"


def main() -> int:
    return write_or_check(DOCUMENT, make_document(), "scree.tools.make_settings")


if __name__ == "__main__":
    sys.exit(main())
