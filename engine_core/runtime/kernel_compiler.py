"""The choice between the two ways to compile: with Numba's inside (`numba_inside.py`), or plainly (`plain_numba.py`).

Both give `make_kernel`, `compile_entry`, `address_generator` and `type_of_intrinsic`, and code that computes the same bits. With
Numba's inside compiling takes half the time and the code is cached. The plain way is taken if the environment variable
SCREE_PLAIN_NUMBA is set (and not 0), or if Numba has changed so much that its inside cannot be used; then a warning says so.
"""

import os
import warnings

import numba
from numba import types

from . import numba_versions

PLAIN = "SCREE_PLAIN_NUMBA"
"""The environment variable that asks for the plain way."""


def _choose():
    """The module of the way to compile. Warns if it is the plain one and nobody asked for it."""
    if os.environ.get(PLAIN, "0") in ("", "0"):
        try:
            from . import numba_inside

            return numba_inside
        except (ImportError, AttributeError, TypeError) as error:
            warnings.warn(
                f"Scree does not know the inside of Numba {numba.__version__} ({error}). It compiles in the plain way: slower, "
                f"and at every start. Tried was Numba {numba_versions.RANGE}: pip install '{numba_versions.REQUIREMENT}'",
                RuntimeWarning, stacklevel=2,
            )  # fmt: skip
    from . import plain_numba

    return plain_numba


_way = _choose()
IS_PLAIN = _way.__name__.endswith("plain_numba")
"""Whether kernels are plain functions of Numba's."""

make_kernel = _way.make_kernel
compile_entry = _way.compile_entry
address_generator = _way.address_generator
type_of_intrinsic = _way.type_of_intrinsic


def type_of_kernel(compiled):
    """Numba's type of a kernel that `make_kernel` made."""
    return numba.typeof(compiled)


def numba_signature(signature):
    """The signature of an entry point as Numba has it."""
    return getattr(types, signature.return_type)(*(getattr(types, name) for name in signature.args))
