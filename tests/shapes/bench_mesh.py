"""How long a mesh takes to cook, what it weighs, and how fast rays are against it, beside trimesh with embreex where that is
installed.

`python -m tests.shapes.bench_mesh [TRIANGLES RAYS]` writes its figures as one line of JSON, and shows on stderr how far the mesh
is cooked. Cooking is measured with that bar: the processor time of all threads. Rays one after the other, on one thread, as a
query gives them.
"""

import json
import sys
import time

import numba
import numpy as np
from rich.console import Console

from scree.shapes import schema
from scree.shapes.mesh_building import cook_mesh
from scree.shapes.pool import ShapePool
from scree.shapes.ray import ray_shape
from scree.tools import show


def hills(triangles: int) -> tuple[np.ndarray, np.ndarray]:
    """A square of rolling ground with about so many triangles."""
    n = int((triangles / 2) ** 0.5 + 0.999)
    x, z = np.meshgrid(np.linspace(-100, 100, n + 1), np.linspace(-100, 100, n + 1))
    y = 5.0 * np.sin(0.11 * x) * np.cos(0.07 * z) + 0.5 * np.sin(1.3 * x + 0.9 * z)
    corner = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    first = np.stack((corner, corner + n + 1, corner + 1), axis=1)
    second = np.stack((corner + 1, corner + n + 1, corner + n + 2), axis=1)
    return np.stack((x, y, z), axis=-1).reshape(-1, 3).astype(np.float32), np.concatenate((first, second)).astype(np.int32)


def ray_set(count: int) -> tuple[np.ndarray, np.ndarray]:
    """From above, in all slanting directions; 300 m long."""
    rng = np.random.default_rng(3)
    origins = rng.uniform((-100, 8, -100), (100, 30, 100), (count, 3))
    directions = rng.normal(size=(count, 3))
    directions[:, 1] = -np.abs(directions[:, 1])
    return origins, directions / np.linalg.norm(directions, axis=1)[:, None]


@numba.njit
def cast_all(rows, index, origins, directions, length, fractions):
    hits = 0
    for i in range(len(origins)):
        origin = (origins[i, 0], origins[i, 1], origins[i, 2])
        way = (directions[i, 0] * length, directions[i, 1] * length, directions[i, 2] * length)
        fractions[i] = ray_shape(rows, index, origin, way, 1.0, False, False)[0]
        hits += fractions[i] <= 1.0
    return hits


def cook_with_a_bar(vertices, triangles):
    """The mesh, the processor time it took with the bar [s], and how many different lengths the bar had."""
    seen = set()
    with show.counting(Console(stderr=True), "Cooking") as report:

        def progress(done: int, total: int) -> None:
            seen.add(done)
            report(done, total, "")

        begin = time.process_time()
        cooked = cook_mesh(vertices, triangles, progress=progress)
        seconds = time.process_time() - begin
    return cooked, seconds, len(seen)


def run(triangle_count: int, ray_count: int) -> dict:
    vertices, triangles = hills(triangle_count)
    cook_mesh(*hills(100))  # compile or load
    cooked, seconds, looks = cook_with_a_bar(vertices, triangles)
    figures = {
        "triangles": len(triangles), "cook_seconds": seconds, "progress_seen": looks,
        "bytes_a_triangle": cooked.block.memory.nbytes / len(triangles),
    }  # fmt: skip
    pool = ShapePool(lambda index, sequence: index + 1, capacity=4)
    mesh = pool.create(schema.MESH)
    pool.set_mesh(mesh, vertices, triangles)
    origins, directions = ray_set(ray_count)
    fractions = np.empty(ray_count)
    cast_all(pool.rows[:4], mesh, origins[:10], directions[:10], 300.0, fractions)
    ours, others = [], []
    other = embree(vertices, triangles)
    for _ in range(5):  # in turn, so that what else runs hits both
        begin = time.thread_time()
        hits = cast_all(pool.rows[:4], mesh, origins, directions, 300.0, fractions)
        ours.append(time.thread_time() - begin)
        if other:
            begin = time.process_time()
            found = other.intersects_first(origins, directions)
            others.append(time.process_time() - begin)
    figures |= {"rays": ray_count, "hits": int(hits), "million_rays_a_second": ray_count / min(ours) / 1e6}
    if other:
        figures["embree_million_rays_a_second"] = ray_count / min(others) / 1e6
        figures["times_embree"] = [round(b / a, 2) for a, b in zip(ours[1:], others[1:], strict=True)]  # it builds in the first
        figures["same_hits"] = float(np.mean((found >= 0) == (fractions <= 1.0)))
    return figures


def embree(vertices, triangles):
    """The mesh in trimesh with embreex, or None where that is not installed."""
    try:
        import trimesh
        from trimesh.ray.ray_pyembree import RayMeshIntersector
    except ImportError:
        return None
    return RayMeshIntersector(trimesh.Trimesh(vertices, triangles, process=False), scale_to_box=False)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]] or [1_000_000, 1_000_000]
    print(json.dumps(run(*numbers)))
