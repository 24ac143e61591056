"""Compiling the loader, the one C file of the addon, for this machine or another."""

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scree.tools.places import cache_folder

# The libraries that scree.gdextension names: by (system, architecture), the file in bin/ and Zig's name of the target.
TARGETS = {
    ("linux", "x86_64"): ("libscree.linux.x86_64.so", "x86_64-linux-gnu"),
    ("linux", "arm64"): ("libscree.linux.arm64.so", "aarch64-linux-gnu"),
    ("windows", "x86_64"): ("libscree.windows.x86_64.dll", "x86_64-windows-gnu"),
    ("macos", "x86_64"): ("libscree.macos.x86_64.dylib", "x86_64-macos"),
    ("macos", "arm64"): ("libscree.macos.arm64.dylib", "aarch64-macos"),
}


class LoaderNotBuilt(Exception):
    """The loader cannot be compiled; the message says why and how to mend it."""


def this_machine() -> tuple[str, str]:
    """The key of TARGETS that stands for this machine. Raises LoaderNotBuilt for a machine that is not in it."""
    system = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}.get(platform.system(), platform.system())
    machine = platform.machine().lower()
    architecture = {"amd64": "x86_64", "aarch64": "arm64"}.get(machine, machine)
    if (system, architecture) not in TARGETS:
        raise LoaderNotBuilt(f"the loader has never been built for {system} {architecture}")
    return system, architecture


def library_name(target: tuple[str, str] | None = None) -> str:
    """The file name of the loader's library for `target`, or for this machine."""
    return TARGETS[target or this_machine()][0]


def compiler() -> list[str]:
    """A C compiler's command: CC, what the machine has, else Zig's from PyPI. Raises LoaderNotBuilt."""
    if os.environ.get("CC"):
        return os.environ["CC"].split()
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    raise LoaderNotBuilt("no C compiler: install gcc (on Debian: apt install gcc libc6-dev) or set CC")


def cross_compiler(target: tuple[str, str]) -> list[str]:
    """The command that compiles for `target` on any machine, with the package `ziglang`."""
    return [sys.executable, "-m", "ziglang", "cc", "-target", TARGETS[target][1]]


def _environment() -> dict[str, str]:
    """Zig builds each target's runtime once, and keeps it only where it is told to: a minute for Windows."""
    return {"ZIG_LOCAL_CACHE_DIR": str(cache_folder() / "zig"), **os.environ}


def build(source: Path, output: Path, command: list[str], system: str) -> Path:
    """Compile `source` into the shared library `output` for `system`. Raises LoaderNotBuilt with the compiler's words.

    The library is replaced in one step, so that a Godot that has the old one open keeps it whole.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    options = ["-O2", "-Wall", "-Wextra", "-shared", "-s"]
    options += [] if system == "windows" else ["-fPIC", "-fvisibility=hidden"]
    libraries = ["-ldl"] if system == "linux" else []
    # In a folder of its own: for Windows a compiler leaves an import library beside the result.
    with tempfile.TemporaryDirectory(dir=output.parent) as folder:
        unfinished = Path(folder) / output.name
        arguments = [*command, *options, str(source), "-o", str(unfinished), *libraries]
        try:
            run = subprocess.run(
                arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=_environment()
            )
        except OSError as error:
            raise LoaderNotBuilt(f"{command[0]} cannot be run: {error}") from error
        if run.returncode != 0:
            raise LoaderNotBuilt(f"{' '.join(command)} cannot compile {source}:\n{run.stderr.strip()}")
        unfinished.replace(output)
    return output


def build_for_this_machine(addon: Path) -> Path:
    """Compile `addon/native/loader.c` into `addon/bin`; returns the library's path. Raises LoaderNotBuilt."""
    source = addon / "native" / "loader.c"
    if not source.is_file():
        raise LoaderNotBuilt(f"{source} is missing")
    target = this_machine()
    return build(source, addon / "bin" / library_name(target), compiler(), target[0])
