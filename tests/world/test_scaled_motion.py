"""Moving what has scale: compiled while the scale stays, by way of cooking when it changes."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_world import SmallWorld

from scree.bodies.motion import TRANSFORM_STRETCHED, TRANSFORM_TAKEN, bodies_of, pose_of_transform
from scree.bodies.schema import STATIC
from scree.edit.body_placement import place
from scree.runtime.kernel import entry_point


@entry_point("int64(int64, int64, int64)")
def set_compiled(world, index, transform):
    answer, origin, rotation = pose_of_transform(world, bodies_of(world)[index], transform)
    if answer == TRANSFORM_TAKEN:
        place(world, index, origin, rotation)
    return answer


def turned(seed: int) -> np.ndarray:
    basis, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return basis * np.sign(np.linalg.det(basis))


def move(scene: SmallWorld, body: int, basis: np.ndarray, origin) -> int:
    values = np.array([*basis.ravel(), *origin], dtype=np.float32)
    return set_compiled(scene.world.address, scene.index(body), values.ctypes.data)


SCALE = st.tuples(*[st.floats(0.2, 5.0)] * 3)


@settings(max_examples=30, deadline=None)
@given(scale=SCALE, first=st.integers(0, 99), second=st.integers(0, 99), is_sheared=st.booleans())
def test_same_scale_is_taken_at_once(scale, first, second, is_sheared):
    assume(not any(5e-4 < abs(part - 1.0) < 2e-3 for part in scale))  # at the tolerance of a scale of 1 either answer is right
    scene = SmallWorld()
    shape = scene.box(0.5, 0.5, 0.5)
    stretch = np.diag(scale)
    if is_sheared:
        stretch = turned(first + 1) @ stretch @ turned(first + 1).T
    one, two = (scene.add(shape, mode=STATIC, basis=tuple((turned(first) @ stretch).ravel())) for _ in range(2))
    basis = turned(second) @ stretch
    assert move(scene, one, basis, (1, 2, 3)) == TRANSFORM_TAKEN
    scene.move(two, (1, 2, 3), basis=tuple(basis.ravel()))
    a, b = scene.body(one), scene.body(two)
    assert a["position"] == pytest.approx(b["position"])
    assert abs(float(a["rotation"] @ b["rotation"])) == pytest.approx(1.0, abs=1e-5)
    assert a["bounds"] == pytest.approx(b["bounds"], abs=1e-3)


def test_another_scale_is_not():
    scene = SmallWorld()
    body = scene.add(scene.box(0.5, 0.5, 0.5), mode=STATIC, basis=(2.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0))
    assert move(scene, body, np.diag((2.0, 1.0, 1.0)), (5, 0, 0)) == TRANSFORM_TAKEN
    for basis in (np.eye(3), np.diag((1.0, 2.0, 1.0)), np.diag((2.1, 1.0, 1.0)), np.diag((-2.0, 1.0, 1.0))):
        assert move(scene, body, basis, (9, 0, 0)) == TRANSFORM_STRETCHED
    assert scene.body(body)["position"] == pytest.approx((5, 0, 0))
