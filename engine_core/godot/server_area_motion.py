"""The one call on areas that is made every tick: moving one. Compiled; the instance is SERVER."""

import numpy as np

from ..bodies import motion
from ..bodies.identity import area_of
from ..edit import motion_edits
from ..edit.commands import FULL, give_command
from ..runtime.call import call_2, call_3, load_float32
from ..runtime.function_address import store_function_addresses
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array
from .call_arguments import argument, int_argument
from .call_names import number_of
from .frames import read_pose, repeats_after_shift, write_transform
from .schema import NO_SUCH_AREA, NOT_FINITE_TRANSFORM, TOO_MANY_EDITS
from .server_record import server_at
from .virtual_table import SERVER as SERVER_TABLE

SET_POSE = motion_edits.set_pose.number
SET_TRANSFORM = number_of("area_set_transform")


@kernel
def _is_there(world_address, index, transform):
    """Whether an area is already at this transform: nodes repeat theirs. A basis is stored as a rotation, and rounded."""
    present = address_of_row(stack_array(12, np.float32), 0)
    write_transform(world_address, index, present)
    for i in range(12):
        tolerance = 1e-6 if i < 9 else 0.0
        if not abs(load_float32(transform + 4 * i) - load_float32(present + 4 * i)) <= tolerance:
            return False
    return True


@kernel
def area_set_transform(instance, arguments, result):
    server = server_at(instance)
    identity, transform = int_argument(arguments, 0), argument(arguments, 1)
    index = np.int64(area_of(server.world, identity))
    if index < 0:
        call_3(server.report_error, np.int64(SET_TRANSFORM), np.int64(NO_SUCH_AREA), identity)
        return
    if _is_there(server.world, index, transform) or repeats_after_shift(instance, index, transform):
        return
    answer, origin, q = read_pose(server.world, index, transform)
    if answer == motion.TRANSFORM_NOT_FINITE:
        call_3(server.report_error, np.int64(SET_TRANSFORM), np.int64(NOT_FINITE_TRANSFORM), transform)
    elif answer == motion.TRANSFORM_STRETCHED:
        call_2(server.set_stretched_transform, identity, transform)
    elif give_command(server.world, identity, SET_POSE, origin, (q[0], q[1], q[2]), q[3]) == FULL:
        call_3(server.report_error, np.int64(SET_TRANSFORM), np.int64(TOO_MANY_EDITS), 0)


VIRTUALS = {"_area_set_transform": area_set_transform}
KERNELS = tuple(VIRTUALS.values())


@entry_point("void(int64)")
def fill_server_area_motion(table):
    """Write the addresses of VIRTUALS into a table."""
    store_function_addresses(table, KERNELS)


SERVER_TABLE.hot(fill_server_area_motion, VIRTUALS)
