"""The table of regions of one space: where each part that declared.py names lies in the memory of this process."""

import ctypes

import numpy as np

from ..bodies.schema import BODY, CONTACT_REPORT, WORLD
from ..bodies.system_schema import SYSTEM
from ..broad_phase.schema import TREE
from ..constraints.schema import COLOUR_COUNT, COLOURS
from ..joints.schema import JOINT
from ..runtime.memory import address_of
from ..sensors.schema import AREA, SENSORS
from . import declared
from .declared import BODY_RUNS, RARE_RUNS, all_but, place_of, runs_of
from .schema import BESIDE_MANIFOLDS, BODIES, JOINTS, OF_BODIES, REGION, REPORTS, ROWS, SPACE

INT32_SIZE = 4


class SpaceTable:
    """The regions of a space, and the records of its parts whose state is saved: vehicles, pulleys, soft bodies, water. Made anew
    when such a part comes or goes. `address`: that of its SPACE."""

    def __init__(self, world, system):
        self._world, self._system = world, system
        self._regions: list[tuple] = []
        self._words: list[np.ndarray] = []  # kept alive: compiled code has their addresses
        self.names: list[str] = []
        self.parts = parts_of(system)
        self._one = self._word(1)
        self._add_bodies()
        self._add_system_rows()
        self._add_sensors()
        self._add_colours()
        self._add_trees()
        self._add_parts()
        self._add_records()  # with the numbers of rows, which a restore reads before it puts them back
        self._add_beside_manifolds()
        self.regions = np.array(self._regions, REGION)
        self._space = np.zeros(1, SPACE)
        self.space = self._space[0]
        self.space["system"], self.space["regions"] = system.address, address_of(self.regions)
        self.space["region_count"] = len(self.regions)
        self.space["copy"] = ctypes.cast(ctypes.memmove, ctypes.c_void_p).value
        self.address = address_of(self._space)

    def _word(self, value: int) -> int:
        """Address of a word with a value, that stays where it is."""
        self._words.append(np.array([value], np.int64))
        return address_of(self._words[-1])

    def _add(self, name: str, kind: int, base: int, size: int, count: int = 0, capacity: int = 0, only_if: int = 0, flag: int = 0,
             runs: list[tuple[int, int]] | None = None) -> None:  # fmt: skip
        if size % INT32_SIZE:
            raise ValueError(f"a row of {name} has {size} bytes, no multiple of {INT32_SIZE}")
        pairs = np.array(runs or [], np.int64)
        self._words.append(pairs)
        self.names.append(name)
        self._regions.append((kind, base, size, count, capacity, only_if, flag, address_of(pairs), len(pairs)))

    def _add_rows(self, name: str, record: np.dtype, address: int, rows: declared.Rows, capacity: int) -> None:
        only_if = address + place_of(record, rows.only_if) if rows.only_if else 0
        places = (address + place_of(record, field) for field in (rows.pool, rows.count))
        self._add(f"{name}.{rows.pool}", ROWS, next(places), rows.row.itemsize, next(places), capacity, only_if)

    def _add_fields(self, name: str, fields: declared.Fields, address: int) -> None:
        """Add the saved fields of a record at an address."""
        for begin, end in runs_of(fields.record, fields.saved):
            self._add(f"{name} at {begin}", ROWS, self._word(address + begin), end - begin, self._one, 1)

    def _add_bodies(self) -> None:
        record, world = self._world.address, self._world
        base = {name: record + WORLD.fields[name][1] for name in ("bodies", "rare_bodies", "areas", "joints")}
        capacity = world.bodies.pool.capacity
        self._add("bodies", BODIES, base["bodies"], BODY.itemsize, capacity=capacity, runs=BODY_RUNS)
        for field, row, flag in declared.BODY_LISTS:
            runs = RARE_RUNS if field == "rare_bodies" else None
            self._add(field, OF_BODIES, base[field], row.itemsize, capacity=capacity, flag=flag, runs=runs)
        self._add("reports", REPORTS, base["bodies"], CONTACT_REPORT.itemsize, capacity=capacity)
        self._add("joints", JOINTS, base["joints"], JOINT.itemsize, capacity=world.joints.pool.capacity)

    def _add_system_rows(self) -> None:
        address, capacities = self._system.address, capacities_of(self._system._pools)
        for rows in declared.ROWS_OF_SYSTEM:
            place = ctypes.c_int64.from_address(address + place_of(SYSTEM, rows.pool)).value
            self._add_rows("space", SYSTEM, address, rows, capacities[place])

    def _add_beside_manifolds(self) -> None:
        address, row = self._system.address, self._system.row
        for beside in declared.BESIDE_MANIFOLDS:
            only_if = self._world.address + WORLD.fields[beside.only_if][1]
            base, count = address + place_of(SYSTEM, beside.pool), address + place_of(SYSTEM, "manifolds.count")
            capacity = int(row["manifolds"]["capacity"])
            self._add(f"space.{beside.pool}", BESIDE_MANIFOLDS, base, beside.row.itemsize, count, capacity, only_if, beside.flag)

    def _add_sensors(self) -> None:
        sensors, address = self._system.sensors, self._system.sensors.address
        capacities = capacities_of(sensors._pools)
        for rows in declared.ROWS_OF_SENSORS:
            self._add_rows("areas", SENSORS, address, rows, capacities[int(sensors.record[rows.pool])])
        self._add("areas of the space", ROWS, address + place_of(SENSORS, "default_area"), AREA.itemsize, self._one, 1)
        first = address + place_of(SENSORS, "first_overlap")
        self._add("first overlaps", OF_BODIES, first, INT32_SIZE, capacity=self._world.bodies.pool.capacity)

    def _add_colours(self) -> None:
        address, row = int(self._system.row["constraints"]["colours"]), self._system.row
        capacities = {"lists": int(row["manifolds"]["capacity"]), "keys": int(row["manifolds"]["capacity"])}
        capacities["joint_lists"] = self._world.joints.pool.capacity
        for pool, count in (("lists", "counts"), ("keys", "counts"), ("joint_lists", "joint_counts")):
            for colour in range(COLOUR_COUNT + 1):
                base, number = (address + COLOURS.fields[name][1] + 8 * colour for name in (pool, count))
                self._add(f"colours.{pool} {colour}", ROWS, base, INT32_SIZE, number, capacities[pool])

    def _add_trees(self) -> None:
        trees = self._system.trees
        allocator, capacity = trees.allocator.address, trees.nodes.capacity
        fresh = allocator + place_of(declared.OF_ALLOCATOR.record, "fresh")
        for field, row in declared.SHARED_BY_TREES:
            self._add(f"trees.{field}", ROWS, trees.address + place_of(TREE, field), row.itemsize, fresh, capacity)
        words = trees.address + place_of(TREE, "words")
        self._add("trees.words", OF_BODIES, words, 8, capacity=self._world.bodies.pool.capacity)
        capacities = capacities_of(trees._pools)
        for layer in range(int(self._system.row["trees"]["layer_count"])):
            address = trees.tree_address(layer)
            for rows in declared.ROWS_OF_TREE:
                place = ctypes.c_int64.from_address(address + place_of(TREE, rows.pool)).value
                self._add_rows(f"tree {layer}", TREE, address, rows, capacities[place])

    def _add_records(self) -> None:
        """Add the saved fields of the records of a space."""
        trees, row = self._system.trees, self._system.row
        self._add_fields("space", declared.OF_SYSTEM, self._system.address)
        self._add_fields("areas", declared.OF_SENSORS, self._system.sensors.address)
        self._add_fields("colours", declared.OF_COLOURS, int(row["constraints"]["colours"]))
        self._add_fields("nodes", declared.OF_ALLOCATOR, trees.allocator.address)
        for layer in range(int(row["trees"]["layer_count"])):
            self._add_fields(f"tree {layer}", declared.OF_TREE, trees.tree_address(layer))

    def _add_parts(self) -> None:
        """Add the records of its parts, but for the addresses in them."""
        for number, part in enumerate(self.parts):
            for name, rows, kept in part.records():
                self._words.append(rows)  # keeps its memory
                runs = all_but(rows.dtype, kept) if kept else [(0, rows.nbytes)]
                for begin, end in runs if len(rows) else ():
                    place = self._word(address_of(rows) + begin)
                    self._add(f"part {number}: {name} at {begin}", ROWS, place, end - begin, self._one, 1)

    def renew_counts(self) -> None:
        """Note numbers that only Python knows. To be called before an image is saved."""
        self.space["joint_count"], self.space["setting_count"] = self._world.joints.count, self._world.setting_count


def capacities_of(pools) -> dict[int, int]:
    """The number of rows of each pool, by its address."""
    return {pool.address: pool.capacity for pool in pools}


def parts_of(system) -> list:
    """The vehicles, pulleys, soft bodies and waters of a space, in the order in which they were made."""
    return sorted(system.kept, key=lambda part: part.first_listener)
