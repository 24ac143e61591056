"""The hash of a space: one number of all that decides how it moves on, to compare two runs tick by tick.

It covers poses, velocities, rest and the place in the solver of every body, the particles of soft bodies, and the impulses of
contacts and joints from which the next step starts. Every word is mixed in by a rotation, an exclusive or and a product with an
odd number (the hash of Firefox, "FxHash"), which lose nothing: two spaces that differ in one word have different hashes. Four
chains side by side, so that the processor need not wait for each product.
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY
from ..collision.schema import MANIFOLD
from ..constraints.colours import colours_of
from ..constraints.schema import COLOUR_COUNT
from ..joints.order import members_of
from ..joints.schema import JOINT
from ..runtime.call import load_int32, load_int64
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_record, stack_array, view
from ..solver.listeners import LISTENER, MOST_LISTENERS

INT64 = np.int64
SEEDS = (0x243F6A8885A308D3, 0x13198A2E03707344, 0x24093822299F31D0, 0x082EFA98EC4E6C89)
"""Digits of pi: where the four chains begin."""
FACTOR = 0x27D4EB2F165667C5
LOW_32 = (1 << 32) - 1
CHAINS, JOINT_SIZE, MANIFOLD_SIZE = 4, JOINT.itemsize, MANIFOLD.itemsize

POSE_FIRST, POSE_LAST = BODY.fields["id"][1], BODY.fields["inverse_mass"][1]
MOTION_FIRST, MOTION_LAST = BODY.fields["flags"][1], BODY.fields["inverse_inertia_world"][1]
"""Flags, place among the awake ones, velocities."""
REST = BODY.fields["sleep_time"][1]
"""The word with the time for which a body has been slow, and its friction."""
MANIFOLD_FIRST, MANIFOLD_LAST = MANIFOLD.fields["normal_impulse"][1], MANIFOLD.fields["feature"][1]
JOINT_FIRST, JOINT_LAST = JOINT.fields["linear_impulse"][1], JOINT.fields["error"][1]
ROW_FIRST, ROW_LAST = JOINT.fields["row_impulse"][1] // 8 * 8, JOINT.fields["total_time"][1]
POINT_COUNT = MANIFOLD.fields["point_count"][1]
assert MANIFOLD.fields["pair"][1] == 0
assert MANIFOLD_LAST - MANIFOLD_FIRST == 32
assert (POSE_LAST - POSE_FIRST) % 8 == MOTION_FIRST % 8 == (MOTION_LAST - MOTION_FIRST) % 8 == 0
assert MANIFOLD_FIRST % 8 == REST % 8 == JOINT_FIRST % 8 == ROW_FIRST % 8 == 0


@kernel
def mix(chain, word):
    """The chain with one more word."""
    return ((chain << 5 | chain >> 59 & INT64(31)) ^ word) * INT64(FACTOR)


@kernel
def mix_words(chains, address, begin, end):
    """Mix the words of a record from one byte to another into the four chains, in turn."""
    one, two, three, four = chains[0], chains[1], chains[2], chains[3]
    at, last = address + begin, address + end
    while at + 32 <= last:
        one, two = mix(one, load_int64(at)), mix(two, load_int64(at + 8))
        three, four = mix(three, load_int64(at + 16)), mix(four, load_int64(at + 24))
        at += 32
    while at < last:
        one, two, three, four = two, three, four, mix(one, load_int64(at))
        at += 8
    chains[0], chains[1], chains[2], chains[3] = one, two, three, four


@kernel
def begin_chains(chains):
    """Set the four chains to their seeds: nothing was mixed in yet."""
    chains[0], chains[1], chains[2], chains[3] = INT64(SEEDS[0]), INT64(SEEDS[1]), INT64(SEEDS[2]), INT64(SEEDS[3])


@kernel
def end_hash(chains):
    """The hash of all that was mixed in: each bit of it depends on all chains."""
    result = mix(mix(mix(mix(INT64(SEEDS[0]), chains[0]), chains[1]), chains[2]), chains[3])
    result = (result ^ result >> 32 & INT64(LOW_32)) * INT64(FACTOR)
    return result ^ result >> 32 & INT64(LOW_32)


@kernel
def mix_bodies(chains, system):
    """Mix in the bodies and areas of a system, in the order of their rows."""
    bodies = bodies_of(system.world)
    for index in range(world_at(system.world).body_count):
        body = bodies[index]
        if body.id != 0 and body.system == system.index:
            address = address_of_record(body)
            mix_words(chains, address, POSE_FIRST, POSE_LAST)
            mix_words(chains, address, MOTION_FIRST, MOTION_LAST)
            chains[0] = mix(chains[0], load_int64(address + REST))


@kernel
def mix_contacts(chains, system):
    """Mix in the impulses of all contacts. Which row a contact has depends on the order of threads: so each is mixed for itself,
    with the number of its pair, and their sum counts. Points that a contact does not have keep what was in the row before."""
    address, total = system.manifolds.rows, INT64(0)
    for _ in range(system.manifolds.count):
        pair = INT64(load_int32(address))
        if pair >= 0:
            count = load_int32(address + POINT_COUNT) & 0xFF
            first, second = load_int64(address + MANIFOLD_FIRST), load_int64(address + MANIFOLD_FIRST + 8)
            first &= INT64(-1) if count > 1 else INT64(LOW_32)
            second &= INT64(-1) if count > 3 else INT64(LOW_32) if count > 2 else INT64(0)
            one = mix(mix(mix(INT64(SEEDS[1]), pair), first), second)
            total += mix(mix(one, load_int64(address + MANIFOLD_FIRST + 16)), load_int64(address + MANIFOLD_FIRST + 24))
        address += MANIFOLD_SIZE
    chains[1] = mix(chains[1], total)


@kernel
def mix_joints(chains, system):
    """Mix in the impulses of the joints that are solved, colour by colour."""
    colours, joints = colours_of(system), world_at(system.world).joints
    for colour in range(COLOUR_COUNT + 1):
        for index in members_of(colours, colour):
            address = joints + index * JOINT_SIZE
            mix_words(chains, address, JOINT_FIRST, JOINT_LAST)
            mix_words(chains, address, ROW_FIRST, ROW_LAST)


@kernel
def mix_listeners(chains, system):
    """Mix in what the listeners of steps have: positions and velocities of the particles of soft bodies."""
    listeners = view(system.step.listeners, MOST_LISTENERS, LISTENER)
    for k in range(system.step.listener_count):
        for half in range(2):
            mix_words(chains, listeners[k].state[half], 0, 8 * listeners[k].state_words)


@kernel
def hash_of(system):
    """The hash of a system."""
    chains = stack_array(CHAINS, INT64)
    begin_chains(chains)
    mix_bodies(chains, system)
    mix_contacts(chains, system)
    mix_joints(chains, system)
    mix_listeners(chains, system)
    return end_hash(chains)


@entry_point("int64(int64)")
def hash_space(address):
    """The hash of the system at an address. For the thread that steps, between steps."""
    return hash_of(system_at(address))
