"""The interface for the shapes on bodies, and how a change of a body is published: the part of `BodyInterface` that keeps lists.

For threads and errors see core/bodies.py. A user's shape whose settings change is cooked into a fresh row (shapes/pool.py), which
its bodies take one after the other: on each of them, a query sees either the old shape or the new one.
"""

import functools
import math
from contextlib import contextmanager

import numpy as np

from ..bodies.identity import index_of
from ..bodies.publication import publish
from ..bodies.schema import HAS_STRETCH
from ..edit.body_placement import ALL_SHAPES, THE_LAST
from ..geometry.turning import product
from ..runtime.recorded_calls import recorded
from ..shapes.pool import split_basis
from .part import Part

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
NO_TURN = list(IDENTITY[:9])
NO_STRETCH = np.eye(3)


def finite(call: str, name: str, value, count: int) -> np.ndarray:
    """Convert to `count` finite doubles. Raises ValueError, naming call and value."""
    try:
        array = np.asarray(value, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ValueError(f"{call}: {name} must be {count} numbers, got {value!r}") from None
    if array.size != count:
        raise ValueError(f"{call}: {name} must be {count} numbers, got {array.size}")
    if not np.isfinite(array).all():
        raise ValueError(f"{call}: {name} must be finite, got {array.tolist()}")
    return array


def place(call: str, value):
    """Convert to twelve finite numbers: a tuple of floats is returned as it is, anything else as an array."""
    if type(value) is tuple and len(value) == 12 and math.isfinite(sum(value)):
        return value
    return finite(call, "transform", value, 12)


def edits(method):
    """Decorate a method that changes a body: it goes through the gate of the body's system, or runs directly for a body in
    none."""

    @functools.wraps(method)
    def door(self, identity, *arguments, **named):
        index = index_of(identity)
        is_known = index < self._bodies.count and self._bodies.rows[index]["id"] == identity
        if not is_known or (self._bodies.rows[index]["system"] < 0 and not self._late.waits_for(identity)):
            method(self, identity, *arguments, **named)
        else:
            self._late.run(identity, lambda: method(self, identity, *arguments, **named))

    return door


class BodyShapes(Part):
    """The part of a `World` that handles the shapes on bodies."""

    def __init__(self, world):
        super().__init__(world)
        self._given_up: dict[int, list[int]] = {}  # by body being changed: cooked shapes it no longer uses
        self.contact_biases: dict[int, float] = {}  # of shapes whose contacts are not of the usual firmness

    @contextmanager
    def _published(self, index: int, with_shapes: bool = True):
        """Publish a change of a body at the end of the block, so that queries see it whole. `with_shapes`: the rows of its shapes
        change, so they are copied first; the old ones are reused once no query reads them. May be nested."""
        row = self._bodies.rows[index]
        if row["system"] < 0 or int(row["published"]) & 1:
            yield
            return
        first, count, capacity = int(row["first_instance"]), int(row["instance_count"]), int(row["instance_capacity"])
        copies = with_shapes and capacity > 0
        fresh = self._instances.take(capacity) if copies else first
        publish(self._address, index, 0)
        self._given_up[index] = []
        try:
            if copies:
                self._instances.move(first, fresh, count)
                row["first_instance"] = fresh
            yield
        finally:
            publish(self._address, index, 1)
            for used in self._given_up.pop(index):
                self._shapes.release(used)
            if copies:  # queries that begin from here on read the new rows
                self._retirement.retire(lambda: self._instances.give_back(first, capacity))

    # Shapes.

    @edits
    @recorded("body")
    def add_shape(self, identity: int, shape_id: int, transform=IDENTITY, is_disabled: bool = False) -> None:
        """Add a shape at a transform (twelve numbers, body frame). Costs the same for the first and the 10,000th."""
        index = self.own_index("body_add_shape", identity)
        shape = self._world.shape.index("body_add_shape", shape_id)
        values = place("body_add_shape", transform)
        row = self._bodies.rows[index]
        with self._published(index, with_shapes=False):  # no query reads the row after the last one
            count, capacity = int(row["instance_count"]), int(row["instance_capacity"])
            if count == capacity:
                self._grow_instances(row, count)
            at = int(row["first_instance"]) + count
            instance = self._instances.rows[at]
            instance["user_shape"], instance["is_disabled"], instance["body"] = shape, is_disabled, index
            instance["query_layers"] = instance["simulation_layers"] = 0
            self._shape_users.add(shape, index)
            try:
                self._cook(row, at, values, is_new=True)
            except BaseException:
                self._shape_users.drop(shape)
                raise
            row["instance_count"] = count + 1
            self._shapes_changed(index, THE_LAST)

    def _grow_instances(self, row, count: int) -> None:
        """Move a body's shapes to a run twice as long."""
        capacity = max(1, 2 * count)
        first = self._instances.take(capacity)
        if count:
            old = int(row["first_instance"])
            self._instances.move(old, first, count)
            if row["system"] >= 0:  # queries may be reading
                self._retirement.retire(lambda: self._instances.give_back(old, count))
            else:
                self._instances.give_back(old, count)
        row["first_instance"], row["instance_capacity"] = first, capacity

    def instance(self, call: str, identity: int, number: int):
        """Return (index of the body, its row, index of the row of its shape with this number)."""
        index = self._owner_index(call, identity)
        row = self._bodies.rows[index]
        count = int(row["instance_count"])
        if not 0 <= number < count:
            raise ValueError(f"{call}: the body has {count} shapes, there is no number {number}")
        return index, row, int(row["first_instance"]) + number

    @contextmanager
    def _changed_instance(self, call: str, identity: int, number: int, is_alone: bool = True):
        """Like `_instance`, for a change that queries see whole. `is_alone`: all other shapes stay as and where they are."""
        index = self.own_index(call, identity)
        self.instance(call, identity, number)
        with self._published(index):
            yield self.instance(call, identity, number)
            self._shapes_changed(index, number if is_alone else ALL_SHAPES)

    def shape_count(self, identity: int) -> int:
        return int(self._bodies.rows[self._owner_index("body_get_shape_count", identity)]["instance_count"])

    def shape(self, identity: int, number: int) -> int:
        """Id of the user's shape with this number."""
        _, _, at = self.instance("body_get_shape", identity, number)
        return self._world.shape.id_of(int(self._instances.rows[at]["user_shape"]))

    def shape_transform(self, identity: int, number: int) -> tuple:
        """The transform of a shape, twelve numbers, as set."""
        _, _, at = self.instance("body_get_shape_transform", identity, number)
        return tuple(self._instances.user_transform(at))

    @edits
    @recorded("body")
    def set_shape(self, identity: int, number: int, shape_id: int) -> None:
        """Replace the shape with this number by another shape."""
        shape = self._world.shape.index("body_set_shape", shape_id)
        with self._changed_instance("body_set_shape", identity, number) as (index, row, at):
            instance, old = self._instances.rows[at], int(self._instances.rows[at]["user_shape"])
            instance["user_shape"] = shape
            self._shape_users.add(shape, index)
            try:
                self._cook(row, at, self._instances.user_transform(at))
            except BaseException:
                instance["user_shape"] = old
                self._shape_users.drop(shape)
                raise
            self._shape_users.drop(old)

    @edits
    @recorded("body")
    def set_shape_transform(self, identity: int, number: int, transform) -> None:
        """Move a shape on its body (twelve numbers, body frame)."""
        values = place("body_set_shape_transform", transform)
        with self._changed_instance("body_set_shape_transform", identity, number) as (_, row, at):
            self._cook(row, at, values)

    @edits
    @recorded("body")
    def set_shape_disabled(self, identity: int, number: int, is_disabled: bool) -> None:
        """Switch a shape off or on. A disabled shape does not collide, is not found by queries and has no mass."""
        with self._changed_instance("body_set_shape_disabled", identity, number) as (_, _, at):
            self._instances.rows[at]["is_disabled"] = is_disabled

    @edits
    @recorded("body")
    def set_shape_layers(self, identity: int, number: int, query_layers: int = 0, simulation_layers: int = 0) -> None:
        """Set the shape filters of one shape, 32 bits each: which queries find it (`shape_mask`), and with which other shapes it
        makes contacts (those with a bit in common). 0: all."""
        with self._changed_instance("body_set_shape_layers", identity, number) as (_, _, at):
            instance = self._instances.rows[at]
            instance["query_layers"], instance["simulation_layers"] = query_layers, simulation_layers

    @edits
    @recorded("body")
    def remove_shape(self, identity: int, number: int) -> None:
        """Remove a shape; the numbers of those after it go down by one."""
        with self._changed_instance("body_remove_shape", identity, number, is_alone=False) as (index, row, at):
            self._drop(index, at)
            first, count = int(row["first_instance"]), int(row["instance_count"])
            self._instances.copy(first + number + 1, first + number, count - number - 1)
            row["instance_count"] = count - 1

    @edits
    @recorded("body")
    def lose_shape(self, identity: int, shape: int) -> None:
        """Remove a user's shape from a body or area, at once and everywhere it is used there."""
        index = self._owner_index("free", identity)
        row = self._bodies.rows[index]
        with self._published(index):
            first, count = int(row["first_instance"]), int(row["instance_count"])
            is_lost = self._instances.rows["user_shape"][first : first + count] == shape
            for number in np.flatnonzero(is_lost).tolist():
                self._drop(index, first + number)
            kept = np.flatnonzero(~is_lost).tolist()
            for number, old in enumerate(kept):
                self._instances.copy(first + old, first + number, 1)
            row["instance_count"] = len(kept)
            self._shapes_changed(index)

    @edits
    @recorded("body")
    def clear_shapes(self, identity: int) -> None:
        """Remove all shapes."""
        index = self.own_index("body_clear_shapes", identity)
        row = self._bodies.rows[index]
        if not row["instance_count"]:
            return
        with self._published(index):
            first, count = int(row["first_instance"]), int(row["instance_count"])
            for at in range(first, first + count):
                self._drop(index, at)
            row["instance_count"] = 0
            self._shapes_changed(index)

    def _drop(self, index: int, at: int) -> None:
        """Undo what was recorded for a shape on a body, and the work of `_cook`. The row stays as it is: a query that found the
        body before it left its system may still read it."""
        instance = self._instances.rows[at]
        self._shape_users.drop(int(instance["user_shape"]))
        self._give_up(index, instance)

    def _give_up(self, index: int, instance) -> None:
        """Give back the cooked shape of an instance once no new query can find it there."""
        used = int(instance["shape"])
        if used >= 0 and index in self._given_up:
            self._given_up[index].append(used)
        elif used >= 0:
            self._shapes.release(used)

    def _cook(self, row, at: int, transform, is_new: bool = False) -> None:
        """Compute the rigid transform and the cooked shape of a shape on a body, from the user's transform and the body's
        stretch. `is_new`: what the row holds as cooked shape is left over from another one."""
        instance = self._instances.rows[at]
        is_stretched = int(row["flags"]) & HAS_STRETCH
        transform = np.asarray(transform, dtype=np.float32)
        is_plain = not is_stretched and transform[:9].tolist() == NO_TURN
        if is_plain:
            rotation, rest, origin = (0.0, 0.0, 0.0, 1.0), None, transform[9:]
        else:
            stretch = NO_STRETCH
            if is_stretched:
                stretch = self._bodies.rare_of(int(instance["body"]))["stretch"].astype(np.float64).reshape(3, 3)
            basis = product(stretch, transform[:9].astype(np.float64).reshape(3, 3))
            if abs(np.linalg.det(basis)) < 1e-12:
                basis = NO_STRETCH
            rotation, rest = split_basis(basis)
            origin = product(stretch, transform[9:])
        cooked = self._shapes.derive(int(instance["user_shape"]), rest)
        if not is_new:
            self._give_up(int(instance["body"]), instance)
        instance["shape"] = cooked
        instance["rotation"] = rotation
        instance["origin_position"] = origin
        instance["position"] = instance["origin_position"] - row["center_of_mass"]
        instance["has_user_transform"] = 0
        if not is_plain:
            self._instances.keep_user_transform(at, transform)

    @recorded("body")
    def set_contact_bias(self, shape: int, factor: float) -> None:
        """Set how firmly contacts of the bodies with this user's shape are pushed apart, as a factor of the usual; 0: as usual.
        If a body has several shapes, the firmest counts."""
        self.contact_biases.pop(shape, None)
        if factor > 0.0:
            self.contact_biases[shape] = factor
        for index in self._shape_users.of(shape):
            self._renew_contact_bias(index)

    def _renew_contact_bias(self, index: int) -> None:
        row = self._bodies.rows[index]
        first, count = int(row["first_instance"]), int(row["instance_count"])
        shapes = set(self._instances.rows["user_shape"][first : first + count].tolist())
        row["contact_bias"] = max((factor for shape, factor in self.contact_biases.items() if shape in shapes), default=0.0)

    @recorded("body")
    def _cook_instances(self, index: int) -> None:
        row = self._bodies.rows[index]
        with self._published(index):
            first, count = int(row["first_instance"]), int(row["instance_count"])
            for at in range(first, first + count):
                self._cook(row, at, self._instances.user_transform(at))
            self._shapes_changed(index)
