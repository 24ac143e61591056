"""Sets of bricks in Godot: the methods that a BrickShape3D calls on the server. A set is a structure
(structures/structure.py) that is the content of a convex shape, so that Godot's own nodes hold it.

Bricks go in and out as packed arrays: a box is six whole numbers, low and high corner [unit]; the settings of a brick are four:
density, surface, layers, tag. In Python, one call a batch. Edits may come from any thread while a step runs.
"""

from typing import NamedTuple

import numpy as np

from ..bodies.identity import index_of
from ..edit import motion_edits
from ..geometry.turning import product
from ..shapes.schema import EMPTY, HULL, STRUCTURE
from ..shapes.structure_settings import DETAIL
from ..structures import schema as bricks
from ..structures.breaking import PieceSearch
from ..structures.structure import Structure, boxes, free_boxes
from .brick_regions import DrawnRegions, rotation_rows
from .methods import locked_calls
from .schema import (
    BOOL, DICTIONARY, FLOAT, INT, PACKED_FLOAT32_ARRAY, PACKED_INT32_ARRAY, RID, VECTOR3,
)  # fmt: skip
from .variant import Packed

USUAL = np.array([[1, -1, 1, 0]], np.int64)
"""Settings of bricks whose settings are not given: density, surface, layers, tag."""
FREE_NUMBERS = 10
"""Numbers of a brick that is placed freely: centre, half extents, quaternion."""
LAYERS = 0xFFFFFFFF


class BrickSet(NamedTuple):
    """One set: its structure, the search for pieces, and how it was made."""

    structure: Structure
    search: PieceSearch
    unit: float
    surface_count: int
    regions: dict
    """At most one DrawnRegions, by nothing: there is one while the set is drawn."""


def _rows(numbers, width: int, name: str) -> np.ndarray:
    """Rows (n, width). Raises ValueError for another number of numbers."""
    array = np.asarray(numbers)
    if array.ndim != 1 or array.size % width:
        raise ValueError(f"{name} must be a packed array with {width} numbers a brick, got {array.size} numbers")
    return array.reshape(-1, width)


class BrickSets:
    """The sets of a server, by the id of their shape."""

    def __init__(self, server):
        self._server = server
        self._sets: dict[int, BrickSet] = {}

    def get(self, shape: int) -> BrickSet:
        """The set of a shape. Raises ValueError."""
        found = self._sets.get(shape)
        if found is None:
            raise ValueError(f"the shape {shape} holds no bricks")
        return found

    def forget(self, shape: int) -> None:
        """Forget the set of a shape that is being freed, if it has one."""
        self._sets.pop(shape, None)

    def make(self, shape: int, unit: float, capacity: int, surfaces, detail: int) -> bool:
        """Let a convex shape that was never set, or one whose set is empty, hold bricks. `surfaces`: friction and restitution of
        each. Returns True. Raises ValueError, KeyError."""
        world = self._server.world
        self._server.shapes.row(shape)
        index, table = index_of(shape), _rows(np.asarray(surfaces, np.float32), 2, "surfaces")
        kept = self._sets.get(shape)
        if kept is not None and len(kept.structure):
            raise ValueError("unit, capacity and surfaces are chosen before the first brick is added")
        if not 0 < capacity < 1 << 28:
            raise ValueError(f"capacity must be from 1 to 2^28 - 1, got {capacity}")
        row = world.shapes.rows[index]
        if kept is None and (row["user_kind"] != HULL or world.shapes.rows[int(row["current"])]["kind"] != EMPTY):
            raise ValueError("bricks need a convex shape without points")
        structure = Structure(capacity)
        row["user_kind"] = STRUCTURE
        world.shapes.set_structure(index, structure, unit, table if len(table) else None, detail or DETAIL)
        self._sets[shape] = BrickSet(structure, PieceSearch(structure), unit, len(table), {})
        if kept is not None and kept.search in kept.structure.searches:
            self.note_removals(shape, True)
        if kept is not None:
            self._sets[shape].search.anchors = kept.search.anchors
        world.body.shape_changed(index)
        return True

    # --- edits ---

    def _edit(self, work):
        """Carry out an edit. Notes of compiled calls are taken over first, so that a body which just got the shape is known;
        while a step runs, the bodies follow at its end."""
        lock = self._server.lock
        if not lock.enter_unless_stepping():
            return work()
        try:
            return work()
        finally:
            lock.leave()

    def _boxes(self, found: BrickSet, corners, width: int, settings) -> np.ndarray:
        """Rows BRICK. `width` > 0: `corners` are cells of that many units. Raises ValueError."""
        if width > 0:
            low = _rows(corners, 3, "cells").astype(np.int64) * width
            return boxes(low, low + width, **self._values(found, settings, len(low)))
        corners = _rows(corners, 6, "boxes")
        return boxes(corners[:, :3], corners[:, 3:], **self._values(found, settings, len(corners)))

    @staticmethod
    def _one_box(found: BrickSet, corners, width: int, settings) -> tuple | None:
        """One box, or with a `width` one cell, and its settings, as `Structure.insert_one` takes them; None if they are wrong."""
        numbers = np.asarray(corners).tolist()
        low, high = (
            (numbers[:3], numbers[3:]) if width <= 0 else ([n * width for n in numbers], [(n + 1) * width for n in numbers])
        )
        given = np.asarray(settings).tolist() if len(settings) else [1, -1, 1, 0]
        if len(given) != 4 or given[0] < 1 or not -1 <= given[1] < found.surface_count:
            return None
        density, surface, layers, tag = given
        return low, high, density, surface + 1, layers & LAYERS, tag

    @staticmethod
    def _values(found: BrickSet, settings, count: int) -> dict:
        """Settings of `count` bricks: none given, four numbers for all, or four a brick. Raises ValueError."""
        given = _rows(settings, 4, "settings").astype(np.int64) if len(settings) else USUAL
        if len(given) not in (1, count):
            raise ValueError(f"settings must be 4 numbers, or 4 for each of {count} bricks, got {4 * len(given)}")
        density, surface, layers, tag = given.T
        if (density < 1).any():
            raise ValueError(f"density must be at least 1, got {density.min()}")
        if (surface < -1).any() or (surface >= found.surface_count).any():
            raise ValueError(f"surface must be from -1 to {found.surface_count - 1}, got {surface.min()} to {surface.max()}")
        return {"density": density, "material": surface + 1, "layers": layers & LAYERS, "user_number": tag}

    def insert(self, shape: int, corners, width: int, settings) -> Packed:
        """Insert boxes, or with a `width` [unit] cells of three numbers each. Returns their numbers."""
        found = self.get(shape)
        if len(corners) == (3 if width > 0 else 6) and (one := self._one_box(found, corners, width, settings)):
            number = self._edit(lambda: found.structure.insert_one(*one))
            if number:
                return Packed(np.array([number], np.int32))
        rows = self._boxes(found, corners, width, settings)
        return Packed(self._edit(lambda: found.structure.insert(rows)) if len(rows) else np.zeros(0, np.int32))

    def insert_turned(self, shape: int, places, settings) -> Packed:
        """Insert boxes that are placed freely: centre and half extents [unit], quaternion. Returns their numbers."""
        found = self.get(shape)
        given = _rows(places, FREE_NUMBERS, "places")
        turns = given[:, 6:].astype(np.float64)
        lengths = np.linalg.norm(turns, axis=1)
        if not (np.isfinite(lengths) & (lengths > 1e-6)).all():
            raise ValueError("the rotation of a brick must be a quaternion, other than zero")
        values = self._values(found, settings, len(given))
        rows = free_boxes(given[:, :3], given[:, 3:6], turns / lengths[:, None], **values)
        return Packed(self._edit(lambda: found.structure.insert(*rows)) if len(given) else np.zeros(0, np.int32))

    def remove(self, shape: int, numbers) -> bool:
        """Remove bricks. Returns True."""
        found = self.get(shape)
        if len(numbers) == 1 and self._edit(lambda: found.structure.remove_one(int(numbers[0]))):
            return True
        self._edit(lambda: found.structure.remove(np.asarray(numbers, np.int32)))
        return True

    def change(self, shape: int, numbers, corners, settings) -> Packed:
        """Put boxes in the place of other bricks. Returns the new numbers."""
        found = self.get(shape)
        rows = self._boxes(found, corners, 0, settings)
        if len(rows) != len(numbers):
            raise ValueError(f"as many boxes as bricks are wanted, got {len(rows)} and {len(numbers)}")
        return Packed(self._edit(lambda: found.structure.change(numbers, rows)))

    # --- questions ---

    def count(self, shape: int) -> int:
        return len(self.get(shape).structure)

    def numbers(self, shape: int) -> Packed:
        """Numbers of all bricks, ascending."""
        return Packed(self.get(shape).structure.all_bricks()[0])

    def boxes_of(self, shape: int, numbers) -> Packed:
        """Low and high corners of bricks, six numbers each [unit]; of turned ones the bounds, rounded outwards."""
        rows = self.get(shape).structure.rows_of("bricks_boxes", np.asarray(numbers, np.int64))
        return Packed(np.concatenate((np.floor(rows["low"]), np.ceil(rows["high"])), axis=1).astype(np.int32).ravel())

    def settings_of(self, shape: int, numbers) -> Packed:
        """Settings of bricks, four numbers each."""
        return Packed(settings_of(self.get(shape).structure.rows_of("bricks_settings", np.asarray(numbers, np.int64))))

    def at(self, shape: int, point, reach: float) -> int:
        """The brick whose bounds are nearest to a point of the shape's frame, at most `reach` away [m]; 0: none."""
        found = self.get(shape)
        at, far = np.array(point) / found.unit, reach / found.unit
        near = found.structure.in_box(at - far, at + far)
        if not len(near):
            return 0
        gaps = np.linalg.norm(np.maximum(np.maximum(near["low"] - at, at - near["high"]), 0.0), axis=1)
        nearest = int(np.lexsort((near["number"], gaps))[0])
        return int(near["number"][nearest]) if gaps[nearest] <= far * (1.0 + 1e-6) else 0

    def in_box(self, shape: int, low, high) -> Packed:
        """Numbers of the bricks whose bounds touch a box of the shape's frame [m], ascending."""
        found = self.get(shape)
        return Packed(np.sort(found.structure.in_box(np.array(low) / found.unit, np.array(high) / found.unit)["number"]))

    def in_ball(self, shape: int, center, radius: float) -> Packed:
        """Numbers of the bricks whose bounds touch a ball of the shape's frame [m], ascending."""
        found = self.get(shape)
        at, far = np.array(center) / found.unit, radius / found.unit
        near = found.structure.in_box(at - far, at + far)
        gaps = np.maximum(np.maximum(near["low"] - at, at - near["high"]), 0.0)
        return Packed(np.sort(near["number"][(gaps * gaps).sum(axis=1) <= far * far]))

    def volume(self, shape: int) -> float:
        """Volume of all bricks, each times its density [m^3]."""
        found = self.get(shape)
        return float(found.structure.summary["mass"]) * found.unit**3

    # --- saving ---

    def saved(self, shape: int) -> dict:
        """The set alone, as packed arrays: `boxes` and their `settings`, `places` of turned ones and their `turned_settings`."""
        _, rows, placements = self.get(shape).structure.all_bricks()
        is_free = rows["kind"] == bricks.FREE_BOX
        whole, free = rows[~is_free], placements[is_free]
        corners = np.concatenate((whole["low"], whole["high"]), axis=1).astype(np.int32).ravel()
        places = np.concatenate((free["center"], free["half_extents"], free["rotation"]), axis=1).astype(np.float32).ravel()
        arrays = {
            "boxes": corners, "settings": settings_of(whole), "places": places, "turned_settings": settings_of(rows[is_free]),
        }  # fmt: skip
        return {name: Packed(array) for name, array in arrays.items() if len(array)}

    # --- breaking ---

    def note_removals(self, shape: int, is_on: bool) -> None:
        """Note from now on which bricks are removed, so that pieces which come apart by it are found; or no more, and forget."""
        found = self.get(shape)
        if is_on:
            found.structure.searches.add(found.search)
        else:
            found.structure.searches.discard(found.search)
            found.search.forget()

    def set_anchors(self, shape: int, boxes_held) -> None:
        """Choose boxes, six numbers each [unit]: bricks that touch one are held from outside."""
        given = _rows(boxes_held, 6, "anchors")
        if not np.isfinite(given).all():
            raise ValueError("the anchors must be finite")
        self.get(shape).search.anchors = given.astype(np.float32)

    def find_pieces(self, shape: int, budget: int, most: int) -> Packed:
        """Look for pieces that came apart, at no more than `budget` bricks. Returns for each piece its number of bricks and their
        numbers, one after the other: `most` pieces, with `budget` bricks in all, or one of more. The caller moves them elsewhere.
        The last number is -1 if the next call goes on, since the search is not over or other pieces wait."""
        found = self.get(shape)
        if budget < 1 or most < 1:
            raise ValueError(f"budget and most must be at least 1, got {budget} and {most}")
        pieces = found.search.find(budget, most)
        lists = [np.array(part, np.int32) for one in pieces for part in ([len(one)], one)]
        lists += [] if found.search.is_over else [np.array([-1], np.int32)]
        return Packed(np.concatenate([np.zeros(0, np.int32), *lists]))

    def struck(self, body: int, shape: int, least: float) -> Packed:
        """Numbers of the bricks of a body that were pushed by more than `least` in the last step [N s], ascending."""
        bricks_pushed, impulses = self._server.world.contact.struck_bricks(body, shape)
        return Packed(bricks_pushed[impulses > least].astype(np.int32))

    def move(self, shape: int, numbers, into: int, is_noted: bool) -> Packed:
        """Move bricks of a set to another one. `is_noted`: pieces that come apart by it are to be found. Returns their numbers
        there."""
        found, other = self.get(shape), self.get(into)
        rows = self._edit(lambda: found.structure.take_out(np.asarray(numbers, np.int32), is_noted))
        return Packed(self._edit(lambda: other.structure.insert(*rows)))

    def carry_on(self, body: int, piece: int) -> None:
        """Give a piece that came off a body the velocities of its matter. Both are placed alike."""
        world = self._server.world
        for identity in (body, piece):
            world.body.settle(world.body.index("bricks_carry_on", identity))
        row = self._server.body_row(body)
        spin = row["angular_velocity"].astype(np.float64)
        arm = product(rotation_rows(row["rotation"].astype(np.float64)[None])[0], row["center_of_mass"])
        origin_velocity = row["linear_velocity"] - np.cross(spin, arm)
        world.body.edit("bricks_carry_on", piece, motion_edits.set_angular_velocity, spin.tolist())
        world.body.edit("bricks_carry_on", piece, motion_edits.set_linear_velocity, origin_velocity.tolist())

    def set_density(self, body: int, density: float) -> None:
        """Let the mass of a body follow from its shapes: `density` [kg/m^3] times their volume; 0: the mass stays."""
        self._server.world.body.follow_density(body, density)

    # --- drawing ---

    def regions(self, shape: int, size: int, most: int) -> Packed:
        """Numbers of up to `most` regions with edits since they were drawn, three each. `size`: side of a region [unit]; at
        first, and after another size, all that have bricks."""
        found = self.get(shape)
        if size < 1:
            raise ValueError(f"the side of a region must be at least 1 unit, got {size}")
        if found.regions.get("drawn") is None or found.regions["drawn"].size != size:
            found.regions["drawn"] = DrawnRegions(found.structure, found.unit, size)
        return Packed(found.regions["drawn"].take(most).ravel())

    def buffer(self, shape: int, x: int, y: int, z: int, colours) -> Packed:
        """The buffer of a MultiMesh, with colours, that draws a region. `colours`: four numbers each, chosen by the tag."""
        drawn = self.get(shape).regions.get("drawn")
        if drawn is None:
            raise ValueError("bricks_regions is called first")
        table = _rows(colours, 4, "colours") if len(colours) else np.ones((1, 4), np.float32)
        return Packed(drawn.buffer((x, y, z), table).ravel())


def settings_of(rows: np.ndarray) -> np.ndarray:
    """Settings of rows BRICK as int32, four each: density, surface, layers, tag."""
    columns = [rows["density"], rows["material"].astype(np.int64) - 1, rows["layers"], rows["user_number"]]
    return np.stack([column.astype(np.int64) for column in columns], axis=1).astype(np.int32).ravel()


def add_brick_methods(methods, engine) -> None:
    """Register the methods; `engine.server` exists when one is called."""
    locked = locked_calls(engine, "bricks")

    def free(name: str):
        """A method that takes no lock: the structure has its own."""
        return lambda *arguments: getattr(engine.server.bricks, name)(*arguments)

    shape, ints = {"shape": RID}, PACKED_INT32_ARRAY
    made = {"unit": FLOAT, "capacity": INT, "surfaces": PACKED_FLOAT32_ARRAY, "detail": INT}
    methods.cold("bricks_make", locked("make"), shape | made, BOOL)
    settings = {"settings": ints}
    methods.cold("bricks_insert", free("insert"), {**shape, "corners": ints, "width": INT, **settings}, ints)
    methods.cold("bricks_insert_turned", free("insert_turned"), {**shape, "places": PACKED_FLOAT32_ARRAY, **settings}, ints)
    methods.cold("bricks_remove", free("remove"), {**shape, "numbers": ints}, BOOL)
    methods.cold("bricks_change", free("change"), {**shape, "numbers": ints, "corners": ints, **settings}, ints)
    methods.cold("bricks_count", free("count"), shape, INT)
    methods.cold("bricks_numbers", free("numbers"), shape, ints)
    methods.cold("bricks_boxes", free("boxes_of"), {**shape, "numbers": ints}, ints)
    methods.cold("bricks_settings", free("settings_of"), {**shape, "numbers": ints}, ints)
    methods.cold("bricks_at", free("at"), {**shape, "point": VECTOR3, "reach": FLOAT}, INT)
    methods.cold("bricks_in_box", free("in_box"), {**shape, "low": VECTOR3, "high": VECTOR3}, ints)
    methods.cold("bricks_in_ball", free("in_ball"), {**shape, "center": VECTOR3, "radius": FLOAT}, ints)
    methods.cold("bricks_volume", free("volume"), shape, FLOAT)
    methods.cold("bricks_saved", free("saved"), shape, DICTIONARY)
    methods.cold("bricks_note_removals", free("note_removals"), {**shape, "is_on": BOOL})
    methods.cold("bricks_set_anchors", free("set_anchors"), {**shape, "boxes": PACKED_FLOAT32_ARRAY})
    methods.cold("bricks_find_pieces", free("find_pieces"), {**shape, "budget": INT, "most": INT}, ints)
    methods.cold("bricks_move", free("move"), {**shape, "numbers": ints, "into": RID, "is_noted": BOOL}, ints)
    methods.cold("bricks_struck", locked("struck"), {"body": RID, **shape, "least": FLOAT}, ints)
    methods.cold("bricks_carry_on", locked("carry_on"), {"body": RID, "piece": RID})
    methods.cold("bricks_set_density", locked("set_density"), {"body": RID, "density": FLOAT})
    methods.cold("bricks_regions", free("regions"), {**shape, "size": INT, "most": INT}, ints)
    region = {"x": INT, "y": INT, "z": INT, "colours": PACKED_FLOAT32_ARRAY}
    methods.cold("bricks_buffer", free("buffer"), {**shape, **region}, PACKED_FLOAT32_ARRAY)
