"""A smooth ball in a loop-the-loop of flat facets, wound either way: fast enough, it goes round and is pressed on the track."""

import math

import numpy as np
import pytest
from public_words import empty, surface

import scree

RADIUS, LOOP, GRAVITY = 0.1, 2.0, 10.0  # of the ball and the loop [m]; gravity [m/s^2]
SMOOTH = surface(0.0)


def track(facets, is_wound_outwards, **options):
    """A loop of flat facets, 2 m wide, whose lowest corner is the origin."""
    vertices, triangles = [], []
    for i in range(facets + 1):
        angle = 2.0 * math.pi * i / facets - math.pi / 2.0
        vertices += [(LOOP * math.cos(angle), LOOP + LOOP * math.sin(angle), side) for side in (-1.0, 1.0)]
    for i in range(facets):
        triangles += [(2 * i, 2 * i + 1, 2 * i + 2), (2 * i + 1, 2 * i + 3, 2 * i + 2)]
    order = [0, 2, 1] if is_wound_outwards else [0, 1, 2]
    return scree.Mesh(vertices=np.array(vertices), triangles=np.array(triangles)[:, order], **options)


def go_round(floor, facets, times, rate):
    """Start a ball in the middle of the lowest facet at `times` the least speed. The way it takes (n, 3) [m], until it has gone
    round or is 0.15 m off the track, the largest distance from the track [m], and its energy at the end by that at first."""
    space = empty()
    space.add_static(floor, material=SMOOTH)
    angle, height = math.pi / facets - math.pi / 2.0, LOOP * math.cos(math.pi / facets) - RADIUS
    speed = times * math.sqrt(5.0 * GRAVITY * (LOOP - RADIUS))
    start = (height * math.cos(angle), LOOP + height * math.sin(angle), 0.0)
    ball = space.add_rigid(
        scree.Sphere(radius=RADIUS), start, mass=1.0, material=SMOOTH, can_sleep=False,
        velocity=(-speed * math.sin(angle), speed * math.cos(angle), 0.0),
    )  # fmt: skip
    before = 0.5 * speed * speed + GRAVITY * start[1]
    way, apart, turned, last = [], 0.0, 0.0, angle
    while turned < 2.0 * math.pi and apart < 0.15:
        space.step(1.0 / rate)
        x, y = ball.position[0], ball.position[1] - LOOP
        now = math.atan2(y, x)
        turned, last = turned + (now - last + math.pi) % (2.0 * math.pi) - math.pi, now
        apart = max(apart, LOOP - RADIUS - math.hypot(x, y))
        way.append(ball.position)
    after = 0.5 * float(np.dot(ball.velocity, ball.velocity)) + GRAVITY * ball.position[1]
    return np.array(way), apart, after / before


@pytest.mark.parametrize("rate", (60, 120, 240))
@pytest.mark.parametrize("times", (1.3, 2.0))
@pytest.mark.parametrize("facets", (72, 120, 360))
def test_a_ball_goes_round_a_loop(facets, times, rate):
    """It hops by at most a ball's radius or so, and keeps more than the kinks alone would leave; if it moves by three radii in a
    tick, still half of its energy."""
    _, apart, left = go_round(track(facets, False), facets, times, rate)
    assert apart < 0.12
    kept = math.cos(2.0 * math.pi / facets) ** (2 * facets) - 0.02
    assert (0.5 if times * 10.0 / rate > 3.0 * RADIUS else kept) < left < 1.001


@pytest.mark.parametrize("rate", (60, 240))
@pytest.mark.parametrize("is_wound_outwards", (False, True))
@pytest.mark.parametrize("facets", (48, 72))
def test_the_back_of_a_two_sided_mesh_is_like_its_front(facets, is_wound_outwards, rate):
    """Seen from behind, an edge that bends outwards bends inwards: it stops nobody."""
    front, _, _ = go_round(track(facets, False), facets, 1.3, rate)
    way, _, _ = go_round(track(facets, is_wound_outwards, two_sided=True), facets, 1.3, rate)
    assert len(way) == len(front)
    np.testing.assert_allclose(way, front, atol=1e-4)
