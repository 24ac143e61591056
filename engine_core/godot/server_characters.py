"""Characters of the core (core/characters.py): the calls of a ScreeCharacter3D on the server, also usable from GDScript.

`character_create(body, settings)` returns a handle; the settings of the Dictionary are those of `Space.add_character`, besides
"up". `character_move(handle, transform, velocity, seconds)` is compiled and does not take the GIL. It returns a Projection, four
vectors of four numbers: position and state, velocity and turn [rad], normal of the floor and the way up a step [m], velocity of
the ground and 0. `characters_move(handles, velocities, seconds)` moves many in one call of Python: three vectors for each,
position, velocity, and (state, turn, way up a step). A state is the sum of ON_FLOOR and the like of characters/schema.py.
"""

import numpy as np

from ..batches.walking import move_characters
from ..bodies.identity import body_of, index_of
from ..bodies.motion import bodies_of, is_orthonormal, rotation_of_basis
from ..bodies.records import world_at
from ..bodies.system_schema import SYSTEM
from ..characters.schema import CHARACTER, IS_PLACED, MOVE, ON_FLOOR
from ..collision.bounds_queries import query_bounds
from ..core.characters import MOST_CHARACTERS
from ..geometry.vector import add, length, normalize, store3, store4, subtract, vector3
from ..runtime.call import call_1_result, call_2, load_address, load_float64, load_int32, load_int64, store_int32
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, address_of_row, stack_array, view
from .call_arguments import is_finite3, is_finite_transform, load_vector3, store_vector3
from .frames import frame_of, frame_of_space
from .methods import INVALID_ARGUMENT, TOO_FEW_ARGUMENTS, locked_calls
from .schema import DICTIONARY, FLOAT, INT, PACKED_INT32_ARRAY, PACKED_VECTOR3_ARRAY, RID, TRANSFORM3D, VECTOR3
from .server_record import server_at

INT32, FLOAT32, INT64 = np.int32, np.float32, np.int64
PROJECTION = 19
"""Variant::PROJECTION: sixteen float32."""
ROW_BITS = 14
assert MOST_CHARACTERS == 1 << ROW_BITS
ROUNDING = 1e-6
"""A node's numbers that differ from the character's by less than this part are its own, rounded: no jump."""
LEAST_JUMP = 1e-4
"""A node that is farther than this from its character was put there [m]."""

LINK = np.dtype(
    [
        ("characters", "i8"),  # address of CHARACTER (MOST_CHARACTERS); 0: none yet
        ("move", "i8"), ("query_bounds", "i8"), ("from_projection", "i8"),  # addresses of functions
    ],
    align=True,
)  # fmt: skip
"""Addresses that the compiled calls need besides SERVER."""


@kernel
def number_of_handle(link, handle):
    """The number of the row with a handle, or -1."""
    number = handle & ((1 << ROW_BITS) - 1)
    if handle <= 0 or link.characters == 0:
        return INT64(-1)
    identity = view(link.characters, MOST_CHARACTERS, CHARACTER)[number].id
    return number if identity != 0 and (identity >> 32) & 0xFFFF == handle >> ROW_BITS else INT64(-1)


@kernel
def take_pose(world_address, row, transform):
    """Take over where the node is, twelve float32. If it was put elsewhere, the character is in the air until it has moved."""
    index = body_of(world_address, row.body_id)
    place = add(load_vector3(transform + 36), frame_of(world_address, index))
    x, y, z = load_vector3(transform), load_vector3(transform + 12), load_vector3(transform + 24)
    if not is_orthonormal((x, y, z)):
        a, b, c = normalize((x[0], y[0], z[0])), normalize((x[1], y[1], z[1])), normalize((x[2], y[2], z[2]))
        x, y, z = (a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])
    store4(row.rotation, rotation_of_basis((x, y, z)))
    if length(subtract(place, vector3(row.position))) > LEAST_JUMP + ROUNDING * length(load_vector3(transform + 36)):
        store3(row.position, place)
        store3(row.falling, (0.0, 0.0, 0.0))
        row.flags |= np.uint32(IS_PLACED)
        row.state &= np.uint32(~np.uint32(ON_FLOOR))


@kernel
def write_answer(world_address, row, out):
    """Write the results of a move as sixteen float32."""
    values = view(out, 16, FLOAT32)
    frame = frame_of(world_address, body_of(world_address, row.body_id))
    store_vector3(out, subtract(vector3(row.position), frame))
    store_vector3(out + 16, vector3(row.velocity))
    store_vector3(out + 32, vector3(row.floor_normal))
    store_vector3(out + 48, vector3(row.ground_velocity))
    values[3], values[7] = FLOAT32(row.state), FLOAT32(row.turned)
    values[11], values[15] = FLOAT32(row.step_up), FLOAT32(0.0)


@kernel
def refuse_argument(error, number, kind):
    store_int32(error, INT32(INVALID_ARGUMENT))
    store_int32(error + 4, INT32(number))
    store_int32(error + 8, INT32(kind))


@entry_point("void(int64, int64, int64, int64, int64, int64)")
def character_move(userdata, instance, arguments, count, result, error):
    """Move a character. Arguments: (handle, transform, velocity, seconds); result: a Projection. `userdata`: address of LINK."""
    if count != 4:
        store_int32(error, INT32(TOO_FEW_ARGUMENTS))
        store_int32(error + 8, INT32(4))
        return
    for number in range(4):
        kind = INT if number == 0 else TRANSFORM3D if number == 1 else VECTOR3 if number == 2 else FLOAT
        if load_int32(load_address(arguments + 8 * number)) != kind:
            refuse_argument(error, number, kind)
            return
    link, server = view(userdata, 1, LINK)[0], server_at(instance)
    number = number_of_handle(link, load_int64(load_address(arguments) + 8))
    transform = address_of_row(stack_array(16, FLOAT32), 0)
    call_2(server.transform_from_variant, transform, load_address(arguments + 8))
    velocity, seconds = load_vector3(load_address(arguments + 16) + 8), load_float64(load_address(arguments + 24) + 8)
    if number < 0:
        refuse_argument(error, 0, INT)
    elif not is_finite_transform(transform):
        refuse_argument(error, 1, TRANSFORM3D)
    elif not is_finite3(velocity):
        refuse_argument(error, 2, VECTOR3)
    elif not 0.0 <= seconds < 1e9:
        refuse_argument(error, 3, FLOAT)
    else:
        row = view(link.characters, MOST_CHARACTERS, CHARACTER)[number]
        index = body_of(server.world, row.body_id)
        if index < 0 or bodies_of(server.world)[index].system < 0:
            refuse_argument(error, 0, INT)
            return
        take_pose(server.world, row, transform)
        store3(row.wanted, velocity)
        moves, rows = stack_array(1, MOVE), stack_array(1, INT64)
        move = moves[0]
        record = world_at(server.world)
        systems = view(record.systems, record.system_capacity, SYSTEM)
        move.world, move.system = server.world, address_of_row(systems, bodies_of(server.world)[index].system)
        move.characters, move.capacity = link.characters, MOST_CHARACTERS
        rows[0] = number
        move.rows, move.count, move.wanted = address_of_row(rows, 0), 1, 0
        move.seconds, move.query_bounds = seconds, link.query_bounds
        call_1_result(link.move, address_of_row(moves, 0))
        write_answer(server.world, row, transform)
        call_2(link.from_projection, result, transform)


class Characters:
    """The characters of a server, by handle: the number of the row, and above it a part of its sequence number."""

    def __init__(self, server):
        self._server = server

    def _id(self, handle: int) -> int:
        interface = self._server.world.character
        number = handle & (MOST_CHARACTERS - 1)
        rows = interface.all_rows
        identity = int(rows[number]["id"]) if len(rows) and handle > 0 else 0
        if not identity or identity >> 32 & 0xFFFF != handle >> ROW_BITS:
            raise ValueError(f"there is no character {handle}")
        return identity

    def create(self, body: int, settings: dict) -> int:
        """Make a character of a CharacterBody3D or another kinematic body."""
        given = dict(settings)
        up = given.pop("up", (0.0, 1.0, 0.0))
        identity = self._server.world.character.create(body, up, **given)
        rows, link = self._server.world.character.all_rows, self._server.engine.character_link[0]
        if not link["characters"]:
            link["move"], link["query_bounds"] = move_characters.address, query_bounds.address
            link["from_projection"] = self._server.variants.from_type_address[PROJECTION]
            link["characters"] = address_of(rows)
        return (identity >> 32 & 0xFFFF) << ROW_BITS | index_of(identity)

    def configure(self, handle: int, settings: dict) -> None:
        """Change settings of a character."""
        identity, interface = self._id(handle), self._server.world.character
        for name, value in settings.items():
            if name != "up":
                interface.set(identity, name, value)
            elif not np.allclose(interface.get_up(identity), np.asarray(value) / np.linalg.norm(value), atol=1e-6):
                interface.set_up(identity, value)

    def jump(self, handle: int, speed: float) -> None:
        self._server.world.character.jump(self._id(handle), speed)

    def state(self, handle: int) -> dict:
        """Floor and wall that a character touched in its last move."""
        row = self._server.world.character.row("character_state", self._id(handle))
        bodies, frame = self._server.world.bodies, frame_of_space(self._server, int(row["system"]))

        def owner(identity: int) -> int:
            known = identity and int(bodies.rows["id"][index_of(identity)]) == identity
            return int(bodies.rows["user_id"][index_of(identity)]) if known else 0

        return {
            "floor_id": owner(int(row["ground_id"])), "floor_point": tuple(row["floor_point"] - frame),
            "wall_id": owner(int(row["wall_id"])), "wall_normal": tuple(row["wall_normal"].tolist()),
            "real_velocity": tuple(row["real_velocity"].tolist()),
        }  # fmt: skip

    def move_many(self, handles, velocities, seconds: float) -> np.ndarray:
        """Move characters of one space, one after the other: float32 (3 n, 3)."""
        interface = self._server.world.character
        ids = [self._id(int(handle)) for handle in handles]
        if not ids:
            return np.zeros((0, 3), np.float32)
        rows = interface.rows_of("characters_move", ids)
        system = int(interface.all_rows[rows[0]]["system"])
        interface.move_rows(system, rows, np.asarray(velocities, np.float64), seconds)
        moved = interface.all_rows[rows]
        out = np.zeros((len(rows), 3, 3), np.float32)
        out[:, 0], out[:, 1] = moved["position"] - frame_of_space(self._server, system), moved["velocity"]
        out[:, 2] = np.stack([moved["state"], moved["turned"], moved["step_up"]], axis=1)
        return out.reshape(-1, 3)

    def remove(self, handle: int) -> None:
        self._server.world.character.destroy(self._id(handle))


def add_character_methods(methods, engine) -> None:
    """Register the methods; `engine.server` exists when one is called."""
    engine.character_link = np.zeros(1, LINK)
    locked, handle = locked_calls(engine, "characters"), {"handle": INT}
    methods.cold("character_create", locked("create"), {"body": RID, "settings": DICTIONARY}, INT)
    methods.cold("character_configure", locked("configure"), {**handle, "settings": DICTIONARY})
    moved = {**handle, "transform": TRANSFORM3D, "velocity": VECTOR3, "seconds": FLOAT}
    methods.hot("character_move", character_move, moved, PROJECTION, address_of(engine.character_link))
    methods.cold("character_jump", locked("jump"), {**handle, "speed": FLOAT})
    methods.cold("character_state", locked("state"), handle, DICTIONARY)
    methods.cold("character_remove", locked("remove"), handle)
    many = {"handles": PACKED_INT32_ARRAY, "velocities": PACKED_VECTOR3_ARRAY, "seconds": FLOAT}
    methods.cold("characters_move", locked("move_many"), many, PACKED_VECTOR3_ARRAY)
