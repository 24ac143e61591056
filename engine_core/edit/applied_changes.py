"""Changes requested since the last step, applied at its start; and bodies that moved in it, recorded at its end."""

import numpy as np

from ..bodies.motion import begin_rest, update_world_inertia
from ..bodies.rare import rare_of
from ..bodies.records import system_at, world_at
from ..bodies.schema import (
    BODY, BOUNDS_CHANGED, FILTER_CHANGED, IS_IN_CHANGED_LIST, KINEMATIC, RIGID, SLEEP_REQUESTED, TARGET_SET, WAKE_REQUESTED,
    WAKES_NEIGHBOURS,
)  # fmt: skip
from ..broad_phase.rebuild import tree_rebuild, tree_swap
from ..broad_phase.schema import TREE
from ..collision.pair_finding import mark_moved
from ..collision.pairs import deactivate_pair, lists_of, pairs_of
from ..geometry.angles import spin_of_turn
from ..geometry.vector import conjugate, length, multiply, quaternion, scale, store3, subtract, vector3
from ..joints.colours import add_joints_of
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from ..sensors.overlaps import mark_all_due
from ..solver.sleeping import (
    order_active_bodies, add_to_active, put_to_sleep, remove_from_active, settle_sleeper, take_out_of_solver, wake_island,
    wake_joined,
)  # fmt: skip
from ..solver.pair_settling import destroy_pairs_of, disturb_partners, wake_neighbours

INT32, INT64 = np.int32, np.int64
TREE_SIZE = TREE.itemsize
STARTS = 0.5
"""A kinematic body that speeds up by more than this [m/s^2] may leave what lies on it."""
CHANGES = BOUNDS_CHANGED | FILTER_CHANGED | WAKES_NEIGHBOURS | WAKE_REQUESTED | SLEEP_REQUESTED


@kernel
def move_towards_target(system, world, bodies, index, delta_time):
    """Give a kinematic body the velocity that takes it to its target in this step, or in all collision steps of this update: then
    it stays marked until the last."""
    body = bodies[index]
    delta_time *= system.step.steps_left + 1
    rare = rare_of(system.world, body)
    before, spun = vector3(body.linear_velocity), vector3(body.angular_velocity)
    way = subtract(vector3(rare.target_position), vector3(body.position))
    store3(body.linear_velocity, scale(way, 1.0 / delta_time))
    turn = multiply(quaternion(rare.target_rotation), conjugate(quaternion(body.rotation)))
    store3(body.angular_velocity, spin_of_turn(turn, delta_time))
    if system.step.steps_left == 0:
        body.flags &= ~TARGET_SET
    if body.active_index < 0:
        add_to_active(system, world, bodies, index)
        wake_joined(system, world, bodies, index)
    change = length(subtract(vector3(body.linear_velocity), before))
    change += body.extent * length(subtract(vector3(body.angular_velocity), spun))
    if change > STARTS * delta_time:
        disturb_partners(system, world, bodies, index, False)


@kernel
def stop_kinematic_bodies(system, world, bodies):
    """Stop kinematic bodies without a new target and remove them from the active list."""
    active = view(system.bodies.active, world.body_capacity, INT32)
    slot = 0 if system.bodies.active_kinematic_count > 0 else system.bodies.active_count
    while slot < system.bodies.active_count:
        index = INT64(active[slot])
        body = bodies[index]
        if body.mode == KINEMATIC and not body.flags & TARGET_SET:
            store3(body.linear_velocity, (0.0, 0.0, 0.0))
            store3(body.angular_velocity, (0.0, 0.0, 0.0))
            remove_from_active(system, world, bodies, index)
            kinematic_rests(system, bodies, index)
            continue
        is_last = system.step.steps_done > 0 and system.step.steps_left == 0
        if is_last and body.mode == KINEMATIC and not body.flags & IS_IN_CHANGED_LIST:
            body.flags &= ~TARGET_SET  # moving since the first collision step: this is the last
        slot += 1


@kernel
def kinematic_rests(system, bodies, index):
    """Keep the pairs of a kinematic body that stopped in the step if the other body is awake."""
    pairs, all_lists = pairs_of(system), lists_of(system)
    key = bodies[index].first_pair
    while key >= 0:
        pair = pairs[key >> 1]
        other = bodies[pair.body_b if key & 1 == 0 else pair.body_a]
        if other.active_index < 0:
            take_out_of_solver(system, bodies, key >> 1)
            deactivate_pair(system, key >> 1)
        key = all_lists[key >> 1].next[key & 1]


@kernel
def renew_pairs(system, bodies, index):
    """Find a body's pairs anew after a change of layers, masks, exceptions, mode or shapes."""
    destroy_pairs_of(system, bodies, index)
    mark_moved(system, bodies, index)


@kernel
def apply_change(system, world, bodies, index, delta_time):
    """Apply the requested changes of one body."""
    body = bodies[index]
    flags = body.flags
    body.flags = flags & ~(CHANGES | IS_IN_CHANGED_LIST)
    if body.system != system.index:
        return
    if flags & (BOUNDS_CHANGED | WAKES_NEIGHBOURS | FILTER_CHANGED):
        mark_all_due(system, index)
    if flags & (WAKES_NEIGHBOURS | FILTER_CHANGED):
        update_world_inertia(body)
        wake_neighbours(system, world, bodies, index)
        wake_island(system, world, bodies, index)
        if body.mode >= RIGID:
            begin_rest(body)
            add_to_active(system, world, bodies, index)
            add_joints_of(system, bodies, index)
    if flags & FILTER_CHANGED:
        renew_pairs(system, bodies, index)
    if flags & TARGET_SET:
        move_towards_target(system, world, bodies, index, delta_time)
    if flags & WAKE_REQUESTED:
        wake_island(system, world, bodies, index)
    if flags & SLEEP_REQUESTED:
        put_to_sleep(system, world, bodies, index)


@kernel
def apply_changes(system, delta_time):
    """Apply the changes of all bodies on the list, in the order of the requests."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    stop_kinematic_bodies(system, world, bodies)
    changed = view(system.bodies.changed, world.body_capacity, INT32)
    for k in range(system.bodies.changed_count):
        apply_change(system, world, bodies, INT64(changed[k]), delta_time)
    for k in range(system.bodies.changed_count):
        settle_sleeper(system, world, bodies, INT64(changed[k]))
    system.bodies.changed_count = 0
    order_active_bodies(system, world, bodies)


@kernel
def collect_moved(system):
    """List the active bodies that left their fat bounds, as `finish_bodies` has marked them, in the order of the active list:
    their pairs are searched anew."""
    world = world_at(system.world)
    active = view(system.bodies.active, world.body_capacity, INT32)
    moved = view(system.bodies.moved, world.body_capacity, INT32)
    has_moved = view(system.step.scratch, world.body_capacity, np.uint8)
    count = system.bodies.moved_count
    for slot in range(system.bodies.active_count):
        if has_moved[slot]:
            moved[count] = active[slot]
            count += 1
    system.bodies.moved_count = count


@entry_point(JOB_SIGNATURE)
def update_trees(system_address, begin, end, worker):
    """Job: build new trees of layers `begin` to `end - 1` from the changes, and swap in those that are ready. Reads fat bounds;
    may run beside jobs that do not write them."""
    system = system_at(system_address)
    world = world_at(system.world)
    for layer in range(begin, end):
        tree = system.trees.rows + layer * TREE_SIZE
        if tree_rebuild(tree, world.bodies):
            tree_swap(tree)
