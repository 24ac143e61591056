"""Triangles of meshes and cells of height fields with friction and restitution of their own."""

import numpy as np
import pytest
from small_world import SmallWorld

from scree.bodies.schema import STATIC
from scree.core.queries import Queries
from scree.shapes.schema import HEIGHT_FIELD, MESH

ICE, ROUGH, RUBBER = range(3)
TABLE = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.8)]


def floor_of_strips(world: SmallWorld) -> int:
    """Three strips along X, each 4 m wide, one beside the other along Z: ice, rough, rubber."""
    vertices, triangles, materials = [], [], []
    for strip in range(3):
        low, first = 4.0 * strip, len(vertices)
        vertices += [(-50.0, 0.0, low), (50.0, 0.0, low), (50.0, 0.0, low + 4.0), (-50.0, 0.0, low + 4.0)]
        triangles += [(first, first + 2, first + 1), (first, first + 3, first + 2)]
        materials += [strip, strip]
    shape = world.world.shape.create(MESH)
    world.world.shapes.set_mesh(world.world.shape.index("mesh", shape), vertices, triangles, False, materials, TABLE)
    return world.add(shape, mode=STATIC, friction=0.5)


def field_of_strips(world: SmallWorld) -> int:
    """The triangles as cells of a height field, which is centred on its own origin."""
    shape = world.world.shape.create(HEIGHT_FIELD)
    cells = np.repeat([ICE, ROUGH, RUBBER], 4)[:, None] * np.ones(100, int)
    world.world.shapes.set_height_field(world.world.shape.index("field", shape), 101, 13, np.zeros((13, 101)), cells, TABLE)
    return world.add(shape, (0.0, 0.0, 6.0), mode=STATIC, friction=0.5)


FLOORS = pytest.mark.parametrize("floor", [floor_of_strips, field_of_strips])


@FLOORS
def test_a_box_slides_on_ice_and_stops_on_rough_ground(floor):
    world = SmallWorld()
    floor(world)
    boxes = [world.add(world.box(0.5, 0.1, 0.5), (0.0, 0.1, 2.0 + 4.0 * strip), friction=1.0) for strip in (ICE, ROUGH, RUBBER)]
    for box in boxes:
        world.throw(box, (5.0, 0.0, 0.0))
    world.step(60)
    gone = [world.position(box)[0] for box in boxes]
    assert gone[ICE] == pytest.approx(5.0, abs=0.02)
    # v^2 / (2 mu g)
    assert gone[ROUGH] == pytest.approx(1.25, rel=0.05) and gone[RUBBER] == pytest.approx(2.5, rel=0.05)


@FLOORS
def test_a_ball_bounces_on_rubber_alone(floor):
    world = SmallWorld()
    floor(world)
    balls = [world.add(world.sphere(0.25), (0.0, 2.25, 2.0 + 4.0 * strip)) for strip in (ICE, ROUGH, RUBBER)]
    highest = np.zeros(3)
    for tick in range(90):
        world.step()
        if tick > 45:
            highest = np.maximum(highest, [world.position(ball)[1] - 0.25 for ball in balls])
    assert (highest[:2] < 0.02).all() and highest[RUBBER] == pytest.approx(2.0 * 0.8**2, rel=0.1)


def test_rays_tell_cells_and_ice_thaws():
    """A region of materials changes what rays are told, and a box that slides is stopped there."""
    world = SmallWorld()
    floor = field_of_strips(world)
    starts = np.array([(0.3, 1.0, z) for z in (0.5, 3.9, 4.1, 8.5)])
    hits = Queries(world.world).cast_rays(world.system, starts, starts - (0.0, 2.0, 0.0))
    assert hits["material"].tolist() == [ICE, ICE, ROUGH, RUBBER] and hits["face"].tolist() == [-1] * 4
    casts = [Queries(world.world).cast_shape(world.system, world.sphere(0.05), start, (0.0, -2.0, 0.0), kind)[0]
             for start in starts for kind in ("closest", "all")]  # fmt: skip
    assert [int(cast["material"]) for cast in casts] == [ICE, ICE, ICE, ICE, ROUGH, ROUGH, RUBBER, RUBBER]
    assert {int(cast["face"]) for cast in casts} == {-1} and {int(cast["part"]) for cast in casts} == {-1}
    box = world.add(world.box(0.5, 0.1, 0.5), (0.0, 0.1, 2.0), friction=1.0)
    world.throw(box, (5.0, 0.0, 0.0))
    world.step(30)
    world.world.shape.update_height_field(world.world.body.shape(floor, 0), 0, 0, None, np.full((4, 100), ROUGH))
    hits = Queries(world.world).cast_rays(world.system, starts, starts - (0.0, 2.0, 0.0))
    assert hits["material"].tolist() == [ROUGH, ROUGH, ROUGH, RUBBER]
    world.step(60)
    assert world.position(box)[0] == pytest.approx(2.5 + 1.25, abs=0.1)
