"""The recorder of the timeline, and what is made of it."""

import json

import numpy as np
import pool_jobs as jobs
import pytest
from scenes_for_threads import Heap

from scree.profiling.chrome_trace import spans, write_chrome_trace
from scree.profiling.recording import recorded
from scree.runtime.thread_pool import ThreadPool
from scree.runtime.timeline import Timeline, cycles_per_second, read_cycles


def test_every_batch_is_written_once():
    with ThreadPool(3) as pool:
        timeline = pool.start_recording(capacity=1 << 10)
        visits = np.zeros(1000, np.int32)
        before = read_cycles()
        pool.parallel_for(jobs.count_visits, visits.ctypes.data, 1000, 7)
        after = read_cycles()
        pool.stop_recording()
        pool.parallel_for(jobs.count_visits, visits.ctypes.data, 1000, 7)
    events = np.concatenate([timeline.events(worker) for worker in range(3)])
    assert len(events) == 143
    covered = np.concatenate([np.arange(e["first"], e["first"] + e["count"]) for e in events])
    np.testing.assert_array_equal(np.sort(covered), np.arange(1000))
    assert (events["job"] == jobs.count_visits.address).all()
    assert ((before <= events["begin"]) & (events["begin"] <= events["end"]) & (events["end"] <= after)).all()


def test_the_oldest_go():
    with ThreadPool(1) as pool:
        timeline = pool.start_recording(capacity=8)
        for k in range(11):
            pool.parallel_for(jobs.nothing, 0, k + 1, 100)
    assert timeline.written(0) == 11
    assert timeline.events(0)["count"].tolist() == list(range(4, 12))
    timeline.clear()
    assert len(timeline.events(0)) == 0


def test_capacity_must_be_a_power_of_two():
    with pytest.raises(ValueError, match="power of two"):
        Timeline(1, 1000)


def test_what_an_event_costs(capsys):
    """Recording costs tens of nanoseconds a batch."""
    with ThreadPool(1) as pool:
        costs = []
        for is_on in (False, True):
            if is_on:
                pool.start_recording()
            times = np.zeros(20_000, np.int64)
            times[0] = len(times)
            jobs.time_jobs(pool.address, jobs.nothing.address, 0, 1, 1, times.ctypes.data)
            costs.append(np.median(times) / cycles_per_second() * 1e9)
    with capsys.disabled():
        print(f"\nan event costs {costs[1] - costs[0]:.0f} ns")


@pytest.mark.needs("matplotlib")
def test_a_step_is_recorded(tmp_path):
    from scree.tools.timeline_plot import plot_timeline

    scene = Heap(threads=2)
    for _ in range(60):
        scene.step()
    scene.world.job_system.pool.record["retreat"] = 0
    with recorded(scene.world.system(scene.system)) as recording:
        for _ in range(3):
            scene.step()
    timeline, names = recording.timeline, recording.names
    rows = spans(timeline, names)
    seen = {row[1] for row in rows}
    assert {"collide", "solve", "relax", "look_for_pairs", "finish_bodies"} <= seen
    assert not any(name.startswith("job ") for name in seen)
    assert rows[0][2] == 0.0 and all(row[2] <= row[3] for row in rows)
    assert all(seconds >= 0.0 for seconds in recording.stage_seconds.values())
    assert recording.stage_seconds["solve"] > 0.0 and recording.stage_seconds["look_for_pairs"] > 0.0
    write_chrome_trace(tmp_path / "step.json", timeline, names)
    trace = json.loads((tmp_path / "step.json").read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in trace) == len(rows)
    plot_timeline(tmp_path / "step.png", timeline, names)
    assert (tmp_path / "step.png").stat().st_size > 5000
    with pytest.raises(ValueError, match="nothing was recorded"):
        plot_timeline(tmp_path / "empty.png", timeline, names, begin=1e6)
