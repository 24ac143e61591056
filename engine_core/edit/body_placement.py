"""Bodies in trees and pairs: adding a body to a system, removing it, and moving it so that every query sees it at once. Entry
points for Python and kernels for compiled calls, without locks.

To be called by the thread that holds the gate of the body's system (edit/commands.py), or by the one thread that owns a body in
no system.
"""

import numpy as np

from ..bodies import motion
from ..bodies.bounds import (
    add_local_bounds, fatten_bounds, is_inside_fat_bounds, renew_bounds_of, renew_local_bounds, update_bounds,
)  # fmt: skip
from ..bodies.layers import broad_phase_layer_of
from ..bodies.mass import move_center, renew_mass
from ..bodies.motion import bodies_of, mark_changed, system_of
from ..bodies.publication import begin_change, end_change
from ..bodies.rare import rare_of
from ..bodies.records import world_at
from ..bodies.schema import (
    HAS_RARE, IS_AREA, IS_IN_CHANGED_LIST, IS_IN_MOVED_LIST, KINEMATIC, MASS_CHANGED, RIGID, SLEEP_REQUESTED, STATIC,
    TARGET_SET,
)  # fmt: skip
from ..broad_phase.add import tree_add
from ..broad_phase.nodes import note_layers
from ..broad_phase.schema import TREE
from ..broad_phase.tree_edits import tree_remove, tree_widen
from ..collision.contact_rules import terms_of
from ..collision.event_lists import begin_reporting, stop_reporting
from ..collision.pair_finding import mark_moved
from ..collision.pairs import combine_materials, lists_of, pairs_of
from ..collision.schema import PAIR_HAS_RULE, PAIR_REPORTS, PAIR_REPORTS_ALL
from ..geometry.vector import quaternion, rotate, subtract, vector3
from ..joints.colours import remove_joints_of
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from ..sensors.change import area_enters, forget_overlaps
from ..solver.sleeping import add_to_active, remove_from_active, settle_sleeper, wake_island, wake_joined
from ..solver.pair_settling import destroy_pairs_of, wake_neighbours
from .applied_changes import CHANGES

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32
TREE_SIZE = TREE.itemsize
ALL_SHAPES, THE_LAST = -1, -2


@kernel
def tree_of(system, body):
    """Address of the tree a body is in, or should be in."""
    return system.trees.rows + body.broad_phase_layer * TREE_SIZE


@kernel
def renew_place(world_address, index):
    """Update bounds and tree after a change of pose or shapes from outside. Between `begin_change` and `end_change`."""
    bodies = bodies_of(world_address)
    body = bodies[index]
    if body.system < 0:
        return
    system = system_of(world_address, body.system)[0]
    update_bounds(world_address, system.place.origin, body)
    has_margin = body.mode != STATIC or body.flags & IS_AREA != 0
    if not has_margin or not is_inside_fat_bounds(body):
        fatten_bounds(body, system.step.last_delta_time)
        tree_widen(tree_of(system, body), world_at(world_address).bodies, index)
        mark_moved(system, bodies, index)


@kernel
def place(world_address, index, origin, rotation):
    """Call `bodies.motion.set_pose` so that queries see it at once."""
    body = bodies_of(world_address)[index]
    begin_change(world_address, body, INT64(0))
    motion.set_pose(world_address, index, origin, rotation)
    renew_place(world_address, index)
    end_change(body)


@kernel
def wanted_pose(world_address, body):
    """The (origin, rotation) of a body, or the target of a kinematic body that is moving to one."""
    center, rotation = vector3(body.position), quaternion(body.rotation)
    if body.mode == KINEMATIC and body.system >= 0 and body.flags & TARGET_SET:
        rare = rare_of(world_address, body)
        center, rotation = vector3(rare.target_position), quaternion(rare.target_rotation)
    return subtract(center, rotate(rotation, vector3(body.center_of_mass))), rotation


@entry_point("void(int64, int64, int64)")
def set_pose_from(world_address, index, pose):
    """Set origin and rotation from seven doubles at address `pose`. Between `begin_change` and `end_change`."""
    values = view(pose, 7, np.float64)
    motion.set_pose(world_address, index, vector3(values), quaternion(values[3:7]))
    renew_place(world_address, index)


@kernel
def put_in(world_address, system_index, index):
    """Put a body with up-to-date mass and bounds into a system."""
    bodies = bodies_of(world_address)
    body = bodies[index]
    system = system_of(world_address, system_index)[0]
    body.system = INT32(system_index)
    body.broad_phase_layer = INT32(broad_phase_layer_of(world_address, body))
    body.flags &= ~(IS_IN_CHANGED_LIST | IS_IN_MOVED_LIST | CHANGES & ~SLEEP_REQUESTED)
    motion.update_world_inertia(body)
    update_bounds(world_address, system.place.origin, body)
    fatten_bounds(body, system.step.last_delta_time)
    tree_add(tree_of(system, body), world_at(world_address).bodies, index)
    mark_moved(system, bodies, index)
    area_enters(world_address, system, index)
    body.next_in_island = -1
    if body.mode >= RIGID:
        if body.flags & SLEEP_REQUESTED:
            body.flags &= ~SLEEP_REQUESTED
            settle_sleeper(system, world_at(world_address), bodies, index)
            return
        add_to_active(system, world_at(world_address), bodies, index)
    wake_joined(system, world_at(world_address), bodies, index)


@entry_point("void(int64, int64, int64)")
def enter_system(world_address, system_index, index):
    """Call `put_in` from Python."""
    put_in(world_address, system_index, index)


@kernel
def update_layers(world_address, index):
    """Update the tree after a change of collision layer or mask, or move the body to another tree."""
    bodies = bodies_of(world_address)
    body = bodies[index]
    if body.system < 0:
        return
    system, record = system_of(world_address, body.system)[0], world_at(world_address)
    layer = broad_phase_layer_of(world_address, body)
    if layer != body.broad_phase_layer:
        tree_remove(tree_of(system, body), record.bodies, index)
        body.broad_phase_layer = INT32(layer)
        tree_add(tree_of(system, body), record.bodies, index)
        mark_moved(system, bodies, index)
    else:
        note_layers(tree_of(system, body), record.bodies, index)


@kernel
def strike_from(list_address, count, capacity, index):
    """Remove an index from a list, keeping order; the newest is checked first. Return the new count."""
    values = view(list_address, capacity, INT32)
    for k in range(count - 1, -1, -1):
        if values[k] == index:
            for j in range(k, count - 1):
                values[j] = values[j + 1]
            return count - 1
    return count


@kernel
def take_out(world_address, index):
    """Take a body out of its system: bodies it touched wake, and nothing in the system refers to it any more."""
    bodies = bodies_of(world_address)
    body = bodies[index]
    record = world_at(world_address)
    system = system_of(world_address, body.system)[0]
    forget_overlaps(system, index)
    wake_neighbours(system, record, bodies, index)
    wake_island(system, record, bodies, index)
    destroy_pairs_of(system, bodies, index)
    remove_joints_of(system, bodies, index)
    remove_from_active(system, record, bodies, index)
    tree_remove(tree_of(system, body), record.bodies, index)
    capacity = record.body_capacity
    if body.flags & IS_IN_CHANGED_LIST:
        system.bodies.changed_count = strike_from(system.bodies.changed, system.bodies.changed_count, capacity, index)
    if body.flags & IS_IN_MOVED_LIST:
        system.bodies.moved_count = strike_from(system.bodies.moved, system.bodies.moved_count, capacity, index)
    system.bodies.fell_asleep_count = strike_from(system.bodies.fell_asleep, system.bodies.fell_asleep_count, capacity, index)
    body.flags &= ~(IS_IN_CHANGED_LIST | IS_IN_MOVED_LIST)
    body.system = -1
    if body.flags & HAS_RARE:
        rare_of(world_address, body).contact_count = 0


@entry_point("void(int64, int64)")
def leave_system(world_address, index):
    """Call `take_out` from Python."""
    take_out(world_address, index)


@kernel
def renew_body(world_address, index, flags):
    """Update everything that follows from mass, shapes or mode, and notify the tree and the next step."""
    body = bodies_of(world_address)[index]
    body.flags &= ~MASS_CHANGED
    renew_mass(world_address, body)
    # Outside of systems shapes change without the tree.
    renew_local_bounds(world_address, body, body.system >= 0)
    motion.update_world_inertia(body)
    renew_place(world_address, index)
    mark_changed(world_address, index, flags)


@entry_point("void(int64, int64, int64)")
def renew(world_address, index, flags):
    """Call `renew_body` from Python."""
    renew_body(world_address, index, flags)


@entry_point("void(int64, int64, int64, int64)")
def renew_shapes(world_address, index, flags, number):
    """Update bounds after a change of the shapes of a body in a system, and notify the tree and the next step. `number`: the
    changed shape, or THE_LAST, which is new, or ALL_SHAPES. The mass stays MASS_CHANGED until `renew`."""
    body = bodies_of(world_address)[index]
    body.flags |= MASS_CHANGED
    if number == THE_LAST:
        add_local_bounds(world_address, body)
    elif number == ALL_SHAPES or not renew_bounds_of(world_address, body, number):
        renew_local_bounds(world_address, body, False)
    renew_place(world_address, index)
    mark_changed(world_address, index, flags)


@entry_point("void(int64, int64, int64)")
def set_center_of_mass(world_address, index, center):
    """Move the centre of mass, without moving any shape, to the three doubles at address `center` (body frame)."""
    move_center(world_address, bodies_of(world_address)[index], vector3(view(center, 3, np.float64)))


@entry_point("void(int64, int64, int64)")
def mark(world_address, index, flags):
    """Have the body's system process it before its next step."""
    mark_changed(world_address, index, flags)


@entry_point("void(int64, int64)")
def wake(world_address, index):
    """Have the body take part in the next step."""
    motion.wake(world_address, index)


@kernel
def refresh_pairs(world_address, index):
    """Update the body's pairs after a change of friction, restitution or contact events."""
    bodies = bodies_of(world_address)
    body = bodies[index]
    if body.system < 0:
        return
    system = system_of(world_address, body.system)[0]
    pairs, all_lists = pairs_of(system), lists_of(system)
    key = body.first_pair
    while key >= 0:
        pair, lists = pairs[key >> 1], all_lists[key >> 1]
        a, b = bodies[pair.body_a], bodies[pair.body_b]
        combine_materials(lists, a, b)
        pair.flags = pair.flags & ~(PAIR_REPORTS | PAIR_REPORTS_ALL | PAIR_HAS_RULE) | terms_of(world_address, a, b)
        if pair.flags & PAIR_HAS_RULE:
            pair.limit = FLOAT32(0.0)  # its contacts have their own settings
        if pair.flags & PAIR_REPORTS:
            begin_reporting(system, key >> 1)
        else:
            stop_reporting(system, key >> 1)
        key = lists.next[key & 1]
