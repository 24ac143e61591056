"""How the modules of a released addon are compiled: without all that a game never uses, since every byte and every statement of
a module costs time at the game's start.

- Functions that are compiled into the core's library lose their bodies. Kernels that no Python code names any more are left out,
  and so are imports of what only those bodies used, and modules that nothing imports any more.
- Docstrings, signatures for readers, annotations of the engine's functions, and columns in tracebacks are left out.
- Imports of modules that only a rare function uses move into that function.
- Modules that only describe, such as the docstrings of NumPy's compiled functions, have short stand-ins.
"""

import ast
import copy
import importlib._bootstrap_external
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import CodeType

_KERNEL = "kernel"
_IN_LIBRARY = {_KERNEL, "entry_point", "edit_of_body"}
"""Decorators of functions that are compiled into the core's library."""
LATE = {
    "ast", "concurrent.futures", "inspect", "logging", "pickle", "platform", "random", "shutil", "subprocess", "tempfile",
    "textwrap", "tokenize", "traceback", "urllib.parse",
}  # fmt: skip
"""Modules that are imported by the functions that use them, where no other code of a module does."""
_SIGNATURE, _NO_TEXT = "__signature__", "-"  # an empty docstring has dataclasses and some NumPys write one themselves
STAND_INS = {
    "datetime": "from _datetime import *\nfrom _datetime import datetime_CAPI\n",  # as in later versions of Python
    "numpy._core._add_newdocs": "",
    "numpy._core._add_newdocs_scalars": "",
    "numpy._typing": "from numpy._core.multiarray import ndarray as NDArray\n",  # names of types for annotations
}
"""Texts of modules of which a game needs no more than this; modules inside of them are left out."""
_LINE_ALONE, _NO_PLACE = 13, 15  # kinds of entries in a code's table of places


class _Unread(ast.NodeTransformer):
    """Takes out what only readers of documentation and type checkers use. `is_own`: of the engine."""

    def __init__(self, is_own: bool):
        self._is_own = is_own

    def _without_docstring(self, node):
        if ast.get_docstring(node, clean=False) is not None:
            node.body[0].value = ast.Constant(_NO_TEXT)
        return self.generic_visit(node)

    def visit_Module(self, node: ast.Module):
        if ast.get_docstring(node, clean=False) is not None:
            del node.body[0]  # nothing may stand before an import from __future__
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef):
        return self._without_docstring(node)

    def visit_FunctionDef(self, node: ast.FunctionDef):
        if self._is_own:
            node.returns = None
        return self._without_docstring(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef):
        return self._without_docstring(node)

    def visit_arg(self, node: ast.arg):
        if self._is_own:
            node.annotation = None
        return node

    def visit_Assign(self, node: ast.Assign):
        """A signature for readers, alone or beside a docstring."""
        targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
        names = [target.attr for target in targets if isinstance(target, ast.Attribute)]
        if _SIGNATURE in names and len(names) == len(targets) and set(names) <= {_SIGNATURE, "__doc__"}:
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call):
        """Text of documentation that would be cleaned."""
        self.generic_visit(node)
        is_cleaned = ast.unparse(node.func) == "inspect.cleandoc" and len(node.args) == 1 and not node.keywords
        return node.args[0] if is_cleaned else node


def _decorators(node: ast.FunctionDef) -> set[str]:
    """The names of a function's decorators."""
    called = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return {each.id for each in called if isinstance(each, ast.Name)}


def _loaded(node: ast.AST) -> set[str]:
    """The names that code loads."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def imported_from(name: str, is_package: bool, node: ast.ImportFrom) -> str:
    """The full name of the module that a statement of the module `name` imports from."""
    package = name.split(".") if is_package else name.split(".")[:-1]
    above = package[: len(package) - node.level + 1] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])


def _at_head(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module that run when it is imported."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _at_head(node)


def imports(name: str, is_package: bool, tree: ast.AST, at_head: bool = False) -> Iterator[str]:
    """Names of what a module imports anywhere in it, or `at_head`, when it is imported: modules, and names that may be
    modules."""
    for node in _at_head(tree) if at_head else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = imported_from(name, is_package, node)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if alias.name != "*")


def reached(roots: Iterable[str], trees: Mapping[str, ast.Module], packages: Collection[str], at_head: bool = False) -> set[str]:
    """The modules among `trees` that some import, with their packages; `at_head`: those that are imported with them."""
    found, waiting = set(), [*roots]
    while waiting:
        name = waiting.pop()
        if name in found or name not in trees:
            continue
        found.add(name)
        waiting.append(name.rpartition(".")[0])
        waiting.extend(imports(name, name in packages, trees[name], at_head))
    return found


class _Statement:
    """A statement at the head of a module of the engine, and the names in it: those that it loads, those that it may look up in
    any module, and (module, name) that it imports."""

    def __init__(self, node: ast.stmt, module: str, is_package: bool):
        self.node = node
        self.loaded, self.spoken, self.taken = set(), set(), set()
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                self.loaded.add(each.id)
            elif isinstance(each, ast.Attribute):
                self.spoken.add(each.attr)
            elif isinstance(each, ast.Constant) and isinstance(each.value, str):
                self.spoken.add(each.value)
            elif isinstance(each, ast.ImportFrom):
                source = imported_from(module, is_package, each)
                self.taken |= {(source, alias.name) for alias in each.names}
        is_engines = isinstance(node, ast.ImportFrom) and all(name.split(".")[0] == "scree" for name, _ in self.taken)
        self.imports = {alias.asname or alias.name: alias for alias in node.names} if is_engines else {}
        self.is_kernel = isinstance(node, ast.FunctionDef) and len(node.decorator_list) == 1 and _decorators(node) == {_KERNEL}

    def leave_out(self, kept: set[str]) -> int:
        """Leave out all imports from the engine but those of some names. Returns how many were left out."""
        unused = self.imports.keys() - kept
        for name in unused:
            alias = self.imports.pop(name)
            self.node.names.remove(alias)
            self.taken = {(module, taken) for module, taken in self.taken if taken != alias.name}
        return len(unused)


class EngineSources:
    """The engine's modules as a release has them, from their files by their full names. `trees`: of those that the modules
    `roots` import, also inside of functions."""

    def __init__(self, files: Mapping[str, Path], roots: set[str]):
        self._packages = {name for name, file in files.items() if file.name == "__init__.py"}
        trees = {name: ast.parse(file.read_bytes()) for name, file in files.items()}
        self._run, self._written = set(), {}  # kernels that also run as Python; names that a module's source loads
        for name, tree in trees.items():
            self._written[name] = set()
            for node in ast.walk(tree):
                if isinstance(node, ast.Name):
                    self._written[name].add(node.id)
                elif isinstance(node, ast.Attribute) and node.attr == "py_func" and isinstance(node.value, ast.Name):
                    self._run.add(node.value.id)
        self._heads = {name: self._head(name, tree) for name, tree in trees.items()}
        while self._leave_out():
            pass
        for name, statements in self._heads.items():
            trees[name].body = [each.node for each in statements]
            late_imports(trees[name])
        self.trees = {name: trees[name] for name in reached(roots, trees, self._packages)}

    def _head(self, name: str, tree: ast.Module) -> list[_Statement]:
        """The statements of a module, without bodies of functions that are compiled into the library, but with those that run as
        Python too."""
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name not in self._run and _decorators(node) & _IN_LIBRARY:
                node.body = [ast.Pass()]
        _Unread(is_own=True).visit(tree)
        return [_Statement(node, name, name in self._packages) for node in tree.body]

    def _leave_out(self) -> int:
        """Leave out kernels that nothing names, and imports that only bodies of compiled functions used. Returns how many there
        were: others may now be unused too."""
        statements = [each for head in self._heads.values() for each in head]
        spoken = self._run.union(*(each.spoken for each in statements))
        taken: dict[str, set[str]] = {}
        for module, name in (pair for each in statements for pair in each.taken):
            taken.setdefault(module, set()).add(name)
        count = 0
        for name, head in self._heads.items():
            used = spoken.union(taken.get(name, ()), *(each.loaded for each in head))
            kept = used | {alias for each in head for alias in each.imports if alias not in self._written[name]}
            count += sum(each.leave_out(kept) for each in head)
            rest = [each for each in head if not each.is_kernel or each.node.name in used]
            self._heads[name] = [each for each in rest if not isinstance(each.node, ast.ImportFrom) or each.node.names]
            count += len(head) - len(rest)
        return count


def late_imports(tree: ast.Module) -> ast.Module:
    """The tree, with imports of the modules `LATE` moved into the functions that use them, unless other code of the module uses
    them too."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = {id(each) for node in functions for each in ast.walk(node) if each is not node}
    outermost = [node for node in functions if id(node) not in inner]
    bodies = {id(each) for node in outermost for part in node.body for each in ast.walk(part)}
    elsewhere = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and id(each) not in bodies}
    elsewhere |= {each.value for each in ast.walk(tree) if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    for node in [*tree.body]:
        names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
        names |= {node.module} if isinstance(node, ast.ImportFrom) and not node.level else set()
        bound = {alias.asname or alias.name.split(".")[0] for alias in node.names} if names else set()
        if not names or not names <= LATE or bound & elsewhere:
            continue
        users = [function for function in outermost if bound & _loaded(function)]
        if any(bound & _bound(function) for function in users):
            continue
        for function in users:
            _import_before_use(function.body, node, bound)
        tree.body.remove(node)
    return tree


def _import_before_use(body: list[ast.stmt], statement: ast.stmt, bound: set[str]) -> None:
    """Put an import before each statement of a block, and of the blocks inside of it, that loads one of its names."""
    for node in [*body]:
        blocks = []
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            holders = [node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())]
            blocks = [getattr(holder, part, []) for holder in holders for part in ("body", "orelse", "finalbody")]
        inside = {id(each) for block in blocks for part in block for each in ast.walk(part)}
        if any(isinstance(each, ast.Name) and each.id in bound and id(each) not in inside for each in ast.walk(node)):
            body.insert(body.index(node), copy.deepcopy(statement))
        for block in blocks:
            _import_before_use(block, statement, bound)


def _bound(function: ast.AST) -> set[str]:
    """The names that a function, or one inside of it, binds."""
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    return stored | {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}


def released(name: str, source: bytes) -> ast.Module:
    """A module outside the engine as a release has it, from its source."""
    return late_imports(_Unread(is_own=False).visit(ast.parse(STAND_INS.get(name, source))))


def compiled(name: str, tree: ast.Module) -> bytes:
    """A module as the content of a .pyc file. Assertions of the engine stay; those of others go."""
    level = 0 if name.split(".")[0] == "scree" else 1
    code = compile(ast.fix_missing_locations(tree), f"{name}.py", "exec", dont_inherit=True, optimize=level)
    return importlib._bootstrap_external._code_to_hash_pyc(without_columns(code), b"\0" * 8, False)


def without_columns(code: CodeType) -> CodeType:
    """Code that knows the lines of its instructions, but no columns: these point into sources, which a release does not have. The
    format is that of CPython's `Objects/locations.md`."""
    table, last = bytearray(), code.co_firstlineno
    for begin, end, line in code.co_lines():
        units = (end - begin) // 2
        while units:
            count = min(units, 8)
            units -= count
            if line is None:
                table.append(0x80 | _NO_PLACE << 3 | count - 1)
                continue
            table.append(0x80 | _LINE_ALONE << 3 | count - 1)
            delta, last = line - last, line
            value = -delta << 1 | 1 if delta < 0 else delta << 1
            while value >= 64:
                table.append(64 | value & 63)
                value >>= 6
            table.append(value)
    constants = tuple(without_columns(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_linetable=bytes(table), co_consts=constants)
