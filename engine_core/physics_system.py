"""One simulated space, and its step on one page.

`step` is compiled and holds no GIL: Godot calls it by address. It goes through the jobs in their order; what is parallel is
handed out as ranges of a job, what is serial stands between them. Every job says in its own docstring what it reads and writes.
"""

import numpy as np

from .bodies.schema import BODY, BROAD_PHASE_LAYER_COUNT, SYSTEM, WORLD
from .broad_phase.trees import Trees
from .changes import apply_changes, collect_moved, update_trees
from .collision.contacts import collide
from .collision.pair_finding import find_pairs
from .collision.reports import report_contacts
from .collision.schema import MANIFOLD, PAIR
from .constraints.contact_preparation import prepare_contacts, store_impulses
from .constraints.schema import BLOCK_SIZE, COLOUR_COUNT, COLOURS, DELTA_ROTATION, OVERFLOW, ROW_FLOATS
from .runtime.call import call_job
from .runtime.kernel import entry_point, kernel
from .runtime.memory import Pool, PoolFull, address_of, view
from .solver.colours import lay_out_blocks
from .solver.integration import finish_bodies, integrate_positions, integrate_velocities, prepare_bodies
from .solver.sleeping import put_islands_to_sleep
from .solver.touching import settle_pairs
from .solver.wide_contacts import relax, restitute, solve, warm_start

# The jobs of a step, by their place in SYSTEM.jobs.
JOBS = (
    collide, prepare_bodies, prepare_contacts, integrate_velocities, warm_start, solve, integrate_positions, relax, restitute,
    store_impulses, finish_bodies,
)  # fmt: skip
(
    COLLIDE, PREPARE_BODIES, PREPARE_CONTACTS, INTEGRATE_VELOCITIES, WARM_START, SOLVE, INTEGRATE_POSITIONS, RELAX, RESTITUTE,
    STORE_IMPULSES, FINISH_BODIES,
) = range(len(JOBS))  # fmt: skip
JOB_COUNT = len(JOBS)

BLOCKS_FULL = 4
"""Value of SYSTEM.status, beside those of collision/pairs.py."""
STATUS_SETTINGS = {
    1: ("pairs", "physics/scree_3d/limits/max_pairs"),
    2: ("contact manifolds", "physics/scree_3d/limits/max_contacts"),
    4: ("constraint blocks", "physics/scree_3d/limits/max_contacts"),
}


@kernel
def parallel_for(system, address, job, count):
    """Do the items 0 to `count - 1` of a job."""
    if count > 0:
        jobs = view(system.jobs, JOB_COUNT, np.int64)
        call_job(jobs[job], address, 0, count, 0)


@kernel
def over_colours(system, address, job):
    """Do a job over all constraint blocks, colour after colour: the overflow first, what is static last."""
    colours = view(system.colours, 1, COLOURS)[0]
    jobs = view(system.jobs, JOB_COUNT, np.int64)
    for k in range(COLOUR_COUNT + 1):
        colour = OVERFLOW if k == 0 else k - 1
        first, count = colours.first_block[colour], colours.block_count[colour]
        if count > 0:
            call_job(jobs[job], address, first, first + count, 0)


@kernel
def solve_substeps(system, address):
    """The sub-steps: velocities, contacts, positions, contacts again without bias."""
    groups = (system.active_count + 7) >> 3
    for _ in range(system.substep_count):
        parallel_for(system, address, INTEGRATE_VELOCITIES, system.active_count)
        over_colours(system, address, WARM_START)
        over_colours(system, address, SOLVE)
        parallel_for(system, address, INTEGRATE_POSITIONS, groups)
        over_colours(system, address, RELAX)
    over_colours(system, address, RESTITUTE)


@entry_point("void(int64, float64)")
def step(address, delta_time):
    """Simulate the system at `address` by `delta_time` [s]; 0 s does nothing."""
    if delta_time <= 0.0:
        return
    system = view(address, 1, SYSTEM)[0]
    system.fell_asleep_count = 0
    system.last_delta_time = delta_time
    apply_changes(system, delta_time)
    find_pairs(system)
    parallel_for(system, address, COLLIDE, system.active_pair_count)
    settle_pairs(system)
    parallel_for(system, address, PREPARE_BODIES, system.active_count)
    system.constraint_block_count = lay_out_blocks(system)
    if system.constraint_block_count > system.constraint_block_capacity:
        system.status |= BLOCKS_FULL
        return
    parallel_for(system, address, PREPARE_CONTACTS, system.constraint_block_count)
    solve_substeps(system, address)
    parallel_for(system, address, STORE_IMPULSES, system.constraint_block_count)
    parallel_for(system, address, FINISH_BODIES, system.active_count)
    collect_moved(system)
    report_contacts(system)
    put_islands_to_sleep(system)
    update_trees(system)
    system.step_count += 1


class PhysicsSystem:
    """Owns the memory of one SYSTEM record. Made by `World.create_system`."""

    SETTINGS = {
        "gravity": (0.0, -9.8, 0.0), "linear_damp": 0.1, "angular_damp": 0.1, "substep_count": 4, "contact_hertz": 30.0,
        "contact_damping_ratio": 10.0, "push_out_speed": 3.0, "restitution_threshold": 1.0, "sleep_linear_threshold": 0.1,
        "sleep_angular_threshold": 0.1396, "time_to_sleep": 0.5, "is_sleeping_allowed": 1, "is_warm_starting": 1,
        "is_active": 1,
    }  # fmt: skip
    LIMITS = {"pairs": 1 << 20, "manifolds": 1 << 19}

    def __init__(self, world, index: int, row, address: int):
        self.address = address
        self.row = row
        self._pools: list[Pool] = []
        row["world"], row["index"] = world.address, index
        for name, value in self.SETTINGS.items():
            row[name] = value
        body_capacity = world.bodies.pool.capacity
        for field in ("active_bodies", "fell_asleep", "changed_bodies", "moved_bodies"):
            row[field] = self._reserve(field, np.int32, body_capacity)
        for field in ("solver_rows", "solver_forces"):
            row[field] = self._reserve(field, np.float32, (body_capacity + 16) * ROW_FLOATS)
        self._static_row(row)
        pairs, manifolds = self.LIMITS["pairs"], self.LIMITS["manifolds"]
        row["pairs"], row["pair_capacity"] = self._reserve("pairs", PAIR, pairs), pairs
        row["manifolds"], row["manifold_capacity"] = self._reserve("contact manifolds", MANIFOLD, manifolds), manifolds
        row["first_free_pair"] = row["first_free_manifold"] = -1
        row["active_pairs"] = self._reserve("active pairs", np.int32, pairs)
        row["changed_pairs"] = self._reserve("changed pairs", np.int32, pairs)
        row["pair_table"], row["pair_table_capacity"] = self._reserve("pair table", np.int32, 2 * pairs), 2 * pairs
        blocks = manifolds // 8 + COLOUR_COUNT + manifolds // 4
        row["constraint_blocks"] = self._reserve("constraint blocks", np.uint8, blocks * BLOCK_SIZE)
        row["constraint_block_capacity"] = blocks
        self._colours = np.zeros(1, dtype=COLOURS)
        for colour in range(COLOUR_COUNT + 1):
            self._colours[0]["lists"][colour] = self._reserve(f"colour {colour}", np.int32, manifolds)
        row["colours"] = address_of(self._colours)
        scratch = 16 * body_capacity + 65536
        row["scratch"], row["scratch_bytes"] = self._reserve("scratch", np.uint8, scratch), scratch
        self.trees = Trees(body_capacity)
        row["trees"] = self.trees.address
        self._jobs = np.array([job.address for job in JOBS], dtype=np.int64)
        row["jobs"] = address_of(self._jobs)
        assert BROAD_PHASE_LAYER_COUNT == 3 and BODY.itemsize % 8 == 0 and WORLD.itemsize % 8 == 0

    def _reserve(self, name: str, dtype, count: int) -> int:
        pool = Pool(name, dtype, count)
        self._pools.append(pool)
        return pool.address

    @staticmethod
    def _static_row(row) -> None:
        """Row 0 of the solver: what does not move has turned by nothing."""
        first = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_float * ROW_FLOATS).from_address(int(row["solver_rows"])))
        first[DELTA_ROTATION + 3] = 1.0

    def step(self, delta_time: float) -> None:
        """Simulate by `delta_time` [s]. Raises PoolFull if a pool ran full; the step then did what it could."""
        step(self.address, delta_time)
        self.raise_status()

    def raise_status(self) -> None:
        """Turn the status that compiled code left into an error, and clear it."""
        status, self.row["status"] = int(self.row["status"]), 0
        for bit, (name, setting) in STATUS_SETTINGS.items():
            if status & bit:
                raise PoolFull(f"step: the pool of {name} is full: raise the setting '{setting}'")

    def close(self) -> None:
        """Give the memory back. No step and no query may be running."""
        self.row["is_active"] = 0
        self.trees = None
        self._pools.clear()
