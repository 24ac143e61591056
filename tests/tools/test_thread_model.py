"""The model of a step on many threads, on steps that can be added up by hand; and the measurement that feeds it."""

import json

import pytest

from scree.runtime.job_system import batch_size
from scree.step.stages import JOB_COUNT, STAGE_NAMES
from scree.tools import prove_thread_model, thread_costs, thread_plot
from scree.tools.prove import all_checks
from scree.tools.thread_model import (
    Machine,
    batch_share,
    grown,
    kept,
    least_items,
    lonely_share,
    machine_of,
    predict,
    serial_share,
    sharing_of,
    slower,
)

QUICK = Machine(barriers={1: 0.0, 2: 1.0, 4: 3.0}, wake_calls={1: 0.0, 2: 0.0}, wakes={1: 0.0, 2: 1.0, 4: 3.0})
STEP = [
    ["make_pairs", 0, 0, 10.0],
    ["collide", 2048, 64, 400.0],
    ["solve", 4, 4, 5.0],
    ["store_impulses", 100, 4, 20.0],
    ["report_contacts", 0, 0, 5.0],
    ["update_trees", 1, 4, 40.0],
]


def test_one_thread_takes_what_was_measured():
    found = predict([STEP, STEP], 1, QUICK)
    assert found.total == pytest.approx(480.0) and found.barrier_count == 0.0


def test_parts_of_a_step_on_more_threads():
    """Collisions are divided; what has few blocks is not; of the end the longer half counts."""
    found = predict([STEP], 2, QUICK)
    assert (found.single, found.serial, found.barriers, found.barrier_count) == (5.0, 50.0, 2.0, 2.0)
    assert found.shared == pytest.approx(200.0) and found.total == pytest.approx(257.0)
    four = predict([STEP], 4, QUICK)
    assert four.barriers == 6.0 and four.total < found.total


def test_the_caller_works_alone_until_the_others_are_awake():
    sleepy = Machine(barriers={1: 0.0, 2: 1.0}, wake_calls={1: 0.0, 2: 5.0}, wakes={1: 0.0, 2: 116.0})
    found = predict([STEP], 2, sleepy)
    assert found.waking == pytest.approx(5.0 + 100.0)  # of 115 us until then, 10 us are serial and 5 us the call itself
    assert found.shared == pytest.approx(150.0)


@pytest.mark.parametrize("threads", [2, 3, 8, 16, 64])
@pytest.mark.parametrize(("items", "least"), [(1, 4), (5, 4), (60, 4), (1000, 4), (10_000, 64), (625, 16)])
def test_batches_are_those_of_the_engine(threads, items, least):
    batch = int(batch_size.py_func(threads, items, least))
    done = [0] * threads  # each batch in turn goes to the thread with the least to do
    for first in range(0, items, batch):
        done[done.index(min(done))] += min(batch, items - first)
    assert batch_share(items, least, threads) == pytest.approx(max(done) / items)


def test_few_blocks_cannot_use_many_threads():
    assert batch_share(4, 4, 16) == 1.0
    assert batch_share(40, 4, 10) == pytest.approx(0.1) == batch_share(40, 4, 64)


def test_every_job_has_a_least_number_of_items_and_no_serial_stage_has():
    assert all((least_items(name) > 0) == (number < JOB_COUNT) for number, name in enumerate(STAGE_NAMES))


def test_figures_go_on_beyond_the_measured_threads():
    assert grown(QUICK.barriers, 3) == pytest.approx(2.0) and grown(QUICK.barriers, 8) == pytest.approx(7.0, abs=0.1)
    assert kept({1: 1.0, 4: 1.3}, 64) == 1.3 and kept({1: 1.0, 3: 1.2}, 2) == pytest.approx(1.1)


def test_what_makes_threads_slower():
    assert slower(Machine(crowding={1: 1.0, 2: 1.1}), 2) == pytest.approx(1.1)
    assert slower(Machine(sharing=0.1), 2) == pytest.approx(1.1) and slower(Machine(sharing=0.1), 4) == pytest.approx(1.15)
    jobs = {"1": {"solve": {"busy": 100.0}}, "2": {"solve": {"busy": 121.0}}}
    assert sharing_of({"jobs": jobs}, {1: 1.0, 2: 1.1}) == pytest.approx(0.1)
    assert sharing_of({"jobs": {"1": jobs["1"]}}, {1: 1.0}) == 0.0


def test_serial_shares():
    """The overflow is one batch whatever its size: 100 blocks of 4 that a job would otherwise divide."""
    assert lonely_share([STEP]) == pytest.approx(10.0 / 480.0) and serial_share([STEP]) == pytest.approx(50.0 / 480.0)
    overflow = [*STEP, ["solve", 100, 100, 20.0]]
    assert lonely_share([overflow]) == pytest.approx(30.0 / 500.0)
    assert predict([overflow], 2, QUICK).single == pytest.approx(25.0)


@pytest.fixture(scope="module")
def measured(tmp_path_factory) -> dict:
    """A small pile, measured for a moment."""
    file = tmp_path_factory.mktemp("threads") / "threads.json"
    thread_costs.main(str(file), "0", "falling_pile:400", "1,2")
    return json.loads(file.read_text())


def test_a_scene_is_measured(measured):
    scene = measured["scenes"]["falling_pile"]
    assert set(scene["step"]) == {"1", "2"} and len(scene["work"]) == thread_costs.MEASURED
    assert {"collide", "solve", "make_pairs", "update_trees"} <= {row[0] for row in scene["work"][0]}
    jobs = scene["jobs"]["1"]
    assert jobs["collide"]["jobs"] == 1.0 and jobs["collide"]["shared"] == 0.0
    assert scene["jobs"]["2"]["collide"]["jobs"] == 1.0
    assert 0.0 < scene["lonely_share"] < scene["serial_share"] < 0.5
    machine = machine_of(measured["machine"], scene)
    assert machine.barriers[2] > 0.0 and machine.wakes[2] > machine.wake_calls[2] > 0.0 and machine.crowding[1] == 1.0
    whole = sum(row[3] for work in scene["work"] for row in work) / len(scene["work"])
    assert predict(scene["work"], 1, machine).total == pytest.approx(whole)


def test_the_picture_and_the_table_are_made(measured, tmp_path):
    assert all(path.stat().st_size > 5000 for path in thread_plot.plot(measured, tmp_path))
    rows = thread_plot.table(measured)
    assert len(rows) == 2 and rows[0].startswith("| falling pile of 400 | 1 |") and rows[0].endswith("| 1.00 |")


def test_verdicts():
    scene = {
        "work": [STEP], "step": {"1": 0.48, "2": 0.26}, "serial_share": 0.014, "lonely_share": 0.01, "jobs": {"1": {}},
    }  # fmt: skip
    found = {"machine": {name: getattr(QUICK, name) for name in ("barriers", "wake_calls", "wakes", "crowding")}}
    found["scenes"] = {"pile": scene}
    assert prove_thread_model.compared(found, (2,))[1]
    assert not prove_thread_model.compared({**found, "scenes": {"pile": {**scene, "step": {"1": 0.48, "2": 0.4}}}}, (2,))[1]
    both = {"pile": scene, "drum": {**scene, "serial_share": 0.029}}
    assert prove_thread_model.judged_serial({"scenes": both})[1]
    assert not prove_thread_model.judged_serial({"scenes": {**both, "pile": {**scene, "serial_share": 0.016}}})[1]


def test_checks_compare_as_many_threads_as_there_are_cores():
    assert {"many_threads", "serial_work"} <= set(all_checks())
    assert [prove_thread_model.compared_threads(cores) for cores in (2, 7, 8, 12, 16)] == [(2,), (2,), (4, 8), (4, 8), (4, 8, 16)]
