"""1,024 copies of a seesaw: a weight is dropped at another place in each, and one call steps all of them."""

import numpy as np

import scree

WORLDS = 1024

space = scree.World(threads=1).add_space(gravity=(0, -9.81, 0))
space.add_static(scree.Plane())
plank = space.add_rigid(scree.Box(half_extents=(2.0, 0.05, 0.3)), position=(0, 0.8, 0), mass=10.0)
hinge = space.add_joint(scree.Hinge(anchor=(0, 0.8, 0), axis=(0, 0, 1), limits=(-0.3, 0.3)), plank)
weight = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), position=(0, 1.2, 0), mass=5.0)

worlds = scree.VectorWorld(space, WORLDS, bodies=[plank, weight], joints=[hinge])
states = worlds.states.copy()  # (1024, 2, 13): position, quaternion, velocity, angular velocity
states[:, 1, 0] = np.linspace(-1.5, 1.5, WORLDS)  # where the weight is along the plank [m]
worlds.set_states(states)

worlds.step(1 / 60, steps=60)
angles = np.degrees(worlds.joint_states[:, 0, 0])
print(f"after 1 s the planks lean by {angles.max():.0f} degrees at the left and {angles.min():.0f} at the right")
print(f"in {(worlds.contact_impulses[:, 1] > 0).sum()} worlds the weight lies on something")

worlds.reset(angles < 0)  # those that lean to the right begin anew
torques = np.where(angles < 0, 60.0, 0.0)[:, None]  # of each hinge [N m]
worlds.step(1 / 60, steps=30, joint_forces=torques)
angles = np.degrees(worlds.joint_states[:, 0, 0])
print(f"now {(angles > 0).sum()} lean to the left")
