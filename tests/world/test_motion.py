"""How bodies move in a whole world, against the formulas of mechanics."""

import math

import numpy as np
import pytest
from small_world import TICK, SmallWorld, hit

from scree.bodies.schema import KINEMATIC, RIGID_LINEAR, STATIC

GRAVITY = 10.0
SUBSTEPS = 4


def about_z(angle: float) -> tuple:
    """Basis of a turn about z, by rows."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return (cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0)


# Free motion.


@pytest.mark.parametrize("ticks", (1, 60))
def test_free_fall(ticks):
    """Semi-implicit Euler with n sub-steps of h falls by g h^2 n (n + 1) / 2."""
    scene = SmallWorld()
    ball = scene.add(scene.sphere(0.5), (1.0, 100.0, -2.0))
    scene.step(ticks)
    n, h = ticks * SUBSTEPS, TICK / SUBSTEPS
    assert scene.position(ball) == pytest.approx((1.0, 100.0 - GRAVITY * h * h * n * (n + 1) / 2, -2.0), abs=2e-4)
    assert scene.velocity(ball) == pytest.approx((0.0, -GRAVITY * n * h, 0.0), rel=1e-5)


def test_damping():
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0), damp=0.5)
    added = scene.add(scene.sphere(0.5), linear_damp=0.7, angular_damp=1.5)
    replaced = scene.add(scene.sphere(0.5), (9, 0, 0), linear_damp=0.7, linear_damp_mode=1, angular_damp_mode=1)
    stopped = scene.add(scene.sphere(0.5), (-9, 0, 0), linear_damp=1000.0)
    for body in (added, replaced, stopped):
        scene.throw(body, (0.0, 3.0, 0.0))
        scene.turn(body, (0.0, 2.0, 0.0))
    scene.step(30)
    assert scene.velocity(added)[1] == pytest.approx(3.0 * (1 - 1.2 * TICK) ** 30, rel=1e-4)
    assert scene.spin(added)[1] == pytest.approx(2.0 * (1 - 2.0 * TICK) ** 30, rel=1e-4)
    assert scene.velocity(replaced)[1] == pytest.approx(3.0 * (1 - 0.7 * TICK) ** 30, rel=1e-4)
    assert scene.spin(replaced)[1] == pytest.approx(2.0, rel=1e-5)
    assert scene.velocity(stopped)[1] == 0.0


@pytest.mark.parametrize("factor", (0.0, 0.25, 2.0, -1.0))
def test_gravity_scale(factor):
    scene = SmallWorld()
    ball = scene.add(scene.sphere(0.5), gravity_scale=factor)
    scene.step(30)
    assert scene.velocity(ball)[1] == pytest.approx(-GRAVITY * factor * 0.5, abs=1e-5)


def test_impulse_at_a_point():
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    half = np.array((0.5, 1.0, 1.5))
    box = scene.add(scene.box(*half), (1.0, 2.0, 3.0), basis=about_z(math.pi / 2), mass=3.0)
    impulse, at = np.array((1.0, -2.0, 0.5)), np.array((0.3, 0.2, -0.4))
    hit(scene.world.address, scene.index(box), *impulse.tolist(), *at.tolist())
    x, y, z = half[[1, 0, 2]]  # turned by a quarter: x and y change places
    inertia = 3.0 / 3.0 * np.array((y * y + z * z, x * x + z * z, x * x + y * y))
    assert scene.velocity(box) == pytest.approx(impulse / 3.0, rel=1e-5)
    assert scene.spin(box) == pytest.approx(np.cross(at, impulse) / inertia, rel=1e-4)


def test_axis_locks():
    scene = SmallWorld()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 5.0, 0.0))
    for axis in (2, 8, 32):
        scene.world.body.set_axis_lock(box, axis, True)
    scene.throw(box, (1.0, 1.0, 1.0))
    scene.turn(box, (1.0, 1.0, 1.0))
    scene.step(30)
    assert scene.position(box) == pytest.approx((0.5, 5.0, 0.5), abs=1e-5)
    assert scene.velocity(box)[1] == 0.0
    assert scene.spin(box) == pytest.approx((0.0, 1.0, 0.0), abs=1e-6)
    scene.world.body.set_axis_lock(box, 2, False)
    scene.step(30)
    assert scene.velocity(box)[1] == pytest.approx(-5.0, rel=1e-4)


def test_rigid_linear_never_turns():
    scene = SmallWorld()
    scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 2.0, 0.0), mode=RIGID_LINEAR, basis=about_z(0.5))
    scene.throw(box, (3.0, 0.0, 0.0))
    scene.step(120)
    assert scene.spin(box) == pytest.approx((0.0, 0.0, 0.0), abs=1e-7)
    assert abs(scene.body(box)["rotation"][2]) == pytest.approx(math.sin(0.25), abs=1e-5)


def test_custom_centre_of_mass():
    """The origin runs round the centre of mass, and the centre of mass flies straight."""
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    box = scene.add(scene.box(0.5, 0.5, 0.5), (1.0, 2.0, 3.0))
    scene.world.body.set_param(box, "center_of_mass", (0.25, 0.0, 0.0))
    assert scene.position(box) == pytest.approx((1.25, 2.0, 3.0))
    inertia = 1.0 / 6.0 + 0.25**2  # about the new centre (Steiner)
    assert scene.world.body.param(box, "inertia") == pytest.approx((1.0 / 6.0, inertia, inertia), rel=1e-5)
    scene.turn(box, (0.0, 0.0, 2.0))
    scene.step(30)
    assert scene.position(box) == pytest.approx((1.25, 2.0, 3.0), abs=1e-5)
    q = scene.body(box)["rotation"]
    assert 2 * math.atan2(q[2], q[3]) == pytest.approx(1.0, abs=1e-3)


# Rest, friction, bounce.


def test_a_box_rests_at_its_height():
    scene = SmallWorld()
    scene.floor()
    box = scene.add(scene.box(0.5, 0.25, 0.5), (0.0, 1.0, 0.0))
    scene.step(240)
    assert scene.position(box) == pytest.approx((0.0, 0.25, 0.0), abs=5e-3)
    assert np.linalg.norm(scene.velocity(box)) < 1e-3 and np.linalg.norm(scene.spin(box)) < 1e-3


def test_settings_below_their_least_are_refused():
    scene = SmallWorld()
    for name, value in (("substep_count", 0), ("penetration_slop", -0.01), ("articulated_penetration_slop", -0.01)):
        with pytest.raises(ValueError, match=f"{name} must be at least .*{value}"):
            scene.world.system_set_param(scene.system, name, value)
        with pytest.raises(ValueError, match=f"create_system: {name} must be at least .*{value}"):
            scene.world.create_system(**{name: value})


def test_a_stack_of_ten_stands():
    scene = SmallWorld()
    scene.floor()
    shape = scene.box(0.5, 0.5, 0.5)
    stack = [scene.add(shape, (0.0, 0.5 + k, 0.0)) for k in range(10)]
    scene.step(600)
    for k, box in enumerate(stack):
        x, y, z = scene.position(box)
        assert math.hypot(x, z) < 0.01
        assert y == pytest.approx(0.5 + k, abs=0.03)
        assert np.linalg.norm(scene.velocity(box)) < 0.01


@pytest.mark.parametrize("friction", (0.3, 0.6))
@pytest.mark.parametrize("part", (0.85, 1.2))
def test_friction_on_a_slope(friction, part):
    """A box stays below atan(mu), and slides with g (sin - mu cos) above."""
    angle = math.atan(friction) * part
    normal = (-math.sin(angle), math.cos(angle), 0.0)
    scene = SmallWorld()
    scene.floor(normal, friction=friction)
    box = scene.add(scene.box(0.5, 0.2, 0.5), tuple(0.2 * n for n in normal), basis=about_z(angle))
    start = scene.position(box)
    scene.step(120)
    way = np.linalg.norm(scene.position(box) - start)
    if part < 1.0:
        assert way < 0.01
    else:
        rate = GRAVITY * (math.sin(angle) - friction * math.cos(angle))
        assert way == pytest.approx(0.5 * rate * 4.0, rel=0.05)
        assert scene.position(box)[1] < start[1]


@pytest.mark.parametrize("restitution", (0.0, 0.5, 0.9))
def test_bounce(restitution):
    scene = SmallWorld()
    scene.floor()
    ball = scene.add(scene.sphere(0.5), (0.0, 2.5, 0.0), restitution=restitution)
    lowest, highest = np.inf, 0.0
    for _ in range(120):
        scene.step()
        height = scene.position(ball)[1]
        lowest = min(lowest, height)
        if scene.velocity(ball)[1] >= 0.0 and lowest < 0.6:
            highest = max(highest, height)
        if highest and scene.velocity(ball)[1] < -0.1:
            break
    # Within a tick's way at the speed of impact, both at the fall and at the rise.
    assert highest - 0.5 == pytest.approx(2.0 * restitution**2, abs=0.12)


def test_nothing_sinks_through_the_floor():
    scene = SmallWorld()
    scene.floor()
    for k in range(4):
        scene.throw(scene.add(scene.box(0.5, 0.5, 0.5), (3.0 * k, 4.0, 0.0)), (0.0, -5.0 * k, 0.0))
    scene.step(180)
    rows = scene.world.bodies.rows[1:5]
    assert (rows["position"][:, 1] > 0.48).all()


# Sleep.


def test_sleep_and_wake_with_the_support():
    scene = SmallWorld(sleeps=True)
    shape = scene.box(0.5, 0.5, 0.5)
    table = scene.add(scene.box(2.0, 0.5, 2.0), mode=STATIC)
    low, high = scene.add(shape, (0.0, 1.0, 0.0)), scene.add(shape, (0.0, 2.0, 0.0))
    scene.step(180)
    assert not scene.is_awake(low) and not scene.is_awake(high)
    rest = scene.position(high)
    scene.step(60)
    np.testing.assert_array_equal(scene.position(high), rest)
    scene.world.body.destroy(table)
    scene.step(30)
    assert scene.is_awake(low) and scene.is_awake(high)
    assert scene.position(high)[1] < rest[1] - 0.5


def test_a_hit_wakes_the_whole_island():
    scene = SmallWorld(sleeps=True)
    scene.floor()
    shape = scene.box(0.5, 0.5, 0.5)
    stack = [scene.add(shape, (0.0, 0.5 + k, 0.0)) for k in range(3)]
    apart = scene.add(shape, (9.0, 0.5, 0.0))
    scene.step(180)
    assert not any(scene.is_awake(box) for box in (*stack, apart))
    scene.throw(scene.add(scene.sphere(0.3), (-3.0, 0.5, 0.0), gravity_scale=0.0), (8.0, 0.0, 0.0))
    scene.step(40)
    assert all(scene.is_awake(box) for box in stack) and not scene.is_awake(apart)


def test_what_cannot_sleep_keeps_its_island_awake():
    scene = SmallWorld(sleeps=True)
    scene.floor()
    shape = scene.box(0.5, 0.5, 0.5)
    low, high, apart = scene.add(shape, (0, 0.5, 0)), scene.add(shape, (0, 1.5, 0)), scene.add(shape, (9, 0.5, 0))
    scene.world.body.set_can_sleep(high, False)
    scene.step(180)
    assert scene.is_awake(low) and scene.is_awake(high) and not scene.is_awake(apart)


def test_a_lift_wakes_what_sleeps_on_it():
    scene = SmallWorld(sleeps=True)
    lift = scene.add(scene.box(1.0, 0.5, 1.0), (0.0, -0.5, 0.0), mode=KINEMATIC)
    scene.move(lift, (0.0, -0.5, 0.0))
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    scene.step(180)
    assert not scene.is_awake(box)
    for tick in range(60):
        scene.move(lift, (0.0, -0.5 + (tick + 1) * TICK, 0.0))
        scene.step()
    assert scene.position(box)[1] == pytest.approx(1.5, abs=0.02)
    assert scene.velocity(box)[1] == pytest.approx(1.0, abs=0.02)


def test_a_conveyor_wakes_and_carries():
    scene = SmallWorld(sleeps=True)
    floor = scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    scene.step(180)
    assert not scene.is_awake(box)
    scene.throw(floor, (2.0, 0.0, -1.0))  # of what is static: the velocity of its surface
    scene.step(120)
    assert scene.velocity(box) == pytest.approx((2.0, 0.0, -1.0), abs=0.02)
    assert scene.position(floor) == pytest.approx((0.0, 0.0, 0.0))


def test_a_static_body_moved_away_wakes_what_lay_on_it():
    scene = SmallWorld(sleeps=True)
    table = scene.add(scene.box(2.0, 0.5, 2.0), mode=STATIC)
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 1.0, 0.0))
    scene.step(180)
    assert not scene.is_awake(box)
    scene.move(table, (50.0, 0.0, 0.0))
    scene.step(60)
    assert scene.position(box)[1] < -3.0


# Who pushes whom.


def test_a_kinematic_pusher():
    scene = SmallWorld()
    scene.floor(friction=0.0)
    pusher = scene.add(scene.box(0.5, 0.5, 0.5), (-2.0, 0.5, 0.0), mode=KINEMATIC)
    scene.step()
    scene.move(pusher, (-2.0, 0.5, 0.0))
    scene.step()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    for tick in range(120):
        scene.move(pusher, (-2.0 + 2.0 * (tick + 1) * TICK, 0.5, 0.0))
        scene.step()
    assert scene.position(pusher) == pytest.approx((2.0, 0.5, 0.0), abs=1e-6)
    # Four points solved one after the other leave a little bounce and turn.
    assert 2.99 < scene.position(box)[0] < 3.08
    assert scene.velocity(box)[0] == pytest.approx(2.0, rel=0.03)
    assert scene.position(box)[2] == pytest.approx(0.0, abs=0.05)


def test_masks_decide_for_each_side():
    """The light one is not pushed by what its mask has not; the other feels it like a wall."""
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    ball = scene.sphere(0.5)
    seen, hit_by = scene.add(ball, (0.0, 0.0, 0.0)), scene.add(ball, (2.0, 0.0, 0.0))
    scene.world.body.set_collision_layer(hit_by, 2)
    scene.world.body.set_collision_mask(seen, 4)
    scene.throw(seen, (3.0, 0.0, 0.0))
    scene.step(60)
    assert scene.velocity(seen) == pytest.approx((3.0, 0.0, 0.0), abs=1e-6)
    assert scene.velocity(hit_by)[0] == pytest.approx(3.0, abs=0.05)
    scene.world.body.set_collision_mask(hit_by, 4)
    scene.throw(hit_by, (-3.0, 0.0, 0.0))
    scene.step(60)
    assert scene.velocity(seen)[0] == pytest.approx(3.0) and scene.velocity(hit_by)[0] == pytest.approx(-3.0)


def test_exceptions_pass_through_until_taken_back():
    scene = SmallWorld()
    floor = scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    scene.step(30)
    scene.world.body.add_exception(floor, box)
    assert scene.world.body.exceptions(floor) == [box] and scene.world.body.exceptions(box) == []
    scene.step(30)
    assert scene.position(box)[1] < -0.5
    scene.move(box, (0.0, 1.0, 0.0))
    scene.throw(box, (0.0, 0.0, 0.0))
    scene.world.body.remove_exception(floor, box)
    scene.step(90)
    assert scene.position(box)[1] == pytest.approx(0.5, abs=0.01)


# What is kept.


def energy(scene: SmallWorld, bodies, inertia: float) -> float:
    return sum(
        0.5 * (scene.velocity(b) @ scene.velocity(b)) + 0.5 * inertia * (scene.spin(b) @ scene.spin(b))
        + GRAVITY * scene.position(b)[1]
        for b in bodies
    )  # fmt: skip


def test_energy_never_grows_in_a_pile():
    scene = SmallWorld()
    scene.floor()
    shape, random = scene.box(0.5, 0.5, 0.5), np.random.default_rng(2)
    bodies = [
        scene.add(shape, (x + random.uniform(-0.2, 0.2), 0.7 + 1.1 * y, random.uniform(-0.2, 0.2)))
        for x in (-1.3, 0.0, 1.3) for y in range(4)
    ]  # fmt: skip
    before = energy(scene, bodies, 1.0 / 6.0)
    for tick in range(240):
        scene.step()
        now = energy(scene, bodies, 1.0 / 6.0)
        # Landing bodies overlap by up to 12 mm, and are lifted out of it again; nothing else may add energy.
        assert now - before < (len(bodies) * GRAVITY * 0.012 if tick < 60 else 1e-3)
        before = now
    resting = len(bodies) * GRAVITY * 2.0  # columns of four: their centres are 2 m up on average
    assert before <= resting + 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_momentum_is_kept_when_two_free_boxes_collide(seed):
    random = np.random.default_rng(seed)
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    masses = random.uniform(0.5, 4.0, 2)
    bodies = [
        scene.add(scene.box(0.5, 0.5, 0.5), (0.9 * side, *random.uniform(-0.3, 0.3, 2)),
                  basis=about_z(random.uniform(0, 1)), mass=mass, restitution=0.5)
        for side, mass in zip((-1, 1), masses, strict=True)
    ]  # fmt: skip
    for side, body in zip((1, -1), bodies, strict=True):
        scene.throw(body, (0.6 * side, 0.0, 0.0))
        scene.turn(body, random.uniform(-0.3, 0.3, 3))

    def momenta():
        linear, angular = np.zeros(3), np.zeros(3)
        for body, mass in zip(bodies, masses, strict=True):
            linear += mass * scene.velocity(body)
            angular += mass * np.cross(scene.position(body), scene.velocity(body)) + mass / 6.0 * scene.spin(body)
        return linear, angular

    linear, angular = momenta()
    first = scene.velocity(bodies[0])
    scene.step(120)
    assert np.linalg.norm(scene.velocity(bodies[0]) - first) > 0.2
    assert momenta()[0] == pytest.approx(linear, abs=2e-5)
    # Impulses act where the bodies met at the start of the tick: exact up to their way within it.
    assert momenta()[1] == pytest.approx(angular, abs=0.02)


# Coming and going.


def test_random_coming_and_going_leaves_nothing_behind():
    scene = SmallWorld(sleeps=True)
    scene.floor()
    shapes = [scene.box(0.5, 0.5, 0.5), scene.sphere(0.4), scene.box(0.8, 0.2, 0.4)]
    pillar = scene.add(scene.box(0.5, 2.0, 0.5), (0.0, 2.0, 0.0), mode=STATIC)
    random, bodies, most = np.random.default_rng(11), [], 0
    for _ in range(500):
        if random.random() < 0.35 and len(bodies) < 60:
            place = (random.uniform(-2, 2), random.uniform(0.5, 6), random.uniform(-2, 2))
            bodies.append(scene.add(shapes[random.integers(3)], place))
        if bodies and random.random() < 0.2:
            scene.world.body.destroy(bodies.pop(random.integers(len(bodies))))
        if bodies and random.random() < 0.1:
            body = bodies[random.integers(len(bodies))]
            scene.world.body.set_mode(body, int(random.integers(4)))
        if bodies and random.random() < 0.1:
            system = scene.system if random.random() < 0.7 else 0
            scene.world.body.set_system(bodies[random.integers(len(bodies))], system)
        scene.step()
        most = max(most, scene.live_manifolds())
    assert most > 10
    rows = scene.world.bodies.rows[: scene.world.bodies.count]
    assert np.isfinite(rows["position"]).all()
    for body in bodies:
        scene.world.body.destroy(body)
    scene.step()
    assert scene.live_pairs() == scene.live_manifolds() == 0
    assert int(scene.row["pairs"]["active_count"]) == int(scene.row["bodies"]["active_count"]) == 0
    system = scene.world.system(scene.system)
    assert not system._colours["counts"].any()
    assert not next(pool for pool in system._pools if pool.name == "pair table").rows.any()
    assert rows[scene.index(pillar)]["colour_mask"] == 0 and rows[scene.index(pillar)]["pair_count"] == 0


def test_a_space_that_goes_before_its_bodies():
    scene = SmallWorld()
    scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    scene.step(30)
    gone, place = scene.system, scene.position(box)
    scene.world.destroy_system(gone)
    assert scene.world.body.system(box) == 0
    with pytest.raises(KeyError, match=f"there is no space {gone}"):
        scene.world.step(gone, TICK)
    np.testing.assert_array_equal(scene.position(box), place)
    scene.system = scene.world.create_system(gravity=(0.0, -GRAVITY, 0.0), linear_damp=0.0)
    assert scene.system != gone
    scene.world.body.set_system(box, scene.system)
    scene.throw(box, (0.0, 0.0, 0.0))
    scene.step(60)
    assert scene.velocity(box)[1] == pytest.approx(-GRAVITY, rel=1e-3)
    scene.world.body.destroy(box)


def test_a_shape_freed_while_it_is_used():
    scene = SmallWorld(sleeps=True)
    scene.floor()
    shape, other = scene.box(0.5, 0.5, 0.5), scene.sphere(0.5)
    box, both = scene.add(shape, (0.0, 0.5, 0.0)), scene.add(shape, (5.0, 0.5, 0.0))
    scene.world.body.add_shape(both, other)
    scene.world.body.add_shape(both, shape)
    scene.step(180)
    scene.world.shape.destroy(shape)
    assert scene.world.body.shape_count(box) == 0
    assert scene.world.body.shape_count(both) == 1 and scene.world.body.shape(both, 0) == other
    scene.step(60)
    assert scene.position(box)[1] < -1.0
    assert scene.position(both)[1] == pytest.approx(0.5, abs=0.02)


def test_a_tick_of_nothing_changes_nothing():
    scene = SmallWorld()
    ball = scene.add(scene.sphere(0.5), (0.0, 5.0, 0.0))
    scene.world.step(scene.system, 0.0)
    np.testing.assert_array_equal(scene.position(ball), (0.0, 5.0, 0.0))
    assert scene.row["step"]["count"] == 0
    for bad in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="step: delta_time"):
            scene.world.step(scene.system, bad)
