"""Limits: how much a world can hold, how much a step handles, and the warnings when that is not enough.

Memory is used only where it is touched, so limits are large by default: address space costs nothing. Where it does (a process
limit, `vm.overcommit_memory` 2, Windows) they are modest. A call that would create a body, shape or joint beyond its limit is
refused. A step handles as many pairs, contacts and overlaps of areas as the limit says, the deepest first; the others wait for
the next step.
"""

import platform
import time
import warnings
from collections.abc import Callable

from ..bodies.system_schema import AREA_OVERLAPS, CONTACT_EVENTS, CONTACTS, NEAR_SOFT_BODIES, PAIRS
from ..runtime.memory import can_reserve

DEFAULT_LIMITS = {
    "bodies": 1 << 22, "body_shapes": 1 << 24, "shapes": 1 << 22, "systems": 256, "joints": 1 << 20,
    "pairs": 1 << 23, "contacts": 1 << 22, "area_overlaps": 1 << 22, "waiting_edits": 1 << 16,  # of each space
}  # fmt: skip
MODEST_LIMITS = {
    **DEFAULT_LIMITS, "bodies": 1 << 18, "body_shapes": 1 << 21, "shapes": 1 << 19, "joints": 1 << 17, "pairs": 1 << 20,
    "contacts": 1 << 19, "area_overlaps": 1 << 18, "waiting_edits": 1 << 14,
}  # fmt: skip
ADDRESS_SPACE = 128 << 30
"""Address space for the default limits [byte]: a world and two spaces."""
ROWS_TO_A_LIMIT = 2
"""A space stores this many times as many pairs, contacts and overlaps as a step handles at most, and as by default."""
LEFT_OUT = {
    PAIRS: ("pairs were left out, the deepest came first", "pairs"),
    CONTACTS: ("contacts were left out, the deepest came first", "contacts"),
    AREA_OVERLAPS: ("overlaps of areas wait, the deepest came first", "area_overlaps"),
    CONTACT_EVENTS: ("contact events were not told", "contacts"),
    NEAR_SOFT_BODIES: ("bodies, areas and soft bodies near a soft body were left out", ""),
}
"""By kind of SYSTEM.limits.left_out: what happened to it, and the name of its limit; none if it is fixed."""
SECONDS_BETWEEN_WARNINGS = 1.0


class LimitReached(UserWarning):
    """A step exceeded a limit; it handled the deepest. Names the setting and the number."""


def has_address_space() -> bool:
    """Whether there is room for the default limits, and unused address space costs nothing."""
    return can_reserve(ADDRESS_SPACE)


def limits_for(given: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """(the limits of a world, the default limits here). Raises ValueError for an unknown name."""
    unknown = sorted(set(given) - set(DEFAULT_LIMITS))
    if unknown:
        raise ValueError(f"World: there is no limit {unknown[0]!r}; there are {', '.join(DEFAULT_LIMITS)}")
    if has_address_space():
        return {**DEFAULT_LIMITS, **given}, DEFAULT_LIMITS
    if platform.system() != "Windows":
        warnings.warn(f"World: the system gives no {ADDRESS_SPACE >> 30} GiB of address space (ulimit -v, vm.overcommit_memory): "
                      f"limits are modest, {MODEST_LIMITS['bodies']} bodies for example", LimitReached, stacklevel=3)  # fmt: skip
    return {**MODEST_LIMITS, **given}, MODEST_LIMITS


def name_of_limit(name: str) -> str:
    """How errors and warnings name a limit of a Python program."""
    return f"World({name}=...)"


def rows_for(limit: int, usual: int) -> int:
    """The number of rows that a space stores for a limit of a step: a power of two."""
    return 1 << (ROWS_TO_A_LIMIT * max(limit, usual) - 1).bit_length()


class LimitWarnings:
    """The warnings about a space's limits: one a second for each."""

    def __init__(self, row, name_limit: Callable[[str], str] = name_of_limit):
        self._row, self._name_limit = row, name_limit  # of SYSTEM; how limits are named
        self._told_at = [-SECONDS_BETWEEN_WARNINGS] * len(LEFT_OUT)

    def take(self) -> list[str]:
        """The messages about what was left out since the last call that are due now."""
        if not self._row["limits"]["status"]:
            return []
        now, messages = time.monotonic(), []
        for kind, (what, limit) in LEFT_OUT.items():
            count = int(self._row["limits"]["left_out"][kind])
            if count and now - self._told_at[kind] >= SECONDS_BETWEEN_WARNINGS:
                self._told_at[kind] = now
                messages.append(f"{count} {what}: {self._way_out(limit)}")
        self._row["limits"]["left_out"] = self._row["limits"]["status"] = 0
        return messages

    def _way_out(self, limit: str) -> str:
        """The advice for a limit by its name."""
        return f"raise the setting '{self._name_limit(limit)}'" if limit else "divide it, or put fewer things around it"

    def warn(self) -> None:
        """Issue them as Python warnings, `LimitReached`."""
        for message in self.take():
            warnings.warn(f"step: {message}", LimitReached, stacklevel=4)
