"""The time of first contact of two shapes that move and turn: conservative advancement.

Both move from one pose to another: positions along a line, rotations by interpolation. Two convex bodies cannot touch earlier
than the line between their nearest points allows, if each point moves with its body plus, at most, the speed that the turning
gives the farthest one (B. Mirtich, "Impulse-based Dynamic Simulation", 1996, 2.3).

All in the frame of the second shape, B. The first one, A, is convex and is tried twice. A shrunk copy decides whether A is
stopped at all, so that sliding along a surface is not a stop. The full size then gives the place; if A touched B from the start,
the shrunk copy does, since a body stopped at the start of every step would hang there forever. If the shrunk copy touches B from
the start too, one of half the size takes its place.
"""

import numpy as np

from ..geometry.gjk import BOX_CORE, CORE, CYLINDER_CORE, FUNCTION_CORE, POINTS_CORE, TWO_DISCS_CORE, TWO_SPHERES_CORE
from ..geometry.vector import (
    add, add_scaled, conjugate, cross, dot, interpolate_rotation, length, matrix_rows, multiply, quaternion, rotate,
    rotate_inverse, scale, store3, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..shapes.core import core_center, set_core_pose
from ..shapes.mesh_cast import MESH_CAST, begin_mesh_cast, next_on_cast
from ..shapes.mesh_query import mesh_corners, mesh_of
from ..shapes.schema import CAPSULE, MESH, MESH_CHILDREN, PLANE, SPHERE
from ..shapes.traits import can_be_met, is_convex
from .gaps import (
    GAP, IDENTITY, NO_FRACTION, OVERLAPPING, ZERO, is_met_from_front, measure_gap, plane_gap, prepare_core, prepare_triangle,
)  # fmt: skip

TOUCHING = 1e-4
"""A gap this small counts as closed [m]."""
RESTING = 1e-3
"""A copy this close to a surface slides or turns on it: it does not show where the body must stop [m]."""
SHRINK = 0.25
"""The shrunk copy is smaller by this part of the inner radius on all sides."""
LEAST_SHRINK = 5e-4
"""... and by at least this much [m]."""
MOST_SHRINK = 0.9
"""Shrinking of the copy for a shape that already overlaps deeply."""
HALF_SHRINK = 0.5
"""Shrinking of the copy for a shape that touches even when shrunk."""
FULL, SMALLER, HALF, SMALLEST, OTHER = range(5)
"""Copies: four of A, and B unchanged."""
MAX_ADVANCES = 64

# The motion of a shape on a body in a step: the body's pose at both ends, the shape's pose on it, bounds of its turning.
SWEEP = np.dtype(
    [
        ("position", "f8", 3),  # of the body's centre of mass at the start, relative to that of A [m]
        ("motion", "f8", 3),
        ("rotation", "f8", 4),
        ("end_rotation", "f8", 4),
        ("local_position", "f8", 3),
        ("local_rotation", "f8", 4),
        ("angle", "f8"),  # of the rotation, times the speed-up of the interpolation in the middle; an upper bound [rad]
        ("reach", "f8"),  # of the farthest point of the core from the centre of mass [m]
        ("missing", "f8"),  # the final part of the motion in which the body stands still, having been stopped
    ],
    align=True,
)

COPY = np.dtype([("core", CORE), ("radius", "f8"), ("factor", "f8")], align=True)
"""A core, its rounding radius, and the scale factor of a hull's points."""


@kernel
def largest_angle(rotation, end_rotation):
    """An upper bound for how fast the rotation between two quaternions turns when it is interpolated [rad a motion]."""
    turn = multiply(end_rotation, conjugate(rotation))
    sine = min(length((turn[0], turn[1], turn[2])), 1.0)
    # asin(s) <= s (1 + 0.57 s^2); in the middle the normalised interpolation is up to 4 / pi faster than its mean.
    return 2.0 * sine * (1.0 + 0.57 * sine * sine) * (1.0 + 0.28 * sine * sine)


@kernel
def place(sweep, fraction):
    """Position and rotation of the shape after a fraction of the motion."""
    fraction = min(fraction, 1.0 - sweep.missing)
    turned = interpolate_rotation(quaternion(sweep.rotation), quaternion(sweep.end_rotation), fraction)
    middle = add_scaled(vector3(sweep.position), vector3(sweep.motion), fraction)
    position = add(middle, rotate(turned, vector3(sweep.local_position)))
    return position, multiply(turned, quaternion(sweep.local_rotation))


@kernel
def reach_of(shape, local_position):
    """Distance of the farthest point of the shape's core from the centre of mass; the rounding is not affected by turning."""
    base = length(local_position)
    if shape.kind == SPHERE:
        return base
    if shape.kind == CAPSULE:
        return base + np.float64(shape.half_height)
    b = shape.bounds
    far = (
        np.float64(max(abs(b[0]), abs(b[3]))), np.float64(max(abs(b[1]), abs(b[4]))), np.float64(max(abs(b[2]), abs(b[5]))),
    )  # fmt: skip
    return base + length(far)


@kernel
def make_smaller(shape, copy, which):
    """Shrink a full copy: by as much on all sides for the copy that shows a stop, else in proportion. A thin disc whose rim is
    deep in the ground is held by its contacts, and only its middle must not pass: a copy as wide as the disc would stop it
    in every step, in the air."""
    keep_as_call()
    core, part = copy.core, SHRINK if which == SMALLER else (HALF_SHRINK if which == HALF else MOST_SHRINK)
    inner = max(np.float64(shape.inner_radius), 0.0)
    by = max(part * inner, LEAST_SHRINK)
    if copy.radius > 0.0:
        copy.radius -= min(by, MOST_SHRINK * copy.radius)
    elif core.kind == POINTS_CORE or core.kind == FUNCTION_CORE:
        copy.factor = 1.0 - min(by / max(inner, 1e-6), MOST_SHRINK)
    else:
        for k in range(2 if core.kind == CYLINDER_CORE else 3):
            core.extents[k] -= part * core.extents[k] if which != SMALLER else min(by, MOST_SHRINK * core.extents[k])


@kernel
def place_core(shape, core, position, rotation, factor):
    """Put a core at a pose; a hull is scaled by `factor` about its inner point."""
    r = matrix_rows(rotation)
    rows = (
        (factor * r[0][0], factor * r[0][1], factor * r[0][2]), (factor * r[1][0], factor * r[1][1], factor * r[1][2]),
        (factor * r[2][0], factor * r[2][1], factor * r[2][2]),
    )  # fmt: skip
    set_core_pose(shape, core, add_scaled(position, rotate(rotation, core_center(shape)), 1.0 - factor), rows)


@kernel
def turning_of(sweep, core):
    """The axis of the turn of a body, (0, 0, 0) if there is none, and how much of that turn the surface of its shape follows, 0
    to 1: a turn about the axis of a round core leaves its surface where it is."""
    turn = multiply(quaternion(sweep.end_rotation), conjugate(quaternion(sweep.rotation)))
    axis = (turn[0], turn[1], turn[2])
    size = length(axis)
    if size < 1e-12:
        return ZERO, 1.0
    axis = scale(axis, 1.0 / size)
    is_round = core.kind == CYLINDER_CORE or core.kind == TWO_SPHERES_CORE or core.kind == TWO_DISCS_CORE
    if not is_round and not (core.kind == BOX_CORE and core.extents[0] == 0.0 and core.extents[2] == 0.0):
        return axis, 1.0
    own = rotate(multiply(quaternion(sweep.rotation), quaternion(sweep.local_rotation)), (0.0, 1.0, 0.0))
    return axis, min(length(cross(own, axis)), 1.0)


@kernel
def closing_by_turn(sweep, axis, part, normal):
    """Upper bound of how far a turn moves the surface of a shape along `normal` [m a motion]: points on the axis of the turn, and
    along it, do not move. `axis` and `part`: from `turning_of`."""
    across, base = length(cross(normal, axis)), length(vector3(sweep.local_position))
    return sweep.angle * (base * across + (sweep.reach - base) * min(across, part))


@kernel
def measure_gap_at(sweeps, a, b, cores, radius, factor, fraction, gap):
    """Measure the gap after a fraction of the motion, in the frame of B. Return the rotation of B."""
    position_a, rotation_a = place(sweeps[0], fraction)
    position_b, rotation_b = place(sweeps[1], fraction)
    position = rotate_inverse(rotation_b, subtract(position_a, position_b))
    rotation = multiply(conjugate(rotation_b), rotation_a)
    place_core(a, cores[0], position, rotation, factor)
    if b.kind == PLANE:
        plane_gap(cores[0], radius, b, gap)
    else:
        center = add(position, rotate(rotation, core_center(a)))
        measure_gap(cores[0], cores[1], radius, subtract(center, vector3(gap.point)), gap)
    return rotation_b


@kernel
def advance_turning(sweeps, a, b, cores, radius, factor, nearest, longest, gap):
    """Move A and B until they touch. `cores`: A's, shrunk as requested, and B's in B's frame; `radius`: of both. Return the
    fraction, NO_FRACTION if it exceeds `longest`, or OVERLAPPING if they are within `nearest` at the start. A body that turns
    close above a surface may need too many advances: it is free if it ends on the side on which it began."""
    keep_as_call()
    motion = vector3(sweeps[0].motion)
    relative = subtract(motion, vector3(sweeps[1].motion))
    axis_a, part_a = turning_of(sweeps[0], cores[0])
    axis_b, part_b = turning_of(sweeps[1], cores[1])
    part_b = 1.0 if b.kind == PLANE else part_b  # a plane has no core
    fraction, closed, first = 0.0, TOUCHING, ZERO
    for turn in range(MAX_ADVANCES):
        rotation_b = measure_gap_at(sweeps, a, b, cores, radius, factor, fraction, gap)
        if turn == 0:
            first = vector3(gap.normal)
            if gap.distance <= nearest:
                return OVERLAPPING
            closed = min(TOUCHING, 0.5 * gap.distance)  # a body stopped once is stopped again at the same distance
        elif gap.distance <= closed:
            return fraction
        normal = rotate(rotation_b, vector3(gap.normal))
        closing = dot(relative, normal)
        if sweeps[1].missing > 0.0:  # B stops before A does
            closing = max(closing, dot(motion, normal))
        closing += closing_by_turn(sweeps[0], axis_a, part_a, normal) + closing_by_turn(sweeps[1], axis_b, part_b, normal)
        if closing <= 1e-9:
            return NO_FRACTION
        fraction += (gap.distance - 0.5 * closed) / closing
        if fraction > longest:
            return NO_FRACTION
    measure_gap_at(sweeps, a, b, cores, radius, factor, longest, gap)
    return NO_FRACTION if gap.distance > closed and dot(vector3(gap.normal), first) > 0.0 else fraction


@kernel
def try_copy(sweeps, a, b, copies, which, inside, longest):
    """Run `advance_turning` for one of A's copies."""
    keep_as_call()
    gap, tried = stack_array(1, GAP)[0], stack_array(2, CORE)
    store3(gap.point, inside)
    tried[0], tried[1] = copies[which].core, copies[OTHER].core
    radius = copies[which].radius + copies[OTHER].radius
    nearest = min(RESTING, 0.5 * SHRINK * np.float64(a.inner_radius)) if which <= SMALLER else 0.0
    return advance_turning(sweeps, a, b, tried, radius, copies[which].factor, nearest, longest, gap)


@kernel
def sweep_convex(sweeps, a, b, copies, inside, longest):
    """Fraction at which B stops A, NO_FRACTION if not before `longest`. `inside`: a point of B."""
    keep_as_call()
    fraction = try_copy(sweeps, a, b, copies, SMALLER, inside, longest)
    if fraction == OVERLAPPING:
        fraction = try_copy(sweeps, a, b, copies, HALF, inside, longest)
        if fraction == OVERLAPPING:  # deep overlap: at least the middle must not pass
            fraction = try_copy(sweeps, a, b, copies, SMALLEST, inside, longest)
        return fraction if fraction >= 0.0 and fraction <= longest else NO_FRACTION
    if fraction > longest:
        return NO_FRACTION
    exact = try_copy(sweeps, a, b, copies, FULL, inside, fraction)
    return exact if exact >= 0.0 and exact <= fraction else fraction


@kernel
def sweep_mesh(sweeps, a, b, copies, longest):
    """Run `sweep_convex` for the triangles of a mesh B near A's path, from their front unless B is two-sided."""
    keep_as_call()
    mesh = mesh_of(b)
    walk, scratch = stack_array(1, MESH_CAST)[0], stack_array(1, MESH_CHILDREN)
    corners = stack_array(9, np.float64)
    position_a, _ = place(sweeps[0], 0.0)
    position_b, rotation_b = place(sweeps[1], 0.0)
    start = rotate_inverse(rotation_b, subtract(vector3(sweeps[0].position), position_b))
    motion = rotate_inverse(rotation_b, subtract(vector3(sweeps[0].motion), vector3(sweeps[1].motion)))
    center = rotate_inverse(rotation_b, subtract(position_a, position_b))
    # Seen from B, A's centre of mass moves straight, except for B's turning; the box about it contains A at any rotation.
    half = sweeps[0].reach + copies[FULL].radius + sweeps[1].angle * (length(start) + length(motion)) + TOUCHING
    half += sweeps[1].missing * length(vector3(sweeps[1].motion))
    begin_mesh_cast(walk, start, (half, half, half), motion)
    found = NO_FRACTION
    triangle = next_on_cast(mesh, walk, scratch, longest)
    while triangle >= 0:
        p, q, r = mesh_corners(mesh, triangle)
        front = cross(subtract(q, p), subtract(r, p))
        if b.has_backface_collision != 0 or is_met_from_front(center, motion, p, front):
            prepare_triangle(copies[OTHER].core, corners, p, q, r)
            fraction = sweep_convex(sweeps, a, b, copies, p, longest)
            if fraction <= longest:
                longest = found = fraction
        triangle = next_on_cast(mesh, walk, scratch, longest)
    return found


@kernel
def sweep_shapes(sweeps, a, b, longest):
    """Fraction of the motion after which shape A must stop so as not to pass through shape B, or NO_FRACTION. `sweeps`: rows of
    SWEEP of both."""
    keep_as_call()
    if not is_convex(a) or not can_be_met(b):
        return NO_FRACTION
    copies = stack_array(5, COPY)
    copies[FULL].radius, copies[FULL].factor = prepare_core(a, ZERO, IDENTITY, copies[FULL].core), 1.0
    for which in range(SMALLER, OTHER):
        copies[which] = copies[FULL]
        make_smaller(a, copies[which], which)
    copies[OTHER].radius = 0.0
    if b.kind == MESH:
        return sweep_mesh(sweeps, a, b, copies, longest)
    inside = ZERO
    if b.kind != PLANE:
        copies[OTHER].radius = prepare_core(b, ZERO, IDENTITY, copies[OTHER].core)
        inside = core_center(b)
    return sweep_convex(sweeps, a, b, copies, inside, longest)
