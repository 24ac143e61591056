"""Columns that stand on a slope, and balls that roll in a groove or round a ring, judged by formulas."""

import math

import numpy as np
import pytest
from public_words import TICK, block, empty, run, surface, tilt, turned

import scree

GRAVITY, RADIUS, HEIGHT = 10.0, 0.3, 2.0


def prism(corner_count: int) -> scree.Hull:
    """An upright prism with its first corner along x."""
    angles = 2.0 * np.pi * np.arange(corner_count) / corner_count
    points = [(RADIUS * c, y, RADIUS * s) for c, s in zip(np.cos(angles), np.sin(angles), strict=True) for y in (-1, 1)]
    return scree.Hull(points=points)


def floor_of(kind: str):
    """A floor whose top is y = 0, and where it is."""
    if kind == "plane":
        return scree.Plane(), (0, 0, 0)
    if kind == "box":
        return block(3, 1, 3), (0, -1, 0)
    if kind == "mesh":
        corners = [(-3, 0, -3), (3, 0, -3), (3, 0, 3), (-3, 0, 3)]
        return scree.Mesh(vertices=corners, triangles=[(0, 2, 1), (0, 3, 2)]), (0.1, 0, 0.2)
    return scree.HeightField(heights=np.zeros((7, 7))), (0.1, 0, 0.2)


def stands(shape, direction: float, part: float, kind: str = "plane", **settings) -> bool:
    """Whether a body of `HEIGHT` stands for five seconds where gravity leans in a direction [rad] by `part` of the angle at which
    one with `RADIUS` tips over."""
    slope = math.atan(part * RADIUS / (0.5 * HEIGHT))
    along = GRAVITY * math.sin(slope)
    space = empty((along * math.cos(direction), -GRAVITY * math.cos(slope), along * math.sin(direction)), **settings)
    ground, place = floor_of(kind)
    space.add_static(ground, place, material=surface(2.0))
    body = space.add_rigid(shape, (0, 0.5 * HEIGHT, 0), material=surface(2.0), can_sleep=False)
    run(space, 300)
    return body.basis[1, 1] > 0.9


@pytest.mark.parametrize("degrees", [0.0, 15.0, 22.5, 30.0, 45.0, 100.0])
@pytest.mark.parametrize("kind", ["plane", "box", "mesh", "field"])
def test_a_cylinder_tips_over_where_its_centre_of_mass_is_above_its_rim(kind, degrees):
    cylinder = scree.Cylinder(radius=RADIUS, height=HEIGHT)
    assert stands(cylinder, math.radians(degrees), 0.95, kind)
    assert not stands(cylinder, math.radians(degrees), 1.02, kind)


@pytest.mark.parametrize("degrees", [0.0, 15.0, 22.5, 30.0, 45.0])
@pytest.mark.parametrize("corner_count", [5, 8, 24, 48])
@pytest.mark.parametrize("kind", ["plane", "box", "mesh"])
def test_a_prism_tips_over_its_lower_edge_or_corner(kind, corner_count, degrees):
    """In a direction at an angle to the middle of an edge it reaches cos(pi / n) / cos(that angle) of its radius."""
    half = math.pi / corner_count
    reach = math.cos(half) / math.cos(half - math.radians(degrees) % (2.0 * half))
    assert stands(prism(corner_count), math.radians(degrees), 0.95 * reach, kind)
    assert not stands(prism(corner_count), math.radians(degrees), 1.02 * reach, kind)


@pytest.mark.parametrize("degrees", [0.0, 17.0, 30.0])
def test_a_prism_of_six_corners_that_is_pushed_tips_over_its_far_corner(degrees):
    """A force at its middle that grows until it tips: then force times height is weight times the reach of the base that way."""
    space, angle = empty((0, -GRAVITY, 0)), math.radians(degrees)
    space.add_static(scree.Plane(), material=surface(1.0))
    body = space.add_rigid(prism(6), (0, 0.5 * HEIGHT, 0), turned((0, 1, 0), angle), material=surface(1.0), can_sleep=False)
    reach = RADIUS * max(math.cos(k * math.pi / 3 - angle) for k in range(6))
    tipping, force = body.mass * GRAVITY * reach / (0.5 * HEIGHT), 0.0
    while tilt(body) < 3.0 and force < 2.0 * tipping:
        force += tipping / 4000
        body.set_constant_force((force, 0, 0))
        run(space, 1)
    assert 0.94 < force / tipping < 1.04


@pytest.mark.parametrize("degrees", [0.0, 10.0, 22.5, 33.0, 45.0])
def test_a_cube_turned_on_a_square_base_stands_on_the_octagon_they_share(degrees):
    """Cubes of 1 m, the upper turned by 45 degrees: an octagon of width 1 m. The line of gravity from the middle of the upper one
    leans by the angle at which it meets the octagon's edge."""
    away = abs((degrees + 22.5) % 45.0 - 22.5)
    for part in (0.96, 1.06):
        slope = math.atan(part / math.cos(math.radians(away)))
        along, way = GRAVITY * math.sin(slope), math.radians(degrees)
        space = empty((along * math.cos(way), -GRAVITY * math.cos(slope), along * math.sin(way)))
        space.add_static(block(0.5, 0.5, 0.5), (0, -0.5, 0), material=surface(3.0))
        turn = (0, math.sin(math.pi / 8), 0, math.cos(math.pi / 8))
        cube = space.add_rigid(block(0.5, 0.5, 0.5), (0, 0.5, 0), turn, material=surface(3.0), can_sleep=False)
        run(space, 180)
        assert (cube.basis[1, 1] > 0.99) == (part < 1.0)


@pytest.mark.parametrize("part", [0.75, 0.85, 0.95])
def test_a_round_table_stands_on_a_level_floor_with_its_centre_of_mass_near_its_rim(part):
    space = empty()
    space.add_static(scree.Plane())
    table = space.add_rigid(scree.Cylinder(radius=0.5, height=0.8), (0, 0.4, 0), can_sleep=False)
    table.center_of_mass = (part * 0.5 * math.cos(0.4), 0, part * 0.5 * math.sin(0.4))
    run(space, 240)
    assert math.degrees(math.acos(min(1.0, table.basis[1, 1]))) < 0.5


def test_a_load_that_moves_round_a_table_does_not_tip_it_over():
    """A force of nine tenths of what tips the table over, which turns once in 4 s while the table has come to rest."""
    space = empty()
    space.add_static(scree.Plane(), material=surface(2.0))
    table = space.add_rigid(scree.Cylinder(radius=0.5, height=1.0), (0, 0.5, 0), mass=2.0, material=surface(2.0), can_sleep=False)
    run(space, 60)
    push, lowest = 0.9 * 2.0 * GRAVITY * 0.5 / 0.5, 1.0
    for tick in range(480):
        angle = 2.0 * math.pi * tick * TICK / 4.0
        table.set_constant_force((push * math.cos(angle), 0, push * math.sin(angle)))
        space.step(TICK)
        lowest = min(lowest, table.basis[1, 1])
    assert lowest > math.cos(math.radians(1.0))


@pytest.mark.parametrize("radius", [0.05, 1.0])
@pytest.mark.parametrize("degrees", [80.0, 60.0, 45.0, 30.0])
@pytest.mark.parametrize("friction", [1.0, 0.5])
def test_a_ball_rolls_down_a_groove_as_fast_as_its_points_of_contact_let_it(friction, degrees, radius):
    """Two planes at `degrees` to the middle plane: it rolls about an axis through two points at r sin(angle) from its centre."""
    half, slope = math.radians(degrees), math.radians(10.0)
    space = empty((GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope), 0))
    for side in (-1, 1):
        space.add_static(scree.Plane(normal=(0, math.sin(half), side * math.cos(half))), material=surface(friction))
    place = (0, radius / math.sin(half), 0)
    ball = space.add_rigid(scree.Sphere(radius=radius), place, material=surface(friction), can_sleep=False)
    run(space, 90)
    expected = GRAVITY * math.sin(slope) * 1.5 / (1.0 + 0.4 / math.sin(half) ** 2)
    assert ball.velocity[0] == pytest.approx(expected, rel=0.02)


def test_a_ball_rolls_down_two_rails_as_fast_as_their_distance_lets_it():
    radius, apart, slope = 0.1, 0.07, math.radians(6.0)
    space = empty((GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope), 0))
    for side in (-1, 1):
        place = (4.0, 0, side * apart)
        space.add_static(
            scree.Capsule(radius=0.01, height=12.0), place, (0, 0, math.sqrt(0.5), math.sqrt(0.5)), material=surface(1.0)
        )
    height = math.sqrt((radius + 0.01) ** 2 - apart**2)
    ball = space.add_rigid(scree.Sphere(radius=radius), (0, height, 0), material=surface(1.0), can_sleep=False)
    run(space, 120)
    arm = height / (radius + 0.01)  # of the points of contact below the centre, as a part of the radius
    assert ball.velocity[0] == pytest.approx(GRAVITY * math.sin(slope) * 2.0 / (1.0 + 0.4 / arm**2), rel=0.02)


@pytest.mark.parametrize("radius", [0.05, 0.2])
def test_a_ball_that_spins_on_the_spot_comes_to_rest_and_sleeps(radius):
    space = empty()
    space.add_static(scree.Plane())
    ball = space.add_rigid(scree.Sphere(radius=radius), (0, radius, 0), angular_velocity=(0, 10, 0))
    run(space, 300)
    assert ball.is_asleep and np.linalg.norm(ball.velocity) < 1e-3


def ring(count: int, radius: float) -> scree.Mesh:
    """The wall of a ring, of `count` flat facets, about the y axis."""
    angles = 2.0 * np.pi * (np.arange(count) + 0.5) / count
    corners = [(radius * c, y, radius * s) for c, s in zip(np.cos(angles), np.sin(angles), strict=True) for y in (-1, 1)]
    triangles = []
    for i in range(0, 2 * count, 2):
        j = (i + 2) % (2 * count)
        triangles += [(i, i + 1, j), (i + 1, j + 1, j)]
    return scree.Mesh(vertices=corners, triangles=triangles, two_sided=True)


@pytest.mark.parametrize("has_floor", [False, True])
@pytest.mark.parametrize("speed", [2.0, 6.0, 12.0])
@pytest.mark.parametrize("count", [90, 720])
def test_a_ball_that_nothing_presses_on_keeps_its_speed_round_a_ring(count, speed, has_floor):
    """Without gravity, or on a floor: where a ring turns the ball, no other force presses the ball to it."""
    radius, outer = 0.1, 2.0
    space = empty((0, -GRAVITY if has_floor else 0.0, 0))
    space.add_static(ring(count, outer), material=surface(0.0))
    if has_floor:
        space.add_static(scree.Plane(distance=-radius), material=surface(0.0))
    place = (outer * math.cos(math.pi / count) - radius, 0, 0)
    ball = space.add_rigid(scree.Sphere(radius=radius), place, velocity=(0, 0, speed), material=surface(0.0), can_sleep=False)
    most = 0.0
    for _ in range(round(2.0 * math.pi * (outer - radius) / speed / TICK)):
        space.step(TICK)
        most = max(most, ball.velocity @ ball.velocity / speed**2)
    assert ball.velocity @ ball.velocity / speed**2 > 0.97 and most < 1.003
    assert math.hypot(ball.position[0], ball.position[2]) == pytest.approx(outer - radius, abs=0.003)
