"""Materials of triangles and of the cells of a height field: a row of a table by the user's index, through welding, dropping,
stretching, saving, and regions that change."""

import numba
import numpy as np
import pytest

from scree.shapes import schema
from scree.shapes.mesh_query import material_of, surface_of
from scree.shapes.pool import ShapePool
from scree.shapes.storage import load_shape, save_shape

VERTICES = [(x, 0.0, z) for z in range(9) for x in range(9)]
CORNERS = [9 * z + x for z in range(8) for x in range(8)]
TRIANGLES = np.array([t for a in CORNERS for t in ((a, a + 9, a + 1), (a + 1, a + 9, a + 10))])
TABLE = [(0.1, 0.0), (0.9, 0.5), (0.0, 1.0)]


@numba.njit
def read(rows, index, face):
    material = material_of(rows[index], face)
    friction, restitution = surface_of(rows[index], material) if material >= 0 else (-1.0, -1.0)
    return material, friction, restitution


def pool_with(materials, table=TABLE, triangles=TRIANGLES):
    pool = ShapePool(lambda index, sequence: index + 1, capacity=8)
    mesh = pool.create(schema.MESH)
    pool.set_mesh(mesh, VERTICES, triangles, False, materials, table)
    return pool, mesh


@pytest.mark.parametrize("stretch", [None, np.diag([2.0, 1.0, -1.0])])
def test_each_triangle_has_its_own(stretch):
    triangles = TRIANGLES.copy()
    triangles[5] = 0  # dropped; the numbers of the others stay
    materials = np.random.default_rng(0).integers(0, 3, len(triangles))
    pool, mesh = pool_with(materials, triangles=triangles)
    copy = load_shape(pool, save_shape(pool, mesh))
    assert pool.settings_of(copy).materials.tolist() == materials.tolist()
    for row in (pool.derive(mesh, stretch), pool.derive(copy, stretch)):
        for face, material in enumerate(materials.tolist()):
            found = read(pool.rows[:8], row, face)
            assert found == (material, *(pytest.approx(value) for value in TABLE[material]))


def test_without_materials_the_body_counts():
    pool, mesh = pool_with(None, None)
    assert read(pool.rows[:8], mesh, 3) == (-1, -1.0, -1.0)
    assert read(pool.rows[:8], pool_with([0] * 128)[1], -1)[0] == -1


@pytest.mark.parametrize(
    "materials, table, what",
    [
        ([0] * 127, TABLE, "128 rows"), ([3] * 128, TABLE, "128 rows"), ([-1] * 128, TABLE, "128 rows"),
        ([0] * 128, [(1.0, 2.0, 3.0)], "material_table"), ([0] * 128, np.zeros((0, 2)), "material_table"),
        ([0] * 128, [(-1.0, 0.0)], "at least 0"), ([0] * 128, [(np.nan, 0.0)], "at least 0"),
        ([0] * 128, None, "both"), (None, TABLE, "both"), ("grass", TABLE, "numbers"),
    ],
)  # fmt: skip
def test_bad_ones_are_named(materials, table, what):
    with pytest.raises(ValueError, match=f"^set_mesh: .*{what}"):
        pool_with(materials, table)


WIDTH, DEPTH = 6, 4
SHEAR = np.array([[1.0, 0.3, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 1.0]])


def field_with(materials, table=TABLE, heights=None):
    pool = ShapePool(lambda index, sequence: index + 1, capacity=8)
    field = pool.create(schema.HEIGHT_FIELD)
    heights = np.random.default_rng(1).normal(size=(DEPTH, WIDTH)) if heights is None else heights
    pool.set_height_field(field, WIDTH, DEPTH, heights, materials, table)
    return pool, field


def materials_of(pool, row) -> list[int]:
    """The material of each of the user's triangles."""
    return [read(pool.rows[:8], row, face)[0] for face in range(2 * (WIDTH - 1) * (DEPTH - 1))]


@pytest.mark.parametrize("stretch", [None, np.diag([2.0, 1.0, 3.0]), SHEAR])
@pytest.mark.parametrize("is_all_holes", [False, True])
def test_each_cell_has_its_own_and_regions_change_it(stretch, is_all_holes):
    random = np.random.default_rng(2)
    cells = random.integers(0, 3, (DEPTH - 1, WIDTH - 1))
    heights = np.full((DEPTH, WIDTH), np.nan) if is_all_holes else None
    pool, field = field_with(cells, heights=heights)
    row = pool.derive(field, stretch)
    if is_all_holes:
        pool.update_height_field(field, 0, 0, random.normal(size=(DEPTH, WIDTH)))
    assert materials_of(pool, row) == np.repeat(cells, 2).tolist()
    samples = np.array([[0.5, 0.25]])
    for x, z, heights, region in ((1, 0, None, [[2, 2], [0, 1]]), (4, 2, samples, [[1]]), (2, 1, samples, None)):
        pool.update_height_field(field, x, z, heights, region)
        if region is not None:
            cells[z : z + len(region), x : x + len(region[0])] = region
        assert materials_of(pool, row) == np.repeat(cells, 2).tolist()
    copy = load_shape(pool, save_shape(pool, field))
    assert materials_of(pool, pool.derive(copy, stretch)) == np.repeat(cells, 2).tolist()
    assert pool.settings_of(copy).material_table.tolist() == np.float32(TABLE).tolist()


@pytest.mark.parametrize("materials", [np.zeros((3, 4)), np.zeros(15), np.full((3, 5), 3)])
def test_bad_ones_of_cells_are_named(materials):
    with pytest.raises(ValueError, match="^set_height_field: materials must be 3 x 5 rows of a table of 3"):
        field_with(materials)


@pytest.mark.parametrize(
    "x, z, region", [(4, 0, [[0, 0]]), (0, 3, [[0]]), (0, 0, [[3]]), (-1, 0, [[0]]), (0, 0, [0]), (0, 0, [[0], [0, 1]])]
)
def test_bad_regions_change_nothing(x, z, region):
    pool, field = field_with(np.ones((DEPTH - 1, WIDTH - 1), int))
    with pytest.raises(ValueError, match="^update_height_field: .*(materials|samples at)"):
        pool.update_height_field(field, x, z, np.full((1, 1), 9.0), region)
    assert materials_of(pool, field) == [1] * 30 and pool.settings_of(field).heights.max() < 9.0
    with pytest.raises(ValueError, match="^update_height_field: the height field was set without materials"):
        bare, other = field_with(None, None)
        bare.update_height_field(other, 0, 0, None, [[0]])
