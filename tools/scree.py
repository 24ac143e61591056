#!/usr/bin/env python3
"""Scree from the command line: `python3 tools/scree.py demo`, `python3 tools/scree.py test`, `--help` for the rest.

In a checkout this file makes the environment `.venv` first and goes on inside it, so until then it may use the
standard library only. In an installed package it is the console command `scree` and goes on at once.
"""

from __future__ import annotations  # an older Python must come far enough to say that it is too old

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = (3, 11)
STAMP = "scree_environment.txt"


class SetUpFailed(Exception):
    """The environment cannot be made; the message says what to do."""


def is_checkout(folder: Path) -> bool:
    """Whether `folder` is a checkout of the project, not a place where its package was installed."""
    return (folder / "pyproject.toml").is_file() and (folder / "engine_core").is_dir()


def python_of(environment: Path) -> Path:
    """The interpreter inside a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def stamp_of(checkout: Path) -> str:
    """The text that decides whether an environment is up to date: the project's requirements and its place."""
    requirements = hashlib.sha256((checkout / "pyproject.toml").read_bytes()).hexdigest()
    return f"{requirements}\n{checkout}\n"


def run_quietly(command: list[str]) -> tuple[int, str]:
    """Run a command that talks a lot: a terminal shows its current line only. Returns exit code and all it said."""
    said = []
    width = shutil.get_terminal_size().columns - 1
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout:
            said.append(line)
            if sys.stdout.isatty():
                print(f"\r{line.strip()[:width]:{width}}", end="", flush=True)
    if sys.stdout.isatty():
        print(f"\r{'':{width}}\r", end="", flush=True)
    return process.returncode, "".join(said)


def newest_python() -> str:
    """An interpreter that is new enough: this one, else one on PATH. Raises SetUpFailed where there is none."""
    if sys.version_info >= OLDEST_PYTHON:
        return getattr(sys, "_base_executable", None) or sys.executable
    for minor in range(14, OLDEST_PYTHON[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            return found
    raise SetUpFailed(
        f"Scree needs Python {OLDEST_PYTHON[0]}.{OLDEST_PYTHON[1]} or later; this is {sys.version.split()[0]} "
        f"({sys.executable}) and no newer one is on PATH."
    )


def make_environment(checkout: Path) -> Path:
    """Make `.venv` in the checkout, or bring it up to date, and return its interpreter. Raises SetUpFailed."""
    environment = checkout / ".venv"
    python = python_of(environment)
    stamp, wanted = environment / STAMP, stamp_of(checkout)
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python

    base = newest_python()
    print(f"Setting up {environment} (the first time this takes a minute or two)", flush=True)
    pip = [str(python), "-m", "pip"]
    usable = python.exists() and subprocess.run([*pip, "--version"], capture_output=True).returncode == 0
    if not usable:
        made = subprocess.run([base, "-m", "venv", "--clear", str(environment)], capture_output=True, text=True)
        if made.returncode != 0:
            # Debian splits ensurepip off; the machine's own pip can fill an environment that has none.
            pip = [base, "-m", "pip", "--python", str(python)]
            bare = subprocess.run([base, "-m", "venv", "--clear", "--without-pip", str(environment)])
            if bare.returncode != 0 or subprocess.run([*pip, "--version"], capture_output=True).returncode != 0:
                raise SetUpFailed(f"{base} -m venv failed; on Debian install python3-venv.\n{made.stdout}{made.stderr}")
    returncode, said = run_quietly(
        [*pip, "install", "--disable-pip-version-check", "--editable", f"{checkout}[tools,dev,docs]"]
    )
    if returncode != 0:
        raise SetUpFailed(
            f"pip could not install the project into {environment}:\n{said[-3000:]}\n"
            "pip's own configuration is honoured: check its index and proxy, then run this command again."
        )
    stamp.write_text(wanted)
    return python


def main() -> None:
    """Entry point of the script and of the console command."""
    inside = Path(sys.prefix).resolve() == (CHECKOUT / ".venv").resolve()
    if is_checkout(CHECKOUT) and not inside:
        try:
            python = make_environment(CHECKOUT)
        except SetUpFailed as failure:
            sys.exit(f"scree: {failure}")
        command = [str(python), str(Path(__file__).resolve()), *sys.argv[1:]]
        if os.name == "nt":  # exec on Windows returns to the shell before the command has ended
            sys.exit(subprocess.run(command).returncode)
        os.execv(command[0], command)
    # As a script this folder comes first on sys.path; its modules are to be found as scree.tools only.
    sys.path[:] = [place for place in sys.path if Path(place or ".").resolve() != Path(__file__).resolve().parent]
    from scree.tools import command_line

    command_line.main()


if __name__ == "__main__":
    main()
