"""Functions of compiled code that are written as LLVM's instructions, declared by their names.

How they are compiled is in `intrinsics/`, which imports Numba. Where the core's library has all code that runs, nothing is
compiled, and neither is imported.
"""

import importlib

_FOLDER = f"{__package__}.intrinsics"


class Intrinsic:
    """One such function: `name` of the module `intrinsics/<module>.py`. Only compiled code can call it."""

    def __init__(self, module: str, name: str):
        self.module, self.name = module, name

    @property
    def compiled(self):
        """Numba's own object of it."""
        return getattr(importlib.import_module(f"{_FOLDER}.{self.module}"), self.name)

    @property
    def _numba_type_(self):
        """Numba asks values for their type by this name."""
        from .kernel_compiler import type_of_intrinsic

        return type_of_intrinsic(self.compiled)

    @property
    def place(self) -> tuple[str, str]:
        """The full name of the module that says how it is compiled, and its name there."""
        return f"{_FOLDER}.{self.module}", self.name

    def __call__(self, *arguments):
        raise TypeError(f"{self.name} can only be called by compiled code")

    def __repr__(self) -> str:
        return f"<{self.name}, for compiled code>"


def intrinsic(module: str, name: str) -> Intrinsic:
    """Declare the function `name` of `intrinsics/<module>.py`."""
    return Intrinsic(module, name)


def intrinsics(module: str, *names: str) -> list[Intrinsic]:
    """Declare several functions of `intrinsics/<module>.py`."""
    return [Intrinsic(module, name) for name in names]
