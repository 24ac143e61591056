"""Floors, medians and spreads against numbers worked out by hand, and what the comparison says of engines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scree.tools import bench, bench_plot, scenes
from scree.tools.bench_figures import ratios, tick_floors, tick_times

ROUNDS = [[9.0, 1.0, 4.0, 2.0], [9.0, 3.0, 2.0, 2.0], [9.0, 2.0, 3.0, 8.0]]


def test_by_hand():
    times = tick_times(ROUNDS, skip=1)
    assert tick_floors(ROUNDS, skip=1).tolist() == [1.0, 2.0, 2.0]
    assert times.floor == pytest.approx(5.0 / 3.0)
    assert times.median == 2.0
    assert times.spread == pytest.approx((13.0 / 3.0 - 7.0 / 3.0) / (7.0 / 3.0))


@given(st.lists(st.lists(st.floats(0.001, 1000.0), min_size=5, max_size=5), min_size=1, max_size=5))
def test_more_rounds_never_raise_the_floor(rounds):
    floor = tick_times(rounds).floor
    assert floor <= tick_times(rounds[:1]).floor + 1e-9
    assert floor == pytest.approx(np.mean([min(of_tick) for of_tick in zip(*rounds, strict=True)]))


@pytest.mark.parametrize(("rounds", "skip"), [([[1.0], [1.0, 2.0]], 0), ([[1.0, 2.0]], 2)])
def test_rounds_that_cannot_be_compared(rounds, skip):
    with pytest.raises(ValueError):
        tick_times(rounds, skip)


def test_ratios_are_to_the_peer():
    assert ratios({"a": 3.0, "Jolt Physics": 2.0}, "Jolt Physics") == {"a": 1.5, "Jolt Physics": 1.0}
    assert ratios({"a": 3.0}, "Jolt Physics") == {"a": None}


def figures(engine, setting, tick_ms=(1.0, 2.0), height=1.0):
    return scenes.Figures("pile", engine, 10, 2, tuple(tick_ms), 9, 0.001, 0.0, height, 0, {"engine_setting": setting})


def test_an_engine_that_did_not_run_is_an_error():
    bench.check_engine(figures("ScreePhysicsServer3D", "Scree Physics"), "Scree Physics")
    bench.check_engine(figures("JoltPhysicsServer3D", "Jolt Physics"), "Jolt Physics")
    with pytest.raises(scenes.SceneFailed, match="instead of Scree Physics"):
        bench.check_engine(figures("GodotPhysicsServer3D", "Scree Physics"), "Scree Physics")
    with pytest.raises(scenes.SceneFailed, match="instead of Jolt Physics"):
        bench.check_engine(figures("JoltPhysicsServer3D", "DEFAULT"), "Jolt Physics")


@pytest.fixture
def result():
    runs = {
        "Scree Physics": [figures("ScreePhysicsServer3D", "Scree Physics", (3.0, 4.0)) for _ in range(2)],
        "Jolt Physics": [figures("Jolt", "Jolt Physics", (2.0, 2.0)), figures("Jolt", "Jolt Physics", (3.0, 3.0), 2.0)],
    }
    return bench.scene_result("pile", 2, runs, skip=0)


def test_a_scenes_comparison(result):
    scree, jolt = result.engines
    assert (scree.times.floor, jolt.times.floor, scree.ratio, jolt.ratio) == (3.5, 2.0, 1.75, 1.0)
    assert scree.same_every_round and not jolt.same_every_round
    assert jolt.quality["height"] == 2.0 and result.bodies == 10


def test_the_plot_is_written_as_svg_and_png(result, tmp_path):
    svg, png = bench_plot.plot([result, result], tmp_path)
    assert svg.read_text().lstrip().startswith("<?xml") and png.read_bytes().startswith(b"\x89PNG")
