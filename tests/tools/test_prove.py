"""The long checks: what they make of figures and failures, and that what has a long form is run by one."""

import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from scree.tools import open_world, places, prove, prove_parity, prove_step, prove_streaming, scenes

TESTS = Path(__file__).resolve().parents[1]


def test_whatever_has_a_long_form_is_run_in_full_by_some_check():
    asking = {path for path in TESTS.rglob("test_*.py") if re.search(r"^from tests\.sizes import", path.read_text(), re.M)}
    ran = []
    for module in {check.function.__globals__["__file__"] for check in prove.all_checks().values()}:
        ran.append(Path(module).read_text(encoding="utf-8"))
    assert len(asking) >= 5
    for path in asking:
        name = path.relative_to(TESTS.parent).as_posix()
        assert any(name in text for text in ran), f"{name} is in no check"


def fake_runs(ours: dict, theirs: dict) -> dict:
    """Figures of two engines, of which these are not 0, or 10 m."""

    def figures(*, height=10.0, top=10.0, lost=0, deepest=0.0, speed=0.0) -> SimpleNamespace:
        extra = {"mean_speed": speed, "top": top}
        return SimpleNamespace(
            height=height, lost=lost, deepest_penetration=deepest, extra=extra, tick_ms=(1.0,) * prove_step.TICKS
        )

    return {scenes.SCREE: [figures(**ours)], scenes.JOLT: [figures(**theirs)]}


def test_a_time_counts_only_with_the_quality_that_it_bought():
    def faults(ours: dict, theirs: dict, height: str = "height") -> list[str]:
        return prove_step.faults_of(fake_runs(ours, theirs), height, 0.03)

    assert not faults({"height": 10.2, "top": 20.0, "deepest": 0.02, "speed": 0.01}, {})
    assert faults({"height": 10.4}, {}) == ["height differs by +4.0%"]
    assert faults({"height": 20.0, "top": 9.6}, {}, "top") == ["top differs by -4.0%"]
    assert faults({"deepest": 0.03, "speed": 0.3, "lost": 1}, {"deepest": 0.025, "speed": 0.2}) == [
        "too fast",
        "too deep",
        "bodies lost",
    ]
    assert not faults({"deepest": 0.03, "speed": 0.3}, {"deepest": 0.03, "speed": 0.3})


def test_a_pile_that_is_not_as_high_does_not_count(monkeypatch):
    monkeypatch.setattr(prove_step, "runs_of", lambda *_: fake_runs({}, {}))
    monkeypatch.setattr(prove_step, "floor_ratio", lambda *_: (0.1, 1.0, 0.1))
    assert prove_step.dense_piles(None, None).passed
    monkeypatch.setattr(prove_step, "runs_of", lambda *_: fake_runs({"top": 10.7}, {}))
    outcome = prove_step.dense_piles(None, None)
    assert not outcome.passed and outcome.figures.count("top differs by +7.0%") == 2 * len(prove_step.PILES)


def test_how_far_a_height_differs_is_told_beside_what_is_allowed():
    for difference, holds in ((0.02, True), (-0.02, True), (0.04, False), (-0.04, False)):
        words, counts = prove_step.judged(fake_runs({"height": 10.0 * (1.0 + difference)}, {}), "height", 0.03)
        assert counts is holds
        assert f"height {difference:+.1%}, 3% allowed" in words


def test_the_open_world_of_another_layout_goes(tmp_path, monkeypatch):
    made = []

    def make(folder, *_, **__):
        made.append(folder)
        folder.mkdir()
        (folder / "tiles.json").touch()

    monkeypatch.setattr(open_world, "make", make)
    for old in ("open_world", "open_world_0000000a"):
        (tmp_path / old).mkdir()
    (tmp_path / "project").mkdir()
    for _ in range(2):
        folder = prove_streaming.world_of(tmp_path / "project")
    assert made == [folder] and sorted(path.name for path in tmp_path.iterdir()) == sorted([folder.name, "project"])


def test_what_fails_in_one_godot_does_not_lose_the_others(monkeypatch, capsys, tmp_path):
    """Virtuals are told in the order of the list, whoever is done first."""
    calls = {f"Class._{name}": {} for name in "abcd"}
    monkeypatch.setattr(prove_parity, "recorded_calls", lambda *_: calls)
    monkeypatch.setattr(prove_parity, "checkout", lambda: tmp_path)
    (tmp_path / "docs").mkdir()

    def try_without(behaviour, godot, calls, virtual, settings):
        if virtual.endswith("a"):
            time.sleep(0.1)
        if virtual.endswith("b"):
            raise OSError("no space left")
        return "" if virtual.endswith("c") else f"test of {virtual}"

    monkeypatch.setattr(prove_parity, "behaviour_module", lambda: None)
    monkeypatch.setattr(prove_parity, "try_without", try_without)
    outcome = prove_parity.by_removal(None)
    assert not outcome.passed and outcome.figures.startswith("2 of 4") and "Class._b, Class._c" in outcome.figures
    said = [line.split(": ") for line in capsys.readouterr().out.splitlines()]
    assert [name.strip() for name, _ in said] == list(calls)
    assert [what for _, what in said] == ["test of Class._a", "no space left", "NOT NOTICED", "test of Class._d"]
    assert "- not noticed: `Class._b`" in next((tmp_path / "docs").iterdir()).read_text()


def test_a_check_that_needs_a_checkout_says_so(monkeypatch):
    monkeypatch.setattr(places, "checkout", lambda: None)
    with pytest.raises(scenes.SceneFailed, match="needs a checkout"):
        prove.run_python("-c", "")


def test_a_process_that_fails_or_does_not_end_is_a_check_that_does_not_hold(monkeypatch):
    with pytest.raises(scenes.SceneFailed, match="(?s)ended with 3.*said this"):
        prove.run_python("-c", "import sys; print('said this'); sys.exit(3)")
    monkeypatch.setattr(prove, "LONGEST_RUN", 0.05)
    with pytest.raises(scenes.SceneFailed, match="did not end within 0.05 s"):
        prove.run_python("-c", "import time; time.sleep(5)")
