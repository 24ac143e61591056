"""The pool of shapes: settings, errors, uses with scale and shear, freeing."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.runtime.memory import PoolFull
from scree.shapes import schema
from scree.shapes.pool import ShapePool, is_collidable, split_basis
from scree.shapes.stretch import quaternion_of, split_many

SETTERS = {
    schema.SPHERE: ("set_sphere", (0.5,)),
    schema.BOX: ("set_box", ((1.0, 2.0, 3.0),)),
    schema.CAPSULE: ("set_capsule", (0.5, 2.0)),
    schema.CYLINDER: ("set_cylinder", (0.5, 2.0)),
    schema.HULL: ("set_hull", (np.random.default_rng(0).normal(size=(20, 3)),)),
    schema.PLANE: ("set_plane", ((0.0, 2.0, 0.0), 1.0)),
    schema.MESH: ("set_mesh", ([[0, 0, 0], [0, 0, 1], [1, 0, 0]], [[0, 1, 2]])),
    schema.HEIGHT_FIELD: ("set_height_field", (3, 2, [0.0, 1.0, 2.0, 0.0, 1.0, 2.0])),
    schema.SEPARATION_RAY: ("set_separation_ray", (2.0, True)),
}


@pytest.fixture
def pool():
    return ShapePool(lambda index, sequence: sequence << 32 | index + 1, capacity=64)


def make(pool, kind):
    index = pool.create(kind)
    name, arguments = SETTERS[kind]
    getattr(pool, name)(index, *arguments)
    return index


@pytest.mark.parametrize("kind", SETTERS)
def test_a_shape_is_empty_until_it_is_set(pool, kind):
    index = pool.create(kind)
    assert pool.rows[index]["kind"] == schema.EMPTY and pool.kind_of(index) == kind
    name, arguments = SETTERS[kind]
    getattr(pool, name)(index, *arguments)
    expected = schema.MESH if kind == schema.HEIGHT_FIELD else kind
    assert pool.rows[index]["kind"] == expected and pool.kind_of(index) == kind
    assert pool.settings_of(index).kind == kind


BAD = [
    (schema.SPHERE, "set_sphere", (np.nan,)), (schema.SPHERE, "set_sphere", (0,)), (schema.SPHERE, "set_sphere", (-1,)),
    (schema.SPHERE, "set_sphere", ("wide",)), (schema.SPHERE, "set_sphere", (np.inf,)),
    (schema.BOX, "set_box", ((1, 2),)), (schema.BOX, "set_box", ((1, 0, 1),)), (schema.BOX, "set_box", ((1, 1, np.nan),)),
    (schema.CAPSULE, "set_capsule", (1.0, 1.0)), (schema.CAPSULE, "set_capsule", (1.0, np.inf)),
    (schema.CYLINDER, "set_cylinder", (0.0, 1.0)), (schema.CYLINDER, "set_cylinder", (1.0, None)),
    (schema.HULL, "set_hull", ([[0, 0]],)), (schema.HULL, "set_hull", ([[0, 1e18, 0]],)),
    (schema.HULL, "set_hull", ([[0, 0, np.nan]],)),
    (schema.PLANE, "set_plane", ((0, 0, 0), 1)), (schema.PLANE, "set_plane", ((0, 1, 0), np.nan)),
    (schema.MESH, "set_mesh", ([[0, 0, 0]], [[0, 0, 1]])), (schema.MESH, "set_mesh", ([[0, 0, np.inf]], [[0, 0, 0]])),
    (schema.MESH, "set_mesh", ([[0, 0, 0]], [[0, -1, 0]])), (schema.MESH, "set_mesh", ([[0, 0, 0]], [[0, 0]])),
    (schema.HEIGHT_FIELD, "set_height_field", (1, 4, [0] * 4)), (schema.HEIGHT_FIELD, "set_height_field", (2, 2, [0] * 5)),
    (schema.HEIGHT_FIELD, "set_height_field", (2, 2, [np.inf] * 4)),
    (schema.HEIGHT_FIELD, "set_height_field", (2.5, 2, [0] * 5)),
    (schema.SEPARATION_RAY, "set_separation_ray", (0.0,)),
]  # fmt: skip


@pytest.mark.parametrize("kind, name, arguments", BAD)
def test_bad_settings_are_named_and_lose_nothing(pool, kind, name, arguments):
    index = make(pool, kind)
    before, kept = pool.rows[index].tobytes(), pool.settings_of(index)
    with pytest.raises(ValueError, match=f"^{name}: "):
        getattr(pool, name)(index, *arguments)
    assert pool.rows[index].tobytes() == before and pool.settings_of(index) is kept


def test_a_setting_of_another_kind_is_refused(pool):
    index = make(pool, schema.SPHERE)
    with pytest.raises(ValueError, match="set_box: shape 0 is a sphere"):
        pool.set_box(index, (1, 1, 1))
    for bad in (5, -1, 64):
        with pytest.raises(ValueError, match="set_sphere: no such shape"):
            pool.set_sphere(bad, 1.0)
    for kind in (schema.EMPTY, schema.TRIANGLE, 99):
        with pytest.raises(ValueError, match="create"):
            pool.create(kind)


def test_a_hull_or_mesh_of_nothing_is_empty(pool):
    hull, mesh = make(pool, schema.HULL), make(pool, schema.MESH)
    pool.set_hull(hull, np.empty((0, 3)))
    pool.set_mesh(mesh, [[0, 0, 0], [1, 1, 1]], [[0, 1, 0]])
    assert pool.rows[pool.current_row(hull)]["kind"] == pool.rows[pool.current_row(mesh)]["kind"] == schema.EMPTY


@pytest.mark.parametrize("kind, name, arguments", [
    (schema.HULL, "set_hull", (1e15 * np.array(list(np.ndindex(2, 2, 2))),)), (schema.BOX, "set_box", ((1e15, 1e15, 1e15),)),
    (schema.SPHERE, "set_sphere", (1e15,)), (schema.CAPSULE, "set_capsule", (1e15 / 4, 1e15)),
    (schema.CYLINDER, "set_cylinder", (1e15, 1e15)),
])  # fmt: skip
def test_the_largest_shapes_have_finite_rows(pool, kind, name, arguments):
    index = pool.create(kind)
    getattr(pool, name)(index, *arguments)
    row = pool.rows[index]
    for field in ("bounds", "volume", "center_of_mass", "inertia", "inner_radius"):
        assert np.isfinite(row[field]).all() and row["volume"] > 0.0, field


def test_full_pool_names_the_setting():
    pool = ShapePool(lambda index, sequence: 1, capacity=2, setting="World(shapes=...)")
    pool.create(schema.SPHERE), pool.create(schema.SPHERE)
    with pytest.raises(PoolFull, match=r"'World\(shapes=\.\.\.\)'"):
        pool.create(schema.SPHERE)


def test_rows_are_taken_anew_after_collect_with_another_id(pool):
    index = make(pool, schema.HULL)
    old_id = int(pool.rows[index]["id"])
    memory = pool._blocks[index].memory
    pool.free(index)
    assert pool.rows[index]["kind"] == schema.EMPTY and pool.rows[index]["id"] == 0
    assert any(block.memory is memory for block in pool._retired_blocks)
    assert pool.create(schema.SPHERE) != index
    assert pool.collect() == 2 and pool.collect() == 0
    assert pool.create(schema.SPHERE) == index
    assert pool.rows[index]["id"] not in (0, old_id)
    pool.free(index)
    with pytest.raises(ValueError, match="free: no such shape"):
        pool.free(index)


def test_a_replaced_block_lives_until_collect(pool):
    index = make(pool, schema.HULL)
    address = int(pool.rows[index]["block"])
    pool.set_hull(index, np.eye(4, 3))
    assert pool.current_row(index) != index and pool.rows[pool.current_row(index)]["block"] != address
    assert pool.rows[index]["block"] == pool._blocks[index].address == address
    assert pool.collect() == 1
    assert index not in pool._blocks and pool.rows[index]["kind"] == schema.EMPTY


def test_identity_is_the_shape_itself(pool):
    index = make(pool, schema.BOX)
    assert pool.derive(index, np.eye(3) * (1 + 1e-7)) == index
    assert pool.rows[index]["use_count"] == 1
    pool.release(index)
    with pytest.raises(ValueError, match="release"):
        pool.release(index)


def test_uses_with_the_same_scale_share_a_row_that_follows_the_shape(pool):
    index = make(pool, schema.SPHERE)
    row = pool.derive(index, np.eye(3) * 2)
    assert row != index and pool.derive(index, np.eye(3) * (2 + 1e-9)) == row
    assert pool.rows[row]["radius"] == 1.0 and pool.rows[row]["use_count"] == 2
    pool.set_sphere(index, 3.0)
    assert pool.rows[row]["radius"] == 1.0, "what is in use is not written"
    new = pool.derive(index, np.eye(3) * 2)
    assert new != row and pool.rows[new]["radius"] == 6.0
    pool.release(row), pool.release(row), pool.release(new)
    assert pool.rows[row]["kind"] == schema.SPHERE, "somebody may be reading it"
    assert pool.collect() == 3 and pool.rows[row]["kind"] == schema.EMPTY
    assert row in {pool.create(schema.BOX), pool.create(schema.BOX)}


def test_changes_take_two_rows_however_many_there_are(pool):
    index = make(pool, schema.HULL)
    used = pool.derive(index)
    rng = np.random.default_rng(0)
    for _ in range(100):
        pool.set_hull(index, rng.normal(size=(10, 3)))
        new = pool.derive(index)
        assert new == pool.current_row(index) != used
        pool.release(used)
        pool.collect()
        used = new
    assert pool.row_count <= index + 2 and len(pool._blocks) == 1
    pool.free(index)
    pool.release(used)
    pool.collect()
    assert not pool._blocks and not pool._source and not pool._rows_of and not pool._retiring
    assert len(pool._free_rows) == pool.row_count


@pytest.mark.parametrize("is_used", [False, True])
def test_a_changed_shape_that_is_freed_gives_all_its_rows_back(pool, is_used):
    index = make(pool, schema.BOX)
    rows = [pool.derive(index), pool.derive(index, np.diag([1.0, 2.0, 1.0]))] if is_used else []
    pool.set_box(index, (3.0, 3.0, 3.0))
    rows += [pool.derive(index), pool.derive(index, np.diag([1.0, 2.0, 1.0]))] if is_used else []
    pool.free(index)
    assert all(pool.rows[row]["kind"] == schema.EMPTY for row in rows)
    for row in rows:
        assert row not in pool._free_rows
        pool.release(row)
    pool.collect()
    assert sorted(pool._free_rows) == list(range(pool.row_count))


def test_a_use_of_a_shape_not_set_yet_comes_alive_with_it(pool):
    index = pool.create(schema.BOX)
    row = pool.derive(index, np.diag([1.0, 2.0, 3.0]))
    assert pool.rows[row]["kind"] == schema.EMPTY
    pool.set_box(index, (1, 1, 1))
    assert pool.rows[row]["kind"] == schema.BOX
    np.testing.assert_allclose(pool.rows[row]["half_extents"], [1, 2, 3])


def test_freeing_a_shape_empties_its_uses_and_keeps_rows_until_released(pool):
    index = make(pool, schema.BOX)
    row = pool.derive(index, np.eye(3) * 2)
    pool.free(index)
    assert pool.rows[row]["kind"] == schema.EMPTY
    assert pool.collect() == 0
    pool.release(row)
    assert pool.collect() == 2
    assert {pool.create(schema.BOX), pool.create(schema.BOX)} == {index, row}


SHEAR = np.array([[1.0, 0.3, 0.0], [0.3, 2.0, 0.1], [0.0, 0.1, 0.7]])


def test_a_sheared_box_is_a_hull(pool):
    index = make(pool, schema.BOX)
    row = pool.rows[pool.derive(index, SHEAR)]
    assert row["kind"] == schema.HULL and not row["is_approximate"]
    assert row["volume"] == pytest.approx(48.0 * np.linalg.det(SHEAR), rel=1e-4)
    scaled = pool.rows[pool.derive(index, np.diag([2.0, -1.0, 0.5]))]
    assert scaled["kind"] == schema.BOX
    np.testing.assert_allclose(scaled["half_extents"], [2.0, 2.0, 1.5])


def test_round_shapes_are_averaged_and_say_so(pool):
    for kind, stretch, is_approximate in (
        (schema.SPHERE, np.eye(3) * 2, 0), (schema.SPHERE, -np.eye(3) * 2, 0), (schema.SPHERE, np.diag([1, 2, 3.0]), 1),
        (schema.CAPSULE, np.eye(3) * 0.5, 0), (schema.CAPSULE, np.diag([1, 2, 1.0]), 1),
        (schema.CYLINDER, np.diag([2, 5, 2.0]), 0), (schema.CYLINDER, np.diag([2, 1, 1.0]), 1),
        (schema.CYLINDER, SHEAR, 1),
    ):  # fmt: skip
        index = make(pool, kind)
        row = pool.rows[pool.derive(index, stretch)]
        assert row["kind"] == kind and row["is_approximate"] == is_approximate
    assert row["radius"] > 0.0
    index = make(pool, schema.SPHERE)
    assert pool.rows[pool.derive(index, np.diag([1, 2, 3.0]))]["radius"] == pytest.approx(1.0)


@pytest.mark.parametrize("stretch", [SHEAR, -SHEAR, np.diag([-1.0, 1.0, 1.0])])
def test_hulls_meshes_and_planes_are_transformed(pool, stretch):
    hull, plane, mesh = (make(pool, kind) for kind in (schema.HULL, schema.PLANE, schema.MESH))
    volume = pool.rows[hull]["volume"]
    assert pool.rows[pool.derive(hull, stretch)]["volume"] == pytest.approx(volume * abs(np.linalg.det(stretch)), rel=1e-3)
    row = pool.rows[pool.derive(plane, stretch)]
    on_plane = np.array([[3.0, 0.5, -2.0], [0.0, 0.5, 0.0], [-1.0, 0.5, 7.0]]) @ stretch.T
    np.testing.assert_allclose(on_plane @ row["plane"][:3], row["plane"][3], atol=1e-5)
    below = stretch @ [0.0, -5.0, 0.0]
    assert below @ row["plane"][:3] < row["plane"][3]
    block = pool._blocks[pool.derive(mesh, stretch)].arrays
    a, b, c = block["vertices"][block["triangles"][0]]
    normal = np.cross(b - a, c - a)
    assert normal @ np.linalg.solve(stretch.T, [0.0, 1.0, 0.0]) > 0.0  # the front stays the front


@pytest.mark.parametrize("stretch", [np.zeros((3, 3)), np.full((3, 3), np.nan), np.diag([1.0, 1.0, 0.0]), np.eye(2)])
def test_a_stretch_without_volume_is_refused(pool, stretch):
    with pytest.raises(ValueError, match="derive"):
        pool.derive(make(pool, schema.BOX), stretch)


def matrix_of(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-10, 10), min_size=9, max_size=9))
def test_split_basis(numbers):
    basis = np.array(numbers).reshape(3, 3)
    sizes = np.linalg.svd(basis, compute_uv=False)
    if sizes[2] < 1e-6 * sizes[0] or sizes[0] < 1e-6:
        return
    rotation, stretch = split_basis(basis)
    np.testing.assert_allclose(stretch, stretch.T, atol=1e-9)
    assert np.linalg.norm(rotation) == pytest.approx(1.0)
    np.testing.assert_allclose(matrix_of(rotation) @ stretch, basis, atol=1e-8)
    assert np.sign(np.linalg.det(stretch)) == np.sign(np.linalg.det(basis))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 1 << 30), st.floats(1e-3, 1e3), st.booleans())
def test_many_bases_are_split_as_one_is(seed, size, is_mirrored):
    """Bit for bit, whatever else is split at once: worlds are the same however their bodies were made."""
    bases = np.random.default_rng(seed).normal(size=(9, 3, 3)) * size * (-1.0 if is_mirrored else 1.0)
    if (np.linalg.cond(bases) > 1e6).any():
        return
    rotations, stretches = split_many(bases)
    for basis, rotation, stretch in zip(bases, rotations, stretches, strict=True):
        one, alone = split_basis(basis)
        np.testing.assert_array_equal(alone, stretch)
        np.testing.assert_array_equal(one, quaternion_of(rotation))
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)


def test_a_split_does_not_hang_on_the_machine():
    """Python's own numbers give the bits: no library of linear algebra rounds them in its own order."""
    rotation, stretch = split_basis([[0.9, -1.7, 0.3], [1.1, 0.4, 0.2], [-0.6, 0.5, 2.3]])
    said = [each.hex() for each in (*rotation.tolist(), *stretch[np.triu_indices(3)].tolist())]
    assert said == [
        "0x1.3cc086824ad49p-10", "0x1.140e5efc4caefp-3", "0x1.11e16189480d1p-1", "0x1.ab0c5a441747fp-1",
        "0x1.77e2cb441e9b4p+0", "-0x1.ae23d3e7226b7p-2", "-0x1.bef9f52d3e4e9p-3", "0x1.c2b781bd76eb6p+0",
        "0x1.3be9387ddf5cep-3", "0x1.28067e33edb2bp+1",
    ]  # fmt: skip


def test_split_basis_refuses_what_is_flat():
    for basis in (np.zeros((3, 3)), np.diag([1.0, 1.0, 0.0]), np.full((3, 3), np.inf), np.eye(4)):
        with pytest.raises(ValueError, match="split_basis"):
            split_basis(basis)


def test_axis_scale_after_a_rotation_is_no_shear():
    turn = matrix_of(np.array([0.1, 0.7, -0.2, 0.6]) / np.linalg.norm([0.1, 0.7, -0.2, 0.6]))
    rotation, stretch = split_basis(turn @ np.diag([0.6, 1.0, 0.6]))
    np.testing.assert_allclose(stretch, np.diag([0.6, 1.0, 0.6]), atol=1e-12)


def test_kinds_that_make_contacts():
    assert is_collidable(schema.SEPARATION_RAY) and not is_collidable(schema.EMPTY)
    assert is_collidable(schema.MESH) and is_collidable(schema.BOX) and is_collidable(schema.HEIGHT_FIELD)


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_given_back_once_whenever_that_is(seed):
    """Any calls in any order, with rows given back at once, now and then, or at the end: no row has two owners or is lost."""
    pool = ShapePool(lambda index, sequence: sequence << 32 | index + 1, capacity=4096)
    rng = np.random.default_rng(seed)
    often = (1.0, 0.3, 0.0)[seed % 3]
    pool.on_retire = lambda: pool.collect() if rng.random() < often else None
    shapes, uses = [], []
    stretches = (None, np.diag([1.0, 2.0, 1.0]), np.diag([2.0, 2.0, 1.0]))
    for _ in range(400):
        call = rng.integers(6)
        if call == 0 or not shapes:
            shapes.append(pool.create(schema.HULL))
        elif call <= 2:
            index = shapes[rng.integers(len(shapes))]
            pool.set_hull(index, rng.normal(size=(6 * int(rng.random() < 0.9), 3)))
            assert pool.rows[pool.current_row(index)]["kind"] in (schema.HULL, schema.EMPTY)
        elif call == 3:
            uses.append(pool.derive(shapes[rng.integers(len(shapes))], stretches[rng.integers(3)]))
        elif call == 4 and uses:
            pool.release(uses.pop(rng.integers(len(uses))))
        else:
            pool.free(shapes.pop(rng.integers(len(shapes))))
        owned = {*shapes, *uses, *pool._source}
        assert len(set(pool._free_rows)) == len(pool._free_rows) and not owned & set(pool._free_rows)
        assert all(pool.rows[index]["id"] == pool._make_id(index, int(pool.rows[index]["sequence"])) for index in shapes)
    for row in uses:
        pool.release(row)
    for index in shapes:
        pool.free(index)
    pool.collect()
    assert sorted(pool._free_rows) == list(range(pool.row_count)) and not pool._blocks and not pool._source


def test_many_threads():
    pool = ShapePool(lambda index, sequence: sequence << 32 | index + 1, capacity=4096)
    errors = []

    def work(seed):
        try:
            rng = np.random.default_rng(seed)
            for _ in range(40):
                index = pool.create(schema.HULL)
                rows = [pool.derive(index, np.diag(rng.integers(1, 3, 3).astype(float))) for _ in range(3)]
                pool.set_hull(index, rng.normal(size=(10, 3)))
                pool.set_hull(index, rng.normal(size=(10, 3)))
                rows.append(pool.derive(index))
                for row in rows:
                    assert pool.rows[row]["kind"] == schema.HULL
                    pool.release(row)
                pool.free(index)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    pool.collect()
    assert not pool._blocks and not pool._source and not pool._derived
    assert len(set(pool._free_rows)) == len(pool._free_rows) == pool.row_count
