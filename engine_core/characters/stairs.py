"""Steps: over what blocks a walking character, if it is no higher than its step height and can be stood on."""

import numpy as np

from ..geometry.vector import add_scaled, dot, length, scale, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from .asking import cast
from .floor import LEAST_EDGE, note_floor, surface_at
from .schema import HAS_STEPPED

LEAST_PROGRESS = 1e-4
"""A step must lead farther than this along the floor [m]."""
TOLERANCE = 1e-3
"""A step that is higher than the step height by this is still taken [m]: contacts are found a part of a millimetre off."""


@kernel
def raise_for_step(walk, row, queries, position, way):
    """How high the character can be lifted for a step, and the part of `way` that is free up there."""
    up = vector3(row.up)
    height = row.step_height
    free = cast(walk, row, queries, add_scaled(position, up, height), way, row.padding)
    if walk.is_overlapping == 0 and free * length(way) < LEAST_PROGRESS:
        return height, 0.0
    room = cast(walk, row, queries, position, scale(up, height), row.padding)
    if walk.is_hit:
        height *= room
        free = cast(walk, row, queries, add_scaled(position, up, height), way, row.padding)
    return height, 0.0 if walk.is_overlapping else free


@kernel
def step_up(walk, row, queries, position, way):
    """Try to step along `way`, across `up`: up, along, and down again. Return (whether it is done, position, part of the way
    done)."""
    keep_as_call()
    up = vector3(row.up)
    if row.step_height <= 0.0:
        return False, position, 0.0
    height, free = raise_for_step(walk, row, queries, position, way)
    if free * length(way) < LEAST_PROGRESS:
        return False, position, 0.0
    raised = add_scaled(add_scaled(position, way, free), up, height)
    down = cast(walk, row, queries, raised, scale(up, -height), row.padding)
    landing = add_scaled(raised, up, -height * down)
    if walk.is_overlapping:
        return False, position, 0.0
    if walk.is_hit:
        point, normal, index = vector3(walk.hit), vector3(walk.hit_normal), walk.hit_body
        can_stand, surface = surface_at(walk, row, queries, point, normal, LEAST_EDGE)
        if not can_stand or dot(subtract(point, vector3(row.floor_point)), up) > row.step_height + TOLERANCE:
            return False, position, 0.0
        note_floor(walk, row, index, point, normal, surface)
        store3(walk.surface, surface)
    row.state |= np.uint32(HAS_STEPPED)
    row.step_up += height * (1.0 - down)
    return True, landing, free
