"""Lenses of four masses on the trapdoor: prints whether Numba was imported, how many fell through, and a hash of all poses."""

import hashlib
import sys

import numpy as np
import scree

from . import functions

world = scree.World(threads=1)
space = world.add_space(gravity=(0, -10, 0))
rule = scree.ContactRule(validate=functions.heavy_ones_fall_through, modify=functions.slippery)
world.set_contact_rule("trapdoor", "default", rule)
space.add_static(scree.Box(half_extents=(5, 0.1, 5))).contact_class = "trapdoor"
shape = scree.Custom(function=functions.lens, data=(0.5, 0.2, 0.4))
bodies = [space.add_rigid(shape, (1.5 * k - 2, 1 + 0.3 * k, 0.1 * k), mass=1.0 + 6 * k, velocity=(k, 0, 1)) for k in range(4)]
for _ in range(120):
    space.step(1 / 60)
poses = np.array([[*body.position, *body.rotation] for body in bodies])
print(sys.modules.get("numba") is not None, int((poses[:, 1] < -1).sum()), hashlib.sha256(poses.tobytes()).hexdigest())
