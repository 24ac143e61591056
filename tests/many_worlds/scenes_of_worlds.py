"""Small spaces that are copied, and the plain twin of a VectorWorld: one space, given the same through the Python API."""

import numpy as np

import scree

SECONDS = 1 / 50
SIDE = (0.0, 0.0, 1.0)


def small_space(**settings):
    """An empty space of a world that takes little address space."""
    world = scree.World(
        threads=1, bodies=256, body_shapes=512, shapes=256, joints=128, pairs=2048, contacts=2048, area_overlaps=512, systems=4
    )
    return world.add_space(gravity=(0, -9.81, 0), settings=scree.SpaceSettings(**settings))


def cart_pole():
    """A cart on a rail and a pole on it: (space, bodies, joints)."""
    space = small_space(substep_count=2)
    cart = space.add_rigid(scree.Box(half_extents=(0.2, 0.1, 0.1)), mass=1.0)
    pole = space.add_rigid(scree.Box(half_extents=(0.02, 0.5, 0.02)), position=(0, 0.5, 0), mass=0.1)
    rail = space.add_joint(scree.Slider(axis=(1, 0, 0)), cart)
    hinge = space.add_joint(scree.Hinge(anchor=(0, 0, 0), axis=SIDE), pole, to=cart)
    return space, [cart, pole], [rail, hinge]


def walker():
    """A trunk on two legs with knees that stands on the ground: (space, bodies, joints)."""
    space = small_space()
    space.add_static(scree.Plane())
    trunk = space.add_rigid(scree.Box(half_extents=(0.4, 0.15, 0.25)), position=(0, 1.0, 0), mass=3.0)
    bodies, joints = [trunk], []
    for side in (-0.3, 0.3):
        thigh = space.add_rigid(scree.Capsule(radius=0.06, height=0.4), position=(side, 0.65, 0), mass=0.5)
        shin = space.add_rigid(scree.Capsule(radius=0.05, height=0.4), position=(side, 0.25, 0), mass=0.4)
        motor = scree.Motor(max_force=20.0)
        hip = scree.Hinge(anchor=(side, 0.85, 0), axis=SIDE, limits=(-0.8, 0.8), motor=motor)
        knee = scree.Hinge(anchor=(side, 0.45, 0), axis=SIDE, limits=(-0.8, 0.8), motor=motor)
        joints += [space.add_joint(hip, thigh, to=trunk), space.add_joint(knee, shin, to=thigh)]
        bodies += [thigh, shin]
    return space, bodies, joints


def heap():
    """Boxes and balls that fall on a plate, one through an area without gravity, one kinematic: (space, bodies, joints)."""
    space = small_space()
    space.add_static(scree.Box(half_extents=(3.0, 0.5, 3.0)), position=(0, -0.5, 0))
    effect = scree.AreaEffect(gravity=(0, 2.0, 0), gravity_mode="replace")
    space.add_area(scree.Box(half_extents=(0.4, 0.4, 0.4)), position=(1.0, 1.0, 0), effect=effect)
    bodies = [
        space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), position=(0.05 * k, 0.3 + 0.45 * k, 0.0)) for k in range(4)
    ]
    bodies += [space.add_rigid(scree.Sphere(radius=0.2), position=(1.0, 0.5 + 0.5 * k, 0.05 * k)) for k in range(3)]
    bodies.append(space.add_kinematic(scree.Box(half_extents=(0.3, 0.1, 0.3)), position=(-1.0, 0.5, 0)))
    return space, bodies, []


def grounds():
    """Bodies of many shapes on a mesh, a height field and bricks, with rules, events and reports: (space, bodies, joints)."""
    space = small_space()
    space.world.set_contact_rule("belt", "box", scree.ContactRule(surface_velocity=(0.5, 0, 0), friction=0.9))
    corners, sides = [(-4, 0, -4), (4, 0, -4), (4, 0.8, 4), (-4, 0.3, 4)], [(0, 2, 1), (0, 3, 2)]
    space.add_static(scree.Mesh(vertices=corners, triangles=sides)).contact_class = "belt"
    hills = 0.3 * np.sin(np.arange(64).reshape(8, 8))
    space.add_static(scree.HeightField(heights=hills), position=(8, 0, 0))
    wall = scree.Structure(unit=0.25)
    cells = np.array([(4 * x, 2 * y, 0) for x in range(4) for y in range(2)])
    wall.insert(cells, cells + (4, 2, 2))
    space.add_static(wall, position=(-10, 0, 0))
    part = scree.Part(shape=scree.Box(half_extents=(0.2, 0.1, 0.1)), position=(0.2, 0, 0))
    shapes = [
        scree.Box(half_extents=(0.2, 0.2, 0.2)), scree.Capsule(radius=0.15, height=0.6), scree.Cylinder(radius=0.2, height=0.3),
        scree.Compound(parts=[part, scree.Part(shape=scree.Sphere(radius=0.2), position=(-0.2, 0, 0))]),
        scree.Hull(points=np.random.default_rng(1).normal(0.0, 0.2, (12, 3))),
    ]  # fmt: skip
    bodies = []
    for k, shape in enumerate(shapes):
        for x in (0.9 * k - 2.0, 0.8 * k + 6.0):
            bodies.append(space.add_rigid(shape, position=(x, 1.5, 0.3 * k), rotation=(0, 0, 0.2, 0.98), velocity=(0, -1, 0)))
    bodies.append(space.add_rigid(shapes[0], position=(-8.9, 1.0, 0.25)))
    bodies[0].contact_class, bodies[0].contact_events = "box", "all"
    bodies[2].set_constant_force((0.5, 0, 0.2))
    bodies[4].lock_axes("z", "xy")
    return space, bodies, []


SCENES = {"cart pole": cart_pole, "walker": walker, "heap": heap, "grounds": grounds}


def state_of(bodies) -> np.ndarray:
    """The state of bodies as `VectorWorld.states` has it, (bodies, 13)."""
    return np.array([np.concatenate([body.position, body.rotation, body.velocity, body.angular_velocity]) for body in bodies])


def act(space, bodies, joints, actions: dict, world: int) -> None:
    """Give one space what a VectorWorld gives to the world with this number."""
    velocities, most = actions.get("motor_velocities"), actions.get("motor_forces")
    for k, joint in enumerate(joints):
        if velocities is not None and most is not None:
            joint.set_motor(scree.Motor(velocity=velocities[world, k], max_force=most[world, k]))
    for k, body in enumerate(bodies):
        if "forces" in actions:
            body.apply_force(actions["forces"][world, k])
        if "torques" in actions:
            body.apply_torque(actions["torques"][world, k])


def actions_of(names, count: int, bodies: int, joints: int, random: np.random.Generator) -> dict:
    """Random actions by name."""
    shapes = {"forces": (count, bodies, 3), "torques": (count, bodies, 3)}
    made = {name: random.normal(0.0, 1.5, shapes.get(name, (count, joints))) for name in names}
    if "motor_forces" in made:
        made["motor_forces"] = np.abs(made["motor_forces"]) * 8.0
    return made
