"""Bounds of bodies: tight ones from the shapes, and fat ones that the trees hold so that small motions need no update."""

import math

import numpy as np

from ..geometry.vector import (
    add, conjugate, matrix_rows, multiply, quaternion, rotate_inverse, scale, subtract, vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.instance_tree import TREE_FROM, bounds_of_node, build_instance_tree, refit_leaf, refit_tree
from ..shapes.placed_shapes import LARGE, renew_instance_bounds
from ..shapes.schema import SHAPE, SPHERE
from .records import world_at
from .schema import INSTANCE, INSTANCE_NODE, IS_AREA, STATIC

FAT_MARGIN = 0.05
"""How far a body moves before its pairs are searched again [m]."""
PREDICTED_STEPS = 4.0
"""Fat bounds reach as far ahead as the body moves in this many steps, so that a falling body is not updated every step,"""
MAX_PREDICTION = 1.0
"""... but at most this far [m], since long bounds make needless pairs."""
FLOAT32, INT64 = np.float32, np.int64


@kernel
def nodes_of(world):
    """Nodes of the trees over the shapes of bodies."""
    return view(world.instance_nodes, world.instance_capacity, INSTANCE_NODE)


@kernel
def take_in(body, instance, shape, found):
    """Extend the bounds of a body by those of a shape on it, which is the first one unless `found`. Also updates extent and inner
    radius."""
    bounds, own = body.local_bounds, instance.bounds
    if own[3] < LARGE:
        square = 0.0
        for k in range(3):
            farthest = np.float64(max(abs(own[k]), abs(own[3 + k])))
            square += farthest * farthest
        body.extent = max(np.float64(body.extent), math.sqrt(square))
        if shape.inner_radius > 0.0:
            inner = np.float64(shape.inner_radius)
            body.inner_radius = min(np.float64(body.inner_radius), inner) if body.inner_radius > 0.0 else inner
    for k in range(3):
        bounds[k] = min(bounds[k], own[k]) if found else own[k]
        bounds[3 + k] = max(bounds[3 + k], own[3 + k]) if found else own[3 + k]


@kernel
def add_local_bounds(world_address, body):
    """Add the last of a body's shapes, which is new, to its bounds. Like `renew_local_bounds`, at the cost of one shape; the
    shape is not in the tree over the shapes until that is called."""
    record = world_at(world_address)
    instances = view(record.instances, record.instance_capacity, INSTANCE)
    shapes = view(record.shapes, record.shape_capacity, SHAPE)
    nodes, last = nodes_of(record), body.first_instance + body.instance_count - 1
    if body.instance_count == TREE_FROM:
        nodes[body.first_instance].covered = 0  # none is in a tree yet
    instance = instances[last]
    if instance.is_disabled or instance.shape < 0 or not renew_instance_bounds(instance, shapes[instance.shape]):
        return
    bounds, found = body.local_bounds, False
    for k in range(6):
        found = found or bounds[k] != 0.0
    take_in(body, instance, shapes[instance.shape], found)


@kernel
def renew_bounds_of(world_address, body, number):
    """Update the bounds of a body after a change of one shape, with its tree up to date. Like `renew_local_bounds`, at the cost
    of one shape, except that until that is called the extent may be too large and the inner radius too small. Returns False if it
    must be called now."""
    record = world_at(world_address)
    first, count = body.first_instance, body.instance_count
    instances = view(record.instances, record.instance_capacity, INSTANCE)
    shapes = view(record.shapes, record.shape_capacity, SHAPE)
    nodes, instance = nodes_of(record), instances[first + number]
    if count < TREE_FROM or number >= nodes[first].covered or nodes[first + number].leaf < 0:
        return False
    if instance.shape < 0 or not renew_instance_bounds(instance, shapes[instance.shape]):
        return False
    refit_leaf(nodes, instances, first, number)
    if not instance.is_disabled:
        take_in(body, instance, shapes[instance.shape], True)
    x, y, z, to_x, to_y, to_z = bounds_of_node(nodes[first])
    for k in range(nodes[first].covered, count):
        late = instances[first + k]
        if not late.is_disabled and late.shape >= 0:
            own = late.bounds
            x, y, z = min(x, own[0]), min(y, own[1]), min(z, own[2])
            to_x, to_y, to_z = max(to_x, own[3]), max(to_y, own[4]), max(to_z, own[5])
    bounds = body.local_bounds
    bounds[0], bounds[1], bounds[2], bounds[3], bounds[4], bounds[5] = x, y, z, to_x, to_y, to_z
    return x <= to_x


@kernel
def renew_local_bounds(world_address, body, is_tree_kept):
    """Renew everything that follows from a body's shapes, for a given centre of mass: their bounds and its own, extent and inner
    radius, and the tree over them. Called after a change of a shape of the body. `is_tree_kept`: the tree, if it contains all
    shapes, was made of the present rows; then it is refitted, until every fourth has changed."""
    record = world_at(world_address)
    instances = view(record.instances, record.instance_capacity, INSTANCE)
    shapes = view(record.shapes, record.shape_capacity, SHAPE)
    nodes, has_tree = nodes_of(record), body.instance_count >= TREE_FROM
    found, in_tree = 0, 0
    body.extent = body.inner_radius = FLOAT32(0.0)
    first = max(body.first_instance, 0)
    if is_tree_kept and has_tree:
        is_tree_kept = nodes[first].covered == body.instance_count and 4 * nodes[first].changed < body.instance_count
    for index in range(first, first + body.instance_count):
        instance = instances[index]
        if has_tree and not is_tree_kept:
            nodes[index].leaf = -1
        if instance.shape < 0 or not renew_instance_bounds(instance, shapes[instance.shape]):
            continue
        if has_tree and not is_tree_kept:
            nodes[first + in_tree].order = index - first
            in_tree += 1
        if not instance.is_disabled:
            take_in(body, instance, shapes[instance.shape], found > 0)
            found += 1
    if has_tree:  # without a tree no memory of nodes is touched
        if not is_tree_kept:
            nodes[first].covered = body.instance_count
            build_instance_tree(nodes, instances, INT64(first), INT64(in_tree))
        refit_tree(nodes, instances, INT64(first), INT64(body.instance_count))
    if found == 0:
        for k in range(6):
            body.local_bounds[k] = 0.0


@kernel
def update_bounds(world_address, origin, body):
    """Renew the tight bounds of a body from its pose. `origin` is its system's, world [m]."""
    bounds = body.bounds
    local = body.local_bounds
    x = body.position[0] - origin[0]
    y = body.position[1] - origin[1]
    z = body.position[2] - origin[2]
    center = (x, y, z)
    if local[3] - local[0] > 1.0e20:
        for k in range(3):
            bounds[k] = FLOAT32(-LARGE)
            bounds[3 + k] = FLOAT32(LARGE)
        return
    if body.instance_count == 1:
        record = world_at(world_address)
        instance = view(record.instances, record.instance_capacity, INSTANCE)[body.first_instance]
        if instance.shape >= 0:
            shape = view(record.shapes, record.shape_capacity, SHAPE)[instance.shape]
            p = instance.position
            if shape.kind == SPHERE and p[0] == 0.0 and p[1] == 0.0 and p[2] == 0.0:
                for k in range(3):
                    rounding = 1e-6 * abs(center[k]) + 1e-6
                    bounds[k] = FLOAT32(center[k] - shape.radius - rounding)
                    bounds[3 + k] = FLOAT32(center[k] + shape.radius + rounding)
                return
    rows = matrix_rows(quaternion(body.rotation))
    cx, cy, cz = 0.5 * (local[0] + local[3]), 0.5 * (local[1] + local[4]), 0.5 * (local[2] + local[5])
    hx, hy, hz = 0.5 * (local[3] - local[0]), 0.5 * (local[4] - local[1]), 0.5 * (local[5] - local[2])
    for k in range(3):
        row = rows[k]
        middle = center[k] + row[0] * cx + row[1] * cy + row[2] * cz
        half = abs(row[0]) * hx + abs(row[1]) * hy + abs(row[2]) * hz
        half += 1e-6 * (abs(middle) + half) + 1e-6
        bounds[k] = FLOAT32(middle - half)
        bounds[3 + k] = FLOAT32(middle + half)


@kernel
def bounds_in_frame(middle, half, position, rotation):
    """Bounds, low and high, of a box (middle and half extents) in a frame at `position` turned by `rotation`."""
    r = matrix_rows(conjugate(rotation))
    m = rotate_inverse(rotation, subtract(middle, position))
    h = (
        abs(r[0][0]) * half[0] + abs(r[0][1]) * half[1] + abs(r[0][2]) * half[2],
        abs(r[1][0]) * half[0] + abs(r[1][1]) * half[1] + abs(r[1][2]) * half[2],
        abs(r[2][0]) * half[0] + abs(r[2][1]) * half[1] + abs(r[2][2]) * half[2],
    )
    return subtract(m, h), add(m, h)


@kernel
def local_bounds_from(body, other):
    """Box, low and high, around all shapes of another body in the frame of a body, from its centre of mass."""
    b = other.local_bounds
    low, high = vector3(b[0:3]), vector3(b[3:6])
    turn = multiply(conjugate(quaternion(other.rotation)), quaternion(body.rotation))
    offset = rotate_inverse(quaternion(other.rotation), subtract(vector3(body.position), vector3(other.position)))
    return bounds_in_frame(scale(add(low, high), 0.5), scale(subtract(high, low), 0.5), offset, turn)


@kernel
def is_inside_fat_bounds(body):
    """Whether the tight bounds still lie in the fat ones."""
    tight, fat = body.bounds, body.fat_bounds
    for k in range(3):
        if tight[k] < fat[k] or tight[3 + k] > fat[3 + k]:
            return False
    return True


@kernel
def fatten_bounds(body, delta_time):
    """Set the fat bounds around the tight ones: a margin, and ahead along the velocity. Static bodies have no margin; areas have
    one, since they may move with something."""
    tight, fat = body.bounds, body.fat_bounds
    if body.mode == STATIC and not body.flags & IS_AREA:
        for k in range(6):
            fat[k] = tight[k]
        return
    for k in range(3):
        ahead = PREDICTED_STEPS * delta_time * body.linear_velocity[k]
        ahead = min(max(ahead, -MAX_PREDICTION), MAX_PREDICTION)
        # A body faster than the limit must still be covered for the next step.
        step = delta_time * body.linear_velocity[k]
        if abs(step) > abs(ahead):
            ahead = step
        fat[k] = FLOAT32(tight[k] - FAT_MARGIN + min(ahead, 0.0))
        fat[3 + k] = FLOAT32(tight[3 + k] + FAT_MARGIN + max(ahead, 0.0))


@kernel
def bounds_overlap(a, b):
    """Whether two boxes (min x, y, z, max x, y, z) touch or overlap."""
    return (
        a[0] <= b[3] and b[0] <= a[3] and a[1] <= b[4] and b[1] <= a[4] and a[2] <= b[5] and b[2] <= a[5]
    )  # fmt: skip


@kernel
def depth_of_bounds(a, b):
    """Thickness of the intersection of two boxes (min x, y, z, max x, y, z) [m]; negative: they are apart."""
    depth = min(a[3], b[3]) - max(a[0], b[0])
    for axis in range(1, 3):
        depth = min(depth, min(a[3 + axis], b[3 + axis]) - max(a[axis], b[axis]))
    return depth
