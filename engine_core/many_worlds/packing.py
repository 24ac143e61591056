"""How a space is packed into one block of memory, so that thousands of copies lie close together.

A space of a World has a pool for everything, each with room for millions of rows, on memory pages of its own. A packed space has
the same records and lists one behind the other, with room for what so few bodies can need. All addresses in it that mean a place
in it are listed: a copy is one `memcpy`, and these addresses written anew. What a step writes before it reads it (the scratch of
state/declared.py) is not packed: each thread has it once.
"""

from dataclasses import dataclass, field

import numpy as np

from ..bodies.records import system_at
from ..bodies.schema import BODY, BODY_RARE, CONTACT_REPORT, HAS_RARE, SHADOW, WORLD
from ..bodies.system_schema import SYSTEM
from ..broad_phase.schema import ALLOCATOR, ITEM, KEY, NODE, NODE_INFO, PENDING_NODES, RANGE, RANGE_CAPACITY, TREE
from ..collision.contact_schema import CONTACT_EVENT, CONTACT_SETTINGS, REPORTED_CONTACT
from ..collision.schema import CURVE, MANIFOLD, PAIR, PAIR_LISTS
from ..constraints.schema import (
    BLOCK_SIZE, BOUNCES_SIZE, COLOUR_COUNT, COLOURS, DELTA_ROTATION, FORCE_FLOATS, INERTIA_FLOATS, LOAD_FLOATS, ROW_FLOATS,
)  # fmt: skip
from ..edit.commands import COMMAND
from ..joints.schema import BLOCKS_OF_JOINT, JOINT, JOINT_ROW, MAX_ROWS, NETWORK_AXES, NETWORK_BLOCK, TREE_NODE
from ..joints.schema import TREE as JOINT_TREE
from ..runtime.cores import MAX_THREADS
from ..runtime.kernel import entry_point
from ..runtime.memory import Pool, address_of, view, view_rows
from ..runtime.pair_table import insert_row
from ..sensors.overlaps import overlaps_of, sensors_of
from ..sensors.schema import AREA, AREA_EVENT, OVERLAP, SENSORS, SHAPE_OVERLAP
from ..solver.continuous import MOST_COMPANY
from ..solver.ways import HALFWAY_FLOATS
from ..state.declared import place_of

INT64 = np.int64
WORD, HALF, FLOAT = np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.float32)
LINE = 64
SPARE_NODES = 64
"""Tree nodes of a copy besides three for each body: for trees that are built while others are still in use."""
LEAST_SCRATCH = 65536
SCRATCH_OF_BODY = 16
"""Bytes of scratch: so many, and so many for each body. As step/physics_system.py reserves it."""


class NoRoom(ValueError):
    """The space holds more than its copies have room for. The message names the argument that makes more."""


@dataclass(frozen=True)
class Room:
    """How many rows the lists of a copy have."""

    bodies: int
    joints: int
    pairs: int
    contacts: int
    overlaps: int
    has_reports: bool

    @property
    def nodes(self) -> int:
        return 3 * self.bodies + SPARE_NODES

    @property
    def items(self) -> int:
        return 2 * self.bodies + LINE


@dataclass
class Packed:
    """A packed space. `memory`: uint8, the template of all copies. `links`: int64 (n, 2), offsets of addresses in it and of what
    they mean. `scratch`: (offset of the address, dtype, row count) of each list that a thread shares among its worlds."""

    room: Room
    world_at: int = 0
    system_at: int = 0
    size: int = 0
    blocks: list[tuple[int, int, int]] = field(default_factory=list)  # (offset, address of the source, bytes)
    words: list[tuple[int, int]] = field(default_factory=list)  # (offset, int64)
    link_list: list[tuple[int, int]] = field(default_factory=list)
    scratch: list[tuple[int, np.dtype, int]] = field(default_factory=list)
    hot: list[tuple[int, int]] = field(default_factory=list)  # (offset, bytes) of what each step reads

    def add(self, source: int, used: int, room: int, align: int = LINE) -> int:
        """Make room for `room` bytes and fill the first `used` from an address. Returns the offset."""
        at = (self.size + align - 1) // align * align
        self.size = at + max(room, used)
        if used:
            self.blocks.append((at, source, used))
        return at

    def link(self, place: int, target: int) -> None:
        self.link_list.append((place, target))

    def add_list(self, place: int, source: int, row: np.dtype, used: int, room: int) -> int:
        """Pack a list whose address is at `place`, with `used` rows. Returns its offset."""
        at = self.add(source, used * row.itemsize, room * row.itemsize, LINE if row.itemsize >= LINE else WORD.itemsize)
        self.link(place, at)
        return at

    def share(self, place: int, row: np.dtype, room: int) -> None:
        self.scratch.append((place, row, room))

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """(memory, links)."""
        memory = np.zeros(self.size, np.uint8)
        for at, source, used in self.blocks:
            memory[at : at + used] = view_rows(source, used, np.uint8)
        for at, value in self.words:
            memory[at : at + 8].view(np.int64)[0] = value
        return memory, np.array(self.link_list, np.int64).reshape(-1, 2)


def pack_world(packed: Packed, world, room: Room) -> None:
    """Pack the record of the world, and the rows of bodies and joints."""
    record, index_of = world.record, {name: WORLD.fields[name][1] for name in WORLD.names}
    at = packed.world_at = packed.add(world.address, WORLD.itemsize, WORLD.itemsize)
    bodies = packed.add_list(at + index_of["bodies"], int(record["bodies"]), BODY, room.bodies, room.bodies)
    rares = int(record["rare_bodies"])
    rare = packed.add_list(at + index_of["rare_bodies"], rares, BODY_RARE, room.bodies, room.bodies + 1)
    default = rares + int(record["body_capacity"]) * BODY_RARE.itemsize
    packed.blocks.append((rare + room.bodies * BODY_RARE.itemsize, default, BODY_RARE.itemsize))
    packed.add_list(at + index_of["areas"], int(record["areas"]), AREA, room.bodies, room.bodies)
    joints_at = packed.add_list(at + index_of["joints"], int(record["joints"]), JOINT, room.joints, room.joints)
    packed.words += [(at + index_of["body_capacity"], room.bodies), (at + index_of["joint_capacity"], room.joints)]
    rows, rare_rows = view_rows(int(record["bodies"]), room.bodies, BODY), view_rows(rares, room.bodies, BODY_RARE)
    for index in np.flatnonzero((rows["flags"] & HAS_RARE != 0) & (rare_rows["contacts"] != 0)):
        most = int(rare_rows["max_contacts_reported"][index])
        place = rare + int(index) * BODY_RARE.itemsize + BODY_RARE.fields["contacts"][1]
        packed.add_list(place, int(rare_rows["contacts"][index]), CONTACT_REPORT, most, most)
    packed.hot += [(at, WORLD.itemsize), (bodies, room.bodies * BODY.itemsize), (joints_at, room.joints * JOINT.itemsize)]


def pack_system(packed: Packed, world, system, room: Room) -> None:
    """Pack the record of the space and its lists."""
    row, at = system.row, packed.add(system.address, SYSTEM.itemsize, SYSTEM.itemsize)
    packed.system_at, index = at, int(row["index"])
    packed.hot.append((at, SYSTEM.itemsize))
    packed.link(at + place_of(SYSTEM, "world"), packed.world_at)
    packed.link(packed.world_at + WORLD.fields["systems"][1], at - index * SYSTEM.itemsize)
    shadows = packed.add(0, 0, SHADOW.itemsize)
    packed.link(packed.world_at + WORLD.fields["shadows"][1], shadows - index * MAX_THREADS * SHADOW.itemsize)

    def add(name: str, dtype: np.dtype, count: str, rows: int) -> None:
        part, own = name.split(".")
        used = int(row[part][count]) if count else 0
        if used > rows:
            raise NoRoom(f"{name}: {used} rows are in use, and a copy has room for {rows}")
        packed.add_list(at + place_of(SYSTEM, name), int(row[part][own]), dtype, used, rows)

    def set_word(name: str, value: int) -> None:
        packed.words.append((at + place_of(SYSTEM, name), value))

    for name, count in (("active", "active_count"), ("fell_asleep", "fell_asleep_count"), ("changed", "changed_count"),
                        ("moved", "moved_count"), ("woke_up", "woke_count")):  # fmt: skip
        add(f"bodies.{name}", HALF, count, room.bodies)
    pairs, contacts = 2 * room.pairs, 2 * room.contacts
    add("pairs.rows", PAIR, "count", pairs)
    add("pairs.lists", PAIR_LISTS, "count", pairs)
    add("pairs.active", HALF, "active_count", pairs)
    add("pairs.active_keys", HALF, "active_count", pairs)
    add("pairs.changed", HALF, "changed_count", pairs)
    add("pairs.table", HALF, "", 2 * pairs)
    add("manifolds.rows", MANIFOLD, "count", contacts)
    has_rules, has_bricks = bool(world.record["contact_rules"]), bool(world.record["brick_function"])
    add("manifolds.settings", CONTACT_SETTINGS, "count" if has_rules else "", contacts if has_rules else 0)
    add("manifolds.bricks", np.dtype((np.int32, 2)), "count" if has_bricks else "", contacts if has_bricks else 0)
    reported, reporting = (contacts, pairs) if room.has_reports else (0, 0)
    add("reports.pairs", HALF, "pair_count", reporting)
    add("reports.contacts", REPORTED_CONTACT, "contact_count", reported)
    add("reports.events", CONTACT_EVENT, "event_count", 2 * reported)
    set_word("pairs.capacity", pairs)
    set_word("pairs.table_capacity", 2 * pairs)
    set_word("manifolds.capacity", contacts)
    set_word("reports.event_capacity", 2 * reported)
    set_word("joints.block_capacity", BLOCKS_OF_JOINT * room.joints)
    set_word("limits.pairs", min(int(row["limits"]["pairs"]), room.pairs))
    set_word("limits.contacts", min(int(row["limits"]["contacts"]), room.contacts))
    set_word("step.scratch_bytes", LEAST_SCRATCH + SCRATCH_OF_BODY * room.bodies)
    for name in ("limits.status", "step.stage_cycles", "edits.is_gate_taken", "edits.gate", "edits.head", "edits.tail",
                 "bodies.listens_to_waking"):  # fmt: skip
        set_word(name, 0)
    set_word("edits.capacity", 1)
    share_scratch(packed, at, room)
    pack_colours(packed, at, row, room)


def share_scratch(packed: Packed, at: int, room: Room) -> None:
    """List the scratch of the space, with as many rows as step/physics_system.py reserves for such limits."""
    pairs, contacts, rows = 2 * room.pairs, room.contacts, room.bodies + 16
    for name, dtype, count in (
        ("step.spare_list", HALF, 2 * max(pairs, 2 * contacts, room.bodies) + 16), ("solver.rows", FLOAT, rows * ROW_FLOATS),
        ("solver.forces", FLOAT, rows * FORCE_FLOATS), ("solver.start_velocities", FLOAT, rows * FORCE_FLOATS),
        ("solver.inertias", FLOAT, rows * INERTIA_FLOATS), ("solver.loads", FLOAT, rows * LOAD_FLOATS),
        ("solver.halfway", FLOAT, rows * HALFWAY_FLOATS), ("solver.company", FLOAT, rows * MOST_COMPANY),
        ("constraints.blocks", np.dtype(np.uint8), (contacts + COLOUR_COUNT) * BLOCK_SIZE),
        ("constraints.bounces", np.dtype(np.uint8), (contacts + COLOUR_COUNT) * BOUNCES_SIZE),
        ("joints.active", HALF, room.joints), ("joints.trees", JOINT_TREE, room.joints),
        ("joints.nodes", TREE_NODE, 2 * room.joints), ("joints.rows", JOINT_ROW, MAX_ROWS * room.joints),
        ("joints.blocks", NETWORK_BLOCK, BLOCKS_OF_JOINT * room.joints), ("joints.axes", NETWORK_AXES, room.joints),
        ("step.scratch", np.dtype(np.uint8), LEAST_SCRATCH + SCRATCH_OF_BODY * room.bodies), ("pairs.curves", CURVE, pairs),
        ("edits.ring", COMMAND, 1),
    ):  # fmt: skip
        packed.share(at + place_of(SYSTEM, name), dtype, count)


def pack_colours(packed: Packed, system_at: int, row, room: Room) -> None:
    """Pack the colours of contacts and joints."""
    source = int(row["constraints"]["colours"])
    colours = view_rows(source, 1, COLOURS)[0]
    at = packed.add(source, COLOURS.itemsize, COLOURS.itemsize)
    packed.link(system_at + place_of(SYSTEM, "constraints.colours"), at)
    packed.hot.append((at, COLOURS.itemsize))
    for name, count, rows in (
        ("lists", "counts", 2 * room.contacts), ("keys", "counts", 2 * room.contacts),
        ("joint_lists", "joint_counts", room.joints),
    ):  # fmt: skip
        first = COLOURS.fields[name][1]
        for colour in range(COLOUR_COUNT + 1):
            packed.add_list(at + first + 8 * colour, int(colours[name][colour]), HALF, int(colours[count][colour]), rows)
    packed.share(at + COLOURS.fields["overflow_blocks"][1], HALF, 8 * room.contacts)
    packed.share(at + COLOURS.fields["overflow_lanes"][1], HALF, room.contacts)


def pack_sensors(packed: Packed, system, room: Room) -> None:
    """Pack the overlaps and events of areas."""
    record, at = system.sensors.record, packed.add(system.sensors.address, SENSORS.itemsize, SENSORS.itemsize)
    packed.link(packed.system_at + place_of(SYSTEM, "sensors"), at)
    packed.hot.append((at, WORD.itemsize))
    offset = {name: at + SENSORS.fields[name][1] for name in SENSORS.names}
    packed.add_list(offset["default_area"], int(record["default_area"]), AREA, 1, 1)
    packed.add_list(offset["first_overlap"], int(record["first_overlap"]), HALF, room.bodies, room.bodies)
    for name, dtype, count in (
        ("overlaps", OVERLAP, "overlap_count"), ("shape_overlaps", SHAPE_OVERLAP, "shape_overlap_count"),
        ("due", HALF, "due_count"), ("to_report", HALF, "to_report_count"), ("events", AREA_EVENT, "event_count"),
    ):  # fmt: skip
        used = int(record[count])
        if used > room.overlaps:
            raise NoRoom(f"areas: {used} overlaps are in use, and a copy has room for {room.overlaps}")
        packed.add_list(offset[name], int(record[name]), dtype, used, room.overlaps)
    packed.add_list(offset["table"], 0, HALF, 0, 2 * room.overlaps)
    for name, dtype in (("due_depths", HALF), ("spare_events", AREA_EVENT), ("event_order", HALF)):
        packed.share(offset[name], dtype, room.overlaps)
    packed.words += [(offset[name], room.overlaps) for name in ("overlap_capacity", "shape_overlap_capacity", "event_capacity")]
    packed.words += [(offset["table_capacity"], 2 * room.overlaps)]
    packed.words += [(offset["measure_limit"], min(int(record["measure_limit"]), room.overlaps))]


def pack_trees(packed: Packed, system, room: Room) -> None:
    """Pack the trees and their nodes."""
    trees, layer_count = system.trees, int(system.row["trees"]["layer_count"])
    at = packed.add(trees.address, layer_count * TREE.itemsize, layer_count * TREE.itemsize)
    packed.link(packed.system_at + place_of(SYSTEM, "trees.rows"), at)
    fresh = int(trees.allocator.rows["fresh"][0])
    node_count = room.nodes + layer_count * (PENDING_NODES + 1)
    if fresh > node_count:
        raise NoRoom(f"trees: {fresh} nodes were in use, and a copy has room for {node_count}")
    shared = {
        "nodes": packed.add(trees.nodes.address, fresh * NODE.itemsize, node_count * NODE.itemsize),
        "infos": packed.add(trees.infos.address, fresh * NODE_INFO.itemsize, node_count * NODE_INFO.itemsize),
        "allocator": packed.add(trees.allocator.address, ALLOCATOR.itemsize, ALLOCATOR.itemsize),
        "words": packed.add(trees.words.address, 8 * room.bodies, 8 * room.bodies),
    }
    for layer in range(layer_count):
        tree, first = trees.trees.rows[layer], at + layer * TREE.itemsize
        packed.hot += [(first + place_of(TREE, name), WORD.itemsize) for name in ("nodes", "phase", "head", "body_count")]
        for name, target in shared.items():
            packed.link(first + place_of(TREE, name), target)
        packed.words += [(first + place_of(TREE, "node_capacity"), node_count)]
        packed.words += [(first + place_of(TREE, "body_capacity"), room.bodies)]
        used = 1 if int(tree["phase"]) else 0  # else no rebuild is under way
        for name, dtype, count, rows in (
            ("opened", HALF, int(tree["opened_count"]), node_count), ("kept", HALF, int(tree["kept_count"]), node_count),
            ("queue", WORD, used * int(tree["queue_end"]), node_count),
            ("build.items", ITEM, used * int(tree["build"]["item_count"]), room.items),
            ("build.keys", KEY, used * int(tree["build"]["item_count"]), room.items),
            ("build.created", HALF, used * int(tree["build"]["created_count"]), node_count),
            ("build.ranges", RANGE, used * int(tree["build"]["range_count"]), RANGE_CAPACITY),
        ):  # fmt: skip
            part = tree[name.split(".")[0]]
            source = int(part[name.split(".")[1]] if "." in name else part)
            packed.add_list(first + place_of(TREE, name), source, dtype, count, rows)


def pack(world, system, room: Room) -> tuple[Packed, np.ndarray, np.ndarray]:
    """(the layout, the memory of the template, its links). Raises NoRoom."""
    packed = Packed(room)
    packed.add(0, 0, LINE)  # whose scratch it has: see stepping.take_scratch
    pack_world(packed, world, room)
    pack_system(packed, world, system, room)
    pack_sensors(packed, system, room)
    pack_trees(packed, system, room)
    memory, links = packed.finish()
    base = address_of(memory)
    for place, target in links:
        memory[place : place + 8].view(np.int64)[0] = base + target
    renew_tables(base + packed.system_at)
    return packed, memory, links


@entry_point("void(int64)")
def renew_tables(system_address):
    """Fill the hash tables of a packed space, which are smaller than those of the space that it is a copy of. They are empty."""
    system = system_at(system_address)
    pairs = view(system.pairs.rows, system.pairs.capacity, PAIR)
    for k in range(system.pairs.count):
        if pairs[k].body_a >= 0:
            insert_row(system.pairs.table, system.pairs.table_capacity, k, INT64(pairs[k].body_a), INT64(pairs[k].body_b))
    sensors = sensors_of(system)[0]
    overlaps = overlaps_of(sensors)
    for k in range(sensors.overlap_count):
        if overlaps[k].area >= 0:
            insert_row(sensors.table, sensors.table_capacity, k, INT64(overlaps[k].area), INT64(overlaps[k].other))


class Scratch:
    """The scratch of `thread_count` threads. `addresses`: int64 (thread_count, n); `places`, `sizes` [byte]: int64 (n,).
    `solver_rows`: the number of the list of solver rows."""

    def __init__(self, packed: Packed, thread_count: int):
        self.places = np.array([place for place, _, _ in packed.scratch], np.int64)
        self.sizes = np.array([(dtype.itemsize * max(count, 1) + 3) // 4 * 4 for _, dtype, count in packed.scratch], np.int64)
        self.addresses = np.zeros((thread_count, len(packed.scratch)), np.int64)
        self.solver_rows = int(np.flatnonzero(self.places == packed.system_at + place_of(SYSTEM, "solver.rows"))[0])
        self._pools = []
        for thread in range(thread_count):
            for k, size in enumerate(self.sizes):
                self._pools.append(Pool("scratch of many worlds", np.uint8, int(size)))
                self.addresses[thread, k] = self._pools[-1].address
            rows = view_rows(int(self.addresses[thread, self.solver_rows]), ROW_FLOATS, np.float32)
            rows[DELTA_ROTATION + 3] = 1.0  # row 0 stands for everything static: it does not turn
