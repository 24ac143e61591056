"""The doors to the shapes on bodies, and how a change of a body is published: the part of `BodyInterface` that keeps lists.

Who may call, and what bad input raises: see body_interface.py. A user's shape that changes its settings is written in place
(shapes/pool.py): a query that reads it just then may see the old and the new settings mixed, never what is gone.
"""

import functools
import math
from contextlib import contextmanager

import numpy as np

from .bodies.identity import index_of
from .bodies.publication import publish
from .bodies.schema import HAS_STRETCH
from .shapes.pool import split_basis

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
NO_TURN = list(IDENTITY[:9])
NO_STRETCH = np.eye(3)


def finite(call: str, name: str, value, count: int) -> np.ndarray:
    """`count` finite doubles, or an error that names call and value."""
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
    """Twelve finite numbers: a tuple of floats as it is, anything else as an array."""
    if type(value) is tuple and len(value) == 12 and math.isfinite(sum(value)):
        return value
    return finite(call, "transform", value, 12)


def edits(method):
    """A door that changes a body: through the gate of its system, or directly for a body in none."""

    @functools.wraps(method)
    def door(self, identity, *arguments, **named):
        index = index_of(identity)
        is_known = index < self.bodies.count and self.bodies.rows[index]["id"] == identity
        if not is_known or (self.bodies.rows[index]["system"] < 0 and not self.late.waits_for(identity)):
            method(self, identity, *arguments, **named)
        else:
            self.late.run(identity, lambda: method(self, identity, *arguments, **named))

    return door


class BodyShapes:
    """Of a `World`: the shapes on its bodies. `self.bodies`, `self.instances`, `self.shapes`: its pools."""

    @contextmanager
    def _published(self, index: int, with_shapes: bool = True):
        """A change of a body that queries see as a whole, at its end. `with_shapes`: the rows of its shapes change, so they
        are copied first, and the old ones are used again when no query reads them. May be nested."""
        row = self.bodies.rows[index]
        if row["system"] < 0 or int(row["published"]) & 1:
            yield
            return
        first, count, capacity = int(row["first_instance"]), int(row["instance_count"]), int(row["instance_capacity"])
        copies = with_shapes and capacity > 0
        fresh = self.instances.take(capacity) if copies else first
        publish(self.address, index, 0)
        try:
            if copies:
                self.instances.copy(first, fresh, count)
                row["first_instance"] = fresh
            yield
        finally:
            publish(self.address, index, 1)
            if copies:  # queries that begin from here on read the new rows
                self.retirement.retire(lambda: self.instances.give_back(first, capacity))

    # Shapes.

    @edits
    def body_add_shape(self, identity: int, shape_id: int, transform=IDENTITY, is_disabled: bool = False) -> None:
        """Add a shape at a transform (twelve numbers, body frame). Costs the same for the first and the 10,000th."""
        index = self.own_body_index("body_add_shape", identity)
        shape = self.shape_index("body_add_shape", shape_id)
        values = place("body_add_shape", transform)
        row = self.bodies.rows[index]
        with self._published(index, with_shapes=False):  # nobody reads the row after the last one
            count, capacity = int(row["instance_count"]), int(row["instance_capacity"])
            is_moved = count == capacity
            if is_moved:
                self._grow_instances(row, count)
            instance = self.instances.rows[int(row["first_instance"]) + count]
            instance["shape"] = -1
            instance["user_shape"], instance["is_disabled"], instance["body"] = shape, is_disabled, index
            instance["query_layers"] = instance["simulation_layers"] = 0
            instance["user_transform"] = values
            self._add_user(shape, index)
            self._cook(row, instance)
            row["instance_count"] = count + 1
            self._shapes_changed(index, is_addition=not is_moved)  # the tree does not move with the rows

    def _grow_instances(self, row, count: int) -> None:
        """Move a body's shapes to a run twice as long."""
        capacity = max(1, 2 * count)
        first = self.instances.take(capacity)
        if count:
            old = int(row["first_instance"])
            self.instances.copy(old, first, count)
            if row["system"] >= 0:  # queries may be reading
                self.retirement.retire(lambda: self.instances.give_back(old, count))
            else:
                self.instances.give_back(old, count)
        row["first_instance"], row["instance_capacity"] = first, capacity

    def _instance(self, call: str, identity: int, number: int):
        index = self._owner_index(call, identity)
        row = self.bodies.rows[index]
        count = int(row["instance_count"])
        if not 0 <= number < count:
            raise ValueError(f"{call}: the body has {count} shapes, there is no number {number}")
        return index, row, self.instances.rows[int(row["first_instance"]) + number]

    @contextmanager
    def _changed_instance(self, call: str, identity: int, number: int):
        """(index and row of the body, the shape's row) for a change that queries see as a whole."""
        index = self.own_body_index(call, identity)
        self._instance(call, identity, number)
        with self._published(index):
            yield self._instance(call, identity, number)
            self._shapes_changed(index)

    def body_shape_count(self, identity: int) -> int:
        return int(self.bodies.rows[self._owner_index("body_get_shape_count", identity)]["instance_count"])

    def body_shape(self, identity: int, number: int) -> int:
        """Id of the user's shape with this number."""
        _, _, instance = self._instance("body_get_shape", identity, number)
        return self.shape_id(int(instance["user_shape"]))

    def body_shape_transform(self, identity: int, number: int) -> tuple:
        """Twelve numbers, as they were set."""
        _, _, instance = self._instance("body_get_shape_transform", identity, number)
        return tuple(instance["user_transform"].tolist())

    @edits
    def body_set_shape(self, identity: int, number: int, shape_id: int) -> None:
        """Put another shape in this place."""
        shape = self.shape_index("body_set_shape", shape_id)
        with self._changed_instance("body_set_shape", identity, number) as (index, row, instance):
            self._drop(index, instance)
            instance["user_shape"] = shape
            self._add_user(shape, index)
            self._cook(row, instance)

    @edits
    def body_set_shape_transform(self, identity: int, number: int, transform) -> None:
        """Move a shape on its body (twelve numbers, body frame)."""
        values = place("body_set_shape_transform", transform)
        with self._changed_instance("body_set_shape_transform", identity, number) as (_, row, instance):
            instance["user_transform"] = values
            self._cook(row, instance)

    @edits
    def body_set_shape_disabled(self, identity: int, number: int, is_disabled: bool) -> None:
        """A disabled shape does not collide, is not found by queries and weighs nothing."""
        with self._changed_instance("body_set_shape_disabled", identity, number) as (_, _, instance):
            instance["is_disabled"] = is_disabled

    @edits
    def body_set_shape_layers(self, identity: int, number: int, query_layers: int = 0, simulation_layers: int = 0) -> None:
        """Shape filters of one shape, 32 bits each: which queries see it (`shape_mask`), and with which other shapes it makes
        contacts (a bit in common). 0: all."""
        with self._changed_instance("body_set_shape_layers", identity, number) as (_, _, instance):
            instance["query_layers"], instance["simulation_layers"] = query_layers, simulation_layers

    @edits
    def body_remove_shape(self, identity: int, number: int) -> None:
        """Remove a shape; the numbers of those after it go down by one."""
        with self._changed_instance("body_remove_shape", identity, number) as (index, row, instance):
            self._drop(index, instance)
            first, count = int(row["first_instance"]), int(row["instance_count"])
            self.instances.copy(first + number + 1, first + number, count - number - 1)
            row["instance_count"] = count - 1

    @edits
    def _lose_shape(self, identity: int, shape: int) -> None:
        """Remove a user's shape from everywhere on a body or area: at once, however often it is there."""
        index = self._owner_index("free", identity)
        row = self.bodies.rows[index]
        with self._published(index):
            first, count = int(row["first_instance"]), int(row["instance_count"])
            run = self.instances.rows[first : first + count]
            is_lost = run["user_shape"] == shape
            for number in np.flatnonzero(is_lost):
                self._drop(index, run[number])
            kept = run[~is_lost]
            run[: len(kept)] = kept
            row["instance_count"] = len(kept)
            self._shapes_changed(index)

    @edits
    def body_clear_shapes(self, identity: int) -> None:
        """Remove all shapes."""
        index = self.own_body_index("body_clear_shapes", identity)
        row = self.bodies.rows[index]
        if not row["instance_count"]:
            return
        with self._published(index):
            first, count = int(row["first_instance"]), int(row["instance_count"])
            for instance in self.instances.rows[first : first + count]:
                self._drop(index, instance)
            row["instance_count"] = 0
            self._shapes_changed(index)

    def _add_user(self, shape: int, index: int) -> None:
        users = self._shape_users.setdefault(shape, {})
        users[index] = users.get(index, 0) + 1

    def _drop(self, index: int, instance) -> None:
        """Undo what `_add_user` and `_cook` did for an instance."""
        shape = int(instance["user_shape"])
        users = self._shape_users.get(shape, {})
        users[index] = users.get(index, 1) - 1
        if users[index] <= 0:
            del users[index]
        if instance["shape"] >= 0:
            self.shapes.release(int(instance["shape"]))
            instance["shape"] = -1

    def _cook(self, row, instance) -> None:
        """Find the rigid transform and the cooked shape of an instance from the user's transform and the body's stretch."""
        transform = instance["user_transform"].tolist()
        if not int(row["flags"]) & HAS_STRETCH and transform[:9] == NO_TURN:
            rotation, rest, origin = (0.0, 0.0, 0.0, 1.0), None, transform[9:]
        else:
            transform = np.array(transform)
            stretch = row["stretch"].astype(np.float64).reshape(3, 3)
            basis = stretch @ transform[:9].reshape(3, 3)
            if abs(np.linalg.det(basis)) < 1e-12:
                basis = NO_STRETCH
            rotation, rest = split_basis(basis)
            origin = stretch @ transform[9:]
        cooked = self.shapes.derive(int(instance["user_shape"]), rest)
        if instance["shape"] >= 0:
            self.shapes.release(int(instance["shape"]))
        instance["shape"] = cooked
        instance["rotation"] = rotation
        instance["origin_position"] = origin
        instance["position"] = instance["origin_position"] - row["center_of_mass"]

    def shape_set_contact_bias(self, shape: int, factor: float) -> None:
        """How firmly contacts of the bodies with this user's shape are pushed apart, in parts of what is usual; 0: as usual. Of
        several shapes on a body the firmest counts."""
        self._contact_biases.pop(shape, None)
        if factor > 0.0:
            self._contact_biases[shape] = factor
        for index in list(self._shape_users.get(shape, {})):
            self._renew_contact_bias(index)

    def _renew_contact_bias(self, index: int) -> None:
        row = self.bodies.rows[index]
        first, count = int(row["first_instance"]), int(row["instance_count"])
        shapes = set(self.instances.rows["user_shape"][first : first + count].tolist())
        row["contact_bias"] = max((factor for shape, factor in self._contact_biases.items() if shape in shapes), default=0.0)

    def _cook_instances(self, index: int) -> None:
        row = self.bodies.rows[index]
        with self._published(index):
            first, count = int(row["first_instance"]), int(row["instance_count"])
            for instance in self.instances.rows[first : first + count]:
                self._cook(row, instance)
            self._shapes_changed(index)
