"""Checks of an image from outside against the space that it is for: indices and counts are in their ranges, lists end, floats are
finite, trees are trees. They find what a fault of a program leaves behind. They are no wall against somebody who makes an image
with a right checksum on purpose: numbers within the shapes, and the rows of vehicles, are not looked into.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..bodies.schema import BODY, BODY_RARE, HAS_RARE, IS_AREA, RIGID
from ..bodies.system_schema import SYSTEM
from ..collision.contact_schema import REPORTED_CONTACT
from ..collision.schema import MANIFOLD, MAX_POINTS, PAIR, PAIR_LISTS
from ..constraints.schema import COLOUR_COUNT
from ..joints.schema import AXIS_COUNT, JOINT
from ..sensors.schema import AREA, OVERLAP, SENSORS, SHAPE_OVERLAP
from ..runtime.memory import view_rows
from ..shapes.schema import COMPOUND, COMPOUND_BLOCK, NO_PART, STRUCTURE
from . import declared
from .layout import Part, WrongLayout, read_parts
from .tables import SpaceTable
from .tree_checks import TreeChecker, TreeFault


class Index(NamedTuple):
    """A field that holds an index: `field` of the rows of a region, shifted right by `shift` bits, lies from `least` to the
    number of rows of `of`, not included."""

    field: str
    of: str
    least: int = -1
    shift: int = 0


INDICES = {
    "bodies": (BODY, (
        Index("first_pair", "space.pairs.rows", shift=1), Index("first_joint", "all joints", shift=1), Index("mode", "modes", 0),
        Index("broad_phase_layer", "layers", 0), Index("active_index", "space.bodies.active"),
        Index("next_in_island", "all bodies"),
    )),
    "space.pairs.rows": (PAIR, (Index("body_a", "all bodies"), Index("body_b", "all bodies"))),
    "space.pairs.lists": (PAIR_LISTS, (
        Index("active_index", "space.pairs.active"), Index("first_manifold", "space.manifolds.rows"),
        Index("reporting_index", "space.reports.pairs"), Index("first_reported", "space.reports.contacts"),
    )),
    "space.manifolds.rows": (MANIFOLD, (
        Index("pair", "space.pairs.rows"), Index("next", "space.manifolds.rows"), Index("body_a", "all bodies"),
        Index("body_b", "all bodies"), Index("colour", "colours"), Index("point_count", "points", 0),
    )),
    "joints": (JOINT, (Index("bodies", "all bodies"), Index("colour", "colours"))),
    "areas.overlaps": (OVERLAP, (
        Index("area", "all bodies"), Index("other", "all bodies"), Index("first", "areas.shape_overlaps"),
    )),
    "areas.shape_overlaps": (SHAPE_OVERLAP, (Index("next", "areas.shape_overlaps"),)),
    "space.reports.contacts": (REPORTED_CONTACT, (Index("next", "space.reports.contacts"),)),
}  # fmt: skip
"""The fields of each region that are indices of others."""

LISTS = {
    "space.bodies.active": ("all bodies", 0), "space.bodies.fell_asleep": ("all bodies", 0),
    "space.bodies.woke_up": ("all bodies", 0), "space.bodies.changed": ("all bodies", 0),
    "space.bodies.moved": ("all bodies", 0), "space.pairs.active": ("space.pairs.rows", 0),
    "space.pairs.changed": ("space.pairs.rows", 0), "space.reports.pairs": ("space.pairs.rows", 0),
    "space.pairs.table": ("pairs and none", 0),
    "areas.table": ("overlaps and none", 0), "areas.due": ("areas.overlaps", 0), "areas.to_report": ("areas.overlaps", 0),
}  # fmt: skip
"""Regions that are lists of indices: of what, and the least."""


class Checker:
    """The check of one image. `parts`: its regions, by name. Raises WrongLayout, saying what is wrong."""

    def __init__(self, image: np.ndarray, table: SpaceTable, world, system):
        self._world, self._system, self._table = world, system, table
        self.parts: dict[str, Part] = {part.name: part for part in read_parts(image, table)}
        self._counts = {name: len(part.rows) for name, part in self.parts.items()}
        self._counts |= {
            "all bodies": world.bodies.count, "all joints": world.joints.count, "modes": RIGID + 2, "colours": COLOUR_COUNT + 1,
            "layers": int(system.row["trees"]["layer_count"]), "points": MAX_POINTS + 1,
            "pairs and none": self._counts["space.pairs.rows"] + 1,
            "overlaps and none": self._counts["areas.overlaps"] + 1, "twice overlaps": 2 * self._counts["areas.overlaps"] + 1,
        }  # fmt: skip

    def check(self) -> None:
        """Check everything."""
        self._check_population()
        self._check_counts()
        for name, (record, indices) in INDICES.items():
            rows = self.rows(name, record)
            for index in indices:
                self._check_range(f"{name}.{index.field}", rows[index.field] >> index.shift, index.of, index.least)
        for name, (of, least) in LISTS.items():
            self._check_range(name, self.rows(name, np.dtype(np.int32)), of, least)
        self._check_beside_bodies()
        self._check_colours()
        self._check_links()
        self._check_shape_numbers()
        self._check_joints()
        self._check_trees()
        self._check_floats()

    def rows(self, name: str, record: np.dtype) -> np.ndarray:
        """The rows of a region; or the numbers of the bodies."""
        if name == "numbers of bodies":
            return self.parts["bodies"].numbers
        return np.ascontiguousarray(self.parts[name].rows).reshape(-1).view(record)

    def _fail(self, what: str) -> None:
        raise WrongLayout(what)

    def _check_range(self, what: str, numbers: np.ndarray, of: str, least: int) -> None:
        most = self._counts[of]
        if numbers.size and not (least <= int(numbers.min()) and int(numbers.max()) < most):
            self._fail(f"{what}: an index is outside of {least} to {most - 1}")

    def _check_population(self) -> None:
        """Bodies and joints are those of the space, with their shapes."""
        rows = self._world.bodies.rows[: self._world.bodies.count]
        own = np.flatnonzero((rows["id"] != 0) & (rows["system"] == self._system.row["index"]))
        if not np.array_equal(self.parts["bodies"].numbers, own):
            self._fail("bodies: they are not those of the space")
        saved = self.rows("bodies", BODY)
        for field in ("id", "first_instance", "instance_count", "instance_capacity", "system"):
            if not np.array_equal(saved[field], rows[field][own]):
                self._fail(f"bodies.{field}: it is not that of the space")
        if ((saved["flags"] ^ rows["flags"][own]) & IS_AREA).any():
            self._fail("bodies.flags: a body is saved as an area, or an area as a body")
        numbers, joints = self.parts["joints"].numbers, self._world.joints.rows
        self._check_range("joints", numbers, "all joints", 0)
        for field in ("id", "bodies"):
            if not np.array_equal(self.rows("joints", JOINT)[field], joints[field][numbers]):
                self._fail(f"joints.{field}: it is not that of the space")

    def _field(self, fields: declared.Fields, where: str, field: str) -> np.ndarray:
        """A saved field of a record, from the parts of it that the image holds."""
        place = declared.place_of(fields.record, field)
        for begin, end in declared.runs_of(fields.record, fields.saved):
            if begin <= place < end:
                part = self.parts[f"{where} at {begin}"].rows.reshape(-1)
                if part.size != end - begin:
                    self._fail(f"{where}.{field}: it is missing")
                size = dict((name, size) for name, _, size in declared.leaves(fields.record))[field]
                return part[place - begin : place - begin + size].view(np.int64)
        raise KeyError(field)

    def _check_counts(self) -> None:
        """The numbers of rows in the records are those of the regions."""
        for rows in declared.ROWS_OF_SYSTEM:
            if int(self._field(declared.OF_SYSTEM, "space", rows.count)[0]) != self._counts[f"space.{rows.pool}"]:
                self._fail(f"space.{rows.count}: it is not the number of rows")
        for rows in declared.ROWS_OF_SENSORS:
            if int(self._field(declared.OF_SENSORS, "areas", rows.count)[0]) != self._counts[f"areas.{rows.pool}"]:
                self._fail(f"areas.{rows.count}: it is not the number of rows")
        for name in ("space.pairs.table", "areas.table"):
            count = self._counts[name]
            if count & (count - 1) or not count:
                self._fail(f"{name}: {count} slots are no power of two")
        self._check_numbers(declared.OF_SYSTEM, "space", SYSTEM)
        self._check_numbers(declared.OF_SENSORS, "areas", SENSORS)

    def _check_numbers(self, fields: declared.Fields, where: str, record: np.dtype) -> None:
        """Heads of lists of free rows, and numbers that loops count to."""
        heads = {
            "pairs.first_free": "space.pairs.rows", "manifolds.first_free": "space.manifolds.rows",
            "reports.first_free_contact": "space.reports.contacts",
            "first_free_overlap": "areas.overlaps", "first_free_shape_overlap": "areas.shape_overlaps",
        }  # fmt: skip
        for field in fields.saved:
            if field in heads:
                is_counted_from_one = field == "reports.first_free_contact"
                head = self._field(fields, where, field) - int(is_counted_from_one)
                self._check_range(f"{where}.{field}", head, heads[field], -1)
        if where == "space":
            told = {
                name: int(self._field(fields, where, name)[0]) for name in ("settings.substep_count", "settings.joint_iterations")
            }
            told |= {"reports.readable_event_count": int(self._field(fields, where, "reports.readable_event_count")[0])}
            if not (1 <= told["settings.substep_count"] <= 1 << 16 and 0 <= told["settings.joint_iterations"] <= 1 << 16):
                self._fail(f"space: {told['substep_count']} sub-steps and {told['joint_iterations']} passes")
            if not 0 <= told["reports.readable_event_count"] <= self._counts["space.reports.events"]:
                self._fail("space.contact_event_told: there are fewer events")

    def _check_beside_bodies(self) -> None:
        """Rows beside bodies are as many as bodies with their flag; the contacts that are reported are as many as fit."""
        flags = self.rows("bodies", BODY)["flags"]
        for field, _, flag in declared.BODY_LISTS:
            if self._counts[field] != np.count_nonzero(flags & flag):
                self._fail(f"{field}: {self._counts[field]} rows, not one for each body that has one")
        for name in ("first overlaps", "trees.words"):
            if self._counts[name] != len(flags):
                self._fail(f"{name}: {self._counts[name]} rows, not one a body")
        rares = self.rows("rare_bodies", BODY_RARE)
        now = self._world.bodies.rare.rows[self.parts["bodies"].numbers[flags & HAS_RARE != 0]]
        had = self._world.bodies.rows["flags"][self.parts["bodies"].numbers[flags & HAS_RARE != 0]] & HAS_RARE != 0
        most = np.where(had, now["max_contacts_reported"], 0)
        if (
            (rares["max_contacts_reported"] != most).any()
            or (rares["contact_count"] > most).any()
            or (rares["contact_count"] < 0).any()
        ):
            self._fail("rare_bodies.contact_count: more contacts than the body reports")
        told = int(rares["contact_count"][rares["max_contacts_reported"] > 0].sum())
        if self._counts["reports"] not in (0, told):
            self._fail(f"reports: {self._counts['reports']} contacts, where bodies report {told}")
        self._check_range("first overlaps", self.rows("first overlaps", np.dtype(np.int32)), "twice overlaps", 0)

    def _check_colours(self) -> None:
        manifolds, joints = self.rows("space.manifolds.rows", MANIFOLD), self.rows("joints", JOINT)
        for pool, count, of, rows in (
            ("lists", "counts", "space.manifolds.rows", manifolds), ("joint_lists", "joint_counts", "all joints", joints),
        ):  # fmt: skip
            counts = self._field(declared.OF_COLOURS, "colours", count)
            for colour in range(COLOUR_COUNT + 1):
                name = f"colours.{pool} {colour}"
                if int(counts[colour]) != self._counts[name]:
                    self._fail(f"{name}: {self._counts[name]} rows, {int(counts[colour])} are told")
                self._check_range(name, self.rows(name, np.dtype(np.int32)), of, 0)
            solved = rows["colour"] >= 0
            slots, limits = rows["colour_slot"][solved], counts[rows["colour"][solved]]
            if (slots < 0).any() or (slots >= limits).any():
                self._fail(f"{of}: a place in a colour is outside of it")
        for colour in range(COLOUR_COUNT + 1):
            if self._counts[f"colours.keys {colour}"] != self._counts[f"colours.lists {colour}"]:
                self._fail(f"colours.keys {colour}: not as many as members")

    def _check_links(self) -> None:
        """Every list ends: no link leads back."""
        lists, manifolds = self.rows("space.pairs.lists", PAIR_LISTS), self.rows("space.manifolds.rows", MANIFOLD)
        in_use = self.rows("space.pairs.rows", PAIR)["body_a"] >= 0
        if in_use.any():
            for field in ("next", "previous"):
                self._check_range(f"space.pairs.lists.{field}", lists[field][in_use] >> 1, "space.pairs.rows", -1)
        self._check_chains("space.manifolds.rows", manifolds["next"])
        self._check_chains("space.pair_lists of free pairs", np.where(in_use, -1, lists["next"][:, 0]))
        sides = np.full(2 * len(lists), -1, np.int64)
        sides[0::2], sides[1::2] = np.where(in_use, lists["next"][:, 0], -1), np.where(in_use, lists["next"][:, 1], -1)
        self._check_chains("space.pairs.lists", sides)
        self._check_chains("areas.shape_overlaps", self.rows("areas.shape_overlaps", SHAPE_OVERLAP)["next"])
        self._check_chains("space.reports.contacts", self.rows("space.reports.contacts", REPORTED_CONTACT)["next"])

    def _check_shape_numbers(self) -> None:
        """Numbers of shapes on bodies, and of parts of compounds, are there."""
        counts = self._world.bodies.rows["instance_count"]
        manifolds = self.rows("space.manifolds.rows", MANIFOLD)
        manifolds = manifolds[manifolds["pair"] >= 0]
        for body, number, part in (("body_a", "instance_a", "part_a"), ("body_b", "instance_b", "part_b")):
            if (manifolds[number] < 0).any() or (manifolds[number] >= counts[manifolds[body]]).any():
                self._fail(f"space.manifolds.{number}: the body has no such shape")
            parts = manifolds[manifolds[part] != NO_PART]
            first = self._world.bodies.rows["first_instance"][parts[body]]
            shapes = self._world.instances.rows["shape"][first + parts[number]]
            most = [self._part_count(int(shape)) for shape in shapes]
            if (parts[part] >= np.array(most, np.int64)).any():
                self._fail(f"space.manifolds.{part}: the shape has no such part")
        overlaps, parts = self.rows("areas.overlaps", OVERLAP), self.rows("areas.shape_overlaps", SHAPE_OVERLAP)
        for overlap in overlaps[overlaps["area"] >= 0]:
            at = int(overlap["first"])
            while at >= 0:
                own, other = int(parts[at]["own_shape"]), int(parts[at]["other_shape"])
                if not (0 <= own < counts[overlap["area"]] and 0 <= other < counts[overlap["other"]]):
                    self._fail("areas.shape_overlaps: a body has no such shape")
                at = int(parts[at]["next"])

    def _part_count(self, shape: int) -> int:
        """The number of parts of the shape in a row; of a structure, whose bricks are numbered elsewhere, the most."""
        row = self._world.shapes.rows[shape]
        if row["kind"] == COMPOUND:
            return int(view_rows(int(row["block"]), 1, COMPOUND_BLOCK)[0]["part_count"])
        return NO_PART if row["kind"] == STRUCTURE else 0

    def _check_joints(self) -> None:
        """Bits of axes are those that there are, and lists of joints end."""
        rows, numbers = self.rows("joints", JOINT), self.parts["joints"].numbers
        for field in ("locked", "limited", "sprung", "driven", "by_frequency", "springy"):
            if (rows[field] >> AXIS_COUNT).any():
                self._fail(f"joints.{field}: there are {AXIS_COUNT} axes")
        following = np.full(2 * self._world.joints.count, -1, np.int64)
        for side in (0, 1):
            is_listed = rows["bodies"][:, side] >= 0  # the world has no list of joints
            following[2 * numbers.astype(np.int64) + side] = np.where(is_listed, rows["next"][:, side], -1)
            self._check_range("joints.previous", rows["previous"][:, side] >> 1, "all joints", -1)
        self._check_chains("joints", following)

    def _check_chains(self, what: str, following: np.ndarray) -> None:
        """Check that following links from any row comes to an end, by doubling: after n jumps of twice the length each, none of
        2^n rows goes on."""
        if (following >= len(following)).any():
            self._fail(f"{what}: a link leads out of the list")
        ends = np.append(np.where(following < 0, len(following), following), len(following)).astype(np.int64)
        for _ in range(int(len(following)).bit_length() + 1):
            ends = ends[ends]
        if (ends != len(following)).any():
            self._fail(f"{what}: a link leads back")

    def _check_trees(self) -> None:
        layer_count = int(self._system.row["trees"]["layer_count"])
        try:
            TreeChecker(self.rows, self._field, layer_count, self._world.bodies.count).check()
        except TreeFault as error:
            self._fail(str(error))

    def _check_floats(self) -> None:
        for name, record in (
            ("bodies", BODY), ("space.manifolds.rows", MANIFOLD), ("joints", JOINT), ("space.pairs.rows", PAIR), ("areas", AREA),
        ):  # fmt: skip
            rows = self.rows(name, record)
            for field in floats_of(record):
                if not np.isfinite(rows[field]).all():
                    self._fail(f"{name}.{field}: a number is not finite")


def floats_of(record: np.dtype) -> Iterable[str]:
    """The fields of a record that are floats."""
    return [name for name in record.names if record.fields[name][0].base.kind == "f"]


def check_image(image: np.ndarray, table: SpaceTable, world, system) -> None:
    """Check an image from outside for a space. Raises WrongLayout."""
    Checker(image, table, world, system).check()
