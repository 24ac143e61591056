"""Trials of the virtuals, for `scree prove parity_by_removal` (tools/prove_parity.py): every call is counted for the running
test, or one virtual is replaced by a function that does nothing and returns zero. Controlled by environment variables; off
otherwise.

SCREE_RECORD_VIRTUALS=FILE: a JSON file of {"Class._virtual": {test: calls}} is written when Godot ends. The test is the value of
the environment variable SCREE_TEST at the time of the call.
SCREE_REMOVE_VIRTUAL=Class._virtual: that one returns zero, without a message.
"""

import ctypes
import json
import os
from collections import Counter
from pathlib import Path

from .python_virtuals import CALLBACK, writer_of

RECORD, REMOVE, TEST = "SCREE_RECORD_VIRTUALS", "SCREE_REMOVE_VIRTUAL", b"SCREE_TEST"


class Trials:
    """The trials set by environment variables. `kept`: callbacks that Godot may call, to be kept alive."""

    def __init__(self):
        self._file, self._removed = os.environ.get(RECORD), os.environ.get(REMOVE)
        self._counts: dict[str, Counter] = {}
        self.kept: list = []
        # Python's os.environ is a copy made at the start.
        self._getenv = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_char_p)(("getenv", ctypes.CDLL(None))) if self._file else None

    def instead_of(self, engine_class: str, method, address: int, variants) -> int:
        """Address of the function that replaces a virtual whose own is at `address`."""
        name = f"{engine_class}.{method.name}"
        if name == self._removed:
            return self._keep(self._removed_call(method, variants))
        return self._keep(self._counted_call(name, address)) if self._file else address

    def _keep(self, callback) -> int:
        self.kept.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value

    @staticmethod
    def _removed_call(method, variants):
        write, zero = writer_of(method.result, variants)
        return CALLBACK(lambda instance, arguments, result: write(result, zero))

    def _counted_call(self, name: str, address: int):
        original, counts = CALLBACK(address), self._counts.setdefault(name, Counter())

        def counted(instance, arguments, result):
            counts[(self._getenv(TEST) or b"").decode()] += 1
            original(instance, arguments, result)

        return CALLBACK(counted)

    def finish(self) -> None:
        """Write the counts."""
        if self._file:
            Path(self._file).write_text(json.dumps({name: dict(counts) for name, counts in self._counts.items()}))
