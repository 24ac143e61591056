"""The sub-steps: bounces, velocities, joints and contacts, positions; and continuous collision after them."""

from ..constraints.colours import colours_of
from ..constraints.schema import COLOUR_COUNT
from ..runtime.kernel import kernel
from ..solver.held_back import MOST_ROUNDS, free_jammed, hold_back_together
from ..solver.listeners import SUB_STEP
from .stages import (
    ANSWER_BOUNCES, ANSWER_BOUNCES_IN_TREES, BOUNCE_CONTACTS, BOUNCE_CONTACTS_AGAIN, COVER_WAYS, DROP_SPENT_IMPULSES,
    HOLD_BACK_TOGETHER, INTEGRATE_POSITIONS, INTEGRATE_VELOCITIES, LEAST_BLOCKS, LEAST_BODIES, LEAST_GROUPS, LEAST_ROWS,
    LEAST_TREES, NOTE_HALFWAY, RELAX, RELAX_JOINTS, RELAX_TREES, SOLVE, SOLVE_JOINTS, SOLVE_TREES, SWEEP_BODIES, TAKE_BACK,
    WARM_START, WARM_START_JOINTS, WARM_START_TREES, enter, listen, over_colours, over_loose_joints, over_one_colour,
    parallel_for,
)  # fmt: skip

MOST_BOUNCE_PASSES = 64
"""The most passes in which bounces cause others in a sub-step: a ball between a wall and a body of 1,000 times its mass bounces
99 times. Remaining ones bounce in the next sub-step."""
MOST_ANSWERS = 32
"""The most passes in which contacts give back the speed that joints took from their bounces, until they take almost nothing."""


@kernel
def let_joints_answer(system, address):
    """Make joined bodies move as their joints allow, right after a bounce."""
    over_loose_joints(system, address, ANSWER_BOUNCES)
    parallel_for(system, address, ANSWER_BOUNCES_IN_TREES, 0, system.joints.tree_count, LEAST_TREES)


@kernel
def let_bounce(system, address):
    """Let meeting points bounce, repeatedly while one bounce causes another: a row of balls passes on the speed of the first
    one."""
    if system.solver.some_block_is_elastic == 0:
        return
    colours = colours_of(system)
    firsts, counts = colours.first_block, colours.block_count
    for _ in range(MOST_BOUNCE_PASSES):
        system.solver.some_block_bounced = 0
        for k in range(COLOUR_COUNT + 1):
            system.solver.some_joined_bounced = 0
            over_one_colour(system, address, BOUNCE_CONTACTS, firsts, counts, LEAST_BLOCKS, k)
            for _ in range(MOST_ANSWERS):
                if system.solver.some_joined_bounced == 0:
                    break
                let_joints_answer(system, address)
                system.solver.some_joined_bounced = 0
                over_one_colour(system, address, BOUNCE_CONTACTS_AGAIN, firsts, counts, LEAST_BLOCKS, k)
        if system.solver.some_block_bounced == 0:
            break


@kernel
def solve_substeps(system, address):
    """The sub-steps: velocities, joints and contacts, positions, joints and contacts again without bias."""
    groups = (system.bodies.active_count + 7) >> 3
    h = system.step.last_delta_time / system.settings.substep_count
    for substep in range(system.settings.substep_count):
        system.step.substep = substep
        parallel_for(system, address, INTEGRATE_VELOCITIES, 0, system.bodies.active_count, LEAST_ROWS)
        listen(system, address, SUB_STEP, h)
        let_bounce(system, address)
        if system.solver.some_block_has_impact != 0:
            over_colours(system, address, DROP_SPENT_IMPULSES)
        over_loose_joints(system, address, WARM_START_JOINTS)
        if system.joints.loose_count > 0:  # they must feel the trees they are attached to; other trees wait for SOLVE_TREES
            parallel_for(system, address, WARM_START_TREES, 0, system.joints.tree_count, LEAST_TREES)
        over_colours(system, address, WARM_START)
        for _ in range(system.settings.joint_iterations):
            over_loose_joints(system, address, SOLVE_JOINTS)
        parallel_for(system, address, SOLVE_TREES, 0, system.joints.tree_count, LEAST_TREES)
        over_colours(system, address, SOLVE)
        parallel_for(system, address, INTEGRATE_POSITIONS, 0, groups, LEAST_GROUPS)
        if substep == (system.settings.substep_count - 1) // 2:
            parallel_for(system, address, NOTE_HALFWAY, 0, system.bodies.active_count, LEAST_ROWS)
        over_loose_joints(system, address, RELAX_JOINTS)
        parallel_for(system, address, RELAX_TREES, 0, system.joints.tree_count, LEAST_TREES)
        over_colours(system, address, RELAX)


@kernel
def hold_back(system, address):
    """Continuous collision: take back motion that went too far, in rounds, until no more bodies are stopped."""
    parallel_for(system, address, COVER_WAYS, 0, system.bodies.active_count, LEAST_BODIES)
    for number in range(MOST_ROUNDS):
        system.solver.sweep_round, system.solver.held_back_count = number, 0
        parallel_for(system, address, SWEEP_BODIES, 0, system.bodies.active_count, LEAST_BODIES)
        if system.solver.held_back_count == 0:
            break
        enter(system, HOLD_BACK_TOGETHER)
        hold_back_together(system)
    if system.solver.sweep_round > 0:
        free_jammed(system)
        parallel_for(system, address, TAKE_BACK, 0, system.bodies.active_count, LEAST_BODIES)
