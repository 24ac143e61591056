"""Joints, motors and springs as values, each against its formula; pulleys and vehicles."""

import math

import numpy as np
import pytest

import scree

ROD = scree.Box(half_extents=(0.05, 0.5, 0.05))
CUBE = scree.Box(half_extents=(0.5, 0.5, 0.5))
Z = (0, 0, 1)


def steps(space, count: int) -> None:
    for _ in range(count):
        space.step(1 / 60)


def test_a_pendulum_has_the_period_of_its_formula(space):
    """Physical pendulum: T = 2 pi sqrt(I / (m g d)), about its end, for small swings."""
    rod = space.add_rigid(ROD, (0, -0.5, 0), can_sleep=False)
    hinge = space.add_joint(scree.Hinge(anchor=(0, 0, 0), axis=Z), rod)
    inertia = (0.1**2 + 1.0**2) / 12 + 0.25
    period = 2 * math.pi * math.sqrt(inertia / (10 * 0.5))
    rod.angular_velocity, rod.velocity = (0, 0, 0.1), (0.05, 0, 0)
    angles = []
    for _ in range(1200):
        space.step(1 / 240)
        angles.append(hinge.position())
    crossings = [k for k in range(1, 1200) if angles[k - 1] < 0 <= angles[k]]
    assert np.diff(crossings).mean() / 240 == pytest.approx(period, rel=0.01)
    assert hinge.force[1] == pytest.approx(10.0, rel=0.05), "it bears the weight"


def test_a_motor_keeps_its_speed_and_a_limit_its_angle(space):
    space.gravity = (0, 0, 0)
    rod = space.add_rigid(ROD, can_sleep=False)
    hinge = space.add_joint(scree.Hinge(axis=Z, limits=(-2.0, 2.0), motor=scree.Motor(velocity=3.0)), rod)
    steps(space, 30)
    assert rod.angular_velocity[2] == pytest.approx(3.0, rel=1e-3) and hinge.position() == pytest.approx(1.5, rel=0.05)
    steps(space, 60)
    assert hinge.position() == pytest.approx(2.0, abs=0.02)
    hinge.set_limits((-1.0, 1.0))
    hinge.set_motor(scree.Motor(velocity=-3.0, max_force=1.0))
    steps(space, 120)
    assert hinge.position() == pytest.approx(-1.0, abs=0.02)
    hinge.set_limits(None)
    steps(space, 60)
    hinge.set_motor(None)
    hinge.set_spring(scree.Spring(frequency=2.0, target=0.5))
    steps(space, 180)
    assert hinge.position() == pytest.approx(0.5, abs=0.01)
    hinge.set_spring(None)
    assert np.linalg.norm(hinge.torque) < 1.0


def test_a_spring_on_a_rail_has_the_frequency_of_its_stiffness(space):
    """T = 2 pi sqrt(m / k)."""
    space.gravity = (0, 0, 0)
    mass = space.add_rigid(CUBE, mass=2.0, can_sleep=False)
    rail = space.add_joint(scree.Slider(axis=(1, 0, 0), spring=scree.Spring(stiffness=50.0)), mass)
    mass.velocity = (1, 0, 0)
    places = []
    for _ in range(960):
        space.step(1 / 240)
        places.append(rail.position())
    crossings = [k for k in range(1, 960) if places[k - 1] < 0 <= places[k]]
    assert np.diff(crossings).mean() / 240 == pytest.approx(2 * math.pi * math.sqrt(2 / 50), rel=0.01)
    assert abs(mass.position[1]) < 1e-3


def test_what_each_joint_holds_and_lets_go(space):
    """A body that hangs beside its anchor: fixed, it stays; pinned, it swings below; a rope is as long as it may be."""

    def hung(joint, at=(1, 0, 0)):
        place = np.array((20.0 * len(space.bodies), 10, 0))
        body = space.add_rigid(scree.Sphere(radius=0.2), place + at, angular_damp=2.0, linear_damp=2.0, can_sleep=False)
        space.add_joint(joint(place), body)
        return body, place

    fixed = hung(lambda at: scree.Fixed(anchor=at))
    pinned = hung(lambda at: scree.Pin(anchor=at))
    roped = hung(lambda at: scree.Distance(anchor=at + (1, 0, 0), to_anchor=at, longest=2.0))
    rod = hung(lambda at: scree.Distance(anchor=at + (1, 0, 0), to_anchor=at, shortest=1.0, longest=1.0))
    cone = hung(lambda at: scree.ConeTwist(anchor=at, axis=(1, 0, 0), cone=0.5, twist=(-0.1, 0.1)))
    slack = scree.Axis(limits=(-0.1, 0.1))
    free = hung(lambda at: scree.SixDof(anchor=at, second=(1, 5, 0), linear_y=scree.FREE, linear_x=slack))
    steps(space, 400)
    for (body, place), expected, slack in (
        (fixed, (1, 0, 0), 0.01), (pinned, (0, -1, 0), 0.05), (roped, (0, -2, 0), 0.05), (rod, (0, -1, 0), 0.05),
        (cone, (math.cos(0.5), -math.sin(0.5), 0), 0.03),
    ):  # fmt: skip
        np.testing.assert_allclose(body.position - place, expected, atol=slack)
    assert free[0].position[1] < -10
    assert abs(free[0].position[0] - free[1][0] - 1) < 0.11 and abs(free[0].position[2]) < 0.01


def test_gears_tie_turns_and_racks_ways(space):
    space.gravity = (0, 0, 0)
    wheel, other, rack = (space.add_rigid(CUBE, (x, 0, 0), can_sleep=False) for x in (0, 3, 6))
    motor = scree.Motor(velocity=2.0)
    space.add_joint(scree.Hinge(anchor=(0, 0, 0), axis=Z, motor=motor), wheel)
    space.add_joint(scree.Hinge(anchor=(3, 0, 0), axis=Z), other)
    rail = space.add_joint(scree.Slider(anchor=(6, 0, 0), axis=(0, 1, 0)), rack)
    space.add_joint(scree.Gear(axis=Z, to_axis=Z, ratio=2.0), other, to=wheel)
    space.add_joint(scree.RackAndPinion(axis=(0, 1, 0), to_axis=Z, ratio=0.5), rack, to=wheel)
    steps(space, 60)
    assert wheel.angular_velocity[2] == pytest.approx(2.0, rel=0.01)
    assert other.angular_velocity[2] == pytest.approx(-1.0, rel=0.01)
    assert rack.velocity[1] == pytest.approx(1.0, rel=0.01) and rail.position() == pytest.approx(1.0, rel=0.05)


def test_a_rope_over_wheels_holds_twice_the_weight_at_half_the_way(space):
    heavy = space.add_rigid(CUBE, (-2, 0, 0), mass=2.0, can_sleep=False)
    light = space.add_rigid(CUBE, (2, 0, 0), mass=1.0, can_sleep=False)
    pulley = space.add_pulley(scree.Rope(wheel=(-2, 5, 0), to_wheel=(2, 5, 0), ratio=0.5), heavy, light)
    assert isinstance(pulley, scree.Pulley)
    steps(space, 120)
    np.testing.assert_allclose([heavy.position[1], light.position[1]], 0.0, atol=0.05)
    assert pulley.tension == pytest.approx(20.0, rel=0.02) and pulley.length == pytest.approx(7.5, abs=0.05)


def test_joints_break_are_mended_and_removed(space):
    body, other = space.add_rigid(CUBE, (0, -1, 0), mass=10.0), space.add_static(CUBE, (0, 1, 0))
    joint = space.add_joint(scree.Pin(anchor=(0, 0, 0), break_force=50.0, collide=True), body, to=other)
    steps(space, 5)
    assert joint.is_broken and joint.enabled and body.velocity[1] < 0
    joint.enabled = False
    joint.enabled = True
    joint.set_collide(False)
    assert not joint.is_broken
    assert len({joint, scree.Joint(space, joint.id, "")}) == 1 and str(joint.id) in repr(joint)
    joint.remove()
    for call in (joint.position, joint.remove, lambda: joint.force, lambda: joint.torque, lambda: joint.enabled):
        with pytest.raises((KeyError, ValueError), match="there is no joint|axis must be one of"):
            call()


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        (lambda: scree.Hinge(axis=(0, 0, 0)), "add_joint: axis must not be zero"),
        (lambda: scree.Hinge(anchor=(0, 0)), "add_joint: anchor must be of shape"),
        (lambda: scree.Motor(velocity=math.nan), "Motor: velocity must be one finite number"),
        (lambda: scree.Hinge(limits=(0.0, math.inf)), "Hinge: limits must be finite"),
        (lambda: scree.Spring(stiffness=-1.0), "Spring: stiffness must be"),
        (lambda: scree.Distance(shortest=2.0, longest=1.0), "Distance: longest must be"),
        (lambda: scree.Pin(break_force=-1.0), "Pin: break_force must be"),
        (lambda: scree.Pin(break_torque=math.nan), "Pin: break_torque must be"),
        (lambda: scree.Gear(ratio=math.nan), "Gear: ratio must be"),
        (lambda: scree.SixDof(axis=(1, 0, 0), second=(2, 0, 0)), "second must not lie along axis"),
    ],
)
def test_bad_joints_raise_and_there_is_none(space, joint, message):
    body = space.add_rigid(CUBE)
    with pytest.raises(ValueError, match=message):
        space.add_joint(joint(), body)
    assert space.core.bodies.rows[space.core.body.index("test", body.id)]["first_joint"] < 0
    with pytest.raises(ValueError, match="either stiffness or frequency"):
        scree.Spring()
    with pytest.raises(ValueError, match="position: axis must be one of linear x"):
        space.add_joint(scree.Pin(), body).position()
    assert scree.LOCKED.limits == (0, 0)


def test_a_car_a_tank_and_a_motorcycle_drive(space):
    space.add_static(scree.Plane())
    hull = scree.Box(half_extents=(0.8, 0.3, 1.8))

    def built(x: float, **parts) -> tuple[scree.Body, scree.Vehicle]:
        body = space.add_rigid(hull, (x, 0.9, 0), mass=1000.0)
        body.center_of_mass = (0, -0.3, 0)
        places = [(side, 0, z) for z in (-1.4, 1.4) for side in (-0.8, 0.8)]
        wheels = [scree.Wheel(position=at, most_steering=0.4 if at[2] < 0 else 0) for at in places]
        return body, space.add_vehicle(body, wheels, engine=scree.Engine(), layers="default", **parts)

    car = built(0, differentials=[scree.Differential(2, 3)], anti_roll_bars=[scree.AntiRollBar(0, 1)])
    tank = built(10, tracks=[scree.Track(wheels=[0, 2]), scree.Track(wheels=[1, 3])])
    cycle = built(20, differentials=[scree.Differential(2)], lean=scree.Lean())
    steps(space, 60)
    for _, vehicle in (car, tank, cycle):
        assert isinstance(vehicle, scree.Vehicle)
        vehicle.drive(throttle=1.0)
    steps(space, 120)
    for body, vehicle in (car, tank, cycle):
        assert vehicle.speed > 1.0 and body.position[2] < -1.0


def test_a_rope_becomes_a_rod_and_a_rod_a_rope(space):
    """A ball that hangs from the world, and is thrown up: a rod holds its distance, a rope lets it come nearer."""
    ball = space.add_rigid(scree.Sphere(radius=0.1), (0, -2, 0), can_sleep=False, linear_damp=3.0)
    joint = space.add_joint(scree.Distance(anchor=(0, -2, 0), shortest=2.0, longest=2.0), ball)

    def hangs_at(expected: float) -> None:
        steps(space, 240)
        assert np.linalg.norm(ball.position) == pytest.approx(expected, abs=0.03)
        assert joint.position() == pytest.approx(expected, abs=0.03)

    hangs_at(2.0)
    joint.set_limits((0.5, 3.0))
    hangs_at(3.0)
    joint.set_limits((1.0, 1.0))
    hangs_at(1.0)
    ball.velocity = (0, 9, 0)
    steps(space, 6)
    assert np.linalg.norm(ball.position) == pytest.approx(1.0, abs=0.05), "a rod does not give way"
    joint.set_limits(None)
    steps(space, 120)
    assert ball.position[1] < -3.0
    with pytest.raises(ValueError, match="^set_limits: limits must be .*at least 0, got -1"):
        joint.set_limits((-1.0, 1.0))


def test_a_spring_along_a_rope_stays_when_its_limits_change(space):
    space.gravity = (0, 0, 0)
    ball = space.add_rigid(scree.Sphere(radius=0.1), (0, -2, 0), can_sleep=False)
    joint = space.add_joint(scree.Distance(anchor=(0, -2, 0), longest=4.0), ball)
    joint.set_spring(scree.Spring(frequency=2.0, target=1.0))
    joint.set_limits((0.5, 3.0))
    steps(space, 240)
    assert joint.position() == pytest.approx(1.0, abs=0.02)


def test_calls_of_joints_name_themselves(space):
    joint = space.add_joint(scree.Hinge(), space.add_rigid(CUBE))
    joint.remove()
    for name, call in (
        ("force", lambda: joint.force), ("torque", lambda: joint.torque), ("is_broken", lambda: joint.is_broken),
        ("enabled", lambda: joint.enabled), ("enabled", lambda: setattr(joint, "enabled", False)), ("remove", joint.remove),
        ("set_collide", lambda: joint.set_collide(True)), ("set_limits", lambda: joint.set_limits(None)),
        ("set_limits", lambda: joint.set_limits((0, 1))), ("set_motor", lambda: joint.set_motor(None)),
        ("set_motor", lambda: joint.set_motor(scree.Motor())), ("set_spring", lambda: joint.set_spring(None)),
        ("set_spring", lambda: joint.set_spring(scree.Spring(stiffness=1.0))), ("position", joint.position),
    ):  # fmt: skip
        with pytest.raises(KeyError, match=f"'{name}: there is no joint"):
            call()


WHEELS = [scree.Wheel(position=(side, 0, z), cast="sphere") for z in (-1.4, 1.4) for side in (-0.8, 0.8)]


def test_a_vehicle_without_its_body_says_so(space):
    """Its row is another body's by then."""
    body = space.add_rigid(CUBE)
    car = space.add_vehicle(body, WHEELS, engine=scree.Engine(), differentials=[scree.Differential(2, 3)])
    body.remove()
    bodies = space.add_rigid_many(CUBE, [(5.0 * k, 0, 0) for k in range(20)], can_sleep=False)
    bodies.sleep()
    steps(space, 2)
    for name, call in (
        ("drive", lambda: car.drive(throttle=1.0)), ("speed", lambda: car.speed), ("set_gear", lambda: car.set_gear(1)),
        ("wheel_force", lambda: car.wheel_force(0)), ("set_enabled", lambda: car.set_enabled(False)),
    ):  # fmt: skip
        with pytest.raises(KeyError, match=f"'{name}: there is no body {body.id} .*it was freed"):
            call()
    car.remove()
    for name, call in (("drive", car.drive), ("remove", car.remove), ("speed", lambda: car.speed)):
        with pytest.raises(KeyError, match=f"'{name}: the vehicle was removed"):
            call()
    assert space.core.system(space.id).row["step"]["listener_count"] == 0


def test_a_pulley_without_a_body_or_its_space_says_so(space):
    heavy, light = (space.add_rigid(CUBE, (x, 0, 0), can_sleep=False) for x in (-2, 2))
    pulley = space.add_pulley(scree.Rope(wheel=(-2, 5, 0), to_wheel=(2, 5, 0)), heavy, light)
    space.step(1 / 60)
    light.remove()
    space.step(1 / 60)
    calls = (("tension", lambda: pulley.tension), ("length", lambda: pulley.length))
    for name, call in (*calls, ("set_length", lambda: pulley.set_length(1.0, 2.0))):
        with pytest.raises(KeyError, match=f"'{name}: there is no body {light.id} .*it was freed"):
            call()
    space.remove()
    for name, call in calls:
        with pytest.raises(KeyError, match=f"'{name}: there is no space {space.id} .*it was freed"):
            call()
    pulley.remove()
    with pytest.raises(KeyError, match="tension: the pulley was removed"):
        pulley.tension  # noqa: B018


def test_a_vehicle_that_finds_no_room_leaves_nothing(monkeypatch):
    space = scree.World(threads=1, shapes=4).add_space()
    body = space.add_rigid(CUBE)
    with pytest.raises(scree.PoolFull, match="shapes is full at 4"):
        space.add_vehicle(body, WHEELS)
    space.core.retirement.reclaim()
    assert space.core.shapes.used_count() == 1
    monkeypatch.setattr("scree.core.listeners.MOST_LISTENERS", 4)
    few = scree.World(threads=1).add_space()
    body = few.add_rigid(CUBE)
    listeners = []
    with pytest.raises(scree.PoolFull, match="^on_step: there are 4 step listeners"):
        while len(listeners) < 9:
            listeners.append(few.on_step(lambda seconds: None))
    listeners.pop().remove()
    with pytest.raises(scree.PoolFull):
        few.add_vehicle(body, WHEELS)
    few.core.retirement.reclaim()
    assert few.core.shapes.used_count() == 1 and few.core.system(few.id).row["step"]["listener_count"] == len(listeners)
    few.step(1 / 60)


def test_a_tank_is_driven_by_numbers(space):
    body = space.add_rigid(CUBE, mass=100.0)
    tank = space.add_vehicle(body, WHEELS, engine=scree.Engine(), tracks=[scree.Track(wheels=[0, 2]), scree.Track(wheels=[1, 3])])
    for wrong in ({"throttle": math.nan}, {"throttle": 1.0, "left": math.nan}, {"throttle": 1.0, "right": math.inf}):
        with pytest.raises(ValueError, match="^drive_tracks: (throttle|left|right) must be finite"):
            tank.drive_tracks(**wrong)
    tank.drive_tracks(0.5, left=-1.0)
    assert tank.row["throttle"] == pytest.approx(0.5)
