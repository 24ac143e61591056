"""The bodies that use a user's shape, needed when the shape changes or is freed.

For each shape there is a list of bodies that got it, four bytes a use; for a shape with one use, as most have, only the body.
Bodies that lose the shape stay in the list until half of it is outdated; a lookup checks the rows of the shapes on bodies.
"""

from array import array

import numpy as np

from ..runtime.distinct import distinct
from .pool import BodyPool, InstancePool
from .schema import IS_IN_BATCH

LEAST = 16
"""Shorter lists are not cleaned up."""


class ShapeUsers:
    """The users of the shapes of a world's bodies and areas. For threads that hold Python's interpreter."""

    def __init__(self, bodies: BodyPool, instances: InstancePool):
        self._bodies, self._instances = bodies, instances
        self._only: dict[int, int] = {}  # of shapes with one use: the body
        self._got: dict[int, array] = {}  # of the other shapes
        self._uses: dict[int, int] = {}

    def add(self, shape: int, body: int) -> None:
        """Count one more use of a shape by a body (index of its row)."""
        uses = self._uses.get(shape, 0)
        if uses:
            self._got[shape].append(body)
            self._uses[shape] = uses + 1
        elif shape in self._only:
            self._got[shape], self._uses[shape] = array("i", (self._only.pop(shape), body)), 2
        else:
            self._only[shape] = body

    def add_many(self, shape: int, bodies: np.ndarray) -> None:
        """Count one more use of a shape by each of these bodies (rows, int32)."""
        if len(bodies) > 1 or shape in self._only or shape in self._got:
            kept = self._got.setdefault(shape, array("i", [self._only.pop(shape)] if shape in self._only else []))
            self._uses[shape] = self._uses.get(shape, len(kept)) + len(bodies)
            kept.frombytes(bodies.astype(np.int32).tobytes())
        elif len(bodies):
            self._only[shape] = int(bodies[0])

    def drop(self, shape: int, count: int = 1) -> None:
        """Count that a shape left one body, or several. The rows of the shape on them may still exist."""
        if shape not in self._uses:
            self._only.pop(shape, None)
            return
        uses = self._uses[shape] - count
        if uses <= 0:
            self.forget(shape)
            return
        self._uses[shape] = uses
        if len(self._got[shape]) > 2 * uses + LEAST:
            self._got[shape] = array("i", self._still(shape))

    def of(self, shape: int) -> list[int]:
        """Bodies that have the shape, in the order of their rows."""
        return sorted(set(self._still(shape)))

    def only(self, shape: int) -> int:
        """The body that got a shape with one use, or -1: whether it still has the shape is not looked up."""
        return self._only.get(shape, -1)

    def forget(self, shape: int) -> None:
        """Forget a freed shape."""
        self._only.pop(shape, None)
        self._got.pop(shape, None)
        self._uses.pop(shape, None)

    def _still(self, shape: int) -> list[int]:
        """The indices of the bodies that have the shape, each as often as it has it."""
        got = self._got.get(shape) or ([self._only[shape]] if shape in self._only else ())
        if not got:  # a new shape is set before a body gets it
            return []
        if len(got) == 1 and self._bodies.rows[got[0]]["instance_count"] == 1:  # as below, without arrays
            first = self._bodies.rows[got[0]]["first_instance"]
            is_its = not self._bodies.flags[got[0]] & IS_IN_BATCH and self._instances.rows["user_shape"][first] == shape
            return [got[0]] if is_its else []
        bodies = distinct(np.array(got, np.int64))
        bodies = bodies[self._bodies.flags[bodies] & np.uint32(IS_IN_BATCH) == 0]  # their rows were reused
        first, count = (self._bodies.rows[name][bodies] for name in ("first_instance", "instance_count"))
        used = self._instances.rows["user_shape"]
        alone = count == 1  # most bodies have one shape
        still = bodies[alone][used[first[alone]] == shape].tolist()
        more = count > 1
        for body, begin, number in zip(bodies[more].tolist(), first[more].tolist(), count[more].tolist(), strict=True):
            still += [body] * int((used[begin : begin + number] == shape).sum())
        return still
