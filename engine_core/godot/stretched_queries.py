"""Queries with a shape under a scaled transform. Compiled code cooks simple shapes for the one query, into one of a few spare
rows that are taken without a lock; Python cooks the rest, and all of them if no spare row is free.

During a query with a stretched hull, it counts as a user of the space's first tree, so that the data of the hull stays.
"""

import numpy as np

from ..bodies.motion import is_orthonormal, rotation_of_basis
from ..bodies.records import system_at
from ..broad_phase.tree_edits import enter, leave
from ..geometry.vector import quaternion, store4
from ..runtime.atomics import compare_exchange_int64, store_release_int64
from ..runtime.call import call_1, call_1_result
from ..runtime.kernel import kernel
from ..runtime.memory import address_of, address_of_row, stack_array, view, view_rows
from ..shapes.pool import split_basis
from ..shapes.schema import EMPTY
from ..shapes.stretched_row import SMALLEST_VOLUME, block_bytes, can_stretch, split_rows, write_stretched
from .call_names import CALLS
from .creation.body_shapes import shapes_of
from .raw_memory import reader
from .schema import MOST_QUERY_ROWS, QUERY_ROW, SHAPE_REQUEST, SPACE_BINDING
from .server_record import server_at

INT32, INT64 = np.int32, np.int64
QUERY_ROW_BYTES = QUERY_ROW.itemsize
REFUSED, AS_IT_IS, COOKED_BY_PYTHON, FIRST_SPARE = range(4)
"""How the shape is provided; from FIRST_SPARE on: in a spare row, by number."""
SHARE = 16
"""Spare rows are at most this part of the free ones."""
_read_basis = reader("9f")


class StretchedQueries:
    """The Python part: the spare rows of a server, taken on first use, and the shapes cooked by Python."""

    def __init__(self, server):
        self._server, self._shapes = server, server.world.shapes
        self._rows = np.zeros(MOST_QUERY_ROWS, QUERY_ROW)
        server.record["query_rows"] = address_of(self._rows)

    def cook(self, address: int) -> None:
        """Cook the shape of a SHAPE_REQUEST."""
        request = view_rows(address, 1, SHAPE_REQUEST)[0]
        try:
            with self._server.lock:
                self._take_rows()
                basis = np.array(_read_basis(int(request["transform"]))).reshape(3, 3)
                if abs(np.linalg.det(basis)) < SMALLEST_VOLUME:
                    raise ValueError(f"the basis of the transform must span a volume, got {basis.ravel().tolist()}")
                rotation, stretch = split_basis(basis)
                request["cooked"] = self._shapes.derive(int(request["shape"]), stretch)
                request["rotation"] = rotation
        except Exception as error:  # exceptions must not leave a callback
            self._server.reporter.exception(CALLS[int(request["call"])], error)

    def _take_rows(self) -> None:
        if not self._server.record["query_row_count"]:
            rows = self._shapes.take_many(min(MOST_QUERY_ROWS, self._shapes.free_count() // SHARE))
            self._rows["row"][: len(rows)] = rows
            self._server.record["query_row_count"] = len(rows)

    def release(self, cooked: int) -> None:
        """Give back a shape of `cook`."""
        try:
            with self._server.lock:
                self._shapes.release(cooked)
        except Exception as error:  # exceptions must not leave a callback
            self._server.reporter.exception("space state", error)


@kernel
def _take_spare(server):
    """The number of a spare row; -1 if none is free."""
    for number in range(server.query_row_count):
        if compare_exchange_int64(server.query_rows + number * QUERY_ROW_BYTES, INT64(0), INT64(1)) == 0:
            return INT64(number)
    return INT64(-1)


@kernel
def _give_back_spare(instance, number):
    """Free a spare row and its memory."""
    binding = view(instance, 1, SPACE_BINDING)[0]
    server = server_at(binding.server)
    address = server.query_rows + number * QUERY_ROW_BYTES
    spare = view(address, 1, QUERY_ROW)[0]
    shapes_of(server.world)[spare.row].kind = INT32(EMPTY)
    if spare.memory != 0:
        call_1(server.free_memory, spare.memory)
        spare.memory = 0
    leave(system_at(binding.system).trees.rows, spare.generation, address)
    store_release_int64(address, INT64(0))


@kernel
def _stretch(instance, rows, shape_index, query):
    """Stretch a shape into a spare row for a query. Return the number of the row; -1: Python must do it."""
    binding = view(instance, 1, SPACE_BINDING)[0]
    server = server_at(binding.server)
    is_possible, is_mirrored, turned, stretch, inverse = split_rows(rows)
    if not is_possible:
        return INT64(-1)
    number = _take_spare(server)
    if number < 0:
        return INT64(-1)
    address = server.query_rows + number * QUERY_ROW_BYTES
    spare = view(address, 1, QUERY_ROW)[0]
    spare.generation = enter(system_at(binding.system).trees.rows, address)
    shapes = shapes_of(server.world)
    source = INT64(shapes[shape_index].current)
    is_done = can_stretch(shapes, source, is_mirrored)
    if is_done:
        size = block_bytes(shapes, source, stretch)
        if size > 0:
            spare.memory = call_1_result(server.allocate, size)
        is_done = write_stretched(shapes, source, spare.row, stretch, inverse, spare.memory)
    if not is_done:
        _give_back_spare(instance, number)
        return INT64(-1)
    query.shape = spare.row
    store4(query.rotation, rotation_of_basis(turned))
    return number


@kernel
def begin_asking(instance, call, transform, rows, shape_index, query):
    """Fill in the rotation of the shape, and the row that replaces a stretched one. `transform`: its address; `rows`: of its
    basis. Return how the shape is provided, for `end_asking`; REFUSED after the call was refused."""
    if is_orthonormal(rows):
        store4(query.rotation, rotation_of_basis(rows))
        return INT64(AS_IT_IS)
    number = _stretch(instance, rows, shape_index, query)
    if number >= 0:
        return FIRST_SPARE + number
    requests = stack_array(1, SHAPE_REQUEST)
    request = requests[0]
    request.call, request.shape, request.transform = call, shape_index, transform
    request.cooked = -1
    call_1(server_at(view(instance, 1, SPACE_BINDING)[0].server).cook_query_shape, address_of_row(requests, 0))
    if request.cooked < 0:
        return INT64(REFUSED)
    query.shape = request.cooked
    store4(query.rotation, quaternion(request.rotation))
    return INT64(COOKED_BY_PYTHON)


@kernel
def end_asking(instance, how, query):
    """Release what `begin_asking` provided."""
    if how >= FIRST_SPARE:
        _give_back_spare(instance, how - FIRST_SPARE)
    elif how == COOKED_BY_PYTHON:
        call_1(server_at(view(instance, 1, SPACE_BINDING)[0].server).release_query_shape, query.shape)
