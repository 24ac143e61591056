"""The package as users get it: built as a wheel, installed into an empty environment, used from another folder."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scree.tools import places, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python
from scree.tools.prove_numba import environment_with

SOURCES = ("engine_core", "tools", "addons", "demo_project", "pyproject.toml", "README.md", "LICENSE")
EXAMPLES = "tests/api/test_examples.py"


def build_wheel(folder: Path) -> Path:
    """Build a wheel of the checkout in a folder, from a copy, because setuptools leaves its work beside the sources. Needs
    setuptools and no network. Raises SceneFailed."""
    root = places.checkout()
    if root is None:
        raise scenes.SceneFailed("a wheel is built from a checkout")
    for name in SOURCES:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy
        (folder / "sources").mkdir(parents=True, exist_ok=True)
        copy(root / name, folder / "sources" / name)
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    command = (sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, folder / "sources")
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise scenes.SceneFailed(f"no wheel was built:\n{run.stderr[-2000:]}")
    (wheel,) = folder.glob("*.whl")
    return wheel


@check("the wheel in an empty environment, with empty caches and started from other folders: every example says what it should")
def wheel_runs_examples(godot: Godot, project: Path) -> Outcome:
    """The package of a user without a checkout: no file of the engine comes from here, and everything is compiled anew."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        python = environment_with(folder / "environment", f"{wheel}[tools]", "pytest>=8")
        imported = Path(run_python("-c", "import scree; print(scree.__file__)", python=python).strip())
        begin = time.perf_counter()
        report = run_python(
            "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", EXAMPLES,
            environment={"SCREE_CACHE": str(folder / "cache")}, python=python,
        ).splitlines()[-1]  # fmt: skip
        seconds = time.perf_counter() - begin
        size = wheel.stat().st_size
        is_installed = imported.is_relative_to(folder / "environment")
    figures = f"{wheel.name}, {size / 1e6:.1f} MB: {report}; {seconds:.0f} s with all that was compiled"
    return Outcome(figures if is_installed else f"{figures}\n  but scree came from {imported}", is_installed)
