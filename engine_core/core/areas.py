"""The interface for areas: making them, setting what they watch and do, and reading their events. The shapes, transform and
layers of an area are kept in a row of the body pool.

    area = world.area.create()
    world.area.add_shape(area, shape)
    world.area.set_monitoring(area, bodies=True)
    world.area.set_system(area, system)
    world.step(system, 1 / 60)
    world.area.events(system)["other_id"]

Any thread may call, as for bodies (core/bodies.py). A change takes effect at once, or at the end of a step in progress. An area
in no system belongs to one thread at a time. Bad input raises ValueError (a value) or KeyError (an id) and changes nothing.
"""

import functools
import math

import numpy as np

from ..bodies.schema import (
    CUSTOM_CENTER_OF_MASS, IS_AREA, KIND_AREA, LAYER_SENSOR, RAY_PICKABLE, STATIC,
)  # fmt: skip
from ..edit import setting_edits
from ..edit.setting_edits import AREA_PARAMETERS
from ..runtime.recorded_calls import recorded
from ..sensors.change import space_changed
from ..sensors.schema import IS_INSIDE, MONITORS_AREAS, MONITORS_BODIES
from .body_shapes import edits
from .part import Part

MODE_NAMES = ("disabled", "combine", "combine-replace", "replace", "replace-combine")
MODES = ("gravity_mode", "linear_damp_mode", "angular_damp_mode")
NUMBERS = ("gravity", "unit_distance", "linear_damp", "angular_damp")
LARGEST_PRIORITY = 1 << 31


class AreaInterface(Part):
    """The part of a `World` that handles areas. `self._areas` is the pool of the properties that only areas have."""

    def index(self, call: str, identity: int) -> int:
        """Index of the area with this id. Raises KeyError for a freed, foreign or wrong id."""
        return self._bodies.find(call, identity, KIND_AREA)

    # Life.

    @recorded("area")
    def create(self, is_monitorable: bool = False) -> int:
        """Create an area without shapes, in no system, that watches and changes nothing, and return its id. Raises PoolFull."""
        index = self._bodies.take(KIND_AREA)
        row = self._bodies.rows[index]
        row["mode"], row["broad_phase_layer"], row["inverse_mass"] = STATIC, LAYER_SENSOR, 0
        row["inverse_inertia_local"], row["inverse_inertia_world"] = 0, 0
        row["flags"] = IS_AREA | RAY_PICKABLE | CUSTOM_CENTER_OF_MASS
        self._areas.reset(index, is_monitorable)
        self._record["body_count"] = self._bodies.count
        return int(row["id"])

    def destroy(self, identity: int) -> None:
        """Take an area out of its system and free it."""
        self.index("destroy_area", identity)
        self._world.body.destroy(identity)

    def set_system(self, identity: int, system_id: int) -> None:
        """Put an area into a system, or remove it from its system with 0."""
        index = self.index("area_set_system", identity)
        self._world.body.put_into(identity, index, self._world.system_index("area_set_system", system_id) if system_id else -1)

    def system(self, identity: int) -> int:
        """The id of the system an area is in, or 0."""
        return self._world.body.system_of(self.index("area_system", identity))

    # Transform and shapes, as for bodies.

    def set_transform(self, identity: int, transform) -> None:
        """Set the transform, twelve numbers: basis by rows, then origin [m]. Scale and shear are cooked into the shapes."""
        self.index("area_set_transform", identity)
        self._world.body.set_transform(identity, transform)

    def add_shape(self, identity: int, shape_id: int, *place, **settings) -> None:
        """Add a shape to an area, as `BodyShapes.add_shape` does to a body."""
        self.index("area_add_shape", identity)
        self._world.body.add_shape(identity, shape_id, *place, **settings)

    @edits
    def set_shape_disabled(self, identity: int, number: int, is_disabled: bool) -> None:
        """Switch a shape off or on. A disabled shape detects nothing and is not detected."""
        self.index("area_set_shape_disabled", identity)
        at = self._world.body.instance("area_set_shape_disabled", identity, number)[2]
        if bool(self._instances.rows[at]["is_disabled"]) != bool(is_disabled):  # nodes repeat it
            self._world.body.set_shape_disabled(identity, number, is_disabled)

    def remove_shape(self, identity: int, number: int) -> None:
        """Remove a shape; the numbers of those after it go down by one."""
        self.index("area_remove_shape", identity)
        self._world.body.remove_shape(identity, number)

    # Layers, masks and monitoring.

    def set_collision_layer(self, identity: int, layer: int) -> None:
        """Set the layers the area is on, 32 bits, for other areas and for queries."""
        self.index("area_set_collision_layer", identity)
        self._world.body.edit("area_set_collision_layer", identity, setting_edits.set_collision_layer, layer & 0xFFFFFFFF)

    def set_collision_mask(self, identity: int, mask: int) -> None:
        """Set the layers the area detects, 32 bits."""
        self.index("area_set_collision_mask", identity)
        self._world.body.edit("area_set_collision_mask", identity, setting_edits.set_collision_mask, mask & 0xFFFFFFFF)

    def set_monitoring(self, identity: int, bodies: bool | None = None, areas: bool | None = None) -> None:
        """Set whether events report bodies, and other areas. Switching it on (again) reports all current overlaps anew."""
        self.index("area_set_monitoring", identity)
        for kind, is_on in ((MONITORS_BODIES, bodies), (MONITORS_AREAS, areas)):
            if is_on is not None:
                self._world.body.edit("area_set_monitoring", identity, setting_edits.set_monitoring, kind, bool(is_on))

    def set_monitorable(self, identity: int, is_monitorable: bool) -> None:
        """Set whether other areas detect this one."""
        self.index("area_set_monitorable", identity)
        self._world.body.edit("area_set_monitorable", identity, setting_edits.set_monitorable, bool(is_monitorable))

    # Effects.

    def set_param(self, identity: int, name: str, value) -> None:
        """Set a field of sensors.schema.AREA: a `_mode` (0 to 4 or its name, see MODE_NAMES), `priority`, `gravity`,
        `gravity_vector`, `is_point`, `unit_distance`, `linear_damp`, `angular_damp`."""
        self.index("area_set_param", identity)
        value = check_area_param("area_set_param", name, value)
        vector = value if np.ndim(value) else (value, 0.0, 0.0)
        number = AREA_PARAMETERS.index(name)
        self._world.body.edit("area_set_param", identity, setting_edits.set_area_parameter, number, vector)

    def set_space_param(self, identity: int, name: str, value) -> None:
        """Set a parameter of the space's own area, which applies where no area replaces it. Its modes and priority have no
        effect."""
        index = self._world.system_index("space_set_area_param", identity)
        value = check_area_param("space_set_area_param", name, value)
        self._late.run(identity, functools.partial(self._change_space, identity, name, value), index)

    @recorded("area")
    def _change_space(self, identity: int, name: str, value) -> None:
        system = self._world.system(identity)
        own, row = system.sensors.default_area[0], system.row["settings"]
        before = own.tobytes() + row["gravity"].tobytes() + row["linear_damp"].tobytes() + row["angular_damp"].tobytes()
        own[name] = value
        if name in ("linear_damp", "angular_damp"):
            row[name] = value
        row["gravity"] = own["gravity"] * own["gravity_vector"] if name.startswith("gravity") else row["gravity"]
        after = own.tobytes() + row["gravity"].tobytes() + row["linear_damp"].tobytes() + row["angular_damp"].tobytes()
        if before != after:
            space_changed(system.address)

    # Events and overlaps.

    def events(self, system_id: int) -> np.ndarray:
        """Area events of the last step of a system: rows of sensors.schema.AREA_EVENT, in their order."""
        return self._world.system(system_id).sensors.events()

    def overlaps(self, identity: int) -> list[int]:
        """Ids of the bodies and areas that an area overlapped in the last step, in the order of their rows."""
        index = self.index("area_overlaps", identity)
        system = self._world.body.system_of(index)
        if not system:
            return []
        rows = self._world.system(system).sensors.rows("overlaps", "overlap_count")
        found = rows[(rows["area"] == index) & (rows["flags"] & IS_INSIDE != 0)]["other"]
        return [int(self._bodies.rows[other]["id"]) for other in np.sort(found)]


def check_area_param(call: str, name: str, value):
    """Check a value for a field of AREA. Raises ValueError, naming the call."""
    if name in MODES:
        mode = MODE_NAMES.index(value) if value in MODE_NAMES else value
        if mode not in range(len(MODE_NAMES)):
            raise ValueError(f"{call}: {name} must be 0 to 4 or one of {', '.join(MODE_NAMES)}, got {value!r}")
        return int(mode)
    if name == "gravity_vector":
        vector = np.asarray(value, dtype=np.float64)
        if vector.shape != (3,) or not np.isfinite(vector).all():
            raise ValueError(f"{call}: gravity_vector must be 3 finite numbers, got {value!r}")
        return vector
    if name == "is_point":
        return int(bool(value))
    if name != "priority" and name not in NUMBERS:
        raise ValueError(f"{call}: there is no parameter {name!r}")
    number = float(value)
    if not math.isfinite(number) or abs(number) > 1e30 or (name == "priority" and abs(number) > LARGEST_PRIORITY):
        raise ValueError(f"{call}: {name} must be finite and within limits, got {value!r}")
    return int(number) if name == "priority" else number
