"""Effects of areas on bodies, against the rules written down plainly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import TICK, SmallWorld

from scree.bodies.schema import KINEMATIC, RIGID

DISABLED, COMBINE, COMBINE_REPLACE, REPLACE, REPLACE_COMBINE = range(5)
SPACE_GRAVITY, SPACE_DAMP = np.array([0.0, -10.0, 0.0]), 0.25


def fold(areas, mode_name: str, value_name: str, of_space):
    """Higher priority first, the space last, unless something ends it before."""
    total = np.zeros_like(of_space)
    for area in sorted(areas, key=lambda area: -area["priority"]):
        mode, value = area[mode_name], area[value_name]
        if mode in (COMBINE, COMBINE_REPLACE):
            total = total + value
        elif mode in (REPLACE, REPLACE_COMBINE):
            total = np.asarray(value)
        if mode in (COMBINE_REPLACE, REPLACE):
            return total
    return total + of_space


class EffectScene(SmallWorld):
    """A ball at the origin, and areas about it."""

    def __init__(self, **settings):
        super().__init__(gravity=tuple(SPACE_GRAVITY), damp=SPACE_DAMP, **settings)
        self.large = self.box(20.0, 20.0, 20.0)

    def area(self, position=(0.0, 0.0, 0.0), **params) -> int:
        area = self.world.area.create()
        self.world.area.add_shape(area, self.large)
        self.world.area.set_transform(area, (1, 0, 0, 0, 1, 0, 0, 0, 1, *position))
        for name, value in params.items():
            self.world.area.set_param(area, name, value)
        self.world.area.set_system(area, self.system)
        return area


MODE = st.integers(0, 4)
AREA = st.fixed_dictionaries({
    "priority": st.integers(-5, 5), "gravity_mode": MODE, "linear_damp_mode": MODE, "angular_damp_mode": MODE,
    "gravity_vector": st.tuples(*[st.integers(-4, 4)] * 3), "gravity": st.integers(-3, 3),
    "linear_damp": st.integers(0, 5), "angular_damp": st.integers(0, 5),
})  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    areas=st.lists(AREA, max_size=7, unique_by=lambda area: area["priority"]), scale=st.integers(-2, 2),
    own=st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 3), st.integers(0, 1)),
)  # fmt: skip
def test_all_modes_and_priorities(areas, scale, own):
    scene = EffectScene()
    body = scene.add(scene.sphere(0.5), gravity_scale=scale, linear_damp=own[0], linear_damp_mode=own[1],
                     angular_damp=own[2], angular_damp_mode=own[3])  # fmt: skip
    for area in areas:
        scene.area(**area)
    scene.step()
    weighted = [{**area, "vector": area["gravity"] * np.array(area["gravity_vector"], float)} for area in areas]
    row = scene.body(body)
    assert row["gravity"] == pytest.approx(scale * fold(weighted, "gravity_mode", "vector", SPACE_GRAVITY), abs=1e-4)
    linear = own[0] + (0.0 if own[1] else float(fold(weighted, "linear_damp_mode", "linear_damp", np.array(SPACE_DAMP))))
    angular = own[2] + (0.0 if own[3] else float(fold(weighted, "angular_damp_mode", "angular_damp", np.array(SPACE_DAMP))))
    assert row["total_linear_damp"] == pytest.approx(linear, abs=1e-5)
    assert row["total_angular_damp"] == pytest.approx(angular, abs=1e-5)


def test_motion_in_an_area_and_after_it():
    scene = EffectScene()
    body = scene.add(scene.sphere(0.5), linear_damp_mode=1)
    area = scene.area(gravity_mode="replace", gravity_vector=(1, 0, 0), gravity=6.0)
    scene.step(30)
    assert scene.velocity(body) == pytest.approx((3.0, 0.0, 0.0), abs=1e-4), "from the first step on"
    scene.world.area.set_system(area, 0)
    scene.step(30)
    assert scene.velocity(body) == pytest.approx((3.0, -5.0, 0.0), abs=1e-4)


def test_point_gravity_falls_by_the_square():
    scene = EffectScene()
    body = scene.add(scene.sphere(0.5), (0.0, 0.0, 6.0))
    scene.world.body.set_mode(body, RIGID)
    scene.area(gravity_mode=REPLACE, is_point=True, gravity_vector=(0.0, 0.0, 0.0), gravity=8.0, unit_distance=3.0)
    scene.step()
    assert scene.body(body)["gravity"] == pytest.approx((0.0, 0.0, -2.0), abs=1e-5)


def test_point_gravity_of_the_space_itself():
    scene = EffectScene()
    body = scene.add(scene.sphere(0.5), (0.0, 4.0, 0.0), linear_damp_mode=1)
    scene.world.area.set_space_param(scene.system, "is_point", True)
    scene.world.area.set_space_param(scene.system, "gravity_vector", (0.0, 9.0, 0.0))
    scene.world.area.set_space_param(scene.system, "gravity", 2.0)
    scene.step()
    assert scene.velocity(body) == pytest.approx((0.0, 2.0 * TICK, 0.0), abs=1e-6)
    scene.world.area.set_space_param(scene.system, "is_point", False)
    scene.world.area.set_space_param(scene.system, "gravity_vector", (1.0, 0.0, 0.0))
    scene.step()
    assert scene.velocity(body) == pytest.approx((2.0 * TICK, 2.0 * TICK, 0.0), abs=1e-6)


@pytest.mark.parametrize("substeps", (1, 2, 4, 8))
def test_orbits_keep_their_radius(substeps):
    """Twenty times round a point."""
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0), substep_count=substeps)
    body = scene.add(scene.sphere(0.1), (4.0, 0.0, 0.0))
    scene.throw(body, (0.0, 0.0, 6.0))
    area = scene.world.area.create()
    scene.world.area.add_shape(area, scene.box(50.0, 50.0, 50.0))
    for name, value in {"gravity_mode": REPLACE, "is_point": True, "gravity_vector": (0, 0, 0), "gravity": 9.0,
                        "unit_distance": 4.0}.items():  # fmt: skip
        scene.world.area.set_param(area, name, value)
    scene.world.area.set_system(area, scene.system)
    radii = []
    for _ in range(int(20 * 2 * np.pi * 4.0 / 6.0 * 60)):
        scene.step()
        radii.append(float(np.linalg.norm(scene.position(body))))
    assert 3.75 < min(radii) and max(radii) < 4.25, (min(radii), max(radii))


def test_sleepers_wake_when_an_area_begins_changes_or_ends():
    scene = EffectScene(sleeps=True)
    scene.floor()
    body = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))

    def sleep() -> None:
        for _ in range(300):
            scene.step()
            if not scene.is_awake(body):
                return
        raise AssertionError("it does not sleep")

    sleep()
    area = scene.area(linear_damp_mode=REPLACE, linear_damp=3.0)
    scene.step(2)
    assert scene.is_awake(body), "began"
    sleep()
    scene.world.area.set_param(area, "linear_damp", 4.0)
    scene.step(2)
    assert scene.is_awake(body), "changed"
    sleep()
    scene.world.area.set_param(area, "linear_damp", 4.0)
    scene.world.area.set_monitoring(area, bodies=True)
    scene.step(2)
    assert not scene.is_awake(body), "set to what it was"
    scene.world.area.destroy(area)
    scene.step(2)
    assert scene.is_awake(body), "ended"
    assert scene.body(body)["total_linear_damp"] == pytest.approx(SPACE_DAMP)


def test_areas_do_nothing_to_kinematic_bodies():
    scene = EffectScene()
    body = scene.add(scene.sphere(0.5), mode=KINEMATIC)
    scene.area(gravity_mode=REPLACE, gravity=5.0)
    scene.move(body, (1.0, 0.0, 0.0))
    scene.step(3)
    assert scene.position(body) == pytest.approx((1.0, 0.0, 0.0))
