"""The first seeds of the random search; `scree prove random_truth` plays 1,000. What is not mended is in known_faults.json."""

import numpy as np
import pytest

from tests.truth import invariants, random_search
from tests.truth.scene import Body, Scene, play

SEEDS = 2 * len(invariants.KINDS)


@pytest.mark.parametrize("seed", range(SEEDS), ids=lambda seed: f"{invariants.kind_of(seed)}-{seed}")
def test_what_follows_from_physics(seed):
    faults, known = invariants.faults_of(seed), random_search.known_faults()
    unknown = [fault.words() for fault in faults if not random_search.is_listed(random_search.group_of(seed, fault), fault.value)]
    assert not unknown, "; ".join(unknown) + "\n" + invariants.scene_of(seed)[0].words()
    if faults:
        pytest.xfail("; ".join(known[random_search.group_of(seed, fault)]["why"] for fault in faults))


def test_a_scene_is_the_same_for_the_same_seed():
    for seed in range(SEEDS):
        assert invariants.scene_of(seed)[0].words() == invariants.scene_of(seed)[0].words()


def test_figures_are_those_of_mechanics():
    """Two bodies in free flight: what is told of them is what formulas say."""
    box = Body("box", (0.5, 1.0, 1.5), np.array((1.0, 2.0, 3.0)), velocity=np.array((3.0, 0.0, 0.0)), mass=2.0)
    ball = Body("sphere", (0.5,), np.array((-5.0, 0.0, 0.0)), spin=np.array((0.0, 4.0, 0.0)), mass=10.0)
    played = play(Scene((box, ball), gravity=np.array((0.0, -10.0, 0.0)), ticks=30))
    spin = 0.4 * 10.0 * 0.25 * 4.0  # 2/5 m r^2 w
    assert played.kinetic_energy()[0] == pytest.approx(0.5 * 2.0 * 9.0 + 0.5 * spin * 4.0, rel=1e-5)
    assert played.energy()[0] == pytest.approx(played.kinetic_energy()[0] + 2.0 * 10.0 * 2.0, rel=1e-5)
    assert played.momentum()[0] == pytest.approx([6.0, 0.0, 0.0])
    assert played.angular_momentum()[0] == pytest.approx([0.0, 2.0 * 3.0 * 3.0 + spin, -2.0 * 2.0 * 3.0], rel=1e-5)
    assert played.velocity[-1, 0] == pytest.approx([3.0, -5.0, 0.0], abs=1e-4)
    assert played.inertias[0].diagonal() == pytest.approx(2.0 / 3.0 * np.array((3.25, 2.5, 1.25)), rel=1e-5)


def test_a_fault_is_found():
    """A ball that rises from a floor is lifted, whatever lifts it: here it is thrown up."""
    seed = next(seed for seed in range(SEEDS) if invariants.kind_of(seed) == "landed")
    scene = invariants.scene_of(seed)[0]
    floor, body = scene.bodies
    up = Body(body.shape, body.size, body.place, body.rotation, -body.velocity, mass=body.mass)
    names = {fault.name for fault in invariants.faults_in("landed", play(Scene((floor, up), gravity=scene.gravity, ticks=10)))}
    assert "restitution 0 lifts" in names
