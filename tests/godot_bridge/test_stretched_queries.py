"""Shapes that ask a space with a scaled transform: compiled code stretches them, and finds what Python's shapes find."""

import ctypes

import numpy as np
import pytest
from fast_server import FastServer

from scree.bodies.identity import index_of
from scree.godot.python_virtuals import CALLBACK
from scree.godot.schema import MOST_QUERY_ROWS
from scree.godot.virtual_table import SPACE_STATE
from scree.shapes import schema

TURNED = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
SHEAR = np.array([[1.0, 0.4, 0.0], [0.0, 1.5, 0.0], [0.1, 0.0, 0.8]])
BASES = {"scaled": TURNED @ np.diag([1.5, 2.0, 0.5]), "sheared": TURNED @ SHEAR,
         "mirrored": TURNED @ np.diag([1.5, -2.0, 1.5])}  # fmt: skip
POINTS = np.random.default_rng(5).normal(size=(30, 3))
KINDS = {"sphere": schema.SPHERE, "box": schema.BOX, "capsule": schema.CAPSULE, "cylinder": schema.CYLINDER, "hull": schema.HULL}
SIZES = {"sphere": (0.5,), "box": ((0.3, 0.5, 0.7),), "capsule": (0.3, 1.5), "cylinder": (0.4, 1.2), "hull": (POINTS,)}


class Asked:
    """A space with a floor whose top is at y = 0, and a shape to ask with. `cooked`: how often Python cooked one."""

    def __init__(self, name):
        self.made, self.cooked = FastServer(True), 0
        server, world = self.made.server, self.made.world
        self.space = self.made.space()
        floor = self.made.box(5.0)
        body = self.made.call("_body_create")
        self.made.call("_body_set_mode", body, 0)
        self.made.call("_body_add_shape", body, floor, (1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0, 0.0, -5.0, 0.0), False)
        self.made.call("_body_set_space", body, self.space)
        world.step(self.space, 1 / 60)
        self.shape = world.shape.create(KINDS[name])
        getattr(world.shapes, f"set_{name}")(index_of(self.shape), *SIZES[name])
        server.record["exclusion_function"] = 0
        self._hook = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._cook)
        server.record["cook_query_shape"] = ctypes.cast(self._hook, ctypes.c_void_p).value
        self._virtuals = {name: CALLBACK(at) for name, at in SPACE_STATE.hot_addresses().items()}

    def _cook(self, address):
        self.cooked += 1
        self.made.server._stretched_queries.cook(address)

    def collide(self, basis, height):
        """Points of contact `(n, 3)` of the shape at a height."""
        transform = np.append(np.float32(basis).ravel(), np.float32([0.0, height, 0.0]))
        points, count = np.zeros((64, 3), np.float32), np.zeros(1, np.int32)
        values = [np.int64(self.shape), transform, np.zeros(3, np.float32), np.float64(0.0), np.int64(0xFFFFFFFF), np.int64(1),
                  np.int64(0), np.int64(points.ctypes.data), np.int64(32), np.int64(count.ctypes.data)]  # fmt: skip
        kept = [np.atleast_1d(value) for value in values]
        arguments, result = np.array([value.ctypes.data for value in kept], np.int64), np.zeros(4, np.int64)
        self._virtuals["_collide_shape"](self.made.server.space_address(index_of(self.space)), arguments.ctypes.data,
                                         result.ctypes.data)  # fmt: skip
        return points[: 2 * int(count[0])]


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("name", KINDS)
def test_compiled_code_finds_what_python_finds(name, basis):
    asked = Asked(name)
    python = {height: asked.collide(BASES[basis], height) for height in (8.0, 0.2)}
    assert len(python[0.2]) and not len(python[8.0])
    asked.cooked = 0
    for height, points in python.items():
        found = asked.collide(BASES[basis], height)
        assert len(found) == len(points)
        if len(points):
            assert found[:, 1].min() == pytest.approx(points[:, 1].min(), abs=2e-3)
    assert bool(asked.cooked) == (name == "hull" and basis == "mirrored")
    spare = asked.made.server._stretched_queries._rows
    assert not spare["is_taken"].any() and not spare["memory"].any() and not asked.made.errors


def test_only_the_first_question_is_for_python():
    asked = Asked("box")
    for _ in range(3 * MOST_QUERY_ROWS):
        asked.collide(BASES["sheared"], 0.2)
    assert asked.cooked == 1


def test_where_no_spare_row_is_free_python_cooks():
    asked = Asked("box")
    asked.collide(BASES["scaled"], 0.2)
    asked.made.server._stretched_queries._rows["is_taken"] = 1
    assert len(asked.collide(BASES["scaled"], 0.2)) and asked.cooked == 2


def test_a_basis_without_volume_is_refused_with_its_value():
    asked = Asked("box")
    for _ in range(2):
        assert not len(asked.collide(np.diag([1.0, 0.0, 1.0]), 0.2))
        assert asked.made.errors.pop() == ("collide_shape", "ValueError")
