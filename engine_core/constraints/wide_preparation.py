"""Data for the solver of eight contact manifolds at once, computed from what `contact_preparation` wrote to their lanes:
tangents, the centre of friction, effective masses, and how the points of a manifold affect each other.
"""

import numpy as np

from ..collision.schema import SPECULATIVE_DISTANCE
from ..geometry.wide_vector import add8, add_scaled8, cross8, dot8, is_any_above8, subtract8, symmetric_times8
from ..runtime.kernel import kernel
from ..runtime.vector8 import absolute8, max8, min8, splat8, square_root8, where_greater8, where_less8
from .blocks import field, field3, field6, gather, put, put3, velocities_of
from .friction_inverse import inverse_of_block
from .schema import (
    ALLOWED_OVERLAP, ANCHOR_A, ANCHOR_B, BOUNCED, COUPLING, FIELD_SIZE, FORCE_SIZE, FRICTION_IMPULSE, IMPACT, IMPACT_BEGINS,
    INERTIA_A, INERTIA_B, MASS_A, MASS_B, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_FIELDS, POINT_LEVER, POINT_MASS,
    POINT_RELATIVE_VELOCITY, POINT_SEPARATION, POINTS, ROUND_A, ROUND_B, ROW_A, ROW_B, SLIDE_COUPLING, TABLE_SPIN, TANGENT,
    TANGENT_MASS, TANGENT_VELOCITY, TOTAL_FRICTION, TWIST_MASS, TWIST_VELOCITY, VELOCITY_CHANGE,
)  # fmt: skip

FLOAT32 = np.float32
IMPACT_SPEED = 0.2
"""An impact is faster than this [m/s]: without gravity heavy bodies that close in on a light one are slow for many steps,"""
IMPACT_STEPS = 6.0
"""... and than what gravity and forces give in so many steps, 1 m/s on Earth: bodies that rest in strong gravity close faster."""
POINT_SIZE = POINT_FIELDS * FIELD_SIZE

# Values that `contact_preparation` leaves in fields that are filled here.
FRICTION_WORLD = TANGENT_MASS  # last step's impulse of friction, world axes
ROUNDING_A, ROUNDING_B, PATCH = ANCHOR_A, ANCHOR_A + 1, ANCHOR_A + 2  # see MANIFOLD.rounding_a and contact_patch.py
HALF_GAP = ANCHOR_B  # half the mean gap between the surfaces where the points were found [m]

# Fields of the frames of eight pairs, eight floats each: see `collision.contact_points.contact_frames`.
TURN_A, TURNED_AWAY, CENTER_B = 0, 9, 18  # rows of A; rows of B minus those of A, which are small: so single precision suffices
FRAME_FIELDS = 21

NO_POINT = 1.0e6
"""Separation of a point that does not exist [m]: it is never pushed."""


@kernel
def perpendicular8(n):
    """A unit vector perpendicular to each of eight unit vectors: that of `geometry.vector.perpendicular`."""
    zero, one, limit, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(0.57735)), splat8(FLOAT32(1.0e-30))
    x = absolute8(n[0])
    t = (where_less8(x, limit, zero, -n[1]), where_less8(x, limit, n[2], n[0]), where_less8(x, limit, -n[1], zero))
    inverse = one / square_root8(max8(dot8(t, t), tiny))
    return (t[0] * inverse, t[1] * inverse, t[2] * inverse)


@kernel
def turned_by8(frames, field_number, v):
    """v rotated by the nine fields of three rows."""
    first, second, third = field3(frames, field_number), field3(frames, field_number + 3), field3(frames, field_number + 6)
    return (dot8(first, v), dot8(second, v), dot8(third, v))


@kernel
def place_points(block, frames, count):
    """Rotate the anchors of points from A's frame to the current place on each body, from its own centre, world axes. For round
    bodies they are measured from the axis: a point of the surface would rise as it turns. Along the normal the arm is the
    same."""
    normal, rounding_a, rounding_b = field3(block, NORMAL), field(block, ROUNDING_A), field(block, ROUNDING_B)
    center_b = field3(frames, CENTER_B)
    for p in range(count):
        point = block + POINTS * FIELD_SIZE + p * POINT_SIZE
        local = field3(point, POINT_ANCHOR_A)
        anchor_a = turned_by8(frames, TURN_A, local)
        anchor_b = subtract8(add8(anchor_a, turned_by8(frames, TURNED_AWAY, local)), center_b)
        put3(point, POINT_ANCHOR_A, add_scaled8(anchor_a, normal, -rounding_a))
        put3(point, POINT_ANCHOR_B, add_scaled8(anchor_b, normal, rounding_b))


@kernel
def find_center(block, count):
    """Compute the centre of friction of eight manifolds from their points, preferring those that touch. Writes arms; returns the
    centre from either body."""
    zero, one, two = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(2.0))
    least, far, tiny = splat8(FLOAT32(1.0e-6)), splat8(FLOAT32(0.5 * NO_POINT)), splat8(FLOAT32(1.0e-30))
    steep = splat8(FLOAT32(1.0 / SPECULATIVE_DISTANCE))
    normal, patch, allowed = field3(block, NORMAL), field(block, PATCH), field(block, ALLOWED_OVERLAP)
    rounding_a, rounding_b = field(block, ROUNDING_A), field(block, ROUNDING_B)
    center_a, center_b, total = (zero, zero, zero), (zero, zero, zero), zero
    for p in range(count):
        point = block + POINTS * FIELD_SIZE + p * POINT_SIZE
        anchor_a, anchor_b = field3(point, POINT_ANCHOR_A), field3(point, POINT_ANCHOR_B)
        apart = field(point, POINT_SEPARATION)
        separation = apart + (allowed + (dot8(normal, anchor_b) - dot8(normal, anchor_a)))
        weight = min8(max8(two - separation * steep, least), one)
        weight = where_less8(apart, far, weight, zero)
        center_a, center_b = add_scaled8(center_a, anchor_a, weight), add_scaled8(center_b, anchor_b, weight)
        total += weight
    share = one / max8(total, tiny)
    center_a = (center_a[0] * share, center_a[1] * share, center_a[2] * share)
    center_b = (center_b[0] * share, center_b[1] * share, center_b[2] * share)
    for p in range(count):
        point = block + POINTS * FIELD_SIZE + p * POINT_SIZE
        way = subtract8(field3(point, POINT_ANCHOR_A), center_a)
        put(point, POINT_LEVER, max8(square_root8(dot8(way, way)), patch))
    # Points are measured from the axis of a round body, midway between surfaces that were still apart when they were found:
    # friction acts on the surfaces, once they have met.
    half_gap = field(block, HALF_GAP)
    return add_scaled8(center_a, normal, rounding_a - half_gap), add_scaled8(center_b, normal, half_gap - rounding_b)


@kernel
def directions_of(block):
    """Normal and the two tangents of each manifold, world axes."""
    normal, tangent = field3(block, NORMAL), field3(block, TANGENT)
    return normal, tangent, cross8(normal, tangent)


@kernel
def center_seen(block, side, normal):
    """Centre of friction from one body, in the axes in which the normal is `normal`: that of a round body stays below it as it
    turns. `side`: 0 for A, 1 for B."""
    anchor, is_round = (ANCHOR_A, ROUND_A) if side == 0 else (ANCHOR_B, ROUND_B)
    return add_scaled8(field3(block, anchor), subtract8(normal, field3(block, NORMAL)), field(block, is_round))


@kernel
def weigh_friction(block, seen_a, seen_b):
    """Write the effective masses of friction at the manifold's centre: a 2 x 2 block and the twist about the normal. `seen_*`:
    the directions of `directions_of` in the axes of the arms and inertia of A, and of B."""
    zero, one, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(1.0e-30))
    inertia_a, inertia_b = field6(block, INERTIA_A), field6(block, INERTIA_B)
    mass = add8(field3(block, MASS_A), field3(block, MASS_B))
    _, tangent, bitangent = directions_of(block)
    center_a, center_b = center_seen(block, 0, seen_a[0]), center_seen(block, 1, seen_b[0])
    a1, a2 = cross8(center_a, seen_a[1]), cross8(center_a, seen_a[2])
    b1, b2 = cross8(center_b, seen_b[1]), cross8(center_b, seen_b[2])
    turned_a, turned_b = symmetric_times8(inertia_a, a1), symmetric_times8(inertia_b, b1)
    pushed = (mass[0] * tangent[0], mass[1] * tangent[1], mass[2] * tangent[2])
    k11 = dot8(tangent, pushed) + dot8(a1, turned_a) + dot8(b1, turned_b)
    k12 = dot8(bitangent, pushed) + dot8(a2, turned_a) + dot8(b2, turned_b)
    pushed = (mass[0] * bitangent[0], mass[1] * bitangent[1], mass[2] * bitangent[2])
    turned_a, turned_b = symmetric_times8(inertia_a, a2), symmetric_times8(inertia_b, b2)
    k22 = dot8(bitangent, pushed) + dot8(a2, turned_a) + dot8(b2, turned_b)
    twist = dot8(seen_a[0], symmetric_times8(inertia_a, seen_a[0])) + dot8(seen_b[0], symmetric_times8(inertia_b, seen_b[0]))
    put3(block, TANGENT_MASS, inverse_of_block(k11, k22, k12))
    put(block, TWIST_MASS, where_greater8(twist, tiny, one / max8(twist, tiny), zero))


@kernel
def prepare_friction(block, count):
    """Compute tangents, the centre of friction and its effective masses."""
    zero = splat8(FLOAT32(0.0))
    normal, impulse = field3(block, NORMAL), field3(block, FRICTION_WORLD)
    tangent = perpendicular8(normal)
    bitangent = cross8(normal, tangent)
    put(block, ROUND_B, -field(block, ROUNDING_B))
    put(block, ROUND_A, field(block, ROUNDING_A))
    center_a, center_b = find_center(block, count)
    put3(block, TANGENT, tangent)
    put3(block, ANCHOR_A, center_a)
    put3(block, ANCHOR_B, center_b)
    directions = directions_of(block)
    weigh_friction(block, directions, directions)
    put(block, FRICTION_IMPULSE, dot8(impulse, tangent))
    put(block, FRICTION_IMPULSE + 1, dot8(impulse, bitangent))
    put(block, TANGENT_VELOCITY, zero)
    put(block, TANGENT_VELOCITY + 1, zero)
    put(block, TWIST_VELOCITY, zero)
    put(block, TABLE_SPIN, zero)
    put3(block, TOTAL_FRICTION, (zero, zero, zero))


@kernel
def lowest_separation(block, count):
    """The separation of the deepest of the `count` points of each manifold at the start of the step [m]."""
    normal, allowed = field3(block, NORMAL), field(block, ALLOWED_OVERLAP)
    lowest = splat8(FLOAT32(NO_POINT))
    for p in range(count):
        point = block + POINTS * FIELD_SIZE + p * POINT_SIZE
        anchor_a, anchor_b = field3(point, POINT_ANCHOR_A), field3(point, POINT_ANCHOR_B)
        lowest = min8(lowest, field(point, POINT_SEPARATION) + (allowed + dot8(normal, subtract8(anchor_b, anchor_a))))
    return lowest


@kernel
def speed_by(linear, arm_a, arm_b, turned_a, turned_b):
    """Separation speed of the surfaces at one point for an impulse of 1 N s along the normal at another."""
    return linear + (dot8(arm_a, turned_a) + dot8(arm_b, turned_b))


@kernel
def couple_points(block, count):
    """Compute effective masses of the `count` points of a block along the normal, their coupling, and their coupling with sliding
    at the centre of friction. Runs after `prepare_friction`."""
    for k in range(COUPLING, BOUNCED + 2):
        put(block, k, splat8(FLOAT32(0.0)))
    directions = directions_of(block)
    weigh_points(block, count, directions, directions)


@kernel
def weigh_points(block, count, seen_a, seen_b):
    """Write what `couple_points` computes; `seen_*`: see `weigh_friction`."""
    zero, one, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(1.0e-30))
    normal, tangent, bitangent = directions_of(block)
    inertia_a, inertia_b = field6(block, INERTIA_A), field6(block, INERTIA_B)
    mass = add8(field3(block, MASS_A), field3(block, MASS_B))
    linear = dot8(normal, (normal[0] * mass[0], normal[1] * mass[1], normal[2] * mass[2]))
    center_a, center_b = center_seen(block, 0, seen_a[0]), center_seen(block, 1, seen_b[0])
    first_a, first_b = cross8(center_a, seen_a[1]), cross8(center_b, seen_b[1])
    second_a, second_b = cross8(center_a, seen_a[2]), cross8(center_b, seen_b[2])
    along = (normal[0] * mass[0], normal[1] * mass[1], normal[2] * mass[2])
    along_first, along_second = dot8(tangent, along), dot8(bitangent, along)  # 0 except for locked axes
    for p in range(count):
        point = block + POINTS * FIELD_SIZE + p * POINT_SIZE
        arm_a, arm_b = cross8(field3(point, POINT_ANCHOR_A), seen_a[0]), cross8(field3(point, POINT_ANCHOR_B), seen_b[0])
        turned_a, turned_b = symmetric_times8(inertia_a, arm_a), symmetric_times8(inertia_b, arm_b)
        k = speed_by(linear, arm_a, arm_b, turned_a, turned_b)
        put(point, POINT_MASS, where_greater8(k, tiny, one / max8(k, tiny), zero))
        put(block, SLIDE_COUPLING + p, speed_by(along_first, first_a, first_b, turned_a, turned_b))
        put(block, SLIDE_COUPLING + 4 + p, speed_by(along_second, second_a, second_b, turned_a, turned_b))
        for q in range(p):
            other = block + POINTS * FIELD_SIZE + q * POINT_SIZE
            arm_a, arm_b = cross8(field3(other, POINT_ANCHOR_A), seen_a[0]), cross8(field3(other, POINT_ANCHOR_B), seen_b[0])
            which = COUPLING + (p - 1 if q == 0 else q + p)
            put(block, which, speed_by(linear, arm_a, arm_b, turned_a, turned_b))


@kernel
def measure_approach(block, rows, count):
    """Write the separation speed of the surfaces at each point before the step. Return the fastest approach of each manifold
    [m/s], negative."""
    zero = splat8(FLOAT32(0.0))
    normal, fastest, is_point = field3(block, NORMAL), zero, splat8(FLOAT32(0.5 * NO_POINT))
    (v_a, w_a, _), (v_b, w_b, _) = velocities_of(rows, block)
    closing = dot8(normal, subtract8(v_b, v_a))
    spin_a, spin_b = cross8(normal, w_a), cross8(normal, w_b)  # n . (w x r) = (n x w) . r
    for p in range(count):
        point = block + POINTS * FIELD_SIZE + p * POINT_SIZE
        speed = dot8(spin_b, field3(point, POINT_ANCHOR_B)) - dot8(spin_a, field3(point, POINT_ANCHOR_A))
        put(point, POINT_RELATIVE_VELOCITY, closing + speed)
        fastest = where_less8(field(point, POINT_SEPARATION), is_point, min8(fastest, closing + speed), fastest)
    return fastest


@kernel
def note_impacts(block, fastest, forces, substep_count):
    """Write which manifolds are an impact, beside those that go on from the last step. `fastest`: the result of
    `measure_approach`; `forces`: address of the rows of forces."""
    least = splat8(FLOAT32(IMPACT_SPEED))
    if not is_any_above8(-fastest, least):
        return
    in_substep = splat8(FLOAT32(IMPACT_STEPS * substep_count))
    for side in (ROW_A, ROW_B):
        changes = gather(forces, block + side * FIELD_SIZE, FORCE_SIZE, 4 * VELOCITY_CHANGE)
        change = changes[0] * changes[0] + changes[1] * changes[1] + changes[2] * changes[2]
        least = max8(least, in_substep * square_root8(change))
    put(block, IMPACT, where_greater8(-fastest, least, splat8(FLOAT32(IMPACT_BEGINS)), field(block, IMPACT)))
