"""Bodies slide along the border of a mesh as on its middle; what runs into a border, a side or a wall is stopped."""

import math

import numpy as np
import pytest
from public_words import TICK, block, empty, surface, turned

import scree

SMOOTH = surface(0.0)
ABOUT_Y = (0.0, 1.0, 0.0)
SIDE = 6.0  # the border of the floors: z = SIDE, from x = -6 on


def grid(columns, rows, cell=1.0, left_out=()):
    """Vertices and triangles of a flat floor from (-6, 0, SIDE - rows cell) on. `left_out`: cells without triangles."""
    vertices = [(-6.0 + cell * i, 0.0, SIDE - cell * (rows - j)) for i in range(columns + 1) for j in range(rows + 1)]
    triangles, width = [], rows + 1
    for i in range(columns):
        for j in range(rows):
            a = i * width + j
            if (i, j) not in left_out:
                triangles += [(a, a + 1, a + width), (a + 1, a + width + 1, a + width)]
    return vertices, triangles


def sheet(columns, rows, cell=1.0, left_out=(), **options):
    vertices, triangles = grid(columns, rows, cell, left_out)
    return scree.Mesh(vertices=np.array(vertices), triangles=np.array(triangles), **options)


def plateau(columns, rows):
    """A floor with a side of 1 m below each of its borders at z = SIDE and x = -6."""
    vertices, triangles = grid(columns, rows)
    far = SIDE - rows
    for k in range(columns):
        left, right, n = k - 6.0, k - 5.0, len(vertices)
        vertices += [(left, 0.0, SIDE), (left, -1.0, SIDE), (right, -1.0, SIDE), (right, 0.0, SIDE)]
        triangles += [(n, n + 1, n + 2), (n, n + 2, n + 3)]
    for k in range(rows):
        back, front, n = far + k, far + k + 1.0, len(vertices)
        vertices += [(-6.0, 0.0, back), (-6.0, -1.0, back), (-6.0, -1.0, front), (-6.0, 0.0, front)]
        triangles += [(n, n + 1, n + 2), (n, n + 2, n + 3)]
    return scree.Mesh(vertices=np.array(vertices), triangles=np.array(triangles))


def prism(radius):
    corners = [(radius * math.cos(k * math.pi / 4), radius * math.sin(k * math.pi / 4)) for k in range(8)]
    return scree.Hull(points=[(x, y, z) for x, z in corners for y in (-0.5, 0.5)])


FLOORS = {  # the floor, and where its middle is
    "mesh": (lambda: sheet(30, 6), (0.0, 0.0, 0.0)),
    "cells of 0.25 m": (lambda: sheet(120, 16, 0.25), (0.0, 0.0, 0.0)),
    "cells of 0.1 m": (lambda: sheet(240, 20, 0.1), (0.0, 0.0, 0.0)),
    "cells of 4 m": (lambda: sheet(8, 2, 4.0), (0.0, 0.0, 0.0)),
    "two-sided mesh": (lambda: sheet(30, 6, two_sided=True), (0.0, 0.0, 0.0)),
    "plateau": (lambda: plateau(30, 6), (0.0, 0.0, 0.0)),
    "height field": (lambda: scree.HeightField(heights=np.zeros((7, 31))), (9.0, 0.0, SIDE - 3.0)),
}
SLIDERS = {  # shape, and half of its height and its width along Z
    "crate": (lambda: block(0.5, 0.5, 0.5), 0.5, 0.5),
    "plank": (lambda: block(0.5, 0.1, 0.2), 0.1, 0.2),
    "cylinder": (lambda: scree.Cylinder(radius=0.5, height=1.0), 0.5, 0.5),
    "hull": (lambda: prism(0.5), 0.5, 0.5),
}


def slide(floor, place, shape, height, z, speed, angle=0.0, step=TICK, seconds=0.5):
    """Throw a smooth body along X over a smooth floor: (its velocity at the end, the most it rises [m] and turns [rad/s])."""
    space = empty()
    space.add_static(floor, place, material=SMOOTH)
    start = (0.0, height, z)
    body = space.add_rigid(shape, start, turned(ABOUT_Y, angle), mass=1.0, material=SMOOTH, velocity=(speed, 0.0, 0.0))
    rise = spin = 0.0
    for _ in range(round(seconds / step)):
        space.step(step)
        rise, spin = max(rise, body.position[1] - height), max(spin, float(np.linalg.norm(body.angular_velocity)))
    return body.velocity, rise, spin


def check_free_slide(found, speed, words):
    """No force acts along the way: the velocity stays, and the body does not rise or turn."""
    velocity, rise, spin = found
    assert velocity[0] == pytest.approx(speed, rel=0.02), words
    assert abs(velocity[2]) < 0.02 * speed and rise < 2e-3 and spin < 0.05, words


@pytest.mark.parametrize("speed", (1.0, 2.0, 5.0, 10.0))
@pytest.mark.parametrize("floor", FLOORS)
def test_a_body_slides_along_a_border(floor, speed):
    """It hangs over the border by a fifth of its width, or by 2 cm."""
    make_floor, place = FLOORS[floor]
    for name, (shape, height, half) in SLIDERS.items():
        for over in (0.4 * half, 0.02):
            found = slide(make_floor(), place, shape(), height, SIDE - half + over, speed)
            check_free_slide(found, speed, (name, over))


@pytest.mark.parametrize("angle", (0.0, 0.03, 0.2, 0.7))
def test_a_body_slides_along_a_border_however_it_is_turned_and_stepped(angle):
    for step in (TICK, 0.25 * TICK):
        for speed in (2.0, 5.0):
            found = slide(sheet(30, 6), (0.0, 0.0, 0.0), block(0.5, 0.5, 0.5), 0.5, SIDE - 0.3, speed, angle, step)
            check_free_slide(found, speed, (step, speed))


@pytest.mark.parametrize("width", (0.98, 0.6, 0.2))
@pytest.mark.parametrize("speed", (2.0, 5.0, 10.0))
def test_a_crate_slides_on_a_strip_narrower_than_itself(width, speed):
    vertices, triangles = grid(30, 1)
    vertices = np.array(vertices) * (1.0, 1.0, width) + (0.0, 0.0, SIDE * (1.0 - width))
    strip = scree.Mesh(vertices=vertices, triangles=np.array(triangles))
    found = slide(strip, (0.0, 0.0, 0.0), block(0.5, 0.5, 0.5), 0.5, SIDE - 0.5 * width, speed)
    check_free_slide(found, speed, width)


def farthest(floor, shape, start, velocity, angle=0.0, ticks=40):
    """How far a smooth body without weight comes along its first velocity [m]."""
    space = empty(gravity=(0.0, 0.0, 0.0))
    space.add_static(floor, material=SMOOTH)
    body = space.add_rigid(shape, start, turned(ABOUT_Y, angle), mass=1.0, material=SMOOTH, velocity=velocity)
    way = np.asarray(velocity) / np.linalg.norm(velocity)
    most = 0.0
    for _ in range(ticks):
        space.step(TICK)
        most = max(most, float(np.dot(np.asarray(body.position) - start, way)))
    return most


RUNNERS = {  # shape, and how far it reaches ahead, by its angle
    "crate": (lambda: block(0.5, 0.5, 0.5), {0.0: 0.5, math.pi / 4: math.sqrt(0.5)}),
    "pole": (lambda: block(0.02, 0.5, 0.02), {0.0: 0.02, math.pi / 4: 0.02 * math.sqrt(2.0)}),
    "cylinder": (lambda: scree.Cylinder(radius=0.5, height=1.0), {0.0: 0.5}),
    "thin cylinder": (lambda: scree.Cylinder(radius=0.02, height=1.0), {0.0: 0.02}),
    "ball": (lambda: scree.Sphere(radius=0.5), {0.0: 0.5}),
    "hull": (lambda: prism(0.5), {0.0: 0.5, math.pi / 8: 0.5 * math.cos(math.pi / 8)}),
}
MOST_OVERLAP = 0.03
"""How much deeper than it should a body may come into what stops it [m]."""


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("floor", ("mesh", "plateau", "two-sided mesh"))
def test_a_border_stops_what_runs_into_it(floor, runner):
    """Its middle is above the floor, its lower half below; the border's vertices are met exactly, nearly, and not at all."""
    shape, reaches = RUNNERS[runner]
    for angle, ahead in reaches.items():
        for x in (3.0, 3.01, 3.02, 3.5):
            free = 1.0 - ahead
            way = farthest(FLOORS[floor][0](), shape(), (x, 0.05, SIDE + 1.0), (0.0, 0.0, -2.0), angle)
            assert free - 0.02 < way < free + MOST_OVERLAP, (angle, x)


@pytest.mark.parametrize("runner", RUNNERS)
def test_the_side_of_a_plateau_stops_what_runs_into_it(runner):
    shape, reaches = RUNNERS[runner]
    for angle, ahead in reaches.items():
        for height in (-0.6, -0.1):
            way = farthest(plateau(30, 6), shape(), (3.0, height, SIDE + 1.0), (0.0, 0.0, -2.0), angle)
            assert way == pytest.approx(1.0 - ahead, abs=0.02), (angle, height)


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("floor", ("mesh", "plateau"))
def test_the_corner_of_a_border_stops_what_runs_into_it(floor, runner):
    """Diagonally, at a corner where the border turns."""
    shape, reaches = RUNNERS[runner]
    corner = np.array((-6.0, 0.05, SIDE))
    angle = max(reaches)  # at which a side of it, not an edge, is ahead
    free = math.sqrt(2.0) - (reaches[angle] if runner == "hull" else reaches[0.0])
    way = farthest(FLOORS[floor][0](), shape(), tuple(corner + (-1.0, 0.0, 1.0)), (1.5, 0.0, -1.5), angle)
    assert free - 0.02 < way < free + MOST_OVERLAP


def test_a_border_that_turns_inwards_stops_a_pole():
    """Diagonally into the inner corner of a border."""
    notched = sheet(12, 6, 1.0, {(i, j) for i in range(6, 12) for j in range(3, 6)})
    way = farthest(notched, scree.Cylinder(radius=0.02, height=1.0), (1.0, 0.05, 4.0), (-1.5, 0.0, -1.5))
    assert way == pytest.approx((1.0 - 0.02) * math.sqrt(2.0), abs=MOST_OVERLAP)


@pytest.mark.parametrize("speed", (2.0, 5.0))
def test_a_wall_across_a_border_stops_a_body_on_it(speed):
    """The wall stands on a row of edges of the floor and ends at the border as the floor does."""
    vertices, triangles = grid(12, 6)
    for k in range(6):
        n = len(vertices)
        vertices += [(3.0, 0.0, k), (3.0, 2.0, k), (3.0, 2.0, k + 1.0), (3.0, 0.0, k + 1.0)]
        triangles += [(n, n + 2, n + 1), (n, n + 3, n + 2)]
    floor = scree.Mesh(vertices=np.array(vertices), triangles=np.array(triangles))
    for shape, height, half in (SLIDERS["crate"], SLIDERS["cylinder"], SLIDERS["hull"]):
        space = empty()
        space.add_static(floor, material=SMOOTH)
        body = space.add_rigid(shape(), (0.0, height, SIDE - 0.3), mass=1.0, material=SMOOTH, velocity=(speed, 0.0, 0.0))
        most = 0.0
        for _ in range(90):
            space.step(TICK)
            most = max(most, body.position[0])
        assert most == pytest.approx(3.0 - half, abs=0.03)
