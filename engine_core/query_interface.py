"""The door by which Python asks a system what is where: rays, points, shapes. NumPy in and out, compiled between.

    queries = Queries(world)
    hits = queries.cast_rays(system, origins, ends)   # structured array, one row of RAY_RESULT a ray
    hits["body_id"][hits["fraction"] <= 1.0]

Any thread may call. Bad input raises ValueError (a value) or KeyError (an id), naming the call and the value.
"""

import numpy as np

from .bodies.schema import KIND_AREA, KIND_BODY
from .characters.body_motion import (
    COLLIDES_SEPARATION_RAYS, MAX_COLLISIONS, MOTION, REPORTS_RECOVERY, test_body_motion,
)  # fmt: skip
from .collision.collide_function import collide_shape_pair
from .collision.query_schema import (
    BODY_HIT, CAST, CLOSEST_POINT, COLLIDE_FUNCTION, CONTACTS, HITS_BACK_FACES, HITS_FROM_INSIDE, ONLY_PICKABLE,
    MOTION_FUNCTION, OVERLAP, POINT, QUERY, QUERY_CONTACT, RAY_FUNCTION, RAY_RESULT, RAYS,
    SHAPE_FUNCTION, WITH_AREAS, WITH_BODIES,
)  # fmt: skip
from .collision.ray_queries import query_rays
from .collision.shape_queries import query_shapes
from .shapes.pool import split_basis

ALL_LAYERS = 0xFFFFFFFF
SMALLEST_REST_MARGIN = 1e-4
"""`rest_info` counts shapes that just touch [m]."""


def install_queries(system_row) -> None:
    """Write the addresses of the functions that answer queries to a SYSTEM record, for whoever asks by address.
    Compiles or loads them."""
    system_row["extra"][COLLIDE_FUNCTION] = collide_shape_pair.address
    system_row["extra"][RAY_FUNCTION] = query_rays.address
    system_row["extra"][SHAPE_FUNCTION] = query_shapes.address
    system_row["extra"][MOTION_FUNCTION] = test_body_motion.address


def _numbers(call: str, name: str, value, shape: tuple) -> np.ndarray:
    """Finite doubles of this shape (-1: any), or an error that names call and value."""
    try:
        array = np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: {name} must be numbers of shape {shape}, got {value!r}") from None
    if array.ndim != len(shape) or any(want not in (-1, have) for want, have in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{call}: {name} must be numbers of shape {shape}, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{call}: {name} must be finite, got {array[~np.isfinite(array)][0]} in it")
    return array


class Queries:
    """What is where in the systems of one world."""

    def __init__(self, world):
        self.world = world

    def _query(self, call: str, operation: int, mask: int, bodies: bool, areas: bool, exclude) -> tuple:
        """A QUERY (array of one) and what has to live as long as it."""
        if not 0 <= mask <= ALL_LAYERS:
            raise ValueError(f"{call}: mask must be 32 bits, got {mask!r}")
        excluded = np.ascontiguousarray(list(exclude), dtype=np.int64)
        query = np.zeros(1, dtype=QUERY)
        row = query[0]
        row["operation"], row["collision_mask"], row["body"], row["shape"] = operation, mask, -1, -1
        row["flags"] = (WITH_BODIES if bodies else 0) | (WITH_AREAS if areas else 0)
        row["excluded"], row["excluded_count"] = excluded.ctypes.data, excluded.size
        row["rotation"][3] = 1.0
        return query, excluded

    def _ask(self, call: str, system: int, function, query: np.ndarray, needs_contacts: bool = False) -> int:
        """Answer a query by an entry point; gives what that gives."""
        self.world.system_index(call, system)
        owner = self.world.system(system)
        if needs_contacts and owner.row["extra"][COLLIDE_FUNCTION] == 0:
            owner.row["extra"][COLLIDE_FUNCTION] = collide_shape_pair.address
        return function(owner.address, query.ctypes.data)

    # Rays and points.

    def cast_rays(
        self, system: int, origins, ends, mask: int = ALL_LAYERS, bodies: bool = True, areas: bool = False,
        hit_from_inside: bool = False, hit_back_faces: bool = True, only_pickable: bool = False, exclude=(),
    ) -> np.ndarray:  # fmt: skip
        """The nearest hit of each ray: a structured array (n,) of RAY_RESULT; `fraction` is 2 and `body` -1 where
        nothing was hit. `origins`, `ends`: (n, 3) world [m]; `mask`: layers that are hit; `exclude`: ids of bodies."""
        call = "cast_rays"
        origins, ends = _numbers(call, "origins", origins, (-1, 3)), _numbers(call, "ends", ends, (-1, 3))
        if len(origins) != len(ends):
            raise ValueError(f"{call}: origins and ends must be of the same number, got {len(origins)} and {len(ends)}")
        query, _alive = self._query(call, RAYS, mask, bodies, areas, exclude)
        results = np.zeros(len(origins), dtype=RAY_RESULT)
        row = query[0]
        row["flags"] |= (
            (HITS_FROM_INSIDE if hit_from_inside else 0)
            | (HITS_BACK_FACES if hit_back_faces else 0)
            | (ONLY_PICKABLE if only_pickable else 0)
        )
        row["count"], row["origins"], row["ends"] = len(origins), origins.ctypes.data, ends.ctypes.data
        row["results"], row["max_results"] = results.ctypes.data, len(results)
        self._ask(call, system, query_rays, query)
        return results

    def cast_ray(self, system: int, origin, end, **settings):
        """The nearest hit of one ray, a row of RAY_RESULT, or None. Settings as in `cast_rays`."""
        origin, end = _numbers("cast_ray", "origin", origin, (3,)), _numbers("cast_ray", "end", end, (3,))
        result = self.cast_rays(system, origin[None], end[None], **settings)[0]
        return result if result["body"] >= 0 else None

    def intersect_point(
        self, system: int, point, mask: int = ALL_LAYERS, bodies: bool = True, areas: bool = False, exclude=(),
        max_results: int = 32,
    ) -> np.ndarray:  # fmt: skip
        """The shapes that hold a point [m]: rows of BODY_HIT, at most `max_results`."""
        call = "intersect_point"
        query, _alive = self._query(call, POINT, mask, bodies, areas, exclude)
        query[0]["position"] = _numbers(call, "point", point, (3,))
        hits = self._results(call, query, BODY_HIT, max_results)
        return hits[: self._ask(call, system, query_rays, query)]

    @staticmethod
    def _results(call: str, query: np.ndarray, dtype, max_results: int) -> np.ndarray:
        if max_results < 0:
            raise ValueError(f"{call}: max_results must not be negative, got {max_results}")
        results = np.zeros(max_results, dtype=dtype)
        query[0]["results"], query[0]["max_results"] = results.ctypes.data, max_results
        return results

    # Shapes. A transform is three numbers (a position [m]) or twelve (basis by rows, then origin); scale counts.

    def _ask_with_shape(self, call: str, system: int, query: np.ndarray, shape: int, transform, margin: float) -> int:
        try:
            size = np.asarray(transform, dtype=np.float64).size
        except (TypeError, ValueError):
            raise ValueError(f"{call}: transform must be 3 or 12 numbers, got {transform!r}") from None
        values = _numbers(call, "transform", np.ravel(transform), (3 if size == 3 else 12,))
        if not 0.0 <= margin < np.inf:
            raise ValueError(f"{call}: margin must be at least 0 and finite, got {margin}")
        index = self.world.shape_index(call, shape)
        row = query[0]
        row["position"], row["margin"] = values[-3:], margin
        stretch = np.eye(3)
        if size == 12:
            if abs(np.linalg.det(values[:9].reshape(3, 3))) < 1e-12:
                raise ValueError(f"{call}: the basis must span a volume, got {values[:9].tolist()}")
            row["rotation"], stretch = split_basis(values[:9].reshape(3, 3))
        used = self.world.shapes.derive(index, stretch)
        row["shape"] = used
        try:
            return self._ask(call, system, query_shapes, query, row["operation"] == CONTACTS)
        finally:
            self.world.shapes.release(used)

    def intersect_shape(
        self, system: int, shape: int, transform, margin: float = 0.0, mask: int = ALL_LAYERS, bodies: bool = True,
        areas: bool = False, exclude=(), max_results: int = 32,
    ) -> np.ndarray:  # fmt: skip
        """The shapes of bodies that a shape, grown by `margin` [m], meets: rows of BODY_HIT, at most `max_results`."""
        call = "intersect_shape"
        query, _alive = self._query(call, OVERLAP, mask, bodies, areas, exclude)
        hits = self._results(call, query, BODY_HIT, max_results)
        return hits[: self._ask_with_shape(call, system, query, shape, transform, margin)]

    def collide_shape(
        self, system: int, shape: int, transform, margin: float = 0.0, mask: int = ALL_LAYERS, bodies: bool = True,
        areas: bool = False, exclude=(), max_results: int = 32,
    ) -> np.ndarray:  # fmt: skip
        """The contacts of a shape, grown by `margin` [m]: rows of QUERY_CONTACT, the deepest `max_results` of them."""
        call = "collide_shape"
        query, _alive = self._query(call, CONTACTS, mask, bodies, areas, exclude)
        contacts = self._results(call, query, QUERY_CONTACT, max_results)
        return contacts[: self._ask_with_shape(call, system, query, shape, transform, margin)]

    def rest_info(self, system: int, shape: int, transform, margin: float = 0.0, **settings):
        """The deepest contact of a shape, a row of QUERY_CONTACT, or None. Settings as in `collide_shape`."""
        margin = max(margin, SMALLEST_REST_MARGIN)
        contacts = self.collide_shape(system, shape, transform, margin, max_results=1, **settings)
        return contacts[0] if len(contacts) else None

    def cast_motion(
        self, system: int, shape: int, transform, motion, margin: float = 0.0, mask: int = ALL_LAYERS,
        bodies: bool = True, areas: bool = False, exclude=(),
    ) -> tuple[float, float]:  # fmt: skip
        """How much of `motion` [m] is free for a shape: (safe fraction, unsafe fraction), (1, 1) if all is. What the
        shape overlaps at the start is ignored."""
        call = "cast_motion"
        query, _alive = self._query(call, CAST, mask, bodies, areas, exclude)
        query[0]["motion"] = _numbers(call, "motion", motion, (3,))
        self._ask_with_shape(call, system, query, shape, transform, margin)
        return float(query[0]["safe_fraction"]), float(query[0]["unsafe_fraction"])

    def closest_point(self, body: int, point) -> np.ndarray:
        """The point of a body or area nearest to a point, world [m]; the point itself if it lies in the body; zero for a body
        without shapes. Raises ValueError for a body in no system."""
        call = "closest_point"
        index = self.world.bodies.find(call, body, KIND_BODY, KIND_AREA)
        row = int(self.world.bodies.rows[index]["system"])
        if row < 0:
            raise ValueError(f"{call}: the body is in no system, got {body}")
        system = int(self.world.systems.rows[row]["id"])
        query, _alive = self._query(call, CLOSEST_POINT, ALL_LAYERS, True, True, ())
        query[0]["body"], query[0]["position"] = index, _numbers(call, "point", point, (3,))
        self._ask(call, system, query_shapes, query)
        return query[0]["hit"].copy()

    def body_test_motion(
        self, body: int, transform, motion, margin: float = 0.001, max_collisions: int = 1,
        collide_separation_ray: bool = False, recovery_as_collision: bool = False, exclude=(),
    ):  # fmt: skip
        """How far a body would get from `transform` (three or twelve numbers; unit scale) by `motion` [m]: a row of
        MOTION and its collisions, rows of QUERY_CONTACT. Nothing moves. Raises ValueError for a body in no system."""
        call = "body_test_motion"
        index = self.world.body_index(call, body)
        system_id = self.world.body_system(body)
        if not system_id:
            raise ValueError(f"{call}: the body is in no system, got {body}")
        if not 0 <= max_collisions <= MAX_COLLISIONS:
            raise ValueError(f"{call}: max_collisions must be 0 to {MAX_COLLISIONS}, got {max_collisions}")
        if not 0.0 <= margin < np.inf:
            raise ValueError(f"{call}: margin must be at least 0 and finite, got {margin}")
        system = self.world.system(system_id)
        install_queries(system.row)
        values = _numbers(call, "transform", np.ravel(transform), (3 if np.size(transform) == 3 else 12,))
        excluded = np.ascontiguousarray(list(exclude), dtype=np.int64)
        collisions = np.zeros(max_collisions, dtype=QUERY_CONTACT)
        asked = np.zeros(1, dtype=MOTION)
        row = asked[0]
        row["body"], row["position"], row["motion"] = index, values[-3:], _numbers(call, "motion", motion, (3,))
        row["rotation"] = split_basis(values[:9].reshape(3, 3))[0] if len(values) == 12 else (0.0, 0.0, 0.0, 1.0)
        row["flags"] = (COLLIDES_SEPARATION_RAYS if collide_separation_ray else 0) | (
            REPORTS_RECOVERY if recovery_as_collision else 0
        )
        row["margin"], row["max_collisions"], row["collisions"] = margin, max_collisions, collisions.ctypes.data
        row["excluded"], row["excluded_count"] = excluded.ctypes.data, excluded.size
        test_body_motion(system.address, asked.ctypes.data)
        return row, collisions[: int(row["collision_count"])]
