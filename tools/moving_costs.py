"""Where the time of a step goes: drum, shaken bin, chains, pyramids and hulls of the demo project, without Godot.

    python -m scree.tools.moving_costs drum 2000 1
    python -m scree.tools.moving_costs shaken_bin 3000 2
    python -m scree.tools.moving_costs chains 6000 2
    python -m scree.tools.moving_costs pyramids 2100 1
    python -m scree.tools.moving_costs hulls 2000 1
The last number is that of threads. Prints one line of JSON: milliseconds a step, each stage on the thread that steps (floors,
each tick's least of the rounds), the busy time of each thread by job, and how much there was to do.
"""

import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from scree.bodies.schema import KINEMATIC
from scree.joints.schema import CONE, TWIST
from scree.profiling.chrome_trace import spans, thread_name
from scree.profiling.recording import recorded
from scree.shapes.schema import BOX, HULL, MESH
from scree.core.world import World
from scree.tools.bake import rotation_matrix

TICK, SPACING, JITTER, FRICTION, THICKNESS = 1.0 / 60.0, 1.5, 0.3, 0.5, 2.0
BEGIN, END, ROUNDS = 240, 420, 3  # ticks that are measured, and how often
WORK = (
    ("active_count", "bodies", "active_count"), ("active_pair_count", "pairs", "active_count"),
    ("changed_pair_count", "pairs", "changed_count"), ("moved_count", "bodies", "moved_count"),
    ("constraint_block_count", "constraints", "block_count"),
)  # fmt: skip
RECORDED = 20  # ticks at the end of which every thread's jobs are noted
RADIUS, SPIN, PANELS = 10.0, 0.5, 16  # as in demo_project/scenes/drum.gd
ROW, HALF_WIDTH, WALL, SWING, FREQUENCY, SHAKEN_FROM = 13, 10.0, 60.0, 1.0, math.pi, 2.0  # as in shaken_bin.gd
LINKS, LINK, LENGTH, CHAINS_A_ROW, CHAIN_PLACES = 6, (0.08, 0.21, 0.08), 0.5, 10, (1.25, 3.6, 1.25)  # as in chains.gd
BEND, SWING_SPAN, TWIST_SPAN = 0.5 * math.pi, 0.8, 0.5
FALLING_FROM = 10  # the first tick of chains that is measured
HILL_WIDTH, FORMS, HULLS_A_ROW, HULL_SPACING, LYING_FROM = 12.0, 24, 16, 1.3, 240  # as in hulls.gd and terrain.gd
BASE, DISTANCE, STANDING_FROM = 20, 3.0, 60  # as in pyramid.gd; the first tick of pyramids that is measured
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def turned(angle: float) -> tuple[float, ...]:
    """A rotation about z by rows."""
    return (math.cos(angle), -math.sin(angle), 0.0, math.sin(angle), math.cos(angle), 0.0, 0.0, 0.0, 1.0)


class MovingPile:
    """Boxes of 1 m in a kinematic body of slabs, which stays where it is if nothing else is said."""

    begin = BEGIN
    """The first tick that is measured."""
    jitter = JITTER
    """Boxes begin beside their places by at most half of this along each axis [m]."""

    def __init__(self, threads: int, places: np.ndarray, slabs: list[tuple[tuple[float, ...], tuple[float, ...]]]):
        self.world = World(threads=threads)
        self.system = self.world.create_system(gravity=(0.0, -9.8, 0.0), is_sleeping_allowed=0)
        self.bin = self.world.body.create()
        self.world.body.set_mode(self.bin, KINEMATIC)
        for half_extents, transform in slabs:
            self.world.body.add_shape(self.bin, self._box(half_extents), transform)
        self._enter(self.bin, (*UPRIGHT, 0.0, 0.0, 0.0))
        box, random = self._box((0.5, 0.5, 0.5)), np.random.default_rng(1)
        for place in places + random.uniform(-self.jitter / 2.0, self.jitter / 2.0, places.shape):
            body = self.world.body.create()
            self.world.body.add_shape(body, box)
            self._enter(body, (*UPRIGHT, *place))
        self.ticks = 0

    def _box(self, half_extents: tuple[float, ...]) -> int:
        shape = self.world.shape.create(BOX)
        self.world.shapes.set_box(self.world.shape.index("box", shape), half_extents)
        return shape

    def _enter(self, body: int, transform: tuple[float, ...]) -> None:
        self.world.body.set_param(body, "friction", FRICTION)
        self.world.body.set_transform(body, transform)
        self.world.body.set_system(body, self.system)

    def pose(self, seconds: float) -> tuple[float, ...]:
        """Where the bin is at a time [s]."""
        return (*UPRIGHT, 0.0, 0.0, 0.0)

    def step(self) -> float:
        """Move the bin on and step; the seconds that the step took."""
        self.world.body.set_transform(self.bin, self.pose(self.ticks * TICK))
        began = time.perf_counter()
        self.world.step(self.system, TICK)
        self.ticks += 1
        return time.perf_counter() - began


class Drum(MovingPile):
    """Half full, about the z axis."""

    def __init__(self, count: int, threads: int):
        reach = range(-int(RADIUS / SPACING), int(RADIUS / SPACING) + 1)
        across = [(x * SPACING, y * SPACING) for y in reach for x in reach]
        across = [place for place in across if math.hypot(*place) < RADIUS - math.sqrt(0.5) - JITTER]
        slices = math.ceil(count / len(across))
        depths = [(k % slices - (slices - 1) / 2.0) * SPACING for k in range(count)]
        places = np.array([(*across[k // slices], depths[k]) for k in range(count)])
        half_length, outer = (slices * SPACING + JITTER) / 2.0, RADIUS + THICKNESS
        panel = (THICKNESS / 2.0, outer * math.tan(math.pi / PANELS), half_length)
        slabs = []
        for angle in (2.0 * math.pi * k / PANELS for k in range(PANELS)):
            at = (math.cos(angle) * (RADIUS + THICKNESS / 2.0), math.sin(angle) * (RADIUS + THICKNESS / 2.0), 0.0)
            slabs.append((panel, (*turned(angle), *at)))
        for side in (-1.0, 1.0):
            slabs.append(((outer, outer, THICKNESS / 2.0), (*UPRIGHT, 0.0, 0.0, side * (half_length + THICKNESS / 2.0))))
        super().__init__(threads, places, slabs)

    def pose(self, seconds: float) -> tuple[float, ...]:
        return (*turned(SPIN * seconds), 0.0, 0.0, 0.0)


class ShakenBin(MovingPile):
    """Without a lid, to and fro along x."""

    def __init__(self, count: int, threads: int):
        k = np.arange(count)
        cells = np.stack((k % ROW, k // (ROW * ROW), k // ROW % ROW), 1)
        corner = (-SPACING * (ROW - 1) / 2.0, 1.0, -SPACING * (ROW - 1) / 2.0)
        outer, middle = HALF_WIDTH + THICKNESS, HALF_WIDTH + THICKNESS / 2.0
        slabs = [((outer, THICKNESS / 2.0, outer), (*UPRIGHT, 0.0, -THICKNESS / 2.0, 0.0))]
        for side in (-middle, middle):
            slabs.append(((THICKNESS / 2.0, WALL / 2.0, outer), (*UPRIGHT, side, WALL / 2.0, 0.0)))
            slabs.append(((outer, WALL / 2.0, THICKNESS / 2.0), (*UPRIGHT, 0.0, WALL / 2.0, side)))
        super().__init__(threads, cells * SPACING + corner, slabs)

    def pose(self, seconds: float) -> tuple[float, ...]:
        shaken = max(seconds - SHAKEN_FROM, 0.0)
        return (*UPRIGHT, SWING * (1.0 - math.cos(FREQUENCY * shaken)), 0.0, 0.0)


class Chains(MovingPile):
    """Chains of six bodies, on pins, hinges and cone twists in turn, that fall into a bin at rest."""

    begin = FALLING_FROM

    def __init__(self, count: int, threads: int):
        half, outer = 7.0, 7.0 + THICKNESS
        slabs = [((outer, THICKNESS / 2.0, outer), (*UPRIGHT, 0.0, -THICKNESS / 2.0, 0.0))]
        for side in (-half - THICKNESS / 2.0, half + THICKNESS / 2.0):
            slabs.append(((THICKNESS / 2.0, WALL / 2.0, outer), (*UPRIGHT, side, WALL / 2.0, 0.0)))
            slabs.append(((outer, WALL / 2.0, THICKNESS / 2.0), (*UPRIGHT, 0.0, WALL / 2.0, side)))
        super().__init__(threads, np.empty((0, 3)), slabs)
        box, random = self._box(LINK), np.random.default_rng(1)
        for chain in range(math.ceil(count / LINKS)):
            cell = (chain % CHAINS_A_ROW, chain // CHAINS_A_ROW**2, chain // CHAINS_A_ROW % CHAINS_A_ROW)
            middle = (CHAINS_A_ROW - 1) / 2.0
            at = (np.array(cell) - (middle, 0.0, middle)) * CHAIN_PLACES + (0.0, 2.0, 0.0)
            turn = random.normal(size=4)
            self._add_chain(chain, box, rotation_matrix(turn / np.linalg.norm(turn)), at)

    def _add_chain(self, chain: int, box: int, turn: np.ndarray, at: np.ndarray) -> None:
        links = [self.world.body.create() for _ in range(LINKS)]
        for k, body in enumerate(links):
            self.world.body.add_shape(body, box)
            self._enter(body, (*turn.ravel(), *(at + turn[:, 1] * (LENGTH * (k - (LINKS - 1) / 2.0)))))
        for k, (body, following) in enumerate(pairwise(links)):
            self._join(body, following, (chain + k) % 3)

    def _join(self, body: int, following: int, kind: int) -> None:
        """Join two links. The axis of a hinge lies across the chain, that of a cone twist along it."""
        turn = (UPRIGHT, UPRIGHT, turned(math.pi / 2.0))[kind]
        frames = [(*turn, 0.0, side * LENGTH / 2.0, 0.0) for side in (1.0, -1.0)]
        joint = self.world.joint.create(("point", "hinge", "swing_twist")[kind], body, following, *frames)
        if kind == 1:
            self.world.joint.set_limits(joint, TWIST, -BEND, BEND)
        if kind == 2:
            self.world.joint.set_limits(joint, CONE, 0.0, SWING_SPAN)
            self.world.joint.set_limits(joint, TWIST, -TWIST_SPAN, TWIST_SPAN)


class Pyramids(MovingPile):
    """Rows of flat pyramids that stand on a floor."""

    begin, jitter = STANDING_FROM, 0.0

    def __init__(self, count: int, threads: int):
        pyramids = math.ceil(count / (BASE * (BASE + 1) // 2))
        places = [
            (box - (BASE - row - 1) / 2.0, 0.5 + row, (pyramid - (pyramids - 1) / 2.0) * DISTANCE)
            for pyramid in range(pyramids) for row in range(BASE) for box in range(BASE - row)
        ]  # fmt: skip
        floor = [((WALL, THICKNESS / 2.0, WALL), (*UPRIGHT, 0.0, -THICKNESS / 2.0, 0.0))]
        super().__init__(threads, np.array(places[:count]), floor)


class Hulls(MovingPile):
    """Convex hulls that lie on a hilly mesh between walls."""

    begin = LYING_FROM

    def __init__(self, count: int, threads: int):
        outer, middle = HILL_WIDTH + THICKNESS, HILL_WIDTH + THICKNESS / 2.0
        slabs = []
        for side in (-middle, middle):
            slabs.append(((THICKNESS / 2.0, WALL / 2.0, outer), (*UPRIGHT, side, WALL / 2.0, 0.0)))
            slabs.append(((outer, WALL / 2.0, THICKNESS / 2.0), (*UPRIGHT, 0.0, WALL / 2.0, side)))
        super().__init__(threads, np.empty((0, 3)), slabs)
        ground = self.world.shape.create(MESH)
        corners = hills()
        self.world.shapes.set_mesh(self.world.shape.index("mesh", ground), corners, np.arange(len(corners)).reshape(-1, 3))
        self.world.body.add_shape(self.bin, ground)
        random = np.random.default_rng(1)
        stones = [self._stone(random, 12 + k * 20 // (FORMS - 1)) for k in range(FORMS)]
        for k in range(count):
            cell = np.array((k % HULLS_A_ROW, k // HULLS_A_ROW**2, k // HULLS_A_ROW % HULLS_A_ROW)) * HULL_SPACING
            half_row = HULL_SPACING * (HULLS_A_ROW - 1) / 2.0
            turn = random.normal(size=4)
            body = self.world.body.create()
            self.world.body.add_shape(body, stones[k % FORMS])
            place = cell + (-half_row, 8.0, -half_row)
            self._enter(body, (*rotation_matrix(turn / np.linalg.norm(turn)).ravel(), *place))

    def _stone(self, random: np.random.Generator, corners: int) -> int:
        size = random.uniform((0.8, 0.6, 0.8), (1.2, 1.0, 1.2)) * random.uniform(0.4, 0.55)
        k = np.arange(corners)
        up = 1.0 - 2.0 * (k + 0.5) / corners
        angle = k * math.pi * (3.0 - math.sqrt(5.0)) + random.uniform(-0.1, 0.1, corners)
        flat = np.sqrt(1.0 - up * up)
        shape = self.world.shape.create(HULL)
        points = np.stack((np.cos(angle) * flat, up, np.sin(angle) * flat), 1) * size
        self.world.shapes.set_hull(self.world.shape.index("hull", shape), points)
        return shape


def hills() -> np.ndarray:
    """The corners of the triangles of the ground, shape (3 n, 3) [m]."""
    at = np.arange(int(2.0 * HILL_WIDTH) + 3) - HILL_WIDTH - 1.0
    x, z = np.meshgrid(at, at, indexing="ij")
    y = 1.0 + 0.6 * (2.0 + np.sin(0.45 * x) + np.cos(0.37 * z)) + 0.01 * (x * x + z * z)
    corner = np.stack((x, y, z), 2)
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[:-1, 1:], corner[1:, 1:]
    return np.concatenate((np.stack((a, c, b), 2).reshape(-1, 3), np.stack((c, d, b), 2).reshape(-1, 3)))


SCENES: dict[str, Callable[[int, int], MovingPile]] = {
    "drum": Drum, "shaken_bin": ShakenBin, "chains": Chains, "pyramids": Pyramids, "hulls": Hulls,
}  # fmt: skip
"""Scenes by name, made from the number of bodies and of threads."""


def stage_floors(make, count: int, threads: int) -> dict[str, float]:
    """Milliseconds of each stage that takes 0.01 ms on the thread that steps, and of the whole step."""
    floors = np.inf
    for _ in range(ROUNDS):
        pile = make(count, threads)
        for _ in range(pile.begin):
            pile.step()
        system = pile.world.system(pile.system)
        system.measure_stages()
        before, times = np.zeros(len(system.stage_seconds())), []
        for _ in range(END - pile.begin):
            whole = pile.step()
            after = np.array(list(system.stage_seconds().values()))
            times.append([*(after - before), whole])
            before = after
        floors = np.minimum(floors, times)
    means = dict(zip((*system.stage_seconds(), "step"), 1e3 * floors.mean(axis=0), strict=True))
    return {name: round(float(value), 3) for name, value in sorted(means.items(), key=lambda one: -one[1]) if value >= 0.01}


def busy_threads(make, count: int, threads: int) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Milliseconds a step that each thread is busy with each job, once; and how much there is to do in a step."""
    pile = make(count, threads)
    for _ in range(pile.begin):
        pile.step()
    system, work = pile.world.system(pile.system), Counter()
    with recorded(system, 1 << 18) as recording:
        for _ in range(RECORDED):
            pile.step()
            for name, part, field in WORK:
                work[name] += int(system.row[part][field]) / RECORDED
    busy: dict[str, Counter] = {}
    items: Counter = Counter()
    for worker, name, begin, end, _, number in spans(recording.timeline, recording.names):
        busy.setdefault(thread_name(worker), Counter())[name] += 1e3 * (end - begin) / RECORDED
        items[f"items of {name}"] += number / RECORDED
    rounded = {
        thread: {name: round(value, 3) for name, value in of_thread.most_common() if value >= 0.01}
        for thread, of_thread in busy.items()
    }
    return rounded, {name: round(value, 1) for name, value in (work + items).items()}


def costs(scene: str, count: int, threads: int) -> dict:
    """All figures of a scene."""
    make = SCENES[scene]
    busy, work = busy_threads(make, count, threads)
    return {"stages": stage_floors(make, count, threads), "busy": busy, "work": work}


if __name__ == "__main__":
    print(json.dumps(costs(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
