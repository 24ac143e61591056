"""Calls that compiled code answers where it can: what they leave is what Python's answers leave, in any order of calls."""

import ctypes
import functools
import itertools
import threading

import numpy as np
import pytest
from fast_server import ARGUMENTS, CALLABLE_WORD, FastServer
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine_core.bodies.identity import index_of, kind_of
from engine_core.bodies.schema import BODY, BODY_RARE, INSTANCE, IS_AREA, KIND_AREA, KIND_BODY
from engine_core.godot import server_shapes
from engine_core.godot.fast_calls import ANSWERS
from engine_core.godot.schema import SEEN
from engine_core.shapes import rows
from engine_core.shapes import schema as shapes
from engine_core.shapes.schema import SHAPE

# What tells where rows lie and how often they were published, not what they hold.
_ELSEWHERE = {"id", "sequence", "published", "is_in_tree", "first_instance", "instance_capacity", "next_free",
              "next_in_island", "active_index", "contacts", "island_link", "first_pair", "shadow"}  # fmt: skip
_WHO_DID_IT = {"id", "sequence", "current", "block", "was_shared"}  # the same of shapes
_PLACES = (
    (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.25, -0.1, 3.0),
    (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0), (2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, float("nan"), 0.0, 0.0), (1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0, 2e9, 0.0, 0.0),
)  # fmt: skip
_NUMBERS = (0, 0, 0, 1, 1, 2, -1, 7)
_WORDS = (0, 1, 5, 0xFFFFFFFF, 1 << 40)
_VALUES = (0, 1, 2, 0.0, 1.0, 0.5, -3.0, 9.8, 1e-40, 1e35, float("nan"), (0.0, 0.0, 0.0), (0.0, -1.0, 0.0), (2.0, 3.0, 4.0))
_SHAPES = 3
_NAMES = tuple(ANSWERS)
_CHOICES = {
    "int": st.sampled_from(_NUMBERS), "enum::Mode": st.sampled_from((0, 1, 2, 3, 4)), "enum::Parameter": st.integers(0, 14),
    "bool": st.booleans(), "float": st.sampled_from((0.0, 1.0, -2.5, 1e35, float("nan"))),
    "Transform3D": st.sampled_from(_PLACES[:2] * 4 + _PLACES),
    "Variant": st.sampled_from(_VALUES), "Callable": st.sampled_from((CALLABLE_WORD, CALLABLE_WORD, 0)),
}  # fmt: skip
_KINDS = {"body": KIND_BODY, "area": KIND_AREA}
_CREATED = {"_body_create": "body", "_area_create": "area"}
_BLOCK_KINDS = ("convex_polygon", "concave_polygon", "heightmap")
_OF_SHAPES = tuple(name for name in ARGUMENTS if name.endswith("shape_create")) + ("_shape_set_data",)
_SOLIDS = ("sphere", "box", "capsule", "cylinder")
_DATA = (0.5, 0.25, -1.0, float("nan"), 2, (1.0, 2.0, 3.0), (1.0, 2.0, 3.0), (1.0, 0.0, 3.0), {"radius": 0.5, "height": 2.0},
         {"radius": 0.5, "height": 0.5}, {"radius": 1, "height": 3}, {"radius": 1.0}, {"radius": 0.5, "height": (1.0, 1.0, 1.0)},
         {"radius": {}, "height": 1.0}, {})  # fmt: skip


def _arrays():
    """Data of hulls, meshes and height fields: good, changed a little, and bad in all ways there are."""
    rng = np.random.default_rng(5)
    points, heights = rng.normal(size=(12, 3)).astype(np.float32), rng.normal(size=12).astype(np.float32)
    broken, holes = points.copy(), heights.copy()
    broken[3, 1], holes[2:5] = np.nan, np.nan
    yield from (points, 2.0 * points, points[:6], points[:1], points[:0], broken, points[:, :1] * [1.0, 2.0, 3.0], heights)
    for faces in (points, 2.0 * points, points[:6], points[:5], points[:0], broken, points[[0, 0, 1]], heights, 1.0):
        yield {"faces": faces}
    yield from ({"faces": points, "backface_collision": flag} for flag in (True, False, 1, 0.0, {}))
    for width, depth, samples in ((3, 4, heights), (4.0, 3, heights), (3, 4, holes), (3, 4, holes[2:5]), (2.5, 4.8, heights)):
        yield {"width": width, "depth": depth, "heights": samples}
    yield from ({"width": 1, "depth": 12, "heights": heights}, {"width": -3, "depth": -4, "heights": heights})
    yield from ({"width": 2, "depth": 2, "heights": np.full(4, value, np.float32)} for value in (np.nan, np.inf, -0.0))
    yield from ({"width": 3, "heights": heights}, {"width": 3, "depth": 4}, {"width": 3, "depth": 4, "heights": points})


_ARRAYS = tuple(_arrays())
_GOOD = _ARRAYS[0], {"faces": _ARRAYS[0]}, {"width": 3, "depth": 4, "heights": _ARRAYS[7]}


@st.composite
def _calls(draw):
    """(virtual, who, arguments after the first): `who` is mostly a number among the bodies, or areas; from 16 on it may be one of
    the other kind, or nobody."""
    name = draw(st.sampled_from([*ARGUMENTS, *_OF_SHAPES[2:9], *["_shape_set_data"] * 4, "step"]))
    types = ARGUMENTS.get(name, ())
    if name == "_shape_set_data":
        return name, draw(st.integers(0, 19)), [draw(st.sampled_from(_DATA + _ARRAYS))]
    values = []
    for position, kind in enumerate(types[1:], 1):
        if kind == "RID" and "space" in name:
            values.append(("space", draw(st.sampled_from((0, 0, 1, 1, 2)))))
        elif kind == "RID":
            values.append(("shape", draw(st.integers(0, 2 * _SHAPES))))
        elif kind == "int" and position == 1 and types[2:] == () and "remove" not in name:
            values.append(draw(st.sampled_from(_WORDS)))
        else:
            values.append(draw(_CHOICES[kind]))
    return name, draw(st.integers(0, 19)), values


class Played:
    """A server to which calls were made."""

    def __init__(self, is_fast):
        self.made = FastServer(is_fast)
        self.spaces = [self.made.space(), self.made.space()]
        self.shapes = [self.made.box(0.5 + k) for k in range(_SHAPES)]
        self.ids = []
        self.made.call("_free_rid", self.made.call("_box_shape_create"))
        for name in ("_body_create", "_area_create") * 3:
            self.play(name, 0, [])
            self.play(name.replace("create", "add_shape"), len(self.ids) // 2, [("shape", 0), _PLACES[0], False])

    def play(self, name, who, values):
        if name == "step":
            with self.made.server.lock:
                self.made.world.step(self.spaces[0], 1 / 60)
        elif name in _CREATED:
            self.ids.append(self.made.call(name))
        elif name.endswith("shape_create"):
            self.shapes.append(self.made.call(name))
        elif name == "_shape_set_data" or (name == "_free_rid" and who in (12, 13)):
            self.made.call(name, 12345 if who == 19 else self.shapes[(who + len(self.ids)) % len(self.shapes)], *values)
        else:
            own = [identity for identity in self.ids if kind_of(identity) == _KINDS.get(name[1:5], KIND_BODY)]
            identity = 12345 if who == 19 else self.ids[who % len(self.ids)] if who >= 16 else own[who % len(own)]
            given = [self._named(*value) if value and isinstance(value, tuple) and isinstance(value[0], str) else value
                     for value in values]  # fmt: skip
            self.made.call(name, identity, *given)

    def _named(self, kind, number):
        if kind == "space":
            return [0, *self.spaces][number]
        return 4711 if number == _SHAPES else self.shapes[number % len(self.shapes)]

    def state(self, is_last=False):
        """All that the calls have left, without where it lies. Blocks are compared last: what Python has read of them is no
        longer compiled code's to change."""
        with self.made.server.lock:  # Python takes over what was noted
            world = self.made.world
        alive = [identity for identity in self.ids if world.bodies.rows[index_of(identity)]["id"] == identity]
        numbers = {index_of(identity): self.ids.index(identity) for identity in alive}
        shapes = [identity for identity in self.shapes if world.shapes.rows[index_of(identity)]["id"] == identity]
        return {
            "alive": [self.ids.index(identity) for identity in alive],
            "rows": [self._row(index_of(identity), numbers) for identity in alive],
            "shapes": [(self.shapes.index(identity), *self._shape(identity, numbers, is_last)) for identity in shapes],
            "stale": sorted(numbers[index] for index in world._stale if index in numbers),
            "errors": self.made.errors, "variants": self.made.variants.alive, "objects": len(self.made.objects),
            "gates": [int(row["gate"]) for row in world.systems.rows[:2]], "lock": int(self.made.server.record["lock"]),
        }  # fmt: skip

    def _shape(self, identity, numbers, is_last):
        world, server, index = self.made.world, self.made.server, index_of(identity)
        row, binding = world.shapes.rows[world.shapes.current_row(index)], server.shapes.row(identity)
        told = [repr(row[name].tolist()) for name in SHAPE.names if name not in _WHO_DID_IT]
        data = self.made.variants.read(server.shapes.data(identity).address)
        users = sorted(numbers[body] for body in world.shape_users.of(index))
        own = told_block = None
        if is_last or row["user_kind"] not in (shapes.HULL, shapes.MESH, shapes.HEIGHT_FIELD):
            own, block = world.shapes.settings_of(index), world.shapes.block_of(world.shapes.current_row(index))
            told_block = _bits(block.arrays) if block and row["kind"] != shapes.EMPTY else None
        return _bits(own), told, _bits(data), float(binding["margin"]), users, told_block

    def _row(self, index, numbers):
        world, row = self.made.world, self.made.world.bodies.rows[index]
        first, count = int(row["first_instance"]), int(row["instance_count"])
        kept = [name for name in BODY.names if name not in _ELSEWHERE]
        rare = [world.bodies.rare_of(index)[name].tobytes() for name in BODY_RARE.names if name not in _ELSEWHERE]
        shapes = [{name: instance[name].tobytes() for name in INSTANCE.names if name not in ("body", "shape", "user_shape")}
                  for instance in world.instances.rows[first : first + count]]  # fmt: skip
        assert all(numbers[int(instance["body"])] == numbers[index] for instance in world.instances.rows[first : first + count])
        binding, area = self.made.server.body_bindings[index], self.made.server.area_bindings[index]
        kept_of_area = world.areas.rows[index].tobytes() if row["flags"] & IS_AREA else b""
        callbacks = [bool(binding["object"]), int(binding["sync_callback"][0]), int(area["body_callback"][0]),
                     int(area["area_callback"][0]), kept_of_area]  # fmt: skip
        places = [world.instances.user_transform(at) for at in range(first, first + count)]
        return {name: row[name].tobytes() for name in kept}, shapes, [callbacks, rare, places]


def _bits(value):
    """A value with its arrays as bytes: NaN is the same as NaN."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {name: _bits(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return type(value).__name__, *map(_bits, value)
    return repr(value)


def _differences(one, two):
    """In words, where two states differ."""
    found = [f"{key}: {one[key]} / {two[key]}" for key in one if key != "rows" and one[key] != two[key]]
    for number, (a, b) in enumerate(zip(one["rows"], two["rows"], strict=False)):
        found += [f"row {number}, {name}" for name in a[0] if a[0][name] != b[0][name]]
        found += [f"row {number}, shapes or callbacks"] if a[1:] != b[1:] else []
    return found


# A shape for a body in a space that has room for it; velocities of what becomes static; a mass that waits for its space.
_IN_SPACE = [
    ("_body_remove_shape", 0, [0]), ("_body_set_space", 0, [("space", 1)]), ("step", 0, []),
    ("_body_add_shape", 0, [("shape", 1), _PLACES[1], True]), ("_body_set_shape_disabled", 0, [0, False]), ("step", 0, []),
]  # fmt: skip
_MODES = [
    ("_body_set_space", 0, [("space", 1)]), *[("step", 0, [])] * 5, ("_body_set_space", 0, [("space", 0)]),
    ("_body_set_mode", 0, [0]), ("_body_set_param", 0, [2, 5.0]), ("_body_set_space", 0, [("space", 1)]), ("step", 0, []),
]  # fmt: skip
# What a node repeats of an area's shape changes nothing of it.
_AGAIN = [
    ("_area_set_space", 0, [("space", 1)]), ("step", 0, []), ("_area_set_space", 0, [("space", 0)]),
    ("_area_set_shape_disabled", 0, [0, False]),
]  # fmt: skip


# A body that is freed while its mass waits; its row is taken again.
_FREED = [
    ("_area_create", 0, []), ("_body_set_space", 8, [("space", 1)]), ("_body_remove_shape", 8, [0]), ("_free_rid", 2, []),
    ("_body_create", 0, []),
]  # fmt: skip

# A body takes the row of an area that was freed: what the area had there is no part of it.
_AFTER_AREA = [*[("_body_create", 0, [])] * 2, ("_free_rid", 17, []), *[("_body_create", 0, [])] * 2]


# A shape of its own that is set twice, used, and set again; it is freed while it is used, and after.
_OWN_SHAPE = [
    ("_capsule_shape_create", 0, []), ("_shape_set_data", 1, [{"radius": 0.5, "height": 2.0}]),
    ("_shape_set_data", 1, [{"radius": 0.25, "height": 2}]), ("_shape_set_data", 1, [{"radius": 0.25, "height": 2.0}]),
    ("_body_add_shape", 0, [("shape", 7), _PLACES[0], False]), ("_shape_set_data", 1, [{"radius": 0.75, "height": 2.0}]),
]  # fmt: skip


@example(_OWN_SHAPE)
@example(_AFTER_AREA)
@example(_FREED)
@example(_AGAIN)
@example(_IN_SPACE)
@example(_MODES)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(_calls(), min_size=5, max_size=60))
def test_fast_and_python_answers_leave_the_same(calls):
    fast, python = Played(True), Played(False)
    for number, call in enumerate(calls):
        fast.play(*call)
        python.play(*call)
        assert not _differences(fast.state(), python.state()), (number, call)
    assert not _differences(fast.state(True), python.state(True))


def _data_of(kind, number):
    """Good data for a shape; what each number gives is other data."""
    points = np.random.default_rng(number).normal(size=(24, 3)).astype(np.float32)
    return {"convex_polygon": points, "concave_polygon": {"faces": points, "backface_collision": number % 2 == 0},
            "heightmap": {"width": 6, "depth": 4, "heights": points[:8].ravel()}}[kind]  # fmt: skip


def _sizes_of(kind, number):
    """Good data for a shape without a block."""
    size = 0.5 + 0.25 * number
    return {"sphere": size, "box": (size, size, 1.0)}.get(kind, {"radius": size, "height": 4.0})


def _set_up(played, kinds=_SOLIDS):
    """What a node with a shape of its own does: made, put into a space and freed; each second one is taken out before. Gives how
    many calls Python had to answer."""
    call, place = played.made.call, _PLACES[0]
    before = played.made.handed_over
    for number in range(20):
        kind = kinds[number % len(kinds)]
        shape = call(f"_{kind}_shape_create")
        for version in (0, 1):  # as it is made, and as the user wants it
            call("_shape_set_data", shape, (_data_of if kind in _BLOCK_KINDS else _sizes_of)(kind, version))
        body = call("_body_create")
        call("_body_attach_object_instance_id", body, 77)
        call("_body_set_mode", body, 2)
        call("_body_set_state_sync_callback", body, CALLABLE_WORD)
        call("_body_add_shape", body, shape, place, False)
        call("_body_set_shape_transform", body, 0, _PLACES[1])
        call("_body_set_param", body, 2, 3.0)
        call("_body_set_collision_layer", body, 6)
        call("_body_set_space", body, played.spaces[0])
        call("_body_set_ray_pickable", body, True)
        if number % 2:
            call("_body_set_space", body, 0)
            call("_body_remove_shape", body, 0)
            call("_free_rid", shape)
            call("_free_rid", body)
        else:
            call("_free_rid", body)
            call("_free_rid", shape)
    return played.made.handed_over - before


@pytest.mark.parametrize("kind", _BLOCK_KINDS)
def test_shapes_with_blocks_are_left_the_same(kind):
    """Set to all data, good and bad, twice each; used, set while used, freed while used; their rows taken again."""
    fast, python = Played(True), Played(False)
    for played in (fast, python):
        call = played.made.call
        for _ in range(3):
            played.shapes.append(call(f"_{kind}_shape_create"))
        one, other, kept = played.shapes[-3:]
        for shape, data in itertools.product((one, other), (*_GOOD, *_ARRAYS)):
            call("_shape_set_data", shape, data)
            call("_shape_set_data", shape, data)
        call("_shape_set_data", kept, _data_of(kind, 1))
        call("_body_add_shape", played.ids[0], one, _PLACES[0], False)
        call("_body_set_space", played.ids[0], played.spaces[0])
        call("_shape_set_data", one, _data_of(kind, 2))
        call("_free_rid", other)
        played.shapes.append(call(f"_{kind}_shape_create"))
        call("_shape_set_data", played.shapes[-1], _data_of(kind, 3))
    for call in [("step", 0, []), ("_body_set_space", 0, [("space", 0)])]:
        fast.play(*call), python.play(*call)
        assert not _differences(fast.state(), python.state())
    assert fast.made.world.shapes.cooked_memory.rows.any() and not python.made.world.shapes.cooked_memory.rows.any()
    assert not _differences(fast.state(True), python.state(True))
    for played in (fast, python):
        for shape in played.shapes:
            played.made.call("_free_rid", shape)
        for body in played.ids:
            played.made.call("_free_rid", body)
        assert not played.made.variants.alive
    assert fast.made.errors == python.made.errors


@pytest.mark.parametrize("kind", _BLOCK_KINDS)
def test_a_node_with_a_block_takes_no_python(kind):
    """Made, set twice, put on a body, into a space and out of it, and freed; after the first one of its kind."""
    played = Played(True)
    call, made = played.made.call, played.made
    call("_shape_set_data", call(f"_{kind}_shape_create"), _data_of(kind, 0))
    before = made.handed_over
    for number in range(50):
        shape, body = call(f"_{kind}_shape_create"), call("_body_create")
        for data in (number, number, number + 100):
            call("_shape_set_data", shape, _data_of(kind, data))
        call("_body_set_mode", body, 2)
        call("_body_add_shape", body, shape, _PLACES[1], False)
        call("_body_set_space", body, played.spaces[0])
        for identity in (body, shape) if number % 2 else (body,):
            call("_free_rid", identity)
    assert made.handed_over == before and not made.errors
    assert np.count_nonzero(made.world.shapes.cooked_memory.rows) == 25


def test_a_freed_block_stays_while_a_query_may_read_it(monkeypatch):
    played, freed = Played(True), []
    monkeypatch.setattr(rows, "free_all", freed.extend)
    call, world = played.made.call, played.made.world
    call("_shape_set_data", call("_convex_polygon_shape_create"), _data_of("convex_polygon", 0))
    shape, body = call("_convex_polygon_shape_create"), call("_body_create")
    call("_shape_set_data", shape, _data_of("convex_polygon", 1))
    call("_body_add_shape", body, shape, _PLACES[0], False)
    call("_body_set_space", body, played.spaces[0])
    memory = int(world.shapes.cooked_memory.rows[index_of(shape)])
    tree = world.system(played.spaces[0]).trees.trees.rows[1]
    tree["users"][0, 3, 0] += 1  # a query that has not ended
    before = played.made.handed_over
    call("_free_rid", body), call("_free_rid", shape)
    assert memory and played.made.handed_over == before and not world.shapes.cooked_memory.rows[index_of(shape)]
    for _ in range(10):
        with played.made.server.lock:
            world.retirement.reclaim()
    assert memory not in freed
    tree["users"][0, 3, 0] -= 1
    world.retirement.reclaim()
    assert freed == [memory]


def test_much_freed_memory_does_not_wait(monkeypatch):
    """Python frees what is large, and takes the notes over before they hold much."""
    played, freed = Played(True), []
    monkeypatch.setattr(rows, "free_all", freed.extend)
    call, made = played.made.call, played.made
    field = {"width": 512, "depth": 512, "heights": np.zeros(512 * 512, np.float32)}  # 1.5 MB
    call("_shape_set_data", call("_heightmap_shape_create"), field)
    shapes_made = [call("_heightmap_shape_create") for _ in range(40)]
    for shape in shapes_made:
        call("_shape_set_data", shape, field)
    before = made.handed_over
    for shape in shapes_made:
        call("_free_rid", shape)
        assert made.server.record["noted_memory"] <= 1 << 24
    assert 2 <= made.handed_over - before <= 4 and not made.errors
    assert len(freed) > 20


def test_a_node_takes_no_python():
    played = Played(True)
    assert 0 < played.made.handed_over < 7, "the first body and shape fill the stock"
    assert _set_up(played) == 0
    assert not played.made.errors and len(played.made.objects) == 2 and not played.made.variants.alive


def test_freed_rows_are_used_again():
    played = Played(True)
    for _ in range(200):
        _set_up(played)
    assert played.made.world.bodies.count < 1500  # of 4,000 that were made
    assert played.made.world.instances.most_used() < 1500 and played.made.world.shapes.row_count < 1500


@pytest.mark.parametrize("number", range(len(ANSWERS)))
def test_what_is_not_done_fast_is_handed_over(number):
    """While a step runs, or somebody else has the lock, or calls or edits wait: every call goes to Python, and to nobody else."""
    played, name = Played(True), _NAMES[number]
    body, area = played.made.call("_body_create"), played.made.call("_area_create")
    record, values = played.made.server.record, {"RID": 0, "int": 0, "bool": 1, "float": 1.0, "Transform3D": _PLACES[0],
                                                 "Variant": 1.0, "Callable": 0}  # fmt: skip
    arguments = [values.get(kind, 0) for kind in ARGUMENTS[name]]
    arguments[:1] = [area if "area" in name else body] if arguments else []
    late = np.frombuffer((ctypes.c_int64 * 1).from_address(int(record["late_edits"])), np.int64)
    for field in ("lock", "is_stepping", "late_count", "late_edits"):
        asked = []
        hand_over = type(played.made._callbacks[name])(lambda *at, asked=asked: asked.append(at))
        played.made.python_answers[number] = ctypes.cast(hand_over, ctypes.c_void_p).value
        where, key, value = (late, 0, 1) if field == "late_edits" else (record, field, 99)
        where[key] = value
        before = {kept: record[kept].item() for kept in ("stock_count", "run_count", "note_count", "lock")}
        played.made.call(name, *arguments)
        assert before == {kept: record[kept].item() for kept in before}, field
        where[key] = 0
        assert len(asked) == 1 and asked[0][0] == played.made.server.address, field


def test_the_comparison_notices_a_call_that_is_lost_on_its_way_to_python():
    fast, python = Played(True), Played(False)
    calls = [("_body_create", 0, []), ("_body_add_shape", 0, [("shape", 0), _PLACES[2], False])]  # turned: for Python
    for call in calls:
        fast.play(*call), python.play(*call)
    assert not _differences(fast.state(), python.state())
    nothing = type(fast.made._callbacks["_body_add_shape"])(lambda *at: None)
    address = ctypes.cast(nothing, ctypes.c_void_p).value
    fast.made.python_answers[_NAMES.index("_body_add_shape")] = address
    for call in calls[1:]:
        fast.play(*call), python.play(*call)
    assert _differences(fast.state(), python.state())


def test_many_threads_beside_steps():
    played = Played(True)
    server, world = played.made.server, played.made.world
    done, stop = [], threading.Event()

    def live():
        done.append(_set_up(played, _SOLIDS + _BLOCK_KINDS))

    def step():
        while not stop.is_set():
            with server.lock:
                server.record["is_stepping"] = 1
                world.step(played.spaces[0], 1 / 60)
                server.record["is_stepping"] = 0
            server.settle_late()

    stepping = threading.Thread(target=step)
    stepping.start()
    for _ in range(20):
        threads = [threading.Thread(target=live) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    for identity in played.ids:
        played.made.call("_free_rid", identity)
    stop.set()
    stepping.join(60)
    with server.lock:
        server.settle_now()
    assert len(done) == 80 and not played.made.errors
    assert not (world.bodies.rows["id"][: world.bodies.count] != 0).any()
    count = world.shapes.row_count
    assert not any(map(world.shape_users.of, range(count))) and not world.shapes.rows["use_count"][:count].any()
    assert len(played.made.objects) == 2 and not played.made.variants.alive and server.record["lock"] == 0
    assert not world.shapes.cooked_memory.rows.any()


def test_all_rows_can_be_used_and_used_again():
    """The stock keeps none back where few are left; what was freed comes back."""
    made = FastServer(True, bodies=64, body_shapes=64)
    shape, space = made.box(), made.space()
    for _ in range(3):
        ids = [made.call("_body_create") for _ in range(64)]
        assert len(set(ids)) == 64 and all(ids) and not made.errors
        for identity in ids:
            made.call("_body_add_shape", identity, shape, _PLACES[0], False)
            made.call("_body_set_space", identity, space)
        assert (made.world.bodies.rows["instance_count"][:64] == 1).all() and not made.errors
        assert made.call("_body_create") == 0 and made.errors.pop() == ("body_create", "PoolFull")
        for identity in ids:
            made.call("_body_set_space", identity, 0)
            made.call("_free_rid", identity)


def test_a_shape_that_was_asked_with_gets_a_fresh_row():
    """Somebody may be reading its row: what it is set to then goes into another, and nobody sees half of it."""
    made = FastServer(True)
    made.call("_free_rid", made.call("_box_shape_create"))
    shape = made.call("_box_shape_create")
    index, before = index_of(shape), made.handed_over
    made.call("_shape_set_data", shape, (1.0, 1.0, 1.0))
    made.call("_shape_set_data", shape, (2.0, 1.0, 1.0))
    assert made.handed_over == before and made.world.shapes.current_row(index) == index
    made.server.shapes.rows[index]["sight"] = SEEN
    made.call("_shape_set_data", shape, (3.0, 1.0, 1.0))
    fresh = made.world.shapes.current_row(index)
    assert made.handed_over == before + 1 and fresh != index
    assert made.world.shapes.rows["half_extents"][[index, fresh], 0].tolist() == [2.0, 3.0]
    made.call("_free_rid", shape)
    assert not made.errors and not made.server.shapes.rows[index]["shape_id"]


@pytest.mark.parametrize("is_fast", [True, False])
def test_a_shape_that_was_used_gets_a_fresh_row(is_fast):
    """A query that began before may still be reading the body, and the row."""
    made = FastServer(True)
    made.call("_free_rid", made.call("_box_shape_create"))
    body, shape = made.call("_body_create"), made.call("_box_shape_create")
    index = index_of(shape)
    made.call("_shape_set_data", shape, (1.0, 1.0, 1.0))
    call = made.call if is_fast else functools.partial(made.call, by_python=True)
    call("_body_add_shape", body, shape, _PLACES[0], False)
    call("_body_remove_shape", body, 0)
    assert made.world.shapes.rows[index]["use_count"] == 0
    made.call("_shape_set_data", shape, (2.0, 1.0, 1.0))
    rows = made.world.shapes.rows["half_extents"][[index, made.world.shapes.current_row(index)], 0]
    assert rows.tolist() == [1.0, 2.0]


def test_a_shape_in_use_is_freed_by_python():
    made = FastServer(True)
    body, shape = made.call("_body_create"), made.call("_sphere_shape_create")
    made.call("_shape_set_data", shape, 0.5)
    made.call("_body_add_shape", body, shape, _PLACES[0], False)
    made.call("_free_rid", shape)
    assert made.world.body_shape_count(body) == 0 and not made.errors
    made.call("_shape_set_data", shape, 0.5)
    assert made.errors.pop() == ("shape_set_data", "KeyError")


@pytest.mark.parametrize("count, is_told", [(200, False), (2000, True)])
def test_a_hull_that_is_cut_is_told(count, is_told):
    """Points on a unit sphere: 256 vertices are not enough for 2,000 of them."""
    pool = FastServer(False).world.shapes
    points = np.random.default_rng(2).normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    told = server_shapes._set_convex_polygon(pool, pool.create(shapes.HULL), points)
    assert bool(told) == is_told and (not told or "256" in told and str(count) in told)
