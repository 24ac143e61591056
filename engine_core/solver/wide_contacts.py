"""The contact solver: eight manifolds at once, sub-stepped soft contacts with a relax pass (Catto, "Solver2D", 2024; Box2D v3).

Each sub-step: `warm_start` applies the impulses so far; `solve` pushes along the normals with a soft bias that closes
overlap; after the positions have moved, `relax` solves again without bias, so that the bias leaves no velocity behind, and
does friction: two tangents as one block and the twist about the normal, at the manifold's centre. After the last sub-step
`restitute` makes bounces. Blocks of one colour share no moving body, so any number of threads may do them.
"""

import numpy as np

from ..bodies.schema import SYSTEM
from ..constraints.schema import (
    ANCHOR_A, ANCHOR_B, BIAS_RATE, BLOCK_SIZE, FIELD_SIZE, FRICTION, FRICTION_IMPULSE, IMPULSE_SCALE, INERTIA_A,
    INERTIA_B, MASS_A, MASS_B, MASS_SCALE, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_COUNT, POINT_FIELDS,
    POINT_IMPULSE, POINT_LEVER, POINT_MASS, POINT_RELATIVE_VELOCITY, POINT_SEPARATION, POINT_TOTAL_IMPULSE, POINTS,
    RESTITUTION, ROW_A, ROW_B, ROW_SIZE, TANGENT, TANGENT_MASS, TANGENT_VELOCITY, TWIST_IMPULSE, TWIST_MASS,
)  # fmt: skip
from ..runtime.call import load_int32
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from ..runtime.vector8 import (
    fused_multiply_add, load8, max8, min8, splat8, square_root8, store8, transpose8, where_greater8,
)  # fmt: skip

FLOAT32 = np.float32
POINT_SIZE = POINT_FIELDS * FIELD_SIZE


@kernel
def field(block, number):
    """A field of a block: eight floats."""
    return load8(block + number * FIELD_SIZE)


@kernel
def field3(block, number):
    return (field(block, number), field(block, number + 1), field(block, number + 2))


@kernel
def field6(block, number):
    return (
        field(block, number), field(block, number + 1), field(block, number + 2),
        field(block, number + 3), field(block, number + 4), field(block, number + 5),
    )  # fmt: skip


@kernel
def put(block, number, value):
    store8(block + number * FIELD_SIZE, value)


@kernel
def dot8(a, b):
    return fused_multiply_add(a[0], b[0], fused_multiply_add(a[1], b[1], a[2] * b[2]))


@kernel
def cross8(a, b):
    return (
        fused_multiply_add(a[1], b[2], -(a[2] * b[1])),
        fused_multiply_add(a[2], b[0], -(a[0] * b[2])),
        fused_multiply_add(a[0], b[1], -(a[1] * b[0])),
    )


@kernel
def add_scaled8(a, b, s):
    return (fused_multiply_add(b[0], s, a[0]), fused_multiply_add(b[1], s, a[1]), fused_multiply_add(b[2], s, a[2]))


@kernel
def add8(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def subtract8(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def symmetric_times8(m, v):
    return (
        fused_multiply_add(m[0], v[0], fused_multiply_add(m[3], v[1], m[4] * v[2])),
        fused_multiply_add(m[3], v[0], fused_multiply_add(m[1], v[1], m[5] * v[2])),
        fused_multiply_add(m[4], v[0], fused_multiply_add(m[5], v[1], m[2] * v[2])),
    )


@kernel
def rotate8(q, v):
    """v turned by the unit quaternion q."""
    two = splat8(FLOAT32(2.0))
    t = cross8((q[0], q[1], q[2]), v)
    t = (t[0] * two, t[1] * two, t[2] * two)
    u = cross8((q[0], q[1], q[2]), t)
    return add8(add_scaled8(v, t, q[3]), u)


@kernel
def gather(rows, indices, offset):
    """Eight half rows of the bodies whose rows are named at address `indices`, as eight columns."""
    return transpose8(
        load8(rows + load_int32(indices) * ROW_SIZE + offset),
        load8(rows + load_int32(indices + 4) * ROW_SIZE + offset),
        load8(rows + load_int32(indices + 8) * ROW_SIZE + offset),
        load8(rows + load_int32(indices + 12) * ROW_SIZE + offset),
        load8(rows + load_int32(indices + 16) * ROW_SIZE + offset),
        load8(rows + load_int32(indices + 20) * ROW_SIZE + offset),
        load8(rows + load_int32(indices + 24) * ROW_SIZE + offset),
        load8(rows + load_int32(indices + 28) * ROW_SIZE + offset),
    )


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
def velocities_of(columns):
    return (columns[0], columns[1], columns[2]), (columns[3], columns[4], columns[5]), (columns[6], columns[7])


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
def solve_normals(block, motion_a, motion_b, v_a, w_a, v_b, w_b, inverse_h, bias_rate, mass_scale, impulse_scale, push_out):
    """One pass over the points along the normals. `motion_*`: how far and how each body has turned since the step began."""
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    normal = field3(block, NORMAL)
    mass_a, mass_b = field3(block, MASS_A), field3(block, MASS_B)
    inertia_a, inertia_b = field6(block, INERTIA_A), field6(block, INERTIA_B)
    q_a, q_b = (motion_a[3], motion_a[4], motion_a[5], motion_a[6]), (motion_b[3], motion_b[4], motion_b[5], motion_b[6])
    moved = (motion_b[0] - motion_a[0], motion_b[1] - motion_a[1], motion_b[2] - motion_a[2])
    total = zero
    lever_total = zero
    point = block + POINTS * FIELD_SIZE
    for _ in range(load_int32(block + POINT_COUNT * FIELD_SIZE)):
        anchor_a, anchor_b = field3(point, POINT_ANCHOR_A), field3(point, POINT_ANCHOR_B)
        gap = add8(moved, subtract8(rotate8(q_b, anchor_b), rotate8(q_a, anchor_a)))
        separation = field(point, POINT_SEPARATION) + dot8(normal, gap)
        is_apart = separation
        bias = where_greater8(
            is_apart, zero, separation * inverse_h, max8(separation * bias_rate, -push_out)
        )
        softness = where_greater8(is_apart, zero, one, mass_scale)
        memory = where_greater8(is_apart, zero, zero, impulse_scale)
        relative = subtract8(add8(v_b, cross8(w_b, anchor_b)), add8(v_a, cross8(w_a, anchor_a)))
        speed = dot8(normal, relative)
        impulse = field(point, POINT_IMPULSE)
        change = -(field(point, POINT_MASS) * softness * (speed + bias)) - memory * impulse
        renewed = max8(impulse + change, zero)
        change = renewed - impulse
        put(point, POINT_IMPULSE, renewed)
        total += renewed
        lever_total = fused_multiply_add(renewed, field(point, POINT_LEVER), lever_total)
        applied = (normal[0] * change, normal[1] * change, normal[2] * change)
        v_a, w_a = push(v_a, w_a, mass_a, inertia_a, anchor_a, applied, -one)
        v_b, w_b = push(v_b, w_b, mass_b, inertia_b, anchor_b, applied, one)
        point += POINT_SIZE
    return v_a, w_a, v_b, w_b, total, lever_total


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
        rows_a, rows_b = block + ROW_A * FIELD_SIZE, block + ROW_B * FIELD_SIZE
        v_a, w_a, rest_a = velocities_of(gather(rows, rows_a, 0))
        v_b, w_b, rest_b = velocities_of(gather(rows, rows_b, 0))
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
        scatter(rows, rows_a, v_a, w_a, rest_a)
        scatter(rows, rows_b, v_b, w_b, rest_b)


@entry_point(JOB_SIGNATURE)
def solve(system_address, begin, end, worker):
    """Job: the biased pass along the normals over blocks `begin` to `end - 1`."""
    system = view(system_address, 1, SYSTEM)[0]
    rows = system.solver_rows
    inverse_h = splat8(FLOAT32(system.substep_count / system.last_delta_time))
    push_out = splat8(FLOAT32(system.push_out_speed))
    for index in range(begin, end):
        block = system.constraint_blocks + index * BLOCK_SIZE
        rows_a, rows_b = block + ROW_A * FIELD_SIZE, block + ROW_B * FIELD_SIZE
        v_a, w_a, rest_a = velocities_of(gather(rows, rows_a, 0))
        v_b, w_b, rest_b = velocities_of(gather(rows, rows_b, 0))
        v_a, w_a, v_b, w_b, _, _ = solve_normals(
            block, gather(rows, rows_a, 32), gather(rows, rows_b, 32), v_a, w_a, v_b, w_b, inverse_h,
            field(block, BIAS_RATE), field(block, MASS_SCALE), field(block, IMPULSE_SCALE), push_out,
        )  # fmt: skip
        scatter(rows, rows_a, v_a, w_a, rest_a)
        scatter(rows, rows_b, v_b, w_b, rest_b)


@entry_point(JOB_SIGNATURE)
def relax(system_address, begin, end, worker):
    """Job: the pass without bias, with friction, over blocks `begin` to `end - 1`; sums up the impulses of the sub-steps."""
    system = view(system_address, 1, SYSTEM)[0]
    rows = system.solver_rows
    inverse_h = splat8(FLOAT32(system.substep_count / system.last_delta_time))
    zero, one = splat8(FLOAT32(0.0)), splat8(FLOAT32(1.0))
    for index in range(begin, end):
        block = system.constraint_blocks + index * BLOCK_SIZE
        rows_a, rows_b = block + ROW_A * FIELD_SIZE, block + ROW_B * FIELD_SIZE
        v_a, w_a, rest_a = velocities_of(gather(rows, rows_a, 0))
        v_b, w_b, rest_b = velocities_of(gather(rows, rows_b, 0))
        v_a, w_a, v_b, w_b, total, lever_total = solve_normals(
            block, gather(rows, rows_a, 32), gather(rows, rows_b, 32), v_a, w_a, v_b, w_b, inverse_h, zero, one, zero, zero
        )
        v_a, w_a, v_b, w_b = solve_friction(block, v_a, w_a, v_b, w_b, total, lever_total)
        scatter(rows, rows_a, v_a, w_a, rest_a)
        scatter(rows, rows_b, v_b, w_b, rest_b)
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
        rows_a, rows_b = block + ROW_A * FIELD_SIZE, block + ROW_B * FIELD_SIZE
        v_a, w_a, rest_a = velocities_of(gather(rows, rows_a, 0))
        v_b, w_b, rest_b = velocities_of(gather(rows, rows_b, 0))
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
        scatter(rows, rows_a, v_a, w_a, rest_a)
        scatter(rows, rows_b, v_b, w_b, rest_b)


@kernel
def has_restitution(block):
    values = view(block + RESTITUTION * FIELD_SIZE, 8, FLOAT32)
    for lane in range(8):
        if values[lane] > 0.0:
            return True
    return False
