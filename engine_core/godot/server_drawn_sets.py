"""Sets of bodies that one MultiMesh draws: which bodies are in which row of its buffer. The buffers are written by compiled code
(drawn_sets.py); these calls change the sets. For the main thread, with the server's lock.
"""

import ctypes

import numpy as np

from ..batches.adding import rows_of
from ..bodies.identity import index_of
from ..bodies.schema import HAS_STRETCH
from ..runtime.distinct import distinct
from ..runtime.memory import Pool, address_of, view_rows
from .drawn_sets import OLDEST_BOX, ROW_BITS, ROW_MASK, hand_over_now, write_transforms
from .schema import DRAWN_SET, MOST_DRAWN_SETS, PACKED_FLOAT32_ARRAY

TRANSFORM = 12
"""Numbers of a transform in a buffer."""
STRIDES = (TRANSFORM, TRANSFORM + 4, TRANSFORM + 8)
LARGEST_SET = 1 << 24
_WHITE = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0], np.float32)
_METHODS = (
    ("set_buffer", "multimesh_set_buffer"), ("set_buffer_interpolated", "multimesh_set_buffer_interpolated"),
    ("set_custom_aabb", "multimesh_set_custom_aabb"),
)  # fmt: skip


class DrawnSet:
    """The Python side of one set: ids of the bodies in their order, int64 (n), and the numbers of colour and custom data behind
    their transforms, float32 (n, stride - 12)."""

    def __init__(self, stride: int):
        self.ids, self.extras = np.zeros(0, np.int64), np.zeros((0, stride - TRANSFORM), np.float32)
        self.arrays: tuple[np.ndarray, ...] = ()  # what the record has the addresses of
        self.reach, self.largest_scale, self.shrinking = -1.0, 1.0, 1.0  # of the mesh [m]; of bodies; of the node, inverted


class DrawnSets:
    """The sets of a server, by number."""

    def __init__(self, server):
        self._server = server
        self._sets: dict[int, DrawnSet] = {}
        capacity = int(server.world.record["body_capacity"])
        self._keys = Pool("drawn bodies", "i8", capacity)
        self._records = Pool("drawn sets", DRAWN_SET, MOST_DRAWN_SETS)
        record = server.record
        record["drawn_keys"], record["drawn_sets"], record["drawn_set_count"] = self._keys.address, self._records.address, 0

    def _find_functions(self) -> None:
        """Ask Godot for what compiled code calls, once there is something to draw."""
        server, record = self._server, self._server.record
        if record["rendering_server"]:
            return
        self._new, self._resize, self._first = server.variants.filling(PACKED_FLOAT32_ARRAY)
        known = server.engine.api.classes["RenderingServer"]
        for field, name in _METHODS:
            record[field] = server.interface.method("RenderingServer", name, known[name].hash) if name in known else 0
        record["array_to_write"] = server.interface.address("packed_float32_array_operator_index")
        constructor = server.interface.function("variant_get_ptr_constructor", ctypes.c_void_p, ctypes.c_int, ctypes.c_int32)
        record["array_copy"] = constructor(PACKED_FLOAT32_ARRAY, 1)
        record["array_free"] = server.variants.array_functions(PACKED_FLOAT32_ARRAY)[3]
        record["rendering_server"] = server.interface.singleton("RenderingServer")

    def _set(self, call: str, number: int) -> tuple[DrawnSet, np.void]:
        if number not in self._sets:
            raise ValueError(f"{call}: there is no drawn set {number}")
        return self._sets[number], self._records.rows[number]

    def create(self, multimesh: int, stride: int) -> int:
        """Make an empty set for the multimesh with an RID, whose buffer has `stride` numbers a row. Return the set's number."""
        if not multimesh:
            raise ValueError("drawn_set_create: there is no multimesh RID(0)")
        if stride not in STRIDES:
            raise ValueError(f"drawn_set_create: stride must be one of {STRIDES}, got {stride}")
        free = (number for number in range(MOST_DRAWN_SETS) if number not in self._sets)
        number = next(free, -1)
        if number < 0:
            raise ValueError(f"drawn_set_create: there are {MOST_DRAWN_SETS} drawn sets, and can be no more")
        self._find_functions()
        self._records.rows[number] = np.zeros((), DRAWN_SET)
        row = self._records.rows[number]
        row["multimesh"], row["stride"], row["reach"] = multimesh, stride, -1.0
        row["box_age"] = OLDEST_BOX
        for name in ("buffer", "previous"):
            self._new(self._place(number, name), None)
        self._sets[number] = DrawnSet(stride)
        row["is_used"] = 1
        self._server.record["drawn_set_count"] = max(self._sets) + 1
        return number

    def _place(self, number: int, name: str) -> int:
        return self._records.address + number * DRAWN_SET.itemsize + DRAWN_SET.fields[name][1]

    def free(self, number: int) -> None:
        """Free a set; its bodies stay."""
        drawn, row = self._set("drawn_set_free", number)
        row["is_used"] = row["count"] = 0
        self._clear_keys(number, drawn.ids)
        for name in ("buffer", "previous"):
            self._server.variants.destroy_value(PACKED_FLOAT32_ARRAY, self._place(number, name))
        del self._sets[number]
        self._server.record["drawn_set_count"] = max(self._sets, default=-1) + 1

    def close(self) -> None:
        """Free all sets."""
        for number in list(self._sets):
            self.free(number)

    # --- the bodies of a set ---

    def _clear_keys(self, number: int, ids: np.ndarray) -> None:
        """Forget where bodies are drawn, unless another set has them, or their rows belong to other bodies, by now."""
        rows = index_of(ids)
        ours = rows[self._keys.rows[rows] >> ROW_BITS == number]
        self._keys.rows[ours] = 0

    def add(self, number: int, ids: np.ndarray, capacity: int, extras: np.ndarray) -> None:
        """Add bodies behind those of a set, whose multimesh has `capacity` instances by now. `extras`: colours and custom data,
        or nothing for white and zeros."""
        drawn, row = self._set("drawn_set_add", number)
        rows_of(self._server.world, "drawn_set_add", ids)
        taken = np.flatnonzero(self._keys.rows[index_of(ids)])
        if len(taken) or len(distinct(ids)) < len(ids):
            raise ValueError("drawn_set_add: a body is in one set only, and once")
        count = len(drawn.ids) + len(ids)
        if not count <= capacity <= LARGEST_SET:
            raise ValueError(f"drawn_set_add: the multimesh has {capacity} instances, but {count} bodies are to be drawn")
        wide = int(row["stride"]) - TRANSFORM
        if len(extras) not in (0, len(ids) * wide):
            raise ValueError(
                f"drawn_set_add: {wide} numbers of colour and custom data a body are wanted, got {len(extras)} in all"
            )
        added = extras.reshape(-1, wide) if len(extras) else self._plain(len(ids), wide)
        first = len(drawn.ids)
        drawn.ids, drawn.extras = np.concatenate([drawn.ids, ids]), np.concatenate([drawn.extras, added])
        self._arrange(number, drawn, capacity)
        self._note_scale(drawn, row, index_of(ids))
        self._note_fresh(drawn, row, np.arange(first, count))

    def _note_scale(self, drawn: DrawnSet, row, rows: np.ndarray) -> None:
        """Renew how far an instance reaches from its origin, with bodies in some rows added."""
        bodies = self._server.world.bodies
        stretched = rows[bodies.rows["flags"][rows] & np.uint32(HAS_STRETCH) != 0]
        if len(stretched):
            stretches = bodies.rare.rows["stretch"][stretched].reshape(-1, 3, 3)
            drawn.largest_scale = max(drawn.largest_scale, float(np.linalg.norm(stretches, ord=2, axis=(1, 2)).max()))
        row["reach"] = drawn.reach * drawn.largest_scale * drawn.shrinking

    def _note_fresh(self, drawn: DrawnSet, row, places: np.ndarray) -> None:
        """Let rows not glide from where they were."""
        at = int(row["fresh_count"])
        if at + len(places) <= row["capacity"]:
            drawn.arrays[2][at : at + len(places)] = places
            row["fresh_count"] = at + len(places)
        else:
            row["is_fresh"] = 1

    def _plain(self, count: int, wide: int) -> np.ndarray:
        return np.tile(_WHITE[:wide], (count, 1))

    def remove(self, number: int, places: np.ndarray) -> None:
        """Take the bodies at some places out of a set; those behind move down."""
        drawn, row = self._set("drawn_set_remove", number)
        self._check_places("drawn_set_remove", drawn, places)
        keeps = np.ones(len(drawn.ids), bool)
        keeps[places] = False
        self._clear_keys(number, drawn.ids[~keeps])
        drawn.ids, drawn.extras = drawn.ids[keeps], drawn.extras[keeps]
        rows = self._rows(number)
        rows[: len(drawn.ids)] = rows[: len(keeps)][keeps]  # what the next flush takes as that of the tick before
        rows[len(drawn.ids) :] = 0.0  # nothing is seen of an instance without size
        if row["fresh_count"]:
            row["fresh_count"], row["is_fresh"] = 0, 1
        self._arrange(number, drawn, int(row["capacity"]))

    def forget(self, ids: np.ndarray) -> None:
        """Take bodies that are being freed out of their sets."""
        keys = self._keys.rows[index_of(ids)]
        for number in distinct(keys[keys != 0] >> ROW_BITS).tolist():
            ours = keys[(keys != 0) & (keys >> ROW_BITS == number)]
            self.remove(number, (ours & ROW_MASK) - 1)

    def read_transforms(self, rows: np.ndarray, out: np.ndarray) -> None:
        """Write the transforms of bodies, given by int64 rows of their pool, to float32 (n, 12) as a buffer holds them."""
        write_transforms(self._server.world.address, address_of(rows), len(rows), address_of(out))

    def _check_places(self, call: str, drawn: DrawnSet, places: np.ndarray) -> None:
        wrong = np.flatnonzero((places < 0) | (places >= len(drawn.ids)))
        if len(wrong):
            raise ValueError(f"{call}: indices must be from 0 to {len(drawn.ids) - 1}, got {int(places[wrong[0]])}")

    def _rows(self, number: int) -> np.ndarray:
        """The rows of a set's buffer, float32 (capacity, stride), ready for writing."""
        row = self._records.rows[number]
        capacity, stride = int(row["capacity"]), int(row["stride"])
        if not capacity:
            return np.zeros((0, stride), np.float32)
        return view_rows(self._first(self._place(number, "buffer"), 0), capacity * stride, np.float32).reshape(-1, stride)

    def _arrange(self, number: int, drawn: DrawnSet, capacity: int) -> None:
        """Let the record of a set say which bodies are in its rows; the next flush writes all of them."""
        row, count = self._records.rows[number], len(drawn.ids)
        if capacity != row["capacity"] or not drawn.arrays:
            self._reserve(number, drawn, capacity)
        drawn.arrays[0][:count] = drawn.ids
        self._keys.rows[index_of(drawn.ids)] = (number << ROW_BITS) + np.arange(1, count + 1)
        row["count"], row["needs_all"], row["is_begun"], row["asleep_count"] = count, 1, 0, 0
        row["box_age"] = OLDEST_BOX
        if drawn.extras.shape[1]:
            self._rows(number)[:count, TRANSFORM:] = drawn.extras

    def _reserve(self, number: int, drawn: DrawnSet, capacity: int) -> None:
        """Make the buffers and lists of a set as long as its multimesh."""
        row, result = self._records.rows[number], ctypes.c_int64()
        size = ctypes.c_int64(capacity * int(row["stride"]))
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(size))
        for name in ("buffer", "previous"):
            self._resize(self._place(number, name), ctypes.addressof(arguments), ctypes.addressof(result), 1)
        old, used = drawn.arrays, int(row["fresh_count"])
        drawn.arrays = np.zeros(capacity, np.int64), np.zeros(capacity, np.int32), np.zeros(capacity, np.int32)
        if old:
            drawn.arrays[2][:used] = old[2][:used]
        row["ids"], row["asleep"], row["fresh"] = map(address_of, drawn.arrays)
        row["capacity"] = capacity

    def bodies(self, number: int) -> np.ndarray:
        """The ids of the bodies of a set, in the order of its rows."""
        return self._set("drawn_set_bodies", number)[0].ids

    def index(self, identity: int) -> int:
        """The place of a body in its set, or -1 where it is in none."""
        row = int(index_of(identity))
        lives = identity > 0 and row < len(self._keys.rows) and int(self._server.world.bodies.ids[row]) == identity
        key = int(self._keys.rows[row]) if lives else 0
        place = (key & ROW_MASK) - 1
        return place if place >= 0 and int(self._sets[key >> ROW_BITS].ids[place]) == identity else -1

    # --- how they are drawn ---

    def place(self, number: int, transform: tuple, reach: float) -> None:
        """Set the global transform of the node that draws: rows are relative to it. `reach` [m]: how far the mesh reaches from
        its origin; negative to leave the bounds of the multimesh alone."""
        drawn, row = self._set("drawn_set_place", number)
        if not np.isfinite(reach):
            raise ValueError(f"drawn_set_place: reach must be finite, got {reach}")
        basis, origin = np.array(transform[:9], np.float64).reshape(3, 3), np.array(transform[9:], np.float64)
        if not np.isfinite(transform).all() or abs(np.linalg.det(basis)) < 1e-12:
            raise ValueError(f"drawn_set_place: the transform must be finite and span a volume, got {transform}")
        inverse = np.linalg.inv(basis)
        row["to_local"] = np.column_stack([inverse, -inverse @ origin]).ravel()
        row["is_placed"] = int(not np.allclose(row["to_local"], np.eye(3, 4).ravel(), rtol=0.0, atol=0.0))
        drawn.reach, drawn.shrinking = reach, float(np.linalg.norm(inverse, ord=2))
        self._note_scale(drawn, row, np.zeros(0, np.int64))
        row["needs_all"] = 1

    def interpolate(self, number: int, is_on: bool) -> None:
        """Set whether Godot draws between the buffers of two ticks."""
        _, row = self._set("drawn_set_interpolate", number)
        row["interpolates"] = int(is_on and bool(self._server.record["set_buffer_interpolated"]))
        row["is_fresh"] = row["needs_all"] = 1

    def reset_interpolation(self, number: int, places: np.ndarray) -> None:
        """Let bodies at some places, or without any all, not glide from where they were."""
        drawn, row = self._set("drawn_set_reset_interpolation", number)
        self._check_places("drawn_set_reset_interpolation", drawn, places)
        row["needs_all"] = 1
        if len(places):
            self._note_fresh(drawn, row, places)
        else:
            row["is_fresh"] = 1

    def extras(self, number: int) -> np.ndarray:
        """The numbers of colour and custom data behind the transforms of all bodies, float32 (n, stride - 12)."""
        return self._set("drawn_set_extras", number)[0].extras

    def set_extras(self, number: int, first: int, values: np.ndarray, call: str, at: int) -> None:
        """Set four numbers a body from place `first` on: those behind the transform from `at` on."""
        drawn, row = self._set(call, number)
        count = len(values) // 4
        if len(values) % 4 or drawn.extras.shape[1] < at + 4 or not 0 <= first <= len(drawn.ids) - count:
            raise ValueError(f"{call}: {len(values)} numbers from body {first} on do not fit {len(drawn.ids)} bodies with "
                             f"{drawn.extras.shape[1]} numbers behind their transforms")  # fmt: skip
        drawn.extras[first : first + count, at : at + 4] = values.reshape(-1, 4)
        self._arrange(number, drawn, int(row["capacity"]))

    def fell_asleep(self, number: int) -> np.ndarray:
        """The places of the bodies that fell asleep in the last step."""
        _, row = self._set("drawn_set_fell_asleep", number)
        return view_rows(int(row["asleep"]), int(row["asleep_count"]), np.int32).copy()

    def hand_over(self, number: int) -> None:
        """Write a set now, not in the next flush: after bodies were added, or before the first tick."""
        _, row = self._set("drawn_set_update", number)
        row["needs_all"] = 1
        hand_over_now(self._server.address, number)

    def mark(self, ids: np.ndarray) -> None:
        """Have the next flush write the sets of bodies that were moved by a call."""
        keys = self._keys.rows[index_of(ids)]
        for number in distinct(keys[keys != 0] >> ROW_BITS).tolist():
            self._records.rows[number]["needs_all"] = 1

    def mark_all(self) -> None:
        """Have the next flush write all sets anew: the zero of the coordinates is elsewhere."""
        for number in self._sets:
            row = self._records.rows[number]
            row["needs_all"] = row["is_fresh"] = 1
