"""A build of the edits in which the writer can be parked before any of its statements.

The sources are copied into a package of their own in which every statement of a compiled function first counts itself, and calls
back at a chosen number. What runs in that callback is what queries do while the writer is parked there.
"""

import ast
import ctypes
import importlib
import itertools
import sys
from pathlib import Path

import numpy as np

from scree import structures

MODULES = ("pools", "nodes", "insertion", "removal", "root", "building", "publication", "compaction", "edits")
_numbers = itertools.count()

_KERNEL = """
from pathlib import Path

from numba.types import int64, void
from scree.runtime import kernel_compiler

HERE = Path(__file__).parent

def kernel(function):
    return kernel_compiler.make_kernel(function, {}, HERE)

def entry_point(signature):
    return lambda function: kernel_compiler.compile_entry(function, void(int64, int64), HERE)
"""

_HOOK = """
from scree.runtime.attributes import keep_as_call
from scree.runtime.call import call_1, load_int64, store_int64
from {package}.kernel import kernel

HOOK = {hook}

@kernel
def checkpoint():
    keep_as_call()
    number = load_int64(HOOK) + 1
    store_int64(HOOK, number)
    if number == load_int64(HOOK + 8):
        call_1(load_int64(HOOK + 16), number)
"""


class _Parkable(ast.NodeTransformer):
    """Puts a checkpoint before each statement of a function, and resolves imports."""

    def __init__(self, package: str):
        self.package = package

    def visit_ImportFrom(self, node):
        own = node.level == 1 and node.module in MODULES or node.module == "runtime.kernel"
        room = "scree" if node.level == 2 else "scree.structures"
        if node.level:
            node.module = f"{self.package}.{node.module.rpartition('.')[2]}" if own else f"{room}.{node.module}"
            node.level = 0
        return node

    def visit_FunctionDef(self, node):
        node.body = [node.body[0], *self._parkable(node.body[1:])] if ast.get_docstring(node) else self._parkable(node.body)
        return node

    def _parkable(self, body):
        made = []
        for statement in body:
            for field in ("body", "orelse"):
                if getattr(statement, field, None):
                    setattr(statement, field, self._parkable(getattr(statement, field)))
            made += [*ast.parse("checkpoint()").body, statement]
        return made


class Explored:
    """The copied edits, and the place where the writer parks. `changes` are (module, old text, new text): what is broken on
    purpose in this copy."""

    def __init__(self, folder: Path, changes=()):
        self.hook = np.zeros(3, np.int64)
        package = f"explored_structures_{next(_numbers)}"
        root = folder / package
        root.mkdir()
        (root / "__init__.py").write_text("")
        (root / "kernel.py").write_text(_KERNEL)
        (root / "hook.py").write_text(_HOOK.format(package=package, hook=self.hook.ctypes.data))
        for name in MODULES:
            text = (Path(structures.__file__).parent / f"{name}.py").read_text(encoding="utf-8")
            for module, old, new in changes:
                if module == name:
                    assert text.count(old) == 1, f"{old!r} is not in {module} once"
                    text = text.replace(old, new)
            tree = _Parkable(package).visit(ast.parse(text))
            tree.body.insert(1, *ast.parse(f"from {package}.hook import checkpoint").body)
            (root / f"{name}.py").write_text(ast.unparse(ast.fix_missing_locations(tree)))
        sys.path.insert(0, str(folder))
        try:
            self._compiled = importlib.import_module(f"{package}.edits").edit_structure
        finally:
            sys.path.remove(str(folder))
        self.edit = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(self._compiled.address)
        """The copy of `edit_structure`, given the addresses of a structure and a command."""
        self._meanwhile = None
        self._failure: BaseException | None = None
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._park)
        self.hook[2] = ctypes.cast(self._callback, ctypes.c_void_p).value

    def _park(self, number):
        try:
            self._meanwhile()
        except BaseException as error:
            self._failure = error

    def count_places(self, writer) -> int:
        """How many places there are in which `writer` can be parked."""
        self.hook[:2] = 0
        writer()
        return int(self.hook[0])

    def run(self, writer, place: int, meanwhile) -> None:
        """Run `writer`; at its place number `place` (from 1) run `meanwhile`. Raises what that raises."""
        self._meanwhile, self._failure = meanwhile, None
        self.hook[:2] = 0, place
        writer()
        self.hook[1] = 0
        if self._failure:
            raise self._failure
