"""Runs scenes on several engines in real Godot, in turn, and compares times and quality."""

import json
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from scree.tools import bench_figures, scenes
from scree.tools.find_godot import Godot

ENGINES = (scenes.SCREE, scenes.JOLT, scenes.GODOT_PHYSICS)
QUALITY = ("kinetic_energy_per_body", "deepest_penetration", "height", "lost", "asleep")


@dataclass(frozen=True)
class Plan:
    """The scenes and engines to run, and the number of rounds."""

    scenes: tuple[scenes.Scene, ...]
    engines: tuple[str, ...] = ENGINES
    rounds: int = 7
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)
    ticks: int | None = None  # None: each scene's own number
    skip: int = 10  # ticks at the start that are not counted: caches fill, pools grow
    options: tuple[str, ...] = ()  # handed on to the scene


@dataclass(frozen=True)
class EngineResult:
    """One engine in one scene."""

    engine: str
    times: bench_figures.TickTimes
    ratio: float | None  # of floors, to Jolt's
    quality: dict[str, float]  # at the end of the last round
    same_every_round: bool  # whether every round ended with the same quality figures
    rounds: tuple[tuple[float, ...], ...]  # each tick's time, round by round


@dataclass(frozen=True)
class SceneResult:
    """All engines in one scene."""

    scene: str
    bodies: int
    ticks: int
    engines: tuple[EngineResult, ...]


def run(godot: Godot, project: Path, plan: Plan, report: Callable[[str], None] = print) -> list[SceneResult]:
    """Run the plan on `project`, a copy of the demo project with the addon. Raises scenes.SceneFailed."""
    return [_run_scene(godot, project, plan, scene, report) for scene in plan.scenes]


def _run_scene(godot: Godot, project: Path, plan: Plan, scene: scenes.Scene, report: Callable[[str], None]) -> SceneResult:
    runs: dict[str, list[scenes.Figures]] = {engine: [] for engine in plan.engines}
    ticks = plan.ticks or scene.ticks
    for number in range(plan.rounds):
        for engine in plan.engines:
            scenes.choose_engine(project, engine, plan.threads)
            figures = scenes.run_scene(godot, project, scene.name, ticks, plan.options)
            check_engine(figures, engine)
            runs[engine].append(figures)
            mean = sum(figures.tick_ms) / len(figures.tick_ms)
            report(f"{scene.name}, round {number + 1} of {plan.rounds}: {engine} {mean:.2f} ms a tick")
    return scene_result(scene.name, ticks, runs, plan.skip)


def check_engine(figures: scenes.Figures, engine: str) -> None:
    """Godot falls back to its default engine in silence; here that is an error (SceneFailed)."""
    setting = figures.extra.get("engine_setting", engine)
    is_scree = figures.engine.startswith("Scree")
    if setting != engine or is_scree != (engine == scenes.SCREE):
        raise scenes.SceneFailed(
            f"scene {figures.scene} ran on {figures.engine} ({setting}) instead of {engine}; "
            "`scree doctor` says why an engine does not start"
        )


def scene_result(scene: str, ticks: int, runs: dict[str, list[scenes.Figures]], skip: int) -> SceneResult:
    """The comparison of what every engine's rounds reported."""
    rounds = {engine: tuple(figures.tick_ms for figures in done) for engine, done in runs.items()}
    times = {engine: bench_figures.tick_times(of_engine, skip) for engine, of_engine in rounds.items()}
    ratio = bench_figures.ratios({engine: of_engine.floor for engine, of_engine in times.items()}, scenes.JOLT)
    results = []
    for engine, done in runs.items():
        quality = [{name: float(getattr(figures, name)) for name in QUALITY} for figures in done]
        same = all(of_round == quality[0] for of_round in quality)
        results.append(EngineResult(engine, times[engine], ratio[engine], quality[-1], same, rounds[engine]))
    return SceneResult(scene, next(iter(runs.values()))[0].bodies, ticks, tuple(results))


def machine() -> dict[str, object]:
    """The machine that the figures depend on: processor, cores, system."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = cpuinfo.read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return {"processor": model, "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"}


def write_json(path: Path, results: Sequence[SceneResult], plan: Plan, godot: Godot) -> None:
    """All figures and every tick's time."""
    facts = {
        "machine": machine(),
        "godot": godot.version,
        "threads": plan.threads,
        "rounds": plan.rounds,
        "skipped_ticks": plan.skip,
        "scenes": [asdict(result) for result in results],
    }
    path.write_text(json.dumps(facts, indent=1))
