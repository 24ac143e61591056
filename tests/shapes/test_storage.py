"""Shapes saved and loaded, bit for bit."""

import numpy as np
import pytest

from scree.shapes import schema
from scree.shapes.pool import COOKED_FIELDS, ShapePool
from scree.shapes.ray import ray_shape
from scree.shapes.storage import load_shape, save_shape

RANDOM = np.random.default_rng(0)
GRID = RANDOM.normal(size=(9, 7)).astype(np.float32)
GRID[2, 3] = np.nan
CELLS = RANDOM.integers(0, 2, (8, 6))


def bumpy(count: int = 40):
    x, z = np.meshgrid(np.arange(count), np.arange(count))
    corner = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)).ravel()
    lower, upper = (corner, corner + count, corner + 1), (corner + 1, corner + count, corner + count + 1)
    triangles = np.concatenate((np.stack(lower, 1), np.stack(upper, 1)))
    return np.stack((x, RANDOM.normal(size=x.shape), z), axis=-1).reshape(-1, 3), triangles


SHAPES = {
    "sphere": (schema.SPHERE, "set_sphere", (0.1 + 0.2,)),
    "box": (schema.BOX, "set_box", ((0.1, 0.2, 0.3),)),
    "capsule": (schema.CAPSULE, "set_capsule", (0.3, 1.7)),
    "cylinder": (schema.CYLINDER, "set_cylinder", (0.3, 1.7)),
    "tapered capsule": (schema.TAPERED_CAPSULE, "set_tapered_capsule", (0.5, 0.3, 0.1)),
    "tapered cylinder": (schema.TAPERED_CYLINDER, "set_tapered_cylinder", (0.5, 0.3, 0.0)),
    "ellipsoid": (schema.ELLIPSOID, "set_ellipsoid", ((0.5, 0.3, 0.1),)),
    "hull": (schema.HULL, "set_hull", (RANDOM.normal(size=(60, 3)),)),
    "empty hull": (schema.HULL, "set_hull", (np.zeros((0, 3)),)),
    "plane": (schema.PLANE, "set_plane", ((1.0, 2.0, 3.0), 0.7)),
    "mesh": (schema.MESH, "set_mesh", (*bumpy(), True)),
    "height field": (schema.HEIGHT_FIELD, "set_height_field", (7, 9, GRID)),
    "height field of materials": (schema.HEIGHT_FIELD, "set_height_field", (7, 9, GRID, CELLS, [(0.1, 0.0), (0.9, 0.5)])),
    "field of holes": (schema.HEIGHT_FIELD, "set_height_field", (7, 9, np.full((9, 7), np.nan), CELLS, [(0.1, 0.0), (0.9, 0.5)])),
    "separation ray": (schema.SEPARATION_RAY, "set_separation_ray", (1.5, True)),
    "static compound": (schema.COMPOUND, "set_compound", ()),
    "not set": (schema.BOX, None, ()),
}
STRETCH = np.diag([2.0, 0.5, 3.0])
PARTS = ("sphere", "box", "capsule", "cylinder", "tapered capsule", "ellipsoid", "hull", "mesh", "height field of materials")


def made_compound(pool, depth: int = 2) -> int:
    """All kinds, some twice, turned and stretched; in a compound in a compound."""
    random = np.random.default_rng(depth)
    parts = [made_compound(pool, depth - 1)] if depth else []
    parts += [made(pool, name) for name in PARTS]
    parts += parts[-2:]
    index = pool.create(schema.COMPOUND)
    bases = [np.diag([1.0, 1.5, 0.5]) if k % 3 else np.eye(3) for k in range(len(parts))]
    places = [(*basis.ravel(), *random.normal(size=3) * 9) for basis in bases]
    numbered = enumerate(zip(parts, places, strict=True))
    pool.set_compound(index, [(part, place, 7 * k, (0.1 * k, 0.5)) for k, (part, place) in numbered])
    pool.set_margin(index, 0.04)
    return index


def made(pool, name: str) -> int:
    if name == "static compound":
        return made_compound(pool)
    kind, setter, arguments = SHAPES[name]
    index = pool.create(kind)
    if setter:
        getattr(pool, setter)(index, *arguments)
    pool.set_margin(index, 0.04)
    return index


def new_pool() -> ShapePool:
    return ShapePool(lambda index, sequence: index + 1, capacity=512)


def assert_same(pool, index, other, copy) -> None:
    """The rows but for addresses, and all of the blocks."""
    for name in ("kind", "user_kind", "margin", *COOKED_FIELDS):
        assert pool.rows[index][name].tobytes() == other.rows[copy][name].tobytes(), name
    a, b = pool.block_of(index), other.block_of(copy)
    assert (a is None) == (b is None)
    if int(pool.rows[index]["kind"]) == schema.COMPOUND:
        rows, others = pool.part_rows(index), other.part_rows(copy)
        for row, other_row in zip(rows, others, strict=True):
            assert_same(pool, row, other, other_row)
        parts, other_parts = a.arrays["parts"].copy(), b.arrays["parts"].copy()
        assert [rows.index(k) for k in parts["shape"]] == [others.index(k) for k in other_parts["shape"]]
        parts["shape"] = other_parts["shape"] = 0
        assert parts.tobytes() == other_parts.tobytes()
    for name in a.arrays if a else ():
        if name == "parts":
            continue
        assert a.arrays[name].dtype == b.arrays[name].dtype and a.arrays[name].tobytes() == b.arrays[name].tobytes(), name


@pytest.mark.parametrize("name", SHAPES)
def test_every_bit_comes_back(name):
    pool, other = new_pool(), new_pool()
    index = made(pool, name)
    other.create(schema.BOX)  # so that rows differ
    data = save_shape(pool, index)
    copy = load_shape(other, data)
    assert_same(pool, index, other, copy)
    assert save_shape(other, copy) == data
    if pool.rows[index]["kind"] != schema.EMPTY:
        assert_same(pool, pool.derive(index, STRETCH), other, other.derive(copy, STRETCH))
    for _ in range(100):
        origin, way = tuple(RANDOM.uniform(-3, 40, 3)), tuple(RANDOM.normal(size=3) * 30)
        a = ray_shape(pool.rows, index, origin, way, 1.0, True, True)
        b = ray_shape(other.rows, copy, origin, way, 1.0, True, True)
        assert a == b


def test_what_cannot_be_saved_or_loaded_says_so():
    pool = new_pool()
    own = pool.create(schema.CUSTOM)
    with pytest.raises(ValueError, match="save_shape: shape 0 is a custom one, its function cannot be saved"):
        save_shape(pool, own)
    with pytest.raises(ValueError, match="load_shape: these bytes are no shape"):
        load_shape(pool, b"nothing of the kind")
    data = save_shape(pool, made(pool, "box"))
    with pytest.raises(ValueError, match="load_shape: these bytes are no shape"):
        load_shape(pool, data[: len(data) // 2])
