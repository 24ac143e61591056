"""The Python that a release brings: this machine's for its own system, and python.org's for Windows (`other_system.py`)."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scree.tools import find_python, other_system

_SYSTEM_LIBRARIES = re.compile(r"lib(c|m|dl|rt|util|pthread)\.so\.|ld-linux|linux-vdso|libscipy_openblas|libgfortran|libquadmath")


class NotReleased(Exception):
    """The release cannot be made; the message says why."""


@dataclass(frozen=True)
class PythonSource:
    """A Python of a target such as `("linux", "x86_64")`.

    `run`: what a program prints in it, with the engine and NumPy at hand; `path_of`: the path on this machine of a file that it
    names. `dynamic`: the folder of the standard library's extension modules, whose names end in `suffix`. `libraries`: the
    libraries that some files need beyond what every such system has, by their names."""

    target: tuple[str, str]
    libpython: Path
    site_packages: Path
    dynamic: Path
    suffix: str
    run: Callable[[str], str]
    path_of: Callable[[str], Path]
    libraries: Callable[[list[Path]], dict[str, Path]]

    def extension(self, name: str) -> Path | None:
        """The file of an extension module of the standard library, or None."""
        found = [*self.dynamic.glob(f"{name}.*{self.suffix}"), *self.dynamic.glob(f"{name}{self.suffix}")]
        return found[0] if found else None


def _run_here(program: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise NotReleased(f"the engine cannot be imported: {done.stderr[-2000:]}")
    return done.stdout


def needed_libraries(files: list[Path]) -> dict[str, Path]:
    """Shared libraries of this machine that files need beyond what every Linux has, by their names."""
    found: dict[str, Path] = {}
    for file in files:
        done = subprocess.run(["ldd", str(file)], capture_output=True, text=True)
        for name, path in re.findall(r"(\S+) => (/\S+)", done.stdout):
            if not _SYSTEM_LIBRARIES.search(name):
                found[name] = Path(path)
    return found


def of_this_machine() -> PythonSource:
    """The Python that runs this. Raises find_python.PythonNotUsable."""
    import numpy

    dynamic = Path(sysconfig.get_path("stdlib")) / "lib-dynload"
    site = Path(numpy.__file__).parent.parent
    libpython = find_python.libpython()
    return PythonSource(("linux", "x86_64"), libpython, site, dynamic, ".so", _run_here, Path, needed_libraries)


def of_windows() -> PythonSource:
    """Python for Windows. Raises NotReleased."""
    try:
        system = other_system.windows()
    except other_system.NotThere as error:
        raise NotReleased(str(error)) from error
    folder = Path(system.command[1]).parent

    def run(program: str) -> str:
        with tempfile.TemporaryDirectory() as made:
            done = system.run(["-c", program], [other_system.engine_beside(Path(made))], 600.0)
        if done.returncode != 0:
            raise NotReleased(f"the engine cannot be imported on Windows: {done.stderr[-2000:]}")
        return done.stdout

    def libraries(files: list[Path]) -> dict[str, Path]:
        beside = {
            file.name.lower(): file for place in (folder, system.site_packages / "numpy.libs") for file in place.glob("*.dll")
        }
        found, waiting = {}, list(files)
        while waiting:
            for word in re.findall(rb"[\w.-]+\.dll", waiting.pop().read_bytes(), re.IGNORECASE):
                file = beside.get(word.decode().lower())
                if file and file.name not in found and "openblas" not in file.name and not file.name.startswith("python"):
                    found[file.name] = file
                    waiting.append(file)
        order = [name for name in found if name.lower().startswith("vcruntime")]
        return {name: found[name] for name in [*order, *(name for name in found if name not in order)]}

    def path_of(origin: str) -> Path:
        return Path(origin.removeprefix("Z:").replace("\\", "/"))

    return PythonSource(
        system.target, folder / "python311.dll", system.site_packages, folder, ".pyd", run, path_of, libraries
    )  # fmt: skip


SOURCES = {("linux", "x86_64"): of_this_machine, ("windows", "x86_64"): of_windows}
"""The targets that a release can be made for."""


def strip(library: Path) -> None:
    """Take the symbols for debuggers out of a library of Linux."""
    if library.suffix not in (".pyd", ".dll") and shutil.which("strip"):
        subprocess.run(["strip", "--strip-unneeded", str(library)], check=True)
