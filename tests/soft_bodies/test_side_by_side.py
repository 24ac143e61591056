"""Soft bodies side by side on several threads: groups against a twin, the same bits on any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from soft_world import SoftWorld, ball, grid

from scree.runtime.kernel import entry_point
from scree.runtime.memory import view
from scree.solver.listeners import BEFORE_STEP, LISTENER


def groups_of(softs) -> list[set[int]]:
    """The twin: numbers of soft bodies that share a movable body near them or may meet, directly or by others."""
    near = [set(soft._arrays["candidates"][: soft.row["candidate_count"]].tolist()) for soft in softs]
    rows = softs[0]._world.bodies.rows
    near = [{k for k in found if rows[k]["mode"] >= 2 and rows[k]["inverse_mass"] > 0.0} for found in near]
    for number, soft in enumerate(softs):  # a pair that may meet is as a body near both
        for partner in soft._arrays["partners"][: soft.row["partner_count"]].tolist():
            near[number].add(frozenset((soft.address, partner)))
    groups: list[tuple[set[int], set[int]]] = []
    for number, found in enumerate(near):
        members, bodies = {number}, set(found)
        for group in [group for group in groups if group[1] & found]:
            groups.remove(group)
            members |= group[0]
            bodies |= group[1]
        groups.append((members, bodies))
    return sorted((members for members, _ in groups), key=min)


def found_groups(softs) -> list[set[int]]:
    numbers = {soft.address: number for number, soft in enumerate(softs)}
    groups: dict[int, set[int]] = {}
    for number in range(len(softs)):
        root = number
        while softs[root].row["group"] != softs[root].address:
            root = numbers[int(softs[root].row["group"])]
        groups.setdefault(root, set()).add(number)
    return sorted(groups.values(), key=min)


@settings(max_examples=25, deadline=None)
@given(
    cloths=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=2, max_size=8),
    rigid=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 2)), max_size=8),
)
def test_soft_bodies_that_may_push_the_same_body_are_a_group(cloths, rigid):
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    world.floor()
    for x, z, mode in rigid:
        world.add(world.sphere(0.4), (x, 5.0, z), mode=mode)
    softs = [world.soft(grid(3, 3, 0.8, 0.8), (x, 5.3, z)) for x, z in cloths]
    world.step(1)
    assert found_groups(softs) == groups_of(softs)


def crowd(threads: int) -> tuple[SoftWorld, list]:
    """Balls and cloths that fall on rows of boxes; those of a row share some."""
    world = SoftWorld(threads=threads)
    world.floor()
    for k in range(12):
        world.add(world.box(0.5, 0.3, 0.5), (3.0 * (k % 4), 0.4, 1.1 * (k // 4)), mass=2.0)
    softs = []
    for k in range(10):
        at = (3.0 * (k % 4), 1.3, 0.9 * (k // 4))
        softs.append(world.soft(ball(0.3, 5) if k % 2 else grid(9, 9, 0.8, 0.8), at, mass=0.5, stiffness=200.0))
        if k % 2:
            softs[-1].set_setting("pressure", 10.0)
        softs[-1].set_setting("drag", 1.0)
    return world, softs


@pytest.mark.parametrize("threads", [2, 4])
def test_the_same_bits_on_any_number_of_threads(threads):
    ends, shared = [], 0
    for count in (1, threads):
        world, softs = crowd(count)
        for _ in range(90):
            shared += world.step_shared()
        rigid = world.world.bodies.rows[:20]
        ends.append([soft.positions.tobytes() for soft in softs] + [rigid["position"].tobytes(), rigid["rotation"].tobytes()])
        assert len({len(group) for group in found_groups(softs)}) > 1, "groups of several sizes"
    assert shared > 0 and ends[0] == ends[1]


def test_two_soft_bodies_share_their_momentum_with_one_body():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0), threads=2)
    box = world.add(world.box(0.5, 0.1, 0.5), mass=2.0)
    softs = [world.soft(grid(9, 9, 0.8, 0.8), (0.0, side * 0.4, 0.0), mass=0.5) for side in (-1, 1)]
    softs[0].set_velocities((0.0, 3.0, 0.0))
    softs[1].set_velocities((1.0, -1.0, 0.0))
    world.step(60)
    total = 2.0 * world.velocity(box) + sum((soft.masses[:, None] * soft.velocities).sum(axis=0) for soft in softs)
    assert abs(world.velocity(box)[1]) > 0.1 and total == pytest.approx((0.5, 1.0, 0.0), abs=1e-5)


CALLS: list[int] = []


@entry_point("void(int64, int64, float64)")
def count_group(system, group, time):
    """Write to the context of each row of a group how many rows it has."""
    rows = view(group, view(group, 1, LISTENER)[0].group_size, LISTENER)
    for k in range(len(rows)):
        if rows[k].function == rows[0].function:
            view(rows[k].context, 1, np.int64)[0] = len(rows)


def test_listeners_that_follow_each_other_are_called_together():
    world = SoftWorld()
    counts = np.zeros(4, np.int64)
    add = world.world.listener.add
    for k in range(4):
        if k == 3:
            add(world.system, lambda time: CALLS.append(1), BEFORE_STEP)
        add(world.system, count_group, BEFORE_STEP, counts.ctypes.data + 8 * k, is_together=True)
    world.step(1)
    assert counts.tolist() == [3, 3, 3, 1] and CALLS == [1]


@pytest.mark.parametrize("substep_count", [1, 4, 16])
def test_a_flat_cloth_falls_through_air_at_its_terminal_speed(substep_count):
    """Drag and weight are equal at v: 0.5 * 1.2 * C * A * v^2 = m g."""
    world = SoftWorld(substep_count=substep_count)
    cloth = world.soft(grid(2, 2, 1.0, 1.0), mass=0.2)  # a finer one folds
    cloth.set_setting("drag", 1.3)
    world.step(240)
    speed = -(cloth.masses * cloth.velocities[:, 1]).sum() / cloth.mass
    assert speed == pytest.approx((0.2 * 10.0 / (0.6 * 1.3)) ** 0.5, rel=0.03)
