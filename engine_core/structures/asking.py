"""Batches of queries by address: rays, and boxes. Any thread."""

import numpy as np

from ..geometry.vector import matrix_rows, normalize_quaternion, quaternion, vector3
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view
from .nodes import bricks_of, clusters_of
from .queries import CURSOR, begin_query, end_query, next_in_box, set_box, set_coarse, set_oriented_box
from .rays import nearest_on_ray, set_ray
from .schema import STRUCTURE

RAY = np.dtype(
    [
        ("origin", "f8", 3), ("direction", "f8", 3), ("half_extents", "f8", 3),  # [unit]
        ("max_fraction", "f8"), ("mask", "i8"),
        ("fraction", "f8"), ("number", "i8"),  # the nearest brick; 0: none
    ]
)  # fmt: skip
BOX_QUERY = np.dtype(
    [
        ("center", "f8", 3), ("rotation", "f8", 4), ("half_extents", "f8", 3),  # [unit]
        ("is_oriented", "i8"), ("coarse", "f8"), ("mask", "i8"),
        ("found", "i8"), ("capacity", "i8"), ("count", "i8"),  # FOUND rows
    ]
)  # fmt: skip
FOUND = np.dtype([("number", "i4"), ("low", "f4", 3), ("high", "f4", 3)])
"""A brick, or with number 0 a node that counts as one box, and its bounds [unit]."""


@kernel
def cast_on(structure, ray, counts):
    """Cast one RAY."""
    s, cursor = view(structure, 1, STRUCTURE)[0], stack_array(1, CURSOR)[0]
    begin_query(cursor, structure, ray.mask)
    set_ray(cursor, vector3(ray.origin), vector3(ray.direction), vector3(ray.half_extents))
    ray.number, ray.fraction = nearest_on_ray(cursor, s, ray.max_fraction, counts)
    end_query(cursor, structure)


@entry_point("void(int64, int64, int64)")
def cast_rays(structure, rays_address, count):
    """Cast `count` RAY rows at an address."""
    rays = view(rays_address, count, RAY)
    for i in range(count):
        cast_on(structure, rays[i], None)


@kernel
def set_query(cursor, query):
    """Ask for what a BOX_QUERY describes."""
    center, half = vector3(query.center), vector3(query.half_extents)
    if query.is_oriented:
        r = matrix_rows(normalize_quaternion(quaternion(query.rotation)))
        axes = ((r[0][0], r[1][0], r[2][0]), (r[0][1], r[1][1], r[2][1]), (r[0][2], r[1][2], r[2][2]))
        set_oriented_box(cursor, center, axes, half)
    else:
        low = (center[0] - half[0], center[1] - half[1], center[2] - half[2])
        set_box(cursor, low, (center[0] + half[0], center[1] + half[1], center[2] + half[2]))
    set_coarse(cursor, query.coarse)


@kernel
def write_found(s, item, row):
    """Write a brick, given by its row, or a node, given as -node, with its bounds."""
    if item > 0:
        brick = bricks_of(s)[item]
        row.number = brick.number
        for axis in range(3):
            row.low[axis], row.high[axis] = brick.low[axis], brick.high[axis]
        return
    cluster, lane = clusters_of(s)[-item >> 3], -item & 7
    row.number = 0
    for axis in range(3):
        row.low[axis], row.high[axis] = cluster.low[axis, lane], cluster.high[axis, lane]


@kernel
def find_on(structure, query, counts):
    """Carry out one BOX_QUERY: the number of all that was found, of which `capacity` are written."""
    s, cursor = view(structure, 1, STRUCTURE)[0], stack_array(1, CURSOR)[0]
    found = view(query.found, query.capacity, FOUND)
    begin_query(cursor, structure, query.mask)
    set_query(cursor, query)
    count = np.int64(0)
    item = next_in_box(cursor, s, counts)
    while item != 0:
        if count < query.capacity:
            write_found(s, item, found[count])
        count += 1
        item = next_in_box(cursor, s, counts)
    end_query(cursor, structure)
    query.count = count


@entry_point("void(int64, int64, int64)")
def find_in_boxes(structure, queries_address, count):
    """Carry out `count` BOX_QUERY rows at an address."""
    queries = view(queries_address, count, BOX_QUERY)
    for i in range(count):
        find_on(structure, queries[i], None)
