"""Mass, centre of mass, inertia and bounds, against a readable twin and known solids."""

import mass_twin
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.shapes.schema import BOX, CAPSULE, PLANE, SPHERE
from scree.core.world import World

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
# The default limits reserve gigabytes of address space for every world that a property test makes.
SMALL = {"bodies": 64, "body_shapes": 256, "shapes": 256, "systems": 2, "pairs": 256, "contacts": 256}


def add_shape(world, body, kind, size, transform, is_disabled=False):
    shape = world.shape.create(kind)
    index = world.shape.index("test", shape)
    if kind == SPHERE:
        world.shapes.set_sphere(index, size)
    elif kind == CAPSULE:
        world.shapes.set_capsule(index, size, 4.0 * size)
    elif kind == BOX:
        world.shapes.set_box(index, (size, 0.5 * size, 2.0 * size))
    else:
        world.shapes.set_plane(index, (0.0, 1.0, 0.0), 0.0)
    world.body.add_shape(body, shape, transform, is_disabled)
    return shape


def parts(world, body):
    row = world.bodies.rows[world.body.index("test", body)]
    first = max(int(row["first_instance"]), 0)
    return row, world.instances.rows[first : first + int(row["instance_count"])]


def check_against_twin(world, body):
    """Renew a copy of the row by the twin, and compare."""
    row, instances = parts(world, body)
    twin, copies = row.copy(), instances.copy()
    rare = world.bodies.rare_of(world.body.index("test", body)).copy()
    world.body.param(body, "mass")
    system = world.create_system()
    world.body.set_system(body, system)
    mass_twin.renew_mass(twin, rare, copies, world.shapes.rows)
    size = max(1.0, float(np.abs(twin["inverse_inertia_local"]).max()))
    np.testing.assert_allclose(row["inverse_inertia_local"], twin["inverse_inertia_local"], rtol=1e-4, atol=1e-5 * size)
    for name in ("inverse_mass", "center_of_mass", "position", "linear_velocity"):
        np.testing.assert_allclose(row[name], twin[name], rtol=1e-5, atol=1e-5, err_msg=name)
    np.testing.assert_allclose(instances["position"], copies["position"], atol=1e-5)
    bounds, extent, inner = mass_twin.local_bounds(copies, world.shapes.rows)
    np.testing.assert_allclose(row["local_bounds"], bounds, rtol=1e-5, atol=1e-4)
    assert float(row["extent"]) == pytest.approx(extent, rel=1e-4, abs=1e-4)
    assert float(row["inner_radius"]) == pytest.approx(inner, rel=1e-5)


numbers = st.floats(-3.0, 3.0, width=32)
rotations = st.tuples(numbers, numbers, numbers, numbers).filter(lambda q: np.linalg.norm(q) > 0.1)
placed_shapes = st.tuples(
    st.sampled_from((SPHERE, CAPSULE, BOX)), st.floats(0.05, 5.0), rotations, st.tuples(numbers, numbers, numbers), st.booleans()
)


@settings(max_examples=60, deadline=None)
@given(st.lists(placed_shapes, max_size=5), st.floats(0.01, 1e4), st.integers(0, 3),
       st.none() | st.tuples(numbers, numbers, numbers), st.tuples(*[st.sampled_from((0.0, 0.0, 2.5))] * 3))  # fmt: skip
def test_mass_and_bounds_are_the_twins(shapes, mass, mode, center, inertia):
    world = World(threads=1, **SMALL)
    body = world.body.create()
    world.body.set_mode(body, mode)
    for kind, size, q, place, is_disabled in shapes:
        turn = mass_twin.rotation_matrix(np.array(q) / np.linalg.norm(q))
        add_shape(world, body, kind, size, (*turn.ravel(), *place), is_disabled)
    world.body.set_param(body, "mass", mass)
    world.body.set_param(body, "inertia", inertia)
    if center is not None:
        world.body.set_param(body, "center_of_mass", center)
    check_against_twin(world, body)


def test_a_box_of_2_kg_has_the_inertia_of_the_textbook():
    world = World(threads=1, **SMALL)
    body = world.body.create()
    add_shape(world, body, BOX, 1.0, (*IDENTITY, 0.0, 0.0, 0.0))  # half extents 1, 0.5, 2
    world.body.set_param(body, "mass", 2.0)
    assert world.body.param(body, "inertia") == pytest.approx((2 * 4.25 / 3, 2 * 5.0 / 3, 2 * 1.25 / 3))


def test_two_spheres_apart_turn_like_a_dumbbell():
    world = World(threads=1, **SMALL)
    body = world.body.create()
    for x in (-1.0, 3.0):
        add_shape(world, body, SPHERE, 0.5, (*IDENTITY, x, 0.0, 0.0))
    assert world.body.param(body, "center_of_mass") == pytest.approx((1.0, 0.0, 0.0))
    own = 0.4 * 0.25
    assert world.body.param(body, "inertia") == pytest.approx((own, own + 4.0, own + 4.0), rel=1e-5)


def test_a_plane_reaches_everywhere_and_weighs_nothing():
    world = World(threads=1, **SMALL)
    body = world.body.create()
    world.body.set_mode(body, 0)
    add_shape(world, body, PLANE, 1.0, (*IDENTITY, 0.0, 0.0, 0.0))
    world.body.param(body, "mass")
    row, _ = parts(world, body)
    assert row["local_bounds"][0] < -1e29 and row["local_bounds"][3] > 1e29


def test_moving_the_centre_of_mass_keeps_the_origin_where_it_is():
    world = World(threads=1, **SMALL)
    body = world.body.create()
    add_shape(world, body, BOX, 1.0, (*IDENTITY, 0.0, 0.0, 0.0))
    world.body.set_transform(body, (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 10.0, 20.0, 30.0))
    world.body.set_param(body, "center_of_mass", (0.5, 0.0, 0.0))
    row, _ = parts(world, body)
    np.testing.assert_allclose(row["position"], (10.0, 20.5, 30.0), atol=1e-6)
