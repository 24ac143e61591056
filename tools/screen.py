"""A screen that nobody sees (Xvfb), so that Godot can draw pictures on a machine that has none."""

import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from scree.tools import debian_archive
from scree.tools.find_godot import Godot

DRAWING = ("--rendering-driver", "opengl3", "--audio-driver", "Dummy")  # Godot's arguments for drawing on a CPU
SAYS_OF_SCREEN = "Could not set V-Sync mode"
"""Godot's warning where a driver cannot wait for the screen. With some drivers it comes for every screen that nobody sees."""
_START_TIMEOUT = 30.0  # [s]
# Xvfb starts its keyboard compiler from this place, which it holds in the program itself; where it was fetched into
# a folder the same length of text makes the place relative to that folder.
_COMPILED_IN, _RELATIVE = b"\0/usr/bin\0", b"\0usr//bin\0"


class NoScreen(Exception):
    """Nothing can be drawn here; the message says why."""


def _own_server(folder: Path) -> tuple[str, ...]:
    """The command of the Xvfb in a fetched folder, made ready to run from there."""
    triplet, program_loader = debian_archive.ARCHITECTURES[debian_archive.machine_architecture()]
    libraries = folder / "usr/lib" / triplet
    loaded = (str(libraries / program_loader), "--library-path", str(libraries))
    server, relocated = folder / "usr/bin/Xvfb", folder / "usr/bin/Xvfb-here"
    if not server.exists():
        raise NoScreen(f"there is no Xvfb on PATH and none in {folder}")
    if not relocated.exists():
        keyboard_compiler = folder / "usr/bin/xkbcomp"
        program = keyboard_compiler.with_name("xkbcomp-here")
        keyboard_compiler.rename(program)
        keyboard_compiler.write_text(f'#!/bin/sh\nexec {" ".join(loaded)} "{program}" "$@"\n')
        keyboard_compiler.chmod(0o755)
        unfinished = relocated.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(server.read_bytes().replace(_COMPILED_IN, _RELATIVE))
        unfinished.chmod(0o755)
        unfinished.rename(relocated)
    return (*loaded, str(relocated), "-xkbdir", str(folder / "usr/share/X11/xkb"))


def server_command(godot: Godot) -> tuple[str, ...]:
    """How Xvfb is started: the machine's, else the one fetched with Godot. Raises NoScreen."""
    on_path = shutil.which("Xvfb")
    if on_path:
        return (on_path,)
    if godot.folder is None:
        raise NoScreen("there is no Xvfb on PATH (on Debian: the package xvfb)")
    return _own_server(godot.folder)


@contextlib.contextmanager
def screen(godot: Godot, width: int = 1280, height: int = 720) -> Iterator[dict[str, str]]:
    """Run a screen of `width` x `height` [pixels] while inside; gives its environment. Raises NoScreen."""
    command = server_command(godot)
    reading, writing = os.pipe()
    # With -displayfd the server looks for a free number itself and says it when it is ready.
    arguments = ["-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"]
    process = subprocess.Popen(
        [*command, *arguments],
        pass_fds=(writing,),
        cwd=godot.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    watchdog = threading.Timer(_START_TIMEOUT, process.kill)
    watchdog.start()
    try:
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        watchdog.cancel()
        if not number:
            process.kill()
            said = process.communicate()[1].strip()
            raise NoScreen(f"Xvfb does not start: {said[-500:] or 'it gave no reason'}")
        yield {**godot.rendering, "DISPLAY": f":{number}"}
    finally:
        watchdog.cancel()
        process.terminate()
        process.wait()
        process.stderr.close()
