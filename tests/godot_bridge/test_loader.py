"""The loader: it starts Python from the paths beside it, and whatever is wrong gives one clear error and a Godot
that goes on."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from stand_in_engine import RECORD

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
ENGINE = (
    RECORD
    + """
def initialize(get_proc_address, library, initialization, is_exported_game):
    assert get_proc_address and library == 0x10 and is_exported_game is False
    print("engine starts", sys.version_info[:2], sys.flags.no_user_site, flush=True)
    sys.stdout.fileno(), sys.stdout.encoding, sys.stderr.isatty()
    record = Initialization.from_address(initialization)
    record.minimum_level = 1
    record.initialize = record.deinitialize = ctypes.cast(say, ctypes.c_void_p)
"""
)


class Installation:
    """A loader with its paths file and an engine, in a folder of its own."""

    def __init__(self, folder: Path, built: Path, libpython: Path):
        self.folder, self.host = folder, built / "host"
        shutil.copy(built / "libscree.so", folder)
        package = folder / "engine" / "godot"
        package.mkdir(parents=True)
        (package.parent / "__init__.py").touch()
        (package / "__init__.py").touch()
        self.start = package / "start.py"
        self.start.write_text(ENGINE)
        self.values = {"libpython": libpython, "site_packages": folder / "packages", "engine": folder / "engine",
                       "python_version": VERSION}  # fmt: skip

    def run(self, **environment: str) -> list[str]:
        """Run the host and return its output, standard error included. It must end whole."""
        text = "# a comment\n" + "".join(f"{key}={value}\n" for key, value in self.values.items())
        (self.folder / "scree_paths.cfg").write_text(text)
        return self.run_as_it_is(**environment)

    def run_as_it_is(self, **environment: str) -> list[str]:
        done = subprocess.run(
            [self.host, self.folder / "libscree.so"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=60, env={**os.environ, **environment}, cwd="/",
        )  # fmt: skip
        lines = done.stdout.splitlines()
        assert done.returncode == 0, done.stdout
        assert lines[-1].startswith("whole"), done.stdout
        return lines[:-1]

    def only_error(self, *words: str) -> None:
        """It prints nothing but one error that holds these words and says how to mend it."""
        self.check_error(self.run(), *words)

    @staticmethod
    def check_error(lines: list[str], *words: str) -> None:
        assert len(lines) == 1, lines
        assert lines[0].startswith("ERROR: scree: "), lines
        assert "tools/scree.py install PROJECT" in lines[0]
        for word in words:
            assert word in lines[0], lines


@pytest.fixture
def installation(tmp_path, built, libpython) -> Installation:
    folder = tmp_path / "add on 'x' é"  # paths are data, whatever stands in them
    folder.mkdir()
    return Installation(folder, built, libpython)


def test_it_starts_python_and_the_engine(installation):
    lines = installation.run()
    assert lines[0] == f"engine starts {sys.version_info[:2]} 1"
    assert lines[1:] == [f"level {level}" for level in (0, 1, 2, 3, 3, 2, 1, 0)]


def test_the_environment_of_python_does_not_count(installation):
    lines = installation.run(PYTHONHOME="/nowhere", PYTHONPATH="/nowhere", PYTHONSTARTUP="/nowhere")
    assert lines[0].startswith("engine starts")


def test_no_paths_file(installation):
    installation.check_error(installation.run_as_it_is(), "scree_paths.cfg", "missing")


@pytest.mark.parametrize("key", ["libpython", "site_packages", "engine", "python_version"])
def test_a_line_is_missing(installation, key):
    del installation.values[key]
    installation.only_error("scree_paths.cfg", f"`{key}=")


def test_libpython_is_not_there(installation):
    installation.values["libpython"] = "/nowhere/libpython9.so"
    installation.only_error("/nowhere/libpython9.so")


def test_libpython_is_no_python(installation, built):
    installation.values["libpython"] = built / "libscree.so"
    installation.only_error("Python")


def test_another_version(installation):
    installation.values["python_version"] = "3.1"
    installation.only_error("Python 3.1", VERSION)


def test_a_python_without_its_standard_library(installation, libpython):
    alone = installation.folder / "alone"
    alone.mkdir()
    installation.values["libpython"] = shutil.copy(libpython, alone)
    installation.only_error("standard library")


def test_the_engine_is_not_there(installation):
    installation.values["engine"] = "/nowhere"
    installation.only_error("no engine lies in /nowhere")


def test_the_engine_refuses(installation):
    installation.start.write_text("def initialize(*_):\n    raise RuntimeError('the reason\\nin lines')\n")
    installation.only_error("the reason in lines")


def test_the_engine_exits(installation):
    installation.start.write_text("import sys\nsys.exit(3)\n")
    installation.only_error("SystemExit")


GUEST = """
import ctypes, sys, threading
PRINT = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_uint8)
say = PRINT(lambda text, *_: print("ERROR:", text.decode(), flush=True))
FIND = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
find = FIND(lambda name: ctypes.cast(say, ctypes.c_void_p).value if name == b"print_error" else None)
library = ctypes.CDLL(sys.argv[1])
library.scree_init.restype = ctypes.c_uint8
library.scree_init.argtypes = [ctypes.c_void_p] * 3
def start():
    record = (ctypes.c_int64 * 4)()
    print("gave", library.scree_init(ctypes.cast(find, ctypes.c_void_p), 0x10, ctypes.addressof(record)), flush=True)
start() if sys.argv[2] == "main" else (t := threading.Thread(target=start), t.start(), t.join())
"""


def run_guest(installation, where: str = "main") -> list[str]:
    text = "".join(f"{key}={value}\n" for key, value in installation.values.items())
    (installation.folder / "scree_paths.cfg").write_text(text)
    library = str(installation.folder / "libscree.so")
    done = subprocess.run([sys.executable, "-c", GUEST, library, where], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("where", ["main", "thread"])
def test_it_is_a_guest_where_python_runs(installation, where):
    lines = run_guest(installation, where)
    assert lines[0].startswith("engine starts") and lines[-1] == "gave 1"


def test_a_guest_of_another_version(installation):
    installation.values["python_version"] = "3.1"
    lines = run_guest(installation)
    assert lines[-1] == "gave 1"
    installation.check_error(lines[:-1], "already runs", VERSION, "Python 3.1")


def test_the_host_program_can_fail(built, tmp_path):
    done = subprocess.run([built / "host", tmp_path / "none.so"], capture_output=True, text=True)
    assert done.returncode == 2
    assert ctypes.sizeof(ctypes.c_void_p) == 8
