"""The comparison with MuJoCo is one of like with like: its model of the walker has the bodies, masses and hinges of Scree's."""

import numpy as np
import pytest

from scree.learning import walker
from scree.tools import world_costs

mujoco = pytest.importorskip("mujoco", reason="the package mujoco is not installed: it is only compared with")


def test_the_models_are_alike():
    model = mujoco.MjModel.from_xml_string(world_costs.walker_model(1 / 120))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    space, bodies, joints = walker.build_space()
    places = np.array([body.position for body in bodies])
    assert model.nbody == 1 + len(bodies) and model.nu == len(joints) == 8
    assert np.allclose(data.xipos[1:], np.stack([places[:, 0], -places[:, 2], places[:, 1]], axis=1), atol=1e-6)
    assert np.allclose(model.body_mass[1:], [body.mass for body in bodies])
    own = [walker.TRUNK_RADIUS, *[walker.LEG_RADIUS] * 8]
    assert np.allclose(model.geom_size[1:, 0], own)


def test_the_same_torque_turns_hinges_the_same_way():
    model = mujoco.MjModel.from_xml_string(world_costs.walker_model(1 / 1200))
    worlds = world_costs.Walker(8).worlds
    states = worlds.states.copy()
    states[:, :, 1] += 5.0
    worlds.set_states(states)
    worlds.step(1 / 120, 4, joint_forces=2.0 * np.eye(8))
    for k in range(8):
        data = mujoco.MjData(model)
        data.qpos[2] += 5.0
        data.ctrl[k] = 2.0 / walker.MOST_TORQUE
        for _ in range(40):
            mujoco.mj_step(model, data)
        assert np.allclose(worlds.joint_states[k, :, 0], data.qpos[7:], atol=0.05 + 0.1 * np.abs(data.qpos[7 + k])), k
        assert worlds.joint_states[k, k, 0] > 0.02
