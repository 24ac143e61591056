"""The interface for bodies: making them, their shapes, adding, changing and removing them. It is Python and for rare operations.
What happens per body and tick is compiled, in `bodies/motion.py` and `edit/body_placement.py`.

Any thread with Python's interpreter may call at any time. A change takes effect at once while no step of its system runs, else
when the step ends; the call never waits for a step (edit/commands.py).
An error of such a late change is raised by that `step`.
A body in no system belongs to one thread at a time. Queries on other threads see each change whole (docs/publication.md).
Bad input raises ValueError (a value) or KeyError (an id), naming the call and the value, and changes nothing.
"""

import functools
import math

import numpy as np

from ..bodies.identity import describe_id, index_of
from ..bodies.layers import SUB_GROUPS
from ..bodies.schema import (
    BOUNDS_CHANGED, CONTACT_REPORT, CUSTOM_CENTER_OF_MASS, CUSTOM_INERTIA, FILTER_CHANGED,
    HAS_EXCEPTIONS, HAS_RARE, HAS_STRETCH, IS_IN_BATCH, KIND_AREA, KIND_BODY, MASS_CHANGED, TELEPORTS, WAKES_NEIGHBOURS,
)  # fmt: skip
from ..edit import body_placement, brick_edits, motion_edits, setting_edits
from ..edit.commands import FULL, execute_now, make_command
from ..edit.commands import edit as edit_unseen_by_log
from ..edit.edit_table import Edit
from ..edit.setting_edits import LARGEST, PARAMETER_NUMBERS, PARAMETERS, SPEED_LIMITS, Parameter
from ..geometry.turning import moments_of
from ..runtime.memory import address_of
from ..runtime.recorded_calls import recorded
from ..shapes.pool import split_basis
from .body_shapes import NO_TURN, BodyShapes, edits, finite

MODE_NAMES = ("static", "kinematic", "rigid", "rigid linear")


def _single(call: str, name: str, numbers: np.ndarray) -> None:
    """An error for numbers that overflow or vanish in single precision."""
    with np.errstate(over="ignore", under="ignore"):
        kept = numbers.astype(np.float32)
    if not np.isfinite(kept).all() or ((kept == 0.0) & (numbers != 0.0)).any():
        raise ValueError(f"{call}: {name} must be between 1e-38 and 1e38, got {numbers.tolist()}")


def check_parameter(call: str, name: str, parameter: Parameter, value: float) -> None:
    """Raise ValueError if a value is not legal for a parameter of bodies."""
    if name == "mass":
        if value <= 0.0:
            raise ValueError(f"{call}: mass must be above 0, got {value}")
        _single(call, name, np.array([value]))
    elif not parameter.least <= value <= parameter.most or (parameter.is_whole and value != int(value)):
        kind = "a whole number from" if parameter.is_whole else "from"
        raise ValueError(f"{call}: {name} must be {kind} {parameter.least:g} to {parameter.most:g}, got {value}")


class BodyInterface(BodyShapes):
    """The part of a `World` that handles bodies. `self._bodies`, `self._instances`, `self._shapes`, `self._exceptions` and
    `self._systems` are the world's pools."""

    def __init__(self, world):
        super().__init__(world)
        self._stale: dict[int, None] = {}  # bodies in systems whose mass is to be renewed
        self.on_stale = lambda: None  # called when one is added
        self._contact_reports: dict[int, np.ndarray] = {}
        self._group_filter_count = 0

    def index(self, call: str, identity: int) -> int:
        """Index of the body with this id. Raises KeyError for a freed, foreign or wrong id."""
        return self._bodies.find(call, identity, KIND_BODY)

    def _owner_index(self, call: str, identity: int) -> int:
        """Index of the body or area with this id. Raises KeyError as `index` does."""
        return self._bodies.find(call, identity, KIND_BODY, KIND_AREA)

    def own_index(self, call: str, identity: int) -> int:
        """Index of a body or area that may be freed or rebuilt. Raises KeyError, and ValueError for bodies of a batch."""
        index = self._owner_index(call, identity)
        if self._bodies.flags.item(index) & IS_IN_BATCH:
            raise ValueError(f"{call}: the body {describe_id(identity)} belongs to a tile and stays as the tile made it")
        return index

    # Life.

    @recorded("body")
    def create(self) -> int:
        """Create a rigid body of 1 kg without shapes, in no system, and return its id. Raises PoolFull."""
        return int(self._bodies.rows[self._bodies.take()]["id"])

    @edits
    @recorded("body")
    def destroy(self, identity: int) -> None:
        """Take a body out of its system and free it with its entries in all tables."""
        index = self.own_index("destroy_body", identity)
        self.leave_system(index)
        self.clear_shapes(identity)
        self._world.joint.release_all(index)
        self._exceptions.forget(index)
        self._stale.pop(index, None)
        row = self._bodies.rows[index]
        first, capacity = int(row["first_instance"]), int(row["instance_capacity"])
        self.forget_reports(index)
        self._bodies.retire(index)

        def give_back() -> None:
            if capacity:
                self._instances.give_back(first, capacity)
            self._bodies.give_back(index)

        self._retirement.retire(give_back)

    def set_system(self, identity: int, system_id: int) -> None:
        """Put a body into a system, or remove it from its system with 0."""
        self.index("body_set_system", identity)
        index = self.own_index("body_set_system", identity)
        self.put_into(identity, index, self._world.system_index("body_set_system", system_id) if system_id else -1)

    def put_into(self, identity: int, index: int, system: int) -> None:
        """Put a body or area into the system with an index, or into none with -1."""
        if int(self._bodies.rows[index]["system"]) != system or self._late.waits_for(identity):
            self._late.run(identity, lambda: self._change_system(identity, system), system)

    @recorded("body")
    def _change_system(self, identity: int, system: int) -> None:
        index = self._owner_index("body_set_system", identity)
        if int(self._bodies.rows[index]["system"]) == system:
            return
        self._world.shape.settle_bricks()
        self.leave_system(index)
        if system >= 0:
            self.settled_row(index)
            body_placement.enter_system(self._address, system, index)

    def system(self, identity: int) -> int:
        """The id of the system a body is in, or 0."""
        return self.system_of(self.index("body_system", identity))

    def system_of(self, index: int) -> int:
        system = int(self._bodies.rows[index]["system"])
        return int(self._systems.rows[system]["id"]) if system >= 0 else 0

    def leave_system(self, index: int) -> None:
        if self._bodies.rows[index]["system"] >= 0:
            body_placement.leave_system(self._address, index)

    # Motion.

    def edit(self, call: str, identity: int, edit: Edit, *values) -> None:
        """Give an edit of the table (edit/edit_table.py) to a body or area: it is executed at once, or at the end of a step of
        its system that runs, after the edits of the body that wait. Raises KeyError, ValueError, PoolFull, naming `call`."""
        self._give_command(call, identity, make_command(call, identity, edit, values))

    def _give_command(self, call: str, identity: int, command: np.ndarray) -> None:
        index = self._owner_index(call, identity)
        system = int(self._bodies.rows[index]["system"])
        give, execute_at_once = self._world.edit, self._world.execute_now
        if self.recorder is not None and self.recorder.is_inside:  # part of a call that is written as a whole
            give, execute_at_once = edit_unseen_by_log, execute_now
        if system >= 0 and self._late.holds(system):
            execute_at_once(self._address, index, address_of(command))
        elif self._late.waits_for(identity):
            self._late.run(identity, functools.partial(self._give_command, call, identity, command))
        elif give(self._address, address_of(command), 0) == FULL:
            raise self._world.edits_full(call)

    def set_mode(self, identity: int, mode: int) -> None:
        """Set the mode: STATIC, KINEMATIC, RIGID or RIGID_LINEAR. Bodies that stop being rigid stop moving."""
        self.index("body_set_mode", identity)
        self.own_index("body_set_mode", identity)
        if mode not in (0, 1, 2, 3):
            raise ValueError(f"body_set_mode: mode must be 0 (static) to 3 (rigid linear), got {mode!r}")
        self.edit("body_set_mode", identity, setting_edits.set_mode, mode)

    @edits
    @recorded("body")
    def set_transform(self, identity: int, transform) -> None:
        """Set the user's transform (twelve numbers: basis by rows, then origin [m]). Scale and shear are cooked into the shapes.

        Raises ValueError for a transform that is not finite or has a basis without volume."""
        index = self._owner_index("body_set_transform", identity)
        values = finite("body_set_transform", "transform", transform, 12)
        row = self._bodies.rows[index]
        if not int(row["flags"]) & HAS_STRETCH and values[:9].tolist() == NO_TURN:
            self._set_pose(index, np.concatenate([values[9:], (0.0, 0.0, 0.0, 1.0)]))
            return
        basis = values[:9].reshape(3, 3)
        if abs(np.linalg.det(basis)) < 1e-12:
            raise ValueError(f"body_set_transform: the basis must span a volume, got {values[:9].tolist()}")
        rotation, stretch = split_basis(basis)
        stretch = np.asarray(stretch, dtype=np.float32)
        is_stretched = not np.allclose(stretch, np.eye(3), atol=1e-3)
        new_stretch = (stretch if is_stretched else np.eye(3, dtype=np.float32)).ravel()
        pose = np.concatenate([values[9:], np.asarray(rotation, dtype=np.float64)])
        if np.allclose(self._bodies.rare_of(index)["stretch"], new_stretch, rtol=1e-4, atol=1e-5):
            self._set_pose(index, pose)
            return
        self.own_index("body_set_transform", identity)
        with self._published(index):
            self._bodies.own_rare(index)["stretch"] = new_stretch
            row["flags"] = int(row["flags"]) | HAS_STRETCH if is_stretched else int(row["flags"]) & ~HAS_STRETCH
            self._cook_instances(index)
            body_placement.set_pose_from(self._address, index, pose.ctypes.data)

    @edits
    @recorded("body")
    def teleport(self, identity: int, origin, rotation) -> None:
        """Set origin [m] and rotation (unit quaternion) of a kinematic body at once, not in the next step."""
        index = self.index("body_teleport", identity)
        self.set_flag(index, TELEPORTS, True)
        self.edit("body_teleport", identity, motion_edits.set_pose, origin, rotation)

    def _set_pose(self, index: int, pose: np.ndarray) -> None:
        """Set origin [m] and rotation, seven doubles."""
        with self._published(index, with_shapes=False):
            body_placement.set_pose_from(self._address, index, pose.ctypes.data)

    def set_can_sleep(self, identity: int, can_sleep: bool) -> None:
        """Set whether a body may fall asleep. A sleeping body that may not is woken."""
        self.edit("body_set_can_sleep", identity, setting_edits.set_can_sleep, bool(can_sleep))

    def set_continuous(self, identity: int, is_continuous: bool) -> None:
        """Set whether the body is swept for continuous collision."""
        self.edit("body_set_continuous", identity, setting_edits.set_continuous, bool(is_continuous))

    def set_flag(self, index: int, flag: int, value: bool) -> None:
        row = self._bodies.rows[index]
        row["flags"] = int(row["flags"]) | flag if value else int(row["flags"]) & ~flag

    # Parameters.

    def set_param(self, identity: int, name: str, value) -> None:
        """Set `friction`, `restitution` (negative: rough, absorbent), `mass` [kg], `inertia` [kg m^2] (0: automatic),
        `center_of_mass` [m], `gravity_scale`, `linear_damp`, `angular_damp` [1/s], their `_mode`s, `collision_priority`,
        `max_linear_velocity` [m/s], `max_angular_velocity` [rad/s] (infinite: no limit)."""
        self.index("body_set_param", identity)
        if name in PARAMETER_NUMBERS:
            number = PARAMETER_NUMBERS[name]
            has_no_limit = name in SPEED_LIMITS and isinstance(value, float | np.floating) and value == math.inf
            given = LARGEST if has_no_limit else float(finite("body_set_param", name, value, 1)[0])
            check_parameter("body_set_param", name, PARAMETERS[number], given)
            if name == "mass" and self._bodies.rare_of(self.index("body_set_param", identity))["density"]:
                self.follow_density(identity, 0.0)
            self.edit("body_set_param", identity, setting_edits.set_parameter, number, given)
        elif name == "inertia":
            numbers = finite("body_set_param", name, value, 3)
            if (numbers < 0.0).any():
                raise ValueError(f"body_set_param: inertia must not be negative, got {numbers.tolist()}")
            _single("body_set_param", name, numbers)
            self.edit("body_set_param", identity, setting_edits.set_inertia, numbers)
        elif name == "center_of_mass":
            numbers = finite("body_set_param", name, value, 3)
            _single("body_set_param", name, numbers)
            self._set_center_of_mass(identity, numbers)
        else:
            raise ValueError(f"body_set_param: there is no parameter {name!r}")

    @edits
    @recorded("body")
    def _set_center_of_mass(self, identity: int, center: np.ndarray) -> None:
        """Move the centre of mass to a point [m] in the body's frame. Its shapes get new rows."""
        index = self.index("body_set_param", identity)
        self.set_flag(index, CUSTOM_CENTER_OF_MASS, True)
        with self._published(index):
            body_placement.set_center_of_mass(self._address, index, center.ctypes.data)
            self._renew(index)
        body_placement.wake(self._address, index)

    def param(self, identity: int, name: str):
        """The value that `set_param` set, or the automatic value of `center_of_mass` and `inertia`. While a step of its
        system runs, those are of the shapes that the body had before."""
        index = self.index("body_param", identity)
        self._world.shape.settle_bricks()
        row = self._bodies.rows[index]
        if row["system"] >= 0:
            self.settle(index)  # behind the gate
        else:
            self.settled_row(index)
        if name in PARAMETER_NUMBERS:
            return float((self._bodies.rare_of(index) if name in SPEED_LIMITS else row)[name])
        if name == "center_of_mass":
            return tuple(float(c) for c in row["center_of_mass"])
        if name == "inertia":
            given = self._bodies.rare_of(index)["inertia"]
            return moments_of(row["inverse_inertia_local"].tolist()) or tuple(float(each) for each in given)
        raise ValueError(f"body_param: there is no parameter {name!r}")

    @edits
    @recorded("body")
    def reset_mass(self, identity: int) -> None:
        """Go back to the automatic centre of mass and inertia."""
        index = self.index("body_reset_mass", identity)
        self.set_flag(index, CUSTOM_CENTER_OF_MASS | CUSTOM_INERTIA, False)
        if self._bodies.flags.item(index) & HAS_RARE:
            self._bodies.own_rare(index)["inertia"] = 0
        self._renew(index)

    def set_axis_lock(self, identity: int, axis: int, is_locked: bool) -> None:
        """Lock a world axis: 1, 2, 4 linear x, y, z; 8, 16, 32 angular."""
        self.index("body_set_axis_lock", identity)
        if axis not in (1, 2, 4, 8, 16, 32):
            raise ValueError(f"body_set_axis_lock: axis must be one of 1, 2, 4, 8, 16, 32, got {axis!r}")
        self.edit("body_set_axis_lock", identity, setting_edits.set_axis_lock, axis, bool(is_locked))

    # Filters.

    def set_collision_layer(self, identity: int, layer: int) -> None:
        """Set the layers the body is on, 32 bits."""
        self.index("body_set_collision_layer", identity)
        self.edit("body_set_collision_layer", identity, setting_edits.set_collision_layer, layer & 0xFFFFFFFF)

    def set_collision_mask(self, identity: int, mask: int) -> None:
        """Set the layers that push the body, 32 bits."""
        self.index("body_set_collision_mask", identity)
        self.edit("body_set_collision_mask", identity, setting_edits.set_collision_mask, mask & 0xFFFFFFFF)

    def set_object_layer(self, identity: int, object_layer: int) -> None:
        """Set the body's object layer, from the world's table of layers (bodies/layers.py). Raises ValueError."""
        self.index("body_set_object_layer", identity)
        layer, mask = map(int, self._layers.words(object_layer))
        self.edit("body_set_object_layer", identity, setting_edits.set_layers, layer, mask)

    def set_group(self, identity: int, group: int, sub_group: int = 0, group_filter: int = 0) -> None:
        """Put a body into a group (0: none). Bodies of one group collide as their group filter says of their sub-groups."""
        self.index("body_set_group", identity)
        if not 0 <= sub_group < SUB_GROUPS or not 0 <= group_filter < max(self._group_filter_count, 1):
            raise ValueError(f"body_set_group: there is no sub-group {sub_group!r} of a group filter {group_filter!r}")
        self.edit("body_set_group", identity, setting_edits.set_group, group, sub_group, group_filter)

    @recorded("body")
    def create_group_filter(self, pairs_apart=()) -> int:
        """Create a group filter: all sub-groups (0 to 63) collide with each other, except the pairs given. Raises ValueError."""
        pairs = [(int(a), int(b)) for a, b in pairs_apart]
        if any(not 0 <= k < SUB_GROUPS for pair in pairs for k in pair):
            raise ValueError(f"create_group_filter: sub-groups are 0 to {SUB_GROUPS - 1}, got {pairs}")
        if self._group_filter_count == self._group_filters.capacity:
            raise self._group_filters.full()
        row = self._group_filters.rows[self._group_filter_count]
        row[:] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for a, b in pairs:
            row[a] &= ~np.uint64(1 << b)
            row[b] &= ~np.uint64(1 << a)
        self._group_filter_count += 1
        return self._group_filter_count - 1

    @property
    def group_filter_count(self) -> int:
        """The number of group filters."""
        return self._group_filter_count

    @edits
    @recorded("body")
    def add_exception(self, identity: int, other_id: int) -> None:
        """Keep two bodies from colliding."""
        index = self.index("body_add_collision_exception", identity)
        other = self.index("body_add_collision_exception", other_id)
        self._exceptions.add(index, other)
        for i in (index, other):
            self.set_flag(i, HAS_EXCEPTIONS, True)
            body_placement.mark(self._address, i, FILTER_CHANGED)

    @edits
    @recorded("body")
    def remove_exception(self, identity: int, other_id: int) -> None:
        """Remove an exception. No error if there was none."""
        index = self.index("body_remove_collision_exception", identity)
        other = self.index("body_remove_collision_exception", other_id)
        self._exceptions.remove(index, other)
        for i in (index, other):
            body_placement.mark(self._address, i, FILTER_CHANGED)

    def exceptions(self, identity: int) -> list[int]:
        """Ids of the bodies that this one lists as exceptions."""
        index = self.index("body_collision_exceptions", identity)
        return [int(self._bodies.rows[other]["id"]) for other in self._exceptions.of(index)]

    @edits
    @recorded("body")
    def set_max_contacts(self, identity: int, count: int) -> None:
        """Set how many contacts are reported after each step. Raises ValueError below 0 or above 4096."""
        index = self.index("body_set_max_contacts_reported", identity)
        if not 0 <= count <= 4096:
            raise ValueError(f"body_set_max_contacts_reported: amount must be 0 to 4096, got {count}")
        if not count and not self._bodies.flags.item(index) & HAS_RARE:
            return
        rare = self._bodies.own_rare(index)
        reports = np.zeros(count, dtype=CONTACT_REPORT)
        rare["contact_count"] = rare["max_contacts_reported"] = 0
        rare["contacts"] = reports.ctypes.data if count else 0
        rare["max_contacts_reported"] = count
        self.forget_reports(index)
        if count:
            self._contact_reports[index] = reports
            self._record["reporting_count"] = len(self._contact_reports)

    def forget_reports(self, index: int) -> None:
        """Forget where the contacts of a body, by index, are reported."""
        self._contact_reports.pop(index, None)
        self._record["reporting_count"] = len(self._contact_reports)

    def max_contacts(self, identity: int) -> int:
        """The number of contacts that are reported."""
        return int(self._bodies.rare_of(self.index("body_get_max_contacts_reported", identity))["max_contacts_reported"])

    # Derived values.

    def _shapes_changed(self, index: int, number: int = body_placement.ALL_SHAPES) -> None:
        """Renew bounds and pairs: at once in a system, else when the body enters one. The mass is renewed when it is asked for or
        before the next step (`settle_shapes`), so that adding ten thousand shapes does not renew it ten thousand times. `number`:
        the only shape that changed, or THE_LAST, which is new."""
        row = self._bodies.rows[index]
        if self.contact_biases:
            self._renew_contact_bias(index)
        if row["system"] >= 0:
            flags = BOUNDS_CHANGED | FILTER_CHANGED | WAKES_NEIGHBOURS
            body_placement.renew_shapes(self._address, index, flags, number)
            self.note_stale_mass(index)
        else:
            row["flags"] = int(row["flags"]) | MASS_CHANGED

    def note_stale_mass(self, index: int) -> None:
        """Note that the mass of a body in a system, by index, must be renewed before its next step."""
        self._stale[index] = None
        self.on_stale()

    def settle_shapes(self) -> None:
        """Renew the mass of bodies whose shapes changed. To be called before a step."""
        if self._record["brick_function"]:
            self._world.shape.settle_stand_ins()
        self._world.shape.settle_bricks()
        while self._stale:
            self.settle(self._stale.popitem()[0])

    def settle(self, index: int) -> None:
        """Renew the mass of a body if its shapes have changed. If a step of its system runs, wait for its end."""
        self._world.shape.settle_bricks()
        row = self._bodies.rows[index]
        if int(row["flags"]) & MASS_CHANGED and row["system"] >= 0:
            self._late.run(int(row["id"]), functools.partial(self.settled_row, index))

    def settled_row(self, index: int):
        """The row of a body with its mass and bounds up to date."""
        row = self._bodies.rows[index]
        if int(row["flags"]) & MASS_CHANGED:
            self._renew(index)
        return row

    @edits
    @recorded("body")
    def follow_density(self, identity: int, density: float) -> None:
        """Let the mass of a body follow from its shapes, now and whenever they change: `density` [kg/m^3] times their volume. 0:
        the mass stays as it is. Raises ValueError."""
        index = self.index("body_follow_density", identity)
        if not 0.0 <= density < 1e38:
            raise ValueError(f"body_follow_density: density must be at least 0 and finite, got {density!r}")
        self._bodies.own_rare(index)["density"] = density
        self._renew(index)

    def keep_density(self, identities: list[int], density: float) -> None:
        """`follow_density` for new bodies of one system, whose masses are those that follow from it."""

        if identities:
            self._late.run(identities[0], functools.partial(self._keep_density, identities, density))

    @recorded("body")
    def _keep_density(self, identities: list[int], density: float) -> None:
        for identity in identities:
            if self._bodies.has(identity, KIND_BODY):
                self._bodies.own_rare(index_of(identity))["density"] = density

    def bricks_changed(self, index: int, edit: brick_edits.BrickEdit) -> None:
        """Renew a body (by index) after edits of a structure that is one of its shapes: mass, centre of mass, bounds. What
        touched a removed brick, or is near a new one, wakes."""
        row = self._bodies.rows[index]
        if row["system"] < 0:
            row["flags"] = int(row["flags"]) | MASS_CHANGED
            return
        identity = int(row["id"])
        self._late.run(identity, functools.partial(self._renew_bricks, identity, edit))

    def _renew_bricks(self, identity: int, edit: brick_edits.BrickEdit) -> None:
        index = index_of(identity)
        row = self._bodies.rows[index]
        if row["id"] != identity or row["system"] < 0:
            return
        with self._published(index):
            brick_edits.renew_bricks(self._address, index, edit.address)

    def shape_changed(self, shape: int) -> None:
        """Renew every body that uses a user's shape whose settings changed."""
        for index in self._shape_users.of(shape):
            if self._bodies.rows[index]["system"] >= 0:
                self._late.run(int(self._bodies.rows[index]["id"]), functools.partial(self._cook_instances, index))
            else:
                self._cook_instances(index)

    @recorded("body")
    def _renew(self, index: int) -> None:
        with self._published(index):
            body_placement.renew(self._address, index, BOUNDS_CHANGED | FILTER_CHANGED | WAKES_NEIGHBOURS)
