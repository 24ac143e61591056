"""The plain way to compile: asked for, or taken where Numba's inside has changed. Code has the same bits as in the usual way.

`scree prove numba_versions` runs a whole small world plainly (`small_world.py`), which compiles for minutes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scree.runtime import numba_versions

HERE = Path(__file__).parent


def run(cache, *arguments, **settings) -> subprocess.CompletedProcess:
    environment = {**os.environ, "SCREE_CACHE": str(cache), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **settings}
    done = subprocess.run([sys.executable, *map(str, arguments)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def usual(tmp_path_factory) -> dict:
    """Figures of a few functions, compiled in the usual way."""
    return json.loads(run(tmp_path_factory.mktemp("cache"), HERE / "print_plain_figures.py", SCREE_PLAIN_NUMBA="0").stdout)


def test_the_plain_way_gives_the_same_bits(tmp_path, usual):
    plain = json.loads(run(tmp_path, HERE / "print_plain_figures.py", SCREE_PLAIN_NUMBA="1").stdout)
    assert (usual["plain"], usual["inside_imported"], usual["file"]) == (False, True, True)
    assert (plain["plain"], plain["inside_imported"], plain["file"]) == (True, False, False)
    assert plain["figures"] == usual["figures"]
    assert plain["figures"]["by_address"] == [12, 7, 14]
    assert not list(tmp_path.rglob("*.code")), "the plain way keeps nothing"


_NEWER = """
import sys
import numba
from numba.core import codegen

numba.__version__ = "9.9.1"
{change}
sys.path.insert(0, {folder!r})
import print_plain_figures

print_plain_figures.main()
"""


def test_an_unknown_inside_means_the_plain_way_and_one_warning(tmp_path, usual):
    """In a Numba that calls itself newer and lacks a class that kernels are derived from."""
    program = _NEWER.format(change="del codegen.JITCodeLibrary", folder=str(HERE))
    done = run(tmp_path, "-c", program, SCREE_PLAIN_NUMBA="0")
    told = json.loads(done.stdout)
    assert told["plain"] and told["figures"] == usual["figures"]
    assert done.stderr.count("RuntimeWarning") == 1, done.stderr
    for words in ("9.9.1", "numba.core.codegen.JITCodeLibrary", "slower", f"pip install '{numba_versions.REQUIREMENT}'"):
        assert words in done.stderr, done.stderr


def test_a_newer_numba_with_the_same_inside_compiles_as_usual(tmp_path, usual):
    done = run(tmp_path, "-c", _NEWER.format(change="", folder=str(HERE)), SCREE_PLAIN_NUMBA="0")
    told = json.loads(done.stdout)
    assert (told["plain"], told["figures"], done.stderr) == (False, usual["figures"], "")
