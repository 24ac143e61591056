"""Wheels of the package: the plain one, and one a system with the core inside, which needs no Numba."""

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from scree.runtime import core_library
from scree.tools import build_core, places, scenes

SOURCES = ("engine_core", "tools", "addons", "demo_project", "examples", "pyproject.toml", "README.md", "LICENSE")
TAGS = {
    ("linux", "x86_64"): "manylinux_2_28_x86_64", ("linux", "arm64"): "manylinux_2_28_aarch64",
    ("windows", "x86_64"): "win_amd64", ("macos", "x86_64"): "macosx_12_0_x86_64", ("macos", "arm64"): "macosx_12_0_arm64",
}  # fmt: skip
"""The systems that a wheel can say it is for, by the names of the core's libraries."""
COMPILING = "compile"
"""The extra of a wheel with the core that brings Numba, for users with compiled functions of their own."""


class WheelNotBuilt(scenes.SceneFailed):
    """The wheel cannot be built; the message says why."""


def wheel_of(sources: Path, folder: Path) -> Path:
    """Build the wheel of the sources in a folder, in another one. Needs setuptools and no network. Raises WheelNotBuilt."""
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    command = (sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, sources)
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise WheelNotBuilt(f"no wheel was built:\n{run.stderr[-2000:]}")
    (wheel,) = folder.glob("*.whl")
    return wheel


def build_wheel(folder: Path) -> Path:
    """Build the plain wheel of the checkout in a folder, from a copy, because setuptools leaves its work beside the sources.
    Raises WheelNotBuilt."""
    root = places.checkout()
    if root is None:
        raise WheelNotBuilt("a wheel is built from a checkout")
    (folder / "sources").mkdir(parents=True, exist_ok=True)
    for name in SOURCES:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy
        copy(root / name, folder / "sources" / name)
    return wheel_of(folder / "sources", folder)


def _record(content: dict[str, bytes], own_name: str) -> bytes:
    """The list of a wheel's files with their hashes, as the format of wheels wants it."""
    lines = []
    for name, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{own_name},,\n"]).encode()


def with_core(plain: Path, target: tuple[str, str], into: Path) -> Path:
    """A wheel like `plain` for one system, with the core's library of these sources inside; Numba becomes an extra of it. Raises
    build_core.CoreNotBuilt."""
    library = core_library.folder() / core_library.file_name(*target)
    if not library.is_file() or build_core.build_id(build_core.identities()).encode() not in library.read_bytes():
        build_core.build([target])
    with zipfile.ZipFile(plain) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    (information,) = {name.split("/")[0] for name in content if ".dist-info/" in name}
    tag = f"py3-none-{TAGS[target]}"
    kind = content[f"{information}/WHEEL"].decode().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
    content[f"{information}/WHEEL"] = re.sub(r"^Tag: .*$", f"Tag: {tag}", kind, flags=re.MULTILINE).encode()
    metadata, found = re.subn(
        r"^(Requires-Dist: numba\b[^\n;]*)$", rf'Provides-Extra: {COMPILING}\n\1; extra == "{COMPILING}"',
        content[f"{information}/METADATA"].decode(), flags=re.MULTILINE,
    )  # fmt: skip
    if found != 1:
        raise WheelNotBuilt(f"{plain.name} does not say once that it needs Numba")
    content[f"{information}/METADATA"] = metadata.encode()
    content[f"scree/native/{library.name}"] = library.read_bytes()
    del content[f"{information}/RECORD"]
    content[f"{information}/RECORD"] = _record(content, f"{information}/RECORD")
    into.mkdir(parents=True, exist_ok=True)
    wheel = into / f"{information.removesuffix('.dist-info')}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return wheel
