"""Long checks of structures: the tree over bricks after a million edits. It needs a checkout, for what is under tests/."""

import json
import statistics
from pathlib import Path

from scree.tools import bench, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, long_tests, run_python

EDITS, SEEDS = 1_000_000, 100
LEAST_UNDONE = 10_000
FLIGHT_TICKS, FLIGHT_STARTS, MOST_TICK, WORST_TICK = 3600, 120, 4.0, 8.0  # the first is loading; [ms]
LEAST_BRICKS, ABOARD = 90_000, (300, 20)
HEAP_RATIO, DEEPEST_IN_HEAP = 1.5, 20.0  # times the tick of convex hulls; [mm]


@check(f"{EDITS} random edits over {SEEDS} seeds: the tree is the one built at once; at least {LEAST_UNDONE} force-splits undone")
def structures(godot: Godot, project: Path) -> Outcome:
    """The tree of a structure depends on the set of its bricks alone."""
    found = json.loads(run_python("-m", "tests.structures.long_edits", EDITS, SEEDS, shows_errors=True).splitlines()[-1])
    figures = (
        f"{found['edits']} edits of up to {found['most']} bricks, {found['trees']} trees compared, {found['clusters']} clusters; "
        f"{found['splits']} force-splits, {found['undone']} undone"
    )
    return Outcome(figures, found["edits"] == EDITS and found["undone"] >= LEAST_UNDONE)


@check("a batch of edits parked in 3,000 of its places, and raced for a minute: queries see the bricks before it or after it")
def structure_readers(godot: Godot, project: Path) -> Outcome:
    """Every test run parks it too, in fewer places. Here also copies of the edits that are broken on purpose, which must fail,
    longer races of rays against structures that are freed, and more random edits of one whose bricks move."""
    return long_tests(
        ("queries",), "tests/structures/test_publication.py", "tests/structures/test_explored.py",
        "tests/structures/test_edges_on_bodies.py", "tests/structures/test_left_bodies.py", "tests/structures/test_compaction.py",
    )  # fmt: skip


@check(
    f"a heap of 200 structures of 500 bricks: its ticks, falling and at rest, cost {HEAP_RATIO} times those of 200 convex "
    f"hulls of the same forms; no brick deeper in another structure than {DEEPEST_IN_HEAP:g} mm"
)
def structure_heap(godot: Godot, project: Path) -> Outcome:
    """Blocks, angles, frames, shells and stairs; the same of rubble, which joins to few boxes nowhere, is told beside it."""
    found = [json.loads(line) for line in run_python("-m", "tests.structures.long_heap").splitlines()]
    text = [
        f"{one['heap']}: a tick {one['falling, bricks']:.2f} ms falling (mean; hulls {one['falling, hulls']:.2f}), "
        f"{one['resting, bricks']:.2f} at rest (median; hulls {one['resting, hulls']:.2f}), worst {one['most, bricks']:.1f} "
        f"({one['most, hulls']:.1f}); deepest {one['deepest, bricks']:.1f} mm"
        for one in found
    ]
    built = found[0]
    is_cheap = built["falling ratio"] <= HEAP_RATIO and built["resting ratio"] <= HEAP_RATIO
    is_whole = built["deepest, bricks"] <= DEEPEST_IN_HEAP and built["lost, bricks"] == 0
    return Outcome("\n  ".join(text), is_cheap and is_whole)


def jolt_in_flight(godot: Godot, project: Path) -> str:
    """Say what Jolt manages of the same work on 20,000 boxes in half a minute."""
    scenes.choose_engine(project, scenes.JOLT, threads=2)
    target = ("-s", "res://measure/boxes_in_flight.gd")
    found = json.loads(scenes.report_of(godot, project, target, (f"--ticks={FLIGHT_TICKS}",), timeout=300.0))
    if found["engine"] != scenes.JOLT:
        raise scenes.SceneFailed(f"boxes_in_flight ran on {found['engine']} instead of {scenes.JOLT}")
    tick = f"{statistics.median(found['tick_ms']):.0f} ms a tick" if found["tick_ms"] else "no tick ended"
    return f"Jolt with {found['boxes']:.0f} boxes: {found['edits']:.0f} edits in {found['seconds']:.0f} s, {tick} (median)"


@check(
    f"60 s of 100,000 bricks in flight in Godot, 1,000 edits a tick, 300 crates, 20 characters: {MOST_TICK} ms a tick, "
    f"none over {WORST_TICK}; 20,000 boxes on one body of Jolt beside it"
)
def bricks_in_flight(godot: Godot, project: Path) -> Outcome:
    """The scene `carrier` on two threads: nothing falls through a deck, and a tick stays short. Jolt gets a slab of box shapes,
    and half a minute."""
    scenes.choose_engine(project, scenes.SCREE, threads=2)
    figures = scenes.run_scene(godot, project, "carrier", FLIGHT_TICKS, timeout=1800.0)
    bench.check_engine(figures, scenes.SCREE)
    ticks, extra = sorted(figures.tick_ms[FLIGHT_STARTS:]), figures.extra
    median, high, worst = statistics.median(ticks), ticks[int(0.95 * len(ticks))], ticks[-1]
    aboard = (int(extra["crates_aboard"]), int(extra["crew_aboard"]))
    text = (
        f"{extra['bricks']:.0f} bricks at the end, {aboard[0]} crates and {aboard[1]} characters aboard, {extra['pieces']:.0f} "
        f"pieces shot off; a tick {median:.2f} ms (median), {high:.2f} (95th percentile), {worst:.1f} (worst), "
        f"{extra['main_ms']:.2f} of the main thread's processor time (mean); {jolt_in_flight(godot, project)}"
    )
    is_whole = aboard == ABOARD and extra["bricks"] > LEAST_BRICKS and figures.lost == 0
    return Outcome(text, is_whole and median <= MOST_TICK and worst <= WORST_TICK)
