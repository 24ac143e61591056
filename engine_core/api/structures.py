"""Structures: thousands of bricks as one rigid shape, edited while the world runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..shapes import schema
from ..shapes.structure_settings import DETAIL, StructureSettings
from ..structures import schema as bricks
from ..structures import structure as core
from ..structures.breaking import PieceSearch
from .arrays import NO_TURN, Floats, Ints, Numbers, Vector, Vectors, errors_of_call, read_only, vector
from .materials import Material
from .shapes import Shape, Whole, surface_table

if TYPE_CHECKING:
    from .body import Body

LEAST_ROOM = 1 << 12
"""Pieces have room for as many bricks, and for four times those that they begin with: address space counts if there are many."""
MOST = 0xFFFFFFFF
"""The largest density of a brick, and all layers."""
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Structure(Shape):
    """Bricks, boxes of any sizes, as one rigid shape for any number of bodies. The value stays the same, its bricks are edited:
    all bodies that have it follow, and what touched a removed brick wakes.

    `unit`: length of the grid's unit [m]; corners are whole numbers of units, at most 2^23 from the origin. `capacity`: the most
    bricks; room that is not used costs no memory. `surfaces`: materials that bricks may have, none of them rough or absorbent.
    Hits and contacts tell the number of the brick as their `part`. `breaks`: note what is removed, so that `Body.break_apart`
    finds what came apart by it. `anchors`: boxes, low and high corners in units of `unit` [m], that hold bricks from outside: a
    piece comes off if no brick of it touches one; without any, all but the largest do. `detail`: two structures meet with all of
    their bricks, joined to larger boxes where they make some, unless the one with fewer has more boxes than this: then it meets
    the other as its convex hull.

    Edits and questions may come from any thread at any time. A query sees the bricks before a batch of edits or after it, never
    between; while a step runs, masses and bounds of bodies, and with them bricks outside of the former bounds, follow at its
    end."""

    unit: float = 1.0
    capacity: int = 1 << 20
    surfaces: Sequence[Material] | None = None
    breaks: bool = False
    anchors: Sequence[tuple[Vector, Vector]] = ()
    detail: int = DETAIL
    bricks: Any = field(init=False, repr=False)
    """The compiled face (`engine_core/structures/structure.py`), for experts."""
    search: Any = field(init=False, repr=False)
    """The search for pieces (`engine_core/structures/breaking.py`), for experts; None unless it `breaks`."""
    kind, _settings, _setter = schema.STRUCTURE, StructureSettings, "set_structure"

    def __post_init__(self) -> None:
        if not isinstance(self.capacity, int) or not 0 < self.capacity < 1 << 28:
            raise ValueError(f"Structure: capacity must be a whole number from 1 to 2^28 - 1, got {self.capacity!r}")
        object.__setattr__(self, "bricks", core.Structure(self.capacity))
        object.__setattr__(self, "search", PieceSearch(self.bricks) if self.breaks else None)
        if self.search is not None:
            self.bricks.searches.add(self.search)
            given = [corner for number, box in enumerate(self.anchors) for corner in _corners(number, box)]
            self.search.anchors = np.array(given, np.float32).reshape(-1, 6)
        object.__setattr__(self, "surfaces", None if self.surfaces is None else tuple(self.surfaces))
        self._check()

    def _arguments(self) -> tuple[Any, ...]:
        return self.bricks, self.unit, surface_table("Structure", self.surfaces), self.detail

    def __len__(self) -> int:
        """The number of bricks."""
        return len(self.bricks)

    def insert(
        self, low: Whole, high: Whole, *, density: Numbers = 1, surface: Numbers = -1, layers: Numbers = 1, tag: Numbers = 0
    ) -> Ints:
        """Insert boxes along the axes, with corners `low` and `high`, whole numbers of `unit` [m] (n, 3), as one batch.
        Returns their numbers (n,), which stay theirs; those of removed bricks are given again. `density`: whole numbers, how
        many times as dense as the body; `surface`: indices into `surfaces`, -1 for the material of the body; `layers`: 32
        bits, 0 for a brick that nothing meets; `tag`: numbers of the user's. Any thread may call. Raises ValueError if one is
        not valid, and then inserts none; PoolFull."""
        one = self._one_box(low, high, density, surface, layers, tag)
        if one is not None and (number := self.bricks.insert_one(*one)):
            return read_only(np.array([number], np.int64))
        rows = self._rows("insert", low, high, density, surface, layers, tag)
        with errors_of_call("insert"):
            return read_only(self.bricks.insert(rows).astype(np.int64))

    def insert_turned(
        self, centers: Vectors, half_extents: Vectors, rotations: Vectors = NO_TURN, *, density: Numbers = 1,
        surface: Numbers = -1, layers: Numbers = 1, tag: Numbers = 0,
    ) -> Ints:  # fmt: skip
        """Insert boxes placed freely: `centers` and `half_extents` (n, 3), in units of `unit` [m]; `rotations`, unit
        quaternions x, y, z, w (n, 4). The rest is as in `insert`."""
        centers = np.atleast_2d(np.asarray(centers, np.float64))
        placed = core.free_boxes(centers, half_extents, rotations)
        ones = np.ones(centers.shape, np.int64)
        values = self._rows("insert_turned", 0 * ones, ones, density, surface, layers, tag)
        values["kind"] = bricks.FREE_BOX
        with errors_of_call("insert_turned"):
            return read_only(self.bricks.insert(values, placed[1]).astype(np.int64))

    def remove(self, numbers: Numbers) -> None:
        """Remove bricks, by their numbers (n,), no quantities, as one batch. Any thread may call. Raises ValueError if one is
        not there or named twice, and then removes none."""
        number = _one_number(numbers)
        if number and self.bricks.remove_one(number):
            return
        with errors_of_call("remove"):
            self.bricks.remove(np.atleast_1d(np.asarray(numbers, np.int64)))

    def change(
        self, numbers: Numbers, low: Whole, high: Whole, *, density: Numbers = 1, surface: Numbers = -1, layers: Numbers = 1,
        tag: Numbers = 0,
    ) -> Ints:  # fmt: skip
        """Put boxes with corners in units of `unit` [m] in the place of other bricks, by their numbers (n,), as one batch.
        Returns the new numbers (n,). The rest is as in `insert` and `remove`."""
        number, one = _one_number(numbers), self._one_box(low, high, density, surface, layers, tag)
        if number and one is not None and (fresh := self.bricks.change_one(number, *one)):
            return read_only(np.array([fresh], np.int64))
        rows = self._rows("change", low, high, density, surface, layers, tag)
        with errors_of_call("change"):
            changed = self.bricks.change(np.atleast_1d(np.asarray(numbers, np.int64)), rows)
            return read_only(changed.astype(np.int64))

    def _one_box(self, low: Any, high: Any, density: Any, surface: Any, layers: Any, tag: Any) -> tuple[Any, ...] | None:
        """One box and its settings, as `insert_one` of the core takes them. None for several, or if something about them is
        unusual: it may be wrong."""
        low, high = _three(low), _three(high)
        if low is None or high is None or not type(density) is type(surface) is type(layers) is type(tag) is int:
            return None
        if not (1 <= density <= MOST and -1 <= surface < len(self.surfaces or ()) and 0 <= layers <= MOST):
            return None
        return low, high, density, surface + 1, layers, tag

    def _rows(self, call: str, low: Whole, high: Whole, density: Any, surface: Any, layers: Any, tag: Any) -> NDArray[Any]:
        """Rows of bricks. Raises ValueError."""
        corners = []
        for name, given in (("low", low), ("high", high)):
            array = np.atleast_2d(np.asarray(given))
            if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "iuf":
                raise ValueError(f"{call}: {name} must be numbers of shape (n, 3), got {given!r}")
            corners.append(array)
        if len(corners[0]) != len(corners[1]):
            raise ValueError(f"{call}: as many high corners as low ones are wanted, got {len(corners[1])} and {len(corners[0])}")
        count = len(self.surfaces or ())
        ranges = {"density": (density, 1, MOST), "surface": (surface, -1, count - 1), "layers": (layers, 0, MOST)}
        for name, (given, least, most) in ranges.items():
            if type(given) is int and least <= given <= most:  # as for most single bricks: much cheaper than arrays
                continue
            values = np.asarray(given)
            is_whole = values.dtype.kind in "iu" and values.shape in ((), (len(corners[0]),))
            if not is_whole or (values.size and not least <= values.min() <= values.max() <= most):
                raise ValueError(f"{call}: {name} must be whole numbers from {least} to {most}, one or n, got {given!r}")
        materials = np.asarray(surface) + 1
        return core.boxes(*corners, layers=layers, density=density, material=materials, user_number=tag)

    @property
    def numbers(self) -> Ints:
        """Numbers of all bricks, (n,), ascending. Any thread may ask."""
        return read_only(self.bricks.all_bricks()[0].astype(np.int64))

    def bounds_of(self, numbers: Numbers) -> tuple[Floats, Floats]:
        """Low and high corners of bricks, in units of `unit` [m], each (n, 3), by their numbers (n,). Raises ValueError for
        one that is not there."""
        wanted = np.atleast_1d(np.asarray(numbers, np.int64))
        rows = self.bricks.rows_of("bounds_of", wanted)
        return read_only(rows["low"].astype(np.float64)), read_only(rows["high"].astype(np.float64))


def _three(given: Any) -> list[Any] | tuple[Any, ...] | None:
    """Three numbers; None for anything else."""
    kind = type(given)
    if kind is np.ndarray and given.size == 3:
        given = given.tolist()
    elif kind is not tuple and kind is not list:
        return None
    if len(given) != 3:
        return None
    a, b, c = type(given[0]), type(given[1]), type(given[2])
    is_plain = (a is int or a is float) and (b is int or b is float) and (c is int or c is float)
    return given if is_plain else None


def _one_number(given: Any) -> int:
    """The number of one brick; 0 for anything else."""
    if type(given) is not int:
        is_one = isinstance(given, np.ndarray) and given.size == 1 and given.ndim <= 1 and given.dtype.kind in "iu"
        given = int(given.item()) if is_one else 0
    return given if 0 < given < 1 << 28 else 0


def _corners(number: int, box: tuple[Vector, Vector]) -> list[Floats]:
    """Low and high corner of an anchor. Raises ValueError."""
    if len(box) != 2:
        raise ValueError(f"Structure: anchor {number} must be two corners, got {box!r}")
    return [vector("Structure", f"a corner of anchor {number}", corner) for corner in box]


@dataclass(frozen=True, eq=False)
class Piece:
    """A part that came off a structure, now a body of its own. `body`; its `structure`; `numbers`, which its bricks had in the
    old structure, and `new_numbers`, which they have in the new one, each (n,). No quantities."""

    body: "Body"
    structure: Structure
    numbers: Ints
    new_numbers: Ints


def break_apart(body: "Body", budget: int | None, density: float | None, most: int | None) -> list[Piece]:
    """See `Body.break_apart`."""
    for name, given in (("budget", budget), ("most", most)):
        if given is not None and (not isinstance(given, int) or given < 1):
            raise ValueError(f"break_apart: {name} must be a whole number from 1, or None, got {given!r}")
    whole = _breaking_structure(body)
    found = whole.search.find(budget, most)
    if not found:
        return []
    mode, space = body.mode, body.space
    own_density = float(space.world.core.bodies.rare_of(space.world.core.body.index("break_apart", body.id))["density"])
    if density is None and not own_density:
        own_density = body.mass / (float(whole.bricks.summary["mass"]) * whole.unit**3) if mode == "rigid" else 1.0
    settings: dict[str, Any] = {
        "density": own_density if density is None else density, "material": body.material, "layer": body.layer,
        "gravity_scale": body.gravity_scale, "linear_damp": body.linear_damp, "angular_damp": body.angular_damp,
        "max_linear_velocity": body.max_linear_velocity, "max_angular_velocity": body.max_angular_velocity,
        "can_sleep": body.can_sleep, "continuous": body.continuous,
        "velocities": body.velocity, "angular_velocities": body.angular_velocity,
    }  # fmt: skip
    place = np.broadcast_to(body.position, (len(found), 3)), np.broadcast_to(body.rotation, (len(found), 4))
    gone = np.concatenate(found)
    try:
        parts, fresh = _parts_of(whole, found, *whole.bricks.copies_of("break_apart", gone))
        bodies = space.add_rigid_many(parts, *place, **settings)
    except BaseException:
        whole.search.put_back(len(found))
        raise
    whole.bricks.take_out(gone)
    space.world.core.shape.settle_bricks()
    return [
        Piece(new, part, read_only(numbers.astype(np.int64)), read_only(new_numbers.astype(np.int64)))
        for new, part, numbers, new_numbers in zip(bodies, parts, found, fresh, strict=True)
    ]


def _parts_of(whole: Structure, found: list[Any], rows: Any, placements: Any) -> tuple[list[Structure], list[Any]]:
    """Structures of pieces of another one, and the new numbers of their bricks. `rows`, `placements`: of the bricks of all."""
    parts, fresh, begin = [], [], 0
    for numbers in found:
        end = begin + len(numbers)
        room = min(max(LEAST_ROOM, 4 * len(numbers)), whole.capacity)
        part = Structure(unit=whole.unit, capacity=room, surfaces=whole.surfaces, breaks=True, detail=whole.detail)
        fresh.append(part.bricks.insert(rows[begin:end], placements[begin:end]))
        parts.append(part)
        begin = end
    return parts, fresh


def _breaking_structure(body: "Body") -> Structure:
    """The structure of a body that may break apart. Raises ValueError."""
    core, shapes = body.space.world.core, body.shapes
    whole = shapes[0] if len(shapes) == 1 else None
    if not isinstance(whole, Structure):
        raise ValueError(f"break_apart: the body must have one shape, a Structure, got {shapes!r}")
    if whole.search is None:
        raise ValueError("break_apart: the structure must be made with breaks=True")
    users = len(core.shape_users.of(core.shape.index("break_apart", core.body.shape(body.id, 0))))
    if users > 1:
        raise ValueError(f"break_apart: the structure is on {users} bodies, it must be on this one alone")
    if tuple(core.body.shape_transform(body.id, 0)) != UPRIGHT:
        raise ValueError("break_apart: the structure must be at the origin of the body, not turned or scaled")
    return whole
