"""Scenes whose bits must be the same on every system and processor: `platform_scenes.py THREADS STEPS [SCENE ...]` steps each and
prints its name with a hash of all bodies for every hundred steps.

They need the engine and NumPy, no package for tests: `scree prove platforms` runs them on Windows and on arm64 processors.
"""

import hashlib
import sys
from collections.abc import Callable

import numpy as np
from scenes_for_threads import Heap

import scree
from scree.geometry.angles import circle_point

Step = Callable[[int], bytes | None]
"""A function that steps a scene; it gets the number of the step, and may return the bits of what is not in the rows of bodies."""
HASHED = 100  # steps for one hash


def _space(threads: int, **settings) -> scree.Space:
    return scree.World(threads=threads, bodies=1 << 14).add_space(gravity=(0.0, -9.81, 0.0), **settings)


def _circle(count: int) -> np.ndarray:
    """Points of a circle of radius 1 m (count, 2), without the system's mathematics library."""
    return np.array([circle_point(6.283185307179586 * k / count) for k in range(count)])


def _half_turn(z: float) -> tuple[float, float]:
    """The parts of a unit quaternion along an axis and beside it, of a turn that swings with z."""
    return 0.5 * z, (1.0 - 0.25 * z * z) ** 0.5


def solids(threads: int) -> tuple[scree.World, Step]:
    """Every kind of solid falls onto a height field and a mesh."""
    space = _space(threads)
    x, z = np.meshgrid(np.arange(33.0), np.arange(33.0))
    space.add_static(scree.HeightField(heights=0.02 * ((x * 7 + z * 3) % 11) + 0.01 * abs(x - 16)))
    vertices = [(-4.0, 2.0, -4.0), (4.0, 1.0, -4.0), (4.0, 2.5, 4.0), (-4.0, 1.5, 4.0)]
    space.add_static(scree.Mesh(vertices=vertices, triangles=[(0, 2, 1), (0, 3, 2)], two_sided=True))
    kinds = [
        scree.Box(half_extents=(0.3, 0.2, 0.4)), scree.Sphere(radius=0.3), scree.Capsule(radius=0.2, height=0.8),
        scree.Cylinder(radius=0.3, height=0.5), scree.Ellipsoid(half_axes=(0.2, 0.3, 0.4)),
        scree.TaperedCapsule(half_height=0.3, top_radius=0.2, bottom_radius=0.3),
        scree.TaperedCylinder(half_height=0.3, top_radius=0.1, bottom_radius=0.3),
        scree.Hull(points=np.random.default_rng(3).uniform(-0.4, 0.4, (24, 3))),
        scree.Compound(parts=[
            scree.Part(shape=scree.Box(half_extents=(0.4, 0.1, 0.1))),
            scree.Part(shape=scree.Sphere(radius=0.2), position=(0.4, 0.0, 0.0)),
        ]),
    ]  # fmt: skip
    for k in range(90):
        place = (k % 6 * 1.1 - 3.0, 4.0 + k // 36 * 1.2, k // 6 % 6 * 1.1 - 3.0)
        space.add_rigid(kinds[k % len(kinds)], place, angular_velocity=(0.3 * (k % 5), 0.2 * (k % 7), 0.0))
    return space.world, lambda step: space.step(1 / 60)


def joints(threads: int) -> tuple[scree.World, Step]:
    """Chains and trees of every kind of joint, with motors and springs, hang from a kinematic body that is driven about."""
    space = _space(threads)
    space.add_static(scree.Plane(distance=-6.0))
    rod, ball = scree.Box(half_extents=(0.1, 0.4, 0.1)), scree.Sphere(radius=0.3)
    hand = space.add_kinematic(ball, (0.0, 6.0, 0.0))
    for row, make in enumerate((
        lambda at: scree.Pin(anchor=at), lambda at: scree.Hinge(anchor=at, axis=(0, 0, 1), limits=(-1.0, 1.0)),
        lambda at: scree.ConeTwist(anchor=at, axis=(0, 1, 0), cone=0.5, twist=(-0.3, 0.3)), lambda at: scree.Fixed(anchor=at),
        lambda at: scree.Hinge(anchor=at, axis=(1, 0, 0), spring=scree.Spring(frequency=2.0, damping_ratio=0.3)),
        lambda at: scree.Slider(anchor=at, axis=(0, 1, 0), limits=(-0.3, 0.3), motor=scree.Motor(velocity=0.5, max_force=40.0)),
        lambda at: scree.SixDof(anchor=at, axis=(1, 0, 0), twist=scree.Axis(limits=(-0.5, 0.5)),
                                swing_y=scree.Axis(spring=scree.Spring(stiffness=5.0, damping=0.1))),
        lambda at: scree.Distance(anchor=at, to_anchor=at, longest=0.2),
    )):  # fmt: skip
        before = hand
        for k in range(8):
            x, y = 0.8 * (row - 3.5), 5.5 - 0.9 * k
            body = space.add_rigid(rod, (x, y, 0.1 * k))
            space.add_joint(make((x, y + 0.45, 0.1 * k)), body, before)
            before = body
        space.add_rigid(ball, (0.8 * (row - 3.5) + 0.3, 8.0, 0.2))
    circle = _circle(240)

    def step(number: int) -> None:
        x, z = circle[number % 240]
        half, cosine = _half_turn(z)
        hand.move((2.0 * x - 2.0, 6.0, 1.5 * z), (0.0, half, 0.0, cosine))
        space.step(1 / 60)

    return space.world, step


def vehicle(threads: int) -> tuple[scree.World, Step]:
    """A car with an engine drives over boxes, steers and brakes."""
    space = _space(threads)
    space.add_static(scree.Plane())
    for k in range(40):
        space.add_rigid(scree.Box(half_extents=(0.2, 0.05, 0.2)), (0.5 * (k % 4) - 0.8, 0.05, -4.0 - 2.0 * k))
    body = space.add_rigid(scree.Box(half_extents=(0.9, 0.3, 2.0)), (0, 1.0, 0), mass=1200.0)
    body.center_of_mass = (0, -0.2, 0)
    wheels = [
        scree.Wheel(position=(x, -0.1, z), most_steering=0.5 if z < 0 else 0.0, stiffness=40_000.0, damping=4_000.0)
        for z in (-1.4, 1.4)
        for x in (-0.8, 0.8)
    ]
    car = space.add_vehicle(body, wheels, engine=scree.Engine(most_torque=400.0), differentials=[scree.Differential(2, 3)])
    pedals = ({"throttle": 1.0}, {"throttle": 0.4, "right": 0.5}, {"throttle": 0.4, "right": -0.5}, {"brake": 1.0})

    def step(number: int) -> None:
        car.drive(**pedals[number // 200 % 4])
        space.step(1 / 60)

    return space.world, step


def fast(threads: int) -> tuple[scree.World, Step]:
    """Fast and spinning bodies hit thin walls and each other; an area pulls them, rules bounce them."""
    space = _space(threads)
    for x, z, half in ((-6, 0, (0.05, 4, 6)), (6, 0, (0.05, 4, 6)), (0, -6, (6, 4, 0.05)), (0, 6, (6, 4, 0.05))):
        space.add_static(scree.Box(half_extents=half), (x, 4, z))
    space.add_static(scree.Plane())
    space.add_area(scree.Sphere(radius=3.0), (0, 3, 0), effect=scree.AreaEffect(gravity_mode="combine", gravity=(0, 4.0, 0)))
    random = np.random.default_rng(11)
    bouncy = scree.Material(friction=0.3, restitution=0.9)
    shapes = (scree.Box(half_extents=(0.3, 0.02, 0.2)), scree.Sphere(radius=0.1), scree.Capsule(radius=0.05, height=0.5))
    thrown = []
    for k in range(60):
        body = space.add_rigid(shapes[k % 3], random.uniform((-4, 1, -4), (4, 6, 4)), material=bouncy, can_sleep=False)
        body.angular_velocity = random.uniform(-60, 60, 3)
        thrown.append(body)

    def step(number: int) -> None:
        if number % 150 == 0:
            for body in thrown:
                body.velocity = random.uniform(-40, 40, 3)
        space.step(1 / 60)

    return space.world, step


def bricks(threads: int) -> tuple[scree.World, Step]:
    """Balls fall onto a wall of bricks that loses some; a ship of bricks turns and loses its bow."""
    space = _space(threads)
    space.add_static(scree.Plane())
    wall, hull = scree.Structure(unit=0.25), scree.Structure(unit=0.5)
    cells = np.array([(4 * x, 2 * y, 2 * z) for x in range(10) for y in range(4) for z in range(3)])
    numbers = wall.insert(cells, cells + (4, 2, 2))
    space.add_static(wall)
    cells = np.array([(x, y, z) for x in range(12) for y in range(2) for z in range(6)])
    parts = hull.insert(cells, cells + 1)
    space.add_rigid(hull, (-2, 3, -4), angular_velocity=(0, 0.3, 0), density=100.0)
    for k in range(40):
        space.add_rigid(scree.Sphere(radius=0.15), (0.5 + 0.22 * k, 3.0 + 0.1 * (k % 5), 0.4))

    def step(number: int) -> None:
        if number % 40 == 39 and number // 40 < 40:
            wall.remove(numbers[3 * (number // 40)])
        if number == 600:
            hull.remove(parts[cells[:, 0] >= 8])
        space.step(1 / 60)

    return space.world, step


def _cloth(side: int, size: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    """The vertices and triangles of a level square of cloth."""
    places = np.arange(side) * (size / (side - 1)) - 0.5 * size
    vertices = np.array([(x, height, z) for z in places for x in places])
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    halves = [(first, first + side, first + 1), (first + 1, first + side, first + side + 1)]
    return vertices, np.concatenate([np.stack(half, 1) for half in halves])


def soft_bodies(threads: int) -> tuple[scree.World, Step]:
    """Cloth falls over boxes, balls fall into a cloth that is pinned, and closed ones with pressure inside lie on the floor."""
    space = _space(threads)
    space.add_static(scree.Plane())
    for k in range(3):
        space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), (0.7 * k - 0.7, 0.3, 0.0))
    soft = [
        space.add_soft_body(*_cloth(15, 2.0, 1.2), mass=0.5, stiffness=300.0, bending=2.0),
        space.add_soft_body(*_cloth(15, 2.0, 2.5), stiffness=800.0, drag=1.0, pins=[0, 14, 210, 224]),
    ]
    corners = np.array([(x, y, z) for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.3)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    sides = np.array([half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))])
    for k in range(3):
        soft.append(space.add_soft_body(corners + (2.5, 1.0 + k, 0.2 * k), sides, mass=2.0, stiffness=900.0, pressure=30.0))
    for k in range(8):
        space.add_rigid(scree.Sphere(radius=0.12), (0.2 * (k % 3) - 0.2, 3.5 + 0.4 * k, 0.1 * k - 0.4), mass=0.3)

    def step(number: int) -> bytes:
        if number % 300 == 299:
            soft[0].move(np.eye(3), (0.0, 1.5, 0.0))
        if number == 900:
            soft[1].unpin([0])
        space.step(1 / 60)
        return b"".join(one.positions.tobytes() for one in soft)

    return space.world, step


def water(threads: int) -> tuple[scree.World, Step]:
    """Boxes, hulls, balls and round shapes float in waves and a current; one by one they are thrown in again."""
    space = _space(threads)
    waves = [scree.Wave(length=12.0, height=0.4), scree.Wave(length=5.0, height=0.2, direction=(0.6, 0.8))]
    space.add_water((0.0, 0.0, 0.0), (60.0, 6.0, 60.0), waves=waves, flow=(0.2, 0.0, -0.1))
    space.add_static(scree.Plane(distance=-3.0))
    points = np.random.default_rng(5).uniform(-0.5, 0.5, (20, 3))
    kinds = [
        scree.Box(half_extents=(0.5, 0.2, 0.3)), scree.Sphere(radius=0.4), scree.Hull(points=points),
        scree.Capsule(radius=0.2, height=1.0), scree.Cylinder(radius=0.4, height=0.5),
    ]  # fmt: skip
    floats = [
        space.add_rigid(kinds[k % 5], (2.0 * (k % 6) - 5.0, 1.0 + 0.1 * k, 2.0 * (k // 6) - 4.0), density=200.0 + 45.0 * (k % 20))
        for k in range(30)
    ]

    def step(number: int) -> None:
        if number % 50 == 49:
            body = floats[number // 50 % len(floats)]
            body.position, body.velocity = (0.0, 3.0, 0.0), (1.0, -4.0, 0.5)
        space.step(1 / 60)

    return space.world, step


def walkers(threads: int) -> tuple[scree.World, Step]:
    """Characters climb stairs, ride on a platform that is pushed about, jump and push crates and each other."""
    space = _space(threads)
    space.add_static(scree.Plane())
    for k in range(5):
        space.add_static(scree.Box(half_extents=(0.15, 0.1 * (k + 1), 2.0)), (1.15 + 0.3 * k, 0.1 * (k + 1), 0.0))
    table = space.add_kinematic(scree.Box(half_extents=(2.0, 0.1, 2.0)), (4.5, 0.9, 0.0))
    for k in range(12):
        space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), (-3.0 - 0.7 * (k % 4), 0.3 + 0.6 * (k // 4), 0.0), mass=15.0)
    people = [
        space.add_character(scree.Capsule(radius=0.3, height=1.8), (0.0, 0.92, 0.8 * k - 2.0), step_height=0.3) for k in range(6)
    ]
    circle = _circle(240)

    def step(number: int) -> bytes:
        x, z = circle[number % 240]
        half, cosine = _half_turn(z)
        table.move((4.5 + 0.5 * x, 0.9, 0.5 * z), (0.0, half, 0.0, cosine))
        for k, one in enumerate(people):
            x, z = circle[(number // 2 + 40 * k) % 240]
            if (number + 17 * k) % 180 == 0 and one.on_floor:
                one.jump(4.0)
            one.move((3.0 * x, 0.0, 1.0 * z), 1 / 60)
        space.step(1 / 60)
        return b"".join(np.asarray(one.position).tobytes() for one in people)

    return space.world, step


def muscles(threads: int) -> tuple[scree.World, Step]:
    """Arms of three bars on a wall take one pose after the other by motors, and lift balls."""
    space = _space(threads)
    space.add_static(scree.Plane(distance=-3.0))
    bar, motors, circle = scree.Capsule(radius=0.06, height=0.5), [], _circle(240)
    for arm in range(6):
        parents, bones = [space.add_static(scree.Box(half_extents=(0.1, 0.1, 0.1)), (1.2 * arm, 0.0, 0.0))], []
        for k in range(3):
            bones.append(space.add_rigid(bar, (1.2 * arm, -0.35 - 0.5 * k, 0.0), mass=1.5))
            space.add_joint(scree.Pin(anchor=(1.2 * arm, -0.1 - 0.5 * k, 0.0)), parents[-1], bones[-1])
            parents.append(bones[-1])
        motors.append(space.add_pose_motors(parents[:-1], bones))
        space.add_rigid(scree.Sphere(radius=0.2), (1.2 * arm + 0.1, 1.5, 0.1), mass=1.0)

    def step(number: int) -> None:
        for arm, muscle in enumerate(motors):
            x, z = circle[(number + 30 * arm) % 240]
            half, cosine = _half_turn(z)
            muscle.aim([(0.0, 0.0, half, cosine), (half, 0.0, 0.0, cosine), (0.0, half, 0.0, cosine)], most_torque=40.0 + x)
        space.step(1 / 60)

    return space.world, step


def heap(threads: int) -> tuple[scree.World, Step]:
    """The heap of the tests of threads: bodies are added and removed on the way."""
    scene = Heap(threads)
    return scene.world, lambda number: scene.step()


SCENES = (heap, solids, joints, vehicle, fast, bricks, soft_bodies, water, walkers, muscles)


def state(core) -> bytes:
    """The bits of every pose and velocity."""
    rows = core.bodies.rows[: core.bodies.count]
    fields = ("id", "position", "rotation", "linear_velocity", "angular_velocity", "sleep_time", "active_index")
    return b"".join(rows[field].tobytes() for field in fields)


def main(threads: int, steps: int, names: list[str]) -> None:
    for scene in SCENES:
        if names and scene.__name__ not in names:
            continue
        world, step = scene(threads)
        core = getattr(world, "core", world)
        said = []
        for begin in range(0, steps, HASHED):
            digest = hashlib.sha256()
            for number in range(begin, min(begin + HASHED, steps)):
                more = step(number)
                digest.update(state(core))
                digest.update(more or b"")
            said.append(digest.hexdigest()[:16])
        print(scene.__name__, *said, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
