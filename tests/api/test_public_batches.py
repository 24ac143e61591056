"""Many bodies at once: the same as one by one, and each way is one call."""

import threading

import numpy as np
import pytest

import scree
from scree.bodies.schema import BODY

BOX = scree.Box(half_extents=(0.5, 0.25, 1.0))
COUNT = 40
NOT_COMPARED = {"id", "shadow", "first_instance", "is_in_tree", "sequence", "padding"}
RANDOM = np.random.default_rng(5)
PLACES = RANDOM.uniform(-20, 20, (COUNT, 3)) + (0, 30, 0)
TURNS = RANDOM.normal(size=(COUNT, 4))
TURNS /= np.linalg.norm(TURNS, axis=1, keepdims=True)
SPEEDS, SPINS, MASSES = RANDOM.normal(size=(COUNT, 3)), RANDOM.normal(size=(COUNT, 3)), RANDOM.uniform(0.1, 9, COUNT)


def new_space() -> scree.Space:
    return scree.World(threads=1, bodies=1 << 12).add_space(gravity=(0, -10, 0))


def many(space, shape=BOX) -> scree.Bodies:
    return space.add_rigid_many(shape, PLACES, TURNS, velocities=SPEEDS, angular_velocities=SPINS, masses=MASSES)


def ids_by_core(space) -> list[int]:
    """Make the same bodies by the calls of the core, one after the other."""
    core = space.core
    shape = core.shape.create(BOX.kind)
    BOX._write(core.shapes, core.shape.index("test", shape))
    ids = []
    for place, turn, mass in zip(PLACES, TURNS, MASSES, strict=True):
        body = core.body.create()
        core.body.add_shape(body, shape)
        core.body.set_param(body, "mass", mass)
        x, y, z, w = turn
        core.body.set_transform(body, (
            1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
            2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), *place,
        ))  # fmt: skip
        core.body.set_system(body, space.id)
        ids.append(body)
    bodies = scree.Bodies(space, np.array(ids))
    bodies.velocities, bodies.angular_velocities = SPEEDS, SPINS
    return ids


def test_a_batch_has_the_rows_that_single_calls_of_the_core_make():
    space, other = new_space(), new_space()
    ids, boxes = ids_by_core(space), many(other)
    for name in BODY.names:
        if name.rstrip("_12") in NOT_COMPARED or name == "rest_rotation":
            continue
        one = scree.Bodies(space, np.array(ids)).field("test", name)
        two = boxes.field("test", name)
        if name == "rotation":
            one = one * np.where((one * two).sum(axis=1) < 0, -1, 1)[:, None]
        if one.dtype.kind == "f":
            np.testing.assert_allclose(two, one, rtol=2e-5, atol=2e-5, err_msg=name)
        elif name not in ("system", "active_index", "flags"):
            np.testing.assert_array_equal(two, one, err_msg=name)
    for each in (space, other):
        each.add_static(scree.Plane())
        for _ in range(30):
            each.step(1 / 60)
    np.testing.assert_allclose(boxes.positions, scree.Bodies(space, np.array(ids)).positions, atol=1e-3)


def test_many_are_the_same_bits_as_one_after_the_other():
    space, other = new_space(), new_space()
    boxes, singles = many(space), [
        other.add_rigid(BOX, PLACES[k], TURNS[k], velocity=SPEEDS[k], angular_velocity=SPINS[k], mass=MASSES[k])
        for k in range(COUNT)
    ]  # fmt: skip
    for each in (space, other):
        each.add_static(scree.Plane())
        for _ in range(120):
            each.step(1 / 60)
    assert boxes.positions.tobytes() == np.array([body.position for body in singles]).tobytes()
    assert boxes.rotations.tobytes() == np.array([body.rotation for body in singles]).tobytes()


@pytest.mark.parametrize("count", [1, 7, 8, 300])
def test_queries_and_steps_find_every_body_of_a_batch(space, count):
    places = np.stack([3.0 * np.arange(count), np.full(count, 5.0), np.zeros(count)], axis=1)
    boxes = space.add_static_many(scree.Sphere(radius=1.0), places)
    assert (space.cast_rays(places + (0, 5, 0), places).body_ids == boxes.ids).all()
    balls = space.add_rigid_many(scree.Sphere(radius=0.2), places + (0, 1.3, 0))
    space.step(1 / 60)
    assert (balls.velocities[:, 1] < 0).all()
    for _ in range(20):
        space.step(1 / 60)
    assert np.allclose(balls.positions[:, 1], 6.2, atol=0.01)
    assert len(space.bodies) == 2 * count


def test_each_property_is_written_and_read_for_all(space):
    boxes = many(space)
    np.testing.assert_allclose(boxes.positions, PLACES, atol=1e-12)
    np.testing.assert_allclose(np.abs((boxes.rotations * TURNS).sum(axis=1)), 1.0, atol=1e-6)
    np.testing.assert_allclose(boxes.velocities, SPEEDS, atol=1e-6)
    np.testing.assert_allclose(boxes.angular_velocities, SPINS, atol=1e-6)
    np.testing.assert_allclose(boxes.masses, MASSES, rtol=1e-6)
    np.testing.assert_allclose(boxes.centers_of_mass, PLACES, atol=1e-12)
    boxes.positions += (1, 2, 3)
    boxes.rotations = (0, 0, 0, 1)
    boxes.velocities, boxes.angular_velocities = (0, 0, 0), (0, 1, 0)
    boxes.apply_impulses(MASSES[:, None] * SPEEDS)
    np.testing.assert_allclose(boxes.positions, PLACES + (1, 2, 3), atol=1e-12)
    assert (boxes.rotations == (0, 0, 0, 1)).all() and (boxes.angular_velocities == (0, 1, 0)).all()
    np.testing.assert_allclose(boxes.velocities, SPEEDS, atol=1e-5)


def test_impulses_and_forces_act_by_newton(space):
    """A force for a step of dt changes v by F dt / m; a torque about z of a box of inertia I by T dt / I."""
    space.gravity = (0, 0, 0)
    cubes = space.add_rigid_many(scree.Box(half_extents=(1, 1, 1)), PLACES * 10, masses=3.0)
    inertia = 3.0 * (2.0**2 + 2.0**2) / 12.0
    cubes.apply_forces((6, 0, 0))
    cubes.apply_torques((0, 0, 4))
    space.step(0.1)
    np.testing.assert_allclose(cubes.velocities, np.tile((0.2, 0, 0), (COUNT, 1)), atol=1e-6)
    np.testing.assert_allclose(cubes.angular_velocities[:, 2], 0.4 / inertia, atol=1e-5)
    cubes.apply_torque_impulses((0, 0, -0.4))
    np.testing.assert_allclose(cubes.angular_velocities, 0.0, atol=1e-5)
    cubes.apply_impulses((0, 3, 0), offsets=(1, 0, 0))
    np.testing.assert_allclose(cubes.angular_velocities[:, 2], 3.0 / inertia, atol=1e-5)
    cubes.set_constant_forces((0, 0, 3))
    for _ in range(10):
        space.step(0.1)
    np.testing.assert_allclose(cubes.velocities[:, 2], 1.0, atol=1e-4)
    cubes.apply_forces((0, 0, 0), offsets=(0, 1, 0))


def test_the_shape_may_differ_from_body_to_body(space):
    shapes = [scree.Sphere(radius=0.1 + 0.1 * (k % 3)) for k in range(COUNT)]
    balls = space.add_rigid_many(shapes, PLACES * 10, density=100.0)
    expected = [100 * 4 / 3 * np.pi * (0.1 + 0.1 * (k % 3)) ** 3 for k in range(COUNT)]
    np.testing.assert_allclose(balls.masses, expected, rtol=1e-5)
    assert len({shape for body in balls for shape in body.shapes}) == 3


def test_parts_of_a_batch_are_taken_as_of_an_array(space):
    boxes = many(space)
    assert [body.id for body in boxes] == boxes.ids.tolist()
    assert boxes[3] == space.body(boxes.ids[3]) and len(boxes[2:5]) == 3
    high = boxes[boxes.positions[:, 1] > 30]
    assert (high.positions[:, 1] > 30).all() and 0 < len(high) < COUNT
    assert (boxes[[4, 1]].ids == boxes.ids[[4, 1]]).all()


def test_sleep_is_given_and_told_for_all(space):
    boxes = many(space)
    assert not boxes.is_asleep.any()
    boxes.sleep()
    space.step(1 / 60)
    assert boxes.is_asleep.all() and (boxes.velocities == 0).all()
    boxes.wake()
    space.step(1 / 60)
    assert not boxes.is_asleep.any() and (boxes.velocities[:, 1] < 0).all()
    assert not space.add_static_many(BOX, PLACES).is_asleep.any()


def test_what_was_removed_leaves_nothing_and_raises_by_name(space):
    core = space.core
    before = core.bodies.free_count(), core.instances.used_count(), len(core.shape_users._uses)
    boxes = many(space)
    gone = boxes.ids
    lying = space.add_rigid(BOX)
    boxes.remove()
    for use in (lambda: boxes.positions, boxes.wake, boxes.remove, lambda: boxes.apply_impulses((0, 1, 0))):
        with pytest.raises(KeyError, match=rf"there is no body {gone[0]} .*it was freed"):
            use()
    lying.remove()
    space.step(1 / 60)
    core.retirement.reclaim()
    assert (core.bodies.free_count(), core.instances.used_count(), len(core.shape_users._uses)) == before
    assert len(space.bodies) == 0 and not space.world.shapes._uses
    assert core.system(space.id).row["bodies"]["active_count"] == 0
    again = many(space)
    assert not set(again.ids.tolist()) & set(gone.tolist()), "ids are not used twice"


def test_bodies_with_more_than_a_shape_are_freed_too(space):
    boxes = many(space)
    boxes[0].add_shape(scree.Sphere(radius=0.2), (0, 1, 0))
    boxes[1].ignore(boxes[2])
    space.add_joint(scree.Pin(anchor=(0, 0, 0)), boxes[3], to=boxes[4])
    boxes[5].contact_events = "all"
    boxes.remove()
    space.step(1 / 60)
    assert len(space.bodies) == 0 and not space.world.shapes._uses


def test_what_lay_on_a_batch_falls_when_it_goes(space):
    ground = space.add_static_many(BOX, [(float(x), 0, 0) for x in range(12)])
    ball = space.add_rigid(scree.Sphere(radius=0.5), (6, 0.75, 0))
    for _ in range(120):
        space.step(1 / 60)
    assert ball.is_asleep
    ground.remove()
    for _ in range(30):
        space.step(1 / 60)
    assert ball.position[1] < 0.0


def test_kinematic_bodies_get_there_in_the_next_step(space):
    movers = space.add_kinematic_many(BOX, PLACES)
    movers.positions += (0, 0.1, 0)
    np.testing.assert_allclose(movers.positions, PLACES, atol=1e-12)
    space.step(0.1)
    np.testing.assert_allclose(movers.positions, PLACES + (0, 0.1, 0), atol=1e-9)
    np.testing.assert_allclose(movers.velocities, np.tile((0, 1, 0), (COUNT, 1)), atol=1e-5)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"positions": np.zeros((COUNT, 2))}, "add_rigid_many: positions must be of shape"),
        ({"positions": np.full((COUNT, 3), np.nan)}, "add_rigid_many: positions must be finite, got nan"),
        ({"rotations": np.zeros((COUNT, 4))}, "add_rigid_many: rotations must be a unit quaternion"),
        ({"velocities": np.zeros((3, 3))}, r"velocities must be of shape \(40, 3\) or \(3,\), got \(3, 3\)"),
        ({"masses": np.zeros(COUNT)}, "mass must be above 0 and below 1e38 kg, got 0.0"),
        ({"masses": 1.0, "density": 1.0}, "either mass or density"),
        ({"shape": [BOX]}, "40 shapes are wanted, or one for all, got 1: "),
        ({"shape": "box"}, "add_rigid_many: shape must be a value such as scree.Box.*got 'box'"),
        ({"layer": "nowhere"}, "there is no layer 'nowhere'; there are default"),
    ],
)
def test_bad_input_names_call_and_value_and_makes_nothing(space, wrong, message):
    given = {"shape": BOX, "positions": PLACES, **wrong}
    before = space.core.bodies.free_count(), space.core.instances.used_count()
    with pytest.raises(ValueError, match=message):
        space.add_rigid_many(given.pop("shape"), given.pop("positions"), **given)
    assert (space.core.bodies.free_count(), space.core.instances.used_count()) == before
    assert not space.world.shapes._uses


def test_a_full_world_says_so_and_takes_nothing():
    space = scree.World(threads=1, bodies=20).add_space()
    with pytest.raises(scree.PoolFull, match="pool of bodies is full"):
        many(space)
    assert not space.world.shapes._uses and space.core.instances.used_count() == 0
    assert len(space.add_rigid_many(BOX, PLACES[:20])) == 20


def test_no_bodies_are_a_batch_too(space):
    nobody = space.add_rigid_many(BOX, np.zeros((0, 3)))
    assert len(nobody) == 0 and nobody.positions.shape == (0, 3)
    nobody.velocities = (0, 1, 0)
    nobody.remove()


def test_batches_come_and_go_while_another_thread_steps():
    space = scree.World(threads=1, bodies=1 << 13).add_space()
    space.add_static(scree.Plane())
    space.add_rigid_many(BOX, RANDOM.uniform((-20, 1, -20), (20, 30, 20), (800, 3)))
    is_over, steps = threading.Event(), []

    def step() -> None:
        while not is_over.is_set():
            space.step(1 / 60)
            steps.append(len(space.bodies))

    thread = threading.Thread(target=step)
    thread.start()
    try:
        for _ in range(30):
            boxes = many(space)
            with space.edits():
                boxes.velocities = (0, 3, 0)
                boxes.masses.copy().fill(1.0)
            assert np.isfinite(boxes.positions).all()
            boxes.remove()
    finally:
        is_over.set()
        thread.join()
    space.step(1 / 60)
    assert steps and len(space.bodies) == 801
    assert len(space.world.shapes._uses) == 2


def test_a_body_that_is_freed_before_its_batch_is_in_never_gets_in(space):
    """Between the two another thread steps: here its gate is held by hand."""
    row = space.core.system(space.id).row
    row["edits"]["gate"] = 1  # as a step does
    boxes = many(space)
    boxes[5].remove()
    boxes[7].remove()
    row["edits"]["gate"] = 0
    space.core.late.settle()
    assert len(space.bodies) == COUNT - 2 and not set(space.bodies.ids.tolist()) & {int(boxes.ids[5]), int(boxes.ids[7])}
    assert space.core.system(space.id).trees.body_count(0) == COUNT - 2
    row["edits"]["gate"] = 1
    boxes[[0, 1, 2]].remove()
    row["edits"]["gate"] = 0
    space.core.late.settle()
    boxes[8].remove()
    space.step(1 / 60)
    assert len(space.bodies) == COUNT - 6 and space.world.shapes._uses[BOX][1] == COUNT - 6
