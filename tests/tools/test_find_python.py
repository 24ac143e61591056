"""Finding the shared library of the Python that runs, and what is said where there is none."""

import ctypes
from pathlib import Path

import pytest

from scree.tools import find_python


def test_the_library_found_is_this_pythons():
    path = find_python.libpython()
    assert ctypes.CDLL(str(path)).Py_IsInitialized()


def test_a_static_library_is_no_candidate(tmp_path):
    variables = {"INSTSONAME": "libpython3.11.a", "LDLIBRARY": "libpython3.11.a", "LIBDIR": str(tmp_path)}
    names = [path.name for path in find_python.libpython_candidates(variables.get, tmp_path)]
    assert names and not any(name.endswith(".a") for name in names)


def test_debians_place_is_looked_into(tmp_path):
    variables = {"INSTSONAME": "libpython3.11.so.1.0", "LIBDIR": "/usr/lib", "MULTIARCH": "x86_64-linux-gnu"}
    assert Path("/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0") in find_python.libpython_candidates(variables.get, tmp_path)


@pytest.fixture
def without(monkeypatch, tmp_path):
    monkeypatch.setattr(find_python, "libpython_candidates", lambda: [tmp_path / "libpython3.so"])
    return monkeypatch


def test_a_python_without_one_is_told_how_to_get_it(without):
    without.setattr(find_python.debian_archive, "fetch", lambda *_: pytest.fail("this Python is not Debian's"))
    without.setattr(find_python.sys, "base_prefix", "/opt/python")
    with pytest.raises(find_python.PythonNotUsable, match="apt install libpython3"):
        find_python.libpython()


def test_debians_own_python_is_given_the_one_that_fits_it(without, tmp_path):
    version = f"{find_python.sys.version_info[0]}.{find_python.sys.version_info[1]}"
    library = tmp_path / f"usr/lib/x86_64-linux-gnu/libpython{version}.so.1.0"
    library.parent.mkdir(parents=True)
    asked = []
    without.setattr(find_python.debian_archive, "machine_codename", lambda: "bookworm")
    without.setattr(find_python.debian_archive, "fetch", lambda *arguments: asked.append(arguments) or tmp_path)
    without.setattr(find_python.sys, "base_prefix", "/usr")
    with pytest.raises(find_python.PythonNotUsable):
        find_python.libpython()
    library.touch()
    assert find_python.libpython() == library
    assert asked[-1][1] == [f"libpython{version}"] and asked[-1][4] == ("bookworm",)
