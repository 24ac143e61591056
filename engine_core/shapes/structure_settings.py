"""The settings of a structure as a shape: its bricks, which are edited in place, the length of a unit, and materials."""

from typing import NamedTuple

import numpy as np

from ..structures import schema as bricks
from ..structures.structure import Structure
from . import cooking, schema
from .settings import NO_TABLE, _number, checked_table
from .solids import MOST_VOLUME
from .stretch import is_uniform


class StructureBlock(NamedTuple):
    """A `cooking.Block` that keeps the structure alive."""

    memory: np.ndarray
    address: int
    arrays: dict
    structure: Structure
    unit: float


def structure_fields(structure: Structure, unit: float) -> dict:
    """The fields of a row of SHAPE that follow from the bricks. A brick of density 8 counts as eight times its volume."""
    whole = structure.summary
    is_empty = whole["low"][0] > whole["high"][0]
    low, high = (np.zeros(3) + 1.0, np.zeros(3)) if is_empty else (whole["low"] * unit, whole["high"] * unit)
    return {
        "bounds": np.concatenate((low, high)), "volume": min(float(whole["mass"]) * unit**3, MOST_VOLUME),
        "center_of_mass": whole["center_of_mass"] * unit, "inertia": whole["inertia"] * unit**2,
        "inner_radius": 0.5 * whole["thinnest"] * unit,
    }  # fmt: skip


class StructureSettings(NamedTuple):
    """`unit`: length of the structure's unit [m]; `material_table` float32 (k, 2): friction and restitution of its materials
    from 1 on; material 0 is the body's."""

    structure: Structure
    unit: float
    material_table: np.ndarray
    kind = schema.STRUCTURE

    @staticmethod
    def checked(structure, unit=1.0, material_table=None):
        call = "set_structure"
        if not isinstance(structure, Structure):
            raise ValueError(f"{call}: a structure is wanted, got {structure!r}")
        table = NO_TABLE if material_table is None else checked_table(call, material_table)
        return StructureSettings(structure, _number(call, "unit", unit), table)

    def cook(self):
        numbers = {"structure": self.structure.address, "unit": self.unit, "material_count": len(self.material_table)}
        block = cooking.pack_block(schema.STRUCTURE_BLOCK, numbers, {"materials": self.material_table})
        fields = structure_fields(self.structure, self.unit)
        return cooking.Cooked(schema.STRUCTURE, fields, StructureBlock(*block, self.structure, self.unit))

    def stretched(self, stretch):
        factor = float(np.diag(stretch).mean())
        if not is_uniform(stretch) or not np.diag(stretch).min() > 0.0:
            raise ValueError(f"a structure can only be scaled by one factor above 0, got {np.asarray(stretch).tolist()}")
        return self._replace(unit=self.unit * factor), False

    def entries(self) -> dict:
        """Arrays that `from_entries` makes the same settings of: the set of bricks, in the order of their numbers."""
        rows, placements = self.structure.all_bricks()[1:]
        return {
            "bricks": rows.view(np.uint8), "placements": placements.view(np.uint8), "unit": np.array(self.unit),
            "material_table": self.material_table, "capacity": np.array(self.structure.capacity),
        }  # fmt: skip

    @staticmethod
    def from_entries(entries: dict):
        """Make a structure of its own, with the bricks numbered from 1 on. Raises ValueError for bricks that are not valid."""
        structure = Structure(int(entries["capacity"]))
        rows = entries["bricks"].view(bricks.BRICK)
        if len(rows):
            structure.insert(rows, entries["placements"].view(bricks.PLACEMENT))
        return StructureSettings(structure, float(entries["unit"]), entries["material_table"])
