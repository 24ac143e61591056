"""Characters through the public package: adding, moving one and many, what they report, settings, errors. How they walk is in
tests/characters/test_walking.py."""

import numpy as np
import pytest

import scree

TICK = 1 / 60
CAPSULE = scree.Capsule(radius=0.3, height=1.8)


@pytest.fixture
def space():
    space = scree.World(threads=1).add_space(gravity=(0, -9.81, 0))
    space.add_static(scree.Box(half_extents=(50, 0.5, 50)), (0, -0.5, 0))
    return space


def step(space, wanted, ticks):
    for _ in range(ticks):
        space.move_characters(wanted, TICK)
        space.step(TICK)


def test_many_move_in_one_call_as_one_by_one(space):
    places = [(3.0 * k, 0.95, 0.0) for k in range(5)]
    wanted = np.array([(0.0, 0.0, 0.5 * k) for k in range(5)])
    for place in places:
        space.add_character(CAPSULE, place)
    step(space, wanted, 60)
    others = scree.World(threads=1).add_space(gravity=(0, -9.81, 0))
    others.add_static(scree.Box(half_extents=(50, 0.5, 50)), (0, -0.5, 0))
    each = [others.add_character(CAPSULE, place) for place in places]
    for _ in range(60):
        for one, velocity in zip(each, wanted, strict=True):
            one.move(velocity, TICK)
        others.step(TICK)
    many = space.characters
    assert isinstance(many, scree.Characters) and len(many) == 5 and many.on_floor.all() and not many.on_wall.any()
    assert many.positions.tobytes() == np.array([one.position for one in each]).tobytes()
    np.testing.assert_allclose(many.velocities, wanted, atol=1e-9)
    np.testing.assert_allclose(many.floor_normals, np.tile((0, 1, 0), (5, 1)), atol=1e-6)
    space.move_characters((1, 0, 0), TICK, many[:2])
    assert many[0].velocity[0] == 1.0 and many[4].velocity[0] == 0.0
    assert list(many) == [many[k] for k in range(5)] and many.ids.shape == (5,)


def test_what_it_reports(space):
    wall = space.add_static(scree.Box(half_extents=(0.5, 2, 5)), (2, 2, 0))
    hero = space.add_character(CAPSULE, (0, 1.2, 0))
    assert isinstance(hero, scree.Character) and hero == space.characters[0] and hero.exists
    assert not hero.on_floor and hero.standing_on is None and hero.wall is None
    landed = False
    for _ in range(60):
        hero.move((3, 0, 0), TICK)
        landed |= hero.has_landed
        space.step(TICK)
    assert landed and hero.on_floor and hero.on_wall and not hero.on_ceiling and not hero.is_stuck and not hero.slides_down
    assert hero.wall == wall and hero.standing_on is not None
    np.testing.assert_allclose(hero.wall_normal, (-1, 0, 0), atol=1e-6)
    np.testing.assert_allclose(hero.floor_point, (hero.position[0], 0, 0), atol=1e-3)
    np.testing.assert_allclose(hero.real_velocity, 0.0, atol=1e-6)
    np.testing.assert_allclose(hero.body.position, hero.position, atol=1e-6)
    assert hero.turned == 0.0 and hero.step_up == 0.0 and not hero.has_stepped and not hero.has_left


def test_settings_can_be_read_and_assigned(space):
    hero = space.add_character(CAPSULE, (0, 1, 0), step_height=0.2, max_slope=0.5, up=(0, 2, 0))
    assert (hero.step_height, hero.snap, hero.padding) == (0.2, 0.2, 0.005)
    assert hero.max_slope == pytest.approx(0.5) and hero.falls and hero.keeps_velocity and hero.turns
    np.testing.assert_array_equal(hero.up, (0, 1, 0))
    for name in ("step_height", "snap", "padding", "push_force", "mass", "gravity_scale", "max_slope"):
        setattr(hero, name, 0.07)
        assert getattr(hero, name) == pytest.approx(0.07)
    for name in ("falls", "keeps_velocity", "turns"):
        setattr(hero, name, False)
        assert getattr(hero, name) is False
    hero.up = (1, 0, 0)
    hero.rotation = (0, 0, 0.6, 0.8)
    np.testing.assert_allclose(hero.rotation, (0, 0, 0.6, 0.8))
    hero.falling_velocity = (0, 1, 0)
    np.testing.assert_array_equal(hero.falling_velocity, (0, 1, 0))


def test_a_caller_may_do_gravity_and_jumps(space):
    hero = space.add_character(CAPSULE, (0, 0.95, 0), falls=False)
    upward = 0.0
    heights = []
    for tick in range(120):
        upward = 5.0 if tick == 30 else 0.0 if hero.on_floor else upward - 9.81 * TICK
        hero.move((1, upward, 0), TICK)
        upward = hero.velocity[1]
        space.step(TICK)
        heights.append(hero.position[1])
    assert max(heights) - heights[20] == pytest.approx(25 / (2 * 9.81), rel=0.07)  # of first order, as the caller's gravity
    assert hero.on_floor and heights[-1] == pytest.approx(heights[20], abs=1e-3)
    with pytest.raises(ValueError, match="jump: the character does not fall by itself"):
        hero.jump(3.0)


def test_characters_are_walls_for_each_other_and_rays_see_them(space):
    one, other = space.add_character(CAPSULE, (0, 0.95, 0)), space.add_character(CAPSULE, (3, 0.95, 0))
    for _ in range(120):
        one.move((2, 0, 0), TICK)
        other.move((0, 0, 0), TICK)
        space.step(TICK)
    assert one.wall == other.body and one.position[0] == pytest.approx(3 - 0.6 - 0.005, abs=1e-3)
    hit = space.cast_ray((-5, 1, 0), (5, 1, 0))
    assert hit.body == one.body


def test_a_jump_of_place_leaves_no_velocity(space):
    hero = space.add_character(CAPSULE, (0, 0.95, 0))
    box = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), (5, 0.2, 0))
    step(space, (0, 0, 0), 5)
    hero.position = (10, 0.95, 0)
    np.testing.assert_allclose(hero.body.position, (10, 0.95, 0))
    step(space, (0, 0, 0), 30)
    np.testing.assert_allclose(box.position, (5, 0.2, 0), atol=1e-3)
    assert hero.on_floor


def test_bad_input_is_refused_in_one_line(space):
    with pytest.raises(ValueError, match="add_character: step_height must be a number from 0 to 1000, got -1"):
        space.add_character(CAPSULE, step_height=-1)
    with pytest.raises(ValueError, match="add_character: max_slope must be a number"):
        space.add_character(CAPSULE, max_slope=np.nan)
    with pytest.raises(ValueError, match="add_character: up must not be zero"):
        space.add_character(CAPSULE, up=(0, 0, 0))
    with pytest.raises(ValueError, match="add_character: a character's shapes must be convex"):
        space.add_character(scree.Plane())
    assert len(space.bodies) == 1 and len(space.characters) == 0
    hero = space.add_character(CAPSULE, (0, 1, 0))
    with pytest.raises(ValueError, match="move: wanted_velocity must be finite"):
        hero.move((np.nan, 0, 0), TICK)
    with pytest.raises(ValueError, match="move: seconds must be one finite number of at least 0"):
        hero.move((0, 0, 0), -1)
    with pytest.raises(ValueError, match=r"move_characters: wanted_velocities must be of shape"):
        space.move_characters(np.zeros((2, 3)), TICK)
    with pytest.raises(ValueError, match="padding: padding must be a number from 0.001 to 0.1, got 0"):
        hero.padding = 0
    with pytest.raises(ValueError, match="set_shape: a character's shape must be convex"):
        hero.set_shape(scree.Plane())
    other = scree.World().add_space()
    with pytest.raises(ValueError, match="move_characters: the characters belong to another space"):
        other.move_characters((0, 0, 0), TICK, space.characters)
    hero.remove()
    assert not hero.exists and len(space.characters) == 0
    with pytest.raises(KeyError, match="position: there is no character"):
        hero.position  # noqa: B018


def test_a_character_without_its_body_stays(space):
    hero = space.add_character(CAPSULE, (0, 0.95, 0))
    hero.body.remove()
    assert not hero.exists
    space.move_characters((1, 0, 0), TICK)
    np.testing.assert_array_equal(hero.position, (0, 0.95, 0))
    hero.remove()
