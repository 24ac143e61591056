"""Fixtures that the tests of the bridge share: a built loader, and a small program that stands in for Godot."""

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOADER = ROOT / "addons" / "scree" / "native" / "loader.c"


def compile_c(source: Path, output: Path, *options: str) -> Path:
    """Compile a C file; warnings are errors."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    command = [compiler, "-O1", "-Wall", "-Wextra", "-Werror", *options, str(source), "-o", str(output), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """A folder with the loader's library and the host program."""
    folder = tmp_path_factory.mktemp("loader")
    compile_c(LOADER, folder / "libscree.so", "-shared", "-fPIC")
    compile_c(Path(__file__).with_name("host.c"), folder / "host")
    return folder


@pytest.fixture(scope="session")
def libpython() -> Path:
    """The shared library of the Python that runs the tests."""
    names = [sysconfig.get_config_var(key) for key in ("INSTSONAME", "LDLIBRARY")]
    folders = [sysconfig.get_config_var("LIBDIR"), f"/usr/lib/{sysconfig.get_config_var('MULTIARCH')}"]
    for folder in folders:
        for name in names:
            if folder and name and ".so" in name and Path(folder, name).is_file():
                return Path(folder, name)
    pytest.skip("this Python has no shared library")
