"""Kernels: linked into entry points, kept as intermediate code, and callable from Python for tests."""

import math
import os
import subprocess
import sys

from numba import float64
from numba.core.registry import cpu_target

from scree.geometry import vector
from scree.runtime.kernel import entry_point, kernel
from scree.runtime.numba_inside import KernelLibrary


@kernel
def _inner(x):
    return math.sqrt(x) + 1.0


@kernel
def _outer(x, pair):
    return _inner(x) * pair[0] - pair[1]


@entry_point("int64(int64)")
def _entry(number):
    return np_int(_inner(float(number)))


@kernel
def np_int(x):
    return int(x)


def test_python_gets_what_compiled_code_gets():
    for x in (0.0, 2.0, 9.0):
        assert _outer(x, (2.0, 3.0)) == (math.sqrt(x) + 1.0) * 2.0 - 3.0
    assert _outer(4, (2.0, 3.0)) == 3.0, "another type of argument is another compilation"
    assert _entry(16) == 5


def test_no_machine_code_is_written_for_a_kernel():
    _entry(16)
    _inner.compile((float64,))  # where the entry point came from the cache nobody has asked for its kernels
    (compiled,) = (result for result in _inner.overloads.values() if str(result.signature) == "(float64,) -> float64")
    assert isinstance(compiled.library, KernelLibrary)
    engine = cpu_target.target_context.codegen()._engine
    assert not engine.is_symbol_defined(compiled.fndesc.mangled_name)


_COMPILE_ONE = """
from scree.bodies import publication
from scree.runtime.numba_inside import Kernel
publication.publish.address
import gc
kernels = [each for each in gc.get_objects() if isinstance(each, Kernel) and each.overloads]
stats = [each.stats for each in kernels]
print(sum(sum(each.cache_hits.values()) for each in stats), sum(sum(each.cache_misses.values()) for each in stats))
"""


def _hits_and_misses(cache):
    said = subprocess.run(
        [sys.executable, "-c", _COMPILE_ONE], env={**os.environ, "SCREE_CACHE": str(cache)}, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    return tuple(int(word) for word in said.stdout.split())


def test_kernels_are_found_again_where_only_the_entry_point_is_gone(tmp_path):
    hits, misses = _hits_and_misses(tmp_path)
    assert hits == 0 and misses > 0
    for file in tmp_path.rglob("*publish-*"):
        file.unlink()
    hits, again = _hits_and_misses(tmp_path)
    assert hits > 0 and again == 0, "the second process compiled kernels that the first had kept"


_CLOSING_OVER = """
from scree.runtime.kernel import kernel

def make(inner, number):
    @kernel
    def outer(x):
        return inner(x) + number
    return outer

def make_inner(factor):
    @kernel
    def inner(x):
        return x * factor
    return inner

for factor, number in ((2, 1), (3, 1), (3, 5)):
    outer = make(make_inner(factor), number)
    print(outer(10))
"""


def test_kernels_made_by_one_function_are_told_apart_and_found_again(tmp_path):
    """By what they close over: numbers, and other kernels."""
    (tmp_path / "making.py").write_text(_CLOSING_OVER)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    kept = []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", "import making"], text=True, capture_output=True,
            env={**os.environ, "SCREE_CACHE": str(tmp_path / "cache"), "PYTHONPATH": path},
        )  # fmt: skip
        assert run.stdout.split() == ["21", "31", "35"], run.stderr
        kept.append({file.name for file in tmp_path.rglob("*.code")})
    assert len(kept[0]) > 5 and kept[0] == kept[1], "what was kept was not found again"


_OF_A_USER = """
from scree.runtime.kernel import entry_point, kernel

@kernel
def inner(x):
    return x + 1

@entry_point("int64(int64)")
def answer(x):
    return inner(x)
"""


def test_a_module_of_a_user_may_change_its_name(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "shapes_of_mine.py").write_text(_OF_A_USER)
    path = os.pathsep.join([str(tmp_path), str(tmp_path / "package"), *filter(None, sys.path)])
    for name in ("package.shapes_of_mine", "shapes_of_mine"):
        for _ in range(2):
            program = f"import {name} as module; print(module.answer(41))"
            run = subprocess.run(
                [sys.executable, "-c", program], env={**os.environ, "SCREE_CACHE": str(tmp_path / "cache"), "PYTHONPATH": path},
                text=True, capture_output=True,
            )  # fmt: skip
            assert run.stdout == "42\n", run.stderr
        path = path.replace(str(tmp_path) + os.pathsep, "")  # from here on there is no `package`


def test_vectors_from_python():
    assert vector.cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) == (0.0, 0.0, 1.0)


_MADE_APART = """
from scree.runtime.kernel import entry_point, kernel

def make(number):
    @kernel
    def add(x):
        return x + number
    return add

first, second = make(1), make(100)

@kernel
def of_first(x):
    return first(x)

@kernel
def of_second(x):
    return second(x)

@entry_point("int64(int64)")
def one(x):
    return of_first(x)

@entry_point("int64(int64)")
def other(x):
    return of_second(x)

@entry_point("int64(int64)")
def both(x):
    return of_first(x) + 1000 * of_second(x)
"""


def test_kernels_made_by_one_function_in_several_processes_are_linked_as_they_are(tmp_path):
    """Numba numbers the functions of one process, and two processes give the same name to different ones."""
    (tmp_path / "apart.py").write_text(_MADE_APART)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    said = []
    for name in ("one", "other", "both"):
        run = subprocess.run(
            [sys.executable, "-c", f"import apart; print(apart.{name}(3))"], text=True, capture_output=True,
            env={**os.environ, "SCREE_CACHE": str(tmp_path / "cache"), "PYTHONPATH": path},
        )  # fmt: skip
        said.append(run.stdout.strip() or run.stderr)
    assert said == ["4", "103", "103004"]
