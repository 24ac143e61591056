"""Contact events: against a twin that looks at the contacts themselves after each step, and physics."""

import numpy as np
import pytest
from small_world import TICK, SmallWorld

from scree.core.batches import BatchQueue, BodyBatch
from scree.bodies.schema import ALL_CONTACT_EVENTS, CONTACT_CHANGES, NO_CONTACT_EVENTS, STATIC
from scree.collision.contact_schema import CONTACT_ADDED, CONTACT_PERSISTED, CONTACT_REMOVED, REPORTED_CONTACT
from scree.collision.schema import LINEAR_SLOP
from scree.constraints.schema import (
    BLOCK_FIELDS, MANIFOLD_INDEX, NORMAL, POINT_ANCHOR_A, POINT_ANCHOR_B, POINT_FIELDS, POINT_SEPARATION,
    POINT_TOTAL_IMPULSE, POINTS,
)  # fmt: skip
from scree.step.limits import LimitReached
from scree.runtime.memory import view_rows
from scree.shapes.schema import MESH
from tests.streaming.batches import bodies, box, cooked_shapes

GRAVITY = 10.0
KINDS = (CONTACT_ADDED, CONTACT_PERSISTED, CONTACT_REMOVED)


def told(scene, kind=None) -> list:
    events = scene.world.contact.events(scene.system)
    return [event.copy() for event in events if kind is None or event["kind"] == kind]


def key_of(event) -> tuple:
    return int(event["body_a"]), int(event["body_b"]), int(event["shape_a"]), int(event["shape_b"])


def pool(scene, name: str):
    return next(pool for pool in scene.world.system(scene.system)._pools if pool.name == name).rows


# What is told.


def test_a_box_that_falls_rests_and_jumps():
    scene = SmallWorld()
    floor = scene.floor(restitution=0.0)
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 1.5, 0.0), mass=3.0)
    scene.world.contact.set_events(box, ALL_CONTACT_EVENTS)
    history = []
    for _ in range(120):
        scene.step()
        history.append([int(event["kind"]) for event in told(scene)])
    first = history.index([CONTACT_ADDED])
    assert 25 <= first <= 28  # it falls 1 m in 0.447 s
    assert history[:first] == [[]] * first and history[first + 1 :] == [[CONTACT_PERSISTED]] * (119 - first)
    (event,) = told(scene)
    assert key_of(event) == (floor, box, 0, 0) and event["point_count"] == 4 and event["is_sensor"] == 0
    np.testing.assert_allclose(event["normal"], (0, 1, 0), atol=1e-3)
    np.testing.assert_allclose(np.abs(event["points"][:, [0, 2]]), 0.5, atol=0.01)
    np.testing.assert_allclose(event["points"][:, 1], 0.0, atol=0.01)
    assert (np.abs(event["depths"]) < 0.01).all() and event["friction"] == 1.0 and event["restitution"] == 0.0
    scene.throw(box, (0.0, 5.0, 0.0))
    scene.step(4)
    assert not told(scene)
    scene.step(200)
    assert [event["kind"] for event in told(scene)] == [CONTACT_PERSISTED]


def test_impulses_are_those_of_the_step():
    scene = SmallWorld()
    scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0), mass=3.0, friction=0.4)
    scene.world.contact.set_events(box, ALL_CONTACT_EVENTS)
    scene.world.body.set_max_contacts(box, 8)
    scene.step(120)
    (event,) = told(scene)
    assert event["normal_impulses"].sum() == pytest.approx(3.0 * GRAVITY * TICK, rel=0.01)
    assert np.abs(event["friction_impulse"]).max() < 0.01 and event["friction"] == pytest.approx(0.4)
    scene.throw(box, (4.0, 0.0, 0.0))
    scene.step(10)
    (event,) = told(scene)
    slowed = (4.0 - scene.velocity(box)[0]) * 3.0 / 10
    assert slowed == pytest.approx(0.4 * 3.0 * GRAVITY * TICK, rel=0.05)
    np.testing.assert_allclose(event["friction_impulse"], (-slowed, 0.0, 0.0), atol=0.02 * slowed + 1e-3)
    rare = scene.world.bodies.own_rare(scene.index(box))
    reports = scene.world.body._contact_reports[scene.index(box)][: rare["contact_count"]]
    np.testing.assert_allclose(reports["impulse"].sum(axis=0)[0], -slowed, rtol=0.05)


def test_the_twist_of_a_box_that_spins_on_the_floor():
    scene = SmallWorld()
    scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0), mass=2.0)
    scene.world.contact.set_events(box, ALL_CONTACT_EVENTS)
    scene.step(60)
    scene.turn(box, (0.0, 5.0, 0.0))
    before = scene.spin(box)[1]
    scene.step()
    inertia = 2.0 * (1.0 + 1.0) / 12.0
    (event,) = told(scene)
    assert event["twist_impulse"] == pytest.approx((scene.spin(box)[1] - before) * inertia, rel=0.02)
    assert event["twist_impulse"] < -0.01


def test_the_speed_of_an_impact():
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    ball = scene.add(scene.sphere(0.5), (0.0, 0.0, 0.0), restitution=1.0)
    other = scene.add(scene.sphere(0.5), (1.5, 0.0, 0.0))
    scene.world.contact.set_events(other, CONTACT_CHANGES)
    scene.throw(ball, (3.0, 0.0, 0.0))
    added = []
    for _ in range(30):
        scene.step()
        added += [event.copy() for event in told(scene, CONTACT_ADDED)]
    (event,) = added
    assert event["approach_speed"] == pytest.approx(3.0, rel=0.01) and event["restitution"] == 1.0
    assert event["normal_impulses"].sum() == pytest.approx(3.0, rel=0.02)  # two of 1 kg change their speeds


def test_an_impact_is_told_where_the_surfaces_are():
    """At 10 m/s a step goes 17 cm; points lie half-way between the surfaces after it, speeds and impulses are the impact's."""
    scene = SmallWorld(gravity=(0.0, 0.0, 0.0))
    scene.floor()
    ball = scene.add(scene.sphere(0.5), (0.0, 0.6, 0.0))
    scene.world.contact.set_events(ball, CONTACT_CHANGES)
    scene.throw(ball, (0.0, -10.0, 0.0))
    added = []
    while not added:
        scene.step()
        added = told(scene, CONTACT_ADDED)
    (event,) = added
    assert event["approach_speed"] == pytest.approx(10.0, rel=1e-4)
    assert event["points"][0][1] == pytest.approx(0.5 * (scene.position(ball)[1] - 0.5), abs=1e-6)


def test_levels_and_who_asks():
    scene = SmallWorld()
    floor = scene.floor()
    boxes = [scene.add(scene.box(0.5, 0.5, 0.5), (3.0 * k, 0.5, 0.0)) for k in range(2)]
    scene.step(5)
    assert not told(scene) and scene.row["reports"]["pair_count"] == 0
    scene.world.contact.set_events(floor, CONTACT_CHANGES)
    scene.step()
    assert {key_of(event)[1] for event in told(scene, CONTACT_ADDED)} == set(boxes)
    scene.step()
    assert not told(scene)
    scene.world.contact.set_events(boxes[1], ALL_CONTACT_EVENTS)
    scene.step()
    assert [(event["kind"], key_of(event)[1]) for event in told(scene)] == [(CONTACT_PERSISTED, boxes[1])]
    scene.world.contact.set_events(floor, NO_CONTACT_EVENTS)
    scene.step()
    assert [(event["kind"], key_of(event)[1]) for event in told(scene)] == [(CONTACT_PERSISTED, boxes[1])]
    assert scene.row["reports"]["pair_count"] == 1
    scene.world.contact.set_events(boxes[1], NO_CONTACT_EVENTS)
    scene.step()
    assert not told(scene) and scene.row["reports"]["pair_count"] == 0
    assert scene.world.contact.events_of(boxes[1]) == NO_CONTACT_EVENTS
    with pytest.raises(ValueError, match="body_set_contact_events: level"):
        scene.world.contact.set_events(floor, 3)


def test_the_view_cannot_be_written_and_costs_no_copy():
    scene = SmallWorld()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    scene.floor()
    scene.world.contact.set_events(box, ALL_CONTACT_EVENTS)
    scene.step(2)
    events = scene.world.contact.events(scene.system)
    assert len(events) == 1 and np.shares_memory(events, pool(scene, "contact events"))
    with pytest.raises(ValueError):
        events["kind"] = 0


# What ends.


def resting_box(**settings):
    scene = SmallWorld(**settings)
    floor = scene.floor()
    box = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    scene.world.contact.set_events(box, CONTACT_CHANGES)
    scene.step(3)
    return scene, floor, box


def test_a_body_that_is_taken_out_or_freed_is_told_with_its_id():
    for is_freed in (False, True):
        scene, floor, box = resting_box()
        before = scene.world.contact.events(scene.system).copy()
        if is_freed:
            scene.world.body.destroy(box)
        else:
            scene.world.body.set_system(box, 0)
        assert (scene.world.contact.events(scene.system) == before).all()  # of the last step still
        scene.step()
        assert [(event["kind"], *key_of(event)) for event in told(scene)] == [(CONTACT_REMOVED, floor, box, 0, 0)]
        scene.step()
        assert not told(scene) and scene.row["reports"]["pair_count"] == 0


def test_what_sleeps_goes_on_to_touch():
    scene, floor, box = resting_box(sleeps=True)
    for _ in range(120):
        scene.step()
        assert not told(scene)
    assert not scene.is_awake(box)
    scene.throw(box, (0.0, 0.01, 0.0))
    for _ in range(10):
        scene.step()
        assert not told(scene)  # woken, it is nothing new
    scene.throw(box, (0.0, 5.0, 0.0))
    scene.step(4)
    assert scene.is_awake(box) and scene.position(box)[1] > 0.6


def test_a_sleeper_that_is_taken_out_is_told():
    scene, floor, box = resting_box(sleeps=True)
    scene.step(120)
    assert not scene.is_awake(box)
    scene.world.body.destroy(box)
    scene.step()
    assert [event["kind"] for event in told(scene)] == [CONTACT_REMOVED]


def test_layers_shapes_and_teleports():
    scene, floor, box = resting_box()
    scene.world.body.set_collision_mask(box, 0)
    scene.world.body.set_collision_layer(box, 0)
    scene.step()
    assert [event["kind"] for event in told(scene)] == [CONTACT_REMOVED]
    scene, floor, box = resting_box()
    scene.world.body.add_shape(box, scene.sphere(0.5))
    scene.step()
    # Found anew: what was there ends, what is there begins.
    assert [event["kind"] for event in told(scene)] == [CONTACT_REMOVED, CONTACT_ADDED, CONTACT_ADDED]
    assert [key_of(event)[3] for event in told(scene, CONTACT_ADDED)] == [0, 1]
    scene, floor, box = resting_box()
    scene.move(box, (0.0, 40.0, 0.0))
    scene.step()
    assert [event["kind"] for event in told(scene)] == [CONTACT_REMOVED]


def test_collision_steps_of_one_update_share_a_list():
    scene, floor, box = resting_box()
    scene.world.contact.set_events(box, ALL_CONTACT_EVENTS)
    scene.world.step(scene.system, TICK, collision_steps=3)
    assert [event["kind"] for event in told(scene)] == [CONTACT_PERSISTED] * 3
    scene.throw(box, (0.0, 30.0, 0.0))
    scene.world.step(scene.system, TICK, collision_steps=3)
    assert [event["kind"] for event in told(scene)][-1] == CONTACT_REMOVED


def test_a_full_list_is_a_warning_and_not_silence():
    scene, floor, box = resting_box()
    scene.world.contact.set_events(box, ALL_CONTACT_EVENTS)
    scene.row["reports"]["event_capacity"] = 0
    with pytest.warns(LimitReached, match=r"contact events .* 'World\(contacts=\.\.\.\)'"):
        scene.step()
    scene.row["reports"]["event_capacity"] = 8
    scene.step()
    assert [event["kind"] for event in told(scene)] == [CONTACT_PERSISTED]


# Against a twin.


class Twin:
    """A set of shapes that touch, from the manifolds and the solver's numbers after each step."""

    def __init__(self, scene):
        self.scene, self.touching = scene, set()

    def solved(self) -> dict[int, bool]:
        """For the manifolds that the step solved, by number: whether one of their points touched or was pushed."""
        count = int(self.scene.row["constraints"]["block_count"])
        blocks = view_rows(int(self.scene.row["constraints"]["blocks"]), count * BLOCK_FIELDS * 8, np.float32)
        lanes = blocks.reshape(count, BLOCK_FIELDS, 8).transpose(0, 2, 1).reshape(8 * count, BLOCK_FIELDS)
        points = lanes[:, POINTS:].reshape(-1, 4, POINT_FIELDS)
        way = points[:, :, POINT_ANCHOR_B : POINT_ANCHOR_B + 3] - points[:, :, POINT_ANCHOR_A : POINT_ANCHOR_A + 3]
        separation = points[:, :, POINT_SEPARATION] + (way * lanes[:, None, NORMAL : NORMAL + 3]).sum(2)
        touches = ((separation <= LINEAR_SLOP) | (points[:, :, POINT_TOTAL_IMPULSE] > 0.0)).any(1)
        return dict(zip(lanes.view(np.int32)[:, MANIFOLD_INDEX].tolist(), touches.tolist(), strict=True))

    def look(self, put_back: set) -> tuple[set, set, set]:
        """The contacts that have to be told as added, as persisted and as removed. `put_back`: bodies that were taken out and
        put in again, whose contacts are found anew."""
        scene, solved, now, began = self.scene, self.solved(), set(), set()
        ended = {key for key in self.touching if put_back & set(key[:2])}
        self.touching -= ended
        manifolds = pool(scene, "contact manifolds")[: int(scene.row["manifolds"]["count"])]
        ids = scene.world.bodies.rows["id"]
        for number in np.flatnonzero((manifolds["pair"] >= 0) & (manifolds["point_count"] > 0)):
            row = manifolds[number]
            key = int(ids[row["body_a"]]), int(ids[row["body_b"]]), int(row["instance_a"]), int(row["instance_b"])
            now.add(key)
            if key not in self.touching and solved.get(int(number), False):
                began.add(key)
        lasting = self.touching & now
        ended |= self.touching - now
        self.touching = lasting | began
        return began, lasting, ended

    def stepped(self) -> set:
        """Bodies that were awake in the step."""
        rows, row = self.scene.world.bodies.rows, self.scene.row
        slept = view_rows(int(row["bodies"]["fell_asleep"]), int(row["bodies"]["fell_asleep_count"]), np.int32)
        return set(rows["id"][rows["active_index"] >= 0].tolist()) | set(rows["id"][slept].tolist())


def random_world(seed: int, threads: int = 1, count: int = 40):
    random = np.random.default_rng(seed)
    scene = SmallWorld(sleeps=True, threads=threads)
    floor = scene.floor()
    scene.world.contact.set_events(floor, ALL_CONTACT_EVENTS)
    shapes = [scene.box(0.5, 0.3, 0.4), scene.sphere(0.4), scene.box(0.2, 0.2, 0.2)]
    bodies = []

    def add(low=0.5, high=6.0):
        body = scene.add(
            shapes[random.integers(3)], (*random.uniform(-2, 2, 1), random.uniform(low, high), random.uniform(-2, 2))
        )
        if random.random() < 0.3:
            scene.world.body.add_shape(body, shapes[1], (1, 0, 0, 0, 1, 0, 0, 0, 1, 0.6, 0, 0))
        scene.world.contact.set_events(body, ALL_CONTACT_EVENTS)
        bodies.append(body)

    for _ in range(count):
        add()

    def disturb(tick: int) -> set:
        """Do random things that users do. Return the bodies that were removed and added again."""
        if tick % 7 == 3 and len(bodies) > 5:
            scene.world.body.destroy(bodies.pop(random.integers(len(bodies))))
        if tick % 11 == 5:
            add(4.0, 6.0)
        if tick % 13 == 6:
            scene.move(bodies[random.integers(len(bodies))], (*random.uniform(-2, 2, 1), 5.0, 0.0))
        if tick % 17 == 8:
            scene.throw(bodies[random.integers(len(bodies))], random.uniform(-6, 6, 3))
        if tick % 29 == 9:
            body = bodies[random.integers(len(bodies))]
            scene.world.body.set_system(body, 0)
            scene.world.body.set_system(body, scene.system)
            return {body}
        return set()

    return scene, disturb


@pytest.mark.parametrize("seed", range(4))
def test_events_against_the_twin(seed):
    scene, disturb = random_world(seed)
    twin, told_kinds, has_slept = Twin(scene), set(), False
    known: set = set()  # what a user who listens believes
    for tick in range(400):
        put_back = disturb(tick) if tick < 250 else set()  # then they come to rest and sleep
        scene.step()
        events = scene.world.contact.events(scene.system)
        by_kind = {kind: {key_of(event) for event in events[events["kind"] == kind]} for kind in KINDS}
        told_kinds |= {kind for kind in KINDS if by_kind[kind]}
        began, lasting, ended = twin.look(put_back)
        assert by_kind[CONTACT_ADDED] == began and by_kind[CONTACT_REMOVED] == ended, tick
        stepped = twin.stepped()
        resting = {key for key in lasting if not stepped & set(key[:2])}
        has_slept |= bool(resting)
        assert by_kind[CONTACT_PERSISTED] == lasting - resting, tick
        for event in events:
            if event["kind"] == CONTACT_ADDED:
                known.add(key_of(event))
            elif event["kind"] == CONTACT_REMOVED:
                known.remove(key_of(event))
        assert known == twin.touching
        assert scene.row["reports"]["pair_count"] == scene.live_pairs()
    assert told_kinds == set(KINDS) and has_slept
    rows = view_rows(int(scene.row["reports"]["contacts"]), int(scene.row["reports"]["contact_count"]), REPORTED_CONTACT)
    free, at = 0, int(scene.row["reports"]["first_free_contact"]) - 1
    while at >= 0:
        free, at = free + 1, int(rows[at]["next"])
    assert int(scene.row["reports"]["contact_count"]) - free == len(twin.touching)


def test_the_same_events_with_any_number_of_threads():
    def run(threads: int) -> list[bytes]:
        scene, disturb = random_world(9, threads, count=300)
        history = []
        for tick in range(120):
            disturb(tick)
            scene.step()
            history.append(scene.world.contact.events(scene.system).tobytes())
        assert sum(map(len, history)) > 1e6
        return history

    alone = run(1)
    for threads in (2, 4):
        assert run(threads) == alone


def test_a_mesh_has_a_row_for_each_direction_and_ends_once():
    """A box in the corner of a floor and a wall that are one mesh, and later on the floor alone."""
    scene = SmallWorld()
    shape = scene.world.shape.create(MESH)
    corners = [(0, 0, -9), (9, 0, -9), (9, 0, 9), (0, 0, 9), (0, 9, -9), (0, 9, 9)]
    triangles = [(0, 2, 1), (0, 3, 2), (0, 4, 5), (0, 5, 3)]
    scene.world.shapes.set_mesh(scene.world.shape.index("", shape), corners, triangles)
    ground = scene.add(shape, mode=STATIC)
    lying = scene.add(scene.box(0.5, 0.5, 0.5), (0.5, 0.5, 0.0), friction=0.0)
    scene.world.contact.set_events(lying, ALL_CONTACT_EVENTS)
    scene.step()
    events = told(scene, CONTACT_ADDED)
    normals = {tuple(np.round(event["normal"]).astype(int).tolist()) for event in events}
    assert normals == {(0, 1, 0), (1, 0, 0)} and {key_of(event) for event in events} == {(ground, lying, 0, 0)}
    assert all(triangles[event["face"]] in (triangles[:2] if event["normal"][1] > 0.5 else triangles[2:]) for event in events)
    scene.throw(lying, (1.0, 0.0, 0.0))
    for _ in range(30):
        scene.step()
        assert {event["kind"] for event in told(scene)} == {CONTACT_PERSISTED}
    assert len(told(scene)) == 1  # the wall is left, the mesh is not
    scene.move(lying, (4.0, 5.0, 0.0))
    scene.step()
    assert [event["kind"] for event in told(scene)] == [CONTACT_REMOVED]


def test_a_tile_that_streams_out():
    """Static bodies of a batch come and go as a whole."""
    scene = SmallWorld()
    rows, keeps = cooked_shapes(box(2.0, 0.5, 2.0))
    queue = BatchQueue(scene.world, scene.system)
    batch = BodyBatch(queue, *bodies([(0.0, -0.5, 0.0), (50.0, -0.5, 0.0)]), rows, keeps=keeps)
    batch.push()
    queue.advance()
    lying = scene.add(scene.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    scene.world.contact.set_events(lying, CONTACT_CHANGES)
    kinds = []
    for _ in range(5):
        queue.advance()
        scene.step()
        kinds += told(scene)
    (added,) = kinds
    assert added["kind"] == CONTACT_ADDED
    key = key_of(added)
    batch.begin_removal()
    for _ in range(50):
        if batch.continue_removal():
            break
        queue.advance()
        scene.step()
        kinds += [event.copy() for event in told(scene)]
    assert [(event["kind"], key_of(event)) for event in kinds[1:]] == [(CONTACT_REMOVED, key)]
    assert scene.row["reports"]["pair_count"] == 0


def test_parts_of_a_compound_are_told_apart():
    """Two pillars of one shape: a beam that lies on both touches two parts; pushed off one of them it leaves that one alone."""
    scene = SmallWorld()
    pillar = scene.box(0.3, 0.5, 0.3)
    pillars = scene.compound([(pillar, (1, 0, 0, 0, 1, 0, 0, 0, 1, x, 0.5, 0.0)) for x in (-1.0, 1.0)])
    scene.add(pillars, mode=STATIC)
    beam = scene.add(scene.box(1.5, 0.1, 0.2), (0.0, 1.1, 0.0))
    scene.world.contact.set_events(beam, CONTACT_CHANGES)
    added = []
    for _ in range(10):
        scene.step()
        added += told(scene, CONTACT_ADDED)
    assert sorted(int(event["part_a"]) for event in added) == [0, 1]
    assert {(int(event["shape_a"]), int(event["shape_b"]), int(event["part_b"])) for event in added} == {(0, 0, -1)}
    removed = []
    scene.throw(beam, (0.0, 3.0, 0.0))
    for _ in range(10):
        scene.step()
        removed += told(scene, CONTACT_REMOVED)
    assert sorted(int(event["part_a"]) for event in removed) == [0, 1]
