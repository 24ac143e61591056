"""A build of the broad phase in which a writer can be parked before any of its stores.

The sources are copied into a package of their own in which every store and every atomic change first counts itself, and
calls back at a chosen number. What runs in that callback is what other threads do while the writer is parked there.
"""

import ctypes
import importlib
import itertools
import re
import sys
from pathlib import Path

import numpy as np

from scree import broad_phase

MODULES = ("nodes", "build", "tree_edits", "pending", "prepare", "new_tree", "add", "shift")
_numbers = itertools.count()

_KERNEL = """
import numba

def kernel(function=None, **options):
    if function is None:
        return lambda function: kernel(function, **options)
    return numba.njit(error_model="numpy")(function)
"""

_HOOK = """
import numpy as np
from scree.runtime.call import call_1, load_int64, store_int64
from {package}.kernel import kernel

HOOK = {hook}

@kernel
def checkpoint():
    number = load_int64(HOOK) + 1
    store_int64(HOOK, number)
    if number == load_int64(HOOK + 8):
        call_1(load_int64(HOOK + 16), number)
"""


def _wrap(names: list[str], module: str, parameters: str) -> str:
    return "".join(
        f"\n@kernel\ndef {name}({parameters}):\n    checkpoint()\n    return {module}.{name}({parameters})\n" for name in names
    )


def _wrapped_atomics() -> str:
    words = ("int32", "int64")
    changing = [f"{what}_{word}" for what in ("add", "or", "and", "min", "exchange", "store_release") for word in words]
    comparing = [f"compare_exchange_{word}" for word in words]
    same = ["load_acquire_int32", "load_acquire_int64", "load_relaxed_int32", "float_to_bits", "bits_to_float", "fence", "pause"]
    return (
        "from scree.runtime import atomics as real\n"
        + "from {package}.hook import checkpoint\nfrom {package}.kernel import kernel\n"
        + "".join(f"{name} = real.{name}\n" for name in same)
        + _wrap(changing, "real", "address, value")
        + _wrap(comparing, "real", "address, expected, replacement")
    )


def _wrapped_stores() -> str:
    return (
        "from scree.runtime import call as real\nfrom scree.runtime.call import *\n"
        + "from {package}.hook import checkpoint\nfrom {package}.kernel import kernel\n"
        + _wrap(["store_int32", "store_float32", "store_int64"], "real", "address, value")
    )


class Explored:
    """The copied modules, and the place where a writer parks. `changes` are (module, old text, new text): what is
    broken on purpose in this copy."""

    def __init__(self, folder: Path, changes=()):
        self.hook = np.zeros(3, np.int64)
        package = f"explored_{next(_numbers)}"
        root = folder / package
        root.mkdir()
        (root / "__init__.py").write_text("")
        fill = {"package": package, "hook": self.hook.ctypes.data}
        for name, text in (
            ("kernel", _KERNEL),
            ("hook", _HOOK),
            ("atomics", _wrapped_atomics()),
            ("call", _wrapped_stores()),
        ):
            (root / f"{name}.py").write_text(text.format(**fill))
        source_folder = Path(broad_phase.__file__).parent
        for name in MODULES:
            text = (source_folder / f"{name}.py").read_text()
            text = re.sub(rf"from scree\.broad_phase\.({'|'.join(MODULES)}) import", rf"from {package}.\1 import", text)
            text = text.replace("from scree.runtime import atomics", f"from {package} import atomics")
            text = text.replace("from scree.runtime.call import", f"from {package}.call import")
            text = text.replace("from scree.runtime.kernel import", f"from {package}.kernel import")
            for module, old, new in changes:
                if module == name:
                    assert text.count(old) == 1, f"{old!r} is not in {module} once"
                    text = text.replace(old, new)
            (root / f"{name}.py").write_text(text)
        sys.path.insert(0, str(folder))
        try:
            for name in MODULES:
                setattr(self, name, importlib.import_module(f"{package}.{name}"))
        finally:
            sys.path.remove(str(folder))
        self._parked: list = []
        self.failures: list[BaseException] = []
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._park)
        self.hook[2] = ctypes.cast(self._callback, ctypes.c_void_p).value

    def _park(self, number):
        meanwhile, outer = self._parked.pop(), (self.hook[0], self.hook[1])
        self.hook[1] = 0
        try:
            meanwhile()
        except BaseException as error:
            self.failures.append(error)
        self.hook[0], self.hook[1] = outer

    def count_stores(self, writer) -> int:
        """How many places there are in which `writer` can be parked."""
        self.hook[0], self.hook[1] = 0, 0
        writer()
        return int(self.hook[0])

    def run(self, writer, place: int, meanwhile):
        """Run `writer`; before its store number `place` (from 1) run `meanwhile`."""
        self._parked.append(meanwhile)
        self.hook[0], self.hook[1] = 0, place
        writer()
        self.hook[1] = 0
        if self.failures:
            failures, self.failures = self.failures, []
            raise failures[0]
