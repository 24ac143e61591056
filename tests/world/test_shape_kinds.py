"""Height fields that change under bodies, and bodies that stand on separation rays."""

import numpy as np
import pytest
from small_world import UPRIGHT, SmallWorld

from scree.bodies.schema import RIGID, STATIC
from scree.shapes.schema import HEIGHT_FIELD, SEPARATION_RAY

DOWN = (1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0)  # Z to -Y


def terrain(world: SmallWorld, heights: np.ndarray, **params) -> int:
    shape = world.world.shape.create(HEIGHT_FIELD)
    index = world.world.shape.index("terrain", shape)
    world.world.shapes.set_height_field(index, heights.shape[1], heights.shape[0], heights)
    world.add(shape, mode=STATIC, **params)
    return shape


def test_bodies_lie_on_a_height_field():
    world = SmallWorld()
    terrain(world, np.ones((9, 9)))
    bodies = [world.add(world.box(0.2, 0.2, 0.2), (x, 2.0, z), mode=RIGID) for x in (-2, 0.3, 2) for z in (-2.1, 1.4)]
    world.step(120)
    assert [world.position(body)[1] for body in bodies] == pytest.approx([1.2] * 6, abs=2e-3)


def test_a_body_falls_through_a_hole():
    world = SmallWorld()
    heights = np.zeros((9, 9))
    heights[4, 4] = np.nan
    terrain(world, heights)
    through = world.add(world.sphere(0.2), (0.0, 1.0, 0.0), mode=RIGID)
    held = world.add(world.sphere(0.2), (2.0, 1.0, 0.0), mode=RIGID)
    world.step(120)
    assert world.position(through)[1] < -1.0
    assert world.position(held)[1] == pytest.approx(0.2, abs=2e-3)


def test_what_sleeps_on_changed_ground_wakes_and_falls():
    world = SmallWorld(sleeps=True)
    shape = terrain(world, np.ones((9, 9)))
    body = world.add(world.box(0.2, 0.2, 0.2), (0.0, 1.2, 0.0), mode=RIGID)
    world.step(120)
    assert not world.is_awake(body)
    world.world.shape.update_height_field(shape, 2, 2, np.zeros((5, 5)))
    world.step(120)
    assert world.position(body)[1] == pytest.approx(0.2, abs=2e-3)


def test_raised_ground_lifts():
    world = SmallWorld()
    shape = terrain(world, np.zeros((9, 9)))
    body = world.add(world.box(0.2, 0.2, 0.2), (0.0, 0.2, 0.0), mode=RIGID)
    world.step(10)
    world.world.shape.update_height_field(shape, 0, 0, np.full((9, 9), 0.1))
    world.step(120)
    assert world.position(body)[1] == pytest.approx(0.3, abs=5e-3)


def on_ray(world: SmallWorld, slides: bool, floor_normal=(0.0, 1.0, 0.0), height: float = 1.5, **params) -> int:
    """A ball of 0.2 m with a ray of 1 m downwards."""
    world.floor(normal=floor_normal, **params)
    ray = world.world.shape.create(SEPARATION_RAY)
    world.world.shapes.set_separation_ray(world.world.shape.index("ray", ray), 1.0, slides)
    body = world.add(world.sphere(0.2), (0.0, height, 0.0), mode=RIGID, **params)
    for axis in range(3, 6):
        world.world.body.set_axis_lock(body, 1 << axis, True)
    world.world.body.add_shape(body, ray, (*DOWN, 0.0, 0.0, 0.0))
    return body


@pytest.mark.parametrize("slides", [False, True])
def test_a_body_stands_on_its_ray(slides):
    world = SmallWorld()
    body = on_ray(world, slides)
    world.step(180)
    assert world.position(body)[1] == pytest.approx(1.0, abs=3e-3)
    assert abs(world.velocity(body)[1]) < 1e-3


@pytest.mark.parametrize("slides", [False, True])
def test_slopes_push_aside_only_where_the_ray_slides(slides):
    """A slope of 20 degrees without friction: pushed back along the ray the body stays, along the normal it slides."""
    world = SmallWorld()
    angle = np.radians(20.0)
    body = on_ray(world, slides, (float(np.sin(angle)), float(np.cos(angle)), 0.0), height=1.0, friction=0.0)
    world.step(60)
    assert (world.position(body)[0] > 0.5) == slides


def test_rays_do_not_meet_rays():
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    ray = world.world.shape.create(SEPARATION_RAY)
    world.world.shapes.set_separation_ray(world.world.shape.index("ray", ray), 1.0, False)
    bodies = [world.add(ray, (0.0, 0.0, 0.2 * k), mode=RIGID, basis=UPRIGHT) for k in range(2)]
    world.step(10)
    assert [world.velocity(body)[2] for body in bodies] == [0.0, 0.0]
