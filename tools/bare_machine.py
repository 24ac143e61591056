"""A Linux machine with the libraries that Godot needs and nothing else: no Python, no compiler, no network, none of this
machine's folders. Exported games run there in tests, as they would run at their players'.

It is a mount namespace whose root holds the libraries of Debian's export template, with the folders that are asked for bound into
it. Needs Linux, and either root or user namespaces.
"""

import contextlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
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


def _script(
    root: Path, command: Sequence[str | Path], read_only: Mapping[Path, str], writable: Mapping[Path, str],
    environment: Mapping[str, str], user: int,
) -> str:  # fmt: skip
    """The shell's commands that make the machine in the folder `root` of a mount namespace, and become the command."""
    lines = ["set -e", f"mount -t tmpfs none {root}"]
    for folders, is_read_only in ((read_only, True), (writable, False)):
        for path, place in folders.items():
            target = shlex.quote(f"{root}/{place.strip('/')}")
            lines += [f"mkdir -p {target}", f"mount --rbind {shlex.quote(str(path.resolve()))} {target}"]
            lines += [f"mount -o remount,bind,ro {target}"] if is_read_only else []
    for name in _SYSTEM_FOLDERS[1:]:
        lines += [f"mkdir {root}/{name}", f"mount --rbind /{name} {root}/{name}"]
    lines += [f"mkdir -p {root}/proc {root}/tmp {root}/home", f"mount -t proc proc {root}/proc"]
    lines += [f"ln -s usr/lib {root}/lib", f"ln -s usr/lib64 {root}/lib64", f"chmod 1777 {root}/tmp {root}/home"]
    words = shlex.join(map(str, command))
    variables = shlex.join(f"{name}={value}" for name, value in {"HOME": "/home", **environment}.items())
    as_user = f"--userspec={user}:{user} " if user else ""
    return "\n".join([*lines, f"exec env -i {variables} $(command -v chroot) {as_user}{root} {words}"])


@contextlib.contextmanager
def started(
    command: Sequence[str | Path], folders: Mapping[Path, str], *, environment: Mapping[str, str] | None = None,
    read_only: bool = False, kept: Mapping[Path, str] | None = None, system: Path | None = None, user: int = 0,
    is_alone: bool = True,
) -> Iterator[subprocess.Popen]:  # fmt: skip
    """A command of the bare machine as a running process whose both output streams are one. The arguments are those of `run`;
    `kept`: folders that the command can always write to. `is_alone`: it has its own numbers of processes, and all that it
    started ends with it; otherwise the process is the command itself, in a session of its own. Raises NoBareMachine."""
    usr = {(system or libraries()) / "usr": "usr"}
    with tempfile.TemporaryDirectory(prefix="scree-bare-") as made:
        fixed, changing = ({**usr, **folders}, {}) if read_only else (usr, dict(folders))
        script = _script(Path(made), command, fixed, {**changing, **(kept or {})}, environment or {}, user)
        unshare = ["unshare", "--mount", "--net", *(("--pid", "--fork", "--kill-child") if is_alone else ())]
        if os.geteuid() != 0:
            unshare += ["--user", "--map-root-user"]
        try:
            process = subprocess.Popen(
                [*unshare, "sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, errors="replace", start_new_session=True,
            )  # fmt: skip
        except FileNotFoundError as missing:
            raise NoBareMachine(f"{missing.filename} is missing, which makes namespaces on Linux") from missing
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def run(
    command: Sequence[str | Path], folders: Mapping[Path, str], timeout: float = 120.0,
    environment: Mapping[str, str] | None = None, read_only: bool = False, system: Path | None = None, user: int = 0,
    kept: Mapping[Path, str] | None = None,
) -> GodotRun:  # fmt: skip
    """Run a command of the bare machine and wait for its end; both output streams come back as one text.

    `folders`: folders of this machine and their places there, as `{Path("out/game"): "/game"}`; `read_only`: the command cannot
    write to them, but to those of `kept`. `environment` is the command's whole environment. After `timeout` [s] the command is
    ended with all processes that it started: return code 124. `system`: a folder with other libraries, as that of the fetched
    Godot. `user`: the number of the user that runs the command, for root alone. Raises NoBareMachine.
    """
    options = {"environment": environment, "read_only": read_only, "kept": kept, "system": system, "user": user}
    with started(command, folders, **options) as process:
        try:
            said, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            return GodotRun(124, f"{process.communicate()[0]}\nERROR: it did not end within {timeout:g} s")
    if "unshare: " in said or "mount: " in said:
        raise NoBareMachine(f"no namespaces on this machine: {said.strip()[-300:]}")
    return GodotRun(process.returncode, said)
