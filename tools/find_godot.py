"""Which Godot is used, and how it is started: the user's, the machine's, or one fetched into the cache."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scree.tools import debian_archive
from scree.tools.places import cache_folder

OLDEST_VERSION = (4, 4)
# Godot itself; what it needs to draw on the CPU; a screen that nobody sees.
PACKAGES = ["godot", "libgl1-mesa-dri", "libgl1", "libglx-mesa0", "libegl1", "libegl-mesa0", "xvfb"]
BY_HAND = (
    "By hand: download Godot 4.4 or later for this machine from the Godot project, unpack it, and set the environment "
    "variable GODOT to the program's path (or put it on PATH as godot4). Then run the same command again."
)


class GodotNotFound(Exception):
    """No Godot can be used; the message says what was tried and how to go on."""


@dataclass(frozen=True)
class GodotRun:
    """The outcome of one run of Godot."""

    returncode: int
    output: str

    def errors(self) -> list[str]:
        """The lines by which Godot reports an error or a leak."""
        signs = re.compile(r"^\s*((USER )?(SCRIPT )?ERROR|Parse Error)\b|leaked|Traceback|crashed")
        return [line.strip() for line in self.output.splitlines() if signs.search(line)]


@dataclass(frozen=True)
class Godot:
    """A Godot that can be started: what stands before the arguments, and what its surroundings must be."""

    command: tuple[str, ...]
    version: str
    origin: str
    folder: Path | None = None  # where a fetched one was unpacked
    rendering: Mapping[str, str] = field(default_factory=dict)  # further environment where it draws

    def run(
        self, *arguments: str | Path, timeout: float = 300.0, environment: Mapping[str, str] | None = None
    ) -> GodotRun:
        """Run Godot with `arguments` and wait for its end; both output streams come back as one text.

        `environment` is added to the process's own. After `timeout` [s] it is ended: return code 124.
        """
        command = [*self.command, *map(str, arguments)]
        surroundings = {**os.environ, **(environment or {})}
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=surroundings,
                timeout=timeout,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired as late:
            said = late.stdout or b""
            said = said.decode(errors="replace") if isinstance(said, bytes) else said
            return GodotRun(124, f"{said}\nERROR: Godot did not end within {timeout:g} s")
        return GodotRun(done.returncode, done.stdout)


def version_of(command: tuple[str, ...]) -> str:
    """The answer to `--version`, such as `4.6.3.stable`; empty if Godot cannot be run."""
    try:
        answer = subprocess.run(
            [*command, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = [line for line in answer.stdout.split() if re.match(r"\d+\.\d+", line)]
    return lines[-1] if answer.returncode == 0 and lines else ""


def is_new_enough(version: str) -> bool:
    """Whether a version text names Godot 4.4 or later."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return bool(numbers) and (int(numbers[1]), int(numbers[2])) >= OLDEST_VERSION


def fetched(folder: Path) -> Godot:
    """The Godot that was unpacked into `folder`, started by the folder's own program loader and libraries.

    Its libraries are newer than a stable machine's; started like this none of the machine's is used, and the
    machine's CPython still loads into the process.
    """
    triplet, program_loader = debian_archive.ARCHITECTURES[debian_archive.machine_architecture()]
    libraries = folder / "usr/lib" / triplet
    command = (
        str(libraries / program_loader),
        "--library-path",
        f"{libraries}:{libraries / 'pulseaudio'}",
        str(folder / "usr/bin/godot"),
    )
    version = version_of(command)
    if not version:
        raise GodotNotFound(f"the Godot in {folder} does not start; delete that folder to have it fetched again")
    rendering = {
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "LIBGL_DRIVERS_PATH": str(libraries / "dri"),
        "__EGL_VENDOR_LIBRARY_DIRS": str(folder / "usr/share/glvnd/egl_vendor.d"),
        "XLOCALEDIR": str(folder / "usr/share/X11/locale"),
        "XKB_CONFIG_ROOT": str(folder / "usr/share/X11/xkb"),
    }
    return Godot(command, version, "fetched from Debian's archive", folder, rendering)


def _named_by_user() -> Godot | None:
    path = os.environ.get("GODOT")
    if not path:
        return None
    version = version_of((path,))
    if not version:
        raise GodotNotFound(f"GODOT is set to {path}, which does not run as Godot")
    if not is_new_enough(version):
        raise GodotNotFound(f"GODOT is set to {path}, which is Godot {version}; Scree needs 4.4 or later")
    return Godot((path,), version, "the environment variable GODOT", None, {"LIBGL_ALWAYS_SOFTWARE": "1"})


def _on_path() -> Godot | None:
    for name in ("godot4", "godot"):
        path = shutil.which(name)
        version = version_of((path,)) if path else ""
        if path and is_new_enough(version):
            return Godot((path,), version, f"{name} on PATH", None, {"LIBGL_ALWAYS_SOFTWARE": "1"})
    return None


def find_godot(fetch: bool = True, report: Callable[[str], None] = print) -> Godot:
    """The Godot to use: GODOT, then PATH, then the cache, then (with `fetch`) Debian's archive.

    Raises GodotNotFound with what was tried and how to go on by hand.
    """
    found = _named_by_user() or _on_path()
    if found:
        return found
    cache = cache_folder()
    folder = cache / "godot"
    try:
        if (folder / debian_archive.COMPLETE).is_file():
            return fetched(folder)
        if fetch:
            return fetched(debian_archive.fetch("godot", PACKAGES, cache, report))
    except debian_archive.FetchFailed as failure:
        raise GodotNotFound(f"{failure}\n{BY_HAND}") from failure
    raise GodotNotFound("no Godot 4.4 or later: GODOT is not set, none is on PATH, none is in the cache")
