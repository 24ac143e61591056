"""Edits of the settings of a body or area: mode, parameters, filters, flags; see edit/edit_table.py.

Godot's nodes repeat settings, so layers, masks, modes and parameters of areas change nothing if they are set already.

Values must be legal: for the parameters of bodies see `PARAMETERS`, for those of areas core/areas.py.
"""

import math
from typing import NamedTuple

import numpy as np

from ..bodies import motion
from ..bodies.motion import begin_rest, bodies_of, mark_changed
from ..bodies.publication import begin_change, end_change
from ..bodies.rare import own_rare, rare_of, set_target
from ..bodies.records import world_at
from ..bodies.schema import (
    BOUNDS_CHANGED, CAN_SLEEP, CONTINUOUS, CUSTOM_INERTIA, FILTER_CHANGED, HAS_RARE, HAS_SPEED_LIMIT, KINEMATIC,
    LAYER_MOVING, LAYER_NOT_MOVING, MASS_CHANGED, OMITS_FORCES, RAY_PICKABLE, RIGID, STATIC, TARGET_SET, TELEPORTS,
    WAKES_NEIGHBOURS,
)  # fmt: skip
from ..geometry.vector import quaternion, store3, store4, vector3
from ..runtime.kernel import kernel
from ..sensors import change
from ..sensors.overlaps import areas_of
from ..sensors.schema import IS_MONITORABLE
from . import body_placement, motion_edits
from .edit_table import EDITS, edit_of_body

assert EDITS[-1] is motion_edits.take_out  # so the numbers do not depend on which module is imported first: cached code has them

INT16, INT32, UINT32, FLOAT32 = np.int16, np.int32, np.uint32, np.float32
RENEWED = BOUNDS_CHANGED | FILTER_CHANGED | WAKES_NEIGHBOURS
"""Change flags of a body with new mass, shapes or mode."""


class Parameter(NamedTuple):
    """A parameter of a body that is one number: its field in BODY or BODY_RARE, its limits, and whether it is a whole number."""

    field: str
    least: float
    most: float
    is_whole: bool = False


LARGEST = 3.0e38
"""Largest number in single precision, rounded."""
SPEED_LIMITS = ("max_linear_velocity", "max_angular_velocity")
"""Parameters in BODY_RARE [m/s], [rad/s]. LARGEST stands for no limit, since edits have finite values."""
PARAMETERS = (
    Parameter("restitution", -LARGEST, LARGEST), Parameter("friction", -LARGEST, LARGEST),
    Parameter("gravity_scale", -LARGEST, LARGEST), Parameter("linear_damp_mode", 0.0, 1.0, True),
    Parameter("angular_damp_mode", 0.0, 1.0, True), Parameter("linear_damp", -LARGEST, LARGEST),
    Parameter("angular_damp", -LARGEST, LARGEST), Parameter("collision_priority", -LARGEST, LARGEST),
    Parameter("mass", 1.2e-38, LARGEST), *(Parameter(name, 0.0, LARGEST) for name in SPEED_LIMITS),
)  # fmt: skip
"""Parameters by their numbers in the edit `set_parameter`. Negative friction stands for a rough, negative restitution for an
absorbent surface. Damping modes: 0 adds to the damping of the space, 1 replaces it. Mass [kg], damping [1/s]."""
PARAMETER_NUMBERS = {parameter.field: number for number, parameter in enumerate(PARAMETERS)}
(RESTITUTION, FRICTION, GRAVITY_SCALE, LINEAR_DAMP_MODE, ANGULAR_DAMP_MODE, LINEAR_DAMP, ANGULAR_DAMP, COLLISION_PRIORITY,
 MASS, MAX_LINEAR_VELOCITY, MAX_ANGULAR_VELOCITY) = range(len(PARAMETERS))  # fmt: skip
LEAST, MOST, IS_WHOLE = (tuple(getattr(parameter, name) for parameter in PARAMETERS) for name in ("least", "most", "is_whole"))


@kernel
def is_legal(number, value):
    """Whether a value is legal for a parameter, by its number; NaN is not."""
    return LEAST[number] <= value <= MOST[number] and (not IS_WHOLE[number] or value == int(value))


# Mode and parameters.


@kernel
def renew(world_address, index):
    """Update what follows from mass and mode. A body whose shapes have changed too is renewed later, before its next step."""
    body = bodies_of(world_address)[index]
    if body.flags & MASS_CHANGED:
        return
    begin_change(world_address, body, 0)
    body_placement.renew_body(world_address, index, RENEWED)
    end_change(body)


@edit_of_body(mode=1)
def set_mode(world_address, index, values):
    """Set the mode: STATIC, KINEMATIC, RIGID or RIGID_LINEAR. A body that stops being rigid stops moving."""
    body, mode = bodies_of(world_address)[index], int(values[0])
    if body.mode == mode:
        return
    system_address = body.system
    if system_address >= 0:
        body_placement.take_out(world_address, index)
    body.mode = INT32(mode)
    if body.flags & TARGET_SET:  # a kinematic body that is on its way arrives at once
        rare = rare_of(world_address, body)
        store3(body.position, vector3(rare.target_position))
        store4(body.rotation, quaternion(rare.target_rotation))
    body.flags &= ~UINT32(TELEPORTS | TARGET_SET)
    if mode == KINEMATIC:
        body.flags |= UINT32(TELEPORTS)
    body.broad_phase_layer = INT32(LAYER_NOT_MOVING if mode == STATIC else LAYER_MOVING)
    if mode < RIGID:
        store3(body.linear_velocity, (0.0, 0.0, 0.0))
        store3(body.angular_velocity, (0.0, 0.0, 0.0))
    if mode == KINEMATIC and body.flags & HAS_RARE:
        set_target(world_address, body, vector3(body.position), quaternion(body.rotation))
    begin_rest(body)
    body_placement.renew_body(world_address, index, RENEWED)
    if system_address >= 0:
        body_placement.put_in(world_address, system_address, index)


@kernel
def store_parameter(body, number, value):
    """Write a parameter other than the mass."""
    if number == RESTITUTION:
        body.restitution = FLOAT32(value)
    elif number == FRICTION:
        body.friction = FLOAT32(value)
    elif number == GRAVITY_SCALE:
        body.gravity_scale = FLOAT32(value)
    elif number == LINEAR_DAMP_MODE:
        body.linear_damp_mode = INT16(value)
    elif number == ANGULAR_DAMP_MODE:
        body.angular_damp_mode = INT16(value)
    elif number == LINEAR_DAMP:
        body.linear_damp = FLOAT32(value)
    elif number == ANGULAR_DAMP:
        body.angular_damp = FLOAT32(value)
    else:
        body.collision_priority = FLOAT32(value)


@kernel
def store_speed_limit(world_address, body, number, value):
    """Write the largest linear or angular velocity of a body; LARGEST: infinite."""
    if value >= LARGEST and not body.flags & HAS_RARE:
        return
    rare, most = own_rare(world_address, body), FLOAT32(math.inf if value >= LARGEST else value)
    if number == MAX_LINEAR_VELOCITY:
        rare.max_linear_velocity = most
    else:
        rare.max_angular_velocity = most
    set_flag(body, HAS_SPEED_LIMIT, min(rare.max_linear_velocity, rare.max_angular_velocity) < math.inf)


@edit_of_body(parameter=1, value=1)
def set_parameter(world_address, index, values):
    """Set a parameter, by its number in PARAMETERS, to a legal value."""
    body, number, value = bodies_of(world_address)[index], int(values[0]), values[1]
    if number == FRICTION and body.friction != FLOAT32(value):
        mark_changed(world_address, index, WAKES_NEIGHBOURS)  # what slept on a slope may slide now
    if number == MASS:
        body.mass = FLOAT32(value)
        renew(world_address, index)
    elif number >= MAX_LINEAR_VELOCITY:
        store_speed_limit(world_address, body, number, value)
    else:
        store_parameter(body, number, value)
    if number == FRICTION or number == RESTITUTION:
        body_placement.refresh_pairs(world_address, index)
    elif number != COLLISION_PRIORITY:
        motion.wake(world_address, index)


@edit_of_body(inertia=3)
def set_inertia(world_address, index, values):
    """Set the moments of inertia about the body's axes [kg m^2]; 0: that of the shapes."""
    body = bodies_of(world_address)[index]
    is_custom = values[0] != 0.0 or values[1] != 0.0 or values[2] != 0.0
    if is_custom or body.flags & HAS_RARE:
        store3(own_rare(world_address, body).inertia, vector3(values))
    set_flag(body, CUSTOM_INERTIA, is_custom)
    renew(world_address, index)
    motion.wake(world_address, index)


@edit_of_body(axis=1, is_locked=1)
def set_axis_lock(world_address, index, values):
    """Lock or free a world axis: 1, 2, 4 linear x, y, z; 8, 16, 32 angular."""
    body, axis = bodies_of(world_address)[index], int(values[0])
    if values[1] != 0.0:
        body.axis_locks |= axis
    else:
        body.axis_locks &= ~axis
    motion.update_world_inertia(body)
    motion.wake(world_address, index)


# Filters.


@kernel
def filter_changed(world_address, index):
    """Update the tree and the pairs of a body or area with other layers or masks."""
    body_placement.update_layers(world_address, index)
    mark_changed(world_address, index, FILTER_CHANGED)


@edit_of_body(layer=1)
def set_collision_layer(world_address, index, values):
    """Set the layers that a body or area is on, 32 bits."""
    body, bits = bodies_of(world_address)[index], UINT32(int(values[0]))
    if body.collision_layer != bits:
        body.collision_layer = bits
        filter_changed(world_address, index)


@edit_of_body(mask=1)
def set_collision_mask(world_address, index, values):
    """Set the layers that push a body, or that an area detects, 32 bits."""
    body, bits = bodies_of(world_address)[index], UINT32(int(values[0]))
    if body.collision_mask != bits:
        body.collision_mask = bits
        filter_changed(world_address, index)


@edit_of_body(layer=1, mask=1)
def set_layers(world_address, index, values):
    """Set collision layer and mask of a body together, 32 bits each."""
    body = bodies_of(world_address)[index]
    body.collision_layer, body.collision_mask = UINT32(int(values[0])), UINT32(int(values[1]))
    filter_changed(world_address, index)


@edit_of_body(group=1, sub_group=1, group_filter=1)
def set_group(world_address, index, values):
    """Put a body into a group, 0: none; by its group filter and sub-group it collides with others of the group."""
    body = bodies_of(world_address)[index]
    if values[0] != 0.0 or body.flags & HAS_RARE:
        rare = own_rare(world_address, body)
        rare.group, rare.sub_group, rare.group_filter = int(values[0]), int(values[1]), int(values[2])
    mark_changed(world_address, index, FILTER_CHANGED)


@edit_of_body(level=1)
def set_contact_events(world_address, index, values):
    """Set which contacts of a body are reported: NO_CONTACT_EVENTS, CONTACT_CHANGES or ALL_CONTACT_EVENTS."""
    body = bodies_of(world_address)[index]
    if values[0] != 0.0 or body.flags & HAS_RARE:
        own_rare(world_address, body).contact_events = int(values[0])
        body_placement.refresh_pairs(world_address, index)


@edit_of_body(contact_class=1)
def set_contact_class(world_address, index, values):
    """Set the class whose rules the contacts of a body follow."""
    body = bodies_of(world_address)[index]
    if values[0] != 0.0 or body.flags & HAS_RARE:
        own_rare(world_address, body).contact_class = int(values[0])
        mark_changed(world_address, index, FILTER_CHANGED)


# Flags.


@kernel
def set_flag(body, flag, is_on):
    """Set or clear a flag of BODY."""
    if is_on:
        body.flags |= UINT32(flag)
    else:
        body.flags &= ~UINT32(flag)


@edit_of_body(can_sleep=1)
def set_can_sleep(world_address, index, values):
    """Set whether a body may fall asleep. A sleeping body that may not is woken."""
    set_flag(bodies_of(world_address)[index], CAN_SLEEP, values[0] != 0.0)
    if values[0] == 0.0:
        motion.wake(world_address, index)


@edit_of_body(is_continuous=1)
def set_continuous(world_address, index, values):
    """Set whether a body is swept against others at any speed."""
    set_flag(bodies_of(world_address)[index], CONTINUOUS, values[0] != 0.0)


@edit_of_body(omits_forces=1)
def set_omits_forces(world_address, index, values):
    """Set whether gravity, damping and forces do not act on a body."""
    set_flag(bodies_of(world_address)[index], OMITS_FORCES, values[0] != 0.0)


@edit_of_body(is_pickable=1)
def set_ray_pickable(world_address, index, values):
    """Set whether the mouse picks a body or area."""
    set_flag(bodies_of(world_address)[index], RAY_PICKABLE, values[0] != 0.0)


# Areas.


@edit_of_body(kind=1, is_on=1)
def set_monitoring(world_address, index, values):
    """Set whether an area reports bodies (MONITORS_BODIES) or other areas (MONITORS_AREAS). All overlaps are reported anew."""
    change.set_monitoring(world_address, index, int(values[0]), values[1] != 0.0)


@edit_of_body(is_monitorable=1)
def set_monitorable(world_address, index, values):
    """Set whether other areas detect an area."""
    area, is_on = areas_of(world_at(world_address))[index], values[0] != 0.0
    if (area.flags & IS_MONITORABLE != 0) != is_on:
        change.set_monitorable(world_address, index, is_on)


(GRAVITY_MODE, GRAVITY, GRAVITY_VECTOR, IS_POINT, UNIT_DISTANCE, AREA_LINEAR_DAMP_MODE, AREA_LINEAR_DAMP, AREA_ANGULAR_DAMP_MODE,
 AREA_ANGULAR_DAMP, PRIORITY) = range(10)  # fmt: skip
AREA_PARAMETERS = (
    "gravity_mode", "gravity", "gravity_vector", "is_point", "unit_distance", "linear_damp_mode", "linear_damp",
    "angular_damp_mode", "angular_damp", "priority",
)  # fmt: skip
"""Fields of AREA by their numbers in the edit `set_area_parameter`."""
AREA_MODES = 5
"""Number of the modes in which an area changes gravity or damping."""


@kernel
def store_area_parameter(area, number, value):
    """Write a parameter of an area that is one number; return whether it changed."""
    before = 0.0
    if number == GRAVITY_MODE:
        before, area.gravity_mode = float(area.gravity_mode), INT32(value)
    elif number == GRAVITY:
        before, area.gravity = area.gravity, value
    elif number == IS_POINT:
        before, area.is_point = float(area.is_point), int(value)
    elif number == UNIT_DISTANCE:
        before, area.unit_distance = area.unit_distance, value
    elif number == AREA_LINEAR_DAMP_MODE:
        before, area.linear_damp_mode = float(area.linear_damp_mode), INT32(value)
    elif number == AREA_LINEAR_DAMP:
        before, area.linear_damp = area.linear_damp, value
    elif number == AREA_ANGULAR_DAMP_MODE:
        before, area.angular_damp_mode = float(area.angular_damp_mode), INT32(value)
    elif number == AREA_ANGULAR_DAMP:
        before, area.angular_damp = area.angular_damp, value
    else:
        before, area.priority = float(area.priority), int(value)
    return before != value


@edit_of_body(parameter=1, value=3)
def set_area_parameter(world_address, index, values):
    """Set a field of an area, by its number in AREA_PARAMETERS; only the gravity vector has three values."""
    area, number, v = areas_of(world_at(world_address))[index], int(values[0]), vector3(values[1:4])
    if number == GRAVITY_VECTOR:
        old = vector3(area.gravity_vector)
        has_changed = old[0] != v[0] or old[1] != v[1] or old[2] != v[2]
        store3(area.gravity_vector, v)
    else:
        has_changed = store_area_parameter(area, number, v[0])
    if has_changed:
        change.effects_changed(world_address, index)
