"""The one list of what decides how a space moves on: what a saved state holds.

Every field of the records SYSTEM, SENSORS, COLOURS and TREE, and every pool of a space, is in one of the lists here; a test fails
for one that is in none. `saved`: put back by a restore. `kept`: belongs to the process: addresses, sizes, words of other threads.
`scratch`: it is written by a step before it is read there; the tests fill it with rubbish after a restore.
"""

from typing import NamedTuple

import numpy as np

from ..bodies.schema import BODY, BODY_RARE, HAS_RARE, IS_AREA
from ..bodies.system_schema import SYSTEM
from ..broad_phase.schema import ALLOCATOR, ITEM, KEY, NODE, NODE_INFO, RANGE, TREE
from ..collision.contact_schema import CONTACT_EVENT, CONTACT_SETTINGS, REPORTED_CONTACT
from ..collision.schema import (
    MANIFOLD, MANIFOLD_HAS_BRICKS, MANIFOLD_HAS_SETTINGS, PAIR, PAIR_LISTS,
)  # fmt: skip
from ..constraints.schema import COLOURS
from ..sensors.schema import AREA, AREA_EVENT, OVERLAP, SENSORS, SHAPE_OVERLAP

INT32 = np.dtype(np.int32)


class Fields(NamedTuple):
    """The fields of a record, by what becomes of them. Names of nested records stand for all of their fields."""

    record: np.dtype
    saved: tuple[str, ...]
    kept: tuple[str, ...]
    scratch: tuple[str, ...] = ()


class Rows(NamedTuple):
    """A list that is saved: the fields of a record with its address and its number of rows. `only_if`: a field that is 0 where
    the list is not used."""

    pool: str
    row: np.dtype
    count: str
    only_if: str = ""


class Marked(NamedTuple):
    """A pool beside that of the manifolds, of which only the rows are saved whose manifolds have a flag. `only_if`: a field of
    WORLD that is 0 while there can be none."""

    pool: str
    row: np.dtype
    flag: int
    only_if: str


OF_SYSTEM = Fields(
    SYSTEM,
    saved=(
        "place.origin", "settings.gravity", "settings.linear_damp", "settings.angular_damp", "settings.substep_count",
        "settings.contact_hertz", "settings.contact_damping_ratio", "settings.joint_hertz", "settings.joint_damping_ratio",
        "settings.joint_iterations", "settings.push_out_speed", "settings.penetration_slop",
        "settings.articulated_penetration_slop", "settings.restitution_threshold", "settings.sleep_linear_threshold",
        "settings.sleep_angular_threshold", "settings.time_to_sleep", "settings.is_sleeping_allowed",
        "settings.is_warm_starting", "step.count", "step.last_delta_time", "step.last_substep_time",
        "bodies.active_count", "bodies.active_disorder",
        "bodies.active_kinematic_count", "bodies.fell_asleep_count", "bodies.changed_count", "bodies.moved_count",
        "bodies.woke_count", "pairs.count", "pairs.first_free", "pairs.active_count", "pairs.active_disorder",
        "pairs.changed_count", "pairs.table_capacity", "manifolds.count", "manifolds.first_free", "reports.pair_count",
        "reports.contact_count", "reports.first_free_contact", "reports.event_count", "reports.readable_event_count",
        "joints.some_broke", "bodies.some_rests", "bodies.island_count",
    ),
    kept=(
        "id", "world", "index", "settings.is_active", "place.origin_version", "place.frames", "place.frame_version",
        "trees.hides_begun", "trees.hides_ended", "bodies.active", "step.spare_list", "solver.rows", "solver.forces",
        "solver.start_velocities", "solver.inertias", "solver.loads", "bodies.fell_asleep", "bodies.changed", "bodies.moved",
        "bodies.woke_up", "bodies.listens_to_waking", "step.listeners", "step.listener_count", "pairs.rows", "pairs.capacity",
        "pairs.lists", "pairs.active", "pairs.active_keys", "limits.pairs", "pairs.changed", "pairs.table", "manifolds.rows",
        "manifolds.capacity", "limits.contacts", "manifolds.settings", "manifolds.bricks", "reports.pairs", "reports.contacts",
        "reports.events", "reports.event_capacity", "constraints.colours", "constraints.blocks", "constraints.bounces",
        "joints.active", "joints.rows", "joints.trees", "joints.nodes", "joints.blocks", "joints.block_capacity",
        "joints.axes",
        "sensors", "trees.rows", "trees.layer_count",
        "step.jobs", "step.job_system", "step.scratch", "step.scratch_bytes", "solver.halfway", "pairs.curves",
        "solver.company", "limits.left_out", "limits.status", "step.stage_cycles", "functions.collide_shapes",
        "functions.query_rays", "functions.query_shapes", "functions.test_motion", "edits.is_gate_taken", "edits.ring",
        "edits.capacity", "edits.tail", "edits.padding_1", "edits.gate", "edits.padding_2", "edits.head", "edits.padding_3",
    ),
    scratch=(
        "step.substep", "step.warm_part", "step.warm_share",
        "solver.some_block_is_elastic", "solver.some_block_has_impact", "solver.some_block_bounces",
        "solver.some_bounce_changed", "solver.some_joined_bounced", "solver.some_is_limited", "step.steps_left",
        "step.steps_done", "pairs.candidate_count", "pairs.chosen_count", "constraints.block_count", "joints.count",
        "joints.loose_count", "joints.row_count", "joints.tree_count", "joints.node_count", "joints.block_count",
        "step.is_shared",
        "solver.sweep_round", "solver.held_back_count",
    ),
)  # fmt: skip

OF_SENSORS = Fields(
    SENSORS,
    saved=(
        "area_count", "overlap_count", "first_free_overlap", "shape_overlap_count", "first_free_shape_overlap",
        "table_capacity", "due_count", "to_report_count", "event_count", "reported_count", "measured_count",
    ),
    kept=(
        "default_area", "overlaps", "overlap_capacity", "shape_overlaps", "shape_overlap_capacity", "table", "first_overlap",
        "due", "due_depths", "measure_limit", "to_report", "events", "event_capacity", "spare_events", "event_order",
    ),
    scratch=("chosen_count",),
)  # fmt: skip

OF_COLOURS = Fields(
    COLOURS,
    saved=("counts", "disorder", "joint_counts"),
    kept=("lists", "keys", "overflow_blocks", "overflow_lanes", "joint_lists"),
    scratch=("first_block", "block_count", "first_loose", "loose_counts"),
)

OF_TREE = Fields(
    TREE,
    saved=(
        "phase", "captured_root", "scanned_root", "new_root", "new_root_slot", "opened_count", "opened_position", "kept_count",
        "queue_begin", "queue_end", "retired_count", "retired_kept_count", "is_full_build", "rebuild_count", "full_build_count",
        "head", "next_generation", "published_pending", "claimed_pending", "body_count", "is_dirty", "debt", "chain_length",
        "layer_union", "mask_union", "origins", "last_roots", "build.item_count", "build.created_count", "build.range_count",
        "build.reserve", "build.position", "build.root", "build.born", "build.failed", "build.cut", "build.cuts", "build.pass_",
        "build.left", "build.right", "build.low", "build.high",
    ),
    kept=(
        "nodes", "infos", "node_capacity", "allocator", "words", "first_pending", "body_capacity", "budget", "opened", "kept",
        "queue", "flush_job", "prepare_job", "rebuild_job", "swap_job", "quick_share", "spare", "is_closed", "padding_1",
        "padding_2", "is_flushing", "padding_3", "is_in_maintenance", "padding_4", "padding_5", "users", "build.items",
        "build.keys", "build.created", "build.ranges", "build.spare",
    ),
)  # fmt: skip

# A body's row but for the two words of its publication, which count up for readers on other threads.
BODY_KEEPS = ("published", "shadow")
RARE_KEEPS = ("contacts",)
BODY_LISTS = (("rare_bodies", BODY_RARE, HAS_RARE), ("areas", AREA, IS_AREA))
"""Pools of WORLD with a row a body, and the flag of the bodies that use theirs."""

ROWS_OF_SYSTEM = (
    Rows("bodies.active", INT32, "bodies.active_count"),
    Rows("bodies.fell_asleep", INT32, "bodies.fell_asleep_count"),
    Rows("bodies.woke_up", INT32, "bodies.woke_count"),
    Rows("bodies.changed", INT32, "bodies.changed_count"),
    Rows("bodies.moved", INT32, "bodies.moved_count"),
    Rows("pairs.rows", PAIR, "pairs.count"),
    Rows("pairs.lists", PAIR_LISTS, "pairs.count"),
    Rows("pairs.table", INT32, "pairs.table_capacity"),
    Rows("pairs.active", INT32, "pairs.active_count"),
    Rows("pairs.active_keys", INT32, "pairs.active_count"),
    Rows("pairs.changed", INT32, "pairs.changed_count"),
    Rows("manifolds.rows", MANIFOLD, "manifolds.count"),
    Rows("reports.pairs", INT32, "reports.pair_count"),
    Rows("reports.contacts", REPORTED_CONTACT, "reports.contact_count"),
    Rows("reports.events", CONTACT_EVENT, "reports.event_count"),
)
BESIDE_MANIFOLDS = (
    Marked("manifolds.settings", CONTACT_SETTINGS, MANIFOLD_HAS_SETTINGS, "contact_rules"),
    Marked("manifolds.bricks", np.dtype((np.int32, 2)), MANIFOLD_HAS_BRICKS, "brick_function"),
)
ROWS_OF_SENSORS = (
    Rows("overlaps", OVERLAP, "overlap_count"),
    Rows("shape_overlaps", SHAPE_OVERLAP, "shape_overlap_count"),
    Rows("table", INT32, "table_capacity"),
    Rows("due", INT32, "due_count"),
    Rows("to_report", INT32, "to_report_count"),
    Rows("events", AREA_EVENT, "event_count"),
)
ROWS_OF_TREE = (
    Rows("opened", INT32, "opened_count"),
    Rows("kept", INT32, "kept_count"),
    Rows("queue", np.dtype(np.int64), "queue_end", "phase"),
    Rows("build.items", ITEM, "build.item_count", "phase"),
    Rows("build.keys", KEY, "build.item_count", "phase"),
    Rows("build.created", INT32, "build.created_count", "phase"),
    Rows("build.ranges", RANGE, "build.range_count", "phase"),
)
SHARED_BY_TREES = (("nodes", NODE), ("infos", NODE_INFO))
"""Pools of all trees of a space: as many rows as ALLOCATOR.fresh says."""
OF_ALLOCATOR = Fields(ALLOCATOR, saved=("free_head", "fresh"), kept=("padding_1", "padding_2"))

SCRATCH_POOLS = (
    "step.spare_list", "solver.rows", "solver.forces", "solver.start_velocities", "solver.inertias", "solver.loads",
    "constraints.blocks", "constraints.bounces", "joints.active", "joints.rows", "joints.trees", "joints.nodes", "joints.blocks",
    "joints.axes", "step.scratch",
    "solver.halfway", "solver.company", "pairs.curves",
)  # fmt: skip
"""Pools of SYSTEM that a step fills before it reads them. Row 0 of `solver_rows` is written once, when the space is made."""
KEPT_POOLS = ("edits.ring", "step.listeners")
"""Pools of SYSTEM that belong to the process: edits under way, and functions."""
SCRATCH_OF_SENSORS = ("due_depths", "spare_events", "event_order")


def leaves(record: np.dtype, before: str = "") -> list[tuple[str, int, int]]:
    """The fields of a record and of records in it: name, with dots, place and size [byte]."""
    found = []
    for name in record.names:
        dtype, offset = record.fields[name][:2]
        if dtype.names:
            found += [(inner, offset + place, size) for inner, place, size in leaves(dtype, f"{before}{name}.")]
        else:
            found.append((before + name, offset, dtype.itemsize))
    return found


def place_of(record: np.dtype, field: str) -> int:
    """The offset of a field, with dots for fields of records in it [byte]. Raises KeyError."""
    return {name: offset for name, offset, _ in leaves(record)}[field]


def runs_of(record: np.dtype, names) -> list[tuple[int, int]]:
    """The places of fields [byte]: (begin, end), those that touch joined, in ascending order."""
    wanted, runs = set(names), []
    for name, offset, size in sorted(leaves(record), key=lambda leaf: leaf[1]):
        if name in wanted and runs and runs[-1][1] == offset:
            runs[-1] = (runs[-1][0], offset + size)
        elif name in wanted:
            runs.append((offset, offset + size))
    return runs


def all_but(record: np.dtype, names) -> list[tuple[int, int]]:
    """The places of a record but for some fields [byte]."""
    at, runs = 0, []
    for begin, end in [*runs_of(record, names), (record.itemsize, record.itemsize)]:
        runs += [(at, begin)] if begin > at else []
        at = end
    return runs


BODY_RUNS, RARE_RUNS = all_but(BODY, BODY_KEEPS), all_but(BODY_RARE, RARE_KEEPS)
