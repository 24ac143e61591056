"""Imports every module of the package, so that `runtime.kernel.registry()` lists all of its compiled functions.

For the warm-up and for tests; not needed at run time. It searches for the modules, since a list would miss new ones. Modules that
compile are left out: they import Numba, and declare nothing. So is the module that needs the package `gymnasium`.
"""

import importlib
import pkgutil
from pathlib import Path

_PACKAGE = __name__.rpartition(".")[0]
_COMPILING = tuple(
    f"{_PACKAGE}.runtime.{name}" for name in ("intrinsics", "kernel_compiler", "numba_inside", "plain_numba", "code_cache")
)
_OF_GYMNASIUM = f"{_PACKAGE}.learning.environment"

for _module in pkgutil.walk_packages([str(Path(__file__).parent.parent)], f"{_PACKAGE}."):
    if _module.name not in (__name__, _OF_GYMNASIUM) and not _module.name.startswith(_COMPILING):
        importlib.import_module(_module.name)
