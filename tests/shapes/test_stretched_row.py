"""A shape that is stretched for one question is what the settings, stretched and cooked, make of it."""

import numpy as np
import pytest

from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view, view_rows
from scree.shapes import schema
from scree.shapes.pool import ShapePool
from scree.shapes.stretch import split_basis
from scree.shapes.stretched_row import block_bytes, can_stretch, split_rows, write_stretched

SOURCE, TARGET = 0, 1
POINTS = np.random.default_rng(3).normal(size=(40, 3))
MADE = {
    schema.SPHERE: lambda pool: pool.set_sphere(SOURCE, 0.7), schema.BOX: lambda pool: pool.set_box(SOURCE, (0.3, 0.9, 1.4)),
    schema.CAPSULE: lambda pool: pool.set_capsule(SOURCE, 0.4, 2.0),
    schema.CYLINDER: lambda pool: pool.set_cylinder(SOURCE, 0.5, 1.5), schema.HULL: lambda pool: pool.set_hull(SOURCE, POINTS),
}  # fmt: skip
TURNED = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
BASES = {
    "uniform": 2.0 * TURNED, "along the axes": TURNED @ np.diag([1.5, 2.0, 0.25]), "small": 1e-3 * TURNED,
    "sheared": TURNED @ np.array([[1.0, 0.4, 0.0], [0.0, 1.5, 0.2], [0.1, 0.0, 0.8]]),
    "a turn of 180 degrees": np.diag([-2.0, -1.0, 3.0]), "mirrored": TURNED @ np.diag([1.0, -2.0, 1.0]),
    "mirrored and sheared": TURNED @ np.array([[-1, 0.3, 0], [0, 1, 0], [0, 0, 1]]),
}  # fmt: skip


@entry_point("int64(int64, int64, int64, int64)")
def stretch(shapes, basis, split, memory):
    """Row TARGET: row SOURCE stretched. `split`: float64 (18), rotation and stretch by rows; `memory`: for the block. Gives 0 if
    it cannot be done, 1, or 2 for a mirrored basis."""
    rows, numbers, out = view(shapes, 2, schema.SHAPE), view(basis, 9, np.float64), view(split, 18, np.float64)
    a = (numbers[0], numbers[1], numbers[2])
    b = (numbers[3], numbers[4], numbers[5])
    c = (numbers[6], numbers[7], numbers[8])
    is_possible, is_mirrored, turned, stretched, inverse = split_rows((a, b, c))
    for i in range(3):
        for k in range(3):
            out[3 * i + k], out[9 + 3 * i + k] = turned[i][k], stretched[i][k]
    if not is_possible or not can_stretch(rows, np.int64(SOURCE), is_mirrored):
        return np.int64(0)
    place = memory if block_bytes(rows, np.int64(SOURCE), stretched) > 0 else np.int64(0)
    if not write_stretched(rows, np.int64(SOURCE), np.int64(TARGET), stretched, inverse, place):
        return np.int64(0)
    return np.int64(2 if is_mirrored else 1)


def stretched(kind, basis):
    """(what `stretch` gives, the row, the row that Python cooks, its block, rotation and stretch, the pool)."""
    pool = ShapePool(lambda index, sequence: 1, 16)
    assert (pool.create(kind), pool.create(kind)) == (SOURCE, TARGET)
    MADE[kind](pool)
    split, memory, basis = np.zeros(18), np.zeros(1 << 14, np.uint8), np.ascontiguousarray(basis, np.float64)
    done = stretch(pool.address, address_of(basis), address_of(split), address_of(memory))
    cooked = pool.derive(SOURCE, split_basis(basis)[1])
    return done, pool.rows[TARGET], pool.rows[cooked], split.reshape(2, 3, 3), (pool, memory)


def vertices_of(row):
    block = view_rows(int(row["block"]), 1, schema.HULL_BLOCK)[0]
    return view_rows(int(block["vertices"]), 3 * int(block["vertex_count"]), np.float32).reshape(-1, 3).astype(np.float64)


@pytest.mark.parametrize("name", BASES)
def test_rotation_and_stretch(name):
    """Rotation times stretch is the basis; a mirrored one's is the basis times -1."""
    done, _, _, (rotation, symmetric), _ = stretched(schema.SPHERE, BASES[name])
    assert done == (2 if "mirrored" in name else 1)
    np.testing.assert_allclose(rotation @ symmetric * (-1 if done == 2 else 1), BASES[name], atol=3e-6)
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=3e-6)
    assert np.linalg.det(rotation) > 0.0 and (np.linalg.eigvalsh(symmetric) > 0.0).all()


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("kind", MADE)
def test_the_row_is_what_python_cooks(kind, name):
    done, row, cooked, _, _kept = stretched(kind, BASES[name])
    if kind == schema.HULL and "mirrored" in name:
        assert done == 0
        return
    assert done and row["kind"] == cooked["kind"]
    reach = float(np.abs(cooked["bounds"]).max())
    for field in ("radius", "half_height", "half_extents", "bounds", "inner_radius", "center_of_mass"):
        np.testing.assert_allclose(row[field], cooked[field], atol=2e-4 * reach, err_msg=field)
    if row["kind"] == schema.HULL:
        directions = np.random.default_rng(1).normal(size=(200, 3))
        reaches = [(directions @ vertices_of(one).T).max(axis=1) for one in (row, cooked)]
        np.testing.assert_allclose(*reaches, atol=1e-3 * reach)


@pytest.mark.parametrize("kind, name", [(schema.HULL, "sheared"), (schema.HULL, "small"), (schema.BOX, "sheared")])
def test_a_stretched_hull_is_closed_and_convex(kind, name):
    """Every vertex lies behind every plane, those of a face on it; every edge lies in its two faces."""
    _, row, _, _, _kept = stretched(kind, BASES[name])
    block, vertices = view_rows(int(row["block"]), 1, schema.HULL_BLOCK)[0], vertices_of(row)
    count, tolerance = int(block["face_count"]), 1e-6 * float(np.abs(row["bounds"]).max())
    planes = view_rows(int(block["planes"]), 4 * count, np.float32).reshape(-1, 4).astype(np.float64)
    starts = view_rows(int(block["face_starts"]), count + 1, np.int32)
    corners = view_rows(int(block["face_vertices"]), int(starts[-1]), np.int32)
    above = vertices @ planes[:, :3].T - planes[:, 3]
    np.testing.assert_allclose(np.linalg.norm(planes[:, :3], axis=1), 1.0, atol=1e-6)
    assert above.max() < 3.0 * tolerance
    for face in range(count):
        ring = vertices[corners[starts[face] : starts[face + 1]]]
        assert np.abs(ring @ planes[face, :3] - planes[face, 3]).max() < 1e-3 * float(np.abs(row["bounds"]).max())
        area = np.cross(ring - ring[0], np.roll(ring, -1, axis=0) - ring[0]).sum(axis=0)
        assert area @ planes[face, :3] > 0.0, "counter-clockwise seen from outside"
    edges = view_rows(int(block["edges"]), 4 * int(block["edge_count"]), np.int32).reshape(-1, 4)
    for a, b, left, right in edges.tolist():
        for face in (left, right):
            assert {a, b} <= set(corners[starts[face] : starts[face + 1]].tolist())
        direction = np.cross(planes[left, :3], planes[right, :3])
        assert direction @ (vertices[b] - vertices[a]) > 0.0
