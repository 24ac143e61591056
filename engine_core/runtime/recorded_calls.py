"""Which calls of Python change a world: a recording (state/recordings.py) writes them down, a replay makes them again.

The mark is on the function itself, so that there is no list of calls beside it. Edits of the table (edit/edit_table.py) need no
mark: they are written where they are executed (edit/edit_log.py).
"""

import functools
from collections.abc import Callable

RECORDED: dict[str, Callable] = {}
"""All marked functions, by the name that stands for them in a recording: `part.method`, as in `world.body.destroy`."""


class NotRecorded(RuntimeError):
    """A call whose effect no recording holds, while one is made. Nothing was changed."""


def recorded(part: str) -> Callable[[Callable], Callable]:
    """Mark a method of a part of the core's `World`, whose first argument has a `recorder` (None while nothing is recorded).

    The call is written when it has been executed, and not at all if it raises. What it calls is part of it."""

    def declare(method: Callable) -> Callable:
        name = f"{part}.{method.__name__}"

        @functools.wraps(method)
        def door(self, *arguments, **named):
            recorder = self.recorder
            if recorder is None:
                return method(self, *arguments, **named)
            return recorder.do(name, method, self, arguments, named)

        assert name not in RECORDED, name
        RECORDED[name] = door
        return door

    return declare


def check_not_recorded(recorder, call: str, what: str) -> None:
    """Refuse a call that makes or changes things that no recording holds. Raises NotRecorded, unless it is part of a call that is
    written as a whole."""
    if recorder is not None and not recorder.is_inside:
        raise NotRecorded(f"{call}: a recording of this world is being made, and it cannot hold {what}")


def refused_while_recording(what: str) -> Callable[[Callable], Callable]:
    """Mark a method like those of `recorded` that a recording cannot hold; `what`: the things that it makes or changes."""

    def declare(method: Callable) -> Callable:
        @functools.wraps(method)
        def door(self, *arguments, **named):
            check_not_recorded(self.recorder, method.__name__, what)
            return method(self, *arguments, **named)

        return door

    return declare
