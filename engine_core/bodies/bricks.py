"""Walks over the bricks of a structure on a body: each brick becomes a box, in a row of SHAPE that belongs to the walk meanwhile.

One entry point, called by address: all that meets bodies walks over their shapes (parts.py), and none of it has to be compiled
with the code of structures. Its address is 0 until a world has a structure.
"""

import numpy as np

from ..geometry.vector import scale, vector3
from ..runtime import atomics
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_3_result
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_record, view
from ..runtime.vector4 import count_trailing_zeros
from ..shapes.bricks import block_of, write_brick
from ..shapes.schema import INSTANCE, SHAPE
from ..structures.near import next_near, set_near
from ..structures.nodes import number_in
from ..structures.queries import CURSOR, begin_query, end_query, next_in_box, set_box
from ..structures.rays import next_on_ray, set_ray
from ..structures.schema import STRUCTURE
from .records import world_at
from .schema import WALK_ROW_WORDS

INT32, INT64 = np.int32, np.int64
IN_BOX, ON_RAY, NEAR = range(3)
BEGIN, NEXT, END = range(3)
ALL_LAYERS = 0xFFFFFFFF
SLACK = 1e-6
"""Slack of boxes, as in `shapes.instance_tree.may_meet`: rounding never misses a contact."""
NO_TURN = (0.0, 0.0, 0.0)

BRICK_WALK = np.dtype(
    [
        ("shape_row", "i8"),  # the row of SHAPE of the present brick, taken while the walk is in a structure; -1: it is in none
        ("way", "i8"),  # IN_BOX, ON_RAY or NEAR
        ("whole", "i8"),  # the row of SHAPE of the structure
        ("instance", "i8"),  # address of the INSTANCE that puts the structure onto the body
        ("out", "i8"),  # address of an INSTANCE: the present brick, as if it were a shape of the body
        ("structure", "i8"),  # its address
        ("row", "i8"),  # of the present brick in the structure
        ("is_joined", "i8"),  # 1: of a structure with joined bricks those are walked over
        ("unit", "f8"),  # [m]
        ("a", "f8", 3), ("b", "f8", 3),  # frame of the structure [m]: low and high; origin and vector of a ray; a point
        ("longest", "f8"),  # fraction of the ray, or distance [m], beyond which bricks are not asked for
        ("cursor", CURSOR),
    ],
    align=True,
)  # fmt: skip


@kernel
def take_walk_row(record, hint):
    """Take one of the rows of SHAPE that walks share. There are more than threads times walks at a time."""
    word = (hint >> 6) % WALK_ROW_WORDS
    while True:
        address = record.walk_row_words + 8 * word
        taken = atomics.load_acquire_int64(address)
        if taken != -1:
            bit = count_trailing_zeros(~taken)
            if atomics.compare_exchange_int64(address, taken, taken | (INT64(1) << bit)) == taken:
                return record.first_walk_row + 64 * word + bit
        else:
            word = (word + 1) % WALK_ROW_WORDS


@kernel
def give_walk_row(record, row):
    """Give a row back."""
    place = row - record.first_walk_row
    atomics.and_int64(record.walk_row_words + 8 * (place >> 6), ~(INT64(1) << (place & 63)))


@kernel
def begin(record, walk):
    """Enter a structure."""
    shapes = view(record.shapes, record.shape_capacity, SHAPE)
    block = block_of(shapes[walk.whole])
    joined = INT64(block.joined) if walk.is_joined != 0 else INT64(0)  # once: an edit may take it away meanwhile
    walk.structure, walk.unit = joined if joined != 0 else block.structure, block.unit
    walk.shape_row = take_walk_row(record, address_of_record(walk))
    begin_query(walk.cursor, walk.structure, INT64(ALL_LAYERS))
    a, b, per_unit = vector3(walk.a), vector3(walk.b), 1.0 / walk.unit
    if walk.way == ON_RAY:
        set_ray(walk.cursor, scale(a, per_unit), scale(b, per_unit), NO_TURN)
    elif walk.way == NEAR:
        set_near(walk.cursor, scale(a, per_unit))
    else:
        x = SLACK * (1.0 + abs(a[0]) + abs(b[0]))
        y = SLACK * (1.0 + abs(a[1]) + abs(b[1]))
        z = SLACK * (1.0 + abs(a[2]) + abs(b[2]))
        set_box(walk.cursor, scale((a[0] - x, a[1] - y, a[2] - z), per_unit), scale((b[0] + x, b[1] + y, b[2] + z), per_unit))


@kernel
def end(record, walk):
    """Leave a structure."""
    end_query(walk.cursor, walk.structure)
    give_walk_row(record, walk.shape_row)
    walk.shape_row = -1


@entry_point("int64(int64, int64, int64)")
def walk_bricks(world_address, walk_address, what):
    """BEGIN the walk in the BRICK_WALK at an address, find the NEXT brick, or END it. Returns the number of the next brick and
    writes its rows, or returns -1 and ends the walk."""
    record, walk = world_at(world_address), view(walk_address, 1, BRICK_WALK)[0]
    if what == BEGIN:
        begin(record, walk)
        return INT64(0)
    if what == END:
        end(record, walk)
        return INT64(-1)
    s = view(walk.structure, 1, STRUCTURE)[0]
    if walk.way == ON_RAY:
        walk.row = next_on_ray(walk.cursor, s, walk.longest, None)
    elif walk.way == NEAR:
        walk.row = next_near(walk.cursor, s, walk.longest / walk.unit)
    else:
        walk.row = next_in_box(walk.cursor, s, None)
    if walk.row == 0:
        end(record, walk)
        return INT64(-1)
    row = walk.shape_row
    shape = view(record.shapes, row + 1, SHAPE)[row]
    out = view(walk.out, 1, INSTANCE)[0]
    write_brick(s, walk.row, walk.unit, view(walk.instance, 1, INSTANCE)[0], shape, out)
    out.shape = INT32(row)
    return number_in(s, walk.row)


@kernel
def begin_bricks(world, walk, instance, whole, way, a, b, out, is_joined):
    """Enter the structure in the row `whole` of SHAPE, which a row of INSTANCE puts onto a body. `a`, `b`, `is_joined`: as in
    BRICK_WALK; `out`: address of an INSTANCE."""
    keep_as_call()
    walk.whole, walk.instance, walk.way, walk.out = INT64(whole), address_of_record(instance), way, out
    walk.is_joined = INT64(is_joined)
    for k in range(3):
        walk.a[k], walk.b[k] = a[k], b[k]
    call_3_result(world.brick_function, address_of_record(world), address_of_record(walk), INT64(BEGIN))


@kernel
def next_brick(world, walk, longest):
    """The number of the next brick, or -1: then the walk has ended."""
    walk.longest = longest
    return call_3_result(world.brick_function, address_of_record(world), address_of_record(walk), INT64(NEXT))


@kernel
def end_bricks(world, walk):
    """End a walk before its end."""
    if walk.shape_row >= 0:
        call_3_result(world.brick_function, address_of_record(world), address_of_record(walk), INT64(END))
