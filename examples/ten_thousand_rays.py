"""10,000 rays in one call: a scanner turns above a heap of mixed shapes and hills."""

import time

import numpy as np

import scree

random = np.random.default_rng(2)
space = scree.World().add_space()
x, z = np.meshgrid(np.arange(64), np.arange(64))
space.add_static(scree.HeightField(heights=np.sin(x / 5) + np.cos(z / 7)))
shapes = (scree.Box(half_extents=(0.5, 0.3, 0.8)), scree.Sphere(radius=0.5), scree.Capsule(radius=0.3, height=1.4))
for shape in shapes:
    space.add_rigid_many(shape, random.uniform((-20, 4, -20), (20, 12, 20), (200, 3)))
for _ in range(180):
    space.step(1 / 60)

angles, slopes = np.meshgrid(np.linspace(0, 2 * np.pi, 200, endpoint=False), np.linspace(-1.2, 0.1, 50))
directions = np.stack([np.cos(angles) * np.cos(slopes), np.sin(slopes), np.sin(angles) * np.cos(slopes)], axis=-1)
eye = np.array((0.0, 6.0, 0.0))
print(f"straight down: {space.cast_ray(eye, eye - (0, 60, 0))}")
begin = time.perf_counter()
hits = space.cast_rays(eye, eye + 60.0 * directions.reshape(-1, 3))
took = time.perf_counter() - begin
seen = np.unique(hits.body_ids[hits.is_hit])
print(f"{len(hits)} rays in {1e3 * took:.1f} ms: {hits.is_hit.sum()} hits on {len(seen)} bodies")
print(f"the nearest at {hits.distances.min():.1f} m")
