"""How a body is changed while queries on other threads read it: no thread waits, and no query sees half a change.

While `published` of a body is even, its pose, velocities and list of shapes are read from its row; while it is odd, from a
SHADOW, a copy of the body from before the change. A reader checks `published` again afterwards and repeats if it has changed. So
a reader repeats only when a writer made progress, and a writer that stops in the middle blocks no reader (a sequence lock with
two copies; the "latch" of the Linux kernel's seqlock documentation).

A thread changes one body at a time, so it needs one SHADOW, which it uses for one body after the other: a reader that finds the
copy of the next body also finds that the change of its own has ended. A system has one for each worker of its jobs; number 0
belongs to the thread that holds the system's gate (edit/commands.py). A body in no system belongs to its owner alone and is not
published.

The order of a change is described in docs/publication.md:
`begin_change`, the new fields, the fat bounds, `tree_widen`, `end_change`.
"""

import numpy as np

from ..geometry.vector import quaternion, store3, store4, vector3
from ..runtime import atomics
from ..runtime.cores import MAX_THREADS
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_record, view
from .records import world_at
from .schema import BODY, SHADOW

PUBLISHED = BODY.fields["published"][1]
SHADOW_SIZE = SHADOW.itemsize
assert SHADOW_SIZE == 128


@kernel
def begin_change(world_address, body, worker):
    """Begin a change: until `end_change` queries see the body as it is now. One body a worker at a time: not to be nested."""
    if body.system < 0:
        return
    address = address_of_record(body) + PUBLISHED
    body.shadow = world_at(world_address).shadows + (np.int64(body.system) * MAX_THREADS + worker) * SHADOW_SIZE
    shadow = view(body.shadow, 1, SHADOW)[0]
    atomics.fence_release()  # a reader of this shadow must find that the previous change has ended
    store3(shadow.position, vector3(body.position))
    store4(shadow.rotation, quaternion(body.rotation))
    store3(shadow.linear_velocity, vector3(body.linear_velocity))
    store3(shadow.angular_velocity, vector3(body.angular_velocity))
    shadow.first_instance = body.first_instance
    shadow.instance_count = body.instance_count
    atomics.store_release_int64(address, atomics.load_acquire_int64(address) + 1)
    atomics.fence_release()


@kernel
def end_change(body):
    """End a change: queries see the body as it is now. Its trees already cover it."""
    address = address_of_record(body) + PUBLISHED
    published = atomics.load_acquire_int64(address)
    if published & 1:
        atomics.store_release_int64(address, published + 1)


@kernel
def read_body(body):
    """Read the data of queries at one moment: (position of the centre of mass [m], rotation, first row of its shapes, their
    number)."""
    address = address_of_record(body) + PUBLISHED
    while True:
        before = atomics.load_acquire_int64(address)
        if before & 1 == 0:
            position, rotation = vector3(body.position), quaternion(body.rotation)
            first, count = body.first_instance, body.instance_count
        else:
            shadow = view(body.shadow, 1, SHADOW)[0]
            position, rotation = vector3(shadow.position), quaternion(shadow.rotation)
            first, count = shadow.first_instance, shadow.instance_count
        atomics.fence_acquire()
        if atomics.load_acquire_int64(address) == before:
            return position, rotation, first, count


@kernel
def read_pose(body):
    """Read the position of the centre of mass [m] and the rotation at one moment."""
    position, rotation, _, _ = read_body(body)
    return position, rotation


@kernel
def read_motion(body, out):
    """Read position [m], rotation, linear [m/s] and angular velocity [rad/s] at one moment, to thirteen doubles."""
    address = address_of_record(body) + PUBLISHED
    while True:
        before = atomics.load_acquire_int64(address)
        if before & 1 == 0:
            store3(out[0:3], vector3(body.position))
            store4(out[3:7], quaternion(body.rotation))
            store3(out[7:10], vector3(body.linear_velocity))
            store3(out[10:13], vector3(body.angular_velocity))
        else:
            shadow = view(body.shadow, 1, SHADOW)[0]
            store3(out[0:3], vector3(shadow.position))
            store4(out[3:7], quaternion(shadow.rotation))
            store3(out[7:10], vector3(shadow.linear_velocity))
            store3(out[10:13], vector3(shadow.angular_velocity))
        atomics.fence_acquire()
        if atomics.load_acquire_int64(address) == before:
            return


@entry_point("void(int64, int64, int64)")
def publish(world_address, index, is_end):
    """Call `begin_change` (0) or `end_change` (1) from Python, which holds the gate."""
    record = world_at(world_address)
    body = view(record.bodies, record.body_capacity, BODY)[index]
    if is_end:
        end_change(body)
    else:
        begin_change(world_address, body, np.int64(0))
