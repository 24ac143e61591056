"""Edits written in Python, for changes that need Python's tables: shapes, joints, life. They wait for the end of a step that
blocks them."""

import threading
from collections import Counter, deque
from collections.abc import Callable

import numpy as np

from ..bodies.identity import index_of, kind_of
from ..bodies.schema import KIND_SYSTEM
from .commands import BUSY, STEPPING, SYSTEM_SIZE, TAKEN, enter_gate


class LateEdits:
    """Edits written in Python: those blocked by a step wait here until it ends, in order; no thread waits for them."""

    def __init__(self, world):
        self._world = world
        self._waiting: deque = deque()
        self._bodies: Counter = Counter()
        self._count, self._counting = np.zeros(1, np.int64), threading.Lock()
        self.waiting_address = self._count.ctypes.data  # of an int64 for compiled code, which leaves calls to Python
        """The number of waiting edits, and one more while the world is recorded."""
        self._settling = threading.Lock()
        self._inside = threading.local()  # of a thread that does an edit: nested edits are part of it
        self._is_recorded = 0
        self.errors: deque = deque()  # of edits that were done late, raised by the next step

    def waits_for(self, identity: int) -> bool:
        """Whether edits of a body wait: later ones come after them, except those nested in a running one."""
        return bool(self._waiting) and identity in self._bodies and not getattr(self._inside, "depth", 0)

    @property
    def has_waiting(self) -> bool:
        """Whether edits wait."""
        return bool(self._waiting)

    def run(self, identity: int, action: Callable[[], None], system: int = -1) -> None:
        """Do `action`, which changes a body, its system and perhaps another one: now, or when the steps of these have ended. An
        edit of only a system uses its id."""
        if not self.waits_for(identity):
            taken = self._take(identity, system)
            if taken is not None:
                self._do(action, taken)
                return
        self._bodies[identity] += 1
        self._waiting.append((identity, action, system))
        self._note_count()
        self.settle()

    def _note_count(self) -> None:
        with self._counting:
            self._count[0] = len(self._waiting) + self._is_recorded

    def note_recording(self, is_on: bool) -> None:
        """Note that the world is recorded: Godot's compiled answers leave all calls to Python, where they are written."""
        self._is_recorded = int(is_on)
        self._note_count()

    def _systems(self, identity: int, system: int) -> list[int]:
        """The numbers of the systems that an edit touches, in the order of taking their gates."""
        is_of_space = kind_of(identity) == KIND_SYSTEM
        own = -1 if is_of_space else int(self._world.bodies.rows[index_of(identity)]["system"])
        return sorted({system, own} - {-1})

    def _take(self, identity: int, system: int) -> list[int] | None:
        """Take the gates of the systems that an edit touches. Return the addresses of those to be opened, or None while one
        steps."""
        me, taken = threading.get_ident(), []
        for number in self._systems(identity, system):
            address = int(self._world.record["systems"]) + number * SYSTEM_SIZE
            answer = enter_gate(address, me)
            if answer == BUSY:
                self._open(taken)
                return None
            if answer == TAKEN:
                taken.append(address)
        return taken

    def _open(self, taken: list[int]) -> None:
        for address in reversed(taken):
            self._world.edit(self._world.address, 0, address)

    def settle(self) -> None:
        """Do the waiting edits that no step blocks. To be called at the end of a step."""
        while self._waiting and self._settling.acquire(blocking=False):
            try:
                while self._waiting and self._do_first():
                    pass
            finally:
                self._settling.release()
            # A step that ended just now found this thread busy here and went on: so check again, unless one still runs.
            if self._waiting and self._is_kept_out():
                return

    def _do_first(self) -> bool:
        """Do the edit that has waited longest. Return False while a step blocks it."""
        identity, action, system = self._waiting[0]
        taken = self._take(identity, system)
        if taken is None:
            return False
        self._waiting.popleft()
        self._note_count()
        self._bodies[identity] -= 1
        if not self._bodies[identity]:
            del self._bodies[identity]
        try:
            self._do(action, taken)
        except Exception as error:  # its caller has returned: raised by the next step
            self.errors.append(error)
        return True

    def _do(self, action: Callable[[], None], taken: list[int]) -> None:
        """Do an edit with the gates held by this thread, and open them."""
        self._inside.depth = getattr(self._inside, "depth", 0) + 1
        try:
            action()
        finally:
            self._inside.depth -= 1
            self._open(taken)

    def _is_kept_out(self) -> bool:
        try:
            identity, _, system = self._waiting[0]
        except IndexError:
            return False
        return any(int(self._world.systems.rows[k]["edits"]["gate"]) == STEPPING for k in self._systems(identity, system))

    def holds(self, system: int) -> bool:
        """Whether this thread holds the gate of a system."""
        return int(self._world.systems.rows[system]["edits"]["gate"]) == threading.get_ident()
