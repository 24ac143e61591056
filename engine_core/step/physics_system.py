"""One simulated space, and its step on one page.

`step` is compiled and does not hold the GIL: Godot calls it by address. It runs the jobs in their order: parallel work is
distributed as ranges of a job, serial work runs between them. The docstring of every job says what it reads and writes.
"""

import numpy as np

from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, WORLD
from ..broad_phase.trees import Trees
from ..collision.collide_function import collide_shape_pair
from ..collision.contact_schema import CONTACT_EVENT, CONTACT_SETTINGS, REPORTED_CONTACT
from ..collision.event_lists import renew_event_list
from ..collision.pair_finding import make_pairs
from ..collision.schema import CURVE, GROWTH_A, LINEAR_SLOP, MANIFOLD, MANIFOLD_TAPERS, PAIR, PAIR_LISTS
from ..constraints.colours import lay_out_blocks
from ..constraints.schema import (
    BLOCK_FIELDS, BLOCK_SIZE, BOUNCES_SIZE, COLOUR_COUNT, COLOURS, DELTA_ROTATION, FORCE_FLOATS, INERTIA_FLOATS, LOAD_FLOATS,
    MANIFOLD_INDEX, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_FIELDS, POINT_SEPARATION, POINT_TOTAL_IMPULSE, POINTS,
    ROW_FLOATS,
)  # fmt: skip
from ..edit.applied_changes import apply_changes, collect_moved
from ..edit.commands import COMMAND, take_gate_for_step
from ..joints.colours import drop_broken_joints
from ..joints.loaded_links import give_inertia_back
from ..joints.order import lay_out_joints
from ..joints.schema import BLOCKS_OF_JOINT, JOINT_ROW, MAX_ROWS, NETWORK_AXES, NETWORK_BLOCK, TREE, TREE_NODE
from ..runtime.call import call_3_result
from ..runtime.job_system import begin_jobs, finish_jobs, run_job, start_job, wait_for_job
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import Pool, address_of, view, view_rows
from ..runtime.timeline import cycles_per_second
from ..sensors.effects import has_work
from ..sensors.events import report_overlaps
from ..sensors.overlaps import mark_active_due, sensors_of
from ..sensors.pools import Sensors
from ..sensors.sensing import choose_overlaps, find_overlaps, settle_overlaps
from ..solver.choices import choose_contacts, choose_pairs
from ..solver.contact_events import report_contact_events
from ..solver.contact_reports import report_contacts
from ..solver.continuous import MOST_COMPANY
from ..solver.listeners import AFTER_STEP, BEFORE_STEP, LISTENER, MOST_LISTENERS, work_of_listeners
from ..solver.sleeping import put_islands_to_sleep
from ..solver.pair_settling import settle_pairs
from ..solver.ways import HALFWAY_FLOATS
from .limits import LimitWarnings, rows_for
from .stages import (
    APPLY_AREAS, APPLY_CHANGES, COLLECT_MOVED, COLLIDE, FIND_OVERLAPS, FINISH_BODIES, JOBS, LAY_OUT_BLOCKS, LEAST_BODIES,
    LEAST_JOINTS, LEAST_MOVED, LEAST_OVERLAPS, LEAST_PAIRS, LOOK_ALONE, LOOK_FOR_PAIRS, MAKE_PAIRS, MEASURE_OVERLAPS, NO_STAGE,
    PREPARE_BODIES, PREPARE_CONTACTS, PREPARE_JOINTS, PUT_ISLANDS_TO_SLEEP, REPORT_CONTACTS, SETTLE_OVERLAPS, SETTLE_PAIRS,
    STAGES, STAGE_NAMES, STORE_IMPULSES, STORE_JOINTS, UPDATE_TREES, WAIT_FOR_TREES, enter, job_address, listen, over_colours,
    parallel_for,
)  # fmt: skip
from .substeps import hold_back, solve_substeps
from .ticks import TickRing, note_tick

WORTH_THREADS = 256
"""The number of active bodies, pairs and the work of listeners together from which a step wakes the workers."""
MOST_LONGER = 16.0
"""Impulses grow at most by this factor from one step to a longer one: those of impacts are no forces."""
FEW_BLOCKS = 256
"""Up to so many blocks are stored by the threads that solved them, so that their manifolds stay in the caches of these. More are
stored by one thread while another builds the trees."""
LEAST_PAIR_TABLE = 4096
"""Initial slots of the hash table of pairs: a power of two."""


@kernel
def sense(system, address):
    """Find which overlaps of areas began and ended, among due ones and those of bodies with new bounds."""
    enter(system, FIND_OVERLAPS)
    find_overlaps(system)
    parallel_for(system, address, MEASURE_OVERLAPS, 0, choose_overlaps(system), LEAST_OVERLAPS)
    enter(system, SETTLE_OVERLAPS)
    settle_overlaps(system)


@kernel
def sense_changes(system, address):
    """Update areas before the solver: what was moved, added or changed from outside, and their effects on the active bodies."""
    if sensors_of(system)[0].area_count > 0:
        sensors_of(system)[0].measured_count = 0
        sense(system, address)
    if has_work(system):
        parallel_for(system, address, APPLY_AREAS, 0, system.bodies.active_count, LEAST_BODIES)


@kernel
def sense_motion(system, address):
    """Update areas after the solver: what the step has moved, and all events."""
    if sensors_of(system)[0].area_count > 0:
        mark_active_due(system)
        sense(system, address)
        report_overlaps(system)


@kernel
def is_stored_late(system):
    """Whether the impulses of contacts are stored while another thread builds the trees."""
    return system.step.is_shared != 0 and system.constraints.block_count > FEW_BLOCKS


@kernel
def store_on_one_thread(system, address):
    """Store the impulses of the contacts from the blocks to the manifolds."""
    enter(system, STORE_IMPULSES)
    run_job(system.step.job_system, False, job_address(system, STORE_IMPULSES), address, 0, system.constraints.block_count, 1)


@kernel
def finish_step(system, address):
    """Do the reports after the bodies have moved, while another thread builds the trees."""
    is_started = False
    if system.step.is_shared:
        enter(system, WAIT_FOR_TREES)
        job, layers = job_address(system, UPDATE_TREES), system.trees.layer_count
        is_started = start_job(system.step.job_system, True, job, address, 0, layers)
        if is_stored_late(system):
            store_on_one_thread(system, address)
    enter(system, REPORT_CONTACTS)
    report_contacts(system)
    report_contact_events(system)
    if system.joints.some_broke:
        world = world_at(system.world)
        drop_broken_joints(system, view(world.bodies, world.body_capacity, BODY))
    enter(system, PUT_ISLANDS_TO_SLEEP)
    put_islands_to_sleep(system)
    if is_started:
        enter(system, WAIT_FOR_TREES)
        wait_for_job(system.step.job_system)
    elif not system.step.is_shared:
        parallel_for(system, address, UPDATE_TREES, 0, system.trees.layer_count, system.trees.layer_count)
    system.step.count += 1


@kernel
def compare_substeps(system, h):
    """Note how much longer sub-steps are than those of the last step. Impulses that a step starts from are scaled by it: they are
    forces times the time for which they acted."""
    last, system.step.last_substep_time = system.step.last_substep_time, h
    system.step.warm_part = min(h / last, MOST_LONGER) if last > 0.0 else 1.0
    system.step.warm_share = h / system.step.last_delta_time if last > 0.0 else 0.0


@kernel
def advance(system, address, delta_time):
    """Run the stages of a step in their order."""
    system.bodies.fell_asleep_count = 0
    renew_event_list(system)
    compare_substeps(system, delta_time / system.settings.substep_count)
    system.step.last_delta_time = delta_time
    enter(system, APPLY_CHANGES)
    apply_changes(system, delta_time)
    is_large = system.bodies.active_count + system.pairs.active_count + work_of_listeners(system) >= WORTH_THREADS
    is_shared = is_large and begin_jobs(system.step.job_system)
    system.step.is_shared = 1 if is_shared else 0
    listen(system, address, BEFORE_STEP, delta_time)
    sense_changes(system, address)
    parallel_for(system, address, LOOK_FOR_PAIRS, 0, system.bodies.moved_count, LEAST_MOVED)
    enter(system, MAKE_PAIRS)
    make_pairs(system, address, job_address(system, LOOK_ALONE))
    choose_pairs(system)
    parallel_for(system, address, COLLIDE, 0, system.pairs.chosen_count, LEAST_PAIRS)
    enter(system, SETTLE_PAIRS)
    settle_pairs(system)
    choose_contacts(system)
    system.solver.some_is_limited = 0
    parallel_for(system, address, PREPARE_BODIES, 0, system.bodies.active_count, LEAST_BODIES)
    enter(system, LAY_OUT_BLOCKS)
    system.constraints.block_count = lay_out_blocks(system)
    lay_out_joints(system)
    system.solver.some_block_is_elastic = system.solver.some_block_has_impact = 0
    over_colours(system, address, PREPARE_CONTACTS)
    parallel_for(system, address, PREPARE_JOINTS, 0, system.joints.count, LEAST_JOINTS)
    solve_substeps(system, address)
    parallel_for(system, address, STORE_JOINTS, 0, system.joints.count, LEAST_JOINTS)
    give_inertia_back(system)
    if not is_stored_late(system):  # while the blocks are in the caches
        over_colours(system, address, STORE_IMPULSES)
    hold_back(system, address)
    system.bodies.some_rests = 0
    parallel_for(system, address, FINISH_BODIES, 0, system.bodies.active_count, LEAST_BODIES)
    enter(system, COLLECT_MOVED)
    collect_moved(system)
    sense_motion(system, address)
    listen(system, address, AFTER_STEP, delta_time)
    finish_step(system, address)
    if is_large:
        finish_jobs(system.step.job_system, is_shared)
    enter(system, NO_STAGE)
    note_tick(system)


@entry_point("void(int64, float64)")
def step(address, delta_time):
    """Simulate the system at `address` by `delta_time` [s]; 0 s does nothing. Edits of other threads wait meanwhile (see
    edit/commands.py) and are done at the end."""
    if delta_time <= 0.0:
        return
    system = system_at(address)
    take_gate_for_step(system, address)
    system.edits.is_gate_taken = 0
    advance(system, address, delta_time)
    call_3_result(world_at(system.world).edit_function, system.world, 0, address)


class PhysicsSystem:
    """Owns the memory of one SYSTEM record. Made by `World.create_system`."""

    SETTINGS = {
        "gravity": (0.0, -9.8, 0.0), "linear_damp": 0.1, "angular_damp": 0.1, "substep_count": 4, "contact_hertz": 45.0,
        "contact_damping_ratio": 5.0, "joint_hertz": 60.0, "joint_damping_ratio": 5.0, "joint_iterations": 1,
        "push_out_speed": 3.0, "penetration_slop": 0.0, "articulated_penetration_slop": 0.005, "restitution_threshold": 1.0,
        "sleep_linear_threshold": 0.1,
        "sleep_angular_threshold": 0.1396, "time_to_sleep": 0.5, "is_sleeping_allowed": 1, "is_warm_starting": 1,
        "is_active": 1,
    }  # fmt: skip
    COUNTS = ("substep_count", "joint_iterations")
    """Settings that are whole numbers, at least 1."""

    def __init__(self, world, index: int, row, address: int):
        self.address = address
        self.row = row
        self.job_system = world.job_system
        self.listeners: dict[int, tuple] = {}  # of steps, by number: the row's data, and the object that keeps it alive
        self.listener_number = 0
        self.listener_errors: list[BaseException] = []
        self.activation_listeners: list = []
        self.kept: set = set()  # constraints of listeners: they live as long as the system
        self.batches: set = set()  # addresses of the batches of bodies that are in, or on their way; see core/batches.py
        self._stages = None
        self._tick_ring: TickRing | None = None
        self._pools: list[Pool] = []
        self._bodies = world.bodies.rows
        row["world"], row["index"] = world.address, index
        for name, value in self.SETTINGS.items():
            row["settings"][name] = value
        limits, usual, body_capacity = world.limits, world.usual_limits, world.bodies.pool.capacity
        self.limit_warnings = LimitWarnings(row, world.name_limit)
        row["limits"]["pairs"], row["limits"]["contacts"] = limits["pairs"], limits["contacts"]
        pairs, manifolds = (rows_for(limits[name], usual[name]) for name in ("pairs", "contacts"))
        self._reserve_bodies(row["bodies"], row["solver"], body_capacity)
        self._reserve_pairs(row["pairs"], pairs)
        self._reserve_contacts(row["manifolds"], row["reports"], pairs, manifolds)
        self._reserve_joints(row["joints"], limits["joints"])
        self._reserve_constraints(row["constraints"], manifolds, limits["contacts"], limits["joints"])
        self._reserve_step(row["step"], 16 * body_capacity + 65536, 2 * max(pairs, manifolds, body_capacity) + 16)
        row["edits"]["ring"] = self._reserve("edits", COMMAND, limits["waiting_edits"])
        row["edits"]["capacity"] = limits["waiting_edits"]
        overlaps = rows_for(limits["area_overlaps"], usual["area_overlaps"])
        self.sensors = Sensors(body_capacity, overlaps, limits["area_overlaps"])
        row["sensors"] = self.sensors.address
        self.trees = Trees(body_capacity, len(world.broad_phase_names), world.name_limit("bodies"))
        row["trees"]["rows"], row["trees"]["layer_count"] = self.trees.address, len(world.broad_phase_names)
        row["functions"]["collide_shapes"] = collide_shape_pair.address
        assert BODY.itemsize % 8 == 0 and WORLD.itemsize % 8 == 0

    def _reserve(self, name: str, dtype, count: int) -> int:
        pool = Pool(name, dtype, count)
        self._pools.append(pool)
        return pool.address

    def _reserve_bodies(self, bodies, solver, capacity: int) -> None:
        """Reserve the lists of bodies and the solver's rows. Row 0 of the solver stands for all static bodies, which have the
        identity rotation."""
        for field in ("active", "fell_asleep", "woke_up", "changed", "moved"):
            bodies[field] = self._reserve(f"bodies: {field}", np.int32, capacity)
        rows = (
            ("rows", ROW_FLOATS), ("forces", FORCE_FLOATS), ("start_velocities", FORCE_FLOATS), ("inertias", INERTIA_FLOATS),
            ("loads", LOAD_FLOATS), ("halfway", HALFWAY_FLOATS), ("company", MOST_COMPANY),
        )  # fmt: skip
        for field, floats in rows:
            solver[field] = self._reserve(f"solver: {field}", np.float32, (capacity + 16) * floats)
        view_rows(int(solver["rows"]), ROW_FLOATS, np.float32)[DELTA_ROTATION + 3] = 1.0

    def _reserve_pairs(self, row, count: int) -> None:
        row["rows"], row["capacity"], row["first_free"] = self._reserve("pairs", PAIR, count), count, -1
        row["lists"] = self._reserve("lists of pairs", PAIR_LISTS, count)
        row["curves"] = self._reserve("pairs on curves", CURVE, count)
        row["active"] = self._reserve("active pairs", np.int32, count)
        row["active_keys"] = self._reserve("keys of active pairs", np.int32, count)
        row["changed"] = self._reserve("changed pairs", np.int32, count)
        # Grows up to twice as many slots as pairs.
        row["table"], row["table_capacity"] = self._reserve("pair table", np.int32, 2 * count), min(LEAST_PAIR_TABLE, 2 * count)

    def _reserve_contacts(self, row, reports, pairs: int, count: int) -> None:
        """Reserve manifolds, and memory for contact rules and events, which is used only where there are any. A step reports at
        most all current manifolds and all previous ones."""
        row["rows"], row["capacity"], row["first_free"] = self._reserve("contact manifolds", MANIFOLD, count), count, -1
        self._manifolds = self._pools[-1].rows
        row["settings"] = self._reserve("settings of contacts", CONTACT_SETTINGS, count)
        row["bricks"] = self._reserve("bricks of contacts", np.int32, 2 * count)
        reports["pairs"] = self._reserve("pairs that are reported", np.int32, pairs)
        reports["contacts"] = self._reserve("contacts that were reported", REPORTED_CONTACT, count)
        reports["events"], reports["event_capacity"] = self._reserve("contact events", CONTACT_EVENT, 2 * count), 2 * count
        self._contact_events = self._pools[-1].rows

    def _reserve_joints(self, row, count: int) -> None:
        row["active"] = self._reserve("active joints", np.int32, count)
        row["trees"] = self._reserve("joint trees", TREE, count)
        row["nodes"] = self._reserve("bodies in joint trees", TREE_NODE, 2 * count)
        row["block_capacity"] = BLOCKS_OF_JOINT * count
        row["blocks"] = self._reserve("blocks of joint networks", NETWORK_BLOCK, BLOCKS_OF_JOINT * count)
        row["axes"] = self._reserve("axes of joint networks", NETWORK_AXES, count)
        row["rows"] = self._reserve("joint rows", JOINT_ROW, count * MAX_ROWS)

    def _reserve_constraints(self, row, manifolds: int, contacts: int, joints: int) -> None:
        # As many as possible: one for each contact, if all are of one body, and one for each colour that is not full.
        row["blocks"] = self._reserve("constraint blocks", np.uint8, (contacts + COLOUR_COUNT) * BLOCK_SIZE)
        row["bounces"] = self._reserve("bounces of the blocks", np.uint8, (contacts + COLOUR_COUNT) * BOUNCES_SIZE)
        self._colours = np.zeros(1, dtype=COLOURS)
        for colour in range(COLOUR_COUNT + 1):
            self._colours[0]["lists"][colour] = self._reserve(f"colour {colour}", np.int32, manifolds)
            self._colours[0]["keys"][colour] = self._reserve(f"keys of colour {colour}", np.int32, manifolds)
            self._colours[0]["joint_lists"][colour] = self._reserve(f"joint colour {colour}", np.int32, joints)
        self._colours[0]["overflow_blocks"] = self._reserve("blocks of the overflow", np.int32, 8 * contacts)
        self._colours[0]["overflow_lanes"] = self._reserve("lanes of the overflow", np.int32, contacts)
        row["colours"] = address_of(self._colours)

    def _reserve_step(self, row, scratch: int, spare: int) -> None:
        self._jobs = np.array([job.address for job in JOBS], dtype=np.int64)
        row["jobs"], row["job_system"] = address_of(self._jobs), self.job_system.address
        row["scratch"], row["scratch_bytes"] = self._reserve("scratch", np.uint8, scratch), scratch
        row["spare_list"] = self._reserve("spare list", np.int32, spare)
        row["listeners"] = self._reserve("step listeners", LISTENER, MOST_LISTENERS)

    def contact_events(self) -> np.ndarray:
        """Contact events of the last step: rows of CONTACT_EVENT, read-only, valid until the next step."""
        events = self._contact_events[: int(self.row["reports"]["readable_event_count"])]
        events.flags.writeable = False
        return events

    def step(self, delta_time: float, function=step) -> None:
        """Simulate by `delta_time` [s]. Warns of limits that left something out. `function`: the entry point of the world."""
        function(self.address, delta_time)
        self.limit_warnings.warn()

    def measure_stages(self, is_on: bool = True) -> None:
        """Start measuring the time of every stage of the step, from zero; or stop."""
        self._stages = np.zeros(1, dtype=STAGES) if is_on else None
        if is_on:
            self._stages["current"] = NO_STAGE
            self._stages["ticks"] = self._tick_ring.address if self._tick_ring else 0
        self.row["step"]["stage_cycles"] = address_of(self._stages) if is_on else 0

    def stage_seconds(self) -> dict[str, float]:
        """Time spent in each stage [s] since `measure_stages`, on the thread that called the step."""
        if self._stages is None:
            raise RuntimeError("stage_seconds: measure_stages was not called")
        rate = cycles_per_second()
        return {name: float(self._stages[0]["cycles"][k] / rate) for k, name in enumerate(STAGE_NAMES)}

    def record_ticks(self, capacity: int) -> TickRing:
        """Record each step from now on in a ring of `capacity` steps. No step may be running. Raises RuntimeError while stages
        are measured for something else, or recorded."""
        if self._stages is not None:
            raise RuntimeError("record_ticks: the stages of this space are measured already")
        self._tick_ring = TickRing(capacity)
        self.measure_stages()
        return self._tick_ring

    def stop_ticks(self) -> None:
        """Stop recording steps. No step may be running."""
        self._tick_ring = None
        self.measure_stages(False)

    def contact_points(self, most: int) -> np.ndarray:
        """Contact points of the last step: at most `most` points, float64 (n, 3), world [m]."""
        count = int(self.row["constraints"]["block_count"])
        blocks = view_rows(int(self.row["constraints"]["blocks"]), count * BLOCK_FIELDS * 8, np.float32)
        lanes = blocks.reshape(count, BLOCK_FIELDS, 8).transpose(0, 2, 1).reshape(8 * count, BLOCK_FIELDS)
        number = lanes.view(np.int32)[:, MANIFOLD_INDEX]
        lanes, rows = lanes[number >= 0], self._manifolds[number[number >= 0]]
        normal, points = lanes[:, None, NORMAL : NORMAL + 3], lanes[:, POINTS:].reshape(-1, 4, POINT_FIELDS)
        axis_a, axis_b = points[:, :, POINT_ANCHOR_A : POINT_ANCHOR_A + 3], points[:, :, POINT_ANCHOR_B : POINT_ANCHOR_B + 3]
        separation = points[:, :, POINT_SEPARATION] + ((axis_b - axis_a) * normal).sum(2)
        is_used = (separation <= LINEAR_SLOP) | (points[:, :, POINT_TOTAL_IMPULSE] > 0.0)
        is_used &= (rows["pair"] >= 0)[:, None]
        growth = np.where(rows["flags"] & MANIFOLD_TAPERS != 0, rows["separation"][:, GROWTH_A], 0.0)
        rounding = rows["rounding_a"][:, None] + growth[:, None] * (np.arange(4) - 0.5)
        places = self._bodies["position"][rows["body_a"]][:, None, :] + axis_a + rounding[:, :, None] * normal
        return places[is_used][:most]

    def close(self) -> None:
        """Free the memory. No step and no query may be running."""
        self.row["settings"]["is_active"] = 0
        self.trees = None
        self.sensors.close()
        self._manifolds = self._contact_events = None
        self._pools.clear()
