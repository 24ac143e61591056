"""Bodies of tapered shapes, ellipsoids and shapes of one's own: they come to rest where they should, on all kinds of ground."""

import sys
from pathlib import Path

import numpy as np
import pytest
from small_world import SmallWorld

from scree.bodies.schema import RIGID, STATIC
from scree.core.queries import Queries
from scree.shapes.schema import CUSTOM, ELLIPSOID, HEIGHT_FIELD, MESH, TAPERED_CAPSULE, TAPERED_CYLINDER

sys.path.insert(0, str(Path(__file__).parents[1] / "shapes"))
from test_support_shapes import superball  # noqa: E402

LYING = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)  # Y to -X


def shape(world: SmallWorld, kind: int, *numbers) -> int:
    made = world.world.shape.create(kind)
    index, shapes = world.world.shape.index("", made), world.world.shapes
    {
        TAPERED_CAPSULE: shapes.set_tapered_capsule, TAPERED_CYLINDER: shapes.set_tapered_cylinder,
        ELLIPSOID: lambda row, *axes: shapes.set_ellipsoid(row, axes),
        CUSTOM: lambda row, *data: shapes.set_custom(row, superball, data),
    }[kind](index, *numbers)  # fmt: skip
    return made


def ground(world: SmallWorld, kind: str) -> None:
    if kind == "plane":
        world.floor()
    elif kind == "box":
        world.add(world.box(20.0, 1.0, 20.0), (0.0, -1.0, 0.0), mode=STATIC)
    elif kind == "mesh":
        made = world.world.shape.create(MESH)
        x, z = np.meshgrid(np.arange(-10, 11), np.arange(-10, 11))
        vertices = np.stack((x, 0 * x, z), axis=-1).reshape(-1, 3).astype(float)
        corner = (np.arange(20)[:, None] * 21 + np.arange(20)).ravel()
        halves = (corner, corner + 21, corner + 1), (corner + 1, corner + 21, corner + 22)
        triangles = np.concatenate([np.stack(half, 1) for half in halves])
        world.world.shapes.set_mesh(world.world.shape.index("", made), vertices, triangles)
        world.add(made, mode=STATIC)
    else:
        made = world.world.shape.create(HEIGHT_FIELD)
        world.world.shapes.set_height_field(world.world.shape.index("", made), 21, 21, np.zeros(441))
        world.add(made, mode=STATIC)


RESTING = {
    "a cone on its base": (TAPERED_CYLINDER, (0.5, 0.0, 0.5), None, 0.25),
    "a cup on its narrow end": (TAPERED_CYLINDER, (0.5, 0.6, 0.4), None, None),
    "a tapered capsule on its side": (TAPERED_CAPSULE, (0.6, 0.2, 0.4), LYING, None),
    "an ellipsoid on its flat side": (ELLIPSOID, (0.8, 0.3, 0.6), None, 0.3),
    "one's own": (CUSTOM, (0.5,), None, None),
}


@pytest.mark.parametrize("kind", ["plane", "box", "mesh", "height field"])
@pytest.mark.parametrize("name", RESTING)
def test_it_comes_to_rest(name, kind):
    shape_kind, numbers, basis, height = RESTING[name]
    world = SmallWorld(damp=2.0)
    ground(world, kind)
    made = shape(world, shape_kind, *numbers)
    body = world.add(made, (0.3, 0.7, 0.2), mode=RIGID, **({} if basis is None else {"basis": basis}))
    world.step(400)
    start = world.position(body)
    world.step(200)
    assert np.abs(world.position(body) - start).max() < 0.02 and np.abs(world.velocity(body)).max() < 0.05
    if height is not None:
        assert start[1] == pytest.approx(height, abs=0.01)
    assert world.position(body)[1] > 0.15


def test_rocking_gains_nothing():
    """An ellipsoid that lies on its flat side, hardly touched, does not rock more and more: no damping in 10 s."""
    world = SmallWorld()
    world.floor()
    body = world.add(shape(world, ELLIPSOID, 0.8, 0.3, 0.6), (0.0, 0.3, 0.0), mode=RIGID)
    world.turn(body, (0.1, 0.0, 0.1))
    world.step(10)
    first = max(np.abs(world.spin(body)).max() for _ in range(60) if world.step() is None)
    world.step(480)
    last = max(np.abs(world.spin(body)).max() for _ in range(60) if world.step() is None)
    assert last < 1.2 * first


def test_they_lie_on_each_other():
    """Cups stacked cap on cap stand; an ellipsoid and one's own are held by them."""
    world = SmallWorld(damp=0.2)
    world.floor()
    cup = shape(world, TAPERED_CYLINDER, 0.25, 0.4, 0.5)
    cups = [world.add(cup, (0.0, 0.25 + 0.5 * k, 0.0), mode=RIGID) for k in range(4)]
    world.step(400)
    heights = [world.position(body)[1] for body in cups]
    # Centres of mass lie below the middle of a cup that is wider below.
    np.testing.assert_allclose(np.diff(heights), [0.5] * 3, atol=5e-3)
    assert max(np.abs(world.velocity(body)).max() for body in cups) < 0.02


@pytest.mark.parametrize("name", RESTING)
def test_fast_ones_do_not_tunnel_and_casts_stop(name):
    shape_kind, numbers, _, _ = RESTING[name]
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    world.add(world.box(0.005, 5.0, 5.0), (0.0, 0.0, 0.0), mode=STATIC)
    made = shape(world, shape_kind, *numbers)
    body = world.add(made, (-20.0, 0.0, 0.0), mode=RIGID)
    world.throw(body, (200.0, 0.0, 0.0))
    world.turn(body, (3.0, 20.0, 5.0))
    world.step(60)
    assert world.position(body)[0] < 0.0
    queries = Queries(world.world)
    bounds = world.world.shapes.rows[world.world.shape.index("", made)]["bounds"]
    safe, _ = queries.cast_motion(world.system, made, (10.0, 0.0, 0.0), (-10.0, 0.0, 0.0), exclude=[body])
    assert safe == pytest.approx((10.0 - 0.005 + bounds[0]) / 10.0, abs=2e-4)
    assert len(queries.intersect_shape(world.system, made, (0.1, 0.0, 0.0), exclude=[body])) == 1
