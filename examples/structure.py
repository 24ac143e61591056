"""A box lies on a wall of bricks; a ray names the brick under it, which is removed. A ship loses half of its hull."""

import numpy as np

import scree

space = scree.World().add_space(gravity=(0, -10, 0))
space.add_static(scree.Plane())

# Corners are whole numbers of units, here of a quarter of a metre.
wall = scree.Structure(unit=0.25)
cells = np.array([(4 * x, 2 * y, 0) for x in range(10) for y in range(4)])
bricks = wall.insert(cells, cells + (4, 2, 2), tag=np.arange(len(cells)))
body = space.add_static(wall)
box = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), (4.5, 2.21, 0.25))
for _ in range(120):
    space.step(1 / 60)
print(f"{len(wall)} bricks; the box is at {box.position[1]:.2f} m, asleep: {box.is_asleep}")

hit = space.cast_ray(box.position + (0, 0, 3), (4.5, 1.75, 0.25))
if hit is not None and hit.body == body:
    print(f"the ray meets brick {hit.part} of the wall")
    wall.remove(hit.part)
for _ in range(120):
    space.step(1 / 60)
print(f"{len(wall)} bricks; the box is at {box.position[1]:.2f} m")

# A ship's mass follows its bricks, if it was made with a density, and what stays of it moves on.
hull = scree.Structure(unit=0.5)
cells = np.array([(x, y, z) for x in range(40) for y in range(4) for z in range(8)])
numbers = hull.insert(cells, cells + 1)
ship = space.add_rigid(hull, (0, 50, 0), velocity=(3, 0, 0), angular_velocity=(0, 1, 0), density=200.0, gravity_scale=0.0)
print(f"{ship.mass:.0f} kg about {ship.center_of_mass[0]:.1f} m")
hull.remove(numbers[cells[:, 0] >= 20])
print(f"{ship.mass:.0f} kg about {ship.center_of_mass[0]:.1f} m")
