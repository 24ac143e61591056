"""The order of the rooms, held by reading every import: a room knows only the rooms before it."""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parent.parent / "engine_core"

# A room may know itself and all before it. `entry_points` names all compiled functions of the house, for the warm-up.
ORDER = [
    "runtime",
    "geometry",
    "structures",
    "shapes",
    "bodies",
    "broad_phase",
    "collision",
    "constraints",
    "joints",
    "solver",
    "sensors",
    "soft_bodies",
    "water",
    "characters",
    "edit",
    "step",
    "batches",
    "drawing",
    "core",
    "state",
    "many_worlds",
    "streaming",
    "profiling",
    "api",
    "learning",
    "godot",
    "entry_points",
]
RUN_TIME_PACKAGES = {"numpy", "numba", "llvmlite", "scree"}
DRAWN_WITH = "matplotlib"  # of the extra `tools`: for the pictures of profiling, imported when one is drawn
LEARNED_WITH = "gymnasium"  # of the extra `learning`: imported by one module, which is asked for by its name
ENVIRONMENT = "learning/environment.py"
STANDARD_LIBRARY = sys.stdlib_module_names
COMPILER_INTERNALS = ("llvmlite", "numba.core", "numba.extending", "numba.np", "numba.experimental", "numba.typed")
KNOWS_THE_INSIDE = "runtime/numba_inside.py"
"""The one module that may use what Numba does not document; it says what counts as documented."""
PUBLIC = {
    "numba", "numba.njit", "numba.cfunc", "numba.typeof", "numba.types", "numba.errors", "numba.extending", "numba.core",
    "numba.core.cgutils",
    "numba.__version__", "llvmlite", "llvmlite.ir", "llvmlite.__version__",
}  # fmt: skip
FIELDS_INSIDE = {
    "_final_module", "_finalized", "_ensure_finalized", "_reduce", "_rebuild", "fndesc", "overloads", "call_conv",
    "active_code_library", "_cache", "_sig",
}  # fmt: skip
"""Fields of compiled functions and of dispatchers that only that module may use."""


def sources() -> list[Path]:
    return [path for path in sorted(ENGINE.rglob("*.py")) if path != ENGINE / "__init__.py"]


def room_of(parts: Sequence[str]) -> str:
    """The room of a place in the engine, given as the names on the way to it."""
    return parts[0].removesuffix(".py")


def imported(path: Path, tree: ast.Module) -> Iterator[str]:
    """The full dotted names that a file imports, wherever in it; relative ones resolved."""
    package = ["scree", *path.relative_to(ENGINE).parent.parts]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def rooms_known(names: Iterator[str]) -> set[str]:
    return {room_of(name.split(".")[1:]) for name in names if name.startswith("scree.")}


def imported_at_once(path: Path, tree: ast.Module) -> set[str]:
    """The modules that a file imports when it is imported itself."""
    statements = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return set(imported(path, ast.Module(statements, [])))


def is_public(name: str) -> bool:
    """Whether a name of Numba or llvmlite is documented; names of other packages are."""
    return name.split(".")[0] not in ("numba", "llvmlite") or name in PUBLIC or name.startswith("numba.extending.")


def dotted(node: ast.expr) -> str:
    """The name that an expression like `numba.core.sigutils` spells out; empty if it is another expression."""
    if isinstance(node, ast.Name):
        return node.id
    before = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{before}.{node.attr}" if before else ""


def inside_used(path: Path, tree: ast.Module) -> list[str]:
    """Everything that a file uses of Numba's inside: imports, names spelled out, and fields."""
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    names = {*imported(path, tree), *map(dotted, attributes)}
    fields = {node.attr for node in attributes if node.attr in FIELDS_INSIDE}
    return [*sorted(name for name in names if not is_public(name)), *sorted(fields)]


def violations(path: Path, tree: ast.Module) -> list[str]:
    """Imports of a file that its room may not use."""
    room = room_of(path.relative_to(ENGINE).parts)
    faults = [
        f"imports {known}, which comes after {room}"
        for known in sorted(rooms_known(imported(path, tree)))
        if ORDER.index(known) > ORDER.index(room)
    ]
    if path != ENGINE / KNOWS_THE_INSIDE:
        faults += [f"uses {name}: only {KNOWS_THE_INSIDE} knows Numba's inside" for name in inside_used(path, tree)]
    for name in sorted(set(imported(path, tree))):
        top = name.split(".")[0]
        if room != "runtime" and name.startswith(COMPILER_INTERNALS):
            faults.append(f"imports {name}: only runtime knows the compiler")
        if top == DRAWN_WITH and room == "profiling" and name not in imported_at_once(path, tree):
            continue
        if top == LEARNED_WITH and path == ENGINE / ENVIRONMENT:
            continue
        if top not in RUN_TIME_PACKAGES and top not in STANDARD_LIBRARY:
            faults.append(f"imports {name}: the engine needs NumPy and Numba only")
    return faults


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ENGINE)))
def test_a_room_knows_only_the_rooms_before_it(path):
    assert room_of(path.relative_to(ENGINE).parts) in ORDER, (
        f"{room_of(path.relative_to(ENGINE).parts)} has no place in the order of the rooms"
    )
    assert violations(path, ast.parse(path.read_text(encoding="utf-8"))) == []


def words_of_code(tree: ast.Module) -> Iterator[str]:
    """Names and strings of a file, without its comments and docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loose:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        if isinstance(node, documented) and not isinstance(node, ast.Module):
            yield node.name
    yield from (name for name in imported(ENGINE / "any" / "file.py", tree))


@pytest.mark.parametrize(
    "path",
    [path for path in sources() if room_of(path.relative_to(ENGINE).parts) not in ("godot", "entry_points")],
    ids=lambda path: str(path.relative_to(ENGINE)),
)
def test_only_one_room_has_heard_of_godot(path):
    words = words_of_code(ast.parse(path.read_text(encoding="utf-8")))
    assert [word for word in words if re.search("godot|physics/", word, re.I)] == []


@pytest.mark.parametrize(
    ("place", "line", "fault"),
    [
        ("geometry/a.py", "from ..bodies import pool", "imports bodies"),
        ("geometry/a.py", "from scree.solver.rows import build", "imports solver"),
        ("bodies/a.py", "import scree.broad_phase", "imports broad_phase"),
        ("solver/a.py", "def f():\n    from ..sensors import areas", "imports sensors"),
        ("shapes/a.py", "from numba.extending import intrinsic", "only runtime"),
        ("shapes/a.py", "from numba import extending", "only runtime"),
        ("godot/a.py", "import llvmlite.ir", "only runtime"),
        ("runtime/a.py", "from numba import _dynfunc", "uses numba._dynfunc"),
        ("runtime/a.py", "from numba.core import caching, cgutils", "uses numba.core.caching"),
        ("runtime/a.py", "from numba.core.registry import CPUDispatcher", "uses numba.core.registry"),
        ("runtime/a.py", "from numba.np.arrayobj import populate_array", "uses numba.np.arrayobj"),
        ("runtime/a.py", "import llvmlite.binding", "uses llvmlite.binding"),
        ("runtime/a.py", "import numba\nnumba.core.sigutils.normalize_signature('void()')", "uses numba.core.sigutils"),
        ("shapes/a.py", "from numba import _dynfunc", "uses numba._dynfunc"),
        ("runtime/a.py", "def f(kernel):\n    return kernel.overloads", "uses overloads"),
        ("solver/a.py", "from ..step.physics_system import PhysicsSystem", "imports step"),
        ("core/a.py", "from ..godot import server", "imports godot"),
        ("profiling/a.py", "import matplotlib", "NumPy and Numba only"),
        ("sensors/a.py", "def f():\n    import matplotlib", "NumPy and Numba only"),
        ("sensors/a.py", "import scipy.spatial", "NumPy and Numba only"),
    ],
)
def test_a_wrong_import_is_found(place, line, fault):
    assert any(fault in found for found in violations(ENGINE / place, ast.parse(line)))


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("bodies/a.py", "from ..geometry.vector import dot\nfrom . import schema\nimport numpy as np"),
        ("profiling/a.py", "def draw():\n    from matplotlib import colormaps"),
        ("runtime/a.py", "from llvmlite import ir\nfrom numba.core import cgutils\nfrom numba.extending import intrinsic"),
        ("runtime/a.py", "import numba\nnumba.cfunc('void()')\nnumba.__version__"),
        (KNOWS_THE_INSIDE, "from numba import _dynfunc\nfrom numba.core import caching\nimport llvmlite.binding as llvm"),
        ("godot/a.py", "from scree.step import physics_system\nfrom scree.bodies import pool"),
    ],
)
def test_a_right_import_passes(place, line):
    assert violations(ENGINE / place, ast.parse(line)) == []
