"""A belt carries boxes to a second one, whose rule makes it faster: by the body, and by a rule for two classes of bodies."""

import scree

world = scree.World()
space = world.add_space()
belt = scree.Box(half_extents=(4.0, 0.1, 1.0))
slow = space.add_static(belt, position=(0, 0, 0))
slow.set_surface_velocity((1.0, 0, 0))  # [m/s]
fast = space.add_static(belt, position=(8.2, 0, 0))
fast.contact_class = "fast belt"
world.set_contact_rule("fast belt", "default", scree.ContactRule(surface_velocity=(3.0, 0, 0)))
crate, wood = scree.Box(half_extents=(0.2, 0.2, 0.2)), scree.Material(friction=0.6)
crates = space.add_rigid_many(crate, [(-3.5 + k, 0.35, 0) for k in range(4)], material=wood)
for second in range(6):
    for _ in range(60):
        space.step(1 / 60)
    places, speeds = crates.positions[:, 0], crates.velocities[:, 0]
    print(f"{second + 1} s:", ", ".join(f"{x:5.2f} m at {v:.2f} m/s" for x, v in zip(places, speeds, strict=True)))
