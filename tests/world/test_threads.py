"""A world that any thread may use at any time: rays beside a step that is parked in each of its jobs, beside a pile that is
stepped and tiles that come and go, on two threads at once; and a step beside 200,000 static bodies. Figures are printed;
times are processor time of the thread, since other work may run beside.
"""

import ctypes
import os
import sys
import threading
import time

import numpy as np
import pytest
from many_boxes import BoxesWorld, rays_in

from scree.bodies.records import system_at, world_at
from scree.edit.body_locks import NonLockingBodyInterface
from scree.broad_phase.add import tree_prepare
from scree.broad_phase.tree_edits import tree_finalize, tree_remove_many
from scree.collision.query_schema import QUERY, RAY, RAY_RESULT, WITH_BODIES
from scree.collision.ray_queries import intersect_ray
from scree.geometry.vector import store3, subtract, vector3
from scree.step.stages import FINISH_BODIES, JOBS
from scree.core.queries import Queries
from scree.runtime.call import call_2_result
from scree.runtime.kernel import entry_point, kernel
from scree.runtime.memory import address_of, address_of_row, stack_array, view, view2
from tests.sizes import size

pytestmark = pytest.mark.alone
PARKED = size(0.0, in_full=1.0)
"""So long [s] a job is parked at least."""
LONGEST = 1.0
"""10,000 rays beside a parked job take some hundredths of this [s]; those that waited would take 60."""
THREAD_CPU_CLOCK = 3
MOST_NOISE = 40.0
"""Where nobody disturbs, the 99.9th percentile of a ray is some twenty times the median; beyond this the machine is busy."""
MOST_RATIO = 3.0
"""So much longer the 99.9th percentile of a ray may be beside a step and tiles than where nothing else is done."""
MOST_FOREIGN_LOAD = 0.25
"""So many processors may be busy with other processes: these take caches and memory from us, which no clock of ours shows."""
JOB = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 4)
TICK = 1 / 60


class ForeignLoad:
    """How many of our processors were busy with other processes, on average, since this was made."""

    def __init__(self):
        self._begin = self._busy()

    def _busy(self) -> tuple[float, float]:
        """Seconds of work of others so far, and the time."""
        ours = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        with open("/proc/stat") as lines:
            fields = [line.split() for line in lines if line.split()[0] in ours]
        ticks = sum(int(value) for line in fields for k, value in enumerate(line[1:9]) if k not in (3, 4))  # idle, waiting
        own = os.times()
        return ticks / os.sysconf("SC_CLK_TCK") - own.user - own.system, time.monotonic()

    def mean(self) -> float:
        busy, now = self._busy()
        return (busy - self._begin[0]) / (now - self._begin[1])


class ParkedJob:
    """One job of a system's step, which parks once: half of its items are done, the rest come later."""

    def __init__(self, small, number):
        self.small, self.number = small, number
        self.jobs = np.ctypeslib.as_array((ctypes.c_int64 * len(JOBS)).from_address(int(small.row["step"]["jobs"])))
        self.parked, self.go_on = threading.Event(), threading.Event()
        self._real = JOB(int(self.jobs[number]))
        self._callback = JOB(self._run)

    def _run(self, system, begin, end, worker):
        middle = (begin + end) // 2
        self._real(system, begin, middle, worker)
        if not self.parked.is_set():
            self.parked.set()
            self.go_on.wait(60)
        self._real(system, middle, end, worker)

    def __enter__(self):
        self._address = int(self.jobs[self.number])
        self.jobs[self.number] = ctypes.cast(self._callback, ctypes.c_void_p).value
        self.thread = threading.Thread(target=self.small.step)
        self.thread.start()
        assert self.parked.wait(20), "the job was not reached"
        return self

    def __exit__(self, *unused):
        self.go_on.set()
        self.thread.join(20)
        self.jobs[self.number] = self._address
        assert not self.thread.is_alive()


def test_a_step_parked_in_each_of_its_jobs():
    """10,000 rays, 10,000 more beside them, and edits go on; every ray is answered as brute force answers it."""
    small = BoxesWorld(500, side=120.0)
    bodies = small.pile(300)
    small.step(40)
    queries, game = Queries(small.world), NonLockingBodyInterface(small.world)
    origins, ends = rays_in(np.random.default_rng(2), 10_000, 40.0, 40.0)
    slowest, hits, moved = 0.0, 0, 0
    reached = range(FINISH_BODIES + 1)  # the jobs after it are those of joints and areas, and this scene has none
    for number in reached:
        job = JOBS[number]
        before = small.world.bodies.rows["position"].copy()
        with ParkedJob(small, number):
            begin = time.perf_counter()
            answers = queries.cast_rays(small.system, origins, ends)
            took = time.perf_counter() - begin
            assert took < LONGEST, f"{job.function.__name__}: rays took {took} s"
            snapshot = queries.collect_shapes(small.system, (0, 0, 0), (500, 500, 500))
            assert len(snapshot) == 801
            brute = snapshot.cast_rays(origins[::10], ends[::10])
            np.testing.assert_array_equal(answers["body_id"][::10], brute["body_id"])
            np.testing.assert_allclose(answers["fraction"][::10], brute["fraction"], atol=1e-6)
            assert game.set_linear_velocity(bodies[0], (0.0, 0.1, 0.0)) is False
            if number == FINISH_BODIES:
                moved = int((small.world.bodies.rows["position"] != before).any(axis=1).sum())
            time.sleep(max(0.0, PARKED - (time.perf_counter() - begin)))
        slowest, hits = max(slowest, took), hits + int((answers["body"] >= 0).sum())
    print(f"\n{len(reached)} jobs, parked {PARKED} s each: 10,000 rays took at most {slowest * 1e3:.0f} ms ({hits} hits in all);")
    print(f"in the middle of finish_bodies {moved} bodies had moved")
    assert moved > 0


@kernel
def nanoseconds(clock, now):
    call_2_result(clock, THREAD_CPU_CLOCK, address_of_row(now, 0))
    return now[0] * 1_000_000_000 + now[1]


PREEMPTIONS = 17  # word of the kernel's rusage: how often this thread was taken off its core


@kernel
def preemptions(rusage, words):
    call_2_result(rusage, 1, address_of_row(words, 0))
    return words[PREEMPTIONS]


@entry_point("int64(int64, int64)")
def time_rays(system_address, arguments):
    """Processor time of this thread for each ray [ns]; negative for one in which it was taken off its core. Arguments: number of
    rays, addresses of origins, ends and times, of clock_gettime, of a QUERY, of getrusage. Gives the number of hits."""
    given, words = view(arguments, 7, np.int64), stack_array(32, np.int64)
    system = system_at(system_address)
    world = world_at(system.world)
    count = given[0]
    origins, ends = view2(given[1], count, 3, np.float64), view2(given[2], count, 3, np.float64)
    times, now = view(given[3], count, np.int64), stack_array(2, np.int64)
    queries, results = view(given[5], 1, QUERY), stack_array(1, RAY_RESULT)
    hits = np.int64(0)
    for i in range(count):
        before = preemptions(given[6], words)
        begin = nanoseconds(given[4], now)
        store3(queries[0].position, vector3(origins[i]))
        store3(queries[0].motion, subtract(vector3(ends[i]), vector3(origins[i])))
        hits += intersect_ray(system, world, queries[0], results[0])
        times[i] = nanoseconds(given[4], now) - begin
        if preemptions(given[6], words) != before:
            times[i] = -times[i]
    return hits


class Tiles:
    """A tile of static boxes, 256 m square, that a thread takes out and puts in again, some hundred times a second."""

    def __init__(self, small):
        self.tree, self.bodies = small.tree, small.world.bodies.pool.address
        places = small.world.bodies.rows["position"][small.boxes]
        self.ids = small.boxes[(np.abs(places[:, [0, 2]]) < 128.0).all(axis=1)].copy()
        self.rounds = 0

    def remove(self):
        assert tree_remove_many(self.tree, self.bodies, address_of(self.ids), len(self.ids)) == len(self.ids)

    def add(self):
        count = len(self.ids)
        assert tree_finalize(self.tree, tree_prepare(self.tree, self.bodies, address_of(self.ids), count), count) == 0

    def come_and_go(self, stop):
        while not stop.is_set():
            self.remove()
            time.sleep(0.002)
            self.add()
            time.sleep(0.002)
            self.rounds += 1


class RayTimer:
    """Times of the rays of one thread."""

    def __init__(self, small, count=60_000):
        self.small = small
        self.origins, self.ends = rays_in(np.random.default_rng(5), count)
        self.times, self.query = np.zeros(count, np.int64), np.zeros(1, QUERY)
        self.query["operation"], self.query["flags"], self.query["collision_mask"] = RAY, WITH_BODIES, 0xFFFFFFFF
        self.query["rotation"][:, 3] = 1.0
        clock, rusage = (
            ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value for name in ("clock_gettime", "getrusage")
        )
        arrays = [address_of(array) for array in (self.origins, self.ends, self.times)]
        self._arguments = np.array([count, *arrays, clock, address_of(self.query), rusage])

    def measure(self):
        """For the rays during which the thread kept its core: median and 99.9th percentile [ns]; the share of hits; the number
        of rays left out."""
        hits = time_rays(self.small.world.system(self.small.system).address, address_of(self._arguments))
        kept = self.times[self.times >= 0]
        return *np.percentile(kept, [50, 99.9]), hits / len(self.times), len(self.times) - len(kept)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measured by the thread's own processor clock")
def test_rays_beside_a_stepping_pile_and_tiles():
    small = BoxesWorld(20_000)
    small.row["settings"]["is_sleeping_allowed"] = 0
    small.pile(3000)
    small.step(5)
    timer, tiles, ratio = RayTimer(small), Tiles(small), np.inf
    tiles.remove()
    tiles.add()
    timer.measure()

    def step(stop, steps):
        while not stop.is_set():
            small.step()
            steps.append(1)

    for _ in range(6):
        small.step(30)
        load = ForeignLoad()
        quiet = timer.measure()
        if quiet[1] > MOST_NOISE * quiet[0]:
            print(f"\nquiet, and yet the 99.9th percentile is {quiet[1]:.0f} ns: the machine is too busy to measure")
            continue
        stop, steps, tiles.rounds = threading.Event(), [], 0
        threads = [
            threading.Thread(target=step, args=(stop, steps)),
            threading.Thread(target=tiles.come_and_go, args=(stop,)),
        ]
        [thread.start() for thread in threads]
        beside = timer.measure()
        stop.set()
        [thread.join() for thread in threads]
        here = beside[1] / quiet[1]
        if here > MOST_RATIO and load.mean() > MOST_FOREIGN_LOAD:
            print(f"\n{load.mean():.2f} processors are busy with other processes: the machine is too busy to measure")
            continue
        ratio = min(ratio, here)
        print(
            f"\na ray, median and 99.9th percentile: quiet {quiet[0]:.0f}, {quiet[1]:.0f} ns ({quiet[2]:.0%} hit, {quiet[3]} "
            f"left out); beside {len(steps)} steps and {tiles.rounds} tiles of {len(tiles.ids)} bodies {beside[0]:.0f}, "
            f"{beside[1]:.0f} ns ({beside[3]} left out)"
        )
        if ratio <= MOST_RATIO:
            break
    if ratio == np.inf:
        pytest.skip("the machine is too busy to measure")
    assert ratio <= MOST_RATIO


@pytest.mark.parametrize("ground", [False, True], ids=["boxes alone", "with ground"])
def test_batches_of_rays_on_one_and_two_threads(ground):
    """Closest hits among 20,000 boxes, 10,000 rays a call."""
    small = BoxesWorld(20_000, ground=ground)
    queries, rays = Queries(small.world), rays_in(np.random.default_rng(3), 10_000)
    hits = queries.cast_rays(small.system, *rays)
    share = (hits["body"] >= 0).mean()

    def least(repeats):
        out, times = np.zeros(10_000, RAY_RESULT), []
        for _ in range(repeats):
            begin = time.thread_time()
            queries.cast_rays(small.system, *rays, out=out)
            times.append(time.thread_time() - begin)
        return min(times)

    together, gain, alone = np.zeros(2), 0.0, least(40)

    def work(k):
        together[k] = least(80)

    for _ in range(30):  # neighbours on the same machine take some of a round, and its clock changes between rounds
        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        before, alone = alone, least(40)
        gain = max(gain, (min(before, alone) / together).sum())
        if gain >= 1.8:
            break
    print(f"\n{1e-2 / alone:.2f} million rays a second on one thread, {share:.0%} hit; two threads do {gain:.2f} times as much")
    np.testing.assert_array_equal(queries.cast_rays(small.system, *rays, threads=2), hits)
    assert not ground or 0.3 <= share <= 0.7
    assert 1e4 / alone >= 0.9e6
    assert gain >= 1.8


def test_static_bodies_cost_a_step_nothing():
    """100 moving bodies, alone and among 200,000 static ones."""

    def worlds():
        for count in (0, 200_000):
            small = BoxesWorld(count, others=1024)
            shape = small.box(0.5, 0.5, 0.5)
            small.row["settings"]["gravity"], small.row["settings"]["is_sleeping_allowed"] = 0, 0
            for k in range(100):
                small.throw(small.add(shape, (3.0 * (k % 10), 30.0, 3.0 * (k // 10))), (0.3, 0, 0.2))
            small.step(20)
            yield small

    pair, times = list(worlds()), np.empty((400, 2))
    for round_ in times:
        for k, small in enumerate(pair):
            begin = time.thread_time()
            small.step()
            round_[k] = time.thread_time() - begin
    best = np.quantile(times, 0.1, axis=0)  # not the least: on a busy machine this clock may miss some of a step
    print(f"\na step of 100 bodies: {best[0] * 1e6:.0f} us alone, {best[1] * 1e6:.0f} us among 200,000 static ones")
    assert best[1] <= 1.2 * best[0]
