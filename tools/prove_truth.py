"""The table of truth: what formulas of physics say, and what Scree, Jolt and GodotPhysics3D do, in real Godot.

The rows come from `tests/truth/gd/truth_*.gd`, run by each engine with a new project's own settings. A row fails where Scree is
more than its tolerance off a formula, or worse than the better of the two others. Needs a checkout.
"""

import csv
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from scree.tools import install_addon, places, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python
from scree.tools.scenes import GODOT_PHYSICS, JOLT, SCREE, SceneFailed

ENGINES = (SCREE, JOLT, GODOT_PHYSICS)
SEEDS = 1000
LONGEST_RUN = 1800.0  # [s] of one file on one engine
COLUMNS_TOLD = ("name", "unit", "expected", "allowed", "factor")
COLUMNS = ("test", "expected", *ENGINES, "verdict")
_PROJECT = 'config_version=5\n\n[application]\n\nconfig/name="Truth"\n\n[physics]\n\n3d/physics_engine="{engine}"\n'
_HEAD = """# What physics says, and what three engines do

Made by `python3 tools/scree.py prove truth` in real Godot {version}: the same GDScript on each engine at 60 ticks a second, with
a new project's own settings. The column *expected* is what a formula gives and how far off a value may be, or says that less is
better and by how much it may be more. *off*: Scree is farther from the formula than that; *worse*: it is also worse than the
better of the two others; *-*: no value came.

"""


@dataclass
class Row:
    """One value of the table: what is expected of it, and what each engine gave; None where it gave none."""

    test: str
    unit: str
    expected: float | None  # None: the less the better
    allowed: float
    factor: float = 1.0  # times the better of the others, where less is better
    values: dict[str, float | None] = field(default_factory=dict)

    def error(self, engine: str) -> float:
        """How bad an engine's value is: its distance from the formula, or itself."""
        value = self.values.get(engine)
        if value is None:
            return float("inf")
        return abs(value) if self.expected is None else abs(value - self.expected)

    def verdict(self) -> str:
        """ "holds", "off" or "worse"."""
        ours, best = self.error(SCREE), min(self.error(JOLT), self.error(GODOT_PHYSICS))
        is_worse = ours > best * self.factor + self.allowed or self.values.get(SCREE) is None
        if self.expected is None or is_worse:
            return "worse" if is_worse else "holds"
        return "holds" if ours <= self.allowed else "off"

    def cells(self) -> tuple[str, ...]:
        """The cells of the row in the table."""
        if self.expected is None:
            times = f"times {self.factor:.3g} " if self.factor != 1.0 else ""
            expected = f"least {times}+ {self.allowed:.3g} {self.unit}"
        else:
            expected = f"{self.expected:.4g} ± {self.allowed:.2g} {self.unit}".rstrip()
        values = (self.values.get(engine) for engine in ENGINES)
        return (self.test, expected, *("-" if value is None else f"{value:.4g}" for value in values), self.verdict())


def row_files() -> list[str]:
    """The names of the GDScripts that tell rows. Raises SceneFailed without a checkout."""
    return [path.stem for path in sorted((_tests() / "truth" / "gd").glob("truth_*.gd")) if path.stem != "truth_scene"]


def _tests() -> Path:
    root = places.checkout()
    if root is None:
        raise SceneFailed("this check needs a checkout: what it runs does not come with the package")
    return root / "tests"


def make_project(folder: Path) -> Path:
    """A project of default settings that holds the rows' GDScripts and the addon."""
    folder.mkdir(parents=True)
    (folder / "project.godot").write_text(_PROJECT.format(engine=SCREE), encoding="utf-8")
    shutil.copytree(_tests() / "truth" / "gd", folder / "truth")
    (folder / "gd").mkdir()
    shutil.copy(_tests() / "godot" / "gd" / "physics_test.gd", folder / "gd")
    install_addon.install(folder)
    return folder


def run_rows(godot: Godot, project: Path, engine: str, file: str, only: str = "") -> list[dict]:
    """Results of a file's functions on an engine; after a crash, those from before it. Raises SceneFailed on another engine."""
    scenes.choose_engine(project, engine)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "rows.json"
        options = [f"--json={report}", f"--file={file}", *([f"--only={only}"] if only else [])]
        run = godot.run(
            "--headless", "--fixed-fps", "60", "--path", project, "-s", "res://truth/run_truth.gd", "--", *options,
            timeout=LONGEST_RUN,
        )  # fmt: skip
        if not report.is_file():
            if engine == SCREE or "SCRIPT ERROR" in run.output:
                raise SceneFailed(f"{file} on {engine} ended with {run.returncode}:\n{run.output[-3000:]}")
            return []
        found = json.loads(report.read_text(encoding="utf-8"))
    if found["setting"] != engine or found["server"].startswith("Scree") != (engine == SCREE):
        raise SceneFailed(f"{found['server']} ({found['setting']}) ran instead of {engine}")
    if "SCRIPT ERROR" in run.output or "did not end" in run.output:
        raise SceneFailed(f"{file} on {engine}:\n{run.output[-3000:]}")
    return found["rows"]


def table_of(told: Mapping[str, Sequence[dict]]) -> list[Row]:
    """Rows side by side, by their names: {engine: rows it told}."""
    table: dict[str, Row] = {}
    for engine, rows in told.items():
        for row in rows:
            known = table.setdefault(row["name"], Row(*(row[key] for key in COLUMNS_TOLD)))
            known.values[engine] = row["value"]
    return list(table.values())


def measure(
    godot: Godot, files: Sequence[str], engines: Sequence[str] = ENGINES, only: str = "", report: Callable[[str], None] = print
) -> list[Row]:
    """Run the files on the engines, one process each. Raises SceneFailed."""
    table = []
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder) / "project")
        for file in files:
            told = {engine: run_rows(godot, project, engine, file, only) for engine in engines}
            table += table_of(told)
            report(f"{file}: {', '.join(f'{engine} {len(rows)} rows' for engine, rows in told.items())}")
    return table


def as_text(table: Sequence[Row]) -> str:
    """The table as it is printed."""
    drawn = Table(*COLUMNS)
    for row in table:
        drawn.add_row(*row.cells())
    text = io.StringIO()
    Console(file=text, width=180).print(drawn)
    return text.getvalue()


def as_markdown(table: Sequence[Row], version: str) -> str:
    """The page docs/truth.md."""
    lines = [" | ".join(COLUMNS), " | ".join(["---"] * len(COLUMNS)), *(" | ".join(row.cells()) for row in table)]
    return _HEAD.format(version=version) + "\n".join(f"| {line} |" for line in lines) + "\n"


def write_csv(path: Path, table: Sequence[Row]) -> None:
    """The table in full precision."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("test", "unit", "expected", "allowed", *ENGINES, "verdict"))
        for row in table:
            values = (row.values.get(engine) for engine in ENGINES)
            writer.writerow((row.test, row.unit, row.expected, row.allowed, *values, row.verdict()))


@check("what formulas of physics say: Scree within 1 %, and never worse than the better of Jolt and GodotPhysics3D")
def truth(godot: Godot, project: Path) -> Outcome:
    """The whole table, also written to docs/truth.md and out/truth/truth.csv."""
    table = measure(godot, row_files())
    folder = places.output_folder("truth")
    write_csv(folder / "truth.csv", table)
    (_tests().parent / "docs" / "truth.md").write_text(as_markdown(table, godot.version), encoding="utf-8")
    print(as_text(table))
    return verdict_of(table)


def verdict_of(table: Sequence[Row]) -> Outcome:
    """How many rows hold; those that do not by name."""
    failing = [row for row in table if row.verdict() != "holds"]
    counted = f"{len(table) - len(failing)} of {len(table)} rows hold"
    lines = [f"{row.verdict()}: {row.test} ({', '.join(row.cells()[1:5])})" for row in failing]
    return Outcome("\n  ".join([counted, *lines]), bool(table) and not failing)


@check(f"{SEEDS:,} random scenes: energy, momentum, inside and outside, symmetry, sizes; every fault is mended or listed")
def random_truth(godot: Godot, project: Path) -> Outcome:
    """The random search on the core alone; `python -m tests.truth.random_search --seed N` plays one again."""
    found = json.loads(run_python("-m", "tests.truth.random_search", "--count", SEEDS).strip().splitlines()[-1])
    lines = [f"{found['seeds']} seeds in {found['seconds']:.0f} s, {found['failing']} with faults"]
    for name, group in sorted(found["groups"].items()):
        listed = "not listed" if name in found["not_listed"] else "listed"
        lines.append(f"{len(group['seeds'])} seeds, {name}: worst {group['worst']:.3g}, seed {group['worst_seed']} ({listed})")
    lines += [f"listed, and no longer found: {name}" for name in found["not_found"]]
    return Outcome("\n  ".join(lines), not found["not_listed"] and not found["not_found"])
