"""The transforms of many bodies in the buffers of MultiMeshes, compiled: nothing is called for each body.

A step lists the drawn bodies that it moved (`note_drawn`). The next flush writes their rows (`write_moved`) in the coordinates of
the node that draws, and hands each buffer that changed to the RenderingServer (`hand_over_sets`), on the thread of the flush.

A buffer is a PackedFloat32Array. Where the RenderingServer kept the last one, as with physics interpolation, the array is shared,
and Godot copies it before it is written; else it is written in place.
"""

import numpy as np

from ..bodies.identity import body_of
from ..bodies.motion import basis_rows, bodies_of, origin_of
from ..bodies.records import world_at
from ..bodies.schema import BODY, HAS_STRETCH
from ..edit.origin import read_frame
from ..geometry.vector import matrix_rows, quaternion, subtract, vector3
from ..runtime.call import call_1, call_2, call_2_result, call_4, store_float32
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_record, address_of_row, stack_array, view
from ..runtime.prefetch import prefetch
from .frames import frame_of
from .schema import DRAWN_SET, MOST_DRAWN_SETS
from .server_record import server_at

INT32, INT64, FLOAT32, FLOAT64 = np.int32, np.int64, np.float32, np.float64
BODY_BYTES = BODY.itemsize
BUFFER, PREVIOUS = DRAWN_SET.fields["buffer"][1], DRAWN_SET.fields["previous"][1]
MULTIMESH = DRAWN_SET.fields["multimesh"][1]
FAR = 1e30
AHEAD = 12
"""How many bodies ahead memory is asked for."""
LINES = 0, BODY.fields["flags"][1], BODY.fields["center_of_mass"][1]
"""Where in the row of a body what is read of it begins."""
OLDEST_BOX = 60
"""After so many ticks in which it could only grow a box is made anew."""
ROW_BITS = 32
ROW_MASK = (1 << ROW_BITS) - 1


@kernel
def sets_of(server):
    return view(server.drawn_sets, MOST_DRAWN_SETS, DRAWN_SET)


@kernel
def note_drawn(server, space, active, active_count, fell_asleep, fell_asleep_count):
    """List the drawn bodies among those that a step moved, and then among those that fell asleep in it."""
    capacity = world_at(server.world).body_capacity
    keys, moved = view(server.drawn_keys, capacity, INT64), view(space.moved, capacity, INT32)
    count = 0
    for i in range(active_count):
        if keys[active[i]] != 0:
            moved[count] = active[i]
            count += 1
    still_awake = count
    for i in range(fell_asleep_count):
        if keys[fell_asleep[i]] != 0:
            moved[count] = fell_asleep[i]
            count += 1
    space.moved_count, space.fell_asleep_count = count, count - still_awake


@kernel
def _keep_previous(server, at):
    """Let the buffer of the tick before, of the set at an address, be that of this tick."""
    source = stack_array(1, INT64)
    source[0] = at + BUFFER
    call_1(server.array_free, at + PREVIOUS)
    call_2(server.array_copy, at + PREVIOUS, address_of_row(source, 0))


@kernel
def _begin(server, drawn):
    """Make the buffer of a set ready for writing; with interpolation what it holds is that of the tick before."""
    at = address_of_record(drawn)
    if drawn.interpolates != 0:
        _keep_previous(server, at)
    drawn.rows = call_2_result(server.array_to_write, at + BUFFER, INT64(0))
    drawn.is_begun = 1
    drawn.written_count = 0
    for k in range(3):
        drawn.written_box[k], drawn.written_box[3 + k] = FAR, -FAR


@kernel
def _widen(drawn, x, y, z):
    """Take the origin of an instance into the box of those that were written."""
    box = drawn.written_box
    box[0], box[1], box[2] = min(box[0], x), min(box[1], y), min(box[2], z)
    box[3], box[4], box[5] = max(box[3], x), max(box[4], y), max(box[5], z)
    drawn.written_count += 1


@kernel
def _write_row(world_address, drawn, row, body, frame):
    """Write the transform of a body, `frame` [m] from the world's zero, into its row."""
    out = view(drawn.rows + 4 * row * drawn.stride, 12, FLOAT32)
    center = body.center_of_mass
    if drawn.is_placed == 0 and not body.flags & HAS_STRETCH and center[0] == 0.0 and center[1] == 0.0 and center[2] == 0.0:
        x, y, z = matrix_rows(quaternion(body.rotation))  # most bodies, in half the time
        origin = subtract(vector3(body.position), frame)
    else:
        x, y, z = basis_rows(world_address, body)
        origin = subtract(origin_of(body), frame)
    if drawn.is_placed == 0:
        out[0], out[1], out[2], out[3] = x[0], x[1], x[2], origin[0]
        out[4], out[5], out[6], out[7] = y[0], y[1], y[2], origin[1]
        out[8], out[9], out[10], out[11] = z[0], z[1], z[2], origin[2]
        _widen(drawn, origin[0], origin[1], origin[2])
        return
    m = drawn.to_local
    for i in range(0, 12, 4):
        for k in range(3):
            out[i + k] = FLOAT32(m[i] * x[k] + m[i + 1] * y[k] + m[i + 2] * z[k])
        out[i + 3] = FLOAT32(m[i] * origin[0] + m[i + 1] * origin[1] + m[i + 2] * origin[2] + m[i + 3])
    _widen(drawn, FLOAT64(out[3]), FLOAT64(out[7]), FLOAT64(out[11]))


@kernel
def write_moved(server, space):
    """Write the rows of the bodies of a space that the last step moved."""
    capacity = world_at(server.world).body_capacity
    keys, moved = view(server.drawn_keys, capacity, INT64), view(space.moved, capacity, INT32)
    sets, bodies, frame = sets_of(server), bodies_of(server.world), read_frame(space.system)
    first_asleep = space.moved_count - space.fell_asleep_count
    first_body = world_at(server.world).bodies
    for i in range(space.moved_count):
        if i + AHEAD < space.moved_count:
            for line in LINES:
                prefetch(first_body + moved[i + AHEAD] * BODY_BYTES + line)
        index = moved[i]
        key = keys[index]
        drawn, row = sets[key >> ROW_BITS], (key & ROW_MASK) - 1
        if row < 0 or view(drawn.ids, drawn.count, INT64)[row] != bodies[index].id:
            continue  # taken out, or freed, since the step
        if drawn.is_begun == 0:
            _begin(server, drawn)
        _write_row(server.world, drawn, row, bodies[index], frame)
        if i >= first_asleep:
            view(drawn.asleep, drawn.capacity, INT32)[drawn.asleep_count] = INT32(row)
            drawn.asleep_count += 1
    space.moved_count = space.fell_asleep_count = 0


@kernel
def _write_all(server, drawn):
    """Write the rows of all bodies of a set that still exist."""
    keys = view(server.drawn_keys, world_at(server.world).body_capacity, INT64)
    bodies, ids = bodies_of(server.world), view(drawn.ids, drawn.count, INT64)
    for row in range(drawn.count):
        index = body_of(server.world, ids[row])
        if index >= 0 and keys[index] & ROW_MASK == row + 1:
            _write_row(server.world, drawn, row, bodies[index], frame_of(server.world, index))
    drawn.needs_all = 0


@kernel
def _settle_fresh(server, drawn):
    """Let the fresh rows of the tick before be those of this tick, so that they do not glide."""
    if drawn.interpolates != 0 and drawn.is_fresh != 0:
        _keep_previous(server, address_of_record(drawn))
    elif drawn.interpolates != 0 and drawn.fresh_count != 0:
        stride = drawn.stride
        before = call_2_result(server.array_to_write, address_of_record(drawn) + PREVIOUS, INT64(0))
        old, new = view(before, drawn.capacity * stride, FLOAT32), view(drawn.rows, drawn.capacity * stride, FLOAT32)
        fresh = view(drawn.fresh, drawn.capacity, INT32)
        for i in range(drawn.fresh_count):
            first = INT64(fresh[i]) * stride
            for k in range(stride):
                old[first + k] = new[first + k]
    drawn.fresh_count = drawn.is_fresh = 0


@kernel
def _renew_box(drawn):
    """Renew the box around all instances: by those that were written, and now and then by all."""
    if drawn.written_count < drawn.count and drawn.box_age < OLDEST_BOX:
        drawn.box_age += 1
        for k in range(3):
            drawn.box[k] = min(drawn.box[k], drawn.written_box[k])
            drawn.box[3 + k] = max(drawn.box[3 + k], drawn.written_box[3 + k])
        return
    if drawn.written_count < drawn.count:
        rows = view(drawn.rows, drawn.capacity * drawn.stride, FLOAT32)
        for row in range(drawn.count):
            at = row * drawn.stride
            _widen(drawn, FLOAT64(rows[at + 3]), FLOAT64(rows[at + 7]), FLOAT64(rows[at + 11]))
    drawn.box_age = 0
    for k in range(6):
        drawn.box[k] = drawn.written_box[k]


@kernel
def _write_bounds(drawn, out):
    """Write the box around all instances with their meshes to six float32 at address `out`: least corner, size."""
    _renew_box(drawn)
    for k in range(3):
        store_float32(out + 4 * k, FLOAT32(drawn.box[k] - drawn.reach))
        store_float32(out + 12 + 4 * k, FLOAT32(drawn.box[3 + k] - drawn.box[k] + 2.0 * drawn.reach))


@kernel
def _hand_over(server, drawn):
    """Write what is still to be written of a set, and give its buffer to the RenderingServer if it changed."""
    if drawn.count == 0:
        return
    if drawn.needs_all != 0:
        if drawn.is_begun == 0:
            _begin(server, drawn)
        _write_all(server, drawn)
    if drawn.is_begun == 0:
        return
    _settle_fresh(server, drawn)
    at, arguments = address_of_record(drawn), stack_array(3, INT64)
    place, bind, target = address_of_row(arguments, 0), server.method_bind_ptrcall, server.rendering_server
    arguments[0] = at + MULTIMESH
    if drawn.reach >= 0.0:
        box = address_of_row(stack_array(6, FLOAT32), 0)
        _write_bounds(drawn, box)
        arguments[1] = box
        call_4(bind, server.set_custom_aabb, target, place, INT64(0))
    arguments[1], arguments[2] = at + BUFFER, at + PREVIOUS
    if drawn.interpolates != 0:
        call_4(bind, server.set_buffer_interpolated, target, place, INT64(0))
    else:
        call_4(bind, server.set_buffer, target, place, INT64(0))
    drawn.is_begun = 0


@kernel
def hand_over_sets(server):
    """Give all buffers that changed to the RenderingServer."""
    sets = sets_of(server)
    for number in range(server.drawn_set_count):
        if sets[number].is_used != 0:
            _hand_over(server, sets[number])


@kernel
def forget_asleep(server):
    """Begin a flush: the bodies that fell asleep in the step before the last are no news."""
    sets = sets_of(server)
    for number in range(server.drawn_set_count):
        sets[number].asleep_count = 0


@kernel
def mark_all(server):
    """Have the next flush write all rows of all sets: bodies are elsewhere, or the zero of the coordinates is."""
    sets = sets_of(server)
    for number in range(server.drawn_set_count):
        sets[number].needs_all = 1


@entry_point("void(int64, int64)")
def hand_over_now(instance, number):
    """Write and give the buffer of one set now."""
    _hand_over(server_at(instance), sets_of(server_at(instance))[number])


@entry_point("void(int64, int64, int64, int64)")
def write_transforms(world_address, rows_address, count, out_address):
    """Write the transforms of bodies, by int64 rows of their pool, in Godot's coordinates: twelve float32 each."""
    indices, bodies = view(rows_address, count, INT64), bodies_of(world_address)
    for n in range(count):
        body, out = bodies[indices[n]], view(out_address + 48 * n, 12, FLOAT32)
        rows, origin = basis_rows(world_address, body), subtract(origin_of(body), frame_of(world_address, indices[n]))
        for i in range(3):
            row = rows[i]
            out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3] = row[0], row[1], row[2], origin[i]
