"""Rules for contacts, as data and as compiled functions."""

import ctypes
import sys

import numba
import numpy as np
import pytest
from small_world import TICK, SmallWorld

from scree.bodies.schema import ALL_CONTACT_EVENTS, BODY, CONTINUOUS, KINEMATIC, STATIC
from scree.collision.contact_schema import (
    ACCEPT_CONTACT, CONTACT, CONTACT_PERSISTED, CONTACT_REMOVED, REJECT_CONTACT, REJECT_PAIR,
)  # fmt: skip
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view
from scree.shapes.schema import MESH
from tests.runtime.scenes_for_threads import Heap

GRAVITY = 10.0
FLOOR, OTHER = 1, 2
FLAT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def on_floor(rule=None, position=(0.0, 0.5, 0.0), floor=None, **params):
    """A box on a floor of class FLOOR, and a rule for the two."""
    scene = SmallWorld()
    ground = scene.floor() if floor is None else scene.add(scene.box(*floor), (0.0, -floor[1], 0.0), STATIC)
    scene.world.contact.set_class(ground, FLOOR)
    body = scene.add(scene.box(0.5, 0.5, 0.5), position, **params)
    if rule is not None:
        scene.world.contact.set_rule(FLOOR, 0, **rule)
    return scene, body, ground


# Rules of numbers.


def test_bodies_that_ignore_each_other_make_no_pair():
    scene, box, _ = on_floor({"ignore": True})
    scene.step(60)
    assert scene.live_pairs() == 0 and scene.position(box)[1] == pytest.approx(0.5 - 0.5 * GRAVITY, rel=0.03)
    scene, box, floor = on_floor()
    scene.step(5)
    assert scene.live_pairs() == 1
    scene.world.contact.set_rule(0, FLOOR, ignore=True)  # in the other order, while they touch
    scene.step(10)
    assert scene.live_pairs() == 0 and scene.position(box)[1] < 0.45
    scene, box, floor = on_floor({"ignore": True})
    scene.world.contact.remove_rule(FLOOR, 0)
    scene.step(30)
    assert scene.live_pairs() == 1 and scene.position(box)[1] == pytest.approx(0.5, abs=0.01)
    scene.world.contact.set_rule(FLOOR, OTHER, ignore=True)
    scene.world.contact.set_class(box, OTHER)
    assert scene.world.contact.class_of(box) == OTHER
    scene.step(10)
    assert scene.position(box)[1] < 0.45


def test_a_sensor_is_told_and_pushes_nobody():
    scene, box, floor = on_floor({"sensor": True}, (0.0, 1.0, 0.0), (2.0, 0.5, 2.0))
    scene.world.contact.set_events(box, ALL_CONTACT_EVENTS)
    kinds = []
    for _ in range(50):
        scene.step()
        kinds += [int(event["kind"]) for event in scene.world.contact.events(scene.system)]
        for event in scene.world.contact.events(scene.system):
            assert event["kind"] == CONTACT_REMOVED or (event["is_sensor"] == 1 and not event["normal_impulses"].any())
    assert scene.velocity(box)[1] == pytest.approx(-GRAVITY * 50 * TICK, rel=1e-3)
    assert kinds[0] == 1 and kinds[-1] == 3 and set(kinds[1:-1]) == {2}
    assert scene.live_manifolds() == 0


def test_a_sensor_wakes_nobody():
    scene = SmallWorld(sleeps=True)
    scene.floor()
    sleeper = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    scene.step(120)
    assert not scene.is_awake(sleeper)
    scene.world.contact.set_rule(OTHER, 0, sensor=True)
    ghost = scene.add(scene.box(0.5, 0.5, 0.5), (0.3, 2.0, 0.0))
    scene.world.contact.set_class(ghost, OTHER)
    for _ in range(50):
        scene.step()
        assert not scene.is_awake(sleeper)
    assert scene.position(ghost)[1] < 0.5


def test_friction_and_restitution_of_a_rule():
    scene, box, _ = on_floor({"friction": 0.0})
    scene.throw(box, (3.0, 0.0, 0.0))
    scene.step(60)
    assert scene.velocity(box)[0] == pytest.approx(3.0, rel=1e-3)
    scene.world.contact.set_rule(FLOOR, 0, friction=0.25)
    scene.step(30)
    assert scene.velocity(box)[0] == pytest.approx(3.0 - 0.25 * GRAVITY * 0.5, rel=0.05)
    highest = []
    for rule in (None, {"restitution": 0.8}):
        scene, box, _ = on_floor(rule, (0.0, 1.5, 0.0))
        scene.step(35)
        path = []
        for _ in range(40):
            scene.step()
            path.append(scene.position(box)[1] - 0.5)
        highest.append(max(path))
    assert highest[0] < 0.02 and highest[1] == pytest.approx(0.8**2, rel=0.1)


@pytest.mark.parametrize("is_turned", (False, True))
def test_a_conveyor_carries_at_its_speed(is_turned):
    """The belt runs along its own X, whichever of the two bodies comes first."""
    turn = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)  # X of the belt is -Z of the world
    scene = SmallWorld()
    box = scene.add(scene.box(0.2, 0.2, 0.2), (0.0, 0.2, 0.0)) if is_turned else None
    belt = scene.add(scene.box(20.0, 0.5, 20.0), (0.0, -0.5, 0.0), STATIC, turn if is_turned else FLAT)
    box = box or scene.add(scene.box(0.2, 0.2, 0.2), (0.0, 0.2, 0.0))
    scene.world.contact.set_class(belt, FLOOR)
    scene.world.contact.set_rule(FLOOR, 0, surface_velocity=(1.5, 0.0, 0.0))
    scene.step(90)
    np.testing.assert_allclose(scene.velocity(box), (0.0, 0.0, -1.5) if is_turned else (1.5, 0.0, 0.0), atol=0.02)
    scene.world.contact.set_rule(FLOOR, 0, surface_velocity=(-0.5, 0.0, 0.0))
    scene.step(90)
    np.testing.assert_allclose(scene.velocity(box), (0.0, 0.0, 0.5) if is_turned else (-0.5, 0.0, 0.0), atol=0.02)


def test_who_weighs_nothing_against_whom():
    """One of two equal balls is not pushed by the other, in either order of the rule."""
    for scales, speeds in (((1.0, 1.0), (0.0, 2.0)), ((0.0, 1.0), (2.0, 4.0)), ((1.0, 0.0), (-2.0, 0.0))):
        scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
        first = scene.add(scene.sphere(0.5), restitution=1.0)
        second = scene.add(scene.sphere(0.5), (1.5, 0.0, 0.0))
        scene.world.contact.set_class(first, OTHER)
        scene.world.contact.set_rule(OTHER, 0, inverse_mass_scale=scales)
        scene.throw(first, (2.0, 0.0, 0.0))
        scene.step(60)
        assert (scene.velocity(first)[0], scene.velocity(second)[0]) == pytest.approx(speeds, abs=0.05)


# Platforms of one way.


def platform(thickness=0.1, mode=STATIC, sphere=False):
    scene = SmallWorld()
    plate = scene.add(scene.box(3.0, thickness, 3.0), (0.0, 0.0, 0.0), mode)
    scene.world.contact.set_class(plate, FLOOR)
    scene.world.contact.set_rule(FLOOR, 0, platform_normal=(0.0, 2.0, 0.0))
    body = scene.add(scene.sphere(0.4) if sphere else scene.box(0.4, 0.4, 0.4), (0.0, -2.0, 0.0))
    return scene, body, plate


@pytest.mark.parametrize("sphere", (False, True))
@pytest.mark.parametrize("speed", (7.13, 9.0, 20.0, 60.0))
def test_a_platform_lets_through_from_below_and_carries_from_above(speed, sphere):
    scene, body, _ = platform(sphere=sphere)
    scene.throw(body, (0.0, speed, 0.0))
    scene.world.contact.set_events(body, ALL_CONTACT_EVENTS)
    for _ in range(60):
        before = scene.velocity(body)[1]
        scene.step()
        assert before < 0.1 or len(scene.world.contact.events(scene.system)) == 0
        if scene.position(body)[1] < 0.5 and before > 0.5:
            assert scene.velocity(body)[1] == pytest.approx(before - GRAVITY * TICK, abs=1e-3)
    scene.step(1000)
    assert scene.position(body)[1] == pytest.approx(0.5, abs=0.01) and abs(scene.velocity(body)[1]) < 0.01


def test_who_does_not_get_through_falls_back():
    """Its top half above the platform, it is not lifted onto it."""
    scene, body, _ = platform()
    scene.throw(body, (0.0, np.sqrt(2.0 * GRAVITY * 2.1), 0.0))
    path = []
    for _ in range(70):
        scene.step()
        path.append(scene.position(body)[1])
    assert 0.0 < max(path) < 0.2 and path[-1] < -0.5


def test_a_platform_that_moves_and_a_load_on_it():
    """A platform goes on carrying a body, however deep that is pressed in."""
    scene, body, plate = platform(mode=KINEMATIC)
    scene.move(body, (0.0, 0.55, 0.0))
    heavy = scene.add(scene.box(0.4, 0.4, 0.4), (0.0, 1.4, 0.0), mass=50.0)
    for tick in range(120):
        scene.move(plate, (0.0, 0.02 * tick, 0.0))
        scene.step()
    top = scene.position(plate)[1]
    assert scene.position(body)[1] == pytest.approx(top + 0.5, abs=0.05)
    assert scene.position(heavy)[1] == pytest.approx(top + 1.3, abs=0.1)


def test_what_may_lie_deep_goes_from_platform_to_platform():
    """The next one carries it from the first touch on, as deep as it may lie."""
    scene = SmallWorld(penetration_slop=0.02)
    plates = [scene.add(scene.box(2.0, 1.0, 2.0), (4.0 * k, -1.0, 0.0), STATIC, friction=0.0) for k in range(3)]
    for plate in plates:
        scene.world.contact.set_class(plate, FLOOR)
    scene.world.contact.set_rule(FLOOR, 0, platform_normal=(0.0, 2.0, 0.0))
    body = scene.add(scene.box(0.4, 0.4, 0.4), (0.0, 0.4, 0.0), friction=0.0)
    scene.step(60)
    scene.throw(body, (4.0, 0.0, 0.0))
    scene.step(120)
    assert scene.position(body) == pytest.approx((8.0, 0.38, 0.0), abs=0.1)


# Functions.


@entry_point("int64(int64)")
def reject(address):
    return REJECT_CONTACT


@entry_point("int64(int64)")
def reject_second_shape(address):
    contact = view(address, 1, CONTACT)[0]
    return REJECT_CONTACT if contact.shape_b == 1 else ACCEPT_CONTACT


@entry_point("int64(int64)")
def reject_pair_of_second_shape(address):
    contact = view(address, 1, CONTACT)[0]
    return REJECT_PAIR if contact.shape_b == 1 else ACCEPT_CONTACT


@entry_point("void(int64)")
def become_ice_by_count(address):
    """Friction 0, and a count in the context. Without `was_there` a second counter goes up."""
    contact = view(address, 1, CONTACT)[0]
    counts = view(contact.context, 2, np.int64)
    counts[0] += 1
    if contact.was_there == 0:
        counts[1] += 1
    contact.friction = 0.0


@entry_point("void(int64)")
def lift(address):
    """Surfaces are 1 cm higher than they look."""
    contact = view(address, 1, CONTACT)[0]
    for p in range(contact.point_count):
        contact.separations[p] -= 0.01


@entry_point("void(int64)")
def nonsense(address):
    contact = view(address, 1, CONTACT)[0]
    contact.friction = contact.restitution = np.nan
    for side in range(2):
        contact.inverse_mass_scale[side] = np.nan
    for k in range(3):
        contact.surface_velocity[k] = np.nan
    for p in range(contact.point_count):
        contact.separations[p] = np.nan


@entry_point("void(int64)")
def run_sideways(address):
    contact = view(address, 1, CONTACT)[0]
    # The solver brings the surface of B to that of A: B must run backwards for B to go forwards.
    sign = -1.0 if view(contact.body_b, 1, BODY)[0].inverse_mass > 0.0 else 1.0
    contact.surface_velocity[2] = sign * view(contact.context, 1, np.float64)[0]


@entry_point("void(int64)")
def ghost_if_told(address):
    contact = view(address, 1, CONTACT)[0]
    contact.is_sensor = view(contact.context, 1, np.int64)[0]


@entry_point("int64(int64)")
def only_slow(address):
    """A fast body flies through, a slow one is stopped: as contacts and as sweeps ask."""
    contact = view(address, 1, CONTACT)[0]
    a, b = view(contact.body_a, 1, BODY)[0], view(contact.body_b, 1, BODY)[0]
    speed = abs(a.linear_velocity[1] - b.linear_velocity[1])
    return REJECT_CONTACT if speed > 20.0 else ACCEPT_CONTACT


@pytest.mark.parametrize("speed", (0.0, 100.0))
def test_rejecting_is_like_an_exception(speed):
    """Bit by bit, for fast bodies that are swept too."""
    paths = []
    for how in ("rule", "exception"):
        scene, box, floor = on_floor(floor=(3.0, 0.1, 3.0), position=(0.0, 3.0, 0.0))
        scene.add(scene.box(3.0, 0.1, 3.0), (0.0, -8.0, 0.0), STATIC)
        if how == "rule":
            scene.world.contact.set_rule(FLOOR, 0, validate=reject)
        else:
            scene.world.body.add_exception(box, floor)
        scene.body(box)["flags"] |= CONTINUOUS
        scene.throw(box, (0.1, -speed, 0.0))
        path = []
        for _ in range(120):
            scene.step()
            path.append([*scene.position(box), *scene.velocity(box)])
        paths.append(path)
    assert paths[0] == paths[1] and -7.6 < paths[0][-1][1] < -7.0


def test_a_contact_or_all_of_a_pair_are_rejected():
    """The contact of the second of two balls on one body is rejected: the body tips over; or both: it falls."""
    heights = {}
    for validate in (None, reject_second_shape, reject_pair_of_second_shape):
        scene = SmallWorld()
        floor = scene.floor()
        scene.world.contact.set_class(floor, FLOOR)
        ball = scene.sphere(0.3)
        body = scene.add(ball, (0.0, 0.3, 0.0))
        scene.world.body.add_shape(body, ball, (*FLAT, 1.0, 0.0, 0.0))
        scene.world.contact.set_rule(FLOOR, 0, validate=validate)
        scene.step(25)
        rows = scene.world.system(scene.system)._manifolds[: int(scene.row["manifolds"]["count"])]
        live = rows[(rows["pair"] >= 0) & (rows["point_count"] > 0)]
        turned = scene.body(body)["rotation"][2]
        heights[validate] = (len(live), scene.position(body)[1], turned)
    assert heights[None][0] == 2 and heights[None][1] == pytest.approx(0.3, abs=0.01)
    assert heights[reject_second_shape][0] == 1 and abs(heights[reject_second_shape][2]) > 0.1
    count, height, turned = heights[reject_pair_of_second_shape]
    assert count == 0 and abs(turned) < 1e-3 and height == pytest.approx(0.3 - 0.5 * GRAVITY * (25 * TICK) ** 2, rel=0.05)


def test_functions_are_asked_in_every_step_and_their_word_counts():
    """Such a pair is not recycled: its contacts are found anew and asked about as long as it is awake."""
    counts = np.zeros(2, np.int64)
    scene, box, _ = on_floor({"modify": become_ice_by_count, "context": counts.ctypes.data})
    scene.step(60)
    assert counts.tolist() == [60, 1]  # though it lies still
    scene.throw(box, (2.0, 0.0, 0.0))
    scene.step(60)
    assert counts.tolist() == [120, 1] and scene.velocity(box)[0] == pytest.approx(2.0, rel=1e-3)


def test_what_a_rule_of_numbers_says_is_kept_while_a_pair_is_recycled():
    scene, box, _ = on_floor({"surface_velocity": (0.0, 0.0, 0.0), "friction": 0.3})
    scene.world.contact.set_events(box, ALL_CONTACT_EVENTS)
    limits = []
    for _ in range(30):
        scene.step()
        pairs = next(p for p in scene.world.system(scene.system)._pools if p.name == "pairs").rows
        limits.append(float(pairs[0]["limit"]))
        assert [event["friction"] for event in scene.world.contact.events(scene.system)] == pytest.approx([0.3])
    assert min(limits) > 1e-3  # it may be recycled, and lies still: so it was
    scene.world.body.set_param(box, "friction", 0.1)
    scene.step()
    assert [event["friction"] for event in scene.world.contact.events(scene.system)] == pytest.approx([0.3])
    scene.world.contact.set_rule(FLOOR, 0, inverse_mass_scale=(1.0, 0.5))  # no friction of its own: that of the bodies
    scene.step(2)
    scene.world.body.set_param(box, "friction", 0.05)
    scene.step()
    assert [event["friction"] for event in scene.world.contact.events(scene.system)] == pytest.approx([0.05])


def test_modified_separations_and_surface_velocities():
    scene, box, _ = on_floor({"modify": lift})
    scene.step(120)
    assert scene.position(box)[1] == pytest.approx(0.51, abs=0.003)
    speed = np.array([0.75])
    scene, box, _ = on_floor({"modify": run_sideways, "context": speed.ctypes.data})
    scene.step(60)
    assert scene.velocity(box)[2] == pytest.approx(0.75, abs=0.02)


def test_a_contact_that_turns_into_a_sensor_and_back():
    """It leaves the solver while it is one, and goes on to touch for those who are told."""
    is_ghost = np.zeros(1, np.int64)
    scene, box, floor = on_floor({"modify": ghost_if_told, "context": is_ghost.ctypes.data}, floor=(3.0, 2.0, 3.0))
    scene.world.contact.set_events(box, ALL_CONTACT_EVENTS)
    scene.step(30)
    for told in (1, 0):
        is_ghost[0] = told
        for _ in range(5):
            before = scene.velocity(box)[1]
            scene.step()
            (event,) = scene.world.contact.events(scene.system)
            assert (event["kind"], event["is_sensor"]) == (CONTACT_PERSISTED, told)
            assert (event["normal_impulses"].sum() > 0.0) == (told == 0)
            rows = scene.world.system(scene.system)._manifolds[: int(scene.row["manifolds"]["count"])]
            (manifold,) = rows[(rows["pair"] >= 0) & (rows["point_count"] > 0)]
            assert (manifold["colour"] >= 0) == (told == 0)
            if told:
                assert scene.velocity(box)[1] == pytest.approx(before - GRAVITY * TICK, rel=1e-3)
    scene.step(60)
    assert scene.position(box)[1] == pytest.approx(0.5, abs=0.01)


def test_nonsense_of_a_function_does_not_spread():
    scene, box, _ = on_floor({"modify": nonsense})
    other = scene.add(scene.box(0.5, 0.5, 0.5), (5.0, 0.5, 0.0))
    scene.step(30)
    assert np.isfinite(scene.position(box)).all() and np.isfinite(scene.position(other)).all()


def test_sweeps_ask_too():
    for speed, is_stopped in ((15.0, True), (90.0, False)):
        scene, box, _ = on_floor({"validate": only_slow}, (0.0, 2.0, 0.0), (3.0, 0.05, 3.0))
        scene.body(box)["flags"] |= CONTINUOUS
        scene.throw(box, (0.0, -speed, 0.0))
        scene.step(30)
        assert (scene.position(box)[1] > 0.3) == is_stopped


def test_rules_take_the_friction_of_triangles():
    """A rule without a friction of its own leaves a mesh's materials as they are."""
    scene = SmallWorld()
    shape = scene.world.shape.create(MESH)
    corners = [(-50.0, 0.0, -50.0), (50.0, 0.0, -50.0), (50.0, 0.0, 50.0), (-50.0, 0.0, 50.0)]
    triangles = [(0, 2, 1), (0, 3, 2)]
    scene.world.shapes.set_mesh(scene.world.shape.index("", shape), corners, triangles, False, [0, 0], [(0.0, 0.0)])
    floor = scene.add(shape, mode=STATIC)
    scene.world.contact.set_class(floor, FLOOR)
    scene.world.contact.set_rule(FLOOR, 0, inverse_mass_scale=(1.0, 1.0))
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 3.0))
    scene.throw(box, (3.0, 0.0, 0.0))
    scene.step(60)
    assert scene.velocity(box)[0] == pytest.approx(3.0, rel=1e-3)


# Threads, and what is refused.


def test_the_same_bits_with_any_number_of_threads():
    def run(threads: int) -> bytes:
        scene = Heap(threads)
        for number, body in enumerate(scene.bodies):
            scene.world.contact.set_class(body, number % 5)
            scene.world.contact.set_events(body, ALL_CONTACT_EVENTS)
        scene.world.contact.set_rule(1, 2, ignore=True)
        scene.world.contact.set_rule(1, 3, sensor=True)
        scene.world.contact.set_rule(2, 3, friction=0.0, surface_velocity=(1.0, 0.0, 0.0))
        scene.world.contact.set_rule(0, 4, validate=only_slow, modify=lift)
        history = []
        for _ in range(100):
            scene.step()
            history.append(scene.state().tobytes())
            history.append(scene.world.contact.events(scene.system).tobytes())
        return b"".join(history)

    alone = run(1)
    assert all(run(threads) == alone for threads in (2, 4))


@numba.cfunc("int64(int64)")
def reject_by_cfunc(address):
    return 1


def test_functions_of_numba_and_by_address():
    for function in (reject_by_cfunc, reject.address, reject_by_cfunc.address):
        scene, box, _ = on_floor({"validate": function})
        scene.step(30)
        assert scene.position(box)[1] < 0.0


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"validate": lambda contact: 0}, "validate must be a compiled function"),
        ({"validate": lift}, r"validate must have the signature int64\(int64\), got void\(int64\)"),
        ({"modify": reject}, r"modify must have the signature void\(int64\)"),
        ({"modify": 7}, "there is no code at 0x7"),
        ({"modify": -1}, "there is no code"),
        ({"friction": -1.0}, "friction must be 0 or more, got -1.0"),
        ({"restitution": 2.0}, "restitution must be 0 to 1"),
        ({"surface_velocity": (1.0, 2.0)}, "surface_velocity must be 3 numbers"),
        ({"inverse_mass_scale": (1.0, -1.0)}, "inverse_mass_scale must not be negative"),
        ({"context": "here"}, "context must be a whole number"),
        ({"platform_normal": (0.0, 0.0, 0.0)}, "platform_normal must not be zero"),
    ],
)
def test_bad_rules_are_refused(rule, message):
    scene, box, floor = on_floor()
    with pytest.raises(ValueError, match=f"set_contact_rule: .*{message}"):
        scene.world.contact.set_rule(FLOOR, 0, **rule)
    scene.step(10)
    assert scene.position(box)[1] == pytest.approx(0.5, abs=0.01)


def test_addresses_and_classes_that_cannot_be():
    scene, box, floor = on_floor()
    data = ctypes.create_string_buffer(64)
    for address in (12, ctypes.addressof(data)) if sys.platform == "linux" else (12,):  # others do not tell where code is
        with pytest.raises(ValueError, match="there is no code at"):
            scene.world.contact.set_rule(FLOOR, 0, validate=address)
    with pytest.raises(ValueError, match="needs two classes"):
        scene.world.contact.set_rule(FLOOR, FLOOR, surface_velocity=(1.0, 0.0, 0.0))
    for number in (-1, 64, 1.5):
        with pytest.raises(ValueError, match="contact classes are 0 to 63"):
            scene.world.contact.set_class(box, number)
        with pytest.raises(ValueError, match="contact classes are 0 to 63"):
            scene.world.contact.set_rule(0, number)
    with pytest.raises(KeyError, match="no rule for 3 and 4"):
        scene.world.contact.remove_rule(3, 4)
