"""Contents of a wheel: the engine, the tools, the addon, the demo project; and that it installs from there."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from scree.tools import build_loader, prove, prove_package

ROOT = Path(__file__).resolve().parents[2]


def test_every_room_is_packed():
    packed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    core = ROOT / "engine_core"
    rooms = {".".join(("scree", *path.relative_to(core).parts[:-1])) for path in core.rglob("__init__.py")}
    assert rooms <= packed
    folders = {".".join(("scree", *path.relative_to(core).parts[:-1])) for path in core.rglob("*.py")}
    assert folders <= packed, "a folder of Python files has no __init__.py"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """A wheel of this checkout, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = prove_package.build_wheel(folder)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_all_and_nothing_made_here(unpacked):
    names = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert "scree/py.typed" in names  # what users write is checked against the annotations
    assert "scree/runtime/kernel.py" in names and "scree/tools/command_line.py" in names
    assert {"scree/runtime/intrinsics/call.py", "scree/tools/core/platform.c", "scree/tools/core/scree_modules.py"} <= names
    for file in ("plugin.cfg", "plugin.gd", "scree.gdextension", "native/loader.c"):
        assert f"scree/tools/addon/{file}" in names
    for file in ("project.godot", "index.json", "scenes/pile.tscn", "scripts/demo_scene.gd"):
        assert f"scree/tools/demo_project/{file}" in names
    template = ROOT / "examples" / "template_project"
    for file in template.iterdir():
        assert f"scree/tools/template_project/{file.name}" in names
    # Nothing else of ours lies at the top of site-packages.
    assert {name.split("/")[0].split("-")[0] for name in names} == {"scree", "scree_physics"}
    assert not [name for name in names if name.endswith((".so", ".pyc")) or "scree_paths" in name or ".godot/" in name]


def test_it_installs_from_a_wheel(unpacked, tmp_path):
    (tmp_path / "project.godot").write_text("config_version=5\n")
    call = "from scree.tools.scree import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", call, "install", str(tmp_path)], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "addons/scree/bin" / build_loader.library_name()).is_file()
    assert f"engine={unpacked / 'scree'}" in (tmp_path / "addons/scree/bin/scree_paths.cfg").read_text()


@pytest.mark.parametrize("place", ["environment/lib/scree/__init__.py", "checkout/engine_core/__init__.py"])
def test_the_long_check_fails_where_the_engine_is_not_from_the_wheel(monkeypatch, place):
    made = []

    def environment_with(folder, *packages):
        made.append(folder.parent / place)
        return folder / "bin/python"

    def wheel(folder):
        (folder / "scree.whl").touch()
        return folder / "scree.whl"

    monkeypatch.setattr(prove_package, "build_wheel", wheel)
    monkeypatch.setattr(prove_package, "environment_with", environment_with)
    monkeypatch.setattr(prove_package, "run_python", lambda *words, **_: "7 passed\n" if "pytest" in words else f"{made[0]}\n")
    outcome = prove.run(prove.all_checks()["wheel_runs_examples"], None, None)
    assert outcome.passed == place.startswith("environment") and "7 passed" in outcome.figures
