"""Conversion between Godot's coordinates and the world's. Godot uses single precision, relative to its own zero: the frame of a
space.

World positions are in double precision and do not change when `space_shift_origin` moves the frame; only the numbers exchanged
with Godot change. A body in no space keeps Godot's numbers as they are, until it enters one.

After a shift nodes repeat their transforms in the new numbers, each rounded. Until the next step such a repetition, if within
rounding of the body's pose, is not treated as a move: nothing wakes, and no precision is lost.
"""

import numpy as np

from ..bodies import motion
from ..bodies.identity import index_of
from ..bodies.motion import bodies_of, origin_of
from ..bodies.records import world_at
from ..bodies.schema import HAS_RARE
from ..bodies.system_schema import SYSTEM
from ..edit.origin import read_frame, shift
from ..geometry.vector import add, subtract
from ..runtime.call import load_float32, store_float32
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from .raw_memory import read_transform
from .schema import BOOL, RID, SPACE_BINDING, VECTOR3
from .server_record import server_at

FLOAT32, FLOAT64 = np.float32, np.float64
SYSTEM_SIZE = SYSTEM.itemsize
ROUNDING = 2.0e-7
"""More than twice the relative rounding error of single precision."""


@kernel
def frame_of(world_address, index):
    """The frame of the space that a body is in, world [m]."""
    system_address = bodies_of(world_address)[index].system
    if system_address < 0:
        return (0.0, 0.0, 0.0)
    return read_frame(world_at(world_address).systems + system_address * SYSTEM_SIZE)


@kernel
def write_transform(world_address, index, out):
    """Call `motion.get_origin_transform`, with the result in Godot's coordinates."""
    motion.get_origin_transform(world_address, index, out)
    origin = subtract(origin_of(bodies_of(world_address)[index]), frame_of(world_address, index))
    for k in range(3):
        store_float32(out + 36 + 4 * k, FLOAT32(origin[k]))


@kernel
def read_pose(world_address, index, transform):
    """Call `motion.pose_of_transform` with Godot's coordinates."""
    answer, origin, rotation = motion.pose_of_transform(world_address, bodies_of(world_address)[index], transform)
    return answer, add(origin, frame_of(world_address, index)), rotation


@kernel
def repeats_after_shift(server, index, transform):
    """Whether a transform set between a shift and the next step equals the body's present one, within the rounding of the node's
    numbers."""
    record = server_at(server)
    world_address = record.world
    system_address = bodies_of(world_address)[index].system
    if system_address < 0:
        return False
    reach = view(record.space_bindings, world_at(world_address).system_capacity, SPACE_BINDING)[system_address].shifted
    if reach[0] + reach[1] + reach[2] == 0.0:
        return False
    present = address_of_row(stack_array(12, FLOAT32), 0)
    write_transform(world_address, index, present)
    for i in range(12):
        wanted = FLOAT64(load_float32(transform + 4 * i))
        tolerance = ROUNDING * (abs(wanted) + reach[i - 9]) if i >= 9 else 1e-6 * (1.0 + abs(wanted))
        if not abs(wanted - FLOAT64(load_float32(present + 4 * i))) <= tolerance:
            return False
    return True


@entry_point("void(int64, int64, int64)")
def write_transform_of(world_address, index, out):
    """Call `write_transform` from Python."""
    write_transform(world_address, index, out)


def frame_of_space(server, space: int) -> np.ndarray:
    """The frame of a space, zero for none [m]."""
    if not space:
        return np.zeros(3)
    row = server.world.system(space).row
    return row["place"]["frames"][int(row["place"]["frame_version"]) & 1].copy()


def frame_of_body(server, index: int) -> np.ndarray:
    """The frame of the space that a body or an area is in, by its index; zero for none [m]."""
    system = int(server.world.bodies.rows[index]["system"])
    return frame_of_space(server, int(server.world.systems.rows[system]["id"]) if system >= 0 else 0)


def enter_space(server, identity: int, space: int, before: int, set_system) -> None:
    """Put a body or an area into another space, or none, at its position in Godot's coordinates."""
    way = frame_of_space(server, space) - frame_of_space(server, before)
    if way.any():
        set_system(identity, 0)
        bodies, index = server.world.bodies, index_of(identity)
        bodies.rows[index]["position"] += way
        if int(bodies.flags[index]) & HAS_RARE:
            bodies.own_rare(index)["target_position"] += way
    set_system(identity, space)


def to_world(server, identity: int, transform) -> tuple:
    """Convert a transform of twelve numbers of a body or an area from Godot's coordinates."""
    return (*transform[:9], *(np.asarray(transform[9:]) + frame_of_body(server, index_of(identity))))


def read_place(server, index: int) -> tuple:
    """The position of a body row in Godot's coordinates."""
    place = server.scratch_transform
    write_transform_of(server.world.address, index, place.ctypes.data)
    return read_transform(place.ctypes.data)


def shift_space(server, space: int, by) -> None:
    """Move the zero of Godot's coordinates in a space: the position `by` [m] is at zero from now on."""
    row, system = server.space_row(space), server.world.system(space)
    frame = frame_of_space(server, space) + np.asarray(by, np.float64)
    if not np.isfinite(frame).all():
        raise ValueError(f"space_shift_origin: the way must be finite, got {by!r}")
    shift(system, frame, frame)
    row["shifted"] += np.abs(by)
    server.drawn_sets.mark_all()


def add_frame_methods(methods, engine) -> None:
    """Register the methods; `engine.server` exists when one is called."""

    def shift_origin(space, by):
        with engine.server.lock:
            shift_space(engine.server, space, by)
            return True

    methods.cold("space_shift_origin", shift_origin, {"space": RID, "by": VECTOR3}, BOOL)
