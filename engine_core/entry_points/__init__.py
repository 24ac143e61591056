"""Imports every module of the house, so that `runtime.kernel.registry()` lists all compiled functions of it.

For the warm-up and for tests; nothing at run time needs it. It looks for the modules: a list would forget the newest.
"""

import importlib
import pkgutil
from pathlib import Path

_PACKAGE = __name__.rpartition(".")[0]

for _module in pkgutil.walk_packages([str(Path(__file__).parent.parent)], f"{_PACKAGE}."):
    if _module.name != __name__:
        importlib.import_module(_module.name)
