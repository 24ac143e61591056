"""The archive of a release has every module and every name of the engine that Godot's server uses, though much is left out of it.
This needs no library of the core, without which the other tests of releases skip."""

import ast
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pytest

pytest.importorskip("scree.tools")
from scree.godot import virtual_modules  # noqa: E402
from scree.tools import release_code, release_python, release_source  # noqa: E402

STARTED = """
import importlib, json, sys
archive, folder = sys.argv[1:]
sys.path[:] = [archive]
import scree_modules
scree_modules.find_in(archive, folder, False)
import builtins, scree.godot.start
from scree.godot import virtual_modules
virtual_modules.import_all()
from scree.core.world import World
started = [name for name, module in sys.modules.items() if hasattr(module, "__dict__")]
import dis, types
for name in json.loads(sys.stdin.read()):
    importlib.import_module(name)


def named(code):
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_GLOBAL":
            yield step.argval
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from named(each)


lacking, finder = [], next(each for each in sys.meta_path if type(each).__name__ == "_Archive")
for name, module in list(sys.modules.items()):
    if getattr(module, "__loader__", None) is finder:
        has = vars(module).keys() | vars(builtins).keys()
        lacking += [(name, each) for each in named(finder.code_of(name)) if each not in has]
print(json.dumps([started, lacking]))
"""


@pytest.fixture(scope="module")
def modules() -> release_python.Modules:
    return release_python.modules(release_source.of_this_machine())


@pytest.fixture(scope="module")
def run_from_archive(modules, tmp_path_factory) -> tuple[set[str], set[tuple[str, str]], set[str]]:
    """Names of the modules that a start imports from the archive, the global names that code in the archive lacks, and names of
    modules that are packed in it."""
    folder = tmp_path_factory.mktemp("archive")
    release_python.write_archive(folder / "python.zip", modules, "")
    (folder / "modules").mkdir()
    for name, file in modules.extensions.items():
        (folder / "modules" / f"{name}.so").symlink_to(file)
    arguments = [sys.executable, "-I", "-S", "-c", STARTED, folder / "python.zip", folder / "modules"]
    ours = json.dumps([name for name in modules.sources if name.startswith("scree.")])
    environment = {**os.environ, "SCREE_CORE": "0", "LD_LIBRARY_PATH": str(Path(numpy.__file__).parents[1] / "numpy.libs")}
    run = subprocess.run(arguments, capture_output=True, text=True, input=ours, env=environment)
    assert run.returncode == 0, run.stderr[-3000:]
    started, lacking = json.loads(run.stdout)
    with zipfile.ZipFile(folder / "python.zip") as archive:
        files = [each.filename for each in archive.infolist() if each.compress_type != zipfile.ZIP_STORED]
    packed = {name.removesuffix(".pyc").removesuffix("/__init__").replace("/", ".") for name in files}
    return set(started), {tuple(each) for each in lacking}, packed


def test_modules_that_declare_virtuals_are_in_it(modules):
    assert {f"scree.godot.{name}" for name in virtual_modules.MODULES} <= set(modules.sources)


def test_no_code_in_it_names_what_was_left_out(run_from_archive):
    """Other modules lack names of other systems, too."""
    _, lacking, _ = run_from_archive
    moved = {name.split(".")[0] for name in release_code.LATE}
    assert {(module, name) for module, name in lacking if module.startswith("scree") or name in moved} == set()


def test_a_start_imports_little(run_from_archive):
    """Each module takes a third of a millisecond. The limits are those of today with some room."""
    started, _, packed = run_from_archive
    assert len(packed) > 50 and len(packed & started) <= 40, "only large modules that a start imports are packed"
    assert len([name for name in started if name.startswith("scree.")]) <= 300
    assert len(started) <= 500
    assert not started & {"inspect", "ast", "tokenize", "pickle", "subprocess", "tempfile", "logging", "urllib.parse", "ssl"}


ENGINE = {
    "scree.step": "",
    "scree.step.first": """
import numpy
from ..runtime.kernel import kernel, entry_point
from .second import used_by_kernels, LIMIT, used_by_python, also_python
from . import third

@kernel
def unused(a: int) -> int:
    return used_by_kernels(a)

@kernel
def runs(a):
    return third.low(a)

@entry_point("void(int64)")
def entry(a):
    "Text."
    unused(LIMIT)
    runs(a)

def cold(x: also_python) -> "also_python":
    return runs.py_func(used_by_python(x))
""",
    "scree.step.second": """
from .fourth import deep  # only compiled code needs that module
@kernel
def used_by_kernels(a): return deep(a)
@kernel
def used_by_python(a): return a
LIMIT = 4
class also_python: pass
""",
    "scree.step.third": "@kernel\ndef low(a): return a\n@kernel\ndef lower(a): return a\n",
    "scree.step.fourth": "@kernel\ndef deep(a): return a\n",
}


@pytest.fixture
def engine(tmp_path) -> dict[str, Path]:
    files = {}
    for name, text in ENGINE.items():
        files[name] = tmp_path.joinpath(*name.split(".")) / "__init__.py" if name == "scree.step" else (
            tmp_path.joinpath(*name.split(".")).with_suffix(".py"))  # fmt: skip
        files[name].parent.mkdir(parents=True, exist_ok=True)
        files[name].write_text(text)
    return files


def test_of_the_engine_stays_what_python_runs(engine):
    trees = release_code.EngineSources(engine, {"scree.step.first"}).trees
    texts = {name: ast.unparse(tree) for name, tree in trees.items()}
    assert set(texts) == {"scree.step", "scree.step.first", "scree.step.second", "scree.step.third"}
    first, second = texts["scree.step.first"], texts["scree.step.second"]
    assert "def unused" not in first and "import used_by_python" in first and "return third.low(a)" in first
    assert "def entry(a):\n    pass" in first and "def cold(x):" in first
    assert "used_by_kernels" not in second and "LIMIT = 4" in second and "also_python" in second
    assert "lower" not in texts["scree.step.third"] and "def low" in texts["scree.step.third"]


RARE = """
import inspect
import textwrap as wrap
from urllib.parse import quote
import pickle
HEAD = pickle.HIGHEST_PROTOCOL
def rare(a, inspect_all=False):
    if a:
        return inspect.signature(rare)
    return inspect.cleandoc(a)
def other(quote): return quote
class Holder:
    def method(self):
        try:
            def inner(): return wrap.dedent("  x")
            return inner()
        finally:
            pass
"""


def test_imports_that_only_a_function_uses_move_there():
    tree = release_code.late_imports(ast.parse(RARE))
    assert ast.unparse(tree) == ast.unparse(ast.parse('''
from urllib.parse import quote
import pickle
HEAD = pickle.HIGHEST_PROTOCOL
def rare(a, inspect_all=False):
    if a:
        import inspect
        return inspect.signature(rare)
    import inspect
    return inspect.cleandoc(a)
def other(quote): return quote
class Holder:
    def method(self):
        try:
            import textwrap as wrap
            def inner(): return wrap.dedent("  x")
            return inner()
        finally:
            pass
'''))  # fmt: skip


def test_code_without_columns_tells_the_same_lines():
    def lines(code):
        yield [place[0] for place in code.co_positions()]
        for each in code.co_consts:
            if hasattr(each, "co_lines"):
                yield from lines(each)

    text = Path(release_code.__file__).read_text()
    code = compile(text, "x.py", "exec")
    short = release_code.without_columns(code)
    assert list(lines(short)) == list(lines(code)) and len(list(lines(code))) > 20
    assert all(place[2:] == (None, None) for place in short.co_positions())
