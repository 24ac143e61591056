"""Contacts with faces and edges of bricks that other bricks of the same structure cover.

A body on flush bricks meets, besides their upper faces, the sides and edges between them, which are not exposed. A contact of a
brick is inner if, along an axis of the brick on which the normal points outward, all its points, moved out of that face by a
little, lie in other bricks. An edge of which one face is covered is inner too: the brick that covers it has the contact. This
looks at the structure alone, so it also serves structures that move. Seams between bodies: see seams.py.
"""

import numpy as np

from ..bodies.bricks import BRICK_WALK
from ..geometry.vector import (
    add, add_scaled, dot, matrix_rows, quaternion, rotate, rotate_inverse, scale, subtract, vector3,
)  # fmt: skip
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view
from ..shapes.bricks import place_of_row
from ..shapes.schema import INSTANCE
from ..structures.mass import is_free
from ..structures.nodes import bricks_of, number_in
from ..structures.queries import CURSOR, begin_query, end_query, next_in_box, set_box
from ..structures.schema import STRUCTURE
from .schema import CONTACT_RESULT

STEEP_FOR_ROUND, STEEP = 0.001, 0.1
"""Sine from which on a normal points out of a face, for round shapes, which roll towards an edge, and for others: a face that is
not quite parallel gives its own normal to all bricks under it."""
FARTHEST_OUT, PART_OF_SIZE = 1.0e-3, 0.05
"""Points are moved out by this [m], or this part of the brick's shortest half extent: bricks with a smaller gap are flush."""
ALL_LAYERS = 0xFFFFFFFF

BRICK_CONTACT = np.dtype(
    [
        ("walk", "i8"),  # address of the BRICK_WALK that is at the brick
        ("number", "i8"),  # of the brick
        ("result", "i8"),  # address of a CONTACT_RESULT
        ("outward", "f8"),  # 1: its normal points out of the brick; -1: into it
        ("steep", "f8"),  # STEEP_FOR_ROUND or STEEP
        ("body_position", "f8", 3),  # of the structure's body, from the origin of the results [m]
        ("body_rotation", "f8", 4),
    ],
    align=True,
)


@kernel
def lies_in_brick(s, row, point):
    """Whether a point [unit] lies in the brick in a row, whose bounds hold it."""
    if not is_free(bricks_of(s)[row]):
        return True
    center, half, turn = place_of_row(s, row, 1.0)
    local = rotate_inverse(turn, subtract(point, center))
    return abs(local[0]) <= half[0] and abs(local[1]) <= half[1] and abs(local[2]) <= half[2]


@kernel
def is_covered(structure, s, cursor, number, point):
    """Whether a point [unit] lies in another brick than this one."""
    begin_query(cursor, structure, np.int64(ALL_LAYERS))
    set_box(cursor, point, point)
    found = next_in_box(cursor, s, None)
    while found != 0 and (number_in(s, found) == number or not lies_in_brick(s, found, point)):
        found = next_in_box(cursor, s, None)
    end_query(cursor, structure)
    return found != 0


@kernel
def moved_out(point, half, axis, side, by):
    """A point near the surface of a brick (its frame), moved out of the face of an axis on a side, and within the brick along the
    other axes."""
    x = max(min(point[0], half[0] - by), by - half[0]) if axis != 0 else side * (half[0] + by)
    y = max(min(point[1], half[1] - by), by - half[1]) if axis != 1 else side * (half[1] + by)
    z = max(min(point[2], half[2] - by), by - half[2]) if axis != 2 else side * (half[2] + by)
    return x, y, z


@entry_point("int64(int64)")
def is_inner_contact(address):
    """Whether the contact in a BRICK_CONTACT is with a covered face or edge of its brick."""
    contact = view(address, 1, BRICK_CONTACT)[0]
    walk, result = view(contact.walk, 1, BRICK_WALK)[0], view(contact.result, 1, CONTACT_RESULT)[0]
    whole, s = view(walk.instance, 1, INSTANCE)[0], view(walk.structure, 1, STRUCTURE)[0]
    cursor = stack_array(1, CURSOR)[0]
    center, half, turn = place_of_row(s, walk.row, walk.unit)
    by = min(FARTHEST_OUT, PART_OF_SIZE * min(half[0], half[1], half[2]))
    body_turn, own_turn = quaternion(contact.body_rotation), quaternion(whole.rotation)
    normal = scale(vector3(result.normal), contact.outward)
    local_normal = rotate_inverse(turn, rotate_inverse(own_turn, rotate_inverse(body_turn, normal)))
    rows = matrix_rows((0.0, 0.0, 0.0, 1.0))
    for axis in range(3):
        along = dot(local_normal, rows[axis])
        if abs(along) < contact.steep:
            continue
        side, is_all = 1.0 if along > 0.0 else -1.0, True
        for p in range(result.point_count):
            at = add_scaled(vector3(result.points[p]), normal, -0.5 * result.separations[p])
            at = rotate_inverse(body_turn, subtract(at, vector3(contact.body_position)))
            at = rotate_inverse(own_turn, subtract(at, vector3(whole.position)))
            out = moved_out(rotate_inverse(turn, subtract(at, center)), half, axis, side, by)
            point = scale(add(rotate(turn, out), center), 1.0 / walk.unit)
            is_all = is_all and is_covered(walk.structure, s, cursor, contact.number, point)
        if is_all:
            return 1
    return 0
