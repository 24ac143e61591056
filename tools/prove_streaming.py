"""Long checks of streaming in real Godot: what a flight over the open world costs the thread that steps."""

import json
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from scree.tools import open_world, places, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, long_tests

from scree.streaming.tile_file import LAYOUT

WORST_TICK = 200.0  # [us] by the clock for tiles that come and go, with all that the step does to trees
FLIGHTS = 5
COMPARED = 7  # flights of each engine, side by side
TICKS = 1800  # 30 s
AT_ONCE, BY_FIFTY = 20.0, 5.0  # times better in the worst tick


def fly(godot: Godot, project: Path, script: str, tiles: Path, *options: str) -> dict:
    """The figures of one flight. Raises SceneFailed."""
    target = ("-s", f"res://streaming/{script}.gd")
    return json.loads(scenes.report_of(godot, project, target, (f"--tiles={tiles}", *options), timeout=180.0))


def world_of(project: Path, side: int = 20) -> Path:
    """The open world beside a project, large enough for the flight; made once for a layout of tile files, which takes away what
    was made for another."""
    folder = project.parent / f"open_world_{LAYOUT:08x}"
    if not (folder / "tiles.json").is_file():
        for old in project.parent.glob("open_world*"):
            shutil.rmtree(old)
        open_world.make(folder, side, 714, with_nodes=True)
    return folder


def flights(godot: Godot, project: Path, *options: str) -> tuple[str, bool]:
    """Flights of the same path: figures, and whether the best of them holds and none missed anything."""
    scenes.choose_engine(project, scenes.SCREE)
    runs = [fly(godot, project, "flight", world_of(project), f"--ticks={TICKS}", "--realtime", *options) for _ in range(FLIGHTS)]
    worst = [run["worst_tick_us"] for run in runs]
    lost = sum(run["misses"] + run["blind_ticks"] + run["failed"] for run in runs)
    last = runs[-1]
    figures = (
        f"worst tick {min(worst):.0f} us (least of {FLIGHTS} flights: {', '.join(f'{w:.0f}' for w in worst)}; "
        f"without trees {min(run['worst_us'] for run in runs):.0f} us; whole steps "
        f"{min(run['worst_step_us'] for run in runs):.0f} us of processor time), "
        f"{last['most_tiles']} tiles at most, {last['bodies']:.0f} bodies, {last['loaded']} tiles loaded and "
        f"{last['unloaded']} unloaded, {last['activated']} scenes, {lost} misses"
    )
    is_right = all(run["engine"] == "ScreePhysicsServer3D" and run["bodies"] > 19_000 for run in runs)
    return figures, min(worst) <= WORST_TICK and lost == 0 and is_right


@check(f"28 tiles, 20,000 bodies, 30 s at 100 m/s: at most {WORST_TICK:.0f} us a tick for what comes and goes")
def streaming_flight(godot: Godot, project: Path) -> Outcome:
    """Tiles and scenes come and go; nothing is missing; also while a Python thread is busy."""
    quiet, is_quiet_good = flights(godot, project)
    busy, is_busy_good = flights(godot, project, "--busy-thread", "--no-scenes")
    checked, is_there = checked_flight(godot, project)
    words = f"{quiet}\n  beside a busy Python thread: {busy}\n  {checked}"
    return Outcome(words, is_quiet_good and is_busy_good and is_there)


def checked_flight(godot: Godot, project: Path, ticks: int = TICKS) -> tuple[str, bool]:
    """One flight more, which asks in each tick whether a body is missing below an active encounter area."""
    run = fly(godot, project, "flight", world_of(project), f"--ticks={ticks}", "--realtime", "--check-each-tick")
    words = f"looked at in each of {run['checked_ticks']} ticks, {run['activated']} scenes: {run['misses']} bodies missing"
    return words, run["checked_ticks"] == ticks and run["misses"] == 0 and run["activated"] > 0


@check(f"the same world with nodes on other engines: their worst tick is {AT_ONCE:.0f} and {BY_FIFTY:.0f} times as long")
def streaming_against_nodes(godot: Godot, project: Path) -> Outcome:
    """Whole ticks of the same flight: Scree's tiles, StaticBody3D nodes a tile at once, and 50 nodes a tick. By the clock, the
    worst of floors: each tick's least of some flights. Nodes are made in the same ticks of each flight; Scree's tiles come when
    they are loaded, so its worst tick is no less than an idle one and the dearest step of a flight, the least of them, in
    processor time. And what the main thread used of its processor, to which other programs add nothing."""
    tiles, ticks = world_of(project), "--ticks=600"

    def best(engine: str, script: str, *options: str) -> tuple[float, float, str]:
        scenes.choose_engine(project, engine)
        runs = [fly(godot, project, script, tiles, ticks, "--realtime", *options) for _ in range(COMPARED)]
        floors = np.min([run["tick_us"] for run in runs], axis=0)
        dearest_step = min(run["worst_step_us"] for run in runs) if script == "flight" else 0.0
        worst = max(float(floors.max()), float(np.median(floors)) + dearest_step)
        main, lost = (min(run[key] for run in runs) for key in ("worst_main_us", "lost_us"))
        median = min(run["median_main_us"] for run in runs)
        of_main = f"main thread {main / 1000:.2f}, median {median / 1000:.2f}"
        return worst, main, f"worst tick {worst / 1000:.2f} ms ({of_main}), lost {lost / 1000:.0f} ms"

    mine, mine_main, words = best(scenes.SCREE, "flight", "--no-scenes")
    lines, passed = [f"Scree, {COMPARED} flights: {words}"], True
    for engine in (scenes.JOLT, scenes.GODOT_PHYSICS):
        for nodes, factor in ((0, AT_ONCE), (50, BY_FIFTY)):
            worst, main, words = best(engine, "flight_nodes", f"--nodes-a-tick={nodes}")
            passed &= worst / mine >= factor
            how = "a tile at once" if nodes == 0 else f"{nodes} nodes a tick"
            lines.append(f"{engine}, {how}: {words}: {worst / mine:.1f} times, of the main thread {main / mine_main:.1f} times")
    return Outcome("\n  ".join(lines), passed)


@check("10,000 random viewer paths: no tile is missing under an active scene")
def streaming_random_paths(godot: Godot, project: Path) -> Outcome:
    """Without an engine; every test run flies a part of them."""
    return long_tests(("misses",), "tests/streaming/test_planner.py")


@check("100 bakers killed, disks that are full or fail, 10,000 tiles given up: nothing lost, nothing left")
def streaming_damage(godot: Godot, project: Path) -> Outcome:
    """Damaged files, dead bakers and loaders that are told to stop; every test run kills a part of them."""
    return long_tests(("of a file",), "tests/streaming/test_tile_file.py", "tests/streaming/test_streaming.py")


@check("100,000 tiles changed at random with right checksums: none crashes, hangs or raises")
def tiles_from_anywhere(godot: Godot, project: Path) -> Outcome:
    """Tiles that are not refused are loaded, fallen on, queried in every way and unloaded; every test run plays some."""
    return long_tests(("mutants of tiles",), "tests/streaming/test_tile_mutants.py")


MILLION_SIDE, MILLION_BODIES = 32, 1000  # tiles on a side, bodies a tile: 1,024,000
MOST_MEMORY = 400.0  # [MB] that a flight over them may add


def memory() -> float:
    """Resident memory of this process [MB]."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024.0 for line in lines if line.startswith("VmRSS"))


@check(f"1,024,000 static bodies on disk: a flight over them adds at most {MOST_MEMORY:.0f} MB")
def streaming_a_million(godot: Godot, project: Path) -> Outcome:
    """Size and load time a body, and memory bounded by what is loaded: in Python, without Godot."""
    from scree.streaming.wanted import Viewer
    from scree.streaming.streaming_world import Streaming
    from scree.core.world import World
    from scree.tools import tiles_plot

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        begin = time.perf_counter()
        done = open_world.make(folder, MILLION_SIDE, MILLION_BODIES)
        baked = time.perf_counter() - begin
        world = World(threads=1)
        system = world.create_system()
        before, most, most_bodies = memory(), 0.0, 0
        with Streaming(world, system, folder) as streaming:
            half = 0.5 * MILLION_SIDE * open_world.TILE
            count = 60
            for tick in range(count):
                x = -half + 2.0 * half * tick / (count - 1)
                viewer = Viewer(x, 0.3 * x, 100.0, 30.0)
                streaming.wait_until_idle([viewer])
                for _ in streaming.events():  # scenes that are told to go are left at once
                    pass
                world.step(system, 1 / 60)
                most, most_bodies = max(most, memory() - before), max(most_bodies, streaming.figures()["bodies"])
                if tick == count // 2:
                    picture = _top_view(tiles_plot, streaming, viewer)
            figures = streaming.figures()
            failed = len(streaming.errors)
        left = world.bodies.pool.capacity - world.bodies.free_count()
    per_body = 1e6 * figures["load_ms"] / 1000.0 / MILLION_BODIES
    words = (
        f"{done['bodies']} bodies, {done['bytes'] / done['bodies']:.0f} bytes a body, baked in {baked:.0f} s; "
        f"{streaming.loader.loaded_bodies} loaded on the way, {per_body:.2f} us a body; {most:.0f} MB at most for "
        f"{most_bodies} bodies at a time; {left} left at the end, {failed} tiles failed; seen from above in {picture}"
    )
    return Outcome(words, most <= MOST_MEMORY and left == 0 and failed == 0 and done["bodies"] >= 1_000_000)


def _top_view(tiles_plot, streaming, viewer) -> Path:
    """The picture of a moment; gives its file."""
    rows = [[*tile, *state] for tile, state in streaming.tile_states().items()]
    states = streaming.planner.scene_states
    camps = [(s.x, s.z, s.encounter_radius, states[s.name] == "active") for s in streaming.planner.scenes.values()
             if abs(s.x - viewer.x) < 1500.0 and abs(s.z - viewer.z) < 1500.0]  # fmt: skip
    file = places.output_folder("prove") / "streaming.png"
    tiles_plot.plot(rows, open_world.TILE, file, camps, [(viewer.x, viewer.z, viewer.velocity_x, viewer.velocity_z)])
    return file
