"""Loops of light bars that carry heavy loads: they are networks, as mechanisms in many loops are."""

import numpy as np
import pytest
from test_networks import bar_between
from test_planar_networks import in_plane, plane_space
from test_planar_trees import energy

import scree

TICK = 1.0 / 60.0


@pytest.fixture(params=["free", "in a plane"])
def locks(request):
    """A function that leaves a body as it is, or lets it move in the plane of x and y alone."""
    return in_plane if request.param == "in a plane" else lambda body: body


def test_a_straight_bridge_bears_a_tonne(locks):
    """Eight bars of 1 kg, as long as their ends are apart. As a tree with one loop it gaped by 54 mm, and sagged by 0.33 m."""
    space, length = plane_space(), 0.5
    ends = [(length * k, 0.0, 0.0) for k in range(9)]
    bars = [locks(bar_between(space, ends[k], ends[k + 1], 1.0)) for k in range(8)]
    for k, bar in enumerate(bars):
        space.add_joint(scree.Pin(anchor=ends[k]), bar, to=bars[k - 1] if k else None)
    space.add_joint(scree.Pin(anchor=ends[8]), bars[7])
    ball = locks(space.add_rigid(scree.Sphere(radius=0.1), ends[4], mass=1000.0))
    space.add_joint(scree.Pin(anchor=ends[4]), ball, to=bars[3])
    for _ in range(240):
        space.step(TICK)
        for left, right in zip(bars, bars[1:], strict=False):
            gap = left.position + left.basis @ (length / 2.0, 0.0, 0.0) - right.position + right.basis @ (length / 2.0, 0.0, 0.0)
            assert np.linalg.norm(gap) < 0.004
    assert -0.12 < ball.position[1] < 0.0


@pytest.mark.parametrize("mass", [1.0, 50.0, 100.0])
def test_a_four_bar_linkage_keeps_its_energy(locks, mass):
    """Two cranks of 1 kg carry a coupler, and swing for 10 s. With 100 kg on it 1.6 % of the energy was lost."""
    space, corners = plane_space(), [(0.0, 0.0, 0.0), (-0.5, 0.9, 0.0), (2.0, 1.5, 0.0), (2.0, 0.0, 0.0)]
    bars = [locks(bar_between(space, a, b, m)) for a, b, m in zip(corners, corners[1:], (1.0, mass, 1.0), strict=False)]
    for k, bar in enumerate(bars):
        bar.linear_damp = bar.angular_damp = 0.0
        space.add_joint(scree.Pin(anchor=corners[k]), bar, to=bars[k - 1] if k else None)
    space.add_joint(scree.Pin(anchor=corners[3]), bars[2])
    before = energy(bars)
    for _ in range(600):
        space.step(TICK)
        assert energy(bars) == pytest.approx(before, rel=0.002)
