"""Triangles of a box at one moment: every shape's surface against naive twins, and one moment for all, whatever others do."""

import threading
import time

import numpy as np
import pytest
from scipy.spatial import cKDTree
from small_world import TICK, SmallWorld

from scree.core import snapshot as snapshot_module
from scree.core.batches import BatchQueue, BodyBatch
from scree.bodies.schema import IS_IN_BATCH, STATIC
from scree.collision.bounds_queries import query_bounds
from scree.edit.commands import TAKEN, edit, enter_gate
from scree.runtime.memory import address_of
from scree.shapes import settings
from scree.core.snapshot import Snapshot
from tests.bodies.mass_twin import rotation_matrix
from tests.streaming.batches import bodies, cooked_shapes

BOX = ((-50.0, -50.0, -50.0), (50.0, 50.0, 50.0))


def volume_of(triangles: np.ndarray) -> float:
    """Volume that a closed surface encloses; positive if it is counter-clockwise from outside."""
    a, b, c = np.moveaxis(triangles.astype(np.float64), 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def is_closed(triangles: np.ndarray) -> bool:
    """Whether each edge is there once each way."""
    corners = np.unique(np.round(triangles.reshape(-1, 3), 4), axis=0, return_inverse=True)[1].reshape(-1, 3)
    edges = [(int(t[k]), int(t[(k + 1) % 3])) for t in corners for k in range(3)]
    return len(set(edges)) == len(edges) and {(b, a) for a, b in edges} == set(edges)


def one(shape, place=(1.0, 2.0, 3.0), basis=(1, 0, 0, 0, 1, 0, 0, 0, 1)):
    small = SmallWorld()
    cooked = small.world.shape.create(shape[0])
    index = small.world.shape.index("", cooked)
    getattr(small.world.shapes, shape[1])(index, *shape[2])
    small.add(cooked, place, STATIC, basis)
    with Snapshot(small.world, small.system, *BOX) as taken:
        return taken.triangles(zero=place)


TURN = rotation_matrix(np.array([0.18, 0.36, 0.54, 0.74]) / np.linalg.norm([0.18, 0.36, 0.54, 0.74]))


@pytest.mark.parametrize(
    ("shape", "volume", "share"),
    [
        ((3, "set_box", ((1.0, 2.0, 3.0),)), 48.0, 1.0),
        ((1, "set_sphere", (2.0,)), 4.0 / 3.0 * np.pi * 8.0, 0.93),
        ((2, "set_capsule", (1.0, 5.0)), np.pi * 3.0 + 4.0 / 3.0 * np.pi, 0.94),
        ((5, "set_cylinder", (1.0, 3.0)), np.pi * 3.0, 0.97),
        ((4, "set_hull", ([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]],)), 4.0 / 3.0, 1.0),
    ],
)
def test_solids_are_closed_and_look_outwards(shape, volume, share):
    """Corners lie on the surface, so that round ones hold a little less."""
    found = one(shape, basis=TURN.ravel())
    assert is_closed(found)
    assert share * volume - 1e-3 <= volume_of(found) <= volume + 1e-3


def test_only_triangles_in_the_box_come():
    small = SmallWorld()
    size = 60
    vertices = np.array([[x, 0.0, z] for x in range(size + 1) for z in range(size + 1)], np.float32) - [size / 2, 0, size / 2]
    faces = []
    for x in range(size):
        for z in range(size):
            a = x * (size + 1) + z
            faces += [[a, a + 1, a + size + 2], [a, a + size + 2, a + size + 1]]
    mesh = small.world.shape.create(8)
    small.world.shapes.set_mesh(small.world.shape.index("", mesh), vertices, np.array(faces, np.int32))
    small.add(mesh, (0.0, 0.0, 0.0), STATIC)
    low, high = np.array([3.2, -1.0, -7.7]), np.array([9.6, 1.0, -2.1])
    with Snapshot(small.world, small.system, low, high) as taken:
        found = taken.triangles()
    corners = vertices[np.array(faces)]
    expected = corners[(corners.max(1) >= low).all(1) & (corners.min(1) <= high).all(1)]
    assert len(found) == len(expected) > 50
    order = np.lexsort(np.sort(expected, 1).reshape(-1, 9).T), np.lexsort(np.sort(found, 1).reshape(-1, 9).T)
    assert np.allclose(np.sort(expected, 1)[order[0]], np.sort(found, 1)[order[1]])


def test_bad_boxes_are_refused():
    small = SmallWorld()
    for low, high in (((0, 0), (1, 1)), ((1, 0, 0), (0, 1, 1)), ((np.nan, 0, 0), (1, 1, 1))):
        with pytest.raises(ValueError, match="Snapshot: the box"):
            Snapshot(small.world, small.system, low, high)
    with Snapshot(small.world, small.system, *BOX) as taken:
        assert taken.triangles().shape == (0, 3, 3)


def twin_triangles(copied: list) -> np.ndarray:
    """Boxes from (position, rotation, half extents), the naive way, in order."""
    found = []
    for position, rotation, half in copied:
        turn = rotation_matrix(np.asarray(rotation, np.float64))
        for k in range(3):
            for sign in (1.0, -1.0):
                n, u, v = np.zeros(3), np.zeros(3), np.zeros(3)
                n[k], u[(k + 1) % 3], v[(k + 2) % 3] = sign * half[k], half[(k + 1) % 3], sign * half[(k + 2) % 3]
                corners = [turn @ p + position for p in (n - u - v, n + u - v, n + u + v, n - u + v)]
                found += [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
    return np.array(found).reshape(-1, 3, 3)


def are_the_same(found: np.ndarray, expected: np.ndarray) -> bool:
    """Whether each triangle of one has a triangle of the other at its middle, with the same area."""
    middles = [triangles.mean(1) for triangles in (found, expected)]
    sizes = [np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1) for t in (found, expected)]
    for here, there in ((0, 1), (1, 0)):
        distance, nearest = cKDTree(middles[there]).query(middles[here])
        if distance.max() > 2e-3 or np.abs(sizes[here] - sizes[there][nearest]).max() > 1e-2:
            return False
    return True


class Busy:
    """A world that one thread steps, one edits and one streams into; and a naive copy of it at the moment of each snapshot."""

    HALF = (0.5, 0.5, 0.5)

    def __init__(self):
        self.small = SmallWorld()
        self.world, self.random = self.small.world, np.random.default_rng(3)
        self.brick = self.small.box(*self.HALF)
        for _ in range(60):
            self.small.add(self.brick, (*self.random.uniform(-20, 20, 2), 0.0))
        self.queue = BatchQueue(self.world, self.small.system, tends=True)
        self.stop, self.current, self.errors = threading.Event(), [], []
        self.copied = None  # (single bodies, bodies of the batch, whether the batch must be there)

    def __enter__(self):
        self.threads = [threading.Thread(target=self.run, args=(work,)) for work in (self.step, self.change, self.stream)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *unused):
        self.stop.set()
        for thread in self.threads:
            thread.join(10.0)

    def run(self, work) -> None:
        try:
            work()
        except Exception as error:
            self.errors.append(error)

    def step(self) -> None:
        while not self.stop.is_set():
            self.queue.advance()
            self.world.step(self.small.system, TICK)
            time.sleep(0.001)

    def change(self) -> None:
        mine, random = [], self.random
        while not self.stop.is_set():
            mine.append(self.small.add(self.brick, random.uniform(-20, 20, 3), STATIC))
            if len(mine) > 40:
                self.world.body.destroy(mine.pop(int(random.integers(len(mine)))))
            moved = mine[int(random.integers(len(mine)))]
            time.sleep(0.0005)
            self.world.body.set_transform(moved, (1, 0, 0, 0, 1, 0, 0, 0, 1, *random.uniform(-20, 20, 3)))

    def stream(self) -> None:
        cooked, keeps = cooked_shapes(settings.Box.checked(self.HALF).cook())
        while not self.stop.is_set():
            batch = BodyBatch(self.queue, *bodies(self.random.uniform(-20, 20, (300, 3))), cooked, keeps=keeps)
            self.current.append(batch)
            batch.push()
            while not batch.is_in and not self.stop.is_set():
                time.sleep(0.0005)
            time.sleep(0.05)  # the copy, which is slow, must find time when no batch goes
            batch.begin_removal()
            self.current.clear()
            while not batch.continue_removal() and not self.stop.is_set():
                time.sleep(0.0005)

    def collect(self, system, query):
        """Do as `collect_whole` does, and make a copy behind the same gate: of the single bodies, and of the batch with whether
        it must be there. A batch goes without the gate: one that begins to go meanwhile is there whole or not at all."""
        while enter_gate(system.address, threading.get_ident()) != TAKEN:
            time.sleep(1e-4)
        try:
            begun = int(system.row["trees"]["hides_begun"])
            if int(system.row["trees"]["hides_ended"]) != begun:
                return -1
            batches = list(self.current)
            was_in = bool(batches) and batches[-1].is_in
            count = query_bounds(system.address, address_of(query))
            rows = self.world.bodies.rows[: self.world.bodies.count]
            is_single = (rows["system"] == 0) & (rows["id"] != 0) & (rows["flags"] & IS_IN_BATCH == 0)
            groups = (np.flatnonzero(is_single), batches[-1].rows if batches else ())
            poses = [[(rows["position"][k].copy(), rows["rotation"][k].copy(), self.HALF) for k in group] for group in groups]
            self.copied = (*poses, was_in)
            return count if int(system.row["trees"]["hides_begun"]) == begun else -1
        finally:
            edit(self.world.address, 0, system.address)


def test_one_moment_for_all_while_others_step_edit_and_stream(monkeypatch):
    """A copy is made naively at the moment of each snapshot, behind the same gate; the triangles are made later, beside all that
    goes on. They must be those of the copy."""
    busy = Busy()
    monkeypatch.setattr(snapshot_module, "collect_whole", busy.collect)
    begin, taken_count, different = time.monotonic(), 0, set()
    with busy:
        while time.monotonic() < begin + 3.0 or (taken_count <= 12 and time.monotonic() < begin + 60.0):
            with Snapshot(busy.world, busy.small.system, (-1e4, -1e4, -1e4), (1e4, 1e4, 1e4)) as taken:
                found = taken.triangles()
            single, batch, was_in = busy.copied
            is_there = was_in or len(found) > 12 * len(single)
            expected = twin_triangles(single + batch if is_there else single)
            different.add(float(found.sum()))
            assert len(found) == len(expected)
            assert are_the_same(found, expected)
            taken_count += 1
            time.sleep(0.005)
    print(f"{taken_count} snapshots, {len(different)} of them different")
    assert taken_count > 10 and len(different) > 2 and not busy.errors


@pytest.mark.alone
def test_how_long_a_step_may_wait():
    """A thousand boxes, as the product does it: compiled, behind the gate."""
    small = SmallWorld()
    queue = BatchQueue(small.world, small.system)
    cooked, keeps = cooked_shapes(settings.Box.checked((0.5, 0.5, 0.5)).cook())
    batch = BodyBatch(queue, *bodies(np.random.default_rng(5).uniform(-30, 30, (1000, 3))), cooked, keeps=keeps)
    batch.push()
    queue.advance()
    held = []
    for _ in range(20):
        with Snapshot(small.world, small.system, *BOX) as taken:
            assert len(taken.rows) == 1000 and len(taken.triangles()) == 12_000
        held.append(taken.held_seconds)
    print(f"the gate is held {1e3 * min(held):.2f} ms for 1,000 boxes")
    assert min(held) < 2e-3
    batch.remove()
