"""Contacts and areas as arrays, rules for them, and functions that steps call."""

import threading
import time

import numba
import numpy as np
import pytest

import scree

CUBE = scree.Box(half_extents=(0.5, 0.5, 0.5))
ROUND = scree.Sphere(radius=0.5)


def steps(space, count: int) -> None:
    for _ in range(count):
        space.step(1 / 60)


def test_contacts_begin_last_and_end(space):
    plane = space.add_static(scree.Plane())
    cube = space.add_rigid(CUBE, (0, 0.6, 0), mass=3.0)
    assert cube.contact_events == "none"
    cube.contact_events = "all"
    seen = []
    for _ in range(60):
        space.step(1 / 60)
        seen.append(space.contact_events())
    first = next(events for events in seen if len(events))
    assert first.began.all() and set(first.body_ids[0].tolist()) == {plane.id, cube.id}
    assert first.approach_speeds[0] == pytest.approx(np.sqrt(2 * 10 * 0.1), rel=0.1)
    down = first.normals[0] * (1 if first.body_ids[0, 1] == plane.id else -1)
    np.testing.assert_allclose(down, (0, -1, 0), atol=1e-6)
    resting = seen[25]
    assert resting.lasts.all() and resting.point_counts[0] == 4 and resting.shapes.tolist() == [[0, 0]]
    assert resting.impulses[0] == pytest.approx(3 * 10 / 60, rel=0.02), "m g dt"
    assert np.abs(resting.points[0, :, 1]).max() < 0.01 and np.abs(resting.depths).max() < 0.01
    assert np.abs(resting.friction_impulses).max() < 0.01
    cube.position = (0, 9, 0)
    space.step(1 / 60)
    assert space.contact_events().ended.tolist() == [True]
    assert isinstance(first, scree.ContactEvents)


def test_rules_by_the_names_of_classes():
    world = scree.World(threads=1, bodies=1024)
    space = world.add_space(gravity=(0, -10, 0))
    for k, name in enumerate(("belt", "ghost", "ice", "eye", "platform")):
        ground = space.add_static(scree.Box(half_extents=(4, 0.5, 4)), (10.0 * k, -0.5, 0))
        ground.contact_class = name
        assert ground.contact_class == name
    world.set_contact_rule("belt", "default", scree.ContactRule(surface_velocity=(1.0, 0, 0)))
    world.set_contact_rule("ghost", "default", scree.ContactRule(ignore=True))
    world.set_contact_rule("ice", "default", scree.ContactRule(friction=0.0, restitution=0.0))
    world.set_contact_rule("eye", "default", scree.ContactRule(sensor=True))
    world.set_contact_rule("platform", "default", scree.ContactRule(platform_normal=(0, 1, 0)))
    cubes = space.add_rigid_many(CUBE, [(10.0 * k, 0.5, 0) for k in range(4)] + [(40, -2.0, 0)])
    cubes[2].velocity, cubes[4].velocity = (1, 0, 0), (0, 9, 0)
    cubes[3].contact_events = "changes"
    space.step(1 / 60)
    assert space.contact_events().began.any()
    steps(space, 59)
    assert cubes.velocities[0, 0] == pytest.approx(1.0, rel=0.02)
    assert cubes.positions[1, 1] < -3 and cubes.positions[3, 1] < -3, "they fall through"
    assert cubes.velocities[2, 0] == pytest.approx(1.0, abs=1e-3)
    steps(space, 60)
    assert cubes.positions[4, 1] == pytest.approx(0.5, abs=0.01), "it came through from below and stands"
    world.set_contact_rule("belt", "default", None)
    steps(space, 30)
    assert abs(cubes.velocities[0, 0]) < 0.01
    with pytest.raises(ValueError, match="friction must be 0 or more, got -1"):
        world.set_contact_rule("ice", "default", scree.ContactRule(friction=-1.0))
    for k in range(58):
        world.contact_class_number(f"class {k}")
    with pytest.raises(ValueError, match="there are 64 contact classes already, got 'one more'"):
        world.contact_class_number("one more")
    assert world.contact_class_name(1) == "belt" and world.contact_class_name(99) == "99"


def test_a_rule_may_have_compiled_functions(space):
    @numba.cfunc("int64(int64)")
    def never(contact):
        return 2

    ground, cube = space.add_static(scree.Plane()), space.add_rigid(CUBE, (0, 0.5, 0))
    ground.contact_class = "trapdoor"
    space.world.set_contact_rule("trapdoor", "default", scree.ContactRule(validate=never))
    steps(space, 60)
    assert cube.position[1] < -2


def test_areas_see_and_act(space):
    area = space.add_area(scree.Box(half_extents=(2, 2, 2)), (0, 0, 0))
    ball = space.add_rigid(ROUND, (0, 4, 0))
    told = []
    for _ in range(120):
        space.step(1 / 60)
        events = space.area_events()
        told += zip(events.entered.tolist(), events.area_ids.tolist(), events.other_ids.tolist(), strict=True)
        if events.entered.any():
            assert area.overlaps() == [ball] and events.shapes.tolist() == [[0, 0]]
    assert told == [(True, area.id, ball.id), (False, area.id, ball.id)] and area.overlaps() == []
    assert isinstance(events, scree.AreaEvents) and area == scree.Area(space, area.id) and len({area}) == 1


def test_areas_change_gravity_and_damping(space):
    up = scree.AreaEffect(gravity_mode="replace", gravity=(0, 5, 0))
    lift = space.add_area(scree.Box(half_extents=(2, 20, 2)), (0, 0, 0), effect=up)
    pull = scree.AreaEffect(priority=1, gravity_mode="replace", center=(0, 0, 0), strength=4.0, unit_distance=2.0)
    space.add_area(scree.Sphere(radius=9), (30, 0, 0), effect=pull)
    honey = scree.AreaEffect(damp_mode="replace", linear_damp=2.0, angular_damp=1.0, gravity_mode="replace", gravity=(0, 0, 0))
    space.add_area(scree.Sphere(radius=5.0), (60, 0, 0), effect=honey)
    places, speeds = [(0, 0, 0), (34, 0, 0), (60, 0, 0)], [(0, 0, 0), (0, 0, 0), (2, 0, 0)]
    balls = space.add_rigid_many(scree.Sphere(radius=0.1), places, velocities=speeds)
    steps(space, 30)
    speeds = balls.velocities
    assert speeds[0, 1] == pytest.approx(2.5, rel=0.05)
    assert speeds[1, 0] == pytest.approx(-4.0 * 2**2 / 4**2 * 0.5, rel=0.1)
    assert speeds[2, 0] == pytest.approx(2 * np.exp(-1.0), rel=0.05)
    lift.set_effect(scree.AreaEffect())
    steps(space, 30)
    assert balls.velocities[0, 1] == pytest.approx(-2.5, abs=0.1)


def test_areas_are_moved_and_removed(space):
    other = space.add_area(CUBE, (0, 10, 0), is_visible=True)
    area = space.add_area(CUBE, (5, 0, 0), watches_bodies=False, watches_areas=True)
    area.position = (0, 10, 0)
    np.testing.assert_allclose(area.position, (0, 10, 0))
    space.step(1 / 60)
    assert area.overlaps() == [other]
    other.set_visible(False)
    area.move((0, 11.2, 0), (0, 0, np.sqrt(0.5), np.sqrt(0.5)))
    area.watch(bodies=True)
    ball = space.add_rigid(ROUND, (0, 11.2, 0))
    space.step(1 / 60)
    assert ball in area.overlaps() and str(area.id) in repr(area)
    area.remove()
    other.remove()
    space.step(1 / 60)
    assert list(space.world.shapes._uses) == [ROUND]
    for call in (area.remove, area.overlaps, area.watch, lambda: area.set_visible(True), lambda: area.position):
        with pytest.raises(KeyError, match=f"there is no area {area.id}"):
            call()
    with pytest.raises(ValueError, match="gravity_mode must be"):
        space.add_area(CUBE, effect=scree.AreaEffect(gravity_mode="sideways"))  # type: ignore[arg-type]
    assert list(space.world.shapes._uses) == [ROUND], "it is gone again"
    space.add_area(CUBE)
    space.remove()
    assert not space.world.shapes._uses


def test_areas_see_the_layers_that_they_name():
    world = scree.World(threads=1, layers=scree.Layers("a", "b"), bodies=256)
    space = world.add_space(gravity=(0, 0, 0))
    area = space.add_area(CUBE, sees="b")
    space.add_rigid(ROUND, layer="a")
    seen = space.add_rigid(ROUND, (0.3, 0, 0), layer="b")
    space.step(1 / 60)
    assert area.overlaps() == [seen]


def test_functions_are_called_in_a_step(space):
    told = {"before": [], "sub-step": [], "after": []}
    listeners = [space.on_step(told[moment].append, moment) for moment in told]
    assert all(isinstance(listener, scree.Listener) for listener in listeners)
    space.step(0.02)
    assert told == {"before": [0.02], "sub-step": [0.005] * 4, "after": [0.02]}
    for listener in listeners:
        listener.remove()
    space.step(0.02)
    assert len(told["before"]) == 1

    def fails(seconds: float) -> None:
        raise RuntimeError("no wind today")

    space.on_step(fails)
    with pytest.raises(RuntimeError, match="no wind today"):
        space.step(0.02)
    with pytest.raises(ValueError, match="moment must be one of before, sub-step, after, got 'then'"):
        space.on_step(fails, "then")  # type: ignore[arg-type]


def test_limits_are_named_and_warn():
    with pytest.raises(ValueError, match="there is no limit 'bodys'"):
        scree.World(bodys=3)
    space = scree.World(threads=1, bodies=256, pairs=64, contacts=4).add_space()
    space.add_static(scree.Plane())
    space.add_rigid_many(CUBE, [(2.0 * k, 0.4, 0) for k in range(20)])
    with pytest.warns(scree.LimitReached, match="contacts were left out"):
        steps(space, 3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gravity": (0, np.nan, 0)}, "gravity must be finite, got nan"),
        ({"gravity": (0, 1)}, "gravity must be of shape"),
        ({"center": (np.inf, 0, 0)}, "center must be finite, got inf"),
        ({"strength": np.nan}, "strength must be one finite number"),
        ({"unit_distance": -1.0}, "unit_distance must be one finite number of at least 0, got -1.0"),
        ({"linear_damp": -0.1}, "linear_damp must be one finite number of at least 0, got -0.1"),
        ({"angular_damp": np.inf}, "angular_damp must be one finite number of at least 0, got inf"),
        ({"priority": 1.5}, "priority must be a whole number"),
        ({"priority": 1 << 40}, "priority must be a whole number"),
        ({"gravity_mode": "sideways"}, "gravity_mode must be one of disabled, .*got 'sideways'"),
        ({"damp_mode": 7}, "damp_mode must be one of disabled, .*got 7"),
    ],
)
def test_effects_are_checked_where_they_are_made(wrong, message):
    with pytest.raises(ValueError, match=f"^AreaEffect: {message}"):
        scree.AreaEffect(**wrong)


def test_an_effect_keeps_its_own_numbers(space):
    gravity = np.array((0.0, 5.0, 0.0))
    effect = scree.AreaEffect(gravity_mode="replace", gravity=gravity)
    gravity[:] = 9
    assert effect.gravity == (0, 5, 0) and effect == scree.AreaEffect(gravity_mode="replace", gravity=[0, 5, 0])
    area = space.add_area(CUBE)
    for call in (lambda: area.set_effect("up"), lambda: space.add_area(CUBE, effect="up")):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="^(set_effect|add_area): an AreaEffect is wanted, got 'up'"):
            call()
    assert len(space.world.shapes._uses) == 1


def test_areas_and_gravity_change_when_the_step_has_ended(space):
    """Any thread may ask for it: here while the gate of the space is held, as a step holds it."""
    row, area, ball = space.core.system(space.id).row, space.add_area(CUBE), space.add_rigid(ROUND)
    own, seen = (space.core.areas.rows[space.core.area.index("test", area.id)] for _ in range(2))
    before = own.tobytes(), row["settings"]["gravity"].tobytes(), space.core.bodies.rows["collision_mask"].tobytes()
    row["edits"]["gate"] = 1
    area.watch(bodies=False, areas=True)
    area.set_visible(True)
    area.set_effect(scree.AreaEffect(gravity_mode="replace", gravity=(0, 3, 0)))
    space.core.area.set_collision_layer(area.id, 4)
    space.core.area.set_collision_mask(area.id, 8)
    space.core.area.set_shape_disabled(area.id, 0, True)
    space.core.area.set_shape_disabled(area.id, 0, False)
    space.gravity = (0, -1, 0)
    assert before == (own.tobytes(), row["settings"]["gravity"].tobytes(), space.core.bodies.rows["collision_mask"].tobytes())
    row["edits"]["gate"] = 0
    space.core.late.settle()
    body = space.core.bodies.rows[space.core.area.index("test", area.id)]
    assert seen["gravity_mode"] == 3 and (body["collision_layer"], body["collision_mask"]) == (4, 8)
    assert not space.core.instances.rows[int(body["first_instance"])]["is_disabled"]
    np.testing.assert_allclose(space.gravity, (0, -1, 0))
    steps(space, 60)
    assert ball.velocity[1] == pytest.approx(-1.0, abs=0.02), "the area sees no layer of the ball"


class Slow(list):
    """Another thread gets its turn between a look at the list and what follows from it."""

    def __contains__(self, value: object) -> bool:
        is_in = super().__contains__(value)
        time.sleep(0.0005)
        return is_in


def test_threads_that_name_classes_at_once_name_each_once(space):
    classes = space.world._contact_classes
    classes._names = Slow(classes._names)
    numbers, begin = [], threading.Barrier(4)

    def name_all() -> None:
        begin.wait()
        numbers.extend((name, space.world.contact_class_number(name)) for name in map(str, range(30)))

    threads = [threading.Thread(target=name_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(numbers)) == 30 and len({number for _, number in numbers}) == 30
    assert len(classes._names) == 31
