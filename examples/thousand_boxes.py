"""1,000 boxes fall onto the ground; a picture shows where they lie after four seconds."""

import sys

import matplotlib
import numpy as np

import scree

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

space = scree.World().add_space(gravity=(0, -9.81, 0))
space.add_static(scree.Plane())
grid = np.stack(np.meshgrid(np.arange(10), np.arange(10), np.arange(10), indexing="ij"), axis=-1).reshape(-1, 3)
places = grid * 1.2 + (0, 1, 0) + np.random.default_rng(1).uniform(-0.1, 0.1, grid.shape)
boxes = space.add_rigid_many(scree.Box(half_extents=(0.5, 0.5, 0.5)), places, density=600.0)
for _ in range(240):
    space.step(1 / 60)

axes = pyplot.figure().add_subplot(projection="3d")
x, y, z = boxes.positions.T
axes.scatter(x, z, y, c=y, s=10)
axes.set(xlabel="x [m]", ylabel="z [m]", zlabel="height [m]")
picture = sys.argv[1] if len(sys.argv) > 1 else "thousand_boxes.png"
pyplot.savefig(picture)
print(f"{len(boxes)} boxes of {boxes.masses[0]:.0f} kg, the lowest at {y.min():.2f} m, {boxes.is_asleep.sum()} asleep: {picture}")
