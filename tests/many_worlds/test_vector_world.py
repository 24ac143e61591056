"""Copies of a space move as the space itself would: bit for bit, in any place, on any number of threads, beside anything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes_of_worlds import SCENES, SECONDS, SIDE, act, actions_of, cart_pole, heap, small_space, state_of, walker

import scree

WORLDS = 11
STEPS = 60


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_copies_left_alone_are_the_space_itself(name, threads):
    space, bodies, joints = SCENES[name]()
    worlds = scree.VectorWorld(space, WORLDS, bodies=bodies, joints=joints, threads=threads)
    assert (worlds.hashes() == space.hash()).all()
    for _ in range(STEPS):
        worlds.step(SECONDS)
        space.step(SECONDS)
        assert (worlds.hashes() == space.hash()).all()
    assert np.allclose(worlds.states, state_of(bodies), rtol=0.0, atol=1e-6)  # NumPy rounds arms in another way


def test_a_space_is_copied_in_the_middle_of_a_fall():
    space, bodies, joints = heap()
    for _ in range(25):
        space.step(SECONDS)
    worlds = scree.VectorWorld(space, 3)
    for _ in range(STEPS):
        worlds.step(SECONDS)
        space.step(SECONDS)
        assert (worlds.hashes() == space.hash()).all()


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(sorted(SCENES)), seed=st.integers(0, 1 << 30), threads=st.sampled_from([1, 2, 4]),
    kinds=st.sampled_from([("motor_velocities", "motor_forces"), ("forces",), ("torques",), ("forces", "torques"),
                           ("motor_velocities", "motor_forces", "forces")]),
)  # fmt: skip
def test_each_world_does_what_its_twin_does(name, seed, threads, kinds):
    random = np.random.default_rng(seed)
    place = int(random.integers(WORLDS))
    space, bodies, joints = SCENES[name]()
    twin, twin_bodies, twin_joints = SCENES[name]()
    worlds = scree.VectorWorld(space, WORLDS, bodies=bodies, joints=joints, threads=threads)
    for _ in range(STEPS // 2):
        actions = actions_of(kinds, WORLDS, len(bodies), len(joints), random)
        worlds.step(SECONDS, **actions)
        act(twin, twin_bodies, twin_joints, actions, place)
        twin.step(SECONDS)
        assert np.allclose(worlds.states[place], state_of(twin_bodies), rtol=0.0, atol=1e-6)
    assert worlds.hashes()[place] == twin.hash()


def test_actions_last_for_all_steps_of_a_call():
    space, bodies, joints = walker()
    one, many = (scree.VectorWorld(space, WORLDS, bodies=bodies, joints=joints, threads=2) for _ in range(2))
    actions = actions_of(
        ["forces", "motor_velocities", "motor_forces"], WORLDS, len(bodies), len(joints), np.random.default_rng(1)
    )
    many.step(SECONDS, 7, **actions)
    for _ in range(7):
        one.step(SECONDS, **actions)
    assert np.array_equal(one.hashes(), many.hashes()) and len(set(one.hashes().tolist())) == WORLDS


def test_forces_of_joints_push_both_bodies():
    space, bodies, joints = cart_pole()
    twin, (cart, pole), _ = cart_pole()
    worlds = scree.VectorWorld(space, 2, bodies=bodies, joints=joints, threads=1)
    for k in range(40):
        push, turn = 3.0 * np.sin(0.3 * k), 0.2 * np.cos(0.2 * k)
        worlds.step(SECONDS, joint_forces=np.tile((push, turn), (2, 1)))
        cart.apply_force((push, 0.0, 0.0))
        pole.apply_torque((0.0, 0.0, turn))
        cart.apply_torque((0.0, 0.0, -turn))
        twin.step(SECONDS)
        assert np.allclose(worlds.states[1], state_of([cart, pole]), atol=1e-4)
    assert abs(worlds.states[0, 1, 12]) > 0.1


def speeds_of(bodies) -> list[float]:
    """The speeds of the joints of the cart pole, or of the walker."""
    if len(bodies) == 2:
        return [bodies[0].velocity[0], bodies[1].angular_velocity[2] - bodies[0].angular_velocity[2]]
    spins = [body.angular_velocity[2] for body in bodies]
    return [spins[1] - spins[0], spins[2] - spins[1], spins[3] - spins[0], spins[4] - spins[3]]


@pytest.mark.parametrize("scene", [cart_pole, walker])
def test_joints_tell_where_they_are(scene):
    space, bodies, joints = scene()
    twin, twin_bodies, twin_joints = scene()
    worlds = scree.VectorWorld(space, 3, bodies=bodies, joints=joints)
    forces = np.tile(np.random.default_rng(5).normal(0.0, 3.0, (len(bodies), 3)) * (1, 1, 0), (3, 1, 1))
    for _ in range(STEPS):
        worlds.step(SECONDS, forces=forces)
        act(twin, twin_bodies, twin_joints, {"forces": forces}, 0)
        twin.step(SECONDS)
        places = [joint.position() for joint in twin_joints]
        assert np.allclose(worlds.joint_states[2, :, 0], places, atol=2e-4)
        assert np.allclose(worlds.joint_states[2, :, 1], speeds_of(twin_bodies), atol=1e-3)
    assert worlds.hashes()[1] == twin.hash()


def test_a_slider_between_two_bodies_pushes_both():
    space = small_space()
    left, right = (
        space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), position=(x, 0, 0), gravity_scale=0.0) for x in (-1, 1)
    )
    slider = space.add_joint(scree.Slider(axis=(1, 0, 0)), right, to=left)
    worlds = scree.VectorWorld(space, 1, bodies=[left, right], joints=[slider])
    worlds.step(SECONDS, joint_forces=[[4.0]])
    assert np.allclose(worlds.states[0, :, 7], [-4.0 * SECONDS, 4.0 * SECONDS], atol=1e-5)


def test_some_worlds_are_reset_and_go_on_as_new_ones():
    space, bodies, joints = walker()
    random = np.random.default_rng(2)
    worlds = scree.VectorWorld(space, WORLDS, bodies=bodies, joints=joints, threads=2)
    fresh = scree.VectorWorld(space, WORLDS, bodies=bodies, joints=joints, threads=2)
    start, states = worlds.hashes(), worlds.states.copy()
    for _ in range(STEPS):
        worlds.step(SECONDS, **actions_of(["forces"], WORLDS, len(bodies), len(joints), random))
    before = worlds.hashes()
    chosen = random.random(WORLDS) < 0.5
    worlds.reset(chosen)
    assert np.array_equal(worlds.hashes(), np.where(chosen, start, before))
    assert np.array_equal(worlds.states[chosen], states[chosen])
    for _ in range(STEPS // 2):
        actions = actions_of(["forces"], WORLDS, len(bodies), len(joints), random)
        worlds.step(SECONDS, **actions)
        fresh.step(SECONDS, **actions)
    assert np.array_equal(worlds.hashes()[chosen], fresh.hashes()[chosen])
    worlds.reset()
    assert np.array_equal(worlds.hashes(), start)


def test_worlds_that_are_not_chosen_stand_still():
    space, bodies, joints = cart_pole()
    worlds = scree.VectorWorld(space, WORLDS, bodies=bodies, joints=joints, threads=2)
    worlds.step(SECONDS, forces=np.ones((WORLDS, 2, 3)))
    before, states = worlds.hashes(), worlds.states.copy()
    chosen = np.arange(WORLDS) % 3 == 0
    worlds.step(SECONDS, mask=chosen)
    assert np.array_equal(worlds.hashes() == before, ~chosen)
    assert np.array_equal((worlds.states == states).all(axis=(1, 2)), ~chosen)


def test_a_world_that_explodes_does_not_touch_the_others():
    space, bodies, joints = walker()
    one, other = (scree.VectorWorld(space, WORLDS, bodies=bodies, joints=joints, threads=2) for _ in range(2))
    forces = np.zeros((WORLDS, len(bodies), 3))
    forces[4, 1] = 1e20
    for _ in range(STEPS):
        one.step(SECONDS, forces=forces)
        other.step(SECONDS, forces=0.0 * forces)
    same = one.hashes() == other.hashes()
    assert not same[4] and same[np.arange(WORLDS) != 4].all()
    one.reset(np.arange(WORLDS) == 4)
    assert one.hashes()[4] == scree.VectorWorld(space, 1, bodies=bodies).hashes()[0]


def test_one_world_is_copied_to_others():
    space, bodies, joints = walker()
    worlds = scree.VectorWorld(space, WORLDS, bodies=bodies, joints=joints, threads=2)
    for _ in range(STEPS):
        worlds.step(SECONDS, **actions_of(["forces"], WORLDS, len(bodies), len(joints), np.random.default_rng(3)))
    source, before = worlds.hashes()[6], worlds.hashes()
    chosen = np.arange(WORLDS) < 8
    worlds.copy_world(6, chosen)
    assert np.array_equal(worlds.hashes(), np.where(chosen, source, before))
    worlds.step(SECONDS)
    assert len(set(worlds.hashes()[chosen].tolist())) == 1


def test_states_are_set_as_a_twin_sets_them():
    space, bodies, joints = heap()
    twin, twin_bodies, _ = heap()
    random = np.random.default_rng(4)
    worlds = scree.VectorWorld(space, WORLDS, bodies=bodies[:7], joints=joints, threads=2)
    for _ in range(20):
        worlds.step(SECONDS)
        twin.step(SECONDS)
    wanted = worlds.states.copy()
    wanted[..., :3] += random.normal(0.0, 0.3, wanted[..., :3].shape)
    turns = random.normal(size=wanted[..., 3:7].shape)
    wanted[..., 3:7] = turns / np.linalg.norm(turns, axis=-1, keepdims=True)
    wanted[..., 7:] = random.normal(size=wanted[..., 7:].shape)
    chosen = np.arange(WORLDS) % 2 == 1
    before = worlds.hashes()
    worlds.set_states(wanted, chosen)
    assert np.array_equal(worlds.hashes() == before, ~chosen)
    assert np.allclose(worlds.states[chosen], wanted[chosen], atol=1e-5)
    for body, state in zip(twin_bodies[:7], wanted[5], strict=True):
        body.move(state[:3], state[3:7])
        body.angular_velocity, body.velocity = state[10:], state[7:10]
    for _ in range(STEPS):
        worlds.step(SECONDS)
        twin.step(SECONDS)
        assert worlds.hashes()[5] == twin.hash()


def test_impulses_of_contacts_carry_the_weight():
    space, bodies, joints = heap()
    worlds = scree.VectorWorld(space, 2, bodies=bodies)
    for _ in range(200):
        worlds.step(SECONDS)
    impulses, ground = worlds.contact_impulses[1], 9.81 * SECONDS
    assert impulses[7] == 0.0  # a kinematic body, apart
    assert impulses[:7].sum() > ground
    space = small_space()
    space.add_static(scree.Plane())
    boxes = [space.add_rigid(scree.Box(half_extents=(0.5, 0.5, 0.5)), position=(3 * k, 0.5, 0), mass=k + 1.0) for k in range(3)]
    worlds = scree.VectorWorld(space, 2, bodies=boxes)
    for _ in range(20):
        worlds.step(SECONDS)
    assert np.allclose(worlds.contact_impulses, ground * np.arange(1, 4), rtol=1e-2)


@pytest.mark.parametrize("threads", [1, 3])
def test_rays_are_those_of_the_space(threads):
    space, bodies, joints = walker()
    twin, twin_bodies, _ = walker()
    worlds = scree.VectorWorld(space, WORLDS, bodies=bodies, joints=joints, threads=threads)
    random = np.random.default_rng(6)
    for _ in range(STEPS):
        worlds.step(SECONDS, forces=np.full((WORLDS, len(bodies), 3), 0.4))
        act(twin, twin_bodies, joints, {"forces": np.full((WORLDS, len(bodies), 3), 0.4)}, 0)
        twin.step(SECONDS)
    origins, ends = random.normal(0.0, 1.0, (2, 40, 3))
    of_world = worlds.cast_rays(origins, ends)
    assert np.allclose(of_world, twin.cast_rays(origins, ends).distances) and 3 < np.isfinite(of_world[0]).sum() < 40
    trunk = twin_bodies[0]
    places = [trunk.position + points @ trunk.basis.T for points in (origins, 3.0 * ends)]
    expected = twin.cast_rays(*places, exclude=[trunk]).distances
    seen = worlds.cast_rays(origins, 3.0 * ends, body=bodies[0])
    assert np.allclose(seen, expected) and seen.shape == (WORLDS, 40)
    assert (worlds.hashes() == twin.hash()).all()
    with pytest.raises(ValueError, match="cast_rays: body must be of the space that was copied"):
        worlds.cast_rays(origins, ends, body=trunk)
    with pytest.raises(ValueError, match="cast_rays: ends must"):
        worlds.cast_rays(origins, ends[:7])


def test_bodies_fall_asleep_and_wake_as_the_space_does():
    space, bodies, joints = walker()
    twin, twin_bodies, _ = walker()
    worlds = scree.VectorWorld(space, 2, bodies=bodies, joints=joints)
    for k in range(300):
        push = np.zeros((2, len(bodies), 3))
        if k == 250:
            push[:, 0] = (0.0, 0.0, 300.0)
            twin_bodies[0].apply_force((0.0, 0.0, 300.0))
            worlds.step(SECONDS, forces=push)
        else:
            worlds.step(SECONDS)
        if k == 250:
            for body in twin_bodies[1:]:
                body.apply_force((0.0, 0.0, 0.0))
        twin.step(SECONDS)
        assert (worlds.hashes() == twin.hash()).all(), k


def test_a_limit_leaves_contacts_out_and_warns():
    space, bodies, _ = heap()
    worlds = scree.VectorWorld(space, 3, bodies=bodies, pairs=64, contacts=1)
    told = r"in 3 worlds, first in 0, \d+ contacts were left out.*VectorWorld\(contacts=\.\.\.\)"
    with pytest.warns(scree.LimitReached, match=told):
        for _ in range(40):
            worlds.step(SECONDS)


def test_copies_are_smaller_than_a_space():
    space, bodies, joints = cart_pole()
    assert scree.VectorWorld(space, 1).bytes_each < 128 << 10


REFUSED = {
    "count": (dict(count=0), ValueError, "VectorWorld: count must be at least 1, got 0"),
    "count that is no number": (dict(count=2.5), TypeError, "VectorWorld: count must be a whole number, got 2.5"),
    "threads": (dict(threads=0), ValueError, "VectorWorld: threads must be at least 1, got 0"),
    "too many threads": (dict(threads=100_000), ValueError, "VectorWorld: threads must be 1 to"),
    "contacts": (dict(contacts=-1), ValueError, "VectorWorld: contacts must be at least 1, got -1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_arguments_are_named(name):
    given, error, message = REFUSED[name]
    space, bodies, _ = cart_pole()
    with pytest.raises(error, match=message):
        scree.VectorWorld(space, **{"count": 2, "bodies": bodies, **given})


def test_bad_arrays_are_named():
    space, bodies, joints = cart_pole()
    worlds = scree.VectorWorld(space, 3, bodies=bodies, joints=joints)
    before = worlds.hashes()
    for wrong, message in (
        (dict(seconds=0.0), "step: seconds must be above 0, got 0.0"),
        (dict(steps=0), "step: steps must be at least 1, got 0"),
        (dict(joint_forces=np.zeros((3, 1))), r"step: joint_forces must have the shape \(3, 2\), got \(3, 1\)"),
        (dict(forces=np.full((3, 2, 3), np.nan)), "step: forces must be finite; the first world with another number is 0"),
        (dict(motor_forces=np.full((3, 2), -1.0)), "step: motor_forces must be at least 0"),
        (dict(mask=np.ones(3)), r"step: mask must be bool of the shape \(3,\), got float64 \(3,\)"),
        (dict(mask=np.ones(2, bool)), r"step: mask must be bool of the shape \(3,\), got bool \(2,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            worlds.step(**{"seconds": SECONDS, **wrong})
    with pytest.raises(ValueError, match="copy_world: source must be 0 to 2, got 3"):
        worlds.copy_world(3)
    with pytest.raises(ValueError, match=r"set_states: states must have the shape \(3, 2, 13\) or \(2, 13\), got \(13,\)"):
        worlds.set_states(np.zeros(13))
    with pytest.raises(ValueError, match="set_states: quaternions must be of unit length"):
        worlds.set_states(np.zeros((2, 13)))
    assert np.array_equal(worlds.hashes(), before)


def test_what_cannot_be_copied_is_refused():
    space, bodies, joints = cart_pole()
    other, other_bodies, other_joints = cart_pole()
    with pytest.raises(ValueError, match="VectorWorld: bodies must be of the space that is copied"):
        scree.VectorWorld(space, 2, bodies=other_bodies)
    with pytest.raises(ValueError, match="VectorWorld: joints must be of the space that is copied"):
        scree.VectorWorld(space, 2, joints=other_joints)
    pin = space.add_joint(scree.Pin(anchor=(0, 1, 0)), bodies[1])
    with pytest.raises(ValueError, match="VectorWorld: joints must be of the kinds Slider, Hinge or ConeTwist"):
        scree.VectorWorld(space, 2, joints=[pin])
    listener = space.on_step(lambda seconds: None)
    with pytest.raises(ValueError, match="VectorWorld: the space has vehicles, pulleys, soft bodies, water or functions"):
        scree.VectorWorld(space, 2)
    listener.remove()
    space.add_joint(scree.Hinge(anchor=(0, 0.5, 0), axis=SIDE, break_force=5.0), bodies[0])
    with pytest.raises(ValueError, match="VectorWorld: the joint .* may break, those of copies cannot"):
        scree.VectorWorld(space, 2)
