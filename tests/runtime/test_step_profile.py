"""Profiles of steps: every step is there once, its stages fill it, its events lie in it. Steps are the same with a profile."""

import numpy as np
import pytest
from scenes_for_threads import Heap

from scree.profiling.step_profile import StepProfiler, empty_profile
from scree.step.stages import JOB_COUNT, STAGE_COUNT, STAGE_NAMES, UPDATE_TREES


@pytest.fixture(scope="module")
def heap():
    scene = Heap(threads=2)
    for _ in range(60):
        scene.step()
    return scene


def test_each_step_is_taken_once(heap):
    profiler = StepProfiler(heap.world.system(heap.system))
    try:
        assert len(profiler.take().durations) == 0
        for _ in range(3):
            heap.step()
        one = profiler.take()
        heap.step()
        two = profiler.take()
    finally:
        profiler.stop()
    assert (one.first, two.first, one.lost, two.lost) == (0, 3, 0, 0)
    assert (len(one.durations), len(two.durations)) == (3, 1)
    assert one.stage_times.shape == (3, STAGE_COUNT) and one.thread_count == 2
    np.testing.assert_allclose(one.stage_times.sum(1), one.durations, rtol=1e-5)
    assert (one.stage_times[:, STAGE_NAMES.index("solve")] > 0.0).all()
    ends = one.begins + one.durations * 1e-6
    assert one.begins[0] == 0.0 and (one.begins[1:] >= ends[:-1]).all() and two.begins[0] >= ends[-1]
    system = heap.world.system(heap.system)
    assert two.active_bodies[0] == system.row["bodies"]["active_count"] > 100
    assert two.pairs[0] == system.row["pairs"]["active_count"] > 100
    assert two.contacts[0] == system.row["manifolds"]["count"] > 100


def test_events_lie_in_their_steps_and_add_up(heap):
    """Work of the calling thread takes no longer than the stage it belongs to, since it is measured within it."""
    profiler = StepProfiler(heap.world.system(heap.system))
    heap.step()
    heap.step()
    profile = profiler.take()
    profiler.stop()
    assert len(profile.event_ticks) > 100 and set(profile.event_ticks) == {0, 1}
    assert (profile.event_begins >= 0.0).all() and (np.diff(profile.event_ticks) >= 0).all()
    ends = profile.event_begins + profile.event_durations
    assert (ends <= profile.durations[profile.event_ticks] + 50.0).all()
    for tick in range(2):
        for stage in set(range(STAGE_COUNT)) - {UPDATE_TREES}:  # which runs beside other stages
            mine = (profile.event_ticks == tick) & (profile.event_stages == stage) & (profile.event_threads == 0)
            took = profile.stage_times[tick, stage]
            assert profile.event_durations[mine].sum() <= took * 1.001 + 1.0, STAGE_NAMES[stage]
    serial = profile.event_stages >= JOB_COUNT
    assert (profile.event_items[serial] == 0).all() and (profile.event_items[~serial] > 0).all()


def test_a_profile_that_is_not_taken_loses_its_oldest_steps(heap):
    profiler = StepProfiler(heap.world.system(heap.system), ticks=4)
    for _ in range(6):
        heap.step()
    profile = profiler.take()
    profiler.stop()
    assert (profile.first, profile.lost, len(profile.durations)) == (3, 3, 3)
    np.testing.assert_allclose(profile.stage_times.sum(1), profile.durations, rtol=1e-5)
    assert (profile.durations < 1e6).all()


def test_two_spaces_share_the_recorder(heap):
    other = heap.world.create_system()
    profilers = [StepProfiler(heap.world.system(system)) for system in (heap.system, other)]
    heap.step()
    heap.world.step(other, 1 / 60)
    many, few = (profiler.take() for profiler in profilers)
    profilers[0].stop()
    assert heap.world.job_system.record["timeline"] != 0
    profilers[1].stop()
    profilers[1].stop()
    assert heap.world.job_system.record["timeline"] == 0
    assert len(many.event_ticks) > 10 * max(len(few.event_ticks), 1) and len(few.durations) == 1
    heap.world.destroy_system(other)


def test_wrong_use_is_refused(heap):
    system = heap.world.system(heap.system)
    profiler = StepProfiler(system)
    with pytest.raises(RuntimeError, match="measured already"):
        StepProfiler(system)
    profiler.stop()
    with pytest.raises(RuntimeError, match="stopped"):
        profiler.take()
    assert len(empty_profile().durations) == 0
    assert system.row["step"]["stage_cycles"] == 0


def test_steps_are_the_same_with_a_profile():
    plain, watched = Heap(threads=2), Heap(threads=2)
    profiler = StepProfiler(watched.world.system(watched.system))
    for _ in range(40):
        plain.step()
        watched.step()
    assert len(profiler.take().durations) == 40
    profiler.stop()
    places = [[scene.world.bodies.rows["position"][: scene.world.bodies.count]] for scene in (plain, watched)]
    np.testing.assert_array_equal(places[0], places[1])
