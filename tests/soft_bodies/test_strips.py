"""Strips of one soft body: how it is divided, edges against a twin, the same bits on any number of threads."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from soft_world import SoftWorld, ball, grid

from scree.runtime.kernel import entry_point
from scree.runtime.memory import view
from scree.soft_bodies.edges import renew_edges, solve_edges
from scree.soft_bodies.layout import bends_of, edges_of
from scree.soft_bodies.nearby import NEAR
from scree.soft_bodies.schema import MOST_CANDIDATES, SOFT_BODY, STRIP
from scree.soft_bodies.strips import CLUSTER_PARTICLES, STRIP_PARTICLES, part, strips_of
from scree.step.limits import LimitReached


def random_mesh(seed: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, edges and triangles of a sheet with holes, torn into parts, its particles in a random order."""
    dice = np.random.default_rng(seed)
    columns = int(dice.integers(2, max(count // 2, 3)))
    vertices, triangles = grid(columns, max(count // columns, 2), 1.0, 1.0)
    triangles = triangles[dice.random(len(triangles)) < dice.uniform(0.3, 1.0)]
    shuffled = dice.permutation(len(vertices))
    triangles = shuffled[triangles]
    return vertices, np.concatenate((edges_of(triangles), bends_of(triangles))), triangles


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(4, 5000))
def test_edges_lie_in_a_strip_or_between_it_and_the_next_one(seed, count):
    positions, pairs, triangles = random_mesh(seed, count)
    strip_of = strips_of(pairs, len(positions))
    own = strip_of[pairs]
    assert np.abs(own[:, 0] - own[:, 1]).max(initial=0) <= 1
    between = np.flatnonzero(own[:, 0] != own[:, 1])
    touched = [set(pairs[between[own[between].min(axis=1) == k]].ravel().tolist()) for k in range(strip_of.max() + 1)]
    assert sum(map(len, touched)) == len(set().union(*touched)), "a particle has edges to two other strips"
    assert np.array_equal(np.unique(strip_of), np.arange(strip_of.max() + 1))
    if len(positions) < 2 * STRIP_PARTICLES:
        assert strip_of.max() == 0
    elif strip_of.max() > 0:
        assert np.bincount(strip_of).min() >= STRIP_PARTICLES


@settings(max_examples=20, deadline=None)
@example(seed=1, count=4)  # it has no edges
@given(seed=st.integers(0, 10**6), count=st.integers(4, 3000))
def test_strips_hold_everything_once_and_fours_share_no_particle(seed, count):
    positions, pairs, triangles = random_mesh(seed, count)
    n, parts = len(positions), part(positions, pairs, triangles)
    assert sorted(parts.order.tolist()) == list(range(n))
    assert sorted(parts.edge_order.tolist()) == list(range(len(pairs)))
    assert sorted(parts.face_order.tolist()) == list(range(len(triangles)))
    ends = (parts.clusters["end"] - parts.clusters["begin"]).tolist()
    assert sum(ends) == n and max(ends) <= CLUSTER_PARTICLES
    rows, seen = parts.fours, []
    for row, edges in zip(rows, parts.ranges, strict=True):
        used = range(edges["count"])
        numbers = [edges["first"] + lane for lane in used]
        seen += numbers
        for lane, number in zip(used, numbers, strict=True):
            edge = pairs[parts.edge_order[number]]
            assert parts.order[[row["a"][lane], row["b"][lane]]].tolist() == edge.tolist()
        places = row["a"][list(used)].tolist() + row["b"][list(used)].tolist()
        assert len(set(places)) == len(places)
        free = [lane for lane in range(4) if lane not in used]
        assert (row["a"][free] >= n).all() and (row["a"][free] == row["b"][free]).all()
    assert seen == list(range(len(pairs)))
    strips = parts.strips
    for names in (
        ("own_begin", "own_end", "next_begin", "next_end"),
        ("face_begin", "face_end", "next_face_begin", "next_face_end"),
    ):
        ranges = np.sort(np.concatenate([np.arange(row[a], row[b]) for row in strips for a, b in (names[:2], names[2:])]))
        assert np.array_equal(ranges, np.arange(len(rows) if names[0] == "own_begin" else len(triangles)))


@entry_point("void(int64, float64)")
def solve_once(address, h):
    soft = view(address, 1, SOFT_BODY)[0]
    strips = view(soft.strips, soft.strip_count, STRIP)
    renew_edges(soft, 0, soft.four_count, h)
    for k in range(soft.strip_count):
        solve_edges(soft, strips[k].own_begin, strips[k].own_end)
    for k in range(soft.strip_count):
        solve_edges(soft, strips[k].next_begin, strips[k].next_end)


def solved_one_by_one(soft, places: np.ndarray, h: float) -> np.ndarray:
    """The twin: edges one by one, in their order. Rest lengths and what divides are in single precision."""
    at, shares = places.copy(), soft._arrays["inverse_masses"]
    for a, b, rest, compliance in soft._arrays["edges"].tolist():
        total = shares[a] + shares[b]
        way = at[b] - at[a]
        size = np.linalg.norm(way)
        if total > 0.0 and size > 1e-9:
            ease = np.float32(max(0.5 * total + compliance / (h * h), total))
            pull = way * (size - np.float32(rest)) / (size * float(ease))
            at[a] += shares[a] * pull
            at[b] -= shares[b] * pull
    return at


@settings(max_examples=15, deadline=None)
@given(
    columns=st.integers(2, 45), rows=st.integers(2, 45), stiffness=st.sampled_from([0.0, 1.0, 500.0, 1e6, np.inf]),
    seed=st.integers(0, 1000),
)  # fmt: skip
def test_four_edges_at_once_give_what_they_give_one_by_one(columns, rows, stiffness, seed):
    dice = np.random.default_rng(seed)
    cloth = SoftWorld().soft(grid(columns, rows, 1.0, 1.0), stiffness=stiffness, bending=20.0)
    cloth.pin(dice.choice(columns * rows, columns * rows // 3, replace=False))
    places, order = cloth._arrays["places"], cloth._arrays["order"]
    moved = cloth.positions + dice.normal(0.0, 0.02, cloth.positions.shape)
    n = len(moved)
    places[:n, :3], places[:n, 3] = moved[order], cloth._arrays["inverse_masses"][order]
    solve_once(cloth.address, 1 / 1200)
    expected = solved_one_by_one(cloth, moved, 1 / 1200)
    assert places[:n, :3] == pytest.approx(expected[order], rel=1e-12, abs=1e-12)
    assert np.array_equal(places[:n, 3], cloth._arrays["inverse_masses"][order]) and not places[n:].any()


def heap(threads: int) -> tuple[SoftWorld, list]:
    """A large cloth and a large balloon that fall on boxes; wind and drag act on both."""
    world = SoftWorld(threads=threads)
    world.floor()
    for k in range(27):
        world.add(world.box(0.1, 0.1, 0.1), (k % 3 * 0.25 - 0.25, 0.1 + k // 9 * 0.21, k // 3 % 3 * 0.25 - 0.25), mass=0.5)
    cloth = world.soft(grid(45, 45, 1.5, 1.5), (0.0, 0.75, 0.0), mass=0.5, stiffness=300.0, bending=5.0)
    balloon = world.soft(ball(0.3, 24), (0.1, 1.1, 0.0), mass=0.5, stiffness=300.0)
    balloon.set_setting("pressure", 5.0)
    for soft in (cloth, balloon):
        soft.set_setting("drag", 1.0)
    return world, [cloth, balloon]


@pytest.mark.parametrize("threads", [2, 4])
def test_a_large_body_has_the_same_bits_on_any_number_of_threads(threads):
    ends, shared = [], 0
    for count in (1, threads):
        world, softs = heap(count)
        assert min(len(soft.layout.parts.strips) for soft in softs) > 1
        for _ in range(60):
            shared += world.step_shared()
        rigid = world.world.bodies.rows[:30]
        ends.append([soft.positions.tobytes() for soft in softs] + [rigid["position"].tobytes(), rigid["rotation"].tobytes()])
        assert max(soft._arrays["contact_counts"].max() for soft in softs) > 0
    assert shared > 0 and ends[0] == ends[1]


def test_strips_share_their_momentum_with_a_body_that_all_of_them_push():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    cloth = world.soft(grid(45, 45, 2.0, 2.0), mass=1.0, stiffness=500.0)
    box = world.add(world.box(0.6, 0.1, 0.6), (0.0, 0.3, 0.0), mass=3.0)
    world.throw(box, (0.5, -4.0, 0.0))
    world.step(60)
    assert (cloth._arrays["strips"]["pushed_count"] > 0).sum() > 1, "several strips push it"
    total = (cloth.masses[:, None] * cloth.velocities).sum(axis=0) + 3.0 * world.velocity(box)
    assert world.velocity(box)[1] > -3.9 and total == pytest.approx((1.5, -12.0, 0.0), abs=12.0 * 1e-4)


def test_strips_carry_a_weight_as_one_strip_does(monkeypatch):
    depths = []
    for least in (STRIP_PARTICLES, 10**6):
        monkeypatch.setattr("scree.soft_bodies.strips.STRIP_PARTICLES", least)
        world = SoftWorld()
        cloth = world.soft(grid(40, 40, 2.0, 2.0), mass=1.0, stiffness=3000.0)
        cloth.pin(np.flatnonzero(np.abs(cloth.positions[:, [0, 2]]).max(axis=1) > 0.99))
        cloth.set_setting("damping", 20.0)
        cloth.set_precision(10)
        box = world.add(world.box(0.3, 0.3, 0.3), (0.0, 0.33, 0.0), mass=3.0)
        world.step(240)
        assert np.linalg.norm(world.velocity(box)) < 0.05
        assert len(cloth.layout.parts.strips) == (3 if least == STRIP_PARTICLES else 1)
        depths.append(0.3 - world.position(box)[1])
    assert depths[0] == pytest.approx(depths[1], rel=0.02) and depths[0] > 0.1


@settings(max_examples=15, deadline=None)
@given(places=st.lists(st.tuples(*[st.floats(-1.2, 1.2)] * 2, st.floats(-0.3, 0.3)), min_size=1, max_size=20))
def test_particles_find_all_bodies_near_them(places):
    """The twin: the distance of each particle from each sphere. Three contacts are the most."""
    world = SoftWorld(gravity=(0.0, 0.0, 0.0), substep_count=1)
    cloth = world.soft(grid(40, 40, 2.0, 2.0), mass=1.0)
    spheres = [world.add(world.sphere(0.1), (x, y, z), mode=0) for x, z, y in places]
    at = cloth.positions.copy()
    world.step(1)
    near = [np.linalg.norm(at - world.position(sphere), axis=1) - 0.1 <= cloth.row["radius"] + NEAR for sphere in spheres]
    expected = np.minimum(np.sum(near, axis=0), 3)
    assert np.array_equal(np.flatnonzero(cloth._arrays["contact_counts"]), np.flatnonzero(expected))
    assert (cloth._arrays["contact_counts"] <= expected).all()


def test_a_step_warns_of_bodies_near_a_soft_body_that_it_leaves_out():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    cloth = world.soft(grid(4, 4, 1.0, 1.0))
    point = world.sphere(0.01)
    for k in range(MOST_CANDIDATES + 10):
        world.add(point, (k % 32 * 0.03 - 0.5, 0.06, k // 32 * 0.03 - 0.5), mode=0)
    with pytest.warns(LimitReached, match="^step: 10 bodies, areas and soft bodies near a soft body were left out: divide it"):
        world.step(1)
    assert cloth.row["candidate_count"] == MOST_CANDIDATES
