"""The programs of examples/ run as a user would start them, from another folder, and say what they should."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SAYS = {
    "character": (
        r"\(4\.00, 1\.01, 0\.00\) m, on the floor: True\n\(5\.00, 1\.01, -?0\.00\) m, on the floor: True\n(?:.*\n)+"
        r"the crate is at 10\.\d m\n"
    ),
    "contact_counter": r"\d+ contacts began, \d+ ended, \d+ last; the hardest .* N s\n(\d+) balls in the area, which says \1\n",
    "conveyor": r"1 s: -2\.6\d m at 1\.00 m/s(?:.*\n)+6 s: .* at 3\.00 m/s\n",
    "driven_pendulum": r"from 0\.1 rad: swung up: True\nfrom 0\.5 rad: swung up: True\n",
    "many_worlds": (
        r"after 1 s the planks lean by 17 degrees at the left and -17 at the right\n"
        r"in \d{3} worlds the weight lies on something\nnow 1024 lean to the left\n"
    ),
    "rollback": r"120 corrections of 8 ticks; the ball is at \[5\.\d+, 0\.\d+, 5\.\d+\]\nas if nothing had been late: True\n",
    "structure": (
        r"40 bricks; the box is at 2\.20 m, asleep: True\nthe ray meets brick 20 of the wall\n39 bricks; the box is at 1\.70 m\n"
        r"32000 kg about 10\.0 m\n16000 kg about 5\.0 m\n"
    ),
    "ten_thousand_rays": r"straight down: Hit\(.*\n10000 rays in [\d.]+ ms: \d{4} hits on \d{3} bodies\n",
    "thousand_boxes": r"1000 boxes of 600 kg, the lowest at 0\.50 m, \d+ asleep: thousand_boxes\.png\n",
    "vehicle": r"rolls: 0 km/h(?:.*\n)+\{'throttle': 1\.0\}: [5-9]\d km/h in gear \d(?:.*\n)+\{'brake': 1\.0\}: -?0 km/h",
}


def test_there_are_ten_short_ones():
    assert {path.stem for path in EXAMPLES} == set(SAYS)
    for path in EXAMPLES:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 40 and len([line for line in lines if re.match(r"import .*\bscree$", line)]) == 1, path.name


def example(path: Path):
    """One example as a parameter, with what it needs beside the package."""
    needs = [pytest.mark.needs("matplotlib")] if path.stem == "thousand_boxes" else []
    return pytest.param(path, marks=needs, id=path.stem)


@pytest.mark.parametrize("path", [example(path) for path in EXAMPLES])
def test_an_example_runs(path, tmp_path):
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path)}
    run = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    assert re.match(SAYS[path.stem], run.stdout), run.stdout
    if path.stem == "thousand_boxes":
        assert (tmp_path / "thousand_boxes.png").stat().st_size > 10_000
