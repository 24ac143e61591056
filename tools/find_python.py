"""The Python that Godot will load: its shared library, its packages, the engine; all by absolute path."""

import contextlib
import importlib.util
import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from scree.tools import debian_archive
from scree.tools.places import cache_folder


class PythonNotUsable(Exception):
    """This Python cannot run inside another program; the message says how to get one that can."""


@dataclass(frozen=True)
class PythonPlaces:
    """The paths that the loader needs, as they are written to the file beside it."""

    libpython: Path
    site_packages: Path  # holds NumPy and Numba
    engine: Path  # the folder of the package `scree`
    python_version: str  # major.minor

    def text(self) -> str:
        """The lines of `scree_paths.cfg`."""
        return (
            "# Written by `scree install` for this machine; do not copy it to another.\n"
            f"libpython={self.libpython}\n"
            f"site_packages={self.site_packages}\n"
            f"engine={self.engine}\n"
            f"python_version={self.python_version}\n"
        )


def libpython_candidates(variable=sysconfig.get_config_var, base: Path | None = None) -> list[Path]:
    """Where the shared library of this Python may lie, likeliest first. `variable` looks up a build variable."""
    base = base or Path(sys.base_prefix)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if os.name == "nt":
        return [base / f"python{version.replace('.', '')}.dll"]
    names = [name for name in (variable("INSTSONAME"), variable("LDLIBRARY")) if name and not name.endswith(".a")]
    if sys.platform == "darwin":
        names += [f"libpython{version}.dylib"]
    else:
        names += [f"libpython{version}.so.1.0", f"libpython{version}.so"]
    folders = [variable("LIBDIR"), base / "lib", variable("PYTHONFRAMEWORKPREFIX")]
    if variable("MULTIARCH"):
        folders += [f"/usr/lib/{variable('MULTIARCH')}", f"/lib/{variable('MULTIARCH')}"]
    candidates = [Path(folder) / name for folder in folders if folder for name in names]
    return list(dict.fromkeys(candidates))


def libpython() -> Path:
    """The shared library of this Python; fetched where it is Debian's, which has it in a package of its own.

    Raises PythonNotUsable where there is none to be had.
    """
    candidates = libpython_candidates()
    for path in candidates:
        if path.is_file():
            return path
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if Path(sys.base_prefix) == Path("/usr"):
        with contextlib.suppress(debian_archive.FetchFailed):
            return fetched_libpython(version)
    raise PythonNotUsable(
        f"{sys.executable} has no shared libpython{version} (looked for {', '.join(map(str, candidates))}). "
        f"On Debian: apt install libpython{version}. With pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install. "
        "Then delete .venv and run the command again."
    )


def fetched_libpython(version: str) -> Path:
    """The shared library, and the standard library beside it, of the machine's own release; kept in the user's cache.

    Raises debian_archive.FetchFailed.
    """
    own_release = (debian_archive.machine_codename(),)
    folder = debian_archive.fetch(f"libpython{version}", [f"libpython{version}"], cache_folder(), lambda line: None, own_release)
    found = sorted((folder / "usr/lib").glob(f"*/libpython{version}.so.1.0"))
    if not found:
        raise debian_archive.FetchFailed(f"the package libpython{version} holds no shared library")
    return found[0]


def _package(module: str) -> Path:
    """The folder of a package, without importing it. Raises PythonNotUsable where it is not installed."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.origin:
        raise PythonNotUsable(f"{sys.executable} has no {module}: pip install it, or use `python3 tools/scree.py`")
    return Path(spec.origin).resolve().parent


def _folder_of(module: str) -> Path:
    """The folder that holds a package, without importing it. Raises PythonNotUsable where it is not installed."""
    return _package(module).parent


def python_places() -> PythonPlaces:
    """The paths that the loader needs of the Python that runs this. Raises PythonNotUsable."""
    _folder_of("numba")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return PythonPlaces(libpython(), _folder_of("numpy"), _package("scree"), version)
