"""Which brick of a structure a contact is at, where the structure was collided with joined bricks."""

import math

import numpy as np

from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view
from ..structures.nodes import bricks_of, number_in
from ..structures.queries import CURSOR, begin_query, end_query, next_in_box, set_box
from ..structures.schema import STRUCTURE

BRICK_PLACE = np.dtype(
    [
        ("structure", "i8"),  # its address
        ("point", "f8", 3), ("reach", "f8"),  # [unit]
    ],
    align=True,
)  # fmt: skip
ALL_LAYERS = 0xFFFFFFFF


@kernel
def distance_squared(brick, point):
    """The square of the distance of a point from the bounds of a brick [unit]."""
    total = 0.0
    for axis in range(3):
        gap = max(np.float64(brick.low[axis]) - point[axis], point[axis] - np.float64(brick.high[axis]), 0.0)
        total += gap * gap
    return total


@entry_point("int64(int64)")
def name_brick(address):
    """The number of the brick whose bounds are nearest to the point of the BRICK_PLACE at an address, the lowest of several; 0 if
    none is within reach along each axis."""
    place = view(address, 1, BRICK_PLACE)[0]
    s, cursor = view(place.structure, 1, STRUCTURE)[0], stack_array(1, CURSOR)[0]
    x, y, z, reach = place.point[0], place.point[1], place.point[2], place.reach
    nearest, best = np.int64(0), math.inf
    begin_query(cursor, place.structure, np.int64(ALL_LAYERS))
    set_box(cursor, (x - reach, y - reach, z - reach), (x + reach, y + reach, z + reach))
    row = next_in_box(cursor, s, None)
    while row != 0:
        number, distance = number_in(s, row), distance_squared(bricks_of(s)[row], (x, y, z))
        if distance < best or (distance == best and number < nearest):
            nearest, best = number, distance
        row = next_in_box(cursor, s, None)
    end_query(cursor, place.structure)
    return nearest
