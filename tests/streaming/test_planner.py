"""Which tiles are wanted, without any engine: figures of the ranges, hysteresis, scenes, and thousands of random paths."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scree.streaming import planner as planner_module
from scree.streaming.planner import ACTIVE, IN, Planner, Scene
from scree.streaming.wanted import (
    FULL,
    LOW,
    MEDIUM,
    STRAIGHT,
    Ranges,
    Viewer,
    distance_to_tile,
    heading_of,
    kept_by,
    tile_at,
    tiles_under,
    wanted_by,
)  # fmt: skip
from tests.sizes import size

RANGES = Ranges()
places = st.floats(-1e5, 1e5)


@given(places, places)
def test_at_rest_nine_full_and_sixteen_medium(x, z):
    levels = list(wanted_by(Viewer(x, z), STRAIGHT, RANGES).values())
    assert levels.count(FULL) == 9 and levels.count(MEDIUM) == 16


@given(places, places, st.floats(4.0, 200.0), st.floats(0, 2 * math.pi))
def test_on_the_move_twenty_eight_and_the_row_lies_ahead(x, z, speed, angle):
    viewer = Viewer(x, z, speed * math.cos(angle), speed * math.sin(angle))
    heading = heading_of(viewer, STRAIGHT, RANGES)
    own = tile_at(x, z, RANGES.tile_size)
    wanted = wanted_by(viewer, heading, RANGES)
    if heading == STRAIGHT:
        assert max(abs(viewer.velocity_x), abs(viewer.velocity_z)) < RANGES.heading_speed
        return
    assert len(wanted) == 28
    ahead = [tile for tile in wanted if max(abs(tile[0] - own[0]), abs(tile[1] - own[1])) == 3]
    assert len(ahead) == 3
    for tile in ahead:
        assert (tile[0] - own[0]) * viewer.velocity_x + (tile[1] - own[1]) * viewer.velocity_z > 0.0


@given(places, places)
def test_collision_is_wanted_as_far_as_scenes_need_it(x, z):
    """450 m: an encounter area of 125 m whose edge is 200 m away."""
    wanted = wanted_by(Viewer(x, z), STRAIGHT, RANGES)
    assert set(tiles_under(x, z, 450.0, RANGES.tile_size)) <= set(wanted)


@given(places, places, places, places)
def test_what_is_wanted_nearby_is_kept(x, z, dx, dz):
    reach = RANGES.hysteresis
    near = Viewer(x + math.remainder(dx, 2 * reach), z + math.remainder(dz, 2 * reach))
    assert set(wanted_by(near, STRAIGHT, RANGES)) <= set(kept_by(Viewer(x, z), STRAIGHT, RANGES))


@given(places, places, st.floats(0.0, 600.0), places, places)
def test_tiles_under_a_circle_are_those_it_touches(x, z, radius, away_x, away_z):
    tile = tile_at(x + away_x % 900, z + away_z % 900, 256.0)
    assert (tile in tiles_under(x, z, radius, 256.0)) == (distance_to_tile(x, z, tile, 256.0) <= radius)


@pytest.mark.parametrize("bad", [{"tile_size": 0.0}, {"medium_ring": 0}, {"hysteresis": 200.0}, {"tile_size": math.nan}])
def test_bad_ranges_are_refused(bad):
    with pytest.raises(ValueError, match="Ranges"):
        Ranges(**bad)


class Loading:
    """Stands in for loader and disk: what is asked for comes after some updates, in any order, or fails."""

    def __init__(self, planner: Planner, random, slowest: int):
        self.planner, self.random, self.slowest = planner, random, slowest
        self.coming: dict = {}
        self.going: dict = {}
        self.leaving_scenes: dict = {}
        self.loads = self.unloads = 0

    def obey(self, plan) -> None:
        for tile in plan.load:
            assert tile not in self.coming and tile not in self.going, "asked for twice"
            self.coming[tile] = int(self.random.integers(1, self.slowest + 1))
        for tile in (*plan.give_up, *plan.unload):
            self.coming.pop(tile, None)
            assert tile not in self.going
            self.going[tile] = int(self.random.integers(1, self.slowest + 1))
        self.loads += len(plan.load)
        self.unloads += len(plan.unload)
        for name in plan.deactivated:
            self.leaving_scenes[name] = int(self.random.integers(1, 4))

    def advance(self) -> None:
        for waiting, done in ((self.coming, self.planner.tile_is_in), (self.going, self.planner.tile_is_out),
                              (self.leaving_scenes, self.planner.scene_was_left)):  # fmt: skip
            for key in list(waiting):
                waiting[key] -= 1
                if waiting[key] <= 0:
                    del waiting[key]
                    done(key)


def random_scenes(random, count=40, span=3000.0):
    return [
        Scene(f"scene {k}", *random.uniform(-span, span, 2), random.uniform(20, 250), random.uniform(50, 300))
        for k in range(count)
    ]


def check_scenes(planner: Planner) -> int:
    """Below every active encounter area no tile is missing; how many scenes are active."""
    assert planner.misses() == []
    active = [name for name, state in planner.scene_states.items() if state == ACTIVE]
    for name in active:
        scene = planner.scenes[name]
        for tile in tiles_under(scene.x, scene.z, scene.encounter_radius, planner.ranges.tile_size):
            assert planner.tiles[tile] == IN
    return len(active)


def random_path(random, updates: int):
    """Places and velocities: straight on, curves, sudden turns, halts, now and then a teleport. An update is 0.25 s."""
    place, speed, angle = random.uniform(-2500, 2500, 2), random.uniform(0, 120), random.uniform(0, 2 * math.pi)
    turn = random.uniform(-0.3, 0.3)
    for _ in range(updates):
        chance = random.random()
        if chance < 0.03:
            angle += math.pi
        elif chance < 0.06:
            speed = random.uniform(0, 120)
        elif chance < 0.07:
            place = random.uniform(-2500, 2500, 2)
        angle += turn
        velocity = speed * np.array([math.cos(angle), math.sin(angle)])
        place = place + 0.25 * velocity
        yield Viewer(float(place[0]), float(place[1]), float(velocity[0]), float(velocity[1]))


def fly(seed: int, updates: int, viewers: int = 1) -> tuple[int, int]:
    """One random path with a loader as slow as chance will have it; active scenes and loads."""
    random = np.random.default_rng(seed)
    planner = Planner(RANGES, SCENES[seed % len(SCENES)])
    loading = Loading(planner, random, int(random.integers(1, 12)))
    active = 0
    for places_now in zip(*(random_path(random, updates) for _ in range(viewers)), strict=True):
        loading.obey(planner.update(places_now))
        active += check_scenes(planner)
        loading.advance()
        assert planner.misses() == []
    return active, loading.loads


SCENES = [random_scenes(np.random.default_rng(seed)) for seed in range(10)]


PATHS = size(2_000, in_full=10_000)


def test_thousands_of_random_paths_without_a_miss():
    active = loads = 0
    for seed in range(PATHS):
        seen, asked = fly(seed, updates=12)
        active, loads = active + seen, loads + asked
    assert active > PATHS and loads > 20 * PATHS, "the paths must meet scenes and load tiles"
    print(f"{PATHS} paths, {active} ticks of active scenes, {loads} tiles loaded, 0 misses")


def test_a_scene_that_does_not_wait_is_seen(monkeypatch):
    """The check itself: a planner that lets scenes go ahead of their ground fails within a few paths."""
    monkeypatch.setattr(planner_module, "all", lambda _: True, raising=False)
    with pytest.raises(AssertionError):
        for seed in range(20):
            fly(seed, updates=12)


def test_long_paths_and_several_viewers_without_a_miss():
    assert sum(fly(seed, updates=300, viewers=1 + seed % 3)[0] for seed in range(9)) > 450


def test_walking_along_a_border_does_not_thrash():
    """Back and forth over a border and a corner, up to the hysteresis: after the first loads nothing comes or goes."""
    random = np.random.default_rng(1)
    planner = Planner(RANGES)
    loading = Loading(planner, random, 1)
    for k in range(2000):
        wobble = 0.45 * RANGES.hysteresis
        viewer = Viewer(512.0 + wobble * math.sin(0.7 * k), 768.0 + wobble * math.sin(0.31 * k))
        loading.obey(planner.update([viewer]))
        loading.advance()
        if k == 200:
            settled = loading.loads
    assert loading.loads == settled == 36 and loading.unloads == 0
    assert set(planner.levels.values()) <= {FULL, MEDIUM, LOW}


def test_straight_flight_holds_few_tiles_and_loads_each_once():
    random = np.random.default_rng(2)
    planner = Planner(RANGES)
    loading = Loading(planner, random, 2)
    most = 0
    for k in range(400):
        loading.obey(planner.update([Viewer(25.0 * k, 10.0, 100.0, 0.0)]))
        loading.advance()
        most = max(most, sum(state == IN for state in planner.tiles.values()))
    crossed = int(25.0 * 399 // 256)
    assert most <= 38
    assert loading.loads <= 28 + 5 * (crossed + 1) + 5, "28 at first, then a column of five for each border"


def test_a_scene_waits_for_all_its_collision():
    planner = Planner(RANGES, [Scene("camp", 300.0, 0.0, 125.0, 200.0)])
    planner.update([Viewer(0.0, 0.0)])
    under = planner.tiles_under_scene("camp")
    for tile in under[:-1]:
        planner.tile_is_in(tile)
        assert planner.update([Viewer(0.0, 0.0)]).activated == []
    planner.tile_is_in(under[-1])
    assert planner.update([Viewer(0.0, 0.0)]).activated == ["camp"]
    away = [Viewer(-5000.0, 0.0)]
    plan = planner.update(away)
    assert plan.deactivated == ["camp"] and not set(plan.unload) & set(under), "its collision stays until it was left"
    assert not set(planner.update(away).unload) & set(under)
    planner.scene_was_left("camp")
    assert set(under) <= set(planner.update(away).unload)


def test_a_failed_tile_keeps_its_scene_away_and_is_tried_again_later():
    planner = Planner(RANGES, [Scene("camp", 0.0, 0.0, 10.0, 200.0)])
    here, away = [Viewer(0.0, 0.0)], [Viewer(9000.0, 0.0)]
    for tile in planner.update(here).load:
        (planner.tile_failed if tile == (0, 0) else planner.tile_is_in)(tile)
    assert planner.update(here).activated == [] and planner.update(here).load == []
    planner.update(away)
    assert (0, 0) in planner.update(here).load
