"""A character climbs stairs, rides on a turning platform, jumps off it and pushes a crate."""

import math

import scree

TICK = 1 / 60
space = scree.World().add_space()
space.add_static(scree.Plane())
for k in range(5):  # five stairs of 20 cm
    space.add_static(scree.Box(half_extents=(0.15, 0.1 * (k + 1), 1)), (1.15 + 0.3 * k, 0.1 * (k + 1), 0))
table = space.add_kinematic(scree.Box(half_extents=(2, 0.1, 2)), (4.5, 0.9, 0))
crate = space.add_rigid(scree.Box(half_extents=(0.4, 0.4, 0.4)), (9, 0.4, 0), mass=20.0)
hero = space.add_character(scree.Capsule(radius=0.3, height=1.8), (0, 0.91, 0), step_height=0.3)
angle = 0.0


def walk(seconds: float, velocity: tuple[float, float, float] = (0, 0, 0), spin: float = 0.0) -> None:
    global angle
    for _ in range(round(seconds / TICK)):
        angle += spin * TICK
        table.move((4.5, 0.9, 0), (0, math.sin(angle / 2), 0, math.cos(angle / 2)))
        hero.move(velocity, TICK)
        space.step(TICK)
    x, y, z = hero.position
    print(f"({x:.2f}, {y - 0.9:.2f}, {z:.2f}) m, on the floor: {hero.on_floor}")


walk(2.0, (2, 0, 0))
walk(2.0, spin=math.pi / 2)
walk(0.5)
hero.jump(4.0)
walk(1.0, (2, 0, 0))
walk(1.5, (2, 0, 0))
print(f"the crate is at {crate.position[0]:.1f} m")
