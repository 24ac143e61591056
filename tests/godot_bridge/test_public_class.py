"""The singleton `Scree` in real Godot: typed calls, calls by name, wrong values; and the help of its classes."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from scree.godot.class_help import Page
from scree.godot.schema import FLOAT, RID, VECTOR3
from scree.godot.typed_values import array_of, enum_of, kind_of, object_of

pytest.importorskip("scree.tools")
from scree.tools import find_godot, install_addon  # noqa: E402

FOLDER = Path(__file__).resolve().parent
PROJECT = 'config_version=5\n[application]\nconfig/name="door"\n[physics]\n3d/physics_engine="{engine}"\n'
LEAKS = ("leaked", "Leaked", "still in use", "Orphan StringName", "unclaimed string names", "RID allocations")


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> dict[str, str]:
    """The lines that public.gd printed, by their first words, and the errors."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "project.godot").write_text(PROJECT.format(engine="Scree Physics"))
    install_addon.install(folder)
    (folder / "public.gd").write_text((FOLDER / "public.gd").read_text())
    godot = find_godot.find_godot(fetch=False)
    ran = godot.run("--headless", "--verbose", "--fixed-fps", "60", "--path", folder, "-s", "res://public.gd", timeout=60)
    assert ran.returncode == 0, ran.output
    assert not [line for line in ran.output.splitlines() if any(leak in line for leak in LEAKS)], ran.output
    refused = [line for line in ran.output.splitlines() if "SCRIPT ERROR" in line]
    assert len(refused) == 1 and "space_hash" in refused[0] and "Cannot convert argument" in refused[0], ran.output
    assert "Traceback" not in ran.output, ran.output
    lines = ran.output.splitlines()
    answers = {name: line.removeprefix(name).strip() for line in lines for name in _NAMES if line.startswith(name + " ")}
    answers["errors"] = "\n".join(line for line in lines if line.startswith("ERROR"))
    assert answers["class"] == "ScreePhysicsServer3D", ran.output
    return answers


_NAMES = ("class", "running", "arguments", "defaults", "property", "hits", "colliders", "excluded", "by name", "shifted",
          "no space", "wrong mask", "wrong number", "wrong ray", "empty", "beside a thread")  # fmt: skip


def test_the_singleton_is_a_class_with_types(told):
    assert told["running"] == "true true"
    assert told["arguments"] == '["space", "from", "to", "mask", "areas", "exclude", "threads", "from_inside", "any_hit"]'
    assert told["defaults"] == "[4294967295, false, [], 1, false, false] returns ScreeRayHits"
    assert '"positions"' in told["property"] and '"fractions"' in told["property"]


def test_many_rays_answer_by_arrays(told):
    assert told["hits"].startswith("2 [1, 0] [(0.0, 0.5, 0.0), ")
    assert "[(0.0, 1.0, 0.0), " in told["hits"]
    assert told["colliders"] == "true <Object#null> true true true 0"
    assert told["excluded"] == "[0, 0]"
    assert told["by name"] == "[1, 0] [1]"
    assert told["shifted"] == "(0.0, -1.5, 0.0)"


def test_wrong_values_give_one_clear_error(told):
    assert [told[name] for name in ("no space", "wrong mask", "wrong number", "wrong ray")] == ["<null>"] * 3 + ["<Object#null>"]
    assert told["empty"] == "0[]" and told["beside a thread"] == "0"
    words = ("cast_rays: there is no space", "mask must be 32 bits, got -1", "same number, got 1 and 0", "from 0 to 0, got 1")
    assert all(word in told["errors"] for word in words), told["errors"]
    assert len(told["errors"].splitlines()) == len(words)


def test_the_help_of_a_class_is_xml():
    page = Page("ScreeThing", "RefCounted", "A <thing>.", "Long & clear.")
    page.methods.append(
        ("turn", {"by": kind_of(FLOAT), "side": enum_of("Scree", "Side")}, object_of("ScreeThing"), {"side": "0"}, "Turns.")
    )
    page.members.append(("bodies", array_of("RID"), "set_bodies", "get_bodies", "Its bodies."))
    page.signals.append(("met", {"body": kind_of(RID), "at": kind_of(VECTOR3)}, "It met a body."))
    page.constants.append(("SIDE_LEFT", 0, "Side", "Left."))
    root = ElementTree.fromstring(page.xml())
    assert root.attrib == {"name": "ScreeThing", "inherits": "RefCounted"} and root.findtext("brief_description") == "A <thing>."
    method = root.find("methods/method")
    assert [p.attrib for p in method.iter("param")] == [
        {"index": "0", "name": "by", "type": "float"},
        {"index": "1", "name": "side", "type": "int", "enum": "Scree.Side", "default": "0"},
    ]
    assert method.find("return").attrib == {"type": "ScreeThing"} and method.findtext("description") == "Turns."
    assert root.find("members/member").attrib["type"] == "RID[]"
    assert root.find("signals/signal/param").attrib["type"] == "RID"
    assert root.find("constants/constant").attrib == {"name": "SIDE_LEFT", "value": "0", "enum": "Side"}
