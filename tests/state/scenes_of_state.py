"""Scenes that are saved and restored: random ones, and one for each kind of thing that has a state."""

import numpy as np

import scree

CUBE, BALL = scree.Box(half_extents=(0.5, 0.5, 0.5)), scree.Sphere(radius=0.4)
ROD = scree.Capsule(radius=0.2, height=1.2)
TICK = 1 / 60


def quaternion(rng: np.random.Generator) -> np.ndarray:
    turn = rng.normal(size=4)
    return turn / np.linalg.norm(turn)


def new_space(threads: int = 1, **limits: int) -> scree.Space:
    """A space with a floor and a wall."""
    limits = {"bodies": 1 << 12, "body_shapes": 1 << 13, "shapes": 1 << 12, **limits}
    space = scree.World(threads=threads, **limits).add_space()
    space.add_static(scree.Box(half_extents=(40, 1, 40)), (0, -1, 0))
    space.add_static(scree.Box(half_extents=(1, 5, 40)), (12, 4, 0), material=scree.Material(restitution=0.8))
    return space


def random_space(seed: int, threads: int = 1) -> scree.Space:
    """Up to eighty bodies of several shapes, some joined, some driven, some fast, in and out of areas."""
    rng = np.random.default_rng(seed)
    space = new_space(threads)
    mixed = scree.Compound(parts=[scree.Part(shape=BALL, position=(0, 0.6, 0)), scree.Part(shape=CUBE)])
    shapes = [CUBE, BALL, ROD, scree.Cylinder(radius=0.4, height=0.8), mixed, scree.Ellipsoid(half_axes=(0.3, 0.4, 0.6))]
    bodies = []
    for _ in range(int(rng.integers(4, 80))):
        shape, place = shapes[rng.integers(len(shapes))], rng.uniform((-6, 0.5, -6), (6, 12, 6))
        material = scree.Material(friction=float(rng.uniform(0, 1)), restitution=float(rng.choice([0.0, 0.0, 0.7])))
        fast = rng.uniform(-60, 60, 3) if rng.random() < 0.1 else rng.normal(size=3)
        bodies.append(space.add_rigid(
            shape, place, quaternion(rng), velocity=fast, angular_velocity=rng.normal(size=3), material=material,
            mass=float(rng.uniform(0.2, 20)), continuous=bool(rng.random() < 0.2),
        ))  # fmt: skip
    for _ in range(int(rng.integers(0, 12))):
        a, b = rng.choice(len(bodies), 2, replace=False)
        anchor = (bodies[a].position + bodies[b].position) / 2
        motor = scree.Motor(velocity=2.0, max_force=50.0) if rng.random() < 0.3 else None
        joint = [scree.Pin(anchor=anchor), scree.Hinge(anchor=anchor, axis=(0, 0, 1), motor=motor), scree.Fixed(anchor=anchor)]
        space.add_joint(joint[rng.integers(3)], bodies[a], bodies[b] if rng.random() < 0.8 else None)
    for _ in range(int(rng.integers(0, 4))):
        pull = tuple(rng.uniform(-6, 6, 3))
        effect = scree.AreaEffect(gravity_mode="replace", gravity=pull, damp_mode="combine", linear_damp=0.5)
        space.add_area(scree.Box(half_extents=tuple(rng.uniform(1, 4, 3))), rng.uniform((-4, 0, -4), (4, 4, 4)), effect=effect)
    for body in bodies[:: int(rng.integers(2, 9))]:
        body.contact_events = "all"
    if rng.random() < 0.5:
        lift = space.add_kinematic(scree.Box(half_extents=(2, 0.2, 2)), (0, 0.5, 0))
        lift.move((0.0, 0.52, 0.0))
    return space


def ragdolls(threads: int = 1, count: int = 12) -> scree.Space:
    """Chains of six capsules that fall in a heap."""
    space, rng = new_space(threads), np.random.default_rng(3)
    for k in range(count):
        before = None
        for link in range(6):
            place = np.array((k % 4 * 0.9, 1.0 + 1.4 * link + k // 4 * 0.2, k // 4 * 0.8)) + rng.uniform(-0.01, 0.01, 3)
            body = space.add_rigid(ROD, place)
            if before is not None:
                anchor = tuple(place - (0, 0.7, 0))
                joint = scree.Pin(anchor=anchor) if link % 2 else scree.Hinge(anchor=anchor, limits=(-1, 1))
                space.add_joint(joint, before, body)
            before = body
    return space


def car(threads: int = 1) -> scree.Space:
    """A driven car, a pulley and boxes in its way."""
    space = new_space(threads)
    body = space.add_rigid(scree.Box(half_extents=(0.8, 0.2, 1.6)), (0, 0.9, 0), mass=1200.0)
    wheels = [
        scree.Wheel(position=(x, 0.0, z), most_steering=0.5 if z < 0 else 0.0, cast=cast)
        for z, cast in ((-1.3, "ray"), (1.3, "sphere")) for x in (-0.8, 0.8)
    ]  # fmt: skip
    vehicle = space.add_vehicle(
        body, wheels, engine=scree.Engine(most_torque=500.0), differentials=[scree.Differential(2, 3)],
        anti_roll_bars=[scree.AntiRollBar(0, 1)],
    )  # fmt: skip
    vehicle.drive(throttle=1.0, right=0.3)
    for k in range(6):
        space.add_rigid(CUBE, (0.3, 0.5 + k, -9))
    one, other = space.add_rigid(BALL, (5, 3, 5), mass=2.0), space.add_rigid(BALL, (7, 3, 5), mass=3.0)
    space.add_pulley(scree.Rope(wheel=(5, 6, 5), to_wheel=(7, 6, 5)), one, other)
    return space


def ruled(threads: int = 1) -> scree.Space:
    """A conveyor by a contact rule, a platform, and events of all contacts."""
    space = new_space(threads)
    space.world.set_contact_rule("belt", "default", scree.ContactRule(surface_velocity=(2, 0, 0), friction=0.9))
    belt = space.add_static(scree.Box(half_extents=(6, 0.2, 3)), (0, 0.3, 0))
    belt.contact_class = "belt"
    for k in range(20):
        body = space.add_rigid(CUBE if k % 2 else BALL, (-5 + k % 5, 2 + k // 5, 0.1 * k))
        body.contact_events = "all"
    return space


def bricks(threads: int = 1) -> scree.Space:
    """Structures that fall on each other."""
    space = new_space(threads)
    for k in range(6):
        structure = scree.Structure()
        low = np.array([(x, y, z) for x in range(3) for y in range(2) for z in range(3)])
        structure.insert(low, low + 1)
        space.add_rigid(structure, (0.3 * k, 1.0 + 3 * k, 0.2 * k))
    return space


def many_shapes(threads: int = 1) -> scree.Space:
    """Ground of triangles and of a height field, and hulls on it."""
    space, rng = new_space(threads), np.random.default_rng(5)
    heights = rng.uniform(0.0, 0.8, (24, 24))
    space.add_static(scree.HeightField(heights=heights), (0, 0.5, 0))
    for _ in range(30):
        points = rng.normal(size=(12, 3)) * 0.4
        space.add_rigid(scree.Hull(points=points), rng.uniform((-5, 2, -5), (5, 8, 5)), quaternion(rng))
    return space


KINDS = {"ragdolls": ragdolls, "car": car, "rules": ruled, "bricks": bricks, "shapes": many_shapes}
