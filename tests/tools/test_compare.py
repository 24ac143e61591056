"""Comparing two commits: which engine a project runs on, floors, what does not hold, and a commit that is not there."""

import subprocess

import pytest

from scree.tools import compare, places, scenes

ROOT = places.checkout()


def test_a_project_runs_on_the_engine_of_another_checkout(tmp_path):
    base = tmp_path / "base"
    (base / "addons").mkdir(parents=True)
    (base / "addons" / "scree").symlink_to(ROOT / "addons" / "scree")
    project = compare.project_on(base, tmp_path / "project")
    (paths,) = (project / "addons" / "scree").rglob("scree_paths.cfg")
    assert f"engine={base / 'engine_core'}" in paths.read_text().splitlines()
    assert (project / "project.godot").is_file()


def test_a_floor_is_the_least_of_each_tick():
    base = [compare.Round({"ms a tick": costs}) for costs in ([2.0, 4.0], [3.0, 3.0])]
    now = [compare.Round({"ms a tick": costs}) for costs in ([2.0, 9.0], [5.0, 3.1])]
    (ratio,) = compare.ratios_of("piles", {"base": base, "now": now})
    assert (ratio.base, ratio.now) == (2.5, 2.55) and ratio.times == pytest.approx(1.02) and ratio.part == "piles"
    slower = compare.Ratio("piles", "ms a tick", 1.0, 1.0201)
    assert compare.Ratio("piles", "ms a tick", 1.0, 1.0199).holds() and not slower.holds()
    assert str(slower) == "piles: 1.020 ms a tick, base 1.000: 1.020 times"


def test_both_sides_run_in_turn(monkeypatch):
    ran = []

    def costs(godot, project, threads):
        ran.append(project)
        return compare.Round({"ms a tick": [1.0 if project == "a" else 1.1]}, (1.0, 2.0 if len(ran) < 9 else 3.0))

    monkeypatch.setitem(compare.PARTS, "piles", costs)
    (ratio,), ends_equal = compare.measure(None, {"base": "a", "now": "b"}, "piles", 3, 1)
    assert ran == ["a", "b"] * 3 and not ratio.holds() and ends_equal
    assert not compare.measure(None, {"base": "a", "now": "b"}, "piles", 3, 1)[1], "the later rounds end elsewhere"


@pytest.mark.parametrize(("found", "tick"), (([7, 8, 9], None), ([7, 5, 9], 2)))
def test_the_first_tick_that_differs_is_named(monkeypatch, found, tick):
    hashes = {"a": [7, 8, 9], "b": found}
    monkeypatch.setattr(compare.prove_determinism, "hashes_in_godot", lambda godot, project, *rest: hashes[project])
    assert compare.first_difference(None, {"base": "a", "now": "b"}, 3) == tick


def test_a_commit_is_checked_out_and_taken_away(tmp_path):
    with compare.checked_out("HEAD", tmp_path / "base") as base:
        assert (base / "engine_core" / "__init__.py").is_file()
    assert not (tmp_path / "base").exists()
    listed = subprocess.run(["git", "-C", str(ROOT), "worktree", "list"], check=True, capture_output=True, text=True).stdout
    assert str(tmp_path) not in listed
    with pytest.raises(scenes.SceneFailed, match="no commit 'nowhere'"), compare.checked_out("nowhere", tmp_path / "base"):
        pass


def test_what_does_not_hold_is_returned_and_all_is_reported(monkeypatch, tmp_path):
    monkeypatch.setattr(compare, "project_on", lambda engine, folder: folder.name)
    monkeypatch.setattr(compare, "compile_all", lambda godot, projects: None)
    monkeypatch.setattr(compare.prove_determinism, "hashes_in_godot", lambda godot, project, *rest: [1, 2])
    costs = {"base": 1.0, "now": 2.0}
    monkeypatch.setitem(compare.PARTS, "piles", lambda godot, project, threads: compare.Round({"ms": [costs[project]]}))
    monkeypatch.setitem(compare.PARTS, "rays", lambda godot, project, threads: compare.Round({"us": [1.0]}, (costs[project],)))
    said: list[str] = []
    faults = compare.compare(None, "HEAD", ["piles", "rays"], 2, 1, said.append)
    assert faults == ["piles: 2.000 ms, base 1.000: 2.000 times", "rays: the scene ends in another state"]
    same = "rays: 1.000 us, base 1.000: 1.000 times"
    assert said == ["hashes of 2000 ticks: all equal", faults[0], same, faults[1]]
