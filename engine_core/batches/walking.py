"""Moving many characters in one compiled call, without Python and without the GIL."""

import numpy as np

from ..bodies.identity import body_of
from ..bodies.motion import bodies_of
from ..bodies.records import system_at
from ..characters.schema import CHARACTER, MOVE, WALK
from ..characters.walking import move_character
from ..collision.query_schema import QUERY
from ..edit import motion_edits
from ..edit.commands import FULL, give_command
from ..geometry.vector import quaternion, store3, vector3
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view, view2

SET_POSE, APPLY_IMPULSE = motion_edits.set_pose.number, motion_edits.apply_impulse.number


@kernel
def give_results(world_address, row):
    """Send a character's body where the character is, and give its pushes to bodies. Return whether all edits had room."""
    q = quaternion(row.rotation)
    answer = give_command(world_address, row.body_id, SET_POSE, vector3(row.position), (q[0], q[1], q[2]), q[3])
    has_room = answer != FULL
    for k in range(row.push_count):
        push = row.pushes[k]
        answer = give_command(world_address, push.body_id, APPLY_IMPULSE, vector3(push.impulse), vector3(push.offset), 0.0)
        has_room &= answer != FULL
    return has_room


@entry_point("int64(int64)")
def move_characters(move_address):
    """Move the characters that the MOVE at an address lists, one after the other. Return 1 if an edit had no room, else 0. For
    the thread that steps the system, between steps."""
    move = view(move_address, 1, MOVE)[0]
    system = system_at(move.system)
    walks, queries = stack_array(1, WALK), stack_array(1, QUERY)
    walk = walks[0]
    walk.world, walk.system = move.world, move.system
    walk.query_shapes, walk.query_rays = system.functions.query_shapes, system.functions.query_rays
    walk.query_bounds = move.query_bounds
    store3(walk.middle, (0.0, 0.0, 0.0))
    rows, numbers = view(move.characters, move.capacity, CHARACTER), view(move.rows, move.count, np.int64)
    wanted = view2(move.wanted, move.count, 3, np.float64)
    has_room = True
    for k in range(move.count):
        row = rows[numbers[k]]
        if move.wanted != 0:
            store3(row.wanted, vector3(wanted[k]))
        index = body_of(move.world, row.body_id)
        if index < 0 or bodies_of(move.world)[index].system != system.index:
            continue
        if move_character(walk, row, queries, move.seconds):
            has_room &= give_results(move.world, row)
    return np.int64(0) if has_room else np.int64(1)
