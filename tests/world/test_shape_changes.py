"""Settings of a shape that change while it is used: every query sees the old shape or the new one, never a mixture."""

import threading
import time

import numpy as np
import pytest
from small_world import SmallWorld

from scree.core.queries import Queries
from scree.shapes.schema import BOX, CAPSULE, HULL, MESH

SLIM, STOUT = (0.1, 20.0), (2.0, 4.5)
"""Radius and height of a capsule: tops at 10 and 2.25, of any mixture elsewhere."""


def tops(queries, system, seconds: float) -> set[float]:
    """Where a ray from above met the shape, again and again."""
    origins, ends = np.tile((0.0, 30.0, 0.0), (64, 1)), np.tile((0.0, -1.0, 0.0), (64, 1))
    found, end = set(), time.perf_counter() + seconds
    while True:
        hits = queries.cast_rays(system, origins, ends)
        found |= set(np.round(30.0 - 31.0 * hits["fraction"], 3).tolist())
        if time.perf_counter() >= end:
            return found


@pytest.mark.parametrize("stretch", [1.0, 2.0])
def test_a_query_sees_old_or_new_settings(stretch):
    small = SmallWorld()
    world = small.world
    capsule = world.shape.create(CAPSULE)
    index = world.shape.index("", capsule)
    world.shapes.set_capsule(index, *SLIM)
    body = small.add(capsule, (0.0, 0.0, 0.0), mode=0)
    scale = (stretch, 0, 0, 0, stretch, 0, 0, 0, stretch, 0, 0, 0)
    world.body.set_shape_transform(body, 0, scale)
    queries, stop, changes = Queries(world), threading.Event(), [0]
    tops(queries, small.system, 0.0)
    world.body.shape_changed(index)  # compiled or loaded before the clock runs

    def change():
        while not stop.is_set():
            for numbers in (STOUT, SLIM):
                world.shapes.set_capsule(index, *numbers)
                world.body.shape_changed(index)
            changes[0] += 1

    changer = threading.Thread(target=change)
    changer.start()
    try:
        found = tops(queries, small.system, 2.0)
    finally:
        stop.set()
        changer.join()
    print(f"\n{changes[0]} changes")
    assert changes[0] > 10 and found == {10.0 * stretch, 2.25 * stretch}
    assert world.shapes.row_count < 1000


def test_queries_by_the_shape_follow_its_settings():
    small = SmallWorld()
    world = small.world
    target = small.add(small.box(0.5, 0.5, 0.5), (5.0, 0.0, 0.0), mode=0)
    box = world.shape.create(BOX)
    index = world.shape.index("", box)
    queries = Queries(world)
    for half, is_hit in ((1.0, False), (5.0, True), (2.0, False), (4.6, True)):
        world.shapes.set_box(index, (half, 1.0, 1.0))
        for transform in ((0.0, 0.0, 0.0), (1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0)):
            hits = queries.intersect_shape(small.system, box, transform)
            assert (target in hits["body_id"]) == is_hit


def test_bodies_follow_and_old_rows_are_used_again():
    small = SmallWorld()
    world = small.world
    hull = world.shape.create(HULL)
    index = world.shape.index("", hull)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    world.shapes.set_hull(index, corners)
    small.add(hull, (0.0, 0.0, 0.0), mode=0)
    queries = Queries(world)
    for k in range(300):
        world.shapes.set_hull(index, corners * (1.0 + k % 7))
        world.body.shape_changed(index)
        hit = queries.cast_ray(small.system, (0.0, 30.0, 0.0), (0.0, 0.0, 0.0))
        assert hit["position"][1] == pytest.approx(1.0 + k % 7)
    assert world.shapes.row_count < 100


def test_ray_hits_tell_the_material_of_a_triangle():
    small = SmallWorld()
    world = small.world
    mesh = world.shape.create(MESH)
    corners = [(-1.0, 0.0, -1.0), (-1.0, 0.0, 1.0), (1.0, 0.0, -1.0), (1.0, 0.0, 1.0)]
    triangles, table = [(0, 1, 2), (2, 1, 3)], [(0.1, 0.0), (1.0, 0.5)]
    world.shapes.set_mesh(world.shape.index("", mesh), corners, triangles, False, [1, 0], table)
    small.add(mesh, mode=0)
    small.add(small.box(0.5, 0.5, 0.5), (5.0, 0.0, 0.0), mode=0)
    starts = np.array([(-0.5, 2.0, -0.5), (0.5, 2.0, 0.5), (5.0, 2.0, 0.0), (9.0, 2.0, 0.0)])
    hits = Queries(world).cast_rays(small.system, starts, starts - (0.0, 4.0, 0.0))
    assert hits["material"].tolist() == [1, 0, -1, -1] and hits["face"].tolist() == [0, 1, -1, -1]
