"""The sub-steps: bounces, velocities, joints and contacts, positions; and continuous collision after them."""

from ..constraints.colours import colours_of
from ..constraints.schema import COLOUR_COUNT
from ..runtime.kernel import kernel
from ..solver.held_back import MOST_ROUNDS, free_jammed, hold_back_together
from ..solver.listeners import SUB_STEP
from .stages import (
    ANSWER_BOUNCES, ANSWER_BOUNCES_IN_TREES, BOUNCE_LATE, COVER_WAYS, DROP_SPENT_IMPULSES, FIND_BOUNCES, GIVE_BOUNCES,
    HOLD_BACK_TOGETHER, INTEGRATE_POSITIONS, INTEGRATE_VELOCITIES, LEAST_BLOCKS, LEAST_BODIES, LEAST_GROUPS, LEAST_ROWS,
    LEAST_TREES, NOTE_HALFWAY, RELAX, RELAX_JOINTS, RELAX_TREES, SOLVE, SOLVE_JOINTS, SOLVE_TREES, SWEEP_BODIES, TAKE_BACK,
    TAKE_BOUNCES_BACK, WARM_START, WARM_START_JOINTS, WARM_START_TREES, enter, listen, over_colours, over_loose_joints,
    over_one_colour, parallel_for,
)  # fmt: skip

MOST_GENERATIONS = 32
"""The most generations of bounces in a sub-step whose impulses are found together. Later bounces act one after the other."""
MOST_BOUNCE_PASSES = 64
"""The most passes of bounces that act one after the other: a ball between a wall and a body of 1,000 times its mass bounces 99
times. Remaining ones bounce in the next sub-step."""
MOST_SWEEPS = 32
"""The most sweeps over the bounces of a generation, until they and the joints of their bodies agree."""


@kernel
def let_joints_answer(system, address):
    """Make joined bodies move as their joints allow, right after a bounce."""
    over_loose_joints(system, address, ANSWER_BOUNCES)
    parallel_for(system, address, ANSWER_BOUNCES_IN_TREES, 0, system.joints.tree_count, LEAST_TREES)


@kernel
def over_blocks(system, address, job, k):
    """Run a job over the blocks of the `k`-th colour in order."""
    colours = colours_of(system)
    over_one_colour(system, address, job, colours.first_block, colours.block_count, LEAST_BLOCKS, k)


@kernel
def find_generation(system, address, begin, end):
    """Find the bounces of the next generation in the `begin`-th to the last colour before the `end`-th in order. Return a bit for
    each colour that has some."""
    found = 0
    for k in range(begin, end):
        system.solver.some_block_bounces = 0
        over_blocks(system, address, FIND_BOUNCES, k)
        found |= system.solver.some_block_bounces << k
    return found


@kernel
def give_impulses(system, address, found):
    """Give impulses to the bounces of a generation until they agree with each other and with the joints of their bodies. Return
    whether they do. `found`: the result of `find_generation`."""
    for _ in range(MOST_SWEEPS):
        some_changed, some_answered = False, False
        for k in range(COLOUR_COUNT + 1):
            if found >> k & 1 == 0:
                continue
            system.solver.some_bounce_changed, system.solver.some_joined_bounced = 0, 0
            over_blocks(system, address, GIVE_BOUNCES, k)
            if system.solver.some_joined_bounced != 0:
                let_joints_answer(system, address)
                some_answered = True
            if system.solver.some_bounce_changed != 0:
                some_changed = True
        # Bounces of one colour share no body: they agree at once. Only the overflow, the first in order, is not like that.
        if not some_changed or (not some_answered and found & (found - 1) == 0 and found != 1):
            return True
    return False


@kernel
def take_impulses_back(system, address, found):
    """Take the impulses of a generation back."""
    for k in range(COLOUR_COUNT + 1):
        if found >> k & 1 == 0:
            continue
        system.solver.some_joined_bounced = 0
        over_blocks(system, address, TAKE_BOUNCES_BACK, k)
        if system.solver.some_joined_bounced != 0:
            let_joints_answer(system, address)


@kernel
def let_bounce_in_turn(system, address):
    """Let meeting points bounce colour by colour, as if one bounce came after the other."""
    for _ in range(MOST_BOUNCE_PASSES):
        some = False
        for k in range(COLOUR_COUNT + 1):
            found = find_generation(system, address, k, k + 1)
            if found != 0:
                give_impulses(system, address, found)
                some = True
        if not some:
            return


@kernel
def let_bounce(system, address):
    """Let meeting points bounce, generation by generation: those that meet at the same time bounce together. Bounces that do not
    agree after many sweeps, as of a light body between heavy ones, act in turn instead."""
    if system.solver.some_block_is_elastic == 0:
        return
    for _ in range(MOST_GENERATIONS):
        found = find_generation(system, address, 0, COLOUR_COUNT + 1)
        if found == 0:
            return
        if not give_impulses(system, address, found):
            take_impulses_back(system, address, found)
            break
    let_bounce_in_turn(system, address)


@kernel
def relax_contacts(system, address):
    """The pass without bias, and before it in each colour the bounces of points that have been made to meet."""
    if system.solver.some_block_is_elastic == 0:
        over_colours(system, address, RELAX)
        return
    for k in range(COLOUR_COUNT + 1):
        over_blocks(system, address, BOUNCE_LATE, k)
        over_blocks(system, address, RELAX, k)


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
        relax_contacts(system, address)


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
