"""Contacts as reported."""

import numpy as np
from small_world import TICK, SmallWorld

GRAVITY = 10.0


def test_reports_of_a_resting_box():
    scene = SmallWorld()
    floor = scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0), mass=3.0)
    scene.world.body_set_max_contacts(box, 8)
    scene.step(180)
    rare = scene.world.bodies.own_rare(scene.index(box))
    reports = scene.world._contact_reports[scene.index(box)][: rare["contact_count"]]
    assert len(reports) == 4
    assert (reports["collider_id"] == floor).all()
    np.testing.assert_allclose(reports["normal"], [(0, 1, 0)] * 4, atol=1e-3)
    np.testing.assert_allclose(reports["impulse"].sum(axis=0), (0, 3.0 * GRAVITY * TICK, 0), atol=0.01)
    np.testing.assert_allclose(np.abs(reports["position"][:, [0, 2]]), 0.5, atol=0.01)
    np.testing.assert_allclose(reports["position"][:, 1], 0.0, atol=0.01)
    scene.world.body_set_max_contacts(box, 2)
    scene.step()
    assert rare["contact_count"] == 2
    scene.world.body_set_max_contacts(box, 0)
    scene.step()
    assert rare["contact_count"] == 0


def test_reports_of_a_ball_that_rolls_fast():
    """Its contact lies below it, though the point of it that touched has long turned away."""
    scene = SmallWorld()
    scene.floor()
    ball = scene.add(scene.sphere(0.5), (0.0, 0.5, 0.0))
    scene.world.body_set_max_contacts(ball, 4)
    scene.throw(ball, (20.0, 0.0, 0.0))
    scene.turn(ball, (0.0, 0.0, -40.0))
    scene.step(30)
    assert scene.world.bodies.own_rare(scene.index(ball))["contact_count"] == 1 and scene.velocity(ball)[0] > 15.0
    report = scene.world._contact_reports[scene.index(ball)][0]
    for name in ("position", "collider_position"):
        np.testing.assert_allclose(report[name], scene.position(ball) - (0.0, 0.5, 0.0), atol=5e-3)
    assert abs(report["depth"]) < 5e-3
    touched = report["position"] - scene.velocity(ball) * TICK  # where the floor was touched as the step began
    np.testing.assert_allclose(scene.world.system(scene.system).contact_points(8), [touched], atol=5e-3)
