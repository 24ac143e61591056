"""The one list of what decides how a space moves on: what a saved state holds.

Every field of the records SYSTEM, SENSORS, COLOURS and TREE, and every pool of a space, is in one of the lists here; a test fails
for one that is in none. `saved`: put back by a restore. `kept`: belongs to the process: addresses, sizes, words of other threads.
`scratch`: it is written by a step before it is read there; the tests fill it with rubbish after a restore.
"""

from typing import NamedTuple

import numpy as np

from ..bodies.schema import BODY, BODY_RARE, HAS_RARE, IS_AREA, SYSTEM
from ..broad_phase.schema import ALLOCATOR, ITEM, KEY, NODE, NODE_INFO, RANGE, TREE
from ..collision.contact_schema import CONTACT_EVENT, CONTACT_SETTINGS, TOLD_CONTACT
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
        "origin", "gravity", "linear_damp", "angular_damp", "substep_count", "contact_hertz", "contact_damping_ratio",
        "joint_hertz", "joint_damping_ratio", "joint_iterations", "push_out_speed", "penetration_slop",
        "articulated_penetration_slop", "restitution_threshold", "sleep_linear_threshold", "sleep_angular_threshold",
        "time_to_sleep", "is_sleeping_allowed", "is_warm_starting", "step_count", "last_delta_time", "active_count",
        "active_disorder", "active_kinematic_count", "fell_asleep_count", "changed_count", "moved_count", "woke_count",
        "pair_count", "first_free_pair", "active_pair_count", "active_pair_disorder", "changed_pair_count",
        "pair_table_capacity", "manifold_count", "first_free_manifold", "telling_count", "told_count", "first_free_told",
        "contact_event_count", "contact_event_told", "has_broken_joints", "some_body_rests", "island_count",
    ),
    kept=(
        "id", "world", "index", "is_active", "origin_version", "frames", "frame_version", "hides_begun", "hides_ended",
        "active_bodies", "spare_list", "solver_rows", "solver_forces", "start_velocities", "solver_inertias", "solver_loads",
        "fell_asleep", "changed_bodies", "moved_bodies", "woke_up", "listens_to_waking", "listeners", "listener_count",
        "pairs", "pair_capacity", "pair_lists", "active_pairs", "active_pair_keys", "pair_limit", "changed_pairs",
        "pair_table", "manifolds", "manifold_capacity", "contact_limit", "contact_settings", "manifold_bricks",
        "telling_pairs", "told_contacts", "contact_events", "contact_event_capacity", "colours", "constraint_blocks",
        "active_joints", "joint_rows", "joint_trees", "joint_nodes", "sensors", "trees", "layer_count", "jobs", "job_system",
        "scratch", "scratch_bytes", "halfway", "curves", "company", "left_out", "status", "stage_cycles", "extra", "commands",
        "command_capacity", "command_tail", "padding_1", "gate", "padding_2", "command_head", "padding_3",
    ),
    scratch=(
        "substep", "some_block_is_elastic", "some_block_has_impact", "some_block_bounced", "some_joined_bounced",
        "steps_left", "steps_done", "candidate_count", "chosen_pair_count", "constraint_block_count", "joint_count",
        "loose_joint_count", "joint_row_count", "joint_tree_count", "joint_node_count", "is_shared", "sweep_round",
        "held_back_count",
    ),
)  # fmt: skip

OF_SENSORS = Fields(
    SENSORS,
    saved=(
        "area_count", "overlap_count", "first_free_overlap", "shape_overlap_count", "first_free_shape_overlap",
        "table_capacity", "due_count", "to_report_count", "event_count", "told_count", "measured_count",
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
        "phase", "captured_root", "scanned_root", "new_root", "new_root_slot", "opened_count", "opened_position",
        "kept_count", "queue_begin", "queue_end", "retired_count", "retired_kept_count", "is_full_build", "rebuild_count",
        "full_build_count", "head", "next_generation", "published_pending", "claimed_pending", "body_count", "is_dirty",
        "debt", "chain_length", "layer_union", "mask_union", "origins", "last_roots", "build.item_count",
        "build.created_count", "build.range_count", "build.reserve", "build.position", "build.root", "build.born",
        "build.failed", "build.cut", "build.cuts", "build.pass_", "build.left", "build.right", "build.low", "build.high",
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
    Rows("active_bodies", INT32, "active_count"),
    Rows("fell_asleep", INT32, "fell_asleep_count"),
    Rows("woke_up", INT32, "woke_count"),
    Rows("changed_bodies", INT32, "changed_count"),
    Rows("moved_bodies", INT32, "moved_count"),
    Rows("pairs", PAIR, "pair_count"),
    Rows("pair_lists", PAIR_LISTS, "pair_count"),
    Rows("pair_table", INT32, "pair_table_capacity"),
    Rows("active_pairs", INT32, "active_pair_count"),
    Rows("active_pair_keys", INT32, "active_pair_count"),
    Rows("changed_pairs", INT32, "changed_pair_count"),
    Rows("manifolds", MANIFOLD, "manifold_count"),
    Rows("telling_pairs", INT32, "telling_count"),
    Rows("told_contacts", TOLD_CONTACT, "told_count"),
    Rows("contact_events", CONTACT_EVENT, "contact_event_count"),
)
BESIDE_MANIFOLDS = (
    Marked("contact_settings", CONTACT_SETTINGS, MANIFOLD_HAS_SETTINGS, "contact_rules"),
    Marked("manifold_bricks", np.dtype((np.int32, 2)), MANIFOLD_HAS_BRICKS, "brick_function"),
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
    "spare_list", "solver_rows", "solver_forces", "start_velocities", "solver_inertias", "solver_loads", "constraint_blocks",
    "active_joints", "joint_rows", "joint_trees", "joint_nodes", "scratch", "halfway", "company", "curves",
)  # fmt: skip
"""Pools of SYSTEM that a step fills before it reads them. Row 0 of `solver_rows` is written once, when the space is made."""
KEPT_POOLS = ("commands", "listeners")
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
