"""The verdict of the check of moving piles on given figures, and that its scenes move in real Godot."""

from types import SimpleNamespace

import pytest

from scree.tools import prove_moving, scenes

GOOD = {
    "mean_overlap": 0.003, "overlap_99": 0.03, "worst_overlap": 0.1, "deepest_in_bin": 0.05, "fastest": 15.0,
    "highest_speed": 20.0, "mean_kinetic_energy": 9.0, "mean_height": 9.5,
}  # fmt: skip


def quality(lost: int = 0, **other: float) -> dict:
    return {**GOOD, **other, "lost": lost}


def test_a_time_counts_only_with_the_quality_that_it_bought():
    def faults(**ours) -> list[str]:
        return prove_moving.faults_of(quality(**ours), quality(mean_height=9.3), 9.5)

    assert not faults() and not faults(worst_overlap=0.19, mean_kinetic_energy=11.0, mean_height=10.0)
    assert faults(lost=1) == ["bodies outside"]
    assert faults(mean_overlap=0.004, overlap_99=0.04) == ["too deep on average", "too deep in one of a hundred pairs"]
    assert faults(worst_overlap=0.21, deepest_in_bin=0.11) == ["too deep at worst", "too deep in the bin"]
    assert faults(fastest=20.1) == ["faster than anything can be"]
    assert faults(mean_kinetic_energy=6.0, mean_height=10.2) == [
        "mean kinetic energy differs by -33.3%",
        "mean height differs by +7.4%",
    ]


@pytest.mark.parametrize(("milliseconds", "holds"), ((4.0, True), (6.0, False)))
def test_only_ticks_in_which_all_moves_are_timed(monkeypatch, milliseconds, holds):
    def run(time: float) -> list:
        begin, end = prove_moving.MOVING
        ticks = (100.0,) * begin + (time,) * (end - begin) + (100.0,) * (prove_moving.TICKS - end)
        return [SimpleNamespace(tick_ms=ticks, extra=GOOD, lost=0)]

    monkeypatch.setattr(prove_moving, "fine_height", lambda *_: GOOD["mean_height"])
    monkeypatch.setattr(prove_moving, "runs_of", lambda *_: {scenes.SCREE: run(milliseconds), scenes.JOLT: run(10.0)})
    outcome = prove_moving.moving_piles(None, None)
    assert outcome.passed is holds and outcome.figures.count(f"{milliseconds / 10.0:.2f} times") == 4


@pytest.mark.parametrize(
    ("scene", "rate", "least_energy"), (("drum", 60, 1.0), ("shaken_bin", 60, 0.3), ("shaken_bin", 240, 0.3))
)
def test_bins_keep_their_bodies_moving_and_hold_them(godot, tmp_path, scene, rate, least_energy):
    """On Godot's own engine: what is tested here are the scenes."""
    project = scenes.copy_demo_project(tmp_path / "project", with_addon=False)
    scenes.choose_engine(project, scenes.JOLT, threads=1, ticks_per_second=rate)
    figures = scenes.run_scene(godot, project, scene, prove_moving.TICKS * rate // 60, ["--bodies=60", "--server"])
    found = prove_moving.quality_of(figures)
    assert figures.extra["samples"] == 6 and figures.lost == 0
    assert found["mean_kinetic_energy"] > least_energy and found["fastest"] < found["highest_speed"]
