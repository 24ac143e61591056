"""Streaming worlds: the ground is always there, what is damaged costs its tile only, and nothing is left behind."""

import math
import shutil
import threading
import time

import numpy as np
import pytest

from scree.core.queries import Queries
from scree.streaming import tile_file
from scree.streaming.loader import Loader
from scree.streaming.planner import (
    SCENE_ACTIVATED,
    SCENE_DEACTIVATED,
    TILE_FAILED,
    TILE_LOADED,
    TILE_UNLOADED,
)  # fmt: skip
from scree.streaming.wanted import Ranges, Viewer
from scree.streaming.streaming_world import Streaming, StreamingSettings
from tests.streaming.test_batches import Ground
from tests.streaming.worlds import bake_world

SCENES = [(f"camp {k}", (90.0 * k - 250.0, 0.0, 40.0 * math.sin(k)), 30.0, 50.0) for k in range(6)]
SETTINGS = StreamingSettings(Ranges(tile_size=64.0, hysteresis=8.0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiles")
    bake_world(folder, side=12, bodies=30, scenes=SCENES)
    return folder


class Streamed(Ground):
    """A ground with a larger pool of bodies."""

    def stream(self, folder, settings=SETTINGS) -> Streaming:
        return Streaming(self.world, self.system, folder, settings)


@pytest.fixture
def ground():
    return Streamed()


def test_all_that_is_wanted_comes_in_and_a_ball_lies_on_it(ground, folder):
    empty = ground.counts()
    ball = ground.add(ground.box(0.5, 0.5, 0.5), (5.0, 3.0, 5.0))
    with ground.stream(folder) as streaming:
        streaming.wait_until_idle([Viewer(5.0, 5.0)])
        events = list(streaming.events())
        assert sum(event.kind == TILE_LOADED for event in events) == 25
        assert streaming.figures()["bodies"] == 25 * 30
        for _ in range(180):
            streaming.update([Viewer(5.0, 5.0)])
            ground.step()
        # It lies on the ground of a tile or leans on a rock, and nothing gives way: what is streamed has no mass.
        assert ground.position(ball)[1] > 0.45
        assert np.linalg.norm(ground.velocity(ball)) < 0.1
        assert streaming.errors == []
    ground.step(60)
    assert ground.position(ball)[1] < 0.0, "without tiles it falls"
    ground.world.body.destroy(ball)
    assert ground.counts()[3:] == empty[3:] and ground.counts()[0] == empty[0]


def test_the_usual_settings_serve_small_tiles(ground, folder):
    """Tiles of 64 m: the usual hysteresis of 32 m would be half of one."""
    with ground.stream(folder, StreamingSettings()) as streaming:
        streaming.wait_until_idle([Viewer(5.0, 5.0)])
        assert streaming.figures()["bodies"] > 0


def test_a_flight_misses_nothing_and_leaves_nothing(ground, folder):
    """Over all tiles and back, with a turn, scenes coming and going; every tick all collision of active scenes is there."""
    empty = ground.counts()
    active: set = set()
    kinds = []
    with ground.stream(folder) as streaming:
        streaming.wait_until_idle([Viewer(-300.0, 0.0)])
        for tick in range(600):
            x = -300.0 + 2.0 * tick if tick < 300 else 300.0 - 2.0 * (tick - 300)
            streaming.update([Viewer(x, 5.0, 120.0 if tick < 300 else -120.0, 0.0)])
            for event in streaming.events():
                kinds.append(event.kind)
                if event.kind == SCENE_ACTIVATED:
                    active.add(event.scene)
                elif event.kind == SCENE_DEACTIVATED:
                    active.discard(event.scene)
            for name in active:
                for tile in streaming.planner.tiles_under_scene(name):
                    batch = streaming.loader.batches.get(tile)
                    assert batch is not None and batch.missing() == 0, (name, tile)
            ground.step()
            time.sleep(0.002)
        assert kinds.count(SCENE_ACTIVATED) >= 6 and kinds.count(TILE_UNLOADED) > 40
        assert streaming.errors == []
    assert ground.counts() == empty


def test_damaged_files_cost_their_tiles_only(ground, folder, tmp_path):
    copy = tmp_path / "tiles"
    shutil.copytree(folder, copy)
    whole = (copy / tile_file.tile_name((0, 0))).read_bytes()
    (copy / tile_file.tile_name((0, 0))).write_bytes(whole[:1000])
    flipped = bytearray((copy / tile_file.tile_name((1, 0))).read_bytes())
    flipped[5000] ^= 4
    (copy / tile_file.tile_name((1, 0))).write_bytes(flipped)
    (copy / tile_file.tile_name((0, 1))).unlink()
    with ground.stream(copy) as streaming:
        streaming.wait_until_idle([Viewer(5.0, 5.0)])
        failed = [event.tile for event in streaming.events() if event.kind == TILE_FAILED]
        assert sorted(failed) == [(0, 0), (0, 1), (1, 0)]
        assert len(streaming.errors) == 3 and all(str(copy) in error for error in streaming.errors)
        assert streaming.figures()["tiles_in"] == 22
        (copy / tile_file.tile_name((0, 0))).write_bytes(whole)
        streaming.wait_until_idle([Viewer(300.0, 300.0)])
        streaming.wait_until_idle([Viewer(5.0, 5.0)])
        assert (0, 0) in streaming.loader.batches, "what was mended is read when a viewer comes back"


def test_a_tile_requested_and_given_up_ten_thousand_times(ground, folder):
    empty = ground.counts()
    loader = Loader(ground.queue, folder, 2)
    random = np.random.default_rng(0)
    tiles = [(x, z) for x in range(-3, 3) for z in range(-3, 3)]
    state: dict = {}
    asked = came_in = 0
    while asked < 10_000:
        for tile in tiles:
            if tile not in state:
                loader.load([tile])
                state[tile] = "asked"
                asked += 1
            elif state[tile] == "asked" and random.random() < 0.3:
                state[tile] = "given up"
                if loader.give_up(tile):
                    del state[tile]
            elif state[tile] == "in":
                loader.unload(tile)
                state[tile] = "leaving"
        ground.queue.advance()
        time.sleep(0.0005)
        came, gone, failed = loader.poll()
        assert not failed
        for tile in came:
            came_in += 1
            state[tile] = "in"
        for tile in gone:
            del state[tile]
    loader.close()
    assert came_in > 100
    assert ground.counts() == empty and loader.is_idle()


def test_errors_of_the_disk_are_told_and_the_rest_goes_on(ground, folder):
    random = np.random.default_rng(1)

    def read(path):
        if random.random() < 0.3:
            raise tile_file.TileDamaged(f"the tile file {path} cannot be read: Input/output error")
        if random.random() < 0.1:
            raise MemoryError("no memory")
        return tile_file.read(path)

    empty = ground.counts()
    loader = Loader(ground.queue, folder, 2, read=read)
    wanted = {(x, z) for x in range(-3, 3) for z in range(-3, 3)}
    tries, failures, until = 0, 0, time.monotonic() + 60
    waiting = set(wanted)
    loader.load(sorted(waiting))
    while len(loader.batches) < len(wanted) and time.monotonic() < until:
        ground.queue.advance()
        _, _, failed = loader.poll()
        for tile, error in failed:
            assert tile_file.tile_name(tile) in error or str(tile) in error
            failures += 1
            loader.load([tile])
        tries += 1
        time.sleep(0.001)
    assert set(loader.batches) == wanted and failures > 5
    loader.close()
    assert ground.counts() == empty


def test_rays_from_other_threads_while_tiles_come_and_go(ground, folder):
    """A ray down on ground that stays always hits it, from a second thread, whatever streams beside it."""
    queries = Queries(ground.world)
    stop, misses, rays = threading.Event(), [], [0]
    with ground.stream(folder) as streaming:
        streaming.wait_until_idle([Viewer(0.0, 0.0)])

        def cast():
            random = np.random.default_rng(9)
            while not stop.is_set():
                x, z = random.uniform(-60, 60, 2)
                rays[0] += 1
                if queries.cast_ray(ground.system, (x, 20.0, z), (x, -20.0, z)) is None:
                    misses.append((x, z))

        caster = threading.Thread(target=cast)
        caster.start()
        for tick in range(300):
            angle = 0.1 * tick
            streaming.update([Viewer(0.0, 0.0), Viewer(250 * math.cos(angle), 250 * math.sin(angle), 0.0, 50.0)])
            ground.step()
            time.sleep(0.001)
        stop.set()
        caster.join()
    assert rays[0] > 300 and not misses


def test_bad_viewers_are_refused(ground, folder):
    with ground.stream(folder) as streaming:
        with pytest.raises(ValueError, match="finite"):
            streaming.update([Viewer(float("nan"), 0.0)])
        with pytest.raises(ValueError, match="at most 8"):
            streaming.update([Viewer(0.0, 0.0)] * 9)
    with pytest.raises(tile_file.TileDamaged, match="tiles.json"):
        ground.stream(folder / "nowhere")
