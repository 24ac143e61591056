"""A character on an obstacle course: every trap that a controller is known to fall into, against numbers from geometry and
mechanics."""

import numpy as np
import pytest

import scree
from characters.walks import GRAVITY, HEIGHT, PADDING, RADIUS, STANDING, TICK, Course, mesh_floor

from scree.characters.sliding import clip

MM = 1e-3
DEGREE = np.pi / 180


@pytest.mark.parametrize("speed", [1.0, 4.0, 8.0])
@pytest.mark.parametrize("height", [0.1, 0.2, 0.3])
def test_it_climbs_stairs_and_never_leaves_them(height, speed):
    course = Course()
    course.ground()
    course.stairs(height, 0.3, 10, begin=1.0)
    hero = course.add()
    on_floor = []
    ticks = round(3.9 / speed * 60)
    path = course.walk((speed, 0, 0), ticks, after=lambda tick: on_floor.append(hero.on_floor))
    assert all(on_floor)
    assert path[-1, 0] == pytest.approx(3.9, rel=0.03)  # no time is lost
    assert path[-1, 1] == pytest.approx(10 * height, abs=5 * MM)
    assert (np.diff(path[:, 1]) > -1.0 * MM).all()


@pytest.mark.parametrize("speed", [1.0, 4.0, 8.0])
@pytest.mark.parametrize("height", [0.1, 0.2, 0.3])
def test_it_goes_down_stairs_without_a_gap(height, speed):
    course = Course()
    course.ground()
    course.stairs(height, 0.3, 10, begin=1.0)
    hero = course.add((3.9, 10 * height, 0))
    on_floor = []
    path = course.walk((-speed, 0, 0), round(3.9 / speed * 60), after=lambda tick: on_floor.append(hero.on_floor))
    assert all(on_floor)
    assert path[-1, 1] == pytest.approx(0.0, abs=MM)
    assert path[-1, 0] == pytest.approx(0.0, abs=0.15)


@pytest.mark.parametrize("speed", [1.0, 8.0])
def test_a_step_that_is_too_high_blocks(speed):
    course = Course()
    course.ground()
    course.box((1, 0.5, 2), (2, 0.37 - 0.5, 0))  # 37 cm, 2 above the step height
    hero = course.add()
    path = course.walk((speed, 0, 0), 120)
    assert path[:, 1].max() < MM
    assert path[-1, 0] == pytest.approx(1.0 - RADIUS - PADDING, abs=MM)
    assert hero.on_wall and hero.on_floor


@pytest.mark.parametrize("degrees", [44.0, 46.0])
def test_the_steepest_slope(degrees):
    course = Course()
    course.ground()
    course.slope(degrees * DEGREE, (1, 0, 0))
    course.add(max_slope=45 * DEGREE)
    path = course.walk((2, 0, 0), 120)
    if degrees < 45:
        assert path[-1, 1] > 1.0
    else:
        assert path[:, 1].max() < 0.02  # the rounding of the capsule may climb its foot


@pytest.mark.parametrize("degrees", [50.0, 55.0, 59.0, 60.0, 65.0])
def test_it_slides_down_a_steep_slope_as_without_friction(degrees):
    """At some angles a normal in single precision is shorter than 1: what was left of the fall seemed to enter the slope."""
    angle = degrees * DEGREE
    course = Course()
    course.space.add_static(scree.Plane(normal=(-np.sin(angle), np.cos(angle), 0.0)))
    hero = course.add((0, 1.0, 0))
    course.walk((0, 0, 0), 60)
    before = np.linalg.norm(hero.velocity)
    course.walk((0, 0, 0), 60)
    assert hero.slides_down
    assert np.linalg.norm(hero.velocity) - before == pytest.approx(GRAVITY * np.sin(angle), rel=1e-3)


@pytest.mark.parametrize("mass", [0.1, 1.0, 20.0])
def test_a_body_rests_on_its_head(mass):
    """It pushed the character into the floor, and was fired away at 60 m/s."""
    course = Course()
    course.ground()
    hero = course.add()
    box = course.space.add_rigid(scree.Box(half_extents=(0.5, 0.5, 0.5)), (0, HEIGHT + 0.7, 0), mass=mass)
    speeds = []
    path = course.walk((0, 0, 0), 120, after=lambda tick: speeds.append(np.linalg.norm(box.velocity)))
    assert hero.on_floor and abs(path[:, 1]).max() < MM
    assert max(speeds) < np.sqrt(2 * GRAVITY * 0.25) and speeds[-1] < 0.01
    assert box.position[1] == pytest.approx(HEIGHT + PADDING + 0.5, abs=5 * MM)


@pytest.mark.parametrize("degrees", [44.0, 46.0])
def test_rest_on_a_slope(degrees):
    course = Course()
    course.slope(degrees * DEGREE)
    angle = degrees * DEGREE
    lift = (RADIUS + PADDING) * (1 / np.cos(angle) - 1) + MM
    hero = course.add((0, lift, 0))
    course.walk((0, 0, 0), 5)
    start = course.feet()
    path = course.walk((0, 0, 0), 600 if degrees < 45 else 60)
    if degrees < 45:
        assert np.abs(path - start).max() < 1e-9 and hero.on_floor
    else:  # it slides like a body without friction
        way = np.linalg.norm(path[-1] - path[0])
        seconds = 59 * TICK
        begin = np.linalg.norm(path[0] - start) / TICK
        assert way == pytest.approx(begin * seconds + 0.5 * GRAVITY * np.sin(angle) * seconds**2, rel=0.03)
        assert hero.slides_down and not hero.on_floor


@pytest.mark.parametrize("kind", ["boxes", "mesh"])
def test_seams_of_a_floor_are_not_felt(kind):
    course = Course()
    if kind == "mesh":
        course.space.add_static(mesh_floor(8.0, 0.5))
    else:
        for x in range(-8, 8):
            for z in range(-8, 8):
                course.box((0.25, 0.5, 0.25), (0.5 * x, -0.5, 0.5 * z))
    hero = course.add((-3.0, 0, -2.0))
    for velocity in [(4.0, 0, 0.3), (-4.0, 0, 3.0)]:
        path = course.walk(velocity, 60)
        assert np.ptp(path[:, 1]) < 0.5 * MM and hero.on_floor and not hero.on_wall
        np.testing.assert_allclose(path[-1] - path[0], np.array(velocity) * 59 * TICK, atol=2 * MM)


@pytest.mark.parametrize("degrees", [20.0, 45.0, 70.0])
def test_along_a_wall_it_keeps_the_projected_speed(degrees):
    course = Course()
    course.ground()
    course.box((0.5, 2, 50), (1.5, 2, 0))  # its face is at x = 1
    hero = course.add((0.5, 0, 0))
    angle = degrees * DEGREE
    velocity = 4.0 * np.array([np.cos(angle), 0, np.sin(angle)])
    path = course.walk(velocity, 90)
    steps = np.diff(path[30:], axis=0) / TICK
    np.testing.assert_allclose(steps[:, 2], velocity[2], rtol=1e-3)
    assert np.abs(steps[:, 0]).max() < 1e-3 and hero.on_wall
    np.testing.assert_allclose(hero.velocity, (0, 0, velocity[2]), atol=1e-6)
    np.testing.assert_allclose(hero.wall_normal, (-1, 0, 0), atol=1e-6)


def test_an_acute_wedge_holds_it_still():
    course = Course()
    course.ground()
    half = 15 * DEGREE
    for side in (-1, 1):
        turn = (0, np.sin(side * half / 2), 0, np.cos(half / 2))
        course.box((5, 2, 0.5), (0, 2, 0) + side * np.array([0, 0, 0.5 / np.cos(half)]), turn)
    course.add((-4.0, 0, 0.1))
    path = course.walk((3, 0, 0.4), 240)
    assert np.abs(path[-60:] - path[-1]).max() < 1e-6
    # Where a circle touches both walls, at the padding.
    assert path[-1, 0] == pytest.approx(-(RADIUS + PADDING) / np.sin(half), abs=5 * MM)


def test_an_inside_corner_holds_it_still():
    course = Course()
    course.ground()
    course.box((0.5, 2, 5), (2.5, 2, 0))
    course.box((5, 2, 0.5), (0, 2, 2.5))
    course.add()
    path = course.walk((4, 0, 3), 120)
    assert np.abs(path[-30:] - path[-1]).max() < 1e-6
    np.testing.assert_allclose(path[-1, [0, 2]], 2.0 - RADIUS - PADDING, atol=MM)


def test_a_low_ceiling_stops_and_a_jump_ends_at_it():
    course = Course()
    course.ground()
    course.box((2, 0.5, 2), (4, 1.5 + 0.5, 0))  # 1.5 m above the ground, from x = 2 on
    course.box((1, 0.5, 1), (-3, 2.1 + 0.5, 0))
    hero = course.add()
    path = course.walk((3, 0, 0), 90)
    assert path[-1, 0] < 2.0 and hero.on_floor and np.abs(path[:, 1]).max() < MM
    hero.position = (-3.0, HEIGHT / 2 + PADDING, 0.0)
    course.walk((0, 0, 0), 2)
    hero.jump(6.0)
    ceilings = []
    path = course.walk((0, 0, 0), 60, after=lambda tick: ceilings.append(hero.on_ceiling))
    assert path[:, 1].max() == pytest.approx(2.1 - HEIGHT - 2 * PADDING, abs=MM) and any(ceilings)
    # Without the ceiling it would come down after 1.2 s; it falls from its highest point at once.
    assert path[round(2 * 60 * np.sqrt(2 * 0.3 / GRAVITY)), 1] < MM


def test_under_a_ceiling_that_comes_down_it_stops_without_jitter():
    course = Course()
    course.ground()
    angle = 20 * DEGREE
    turn = (0, 0, np.sin(-angle / 2), np.cos(angle / 2))
    course.box((10, 0.5, 3), (0, 2.5 + 0.5 / np.cos(angle), 0), turn)  # 2.5 m high at x = 0, lower along +x
    hero = course.add()
    path = course.walk((3, 0, 0), 120)
    assert np.abs(path[-30:] - path[-1]).max() < 1e-6 and np.abs(path[:, 1]).max() < MM
    assert 0.5 < path[-1, 0] < (2.5 - HEIGHT) / np.tan(angle) and hero.on_floor


@pytest.mark.parametrize("told", ["before", "after"])
def test_a_turning_platform_carries_and_turns_it(told):
    course = Course()
    platform = course.moving((3, 0.25, 3), (0, -0.25, 0))
    hero = course.add((2.0, 0, 0))
    spin = 1.5  # [rad/s]

    def turn(tick):
        half = spin * (tick + 1) * TICK / 2
        platform.move((0, -0.25, 0), (0, np.sin(half), 0, np.cos(half)))

    ticks = 240
    how = {"before": turn} if told == "before" else {"after": turn}
    path = course.walk((0, 0, 0), ticks, **how)
    radii, angles = np.hypot(path[:, 0], path[:, 2]), np.unwrap(np.arctan2(-path[:, 2], path[:, 0]))
    np.testing.assert_allclose(radii[3:], 2.0, rtol=1e-3)
    done = ticks if told == "before" else ticks - 1
    assert angles[-1] == pytest.approx(spin * done * TICK, abs=0.03)
    q = hero.rotation
    assert np.cos(2 * np.arctan2(q[1], q[3]) - angles[-1]) > 1 - 1e-3
    assert hero.on_floor and hero.standing_on == platform
    np.testing.assert_allclose(np.linalg.norm(hero.ground_velocity), spin * 2.0, rtol=0.01)
    # A walk on it is relative to it: inwards by 1 m.
    inward = -path[-1] / 2.0
    done = course.walk(60 * inward * TICK, 1)[-1]
    assert np.hypot(done[0], done[2]) == pytest.approx(2.0 - TICK, abs=2 * MM)


@pytest.mark.parametrize("speed", [3.0, -3.0])
def test_a_lift_keeps_it_on_the_floor(speed):
    course = Course()
    lift = course.moving((1, 0.25, 1), (0, -0.25, 0))
    hero = course.add()
    on_floor = []

    def drive(tick):
        lift.move((0, -0.25 + speed * (tick + 1) * TICK, 0))

    course.walk((0, 0, 0), 2)
    path = course.walk((0, 0, 0), 90, before=drive, after=lambda tick: on_floor.append(hero.on_floor))
    assert all(on_floor)
    np.testing.assert_allclose(path[:, 1], speed * (np.arange(90) + 1) * TICK, atol=MM)


@pytest.mark.parametrize("keeps", [True, False])
def test_leaving_a_platform_keeps_its_velocity(keeps):
    course = Course()
    platform = course.moving((2, 0.25, 2), (0, -0.25, 0))
    hero = course.add(keeps_velocity=keeps)

    def drive(tick):
        platform.move((4.0 * (tick + 1) * TICK, -0.25, 0))

    course.walk((0, 0, 0), 30, before=drive)
    hero.jump(5.0)
    path = course.walk((0, 0, 0), 30)
    assert hero.has_left is False and not hero.on_floor
    speed = (path[-1, 0] - path[0, 0]) / (29 * TICK)
    assert speed == pytest.approx(4.0 if keeps else 0.0, abs=0.01)


def test_it_pushes_a_box_with_a_limited_force():
    course = Course()
    course.ground()
    light = course.space.add_rigid(scree.Box(half_extents=(0.4, 0.4, 0.4)), (1.0, 0.4, 0), mass=10.0)
    course.add(push_force=200.0)
    speeds = []
    course.walk((2, 0, 0), 120, after=lambda tick: speeds.append(light.velocity[0]))
    gains = np.diff([0.0, *speeds])
    assert gains.max() <= 200.0 / 10.0 * TICK * 1.001  # never more than the force gives
    assert max(speeds) < 2.0 * 1.02 and speeds[-1] == pytest.approx(2.0 - GRAVITY * TICK, abs=0.01)
    assert abs(light.position[1] - 0.4) < 0.01


def test_it_does_not_move_a_ton():
    course = Course()
    course.ground()
    heavy = course.space.add_rigid(scree.Box(half_extents=(0.5, 0.5, 0.5)), (1.2, 0.5, 0), mass=1000.0)
    course.add(push_force=500.0)
    course.walk((3, 0, 0), 180)
    np.testing.assert_allclose(heavy.position, (1.2, 0.5, 0), atol=MM)


def test_its_weight_tips_a_plank():
    course = Course()
    course.ground()
    course.box((0.1, 0.2, 1), (0, 0.2, 0))
    plank = course.space.add_rigid(scree.Box(half_extents=(1.5, 0.05, 0.5)), (0, 0.45, 0), mass=10.0)
    hero = course.add((0.9, 0.5, 0), mass=80.0)
    course.walk((0, 0, 0), 120)
    assert plank.basis[1, 0] < -0.1 and hero.on_floor and hero.standing_on == plank


def test_a_moving_wall_pushes_it():
    course = Course()
    course.ground()
    wall = course.moving((0.5, 2, 2), (-1.5, 2.02, 0))
    hero = course.add()

    def drive(tick):
        wall.move((-1.5 + 2.0 * (tick + 1) * TICK, 2.02, 0))

    path = course.walk((0, 0, 0), 120, before=drive)
    face = -1.0 + 2.0 * (np.arange(120) + 1) * TICK
    gap = path[60:, 0] - face[60:]
    assert (gap > RADIUS - 2.0 * TICK - MM).all() and (gap < RADIUS + PADDING + MM).all()
    assert hero.on_floor and np.abs(path[:, 1]).max() < MM


def test_it_crouches_under_a_beam_and_cannot_stand_up_there():
    course = Course()
    course.ground()
    course.box((2, 0.5, 2), (4, 1.2 + 0.5, 0))
    hero = course.add()
    low = scree.Capsule(radius=RADIUS, height=1.0)
    assert hero.set_shape(low)
    assert hero.position[1] == pytest.approx(0.5 + PADDING, abs=MM) and hero.shape == low
    np.testing.assert_allclose(hero.body.position, hero.position, atol=1e-6)
    course.walk((3, 0, 0), 75)
    assert hero.position[0] == pytest.approx(3.75, abs=0.01)
    assert not hero.set_shape(STANDING) and hero.shape == low
    course.walk((3, 0, 0), 60)
    assert hero.set_shape(STANDING)
    path = course.walk((0, 0, 0), 10)
    assert np.abs(path[:, 1]).max() < MM and hero.on_floor


def test_a_thin_wall_is_not_passed_at_50_m_per_s():
    course = Course()
    course.ground()
    course.box((0.005, 2, 5), (5, 2, 0))
    course.add()
    path = course.walk((50, 0, 0), 30)
    assert path[-1, 0] == pytest.approx(5 - 0.005 - RADIUS - PADDING, abs=MM)


@pytest.mark.parametrize("beyond", [-0.05, 0.15])
def test_it_stands_on_a_ledge(beyond):
    course = Course()
    course.ground(-3.0)
    course.box((2, 0.5, 2), (-2, -0.5, 0))  # its edge is at x = 0
    hero = course.add((beyond, 0.01, 0))
    course.walk((0, 0, 0), 30)
    start = course.feet()
    path = course.walk((0, 0, 0), 120)
    assert np.abs(path - start).max() < 1e-9 and hero.on_floor
    np.testing.assert_allclose(hero.floor_normal, (0, 1, 0), atol=1e-6)
    path = course.walk((2, 0, 0), 60)
    assert not hero.on_floor or path[-1, 1] == pytest.approx(-3.0, abs=MM)


@pytest.mark.parametrize("speed", [3.0, 6.0])
def test_a_jump_reaches_its_height(speed):
    course = Course()
    course.ground()
    hero = course.add()
    course.walk((0, 0, 0), 2)
    hero.jump(speed)
    path = course.walk((1, 0, 0), round(2.2 * speed / GRAVITY * 60))
    assert path[:, 1].max() == pytest.approx(speed**2 / (2 * GRAVITY), rel=0.01)
    assert hero.on_floor and path[-1, 1] == pytest.approx(0.0, abs=MM)


def course_path(origin=(0.0, 0.0, 0.0), calls=1):
    """Stairs, a slope, a wall and a ledge in one walk."""
    course = Course(origin)
    course.ground()
    course.stairs(0.2, 0.3, 4, begin=1.0)
    course.slope(30 * DEGREE, (4.5, 0.4, 0), size=2.0)
    course.box((0.2, 2, 3), (7, 2, 0), (0, np.sin(0.3), 0, np.cos(0.3)))
    course.add()
    path = []
    for tick in range(200):
        if tick == 100:
            course.hero.jump(3.0)
        for _ in range(calls):
            course.hero.move((3.0, 0, 0.1), TICK / calls)
        course.space.step(TICK)
        path.append(course.feet())
    return np.array(path)


@pytest.mark.parametrize(("far", "tolerance"), [(1e4, 2 * MM), (1e6, 2 * MM)])
def test_far_from_the_origin_it_walks_the_same(far, tolerance):
    np.testing.assert_allclose(course_path((far, 0, -far)), course_path(), atol=tolerance)


def test_two_runs_have_the_same_bits():
    assert course_path().tobytes() == course_path().tobytes()


def test_two_calls_a_tick_lead_to_the_same_place():
    np.testing.assert_allclose(course_path(calls=2)[-1], course_path()[-1], atol=0.05)


def test_up_may_be_any_direction():
    course = Course()
    course.space.gravity = (GRAVITY, 0, 0)
    course.box((1, 50, 50), (1, 0, 0))  # the ground is at x = 0, up is -x
    course.box((0.1, 5, 5), (-0.1, 7, 0))  # a step of 0.2 from y = 2 on
    quarter = np.sqrt(0.5)
    hero = course.space.add_character(STANDING, (-0.92, 0, 0), (0, 0, quarter, quarter), up=(-1, 0, 0))
    for _ in range(120):
        hero.move((0, 2, 0), TICK)
        course.space.step(TICK)
    assert hero.on_floor
    np.testing.assert_allclose(hero.position, (-0.2 - HEIGHT / 2 - PADDING, 4.0, 0.0), atol=0.02)


def nearest_allowed(planes, v):
    """The nearest to `v` of all vectors that enter none of the planes: itself, along one plane, along the edge of two, zero."""
    candidates = [v, np.zeros(3)]
    candidates += [v - (v @ n) * n for n in planes]
    for i in range(len(planes)):
        for j in range(i):
            edge = np.cross(planes[i], planes[j])
            size = np.linalg.norm(edge)
            candidates += [(v @ edge) / size**2 * edge] if size > 1e-9 else []
    allowed = [one for one in candidates if all(one @ n >= -1e-7 for n in planes)]
    return min(allowed, key=lambda one: np.linalg.norm(one - v))


def test_velocities_are_clipped_to_the_nearest_allowed_one():
    rng = np.random.default_rng(5)
    for _ in range(200):
        planes = rng.normal(size=(2, 3))
        planes /= np.linalg.norm(planes, axis=1)[:, None]
        v = rng.normal(size=3)
        kept = np.array(clip(planes, 2, tuple(v)))
        np.testing.assert_allclose(kept, nearest_allowed(planes, v), atol=1e-6)
