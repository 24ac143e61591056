"""The stages of a step: its jobs and the serial work between them, how a job is given to the threads, and how listeners are
called."""

import numpy as np

from ..collision.contacts import collide
from ..collision.pair_finding import look_alone, look_for_pairs
from ..constraints.colours import colours_of
from ..constraints.contact_preparation import prepare_contacts, store_impulses
from ..constraints.schema import COLOUR_COUNT, OVERFLOW
from ..edit.applied_changes import update_trees
from ..joints.answers import answer_bounces, answer_bounces_in_trees
from ..joints.preparation import prepare_joints, store_joints
from ..joints.solving import relax_joints, solve_joints
from ..joints.tree_jobs import relax_trees, solve_trees
from ..joints.warm_starts import warm_start_joints, warm_start_trees
from ..runtime.job_system import JOB_SYSTEM, run_job
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..runtime.timeline import cycles, record
from ..sensors.effects import apply_areas
from ..sensors.measuring import measure_overlaps
from ..solver.continuous import sweep_bodies
from ..solver.held_back import cover_ways, take_back
from ..solver.integration import finish_bodies, integrate_positions, integrate_velocities, prepare_bodies
from ..solver.listeners import call_listeners
from ..solver.spent_impulses import drop_spent_impulses
from ..solver.ways import note_halfway
from ..solver.wide_contacts import bounce_late, find_bounces, give_bounces, relax, solve, take_bounces_back, warm_start

# The jobs of a step, by their place in SYSTEM.step.jobs.
JOBS = (
    collide, prepare_bodies, prepare_contacts, integrate_velocities, warm_start, solve, integrate_positions, relax,
    store_impulses, sweep_bodies, finish_bodies, measure_overlaps, apply_areas, prepare_joints, warm_start_joints,
    solve_joints, relax_joints, store_joints, warm_start_trees, solve_trees, relax_trees, look_for_pairs, look_alone,
    update_trees, note_halfway, cover_ways, take_back, find_bounces, give_bounces,
    take_bounces_back, bounce_late, answer_bounces, answer_bounces_in_trees, drop_spent_impulses,
)  # fmt: skip
(
    COLLIDE, PREPARE_BODIES, PREPARE_CONTACTS, INTEGRATE_VELOCITIES, WARM_START, SOLVE, INTEGRATE_POSITIONS, RELAX,
    STORE_IMPULSES, SWEEP_BODIES, FINISH_BODIES, MEASURE_OVERLAPS, APPLY_AREAS, PREPARE_JOINTS, WARM_START_JOINTS,
    SOLVE_JOINTS, RELAX_JOINTS, STORE_JOINTS, WARM_START_TREES, SOLVE_TREES, RELAX_TREES, LOOK_FOR_PAIRS, LOOK_ALONE,
    UPDATE_TREES, NOTE_HALFWAY, COVER_WAYS, TAKE_BACK, FIND_BOUNCES, GIVE_BOUNCES,
    TAKE_BOUNCES_BACK, BOUNCE_LATE, ANSWER_BOUNCES, ANSWER_BOUNCES_IN_TREES, DROP_SPENT_IMPULSES,
) = range(len(JOBS))  # fmt: skip
JOB_COUNT = len(JOBS)

# The serial stages between them, numbered consecutively, for `enter`.
SERIAL_STAGES = (
    "apply_changes", "make_pairs", "settle_pairs", "lay_out_blocks", "collect_moved", "report_contacts", "put_islands_to_sleep",
    "find_overlaps", "settle_overlaps", "wait_for_trees", "call_listeners", "hold_back_together",
)  # fmt: skip
(
    APPLY_CHANGES, MAKE_PAIRS, SETTLE_PAIRS, LAY_OUT_BLOCKS, COLLECT_MOVED, REPORT_CONTACTS, PUT_ISLANDS_TO_SLEEP,
    FIND_OVERLAPS, SETTLE_OVERLAPS, WAIT_FOR_TREES, CALL_LISTENERS, HOLD_BACK_TOGETHER,
) = range(JOB_COUNT, JOB_COUNT + len(SERIAL_STAGES))  # fmt: skip
STAGE_NAMES = tuple(job.function.__name__ for job in JOBS) + SERIAL_STAGES
STAGE_COUNT = len(STAGE_NAMES)
NO_STAGE = STAGE_COUNT
STAGES = np.dtype([("current", "i8"), ("since", "i8"), ("cycles", "i8", STAGE_COUNT + 1), ("ticks", "i8")], align=True)
"""The record at SYSTEM.step.stage_cycles while stages are measured; `ticks`: the address of a TICKS record (ticks.py), or 0."""

# Fewest items a batch: a batch should take some microseconds, many times the cost of claiming it.
LEAST_PAIRS, LEAST_BODIES, LEAST_ROWS, LEAST_GROUPS, LEAST_BLOCKS, LEAST_OVERLAPS = 64, 32, 128, 16, 4, 8
LEAST_JOINTS, LEAST_TREES, LEAST_MOVED = 16, 1, 1


@kernel
def enter(system, stage):
    """Note which stage of the step begins, if stages are measured."""
    if system.step.stage_cycles != 0:
        stages = view(system.step.stage_cycles, 1, STAGES)[0]
        now = cycles()
        stages.cycles[stages.current] += now - stages.since
        timeline = view(system.step.job_system, 1, JOB_SYSTEM)[0].timeline
        if timeline != 0 and stages.current >= JOB_COUNT and stages.current < NO_STAGE:
            record(timeline, 0, stages.current, stages.since, now, 0, 0)
        stages.current = stage
        stages.since = now


@kernel
def job_address(system, job):
    return view(system.step.jobs, JOB_COUNT, np.int64)[job]


@kernel
def parallel_for(system, address, job, begin, end, least):
    """Run the items `begin` to `end - 1` of a job, on all threads if the step is shared, in batches of at least `least`."""
    enter(system, job)
    run_job(system.step.job_system, system.step.is_shared != 0, job_address(system, job), address, begin, end, least)


@kernel
def over_one_colour(system, address, job, firsts, counts, least, k):
    """Run a job over the constraints of the `k`-th colour in order: the overflow first, on one thread since its blocks share
    bodies; contacts with static bodies last."""
    colour = OVERFLOW if k == 0 else k - 1
    first, count = firsts[colour], counts[colour]
    if count > 0:
        parallel_for(system, address, job, first, first + count, count if colour == OVERFLOW else least)


@kernel
def over_each_colour(system, address, job, firsts, counts, least):
    """Run a job over all constraints of a kind, colour by colour."""
    for k in range(COLOUR_COUNT + 1):
        over_one_colour(system, address, job, firsts, counts, least, k)


@kernel
def over_colours(system, address, job):
    """Run a job over all constraint blocks."""
    colours = colours_of(system)
    over_each_colour(system, address, job, colours.first_block, colours.block_count, LEAST_BLOCKS)


@kernel
def over_loose_joints(system, address, job):
    """Run a job over all joints in no tree."""
    if system.joints.loose_count > 0:
        colours = colours_of(system)
        over_each_colour(system, address, job, colours.first_loose, colours.loose_counts, LEAST_JOINTS)


@kernel
def listen(system, address, moment, time):
    """Call the listeners of a moment of the step."""
    if system.step.listener_count > 0:
        enter(system, CALL_LISTENERS)
        call_listeners(system, address, moment, time)
