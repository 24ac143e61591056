"""Copying the state of a space out of its pools and back, compiled: an image, as schema.py describes it.

Both hold the gate of the space, so no step and no edit is under way. Putting back also closes the trees of the space: queries
that begin wait, some 100 us, and those under way are waited for. A reader of one body finds it as it was before or after,
never half (bodies/publication.py).
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.publication import begin_change, end_change
from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, BODY_RARE, CONTACT_REPORT, HAS_RARE
from ..bodies.system_schema import offset_of
from ..broad_phase.new_tree import users_of
from ..broad_phase.schema import TREE
from ..broad_phase.tree_edits import IS_CLOSED
from ..collision.schema import MANIFOLD
from ..edit.commands import STEPPING, take_gate
from ..joints.schema import JOINT
from ..runtime import atomics
from ..runtime.c_memory import fill_memory
from ..runtime.call import call_3_result, load_int64, store_int64
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_record, view
from ..runtime.parking import PARKING, give_way
from .population import count_population
from .schema import BESIDE_MANIFOLDS, BODIES, HEADER, JOINTS, OF_BODIES, REGION, REPORTS, ROWS, SPACE

INT32, INT64 = np.int32, np.int64
BODY_SIZE, MANIFOLD_SIZE, TREE_SIZE, JOINT_SIZE = BODY.itemsize, MANIFOLD.itemsize, TREE.itemsize, JOINT.itemsize
REPORT_SIZE, HEADER_SIZE = CONTACT_REPORT.itemsize, HEADER.itemsize
IS_IN_MAINTENANCE = TREE.fields["is_in_maintenance"][1]
ORIGIN_VERSION = offset_of("place", "origin_version")
SAVED, NO_ROOM = 1, 0
RESTORED, BUSY = 1, 0
PATIENCE = 200_000
"""So many times a restore yields to queries under way before it gives up: a tenth of a second and more."""


@kernel
def padded(byte_count):
    """Round up to eight bytes."""
    return (byte_count + 7) & ~7


@kernel
def copy_bytes(space, target, source, byte_count):
    """Copy memory with C's memcpy."""
    if byte_count > 0:
        call_3_result(space.copy, target, source, byte_count)


@kernel
def is_used(region):
    """Whether a region has rows at present."""
    return region.only_if == 0 or load_int64(region.only_if) != 0


@kernel
def most_bytes(space, region, body_count):
    """The most bytes that a region takes in an image."""
    if not is_used(region):
        return 8
    if region.kind == ROWS:
        return 8 + padded(load_int64(region.count) * region.size)
    if region.kind == BODIES or region.kind == OF_BODIES:
        return 16 + body_count * (region.size + 4)
    if region.kind == JOINTS:
        return 16 + space.joint_count * (region.size + 4)
    if region.kind == BESIDE_MANIFOLDS:
        return 8 + load_int64(region.count) * region.size
    return 8


@kernel
def report_bytes(system):
    """The most bytes that the contacts take which bodies report."""
    world, total = world_at(system.world), 0
    if world.reporting_count == 0:
        return total
    bodies, rares = bodies_of(system.world), view(world.rare_bodies, world.body_capacity, BODY_RARE)
    for index in range(world.body_count):
        if bodies[index].id != 0 and bodies[index].system == system.index and bodies[index].flags & HAS_RARE:
            total += INT64(rares[index].contact_count) * REPORT_SIZE
    return total


@entry_point("int64(int64)")
def measure_space(address):
    """The most bytes that an image of the space takes whose SPACE is at an address."""
    space = view(address, 1, SPACE)[0]
    system, regions = system_at(space.system), view(space.regions, space.region_count, REGION)
    body_count, total = world_at(system.world).body_count, HEADER_SIZE + report_bytes(system)
    for k in range(space.region_count):
        total += most_bytes(space, regions[k], body_count)
    return INT64(total)


# Saving.


@kernel
def save_bodies(space, system, region, at):
    """Save the rows of the space's bodies and areas: runs of neighbours at once. Return the end."""
    bodies, body_count = bodies_of(system.world), world_at(system.world).body_count
    numbers, count = view(at + 8, body_count, INT32), 0
    for index in range(body_count):
        if bodies[index].id != 0 and bodies[index].system == system.index:
            numbers[count] = INT32(index)
            count += 1
    store_int64(at, count)
    rows, start, k = load_int64(region.base), at + 8 + padded(4 * count), 0
    while k < count:
        end = k + 1
        while end < count and numbers[end] == numbers[end - 1] + 1:
            end += 1
        copy_bytes(space, start + k * region.size, rows + numbers[k] * region.size, (end - k) * region.size)
        k = end
    return start + padded(count * region.size)


@kernel
def save_of_bodies(space, system, region, listed, at):
    """Save the rows of those bodies that have a flag. `listed`: the region of the bodies in the image. Return the end."""
    bodies, rows, count = bodies_of(system.world), load_int64(region.base), 0
    numbers, start = view(listed + 8, load_int64(listed), INT32), at + 8
    for k in range(load_int64(listed)):
        if bodies[numbers[k]].flags & region.flag or region.flag == 0:
            copy_bytes(space, start + count * region.size, rows + numbers[k] * region.size, region.size)
            count += 1
    store_int64(at, count)
    return start + padded(count * region.size)


@kernel
def save_joints(space, system, region, at):
    """Save the joints of the space's bodies. Return the end."""
    bodies, joints = bodies_of(system.world), view(load_int64(region.base), space.joint_count, JOINT)
    numbers, count = view(at + 8, space.joint_count, INT32), 0
    for index in range(space.joint_count):
        a, b = joints[index].bodies[0], joints[index].bodies[1]
        is_ours = (a >= 0 and bodies[a].system == system.index) or (b >= 0 and bodies[b].system == system.index)
        if joints[index].id != 0 and is_ours:
            numbers[count] = INT32(index)
            count += 1
    store_int64(at, count)
    start = at + 8 + padded(4 * count)
    for k in range(count):
        copy_bytes(space, start + k * region.size, load_int64(region.base) + numbers[k] * region.size, region.size)
    return start + padded(count * region.size)


@kernel
def save_beside_manifolds(space, system, region, at):
    """Save the rows whose manifolds have a flag. Return the end."""
    manifolds, rows, count = view(system.manifolds.rows, system.manifolds.count, MANIFOLD), load_int64(region.base), 0
    for index in range(system.manifolds.count if is_used(region) else 0):
        if manifolds[index].pair >= 0 and manifolds[index].flags & region.flag:
            copy_bytes(space, at + 8 + count * region.size, rows + index * region.size, region.size)
            count += 1
    store_int64(at, count)
    return at + 8 + padded(count * region.size)


@kernel
def save_reports(space, system, listed, at):
    """Save the contacts that bodies report. Return the end."""
    world = world_at(system.world)
    bodies, rares = bodies_of(system.world), view(world.rare_bodies, world.body_capacity, BODY_RARE)
    numbers, start, total = view(listed + 8, load_int64(listed), INT32), at + 8, 0
    for k in range(load_int64(listed) if world.reporting_count > 0 else 0):
        rare = rares[numbers[k]]
        if bodies[numbers[k]].flags & HAS_RARE and rare.contacts != 0:
            copy_bytes(space, start + total * REPORT_SIZE, rare.contacts, INT64(rare.contact_count) * REPORT_SIZE)
            total += rare.contact_count
    store_int64(at, total)
    return start + total * REPORT_SIZE


@kernel
def save_region(space, system, region, listed, at):
    """Save one region from `at` on. Return the end."""
    if region.kind == BODIES:
        return save_bodies(space, system, region, at)
    if region.kind == OF_BODIES:
        return save_of_bodies(space, system, region, listed, at)
    if region.kind == JOINTS:
        return save_joints(space, system, region, at)
    if region.kind == BESIDE_MANIFOLDS:
        return save_beside_manifolds(space, system, region, at)
    if region.kind == REPORTS:
        return save_reports(space, system, listed, at)
    count = load_int64(region.count) if is_used(region) else 0
    store_int64(at, count)
    copy_bytes(space, at + 8, load_int64(region.base), count * region.size)
    return at + 8 + padded(count * region.size)


@kernel
def write_image(space, system, image, capacity):
    """Write an image. Return SAVED, or NO_ROOM."""
    regions = view(space.regions, space.region_count, REGION)
    body_count = world_at(system.world).body_count
    header, at, listed = view(image, 1, HEADER)[0], image + HEADER_SIZE, INT64(0)
    last = image + capacity - report_bytes(system)
    for k in range(space.region_count):
        if at + most_bytes(space, regions[k], body_count) > last:
            return INT64(NO_ROOM)
        if regions[k].kind == BODIES:
            listed = at
        at = save_region(space, system, regions[k], listed, at)
    header.byte_count, header.region_count, header.step_count = at - image, space.region_count, system.step.count
    header.body_count = count_population(system, space.joint_count, space.setting_count, header.population)
    header.listener_count = system.step.listener_count
    return INT64(SAVED)


@entry_point("int64(int64, int64, int64)")
def save_space(address, image, capacity):
    """Save the space whose SPACE is at an address to an image with room for `capacity` bytes. Return SAVED or NO_ROOM. For any
    thread but one that holds the gate; waits for a running step."""
    space = view(address, 1, SPACE)[0]
    system = system_at(space.system)
    take_gate(space.system, STEPPING)
    answer = write_image(space, system, image, capacity)
    call_3_result(world_at(system.world).edit_function, system.world, INT64(0), space.system)
    return answer


# Putting back.


@kernel
def open_trees(system, count):
    """Open the first `count` trees of a system again."""
    for layer in range(count):
        atomics.exchange_int64(system.trees.rows + layer * TREE_SIZE + IS_CLOSED, 0)
        atomics.exchange_int64(system.trees.rows + layer * TREE_SIZE + IS_IN_MAINTENANCE, 0)


@kernel
def close_trees(system):
    """Close the trees of a system and wait until no query uses them and no loader works on them. Return False if that takes too
    long; then they are open again."""
    parking, waited = view(world_at(system.world).parking, 1, PARKING)[0], 0
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        while atomics.compare_exchange_int64(tree + IS_IN_MAINTENANCE, 0, 1) != 0:
            waited += 1
            if waited > PATIENCE:
                open_trees(system, layer)
                return False
            give_way(parking)
        atomics.exchange_int64(tree + IS_CLOSED, 1)
    for layer in range(system.trees.layer_count):
        for parity in range(2):
            while users_of(system.trees.rows + layer * TREE_SIZE, parity) != 0:
                waited += 1
                if waited > PATIENCE:
                    open_trees(system, system.trees.layer_count)
                    return False
                give_way(parking)
    return True


@kernel
def restore_row(space, region, target, source):
    """Put back the parts of a row that do not belong to the process."""
    if region.run_count == 0:
        copy_bytes(space, target, source, region.size)
    runs = view(region.runs, 2 * region.run_count, INT64)
    for k in range(region.run_count):
        begin, end = runs[2 * k], runs[2 * k + 1]
        copy_bytes(space, target + begin, source + begin, end - begin)


@kernel
def restore_bodies(space, system, region, at):
    """Put back the rows of bodies, each as one change for readers on other threads. Return the end."""
    bodies, count = bodies_of(system.world), load_int64(at)
    numbers, start = view(at + 8, count, INT32), at + 8 + padded(4 * count)
    for k in range(count):
        body = bodies[numbers[k]]
        begin_change(system.world, body, INT64(0))
        restore_row(space, region, address_of_record(body), start + k * region.size)
        end_change(body)
    return start + padded(count * region.size)


@kernel
def restore_numbered(space, region, at):
    """Put back rows whose numbers stand in front. Return the end."""
    count, rows = load_int64(at), load_int64(region.base)
    numbers, start = view(at + 8, count, INT32), at + 8 + padded(4 * count)
    for k in range(count):
        restore_row(space, region, rows + numbers[k] * region.size, start + k * region.size)
    return start + padded(count * region.size)


@kernel
def restore_of_bodies(space, system, region, listed, at):
    """Put back the rows of those bodies that have a flag; their own rows are back already. Return the end."""
    bodies, rows, count = bodies_of(system.world), load_int64(region.base), 0
    numbers, start = view(listed + 8, load_int64(listed), INT32), at + 8
    for k in range(load_int64(listed)):
        if bodies[numbers[k]].flags & region.flag or region.flag == 0:
            restore_row(space, region, rows + numbers[k] * region.size, start + count * region.size)
            count += 1
    return start + padded(count * region.size)


@kernel
def restore_beside_manifolds(space, system, region, at):
    """Put back the rows whose manifolds have a flag; the manifolds are back already. Return the end."""
    manifolds, rows, count = view(system.manifolds.rows, system.manifolds.count, MANIFOLD), load_int64(region.base), 0
    for index in range(system.manifolds.count if load_int64(at) > 0 else 0):
        if manifolds[index].pair >= 0 and manifolds[index].flags & region.flag:
            restore_row(space, region, rows + index * region.size, at + 8 + count * region.size)
            count += 1
    return at + 8 + padded(load_int64(at) * region.size)


@kernel
def restore_reports(space, system, listed, at):
    """Put back the contacts that bodies report. Return the end."""
    world = world_at(system.world)
    bodies, rares = bodies_of(system.world), view(world.rare_bodies, world.body_capacity, BODY_RARE)
    numbers, start, total = view(listed + 8, load_int64(listed), INT32), at + 8, 0
    for k in range(load_int64(listed) if load_int64(at) > 0 else 0):
        rare = rares[numbers[k]]
        if bodies[numbers[k]].flags & HAS_RARE and rare.contacts != 0:
            copy_bytes(space, rare.contacts, start + total * REPORT_SIZE, INT64(rare.contact_count) * REPORT_SIZE)
            total += rare.contact_count
    return start + load_int64(at) * REPORT_SIZE


@kernel
def restore_region(space, system, region, listed, at):
    """Put back one region that begins at `at`. Return the end."""
    if region.kind == BODIES:
        return restore_bodies(space, system, region, at)
    if region.kind == JOINTS:
        return restore_numbered(space, region, at)
    if region.kind == OF_BODIES:
        return restore_of_bodies(space, system, region, listed, at)
    if region.kind == BESIDE_MANIFOLDS:
        return restore_beside_manifolds(space, system, region, at)
    if region.kind == REPORTS:
        return restore_reports(space, system, listed, at)
    count, rows = load_int64(at), load_int64(region.base)
    copy_bytes(space, rows, at + 8, count * region.size)
    clear_later_rows(region, rows, count)
    return at + 8 + padded(count * region.size)


@kernel
def clear_later_rows(region, rows, count):
    """Clear the rows of a list that were used since: rows that were never used hold zeros, and the step relies on that. The
    number of rows in use is put back after this."""
    now = load_int64(region.count) if is_used(region) else 0
    if now > count:
        fill_memory(rows + count * region.size, (now - count) * region.size, INT32(0))


@entry_point("int64(int64, int64)")
def describe_space(address, header_address):
    """Write the header of an image of the space as it is now, but for its size. Return its number of bodies and areas. For the
    thread that steps, between steps."""
    space, header = view(address, 1, SPACE)[0], view(header_address, 1, HEADER)[0]
    system = system_at(space.system)
    header.region_count, header.step_count, header.listener_count = (
        space.region_count,
        system.step.count,
        system.step.listener_count,
    )
    header.body_count = count_population(system, space.joint_count, space.setting_count, header.population)
    return INT64(header.body_count)


@entry_point("int64(int64, int64)")
def restore_space(address, image):
    """Put the space whose SPACE is at an address back to an image, which was checked and is of this population. Return RESTORED,
    or BUSY if a query stays in a tree: then nothing was changed. For any thread but one that holds the gate; waits for a running
    step."""
    space = view(address, 1, SPACE)[0]
    system, regions = system_at(space.system), view(space.regions, space.region_count, REGION)
    take_gate(space.system, STEPPING)
    is_closed = close_trees(system)
    if is_closed:
        at, listed = image + HEADER_SIZE, INT64(0)
        atomics.add_int64(space.system + ORIGIN_VERSION, 1)
        for k in range(space.region_count):
            if regions[k].kind == BODIES:
                listed = at
            at = restore_region(space, system, regions[k], listed, at)
        atomics.add_int64(space.system + ORIGIN_VERSION, 1)
        system.constraints.block_count = 0
        open_trees(system, system.trees.layer_count)
    call_3_result(world_at(system.world).edit_function, system.world, INT64(0), space.system)
    return INT64(RESTORED if is_closed else BUSY)
