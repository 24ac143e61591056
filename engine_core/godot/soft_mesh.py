"""The points of a soft body: those of its mesh, and how they are passed to Godot's renderer.

Points are numbered like the vertices of the mesh; vertices at the same position are one point. While the soft body is simulated,
its particles say where they are; else its transform, and points that were moved. Coordinates are Godot's world coordinates [m].
"""

import ctypes
import threading
from ctypes import c_int64

import numpy as np

from ..runtime.call import call_4
from ..runtime.distinct import distinct
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of_row, stack_array
from .errors import check_finite
from .schema import ARRAY

ARRAY_VERTEX, ARRAY_NORMAL, ARRAY_INDEX = 0, 1, 12
"""RenderingServer.ArrayType."""
HANDLER = "PhysicsServer3DRenderingServerHandler"
VECTOR_BYTES = 12
NOWHERE = (0.0, 0.0, 0.0)


@entry_point("void(int64, int64, int64, int64, int64)")
def hand_over_vectors(ptrcall, method, handler, vectors, count):
    """Call `method(number, vector)` of the Object `handler` for each of `count` vectors, float32 (count, 3), at an address."""
    words = stack_array(4, np.int64)
    words[0], words[1] = address_of_row(words, 2), vectors
    for number in range(count):
        words[2] = number
        call_4(ptrcall, method, handler, address_of_row(words, 0), address_of_row(words, 3))
        words[1] += VECTOR_BYTES


def same_rows(rows: np.ndarray) -> np.ndarray:
    """A number for each row, equal for equal rows."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


class SoftPoints:
    """The positions of the points of one soft body. The mesh is read on first use."""

    def __init__(self):
        self.mesh = 0
        self.transform = np.eye(4)
        self._moved: dict[int, tuple] = {}  # positions of single points, by vertex, the last one last
        self._is_read = False
        self._rest = np.zeros((0, 3))
        self._triangles = np.zeros((0, 3), np.int64)
        self._point_of = self._corner_of = np.zeros(0, np.int64)  # by vertex; a corner is a point and its normal
        self._places = self._normals = None
        self.core = None  # the SoftBody of the core while it is simulated
        self.frame = np.zeros(3)  # of its space, world [m]

    def set_mesh(self, mesh: int) -> None:
        """Use the points of another mesh, by its RID; 0: none. They get the transform of the last one."""
        if mesh != self.mesh:
            self.mesh, self._is_read = mesh, False
            self._moved.clear()
            self._places = None

    def move(self, transform: tuple) -> None:
        """Move all points by a transform (basis by rows, then origin). Raises ValueError."""
        check_finite("transform", *transform)
        step = np.eye(4)
        step[:3, :3], step[:3, 3] = np.reshape(transform[:9], (3, 3)), transform[9:]
        self.transform = step @ self.transform
        self._moved = {vertex: tuple(step[:3, :3] @ place + step[:3, 3]) for vertex, place in self._moved.items()}
        self._places = None
        if self.core:
            self.core.move(step[:3, :3], self.frame + step[:3, 3] - step[:3, :3] @ self.frame)

    def move_point(self, vertex: int, place: tuple) -> None:
        """Put one point somewhere; it stays there. Raises ValueError."""
        check_finite("global_position", *place)
        self._check(vertex)
        if self.core:
            particle = self.particles([vertex])
            self.core.move_particles(particle, np.tile(np.add(place, self.frame), (len(particle), 1)))
            return
        self._moved.pop(vertex, None)
        self._moved[vertex] = place
        self._places = None

    def particles(self, vertices) -> np.ndarray:
        """The particles of some vertices; those that no triangle uses have none, nor have numbers beyond the mesh."""
        count = len(self.core.layout.particle_of)
        found = self.core.layout.particle_of[[vertex for vertex in vertices if 0 <= vertex < count]]
        return distinct(found[found >= 0])

    def can_be_read(self) -> bool:
        """Whether the mesh is read, or may be read on this thread."""
        return self._is_read or threading.get_ident() == threading.main_thread().ident

    def begin(self, server, create) -> None:
        """Simulate the points from now on, if the mesh has any: by `create(vertices, triangles)`."""
        places = self.places(server)
        if len(places) and len(self._triangles):
            self.core = create(places.astype(np.float64) + self.frame, self._triangles[:, ::-1])  # Godot's fronts are clockwise

    def end(self) -> None:
        """Stop simulating; the points stay where they are."""
        if self.core:
            places = self.core.positions - self.frame
            for vertex, particle in enumerate(self.core.layout.particle_of.tolist()):
                if particle >= 0:
                    self._moved[vertex] = tuple(places[particle].tolist())
            core, self.core, self._places = self.core, None, None
            core.remove()

    def place(self, server, vertex: int) -> tuple:
        """The position of a point; zero while there is no mesh. Raises ValueError."""
        places = self.places(server)
        self._check(vertex)
        return tuple(map(float, places[vertex])) if self.mesh else NOWHERE

    def checked(self, vertex: int) -> int:
        """The number of a point. Raises ValueError."""
        self._check(vertex)
        return vertex

    def _check(self, vertex: int) -> None:
        if vertex < 0 or (self._is_read and self.mesh and vertex >= len(self._rest)):
            raise ValueError(f"there is no point {vertex}: the mesh has {len(self._rest)}")

    def places(self, server) -> np.ndarray:
        """The positions of all points, float32 (n, 3)."""
        if not self._is_read:
            self._read(server)
        if self.core:
            self._places = self._places_of_particles()
            self._normals = None
            return self._places
        if self._places is None:
            places = self._rest @ self.transform[:3, :3].T + self.transform[:3, 3]
            for vertex, place in self._moved.items():
                if vertex < len(places):
                    places[self._point_of == self._point_of[vertex]] = place
            self._places, self._normals = np.ascontiguousarray(places, np.float32), None
        return self._places

    def _places_of_particles(self) -> np.ndarray:
        own = self.core.layout.particle_of
        places = self._rest @ self.transform[:3, :3].T + self.transform[:3, 3] if (own < 0).any() else np.empty((len(own), 3))
        places[own >= 0] = self.core.positions[own[own >= 0]] - self.frame
        return np.ascontiguousarray(places, np.float32)

    def normals(self, server) -> np.ndarray:
        """Normals of all points, float32 (n, 3): the mean of the adjacent triangles, by area; at a sharp edge, of either side."""
        places = self.places(server)
        if self._normals is None:
            a, b, c = places[self._triangles].transpose(1, 0, 2)
            total = np.zeros((len(places), 3))
            # Godot's front faces are clockwise.
            np.add.at(total, self._corner_of[self._triangles], np.cross(c - a, b - a)[:, None])
            size = np.linalg.norm(total, axis=1, keepdims=True)
            total = np.where(size > 0.0, total / np.maximum(size, 1e-30), (0.0, 1.0, 0.0))
            self._normals = np.ascontiguousarray(total[self._corner_of], np.float32)
        return self._normals

    def bounds(self, server) -> tuple:
        """Lowest corner and size of a box around all points; zeros if there are none."""
        places = self.places(server)
        if not len(places):
            return NOWHERE + NOWHERE
        low, high = places.min(axis=0), places.max(axis=0)
        return (*map(float, low), *map(float, high - low))

    def draw(self, server, handler: int) -> None:
        """Pass positions, normals and bounds to an Object of HANDLER. Raises ValueError without one."""
        if not handler:
            raise ValueError("rendering_server_handler must not be null")
        if not len(self.places(server)):
            return
        for name, vectors in (("set_vertex", self.places(server)), ("set_normal", self.normals(server))):
            ptrcall = int(server.record["method_bind_ptrcall"])
            hand_over_vectors(ptrcall, method_of(server, HANDLER, name), handler, vectors.ctypes.data, len(vectors))
        bounds = (ctypes.c_float * 6)(*self.bounds(server))
        server.interface.call_method(method_of(server, HANDLER, "set_aabb"), handler, [ctypes.addressof(bounds)])

    def _read(self, server) -> None:
        """Read surface 0 of the mesh. Raises RuntimeError on a thread other than Godot's main one: the renderer would have to
        wait for that, and it may be waiting for us."""
        if self.mesh and threading.get_ident() != threading.main_thread().ident:
            raise RuntimeError("a soft body's mesh is read on the main thread: ask there first")
        vertices, normals, indices = surface_of(server, self.mesh) if self.mesh else (None, None, None)
        self._is_read, self._places = True, None
        self._rest = np.zeros((0, 3)) if vertices is None else vertices.astype(np.float64)
        count = len(self._rest)
        if indices is None or not len(indices):
            indices = np.arange(count)
        triangles = indices[: len(indices) // 3 * 3].reshape(-1, 3)
        self._triangles = triangles[((triangles >= 0) & (triangles < count)).all(axis=1)]
        self._point_of = same_rows(self._rest)
        corners = self._rest if normals is None or len(normals) != count else np.hstack((self._rest, normals))
        self._corner_of = same_rows(corners)


def method_of(server, class_name: str, name: str) -> int:
    """Address of a method bind of the running engine."""
    return server.interface.method(class_name, name, server.engine.api.classes[class_name][name].hash)


def surface_of(server, mesh: int) -> list:
    """Vertices, normals and indices of surface 0 of a mesh, by its RID; None for missing ones."""
    identity, surface, arrays = c_int64(mesh), c_int64(0), c_int64(0)
    arguments = [ctypes.addressof(identity), ctypes.addressof(surface)]
    renderer = server.interface.singleton("RenderingServer")
    method = method_of(server, "RenderingServer", "mesh_surface_get_arrays")
    server.interface.call_method(method, renderer, arguments, ctypes.addressof(arrays))
    try:
        return server.variants.items(ctypes.addressof(arrays), (ARRAY_VERTEX, ARRAY_NORMAL, ARRAY_INDEX))
    finally:
        server.variants.destroy_value(ARRAY, ctypes.addressof(arrays))
