"""Structures on bodies: rest, rolling, impacts and edits, against boxes and against the laws of mechanics."""

import threading

import numpy as np
import pytest

import scree
from scree.bodies.identity import index_of
from scree.collision.recycling import is_recyclable
from scree.collision.schema import PAIR
from scree.runtime.memory import view_rows
from tests.structures.momentum import momenta

STEP = 1.0 / 60.0
UNIT = 0.25
ICE = scree.Material(friction=0.0)


def new_space(gravity: float = -10.0, threads: int = 1) -> scree.Space:
    world = scree.World(threads=threads, bodies=1 << 12, body_shapes=1 << 13, shapes=1 << 12)
    return world.add_space(gravity=(0, gravity, 0))


@pytest.fixture
def space() -> scree.Space:
    """10 m/s^2 downwards, one thread."""
    return new_space()


def grid(nx: int, ny: int, nz: int, size: int = 2) -> np.ndarray:
    """Low corners of bricks in a block about the origin, `size` units wide each."""
    at = np.stack(np.meshgrid(np.arange(nx), np.arange(ny), np.arange(nz), indexing="ij"), axis=-1).reshape(-1, 3)
    return (at * size - np.array([nx, ny, nz]) * size // 2).astype(np.int64)


def block(nx: int, ny: int, nz: int, size: int = 2, **values) -> tuple[scree.Structure, np.ndarray]:
    """A structure of flush bricks in the shape of a box about the origin, and the numbers of the bricks."""
    structure = scree.Structure(unit=UNIT, capacity=1 << 14, **values)
    low = grid(nx, ny, nz, size)
    return structure, structure.insert(low, low + size)


def separate(structure: scree.Structure) -> scree.Compound:
    """The naive twin: each brick as a box shape of its own."""
    low, high = (corner * structure.unit for corner in structure.bounds_of(structure.numbers))
    parts = [
        scree.Part(shape=scree.Box(half_extents=tuple((b - a) / 2)), position=tuple((a + b) / 2))
        for a, b in zip(low, high, strict=True)
    ]  # fmt: skip
    return scree.Compound(parts=parts)


def run(space: scree.Space, seconds: float) -> None:
    for _ in range(round(seconds / STEP)):
        space.step(STEP)


def is_at_rest_with_itself(space: scree.Space, *structures: scree.Structure) -> bool:
    """No walk over bricks holds a row, and no query is left open in a structure."""
    return not space.world.core._walk_rows.any() and all(not s.bricks.record["users"].any() for s in structures)


def test_a_box_rests_on_bricks_as_on_a_box(space):
    floor, _ = block(12, 1, 12)
    space.add_static(floor)
    space.add_static(scree.Box(half_extents=(3.0, 0.25, 3.0)), (20.0, 0.0, 0.0))
    boxes = [space.add_rigid(scree.Box(half_extents=(0.6, 0.4, 0.5)), (x, 0.8, 0.1), mass=3.0) for x in (0.1, 20.1)]
    run(space, 3.0)
    heights = [box.position[1] for box in boxes]
    assert heights[0] == pytest.approx(0.65, abs=6e-3) and heights[0] == pytest.approx(heights[1], abs=2e-3)
    assert np.linalg.norm(boxes[0].position - (0.1, 0.65, 0.1)) < 0.01 and boxes[0].is_asleep and boxes[1].is_asleep
    assert is_at_rest_with_itself(space, floor)


def test_a_ball_rolls_over_flush_bricks_without_a_bump(space):
    floor, _ = block(60, 1, 4)
    space.add_static(floor)
    ball = space.add_rigid(scree.Sphere(radius=0.2), (-13.0, 0.449, 0.03), velocity=(6.0, 0.0, 0.0), can_sleep=False)
    ball.angular_velocity = (0.0, 0.0, -30.0)
    run(space, 0.5)
    heights, speeds = [], []
    for _ in range(180):
        space.step(STEP)
        heights.append(ball.position[1])
        speeds.append(ball.velocity)
    assert ball.position[0] > 4.0
    assert np.ptp(heights) < 2e-3 and np.abs(np.array(speeds)[:, 1]).max() < 0.02
    assert np.array(speeds)[:, 0] == pytest.approx(6.0, abs=0.05) and np.abs(np.array(speeds)[:, 2]).max() < 1e-3


def test_a_box_slides_over_flush_bricks_as_over_one_box_and_over_many(space):
    floor, _ = block(60, 1, 4)
    ice, boxes = scree.Material(friction=0.1), []
    for k, shape in enumerate((floor, scree.Box(half_extents=(15.0, 0.25, 1.0)), separate(floor))):
        space.add_static(shape, (0.0, 0.0, 20.0 * k))
        start = (-13.0, 0.452, 20.0 * k + 0.07)
        box = scree.Box(half_extents=(0.3, 0.2, 0.3))
        boxes.append(space.add_rigid(box, start, velocity=(6.0, 0, 0), material=ice))
    run(space, 2.0)
    assert boxes[0].position == pytest.approx(boxes[1].position - (0, 0, 20.0), abs=0.05)
    assert boxes[0].position == pytest.approx(boxes[2].position - (0, 0, 40.0), abs=0.1)


def test_a_structure_falls_and_rests_like_a_box(space):
    space.add_static(scree.Box(half_extents=(50.0, 1.0, 50.0)), (0.0, -1.0, 0.0))
    structure, _ = block(4, 2, 4)
    body = space.add_rigid(structure, (0.0, 2.0, 0.0), density=100.0)
    box = space.add_rigid(scree.Box(half_extents=(1.0, 0.5, 1.0)), (10.0, 2.0, 0.0), density=100.0)
    assert body.mass == pytest.approx(box.mass) and body.inertia == pytest.approx(box.inertia, rel=1e-5)
    for _ in range(240):
        space.step(STEP)
        assert body.position[1] == pytest.approx(box.position[1], abs=0.02)
    assert body.position == pytest.approx((0.0, 0.5, 0.0), abs=6e-3)
    assert body.is_asleep and box.is_asleep


def test_structures_rest_on_structures(space):
    space.add_static(block(10, 1, 10)[0])
    bodies = [space.add_rigid(block(3, 2, 3)[0], (0.05 * k, 0.8 + 1.05 * k, 0.03 * k), density=100.0) for k in range(3)]
    run(space, 4.0)
    for k, body in enumerate(bodies):
        assert body.position == pytest.approx((0.05 * k, 0.75 + k, 0.03 * k), abs=0.03)
    assert all(body.is_asleep for body in bodies)


def test_structures_that_collide_keep_momentum():
    space = new_space(gravity=0.0)
    bodies = [
        space.add_rigid(block(3, 2, 4)[0], (0.0, 0.0, 0.0), velocity=(0, 0, 0), angular_velocity=(0.3, 0.1, -0.4), density=50.0),
        space.add_rigid(block(2, 5, 2)[0], (4.0, 0.6, 0.3), velocity=(-4.0, 0, 0.2), density=80.0),
        space.add_rigid(scree.Sphere(radius=0.5), (-3.0, 0.2, 0.2), velocity=(3.0, 0, 0), mass=90.0),
    ]
    before = momenta(bodies)
    run(space, 2.0)
    after = momenta(bodies)
    assert abs(bodies[1].velocity[0] + 4.0) > 0.5
    np.testing.assert_allclose(after[0], before[0], atol=1e-4)
    # Single boxes in their place change it by 0.4 % too: contacts ahead of time act at the pose of the meeting.
    np.testing.assert_allclose(after[1], before[1], atol=0.01 * np.linalg.norm(before[1]))


def test_removing_the_brick_under_a_sleeping_box_wakes_it_alone(space):
    floor, numbers = block(12, 1, 4, size=4)
    space.add_static(floor)
    low, _ = floor.bounds_of(numbers)
    boxes = [space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), (x, 0.83, -0.5), mass=1.0) for x in (-1.5, 1.5, 2.5)]
    run(space, 2.0)
    assert all(box.is_asleep for box in boxes)
    floor.remove(numbers[(low[:, 0] == -8) & (low[:, 2] == -4)])
    run(space, 5 * STEP)
    assert not boxes[0].is_asleep and boxes[1].is_asleep and boxes[2].is_asleep
    run(space, 0.5)
    assert boxes[0].position[1] < -0.2 and boxes[1].position[1] == pytest.approx(0.8, abs=0.01)


def test_a_brick_that_is_inserted_at_a_sleeping_box_wakes_it_alone(space):
    floor, _ = block(12, 1, 4, size=4)
    space.add_static(floor)
    boxes = [space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), (x, 0.83, -0.5), mass=1.0) for x in (-1.5, 1.5)]
    run(space, 2.0)
    floor.insert([(-6, 2, -3)], [(-4, 3, -1)])
    space.step(STEP)
    assert not boxes[0].is_asleep and boxes[1].is_asleep


def test_contacts_with_other_bricks_keep_their_impulses(space):
    floor, numbers = block(12, 1, 12)
    space.add_static(floor)
    box = space.add_rigid(scree.Box(half_extents=(1.0, 0.5, 1.0)), (0.0, 0.751, 0.0), mass=100.0, can_sleep=False)
    run(space, 1.0)
    low, _ = floor.bounds_of(numbers)
    far = numbers[(low[:, 0] == low[:, 0].max())]
    rest = box.position[1]
    for number in far:
        floor.remove(number)
        space.step(STEP)
        assert abs(box.velocity[1]) < 2e-3  # without warm starts it would sink at 17 cm/s
    assert box.position[1] == pytest.approx(rest, abs=1e-3)


def properties(body: scree.Body) -> tuple:
    row = body.space.world.core.bodies.rows[body.space.world.core.body.index("", body.id)]
    return body.mass, body.center_of_mass, row["inverse_inertia_local"], row["local_bounds"] + np.tile(row["center_of_mass"], 2)


def test_mass_and_bounds_follow_edits_as_if_built_at_once():
    space, random = new_space(gravity=0.0), np.random.default_rng(5)
    low = random.integers(-20, 20, (60, 3))
    high, density = low + random.integers(1, 9, (60, 3)), random.integers(1, 9, 60)
    edited = scree.Structure(unit=UNIT)
    numbers = edited.insert(low[:40], high[:40], density=density[:40])
    body = space.add_rigid(edited, density=30.0)
    edited.remove(numbers[10:30])
    edited.insert(low[40:], high[40:], density=density[40:])
    edited.change(numbers[:5], low[10:15], high[10:15], density=density[10:15])
    kept = np.r_[5:15, 30:60]
    once = scree.Structure(unit=UNIT)
    once.insert(low[kept], high[kept], density=density[kept])
    twin = space.add_rigid(once, (100.0, 0, 0), density=30.0)
    for a, b in zip(properties(body), properties(twin), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-9)


def test_what_stays_of_a_spinning_structure_moves_on():
    """The matter keeps its motion: the new centre of mass moves as that point of the body moved."""
    space = new_space(gravity=0.0)
    structure, numbers = block(8, 1, 1)
    body = space.add_rigid(structure, velocity=(1.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 2.0), density=10.0)
    structure.remove(numbers[:4])
    assert body.center_of_mass == pytest.approx((1.0, 0.0, 0.0), abs=1e-6) and body.mass == pytest.approx(10.0 * 4 / 8)
    assert body.angular_velocity == pytest.approx((0.0, 0.0, 2.0))
    core = space.world.core
    speed = core.bodies.rows[core.body.index("", body.id)]["linear_velocity"]
    assert speed == pytest.approx((1.0, 2.0, 0.0), abs=1e-6)
    assert body.position == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_rays_and_contacts_name_the_brick(space):
    floor, numbers = block(4, 1, 4, size=4)
    body = space.add_static(floor)
    low, high = floor.bounds_of(numbers)
    for number, a, b in zip(numbers, low, high, strict=True):
        middle = (a + b) / 2 * UNIT
        hit = space.cast_ray(middle + (0.01, 5.0, 0.02), middle - (0.0, 5.0, 0.0))
        assert hit.part == number and hit.body == body
    box = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), (0.5, 0.71, 0.5), can_sleep=False)
    box.contact_events = "all"
    run(space, 1.0)
    events = space.contact_events()
    assert len(events.rows) == 1
    under = numbers[((low * UNIT < (0.5, 1, 0.5)) & (high * UNIT > (0.5, -1, 0.5))).all(axis=1)]
    assert set(under) == {max(events.rows[0]["part_a"], events.rows[0]["part_b"])}


def test_surfaces_of_bricks_count(space):
    ice, rough = scree.Material(friction=0.0), scree.Material(friction=1.0)
    floor = scree.Structure(unit=UNIT, surfaces=[ice, rough])
    floor.insert([(-80, -2, -4), (-80, -2, 36)], [(80, 0, 4), (80, 0, 44)], surface=[0, 1])
    space.add_static(floor)
    boxes = [space.add_rigid(scree.Box(half_extents=(0.3, 0.2, 0.3)), (-15, 0.2, z), velocity=(5, 0, 0)) for z in (0.0, 10.0)]
    run(space, 2.0)
    assert boxes[0].velocity[0] == pytest.approx(5.0, abs=0.3) and abs(boxes[1].velocity[0]) < 0.1


def test_a_fast_ball_does_not_pass_thin_bricks(space):
    wall, _ = block(1, 20, 20, size=1)
    space.add_static(wall)
    ball = space.add_rigid(scree.Sphere(radius=0.05), (-20.0, 0.3, 0.3), velocity=(400.0, 0, 0), gravity_scale=0.0)
    run(space, 0.5)
    assert ball.position[0] < 0.0


def test_edits_from_threads_while_the_world_runs():
    space = new_space(threads=2)
    floor, _ = block(16, 1, 16)
    space.add_static(floor)
    boxes = [space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), (x, 0.6, z)) for x in (-2, 0, 2) for z in (-2, 0, 2)]
    errors, is_over = [], threading.Event()

    def edit(seed: int) -> None:
        random, mine = np.random.default_rng(seed), []
        try:
            while not is_over.is_set():
                low = random.integers((-16, 2, -16), (15, 20, 15), (20, 3))
                mine.append(floor.insert(low, low + 1))
                if len(mine) > 5:
                    floor.remove(mine.pop(0))
            for numbers in mine:
                floor.remove(numbers)
        except BaseException as error:
            errors.append(error)

    def ask() -> None:
        try:
            while not is_over.is_set():
                hits = space.cast_rays(np.random.default_rng(1).uniform((-4, 9, -4), (4, 9, 4), (200, 3)), (0.0, -9.0, 0.0))
                assert hits.is_hit.all()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=edit, args=(1,)), threading.Thread(target=edit, args=(2,)), threading.Thread(target=ask)]
    for thread in threads:
        thread.start()
    for _ in range(120):
        space.step(STEP)
    is_over.set()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(floor) == 256
    run(space, 0.5)
    assert all(box.position[1] > 0.3 for box in boxes)
    assert is_at_rest_with_itself(space, floor)


def test_a_structure_that_no_body_has_is_let_go(space):
    structure, _ = block(2, 2, 2)
    body = space.add_static(structure)
    core = space.world.core
    assert structure.bricks.users
    body.remove()
    space.step(STEP)
    core.shapes.collect()
    structure.insert([(50, 0, 0)], [(51, 1, 1)])
    assert not core.shapes._structure_rows and not structure.bricks.users


def test_a_ball_rolls_over_flush_bricks_of_a_body_that_moves():
    """A ship in flight: a ball rolls over its deck, and the deck does not feel the seams either."""
    space = new_space(gravity=0.0)
    deck, _ = block(60, 1, 4)
    ship = space.add_rigid(deck, density=1e6)
    ball = space.add_rigid(scree.Sphere(radius=0.2), (-13.0, 0.45, 0.03), velocity=(6.0, 0.0, 0.0), mass=1.0, can_sleep=False)
    ball.angular_velocity = (0.0, 0.0, -30.0)
    heights = []
    for _ in range(240):
        ball.apply_force((0.0, -10.0, 0.0))
        space.step(STEP)
        heights.append(ball.position[1] - ship.position[1])
    assert ball.position[0] > 10.0 and ball.velocity[0] == pytest.approx(6.0, abs=0.05)
    assert np.ptp(heights[20:]) < 2e-3 and abs(ball.velocity[2]) < 1e-3


def test_a_step_of_one_brick_stops_a_box(space):
    """An edge that stands out is no inner one."""
    floor, _ = block(20, 1, 4)
    floor.insert([(4, 1, -4)], [(6, 2, 4)])
    space.add_static(floor)
    box = space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), (-1.0, 0.551, 0.0), velocity=(3.0, 0, 0), material=ICE)
    box.lock_axes(angular="xyz")
    run(space, 2.0)
    assert box.position[0] == pytest.approx(0.7, abs=0.01)


def test_a_box_deep_among_bricks_is_pushed_out(space):
    solid, _ = block(8, 8, 8)
    space.add_static(solid)
    box = space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), (0.0, 1.6, 0.0), can_sleep=False)
    run(space, 3.0)
    assert box.position[1] > 2.2 or np.abs(box.position[[0, 2]]).max() > 2.2


def test_an_area_finds_bricks_but_not_the_room_between_them(space):
    """A hollow ship: an area inside of it overlaps it once a brick is there."""
    hull = scree.Structure(unit=1.0)
    at = grid(5, 5, 5, 2)
    hull.insert(at[np.abs(at + 1).max(axis=1) > 3], at[np.abs(at + 1).max(axis=1) > 3] + 2)
    body = space.add_kinematic(hull)
    area = space.add_area(scree.Sphere(radius=0.5), (0.0, 0.0, 0.0))
    space.step(STEP)
    assert list(area.overlaps()) == []
    numbers = hull.insert([(0, 0, 0)], [(1, 1, 1)])
    space.step(STEP)
    assert list(area.overlaps()) == [body]
    hull.remove(numbers)
    space.step(STEP)
    assert list(area.overlaps()) == []


def test_a_joint_holds_where_it_did_when_the_centre_of_mass_moves(space):
    bar, numbers = block(12, 1, 1)
    body = space.add_rigid(bar, (3.0, 0.0, 0.0), density=100.0, can_sleep=False)
    space.add_joint(scree.Pin(anchor=(0.0, 0.0, 0.0)), body)
    for k in range(6):
        run(space, 0.5)
        bar.remove(numbers[[11 - k]])
        end = body.position + body.basis @ (-3.0, 0.0, 0.0)
        assert np.linalg.norm(end) < 0.02


def test_tiles_refuse_structures():
    from scree.shapes.structure_settings import StructureSettings
    from scree.streaming.baking import Bake

    structure, _ = block(1, 1, 1)
    with pytest.raises(ValueError, match="tiles hold no structures"):
        Bake().add_shape(StructureSettings.checked(structure.bricks))


def test_many_contacts_are_merged_and_few_are_not(space):
    """A slab on 400 bricks has a few manifolds; a small box on four has one a brick."""
    floor, _ = block(40, 1, 40, size=1)
    space.add_static(floor)
    slab = space.add_rigid(scree.Box(half_extents=(2.5, 0.3, 2.5)), (0.1, 0.555, 0.1), density=500.0, can_sleep=False)
    slab.contact_events = "all"
    run(space, 1.0)
    assert len(space.contact_events().rows) <= 4
    assert slab.position == pytest.approx((0.1, 0.55, 0.1), abs=2e-3) and np.abs(slab.velocity).max() < 1e-3
    slab.remove()
    box = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), (0.0, 0.455, 0.0), can_sleep=False)
    box.contact_events = "all"
    run(space, 1.0)
    events = space.contact_events().rows
    assert len(events) == 4 and len(set(events["part_a"]) | set(events["part_b"])) in (4, 5)


def test_a_slab_whose_contacts_are_merged_wakes_when_a_brick_under_it_goes(space):
    floor, numbers = block(40, 1, 40, size=1)
    space.add_static(floor)
    slabs = [space.add_rigid(scree.Box(half_extents=(1.0, 0.3, 1.0)), (x, 0.552, 0.0), density=500.0) for x in (-2.0, 2.0)]
    run(space, 2.0)
    assert all(slab.is_asleep for slab in slabs)
    low, _ = floor.bounds_of(numbers)
    floor.remove(numbers[(low == (7, 0, 1)).all(axis=1)])
    space.step(STEP)
    assert slabs[0].is_asleep and not slabs[1].is_asleep
    run(space, 2.0)
    assert slabs[1].is_asleep and slabs[1].position[1] == pytest.approx(0.55, abs=2e-3)


def test_stacked_structures_stand(space):
    space.add_static(scree.Box(half_extents=(50, 1, 50)), (0.0, -1.0, 0.0))
    block_of_500, _ = block(10, 5, 10, size=1)
    lowest = block_of_500.bounds_of(block_of_500.numbers)[0][:, 1].min() * UNIT
    bodies = [space.add_rigid(block_of_500, (0.13 * k, 1.26 * k - lowest + 0.01, 0.07 * k), density=500.0) for k in range(4)]
    run(space, 3.0)
    for k, body in enumerate(bodies):
        assert body.position == pytest.approx((0.13 * k, 1.25 * k - lowest, 0.07 * k), abs=0.02)
    assert all(body.is_asleep for body in bodies)


def test_only_contacts_near_an_edit_are_collided_anew_and_the_others_follow_the_centre_of_mass(space):
    """A long raft with a tower lies on the ground, boxes lie on it. Its centre of mass moves aside and down."""
    space.add_static(scree.Box(half_extents=(50, 1, 50)), (0.0, -1.0, 0.0))
    raft, numbers = block(40, 1, 4, size=2)
    low, _ = raft.bounds_of(numbers)
    lowest = low[:, 1].min() * UNIT
    tower = raft.insert((36, 1, -2), (40, 41, 2))
    body = space.add_rigid(raft, (0.0, -lowest, 0.0), density=500.0, can_sleep=False)
    boxes = [
        space.add_rigid(scree.Box(half_extents=(0.3, 0.2, 0.3)), (x, 0.7, 0.1), density=300.0, can_sleep=False)
        for x in (-9.0, -4.1, 7.0)
    ]
    run(space, 1.0)
    places, middle = [box.position for box in boxes], body.center_of_mass
    raft.remove(tower)
    space.world.core.shape.settle_bricks()
    assert all(are_contacts_kept(space, body, box) for box in boxes[:2])
    assert np.all(middle - body.center_of_mass > (1.0, 0.5, -0.1))
    raft.remove(numbers[(low[:, 0] * UNIT == -4.0) & (low[:, 2] == 0)])
    space.world.core.shape.settle_bricks()
    assert [are_contacts_kept(space, body, box) for box in boxes[:2]] == [True, False]
    for _ in range(60):
        space.step(STEP)
        assert max(np.abs(box.velocity).max() for box in boxes) < 0.02
    assert np.abs(np.subtract([box.position for box in boxes], places)).max() < 2e-3


def test_pushed_bricks_are_told_with_their_impulses(space):
    """The weight of a box times the length of a step, on the brick under it; nothing of what sleeps."""
    floor, numbers = block(4, 1, 4, size=4)
    body = space.add_static(floor)
    box = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), (0.5, 0.7, 0.5), mass=30.0, can_sleep=False)
    run(space, 1.0)
    core, low = space.world.core, floor.bounds_of(numbers)[0] * UNIT
    told, impulses = core.contact.struck_bricks(body.id, core.body.shape(body.id, 0))
    assert told.tolist() == numbers[np.all(low == (0.0, -0.5, 0.0), axis=1)].tolist()
    assert impulses == pytest.approx([30.0 * 10.0 * STEP], rel=1e-2)
    box.can_sleep = True
    run(space, 2.0)
    assert box.is_asleep and len(core.contact.struck_bricks(body.id, core.body.shape(body.id, 0))[0]) == 0


def are_contacts_kept(space: scree.Space, body: scree.Body, other: scree.Body) -> bool:
    """Whether the next step keeps the contacts of a pair as they are."""
    core = space.world.core
    system = core.system(space.id).row
    pairs = view_rows(int(system["pairs"]["rows"]), int(system["pairs"]["capacity"]), PAIR)
    indices = {index_of(body.id), index_of(other.id)}
    (pair,) = [pair for pair in pairs[:200] if {int(pair["body_a"]), int(pair["body_b"])} == indices]
    return bool(is_recyclable(pair, core.bodies.rows[pair["body_a"]], core.bodies.rows[pair["body_b"]]))
