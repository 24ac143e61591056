"""Checks that results have the same bits for any number of threads and any kind of processor."""

import json
from pathlib import Path

from scree.tools import scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python

STEPS = 2000
FEW = 10  # a body is to be freed and another made at least so often [ticks]
THREADS = (1, 2, 3, 4, 8)
PLAIN = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""}
"""A processor without AVX and without fused multiply-add."""


def hashes(threads: int, environment: dict[str, str]) -> list[str]:
    """A hash of the world after each step of the heap of tests/runtime, run in a process of its own; 0 threads: by the job system
    that has one thread and no pool."""
    return run_python("tests/runtime/print_hashes.py", threads, STEPS, environment=environment).split()


def hashes_in_godot(godot: Godot, project: Path, job_system: int, threads: int, ticks: int = STEPS) -> list[int]:
    """A hash of all transforms after each tick of measure/hash_steps.gd in real Godot. Raises SceneFailed where too little was
    freed and made on the way."""
    scenes.choose_engine(project, scenes.SCREE, threads, job_system)
    target = ("-s", "res://measure/hash_steps.gd")
    report = json.loads(scenes.report_of(godot, project, target, (f"--ticks={ticks}",)))
    if report["engine"] != "ScreePhysicsServer3D":
        raise scenes.SceneFailed(f"it ran on {report['engine']}")
    if len(report["hashes"]) != ticks or report["replaced"] < ticks // FEW:
        raise scenes.SceneFailed(f"{report['replaced']:.0f} bodies were replaced in {len(report['hashes'])} of {ticks} ticks")
    return report["hashes"]


@check(f"{STEPS} ticks in Godot, bodies freed and made on the way: equal hashes by own threads, one and Godot's WorkerThreadPool")
def same_bits_in_godot(godot: Godot, project: Path) -> Outcome:
    """The job system has no influence on the result."""
    expected = hashes_in_godot(godot, project, 1, 1)
    faults = [] if len(set(expected)) > STEPS // 2 else ["the scene does not move"]
    for job_system, threads, name in ((0, 2, "own threads"), (2, 2, "Godot's, 2"), (2, 4, "Godot's, 4")):
        found = hashes_in_godot(godot, project, job_system, threads)
        different = [tick for tick in range(STEPS) if found[tick] != expected[tick]]
        faults += [f"{name}: first difference in tick {different[0]}"] if different else []
    return Outcome("; ".join(faults) or f"{len(expected)} hashes equal in 4 runs", not faults)


@check(f"{STEPS} steps with bodies added and removed: equal hashes with {THREADS} threads and on a plain x86-64 processor")
def same_bits(godot: Godot, project: Path) -> Outcome:
    """Threads, job systems and processors change nothing."""
    expected = hashes(1, {})
    faults = [] if len(expected) == STEPS and len(set(expected)) > STEPS // 2 else ["the scene does not move"]
    runs = [(threads, {}, f"{threads} threads") for threads in THREADS[1:]]
    runs += [(0, {}, "the job system of one thread"), (2, PLAIN, "plain x86-64")]
    for threads, environment, name in runs:
        found = hashes(threads, environment)
        different = [step for step in range(STEPS) if found[step] != expected[step]]
        faults += [f"{name}: first difference in step {different[0]}"] if different else []
    return Outcome("; ".join(faults) or f"{len(expected)} hashes equal in {len(runs) + 1} runs", not faults)
