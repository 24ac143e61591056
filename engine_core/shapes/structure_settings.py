"""The settings of a structure as a shape: its bricks, which are edited in place, the length of a unit, and materials."""

import functools
from typing import NamedTuple

import numpy as np

from ..geometry.angles import even_directions
from ..runtime.distinct import distinct
from ..runtime.memory import address_of, view_rows
from ..structures import schema as bricks
from ..structures.structure import Structure
from . import cooking, schema
from .settings import NO_TABLE, _number, checked_table
from .stretch import is_uniform
from .structure_renewal import renew_structure_row


DETAIL = 1000
"""The usual limit up to which structures meet each other with all of their bricks."""
DIRECTIONS, COARSEST = 200, 16
FROM_BRICKS = ("bounds", "volume", "center_of_mass", "inertia", "inner_radius")
TILT = 1e-3
"""The turn of directions along axes and in their planes."""


class StructureBlock(NamedTuple):
    """A `cooking.Block` that keeps the structure alive."""

    memory: np.ndarray
    address: int
    arrays: dict
    structure: Structure
    unit: float

    @property
    def record(self):
        """The STRUCTURE_BLOCK in the memory."""
        return view_rows(self.address, 1, schema.STRUCTURE_BLOCK)[0]


def structure_fields(block: StructureBlock) -> dict:
    """The fields of a row of SHAPE that follow from the bricks, by `renew_structure_row`."""
    row, summary = np.zeros(1, schema.SHAPE), np.array([block.structure.summary])
    row["block"] = block.address
    renew_structure_row(address_of(row), 0, address_of(summary), len(block.structure))
    return {name: row[name][0] for name in FROM_BRICKS}


@functools.cache
def _directions() -> np.ndarray:
    """Unit vectors (n, 3), evenly spread, and those along axes and diagonals, turned by so little that each points to one corner
    of a box."""
    signs = np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1], [-1, 0, 1]), axis=-1).reshape(-1, 3)
    signs = np.where(signs == 0, TILT, signs)[(signs != 0).any(axis=1)]
    return np.concatenate((even_directions(DIRECTIONS), signs / np.linalg.norm(signs, axis=1)[:, None])).astype(np.float32)


def cook_stand_in(structure: Structure, unit: float) -> cooking.Cooked:
    """Cook the convex hull of a structure from the top of its tree: corners of large bricks, and of the bounds of parts that are
    no longer than 1 / COARSEST of the whole, as far as they reach along many directions. It may reach out by the size of these
    parts, and less far than they by what lies between directions."""
    whole = structure.summary
    low, high = whole["low"], whole["high"]
    if low[0] > high[0]:
        return cooking.Cooked(schema.EMPTY, {})
    found = structure.in_box(low, high, coarse=float((high - low).max()) / COARSEST)
    sides, directions = np.concatenate((found["low"], found["high"]), axis=1, dtype=np.float32), _directions()
    reach = np.concatenate((np.minimum(directions, 0.0), np.maximum(directions, 0.0)), axis=1) @ sides.T
    farthest = sides[np.argmax(reach, axis=1)]
    corners = np.where(directions < 0.0, farthest[:, :3], farthest[:, 3:]).astype(np.float64)
    return cooking.cook_hull((distinct(corners, axis=0) * unit).astype(np.float32))


class StructureSettings(NamedTuple):
    """`unit`: length of the structure's unit [m]; `material_table` float32 (k, 2): friction and restitution of its materials
    from 1 on; material 0 is the body's. `detail`: with more bricks it is stood in for against larger structures."""

    structure: Structure
    unit: float
    material_table: np.ndarray
    detail: int
    kind = schema.STRUCTURE

    @staticmethod
    def checked(structure, unit=1.0, material_table=None, detail=DETAIL):
        call = "set_structure"
        if not isinstance(structure, Structure):
            raise ValueError(f"{call}: a structure is wanted, got {structure!r}")
        table = NO_TABLE if material_table is None else checked_table(call, material_table)
        if not isinstance(detail, int) or detail < 0:
            raise ValueError(f"{call}: detail must be a whole number from 0, got {detail!r}")
        return StructureSettings(structure, _number(call, "unit", unit), table, detail)

    def cook(self):
        numbers = {
            "structure": self.structure.address, "unit": self.unit, "material_count": len(self.material_table),
            "brick_count": len(self.structure), "detail": self.detail, "stand_in": -1,
        }  # fmt: skip
        block = cooking.pack_block(schema.STRUCTURE_BLOCK, numbers, {"materials": self.material_table})
        made = StructureBlock(*block, self.structure, self.unit)
        return cooking.Cooked(schema.STRUCTURE, structure_fields(made), made)

    def stretched(self, stretch):
        factor = float(np.diag(stretch).mean())
        if not is_uniform(stretch) or not np.diag(stretch).min() > 0.0:
            raise ValueError(f"a structure can only be scaled by one factor above 0, got {np.asarray(stretch).tolist()}")
        return self._replace(unit=self.unit * factor), False

    def entries(self) -> dict:
        """Arrays that `from_entries` makes the same settings of: the set of bricks, in the order of their numbers."""
        rows, placements = self.structure.all_bricks()[1:]
        rows["number"] = 0
        return {
            "bricks": rows.view(np.uint8), "placements": placements.view(np.uint8), "unit": np.array(self.unit),
            "material_table": self.material_table, "capacity": np.array(self.structure.capacity),
            "detail": np.array(self.detail),
        }  # fmt: skip

    @staticmethod
    def from_entries(entries: dict):
        """Make a structure of its own, with the bricks numbered from 1 on. Raises ValueError for bricks that are not valid."""
        structure = Structure(int(entries["capacity"]))
        rows = entries["bricks"].view(bricks.BRICK)
        if len(rows):
            structure.insert(rows, entries["placements"].view(bricks.PLACEMENT))
        return StructureSettings(structure, float(entries["unit"]), entries["material_table"], int(entries["detail"]))
