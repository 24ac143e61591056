"""Vehicles against what physics says: rest length, acceleration, top speed, braking, turning, rolling, leaning."""

import math

import numpy as np
import pytest
from small_world import TICK, SmallWorld

from scree.bodies.schema import STATIC
from scree.core.vehicles import AntiRollBar, Differential, Engine, Lean, Track, Wheel

GRAVITY, MASS, BASE, GAUGE = 10.0, 1000.0, 2.6, 1.6  # [m/s^2], [kg], [m], [m]
PLACES = [(x, -0.2, z) for z in (-BASE / 2, BASE / 2) for x in (-GAUGE / 2, GAUGE / 2)]  # front left, front right, rear ...
LEVEL_GRIP = ((0.0, 1.0),)
"""A tyre that holds with the same friction however it slips."""
FLAT_TORQUE = ((0.0, 1.0),)


class Road(SmallWorld):
    """A floor of friction 1 and a car of 1,000 kg on four wheels."""

    def __init__(self, cast="ray", car: dict | None = None, steering=0.5, places=PLACES, mass=MASS, height=1.0, **wheel):
        super().__init__()
        self.world.body.set_param(self.floor(), "friction", 1.0)
        self.chassis = self.add(self.box(0.8, 0.25, 1.8), (0.0, height, 0.0), mass=mass)
        wheels = [Wheel(place, most_steering=steering if place[2] < 0 else 0.0, cast=cast, **wheel) for place in places]
        self.car = self.world.vehicle.create(self.chassis, wheels, **(car or {}))

    def settle(self, seconds: float = 3.0) -> None:
        self.step(round(seconds / TICK))

    def up(self) -> np.ndarray:
        x, y, z, w = self.body(self.chassis)["rotation"].astype(float)
        return np.array([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])


def rear_drive(**engine) -> dict:
    return {"engine": Engine(**engine), "differentials": [Differential(2, 3)]}


@pytest.mark.parametrize("cast", ("ray", "sphere", "cylinder"))
def test_rest_length_is_weight_by_stiffness(cast):
    road = Road(cast)
    road.settle()
    expected = 0.5 - MASS * GRAVITY / 4 / 40_000.0
    assert road.car.wheels["length"] == pytest.approx([expected] * 4, abs=2e-3)
    assert road.position(road.chassis)[1] == pytest.approx(expected + 0.3 + 0.2, abs=2e-3)
    assert sum(road.car.wheel_force(k)[0] for k in range(4)) == pytest.approx(MASS * GRAVITY, rel=1e-3)
    assert np.linalg.norm(road.velocity(road.chassis)) < 1e-3


def test_acceleration_is_torque_by_radius():
    """In one gear, clutch closed: what moves is the car, its wheels and, through the gears, the engine."""
    ratio = 2.0 * 3.42
    engine = {"most_torque": 200.0, "torque": FLAT_TORQUE, "gears": (2.0,), "most_rpm": 60_000.0, "damping": 0.0}
    road = Road(car=rear_drive(is_automatic=False, clutch_strength=1e4, **engine), rolling_damping=0.0)
    road.settle()
    road.car.set_gear(1)
    road.car.drive(1.0)
    road.step(60)
    before = road.car.speed
    road.step(60)
    radius = 0.3
    moving = MASS + (4 * 0.9 + ratio**2 * 0.5) / radius**2
    assert road.car.speed - before == pytest.approx(200.0 * ratio / radius / moving, rel=0.03)


def test_wheels_that_slip_pull_with_all_their_friction():
    road = Road(car=rear_drive(most_torque=5_000.0, is_automatic=False), along=LEVEL_GRIP)
    road.settle()
    road.car.set_gear(1)
    road.car.drive(1.0)
    road.step(10)
    push = [road.car.wheel_force(k) for k in (2, 3)]
    assert push[0][1] == pytest.approx(push[0][0], rel=0.02) and push[1][1] == pytest.approx(push[1][0], rel=0.02)
    assert (road.car.wheels["slip"][2:] > 0.2).all()


def test_top_speed_is_that_of_the_engine():
    road = Road(car=rear_drive(gears=(2.0,), most_rpm=3_000.0, is_automatic=False))
    road.settle()
    road.car.set_gear(1)
    road.car.drive(1.0)
    road.settle(20.0)
    fastest = 3_000.0 * 2.0 * math.pi / 60.0 / (2.0 * 3.42) * 0.3
    assert road.car.speed == pytest.approx(fastest, rel=0.03)
    assert road.car.engine_rpm <= 3_000.0 + 1e-6


def test_the_automatic_shifts_up_and_drives_backwards():
    road = Road(car=rear_drive())
    road.settle()
    road.car.drive(1.0)
    gears = []
    for _ in range(900):
        road.step()
        gears.append(road.car.gear)
    assert max(gears) >= 3 and sorted(set(gears)) == list(range(1, max(gears) + 1))
    assert road.car.speed > 25.0
    road.car.drive(-1.0)
    road.settle(20.0)
    assert road.car.gear == -1 and road.car.speed < -2.0


def test_brakes_stop_with_the_friction_of_the_ground():
    road = Road(along=LEVEL_GRIP, most_brake=1e5)
    road.settle()
    road.throw(road.chassis, (0.0, 0.0, -20.0))
    road.step(1)
    road.car.drive(brake=1.0)
    began, ticks = road.car.speed, 0
    while road.car.speed > 0.1 and ticks < 600:
        road.step()
        ticks += 1
    assert ticks * TICK == pytest.approx(began / GRAVITY, rel=0.05)
    road.step(120)
    assert abs(road.car.speed) < 1e-3


def test_a_braked_car_stays_on_a_slope():
    slope = 0.2
    road = SmallWorld(gravity=(GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope), GRAVITY * 0.05))
    road.world.body.set_param(road.floor(), "friction", 1.0)
    chassis = road.add(road.box(0.8, 0.25, 1.8), (0.0, 0.85, 0.0), mass=MASS)
    car = road.world.vehicle.create(chassis, [Wheel(place) for place in PLACES])
    car.drive(hand_brake=1.0)
    road.step(120)
    before = road.position(chassis)
    road.step(300)
    assert np.linalg.norm(road.position(chassis) - before) < 0.01


def test_turning_radius_is_base_by_tangent():
    road = Road(steering=0.3, across=((0.0, 0.0), (0.1, 1.0)), rolling_damping=0.0)
    road.settle()
    road.throw(road.chassis, (0.0, 0.0, -3.0))
    road.car.shafts["speed"] = 10.0
    road.car.drive(right=1.0)
    places = []
    for _ in range(360):
        road.step()
        places.append(road.position(road.chassis)[[0, 2]])
    points = np.array(places[60:])
    matrix = np.c_[2 * points, np.ones(len(points))]
    centre = np.linalg.lstsq(matrix, (points**2).sum(1), rcond=None)[0]
    radius = math.sqrt(centre[2] + centre[0] ** 2 + centre[1] ** 2)
    to_rear = BASE / math.tan(0.3)  # of the middle of the rear axle; the centre of mass lies half the base ahead
    assert radius == pytest.approx(math.hypot(to_rear, BASE / 2), rel=0.05)
    assert centre[0] > 0.0  # to the right


def test_an_anti_roll_bar_holds_a_leaning_car_up():
    angles = []
    for stiffness in (0.0, 30_000.0):
        bars = [AntiRollBar(0, 1, stiffness), AntiRollBar(2, 3, stiffness)]
        road = Road(car={"anti_roll_bars": bars}, across=LEVEL_GRIP)
        road.settle()
        for _ in range(120):
            road.body(road.chassis)["force"] = (MASS * 4.0, 0.0, 0.0)
            road.step()
        angles.append(abs(road.up()[0]))
    assert 0.01 < angles[1] < 0.75 * angles[0]


def test_a_limited_differential_drives_the_wheel_that_holds():
    """The left rear wheel has no friction: with an open differential the right one gets little, with a limited one nearly all."""
    speeds = []
    for limit in (0.0, 1.4):
        world = SmallWorld()
        world.world.body.set_param(world.floor(), "friction", 1.0)
        chassis = world.add(world.box(0.8, 0.25, 1.8), (0.0, 0.85, 0.0), mass=MASS)
        wheels = [Wheel(place, along=((0.0, 0.01),) if k == 2 else LEVEL_GRIP) for k, place in enumerate(PLACES)]
        car = world.world.vehicle.create(
            chassis, wheels, engine=Engine(is_automatic=False), differentials=[Differential(2, 3, slip_limit=limit)]
        )  # fmt: skip
        world.step(60)
        car.set_gear(1)
        car.drive(1.0)
        world.step(120)
        speeds.append(car.speed)
    assert speeds[1] > 2.0 * speeds[0] and speeds[1] > 1.5


def test_a_tank_drives_and_turns_on_the_spot():
    places = [(x, -0.2, z) for x in (-1.2, 1.2) for z in (-1.5, -0.5, 0.5, 1.5)]
    tracks = [Track((0, 1, 2, 3)), Track((4, 5, 6, 7))]
    engine = Engine(most_torque=600.0, most_rpm=4_000.0, gears=(4.0, 3.0, 2.0))
    road = Road(car={"engine": engine, "tracks": tracks}, places=places, mass=4_000.0, stiffness=80_000.0, damping=8_000.0)
    road.settle()
    road.car.drive_tracks(1.0)
    road.settle(5.0)
    assert road.car.speed > 2.0 and abs(road.velocity(road.chassis)[0]) < 0.2
    road.car.drive_tracks(0.0, brake=1.0)
    road.settle(5.0)
    assert abs(road.car.speed) < 0.1
    place = road.position(road.chassis)
    road.car.drive_tracks(1.0, left=1.0, right=-1.0)
    road.settle(3.0)
    assert road.spin(road.chassis)[1] < -0.2  # to the right
    assert np.linalg.norm((road.position(road.chassis) - place)[[0, 2]]) < 0.5


def test_a_motorcycle_stands_and_leans_into_the_curve():
    places = [(0.0, -0.2, -0.7), (0.0, -0.2, 0.7)]
    car = {"lean": Lean(), "engine": Engine(most_torque=40.0), "differentials": [Differential(1)]}
    road = Road(car=car, places=places, mass=250.0, steering=0.15, stiffness=20_000.0, damping=1_500.0)
    road.settle()
    assert road.up()[1] > 0.999
    road.car.drive(0.6)
    road.settle(4.0)
    road.car.drive(0.2, right=1.0)
    road.settle(1.5)
    speed = np.linalg.norm(road.velocity(road.chassis)[[0, 2]])
    right = np.cross(road.velocity(road.chassis) / speed, (0.0, 1.0, 0.0))
    assert road.up() @ right > 0.1  # to the right
    assert road.up()[1] > 0.6


def test_wheels_push_back_what_they_stand_on():
    world = SmallWorld()
    world.world.body.set_param(world.floor(), "friction", 0.0)
    raft = world.add(world.box(4.0, 0.2, 4.0), (0.0, 0.2, 0.0), mass=500.0)
    chassis = world.add(world.box(0.8, 0.25, 1.8), (0.0, 1.3, 0.0), mass=MASS)
    car = world.world.vehicle.create(
        chassis, [Wheel(place, along=LEVEL_GRIP) for place in PLACES], engine=Engine(is_automatic=False),
        differentials=[Differential(2, 3)],
    )  # fmt: skip
    world.body(raft)["friction"] = 1.0
    world.step(120)
    assert {int(ground) for ground in car.wheels["ground"]} == {world.index(raft)}
    car.set_gear(1)
    car.drive(1.0)
    world.step(15)
    assert world.velocity(chassis)[2] < -0.3 and world.velocity(raft)[2] > 0.05


def test_vehicles_go_with_their_bodies_and_by_call():
    road = Road()
    road.settle(1.0)
    road.sleep(road.chassis)
    road.step()
    assert not road.is_awake(road.chassis)
    road.car.remove()
    assert int(road.row["step"]["listener_count"]) == 0
    road.step(60)
    assert road.position(road.chassis)[1] < 0.3  # on its belly
    other = Road()
    other.world.body.destroy(other.chassis)
    other.step(10)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"wheels": []}, "wheels"),
        ({"wheels": [Wheel((0, 0, 0), radius=0.0)]}, "radius"),
        ({"wheels": [Wheel((0, 0, 0), cast="cube")]}, "cast"),
        ({"wheels": [Wheel((0, 0, float("nan")))]}, "position"),
        ({"wheels": [Wheel((0, 0, 0), longest=0.1)]}, "longest"),
        ({"wheels": [Wheel((0, 0, 0), along=((1.0, 0.0), (0.0, 1.0)))]}, "along"),
        ({"wheels": [Wheel((0, 0, 0))], "differentials": [Differential(5)]}, "wheels 0 to 0"),
        ({"wheels": [Wheel((0, 0, 0))], "tracks": [Track((0, 0))]}, "one track"),
        ({"wheels": [Wheel((0, 0, 0))], "engine": Engine(gears=())}, "gears"),
    ],
)
def test_bad_vehicles_are_refused(change, message):
    world = SmallWorld()
    chassis = world.add(world.box(0.8, 0.25, 1.8), (0.0, 1.0, 0.0))
    with pytest.raises(ValueError, match=message):
        world.world.vehicle.create(chassis, **change)
    assert int(world.row["step"]["listener_count"]) == 0
    still = world.add(world.box(1, 1, 1), mode=STATIC)
    with pytest.raises(ValueError, match="rigid"):
        world.world.vehicle.create(still, [Wheel((0, 0, 0))])
