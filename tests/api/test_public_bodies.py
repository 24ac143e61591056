"""One body: its handle, what it tells, what is done to it, and what raises."""

import dataclasses
import math

import numpy as np
import pytest

import scree

CUBE = scree.Box(half_extents=(0.5, 0.5, 0.5))
QUARTER = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))  # about z


def steps(space, count: int) -> None:
    for _ in range(count):
        space.step(1 / 60)


def test_a_ball_falls_as_formulas_say(space):
    ball = space.add_rigid(scree.Sphere(radius=0.5), position=(0, 100, 0), velocity=(3, 0, 0))
    steps(space, 60)
    np.testing.assert_allclose(ball.velocity, (3, -10, 0), atol=1e-4)
    np.testing.assert_allclose(ball.position, (3, 95, 0), atol=0.05)


def test_mass_comes_from_density_and_inertia_from_the_shape(space):
    cube = space.add_rigid(scree.Box(half_extents=(1, 0.5, 2)), density=10.0)
    assert cube.mass == pytest.approx(80.0)
    np.testing.assert_allclose(cube.inertia, 80 / 12 * np.array((1 + 16, 4 + 16, 4 + 1)), rtol=1e-5)
    cube.mass = 8.0
    assert cube.mass == 8.0
    np.testing.assert_allclose(cube.inertia, 8 / 12 * np.array((1 + 16, 4 + 16, 4 + 1)), rtol=1e-5)
    cube.inertia = (1, 2, 3)
    np.testing.assert_allclose(cube.inertia, (1, 2, 3), rtol=1e-6)


def test_position_and_velocity_are_those_of_the_origin_wherever_the_mass_is(space):
    """v of the origin = v of the centre of mass - w x arm."""
    space.gravity = (0, 0, 0)
    body = space.add_rigid(CUBE, (1, 2, 3), QUARTER, velocity=(1, 0, 0), angular_velocity=(0, 0, 2))
    body.center_of_mass = (0.25, 0, 0)
    np.testing.assert_allclose(body.position, (1, 2, 3), atol=1e-7)
    np.testing.assert_allclose(space.bodies.centers_of_mass[0], (1, 2.25, 3), atol=1e-6)
    body.velocity = (1, 0, 0)
    np.testing.assert_allclose(body.velocity, (1, 0, 0), atol=1e-6)
    np.testing.assert_allclose(body.basis @ (1, 0, 0), (0, 1, 0), atol=1e-6)
    np.testing.assert_allclose(body.center_of_mass, (0.25, 0, 0))
    body.position = (0, 0, 0)
    np.testing.assert_allclose(body.position, (0, 0, 0), atol=1e-7)
    np.testing.assert_allclose(np.abs(body.rotation), QUARTER, atol=1e-6)


def test_handles_are_small_values(space):
    body, other = space.add_rigid(CUBE), space.add_static(CUBE, (5, 0, 0))
    assert body == space.body(body.id) != other and len({body, space.body(body.id), other}) == 2
    assert body.space is space and str(body.id) in repr(body) and body.exists
    assert (body.mode, other.mode) == ("rigid", "static")
    other.mode = "kinematic"
    assert other.mode == "kinematic"
    with pytest.raises(ValueError, match="read-only"):
        body.position[1] = 3.0
    with pytest.raises(ValueError, match="mode: it must be one of static, kinematic, rigid, got 'liquid'"):
        body.mode = "liquid"  # type: ignore[assignment]


def test_a_body_that_was_removed_raises_whatever_is_asked(space):
    body, other = space.add_rigid(CUBE), space.add_rigid(CUBE, (5, 0, 0))
    body.remove()
    assert not body.exists
    set_it = {"position": (0, 0, 0), "velocity": (0, 0, 0), "mass": 1.0, "mode": "static", "layer": "default",
              "mask": "default", "material": scree.Material(), "can_sleep": True, "continuous": True, "contact_events": "all",
              "contact_class": "default", "gravity_scale": 1.0, "linear_damp": 0.1, "angular_damp": 0.1, "inertia": (1, 1, 1),
              "center_of_mass": (0, 0, 0), "rotation": (0, 0, 0, 1), "angular_velocity": (0, 0, 0)}  # fmt: skip
    calls = [lambda name=name, value=value: setattr(body, name, value) for name, value in set_it.items()]
    calls += [lambda name=name: getattr(body, name) for name in (*set_it, "is_asleep", "shapes", "basis")]
    calls += [
        body.remove, body.wake, body.sleep, lambda: body.ignore(other), lambda: body.add_shape(CUBE), lambda: body.lock_axes("x"),
        lambda: body.apply_impulse((0, 1, 0)), lambda: body.apply_force((0, 1, 0)), lambda: body.apply_torque((0, 1, 0)),
        lambda: body.apply_torque_impulse((0, 1, 0)), lambda: body.set_surface_velocity((0, 1, 0)),
        lambda: body.set_constant_force((0, 1, 0)), lambda: body.test_motion((0, 1, 0)), lambda: body.remove_shape(0),
        lambda: space.add_joint(scree.Pin(), body), lambda: space.closest_point(body, (0, 0, 0)),
        lambda: space.add_vehicle(body, [scree.Wheel(position=(0, 0, 0))]),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(KeyError, match=f"there is no body {body.id} .*: it was freed"):
            call()


@pytest.mark.parametrize(
    ("name", "value"),
    [("position", (0, 1)), ("rotation", (0, 0, 0, 0)), ("velocity", (0, np.inf, 0)), ("mass", -1.0), ("inertia", (-1, 0, 0)),
     ("mask", "nobody"), ("layer", "nobody"), ("contact_events", "some"), ("gravity_scale", np.nan)],
)  # fmt: skip
def test_bad_values_raise_and_change_nothing(space, name, value):
    body = space.add_rigid(CUBE, (1, 2, 3))
    before = getattr(body, name)
    with pytest.raises(ValueError, match=name.split("_")[0]):
        setattr(body, name, value)
    assert np.array_equal(getattr(body, name), before)


def test_impulses_and_forces_of_one_body(space):
    space.gravity = (0, 0, 0)
    body = space.add_rigid(scree.Sphere(radius=1.0), mass=2.0)
    inertia = 0.4 * 2.0
    body.apply_impulse((4, 0, 0))
    body.apply_torque_impulse((0, inertia, 0))
    np.testing.assert_allclose(body.velocity, (2, 0, 0), atol=1e-6)
    np.testing.assert_allclose(body.angular_velocity, (0, 1, 0), atol=1e-5)
    body.velocity = body.angular_velocity = (0, 0, 0)
    body.apply_force((2, 0, 0), offset=(0, 1, 0))
    body.apply_torque((0, 0, 2.0))
    body.set_constant_force((0, 0, 4))
    space.step(0.1)
    np.testing.assert_allclose(body.velocity, (0.1, 0, 0.2), atol=1e-5)
    np.testing.assert_allclose(body.angular_velocity, (0, 0, 0), atol=1e-5)
    with pytest.raises(ValueError, match=r"apply_impulses: .* must be of shape \(3,\), got \(2,\)"):
        body.apply_impulse((1, 2))


def test_gravity_damping_and_locked_axes(space):
    light = space.add_rigid(CUBE, (0, 50, 0), gravity_scale=0.5, linear_damp=0.0)
    slowed = space.add_rigid(CUBE, (5, 50, 0), velocity=(8, 0, 0), angular_velocity=(0, 4, 0))
    slowed.linear_damp, slowed.angular_damp, slowed.gravity_scale = 1.0, 2.0, 0.0
    locked = space.add_rigid(CUBE, (20, 50, 0), velocity=(1, 0, 0), angular_velocity=(1, 1, 1))
    locked.lock_axes(linear="y", angular="xz")
    steps(space, 60)
    assert light.velocity[1] == pytest.approx(-5.0, abs=1e-3)
    assert slowed.velocity[0] == pytest.approx(8 * math.exp(-1), rel=0.02)
    assert slowed.angular_velocity[1] == pytest.approx(4 * math.exp(-2), rel=0.04)
    assert (slowed.linear_damp, slowed.angular_damp, slowed.gravity_scale) == (1.0, 2.0, 0.0)
    assert locked.position[1] == 50.0 and abs(locked.rotation[0]) + abs(locked.rotation[2]) < 1e-6
    with pytest.raises(ValueError, match="lock_axes: axes are x, y and z"):
        locked.lock_axes("w")


def test_sleep(space):
    space.add_static(scree.Plane())
    told = []
    listener = space.on_waking(lambda woke, slept: told.append((woke.ids.tolist(), slept.ids.tolist())))
    body = space.add_rigid(CUBE, (0, 0.5, 0))
    steps(space, 60)
    assert body.is_asleep and told[0] == ([body.id], []) and told[-1] == ([], [body.id])
    body.can_sleep = False
    steps(space, 60)
    assert not body.is_asleep and not body.can_sleep
    body.can_sleep = True
    body.sleep()
    space.step(1 / 60)
    assert body.is_asleep
    listener.remove()
    count = len(told)
    body.wake()
    space.step(1 / 60)
    assert len(told) == count
    with pytest.raises(KeyError):
        listener.remove()


def test_surfaces_rub_bounce_and_run(space):
    ice, rubber = scree.Material(friction=0.0), scree.Material(friction=0.8, restitution=0.5, rough=True)
    space.add_static(scree.Plane(), material=scree.Material(friction=0.5))
    sliding = space.add_rigid(CUBE, (0, 0.5, 0), velocity=(2, 0, 0), material=ice)
    stopped = space.add_rigid(CUBE, (0, 0.5, 5), velocity=(2, 0, 0))
    bouncing = space.add_rigid(scree.Sphere(radius=0.5), (0, 3, 10), material=rubber)
    steps(space, 30)
    assert sliding.velocity[0] == pytest.approx(2.0, abs=1e-3) and bouncing.material == rubber
    assert stopped.position[0] == pytest.approx(2.0**2 / (2 * 0.5 * 10), rel=0.1)
    assert bouncing.velocity[1] > 0 or bouncing.position[1] > 0.5
    sliding.material = rubber
    assert sliding.material == rubber
    with pytest.raises(ValueError, match="friction must be at least 0"):
        scree.Material(friction=-1.0)
    with pytest.raises(ValueError, match="set_surface_velocity: only a static or kinematic"):
        sliding.set_surface_velocity((1, 0, 0))
    with pytest.raises(ValueError, match="velocities: only rigid bodies"):
        space.add_static(CUBE, (9, 9, 9)).velocity = (1, 0, 0)


def test_kinematic_bodies_push(space):
    space.gravity = (0, 0, 0)
    pusher, pushed = space.add_kinematic(CUBE), space.add_rigid(CUBE, (1.0, 0, 0), material=scree.Material(friction=0.0))
    for k in range(60):
        pusher.move((k / 60, 0, 0))
        space.step(1 / 60)
    assert pusher.velocity[0] == pytest.approx(1.0, rel=1e-3)
    assert pushed.position[0] > 1.9


def test_layers_say_who_meets_whom():
    layers = scree.Layers("ground", "player", "ghost", apart=[("player", "ghost")], own_tree=["ghost"])
    space = scree.World(threads=1, layers=layers, bodies=1024).add_space(gravity=(0, -10, 0))
    space.add_static(scree.Plane(), layer="ground")
    player = space.add_rigid(CUBE, (0, 0.5, 0), layer="player")
    ghost = space.add_rigid(CUBE, (0, 0.6, 0), layer="ghost")
    assert (ghost.layer, ghost.mask) == ("ghost", ("ground", "ghost")) and space.bodies[0].layer == "ground"
    steps(space, 60)
    np.testing.assert_allclose([player.position[1], ghost.position[1]], 0.5, atol=0.01)
    assert space.cast_ray((0, 5, 0), (0, 0.1, 0), layers="ground") is None
    assert space.cast_ray((0, 5, 0), (0, 0, 0), layers=["ghost"]).body == ghost
    ghost.mask = ()
    steps(space, 60)
    assert ghost.position[1] < 0.0
    player.layer = "ground"
    assert player.mask == ("ground", "player", "ghost")
    for wrong in ({"apart": [("a", "b")]}, {"own_tree": ["a"]}):
        with pytest.raises(ValueError, match="there is no layer 'a'; there are ground"):
            scree.Layers("ground", **wrong)
    with pytest.raises(ValueError, match="different names"):
        scree.Layers("a", "a")


def test_bodies_that_ignore_each_other_pass(space):
    space.add_static(scree.Plane())
    below, above = space.add_rigid(CUBE, (0, 0.5, 0)), space.add_rigid(CUBE, (0, 3, 0))
    above.ignore(below)
    steps(space, 90)
    assert above.position[1] == pytest.approx(0.5, abs=0.01)
    above.position = (0, 3, 0)
    above.ignore(below, False)
    steps(space, 90)
    assert above.position[1] == pytest.approx(1.5, abs=0.01)


def test_shapes_on_a_body_come_and_go(space):
    space.gravity = (0, 0, 0)
    body = space.add_rigid(CUBE)
    body.add_shape(CUBE, position=(2, 0, 0), rotation=QUARTER)
    np.testing.assert_allclose(body.center_of_mass, (1, 0, 0), atol=1e-6)
    assert body.shapes == [CUBE, CUBE] and space.world.shapes._uses[CUBE][1] == 2
    assert space.cast_ray((2, 5, 0), (2, 0, 0)).shape == 1
    body.remove_shape(0)
    space.step(1 / 60)
    assert body.shapes == [CUBE] and space.cast_ray((0, 5, 0), (0, 0, 0)) is None
    with pytest.raises(ValueError, match="remove_shape|body_get_shape: the body has 1 shapes, there is no number 4"):
        body.remove_shape(4)


def test_fast_bodies_and_motions_are_stopped_by_a_wall(space):
    space.gravity = (0, 0, 0)
    space.add_static(scree.Box(half_extents=(0.05, 5, 5)), (5, 0, 0))
    bullet = space.add_rigid(scree.Sphere(radius=0.1), velocity=(500, 0, 0), continuous=True)
    assert bullet.continuous
    bullet.continuous = False
    assert not bullet.continuous
    travel, left = bullet.test_motion((10, 0, 0))
    assert travel[0] == pytest.approx(4.85, abs=0.02) and travel[0] + left[0] == pytest.approx(10, abs=0.01)
    steps(space, 10)
    assert bullet.position[0] < 5.0


def test_a_space_is_set_and_removed(space):
    assert space.settings == scree.SpaceSettings()
    settings = dataclasses.replace(space.settings, substep_count=8, is_sleeping_allowed=False)
    space.settings = settings
    assert space.settings == settings and space.core.system(space.id).row["settings"]["substep_count"] == 8
    space.gravity = (1, 2, 2)
    np.testing.assert_allclose(space.gravity, (1, 2, 2), rtol=1e-9)
    space.shift_origin((1000, 0, 0))
    for call in (lambda: space.step(-1.0), lambda: space.step(float("nan")), lambda: space.step(0.1, 0)):
        with pytest.raises(ValueError, match="step: "):
            call()
    with pytest.raises(ValueError, match="gravity must be of shape"):
        space.gravity = (1, 2)
    with pytest.raises(ValueError, match="add_space: gravity must be of shape"):
        space.world.add_space(gravity=(1, 2))
    body = space.add_rigid(CUBE)
    space.remove()
    assert not body.exists and str(space.id) in repr(space)
    with pytest.raises(KeyError, match="there is no space"):
        space.step(1 / 60)
    with pytest.raises(KeyError, match="there is no space"):
        space.add_rigid(CUBE)


def test_no_step_comes_between_edits(space):
    import threading

    done = []
    thread = threading.Thread(target=lambda: (space.step(1 / 60), done.append(True)))
    with space.edits(), space.edits():
        thread.start()
        thread.join(0.2)
        assert not done
        body = space.add_rigid(CUBE, (0, 1, 0))
        body.position = (0, 2, 0)
        assert body.position[1] == 2.0
    thread.join()
    assert done and body.position[1] < 2.0
