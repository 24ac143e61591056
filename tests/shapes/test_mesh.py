"""Cooked meshes: nothing is lost, the tree encloses what it holds, edges are active where they should be, and walks and
rays through the tree find what a look at every triangle finds."""

import threading
import time

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.runtime.memory import stack_array
from scree.shapes import mesh_building, schema
from scree.shapes.mesh_building import cook_mesh
from scree.shapes.mesh_query import MESH_QUERY_SIZE, mesh_query_next, mesh_query_start


def field(n, height=lambda x, z: 0 * x):
    """A square of n x n cells, two triangles each, facing up."""
    x, z = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0))
    vertices = np.stack((x, height(x, z), z), axis=-1).reshape(-1, 3).astype(np.float32)
    corner = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    first = np.stack((corner, corner + n + 1, corner + 1), axis=1)
    second = np.stack((corner + 1, corner + n + 1, corner + n + 2), axis=1)
    return vertices, np.concatenate((first, second)).astype(np.int32)


def soup(rng, count, size=0.3):
    """Triangles anywhere, not joined."""
    vertices = np.repeat(rng.uniform(-5, 5, (count, 3)), 3, axis=0) + rng.normal(size=(3 * count, 3)) * size
    return vertices.astype(np.float32), np.arange(3 * count, dtype=np.int32).reshape(-1, 3)


@numba.njit
def walk(blocks, bounds, found):
    query = stack_array(MESH_QUERY_SIZE, np.int64)
    mesh_query_start(query)
    count = 0
    triangle = mesh_query_next(blocks[0], query, bounds)
    while triangle >= 0:
        found[count] = triangle
        count += 1
        triangle = mesh_query_next(blocks[0], query, bounds)
    return count


def record_of(cooked):
    start = cooked.block.address - cooked.block.memory.ctypes.data
    return cooked.block.memory[start : start + schema.MESH_BLOCK.itemsize].view(schema.MESH_BLOCK)


def query(cooked, bounds):
    found = np.empty(len(cooked.block.arrays["triangles"]) + 1, dtype=np.int64)
    return found[: walk(record_of(cooked), tuple(map(float, bounds)), found)]


def triangle_bounds(cooked):
    corners = cooked.block.arrays["vertices"][cooked.block.arrays["triangles"]]
    return corners.min(axis=1), corners.max(axis=1)


def bounds_of(node) -> np.ndarray:
    """Bounds of the children of a packed node, (6, 8)."""
    base, step = (np.tile(node[name].astype(np.float64), 2)[:, None] for name in ("base", "step"))
    return base + step * node["bounds"]


def assert_encloses(bounds, low, high, step) -> None:
    """Bounds hold what they are of, and are not much larger: a step, and what rounding may take off."""
    slack = step * 1.01 + 2e-6 * np.maximum(np.abs(low), np.abs(high)) + 1e-28
    assert (bounds[:3] <= low).all() and (bounds[3:] >= high).all()
    assert (bounds[:3] >= low - slack).all() and (bounds[3:] <= high + slack).all()


def assert_tree_is_sound(cooked):
    """Every triangle is in one leaf, each node encloses what is below it, closely; depth is what the stacks allow for."""
    nodes, count = cooked.block.arrays["nodes"], len(cooked.block.arrays["triangles"])
    low, high = triangle_bounds(cooked)
    seen = np.zeros(count, dtype=int)
    visited = 0

    def visit(number, depth):
        nonlocal visited
        visited += 1
        assert (schema.MESH_WIDTH - 1) * depth + 1 < schema.MESH_STACK_SIZE
        lowest, highest = np.full(3, np.inf), np.full(3, -np.inf)
        bounds = bounds_of(nodes[number])
        for k, entry in enumerate(nodes[number]["entries"].tolist()):
            if entry == schema.NO_CHILD:
                assert (nodes[number]["bounds"][:3, k] == 255).all() and (nodes[number]["bounds"][3:, k] == 0).all()
                continue
            if entry >= 0:
                child_low, child_high = visit(entry, depth + 1)
            else:
                first, size = ~entry >> 4, ~entry & 15
                assert 0 < size <= schema.MAX_LEAF_TRIANGLES
                seen[first : first + size] += 1
                child_low, child_high = low[first : first + size].min(axis=0), high[first : first + size].max(axis=0)
            assert_encloses(bounds[:, k], child_low, child_high, nodes[number]["step"].astype(np.float64))
            lowest, highest = np.minimum(lowest, child_low), np.maximum(highest, child_high)
        return lowest, highest

    visit(0, 1)
    assert visited == len(nodes) and (seen == 1).all()


def same_place(rng):
    """A hundred times the same triangle, not welded by index."""
    vertices = np.eye(3, dtype=np.float32).repeat(100, axis=0)
    return vertices, np.stack((np.arange(100), np.arange(100) + 100, np.arange(100) + 200), axis=1)


def growing(rng):
    """Each triangle larger than the last, over 24 orders of magnitude."""
    vertices, triangles = soup(rng, 400)
    return (vertices * 1.15 ** np.repeat(np.arange(400), 3)[:, None]).astype(np.float32), triangles


MESHES = {
    "one": lambda rng: soup(rng, 1),
    "five": lambda rng: soup(rng, 5),
    "soup": lambda rng: soup(rng, 700),
    "long": lambda rng: soup(rng, 300, size=4.0),
    "field": lambda rng: field(20, lambda x, z: np.sin(x) + np.cos(z)),
    "same place": same_place,
    "growing": growing,
}


@pytest.mark.parametrize("name", MESHES)
def test_tree_and_walk(name):
    rng = np.random.default_rng(0)
    vertices, triangles = MESHES[name](rng)
    cooked = cook_mesh(vertices, triangles)
    assert_tree_is_sound(cooked)
    arrays = cooked.block.arrays
    assert sorted(arrays["faces"].tolist()) == list(range(len(triangles)))
    np.testing.assert_array_equal(arrays["vertices"][arrays["triangles"]], vertices[triangles[arrays["faces"]]])
    low, high = triangle_bounds(cooked)
    extent = np.ptp(vertices, axis=0)
    for _ in range(30):
        center, half = rng.uniform(vertices.min(axis=0), vertices.max(axis=0)), rng.uniform(0, 0.4, 3) * extent
        expected = np.flatnonzero(((low <= center + half) & (high >= center - half)).all(axis=1))
        assert sorted(query(cooked, [*(center - half), *(center + half)]).tolist()) == expected.tolist()
    assert len(query(cooked, [-1e30] * 3 + [1e30] * 3)) == len(triangles)


def test_vertices_are_welded_and_flat_triangles_dropped():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [-0.0, 0, 0], [1, 0, 0], [2, 0, 0], [9, 9, 9]], dtype=np.float32)
    triangles = np.array([[0, 0, 1], [0, 2, 1], [0, 1, 5], [0, 3, 4], [3, 2, 4]])
    cooked = cook_mesh(vertices, triangles)
    assert sorted(cooked.block.arrays["faces"].tolist()) == [1, 4]
    assert len(cooked.block.arrays["vertices"]) == 3
    assert cook_mesh(vertices, triangles[:1]).kind == schema.EMPTY


def naive_active_edges(vertices, triangles, is_two_sided, is_behind=False):
    """Twin: for each edge look at all triangles for others that have it; seen from the front of its triangle or from behind."""
    points = [tuple(v) for v in vertices.tolist()]
    corners = [[points[i] for i in t] for t in triangles]
    owners = {}
    for t, corner in enumerate(corners):
        for k in range(3):
            owners.setdefault(frozenset((corner[k], corner[(k + 1) % 3])), []).append((t, k))
    active = np.zeros((len(triangles), 3), dtype=bool)
    for users in owners.values():
        for t, k in users:
            active[t, k] = True
            if len(users) == 2:
                (u, j) = users[1] if users[0] == (t, k) else users[0]
                n, m = (np.cross(np.subtract(c[1], c[0]), np.subtract(c[2], c[0])) for c in (corners[t], corners[u]))
                n, m = n / np.linalg.norm(n), m / np.linalg.norm(m)
                is_turned_over = corners[t][k] == corners[u][j]
                m = -m if is_turned_over else m
                height = np.dot(n, np.subtract(corners[u][(j + 2) % 3], corners[t][k]))
                is_convex = height > 0 if is_behind else height < 0
                counts = is_convex or np.dot(n, m) < -0.999 or (is_turned_over and not is_two_sided)
                active[t, k] = bool(np.dot(n, m) < np.cos(np.radians(5.0)) and counts)
    return active


@pytest.mark.parametrize("is_two_sided", [False, True])
@pytest.mark.parametrize("steepness", [0.0, 0.04, 0.5])
def test_active_edges(steepness, is_two_sided):
    rng = np.random.default_rng(1)
    vertices, triangles = field(12, lambda x, z: rng.normal(size=x.shape) * steepness)
    triangles[::17] = triangles[::17, ::-1]  # some the wrong way round
    triangles = np.concatenate((triangles, triangles[3:5, [1, 2, 0]]))  # some twice
    unwelded = vertices[triangles].reshape(-1, 3)
    cooked = cook_mesh(unwelded, np.arange(len(unwelded)).reshape(-1, 3), is_two_sided)
    faces = cooked.block.arrays["faces"]
    bits = cooked.block.arrays["active_edges"][:, None] >> np.arange(6) & 1
    np.testing.assert_array_equal(bits[:, :3], naive_active_edges(vertices, triangles, is_two_sided)[faces])
    behind = naive_active_edges(vertices, triangles, True, is_behind=True) if is_two_sided else np.zeros_like(bits[:, 3:])
    np.testing.assert_array_equal(bits[:, 3:], behind[faces] if is_two_sided else behind)


@pytest.mark.parametrize("steepness", [0.0, 0.04, 0.5])
def test_triangles_wound_both_ways_have_the_edges_of_each_surface_alone(steepness):
    """Four triangles share each edge then; bodies that slide over bends lost a quarter of their speed at them."""
    rng = np.random.default_rng(2)
    vertices, triangles = field(12, lambda x, z: rng.normal(size=x.shape) * steepness)
    backs = triangles[:, ::-1]
    cooked = cook_mesh(vertices, np.concatenate((triangles, backs)))
    bits = cooked.block.arrays["active_edges"][:, None] >> np.arange(3) & 1
    alone = [naive_active_edges(vertices, surface, False) for surface in (triangles, backs)]
    np.testing.assert_array_equal(bits, np.concatenate(alone)[cooked.block.arrays["faces"]])


def test_a_cube_has_active_edges_but_no_active_diagonals():
    import trimesh

    box = trimesh.creation.box()
    cooked = cook_mesh(box.vertices, np.array(box.faces))
    assert sum(bin(bits).count("1") for bits in cooked.block.arrays["active_edges"].tolist()) == 24
    inside_out = cook_mesh(box.vertices, np.array(box.faces)[:, ::-1])
    assert not inside_out.block.arrays["active_edges"].any()
    two_sided = cook_mesh(box.vertices, np.array(box.faces), True)
    np.testing.assert_array_equal(two_sided.block.arrays["active_edges"], cooked.block.arrays["active_edges"])


def test_a_fan_about_one_vertex_is_cooked_at_once():
    angle = np.linspace(0, 2 * np.pi, 50_001)[:-1]
    rim = np.column_stack((np.cos(angle), 0 * angle, np.sin(angle)))
    k = np.arange(len(rim))
    triangles = np.column_stack((0 * k, 1 + (k + 1) % len(rim), 1 + k))
    start = time.thread_time()
    cooked = cook_mesh(np.concatenate(([[0, 0, 0]], rim)), triangles)
    assert time.thread_time() - start < 5.0
    bits = cooked.block.arrays["active_edges"]
    assert set(np.unique(bits)) <= {1, 2, 4}  # the rim only


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(0, 10_000), st.sampled_from([0.01, 1.0, 100.0]))
def test_any_soup(count, seed, size):
    rng = np.random.default_rng(seed)
    vertices = (rng.integers(-2, 3, (12, 3)) * size).astype(np.float32)
    triangles = rng.integers(0, 12, (count, 3))
    cooked = cook_mesh(vertices, triangles)
    corners = vertices[triangles].astype(np.float64)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    solid = np.flatnonzero(area > 1e-6 * size * size)
    if len(solid) == 0:
        assert cooked.kind == schema.EMPTY
        return
    assert sorted(cooked.block.arrays["faces"].tolist()) == solid.tolist()
    assert_tree_is_sound(cooked)


def test_a_large_mesh_is_cooked_fast_and_small():
    rng = np.random.default_rng(0)
    vertices, triangles = field(224, lambda x, z: np.sin(0.1 * x) * np.cos(0.13 * z) * 3)
    triangles = triangles[rng.permutation(len(triangles))]
    cook_mesh(*field(4))
    start = time.thread_time()
    cooked = cook_mesh(vertices, triangles)
    assert time.thread_time() - start < 1.0  # 100,000 triangles; 0.1 s is usual
    assert cooked.block.memory.nbytes / len(triangles) <= 40.0


def test_cooking_tells_how_far_it_is_and_cooks_the_same(monkeypatch):
    monkeypatch.setattr(mesh_building, "LOOK_EVERY", 0.002)
    vertices, triangles = field(300, lambda x, z: np.sin(0.3 * x) * np.cos(0.2 * z))
    told, threads = [], set()

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        threads.add(threading.get_ident())

    cooked, plain = cook_mesh(vertices, triangles, progress=progress), cook_mesh(vertices, triangles)
    done, totals = np.array(told).T
    assert set(totals) == {2 * len(triangles)} and threads == {threading.get_ident()}
    assert (np.diff(done) >= 0).all() and done[-1] == totals[-1]
    assert len(set(done)) > 8, "it rises while the tree is built and while edges are looked at"
    assert cooked.fields.keys() == plain.fields.keys() and cooked.kind == plain.kind
    for name, array in plain.block.arrays.items():
        assert cooked.block.arrays[name].tobytes() == array.tobytes(), name


def test_what_was_dropped_counts_as_cooked():
    vertices, triangles = field(40)
    triangles = np.concatenate((triangles, triangles[:100, [0, 1, 1]]))
    finished = np.zeros(1, np.int64)
    cooked = mesh_building._cook(finished, vertices, triangles, False, None, (), ())
    assert len(cooked.block.arrays["triangles"]) == 3200 and finished[0] == 2 * 3300


def test_cooking_nothing_is_told_and_a_progress_that_fails_is_heard(monkeypatch):
    told = []
    assert cook_mesh(*soup(np.random.default_rng(0), 0), progress=lambda *numbers: told.append(numbers)).kind == schema.EMPTY
    assert told == [(0, 0)]
    monkeypatch.setattr(mesh_building, "LOOK_EVERY", 0.001)
    with pytest.raises(ZeroDivisionError):
        cook_mesh(*field(100), progress=lambda done, total: 1 // 0)
