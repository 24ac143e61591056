"""The extract of Godot's API description: it holds what the bridge asks for, and is never taken for another
version's."""

import json
import sys

import pytest

from scree.godot import api

DESCRIPTION = {
    "header": {"version_full_name": "Godot Engine v4.9.1.stable.test", "precision": "single"},
    "builtin_class_sizes": [
        {"build_configuration": "double_64", "sizes": [{"name": "Vector3", "size": 24}]},
        {"build_configuration": "float_64",
         "sizes": [{"name": "Vector3", "size": 12}, {"name": "Variant", "size": 24}]},
    ],
    "builtin_classes": [{"name": "Callable", "methods": [{"name": "is_valid", "hash": 7}, {"name": "bind", "hash": 8}]},
                        {"name": "Color"}],
    "classes": [
        {"name": "Node", "methods": [{"name": "free", "hash": 1}]},
        {"name": "PhysicsServer3DExtension", "methods": [
            {"name": "_body_get_mode", "is_virtual": True, "hash": 3, "arguments": [{"name": "body", "type": "RID"}],
             "return_value": {"type": "enum::PhysicsServer3D.BodyMode"}},
            {"name": "body_test_motion_is_excluding_body", "hash": 5, "arguments": [{"name": "body", "type": "RID"}]},
        ]},
    ],
}  # fmt: skip


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCREE_CACHE", str(tmp_path))
    return tmp_path


def keep(version="Godot Engine v4.9.1.stable.test", **header) -> None:
    description = {**DESCRIPTION, "header": {**DESCRIPTION["header"], "version_full_name": version, **header}}
    path = api.extract_path(version)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(api.make_extract(description)))


def test_extract_keeps_what_is_asked_for():
    read = api.load(json.loads(json.dumps(api.make_extract(DESCRIPTION))))
    assert read.version == "Godot Engine v4.9.1.stable.test"
    assert read.sizes == {"Vector3": 12, "Variant": 24}
    assert list(read.classes) == ["PhysicsServer3DExtension"]
    assert read.builtin_methods == {"Callable": {"is_valid": 7}}
    virtual = read.virtuals("PhysicsServer3DExtension")
    assert list(virtual) == ["_body_get_mode"]
    assert virtual["_body_get_mode"].arguments == ("RID",)
    assert virtual["_body_get_mode"].result == "enum::PhysicsServer3D.BodyMode"
    assert read.classes["PhysicsServer3DExtension"]["body_test_motion_is_excluding_body"].hash == 5


def test_it_is_read_from_the_cache(cache):
    keep()
    assert api.read_extract("Godot Engine v4.9.1.stable.test").sizes["Vector3"] == 12


def test_it_is_read_from_beside_the_loader(cache, tmp_path):
    folder = tmp_path / "shipped"
    folder.mkdir()
    (folder / "godot_api.json").write_text(json.dumps(api.make_extract(DESCRIPTION)))
    assert api.read_extract("Godot Engine v4.9.1.stable.test", folder).precision == "single"


def test_double_precision_is_refused(cache):
    keep(precision="double")
    with pytest.raises(api.ApiUnknown, match="double precision"):
        api.read_extract("Godot Engine v4.9.1.stable.test")


def test_another_version_is_not_taken(cache, monkeypatch):
    keep("Godot Engine v4.9.0.stable.test")
    monkeypatch.setattr(api, "own_command", lambda: [])
    with pytest.raises(api.ApiUnknown, match="4.9.1"):
        api.read_extract("Godot Engine v4.9.1.stable.test")


def test_an_engine_that_does_not_describe_itself(cache):
    with pytest.raises(api.ApiUnknown, match="wrote nothing: no such option"):
        api.write_extract([sys.executable, "-c", "import sys; sys.exit('no such option')"])
    with pytest.raises(api.ApiUnknown, match="/nowhere/godot"):
        api.write_extract(["/nowhere/godot"])


def test_an_engine_that_describes_itself(cache):
    program = f"import json; json.dump({DESCRIPTION!r}, open('extension_api.json', 'w'))"
    path = api.write_extract([sys.executable, "-c", program])
    assert path == api.extract_path("Godot Engine v4.9.1.stable.test") and path.is_file()
    assert [file.name for file in path.parent.iterdir()] == [path.name], "nothing half written is left"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}"])
def test_a_damaged_extract_is_made_anew(cache, monkeypatch, text):
    program = f"import json; json.dump({DESCRIPTION!r}, open('extension_api.json', 'w'))"
    monkeypatch.setattr(api, "own_command", lambda: [sys.executable, "-c", program])
    path = api.extract_path("Godot Engine v4.9.1.stable.test")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    for _ in range(2):
        assert api.read_extract("Godot Engine v4.9.1.stable.test").sizes["Vector3"] == 12
    assert json.loads(path.read_text())["precision"] == "single"


def test_a_cache_that_cannot_be_written_is_no_obstacle(cache, monkeypatch):
    program = f"import json; json.dump({DESCRIPTION!r}, open('extension_api.json', 'w'))"
    monkeypatch.setattr(api, "own_command", lambda: [sys.executable, "-c", program])
    folder = api.extract_path("Godot Engine v4.9.1.stable.test").parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.touch()
    assert api.read_extract("Godot Engine v4.9.1.stable.test").sizes["Vector3"] == 12


def test_an_engine_that_was_asked_asks_no_other(cache, monkeypatch):
    description = f"{{**{DESCRIPTION!r}, 'marked': os.environ[{api.CHILD!r}]}}"
    program = f"import json, os; json.dump({description}, open('extension_api.json', 'w'))"
    api.write_extract([sys.executable, "-c", program])
    monkeypatch.setenv(api.CHILD, "1")
    with pytest.raises(api.ApiUnknown, match="starts no other"):
        api.write_extract([sys.executable, "-c", program])


def test_a_game_that_may_not_ask_starts_nothing(cache, monkeypatch):
    monkeypatch.setattr(api, "own_command", lambda: pytest.fail("it was about to start itself"))
    with pytest.raises(api.ApiUnknown, match="no description"):
        api.read_extract("Godot Engine v4.9.1.stable.test", may_ask=False)


def test_own_command_is_this_process():
    assert api.own_command()[0].endswith(("python", "python3", f"python3.{sys.version_info[1]}"))
