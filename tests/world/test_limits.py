"""Things beyond a limit are left out with a warning that names the setting, and the world goes on; input beyond all measure stops
one body and nothing else."""

import os
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

from scree.bodies.schema import STATIC
from scree.step.physics_system import PhysicsSystem
from scree.godot.setting_table import SETTINGS, setting_of_limit
from scree.step.limits import DEFAULT_LIMITS, LimitReached, name_of_limit
from scree.runtime.memory import NoAddressSpace, PoolFull
from scree.shapes.schema import BOX, PLANE, SPHERE
from scree.core.world import World

TICK = 1 / 60

IDENTITY = (1, 0, 0, 0, 1, 0, 0, 0, 1)


def ball_at(world, system, shape, position):
    body = world.body.create()
    world.body.add_shape(body, shape)
    world.body.set_transform(body, IDENTITY + tuple(position))
    world.body.set_system(body, system)
    return body


class Scene:
    """A space with gravity 10 m/s^2 downwards, no damping and no sleep, with these limits."""

    def __init__(self, gravity=(0, -10, 0), **limits):
        self.world = World(threads=1, **limits)
        self.system = self.world.create_system(gravity=gravity, linear_damp=0, angular_damp=0, is_sleeping_allowed=0)
        self.row, self.rows = self.world.system(self.system).row, self.world.bodies.rows
        self.ball, self.cube = self.world.shape.create(SPHERE), self.world.shape.create(BOX)
        self.world.shapes.set_sphere(self.world.shape.index("", self.ball), 0.5)
        self.world.shapes.set_box(self.world.shape.index("", self.cube), (0.5, 0.5, 0.5))

    def add(self, shape, position, mode=None) -> int:
        """Index of a new body."""
        body = self.world.body.create()
        if mode is not None:
            self.world.body.set_mode(body, mode)
        self.world.body.add_shape(body, shape)
        self.world.body.set_transform(body, IDENTITY + tuple(map(float, position)))
        self.world.body.set_system(body, self.system)
        return self.world.body.index("", body)

    def floor(self) -> None:
        plane = self.world.shape.create(PLANE)
        self.world.shapes.set_plane(self.world.shape.index("", plane), (0, 1, 0), 0.0)
        self.add(plane, (0, 0, 0), STATIC)

    def heap(self, count: int, place=(0, 0, 0), seed: int = 1) -> list[int]:
        """Cubes in each other."""
        offsets = np.random.default_rng(seed).uniform(-0.3, 0.3, (count, 3))
        return [self.add(self.cube, place + offset) for offset in offsets]

    def height(self, body: int) -> float:
        return float(self.rows[body]["position"][1])

    def step(self, ticks: int = 1) -> list[str]:
        """Step so often and return the warnings."""
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(ticks):
                self.world.step(self.system, TICK)
        assert all(warning.category is LimitReached for warning in told)
        return [str(warning.message) for warning in told]


def fallen(ticks: int, substeps: int = 4) -> float:
    """How far a body falls from rest in so many ticks, velocity before position in each sub-step [m]."""
    count = ticks * substeps
    return 10 * (TICK / substeps) ** 2 * count * (count + 1) / 2


def test_pairs_beyond_the_limit_wait_and_the_setting_is_named():
    scene = Scene(gravity=(0, 0, 0), pairs=64)
    for number in range(20):
        scene.add(scene.ball, (0.01 * number, 0, 0))
    told = scene.step()
    assert len(told) == 1 and "'World(pairs=...)'" in told[0]
    assert f" {20 * 19 // 2 - 64} pairs " in told[0]
    scene.step(900)
    places = scene.rows["position"][: scene.world.bodies.count]
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(20, 1)]
    assert apart.min() > 0.95, "all come apart in the end"


def test_a_heap_beyond_the_limit_of_contacts_stops_nobody():
    scene = Scene(contacts=64)
    heap, lone = scene.heap(30, (0, 50, 0)), scene.add(scene.ball, (100, 80, 0))
    before = scene.rows["position"][heap].copy()
    began = time.monotonic()
    told = scene.step(30)
    assert scene.height(lone) == pytest.approx(80 - fallen(30), abs=1e-4)
    assert (np.linalg.norm(scene.rows["position"][heap] - before, axis=1) > 0.1).all()
    assert 1 <= len(told) <= 1 + (time.monotonic() - began), "one warning a second"
    assert "'World(contacts=...)'" in told[0] and f" {30 * 29 // 2 - 64} contacts " in told[0]
    assert int(scene.row["constraints"]["block_count"]) <= 64 + 24


@pytest.mark.parametrize("limits", ({"contacts": 4}, {"pairs": 6}), ids=str)
def test_nothing_falls_through_the_floor_at_a_limit(limits):
    """Cubes in each other hang over a floor, beside cubes that stand on it: the floor comes first."""
    scene = Scene(**limits)
    scene.floor()
    scene.heap(6, (0, 3, 0))
    standing = [scene.add(scene.cube, (5 + 2 * k, 0.55, 0)) for k in range(4)]
    told = scene.step(120)
    assert told
    assert min(map(scene.height, standing)) > 0.47


def test_the_deepest_contact_is_solved_where_one_alone_may_be():
    scene = Scene(gravity=(0, 0, 0), contacts=1)
    shallow = [scene.add(scene.ball, (x, 0, 0)) for x in (0, 0.9)]
    deep = [scene.add(scene.ball, (x, 9, 0)) for x in (0, 0.6)]
    assert scene.step()
    gaps = [float(np.diff(scene.rows["position"][pair][:, 0])[0]) for pair in (shallow, deep)]
    assert gaps[0] == pytest.approx(0.9, abs=1e-6) and gaps[1] > 0.61
    scene.step(100)
    gaps = [float(np.diff(scene.rows["position"][pair][:, 0])[0]) for pair in (shallow, deep)]
    assert min(gaps) > 0.98


def test_heaps_of_boxes_in_each_other_share_blocks():
    """Contacts beyond the colours: eight to a block, and no limit is met."""
    scene = Scene()
    for k in range(4):
        scene.heap(60, (20 * k, 20, 0), seed=k)
    lone = scene.add(scene.ball, (0, 200, 0))
    assert scene.step(5) == []
    colours = scene.world.system(scene.system)._colours[0]
    contacts, blocks = int(colours["counts"][-1]), int(colours["block_count"][-1])
    assert contacts > 1000 and blocks < contacts / 5
    assert scene.height(lone) == pytest.approx(200 - fallen(5), abs=1e-4)


@pytest.mark.parametrize("moves", (True, False))
def test_all_overlaps_of_areas_are_told_at_a_limit(moves):
    scene = Scene(gravity=(0, -1 if moves else 0, 0), area_overlaps=64)
    world, large = scene.world, scene.world.shape.create(BOX)
    world.shapes.set_box(world.shape.index("", large), (20, 20, 20))
    for _ in range(12):
        area = world.area.create()
        world.area.add_shape(area, large)
        world.area.set_monitoring(area, bodies=True)
        world.area.set_system(area, scene.system)
    for k in range(12):
        scene.add(scene.ball, (3 * k - 15, 0, 0))
    seen, told = set(), []
    for _ in range(4):
        told += scene.step()
        seen |= {(int(event["area_id"]), int(event["other_id"])) for event in world.area.events(scene.system)}
    assert len(seen) == 144
    assert "'World(area_overlaps=...)'" in told[0]


def test_an_area_that_leaves_while_its_overlaps_wait():
    scene = Scene(gravity=(0, 0, 0), area_overlaps=3)
    world, areas = scene.world, []
    for _ in range(8):
        area = world.area.create()
        world.area.add_shape(area, scene.cube)
        world.area.set_monitoring(area, bodies=True)
        world.area.set_system(area, scene.system)
        areas.append(area)
    scene.add(scene.ball, (0.3, 0, 0))
    seen = set()
    for tick in range(4):
        scene.step()
        seen |= {int(event["area_id"]) for event in world.area.events(scene.system)}
        if tick == 0:
            assert len(seen) < 8
            for area in areas[::2]:
                world.area.set_system(area, 0)
    assert seen >= set(areas[1::2])


def test_the_same_is_left_out_whatever_the_number_of_threads():
    def played(threads: int) -> bytes:
        world = World(threads=threads, contacts=100, pairs=700)
        system = world.create_system(gravity=(0, -10, 0))
        shape = world.shape.create(BOX)
        world.shapes.set_box(world.shape.index("", shape), (0.5, 0.5, 0.5))
        for place in np.random.default_rng(2).uniform(-0.6, 0.6, (60, 3)):
            ball_at(world, system, shape, map(float, place))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitReached)
            for _ in range(20):
                world.step(system, TICK)
        return world.bodies.rows["position"][: world.bodies.count].tobytes()

    assert played(1) == played(2)


ARGUMENTS = {name_of_limit(name) for name in DEFAULT_LIMITS}


NAMES = (name_of_limit, ARGUMENTS), (setting_of_limit, SETTINGS)


@pytest.mark.parametrize(("name_limit", "known"), NAMES, ids=("Python", "Godot"))
def test_pools_that_can_be_full_name_settings_that_exist(name_limit, known):
    world = World(threads=1, name_limit=name_limit)
    world.create_system()
    pools = [world.bodies.pool, world.bodies.rare, world.instances.pool, world.shapes.pool, world.joints.pool, world.systems]
    pools += world.system(next(int(row["id"]) for row in world.systems.rows[:1])).trees._pools
    for pool in pools:
        assert pool.setting in known, pool.name
    assert "setting" not in str(world.group_filters.full())
    assert {name_limit(name) for name in DEFAULT_LIMITS} <= set(known)


def test_a_full_pool_of_shapes_names_its_setting():
    world = World(threads=1, shapes=4)
    for _ in range(4):
        world.shape.create(SPHERE)
    with pytest.raises(PoolFull, match=r"raise the setting 'World\(shapes=\.\.\.\)'"):
        world.shape.create(SPHERE)


@pytest.mark.skipif(sys.platform != "linux", reason="limits address space in Linux's way")
def test_where_address_space_is_short_limits_are_modest():
    script = """
import resource, warnings
resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
from scree.core.world import World
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    world = World(threads=1)
system = world.create_system()
world.body.set_system(world.body.create(), system)
world.step(system, 1 / 60)
print(world.limits["bodies"], len(told), "address space" in str(told[0].message))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "."})
    assert run.stdout.split() == ["262144", "1", "True"], run.stderr


def test_a_space_without_room_takes_no_place(monkeypatch):
    """The next one gets the place and the number that it would have had."""

    def has_no_room(*_):
        raise NoAddressSpace("no room")

    world, other = World(threads=1), World(threads=1)
    with monkeypatch.context() as patch:
        patch.setattr(PhysicsSystem, "__init__", has_no_room)
        with pytest.raises(NoAddressSpace):
            world.create_system()
    assert world.create_system() == other.create_system() and world.record["system_count"] == 1


def test_an_unknown_limit_is_refused():
    with pytest.raises(ValueError, match="World: there is no limit 'bananas'"):
        World(bananas=3)


def test_a_velocity_beyond_all_measure_stops_one_body_only():
    world = World(threads=1)
    system = world.create_system(gravity=(0, 0, 0))
    shape = world.shape.create(SPHERE)
    world.shapes.set_sphere(world.shape.index("", shape), 0.5)
    wild, calm = ball_at(world, system, shape, (0, 0, 0)), ball_at(world, system, shape, (0.9, 0, 0))
    rows = world.bodies.rows
    rows[world.body.index("", wild)]["linear_velocity"] = (3e38, 0, 0)
    for _ in range(5):
        world.step(system, 1 / 60)
    for body in (wild, calm):
        row = rows[world.body.index("", body)]
        assert np.isfinite(row["position"]).all() and np.isfinite(row["linear_velocity"]).all()


def test_the_table_of_pairs_grows_with_the_pairs():
    """A world with few pairs touches a few pages only; one with many finds every pair again after the table has grown."""
    world = World(threads=1, bodies=8192, pairs=1 << 16, contacts=1 << 14)
    system = world.create_system()
    ball = world.shape.create(SPHERE)
    world.shapes.set_sphere(world.shape.index("test", ball), 0.5)
    row = world.system(system).row
    before = int(row["pairs"]["table_capacity"])
    for index in range(2000):  # six in one place: fifteen pairs each time
        body = world.body.create()
        world.body.add_shape(body, ball)
        world.body.set_transform(body, (1, 0, 0, 0, 1, 0, 0, 0, 1, 5.0 * (index // 6), 0.1 * (index % 6), 0.0))
        world.body.set_system(body, system)
    world.step(system, 1e-4)
    assert before <= 4096
    assert int(row["pairs"]["table_capacity"]) >= 2 * int(row["pairs"]["count"]) > before
    pairs = int(row["pairs"]["count"])
    assert pairs == 333 * 15 + 1  # the last place holds two
    for _ in range(3):
        world.step(system, 1e-4)
    assert int(row["pairs"]["count"]) == pairs, "a pair that is not found again is made twice"


def test_a_full_pool_of_joints_names_its_setting():
    world = World(threads=1, bodies=1 << 8, joints=4)
    body = world.body.create()
    joints = [world.joint.create("point", 0, body) for _ in range(4)]
    with pytest.raises(PoolFull, match=r"World\(joints=\.\.\.\)"):
        world.joint.create("point", 0, body)
    world.joint.destroy(joints[1])
    assert world.joint.create("point", 0, body) not in joints, "the freed id stays stale"
