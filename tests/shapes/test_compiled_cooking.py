"""Compiled code cooks the same bits as Python; and Python can take over the result."""

import ctypes
import gc

import numpy as np
import pytest

from scree.runtime import c_memory
from scree.runtime.memory import address_of, view_rows
from scree.shapes import compiled_cooking, schema, settings
from scree.shapes.compiled_cooking import CompiledCooking
from scree.shapes.cooked_memory import claim
from scree.shapes.cooking import COOKED_FIELDS
from scree.shapes.pool import ShapePool

COOK = {
    schema.HULL: compiled_cooking.cook_hull, schema.MESH: compiled_cooking.cook_mesh,
    schema.HEIGHT_FIELD: compiled_cooking.cook_field,
}  # fmt: skip


@pytest.fixture(scope="module")
def cooking():
    made = CompiledCooking()
    assert all(made.address_for(kind) for kind in COOK) and not made.address_for(schema.BOX)
    return made


def cook(cooking, kind, given, count, depth=0, is_two_sided=0, before=0):
    """(row of SHAPE, address of the memory or 0) of what compiled code makes."""
    row, request = np.zeros(1, schema.SHAPE), np.zeros(1, compiled_cooking.REQUEST)
    request["cooking"], request["given"], request["count"] = cooking.address, address_of(given), count
    request["before"], request["depth"], request["is_two_sided"], request["cooked"] = before, depth, is_two_sided, address_of(row)
    memory = COOK[kind](address_of(request))
    row["user_kind"] = kind
    return row[0], memory


def same(one, other):
    """Whether settings, or parts of them, hold the same bits."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, tuple):
        return type(one) is type(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return one == other


def compare(own, row, memory):
    """That compiled code made what these settings are cooked to."""
    cooked = own.cook()
    if cooked.kind == schema.EMPTY or cooked.left_out > 0.0:
        assert not memory
        return
    wanted = np.zeros((), schema.SHAPE)
    for name, value in cooked.fields.items():
        wanted[name] = value
    for name in COOKED_FIELDS:
        assert wanted[name].tobytes() == row[name].tobytes(), name
    assert row["kind"] == cooked.kind and row["block"] % 128 == 0
    block, claimed = claim(memory, row)
    assert same(claimed, own.kept(cooked) if hasattr(own, "kept") else own) and block.address == row["block"]
    dtype = schema.HULL_BLOCK if cooked.kind == schema.HULL else schema.MESH_BLOCK
    told, expected = (view_rows(at.address, 1, dtype)[0] for at in (block, cooked.block))
    assert set(block.arrays) == set(cooked.block.arrays)
    for name, array in cooked.block.arrays.items():
        assert same(array, block.arrays[name]), name
        at = block.arrays[name].ctypes.data
        assert told[name] == (at if array.nbytes else 0) and (not array.nbytes or at % 128 == 0)
    for name in set(dtype.names) - set(cooked.block.arrays):
        assert told[name].tobytes() == expected[name].tobytes(), name


@pytest.mark.parametrize("seed", range(8))
def test_hulls(cooking, seed):
    """Points of all sizes, far from the origin, flat, on a grid, with signed zeros, with more corners than a hull may have."""
    rng = np.random.default_rng(seed)
    for number in range(60):
        count = 400 if number == 0 else int(rng.integers(1, 60))
        points = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-3, 3) + rng.normal(size=3) * rng.choice([0, 1, 100])
        points = np.round(points) if number % 3 == 1 else points
        points = points / np.linalg.norm(points, axis=1)[:, None] if number == 0 else points
        if number % 5 == 1:
            points[:, rng.integers(3)] = -0.0
        points = points.astype(np.float32)
        row, memory = cook(cooking, schema.HULL, points, len(points))
        compare(settings.Hull.checked(points), row, memory)


@pytest.mark.parametrize("seed", range(8))
def test_meshes(cooking, seed):
    """Triangles that share corners or hardly do, without area, turned over, on both sides."""
    rng = np.random.default_rng(seed)
    for number in range(30):
        count, is_two_sided = int(rng.integers(1, 300)), number % 4 == 0
        vertices = np.round(rng.normal(size=(rng.integers(1, 100), 3)), 1 if number % 2 else 6).astype(np.float32)
        corners = vertices[rng.integers(len(vertices), size=3 * count)]
        triangles = np.arange(3 * count).reshape(-1, 3)[:, ::-1]
        row, memory = cook(cooking, schema.MESH, corners, 3 * count, 0, int(is_two_sided))
        compare(settings.Mesh.checked(corners, triangles, is_two_sided), row, memory)


@pytest.mark.parametrize("seed", range(8))
def test_height_fields(cooking, seed):
    rng = np.random.default_rng(seed)
    for number in range(40):
        width, depth = (int(size) for size in rng.integers(2, 40, 2))
        heights = rng.normal(size=(depth, width)).astype(np.float32)
        heights = np.round(heights) if number % 3 == 0 else heights
        if number % 2:
            heights[rng.random((depth, width)) < rng.random()] = np.nan
        row, memory = cook(cooking, schema.HEIGHT_FIELD, heights, width, depth)
        compare(settings.HeightField.checked(width, depth, heights), row, memory)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_left_to_python(cooking, value):
    points, heights = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1, 2]], np.zeros((3, 3), np.float32)
    points[4, 1] = heights[1, 1] = value
    assert not cook(cooking, schema.HULL, points, 6)[1] and not cook(cooking, schema.MESH, points, 6)[1]
    field = cook(cooking, schema.HEIGHT_FIELD, heights, 3, 3)[1]
    assert bool(field) == bool(np.isnan(value))
    c_memory.free_all([field])
    points[4, 1] = 1e16
    assert not cook(cooking, schema.HULL, points, 6)[1]
    assert not cook(cooking, schema.HULL, points, 0)[1] and not cook(cooking, schema.MESH, points, 5)[1]


@pytest.mark.parametrize("kind", list(COOK))
def test_the_same_data_is_cooked_once(cooking, kind):
    """Nodes set it twice. What differs in one number, in how many there are, or in a side that collides, is other data."""
    rng = np.random.default_rng(4)
    given = (rng.normal(size=36) if kind == schema.HEIGHT_FIELD else rng.normal(size=(12, 3))).astype(np.float32)
    sizes = (6, 6) if kind == schema.HEIGHT_FIELD else (12, 0)
    _, before = cook(cooking, kind, given, *sizes)
    assert cook(cooking, kind, given.copy(), *sizes, before=before)[1] == before
    others = []
    for at in range(given.size):
        changed = given.copy()
        changed.flat[at] += 0.5
        others.append(cook(cooking, kind, changed, *sizes, before=before)[1])
    others.append(cook(cooking, kind, given, sizes[0] - 3, sizes[1], before=before)[1])
    if kind == schema.MESH:
        others.append(cook(cooking, kind, given, *sizes, is_two_sided=1, before=before)[1])
    assert all(others) and before not in others
    c_memory.free_all([before, *others])


@pytest.fixture
def freed(monkeypatch):
    """The addresses that are given back."""
    addresses, free = [], c_memory._free()

    def give_back(address):
        addresses.append(address)
        free(address)

    monkeypatch.setattr(c_memory, "_free", lambda: give_back)
    return addresses


def pool_with_hull(cooking):
    """A pool with a shape that compiled code has set, its index, and the address of its memory."""
    pool = ShapePool(lambda index, sequence: sequence << 32 | index + 1, capacity=64)
    index = pool.create(schema.HULL)
    points = np.random.default_rng(1).normal(size=(20, 3)).astype(np.float32)
    cooked, memory = cook(cooking, schema.HULL, points, 20)
    for name in ("kind", "block", *COOKED_FIELDS):
        pool.rows[index][name] = cooked[name]
    pool.cooked_memory.rows[index] = memory
    return pool, index, memory, points


def test_memory_lives_as_long_as_somebody_has_an_array_of_it(cooking, freed):
    pool, index, memory, points = pool_with_hull(cooking)
    block = pool.block_of(index)
    assert same(pool.settings_of(index), settings.Hull(points)) and not pool.cooked_memory.rows[index]
    vertices = block.arrays["vertices"][:1]
    del block
    pool.free(index)
    pool.collect()
    gc.collect()
    assert memory not in freed
    del vertices
    gc.collect()
    assert freed == [memory]


def test_a_use_and_a_change_are_made_of_the_points(cooking):
    pool, index, _, points = pool_with_hull(cooking)
    twin = ShapePool(lambda index, sequence: sequence << 32 | index + 1, capacity=64)
    other = twin.create(schema.HULL)
    twin.set_hull(other, points)
    stretch = np.diag([1.0, 2.0, 0.5])
    one, two = pool.derive(index, stretch), twin.derive(other, stretch)
    for name in COOKED_FIELDS:
        assert pool.rows[one][name].tobytes() == twin.rows[two][name].tobytes()
    pool.set_hull(index, 2.0 * points)
    assert pool.current_row(index) != index and pool.rows[index]["kind"] == schema.HULL  # a query may be reading it
    np.testing.assert_array_equal(pool.settings_of(index).points, 2.0 * points)


def test_what_was_freed_is_given_back_when_nobody_reads_it(cooking, freed):
    pool, index, memory, _ = pool_with_hull(cooking)
    pool.rows[index]["id"], pool.rows[index]["kind"], pool.cooked_memory.rows[index] = 0, schema.EMPTY, 0
    pool.note_freed([index], [memory])
    give_back = pool.detach_retired()
    assert not freed and ctypes.c_int64.from_address(memory).value > 0
    give_back()
    assert freed == [memory] and pool.create(schema.HULL) == index
