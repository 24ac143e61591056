"""Tiles from anywhere: whatever stands in a file whose checksums are right, nobody dies, nothing hangs, the world goes on."""

import os
import select
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engine_core.shapes import schema, settings
from engine_core.streaming import tile_file
from engine_core.streaming.baking import Bake
from tests.long_form import size
from tests.streaming import tile_mutants
from tests.streaming.tile_mutants import Mutant

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = int(size(500, in_full=100_000))
FIRST = int(os.environ.get("SCREE_FIRST_MUTANT", 0))
AT_A_TIME = 2000
LONGEST = 10.0  # [s] that a mutant may take on a busy machine; they take milliseconds


class Players:
    """The process that plays mutants, and what it says."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.streaming.tile_mutants"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.unread = b""
        assert self.line(600.0) == "ready"

    def line(self, timeout: float) -> str | None:
        """The next line, or None: nothing was said for so long [s]."""
        while b"\n" not in self.unread:
            if not select.select([self.process.stdout], [], [], timeout)[0]:
                return None
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            assert got, "the process that plays mutants has ended"
            self.unread += got
        line, self.unread = self.unread.split(b"\n", 1)
        return line.decode()

    def play(self, first: int, last: int, verdicts: Counter) -> list[str]:
        """Play the mutants of these seeds; what should not have been."""
        faults, child, seed = [], 0, first
        while seed < last:
            self.process.stdin.write(f"{seed} {last}\n".encode())
            self.process.stdin.flush()
            while True:
                line = self.line(LONGEST)
                if line is None:
                    faults.append(f"mutant {seed} hangs")
                    os.kill(child, signal.SIGKILL)
                    continue
                if line.startswith("ended"):
                    if line != "ended 0" and not (faults and faults[-1].endswith("hangs")):
                        faults.append(f"mutant {seed} {line}")
                    seed += 1
                    break
                if line.startswith("begin"):
                    _, child, seed = (int(word) if word.isdigit() else word for word in line.split())
                else:
                    verdicts[line.split()[0].rstrip(":")] += 1
                    if line.startswith("raised"):
                        faults.append(f"mutant {seed} {line}")
        return faults

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait(30)


def test_mutants_with_right_checksums_harm_nobody():
    players, verdicts, faults = Players(), Counter(), []
    for first in range(FIRST, FIRST + MUTANTS, AT_A_TIME):
        faults += players.play(first, min(first + AT_A_TIME, FIRST + MUTANTS), verdicts)
    players.end()
    print(f"{MUTANTS} mutants of tiles with right checksums: {dict(verdicts)}, {len(faults)} crash, hang or raise")
    assert faults == []
    assert verdicts["played"] > MUTANTS // 20 and verdicts["refused"] > MUTANTS // 5
