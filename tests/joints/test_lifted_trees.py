"""Loads that hang at rest on light links, and are lifted or let down because a joint was put elsewhere."""

import numpy as np
import pytest

import scree

G = 9.81


def loaded_chain(links: int, load: float, height: float = 5.0) -> tuple[scree.Space, scree.Joint, scree.Body]:
    """A load [kg] that hangs below links of 50 g and 20 cm in a straight line: (space, uppermost joint, load)."""
    space = scree.World(threads=1).add_space(gravity=(0.0, -G, 0.0))
    rod, above, first = scree.Capsule(radius=0.02, height=0.24), None, None
    for k in range(links):
        link = space.add_rigid(rod, (0.0, height - 0.1 - 0.2 * k, 0.0), mass=0.05)
        joint = space.add_joint(scree.Pin(anchor=(0.0, height - 0.2 * k, 0.0)), link, to=above)
        above, first = link, first or joint
    end = height - 0.2 * links
    crate = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), (0.0, end - 0.2, 0.0), mass=load)
    space.add_joint(scree.Pin(anchor=(0.0, end, 0.0)), crate, to=above)
    return space, first, crate


def put_joint(space: scree.Space, joint: scree.Joint, along: float) -> None:
    """Have the uppermost joint hold its link at another place along it [m], from its middle."""
    space.core.joint.set_frames(joint.id, None, [*np.eye(3).ravel(), 0.0, along, 0.0])


@pytest.mark.parametrize("links", [1, 2, 5, 20])
@pytest.mark.parametrize("load", [0.05, 1.0, 100.0])
@pytest.mark.parametrize("way", [1e-4, 1e-3, 0.05, -0.05])
@pytest.mark.parametrize("ticks", [0, 20])
def test_a_load_at_rest_follows_a_joint_that_was_put_elsewhere(links, load, way, ticks):
    space, joint, crate = loaded_chain(links, load)
    before = crate.position[1]
    for _ in range(ticks):
        space.step(1 / 60)
    put_joint(space, joint, 0.1 - way)
    for _ in range(60):
        space.step(1 / 60)
    assert crate.position[1] - before == pytest.approx(way, abs=2e-5)
    assert joint.force[1] == pytest.approx(G * (load + 0.05 * links), rel=1e-3)


def test_impulses_that_are_no_numbers_hold_a_joint_for_one_step_only():
    space, joint, crate = loaded_chain(3, 10.0)
    for _ in range(10):
        space.step(1 / 60)
    row = space.core.joint.row("test", joint.id)
    row["linear_impulse"][:] = np.nan
    for _ in range(60):
        space.step(1 / 60)
    assert np.isfinite(np.array(space.bodies.positions)).all()
    assert joint.force[1] == pytest.approx(G * 10.15, rel=1e-3)
    joint.remove()
    for _ in range(30):
        space.step(1 / 60)
    assert crate.position[1] < 3.9
