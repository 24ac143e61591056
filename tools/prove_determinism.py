"""The same bits, whatever the number of threads and the kind of processor."""

import os
import subprocess
import sys
from pathlib import Path

from scree_tools.find_godot import Godot
from scree_tools.places import checkout
from scree_tools.prove import Outcome, check

STEPS = 2000
THREADS = (1, 2, 3, 4, 8)
PLAIN = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""}
"""A processor without AVX and without fused multiply-add."""


def hashes(threads: int, environment: dict[str, str]) -> list[str]:
    """A hash of the world after each step of the heap of tests/runtime, run in a process of its own."""
    root = checkout()
    command = [sys.executable, str(root / "tests" / "runtime" / "print_hashes.py"), str(threads), str(STEPS)]
    paths = os.pathsep.join((str(root), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(command, env={**os.environ, **environment, "PYTHONPATH": paths}, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return done.stdout.split()


@check(f"{STEPS} steps with bodies added and removed: equal hashes with {THREADS} threads and on a plain x86-64 processor")
def same_bits(godot: Godot, project: Path) -> Outcome:
    """Threads and processors change nothing."""
    expected = hashes(1, {})
    faults = [] if len(expected) == STEPS and len(set(expected)) > STEPS // 2 else ["the scene does not move"]
    for threads, environment, name in (*((t, {}, f"{t} threads") for t in THREADS[1:]), (2, PLAIN, "plain x86-64")):
        found = hashes(threads, environment)
        different = [step for step in range(STEPS) if found[step] != expected[step]]
        faults += [f"{name}: first difference in step {different[0]}"] if different else []
    return Outcome("; ".join(faults) or f"{len(expected)} hashes equal in {len(THREADS) + 1} runs", not faults)
