"""Joints that stand in no tree, because they close a loop or lock nothing, feel what the trees of their bodies pull."""

import numpy as np
import pytest
from small_world import SmallWorld

from scree.joints.schema import DISTANCE, LINEAR_X, TWIST

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ABOUT_Z = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)


def at(x: float, y: float = 0.0, basis=UPRIGHT) -> tuple[float, ...]:
    return (*basis, x, y, 0.0)


def is_loose(world: SmallWorld, joint: int) -> bool:
    return int(world.world.joint.row("test", joint)["node"]) < 0


@pytest.mark.parametrize(("mass", "longest"), ((1.0, 1.001), (10.0, 1.006)))
def test_a_load_on_a_rope_hangs_from_a_light_arm(mass, longest):
    """The arm of 1 kg is welded to the world, and a tree of its own; 10 kg had stretched the rope of 1 m by 5 cm."""
    world = SmallWorld()
    arm = world.add(world.box(0.5, 0.05, 0.05), (0.0, 0.0, 0.0), mass=1.0)
    load = world.add(world.box(0.3, 0.3, 0.3), (0.5, -1.5, 0.0), mass=mass)
    weld = world.world.joint.create("fixed", arm, 0, at(-0.5), at(-0.5))
    rope = world.world.joint.create("distance", arm, load, at(0.5), at(0.0, 0.5))
    world.world.joint.set_distance(rope, 0.0, 1.0)
    lengths = []
    for _ in range(300):
        world.step()
        lengths.append(float(world.world.joint.row("test", rope)["position"][DISTANCE]))
    assert is_loose(world, rope)
    assert not is_loose(world, weld)
    assert max(lengths) < longest


def test_a_bridge_that_hangs_at_both_ends_holds():
    """One of its joints closes the loop through the world; it had gaped by 5 cm."""
    world = SmallWorld(damp=0.1)
    plank = world.box(0.45, 0.05, 0.5)
    planks = [world.add(plank, (float(k), 0.0, 0.0), mass=10.0) for k in range(20)]
    joints = [world.world.joint.create("point", planks[0], 0, at(-0.5), at(-0.5))]
    joints += [world.world.joint.create("point", a, b, at(0.5), at(-0.5)) for a, b in zip(planks, planks[1:], strict=False)]
    joints.append(world.world.joint.create("point", planks[-1], 0, at(0.5), at(19.3)))
    widest = 0.0
    for tick in range(400):
        world.step()
        if tick >= 300:
            widest = max(widest, max(np.abs(world.world.joint.row("test", joint)["position"][:3]).max() for joint in joints))
    assert not any(is_loose(world, joint) for joint in joints)
    assert widest < 0.003


def test_a_gear_between_two_loaded_arms_keeps_them_level():
    """Each arm is hinged to the world, and a tree with its load: they had sunk by 1.3 rad in five seconds."""
    world, arms = SmallWorld(), []
    for x in (0.0, 5.0):
        arm = world.add(world.box(0.5, 0.05, 0.05), (x + 0.5, 0.0, 0.0), mass=1.0)
        load = world.add(world.box(0.1, 0.1, 0.1), (x + 1.0, 0.0, 0.0), mass=1.0)
        world.world.joint.create("hinge", arm, 0, at(-0.5, basis=ABOUT_Z), at(x, basis=ABOUT_Z))
        world.world.joint.create("fixed", arm, load, at(0.5), at(0.0))
        arms.append(arm)
    gear = world.world.joint.create("gear", *arms, at(-0.5, basis=ABOUT_Z), at(-0.5, basis=ABOUT_Z))
    world.step(300)
    assert is_loose(world, gear)
    for arm in arms:
        assert abs(2.0 * np.arcsin(float(world.body(arm)["rotation"][2]))) < 0.01


MIXED = ("fixed", "point", "hinge", "slider", "cone", "swing_twist")
NET = 12


NETS = ((("hinge",), None), (("hinge",), 0.3), (("swing_twist",), None), (MIXED, 0.3))


@pytest.mark.parametrize(("kinds", "twist"), NETS, ids=str)
def test_a_net_that_is_thrown_about_does_not_fly_apart(kinds, twist):
    """Twelve by twelve boxes on joints to all their neighbours: most loops can be held in many ways. The stress in them had grown
    without end: nets of hinges were gone within four seconds, others whirled at 12 to 30 m/s."""
    world, random = SmallWorld(damp=0.0), np.random.default_rng(1)
    box = world.box(0.1, 0.1, 0.1)
    boxes = [world.add(box, (0.5 * (k % NET), 0.5 * (k // NET), 0.0), mass=1.0) for k in range(NET * NET)]
    right = [(k, k + 1, at(0.25), at(-0.25)) for k in range(NET * NET) if k % NET < NET - 1]
    above = [(k, k + NET, at(0.0, 0.25), at(0.0, -0.25)) for k in range(NET * NET - NET)]
    joints = []
    for a, b, frame_a, frame_b in sorted(right + above):
        kind = kinds[random.integers(len(kinds))]
        joints.append(world.world.joint.create(kind, boxes[a], boxes[b], frame_a, frame_b))
        if twist is not None and kind in ("hinge", "swing_twist"):
            world.world.joint.set_limits(joints[-1], TWIST, -twist, twist)
        if kind == "slider":
            world.world.joint.set_limits(joints[-1], LINEAR_X, -0.1, 0.1)
    for corner in (NET * (NET - 1), NET * NET - 1):
        place = tuple(float(x) for x in world.position(boxes[corner]))
        world.world.joint.create("point", boxes[corner], 0, at(0.0), (*UPRIGHT, *place))
    for body in boxes:
        world.throw(body, random.normal(size=3))
        world.turn(body, 3.0 * random.normal(size=3))
    for _ in range(240):
        world.step()
        assert max(np.linalg.norm(world.velocity(body)) for body in boxes) < 5.0


ALONG = np.sqrt(0.5)
DIAGONAL = (ALONG, -ALONG, 0.0, ALONG, ALONG, 0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("load_mass", (1.0, 100.0))
def test_a_piston_in_a_loop_lifts_and_holds_a_heavy_arm(load_mass):
    """An arm of 2 m hinged to the world, a load on its end, and a piston of two halves of 5 kg from the ground to its middle: the
    motor is solved with the tree, though one joint closes a loop through the world. Were it not, 100 kg would take two thirds of
    its speed; were that joint none of the tree, it would gape by 8 mm."""
    world = SmallWorld()
    arm = world.add(world.box(1.0, 0.1, 0.1), (1.0, 0.0, 0.0), mass=20.0)
    load = world.add(world.box(0.2, 0.2, 0.2), (2.0, 0.0, 0.0), mass=load_mass)
    half = world.box(0.3, 0.05, 0.05)
    cylinder, rod = (world.add(half, (x, x - 1.0, 0.0), mass=5.0, basis=DIAGONAL) for x in (0.25, 0.75))
    end = 0.25 * np.sqrt(2.0)
    world.world.joint.create("hinge", arm, 0, at(-1.0, basis=ABOUT_Z), at(0.0, basis=ABOUT_Z))
    world.world.joint.create("fixed", arm, load, at(1.0), at(0.0))
    foot = world.world.joint.create("hinge", cylinder, 0, at(-end, basis=ABOUT_Z), at(0.0, -1.0, basis=ABOUT_Z))
    world.world.joint.create("hinge", rod, arm, at(end, basis=ABOUT_Z), at(0.0, basis=ABOUT_Z))
    slider = world.world.joint.create("slider", cylinder, rod, at(end), at(-end))
    lengths, widest = [], 0.0
    for tick in range(180):
        if tick % 60 == 0:
            world.world.joint.set_motor(slider, LINEAR_X, (0.3, 0.0, -0.3)[tick // 60], 1e5)
        world.step()
        lengths.append(float(world.world.joint.row("test", slider)["position"][LINEAR_X]))
        widest = max(widest, np.abs(world.world.joint.row("test", foot)["position"][:3]).max())
    assert widest < 1e-3
    speeds = 60.0 * np.diff(lengths)
    assert speeds[5:58] == pytest.approx(np.full(53, 0.3), abs=1e-3)
    assert speeds[66:118] == pytest.approx(np.zeros(52), abs=1e-3)
    assert speeds[126:] == pytest.approx(np.full(53, -0.3), abs=1e-3)
