"""Python as it runs on another system or processor: Windows by wine, arm64 by qemu. Only for tests of the core's library.

Python and NumPy come from where their users have them: Debian's packages for arm64, wheels of PyPI for Windows. No wheel is
Python itself, but panda3d's brings the `python311.dll` of python.org with its modules; the standard library is this machine's, of
the same version. NumPy gets the stand-in for OpenBLAS that released addons have, so that all systems compute with the same code.
"""

import contextlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scree.runtime.source_closure import ENGINE_FOLDER
from scree.tools import debian_archive, link_core, places, small_algebra
from scree.tools.find_godot import Godot, version_of

VERSION = (3, 11)
"""The version of Python: that of panda3d's wheel, and of Debian 12."""
PANDA3D = "panda3d==1.10.16"
PANDA3D_MACOS = "macosx_11_0_universal2"
NUMPY_MACOS = {"arm64": "macosx_11_0_arm64", "x86_64": "macosx_10_9_x86_64"}
"""Wheels of NumPy that bring OpenBLAS, for which there is a stand-in; newer ones for macOS use a library of Apple's."""
NUMPY = {"arm64": "numpy==2.2.6", "windows": "numpy==2.0.2"}
"""Newer wheels for Windows need a wine that is newer than Debian 12's."""
PYTHON_ARM64 = "libpython_arm64"
"""The folder in the user's cache with Debian's Python for arm64 and its shared library."""
GODOT_ARM64 = "godot_arm64"
QEMU = "qemu_user"
"""The folder in the user's cache with Debian's emulators of other processors."""
_WINE = ("wine64", "/usr/lib/wine/wine64")
_HOST = r"""
#include <windows.h>
#include <stdio.h>
int main(void) {
  HMODULE python = LoadLibraryW(L"python311.dll");
  int (*run)(int, wchar_t **) = python ? (int (*)(int, wchar_t **))(void *)GetProcAddress(python, "Py_Main") : NULL;
  if (!run) return fprintf(stderr, "no usable python311.dll: %lu\n", GetLastError()), 2;
  int count;
  wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
  return run(count, words);
}
"""


class NotThere(Exception):
    """Another system cannot be had on this machine; the message says what is missing."""


@dataclass(frozen=True)
class OtherSystem:
    """A Python of another system: the target of its libraries, the command that starts it, the drive on which it sees files
    of this machine, its environment, and the folder that NumPy lies in."""

    target: tuple[str, str]
    command: tuple[str, ...]
    drive: str
    environment: Mapping[str, str]
    site_packages: Path

    def path(self, path: Path) -> str:
        """A path of this machine in its words."""
        return f"{self.drive}{path}".replace("/", "\\") if self.drive else str(path)

    def run(
        self, arguments: Sequence[str], packages: Sequence[Path], timeout: float, folder: Path | None = None
    ) -> subprocess.CompletedProcess:
        """Run it with arguments and these folders to import from, NumPy's included; in a folder, or in that of this process."""
        separator = ";" if self.drive else ":"
        paths = separator.join(self.path(each) for each in (*packages, self.site_packages))
        variables = {**self.environment, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
        environment = {**os.environ, **variables}
        command = [*self.command, "-S", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=timeout, env=environment, cwd=folder
        )  # fmt: skip


def _download(requirement: str, platform: str, into: Path) -> Path:
    """The wheel of a package for another platform, by pip. Raises NotThere."""
    into.mkdir(parents=True, exist_ok=True)
    there = list(into.glob(f"{requirement.replace('==', '-')}-*{platform}*.whl"))
    if not there:
        version = f"{VERSION[0]}{VERSION[1]}"
        options = ["--platform", platform, "--python-version", version, "--only-binary", ":all:", "--no-deps", "--quiet"]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", requirement, *options, "-d", str(into)], capture_output=True, text=True
        )
        there = list(into.glob(f"{requirement.replace('==', '-')}-*{platform}*.whl"))
        if done.returncode != 0 or not there:
            raise NotThere(f"pip cannot fetch {requirement} for {platform}: {done.stderr.strip()[-300:]}")
    return there[0]


def _unpack_numpy(wheel: Path, target: tuple[str, str], folder: Path) -> None:
    """Unpack NumPy, with the stand-in for OpenBLAS."""
    _unpack(wheel, folder)
    try:
        small_algebra.build(folder, target, folder / "numpy.libs")
    except small_algebra.AlgebraNotBuilt as error:
        raise NotThere(str(error)) from error


def arm64(fetch: bool = True) -> OtherSystem:
    """Linux on an arm64 processor, by qemu. `fetch`: whether what is missing is fetched. Raises NotThere."""
    qemu, cache = _qemu(fetch), places.cache_folder()
    _check_there(fetch, cache / PYTHON_ARM64 / debian_archive.COMPLETE, cache / "numpy_arm64" / "numpy")
    root = fetched(PYTHON_ARM64, ["python3", f"libpython{VERSION[0]}.{VERSION[1]}"], same_release=True)
    python = root / "usr" / "bin" / f"python{VERSION[0]}.{VERSION[1]}"
    if not python.is_file():
        raise NotThere(f"Debian gives no Python {VERSION[0]}.{VERSION[1]} for arm64: {root}")
    _link_lib(root)
    target, site = ("linux", "arm64"), cache / "numpy_arm64"
    if not (site / "numpy").is_dir():
        _unpack_numpy(_download(NUMPY["arm64"], "manylinux2014_aarch64", cache / "wheels"), target, site)
    return OtherSystem(target, (qemu, "-L", str(root), str(python)), "", {}, site)


def fetched(name: str, packages: list[str], same_release: bool = False) -> Path:
    """The folder `name` of the user's cache with Debian's packages for arm64. `same_release`: of this machine's release where it
    has them. Raises NotThere."""
    suites = (debian_archive.machine_codename(), *debian_archive.SUITES) if same_release else debian_archive.SUITES
    try:
        return debian_archive.fetch(name, packages, places.cache_folder(), suites=suites, architecture="arm64")
    except debian_archive.FetchFailed as failure:
        raise NotThere(str(failure)) from failure


def godot_arm64(fetch: bool = True) -> Godot:
    """Debian's Godot for Linux on an arm64 processor, by qemu. `fetch`: whether it is fetched where it is missing. Raises
    NotThere."""
    qemu, cache = _qemu(fetch), places.cache_folder()
    _check_there(fetch, cache / GODOT_ARM64 / debian_archive.COMPLETE)
    root = fetched(GODOT_ARM64, ["godot"])
    _link_lib(root)
    libraries = f"LD_LIBRARY_PATH={root}/usr/lib/aarch64-linux-gnu/pulseaudio"
    command = (qemu, "-L", str(root), "-E", libraries, f"{root}/usr/bin/godot")
    version = version_of(command)
    if not version:
        raise NotThere(f"the Godot in {root} does not start in {qemu}")
    return Godot(command, version, "fetched from Debian's archive, by qemu", root)


def _qemu(fetch: bool) -> str:
    """The emulator of arm64: Debian 13's, in the user's cache; else this machine's. `fetch`: whether it is fetched where it is
    missing. In versions before 8 address space that is reserved costs memory and time, seconds for a world. Raises NotThere."""
    cache = places.cache_folder()
    if fetch or (cache / QEMU / debian_archive.COMPLETE).is_file():
        with contextlib.suppress(debian_archive.FetchFailed):
            return str(debian_archive.fetch(QEMU, ["qemu-user"], cache, suites=("trixie",)) / "usr" / "bin" / "qemu-aarch64")
    found = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if not found:
        raise NotThere("qemu-aarch64 is missing: on Debian, apt install qemu-user-static")
    return found


def _link_lib(root: Path) -> None:
    """Give an unpacked Debian the links to folders that packages do not bring."""
    if not (root / "lib").exists():
        (root / "lib").symlink_to("usr/lib")


def _check_there(fetch: bool, *places_of_parts: Path) -> None:
    """Raise NotThere for a part that is not there and must not be fetched."""
    missing = [path for path in places_of_parts if not path.exists()]
    if missing and not fetch:
        raise NotThere(f"{missing[0]} is missing: `scree prove platforms` fetches it")


def wine() -> str:
    """The command of wine for 64-bit programs. Raises NotThere."""
    found = next((path for path in map(shutil.which, _WINE) if path), None)
    if not found:
        raise NotThere("wine is missing: on Debian, apt install wine64")
    return found


def windows(fetch: bool = True) -> OtherSystem:
    """Windows, by wine. `fetch`: whether what is missing is fetched. Raises NotThere."""
    command, cache, target = wine(), places.cache_folder(), ("windows", "x86_64")
    if sys.version_info[:2] != VERSION:
        raise NotThere(f"the standard library of this machine's Python is not of version {VERSION[0]}.{VERSION[1]}")
    folder, site = cache / "python_windows", cache / "numpy_windows"
    _check_there(fetch, folder / "python.exe", site / "numpy")
    if not (folder / "python.exe").is_file():
        _unpack_python(_download(PANDA3D, "win_amd64", cache / "wheels"), folder)
    if not (site / "numpy").is_dir():
        _unpack_numpy(_download(NUMPY["windows"], "win_amd64", cache / "wheels"), target, site)
    environment = {"WINEPREFIX": str(cache / "wine_prefix"), "WINEDEBUG": "-all"}
    return OtherSystem(target, (command, str(folder / "python.exe")), "Z:", environment, site)


def macos(architecture: str, fetch: bool = True) -> tuple[Path, Path]:
    """Python for macOS, which cannot be run here: the folder of python.org's shared library and its modules, for all processors,
    and the folder that NumPy for one of them lies in, of the version that this machine has. Raises NotThere."""
    if sys.version_info[:2] != VERSION:
        raise NotThere(f"the standard library of this machine's Python is not of version {VERSION[0]}.{VERSION[1]}")
    cache, numpy = places.cache_folder(), f"numpy=={importlib.metadata.version('numpy')}"
    folder, site = cache / "python_macos", cache / f"numpy_macos_{architecture}_{numpy[7:]}"
    _check_there(fetch, folder / "libpython3.11.dylib", site / "numpy")
    if not (folder / "libpython3.11.dylib").is_file():
        _unpack(_download(PANDA3D, PANDA3D_MACOS, cache / "wheels"), folder, "deploy_libs/")
    if not (site / "numpy").is_dir():
        _unpack(_download(numpy, NUMPY_MACOS[architecture], cache / "wheels"), site)
    return folder, site


def _unpack(wheel: Path, folder: Path, inner: str = "") -> None:
    """Unpack a wheel, or the files of one folder in it; the folder appears whole or not at all."""
    unfinished = folder.with_name(f"{folder.name}-unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith(inner)]
        archive.extractall(unfinished, names)
    shutil.rmtree(folder, ignore_errors=True)
    (unfinished / inner).rename(folder)
    shutil.rmtree(unfinished, ignore_errors=True)


def _unpack_python(wheel: Path, folder: Path) -> None:
    """Unpack Windows' Python, with a program that starts it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            name = Path(entry.filename)
            # The parts of Windows' C library are wine's own.
            if name.parent.name == "deploy_libs" and name.suffix in (".dll", ".pyd") and not name.name.startswith("api-ms-"):
                (folder / name.name).write_bytes(archive.read(entry))
    (folder / "Lib").symlink_to(sysconfig.get_path("stdlib"))
    (folder / "DLLs").symlink_to(".")
    source = folder / "host.c"
    source.write_text(_HOST)
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", link_core.TARGETS["windows", "x86_64"].zig, "-O2"]
    done = subprocess.run([*zig, str(source), "-o", str(folder / "python.exe"), "-lshell32"], capture_output=True, text=True)
    if done.returncode != 0:
        raise NotThere(f"the program that starts Python cannot be built: {done.stderr[-500:]}")


def engine_beside(folder: Path) -> Path:
    """A folder from which the engine of this checkout can be imported as `scree`."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "scree").is_symlink():
        (folder / "scree").symlink_to(ENGINE_FOLDER)
    return folder


SYSTEMS = {"Linux arm64 (qemu)": arm64, "Windows x86-64 (wine)": windows}
"""The systems that can be tried on this machine, by their names."""
