"""The energy that a tree of joints may have: what its joints add beyond that is taken away again.

Locked axes do no work. So the kinetic energy of a tree that touches nothing is what it was, with the work of its forces, springs,
motors and limits. Where a tree turns faster than its steps can follow, errors of its axes would add to it. Then the velocities of
its bodies relative to each other are scaled down, which its joints allow: their equations for velocities are linear. A tree that
hangs on nothing keeps its momentum and angular momentum.
"""

import math

import numpy as np

from ..constraints.body_terms import forces_of, inverse_symmetric, locks_of
from ..constraints.schema import ANGULAR_VELOCITY, DELTA_POSITION, LINEAR_VELOCITY, ROW_SIZE, SPIN_CHANGE, VELOCITY_CHANGE
from ..geometry.vector import (
    add, add_scaled, cross, dot, length_squared, scale, store3, subtract, symmetric_times, vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .measuring import inertia_of, read_motion, row_of, row_speed
from .moving import is_anchor

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
MOST_SPARE = 0.01
"""The part of its kinetic energy that a tree may win back in a step after it lost it: a step of a symmetric scheme gives it back,
but what a jerk took is gone."""
SLOW = 10.0
"""Errors of the energy of a slower tree are rounding errors, see `still_energy`."""
NOTHING = (0.0, 0.0, 0.0)


@kernel
def row_of_node(system, node):
    return view(system.solver.rows + node.row * ROW_SIZE, 16, FLOAT32)


@kernel
def spin_inertia(system, bodies, node, row):
    """Inertia of a node's body in world axes at its current pose [kg m^2], six numbers."""
    return inverse_symmetric(inertia_of(system, node.row, row, bodies[node.body].inverse_inertia_world))


@kernel
def kinetic_energy(system, nodes, tree, bodies):
    """Kinetic energy of a tree [J]."""
    total = 0.0
    for n in range(tree.first, tree.first + tree.count):
        row = row_of_node(system, nodes[n])
        w = vector3(row[ANGULAR_VELOCITY:])
        total += length_squared(vector3(row[LINEAR_VELOCITY:])) / FLOAT64(bodies[nodes[n].body].inverse_mass)
        total += dot(w, symmetric_times(spin_inertia(system, bodies, nodes[n], row), w))
    return 0.5 * total


@kernel
def still_energy(system, nodes, tree, bodies):
    """Kinetic energy of a tree whose bodies move as slowly as forces make them in `SLOW` sub-steps [J]."""
    total = 0.0
    for n in range(tree.first, tree.first + tree.count):
        change = vector3(forces_of(system, nodes[n].row)[VELOCITY_CHANGE:])
        total += length_squared(change) / FLOAT64(bodies[nodes[n].body].inverse_mass)
    return 0.5 * SLOW * SLOW * total


@kernel
def work_of_forces(system, nodes, tree, bodies, time, h):
    """The work that forces do on a tree while it moves by its velocities for a time [J]. `h`: length of a sub-step [s]."""
    total = 0.0
    for n in range(tree.first, tree.first + tree.count):
        row, forces = row_of_node(system, nodes[n]), forces_of(system, nodes[n].row)
        w = vector3(row[ANGULAR_VELOCITY:])
        total += dot(vector3(row[LINEAR_VELOCITY:]), vector3(forces)) / FLOAT64(bodies[nodes[n].body].inverse_mass)
        spin_up = vector3(forces[SPIN_CHANGE:])
        if length_squared(spin_up) > 0.0:
            total += dot(w, symmetric_times(spin_inertia(system, bodies, nodes[n], row), spin_up))
    return total * time / h


@kernel
def work_of_rows(system, joints, rows, listed):
    """The most work that springs, motors and limits of some joints may have done in a part [J]."""
    total = 0.0
    for index in listed:
        joint = joints[index]
        if joint.row_count > 0:
            motion = read_motion(row_of(system, joint, 0), row_of(system, joint, 1))
            for r in range(joint.first_row, joint.first_row + joint.row_count):
                total += abs(FLOAT64(rows[r].impulse) * row_speed(rows[r], motion))
    return total


@kernel
def is_carried(system, joints, listed):
    """Whether one of some joints holds its body at something that moves by itself and may do any work."""
    for index in listed:
        if is_anchor(system, joints[index], 0) or is_anchor(system, joints[index], 1):
            return True
    return False


@kernel
def hangs(joints, listed):
    """Whether one of some joints holds its body at something that no joint can push."""
    for index in listed:
        if not (joints[index].pushes[0] and joints[index].pushes[1]):
            return True
    return False


@kernel
def common_motion(system, nodes, tree, bodies):
    """The motion of the rigid body with the momenta of a tree at its current pose: (centre as `place_of`, velocity, spin, energy
    [J])."""
    mass, centre, velocity = 0.0, NOTHING, NOTHING
    for n in range(tree.first, tree.first + tree.count):
        row, m = row_of_node(system, nodes[n]), 1.0 / FLOAT64(bodies[nodes[n].body].inverse_mass)
        mass += m
        centre = add_scaled(centre, place_of(system, nodes, tree, bodies, n), m)
        velocity = add_scaled(velocity, vector3(row[LINEAR_VELOCITY:]), m)
    centre, velocity = scale(centre, 1.0 / mass), scale(velocity, 1.0 / mass)
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    momentum = NOTHING
    for n in range(tree.first, tree.first + tree.count):
        row, m = row_of_node(system, nodes[n]), 1.0 / FLOAT64(bodies[nodes[n].body].inverse_mass)
        x, y, z = r = subtract(place_of(system, nodes, tree, bodies, n), centre)
        own = spin_inertia(system, bodies, nodes[n], row)
        momentum = add_scaled(momentum, cross(r, vector3(row[LINEAR_VELOCITY:])), m)
        momentum = add(momentum, symmetric_times(own, vector3(row[ANGULAR_VELOCITY:])))
        xx, yy, zz = xx + own[0] + m * (y * y + z * z), yy + own[1] + m * (x * x + z * z), zz + own[2] + m * (x * x + y * y)
        xy, xz, yz = xy + own[3] - m * x * y, xz + own[4] - m * x * z, yz + own[5] - m * y * z
    spin = symmetric_times(inverse_symmetric((xx, yy, zz, xy, xz, yz)), momentum)
    return centre, velocity, spin, 0.5 * (mass * length_squared(velocity) + dot(spin, momentum))


@kernel
def place_of(system, nodes, tree, bodies, n):
    """Centre of mass of a node's body, relative to where that of the tree's first body began the step [m]."""
    began = subtract(vector3(bodies[nodes[n].body].position), vector3(bodies[nodes[tree.first].body].position))
    return add(began, vector3(row_of_node(system, nodes[n])[DELTA_POSITION:]))


@kernel
def scale_motions(system, nodes, tree, bodies, centre, velocity, spin, part):
    """Scale the velocities of a tree's bodies relative to a common motion."""
    for n in range(tree.first, tree.first + tree.count):
        row = row_of_node(system, nodes[n])
        common = add(velocity, cross(spin, subtract(place_of(system, nodes, tree, bodies, n), centre)))
        store3(row[LINEAR_VELOCITY:], add_scaled(common, subtract(vector3(row[LINEAR_VELOCITY:]), common), part))
        store3(row[ANGULAR_VELOCITY:], add_scaled(spin, subtract(vector3(row[ANGULAR_VELOCITY:]), spin), part))
        locks = locks_of(system, nodes[n].row)
        for k in range(6):
            if locks >> k & 1:
                row[k] = FLOAT32(0.0)


@kernel
def bound_energy(system, nodes, tree, joints, bodies, listed, allowed):
    """Take away from a tree's motion what it has more than `allowed` [J]. Return its kinetic energy then. Less than 0 is allowed
    where joints lift a tree that hangs at rest to correct an error."""
    energy, allowed = kinetic_energy(system, nodes, tree, bodies), max(allowed, 0.0)
    if not energy > allowed:
        return energy
    if hangs(joints, listed):
        scale_motions(system, nodes, tree, bodies, NOTHING, NOTHING, NOTHING, math.sqrt(allowed / energy))
        return allowed
    centre, velocity, spin, common = common_motion(system, nodes, tree, bodies)
    left = max(allowed - common, 0.0)
    if energy - common > left:
        scale_motions(system, nodes, tree, bodies, centre, velocity, spin, math.sqrt(left / (energy - common)))
    return max(allowed, min(common, energy))


@kernel
def begin_bound(system, nodes, tree, bodies):
    """Begin to watch what the joints of a tree add to its energy in this sub-step, before their warm start."""
    tree.is_bound, tree.gained = INT32(1), -kinetic_energy(system, nodes, tree, bodies)


@kernel
def pause_bound(system, nodes, tree, joints, rows, bodies, listed):
    """Note what the joints of a tree have added to its energy before its bodies move."""
    tree.gained += kinetic_energy(system, nodes, tree, bodies) - work_of_rows(system, joints, rows, listed)


@kernel
def resume_bound(system, nodes, tree, bodies):
    """Watch what the joints of a tree add to its energy after its bodies have moved."""
    tree.gained -= kinetic_energy(system, nodes, tree, bodies)


@kernel
def end_bound(system, nodes, tree, joints, rows, bodies, listed):
    """Take away from the motion of a tree what its joints have added to its energy in this sub-step."""
    energy = kinetic_energy(system, nodes, tree, bodies)
    tree.gained += energy - work_of_rows(system, joints, rows, listed)
    allowed = energy - tree.gained + min(tree.spare, MOST_SPARE * energy)
    tree.spare = allowed - bound_energy(system, nodes, tree, joints, bodies, listed, allowed)
    tree.is_bound = INT32(0)
