"""Fast bodies stop at what is thin: walls, meshes, each other; whatever moves fast, flagged or not."""

import numpy as np
import pytest
from small_world import TICK, SmallWorld

from scree.bodies.schema import BODY, KINEMATIC, RIGID, STATIC
from scree.constraints.schema import DELTA_POSITION, DELTA_ROTATION, HELD_BACK, LINEAR_VELOCITY
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view
from scree.shapes.schema import CAPSULE, CYLINDER, HULL, MESH
from scree.solver.integration import finish_row


def make(world: SmallWorld, kind: str) -> int:
    """A shape about 5 cm across."""
    shapes = world.world.shapes
    if kind == "box":
        return world.box(0.025, 0.025, 0.025)
    if kind == "sphere":
        return world.sphere(0.025)
    identity = world.world.shape.create({"capsule": CAPSULE, "cylinder": CYLINDER, "hull": HULL}[kind])
    index = world.world.shape.index("make", identity)
    if kind == "capsule":
        shapes.set_capsule(index, 0.02, 0.1)
    elif kind == "cylinder":
        shapes.set_cylinder(index, 0.03, 0.04)
    else:
        shapes.set_hull(index, [(0.05, 0, 0), (-0.03, 0.03, 0), (-0.03, -0.03, 0.03), (-0.03, -0.03, -0.03)])
    return identity


def wall_of_triangles(world: SmallWorld) -> int:
    """A square of two triangles without thickness, seen from -X."""
    identity = world.world.shape.create(MESH)
    vertices = [(0, -20, -20), (0, 20, -20), (0, 20, 20), (0, -20, 20)]
    world.world.shapes.set_mesh(world.world.shape.index("wall", identity), vertices, [(0, 2, 1), (0, 3, 2)], True)
    return identity


WALLS = {"box": lambda world: world.box(0.005, 20.0, 20.0), "mesh": wall_of_triangles}


def shoot(world: SmallWorld, kind: str, is_continuous: bool, count: int = 100, speed: float = 200.0) -> list[int]:
    """Bodies from x = -3 to -6 m towards +X, turning."""
    generator = np.random.default_rng(7)
    shape, bodies = make(world, kind), []
    for number in range(count):
        position = (-3.0 - 3.0 * generator.random(), number % 10 - 4.5, number // 10 - 4.5)
        body = world.add(shape, position, mode=RIGID)
        world.throw(body, (speed, 0.0, 0.0))
        world.turn(body, generator.normal(size=3) * 20.0)
        world.world.body.set_continuous(body, is_continuous)
        bodies.append(body)
    return bodies


@pytest.mark.parametrize("is_continuous", [True, False], ids=["continuous", "plain"])
@pytest.mark.parametrize("kind", ["box", "sphere", "capsule", "cylinder", "hull"])
@pytest.mark.parametrize("wall", WALLS)
def test_none_passes_a_thin_wall(wall, kind, is_continuous):
    """100 bodies of 5 cm at 200 m/s, a wall of 1 cm or none at all thick."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    world.add(WALLS[wall](world), mode=STATIC)
    bodies = shoot(world, kind, is_continuous)
    world.step(20)
    assert [body for body in bodies if world.position(body)[0] > 0.0] == []


def test_none_passes_a_wall_that_comes_towards_it():
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    wall = world.add(world.box(0.005, 20.0, 20.0), (2.0, 0.0, 0.0), mode=KINEMATIC)
    bodies = shoot(world, "box", True)
    for tick in range(1, 11):
        world.move(wall, (2.0 - 20.0 * TICK * tick, 0.0, 0.0))
        world.step()
        passed = [body for body in bodies if world.position(body)[0] > world.position(wall)[0]]
        assert passed == []


def test_two_bullets_meet():
    """Both fast, neither flagged: they do not change places."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    left = world.add(world.sphere(0.05), (-10.0, 0.0, 0.0), mode=RIGID)
    right = world.add(world.sphere(0.05), (10.1, 0.0, 0.0), mode=RIGID)
    world.throw(left, (150.0, 0.0, 0.0))
    world.throw(right, (-150.0, 0.0, 0.0))
    world.step(10)
    assert world.position(left)[0] < world.position(right)[0]


def test_a_bullet_moves_a_thin_door():
    """A free plate of 1 cm takes up the momentum of a ball."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    plate = world.add(world.box(0.005, 1.0, 1.0), mode=RIGID, mass=10.0)
    ball = world.add(world.sphere(0.05), (-5.0, 0.0, 0.0), mode=RIGID, mass=1.0)
    world.throw(ball, (200.0, 0.0, 0.0))
    world.step(20)
    assert world.position(ball)[0] < world.position(plate)[0]
    assert world.velocity(ball)[0] + 10.0 * world.velocity(plate)[0] == pytest.approx(200.0, rel=1e-3)


def test_fast_ball_stops_at_the_surface_and_bounces():
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    world.add(world.box(0.05, 5.0, 5.0), (10.0, 0.0, 0.0), mode=STATIC, restitution=0.5)
    ball = world.add(world.sphere(0.2), mode=RIGID)
    world.throw(ball, (150.0, 0.0, 0.0))
    for tick in range(1, 9):
        world.step()
        way = 150.0 * TICK * tick  # it turns round at 9.75 m, in the middle of a step
        assert world.position(ball)[0] == pytest.approx(way if way < 9.75 else 9.75 - 0.5 * (way - 9.75), abs=2e-3)
    assert world.velocity(ball)[0] == pytest.approx(-75.0, rel=1e-3)


def test_a_near_miss_is_none():
    """A ball that passes a corner at 8 cm flies straight on."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    world.add(world.box(1.0, 1.0, 1.0), mode=STATIC)
    ball = world.add(world.sphere(0.2), (-5.0, 1.28, 0.0), mode=RIGID)
    world.throw(ball, (100.0, 0.0, 0.0))
    world.step(10)
    assert world.velocity(ball) == pytest.approx((100.0, 0.0, 0.0))


def test_mask_decides_who_is_stopped():
    """A body that does not have the wall's layer in its mask flies on."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    world.add(world.box(0.005, 20.0, 20.0), mode=STATIC)
    ball = world.add(world.sphere(0.05), (-5.0, 0.0, 0.0), mode=RIGID)
    world.world.body.set_collision_mask(ball, 2)
    world.throw(ball, (200.0, 0.0, 0.0))
    world.step(10)
    assert world.velocity(ball)[0] == pytest.approx(200.0)


def test_sliding_fast_loses_no_way():
    """A body that rests on a floor is not held back by it."""
    world = SmallWorld()
    world.floor(friction=0.0)
    world.add(world.box(50.0, 0.5, 5.0), (100.0, -0.5, 0.0), mode=STATIC, friction=0.0)
    box = world.add(world.box(0.1, 0.1, 0.1), (0.0, 0.1, 0.0), mode=RIGID, friction=0.0)
    world.step(5)
    world.throw(box, (60.0, 0.0, 0.0))
    start = world.position(box)[0]
    world.step(120)
    assert world.position(box)[0] - start == pytest.approx(120.0, rel=1e-4)


def cloud(threads: int) -> bytes:
    """Poses after four hundred bullets have flown into a wall of boxes and each other."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0), threads=threads)
    generator = np.random.default_rng(11)
    world.add(world.box(0.005, 20.0, 20.0), (6.0, 0.0, 0.0), mode=STATIC)
    plate, ball = world.box(0.02, 0.3, 0.3), world.sphere(0.04)
    for number in range(400):
        world.add(plate, (3.0, 0.7 * (number % 20) - 7.0, 0.7 * (number // 20) - 7.0), mode=RIGID, mass=0.2)
    for number in range(400):
        side = 1.0 if number % 2 else -1.0
        body = world.add(ball, (-8.0 * side, *generator.uniform(-6, 6, 2)), mode=RIGID)
        world.throw(body, (side * generator.uniform(50, 250), *generator.uniform(-5, 5, 2)))
        world.world.body.set_continuous(body, bool(number % 3))
    world.step(30)
    rows = world.world.bodies.rows[:801]
    return rows["position"].tobytes() + rows["rotation"].tobytes() + rows["linear_velocity"].tobytes()


def test_threads_change_nothing():
    assert cloud(1) == cloud(2)


@entry_point("void(int64, int64)")
def finish(body, row):
    finish_row(view(body, 1, BODY)[0], view(row, 16, np.float32))


def test_what_is_not_let_go_loses_what_it_does_not_move():
    """Stopped it keeps its velocity, for contacts to act on; stopped for seven steps running it goes as fast as it comes on."""
    body, row = np.zeros(1, BODY), np.zeros(16, np.float32)
    body["rotation"][0, 3] = row[DELTA_ROTATION + 3] = 1.0

    def speed_after(held_back: float) -> float:
        row[LINEAR_VELOCITY], row[DELTA_POSITION], row[HELD_BACK] = 32.0, 0.5, held_back
        finish(body.ctypes.data, row.ctypes.data)
        return float(body["linear_velocity"][0, 0])

    for lets_go in (0.25, 0.0, 0.75):
        assert [speed_after(1.0) for _ in range(9)] == [32.0] * 7 + [0.0] * 2
        assert speed_after(0.9375) == 2.0
        assert speed_after(lets_go) == 32.0
    assert body["flags"][0] == 0
