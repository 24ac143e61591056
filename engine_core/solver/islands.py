"""Islands: bodies that touch or are joined, found by union-find; they fall asleep together and wake together.

`island_link` of an active body is the slot of another in the active list, never a higher one; a root links to itself. Union
puts the higher root under the lower by compare-exchange and shortens only the two paths it came by (the lock-free scheme of
the Horizon Forbidden West talk, here with path halving after van Leeuwen and van der Weide), so any number of threads may link
at once and the result does not depend on their order.
"""

import numpy as np

from ..bodies.motion import begin_rest
from ..bodies.overlap import is_deep, size_of
from ..bodies.schema import BODY, KINEMATIC, RIGID
from ..collision.pairs import lowest_separation, manifolds_of
from ..constraints.colours import colours_of
from ..constraints.schema import COLOUR_COUNT
from ..geometry.vector import dot, quaternion, rotate, subtract, vector3
from ..joints.colours import has_to_move, moves
from ..joints.preparation import joints_of
from ..runtime.atomics import compare_exchange_int32, load_relaxed_int32, min_int32
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, view
from .rest import is_brought_home

INT32, FLOAT32 = np.int32, np.float32
CREEP, LEAST_CREEP = 0.02, 1.0e-3
"""Bodies that overlap deeply may sleep when they move apart at less than CREEP inner radii of the smaller body a second, or at
less than LEAST_CREEP [m/s]."""
LINK_OFFSET = BODY.fields["island_link"][1]


@kernel
def link_address(bodies, active, slot):
    return address_of_row(bodies, active[slot]) + LINK_OFFSET


@kernel
def find_root(bodies, active, slot):
    """The lowest known slot of the island of `slot`, and the number of loops the search took. It makes every second link of the
    path skip one: a link only ever goes down, whichever thread writes it."""
    loops = 0
    while True:
        above = load_relaxed_int32(link_address(bodies, active, slot))
        if above == slot:
            return slot, loops
        loops += 1
        higher = load_relaxed_int32(link_address(bodies, active, above))
        if higher == above:
            return above, loops
        min_int32(link_address(bodies, active, slot), higher)
        slot = higher


@kernel
def link(bodies, active, slot_a, slot_b):
    """Put two bodies of the active list into one island. Any thread, at any time during the narrow phase."""
    a, b = slot_a, slot_b
    while True:
        a, _ = find_root(bodies, active, a)
        b, _ = find_root(bodies, active, b)
        if a == b:
            break
        low, high = min(a, b), max(a, b)
        if compare_exchange_int32(link_address(bodies, active, high), INT32(high), INT32(low)) == high:
            a = low
            break
    min_int32(link_address(bodies, active, slot_a), INT32(a))
    min_int32(link_address(bodies, active, slot_b), INT32(a))


@kernel
def begin_islands(system, bodies, active):
    """Every active body is its own island."""
    for slot in range(system.bodies.active_count):
        bodies[active[slot]].island_link = INT32(slot)


@kernel
def moved_at_rest(body):
    """Displacement of a body since it began to rest, world axes [m]; zero for bodies that the solver does not move."""
    if body.mode < RIGID:
        return (0.0, 0.0, 0.0)
    return vector3(body.rest_way)


@kernel
def is_parting(system, manifold, a, b):
    """Whether two bodies that have rested long enough to sleep overlap deeply and are still being pushed apart. Their velocities
    do not show it: the push moves bodies without speed."""
    time = max(a.sleep_time if a.mode >= RIGID else FLOAT32(0.0), b.sleep_time if b.mode >= RIGID else FLOAT32(0.0))
    if time < system.settings.time_to_sleep or not is_deep(system, a, b, lowest_separation(manifold)):
        return False
    normal = rotate(quaternion(a.rotation), vector3(manifold.normal))
    creep = max(CREEP * min(size_of(a), size_of(b)), LEAST_CREEP)
    return dot(subtract(moved_at_rest(b), moved_at_rest(a)), normal) > creep * time


@kernel
def link_contacts(system, bodies, active):
    """Link bodies that touch. A body that touches a moving kinematic body does not rest; neither does a body that is being pushed
    out of another one."""
    manifolds = manifolds_of(system)
    colours = colours_of(system)
    for colour in range(COLOUR_COUNT + 1):
        members = view(colours.lists[colour], system.manifolds.capacity, INT32)
        for slot in range(colours.counts[colour]):
            manifold = manifolds[members[slot]]
            a, b = bodies[manifold.body_a], bodies[manifold.body_b]
            if a.mode >= RIGID and b.mode >= RIGID:
                link(bodies, active, INT32(a.active_index), INT32(b.active_index))
            is_carried = (a.mode == KINEMATIC and a.active_index >= 0) or (b.mode == KINEMATIC and b.active_index >= 0)
            if is_carried or is_parting(system, manifold, a, b):
                for side in range(2):
                    body = a if side == 0 else b
                    if body.mode >= RIGID:
                        begin_rest(body)


@kernel
def link_joints(system, bodies, active):
    """Link joined bodies. A body joined to a moving kinematic body, driven by a moving motor, or brought to its place by a spring
    does not rest."""
    joints = joints_of(system)
    members = view(system.joints.active, system.joints.count, INT32)
    for k in range(system.joints.count):
        joint = joints[members[k]]
        a, b = joint.bodies[0], joint.bodies[1]
        if joint.colour < 0:
            continue
        if moves(bodies, a) and moves(bodies, b):
            link(bodies, active, INT32(bodies[a].active_index), INT32(bodies[b].active_index))
        is_driven = has_to_move(joint)
        for side in range(2):
            index, other = joint.bodies[side], joint.bodies[1 - side]
            if not moves(bodies, index):
                continue
            is_carried = other >= 0 and bodies[other].mode == KINEMATIC and bodies[other].active_index >= 0
            if is_driven or is_carried or (joint.sprung != 0 and is_brought_home(system, bodies[index])):
                begin_rest(bodies[index])


@kernel
def finish_islands(system, bodies, active):
    """Flatten the links (a root is always lower, so one pass in order is enough), and store the least sleep time of each island
    in `scratch`, at its root's slot. Returns the number of islands."""
    rest = view(system.step.scratch, system.bodies.active_count, np.float32)
    count = 0
    for slot in range(system.bodies.active_count):
        body = bodies[active[slot]]
        root = body.island_link
        if root == slot:
            count += 1
            rest[slot] = body.sleep_time if body.mode >= RIGID else np.float32(0.0)
        else:
            root = bodies[active[root]].island_link
            body.island_link = root
            rest[root] = min(rest[root], body.sleep_time)
    return count
