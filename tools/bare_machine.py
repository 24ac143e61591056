"""A Linux machine with the libraries that Godot needs and nothing else: no Python, no compiler, no network, none of this
machine's folders. Exported games run there in tests, as they would run at their players'.

It is a mount namespace whose root holds the libraries of Debian's export template, with the folders that are asked for bound into
it. Needs Linux, and either root or user namespaces.
"""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from scree.tools import debian_archive
from scree.tools.find_godot import GodotRun
from scree.tools.places import cache_folder

TEMPLATE_PACKAGES = ["godot-template-release"]
_TEMPLATE = "usr/bin/godot-template-release"
_SYSTEM_FOLDERS = ("proc", "dev", "sys")


class NoBareMachine(Exception):
    """This machine cannot make a bare machine; the message says why."""


def libraries(fetch: bool = True) -> Path:
    """The folder with Debian's export template and all libraries that it needs; fetched into the user's cache where it is
    missing. Raises NoBareMachine."""
    folder = cache_folder() / "godot_template"
    if not (folder / debian_archive.COMPLETE).is_file():
        if not fetch:
            raise NoBareMachine(f"no export template of Godot is in {folder}")
        try:
            debian_archive.fetch("godot_template", TEMPLATE_PACKAGES, cache_folder())
        except debian_archive.FetchFailed as failure:
            raise NoBareMachine(str(failure)) from failure
    return folder


def template(fetch: bool = True) -> Path:
    """Godot's export template for release, for an `export_presets.cfg`. Raises NoBareMachine."""
    return libraries(fetch) / _TEMPLATE


def run(
    command: Sequence[str | Path], folders: Mapping[Path, str], timeout: float = 120.0,
    environment: Mapping[str, str] | None = None, read_only: bool = False, system: Path | None = None, user: int = 0,
) -> GodotRun:  # fmt: skip
    """Run a command of the bare machine and wait for its end; both output streams come back as one text.

    `folders`: folders of this machine and their places there, as `{Path("out/game"): "/game"}`; `read_only`: the command cannot
    write to them. `environment` is the command's whole environment. After `timeout` [s] the command is ended with all processes
    that it started: return code 124. `system`: a folder with other libraries, as that of the fetched Godot. `user`: who runs the
    command, for root alone. Raises NoBareMachine.
    """
    system = system or libraries()
    with tempfile.TemporaryDirectory(prefix="scree-bare-") as made:
        root = Path(made)
        lines = ["set -e", f"mount -t tmpfs none {root}"]
        bound = {system / "usr": "usr", **{path.resolve(): place.strip("/") for path, place in folders.items()}}
        for path, place in bound.items():
            target = shlex.quote(f"{root}/{place}")
            lines += [f"mkdir -p {target}", f"mount --rbind {shlex.quote(str(path))} {target}"]
            if read_only or place == "usr":
                lines.append(f"mount -o remount,bind,ro {target}")
        for name in _SYSTEM_FOLDERS[1:]:
            lines += [f"mkdir {root}/{name}", f"mount --rbind /{name} {root}/{name}"]
        lines += [f"mkdir {root}/proc {root}/tmp {root}/home", f"mount -t proc proc {root}/proc"]
        lines += [f"ln -s usr/lib {root}/lib", f"ln -s usr/lib64 {root}/lib64"]
        words = shlex.join(map(str, command))
        variables = shlex.join(f"{name}={value}" for name, value in {"HOME": "/home", **(environment or {})}.items())
        as_user = f"--userspec={user}:{user} " if user else ""
        lines += [f"chmod 1777 {root}/tmp {root}/home"]
        lines.append(f"exec env -i {variables} $(command -v chroot) {as_user}{root} {words}")
        unshare = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]
        if os.geteuid() != 0:
            unshare += ["--user", "--map-root-user"]
        try:
            done = subprocess.run(
                [*unshare, "sh", "-c", "\n".join(lines)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=timeout, text=True, errors="replace",
            )  # fmt: skip
        except FileNotFoundError as missing:
            raise NoBareMachine(f"{missing.filename} is missing, which makes namespaces on Linux") from missing
        except subprocess.TimeoutExpired as late:
            said = late.stdout or b""
            said = said.decode(errors="replace") if isinstance(said, bytes) else said
            return GodotRun(124, f"{said}\nERROR: it did not end within {timeout:g} s")
    if "unshare: " in done.stdout or "mount: " in done.stdout:
        raise NoBareMachine(f"no namespaces on this machine: {done.stdout.strip()[-300:]}")
    return GodotRun(done.returncode, done.stdout)
