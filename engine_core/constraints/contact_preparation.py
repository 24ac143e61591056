"""The job that turns contact manifolds into blocks of eight for the solver, and the one that brings impulses back."""

import numpy as np

from ..bodies.motion import lock_linear
from ..bodies.schema import BODY, SYSTEM, WORLD
from ..collision.pairs import manifolds_of, pairs_of
from ..collision.schema import SPECULATIVE_DISTANCE
from ..geometry.vector import (
    add, add_scaled, cross, dot, length, perpendicular, scale, store3, subtract, symmetric_times, vector3,
)  # fmt: skip
from ..geometry.wide_vector import add8, cross8, dot8, symmetric_times8
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from ..runtime.vector8 import max8, splat8, where_greater8
from .blocks import field3, field6, put
from .schema import (
    ANCHOR_A, ANCHOR_B, BIAS_RATE, BLOCK_FIELDS, BLOCK_SIZE, COLOUR_COUNT, COLOURS, COUPLING, FIELD_SIZE, FRICTION,
    FRICTION_IMPULSE, INERTIA_A, INERTIA_B, MANIFOLD_INDEX, MASS_A, MASS_B, NORMAL, OVERFLOW, POINT_ANCHOR_A, POINT_ANCHOR_B,
    POINT_COUNT, POINT_FIELDS, POINT_IMPULSE, POINT_LEVER, POINT_MASS, POINT_TOTAL_IMPULSE, POINT_RELATIVE_VELOCITY,
    POINT_SEPARATION, POINTS, RESTITUTION, ROW_A, ROW_B, SOFTNESS, TANGENT, TANGENT_MASS, TANGENT_VELOCITY, TWIST_IMPULSE,
    TWIST_MASS,
)  # fmt: skip

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64


CONTACT_PATCH = 0.05
"""A contact point is a small patch, this part of the inner radius of the smaller body: it brakes spinning in place."""
STIFFEST = 0.1875
"""Contacts vibrate at most with this part of the rate of sub-steps: stiffer ones the solver cannot settle."""


@kernel
def size_of(body):
    """Inner radius of a body; infinite for planes and meshes, which have none [m]."""
    return float(body.inner_radius) if body.inner_radius > 0.0 else 1.0e3


@kernel
def put3(block, field, lane, v):
    block[field * 8 + lane] = FLOAT32(v[0])
    block[(field + 1) * 8 + lane] = FLOAT32(v[1])
    block[(field + 2) * 8 + lane] = FLOAT32(v[2])


@kernel
def get3(block, field, lane):
    return (float(block[field * 8 + lane]), float(block[(field + 1) * 8 + lane]), float(block[(field + 2) * 8 + lane]))


@kernel
def scaled_mass(body, factor):
    """Inverse mass of a body along x, y and z: none along its locked axes."""
    mass = float(body.inverse_mass) * factor
    return lock_linear(body, (mass, mass, mass))


@kernel
def scaled(m, v):
    """The diagonal matrix m times v."""
    return (m[0] * v[0], m[1] * v[1], m[2] * v[2])


@kernel
def along(m, v):
    """v . m v of a diagonal matrix m."""
    return m[0] * v[0] * v[0] + m[1] * v[1] * v[1] + m[2] * v[2] * v[2]


@kernel
def scaled_inertia(body, factor):
    m = body.inverse_inertia_world
    return (m[0] * factor, m[1] * factor, m[2] * factor, m[3] * factor, m[4] * factor, m[5] * factor)


@kernel
def soft_parameters(hertz, damping_ratio, h):
    """(bias rate, mass scale, impulse scale) of a soft constraint (Catto, Soft Step; Box2D v3). The two scales add up to 1."""
    omega = 2.0 * np.pi * hertz
    a1 = 2.0 * damping_ratio + h * omega
    a2 = h * omega * a1
    a3 = 1.0 / (1.0 + a2)
    return omega / a1, a2 * a3, a3


@kernel
def surface_velocity(body, arm):
    """How fast the body's surface runs at `arm` on top of its own motion [m/s]."""
    if body.inverse_mass > 0.0:
        return (0.0, 0.0, 0.0)
    return add(vector3(body.surface_linear_velocity), cross(vector3(body.surface_angular_velocity), arm))


@kernel
def clear_lane(block, whole, lane):
    """A lane without a manifold: no mass, row 0."""
    for field in range(BLOCK_FIELDS):
        block[field * 8 + lane] = FLOAT32(0.0)
    whole[MANIFOLD_INDEX * 8 + lane] = -1


@kernel
def prepare_lane(system, bodies, pairs, manifolds, index, block, whole, lane, h):
    """Write one manifold into one lane of a block."""
    manifold = manifolds[index]
    pair = pairs[manifold.pair]
    a, b = bodies[manifold.body_a], bodies[manifold.body_b]
    whole[ROW_A * 8 + lane] = a.active_index + 1
    whole[ROW_B * 8 + lane] = b.active_index + 1
    whole[MANIFOLD_INDEX * 8 + lane] = index
    scale_a, scale_b = float(pair.inverse_mass_scale_a), float(pair.inverse_mass_scale_b)
    mass_a, mass_b = scaled_mass(a, scale_a), scaled_mass(b, scale_b)
    mass = add(mass_a, mass_b)
    inertia_a, inertia_b = scaled_inertia(a, scale_a), scaled_inertia(b, scale_b)
    put3(block, MASS_A, lane, mass_a)
    put3(block, MASS_B, lane, mass_b)
    for k in range(6):
        block[(INERTIA_A + k) * 8 + lane] = FLOAT32(inertia_a[k])
        block[(INERTIA_B + k) * 8 + lane] = FLOAT32(inertia_b[k])
    normal = vector3(manifold.normal)
    tangent = perpendicular(normal)
    bitangent = cross(normal, tangent)
    put3(block, NORMAL, lane, normal)
    put3(block, TANGENT, lane, tangent)
    block[FRICTION * 8 + lane] = pair.friction
    block[RESTITUTION * 8 + lane] = pair.restitution
    hertz = system.contact_hertz
    if a.contact_bias != 0.0 or b.contact_bias != 0.0:
        hertz *= max(a.contact_bias, b.contact_bias)
    hertz = min(hertz, STIFFEST / h)
    if a.inverse_mass == 0.0 or b.inverse_mass == 0.0:
        hertz *= 2.0
    bias_rate, softness, _ = soft_parameters(hertz, system.contact_damping_ratio, h)
    block[BIAS_RATE * 8 + lane] = FLOAT32(bias_rate)
    block[SOFTNESS * 8 + lane] = FLOAT32(softness)
    warm = 1.0 if system.is_warm_starting else 0.0
    v_a, w_a, v_b, w_b = (
        vector3(a.linear_velocity), vector3(a.angular_velocity), vector3(b.linear_velocity), vector3(b.angular_velocity),
    )  # fmt: skip
    rounding_a, rounding_b = float(manifold.rounding_a), float(manifold.rounding_b)
    is_round = rounding_a > 0.0 or rounding_b > 0.0
    center_a, center_b, total_weight = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    for p in range(4):
        at = (POINTS + p * POINT_FIELDS) * 8 + lane
        if p >= manifold.point_count:
            for field in range(POINT_FIELDS):
                block[at + field * 8] = FLOAT32(0.0)
            # Far apart, so that a point that is not there is never pushed.
            block[at + POINT_SEPARATION * 8] = FLOAT32(1.0e6)
            continue
        anchor_a, anchor_b = vector3(manifold.anchor_a[p]), vector3(manifold.anchor_b[p])
        separation = float(manifold.separation[p])
        relative = subtract(add(v_b, cross(w_b, anchor_b)), add(v_a, cross(w_a, anchor_a)))
        # What rolls is measured from its axis: a point of its surface would rise as it turns. Along the normal both have the
        # same lever.
        axis_a, axis_b = anchor_a, anchor_b
        if is_round:
            axis_a, axis_b = add_scaled(anchor_a, normal, -rounding_a), add_scaled(anchor_b, normal, rounding_b)
        put3(block, POINTS + p * POINT_FIELDS + POINT_ANCHOR_A, lane, axis_a)
        put3(block, POINTS + p * POINT_FIELDS + POINT_ANCHOR_B, lane, axis_b)
        block[at + POINT_SEPARATION * 8] = FLOAT32(separation - dot(normal, subtract(axis_b, axis_a)))
        block[at + POINT_IMPULSE * 8] = FLOAT32(manifold.normal_impulse[p] * warm)
        block[at + POINT_TOTAL_IMPULSE * 8] = FLOAT32(0.0)
        block[at + POINT_RELATIVE_VELOCITY * 8] = FLOAT32(dot(normal, relative))
        weight = min(max(2.0 - separation / SPECULATIVE_DISTANCE, 1.0e-6), 1.0)
        center_a, center_b = add_scaled(center_a, anchor_a, weight), add_scaled(center_b, anchor_b, weight)
        total_weight += weight
    if total_weight > 0.0:
        center_a, center_b = scale(center_a, 1.0 / total_weight), scale(center_b, 1.0 / total_weight)
    put3(block, ANCHOR_A, lane, center_a)
    put3(block, ANCHOR_B, lane, center_b)
    patch = CONTACT_PATCH * min(size_of(a), size_of(b))
    for p in range(manifold.point_count):
        lever = max(length(subtract(vector3(manifold.anchor_a[p]), center_a)), patch)
        block[(POINTS + p * POINT_FIELDS + POINT_LEVER) * 8 + lane] = FLOAT32(lever)
    prepare_friction(block, lane, normal, tangent, bitangent, mass, inertia_a, inertia_b, center_a, center_b)
    impulse = vector3(manifold.friction_impulse)
    block[FRICTION_IMPULSE * 8 + lane] = FLOAT32(dot(impulse, tangent) * warm)
    block[(FRICTION_IMPULSE + 1) * 8 + lane] = FLOAT32(dot(impulse, bitangent) * warm)
    block[TWIST_IMPULSE * 8 + lane] = FLOAT32(manifold.twist_impulse * warm)
    surface = subtract(surface_velocity(b, center_b), surface_velocity(a, center_a))
    block[TANGENT_VELOCITY * 8 + lane] = FLOAT32(dot(surface, tangent))
    block[(TANGENT_VELOCITY + 1) * 8 + lane] = FLOAT32(dot(surface, bitangent))
    return manifold.point_count


@kernel
def prepare_friction(block, lane, normal, tangent, bitangent, mass, inertia_a, inertia_b, center_a, center_b):
    """The effective masses of friction at the manifold's centre: a 2 x 2 block and the twist about the normal."""
    a1, a2 = cross(center_a, tangent), cross(center_a, bitangent)
    b1, b2 = cross(center_b, tangent), cross(center_b, bitangent)
    ia1, ib1 = symmetric_times(inertia_a, a1), symmetric_times(inertia_b, b1)
    k11 = along(mass, tangent) + dot(a1, ia1) + dot(b1, ib1)
    k12 = dot(tangent, scaled(mass, bitangent)) + dot(a2, ia1) + dot(b2, ib1)
    k22 = along(mass, bitangent) + dot(a2, symmetric_times(inertia_a, a2)) + dot(b2, symmetric_times(inertia_b, b2))
    determinant = k11 * k22 - k12 * k12
    inverse = 1.0 / determinant if determinant > 0.0 else 0.0
    put3(block, TANGENT_MASS, lane, (k22 * inverse, k11 * inverse, -k12 * inverse))
    twist = dot(normal, add(symmetric_times(inertia_a, normal), symmetric_times(inertia_b, normal)))
    block[TWIST_MASS * 8 + lane] = FLOAT32(1.0 / twist) if twist > 0.0 else FLOAT32(0.0)


@kernel
def speed_by(linear, arm_a, arm_b, turned_a, turned_b):
    """How fast an impulse of 1 N s along the normal at one point parts the surfaces at another."""
    return linear + (dot8(arm_a, turned_a) + dot8(arm_b, turned_b))


@kernel
def couple_points(block, count):
    """Effective masses of the `count` points of a block along the normal, and how they push each other."""
    zero, one, tiny = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0)), splat8(FLOAT32(1.0e-30))
    normal, inertia_a, inertia_b = field3(block, NORMAL), field6(block, INERTIA_A), field6(block, INERTIA_B)
    mass = add8(field3(block, MASS_A), field3(block, MASS_B))
    linear = dot8(normal, (normal[0] * mass[0], normal[1] * mass[1], normal[2] * mass[2]))
    for k in range(6):
        put(block, COUPLING + k, zero)
    for p in range(count):
        point = block + (POINTS + p * POINT_FIELDS) * FIELD_SIZE
        arm_a, arm_b = cross8(field3(point, POINT_ANCHOR_A), normal), cross8(field3(point, POINT_ANCHOR_B), normal)
        turned_a, turned_b = symmetric_times8(inertia_a, arm_a), symmetric_times8(inertia_b, arm_b)
        k = speed_by(linear, arm_a, arm_b, turned_a, turned_b)
        put(point, POINT_MASS, where_greater8(k, tiny, one / max8(k, tiny), zero))
        for q in range(p):
            other = block + (POINTS + q * POINT_FIELDS) * FIELD_SIZE
            arm_a, arm_b = cross8(field3(other, POINT_ANCHOR_A), normal), cross8(field3(other, POINT_ANCHOR_B), normal)
            which = COUPLING + (p - 1 if q == 0 else q + p)
            put(block, which, speed_by(linear, arm_a, arm_b, turned_a, turned_b))


@kernel
def manifold_of_lane(system, colours, block_index, lane):
    """Which manifold belongs into a lane of a block in this step, or -1."""
    colour = OVERFLOW
    for c in range(COLOUR_COUNT):
        if block_index < colours.first_block[c + 1]:
            colour = c
            break
    inside = block_index - colours.first_block[colour]
    slot = inside if colour == OVERFLOW else inside * 8 + lane
    if (colour == OVERFLOW and lane > 0) or slot >= colours.counts[colour]:
        return -1
    return INT32(view(colours.lists[colour], system.manifold_capacity, INT32)[slot])


@entry_point(JOB_SIGNATURE)
def prepare_contacts(system_address, begin, end, worker):
    """Job: write blocks `begin` to `end - 1` from the manifolds of their colours. Reads bodies, pairs and
    manifolds; writes blocks."""
    system = view(system_address, 1, SYSTEM)[0]
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    pairs, manifolds = pairs_of(system), manifolds_of(system)
    colours = view(system.colours, 1, COLOURS)[0]
    h = system.last_delta_time / system.substep_count
    for index in range(begin, end):
        address = system.constraint_blocks + index * BLOCK_SIZE
        block = view(address, BLOCK_FIELDS * 8, FLOAT32)
        whole = view(address, BLOCK_FIELDS * 8, INT32)
        most = 0
        for lane in range(8):
            manifold = manifold_of_lane(system, colours, index, lane)
            if manifold < 0:
                clear_lane(block, whole, lane)
            else:
                most = max(most, prepare_lane(system, bodies, pairs, manifolds, manifold, block, whole, lane, h))
        for lane in range(8):
            whole[POINT_COUNT * 8 + lane] = INT32(most)
        couple_points(address, most)


@entry_point(JOB_SIGNATURE)
def store_impulses(system_address, begin, end, worker):
    """Job: bring the impulses of blocks `begin` to `end - 1` back to their manifolds, for the next step and for reports."""
    system = view(system_address, 1, SYSTEM)[0]
    manifolds = manifolds_of(system)
    for index in range(begin, end):
        address = system.constraint_blocks + index * BLOCK_SIZE
        block = view(address, BLOCK_FIELDS * 8, FLOAT32)
        whole = view(address, BLOCK_FIELDS * 8, INT32)
        for lane in range(8):
            which = whole[MANIFOLD_INDEX * 8 + lane]
            if which < 0:
                continue
            manifold = manifolds[which]
            for p in range(manifold.point_count):
                at = (POINTS + p * POINT_FIELDS) * 8 + lane
                manifold.normal_impulse[p] = block[at + POINT_IMPULSE * 8]
                manifold.total_normal_impulse[p] = block[at + POINT_TOTAL_IMPULSE * 8]
            tangent, normal = get3(block, TANGENT, lane), get3(block, NORMAL, lane)
            impulse = scale(tangent, float(block[FRICTION_IMPULSE * 8 + lane]))
            other = float(block[(FRICTION_IMPULSE + 1) * 8 + lane])
            store3(manifold.friction_impulse, add_scaled(impulse, cross(normal, tangent), other))
            manifold.twist_impulse = block[TWIST_IMPULSE * 8 + lane]
