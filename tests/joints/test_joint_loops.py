"""Joints that close loops of a tree are solved with it: against laws of mechanics, and against all equations at once."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from small_world import SmallWorld

from scree.joints.schema import LINEAR_X, MOST_CLOSERS, TWIST
from tests.bodies.mass_twin import rotation_matrix

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ABOUT_Z = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
TICK = 1.0 / 60.0


def at(place, basis=UPRIGHT) -> tuple[float, ...]:
    return (*basis, *(float(x) for x in place))


def node_of(world: SmallWorld, joint: int) -> int:
    return int(world.world.joint.row("test", joint)["node"])


def gap(world: SmallWorld, joints) -> float:
    """The largest distance between the points that joints hold together [m]."""
    return max(float(np.abs(world.world.joint.row("test", joint)["position"][:3]).max()) for joint in joints)


def ring(world: SmallWorld, count: int, kind: str, mass: float = 1.0) -> tuple[list[int], list[int]]:
    """(bodies, joints). Boxes in a circle in the plane of x and y, each joined to the next."""
    radius = 0.5 / np.tan(np.pi / count)
    angles = 2.0 * np.pi * np.arange(count) / count
    bodies, joints = [], []
    shape = world.box(0.2, 0.2, 0.2)  # of all axes alike: what spins freely keeps its angular momentum
    for angle in angles:
        c, s = np.cos(angle), np.sin(angle)
        basis = (-s, -c, 0.0, c, -s, 0.0, 0.0, 0.0, 1.0)
        bodies.append(world.add(shape, (radius * c, radius * s, 0.0), mass=mass, basis=basis))
    for k in range(count):
        half = np.pi / count  # the corner, from the body before and from the one after
        corner = radius / np.cos(half) * np.array((np.cos(angles[k] + half), np.sin(angles[k] + half), 0.0))
        frames = []
        for number in (k, (k + 1) % count):
            c, s = np.cos(angles[number]), np.sin(angles[number])
            turn = np.array(((-s, -c, 0.0), (c, -s, 0.0), (0.0, 0.0, 1.0)))
            place = turn.T @ (corner - radius * np.array((c, s, 0.0)))
            basis = turn.T @ np.array(ABOUT_Z).reshape(3, 3)  # all hinges, and frames of welds, along the world's z
            frames.append(at(place, tuple(basis.ravel())))
        joints.append(world.world.joint.create(kind, bodies[k], bodies[(k + 1) % count], *frames))
    return bodies, joints


def momentum(world: SmallWorld, bodies) -> np.ndarray:
    """Linear and angular momentum, the latter about the origin."""
    rows = world.world.bodies.rows[[world.index(body) for body in bodies]]
    place, v = rows["position"].astype(float), rows["linear_velocity"].astype(float)
    mass = 1.0 / rows["inverse_mass"].astype(float)
    total = np.zeros(6)
    total[:3] = mass @ v
    total[3:] = mass @ np.cross(place, v)
    for row in rows:
        xx, yy, zz, xy, xz, yz = row["inverse_inertia_local"].astype(float)
        turn = rotation_matrix(row["rotation"].astype(float))
        inertia = turn @ np.linalg.inv(np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))) @ turn.T
        total[3:] += inertia @ row["angular_velocity"].astype(float)
    return total


def energy(world: SmallWorld, bodies) -> float:
    rows = world.world.bodies.rows[[world.index(body) for body in bodies]]
    total = 0.0
    for row in rows:
        xx, yy, zz, xy, xz, yz = row["inverse_inertia_local"].astype(float)
        turn = rotation_matrix(row["rotation"].astype(float))
        inertia = turn @ np.linalg.inv(np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))) @ turn.T
        v, w = row["linear_velocity"].astype(float), row["angular_velocity"].astype(float)
        total += 0.5 * v @ v / float(row["inverse_mass"]) + 0.5 * w @ inertia @ w
    return total


LOCKED_SPINS = {"point": (), "hinge": (0, 1), "fixed": (0, 1, 2)}
"""Components of the relative spin that a joint takes away; hinges turn about z."""


def rows_of_joint(count: int, kind: str, a: int, b: int, arm_a, arm_b) -> np.ndarray:
    """Jacobian of a joint at a point for the velocities and spins of all bodies, shape (rows, 6 count); b is -1 for the world."""
    rows = []
    for axis in range(3):
        row = np.zeros((count, 6))
        for body, arm, sign in ((a, arm_a, -1.0), (b, arm_b, 1.0)):
            if body >= 0:
                row[body, axis] = sign
                row[body, 3:] = sign * np.cross(arm, np.eye(3)[axis])
        rows.append(row.ravel())
    for axis in LOCKED_SPINS[kind]:
        row = np.zeros((count, 6))
        row[a, 3 + axis] = -1.0
        if b >= 0:
            row[b, 3 + axis] = 1.0
        rows.append(row.ravel())
    return np.array(rows)


def random_mechanism(random, masses, loops: int, hangs: bool):
    """Bodies of some masses [kg] in a random tree of joints and some loops, which move at random: (world, bodies, joints, the two
    bodies of each joint, Jacobian (rows, 6 count), inverse masses (6 count, 6 count), velocities and spins (count, 6))."""
    world, count = SmallWorld(gravity=(0.0, 0.0, 0.0), substep_count=1), len(masses)
    places = random.uniform(-3.0, 3.0, (count, 3))
    bodies = [world.add(world.box(*random.uniform(0.1, 0.5, 3)), place, mass=m) for place, m in zip(places, masses, strict=True)]
    for body in bodies:
        world.world.body.set_collision_mask(body, 0)
    ends = [(k, int(random.integers(k))) for k in range(1, count)] + ([(0, -1)] if hangs else [])
    ends += [tuple(int(x) for x in random.choice(count, 2, replace=False)) for _ in range(loops)]
    rows, joints = [], []
    for a, b in ends:
        kind = ("point", "point", "hinge", "fixed")[random.integers(4)]
        point = places[a] + random.uniform(-1.0, 1.0, 3)
        on_b = point - places[b] if b >= 0 else point
        frames = at(point - places[a], ABOUT_Z), at(on_b, ABOUT_Z)
        joints.append(world.world.joint.create(kind, bodies[a], bodies[b] if b >= 0 else 0, *frames))
        rows.append(rows_of_joint(count, kind, a, b, point - places[a], on_b))
    motions, mobility = random.normal(size=(count, 6)), np.zeros((6 * count, 6 * count))
    for k, (body, motion) in enumerate(zip(bodies, motions, strict=True)):
        world.throw(body, motion[:3])
        world.turn(body, motion[3:])
        row = world.world.bodies.rows[world.index(body)]
        mobility[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.eye(3) * float(row["inverse_mass"])
        mobility[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = np.diag(row["inverse_inertia_local"][:3].astype(float))
    return world, bodies, joints, ends, np.concatenate(rows), mobility, motions


@given(st.integers(0, 2**32 - 1), st.integers(3, 7), st.integers(1, 2), st.booleans())
@example(0, 3, 1, True)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much]
)
def test_all_joints_hold_as_if_all_were_solved_at_once(seed, count, loops, hangs):
    """Random bodies in a random tree of joints with one or two more, steps without time: velocities are those nearest to the ones
    before, by kinetic energy, at which no joint moves (Gauss's principle)."""
    random = np.random.default_rng(seed)
    world, bodies, _, ends, jacobian, mobility, before = random_mechanism(random, random.uniform(0.5, 5.0, count), loops, hangs)
    system = jacobian @ mobility @ jacobian.T
    parts = np.linalg.eigvalsh(system) / np.linalg.eigvalsh(system)[-1]
    least = 1e-4 if len(set(map(frozenset, ends))) == len(ends) else 1e-3  # two joints of one pair
    assume(not ((parts > 1e-10) & (parts < least)).any())  # nearly held axes count as held (joints/loops.py)
    impulses = np.linalg.lstsq(system, -jacobian @ before.ravel(), rcond=1e-9)[0]
    wanted = before + (mobility @ jacobian.T @ impulses).reshape(count, 6)
    for _ in range(400):  # each lets a closed loop give way a little
        world.world.step(world.system, 1e-7)
    found = np.array([(*world.velocity(body), *world.spin(body)) for body in bodies])
    assert np.abs(jacobian @ found.ravel()).max() < 0.02
    assert found == pytest.approx(wanted, abs=0.05)


@pytest.mark.parametrize("kind", ("point", "hinge", "fixed"))
@pytest.mark.parametrize("count", (3, 8, 30))
def test_a_ring_keeps_momentum_and_stays_whole(kind, count):
    """Thrown about in empty space; a ring of hinges or welds is held more than once. Bodies keep their spin, so a ring that
    whirls pulls at its joints all the time: they open by up to 6 mm."""
    world, random = SmallWorld(gravity=(0.0, 0.0, 0.0)), np.random.default_rng(count)
    bodies, joints = ring(world, count, kind)
    for body in bodies:
        world.throw(body, random.normal(size=3))
        world.turn(body, random.normal(size=3))
    before, start = momentum(world, bodies), energy(world, bodies)
    energies, widest = [start], 0.0
    for tick in range(240):
        world.step()
        energies.append(energy(world, bodies))
        if tick >= 30:
            widest = max(widest, gap(world, joints))
    assert all(node_of(world, joint) >= 0 for joint in joints)
    assert momentum(world, bodies) == pytest.approx(before, abs=0.01 * np.abs(before).max() + 5e-3)
    assert max(later / earlier for earlier, later in zip(energies, energies[1:], strict=False)) < 1.01
    assert widest < 6e-3


def test_a_loaded_bridge_does_not_gape():
    """Forty planks with 50 kg on each of 10 kg, hung at both ends a metre nearer than they are long: the joint that closes the
    loop is a metre off at first, and is pulled in at a walk."""
    world = SmallWorld(damp=0.5)
    plank, crate = world.box(0.48, 0.05, 0.5), world.box(0.3, 0.3, 0.3)
    planks = [world.add(plank, (float(k), 0.0, 0.0), mass=10.0) for k in range(40)]
    joints = [world.world.joint.create("hinge", planks[0], 0, at((-0.5, 0, 0), ABOUT_Z), at((-0.5, 0, 0), ABOUT_Z))]
    for a, b in zip(planks, planks[1:], strict=False):
        joints.append(world.world.joint.create("hinge", a, b, at((0.5, 0, 0), ABOUT_Z), at((-0.5, 0, 0), ABOUT_Z)))
    joints.append(world.world.joint.create("hinge", planks[-1], 0, at((0.5, 0, 0), ABOUT_Z), at((38.5, 0, 0), ABOUT_Z)))
    for k in range(40):
        world.add(crate, (float(k), 0.36, 0.0), mass=50.0)
    fastest = 0.0
    for _ in range(300):
        world.step()
        fastest = max(fastest, *(np.linalg.norm(world.velocity(body)) for body in planks))
    assert all(node_of(world, joint) >= 0 for joint in joints)
    assert fastest < 25.0
    assert gap(world, joints) < 0.03


def straight_bridge(world: SmallWorld, count: int, missing: float) -> list[int]:
    """Planks of 1 m and 10 kg on hinges, straight between two points that are `missing` [m] farther apart than they are long."""
    plank = world.box(0.48, 0.05, 0.5)
    planks = [world.add(plank, (float(k), 0.0, 0.0), mass=10.0) for k in range(count)]
    ends = (at((-0.5, 0, 0), ABOUT_Z), at((0.5, 0, 0), ABOUT_Z))
    world.world.joint.create("hinge", planks[0], 0, ends[0], at((-0.5, 0, 0), ABOUT_Z))
    for a, b in zip(planks, planks[1:], strict=False):
        world.world.joint.create("hinge", a, b, ends[1], ends[0])
    world.world.joint.create("hinge", planks[-1], 0, ends[1], at((count - 0.5 + missing, 0, 0), ABOUT_Z))
    return planks


@pytest.mark.parametrize(("load", "knock"), ((0.0, 10.0), (200.0, 3.0)))
def test_a_taut_bridge_calms_down(load, knock):
    """Twelve planks, exactly as long as they have to be, with a load in the middle or knocked: along the bridge hardly anything
    can move, and small speeds had asked for large impulses sideways. It thrashed at 3 m/s without end."""
    world = SmallWorld(damp=0.1)
    planks = straight_bridge(world, 12, 0.0)
    if load > 0.0:
        crate = world.add(world.box(0.3, 0.3, 0.3), (6.0, 0.4, 0.0), mass=load)
        world.world.joint.create("fixed", planks[6], crate, at((0, 0.4, 0)), at((0, 0, 0)))
    world.step(120)
    world.throw(planks[6], (0.0, knock, 0.0))
    world.step(480)
    speeds = []
    for _ in range(120):
        world.step()
        speeds.append(max(np.linalg.norm(world.velocity(body)) for body in planks))
    assert np.mean(speeds) < 0.5


@pytest.mark.parametrize("missing", (0.0, 0.005, 0.02, 0.1, 0.5))
def test_a_bridge_that_is_too_short_hangs_still(missing):
    """Ten planks between points that are too far apart: what cannot be corrected must not shake them. Where a loop is stretched
    tight, all that pulls at it is sideways: it had thrashed at 3 to 40 m/s."""
    world = SmallWorld(damp=0.1)
    planks = straight_bridge(world, 10, missing)
    world.step(300)
    fastest = 0.0
    for _ in range(120):
        world.step()
        fastest = max(fastest, *(np.linalg.norm(world.velocity(body)) for body in planks))
    assert fastest < 0.6


def piston(world: SmallWorld, holding: float) -> tuple[int, int, int]:
    """(arm, slider, the joint at the foot). A piston from the ground to an arm on a hinge to the world, whose motor holds it with
    `holding` N m."""
    arm = world.add(world.box(1.0, 0.1, 0.1), (1.0, 0.0, 0.0), mass=20.0)
    half, along = world.box(0.3, 0.05, 0.05), np.sqrt(0.5)
    diagonal = (along, -along, 0.0, along, along, 0.0, 0.0, 0.0, 1.0)
    cylinder, rod = (world.add(half, (x, x - 1.0, 0.0), mass=5.0, basis=diagonal) for x in (0.25, 0.75))
    end = 0.25 * np.sqrt(2.0)
    pivot = world.world.joint.create("hinge", arm, 0, at((-1, 0, 0), ABOUT_Z), at((0, 0, 0), ABOUT_Z))
    foot = world.world.joint.create("hinge", cylinder, 0, at((-end, 0, 0), ABOUT_Z), at((0, -1, 0), ABOUT_Z))
    world.world.joint.create("hinge", rod, arm, at((end, 0, 0), ABOUT_Z), at((0, 0, 0), ABOUT_Z))
    slider = world.world.joint.create("slider", cylinder, rod, at((end, 0, 0)), at((-end, 0, 0)))
    world.world.joint.set_motor(pivot, TWIST, 0.0, holding)
    return arm, slider, foot


@pytest.mark.parametrize(("force", "wins"), ((1e5, True), (100.0, False)))
def test_motors_that_drive_against_each_other_do_not_open_a_loop(force, wins):
    """Both have the force, as far as the tree can tell: were both held, the joint that closes the loop would come apart without
    any force. The stronger one has to win."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    arm, slider, foot = piston(world, 1000.0)
    world.world.joint.set_motor(slider, LINEAR_X, 0.3, force)
    world.step(60)
    assert gap(world, [foot]) < 5e-3
    length = float(world.world.joint.row("test", slider)["position"][LINEAR_X])
    assert length > 0.25 if wins else length < 0.05


def test_two_driven_cranks_are_one_tree():
    """Five bars, both cranks driven from the ground: the loop goes through the ground, and is closed there."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bar = world.box(0.5, 0.05, 0.05)
    up = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    left, right = (world.add(bar, (x, 0.5, 0.0), mass=1.0, basis=up) for x in (-1.0, 1.0))
    over = [world.add(bar, (x, 1.0, 0.0), mass=1.0) for x in (-0.5, 0.5)]
    cranks = [world.world.joint.create("hinge", body, 0, at((-0.5, 0, 0), ABOUT_Z), at((x, 0, 0), ABOUT_Z))
              for body, x in ((left, -1.0), (right, 1.0))]  # fmt: skip
    joints = [world.world.joint.create("hinge", left, over[0], at((0.5, 0, 0), ABOUT_Z), at((-0.5, 0, 0), ABOUT_Z)),
              world.world.joint.create("hinge", over[0], over[1], at((0.5, 0, 0), ABOUT_Z), at((-0.5, 0, 0), ABOUT_Z)),
              world.world.joint.create("hinge", over[1], right, at((0.5, 0, 0), ABOUT_Z), at((0.5, 0, 0), ABOUT_Z))]  # fmt: skip
    for joint in cranks:
        world.world.joint.set_motor(joint, TWIST, 0.3, 1e4)
    world.step(60)
    assert all(node_of(world, joint) >= 0 for joint in cranks + joints)
    assert gap(world, cranks + joints) < 2e-3


@pytest.mark.parametrize("load_mass", (1.0, 100.0, 1000.0))
def test_a_crank_turns_a_heavy_rocker_at_its_speed(load_mass):
    """Four bars: a crank of 1 kg with a motor, a rod, and a rocker with a load. What closes the loop neither gapes nor brakes."""
    world = SmallWorld()
    crank = world.add(world.box(0.125, 0.05, 0.05), (0.125, 0.0, 0.0), mass=1.0)
    rod = world.add(world.box(0.875, 0.05, 0.05), (1.125, 0.0, 0.0), mass=1.0)
    rocker = world.add(world.box(0.05, 0.5, 0.05), (2.0, -0.5, 0.0), mass=1.0)
    load = world.add(world.box(0.2, 0.2, 0.2), (2.0, -0.5, 0.0), mass=load_mass)

    def hinge(a, b, on_a, on_b):
        return world.world.joint.create("hinge", a, b, at(on_a, ABOUT_Z), at(on_b, ABOUT_Z))

    motor = hinge(crank, 0, (-0.125, 0, 0), (0, 0, 0))
    joints = [motor, hinge(crank, rod, (0.125, 0, 0), (-0.875, 0, 0)), hinge(rod, rocker, (0.875, 0, 0), (0, 0.5, 0)),
              hinge(rocker, 0, (0, -0.5, 0), (2, -1, 0)),
              world.world.joint.create("fixed", rocker, load, at((0, 0, 0)), at((0, 0, 0)))]  # fmt: skip
    world.world.joint.set_motor(motor, TWIST, 2.0, 1e6)
    spins, widest = [], 0.0
    for _ in range(300):
        world.step()
        spins.append(world.spin(crank)[2])
        widest = max(widest, gap(world, joints))
    assert all(node_of(world, joint) >= 0 for joint in joints)
    assert np.abs(np.abs(spins[1:]) - 2.0).max() < 1e-3
    assert widest < 3e-3
    flat = [abs(float(world.position(body)[2])) for body in (crank, rod, rocker, load)]
    assert max(flat) < 1e-3


def test_hinges_that_do_not_quite_agree_hold_without_great_stress():
    """A table on two hinged legs, the last axis off by 0.002 rad, falls over for a second: what others hold already is left to
    them, so that no forces build up that would break joints. Held softly, the axes pulled at each other with 38 N m."""
    world = SmallWorld()
    post, top = world.box(0.05, 0.5, 0.05), world.box(0.6, 0.05, 0.05)
    legs = [world.add(post, (x, 0.5, 0.0), mass=1.0) for x in (-0.5, 0.5)]
    table = world.add(top, (0.0, 1.05, 0.0), mass=5.0)
    tilt = np.array(((1, 0, 0), (0, 1, -0.002), (0, 0.002, 1))) @ np.array(ABOUT_Z).reshape(3, 3)
    joints = [world.world.joint.create("hinge", leg, 0, at((0, -0.5, 0), ABOUT_Z), at((x, 0, 0), ABOUT_Z))
              for leg, x in zip(legs, (-0.5, 0.5), strict=True)]  # fmt: skip
    for leg, x, basis in zip(legs, (-0.5, 0.5), (ABOUT_Z, tuple(tilt.ravel())), strict=True):
        joints.append(world.world.joint.create("hinge", leg, table, at((0, 0.5, 0), ABOUT_Z), at((x, -0.05, 0), basis)))
    world.throw(table, (0.3, 0.0, 0.0))
    worst, twisted = 0.0, 0.0
    for _ in range(60):
        world.step()
        for joint in joints:
            row = world.world.joint.row("test", joint)
            worst = max(worst, float(np.abs(row["total_impulse"]).max()) / TICK)
            twisted = max(twisted, float(np.abs(row["total_twist"]).max()) / TICK)
    assert worst < 70.0
    assert twisted < 1.0


def test_more_loops_than_a_tree_takes_are_a_network():
    world = SmallWorld()
    bodies, joints = ring(world, 12, "point")
    pairs = [(bodies[k], bodies[k + 6]) for k in range(MOST_CLOSERS)]
    across = [world.world.joint.create("point", a, b, at((0, 0.5, 0)), at((0, 0.5, 0))) for a, b in pairs]
    world.step()
    assert all(node_of(world, joint) >= 0 for joint in joints + across)
    assert all(int(world.world.joint.row("test", joint)["ends"].min()) >= 0 for joint in joints + across)
    for joint in across:
        world.world.joint.destroy(joint)
    world.step()
    assert all(node_of(world, joint) >= 0 for joint in joints)


def test_a_closing_joint_tells_what_it_carries():
    """A plank on a hinge at each end: each tells half of its weight."""
    world = SmallWorld()
    plank = world.add(world.box(1.0, 0.1, 0.1), (0.0, 0.0, 0.0), mass=6.0)
    ends = [world.world.joint.create("hinge", plank, 0, at((x, 0, 0), ABOUT_Z), at((x, 0, 0), ABOUT_Z)) for x in (-1.0, 1.0)]
    world.step(120)
    for joint in ends:
        row = world.world.joint.row("test", joint)
        assert abs(float(row["total_impulse"][1])) / TICK == pytest.approx(30.0, rel=0.02)
        assert np.abs(np.delete(row["total_impulse"], 1)).max() / TICK < 1.0


def test_a_slider_in_a_loop_still_slides():
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    box = world.box(0.2, 0.2, 0.2)
    left, right = (world.add(box, (x, 0.0, 0.0), mass=1.0) for x in (-1.0, 1.0))
    for y in (-0.3, 0.3):
        world.world.joint.create("slider", left, right, at((0, y, 0)), at((-2, y, 0)))
    world.throw(right, (1.0, 0.0, 0.0))
    world.throw(left, (-1.0, 0.0, 0.0))
    world.step(60)
    assert world.velocity(right)[LINEAR_X] == pytest.approx(1.0, abs=1e-3)
    assert world.velocity(left)[LINEAR_X] == pytest.approx(-1.0, abs=1e-3)


@pytest.mark.parametrize("strength", (1e4, 1e6))
def test_brakes_in_a_loop_hold_a_load(strength):
    """Five bars on the ground, a brake on every hinge: brakes hold more than the loop leaves free, and only those that are too
    many let go."""
    world, bar = SmallWorld(), None
    bar = world.box(0.5, 0.05, 0.05)
    upright = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    left, right = (world.add(bar, (x, 0.5, 0.0), basis=upright) for x in (-1.0, 1.0))
    over = [world.add(bar, (x, 1.0, 0.0)) for x in (-0.5, 0.5)]
    near, far = at((-0.5, 0.0, 0.0), ABOUT_Z), at((0.5, 0.0, 0.0), ABOUT_Z)
    for a, b, frame_a, frame_b in (
        (left, 0, near, at((-1.0, 0.0, 0.0), ABOUT_Z)), (right, 0, near, at((1.0, 0.0, 0.0), ABOUT_Z)),
        (left, over[0], far, near), (over[0], over[1], far, near), (over[1], right, far, far),
    ):  # fmt: skip
        world.world.joint.set_motor(world.world.joint.create("hinge", a, b, frame_a, frame_b), TWIST, 0.0, strength)
    load = world.add(world.box(0.1, 0.1, 0.1), (0.0, 1.2, 0.0), mass=50.0)
    world.world.joint.create("fixed", over[0], load, at((0.5, 0.2, 0.0)), at((0.0, 0.0, 0.0)))
    world.step(120)
    assert world.position(load)[1] == pytest.approx(1.2, abs=1e-4)


@pytest.mark.parametrize("spin, widest", ((20.0, 0.002), (40.0, 0.015), (60.0, 0.04)))
def test_a_ring_that_whirls_stays_closed(spin, widest):
    """In each sub-step its corners would leave their circle by a part of it; that is stopped in advance."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bodies, joints = ring(world, 6, "hinge")
    for body in bodies:
        world.world.body.set_collision_mask(body, 0)
        world.turn(body, (0.0, 0.0, spin))
        world.throw(body, np.cross((0.0, 0.0, spin), world.position(body)))
    largest = 0.0
    for _ in range(600):
        world.step()
        largest = max(largest, gap(world, joints))
    assert largest < widest
