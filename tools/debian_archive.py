"""Packages of a Debian archive in a folder of our own: no root, nothing installed, verified the way apt verifies.

apt resolves and downloads with a state of its own (lists, status, cache, sources), so that a machine of a stable
suite can fetch from testing without being touched. The mirror is the one the machine itself uses.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SUITES = ("testing", "unstable")
COMPLETE = "scree_fetched.json"  # written last: a folder without it is no whole download
# apt's name of the architecture: the folder of its libraries, its program loader
ARCHITECTURES = {
    "amd64": ("x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
    "arm64": ("aarch64-linux-gnu", "ld-linux-aarch64.so.1"),
}
_KEYRINGS = ("debian-archive-keyring.pgp", "debian-archive-keyring.gpg")


class FetchFailed(Exception):
    """Something could not be fetched; the message names the file and what can be done by hand."""


@dataclass(frozen=True)
class Source:
    """One entry of the machine's apt sources: where packages come from and who signs them."""

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str = ""


def sources(apt_folder: Path = Path("/etc/apt")) -> list[Source]:
    """All binary package sources in `apt_folder`, in both of apt's notations, in apt's order."""
    found: list[Source] = []
    parts = apt_folder / "sources.list.d"
    for file in (apt_folder / "sources.list", *sorted(parts.glob("*.list")), *sorted(parts.glob("*.sources"))):
        if file.is_file():
            text = file.read_text(errors="replace")
            found += _stanzas(text) if file.suffix == ".sources" else _one_line_entries(text)
    return found


def _one_line_entries(text: str) -> Iterator[Source]:
    options = r"(?:\[(?P<options>[^\]]*)\]\s+)?"
    entry = re.compile(rf"^deb\s+{options}(?P<uri>\S+)\s+(?P<suite>\S+)\s*(?P<components>[^#\n]*)", re.M)
    for match in entry.finditer(text):
        signed_by = re.search(r"signed-by=(\S+)", match["options"] or "")
        key = signed_by[1] if signed_by else ""
        yield Source(match["uri"], (match["suite"],), tuple(match["components"].split()), key)


def _stanzas(text: str) -> Iterator[Source]:
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", lines):
        fields: dict[str, str] = {}
        name = ""
        for line in stanza.splitlines():
            if line[:1].isspace() and name:
                fields[name] += " " + line.strip()
            elif ":" in line:
                name, _, value = line.partition(":")
                name = name.strip().lower()
                fields[name] = value.strip()
        if "deb" not in fields.get("types", "").split() or fields.get("enabled", "yes").lower() in ("no", "false", "0"):
            continue
        key = fields.get("signed-by", "")
        for uri in fields.get("uris", "").split():
            yield Source(
                uri,
                tuple(fields.get("suites", "").split()),
                tuple(fields.get("components", "").split()),
                key if key.startswith("/") else "",
            )


def mirrors(found: list[Source], codename: str) -> list[Source]:
    """The sources that carry the distribution itself (component main of suite `codename`), likeliest first."""
    aliases = {codename, "stable", "testing", "unstable", "sid"} - {""}
    own = [s for s in found if "main" in s.components and aliases & set(s.suites) and "security" not in s.uri]
    return sorted(own, key=lambda s: (not s.uri.rstrip("/").endswith("/debian"), codename not in s.suites))


def machine_codename(os_release: Path = Path("/etc/os-release")) -> str:
    """The code name of the machine's own release, such as `bookworm`; empty where it has none."""
    match = re.search(r"^VERSION_CODENAME=\"?([\w-]+)", os_release.read_text() if os_release.is_file() else "", re.M)
    return match[1] if match else ""


def keyring(source: Source, folder: Path = Path("/usr/share/keyrings")) -> str:
    """The distribution's keyring file: the whole archive's where it is installed, else the one `source` names."""
    for name in _KEYRINGS:
        if (folder / name).is_file():
            return str(folder / name)
    return source.signed_by


def machine_architecture() -> str:
    """The machine's architecture in apt's words. Raises FetchFailed where there is no dpkg or it is unknown here."""
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        raise FetchFailed("this machine has no apt-get and dpkg, by which Godot is fetched from Debian's archive")
    name = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    if name not in ARCHITECTURES:
        raise FetchFailed(f"Godot is fetched for {' and '.join(ARCHITECTURES)} only; this machine is {name}")
    return name


@contextlib.contextmanager
def _one_at_a_time(cache: Path) -> Iterator[None]:
    import fcntl  # not on Windows, where nothing is fetched

    with open(cache / "fetch.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetch(
    name: str,
    packages: list[str],
    cache: Path,
    report: Callable[[str], None] = print,
    suites: Sequence[str] = SUITES,
    architecture: str = "",
) -> Path:
    """Fetch `packages` with all they depend on, unpack them into `cache/name` and return that folder.

    The first of `suites` that gives all is taken. `architecture`: apt's name of one, by default this machine's.
    A folder that is there and whole is returned as it is. Nothing counts before all of it is unpacked. Raises
    FetchFailed with every attempt's reason.
    """
    target = cache / name
    if (target / COMPLETE).is_file():
        return target
    architecture = architecture or machine_architecture()
    candidates = mirrors(sources(), machine_codename())
    if not candidates:
        raise FetchFailed("no Debian mirror is named in the machine's apt sources")
    failures = []
    with _one_at_a_time(cache):
        if (target / COMPLETE).is_file():  # another process was quicker
            return target
        for suite in suites:
            for mirror in candidates:
                report(f"{name}: asking {mirror.uri} ({suite})")
                try:
                    archives = _download(packages, mirror, suite, architecture, cache / "apt" / suite, report)
                    _unpack(archives, target, {"mirror": mirror.uri, "suite": suite, "packages": packages}, report)
                except FetchFailed as failure:
                    failures.append(f"  {suite} from {mirror.uri}: {failure}")
                    continue
                shutil.rmtree(cache / "apt", ignore_errors=True)
                return target
    raise FetchFailed("\n".join([f"{name} could not be fetched:", *failures]))


def _download(
    packages: list[str], mirror: Source, suite: str, architecture: str, state: Path, report: Callable[[str], None]
) -> list[Path]:
    """The package files, verified by apt. Files of a broken-off attempt stay in `state` and are gone on with."""
    for folder in ("lists/partial", "cache/archives/partial", "etc"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    (state / "status").write_text("")
    key = keyring(mirror)
    signed = f"[signed-by={key}] " if key else ""
    (state / "etc/sources.list").write_text(f"deb {signed}{mirror.uri} {suite} main\n")
    options = {
        "Dir::State": state,
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state / "cache",
        "Dir::Etc::sourcelist": state / "etc/sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::Etc::preferences": "/dev/null",
        "Dir::Etc::preferencesparts": "/dev/null",
        "APT::Architecture": architecture,
        "APT::Architectures": architecture,
        "APT::Install-Recommends": "false",
        "APT::Update::Error-Mode": "any",
        "APT::Sandbox::User": "root",  # the state lies in the user's folder, which apt's own user cannot read
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
    }
    apt = ["apt-get", "--quiet", "--yes", *(word for k, v in options.items() for word in ("-o", f"{k}={v}"))]
    _run_apt([*apt, "update"], report)
    _run_apt([*apt, "--download-only", "install", *packages], report)
    return sorted((state / "cache/archives").glob("*.deb"))


def _run_apt(command: list[str], report: Callable[[str], None]) -> None:
    environment = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    lines: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    ) as process:
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith(("Get:", "Need to get")):
                report(line.rstrip())
    if process.returncode != 0:
        errors = [line for line in lines if line.startswith(("E:", "Err:", "W:"))]
        raise FetchFailed("; ".join(errors or lines[-3:] or [f"apt-get ended with {process.returncode}"]))


def _unpack(archives: list[Path], target: Path, facts: dict, report: Callable[[str], None]) -> None:
    """Unpack all `archives` beside `target`, then give the folder its name: it is there whole or not at all."""
    report(f"unpacking {len(archives)} packages")
    unfinished = Path(tempfile.mkdtemp(prefix=f"{target.name}-unfinished-", dir=target.parent))
    unfinished.chmod(0o755)

    def unpack(archive: Path) -> tuple[Path, subprocess.CompletedProcess]:
        return archive, subprocess.run(["dpkg", "-x", archive, unfinished], capture_output=True, text=True)

    try:
        with ThreadPoolExecutor(max_workers=2) as pool:
            for archive, result in pool.map(unpack, archives):
                if result.returncode != 0:
                    archive.unlink(missing_ok=True)
                    raise FetchFailed(f"{archive.name} could not be unpacked: {result.stderr.strip()}")
        facts = {**facts, "archives": [archive.name for archive in archives]}
        (unfinished / COMPLETE).write_text(json.dumps(facts, indent=1))
        if target.exists():  # left by a version that knew no mark of completeness
            shutil.rmtree(target)
        unfinished.rename(target)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
