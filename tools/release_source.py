"""The Python that a release brings: this machine's for its own system, Debian's for Linux on arm64, and python.org's for Windows
and macOS (`other_system.py`)."""

import functools
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

from scree.tools import find_python, macho, other_system

_SYSTEM_LIBRARIES = re.compile(r"lib(c|m|dl|rt|util|pthread)\.so\.|ld-linux|linux-vdso|libscipy_openblas|libgfortran|libquadmath")

_OF_MACOS = re.compile(r"/usr/lib/|/System/|@loader_path/\.\./\.dylibs/libscipy_openblas")
"""Libraries that every macOS has, and the one that `small_algebra.py` stands in for."""


class NotReleased(Exception):
    """The release cannot be made; the message says why."""


@dataclass(frozen=True)
class PythonSource:
    """A Python of a target such as `("linux", "x86_64")`.

    `run`: what a program prints in it, with the engine and NumPy at hand; `path_of`: the path on this machine of a file that it
    names. `dynamic`: the folder of the standard library's extension modules, whose names end in `suffix`. `libraries`: the
    libraries that some files need beyond what every such system has, by their names. `documents`: the folder with the licences of
    Debian's packages that they come from."""

    target: tuple[str, str]
    libpython: Path
    site_packages: Path
    dynamic: Path
    suffix: str
    run: Callable[[str], str]
    path_of: Callable[[str], Path]
    libraries: Callable[[list[Path]], dict[str, Path]]
    documents: Path = Path("/usr/share/doc")

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


def _had(get: Callable[[], other_system.OtherSystem]) -> other_system.OtherSystem:
    """Another system on this machine. Raises NotReleased."""
    try:
        return get()
    except other_system.NotThere as error:
        raise NotReleased(str(error)) from error


def _run_on(system: other_system.OtherSystem, program: str) -> str:
    """Run a program on another system and return its output. Raises NotReleased."""
    with tempfile.TemporaryDirectory() as made:
        done = system.run(["-c", program], [other_system.engine_beside(Path(made))], 600.0)
    if done.returncode != 0:
        raise NotReleased(f"the engine cannot be imported on {'.'.join(system.target)}: {done.stderr[-2000:]}")
    return done.stdout


def of_linux_arm64() -> PythonSource:
    """Debian's Python for Linux on arm64. Raises NotReleased."""
    system = _had(other_system.arm64)
    root = Path(system.command[2])
    version, shared = "{}.{}".format(*other_system.VERSION), root / "usr/lib/aarch64-linux-gnu"

    def libraries(files: list[Path]) -> dict[str, Path]:
        found: dict[str, Path] = {}
        waiting = list(files)
        while waiting:
            told = subprocess.run(["readelf", "--dynamic", str(waiting.pop())], capture_output=True, text=True).stdout
            for name in re.findall(r"\(NEEDED\).*\[(.+)\]", told):
                file = shared / name
                if name not in found and file.is_file() and not _SYSTEM_LIBRARIES.search(name) and "libpython" not in name:
                    found[name] = file
                    waiting.append(file)
        return found

    dynamic = root / "usr/lib" / f"python{version}" / "lib-dynload"
    return PythonSource(
        system.target, shared / f"libpython{version}.so.1.0", system.site_packages, dynamic, ".so",
        functools.partial(_run_on, system), Path, libraries, root / "usr/share/doc",
    )  # fmt: skip


def of_windows() -> PythonSource:
    """Python for Windows. Raises NotReleased."""
    system = _had(other_system.windows)
    folder = Path(system.command[1]).parent

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
        system.target, folder / "python311.dll", system.site_packages, folder, ".pyd", functools.partial(_run_on, system),
        path_of, libraries,
    )  # fmt: skip


def of_macos(architecture: str) -> PythonSource:
    """python.org's Python for macOS. It cannot be run here: its modules are those that this machine's Python imports, with the
    same version of NumPy. Raises NotReleased."""
    import numpy

    try:
        folder, site = other_system.macos(architecture)
    except other_system.NotThere as error:
        raise NotReleased(str(error)) from error
    own = Path(numpy.__file__).parent.parent

    def path_of(origin: str) -> Path:
        file = site / Path(origin).relative_to(own)
        return file if file.suffix == ".py" else file.with_name(f"{file.name.split('.')[0]}.cpython-311-darwin.so")

    def libraries(files: list[Path]) -> dict[str, Path]:
        for file in files:
            needed = macho.loaded_libraries(macho.part_of(file.read_bytes(), architecture))
            lacking = [name for name in needed if not _OF_MACOS.match(name) and Path(name).name != file.name]
            if lacking:
                raise NotReleased(f"{file.name} needs {', '.join(lacking)}, which not every macOS has")
        return {}

    return PythonSource(
        ("macos", architecture), folder / "libpython3.11.dylib", site, folder, ".so", _run_here, path_of, libraries
    )  # fmt: skip


SOURCES = {
    ("linux", "x86_64"): of_this_machine, ("linux", "arm64"): of_linux_arm64, ("windows", "x86_64"): of_windows,
    ("macos", "arm64"): functools.partial(of_macos, "arm64"), ("macos", "x86_64"): functools.partial(of_macos, "x86_64"),
}  # fmt: skip
"""The targets that a release can be made for."""


def strip(library: Path, target: tuple[str, str]) -> None:
    """Take the symbols for debuggers out of a library of this machine's system; those of others have none."""
    if target == ("linux", "x86_64") and shutil.which("strip"):
        subprocess.run(["strip", "--strip-unneeded", str(library)], check=True)
