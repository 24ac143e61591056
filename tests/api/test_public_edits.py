"""Changes that meet others: given twice, half of them at a time, while a step runs, after the thing is gone, or failing half-way.
Nothing is lost, and what is wrong is told by the name of the call."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import scree
from scree.edit.commands import OPEN, STEPPING, edit

BALL, BOX = scree.Sphere(radius=0.5), scree.Box(half_extents=(0.5, 0.5, 0.5))
QUARTER = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))  # about z
HALF = (0.0, 0.0, 1.0, 0.0)


@contextmanager
def a_running_step(space: scree.Space) -> Iterator[None]:
    """A space as other threads see it while it is stepped: its gate is held."""
    system = space.core.system(space.id)
    system.row["edits"]["gate"] = STEPPING
    yield
    system.row["edits"]["gate"] = OPEN
    edit(space.core.address, 0, system.address)
    space.core.late.settle()


def balls(space: scree.Space, count: int) -> scree.Bodies:
    return space.add_rigid_many(BALL, [(3.0 * k, 0, 0) for k in range(count)])


def pools(space: scree.Space) -> tuple[int, int, int]:
    """Free rows of bodies, rows of shapes on bodies in use, shapes in use."""
    core = space.core
    core.retirement.reclaim()
    return core.bodies.free_count(), core.instances.used_count(), core.shapes.used_count()


# Ids.


@pytest.mark.parametrize(("count", "given"), [(2, [0, 0]), (2, [1, 0, 1]), (9, [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 8])])
def test_a_body_that_is_named_twice_is_freed_once(space, count, given):
    before, there = pools(space), balls(space, count)
    chosen = there[given]
    chosen.remove()
    space.step(1 / 60)
    left = sorted(set(there.ids.tolist()) - set(chosen.ids.tolist()))
    assert space.bodies.ids.tolist() == left
    scree.Bodies(space, left).remove()
    assert pools(space) == before and not space.world.shapes._uses
    assert len(set(balls(space, 40).ids.tolist())) == 40, "no row is taken twice"


@pytest.mark.parametrize("count", [2, 9])
def test_a_body_that_is_named_twice_during_a_step_is_freed_once(space, count):
    before, there = pools(space), balls(space, count)
    with a_running_step(space):
        there[[0, 0, 1]].remove()
        there.remove()
    space.step(1 / 60)
    assert len(space.bodies) == 0 and pools(space) == before


@pytest.mark.parametrize("wild", [0, -1, 7, (1 << 62) + 12345, 2**63 - 1])
def test_a_number_that_is_no_id_raises_key_error_by_the_name_of_the_call(space, wild):
    body, bodies = space.body(wild), scree.Bodies(space, np.array([space.add_rigid(BALL).id, wild]))
    assert not body.exists
    for name, use in (
        ("position", lambda: body.position), ("mass", lambda: body.mass), ("remove", body.remove), ("wake", bodies.wake),
        ("velocities", lambda: setattr(bodies, "velocities", (0, 0, 0))), ("remove", bodies.remove),
        ("remove_shape", lambda: body.remove_shape(0)), ("add_shape", lambda: body.add_shape(BALL)),
    ):  # fmt: skip
        with pytest.raises(KeyError, match=rf"'{name}s?: there is no body .*it is no body"):
            use()
    assert len(space.bodies) == 1


def test_an_area_is_no_body(space):
    area = space.add_area(BALL)
    body = space.body(area.id)
    assert not body.exists
    for use in (lambda: body.position, body.wake, lambda: setattr(body, "position", (1, 2, 3)), body.remove):
        with pytest.raises(KeyError, match=rf"there is no body {area.id} .*it is no body"):
            use()
    assert (area.position == 0).all()


def test_the_locked_interface_refuses_wild_ids_too(space):
    from scree.edit.body_locks import LockingBodyInterface

    locked = LockingBodyInterface(space.core)
    wild = space.add_rigid(BALL).id | (1 << 24) - 1
    for use in (lambda: locked.activate(wild), lambda: locked.motion(wild), lambda: locked.user_data(wild)):
        with pytest.raises(KeyError, match=f"there is no body {wild}"):
            use()


# Half of a pose.


@pytest.mark.parametrize("order", ["position first", "rotation first"])
def test_the_two_halves_of_a_pose_are_set_one_after_the_other(space, order):
    """Kinematic bodies arrive in the next step, with both halves; others are there at once."""
    bodies = [space.add_kinematic(BOX, (0, 5, 0)), space.add_rigid(BOX, (9, 5, 0)), space.add_area(BOX, (20, 5, 0))]
    for body in bodies[:2]:
        halves = [("position", body.position + (1, 0, 0)), ("rotation", QUARTER)]
        for name, value in halves if order == "position first" else halves[::-1]:
            setattr(body, name, value)
    space.gravity = (0, 0, 0)
    space.step(1 / 60)
    for body, x in zip(bodies[:2], (1, 10), strict=True):
        np.testing.assert_allclose(body.position, (x, 5, 0), atol=1e-3)
        np.testing.assert_allclose(body.rotation, QUARTER, atol=1e-3)


def test_the_two_halves_of_many_poses_and_a_center_of_mass(space):
    movers = space.add_kinematic_many(BOX, [(3.0 * k, 0, 0) for k in range(5)])
    movers[2].center_of_mass = (0.25, 0.1, 0)
    movers.rotations = QUARTER
    movers.positions = movers.positions + (0, 1, 0)
    movers.rotations = HALF
    movers[3].move((9, 2, 0))
    space.step(1 / 60)
    np.testing.assert_allclose(movers.positions[:, 1], (1, 1, 1, 2, 1), atol=1e-6)
    np.testing.assert_allclose(np.abs(movers.rotations @ HALF), 1.0, atol=1e-6)
    space.step(1 / 60)
    np.testing.assert_allclose(movers.velocities, 0.0, atol=1e-6)


def test_a_half_that_waits_for_a_step_leaves_the_other_half_to_whoever_sets_it(space):
    body, area = space.add_rigid(BOX, (0, 5, 0)), space.add_area(BOX, (20, 5, 0))
    space.gravity = (0, 0, 0)
    with a_running_step(space):
        body.rotation = QUARTER
        body.position = (1, 2, 3)
        body.move((1, 2, 4))
        area.move((21, 5, 0), QUARTER)
        area.position = (22, 5, 0)
        assert (body.position == (0, 5, 0)).all()
    for thing, place in ((body, (1, 2, 4)), (area, (22, 5, 0))):
        np.testing.assert_allclose(thing.position, place, atol=1e-6)
    np.testing.assert_allclose(body.rotation, QUARTER, atol=1e-6)
    turn = space.core.bodies.rows[space.core.area.index("test", area.id)]["rotation"]
    np.testing.assert_allclose(turn, QUARTER, atol=1e-6)


def test_bad_halves_are_refused_by_name(space):
    body = space.add_rigid(BOX)
    for name, value, message in (
        ("position", (0, math.nan, 0), "^position: position must be finite, got nan"),
        ("position", (1, 2), "^position: position must be of shape"),
        ("rotation", (0, 0, 0, 0), "^rotation: rotation must be a unit quaternion"),
    ):
        with pytest.raises(ValueError, match=message):
            setattr(body, name, value)
    with pytest.raises(ValueError, match="^positions: positions must be of shape"):
        space.bodies.positions = np.zeros((3, 3))
    with pytest.raises(ValueError, match="^rotations: rotations must be a unit quaternion"):
        space.bodies.rotations = (0, 0, 0, 9)
    assert (body.position == 0).all() and (body.rotation == (0, 0, 0, 1)).all()


# Axes, sleep.


def test_an_axis_that_is_named_twice_is_locked_as_one(space):
    body = space.add_rigid(BOX)
    body.lock_axes("xx", "zyz")
    assert int(body._one("axis_locks")) == 1 | 16 | 32
    with pytest.raises(ValueError, match="lock_axes: axes are x, y and z, got 'xw' and ''"):
        body.lock_axes("xw")
    assert int(body._one("axis_locks")) == 1 | 16 | 32


def test_a_body_that_waits_for_its_space_does_not_sleep(space):
    with a_running_step(space):
        body = space.add_rigid(BOX)
        assert not body.is_asleep
    space.step(1 / 60)
    assert not body.is_asleep


# Shapes on bodies.


def test_a_shape_is_removed_by_its_number_when_the_step_has_ended(space):
    body = space.add_rigid(BALL)
    body.add_shape(BOX, (2, 0, 0))
    with a_running_step(space):
        body.remove_shape(0)
        body.remove_shape(0)
        body.add_shape(scree.Sphere(radius=0.1))
        assert body.shapes == [BALL, BOX]
    assert body.shapes == [scree.Sphere(radius=0.1)]
    assert set(space.world.shapes._uses) == {scree.Sphere(radius=0.1)}


def test_what_is_wrong_when_the_step_has_ended_is_raised_by_the_next_one(space):
    body, gone = space.add_rigid(BALL), space.add_rigid(BALL)
    with a_running_step(space):
        body.remove_shape(3)
        gone.remove()
        gone.add_shape(BOX)
    for message in ("remove_shape: the body has 1 shapes, there is no number 3", "add_shape: there is no body"):
        with pytest.raises((ValueError, KeyError), match=message):
            space.step(1 / 60)
    space.step(1 / 60)
    assert set(space.world.shapes._uses) == {BALL} and space.world.shapes._uses[BALL][1] == 1


def small(**limits) -> scree.Space:
    return scree.World(threads=1, **limits).add_space()


def test_uses_of_shapes_are_given_back_when_a_call_fails():
    kinds = [scree.Sphere(radius=1.0 + k) for k in range(9)]
    space = small(bodies=8, body_shapes=8, shapes=4)
    with pytest.raises(scree.PoolFull, match="shapes is full at 4"):
        space.add_rigid_many(kinds, np.zeros((9, 3)))
    assert not space.world.shapes._uses
    with pytest.raises(scree.PoolFull, match="shapes is full"):
        space.add_static(scree.Compound(parts=[scree.Part(shape=kind) for kind in kinds]))
    assert not space.world.shapes._uses
    with pytest.raises(ValueError, match="Compound: shape must be a value"):
        space.add_static(scree.Compound(parts=[scree.Part(shape=kinds[0]), scree.Part(shape="ball")]))
    assert not space.world.shapes._uses
    filling = [space.add_rigid(BALL, (3.0 * k, 0, 0)) for k in range(8)]
    for call in (lambda: space.add_area(BOX), lambda: space.add_rigid(BOX), lambda: filling[0].add_shape(BOX)):
        with pytest.raises(scree.PoolFull, match="is full at 8"):
            call()
        assert set(space.world.shapes._uses) == {BALL} and space.world.shapes._uses[BALL][1] == 8
    filling.pop().remove()
    with pytest.raises(scree.PoolFull, match="shapes on bodies is full"):
        filling[0].add_shape(BOX)  # its two shapes would lie side by side
    assert set(space.world.shapes._uses) == {BALL}


def test_an_area_without_room_for_its_shape_is_none():
    space = small(bodies=8, body_shapes=4)
    space.add_static_many(BALL, [(3.0 * k, 0, 0) for k in range(4)])
    with pytest.raises(scree.PoolFull, match="shapes on bodies is full at 4"):
        space.add_area(BOX)
    assert set(space.world.shapes._uses) == {BALL} and pools(space)[0] == 4


# Rows that are free.


@pytest.mark.parametrize(
    "make_one",
    [
        lambda space: space.add_area(BALL).remove(),
        lambda space: space.core.body.destroy(space.core.body.create()),
        lambda space: space.add_rigid(BALL).remove(),
    ],
)  # fmt: skip
def test_a_row_that_was_freed_with_many_is_taken_again(make_one):
    space = small(bodies=17, body_shapes=17)
    space.add_rigid(BALL, (0, 9, 0))  # keeps the shape
    for _ in range(3):
        balls(space, 16).remove()
        make_one(space)
        assert len(space.bodies) == 1


def test_shapes_that_wait_for_queries_to_end_are_room_for_a_batch():
    core = small(shapes=16).core
    for shape in [core.shape.create(BALL.kind) for _ in range(16)]:
        core.shape.destroy(shape)
    assert len(core.shapes.take_many(16)) == 16
