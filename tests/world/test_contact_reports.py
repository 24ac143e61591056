"""Contacts as reported."""

import numpy as np
import pytest
from small_world import TICK, SmallWorld

from scree.bodies.schema import KINEMATIC, STATIC

GRAVITY = 10.0


def test_reports_of_a_resting_box():
    scene = SmallWorld()
    floor = scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0), mass=3.0)
    scene.world.body.set_max_contacts(box, 8)
    scene.step(180)
    rare = scene.world.bodies.own_rare(scene.index(box))
    reports = scene.world.body._contact_reports[scene.index(box)][: rare["contact_count"]]
    assert len(reports) == 4
    assert (reports["collider_id"] == floor).all()
    np.testing.assert_allclose(reports["normal"], [(0, 1, 0)] * 4, atol=1e-3)
    np.testing.assert_allclose(reports["impulse"].sum(axis=0), (0, 3.0 * GRAVITY * TICK, 0), atol=0.01)
    np.testing.assert_allclose(np.abs(reports["position"][:, [0, 2]]), 0.5, atol=0.01)
    np.testing.assert_allclose(reports["position"][:, 1], 0.0, atol=0.01)
    scene.world.body.set_max_contacts(box, 2)
    scene.step()
    assert rare["contact_count"] == 2
    scene.world.body.set_max_contacts(box, 0)
    scene.step()
    assert rare["contact_count"] == 0


def test_reports_of_a_ball_that_rolls_fast():
    """Its contact lies below it, though the point of it that touched has long turned away."""
    scene = SmallWorld()
    scene.floor()
    ball = scene.add(scene.sphere(0.5), (0.0, 0.5, 0.0))
    scene.world.body.set_max_contacts(ball, 4)
    scene.throw(ball, (20.0, 0.0, 0.0))
    scene.turn(ball, (0.0, 0.0, -40.0))
    scene.step(30)
    assert scene.world.bodies.own_rare(scene.index(ball))["contact_count"] == 1 and scene.velocity(ball)[0] > 15.0
    report = scene.world.body._contact_reports[scene.index(ball)][0]
    for name in ("position", "collider_position"):
        np.testing.assert_allclose(report[name], scene.position(ball) - (0.0, 0.5, 0.0), atol=5e-3)
    assert abs(report["depth"]) < 5e-3
    touched = report["position"] - scene.velocity(ball) * TICK  # where the floor was touched as the step began
    np.testing.assert_allclose(scene.world.system(scene.system).contact_points(8), [touched], atol=5e-3)


def reports_of(scene, body) -> np.ndarray:
    """The contacts that were reported to a body in the last step."""
    count = scene.world.bodies.own_rare(scene.index(body))["contact_count"]
    return scene.world.body._contact_reports[scene.index(body)][:count]


def step_until_pushed(scene, body) -> np.ndarray:
    """Step until a contact pushes the body; what it was told of it."""
    for _ in range(60):
        scene.step()
        reports = reports_of(scene, body)
        if np.abs(reports["impulse"]).sum() > 0.0:
            return reports
    raise AssertionError("nothing pushed it")


def in_frame(scene, body, points) -> np.ndarray:
    """World points (n, 3) in the frame of a body."""
    x, y, z, w = scene.body(body)["rotation"].astype(np.float64)
    basis = np.array([
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    ])  # fmt: skip
    return (points - scene.position(body)) @ basis


def shape_of(scene, kind: str) -> int:
    """A shape whose lowest point is 0.5 m below its centre."""
    if kind == "capsule":
        return scene.capsule(0.25, 1.0)
    return scene.box(0.5, 0.5, 0.5) if kind == "box" else scene.sphere(0.5)


@pytest.mark.parametrize("kind", ["box", "sphere", "capsule"])
@pytest.mark.parametrize("speed", [1.0, 10.0])
def test_an_impact_tells_the_velocity_before_it(kind, speed):
    """From half a tick's way above the floor, so that the floor is met in the middle of a step and beyond."""
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    scene.floor()
    body = scene.add(shape_of(scene, kind), (0.0, 0.53 + 0.5 * speed * TICK, 0.0), mass=2.0)
    scene.world.body.set_max_contacts(body, 8)
    scene.throw(body, (0.0, -speed, 0.0))
    reports = step_until_pushed(scene, body)
    assert abs(scene.velocity(body)[1]) < 0.01 * speed  # it was stopped
    np.testing.assert_allclose(reports["velocity"], [(0.0, -speed, 0.0)] * len(reports), atol=1e-5 * speed)
    np.testing.assert_array_equal(reports["collider_velocity"], 0.0)
    np.testing.assert_allclose(reports["impulse"].sum(axis=0), (0.0, 2.0 * speed, 0.0), atol=0.02 * speed)
    np.testing.assert_allclose(in_frame(scene, body, reports["position"])[:, 1], -0.5, atol=2e-6)
    np.testing.assert_allclose(reports["collider_position"][:, 1], 0.0, atol=1e-6)


def test_both_bodies_of_an_impact_tell_where_and_how_fast():
    """A ball that spins hits one that moves away: v + w x r of either at its own surface; positions on both spheres."""
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    left = scene.add(scene.sphere(0.5), (-1.25, 0.0, 0.0), friction=0.0)
    right = scene.add(scene.sphere(0.25), (0.0, 0.0, 0.0), friction=0.0)
    for body in (left, right):
        scene.world.body.set_max_contacts(body, 4)
    scene.throw(left, (10.0, 0.0, 0.0))
    scene.turn(left, (0.0, 0.0, 6.0))
    scene.throw(right, (2.0, 0.0, 0.0))
    (told_left,) = step_until_pushed(scene, left)
    (told_right,) = reports_of(scene, right)
    np.testing.assert_allclose(told_left["velocity"], (10.0, 3.0, 0.0), atol=0.01)
    np.testing.assert_allclose(told_left["collider_velocity"], (2.0, 0.0, 0.0), atol=0.01)
    np.testing.assert_array_equal(told_right["velocity"], told_left["collider_velocity"])
    np.testing.assert_array_equal(told_right["collider_velocity"], told_left["velocity"])
    for body, other, report in ((left, right, told_left), (right, left, told_right)):
        radii = (0.5, 0.25) if body == left else (0.25, 0.5)
        assert np.linalg.norm(report["position"] - scene.position(body)) == pytest.approx(radii[0], abs=1e-6)
        assert np.linalg.norm(report["collider_position"] - scene.position(other)) == pytest.approx(radii[1], abs=1e-6)


def test_the_surface_of_a_belt_and_of_a_lift_is_told():
    """A kinematic body goes as its move of this step says; a belt's surface runs besides."""
    scene = SmallWorld()
    lift = scene.add(scene.box(5.0, 0.5, 5.0), (0.0, -0.5, 0.0), mode=KINEMATIC)
    scene.world.bodies.own_rare(scene.index(lift))["surface_linear_velocity"] = (1.0, 0.0, 0.0)
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0), friction=0.0)
    scene.world.body.set_max_contacts(box, 8)
    for tick in range(1, 31):
        scene.move(lift, (0.0, -0.5 + 2.0 * tick * TICK, 0.0))
        scene.step()
    reports = reports_of(scene, box)
    assert len(reports) == 4
    np.testing.assert_allclose(reports["collider_velocity"], [(1.0, 2.0, 0.0)] * 4, atol=1e-4)
    np.testing.assert_allclose(reports["velocity"][:, 1], 2.0, atol=0.05)
    for name in ("position", "collider_position"):
        np.testing.assert_allclose(reports[name][:, 1], 2.0 * 30 * TICK, atol=1e-3)


def test_reports_of_the_first_step_with_a_report_know_the_velocities():
    """A body that asks for reports for the first time gets those of the very next step."""
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    scene.floor()
    ball = scene.add(scene.sphere(0.5), (0.0, 0.55, 0.0))
    scene.throw(ball, (0.0, -10.0, 0.0))
    scene.step()
    scene.world.body.set_max_contacts(ball, 1)
    (report,) = step_until_pushed(scene, ball)
    np.testing.assert_allclose(report["velocity"], (0.0, -10.0, 0.0), atol=1e-4)


@pytest.mark.parametrize("corner_below", [False, True])
def test_where_a_contact_is_that_slides(corner_below):
    """A small box that slides over the floor, and a large one that slides over a post: the contact goes with the small one."""
    scene = SmallWorld()
    half = 3.0 if corner_below else 0.25
    if corner_below:
        scene.add(scene.box(0.05, 0.5, 0.05), (0.0, -0.5, 0.0), mode=STATIC, friction=0.0)
    else:
        scene.floor(friction=0.0)
    box = scene.add(scene.box(half, 0.25, half), (0.0, 0.25, 0.0), friction=0.0)
    scene.world.body.set_max_contacts(box, 8)
    scene.throw(box, (10.0, 0.0, 0.0))
    scene.step(5)
    reports = reports_of(scene, box)
    assert len(reports) == 4
    np.testing.assert_allclose(reports["position"], reports["collider_position"], atol=1e-3)
    center, reach = (0.0, 0.05) if corner_below else (scene.position(box)[0], half)
    np.testing.assert_allclose(np.abs(reports["collider_position"][:, 0] - center), reach, atol=1e-3)


def test_contacts_that_push_nobody_are_found_when_somebody_reports_them():
    """A kinematic body in a layer that the box does not look for: no manifold, until the box is to report its contacts."""
    scene = SmallWorld()
    scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0), mass=3.0)
    ghost = scene.add(scene.box(0.5, 0.5, 0.5), (0.9, 0.5, 0.0), mode=KINEMATIC)
    scene.world.body.set_collision_layer(ghost, 2)
    scene.step(30)
    ones = scene.position(box)
    scene.world.body.set_max_contacts(box, 8)
    scene.step(2)
    rare = scene.world.bodies.own_rare(scene.index(box))
    reports = scene.world.body._contact_reports[scene.index(box)][: rare["contact_count"]]
    assert (reports["collider_id"] == ghost).any()
    np.testing.assert_allclose(scene.position(box), ones, atol=1e-3)
    scene.world.body.set_max_contacts(box, 0)
    scene.step(2)
    np.testing.assert_allclose(scene.position(box), (0.0, 0.5, 0.0), atol=1e-2)
