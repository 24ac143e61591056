"""Building the library that stands in for OpenBLAS in NumPy's wheels (`core/small_algebra.c`), for any system."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from scree.tools import link_core
from scree.tools.places import cache_folder

SOURCE = Path(__file__).parent / "core" / "small_algebra.c"
_NAMES = [
    (front, letter, word)
    for letter in "sd"
    for front, word in (("cblas_", "axpy"), ("cblas_", "gemm"), ("cblas_", "gemv"), ("cblas_", "syrk"), ("", "copy_"))
]
"""The names that its macro defines."""
_PROCESSORS = {"x86_64": ["-mcpu=x86_64_v3"], "arm64": []}
PLACES = {"macos": ".dylibs"}
"""Where the library lies in a released addon, for systems on which NumPy's modules say that: `../.dylibs` beside their folder."""
_LACKING = """#include <stdio.h>
#include <stdlib.h>
static void lacks(const char *name) {
  fprintf(stderr, "scree: NumPy needs %s, which a released addon does not have\\n", name);
  abort();
}
"""


class AlgebraNotBuilt(Exception):
    """The library cannot be built; the message says why."""


def needed(site_packages: Path) -> tuple[str, set[str]]:
    """The file name of the OpenBLAS that a wheel of NumPy brings, and the functions that its modules look for there; an empty
    name for a NumPy that brings none."""
    folders = (site_packages / "numpy.libs", site_packages / "numpy" / ".dylibs")
    found = [file for folder in folders for file in folder.glob("*openblas*")]
    names = [file.name for file in found if file.suffix in (".so", ".dll", ".dylib")]
    modules = [file for suffix in ("so", "pyd") for file in (site_packages / "numpy").rglob(f"*.{suffix}")]
    words = {word.decode() for file in modules for word in re.findall(rb"\b_?(scipy_\w+64_)\b", file.read_bytes())}
    return (names[0] if names else ""), words


def build(site_packages: Path, target: tuple[str, str], folder: Path) -> list[str]:
    """Build the library that the NumPy in `site_packages` looks for into a folder, for a target such as `("linux", "x86_64")`.
    Returns its file name in a list; an empty one for a NumPy that brings no OpenBLAS. Raises AlgebraNotBuilt."""
    name, words = needed(site_packages)
    if not name:
        return []
    there = {f"scipy_{front}{letter}{word}64_" for front, letter, word in _NAMES}
    there |= set(re.findall(r"\bscipy_\w+64_\b", SOURCE.read_text()))
    stubs = "\n".join(f'void {word}(void) {{ lacks("{word}"); }}' for word in sorted(words - there))
    system, architecture = target
    with tempfile.TemporaryDirectory() as made:
        rest = Path(made) / "lacking.c"
        rest.write_text(f"{_LACKING}{stubs}\n")
        command = [sys.executable, "-m", "ziglang", "cc", "-target", link_core.TARGETS[target].zig, *_PROCESSORS[architecture]]
        command += ["-O2", "-ffp-contract=off", "-shared", "-s", str(SOURCE), str(rest)]
        command += ["-fPIC", f"-Wl,-soname,{name}", "-lm"] if system == "linux" else []
        command += [f"-Wl,-install_name,@loader_path/../{PLACES[system]}/{name}"] if system == "macos" else []
        environment = {"ZIG_LOCAL_CACHE_DIR": str(cache_folder() / "zig"), **os.environ}
        # In a folder of its own: for Windows a compiler leaves an import library beside the result.
        done = subprocess.run([*command, "-o", str(Path(made, name))], capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise AlgebraNotBuilt(f"{SOURCE.name} cannot be built: {done.stderr[-2000:]}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_bytes(Path(made, name).read_bytes())
    return [name]
