"""The contact solver: eight manifolds at once, sub-stepped soft contacts with a relax pass (Catto, "Solver2D", 2024; Box2D v3).

Each sub-step: `warm_start` applies the impulses so far; `solve` pushes along the normals with a soft bias that closes
overlap; after the positions have moved, `relax` solves again without bias, so that the bias leaves no velocity behind, and
does friction: two tangents as one block and the twist about the normal, at the manifold's centre. After the last sub-step
`restitute` makes bounces. Blocks of one colour share no moving body, so any number of threads may do them.
"""

import numpy as np

from ..bodies.schema import SYSTEM
from ..constraints.blocks import field, field3, field6, gather, put, velocities_of
from ..constraints.schema import (
    ALLOWED_OVERLAP, ANCHOR_A, ANCHOR_B, BIAS_RATE, BLOCK_SIZE, COUPLING, FIELD_SIZE, FRICTION, FRICTION_IMPULSE, INERTIA_A,
    INERTIA_B, MASS_A, MASS_B, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_COUNT, POINT_FIELDS, POINT_IMPULSE, POINT_LEVER,
    POINT_MASS, POINT_RELATIVE_VELOCITY, POINT_SEPARATION, POINT_TOTAL_IMPULSE, POINTS, RESTITUTION, ROW_A, ROW_B,
    ROW_SIZE, SOFTNESS, TANGENT, TANGENT_MASS, TANGENT_VELOCITY, TOTAL_FRICTION, TWIST_IMPULSE, TWIST_MASS,
)  # fmt: skip
from ..geometry.wide_vector import add8, add_scaled8, cross8, dot8, rotate8, subtract8, symmetric_times8
from ..runtime.call import load_int32
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..runtime.vector8 import fused_multiply_add, max8, min8, splat8, square_root8, store8, transpose8, where_greater8

FLOAT32 = np.float32
POINT_SIZE = POINT_FIELDS * FIELD_SIZE
SWEEPS = 4
"""How often the points of a manifold are settled with each other in one pass."""
ALONE, GAIN, CHANGE = 0, 1, 2
"""Fields of what a point wants (eight floats each): its impulse if no other changed, how much less by the speed that the others
give it, and the change of impulse that came out."""
WANTED_SIZE = 4 * FIELD_SIZE


@kernel
def put_row(rows, index, values):
    """Write half a row, but never row 0: it does not change, and threads that wrote it would fight for its cache line."""
    if index > 0:
        store8(rows + index * ROW_SIZE, values)


@kernel
def scatter(rows, indices, v, w, rest):
    """Write velocities back to eight rows. `rest` are the two columns that are not velocities."""
    r = transpose8(v[0], v[1], v[2], w[0], w[1], w[2], rest[0], rest[1])
    put_row(rows, load_int32(indices), r[0])
    put_row(rows, load_int32(indices + 4), r[1])
    put_row(rows, load_int32(indices + 8), r[2])
    put_row(rows, load_int32(indices + 12), r[3])
    put_row(rows, load_int32(indices + 16), r[4])
    put_row(rows, load_int32(indices + 20), r[5])
    put_row(rows, load_int32(indices + 24), r[6])
    put_row(rows, load_int32(indices + 28), r[7])


@kernel
def put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b):
    """Write what `velocities_of` gave back."""
    scatter(rows, block + ROW_A * FIELD_SIZE, v_a, w_a, rest_a)
    scatter(rows, block + ROW_B * FIELD_SIZE, v_b, w_b, rest_b)


@kernel
def motion_of(rows, block, side):
    """How far and how the bodies of one side have turned since the step began: eight columns. `side`: ROW_A or ROW_B."""
    return gather(rows, block + side * FIELD_SIZE, 32)


@kernel
def push(v, w, mass, inertia, arm, impulse, sign):
    """Velocities after an impulse (times `sign`) at `arm`."""
    signed = (impulse[0] * sign, impulse[1] * sign, impulse[2] * sign)
    turned = symmetric_times8(inertia, cross8(arm, signed))
    v = (
        fused_multiply_add(signed[0], mass[0], v[0]),
        fused_multiply_add(signed[1], mass[1], v[1]),
        fused_multiply_add(signed[2], mass[2], v[2]),
    )
    return v, add8(w, turned)


@kernel
def turned_back8(motion, v):
    """v turned back by what a body has turned since the step began."""
    return rotate8((-motion[3], -motion[4], -motion[5], motion[6]), v)


@kernel
def measure_points(block, wanted, motion_a, motion_b, v_a, w_a, v_b, w_b, inverse_h, bias_rate, softness, push_out):
    """Write to `wanted` what impulse each point wants, were it alone, and what of it a change of its speed takes away."""
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    normal = field3(block, NORMAL)
    # n . (q r) = (q^-1 n) . r and n . (w x r) = (n x w) . r: the bodies' motion is brought to the normal once, not to each point.
    normal_a, normal_b = turned_back8(motion_a, normal), turned_back8(motion_b, normal)
    spin_a, spin_b = cross8(normal, w_a), cross8(normal, w_b)
    moved = dot8(normal, (motion_b[0] - motion_a[0], motion_b[1] - motion_a[1], motion_b[2] - motion_a[2]))
    moved += field(block, ALLOWED_OVERLAP)  # they touch where they lie in each other as deep as they may
    closing = dot8(normal, subtract8(v_b, v_a))
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        anchor_a, anchor_b = field3(point, POINT_ANCHOR_A), field3(point, POINT_ANCHOR_B)
        separation = field(point, POINT_SEPARATION) + (moved + (dot8(normal_b, anchor_b) - dot8(normal_a, anchor_a)))
        bias = where_greater8(separation, zero, separation * inverse_h, max8(separation * bias_rate, -push_out))
        soft = where_greater8(separation, zero, one, softness)
        speed = closing + (dot8(spin_b, anchor_b) - dot8(spin_a, anchor_a))
        mass = field(point, POINT_MASS)
        put(wanted, ALONE, soft * (field(point, POINT_IMPULSE) - mass * (speed + bias)))
        put(wanted, GAIN, soft * mass)
        point += POINT_SIZE
        wanted += WANTED_SIZE


@kernel
def settle_points(block, wanted):
    """Impulses of the four points that agree with each other: some passes over them, each point after the others' change. Only
    the six couplings are needed, no body. Gives the four impulses and their changes."""
    zero = splat8(FLOAT32(0.0))
    k01, k02, k03, k12, k13, k23 = field6(block, COUPLING)
    point = block + POINTS * FIELD_SIZE
    old_0, old_1 = field(point, POINT_IMPULSE), field(point + POINT_SIZE, POINT_IMPULSE)
    old_2, old_3 = field(point + 2 * POINT_SIZE, POINT_IMPULSE), field(point + 3 * POINT_SIZE, POINT_IMPULSE)
    alone_0, alone_1 = field(wanted, ALONE), field(wanted + WANTED_SIZE, ALONE)
    alone_2, alone_3 = field(wanted + 2 * WANTED_SIZE, ALONE), field(wanted + 3 * WANTED_SIZE, ALONE)
    gain_0, gain_1 = field(wanted, GAIN), field(wanted + WANTED_SIZE, GAIN)
    gain_2, gain_3 = field(wanted + 2 * WANTED_SIZE, GAIN), field(wanted + 3 * WANTED_SIZE, GAIN)
    d0, d1, d2, d3 = zero, zero, zero, zero
    for _ in range(SWEEPS):
        others = fused_multiply_add(k01, d1, fused_multiply_add(k02, d2, k03 * d3))
        d0 = max8(alone_0 - gain_0 * others, zero) - old_0
        others = fused_multiply_add(k01, d0, fused_multiply_add(k12, d2, k13 * d3))
        d1 = max8(alone_1 - gain_1 * others, zero) - old_1
        others = fused_multiply_add(k02, d0, fused_multiply_add(k12, d1, k23 * d3))
        d2 = max8(alone_2 - gain_2 * others, zero) - old_2
        others = fused_multiply_add(k03, d0, fused_multiply_add(k13, d1, k23 * d2))
        d3 = max8(alone_3 - gain_3 * others, zero) - old_3
    put(wanted, CHANGE, d0)
    put(wanted + WANTED_SIZE, CHANGE, d1)
    put(wanted + 2 * WANTED_SIZE, CHANGE, d2)
    put(wanted + 3 * WANTED_SIZE, CHANGE, d3)


@kernel
def push_points(block, wanted, v_a, w_a, v_b, w_b):
    """Apply the changes of impulse of all points at once."""
    zero = splat8(FLOAT32(0.0))
    normal = field3(block, NORMAL)
    change, total, lever_total = zero, zero, zero
    arm_a, arm_b = (zero, zero, zero), (zero, zero, zero)
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        d = field(wanted, CHANGE)
        impulse = field(point, POINT_IMPULSE) + d
        put(point, POINT_IMPULSE, impulse)
        change += d
        total += impulse
        lever_total = fused_multiply_add(impulse, field(point, POINT_LEVER), lever_total)
        arm_a = add_scaled8(arm_a, field3(point, POINT_ANCHOR_A), d)
        arm_b = add_scaled8(arm_b, field3(point, POINT_ANCHOR_B), d)
        point += POINT_SIZE
        wanted += WANTED_SIZE
    mass_a, mass_b = field3(block, MASS_A), field3(block, MASS_B)
    v_a = subtract8(v_a, (normal[0] * mass_a[0] * change, normal[1] * mass_a[1] * change, normal[2] * mass_a[2] * change))
    v_b = add8(v_b, (normal[0] * mass_b[0] * change, normal[1] * mass_b[1] * change, normal[2] * mass_b[2] * change))
    w_a = subtract8(w_a, symmetric_times8(field6(block, INERTIA_A), cross8(arm_a, normal)))
    w_b = add8(w_b, symmetric_times8(field6(block, INERTIA_B), cross8(arm_b, normal)))
    return v_a, w_a, v_b, w_b, total, lever_total


@kernel
def solve_normals(block, motion_a, motion_b, v_a, w_a, v_b, w_b, inverse_h, bias_rate, softness, push_out):
    """The points of eight manifolds along their normals, those of one manifold together. `motion_*`: how far and how each body
    has turned since the step began. Gives velocities, sum of impulses, sum of impulses times levers."""
    memory = stack_array(WANTED_SIZE, FLOAT32)
    wanted = address_of_row(memory, 0)
    zero = splat8(FLOAT32(0.0))
    for p in range(load_int32(block + POINT_COUNT * FIELD_SIZE), 4):
        put(wanted + p * WANTED_SIZE, ALONE, zero)
        put(wanted + p * WANTED_SIZE, GAIN, zero)
    measure_points(block, wanted, motion_a, motion_b, v_a, w_a, v_b, w_b, inverse_h, bias_rate, softness, push_out)
    settle_points(block, wanted)
    return push_points(block, wanted, v_a, w_a, v_b, w_b)


@kernel
def solve_friction(block, v_a, w_a, v_b, w_b, normal_total, lever_total):
    """Twist about the normal, then sliding as a 2 x 2 block limited by a circle."""
    one = splat8(FLOAT32(1.0))
    normal, tangent = field3(block, NORMAL), field3(block, TANGENT)
    bitangent = cross8(normal, tangent)
    mass_a, mass_b = field3(block, MASS_A), field3(block, MASS_B)
    inertia_a, inertia_b = field6(block, INERTIA_A), field6(block, INERTIA_B)
    friction = field(block, FRICTION)

    spin = dot8(normal, subtract8(w_b, w_a))
    impulse = field(block, TWIST_IMPULSE)
    limit = friction * lever_total
    renewed = min8(max8(impulse - field(block, TWIST_MASS) * spin, -limit), limit)
    change = renewed - impulse
    put(block, TWIST_IMPULSE, renewed)
    turned = (normal[0] * change, normal[1] * change, normal[2] * change)
    w_a = subtract8(w_a, symmetric_times8(inertia_a, turned))
    w_b = add8(w_b, symmetric_times8(inertia_b, turned))

    anchor_a, anchor_b = field3(block, ANCHOR_A), field3(block, ANCHOR_B)
    relative = subtract8(add8(v_b, cross8(w_b, anchor_b)), add8(v_a, cross8(w_a, anchor_a)))
    slide_1 = dot8(tangent, relative) + field(block, TANGENT_VELOCITY)
    slide_2 = dot8(bitangent, relative) + field(block, TANGENT_VELOCITY + 1)
    k11, k22, k12 = field(block, TANGENT_MASS), field(block, TANGENT_MASS + 1), field(block, TANGENT_MASS + 2)
    old_1, old_2 = field(block, FRICTION_IMPULSE), field(block, FRICTION_IMPULSE + 1)
    new_1 = old_1 - fused_multiply_add(k11, slide_1, k12 * slide_2)
    new_2 = old_2 - fused_multiply_add(k12, slide_1, k22 * slide_2)
    limit = friction * normal_total
    size = square_root8(fused_multiply_add(new_1, new_1, new_2 * new_2))
    tiny = splat8(FLOAT32(1.0e-20))
    factor = where_greater8(size, limit, limit / max8(size, tiny), one)
    new_1 *= factor
    new_2 *= factor
    put(block, FRICTION_IMPULSE, new_1)
    put(block, FRICTION_IMPULSE + 1, new_2)
    change_1, change_2 = new_1 - old_1, new_2 - old_2
    applied = add_scaled8((tangent[0] * change_1, tangent[1] * change_1, tangent[2] * change_1), bitangent, change_2)
    v_a, w_a = push(v_a, w_a, mass_a, inertia_a, anchor_a, applied, -one)
    v_b, w_b = push(v_b, w_b, mass_b, inertia_b, anchor_b, applied, one)
    return v_a, w_a, v_b, w_b


@entry_point(JOB_SIGNATURE)
def warm_start(system_address, begin, end, worker):
    """Job: apply the impulses of blocks `begin` to `end - 1`. Reads and writes the rows of their bodies."""
    system = view(system_address, 1, SYSTEM)[0]
    rows = system.solver_rows
    one = splat8(FLOAT32(1.0))
    for index in range(begin, end):
        block = system.constraint_blocks + index * BLOCK_SIZE
        (v_a, w_a, rest_a), (v_b, w_b, rest_b) = velocities_of(rows, block)
        mass_a, mass_b = field3(block, MASS_A), field3(block, MASS_B)
        inertia_a, inertia_b = field6(block, INERTIA_A), field6(block, INERTIA_B)
        normal, tangent = field3(block, NORMAL), field3(block, TANGENT)
        bitangent = cross8(normal, tangent)
        point = block + POINTS * FIELD_SIZE
        for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
            impulse = field(point, POINT_IMPULSE)
            applied = (normal[0] * impulse, normal[1] * impulse, normal[2] * impulse)
            v_a, w_a = push(v_a, w_a, mass_a, inertia_a, field3(point, POINT_ANCHOR_A), applied, -one)
            v_b, w_b = push(v_b, w_b, mass_b, inertia_b, field3(point, POINT_ANCHOR_B), applied, one)
            point += POINT_SIZE
        first, second = field(block, FRICTION_IMPULSE), field(block, FRICTION_IMPULSE + 1)
        applied = add_scaled8((tangent[0] * first, tangent[1] * first, tangent[2] * first), bitangent, second)
        v_a, w_a = push(v_a, w_a, mass_a, inertia_a, field3(block, ANCHOR_A), applied, -one)
        v_b, w_b = push(v_b, w_b, mass_b, inertia_b, field3(block, ANCHOR_B), applied, one)
        twist = field(block, TWIST_IMPULSE)
        turned = (normal[0] * twist, normal[1] * twist, normal[2] * twist)
        w_a = subtract8(w_a, symmetric_times8(inertia_a, turned))
        w_b = add8(w_b, symmetric_times8(inertia_b, turned))
        put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b)


@entry_point(JOB_SIGNATURE)
def solve(system_address, begin, end, worker):
    """Job: the biased pass along the normals over blocks `begin` to `end - 1`."""
    system = view(system_address, 1, SYSTEM)[0]
    rows = system.solver_rows
    inverse_h = splat8(FLOAT32(system.substep_count / system.last_delta_time))
    push_out = splat8(FLOAT32(system.push_out_speed))
    for index in range(begin, end):
        block = system.constraint_blocks + index * BLOCK_SIZE
        (v_a, w_a, rest_a), (v_b, w_b, rest_b) = velocities_of(rows, block)
        v_a, w_a, v_b, w_b, _, _ = solve_normals(
            block, motion_of(rows, block, ROW_A), motion_of(rows, block, ROW_B), v_a, w_a, v_b, w_b, inverse_h,
            field(block, BIAS_RATE), field(block, SOFTNESS), push_out,
        )  # fmt: skip
        put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b)


@entry_point(JOB_SIGNATURE)
def relax(system_address, begin, end, worker):
    """Job: the pass without bias, with friction, over blocks `begin` to `end - 1`; sums up the impulses of the sub-steps."""
    system = view(system_address, 1, SYSTEM)[0]
    rows = system.solver_rows
    inverse_h = splat8(FLOAT32(system.substep_count / system.last_delta_time))
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    for index in range(begin, end):
        block = system.constraint_blocks + index * BLOCK_SIZE
        (v_a, w_a, rest_a), (v_b, w_b, rest_b) = velocities_of(rows, block)
        v_a, w_a, v_b, w_b, total, lever_total = solve_normals(
            block, motion_of(rows, block, ROW_A), motion_of(rows, block, ROW_B), v_a, w_a, v_b, w_b, inverse_h,
            zero, one, zero,
        )  # fmt: skip
        v_a, w_a, v_b, w_b = solve_friction(block, v_a, w_a, v_b, w_b, total, lever_total)
        put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b)
        for k in range(3):
            put(block, TOTAL_FRICTION + k, field(block, TOTAL_FRICTION + k) + field(block, FRICTION_IMPULSE + k))
        point = block + POINTS * FIELD_SIZE
        for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
            put(point, POINT_TOTAL_IMPULSE, field(point, POINT_TOTAL_IMPULSE) + field(point, POINT_IMPULSE))
            point += POINT_SIZE


@entry_point(JOB_SIGNATURE)
def restitute(system_address, begin, end, worker):
    """Job: bounce what came in faster than the threshold and was pushed, in blocks `begin` to `end - 1`."""
    system = view(system_address, 1, SYSTEM)[0]
    rows = system.solver_rows
    threshold = splat8(FLOAT32(-system.restitution_threshold))
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    for index in range(begin, end):
        block = system.constraint_blocks + index * BLOCK_SIZE
        if not has_restitution(block):
            continue
        (v_a, w_a, rest_a), (v_b, w_b, rest_b) = velocities_of(rows, block)
        mass_a, mass_b = field3(block, MASS_A), field3(block, MASS_B)
        inertia_a, inertia_b = field6(block, INERTIA_A), field6(block, INERTIA_B)
        normal, bounce = field3(block, NORMAL), field(block, RESTITUTION)
        point = block + POINTS * FIELD_SIZE
        for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
            anchor_a, anchor_b = field3(point, POINT_ANCHOR_A), field3(point, POINT_ANCHOR_B)
            before, total = field(point, POINT_RELATIVE_VELOCITY), field(point, POINT_TOTAL_IMPULSE)
            relative = subtract8(add8(v_b, cross8(w_b, anchor_b)), add8(v_a, cross8(w_a, anchor_a)))
            wanted = -(field(point, POINT_MASS) * fused_multiply_add(bounce, before, dot8(normal, relative)))
            wanted = where_greater8(before, threshold, zero, where_greater8(total, zero, wanted, zero))
            wanted = where_greater8(bounce, zero, wanted, zero)
            impulse = field(point, POINT_IMPULSE)
            change = max8(impulse + wanted, zero) - impulse
            put(point, POINT_IMPULSE, impulse + change)
            put(point, POINT_TOTAL_IMPULSE, total + change)
            applied = (normal[0] * change, normal[1] * change, normal[2] * change)
            v_a, w_a = push(v_a, w_a, mass_a, inertia_a, anchor_a, applied, -one)
            v_b, w_b = push(v_b, w_b, mass_b, inertia_b, anchor_b, applied, one)
            point += POINT_SIZE
        put_velocities(rows, block, v_a, w_a, rest_a, v_b, w_b, rest_b)


@kernel
def has_restitution(block):
    values = view(block + RESTITUTION * FIELD_SIZE, 8, FLOAT32)
    for lane in range(8):
        if values[lane] > 0.0:
            return True
    return False
