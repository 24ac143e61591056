"""Long checks in real Godot: scenes that are played, what physics expects of them, and the whole API called at random."""

import json
from pathlib import Path

from scree.tools import bench, places, prove_step, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check

LEAST_EXPECTATIONS = 6  # a scene that says less has not been played
CALLS, SEED = 1_000_000, 7
LEAST_VALID, LEAST_OF_EACH = 0.8, 100  # part of all calls; valid calls of each method
MOST_GROWTH = 32.0  # [MB] from a fifth of the calls to the last
CROWD, DEAREST_CROWD = 20_000, 1.1  # bodies, most asleep; times Jolt's floor
CROWD_SLEEPS_FROM = 180  # [ticks]
NODES_ROUNDS, DEAREST_NODES = 3, 1.5  # runs of each engine, in turn; times Jolt's
DEAREST_SIGNALS = 0.5  # what contacts_changed adds to a tick, as a part of what body_entered adds
HEAVY_TICKS, MOST_STRETCH, MOST_DRIFT = 3000, 0.05, 0.01  # part of the chain's length; [m] in all ticks


@check("30 s of play of each scene: course, truck, ragdolls, muscles, areas, GridMap; every expectation of its end and way")
def played_scenes(godot: Godot, project: Path) -> Outcome:
    """Characters, vehicles, ragdolls, areas and a GridMap as a game uses them."""
    lines, passed = [], True
    scenes.choose_engine(project, scenes.SCREE)
    for scene in scenes.named_scenes([], "play"):
        figures = scenes.run_scene(godot, project, scene.name, scene.ticks)
        bench.check_engine(figures, scenes.SCREE)
        count, faults = len(figures.extra["expectations"]), figures.missed()
        passed &= not faults and count >= LEAST_EXPECTATIONS and figures.lost == 0
        lines.append(f"{scene.name}: {count - len(faults)} of {count} hold, {figures.lost} lost; {'; '.join(faults)}")
    return Outcome("\n  ".join(lines), passed)


def call_at_random(godot: Godot, project: Path, calls: int, seed: int, timeout: float = 3600.0) -> tuple[dict, list[str]]:
    """Call the whole API at random; what the script reports, and what was wrong, in words. Raises SceneFailed for a crash."""
    scenes.choose_engine(project, scenes.SCREE)
    report = places.output_folder("prove") / "random_calls.json"
    report.unlink(missing_ok=True)
    script = ("-s", "res://measure/random_calls.gd", "--", f"--json={report}", f"--calls={calls}", f"--seed={seed}")
    run = godot.run("--headless", "--fixed-fps", "60", "--path", project, *script, timeout=timeout)
    if run.returncode != 0 or not report.is_file():
        raise scenes.SceneFailed(f"random calls, seed {seed}, ended with {run.returncode}:\n{run.output[-3000:]}")
    figures = json.loads(report.read_text(encoding="utf-8"))
    faults = [
        f"{name}, {fault['count']:.0f} times: {fault['error']} {fault['values']}" for name, fault in figures["faults"].items()
    ]
    # All errors before the last line are those of invalid calls, which the script counts itself.
    tail = run.output.partition("[end]")[2].splitlines()
    faults += [line for line in tail if "ERROR" in line or "leaked" in line]
    if not figures["engine"].startswith("Scree"):
        faults.append(f"it ran on {figures['engine']}")
    return figures, faults


@check(f"{CALLS:,} random calls of the whole API, {LEAST_VALID:.0%} valid, each method {LEAST_OF_EACH} times: no fault, no leak")
def random_calls(godot: Godot, project: Path) -> Outcome:
    """No crash, no error for a valid call, exactly one for an invalid one, nothing left at the end."""
    figures, faults = call_at_random(godot, project, CALLS, SEED)
    growth = (figures["resident"][-1] - figures["resident"][1]) / 1e6
    part = figures["valid"] / figures["calls"]
    text = (
        f"{figures['calls']:.0f} calls, {part:.1%} valid, {figures['methods']:.0f} methods, each at least "
        f"{figures['least_valid']:.0f} times valid ({figures['rarest']}), {figures['ticks']:.0f} ticks, memory {growth:+.1f} MB "
        f"from the first fifth on, seed {SEED}; {len(faults)} kinds of faults"
    )
    good = part >= LEAST_VALID and figures["least_valid"] >= LEAST_OF_EACH and growth <= MOST_GROWTH
    return Outcome("\n  ".join([text, *faults[:20]]), good and not faults)


@check(f"{CROWD:,} RigidBody3D, one in a hundred awake: at most {DEAREST_CROWD} times Jolt's tick, whose limit is raised")
def sleeping_crowd(godot: Godot, project: Path) -> Outcome:
    """The cost of sleeping bodies, and that there may be 20,000 of them without changing a setting."""
    runs = prove_step.runs_of(godot, project, "crowd", 2, 360, (f"--bodies={CROWD}",), rounds=3)
    ours, theirs, ratio = prove_step.floor_ratio(runs, CROWD_SLEEPS_FROM, 360)
    asleep = {engine: min(figures.asleep for figures in done) for engine, done in runs.items()}
    text = (
        f"{ours:.3f} / {theirs:.3f} ms a tick, {ratio:.2f} times; asleep {asleep[scenes.SCREE]} / {asleep[scenes.JOLT]} "
        f"of {CROWD}, lost {runs[scenes.SCREE][-1].lost} / {runs[scenes.JOLT][-1].lost}"
    )
    return Outcome(text, ratio <= DEAREST_CROWD and asleep[scenes.SCREE] >= 0.98 * CROWD and not runs[scenes.SCREE][-1].lost)


def node_costs(godot: Godot, project: Path, engine: str) -> list[dict]:
    """One run of measure/make_nodes.gd: rows of what 5,000 nodes cost [s]. Raises SceneFailed."""
    scenes.choose_engine(project, engine)
    report = json.loads(scenes.report_of(godot, project, ("-s", "res://measure/make_nodes.gd")))
    if report["engine"].startswith("Scree") != (engine == scenes.SCREE) or report["setting"] != engine:
        raise scenes.SceneFailed(f"{report['engine']} ran instead of {engine}")
    return report["rows"]


@check(f"5,000 RigidBody3D or Area3D made, added and freed, with a shape each and with one for all: {DEAREST_NODES} times Jolt's")
def making_nodes(godot: Godot, project: Path) -> Outcome:
    """Processor time of the main thread for loading and leaving a scene: the least of all rounds."""
    parts, least = ("made", "added", "freed"), {}
    for _ in range(NODES_ROUNDS):
        for engine in (scenes.SCREE, scenes.JOLT):
            for row in node_costs(godot, project, engine):
                costs = least.setdefault(row["what"], {}).setdefault(engine, dict.fromkeys(parts, 1e9))
                costs.update({part: min(costs[part], row[part]) for part in parts})
    lines, worst = [], 0.0
    for what, costs in least.items():
        ours, theirs = (sum(costs[engine].values()) for engine in (scenes.SCREE, scenes.JOLT))
        single = ", ".join(f"{part} {costs[scenes.SCREE][part]:.3f} and {costs[scenes.JOLT][part]:.3f}" for part in parts)
        lines.append(f"{what}: {ours:.3f} and {theirs:.3f} s, {ours / theirs:.2f} times ({single})")
        worst = max(worst, ours / theirs)
    return Outcome("\n  ".join(lines), len(least) == 4 and worst <= DEAREST_NODES)


@check(f"1,000 landing boxes: contacts_changed costs at most {DEAREST_SIGNALS} times what body_entered of each body costs")
def contact_signals(godot: Godot, project: Path) -> Outcome:
    """Processor time of the main thread for scripts that hear of each contact: the least of all rounds."""
    lines, added = [], {}
    for engine in (scenes.SCREE, scenes.JOLT):
        scenes.choose_engine(project, engine)
        report = json.loads(scenes.report_of(godot, project, ("-s", "res://measure/contact_reports.gd")))
        if report["engine"].startswith("Scree") != (engine == scenes.SCREE):
            raise scenes.SceneFailed(f"{report['engine']} ran instead of {engine}")
        least = {way: min(row["passed"] for row in report["rows"] if row["way"] == way) for way in ("nothing", "body_entered")}
        ours = [row["passed"] for row in report["rows"] if row["way"] == "contacts_changed"]
        least |= {"contacts_changed": min(ours)} if ours else {}
        added[engine] = {way: cost - least["nothing"] for way, cost in least.items()}
        lines.append(f"{engine}: " + ", ".join(f"{way} {cost:.3f}" for way, cost in least.items()) + " ms a tick")
    ratio = added[scenes.SCREE]["contacts_changed"] / added[scenes.SCREE]["body_entered"]
    lines.append(f"contacts_changed adds {ratio:.2f} times what body_entered adds")
    return Outcome("\n  ".join(lines), ratio <= DEAREST_SIGNALS)


def heavy_ends(godot: Godot, project: Path, ticks: int) -> dict[str, dict]:
    """Figures of measure/heavy_ends.gd on Scree and on Jolt: {engine: {chain or "stack": figures}}."""
    found = {}
    for engine in (scenes.SCREE, scenes.JOLT):
        scenes.choose_engine(project, engine)
        script = ("-s", "res://measure/heavy_ends.gd")
        report = json.loads(scenes.report_of(godot, project, script, (f"--ticks={ticks}",)))
        if report["engine"].startswith("Scree") != (engine == scenes.SCREE):
            raise scenes.SceneFailed(f"{report['engine']} ran instead of {engine}")
        found[engine] = report["figures"]
    return found


@check(
    f"a chain of 30 links with a 100 times heavier end stretches less than {MOST_STRETCH:.0%}, 100 kg on four boxes of 1 kg "
    f"stand {HEAVY_TICKS:,} ticks with less than {1e3 * MOST_DRIFT:.0f} mm drift; Jolt's figures beside"
)
def heavy_ends_hold(godot: Godot, project: Path) -> Outcome:
    """Mass ratios of 1:100 on joints and in contacts."""
    found = heavy_ends(godot, project, HEAVY_TICKS)
    ours, theirs = found[scenes.SCREE], found[scenes.JOLT]
    lines = [
        f"{name}: stretch at most {ours[name]['most']:.2%}, at the end {ours[name]['last']:.2%}; "
        f"Jolt {theirs[name]['most']:.1%}, {theirs[name]['last']:.1%}"
        for name in sorted(ours) if name != "stack"
    ]  # fmt: skip
    drift, sunk = (" / ".join(f"{1e3 * figures['stack'][key]:.1f}" for figures in (ours, theirs)) for key in ("drift", "sunk"))
    lines.append(f"the stack: drift {drift} mm, sunk by at most {sunk} mm (Scree / Jolt)")
    holds = all(figures["most"] < MOST_STRETCH for name, figures in ours.items() if name != "stack")
    return Outcome("\n  ".join(lines), holds and ours["stack"]["drift"] < MOST_DRIFT)
