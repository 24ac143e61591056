"""Joints without friction keep the energy and the angular momentum of what they hold: within 1 % over a minute."""

import numpy as np
import pytest
from mechanics import angular_momentum, energy, mass_of
from small_world import UPRIGHT, SmallWorld

from scree.joints.schema import CONE, LINEAR_X, SWING_Y, TWIST

ACROSS = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
"""A basis whose x axis is the world's z axis, back."""
MINUTE = 3600
MOST_GAIN, MOST_LOSS = 0.004, 0.01


def free(*axes):
    def set_up(world, joint):
        for axis in axes:
            world.joint.set_limits(joint, axis, 1.0, -1.0)

    return set_up


def wide_cone(world, joint):
    world.joint.set_limits(joint, CONE, 0.0, 3.1)


KINDS = {
    "pin": ("point", None),
    "hinge": ("hinge", None),
    "fixed": ("fixed", None),
    "slider": ("slider", free(LINEAR_X)),
    "cone": ("cone", wide_cone),
    "universal": ("six_dof", free(SWING_Y, TWIST)),
    "turntable": ("six_dof", free(TWIST)),
    "six axes": ("six_dof", free(TWIST, SWING_Y, LINEAR_X)),
}


def frame(x, y, z, basis=UPRIGHT):
    return (*basis, x, y, z)


def part(world, half_extents, at):
    """A box that meets nothing."""
    body = world.add(world.box(*half_extents), at)
    world.world.body.set_collision_mask(body, 0)
    return body


def check_energy(world, bodies, gravity=0.0, scale=None, ticks=MINUTE, has_momentum=False):
    """Step, and see what becomes of the energy after the first step, in which joints take away what does not agree with them."""
    world.step()
    first, momentum = energy(world, bodies, gravity), angular_momentum(world, bodies)
    scale = scale or first
    for _ in range(ticks // 20):
        world.step(20)
        change = (energy(world, bodies, gravity) - first) / scale
        assert -MOST_LOSS < change < MOST_GAIN
        if has_momentum:
            assert np.linalg.norm(angular_momentum(world, bodies) - momentum) < 1e-3 * np.linalg.norm(momentum)


@pytest.mark.parametrize("is_single", (False, True), ids=("tree", "single"))
@pytest.mark.parametrize("name", KINDS)
def test_two_uneven_bodies_in_space(name, is_single):
    kind, set_up = KINDS[name]
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    a, b = part(world, (0.2, 0.3, 0.5), (0.0, 0.0, 0.0)), part(world, (0.4, 0.2, 0.1), (1.2, 0.0, 0.0))
    joint = world.world.joint.create(kind, a, b, frame(0.6, 0.1, 0.0), frame(-0.6, 0.1, 0.0))
    if set_up:
        set_up(world.world, joint)
    if is_single:
        world.world.joint.set_max_impulse(joint, 1e6)
    world.turn(a, (1.0, 4.0, 3.0))
    world.turn(b, (-2.0, 1.0, 4.0))
    # What slides goes away for good: to 60 m, where single precision ends, in half the time.
    check_energy(world, [a, b], ticks=600 if "slider" in name or "six" in name else MINUTE, has_momentum=True)


@pytest.mark.parametrize("spin, substeps", (((2.0, 8.0, 1.0), 4), ((2.0, 8.0, 1.0), 1), ((5.0, 20.0, 1.0), 4)))
def test_a_wheel_on_a_pin_beside_its_middle(spin, substeps):
    world = SmallWorld(gravity=(0.0, 0.0, 0.0), substep_count=substeps)
    wheel = part(world, (0.5, 0.1, 0.5), (0.2, 0.0, 0.0))
    world.world.joint.create("point", 0, wheel, frame(0.0, 0.0, 0.0), frame(-0.2, 0.0, 0.0))
    world.turn(wheel, spin)
    world.throw(wheel, np.cross(spin, (0.2, 0.0, 0.0)))
    check_energy(world, [wheel])


@pytest.mark.parametrize("kind", ("point", "hinge", "cone"))
def test_a_pendulum(kind):
    world = SmallWorld()
    # A swing in a plane is not stable for uneven bodies: rounding grows until they tumble, and a cone's limit would stop them.
    body = part(world, (0.2, 0.2, 0.2) if kind == "cone" else (0.1, 0.5, 0.2), (0.6, 0.0, 0.1))
    joint = world.world.joint.create(kind, 0, body, frame(0.0, 0.0, 0.1, ACROSS), frame(-0.6, 0.0, 0.0, ACROSS))
    if kind == "cone":
        wide_cone(world.world, joint)
    check_energy(world, [body], 10.0, mass_of(world.body(body)) * 10.0 * 0.6)


@pytest.mark.parametrize("links", (2, 4))
def test_a_chain_that_falls_from_level(links):
    """Its last link whirls by 40 rad/s."""
    world, before, bodies = SmallWorld(), 0, []
    for k in range(links):
        body = part(world, (0.25, 0.05, 0.1), (0.25 + 0.5 * k, 0.0, 0.0))
        world.world.joint.create("point", before, body, frame(0.25 if k else 0.0, 0.0, 0.0), frame(-0.25, 0.0, 0.0))
        before = body
        bodies.append(body)
    scale = mass_of(world.body(bodies[0])) * 10.0 * 0.25 * links * links
    check_energy(world, bodies, 10.0, scale)


@pytest.mark.parametrize("kind, at, spin", (
    ("point", (0.3, 0.0, 0.0), (0.0, 0.0, 10.0)), ("point", (0.3, 0.0, 0.0), (0.0, 5.0, 8.0)),
    ("point", (0.1, 0.0, 0.3), (0.0, 5.0, 8.0)), ("hinge", (0.3, 0.0, 0.0), (0.0, 0.0, 10.0)),
))  # fmt: skip
def test_a_wheel_that_swings_beside_its_middle(kind, at, spin):
    """At the end of every tick, not on average: velocities are those of the places where bodies are. Were they those of the
    middle of a sub-step, the energy would read 1 % more or less with each turn."""
    world = SmallWorld()
    wheel = world.add(world.sphere(0.5), (0.0, 0.0, 0.0), mass=1.0, inertia=(0.0658, 0.0658, 0.125))
    basis = ACROSS if kind == "hinge" else UPRIGHT
    world.world.joint.create(kind, 0, wheel, frame(*at, basis), frame(*at, basis))
    world.turn(wheel, spin)
    world.throw(wheel, -np.cross(spin, at))
    world.step()
    reach = 10.0 * np.linalg.norm(at)
    first = energy(world, [wheel], 10.0) + reach
    found = []
    for _ in range(1200):
        world.step()
        found.append((energy(world, [wheel], 10.0) + reach) / first)
    assert max(found) < 1.001
    assert min(found) > 0.997


def test_what_hangs_on_joints_and_lies_somewhere_is_at_rest():
    """Forces act in halves on what touches nothing, and as a whole on what does: it goes from one to the other without a jump."""
    world = SmallWorld()
    world.floor()
    links = [world.add(world.box(0.25, 0.05, 0.05), (0.5 * k, 0.6, 0.0)) for k in range(4)]
    for a, b in zip(links, links[1:], strict=False):
        world.world.joint.create("point", a, b, frame(0.25, 0.0, 0.0), frame(-0.25, 0.0, 0.0))
    world.step(240)
    speeds = []
    for _ in range(60):
        world.step()
        speeds.append(max(np.linalg.norm(world.velocity(body)) for body in links))
    assert max(speeds) < 0.02
