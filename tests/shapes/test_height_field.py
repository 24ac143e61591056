"""A height field is what its triangles are: against the same triangles cooked as a mesh."""

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scree.runtime.memory import stack_array
from scree.shapes import schema
from scree.shapes.mesh_query import (
    MESH_QUERY_SIZE, mesh_active_edges, mesh_corners, mesh_face, mesh_query_next, mesh_query_start,
)  # fmt: skip
from scree.shapes.pool import ShapePool
from scree.shapes.ray import ray_shape
from scree.shapes.settings import HeightField

SIZES = [(2, 2), (2, 9), (3, 2), (7, 5), (16, 17), (33, 20)]
STRETCHES = [(1.0, 1.0, 1.0), (0.5, 3.0, 2.0)]


def samples(width: int, depth: int, seed: int = 0, holes: float = 0.08) -> np.ndarray:
    generator = np.random.default_rng(seed)
    heights = generator.normal(size=(depth, width)).astype(np.float32)
    heights[generator.random((depth, width)) < holes] = np.nan
    heights.flat[0] = heights.flat[1] = heights[1, 0] = 0.0  # not all holes
    return heights


def pool_with(heights: np.ndarray, stretch=(1.0, 1.0, 1.0)) -> tuple[ShapePool, int, int]:
    """A pool, the row of the field with its stretch, and that of the mesh it is compared with."""
    pool = ShapePool(lambda index, sequence: sequence << 32 | index + 1, capacity=16)
    field, mesh = pool.create(schema.HEIGHT_FIELD), pool.create(schema.MESH)
    pool.set_height_field(field, heights.shape[1], heights.shape[0], heights)
    twin = HeightField(heights).as_mesh().stretched(np.diag(stretch))[0]
    pool.set_mesh(mesh, twin.vertices, twin.triangles)
    pool._twin_faces = twin.faces
    return pool, pool.derive(field, np.diag(stretch)), mesh


@numba.njit
def walk(blocks, bounds, faces, edges, corners):
    """Faces, active edges and corners of all triangles that a query gives."""
    query = stack_array(MESH_QUERY_SIZE, np.int64)
    mesh = blocks[0]
    mesh_query_start(query)
    count = 0
    triangle = mesh_query_next(mesh, query, bounds)
    while triangle >= 0:
        faces[count], edges[count] = mesh_face(mesh, triangle), mesh_active_edges(mesh, triangle, False)
        for k in range(3):
            corner = mesh_corners(mesh, triangle)[k]
            for axis in range(3):
                corners[count, k, axis] = corner[axis]
        count += 1
        triangle = mesh_query_next(mesh, query, bounds)
    return count


@numba.njit
def cast(rows, index, origin, vector):
    return ray_shape(rows, index, origin, vector, 1.0, False, True)


def triangles_in(pool: ShapePool, row: int, bounds, faces_of=None) -> dict:
    """For each triangle in a box, by the user's number: (active edges, corners)."""
    block = pool._blocks[row]
    start = block.address - block.memory.ctypes.data
    record = block.memory[start : start + schema.MESH_BLOCK.itemsize].view(schema.MESH_BLOCK)
    faces, edges, corners = np.empty(4000, np.int64), np.empty(4000, np.int64), np.empty((4000, 3, 3))
    count = walk(record, tuple(map(float, bounds)), faces, edges, corners)
    numbers = faces[:count] if faces_of is None else faces_of[faces[:count]]
    assert len(set(numbers.tolist())) == count, "a triangle came twice"
    found = {}
    for number, edge, places in zip(numbers.tolist(), edges[:count].tolist(), corners[:count], strict=True):
        # A mesh may begin with another corner: edges are told by the corner they start at.
        active = {tuple(np.round(places[k], 4)) for k in range(3) if edge >> k & 1}
        found[number] = (active, {tuple(np.round(place, 4)) for place in places})
    return found


EVERYTHING = (-1e6, -1e6, -1e6, 1e6, 1e6, 1e6)


@pytest.mark.parametrize("stretch", STRETCHES)
@pytest.mark.parametrize("size", SIZES)
def test_it_has_the_triangles_and_edges_of_the_mesh(size, stretch):
    pool, field, mesh = pool_with(samples(*size), stretch)
    assert "heights" in pool._blocks[field].arrays
    assert triangles_in(pool, field, EVERYTHING) == triangles_in(pool, mesh, EVERYTHING, pool._twin_faces)


BIG = pool_with(samples(33, 20, 3), (0.5, 2.0, 1.0))
PLACE = st.tuples(st.floats(-12, 12), st.floats(-6, 6), st.floats(-12, 12))


@settings(max_examples=200, deadline=None)
@given(PLACE, st.tuples(*[st.floats(0, 4)] * 3))
def test_boxes_find_what_they_find_in_the_mesh(middle, half):
    pool, field, mesh = BIG
    bounds = [m - h for m, h in zip(middle, half, strict=True)] + [m + h for m, h in zip(middle, half, strict=True)]
    found, wanted = triangles_in(pool, field, bounds), triangles_in(pool, mesh, bounds, pool._twin_faces)
    assert found.keys() == wanted.keys()


@settings(max_examples=300, deadline=None)
@example((0.0, 1.0, 1.0), (0.0, 0.0, 5.0))  # in an edge
@given(PLACE, PLACE)
def test_rays_hit_what_they_hit_in_the_mesh(start, end):
    pool, field, mesh = BIG
    rows = pool.rows[:16]
    way = tuple(b - a for a, b in zip(start, end, strict=True))
    found, wanted = cast(rows, field, start, way), cast(rows, mesh, start, way)
    # A field is hit from below too, a mesh from its front only.
    if wanted[0] <= 1.0 and way[1] < 0.0:
        assert found[0] <= wanted[0] + 1e-5
        if found[0] > wanted[0] - 1e-5:
            np.testing.assert_allclose(found[1], wanted[1], atol=1e-4)


def test_of_two_triangles_hit_in_their_edge_the_lower_number_answers():
    """Rays along the columns of samples run in edges: each hit has two triangles, and the tree's order must not choose."""
    pool, field, mesh = BIG
    rows = pool.rows[:16]
    generator = np.random.default_rng(1)
    hits = 0
    for _ in range(400):
        x = 0.5 * generator.integers(-15, 15)
        start, end = (x, 6.0, generator.uniform(-9, 9)), (x, -6.0, generator.uniform(-9, 9))
        way = tuple(b - a for a, b in zip(start, end, strict=True))
        found, wanted = cast(rows, field, start, way), cast(rows, mesh, start, way)
        if found[0] <= 1.0 and np.dot(found[1], way) < 0.0 and wanted[0] == pytest.approx(found[0], abs=1e-7):
            np.testing.assert_allclose(found[1], wanted[1], atol=1e-6)
            hits += 1
    assert hits > 200


def test_rays_from_above_at_many_places():
    """Straight down onto every cell: the height between the samples, and nothing in holes."""
    pool, field, _ = BIG
    rows = pool.rows[:16]
    heights = samples(33, 20, 3)
    for z in range(19):
        for x in range(32):
            corner = heights[z, x] + 0.25 * (heights[z, x + 1] - heights[z, x]) + 0.25 * (heights[z + 1, x] - heights[z, x])
            place = (0.5 * (x + 0.25 - 16.0), 20.0, z + 0.25 - 9.5)
            fraction = cast(rows, field, place, (0.0, -40.0, 0.0))[0]
            if np.isnan(corner):
                assert fraction > 1.0
            else:
                assert 20.0 - 40.0 * fraction == pytest.approx(2.0 * corner, abs=1e-5)


@pytest.mark.parametrize("region", [(0, 0, 3, 2), (5, 4, 1, 1), (28, 15, 5, 5), (0, 0, 33, 20), (8, 7, 6, 6)])
def test_a_region_changed_in_place_is_as_if_cooked_so(region):
    """The tree, the bounds and the samples are those of a field that was made with the new samples."""
    x, z, width, depth = region
    pool, derived, _ = pool_with(samples(33, 20, 5), (0.5, 3.0, 2.0))
    field = pool._source[derived][0]
    addresses = [pool._blocks[row].address for row in (field, derived)]
    change = samples(33, 20, 6)[z : z + depth, x : x + width] * 3.0
    pool.update_height_field(field, x, z, change)
    wanted = samples(33, 20, 5)
    wanted[z : z + depth, x : x + width] = change
    other, other_derived, _ = pool_with(wanted, (0.5, 3.0, 2.0))
    assert [pool._blocks[row].address for row in (field, derived)] == addresses, "not in place"
    for row, other_row in ((field, 0), (derived, other_derived)):
        for name in ("heights", "ranges", "levels"):
            np.testing.assert_array_equal(pool._blocks[row].arrays[name], other._blocks[other_row].arrays[name])
        np.testing.assert_array_equal(pool.rows[row]["bounds"], other.rows[other_row]["bounds"])
    assert pool.settings_of(field).heights is pool._blocks[field].arrays["heights"]


def test_all_holes_and_back():
    pool, field, _ = pool_with(np.zeros((5, 5), np.float32))
    pool.update_height_field(field, 0, 0, np.full((5, 5), np.nan))
    assert pool.rows[field]["kind"] == schema.EMPTY
    pool.update_height_field(field, 1, 1, np.ones((2, 2)))
    assert pool.rows[field]["kind"] == schema.MESH
    assert len(triangles_in(pool, field, EVERYTHING)) == 2


@pytest.mark.parametrize(
    "x, z, heights", [(-1, 0, [[1.0]]), (0, 4, np.zeros((2, 1))), (5, 0, [[1.0]]), (0, 0, [[np.inf]]), (0, 0, "high")]
)
def test_a_region_that_does_not_fit_changes_nothing(x, z, heights):
    pool, field, _ = pool_with(np.zeros((5, 5), np.float32))
    with pytest.raises(ValueError, match="update_height_field"):
        pool.update_height_field(field, x, z, heights)
    assert (pool.settings_of(field).heights == 0.0).all()


def test_it_takes_little_memory():
    """Less than 8 byte a sample; the mesh took some 70."""
    pool, field, _ = pool_with(np.zeros((257, 257), np.float32))
    assert pool._blocks[field].memory.nbytes < 8 * 257 * 257


def test_a_sheared_field_is_a_mesh():
    pool, _, _ = pool_with(np.zeros((5, 5), np.float32))
    row = pool.derive(0, np.array([[1.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    assert "triangles" in pool._blocks[row].arrays
    pool.update_height_field(0, 0, 0, [[2.0]])
    assert pool.rows[row]["bounds"][4] > 1.5
