"""The doors by which users make, shape, add, change and remove bodies. Python, for what happens rarely; what happens per body
and tick is in `bodies/motion.py` and `body_placement.py`, compiled.

Who may call: any thread with Python's interpreter while no step of the body's system runs; for bodies in no system, always.
Bad input raises ValueError (a value) or KeyError (an id), naming the call and the value, and changes nothing.
"""

import math

import numpy as np

from . import body_placement
from .bodies.identity import describe_id, index_of, kind_of
from .bodies.mass import renew_mass, rotation_matrix
from .bodies.schema import (
    BOUNDS_CHANGED, CAN_SLEEP, CONTACT_REPORT, CONTINUOUS, CUSTOM_CENTER_OF_MASS, CUSTOM_INERTIA, FILTER_CHANGED,
    HAS_EXCEPTIONS, HAS_STRETCH, IS_IN_BATCH, KIND_BODY, KINEMATIC, LAYER_MOVING, LAYER_NOT_MOVING, MASS_CHANGED, RIGID, STATIC,
    TELEPORTS, WAKES_NEIGHBOURS,
)  # fmt: skip
from .shapes.pool import split_basis

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
NO_TURN = list(IDENTITY[:9])
NO_STRETCH = np.eye(3)
MODE_NAMES = ("static", "kinematic", "rigid", "rigid linear")

# Parameters that are one number in the row: name -> (field, smallest legal value).
_NUMBERS = {
    "friction": ("friction", -math.inf), "restitution": ("restitution", -math.inf),
    "gravity_scale": ("gravity_scale", -math.inf), "linear_damp": ("linear_damp", -math.inf),
    "angular_damp": ("angular_damp", -math.inf), "linear_damp_mode": ("linear_damp_mode", 0),
    "angular_damp_mode": ("angular_damp_mode", 0), "collision_priority": ("collision_priority", -math.inf),
}  # fmt: skip


def _finite(call: str, name: str, value, count: int) -> np.ndarray:
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


def _single(call: str, name: str, numbers: np.ndarray) -> None:
    """An error for numbers that single precision makes infinite or zero."""
    with np.errstate(over="ignore", under="ignore"):
        kept = numbers.astype(np.float32)
    if not np.isfinite(kept).all() or ((kept == 0.0) & (numbers != 0.0)).any():
        raise ValueError(f"{call}: {name} must be between 1e-38 and 1e38, got {numbers.tolist()}")


class BodyInterface:
    """The part of a `World` that is about bodies. `self.bodies`, `self.instances`, `self.shapes`, `self.exceptions` and
    `self.systems` are the world's pools."""

    def body_index(self, call: str, identity: int, is_remade: bool = False) -> int:
        """Index of the body with this id. Raises KeyError for a freed, foreign or wrong id; and ValueError if the call is to free
        it or make it another (`is_remade`) and it belongs to a batch."""
        index = index_of(identity)
        if kind_of(identity) != KIND_BODY or index >= self.bodies.count or self.bodies.rows[index]["id"] != identity:
            known = kind_of(identity) == KIND_BODY and index < self.bodies.count
            why = "it was freed" if known else "it is no body"
            raise KeyError(f"{call}: there is no body {describe_id(identity)}: {why}")
        if is_remade and int(self.bodies.rows[index]["flags"]) & IS_IN_BATCH:
            raise ValueError(f"{call}: the body {describe_id(identity)} belongs to a tile and stays as the tile made it")
        return index

    # Life.

    def create_body(self) -> int:
        """Id of a new rigid body of 1 kg without shapes, in no system. Raises PoolFull."""
        return int(self.bodies.rows[self.bodies.take()]["id"])

    def destroy_body(self, identity: int) -> None:
        """Take a body out of its system and free it with its place in all tables."""
        index = self.body_index("destroy_body", identity, True)
        self._leave_system(index)
        self.body_clear_shapes(identity)
        self.exceptions.forget(index)
        row = self.bodies.rows[index]
        if row["instance_capacity"]:
            self.instances.give_back(int(row["first_instance"]), int(row["instance_capacity"]))
        self._contact_reports.pop(index, None)
        self.bodies.give_back(index)

    def body_set_system(self, identity: int, system_id: int) -> None:
        """Put a body into a system, or with 0 into none."""
        index = self.body_index("body_set_system", identity, True)
        system = self.system_index("body_set_system", system_id) if system_id else -1
        if int(self.bodies.rows[index]["system"]) == system:
            return
        self._leave_system(index)
        if system >= 0:
            self._settle(index)
            body_placement.enter_system(self.address, system, index)

    def body_system(self, identity: int) -> int:
        """Id of the system a body is in, or 0."""
        system = int(self.bodies.rows[self.body_index("body_system", identity)]["system"])
        return int(self.systems.rows[system]["id"]) if system >= 0 else 0

    def _leave_system(self, index: int) -> None:
        if self.bodies.rows[index]["system"] >= 0:
            body_placement.leave_system(self.address, index)

    # Motion.

    def body_set_mode(self, identity: int, mode: int) -> None:
        """STATIC, KINEMATIC, RIGID or RIGID_LINEAR. Bodies that stop being rigid stop moving."""
        index = self.body_index("body_set_mode", identity, True)
        if mode not in (0, 1, 2, 3):
            raise ValueError(f"body_set_mode: mode must be 0 (static) to 3 (rigid linear), got {mode!r}")
        row = self.bodies.rows[index]
        if int(row["mode"]) == mode:
            return
        system = int(row["system"])
        self._leave_system(index)
        row["mode"] = mode
        row["flags"] = (int(row["flags"]) | TELEPORTS) if mode == KINEMATIC else (int(row["flags"]) & ~TELEPORTS)
        row["broad_phase_layer"] = LAYER_NOT_MOVING if mode == STATIC else LAYER_MOVING
        if mode < RIGID:
            row["linear_velocity"] = row["angular_velocity"] = 0
        row["target_position"], row["target_rotation"] = row["position"], row["rotation"]
        row["sleep_time"] = 0
        self._renew(index)
        if system >= 0:
            body_placement.enter_system(self.address, system, index)

    def body_set_transform(self, identity: int, transform) -> None:
        """Set the user's transform (twelve numbers: basis by rows, then origin [m]). Scale and shear are cooked into the shapes.

        Raises ValueError for a transform that is not finite or has a basis without volume."""
        index = self.body_index("body_set_transform", identity)
        values = _finite("body_set_transform", "transform", transform, 12)
        row = self.bodies.rows[index]
        if not int(row["flags"]) & HAS_STRETCH and values[:9].tolist() == NO_TURN:
            pose = np.concatenate([values[9:], (0.0, 0.0, 0.0, 1.0)])
            body_placement.set_pose_from(self.address, index, pose.ctypes.data)
            return
        basis = values[:9].reshape(3, 3)
        if abs(np.linalg.det(basis)) < 1e-12:
            raise ValueError(f"body_set_transform: the basis must span a volume, got {values[:9].tolist()}")
        rotation, stretch = split_basis(basis)
        stretch = np.asarray(stretch, dtype=np.float32)
        is_stretched = not np.allclose(stretch, np.eye(3), atol=1e-3)
        new_stretch = (stretch if is_stretched else np.eye(3, dtype=np.float32)).ravel()
        if not np.allclose(row["stretch"], new_stretch, rtol=1e-4, atol=1e-5):
            self.body_index("body_set_transform", identity, True)
            row["stretch"] = new_stretch
            row["flags"] = int(row["flags"]) | HAS_STRETCH if is_stretched else int(row["flags"]) & ~HAS_STRETCH
            self._cook_instances(index)
        pose = np.concatenate([values[9:], np.asarray(rotation, dtype=np.float64)])
        body_placement.set_pose_from(self.address, index, pose.ctypes.data)

    def body_set_can_sleep(self, identity: int, can_sleep: bool) -> None:
        """Whether a body may fall asleep; one that may not is woken."""
        index = self.body_index("body_set_can_sleep", identity)
        self._set_flag(index, CAN_SLEEP, can_sleep)
        if not can_sleep:
            body_placement.wake(self.address, index)

    def body_set_continuous(self, identity: int, is_continuous: bool) -> None:
        """Whether the body is swept for continuous collision."""
        self._set_flag(self.body_index("body_set_continuous", identity), CONTINUOUS, is_continuous)

    def _set_flag(self, index: int, flag: int, value: bool) -> None:
        row = self.bodies.rows[index]
        row["flags"] = int(row["flags"]) | flag if value else int(row["flags"]) & ~flag

    # Parameters.

    def body_set_param(self, identity: int, name: str, value) -> None:
        """Set `friction`, `restitution` (negative: rough, absorbent), `mass` [kg], `inertia` [kg m^2] (0: automatic),
        `center_of_mass` [m], `gravity_scale`, `linear_damp`, `angular_damp` [1/s], their `_mode`s, `collision_priority`."""
        index = self.body_index("body_set_param", identity)
        row = self.bodies.rows[index]
        if name in _NUMBERS:
            field, smallest = _NUMBERS[name]
            number = float(_finite("body_set_param", name, value, 1)[0])
            if number < smallest:
                raise ValueError(f"body_set_param: {name} must be at least {smallest}, got {number}")
            row[field] = number
            if name in ("friction", "restitution"):
                body_placement.refresh_pairs(self.address, index)
        elif name == "mass":
            number = float(_finite("body_set_param", name, value, 1)[0])
            if number <= 0.0:
                raise ValueError(f"body_set_param: mass must be above 0, got {number}")
            _single("body_set_param", name, np.array([number]))
            row["mass"] = number
            self._renew(index)
        elif name == "inertia":
            numbers = _finite("body_set_param", name, value, 3)
            if (numbers < 0.0).any():
                raise ValueError(f"body_set_param: inertia must not be negative, got {numbers.tolist()}")
            _single("body_set_param", name, numbers)
            row["inertia"] = numbers
            self._set_flag(index, CUSTOM_INERTIA, bool(numbers.any()))
            self._renew(index)
        elif name == "center_of_mass":
            numbers = _finite("body_set_param", name, value, 3)
            self._set_flag(index, CUSTOM_CENTER_OF_MASS, True)
            self._move_center(index, numbers)
        else:
            raise ValueError(f"body_set_param: there is no parameter {name!r}")
        if name not in ("friction", "restitution", "collision_priority"):
            body_placement.wake(self.address, index)

    def body_param(self, identity: int, name: str):
        """What `body_set_param` set, or the automatic value of `center_of_mass` and `inertia`."""
        row = self._settle(self.body_index("body_param", identity))
        if name in _NUMBERS:
            return float(row[_NUMBERS[name][0]])
        if name == "mass":
            return float(row["mass"])
        if name == "center_of_mass":
            return tuple(float(c) for c in row["center_of_mass"])
        if name == "inertia":
            local = row["inverse_inertia_local"]
            return tuple(float(1.0 / local[k]) if local[k] > 0 else float(row["inertia"][k]) for k in range(3))
        raise ValueError(f"body_param: there is no parameter {name!r}")

    def body_reset_mass(self, identity: int) -> None:
        """Back to the automatic centre of mass and inertia."""
        index = self.body_index("body_reset_mass", identity)
        self._set_flag(index, CUSTOM_CENTER_OF_MASS | CUSTOM_INERTIA, False)
        self.bodies.rows[index]["inertia"] = 0
        self._renew(index)

    def body_set_axis_lock(self, identity: int, axis: int, is_locked: bool) -> None:
        """Lock a world axis: 1, 2, 4 linear x, y, z; 8, 16, 32 angular."""
        index = self.body_index("body_set_axis_lock", identity)
        if axis not in (1, 2, 4, 8, 16, 32):
            raise ValueError(f"body_set_axis_lock: axis must be one of 1, 2, 4, 8, 16, 32, got {axis!r}")
        row = self.bodies.rows[index]
        row["axis_locks"] = int(row["axis_locks"]) | axis if is_locked else int(row["axis_locks"]) & ~axis
        body_placement.refresh_inertia(self.address, index)
        body_placement.wake(self.address, index)

    # Filters.

    def body_set_collision_layer(self, identity: int, layer: int) -> None:
        """32 bits: what the body is."""
        index = self.body_index("body_set_collision_layer", identity)
        self.bodies.rows[index]["collision_layer"] = layer & 0xFFFFFFFF
        body_placement.mark(self.address, index, FILTER_CHANGED)

    def body_set_collision_mask(self, identity: int, mask: int) -> None:
        """32 bits: what the body is pushed by."""
        index = self.body_index("body_set_collision_mask", identity)
        self.bodies.rows[index]["collision_mask"] = mask & 0xFFFFFFFF
        body_placement.mark(self.address, index, FILTER_CHANGED)

    def body_add_exception(self, identity: int, other_id: int) -> None:
        """These two never collide."""
        index = self.body_index("body_add_collision_exception", identity)
        other = self.body_index("body_add_collision_exception", other_id)
        self.exceptions.add(index, other)
        for i in (index, other):
            self._set_flag(i, HAS_EXCEPTIONS, True)
            body_placement.mark(self.address, i, FILTER_CHANGED)

    def body_remove_exception(self, identity: int, other_id: int) -> None:
        """Take an exception back; silent if there was none."""
        index = self.body_index("body_remove_collision_exception", identity)
        other = self.body_index("body_remove_collision_exception", other_id)
        self.exceptions.remove(index, other)
        for i in (index, other):
            body_placement.mark(self.address, i, FILTER_CHANGED)

    def body_exceptions(self, identity: int) -> list[int]:
        """Ids of the bodies that this one names as exceptions."""
        index = self.body_index("body_collision_exceptions", identity)
        return [int(self.bodies.rows[other]["id"]) for other in self.exceptions.of(index)]

    def body_set_max_contacts(self, identity: int, count: int) -> None:
        """How many contacts are reported after each step. Raises ValueError below 0 or above 4096."""
        index = self.body_index("body_set_max_contacts_reported", identity)
        if not 0 <= count <= 4096:
            raise ValueError(f"body_set_max_contacts_reported: amount must be 0 to 4096, got {count}")
        row = self.bodies.rows[index]
        reports = np.zeros(max(count, 1), dtype=CONTACT_REPORT)
        row["contact_count"] = 0
        row["max_contacts_reported"] = 0
        row["contacts"] = reports.ctypes.data
        row["max_contacts_reported"] = count
        self._contact_reports[index] = reports

    # Shapes.

    def body_add_shape(self, identity: int, shape_id: int, transform=IDENTITY, is_disabled: bool = False) -> None:
        """Add a shape at a transform (twelve numbers, body frame). Costs the same for the first and the 10,000th."""
        index = self.body_index("body_add_shape", identity, True)
        shape = self.shape_index("body_add_shape", shape_id)
        values = _finite("body_add_shape", "transform", transform, 12)
        row = self.bodies.rows[index]
        count, capacity = int(row["instance_count"]), int(row["instance_capacity"])
        if count == capacity:
            self._grow_instances(row, count)
        instance = self.instances.rows[int(row["first_instance"]) + count]
        instance["shape"] = -1
        instance["user_shape"], instance["is_disabled"], instance["body"] = shape, is_disabled, index
        instance["user_transform"] = values
        self._add_user(shape, index)
        self._cook(row, instance)
        row["instance_count"] = count + 1
        self._shapes_changed(index)

    def _grow_instances(self, row, count: int) -> None:
        """Move a body's shapes to a run twice as long."""
        capacity = max(1, 2 * count)
        first = self.instances.take(capacity)
        if count:
            old = int(row["first_instance"])
            self.instances.rows[first : first + count] = self.instances.rows[old : old + count]
            row["first_instance"] = first
            self.instances.give_back(old, count)
        row["first_instance"], row["instance_capacity"] = first, capacity

    def _instance(self, call: str, identity: int, number: int, is_remade: bool = False):
        index = self.body_index(call, identity, is_remade)
        row = self.bodies.rows[index]
        count = int(row["instance_count"])
        if not 0 <= number < count:
            raise ValueError(f"{call}: the body has {count} shapes, there is no number {number}")
        return index, row, self.instances.rows[int(row["first_instance"]) + number]

    def body_shape_count(self, identity: int) -> int:
        return int(self.bodies.rows[self.body_index("body_get_shape_count", identity)]["instance_count"])

    def body_shape(self, identity: int, number: int) -> int:
        """Id of the user's shape with this number."""
        _, _, instance = self._instance("body_get_shape", identity, number)
        return self.shape_id(int(instance["user_shape"]))

    def body_shape_transform(self, identity: int, number: int) -> tuple:
        """Twelve numbers, as they were set."""
        _, _, instance = self._instance("body_get_shape_transform", identity, number)
        return tuple(float(c) for c in instance["user_transform"])

    def body_set_shape(self, identity: int, number: int, shape_id: int) -> None:
        """Put another shape in this place."""
        shape = self.shape_index("body_set_shape", shape_id)
        index, row, instance = self._instance("body_set_shape", identity, number, True)
        self._drop(index, instance)
        instance["user_shape"] = shape
        self._add_user(shape, index)
        self._cook(row, instance)
        self._shapes_changed(index)

    def body_set_shape_transform(self, identity: int, number: int, transform) -> None:
        """Move a shape on its body (twelve numbers, body frame)."""
        values = _finite("body_set_shape_transform", "transform", transform, 12)
        index, row, instance = self._instance("body_set_shape_transform", identity, number, True)
        instance["user_transform"] = values
        self._cook(row, instance)
        self._shapes_changed(index)

    def body_set_shape_disabled(self, identity: int, number: int, is_disabled: bool) -> None:
        """A disabled shape does not collide, is not found by queries and weighs nothing."""
        index, _, instance = self._instance("body_set_shape_disabled", identity, number, True)
        instance["is_disabled"] = is_disabled
        self._shapes_changed(index)

    def body_remove_shape(self, identity: int, number: int) -> None:
        """Remove a shape; the numbers of those after it go down by one."""
        index, row, instance = self._instance("body_remove_shape", identity, number, True)
        self._drop(index, instance)
        first, count = int(row["first_instance"]), int(row["instance_count"])
        rows = self.instances.rows
        rows[first + number : first + count - 1] = rows[first + number + 1 : first + count].copy()
        row["instance_count"] = count - 1
        self._shapes_changed(index)

    def body_clear_shapes(self, identity: int) -> None:
        """Remove all shapes."""
        index = self.body_index("body_clear_shapes", identity, True)
        row = self.bodies.rows[index]
        first, count = int(row["first_instance"]), int(row["instance_count"])
        for instance in self.instances.rows[first : first + count]:
            self._drop(index, instance)
        row["instance_count"] = 0
        if count:
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
        transform = instance["user_transform"].astype(np.float64)
        if not int(row["flags"]) & HAS_STRETCH and transform[:9].tolist() == NO_TURN:
            rotation, rest, origin = (0.0, 0.0, 0.0, 1.0), NO_STRETCH, transform[9:]
        else:
            stretch = row["stretch"].astype(np.float64).reshape(3, 3)
            basis = stretch @ transform[:9].reshape(3, 3)
            if abs(np.linalg.det(basis)) < 1e-12:
                basis = NO_STRETCH
            rotation, rest = split_basis(basis)
            origin = stretch @ transform[9:]
        cooked = self.shapes.derive(int(instance["user_shape"]), np.asarray(rest))
        if instance["shape"] >= 0:
            self.shapes.release(int(instance["shape"]))
        instance["shape"] = cooked
        instance["rotation"] = rotation
        instance["origin_position"] = origin
        instance["position"] = instance["origin_position"] - row["center_of_mass"]

    def _cook_instances(self, index: int) -> None:
        row = self.bodies.rows[index]
        first, count = int(row["first_instance"]), int(row["instance_count"])
        for instance in self.instances.rows[first : first + count]:
            self._cook(row, instance)
        self._shapes_changed(index)

    def _shapes_changed(self, index: int) -> None:
        """Mass, bounds and pairs are renewed: at once in a system, else when the body enters one or is asked, so that giving
        a body its ten thousand shapes does not renew ten thousand times."""
        row = self.bodies.rows[index]
        if row["system"] >= 0:
            self._renew(index)
        else:
            row["flags"] = int(row["flags"]) | MASS_CHANGED

    def _settle(self, index: int):
        """The row of a body with its mass and bounds up to date."""
        row = self.bodies.rows[index]
        if int(row["flags"]) & MASS_CHANGED:
            self._renew(index)
        return row

    def shape_changed(self, shape: int) -> None:
        """The settings of a user's shape changed: renew every body that uses it."""
        for index in list(self._shape_users.get(shape, {})):
            self._cook_instances(index)

    # Derived values.

    def _renew(self, index: int) -> None:
        row = self.bodies.rows[index]
        row["flags"] = int(row["flags"]) & ~MASS_CHANGED
        first, count = max(int(row["first_instance"]), 0), int(row["instance_count"])
        instances = self.instances.rows[first : first + count]
        renew_mass(row, instances, self.shapes.rows)
        self._renew_local_bounds(row, instances)
        body_placement.shapes_renewed(self.address, index, BOUNDS_CHANGED | FILTER_CHANGED | WAKES_NEIGHBOURS)

    def _move_center(self, index: int, center: np.ndarray) -> None:
        row = self.bodies.rows[index]
        shift = center - row["center_of_mass"]
        row["position"] += rotation_matrix(row["rotation"]) @ shift
        row["target_position"] += rotation_matrix(row["target_rotation"]) @ shift
        row["center_of_mass"] = center
        self._renew(index)

    def _renew_local_bounds(self, row, instances: np.ndarray) -> None:
        low, high = np.full(3, 1e30), np.full(3, -1e30)
        extent, inner = 0.0, 1e30
        for instance in instances:
            if instance["is_disabled"] or instance["shape"] < 0:
                continue
            shape = self.shapes.rows[instance["shape"]]
            bounds = shape["bounds"].astype(np.float64)
            if bounds[3] - bounds[0] > 1e20:
                own_low, own_high = np.full(3, -1e30), np.full(3, 1e30)
            elif bounds[3] < bounds[0]:
                continue
            else:
                turn = rotation_matrix(instance["rotation"])
                middle = turn @ (0.5 * (bounds[:3] + bounds[3:])) + instance["position"]
                half = np.abs(turn) @ (0.5 * (bounds[3:] - bounds[:3]))
                own_low, own_high = middle - half, middle + half
                extent = max(extent, float(np.linalg.norm(np.maximum(np.abs(own_low), np.abs(own_high)))))
                inner = min(inner, float(shape["inner_radius"]) or inner)
            instance["bounds"] = np.concatenate([own_low, own_high])
            low, high = np.minimum(low, own_low), np.maximum(high, own_high)
        if (low > high).any():
            low = high = np.zeros(3)
        row["local_bounds"] = np.concatenate([low, high])
        row["extent"] = extent
        row["inner_radius"] = inner if inner < 1e30 else 0.0

