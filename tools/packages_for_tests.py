"""The packages that the core's tests need, for another system: wheels for its processor, unpacked into the user's cache."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from scree.tools import other_system, places

NAMES = ("pytest", "hypothesis", "pytest-benchmark", "scipy", "trimesh", "typer", "rich", "numba", "llvmlite")
"""The packages, each in the version that this machine has, but for those in `OLDER`."""
OLDER = {"windows": {"scipy": "1.13.1"}}
"""Versions that work with the NumPy of a system (`other_system.NUMPY`)."""
LEFT_OUT = {"linux": {"numba"}}
"""Packages that a system does without. Numba needs a minute for a function on an emulated processor: the functions of tests that
are declared as entry points come from libraries there (`scree build-core --project tests`)."""
PLATFORMS = {
    "windows": ("win_amd64",),
    "linux": ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"),
}
"""Platforms of wheels that a system takes."""
NOTE = "requirements.txt"
"""The file in a folder of packages that lists what it was made from."""
LIBRARIES_ARM64 = "test_libraries_arm64"
"""The folder in the user's cache with Debian's libraries for arm64 that compiled packages link to."""


def requirements(system: str, numpy: str) -> list[str]:
    """The packages that pip is asked for. `numpy`: the version that the system has."""
    older = OLDER.get(system, {})
    names = [name for name in NAMES if name not in LEFT_OUT.get(system, ())]
    return [f"{name}=={older.get(name) or importlib.metadata.version(name)}" for name in names] + [numpy]


def folder(other: other_system.OtherSystem, fetch: bool = True) -> Path:
    """The folder with the packages for a system, and with all of NumPy: tests ask for more of linear algebra than the stand-in
    for OpenBLAS has. `fetch`: whether it is made where it is not there. Raises NotThere."""
    system, architecture = other.target
    numpy = other_system.NUMPY["windows" if system == "windows" else architecture]
    wanted = requirements(system, numpy)
    place = places.cache_folder() / f"test_packages_{system}_{architecture}"
    note = place / NOTE
    if not note.is_file() or note.read_text().split("\n") != wanted:
        if not fetch:
            raise other_system.NotThere(f"{place} is missing: `scree prove platform_tests` fetches it")
        _install(wanted, PLATFORMS[system], place)
    return place


def _install(wanted: Sequence[str], platforms: Sequence[str], place: Path) -> None:
    """Unpack the wheels of packages and of what these need; the folder appears whole or not at all. Raises NotThere."""
    unfinished = place.with_name(f"{place.name}-unfinished-{os.getpid()}")
    version = ".".join(map(str, other_system.VERSION))
    options = ["--only-binary", ":all:", "--python-version", version, "--no-compile", "--quiet", "--target", str(unfinished)]
    options += [word for platform in platforms for word in ("--platform", platform)]
    done = subprocess.run([sys.executable, "-m", "pip", "install", *options, *wanted], capture_output=True, text=True)
    if done.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise other_system.NotThere(f"pip cannot fetch {', '.join(wanted)} for {platforms[0]}: {done.stderr.strip()[-500:]}")
    (unfinished / NOTE).write_text("\n".join(wanted))
    shutil.rmtree(place, ignore_errors=True)
    unfinished.rename(place)


def libraries_arm64() -> Path:
    """Debian's libraries for arm64 that Numba's and SciPy's code links to. Raises NotThere."""
    root = other_system.fetched(LIBRARIES_ARM64, ["libstdc++6", "libgomp1"], same_release=True)
    return root / "usr" / "lib" / "aarch64-linux-gnu"
