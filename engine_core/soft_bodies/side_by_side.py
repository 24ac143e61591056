"""The soft bodies of a space as step listeners that are called together, and solved side by side.

Soft bodies that may push the same rigid body in a step, or meet each other, are a group: one thread solves them one after the
other, in the order in which they were made, as each changes what the next one meets. What different groups write is apart. So a
step gives the same bits on any number of threads.

A soft body of several strips (strips.py) is solved by all threads, and the others of its group before or after it. Such groups
are solved one after the other, when the others are done.
"""

import numpy as np

from ..bodies.limits import leave_out
from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY
from ..bodies.system_schema import NEAR_SOFT_BODIES
from ..runtime.job_system import run_one_by_one
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from ..solver.listeners import LISTENER, MOST_LISTENERS
from .groups import most_in_group, solve_group
from .partners import find_partners
from .phases import soft_at
from .schema import MOST_CANDIDATES, MOST_PARTNERS, SOFT_SPACE
from .solving import prepare_soft_body, wake_pushed
from .surroundings import is_movable

INT32, INT64 = np.int32, np.int64


@kernel
def members_of(space):
    """Room for the addresses of the soft bodies of a group of listeners."""
    return view(space.members, MOST_LISTENERS, INT64)


@kernel
def root_of(address):
    """The address of the root of a soft body's group. The way there is made shorter."""
    soft = soft_at(address)
    while soft.group != address:
        soft.group = soft_at(soft.group).group
        address = soft.group
        soft = soft_at(address)
    return address


@kernel
def find_groups(system, space, count):
    """Put the first `count` members into groups: those that may push the same rigid body in this step, or meet, are of one."""
    world, members = world_at(system.world), members_of(space)
    bodies = view(world.bodies, world.body_capacity, BODY)
    owners = view(space.owners, world.body_capacity, INT64)
    for k in range(count):
        soft_at(members[k]).group = members[k]
    for k in range(count):
        soft = soft_at(members[k])
        candidates = view(soft.candidates, MOST_CANDIDATES, INT32)
        for c in range(soft.candidate_count if soft.is_asleep == 0 else 0):
            index = INT64(candidates[c])
            if not is_movable(bodies[index]):
                continue
            if owners[index] == 0:
                owners[index] = members[k]
            else:
                soft_at(root_of(members[k])).group = root_of(owners[index])
        partners = view(soft.partners, MOST_PARTNERS, INT64)
        for p in range(soft.partner_count):
            if soft.is_asleep == 0 and soft_at(partners[p]).is_asleep == 0:
                soft_at(root_of(members[k])).group = root_of(partners[p])
    for k in range(count):
        soft = soft_at(members[k])
        candidates = view(soft.candidates, MOST_CANDIDATES, INT32)
        for c in range(soft.candidate_count):
            owners[INT64(candidates[c])] = 0


@kernel
def note_work(rows, function):
    """Note for the next step what the threads can share: the particles of all awake soft bodies but the largest, or of all if
    that has strips."""
    largest, most = 0, INT64(0)
    for k in range(len(rows)):
        if rows[k].function == function:
            soft = soft_at(rows[k].context)
            rows[k].work = soft.particle_count if soft.is_enabled != 0 and soft.is_asleep == 0 else 0
            if rows[k].work > most:
                largest, most = k, INT64(rows[k].work)
    if soft_at(rows[largest].context).strip_count == 1:
        rows[largest].work = 0


@entry_point("void(int64, int64, int64, int64)")
def prepare_members(space_address, begin, end, worker):
    """Job over soft bodies before a step. Reads bodies, areas and trees; writes the soft body."""
    space = view(space_address, 1, SOFT_SPACE)[0]
    members = members_of(space)
    for k in range(begin, end):
        prepare_soft_body(system_at(space.system), soft_at(members[k]), space.time)


@entry_point("void(int64, int64, float64)")
def begin_soft_bodies(system_address, group, time):
    """Step listener of soft bodies together, before the step: wake what was pushed; look around; find groups."""
    system, size = system_at(system_address), view(group, 1, LISTENER)[0].group_size
    rows = view(group, size, LISTENER)
    space_address = soft_at(rows[0].context).space
    space, function = view(space_address, 1, SOFT_SPACE)[0], rows[0].function
    members, count = members_of(space), 0
    for k in range(size):
        soft = soft_at(rows[k].context)
        if rows[k].function == function and soft.is_enabled != 0 and soft.particle_count > 0:
            wake_pushed(system, soft)
            members[count] = rows[k].context
            count += 1
    space.time = time
    run_one_by_one(system.step.job_system, system.step.is_shared != 0, space.prepare_job, space_address, count)
    find_partners(members, view(space.heads, MOST_LISTENERS, INT64), count)
    for k in range(count):
        if soft_at(members[k]).left_out > 0:
            leave_out(system, NEAR_SOFT_BODIES, soft_at(members[k]).left_out)
    find_groups(system, space, count)
    note_work(rows, function)


@entry_point("void(int64, int64, int64, int64)")
def solve_groups(space_address, begin, end, worker):
    """Job over groups of soft bodies in a sub-step. Reads bodies; writes soft bodies, and solver rows of its own."""
    space = view(space_address, 1, SOFT_SPACE)[0]
    heads, system = view(space.heads, MOST_LISTENERS, INT64), system_at(space.system)
    for k in range(begin, end):
        solve_group(system, heads[k], space.time, False)


@kernel
def chain_groups(rows, function, heads):
    """Chain the awake soft bodies of each group in the order of their listeners. Write the first of each; return their
    number."""
    for k in range(len(rows)):
        if rows[k].function == function and soft_at(rows[k].context).group != 0:
            soft_at(root_of(rows[k].context)).last = 0
    count = 0
    for k in range(len(rows)):
        address = rows[k].context
        soft = soft_at(address)
        if rows[k].function != function or soft.group == 0 or soft.is_enabled == 0 or soft.is_asleep != 0:
            continue
        root = soft_at(root_of(address))
        if root.last == 0:
            heads[count] = address
            count += 1
        else:
            soft_at(root.last).next = address
        root.last, soft.next = address, 0
    return count


@kernel
def put_wide_groups_last(heads, count):
    """Move the groups that all threads solve together to the end. Return how many others there are."""
    narrow = 0
    for k in range(count):
        if most_in_group(heads[k])[0] == 1:
            heads[narrow], heads[k] = heads[k], heads[narrow]
            narrow += 1
    return narrow


@entry_point("void(int64, int64, float64)")
def solve_soft_bodies(system_address, group, h):
    """Step listener of soft bodies together, in each sub-step: move their particles for `h` [s]."""
    system, size = system_at(system_address), view(group, 1, LISTENER)[0].group_size
    rows = view(group, size, LISTENER)
    space_address = soft_at(rows[0].context).space
    space = view(space_address, 1, SOFT_SPACE)[0]
    heads, is_shared = view(space.heads, MOST_LISTENERS, INT64), system.step.is_shared != 0
    count, space.time = chain_groups(rows, rows[0].function, heads), h
    narrow = put_wide_groups_last(heads, count)
    run_one_by_one(system.step.job_system, is_shared, space.solve_job, space_address, narrow)
    for k in range(narrow, count):
        solve_group(system, heads[k], h, is_shared)
