"""The interface for step listeners, compiled or in Python, and for listeners to bodies that wake or fall asleep.

    world.listener.add(system, wind, SUB_STEP)              # an entry point "void(int64, int64, float64)", or Python
    world.listener.add_activation(system, lambda woke, slept: print(woke, slept))

A Python listener delays the step while it runs, at least some microseconds a call. What it raises is raised by `World.step`.
Add and remove listeners on the stepping thread, between steps.
"""

import ctypes

import numpy as np

from ..bodies.identity import KIND_BODY
from ..bodies.schema import RIGID
from ..edit import body_placement
from ..runtime.distinct import distinct
from ..runtime.kernel import EntryPoint
from ..runtime.memory import PoolFull, address_of, view_rows
from ..runtime.recorded_calls import recorded, refused_while_recording
from ..solver.listeners import AFTER_STEP, BEFORE_STEP, LISTENER, MOST_LISTENERS, SUB_STEP
from .part import Part

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)
MOMENTS = BEFORE_STEP | SUB_STEP | AFTER_STEP


class ListeningConstraint:
    """A constraint that solves itself as a step listener: prepared before each step and solved in each sub-step. It lives until
    `remove`, or until its system is freed."""

    def __init__(
        self, world, system: int, bodies: list[int], record: np.ndarray, begin: EntryPoint, solve: EntryPoint | None = None,
        is_together: bool = False,
    ):  # fmt: skip
        """`bodies`: ids of the bodies it acts on; without `solve` it adds forces before each step, and that is all.
        `is_together`: its functions are called once for all such constraints that follow each other."""
        self._world, self._system, self._bodies, self._record = world, system, bodies, record
        self.row = record[0]
        self.recorded_number = -1
        """Its number in a recording."""
        address = address_of(record)
        self._listeners = [world.listener.add(system, begin, BEFORE_STEP, address, is_together)]
        try:
            if solve is not None:
                self._listeners.append(world.listener.add(system, solve, SUB_STEP, address, is_together))
        except BaseException:  # the step must not call the first one with a freed record
            world.listener.remove(system, self._listeners.pop())
            raise
        world.system(system).kept.add(self)

    @property
    def recorder(self):
        """The writer of a recording of the world, or None."""
        return self._world.recorder

    @property
    def first_listener(self) -> int:
        """The number of its listener that prepares it: ascending in the order of making."""
        return self._listeners[0]

    @property
    def listeners(self) -> list[int]:
        """The numbers of its listeners."""
        return self._listeners

    def records(self) -> list[tuple[str, np.ndarray, tuple[str, ...]]]:
        """The rows that decide what it does next: name, rows, and their fields that only hold addresses or are written before
        they are read."""
        return [("record", self._record, ())]

    def _check_there(self, call: str) -> None:
        """Check that the bodies and system it acts on still exist. Raises KeyError, naming the call and what was removed or
        freed."""
        self._check_not_removed(call)
        self._world.system_index(call, self._system)
        for body in self._bodies:
            self._world.body.index(call, body)

    def _check_not_removed(self, call: str) -> None:
        if not self._listeners:
            raise KeyError(f"{call}: the {type(self).__name__.lower()} was removed")

    def _wake_bodies(self) -> None:
        """Wake the bodies it acts on that still exist: what holds them has changed."""
        bodies = self._world.bodies
        for body in self._bodies:
            if bodies.has(body, KIND_BODY):
                index = bodies.find("wake", body, KIND_BODY)
                if int(bodies.rows[index]["mode"]) >= RIGID:
                    body_placement.wake(self._world.address, index)

    @recorded("ListeningConstraint")
    def set_enabled(self, is_enabled: bool) -> None:
        """Switch it on or off; its bodies wake. Raises KeyError after it, its space or one of its bodies was freed."""
        self._check_there("set_enabled")
        self.row["is_enabled"] = int(is_enabled)
        self._wake_bodies()

    @recorded("ListeningConstraint")
    def remove(self) -> None:
        """Take it out of its system, also if a body of it was freed before; its bodies wake. Nothing else may be called
        afterwards. Raises KeyError the second time."""
        self._check_not_removed("remove")
        listeners, self._listeners = self._listeners, []
        if self._world.has_system(self._system):
            self._wake_bodies()
            for number in listeners:
                self._world.listener.remove(self._system, number)
            self._world.system(self._system).kept.discard(self)


class ListenerInterface(Part):
    """The part of a `World` that handles listeners."""

    @refused_while_recording("step listeners of your own")
    def add(self, system: int, function, moments: int, context: int = 0, is_together: bool = False) -> int:
        """Have a function called in each step of a system, at BEFORE_STEP, SUB_STEP, AFTER_STEP or several of them. An entry
        point or an address is called as `f(address of SYSTEM, context, time)`, a Python function as `f(time)`. `is_together`:
        see solver/listeners.py. Return a number for `remove`. Raises KeyError, ValueError, PoolFull."""
        owner = self._owner("add_step_listener", system)
        if not moments or moments & ~MOMENTS:
            raise ValueError(f"add_step_listener: moments must be of BEFORE_STEP, SUB_STEP and AFTER_STEP, got {moments}")
        kept = function
        if isinstance(function, EntryPoint):
            address = function.address
        elif isinstance(function, int):
            address = function
        elif callable(function):
            kept = _CALLBACK(self._guarded(owner, function))
            address = ctypes.cast(kept, ctypes.c_void_p).value
        else:
            raise ValueError(f"add_step_listener: a function, an entry point or an address is wanted, got {function!r}")
        if len(owner.listeners) >= MOST_LISTENERS:
            raise PoolFull(f"add_step_listener: there are {MOST_LISTENERS} step listeners already")
        owner.listener_number += 1
        owner.listeners[owner.listener_number] = ((address, context, moments, int(is_together), 0, 0, (0, 0), 0), kept)
        self._write_listeners(owner)
        return owner.listener_number

    def remove(self, system: int, number: int) -> None:
        """Stop calling a listener. Raises KeyError."""
        owner = self._owner("remove_step_listener", system)
        if number not in owner.listeners:
            raise KeyError(f"remove_step_listener: there is no step listener {number}")
        del owner.listeners[number]
        self._write_listeners(owner)

    def set_state(self, system: int, number: int, first: np.ndarray, second: np.ndarray) -> None:
        """Have hashes of a system cover two float64 arrays of one size that belong to a listener. They must live as long. Raises
        KeyError."""
        owner = self._owner("set_listener_state", system)
        row, kept = owner.listeners[number]
        owner.listeners[number] = (*row[:-2], (address_of(first), address_of(second)), first.size), kept
        self._write_listeners(owner)

    def add_activation(self, system: int, function) -> None:
        """Have `function(woke, slept)` called after each step in which bodies of a system woke or fell asleep: int64 arrays of
        their ids. A moving body that is added counts as woken. Raises KeyError, ValueError."""
        owner = self._owner("add_activation_listener", system)
        if not callable(function):
            raise ValueError(f"add_activation_listener: a function is wanted, got {function!r}")
        owner.activation_listeners.append(function)
        owner.row["bodies"]["listens_to_waking"] = 1

    def remove_activation(self, system: int, function) -> None:
        """Stop calling a listener. Raises KeyError."""
        owner = self._owner("remove_activation_listener", system)
        if function not in owner.activation_listeners:
            raise KeyError(f"remove_activation_listener: {function!r} does not listen")
        owner.activation_listeners.remove(function)
        owner.row["bodies"]["listens_to_waking"] = int(bool(owner.activation_listeners))
        owner.row["bodies"]["woke_count"] = 0

    def _owner(self, call: str, system: int):
        self._world.system_index(call, system)
        return self._world.system(system)

    @staticmethod
    def _guarded(owner, function):
        """Wrap a Python function: its exceptions must not leave a callback of compiled code, so they are kept for the end of the
        step."""

        def call(system, context, time):
            try:
                function(time)
            except BaseException as error:  # also KeyboardInterrupt
                owner.listener_errors.append(error)

        return call

    @staticmethod
    def _write_listeners(owner) -> None:
        rows = view_rows(int(owner.row["step"]["listeners"]), MOST_LISTENERS, LISTENER)
        for k, (row, _) in enumerate(owner.listeners.values()):
            rows[k] = row
        owner.row["step"]["listener_count"] = len(owner.listeners)

    def call_python(self, owner) -> None:
        """After a step, report bodies that woke or fell asleep, and raise the first error of a listener."""
        row = owner.row
        if owner.activation_listeners and (row["bodies"]["woke_count"] or row["bodies"]["fell_asleep_count"]):
            ids = self._bodies.rows["id"]
            woke = view_rows(int(row["bodies"]["woke_up"]), int(row["bodies"]["woke_count"]), np.int32)
            slept = view_rows(int(row["bodies"]["fell_asleep"]), int(row["bodies"]["fell_asleep_count"]), np.int32)
            told = distinct(ids[woke]), distinct(ids[slept])
            row["bodies"]["woke_count"] = 0
            for function in tuple(owner.activation_listeners):
                try:
                    function(*told)
                except BaseException as error:  # the remaining listeners are still called
                    owner.listener_errors.append(error)
        if owner.listener_errors:
            error = owner.listener_errors[0]
            owner.listener_errors.clear()
            raise error
