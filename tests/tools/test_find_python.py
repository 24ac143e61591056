"""Finding the shared library of the Python that runs, and what is said where there is none."""

import ctypes
from pathlib import Path

import pytest

from scree_tools import find_python


def test_the_library_found_is_this_pythons():
    path = find_python.libpython()
    assert ctypes.CDLL(str(path)).Py_IsInitialized()


def test_a_static_library_is_no_candidate(tmp_path):
    variables = {"INSTSONAME": "libpython3.11.a", "LDLIBRARY": "libpython3.11.a", "LIBDIR": str(tmp_path)}
    names = [path.name for path in find_python.libpython_candidates(variables.get, tmp_path)]
    assert names and not any(name.endswith(".a") for name in names)


def test_debians_place_is_looked_into(tmp_path):
    variables = {"INSTSONAME": "libpython3.11.so.1.0", "LIBDIR": "/usr/lib", "MULTIARCH": "x86_64-linux-gnu"}
    assert Path("/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0") in find_python.libpython_candidates(
        variables.get, tmp_path
    )


def test_a_python_without_one_is_told_how_to_get_it(tmp_path):
    with pytest.raises(find_python.PythonNotUsable, match="apt install libpython3"):
        find_python.libpython([tmp_path / "libpython3.11.so"])
