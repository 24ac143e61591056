"""Drawings of a space against a plain twin and against formulas: forms, colours, filters, contacts, joints, islands, trees."""

import threading

import numpy as np
import pytest
from drawn_twin import colour, drawn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scree
from scree.broad_phase.schema import LARGE
from scree.drawing.colours import FIRST_HUE, PALETTE
from scree.drawing.schema import (
    AREAS, BODY_BOUNDS, BOUNDS, BOXES, BY_ISLAND, BY_SOLVER, CAPSULES, CENTRES, CONTACTS, JOINTS, KINDS, LINES, MESHES, SHAPES,
    SPHERES, TREE, VELOCITIES,
)  # fmt: skip

CUBE = scree.Box(half_extents=(0.5, 0.5, 0.5))
TETRAHEDRON = scree.Hull(points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
FORMS = (
    CUBE, scree.Sphere(radius=0.4), scree.Capsule(radius=0.3, height=1.5), scree.Cylinder(radius=0.5, height=0.8), TETRAHEDRON,
    scree.Ellipsoid(half_axes=(0.2, 0.5, 0.9)),
)  # fmt: skip
LAYERS = ("ground", "crates")


def new_space() -> scree.Space:
    limits = {"bodies": 1 << 12, "body_shapes": 1 << 12, "shapes": 1 << 10}
    return scree.World(threads=1, layers=scree.Layers(*LAYERS), **limits).add_space(gravity=(0, -10, 0))


@pytest.fixture
def space() -> scree.Space:
    return new_space()


def draw(space, what, **options):
    return space.core.drawing.draw(space.id, what, **options)


def assert_same_rows(found, wanted) -> None:
    """Each row has one equal row among the wanted ones, in any order."""
    left = np.reshape(wanted, (-1, 16))
    for row in found:
        apart = np.abs(left - row).max(axis=1)
        assert apart.size and apart.min() < 2e-6
        left = np.delete(left, apart.argmin(), axis=0)
    assert not len(left)


def hue_of(row) -> int:
    """The number of a row's colour."""
    return int(np.flatnonzero((PALETTE == row[12:]).all(axis=1))[0])


numbers = st.floats(-8, 8, width=32)
one_body = st.tuples(
    st.sampled_from(range(len(FORMS))), st.tuples(numbers, numbers, numbers),
    st.tuples(*[st.floats(-1, 1, width=32)] * 4).filter(lambda q: sum(x * x for x in q) > 0.1),
    st.sampled_from(("static", "kinematic", "rigid")), st.sampled_from(LAYERS),
)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(one_body, max_size=12), st.sampled_from((0.0, 3.0, 7.0)), st.sampled_from((1, 2, 3)), st.integers(0, 3))
def test_forms_are_those_of_the_bodies(bodies, distance, mask, steps):
    space = new_space()
    for form, position, rotation, mode, layer in bodies:
        add = getattr(space, f"add_{mode}")
        add(FORMS[form], position, np.asarray(rotation) / np.linalg.norm(rotation), layer=layer)
    space.add_area(CUBE, (1, 2, 3), layer="ground")
    for _ in range(steps):
        space.step(1 / 60)
    around = (0.5, 1.0, -0.5)
    for what in (SHAPES, AREAS, SHAPES | AREAS):
        found = draw(space, what, around=around, distance=distance, mask=mask)
        for kind, rows in drawn(space.core, space.id, what, around, distance, mask).items():
            assert found.count(kind) == len(rows)
            if kind != MESHES and not distance:  # in the order of the bodies
                np.testing.assert_allclose(found.rows(kind), np.reshape(rows, (-1, 16)), atol=2e-6)
            assert_same_rows(found.rows(kind), rows)


def test_buffers_grow_and_are_padded(space):
    space.add_static_many(CUBE, [(2.0 * k, 0, 0) for k in range(1000)])
    found = draw(space, SHAPES)
    assert found.count(BOXES) == 1000 and found.rows(BOXES).shape == (1000, 16)
    for room in (1024, 5000):
        padded = found.padded(BOXES, room)
        assert padded.shape == (room, 16) and not padded[1000:].any() and (padded[:1000] == found.rows(BOXES)).all()
    assert (found.padded(BOXES, 10) == found.rows(BOXES)[:10]).all() and found.count(BOXES) == 1000


def test_a_shifted_zero_keeps_digits_far_away(space):
    space.add_static(CUBE, (1.0e6 + 0.125, 0, 0))
    far = space.core.drawing.draw(space.id, SHAPES, zero=(1.0e6, 0, 0))
    assert far.rows(BOXES)[0, 3] == pytest.approx(0.125, abs=1e-6)


def test_colours_tell_who_sleeps(space):
    space.add_static(scree.Plane(normal=(0, 1, 0)))
    box = space.add_rigid(CUBE, (0, 0.5, 0))
    assert (draw(space, SHAPES).rows(BOXES)[0, 12:] == colour("awake")).all()
    for _ in range(120):
        space.step(1 / 60)
    assert box.is_asleep and (draw(space, SHAPES).rows(BOXES)[0, 12:] == colour("asleep")).all()


def test_parts_and_bricks_are_forms_and_far_ones_are_left_out(space):
    parts = [scree.Part(shape=CUBE, position=(3.0 * k, 0, 0)) for k in range(20)]
    space.add_static(scree.Compound(parts=parts), (0, 5, 0))
    found = draw(space, SHAPES)
    np.testing.assert_allclose(np.sort(found.rows(BOXES)[:, 3]), 3.0 * np.arange(20), atol=1e-5)
    near = draw(space, SHAPES, around=(0, 5, 0), distance=7.0)
    assert near.count(BOXES) == 3
    wall = scree.Structure(unit=0.5)
    wall.insert([[x, 0, 0] for x in range(8)], [[x + 1, 1, 1] for x in range(8)])
    space.add_static(wall, (0, -5, 0))
    bricks = draw(space, SHAPES, around=(0, -5, 0), distance=5.0).rows(BOXES)
    assert len(bricks) == 8 and np.allclose(bricks[:, 0], 0.25)
    np.testing.assert_allclose(np.sort(bricks[:, 3]) - bricks[:, 3].min(), 0.5 * np.arange(8), atol=1e-5)


def test_shapes_with_meshes_are_sorted_and_have_wires(space):
    heights = np.zeros((5, 5), np.float32)
    grid = scree.HeightField(heights=heights)
    box = scree.Hull(points=[(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    space.add_static(TETRAHEDRON, (0, 0, 0))
    space.add_static(box, (5, 0, 0))
    space.add_static(TETRAHEDRON, (9, 0, 0))
    space.add_static(grid, (0, -9, 0))
    found = draw(space, SHAPES)
    assert found.count(MESHES) == 4 and sorted(found.mesh_counts) == [1, 1, 2]
    lines = {len(space.core.drawing.mesh_lines(int(key))): found.mesh_rows(k) for k, key in enumerate(found.mesh_keys)}
    assert sorted(lines) == [6, 12, 4 * 4 * 3 + 4 * 2], "a tetrahedron, a cube without diagonals, cells with their diagonals"
    assert lines[6][:, 3].tolist() == [0, 9] and lines[12][:, 3].tolist() == [5] and lines[56][:, 7].tolist() == [-9]
    with pytest.raises(KeyError, match="no shape with the key"):
        space.core.drawing.mesh_lines(int(found.mesh_keys[0]) + (1 << 40))


def test_forces_of_contacts_carry_the_weight(space):
    space.add_static(scree.Plane(normal=(0, 1, 0)))
    space.add_rigid(CUBE, (0, 0.5, 0), mass=3.0, can_sleep=False)
    for _ in range(120):
        space.step(1 / 60)
    found = draw(space, CONTACTS, force_scale=0.02)
    ends, colours = found.lines()
    forces = ends[(colours == colour("impulse")).all(axis=1)]
    marks = ends[(colours == colour("contact")).all(axis=1)]
    assert len(forces) == len(marks) == 4
    assert np.abs(forces[:, 1] - forces[:, 0])[:, 1].sum() == pytest.approx(0.02 * 3.0 * 10.0, rel=1e-2)
    np.testing.assert_allclose(np.abs(forces.mean(axis=1)), np.tile((0.5, 0.0, 0.5), (4, 1)), atol=0.02)
    np.testing.assert_allclose(marks.mean(axis=1), forces.mean(axis=1), atol=1e-5)
    assert draw(space, CONTACTS, around=(0, 9, 0), distance=2.0).count(LINES) == 0
    by_solver = draw(space, CONTACTS | BY_SOLVER).rows(LINES)
    assert sum(hue_of(row) >= FIRST_HUE for row in by_solver) == 4


def test_joints_have_anchors_limits_and_loads(space):
    arm = space.add_rigid(scree.Box(half_extents=(1, 0.1, 0.1)), (1, 5, 0), mass=2.0, can_sleep=False)
    space.add_joint(scree.Hinge(anchor=(0, 5, 0), axis=(0, 0, 1), limits=(-0.5, 0.25)), arm)
    for _ in range(600):
        space.step(1 / 60)
    ends, colours = draw(space, JOINTS, force_scale=0.01).lines()

    def of(name: str) -> np.ndarray:
        return ends[(colours == colour(name)).all(axis=1)]

    to_anchor = of("joint")[0]
    ends_at = to_anchor[np.argmin(np.linalg.norm(to_anchor - (0, 5, 0), axis=1))]
    np.testing.assert_allclose(ends_at, (0, 5, 0), atol=2e-3)
    axes = [of(name) for name in "xyz"]
    assert all(len(axis) == 1 for axis in axes)
    directions = np.array([(axis[0, 1] - axis[0, 0]) / np.linalg.norm(axis[0, 1] - axis[0, 0]) for axis in axes])
    np.testing.assert_allclose(directions @ directions.T, np.eye(3), atol=1e-5)
    np.testing.assert_allclose(np.abs(directions[0]), (0, 0, 1), atol=1e-5)
    assert len(of("limit")) == 14, "an arc of 12 lines and its two radii"
    load = of("load")[0]
    assert np.abs(load[1] - load[0])[1] == pytest.approx(0.01 * 2.0 * 10.0, rel=0.05), "it bears the weight at the hinge"
    arc = of("limit").reshape(-1, 3)
    reach = np.linalg.norm(arc - arc[0], axis=1)
    assert np.allclose(reach[reach > 1e-6], 0.5, atol=1e-4)


def test_islands_have_one_colour_each(space):
    space.add_static(scree.Plane(normal=(0, 1, 0)))
    for x in (0.0, 5.0):
        for k in range(3):
            space.add_rigid(CUBE, (x, 0.5 + k, 0))
    left, right = space.add_rigid(CUBE, (20, 9, 0)), space.add_rigid(CUBE, (22, 9, 0))
    space.add_joint(scree.Fixed(), left, right)
    for steps in (3, 200):
        for _ in range(steps):
            space.step(1 / 60)
        hues = [hue_of(row) for row in draw(space, SHAPES | BY_ISLAND).rows(BOXES)]
        assert hues[0:3] == [hues[0]] * 3 and hues[3:6] == [hues[3]] * 3 and hues[6] == hues[7]
        assert len({hues[0], hues[3], hues[6]}) == 3 and min(hues) >= FIRST_HUE


def test_centres_velocities_and_bounds(space):
    ball = space.add_rigid(
        scree.Sphere(radius=0.5), (1, 2, 3), velocity=(10, 0, 0), angular_velocity=(0, 5, 0), gravity_scale=0.0
    )
    ends, colours = draw(space, VELOCITIES).lines()
    np.testing.assert_allclose(ends[(colours == colour("velocity")).all(axis=1)], [[(1, 2, 3), (2, 2, 3)]], atol=1e-6)
    np.testing.assert_allclose(ends[(colours == colour("spin")).all(axis=1)], [[(1, 2, 3), (1, 2.5, 3)]], atol=1e-6)
    assert draw(space, CENTRES).count(LINES) == 3
    (row,) = draw(space, BODY_BOUNDS).rows(BOUNDS)
    low, high = row[[3, 7, 11]] - row[[0, 5, 10]], row[[3, 7, 11]] + row[[0, 5, 10]]
    assert (low <= np.subtract(ball.position, 0.5) + 1e-6).all() and (high >= np.add(ball.position, 0.5) - 1e-6).all()


def test_nodes_of_the_tree_hold_all_bodies(space):
    places = np.random.default_rng(5).uniform(-20, 20, (300, 3))
    space.add_rigid_many(scree.Sphere(radius=0.2), places)
    for _ in range(3):
        space.step(1 / 60)
    found = draw(space, TREE).rows(BOUNDS)
    assert len({hue_of(row) for row in found}) >= 3, "levels"
    centre, half = found[:, 3:12:4], found[:, [0, 5, 10]]
    top = np.argsort(-half.prod(axis=1))[:4]
    bodies = space.core.bodies.rows["fat_bounds"][: space.core.bodies.count]
    inside = ((bodies[:, None, :3] >= (centre - half)[top] - 1e-4) & (bodies[:, None, 3:] <= (centre + half)[top] + 1e-4)).all(
        axis=2
    )
    assert inside.any(axis=1).mean() > 0.9 and half.max() < LARGE / 2


def test_bad_requests_name_the_value(space):
    drawing = space.core.drawing
    for options, words in (
        ({"what": 1 << 20}, "what must be a sum of flags"), ({"around": (0, np.nan, 0)}, "around must be three finite"),
        ({"distance": -1.0}, "distance must be at least 0, got -1.0"), ({"mask": -1}, "mask must be 32 bits, got -1"),
        ({"force_scale": np.inf}, "force_scale must be at least 0"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            drawing.draw(space.id, **{"what": SHAPES, **options})
    with pytest.raises(KeyError, match="there is no space"):
        drawing.draw(12345, SHAPES)
    failed = []

    def inside_an_edit() -> None:
        try:
            drawing.draw(space.id, SHAPES)
        except RuntimeError as error:
            failed.append(str(error))

    space.core.late.run(space.add_static(CUBE).id, inside_an_edit)
    assert failed and "in the middle of an edit" in failed[0]


def test_drawings_while_another_thread_steps(space):
    space.add_static(scree.Plane(normal=(0, 1, 0)))
    space.add_rigid_many(CUBE, [(1.2 * (k % 10), 1 + 1.2 * (k // 10), 0) for k in range(200)])
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            space.step(1 / 60)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for _ in range(50):
            found = draw(space, SHAPES | CONTACTS | TREE)
            turned = found.rows(BOXES)[:, [0, 1, 2, 4, 5, 6, 8, 9, 10]].reshape(-1, 3, 3)
            assert len(turned) == 200
            np.testing.assert_allclose(turned @ turned.transpose(0, 2, 1), np.tile(0.25 * np.eye(3), (200, 1, 1)), atol=1e-5)
    finally:
        stop.set()
        thread.join()


def test_nothing_changes_in_the_space(space):
    space.add_static(scree.Plane(normal=(0, 1, 0)))
    space.add_rigid_many(CUBE, [(0.3 * k, 1 + 1.1 * k, 0) for k in range(5)])
    for _ in range(60):
        space.step(1 / 60)
    before = space.hash
    for _ in range(3):
        assert draw(space, (1 << 10) - 1).count(BOXES) == 5
    assert space.hash == before and KINDS == 7 and CAPSULES != SPHERES
