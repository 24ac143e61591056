"""Both ends of the range of Numba's versions: the inside is as needed, and both ways to compile give the same bits."""

import subprocess
import sys
import tempfile
from pathlib import Path

from scree.runtime import numba_versions as versions
from scree.runtime.kernel_compiler import PLAIN
from scree.tools import places, scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python
from scree.tools.scree import python_of

CONTRACT = "tests/runtime/test_numba_inside.py"
SMALL_WORLD = "tests/runtime/small_world.py"
LONGEST_INSTALLATION = 1200.0  # [s]


def environment_with(folder: Path, *packages: str) -> Path:
    """The interpreter of a new virtual environment with these packages, given as to pip. Raises SceneFailed."""
    python = python_of(folder)
    for command in (
        (sys.executable, "-m", "venv", folder),
        (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages),
    ):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_INSTALLATION)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise scenes.SceneFailed(f"{', '.join(packages)} cannot be installed: {error}") from error
        if done.returncode != 0:
            said = (done.stdout + done.stderr)[-2000:]
            raise scenes.SceneFailed(f"{', '.join(packages)} cannot be installed:\n{said}")
    return python


def small_world(python: Path, packages: Path, cache: Path, plain: str) -> tuple[str, float, str]:
    """The way that the small world was compiled, seconds to its first step, and the hash of all that came of it."""
    environment = {PLAIN: plain, "SCREE_CACHE": str(cache)}
    way, seconds, digest = run_python(SMALL_WORLD, environment=environment, python=python, packages=packages).split()
    return way, float(seconds), digest


def try_one(folder: Path, requirement: str) -> tuple[str, list[str]]:
    """Try one version in an environment of its own: figures, and what is wrong. Raises SceneFailed."""
    python = environment_with(folder / "environment", "numpy>=2.0", requirement, "pytest>=8")
    root = places.checkout()
    if root is None:
        raise scenes.SceneFailed("this check needs a checkout: what it runs does not come with the package")
    packages = folder / "packages"
    packages.mkdir()
    (packages / "scree").symlink_to(root / "engine_core")
    version = run_python("-c", "import numba; print(numba.__version__)", python=python, packages=packages).strip()
    contract = run_python(
        "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", CONTRACT,
        environment={"SCREE_CACHE": str(folder / "cache")}, python=python, packages=packages,
    ).splitlines()[-1]  # fmt: skip
    ways = [small_world(python, packages, folder / "cache", plain) for plain in ("0", "1")]
    faults = [] if [way for way, *_ in ways] == ["inside", "plain"] else [f"{version}: compiled {ways[0][0]} and {ways[1][0]}"]
    faults += [] if ways[0][2] == ways[1][2] else [f"{version}: other bits in the plain way"]
    seconds = "; ".join(f"{way} {seconds:.0f} s to the first step" for way, seconds, _ in ways)
    return f"Numba {version}: contract {contract}; {seconds}", faults


@check(f"Numba {versions.RANGE}: at both ends its inside is as needed, and a small world compiled plainly has the same bits")
def numba_versions(godot: Godot, project: Path) -> Outcome:
    """A new environment for the lowest and for the newest version, empty caches."""
    figures, faults = [], []
    for requirement in (versions.LOWEST_REQUIREMENT, versions.NEWEST_REQUIREMENT):
        with tempfile.TemporaryDirectory() as folder:
            said, wrong = try_one(Path(folder), requirement)
        figures.append(said)
        faults += wrong
    return Outcome("\n  ".join([*figures, *faults]), not faults)
