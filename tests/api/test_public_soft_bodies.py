"""Soft bodies from Python: made of arrays, positions out as an array, one clear error for bad input, saved states."""

import numpy as np
import pytest

import scree

CORNERS = np.array([(0.0, 3.0, 0.0), (1.0, 3.0, 0.0), (0.0, 3.0, 1.0), (1.0, 3.0, 1.0)])
SHEET = np.array([(0, 2, 1), (1, 2, 3)])


@pytest.fixture
def space() -> scree.Space:
    return scree.World(threads=1).add_space(gravity=(0, -10, 0))


def test_a_sheet_hangs_by_its_pins_and_falls_without(space):
    sheet = space.add_soft_body(CORNERS, SHEET, mass=2.0, stiffness=1000.0, pins=[0, 1])
    assert isinstance(sheet, scree.SoftBody) and sheet.positions.shape == (4, 3) and sheet.mass == pytest.approx(2.0)
    for _ in range(30):
        space.step(1 / 60)
    assert sheet.positions[:2] == pytest.approx(CORNERS[:2]) and sheet.positions[2:, 1].max() < 2.9
    sheet.unpin([0, 1])
    space.add_static(scree.Plane())
    for _ in range(120):
        space.step(1 / 60)
    assert -0.01 < sheet.positions[:, 1].min() < 0.05


def test_pins_are_led_and_forces_push(space):
    sheet = space.add_soft_body(CORNERS, SHEET, pins=[0])
    sheet.lead_pins([0], [(0.0, 3.5, 0.0)])
    space.step(1 / 60)
    assert sheet.positions[0] == pytest.approx((0.0, 3.5, 0.0))
    before = sheet.velocities[3].copy()
    sheet.apply_impulses([3], [(1.0, 0.0, 0.0)])
    assert sheet.velocities[3, 0] > before[0] + 0.5
    sheet.apply_forces([3], [(0.0, 0.0, 60.0)])
    space.step(1 / 60)
    assert sheet.velocities[3, 2] > 0.5


def test_tethers_and_a_skin_hold_particles(space):
    sheet = space.add_soft_body(CORNERS, SHEET, stiffness=1.0, pins=[0], tethers=0.02)
    assert sheet.tethers == 0.02
    targets = CORNERS + (0.0, 0.5, 0.0)
    sheet.skin(targets, [np.inf, np.inf, 0.1, 0.0])
    for _ in range(60):
        space.step(1 / 60)
    ways = np.linalg.norm(sheet.positions - sheet.positions[0], axis=1), np.linalg.norm(sheet.positions - targets, axis=1)
    assert ways[0][1] <= 1.02 + 1e-9 and ways[1][2] <= 0.1 + 1e-9 and sheet.positions[3].tolist() == targets[3].tolist()


def test_a_ray_hits_a_face_from_either_side(space):
    sheet = space.add_soft_body(CORNERS, SHEET)
    fraction, normal, face = sheet.cast_ray((0.2, 5.0, 0.2), (0.0, -4.0, 0.0))
    assert fraction == pytest.approx(0.5) and normal == pytest.approx((0.0, 1.0, 0.0)) and face == 0
    assert sheet.cast_ray((0.2, 1.0, 0.2), (0.0, 4.0, 0.0))[1] == pytest.approx((0.0, -1.0, 0.0))
    assert sheet.cast_ray((2.0, 5.0, 0.2), (0.0, -4.0, 0.0)) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vertices": [(0, 0)]}, "vertices must be of shape"), ({"vertices": CORNERS * np.nan}, "vertices must be finite"),
        ({"triangles": [(0, 1, 4)]}, "triangles must name vertices from 0 to 3, got 4"), ({"mass": 0}, "mass must be above 0"),
        ({"triangles": [(0, 1)]}, "triangles must be whole numbers of shape"),
        ({"stiffness": -1}, "stiffness must be at least 0"),
        ({"pressure": 3.0}, "surface must be closed"), ({"pins": [9]}, "particles must be whole numbers from 0 to 3"),
        ({"radius": 0.0}, "radius must be above 0"), ({"precision": 0}, "precision must be at least 1"),
        ({"tethers": -0.1}, "tethers must be at least 0"), ({"tethers": True}, "slack such as 0.02 is wanted"),
        ({"damping": -1.0}, "damping must be at least 0"), ({"friction": np.inf}, "friction must be finite"),
    ],
)  # fmt: skip
def test_bad_input_is_named_and_leaves_nothing(space, change, message):
    given = {"vertices": CORNERS, "triangles": SHEET, **change}
    with pytest.raises(ValueError, match="add_soft_body: ?.*" + message):
        space.add_soft_body(given.pop("vertices"), given.pop("triangles"), **given)
    assert len(space.core.system(space.id).kept) == 0
    space.step(1 / 60)


def test_a_removed_soft_body_says_so(space):
    sheet = space.add_soft_body(CORNERS, SHEET)
    sheet.remove()
    for call in (lambda: sheet.pin([0]), lambda: sheet.move_particles([0], [(0, 0, 0)]), sheet.remove):
        with pytest.raises(KeyError, match="was removed"):
            call()
    space.step(1 / 60)


def test_a_restored_space_goes_on_with_the_same_bits(space):
    space.add_static(scree.Plane())
    ball = space.add_rigid(scree.Sphere(radius=0.3), position=(0.5, 4.0, 0.5))
    sheet = space.add_soft_body(CORNERS, SHEET, pins=[0, 1])
    for _ in range(20):
        space.step(1 / 60)
    state, ends = space.save(), []
    for _ in range(2):
        for _ in range(40):
            space.step(1 / 60)
        ends.append((sheet.positions.tobytes(), ball.position.tobytes()))
        space.restore(state)
    assert ends[0] == ends[1]


def test_another_soft_body_is_not_the_one_of_the_state(space):
    sheet = space.add_soft_body(CORNERS, SHEET)
    state = space.save()
    sheet.remove()
    with pytest.raises(RuntimeError, match="vehicles, pulleys, soft bodies or water"):
        space.restore(state)
