"""A load that sleeps on a joint falls as soon as the joint lets go of it: v = g t."""

import numpy as np
import pytest

import scree

G = 9.81
BOX = scree.Box(half_extents=(0.1, 0.1, 0.1))
DOWN, ACROSS = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def asleep(space, load, other, handle):
    """Step until the load sleeps, and return all that was given."""
    for _ in range(120):
        space.step(1 / 60)
    assert load.is_asleep
    return space, load, other, handle


def hang(*joints):
    """A box that sleeps on the joints, and the last of them. They are given a box that is held by the world at (1, 0, 0)."""
    space = scree.World().add_space(gravity=(0.0, -G, 0.0))
    load, other = space.add_rigid(BOX, (0, 0, 0), mass=1.0), space.add_rigid(BOX, (1, 0, 0), mass=1.0)
    space.add_joint(scree.Fixed(), other)
    handle = [space.add_joint(joint, load, to) for joint, to in joints for to in [other if to else None]][-1]
    return asleep(space, load, other, handle)


def geared():
    """A box on an arm, kept level by a gear that ties it to a shaft which cannot turn."""
    space = scree.World().add_space(gravity=(0.0, -G, 0.0))
    load, shaft = space.add_rigid(BOX, (1, 0, 0), mass=1.0), space.add_rigid(BOX, (0, 3, 0), mass=1.0)
    space.add_joint(scree.Hinge(anchor=(0, 0, 0), axis=ACROSS), load)
    space.add_joint(scree.Fixed(), shaft)
    return asleep(space, load, shaft, space.add_joint(scree.Gear(axis=ACROSS, to_axis=ACROSS), load, shaft))


def racked():
    """A box on a slider, held by a pinion that cannot turn."""
    space = scree.World().add_space(gravity=(0.0, -G, 0.0))
    load, pinion = space.add_rigid(BOX, (0, 0, 0), mass=1.0), space.add_rigid(BOX, (1, 0, 0), mass=1.0)
    space.add_joint(scree.Slider(axis=DOWN), load)
    space.add_joint(scree.Fixed(), pinion)
    return asleep(space, load, pinion, space.add_joint(scree.RackAndPinion(axis=DOWN, to_axis=ACROSS), load, pinion))


HELD = {
    "weld": lambda: hang((scree.Fixed(), False)), "weld to another": lambda: hang((scree.Fixed(), True)),
    "pin": lambda: hang((scree.Pin(anchor=(0, 1, 0)), False)),
    "rope": lambda: hang((scree.Distance(anchor=(0, 0, 0), to_anchor=(0, 2, 0), longest=2.0), False)),
    "slider's motor": lambda: hang((scree.Slider(axis=DOWN, motor=scree.Motor(velocity=0.0, max_force=50.0)), False)),
    "slider's limit": lambda: hang((scree.Slider(axis=DOWN, limits=(0.0, 1.0)), False)),
    "slider's spring": lambda: hang((scree.Slider(axis=DOWN, spring=scree.Spring(frequency=5.0, damping_ratio=1.0)), False)),
    "gear": geared, "rack": racked,
}  # fmt: skip
LETS_GO = {
    "removed": lambda joint, other: joint.remove(), "switched off": lambda joint, other: setattr(joint, "enabled", False),
}  # fmt: skip


def falls(space, load) -> None:
    space.step(1 / 60)
    for _ in range(5):
        space.step(1 / 60)
    assert not load.is_asleep and np.linalg.norm(load.velocity) == pytest.approx(6 * G / 60, rel=0.02)


@pytest.mark.parametrize("change", LETS_GO)
@pytest.mark.parametrize("kind", HELD)
def test_the_load_falls(kind, change):
    space, load, other, joint = HELD[kind]()
    LETS_GO[change](joint, other)
    falls(space, load)


@pytest.mark.parametrize("kind", ["weld to another", "gear", "rack"])
def test_the_load_falls_when_the_other_body_is_removed(kind):
    space, load, other, _ = HELD[kind]()
    other.remove()
    falls(space, load)


def test_a_joint_that_breaks_under_less_than_its_load_breaks():
    space, load, _, joint = hang((scree.Fixed(), False))
    joint._space.core.joint.set_break(joint._id, 0.5 * G)
    for _ in range(7):
        space.step(1 / 60)
    assert joint.is_broken and not load.is_asleep
