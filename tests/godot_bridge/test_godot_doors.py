"""Every public ability of the Python package has a line in tools/godot_doors.py, and every door in it is one of real Godot."""

import re
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from checked_script import run_script  # noqa: E402

from scree.tools import make_godot_api  # noqa: E402

ADDON = Path(__file__).resolve().parents[2] / "addons"


def test_every_public_name_has_a_line():
    named = [line.name for line in make_godot_api.lines()]
    wanted = list(make_godot_api.public_names())
    assert [name for name in wanted if name not in named] == [], "add a line with its door in Godot, or with a reason"
    assert [name for name in named if name not in wanted] == []


def scripts() -> dict[str, set[str]]:
    """The functions, properties and signals of the addon's scripts, by the names of their classes."""
    found = {}
    for path in ADDON.rglob("*.gd"):
        source = path.read_text()
        if named := re.search(r"^class_name (\w+)", source, re.MULTILINE):
            members = re.findall(r"^(?:@export\S*(?: ?\([^)]*\))? )?(?:func|var|signal) (\w+)", source, re.MULTILINE)
            found[named[1]] = set(members) | {""}
    return found


def test_every_door_is_there(tmp_path):
    doors = sorted({door for line in make_godot_api.lines() for door in line.doors})
    own = {door: door.split(".")[0] for door in doors if door.split(".")[0] in scripts()}
    assert [door for door, owner in own.items() if door.removeprefix(owner).strip(".") not in scripts()[owner]] == []
    asked = [door for door in doors if door not in own]
    output = run_script(tmp_path, "doors.gd", {"doors.txt": "\n".join([*asked, "Scree.no_such_call", "Node.no_such", "NoSuch"])})
    missing = re.findall(r"^missing (.*)$", output, re.MULTILINE)
    assert missing == ["Scree.no_such_call", "Node.no_such", "NoSuch"]
    assert f"looked at {len(asked) + 3}" in output and len(asked) > 150 and len(own) > 10


def test_the_page_is_up_to_date():
    assert make_godot_api.DOCUMENT.read_text() == make_godot_api.make_document(), "run python -m scree.tools.make_godot_api"


def test_lines_without_a_door_say_why():
    with pytest.raises(ValueError, match=r"A\.b: neither a door nor a reason"):
        make_godot_api.lines("A.b | - |")
    with pytest.raises(ValueError, match="there twice"):
        make_godot_api.lines("A | B |\nA | C |")
