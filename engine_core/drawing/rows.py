"""Rows of a drawing, one at a time. Beyond the capacity of a buffer they are only counted."""

import math

import numpy as np

from ..geometry.vector import add, add_scaled, dot, matrix_rows, scale, subtract, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .colours import FIRST_HUE, HUE_STEP, HUES
from .schema import BOUNDS, LINES, ROW_FLOATS, ROW_SIZE

FLOAT32 = np.float32
LONGEST = 3.0
"""Lines for forces and velocities are cut at this length [m]."""
SHORTEST = 1.0e-3


@kernel
def hue(number):
    """The number of a colour for an island, a level or a colour of the solver."""
    return FIRST_HUE + (number * HUE_STEP) % HUES


@kernel
def new_row(request, kind):
    """Address of the next row of a kind; 0 if its buffer is full."""
    number = request.counts[kind]
    request.counts[kind] += 1
    return request.rows[kind] + ROW_SIZE * number if number < request.capacities[kind] else np.int64(0)


@kernel
def write_colour(request, address, colour):
    source, out = view(request.palette + 16 * colour, 4, FLOAT32), view(address + 48, 4, FLOAT32)
    for k in range(4):
        out[k] = source[k]


@kernel
def add_form(request, kind, position, rotation, size, colour):
    """Add a form at a place in the world [m], `size` times the unit form along its own axes."""
    address = new_row(request, kind)
    if address == 0:
        return
    out, rows, zero = view(address, ROW_FLOATS, FLOAT32), matrix_rows(rotation), request.zero
    for k in range(3):
        row = rows[k]
        out[4 * k] = FLOAT32(row[0] * size[0])
        out[4 * k + 1] = FLOAT32(row[1] * size[1])
        out[4 * k + 2] = FLOAT32(row[2] * size[2])
        out[4 * k + 3] = FLOAT32(position[k] - zero[k])
    write_colour(request, address, colour)


@kernel
def add_line(request, begin, end, colour):
    """Add a line between two points of the world [m]."""
    address = new_row(request, LINES)
    if address == 0:
        return
    out, zero = view(address, ROW_FLOATS, FLOAT32), request.zero
    for k in range(3):
        out[4 * k] = FLOAT32(end[k] - begin[k])
        out[4 * k + 1] = out[4 * k + 2] = FLOAT32(0.0)
        out[4 * k + 3] = FLOAT32(begin[k] - zero[k])
    write_colour(request, address, colour)


@kernel
def add_arrow(request, begin, way, colour):
    """Add a line from a point along a vector, cut at LONGEST; none if it is too short to be seen."""
    size = math.sqrt(dot(way, way))
    if size > SHORTEST:
        add_line(request, begin, add_scaled(begin, way, min(1.0, LONGEST / size)), colour)


@kernel
def add_bounds(request, low, high, origin, colour):
    """Add a box between two corners [m] relative to an origin in the world."""
    middle = add(origin, scale(add(low, high), 0.5))
    add_form(request, BOUNDS, middle, (0.0, 0.0, 0.0, 1.0), scale(subtract(high, low), 0.5), colour)


@kernel
def is_near(request, low, high, origin):
    """Whether a box, relative to an origin in the world, is at most `distance` away."""
    around, squared = subtract(vector3(request.around), origin), 0.0
    for k in range(3):
        gap = max(max(low[k] - around[k], around[k] - high[k]), 0.0)
        squared += gap * gap
    return squared <= request.distance * request.distance
