"""Errors for refused calls: one line that names the call and the value. And warnings, once per name."""

import ctypes
import math
import traceback

from ..bodies.identity import describe_id, kind_of
from ..bodies.schema import KIND_AREA, KIND_BODY, KIND_SHAPE, KIND_SYSTEM
from . import schema
from .call_names import CALLS
from .raw_memory import read_double, read_transform, read_vector3
from .setting_table import setting_of_limit

FARTHEST_PLACE = 1e9
"""How far from its body a shape may be [m]: farther shapes make the inertia overflow."""


class Reporter:
    """Prints through Godot, so that messages appear in the editor too."""

    def __init__(self, interface, variants=None):
        arguments = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_uint8)
        self._print_error = interface.function("print_error", None, *arguments)
        self._print_warning = interface.function("print_warning", None, *arguments)
        self.variants = variants
        self._warned: set[str] = set()

    def error(self, call: str, message: str) -> None:
        """Print `scree: call: message`."""
        text = f"scree: {call}: {message}"
        self._print_error(text.encode(), call.encode(), b"scree", 0, 1)

    def warn(self, name: str, message: str) -> None:
        """Print a warning `scree: name: message`."""
        self._print_warning(f"scree: {name}: {message}".encode(), name.encode(), b"scree", 0, 1)

    def warn_once(self, name: str, message: str) -> None:
        """Print a warning, the first time for this name."""
        if name not in self._warned:
            self._warned.add(name)
            self.warn(name, message)

    def exception(self, call: str, error: Exception) -> None:
        """Print the exception of a cold call. One that is neither bad input nor a lack of room is a bug in Scree and is printed
        with its location."""
        message = str(error.args[0]) if error.args else type(error).__name__
        if not isinstance(error, (ValueError, KeyError, RuntimeError, MemoryError)) or not error.args:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{place.name}:{place.lineno}"
            message = f"internal error, please report it: {type(error).__name__}: {message} ({where})"
        # The core's message begins with its own name of the call; Godot's name is the one the user knows.
        head, _, rest = message.partition(": ")
        self.error(call, rest if rest and head.isidentifier() else message)

    def refusal(self, number: int, reason: int, value: int) -> None:
        """Print why compiled code refused a call; `value` is an id, a number, or the address of one."""
        call = CALLS[number]
        if reason in _MISSING:
            kind, name = _MISSING[reason]
            self.error(call, missing(kind, name, value))
        elif reason == schema.NO_SUCH_OBJECT:
            self.error(call, f"there is no body or area {describe_id(value)} in this space")
        elif reason == schema.NOT_FINITE:
            self.error(call, f"the vector must be finite, got {read_vector3(value)}")
        elif reason == schema.NOT_FINITE_TRANSFORM:
            self.error(call, f"the transform must be finite, got {read_transform(value)}")
        elif reason == schema.TOO_MANY_EDITS:
            self.error(call, f"too many edits wait for a step to end: raise the setting '{setting_of_limit('waiting_edits')}'")
        elif reason == schema.WRONG_MARGIN:
            self.error(call, f"margin must be at least 0, got {read_double(value)}")
        elif reason == schema.WRONG_TYPE and call.endswith(("callback", "listener")):
            self.error(call, "the Callable could not be called with what it is told; it is dropped")
        elif reason == schema.WRONG_TYPE:
            got = self.variants.read(value)
            self.error(call, f"a value of another type was expected, got {got!r}")
        else:
            self.error(call, f"there is no {_NUMBERED.get(call, 'number')} {value}")


_MISSING = {schema.NO_SUCH_BODY: (KIND_BODY, "body"), schema.NO_SUCH_SPACE: (KIND_SYSTEM, "space"),
            schema.NO_SUCH_SHAPE: (KIND_SHAPE, "shape"), schema.NO_SUCH_AREA: (KIND_AREA, "area")}  # fmt: skip
_NUMBERED = {"body_set_state": "body state", "body_get_state": "body state", "body_state.get_contact": "contact",
             "get_process_info": "process info",
             "body_test_motion": "motion test with max_collisions"}  # fmt: skip


def missing(kind: int, name: str, identity: int) -> str:
    """The message that there is no thing with this id, and why."""
    why = "it was freed" if identity > 0 and kind_of(identity) == kind else f"it is no {name}"
    return f"there is no {name} {describe_id(identity)}: {why}"


def check_finite(name: str, *values: float) -> None:
    """Raise ValueError if a value is not finite."""
    for value in values:
        if not math.isfinite(value):
            raise ValueError(f"{name} must be finite, got {value}")


def check_number(name: str, value) -> float:
    """Convert a Variant's value to a finite number. Raises ValueError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{name} must be a number, got {value!r}")
    check_finite(name, value)
    return float(value)


def check_integer(name: str, value, smallest: int, largest: int) -> int:
    """Convert a Variant's value to an integer within limits. Raises ValueError."""
    number = check_number(name, value)
    if number != int(number) or not smallest <= number <= largest:
        raise ValueError(f"{name} must be a whole number from {smallest} to {largest}, got {value!r}")
    return int(number)


def check_place(transform: tuple) -> None:
    """Raise ValueError for a transform that is not finite, or that moves a shape too far away."""
    check_finite("transform", *transform)
    if max(map(abs, transform)) > FARTHEST_PLACE:
        raise ValueError(f"transform must lie within {FARTHEST_PLACE:g} m, got {transform}")


def check_vector(name: str, value) -> tuple[float, float, float]:
    """Convert a Variant's value to a finite vector. Raises ValueError."""
    if not isinstance(value, tuple) or len(value) != 3:
        raise ValueError(f"{name} must be a Vector3, got {value!r}")
    check_finite(name, *value)
    return value
