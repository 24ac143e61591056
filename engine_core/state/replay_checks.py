"""Checks of recorded edits: their kernels trust the values of their callers."""

import numpy as np

from ..bodies.identity import kind_of
from ..bodies.layers import SUB_GROUPS
from ..bodies.schema import CONTACT_CLASSES, KIND_AREA, KIND_BODY
from ..core.numbers import FARTHEST
from ..edit import motion_edits, setting_edits
from ..edit.edit_table import Edit
from ..edit.setting_edits import AREA_MODES, AREA_PARAMETERS, PARAMETERS
from ..sensors.schema import MONITORS_AREAS, MONITORS_BODIES

BITS = float((1 << 32) - 1)
OF_AREAS = (setting_edits.set_monitoring, setting_edits.set_monitorable, setting_edits.set_area_parameter)
OF_BOTH = (
    motion_edits.set_pose, motion_edits.set_origin, motion_edits.set_rotation, motion_edits.put_in, motion_edits.take_out,
    setting_edits.set_collision_layer, setting_edits.set_collision_mask, setting_edits.set_ray_pickable,
)  # fmt: skip
"""Edits of bodies and areas."""
WHOLE = {
    "mode": (0, 3), "layer": (0, BITS), "mask": (0, BITS), "sub_group": (0, SUB_GROUPS - 1), "group": (-(1 << 31), (1 << 31) - 1),
    "level": (0, 2), "contact_class": (0, CONTACT_CLASSES - 1), "axis": (1, 32), "kind": (0, MONITORS_BODIES | MONITORS_AREAS),
}  # fmt: skip
"""Limits of the arguments that are whole numbers, by name."""


def _argument_problem(world, edit: Edit, name: str, value) -> str:
    """The fault of one argument, or nothing."""
    if name == "system":
        return "" if 0 <= value < world.systems.capacity and value in world.system_numbers() else f"there is no space {value}"
    if name == "group_filter":
        return "" if value in range(max(world.body.group_filter_count, 1)) else f"there is no group filter {value}"
    if name == "rotation" and not 0.5 < np.linalg.norm(value) < 2.0:
        return f"rotation must be a unit quaternion, got {value.tolist()}"
    if name in WHOLE:
        least, most = WHOLE[name]
        if not least <= value <= most or value != int(value):
            return f"{name} must be a whole number from {least} to {most:g}, got {value}"
    return ""


def _parameter_problem(edit: Edit, number: float, value: np.ndarray) -> str:
    """The fault of a parameter of a body or area, or nothing."""
    names = AREA_PARAMETERS if edit is setting_edits.set_area_parameter else [one.field for one in PARAMETERS]
    if number not in range(len(names)):
        return f"there is no parameter {number}"
    name = names[int(number)]
    if edit is setting_edits.set_parameter:
        parameter = PARAMETERS[int(number)]
        is_legal = parameter.least <= value[0] <= parameter.most and (not parameter.is_whole or value[0] == int(value[0]))
    elif name.endswith("mode"):
        is_legal = value[0] in range(AREA_MODES)
    else:
        is_legal = bool((np.abs(value) <= FARTHEST).all())
    return "" if is_legal else f"{name} must not be {value[0]}"


def check_edit(world, edit: Edit, identity: int, values: np.ndarray) -> str:
    """The fault of the values of an edit from a file, or nothing."""
    if not np.isfinite(values).all():
        return f"values must be finite, got {values.tolist()}"
    wanted = KIND_AREA if edit in OF_AREAS else KIND_BODY
    if kind_of(identity) != wanted and edit not in OF_BOTH:
        return "it is no edit of this kind of thing"
    if edit in (setting_edits.set_parameter, setting_edits.set_area_parameter):
        return _parameter_problem(edit, float(values[0]), values[1:4])
    first = 0
    for name, count in edit.arguments:
        problem = _argument_problem(world, edit, name, float(values[first]) if count == 1 else values[first : first + count])
        if problem:
            return problem
        first += count
    return ""
