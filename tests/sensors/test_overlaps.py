"""Events of areas, against the twin that looks at all pairs after each step."""

import numpy as np
import pytest
from area_twin import Listener, all_overlaps, is_acted_on
from small_world import TICK, SmallWorld

from scree.bodies.schema import IN_AREAS, KINEMATIC, RIGID, STATIC
from scree.step.limits import LimitReached
from scree.sensors.schema import ADDED, REMOVED
from scree.core.world import World


def random_basis(random) -> tuple:
    """A turn, by rows."""
    basis, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return tuple((basis * np.sign(np.linalg.det(basis))).ravel())


class RandomWorld(SmallWorld):
    """Bodies and areas in a small room, and everything that may happen to them."""

    def __init__(self, seed: int):
        super().__init__(gravity=(0.0, 0.0, 0.0), sleeps=True, time_to_sleep=0.1)
        self.random = np.random.default_rng(seed)
        self.shapes = [self.sphere(0.3), self.sphere(0.8), self.box(0.3, 0.5, 0.2), self.box(1.0, 0.4, 0.7)]
        self.bodies: list[int] = []
        self.areas: list[int] = []
        self.listener = Listener()
        for _ in range(16):
            self.add_body()
        for _ in range(12):
            self.add_area()

    def place(self) -> tuple:
        return (*random_basis(self.random), *self.random.uniform(-1.8, 1.8, 3))

    def near(self) -> tuple:
        return (*random_basis(self.random), *self.random.uniform(-0.5, 0.5, 3))

    def shape(self) -> int:
        return self.shapes[self.random.integers(len(self.shapes))]

    def pick(self, ids: list[int]) -> int:
        return ids[self.random.integers(len(ids))]

    def bits(self) -> int:
        return int(self.random.integers(1, 8))

    def add_body(self) -> None:
        world, body = self.world, self.world.body.create()
        world.body.set_mode(body, int(self.random.choice([STATIC, KINEMATIC, RIGID])))
        for _ in range(self.random.integers(1, 4)):
            world.body.add_shape(body, self.shape(), self.near())
        world.body.set_collision_mask(body, 0)
        world.body.set_collision_layer(body, self.bits())
        world.body.set_transform(body, self.place())
        world.body.set_system(body, self.system)
        if self.body(body)["mode"] == RIGID:
            self.throw(body, self.random.uniform(-4, 4, 3))
            self.turn(body, self.random.uniform(-3, 3, 3))
        self.bodies.append(body)

    def add_area(self) -> None:
        world, area = self.world, self.world.area.create(bool(self.random.integers(2)))
        for _ in range(self.random.integers(1, 3)):
            world.area.add_shape(area, self.shape(), self.near())
        world.area.set_monitoring(area, bodies=bool(self.random.integers(4)), areas=bool(self.random.integers(4)))
        world.area.set_collision_layer(area, self.bits())
        world.area.set_collision_mask(area, self.bits())
        world.area.set_transform(area, self.place())
        world.area.set_system(area, self.system)
        self.areas.append(area)

    # What may happen.

    def move_body(self) -> None:
        self.world.body.set_transform(self.pick(self.bodies), self.place())

    def move_area(self) -> None:
        self.world.area.set_transform(self.pick(self.areas), self.place())

    def free_body(self) -> None:
        body = self.pick(self.bodies)
        self.world.body.destroy(body)
        self.bodies.remove(body)
        self.add_body()

    def free_area(self) -> None:
        area = self.pick(self.areas)
        self.world.area.destroy(area)
        self.listener.forget(area)
        self.areas.remove(area)
        self.add_area()

    def body_leaves_and_returns(self) -> None:
        body = self.pick(self.bodies)
        self.world.body.set_system(body, 0)
        if self.random.integers(2):
            self.world.body.set_transform(body, self.place())
        self.world.body.set_system(body, self.system)

    def area_leaves_and_returns(self) -> None:
        area = self.pick(self.areas)
        self.world.area.set_system(area, 0)
        self.listener.forget(area)
        self.world.area.set_system(area, self.system)

    def switch_shape(self) -> None:
        owner = self.pick(self.bodies + self.areas)
        number = int(self.random.integers(self.world.body.shape_count(owner)))
        self.world.body.set_shape_disabled(owner, number, bool(self.random.integers(2)))

    def change_shapes(self) -> None:
        owner = self.pick(self.bodies + self.areas)
        if self.world.body.shape_count(owner) > 1 and self.random.integers(2):
            self.world.body.remove_shape(owner, 0)
        else:
            self.world.body.add_shape(owner, self.shape(), self.near())

    def change_filters(self) -> None:
        world = self.world
        what = self.random.integers(3)
        if what == 0:
            world.body.set_collision_layer(self.pick(self.bodies), self.bits())
        elif what == 1:
            world.area.set_collision_layer(self.pick(self.areas), self.bits())
        else:
            world.area.set_collision_mask(self.pick(self.areas), self.bits())

    def change_monitoring(self) -> None:
        area, is_on = self.pick(self.areas), bool(self.random.integers(2))
        what = self.random.integers(3)
        if what == 0:
            self.world.area.set_monitorable(area, is_on)
        else:
            kind = "bodies" if what == 1 else "areas"
            self.listener.forget(area, of_areas=kind == "areas")
            self.world.area.set_monitoring(area, **{kind: is_on})

    def change_mode(self) -> None:
        self.world.body.set_mode(self.pick(self.bodies), int(self.random.choice([STATIC, KINEMATIC, RIGID])))

    def change_effects(self) -> None:
        self.world.area.set_param(self.pick(self.areas), "linear_damp_mode", int(self.random.integers(5)))

    HAPPENINGS = (
        move_body, move_area, free_body, free_area, body_leaves_and_returns, area_leaves_and_returns, switch_shape,
        change_shapes, change_filters, change_monitoring, change_mode, change_effects,
    )  # fmt: skip

    def check(self) -> None:
        surely, maybe = all_overlaps(self.world, 0)
        believed = self.listener.believed
        assert surely <= believed, f"not told of {surely - believed}"
        assert believed <= surely | maybe, f"told of {believed - surely - maybe}"

    def check_effects(self) -> None:
        for body in self.bodies:
            acted = is_acted_on(self.world, 0, self.index(body))
            assert acted is None or acted == bool(int(self.body(body)["flags"]) & IN_AREAS), f"{body}: acted on is {acted}"


@pytest.mark.parametrize("seed", range(4))
def test_events_tell_what_overlaps(seed):
    scene = RandomWorld(seed)
    heard = 0
    for tick in range(80):
        for _ in range(scene.random.integers(8)):
            scene.HAPPENINGS[scene.random.integers(len(scene.HAPPENINGS))](scene)
        scene.step()
        events = scene.world.area.events(scene.system)
        heard += len(events)
        scene.listener.hear(events)
        scene.check()
        if tick % 5 == 0:
            scene.check_effects()
    assert heard > 200, "a world in which little happens tests little"


def test_all_comes_to_an_end():
    """When everything is gone, so are all rows."""
    scene = RandomWorld(99)
    scene.step(5)
    for body in scene.bodies:
        scene.world.body.destroy(body)
    for area in scene.areas[1:]:
        scene.world.area.destroy(area)
    scene.step()
    sensors = scene.world.system(scene.system).sensors
    assert not (sensors.rows("overlaps", "overlap_count")["area"] >= 0).any()
    assert not sensors.rows("shape_overlaps", "shape_overlap_count")["flags"].any()
    assert sensors.record["due_count"] == sensors.record["to_report_count"] == 0


def tell(seed: int, threads: int) -> list:
    """All events of a scene of many bodies, as bytes."""
    world = World(threads=threads, bodies=1 << 12, body_shapes=1 << 13, shapes=64)
    scene = SmallWorld.__new__(SmallWorld)
    scene.world = world
    scene.system = world.create_system(gravity=(0.0, -5.0, 0.0))
    random = np.random.default_rng(seed)
    ball, box = scene.sphere(0.3), scene.box(2.0, 1.0, 1.5)
    for _ in range(300):
        scene.add(ball, random.uniform(-6, 6, 3), basis=random_basis(random))
    for _ in range(10):
        area = world.area.create(True)
        world.area.add_shape(area, box)
        world.area.set_monitoring(area, bodies=True, areas=True)
        world.area.set_transform(area, (*random_basis(random), *random.uniform(-5, 5, 3)))
        world.area.set_system(area, scene.system)
    heard = []
    for _ in range(40):
        world.step(scene.system, TICK)
        heard.append(world.area.events(scene.system).tobytes())
    assert sum(map(len, heard)) > 0
    return heard


def test_events_do_not_depend_on_threads():
    assert tell(3, threads=1) == tell(3, threads=2) == tell(3, threads=1)


# Single behaviours.


class AreaScene(SmallWorld):
    """One area of 2 m about the origin that watches all, and nothing else."""

    def __init__(self, **settings):
        super().__init__(gravity=(0.0, 0.0, 0.0), **settings)
        self.area = self.add_area(self.box(1.0, 1.0, 1.0))

    def add_area(self, shape: int, position=(0.0, 0.0, 0.0), **monitoring) -> int:
        area = self.world.area.create()
        self.world.area.add_shape(area, shape)
        self.world.area.set_monitoring(area, **(monitoring or {"bodies": True, "areas": True}))
        self.world.area.set_transform(area, (1, 0, 0, 0, 1, 0, 0, 0, 1, *position))
        self.world.area.set_system(area, self.system)
        return area

    def events(self) -> list[tuple[int, int]]:
        """(status, id of the other) of what the last step told."""
        events = self.world.area.events(self.system)
        return [(int(event["status"]), int(event["other_id"])) for event in events]


def test_nothing_is_measured_where_nothing_moves():
    scene = AreaScene(sleeps=True)
    bodies = [scene.add(scene.sphere(0.2), (0.1 * k, 0, 0)) for k in range(3)]
    for body in bodies:
        scene.world.body.set_collision_mask(body, 0)
        scene.world.body.set_collision_layer(body, 1)
    still = scene.add(scene.box(0.5, 0.5, 0.5), mode=STATIC)
    scene.world.body.set_collision_mask(still, 0)
    scene.step()
    assert len(scene.events()) == 4
    scene.step(120)
    record = scene.world.system(scene.system).sensors.record
    assert record["measured_count"] == 0
    scene.move(still, (0.1, 0, 0))
    scene.step()
    assert record["measured_count"] == 1 and scene.events() == []


def test_what_is_known_already_is_not_told():
    """Out and back between two steps is nothing; so is in and out."""
    scene = AreaScene()
    body = scene.add(scene.sphere(0.2), mode=STATIC)
    scene.step()
    assert scene.events() == [(ADDED, body)]
    scene.world.body.set_system(body, 0)
    scene.world.body.set_system(body, scene.system)
    scene.step()
    assert scene.events() == []
    other = scene.add(scene.sphere(0.2), mode=STATIC)
    scene.world.body.set_system(other, 0)
    scene.step()
    assert scene.events() == []


def test_beginnings_come_before_ends():
    """A body of two shapes that take turns is never gone in between."""
    scene = AreaScene()
    body = scene.world.body.create()
    scene.world.body.set_mode(body, STATIC)
    for x in (0.0, 5.0):
        scene.world.body.add_shape(body, scene.sphere(0.5), (1, 0, 0, 0, 1, 0, 0, 0, 1, x, 0, 0))
    scene.world.body.set_system(body, scene.system)
    scene.step()
    scene.move(body, (-5.0, 0.0, 0.0))
    scene.step()
    assert scene.events() == [(ADDED, body), (REMOVED, body)]


def test_events_of_the_last_step_and_what_ended_since():
    scene = AreaScene()
    body = scene.add(scene.sphere(0.2), mode=STATIC)
    scene.step()
    scene.step()
    assert scene.events() == []
    scene.world.body.destroy(body)
    assert scene.events() == []
    scene.step()
    assert scene.events() == [(REMOVED, body)]
    scene.step()
    assert scene.events() == []


def test_unread_events_do_not_pile_up():
    scene = AreaScene()
    body = scene.add(scene.sphere(0.2), mode=STATIC)
    for k in range(50):
        scene.move(body, (9.0 * (k & 1), 0, 0))
        scene.step()
    assert scene.world.system(scene.system).sensors.record["event_count"] <= 1


def test_a_limit_is_told_and_nothing_is_lost():
    world = World(threads=1, bodies=256, body_shapes=256, shapes=64, area_overlaps=16)
    scene = SmallWorld.__new__(SmallWorld)
    scene.world, scene.system = world, world.create_system(gravity=(0, 0, 0))
    ball = scene.sphere(0.2)
    for k in range(40):
        scene.add(ball, (0.01 * k, 0, 0), mode=STATIC)
    area = world.area.create()
    world.area.add_shape(area, scene.box(1, 1, 1))
    world.area.set_monitoring(area, bodies=True)
    world.area.set_system(area, scene.system)
    with pytest.warns(LimitReached, match=r"overlaps of areas.*World\(area_overlaps=\.\.\.\)"):
        scene.step()
    assert 16 <= len(world.area.overlaps(area)) <= 32, "before and after the bodies move"
    scene.step(3)
    assert len(world.area.overlaps(area)) == 40


def test_overlaps_of_an_area():
    scene = AreaScene()
    body = scene.add(scene.sphere(0.2), mode=STATIC)
    other = scene.add_area(scene.sphere(0.5), (0.5, 0, 0))
    assert scene.world.area.overlaps(scene.area) == []
    scene.world.area.set_monitorable(other, True)
    scene.step()
    assert scene.world.area.overlaps(scene.area) == [body, other]
    scene.world.area.set_system(scene.area, 0)
    assert scene.world.area.overlaps(scene.area) == []


def test_large_areas_hold_what_is_deep_inside():
    """The quick way for what lies wholly in a box or sphere tells the same: shapes that are off, and half spaces."""
    scene = AreaScene()
    large = scene.add_area(scene.box(50, 50, 50), (0.0, 0.0, 0.0), bodies=True)
    body = scene.world.body.create()
    scene.world.body.set_mode(body, STATIC)
    for x in (0.0, 2.0, 4.0):
        scene.world.body.add_shape(body, scene.sphere(0.5), (1, 0, 0, 0, 1, 0, 0, 0, 1, x, 0, 0))
    scene.world.body.set_shape_disabled(body, 1, True)
    scene.world.body.set_system(body, scene.system)
    scene.floor()
    scene.step()
    events = scene.world.area.events(scene.system)
    found = {int(e["other_shape"]) for e in events if e["other_id"] == body and e["area_id"] == large}
    assert found == {0, 2}


def test_bad_input_names_the_call_and_changes_nothing():
    scene = AreaScene()
    world, area, body = scene.world, scene.area, scene.add(scene.sphere(0.5), mode=STATIC)
    with pytest.raises(ValueError, match="area_set_param: gravity_mode must be 0 to 4 .* got 7"):
        world.area.set_param(area, "gravity_mode", 7)
    with pytest.raises(ValueError, match="area_set_param: there is no parameter 'weight'"):
        world.area.set_param(area, "weight", 1.0)
    with pytest.raises(ValueError, match="area_set_param: gravity_vector must be 3 finite numbers"):
        world.area.set_param(area, "gravity_vector", (0, 1))
    with pytest.raises(ValueError, match="area_set_param: gravity must be finite"):
        world.area.set_param(area, "gravity", float("nan"))
    with pytest.raises(KeyError, match="area_set_monitorable: there is no area .*: it is no area"):
        world.area.set_monitorable(body, True)
    with pytest.raises(KeyError, match="body_set_mode: there is no body .*: it is no body"):
        world.body.set_mode(area, 0)
    world.area.destroy(area)
    with pytest.raises(KeyError, match="area_system: there is no area .*: it was freed"):
        world.area.system(area)
    scene.step()
