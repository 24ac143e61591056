"""Joints during bounces: the jobs that make jointed bodies move as their joints allow right after a bounce.

A bounce treats two bodies as free. A ball on a pin has more inertia than a free one: it leaves a bounce with the speed of a free
one, which its pin then reduces. So after the bounces of a colour the joints respond, and the bounces make up for the speed lost
to them (see `bounce_again` in solver/bounces.py). The two together converge to the bounce of the joined bodies, with the energy
that the restitution gives.

A bounce is complete at once: joints, and held limits and motors of a tree, keep nothing of it for their next warm start, but
report it as part of their impulse.
"""

import numpy as np

from ..bodies.records import system_at
from ..geometry.vector import store3, subtract, vector3
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from .measuring import read_motion, row_of
from .preparation import joints_of, rows_of
from .solving import add_to_totals, rows_that_act, solve_locks, write_motion
from .tree_passes import joints_in, solve_tree, tables_of

INT32 = np.int32


@kernel
def take_from_totals(joint, rows):
    """Reverse `add_to_totals`."""
    force, twist = vector3(joint.total_impulse), vector3(joint.total_twist)
    add_to_totals(joint, rows)
    store3(joint.total_impulse, subtract(force, subtract(vector3(joint.total_impulse), force)))
    store3(joint.total_twist, subtract(twist, subtract(vector3(joint.total_twist), twist)))


@kernel
def begin_answer(joint, rows):
    """Save the impulses of a joint, and subtract them from its totals of the step: `end_answer` adds them again."""
    take_from_totals(joint, rows)
    for k in range(3):
        joint.kept[k], joint.kept[3 + k] = joint.linear_impulse[k], joint.angular_impulse[k]
    for r in rows_that_act(joint):
        rows[r].kept = rows[r].impulse


@kernel
def end_answer(joint, rows):
    """Add the impulses of a joint to its totals of the step, and restore those from before the bounce."""
    add_to_totals(joint, rows)
    for k in range(3):
        joint.linear_impulse[k], joint.angular_impulse[k] = joint.kept[k], joint.kept[3 + k]
    for r in rows_that_act(joint):
        rows[r].impulse = rows[r].kept


@entry_point(JOB_SIGNATURE)
def answer_bounces(system_address, begin, end, worker):
    """Job: solve the locked axes of the active joints `begin` to `end - 1`, without bias."""
    system = system_at(system_address)
    joints, rows = joints_of(system), rows_of(system)
    active = view(system.joints.active, system.joints.count, INT32)
    for k in range(begin, end):
        joint = joints[active[k]]
        row_a, row_b = row_of(system, joint, 0), row_of(system, joint, 1)
        begin_answer(joint, rows)
        motion = solve_locks(system, joint, rows, read_motion(row_a, row_b), 0.0, 1.0, 0.0)
        write_motion(joint, row_a, row_b, motion)
        end_answer(joint, rows)


@entry_point(JOB_SIGNATURE)
def answer_bounces_in_trees(system_address, begin, end, worker):
    """Job: solve the trees `begin` to `end - 1`, without bias."""
    system = system_at(system_address)
    bodies, joints, rows, nodes, trees = tables_of(system)
    for t in range(begin, end):
        for index in joints_in(system, trees[t]):
            begin_answer(joints[index], rows)
        solve_tree(system, nodes, trees[t], joints, rows, bodies, 0.0)
        for index in joints_in(system, trees[t]):
            end_answer(joints[index], rows)
