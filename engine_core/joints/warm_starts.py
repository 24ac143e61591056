"""The jobs of the warm start of joints in loops, and when it is taken back.

Impulses of joints in a loop hold each other. In a network whose bodies turn, or that a script put elsewhere, those of the last
sub-step point elsewhere by now and cancel no longer. Where no tree solves the loop as a whole, one pass does not take back what
they do: networks of twenty bodies would reach 1e8 m/s in a second. So a warm start that gives its bodies much energy is taken
back, and the passes begin without it. One that fits takes energy away, or hands on what another joint gave; so a structure that
whirls as a whole, or carries a load, keeps its impulses.
"""

import numpy as np

from ..bodies.records import system_at
from ..geometry.vector import length_squared
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from .energy_bound import kinetic_energy
from .measuring import read_motion, row_of
from .preparation import joints_of, rows_of, weaken
from .schema import ANGULAR_AXES, LINEAR_AXES
from .solving import softness_of, warm_start_joint
from .tree_passes import joints_in, tables_of, warm_start_tree

INT32, FLOAT64 = np.int32, np.float64
MOST_TIMES_TREE, MOST_TIMES = 2.0, 20.0
"""How many times their kinetic energy the bodies of a tree, and the two of a joint in no tree, may have after a warm start. The
second hands on loads between light bodies and heavy ones, which later joints take from them again."""
SLOW = 5.0
"""A warm start that leaves bodies slower than this on average [m/s] is kept: a load of a hundred times their weight that stands
still moves light bodies so fast."""


@kernel
def mass_of(joint, side):
    """Mass of one body of a joint, along the axes along which it may move [kg]; 0 if nothing moves it."""
    inverse = FLOAT64(joint.masses[side, 0]) + joint.masses[side, 1] + joint.masses[side, 2]
    return 3.0 / inverse if inverse > 0.0 else 0.0


@kernel
def energy_of_pair(system, joint):
    """Kinetic energy of the two bodies of a joint [J], as if they were balls."""
    v_a, w_a, v_b, w_b = read_motion(row_of(system, joint, 0), row_of(system, joint, 1))
    total = 0.0
    for side in range(2):
        v, w = (v_a, w_a) if side == 0 else (v_b, w_b)
        inverse = FLOAT64(joint.inertias[side, 0]) + joint.inertias[side, 1] + joint.inertias[side, 2]
        total += length_squared(v) * mass_of(joint, side)
        if inverse > 0.0:
            total += length_squared(w) * 3.0 / inverse
    return 0.5 * total


@kernel
def is_wild(before, after, times, mass):
    """Whether a warm start gave bodies of some mass [kg] too much energy: it was `before` and is `after` [J]."""
    return after > times * before and after > 0.5 * mass * SLOW * SLOW


@kernel
def take_back(system, joint, rows):
    """Take the warm start of a joint back, and forget its impulses."""
    weaken(joint, rows, -1.0)
    warm_start_joint(system, joint, rows)
    weaken(joint, rows, 0.0)


@entry_point(JOB_SIGNATURE)
def warm_start_joints(system_address, begin, end, worker):
    """Job: apply the last impulses of the active joints `begin` to `end - 1` to the rows of their bodies."""
    system = system_at(system_address)
    joints, rows = joints_of(system), rows_of(system)
    active = view(system.joints.active, system.joints.count, INT32)
    for k in range(begin, end):
        joint = joints[active[k]]
        before = energy_of_pair(system, joint)
        warm_start_joint(system, joint, rows)
        if joint.locked & (LINEAR_AXES | ANGULAR_AXES):
            if is_wild(before, energy_of_pair(system, joint), MOST_TIMES, mass_of(joint, 0) + mass_of(joint, 1)):
                take_back(system, joint, rows)


@kernel
def mass_of_tree(nodes, tree, bodies):
    """Mass of all bodies of a tree [kg]."""
    mass = 0.0
    for n in range(tree.first, tree.first + tree.count):
        mass += 1.0 / FLOAT64(bodies[nodes[n].body].inverse_mass)
    return mass


@kernel
def warm_start_safely(system, nodes, tree, joints, rows, bodies, impulse_scale):
    """Apply the last impulses of a tree, unless it has loops and they give it too much energy. Limits would push back against
    such motion, also where the tree solves its loops as a whole."""
    if not tree.is_looped:
        warm_start_tree(system, nodes, tree, joints, rows, impulse_scale)
        return
    before = kinetic_energy(system, nodes, tree, bodies)
    warm_start_tree(system, nodes, tree, joints, rows, impulse_scale)
    after = kinetic_energy(system, nodes, tree, bodies)
    if is_wild(before, after, MOST_TIMES_TREE, mass_of_tree(nodes, tree, bodies)):
        for index in joints_in(system, tree):
            take_back(system, joints[index], rows)


@entry_point(JOB_SIGNATURE)
def warm_start_trees(system_address, begin, end, worker):
    """Job: warm start of those of the trees `begin` to `end - 1` with joints attached that are in no tree: these are solved first
    and must feel the pull of the trees."""
    system = system_at(system_address)
    bodies, joints, rows, nodes, trees = tables_of(system)
    _, _, impulse_scale = softness_of(system, system.step.last_delta_time / system.settings.substep_count)
    for t in range(begin, end):
        if trees[t].is_coupled:
            warm_start_safely(system, nodes, trees[t], joints, rows, bodies, impulse_scale)
