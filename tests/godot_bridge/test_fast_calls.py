"""Calls that compiled code answers where it can: what they leave is what Python's answers leave, in any order of calls."""

import ctypes
import threading

import numpy as np
import pytest
from fast_server import ARGUMENTS, CALLABLE_WORD, FastServer
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from played import ARRAYS, BLOCK_KINDS, DATA, PLACES, SHAPES, SOLIDS, Played, differences, set_up

from scree.godot.creation.all_answers import ANSWERS

_NUMBERS = (0, 0, 0, 1, 1, 2, -1, 7)
_WORDS = (0, 1, 5, 0xFFFFFFFF, 1 << 40)
_VALUES = (0, 1, 2, 0.0, 1.0, 0.5, -3.0, 9.8, 1e-40, 1e35, float("nan"), (0.0, 0.0, 0.0), (0.0, -1.0, 0.0), (2.0, 3.0, 4.0))
_NAMES = tuple(ANSWERS)
_CHOICES = {
    "int": st.sampled_from(_NUMBERS), "enum::Mode": st.sampled_from((0, 1, 2, 3, 4)), "enum::Parameter": st.integers(0, 14),
    "enum::Axis": st.sampled_from((1, 2, 4, 8, 16, 32, 0, 3, 64)),
    "bool": st.booleans(), "float": st.sampled_from((0.0, 1.0, -2.5, 1e35, float("nan"))),
    "Transform3D": st.sampled_from(PLACES[:2] * 4 + PLACES),
    "Variant": st.sampled_from(_VALUES), "Callable": st.sampled_from((CALLABLE_WORD, CALLABLE_WORD, 0)),
}  # fmt: skip
_OF_SHAPES = tuple(name for name in ARGUMENTS if name.endswith("shape_create")) + ("_shape_set_data",)


@st.composite
def _calls(draw):
    """(virtual, who, arguments after the first): `who` is mostly a number among the bodies, or areas; from 16 on it may be one of
    the other kind, or nobody."""
    name = draw(st.sampled_from([*ARGUMENTS, *_OF_SHAPES[2:9], *["_shape_set_data"] * 4, "step"]))
    types = ARGUMENTS.get(name, ())
    if name == "_shape_set_data":
        return name, draw(st.integers(0, 19)), [draw(st.sampled_from(DATA + ARRAYS))]
    values = []
    for position, kind in enumerate(types[1:], 1):
        if kind == "RID" and "space" in name:
            values.append(("space", draw(st.sampled_from((0, 0, 1, 1, 2)))))
        elif kind == "RID":
            values.append(("shape", draw(st.integers(0, 2 * SHAPES))))
        elif kind == "int" and position == 1 and types[2:] == () and "remove" not in name:
            values.append(draw(st.sampled_from(_WORDS)))
        else:
            values.append(draw(_CHOICES[kind]))
    return name, draw(st.integers(0, 19)), values


# A shape for a body in a space that has room for it; velocities of what becomes static; a mass that waits for its space.
_IN_SPACE = [
    ("_body_remove_shape", 0, [0]), ("_body_set_space", 0, [("space", 1)]), ("step", 0, []),
    ("_body_add_shape", 0, [("shape", 1), PLACES[1], True]), ("_body_set_shape_disabled", 0, [0, False]), ("step", 0, []),
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
    ("_body_add_shape", 0, [("shape", 7), PLACES[0], False]), ("_shape_set_data", 1, [{"radius": 0.75, "height": 2.0}]),
]  # fmt: skip

# Two bodies in one space, and steps.
_TWO_IN_SPACE = [("_body_set_space", 0, [("space", 1)]), ("_body_set_space", 1, [("space", 1)]), *[("step", 0, [])] * 3]


@example(_TWO_IN_SPACE)
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
        assert not differences(fast.state(), python.state()), (number, call)
    assert not differences(fast.state(True), python.state(True))


def test_a_node_takes_no_python():
    played = Played(True)
    assert 0 < played.made.handed_over < 7, "the first body and shape fill the stock"
    assert set_up(played) == 0
    assert not played.made.errors and len(played.made.objects) == 2 and not played.made.variants.alive


def test_freed_rows_are_used_again():
    played = Played(True)
    for _ in range(200):
        set_up(played)
    assert played.made.world.bodies.count < 1500  # of 4,000 that were made
    assert played.made.world.instances.most_used() < 1500 and played.made.world.shapes.row_count < 1500


@pytest.mark.parametrize("number", range(len(ANSWERS)))
def test_what_is_not_done_fast_is_handed_over(number):
    """While a step runs, or somebody else has the lock, or calls or edits wait: every call goes to Python, and to nobody else."""
    played, name = Played(True), _NAMES[number]
    body, area = played.made.call("_body_create"), played.made.call("_area_create")
    record, values = played.made.server.record, {"RID": 0, "int": 0, "bool": 1, "float": 1.0, "Transform3D": PLACES[0],
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
    calls = [("_body_create", 0, []), ("_body_add_shape", 0, [("shape", 0), PLACES[2], False])]  # turned: for Python
    for call in calls:
        fast.play(*call), python.play(*call)
    assert not differences(fast.state(), python.state())
    nothing = type(fast.made._callbacks["_body_add_shape"])(lambda *at: None)
    address = ctypes.cast(nothing, ctypes.c_void_p).value
    fast.made.python_answers[_NAMES.index("_body_add_shape")] = address
    for call in calls[1:]:
        fast.play(*call), python.play(*call)
    assert differences(fast.state(), python.state())


def test_many_threads_beside_steps():
    played = Played(True)
    server, world = played.made.server, played.made.world
    done, stop = [], threading.Event()

    def live():
        done.append(set_up(played, SOLIDS + BLOCK_KINDS))

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
            made.call("_body_add_shape", identity, shape, PLACES[0], False)
            made.call("_body_set_space", identity, space)
        assert (made.world.bodies.rows["instance_count"][:64] == 1).all() and not made.errors
        assert made.call("_body_create") == 0 and made.errors.pop() == ("body_create", "PoolFull")
        for identity in ids:
            made.call("_body_set_space", identity, 0)
            made.call("_free_rid", identity)
