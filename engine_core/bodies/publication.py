"""How a body is changed while queries of other threads read it: nobody waits, nobody sees half a change.

A body has its pose, velocities and list of shapes twice: the fields that the step and the setters work on, and a shadow. While
`published` is even the fields are read; while it is odd, the shadow, which is as the body was before the change. Who has read
looks at `published` again and repeats if it moved on: so a reader repeats only when a writer got on, and a writer that stops
in the middle stops no reader (a sequence lock with two copies; the "latch" of the Linux kernel's seqlock documentation).

The order of a change is written in docs/publication.md:
`begin_change`, the new fields, the fat bounds, `tree_widen`, `end_change`.
One body is changed by one thread at a time: by the step, or by whoever holds the system's gate (edits.py).
"""

from ..geometry.vector import quaternion, store3, store4, vector3
from ..runtime import atomics
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_record, view
from .schema import BODY, WORLD

PUBLISHED = BODY.fields["published"][1]


@kernel
def begin_change(body):
    """From here until `end_change` queries see the body as it is now. Not to be nested."""
    address = address_of_record(body) + PUBLISHED
    atomics.fence_release()  # who still reads the shadow of the change before must find that it has ended
    store3(body.shadow_position, vector3(body.position))
    store4(body.shadow_rotation, quaternion(body.rotation))
    store3(body.shadow_linear_velocity, vector3(body.linear_velocity))
    store3(body.shadow_angular_velocity, vector3(body.angular_velocity))
    body.shadow_first_instance = body.first_instance
    body.shadow_instance_count = body.instance_count
    atomics.store_release_int64(address, atomics.load_acquire_int64(address) + 1)
    atomics.fence_release()


@kernel
def end_change(body):
    """Queries see the body as it is now. Its trees cover it already."""
    address = address_of_record(body) + PUBLISHED
    atomics.store_release_int64(address, atomics.load_acquire_int64(address) + 1)


@kernel
def read_body(body):
    """What queries go by, of one moment: (position of the centre of mass [m], rotation, first row of its shapes, their
    number)."""
    address = address_of_record(body) + PUBLISHED
    while True:
        before = atomics.load_acquire_int64(address)
        if before & 1 == 0:
            position, rotation = vector3(body.position), quaternion(body.rotation)
            first, count = body.first_instance, body.instance_count
        else:
            position, rotation = vector3(body.shadow_position), quaternion(body.shadow_rotation)
            first, count = body.shadow_first_instance, body.shadow_instance_count
        atomics.fence_acquire()
        if atomics.load_acquire_int64(address) == before:
            return position, rotation, first, count


@kernel
def read_pose(body):
    """Position of the centre of mass [m] and rotation, of one moment."""
    position, rotation, _, _ = read_body(body)
    return position, rotation


@kernel
def read_motion(body, out):
    """Position [m], rotation, linear [m/s] and angular velocity [rad/s] of one moment, to thirteen doubles."""
    address = address_of_record(body) + PUBLISHED
    while True:
        before = atomics.load_acquire_int64(address)
        if before & 1 == 0:
            store3(out[0:3], vector3(body.position))
            store4(out[3:7], quaternion(body.rotation))
            store3(out[7:10], vector3(body.linear_velocity))
            store3(out[10:13], vector3(body.angular_velocity))
        else:
            store3(out[0:3], vector3(body.shadow_position))
            store4(out[3:7], quaternion(body.shadow_rotation))
            store3(out[7:10], vector3(body.shadow_linear_velocity))
            store3(out[10:13], vector3(body.shadow_angular_velocity))
        atomics.fence_acquire()
        if atomics.load_acquire_int64(address) == before:
            return


@entry_point("void(int64, int64, int64)")
def publish(world, index, is_end):
    """`begin_change` (0) or `end_change` (1) for Python."""
    record = view(world, 1, WORLD)[0]
    body = view(record.bodies, record.body_capacity, BODY)[index]
    if is_end:
        end_change(body)
    else:
        begin_change(body)
