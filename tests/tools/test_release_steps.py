"""The addon of a release takes its place when it is whole, and what is done is told meanwhile. Parts of systems are stand-ins
here; `tests/godot_bridge/test_release.py` runs true ones."""

from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from scree.tools import addon_files, build_loader, find_godot, release, release_python  # noqa: E402

GODOT = find_godot.Godot(("godot",), "4.6", "a test")
WINDOWS, LINUX = ("windows", "x86_64"), ("linux", "x86_64")


@pytest.fixture
def stand_ins(monkeypatch):
    """Parts that are made at once; the list of what fails, by name of a system."""
    fails = []

    def write_python(source, folder: Path, core_id: str) -> list[Path]:
        (folder / "python.zip").write_text(core_id)
        if fails:
            raise KeyboardInterrupt
        return []

    monkeypatch.setattr(build_loader, "this_machine", lambda: LINUX)
    monkeypatch.setattr(build_loader, "cross_compiler", lambda target: ["cc", ""])
    monkeypatch.setattr(build_loader, "build", lambda source, library, *_: library.write_text("loader"))
    monkeypatch.setattr(release, "_core", lambda target, folder, steps: steps.detail(3, 4, "an entry point") or "id")
    monkeypatch.setattr(release, "_describe", lambda godot, file: file.write_text("{}"))
    monkeypatch.setattr(release, "SOURCES", {LINUX: lambda: None, WINDOWS: lambda: None})
    monkeypatch.setattr(release_python, "write_python", write_python)
    return fails


def test_a_release_that_is_ended_leaves_the_one_before(stand_ins, tmp_path):
    first = release.make(tmp_path, GODOT)
    (first.folder / "mine.txt").write_text("a mark of the first")
    packed = first.archive.read_bytes()
    stand_ins.append("all")
    with pytest.raises(KeyboardInterrupt):
        release.make(tmp_path, GODOT, (LINUX, WINDOWS))
    assert (first.folder / "mine.txt").is_file() and not (first.folder / "bin/windows.x86_64").exists()
    assert first.archive.read_bytes() == packed
    stand_ins.clear()
    second = release.make(tmp_path, GODOT, (LINUX, WINDOWS))
    assert (second.folder / "bin/windows.x86_64/scree/python.zip").is_file() and not (second.folder / "mine.txt").exists()
    assert sorted(file.name for file in tmp_path.rglob("*") if file.parent in (tmp_path, tmp_path / "addons")) == [
        "addons", "scree", "scree-addon.zip"
    ]  # fmt: skip


def test_it_lists_its_files(stand_ins, tmp_path):
    done = release.make(tmp_path, GODOT)
    assert addon_files.written(done.folder) == {file for file in done.folder.rglob("*") if file.is_file()}


def test_its_steps_are_told_and_a_system_is_made_once(stand_ins, tmp_path):
    told = []
    release.make(tmp_path, GODOT, (WINDOWS, WINDOWS), lambda *step: told.append(step))
    assert told == [
        (0, 4, "windows.x86_64: loader"), (1, 4, "windows.x86_64: core"), (1, 4, "windows.x86_64: core, 3 of 4"),
        (2, 4, "windows.x86_64: Python and NumPy"), (3, 4, "packing"),
    ]  # fmt: skip


def test_a_file_in_its_place_is_said(stand_ins, tmp_path):
    (tmp_path / "addons").write_text("")
    with pytest.raises(release.NotReleased, match="addons is no folder"):
        release.make(tmp_path, GODOT)
