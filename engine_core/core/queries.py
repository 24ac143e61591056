"""Queries of a system from Python: rays, points, shapes, bounds. They take and return NumPy arrays; the work is compiled.

    queries = Queries(world)
    hits = queries.cast_rays(system, origins, ends)   # structured array, one row of RAY_RESULT a ray
    hits["body_id"][hits["fraction"] <= 1.0]

Any thread may call at any time, also while a step runs; no thread waits (docs/publication.md). Bad input raises ValueError (a
value) or KeyError (an id), naming the call and the value.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..bodies.schema import KIND_AREA, KIND_BODY
from ..characters.body_motion import (
    COLLIDES_SEPARATION_RAYS, MAX_COLLISIONS, MOTION, REPORTS_RECOVERY, test_body_motion,
)  # fmt: skip
from ..collision.bounds_queries import cast_at_placed, query_bounds
from ..collision.collide_function import collide_shape_pair
from ..collision.query_schema import (
    ALL, ANY, BODY_HIT, BOUNDS_BOX, BOUNDS_RAY, BOUNDS_SPHERE, CAST, CLOSEST, CLOSEST_POINT, COLLECT_SHAPES,
    CONTACTS, HITS_BACK_FACES, HITS_FROM_INSIDE, ONLY_PICKABLE, OVERLAP, PER_BODY, PLACED_SHAPE, POINT, QUERY, QUERY_CONTACT,
    RAY, RAY_RESULT, RAYS, WITH_AREAS, WITH_BODIES,
)  # fmt: skip
from ..collision.ray_queries import query_rays
from ..collision.shape_queries import query_shapes
from ..runtime.distinct import distinct
from ..shapes.pool import split_basis

ALL_LAYERS = 0xFFFFFFFF
COLLECTORS = {"closest": CLOSEST, "any": ANY, "all": ALL, "closest per body": PER_BODY}
MOST_THREADS = 64
"""Threads that share a call's work at most: parts of a few queries each cost more than they save."""
SMALLEST_REST_MARGIN = 1e-4
"""Margin with which `rest_info` counts shapes that just touch [m]."""


def install_queries(system_row) -> None:
    """Write the addresses of the query functions to a SYSTEM record, for callers that use addresses. Compiles or loads them."""
    system_row["functions"]["collide_shapes"] = collide_shape_pair.address
    system_row["functions"]["query_rays"] = query_rays.address
    system_row["functions"]["query_shapes"] = query_shapes.address
    system_row["functions"]["test_motion"] = test_body_motion.address


def numbers(call: str, name: str, value, shape: tuple) -> np.ndarray:
    """Convert to finite doubles of this shape (-1: any). Raises ValueError, naming call and value."""
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
    """Queries of the systems of one world."""

    def __init__(self, world):
        self.world = world
        self._threads: ThreadPoolExecutor | None = None

    def close(self) -> None:
        """End the threads that share the work."""
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None

    def _layer_mask(self, call: str, names) -> int:
        """The bits of broad-phase layers given by name; 0 for all."""
        known = self.world.broad_phase_names
        for name in names or ():
            if name not in known:
                raise ValueError(f"{call}: there is no broad-phase layer {name!r}; there are {', '.join(known)}")
        return sum(1 << known.index(name) for name in names or ())

    def query(
        self, call: str, operation: int, mask: int, bodies: bool, areas: bool, exclude, layers=None, shape_mask: int = 0
    ) -> tuple:
        """Build a QUERY (array of one), and what must live as long as it."""
        for name, bits in (("mask", mask), ("shape_mask", shape_mask)):
            if not 0 <= bits <= ALL_LAYERS:
                raise ValueError(f"{call}: {name} must be 32 bits, got {bits!r}")
        excluded = np.ascontiguousarray(list(exclude), dtype=np.int64)
        query = np.zeros(1, dtype=QUERY)
        row = query[0]
        row["operation"], row["collision_mask"], row["body"], row["shape"] = operation, mask, -1, -1
        row["flags"] = (WITH_BODIES if bodies else 0) | (WITH_AREAS if areas else 0)
        row["excluded"], row["excluded_count"] = excluded.ctypes.data, excluded.size
        row["rotation"][3] = 1.0
        row["layer_mask"], row["shape_mask"] = self._layer_mask(call, layers), shape_mask
        return query, excluded

    @staticmethod
    def _collector(call: str, name: str) -> int:
        if name not in COLLECTORS:
            raise ValueError(f"{call}: collector must be one of {', '.join(COLLECTORS)}, got {name!r}")
        return COLLECTORS[name]

    def _ask(self, call: str, system: int, function, query: np.ndarray, needs_contacts: bool = False) -> int:
        """Run a query by an entry point and return its result."""
        self.world.system_index(call, system)
        owner = self.world.system(system)
        if needs_contacts and owner.row["functions"]["collide_shapes"] == 0:
            owner.row["functions"]["collide_shapes"] = collide_shape_pair.address
        return function(owner.address, query.ctypes.data)

    # Rays and points.

    def cast_rays(
        self, system: int, origins, ends, mask: int = ALL_LAYERS, bodies: bool = True, areas: bool = False,
        hit_from_inside: bool = False, hit_back_faces: bool = True, only_pickable: bool = False, exclude=(), layers=None,
        shape_mask: int = 0, collector: str = "closest", threads: int = 1, out: np.ndarray | None = None,
    ) -> np.ndarray:  # fmt: skip
        """Find the nearest hit of each ray, or with the collector "any" the first hit found: a structured array (n,) of
        RAY_RESULT; `fraction` is 2 and `body` -1 where nothing was hit.

        `origins`, `ends`: (n, 3) world [m]; `mask`: collision layers that are hit; `exclude`: ids of bodies; `layers`: names of
        broad-phase layers, all by default; `shape_mask`: the shape filter; `threads`: how many share the work; `out`: rows of
        RAY_RESULT to be written instead of new ones."""
        call = "cast_rays"
        origins, ends = numbers(call, "origins", origins, (-1, 3)), numbers(call, "ends", ends, (-1, 3))
        if len(origins) != len(ends):
            raise ValueError(f"{call}: origins and ends must be of the same number, got {len(origins)} and {len(ends)}")
        if collector not in ("closest", "any"):
            raise ValueError(f"{call}: collector must be closest or any, got {collector!r}; `cast_ray_all` gives more")
        results = np.zeros(len(origins), dtype=RAY_RESULT) if out is None else out
        if results.dtype != RAY_RESULT or results.shape != (len(origins),) or not results.flags.c_contiguous:
            raise ValueError(f"{call}: out must be {len(origins)} rows of RAY_RESULT, got {results.dtype} {results.shape}")
        query, _alive = self.query(call, RAYS, mask, bodies, areas, exclude, layers, shape_mask)
        row = query[0]
        row["flags"] |= self._ray_flags(hit_from_inside, hit_back_faces, only_pickable)
        row["collector"] = self._collector(call, collector)

        def ask(begin: int, end: int) -> None:
            part = query.copy()
            part["count"], part["max_results"] = end - begin, end - begin
            part["origins"], part["ends"] = origins[begin:].ctypes.data, ends[begin:].ctypes.data
            part["results"] = results[begin:].ctypes.data
            self._ask(call, system, query_rays, part)

        self.share(call, ask, len(origins), threads)
        return results

    @staticmethod
    def _ray_flags(hit_from_inside: bool, hit_back_faces: bool, only_pickable: bool) -> int:
        return (
            (HITS_FROM_INSIDE if hit_from_inside else 0)
            | (HITS_BACK_FACES if hit_back_faces else 0)
            | (ONLY_PICKABLE if only_pickable else 0)
        )

    def share(self, call: str, ask, count: int, threads: int) -> None:
        """Run `ask(begin, end)` for parts of `count` items on this many threads, the calling one included."""
        if threads < 1:
            raise ValueError(f"{call}: threads must be at least 1, got {threads}")
        threads = min(threads, MOST_THREADS)
        limits = [count * k // threads for k in range(threads + 1)]
        parts = [(begin, end) for begin, end in zip(limits, limits[1:], strict=False) if end > begin]
        if len(parts) > 1 and self._threads is None:
            self._threads = ThreadPoolExecutor(thread_name_prefix="scree queries")
        others = [self._threads.submit(ask, *part) for part in parts[1:]]
        for part in parts[:1]:
            ask(*part)
        for other in others:
            other.result()

    def cast_ray_all(
        self, system: int, origin, end, collector: str = "all", mask: int = ALL_LAYERS, bodies: bool = True,
        areas: bool = False, hit_from_inside: bool = False, hit_back_faces: bool = True, exclude=(), layers=None,
        shape_mask: int = 0, max_results: int = 32,
    ) -> np.ndarray:  # fmt: skip
        """Find the hits of one ray, nearest first: of every shape ("all") or the nearest of every body ("closest per body"), at
        most `max_results` of them. Rows of RAY_RESULT."""
        call = "cast_ray_all"
        query, _alive = self.query(call, RAY, mask, bodies, areas, exclude, layers, shape_mask)
        row = query[0]
        row["collector"] = self._collector(call, collector)
        if row["collector"] < ALL:
            raise ValueError(f"{call}: collector must be all or closest per body, got {collector!r}")
        row["flags"] |= self._ray_flags(hit_from_inside, hit_back_faces, False)
        row["position"] = numbers(call, "origin", origin, (3,))
        row["motion"] = numbers(call, "end", end, (3,)) - row["position"]
        hits = self._results(call, query, RAY_RESULT, max_results)
        hits = hits[: self._ask(call, system, query_rays, query)]
        return hits[np.lexsort((hits["instance"], hits["body"], hits["fraction"]))]

    def cast_ray(self, system: int, origin, end, **settings):
        """Find the nearest hit of one ray, a row of RAY_RESULT, or None. Settings as in `cast_rays`."""
        origin, end = numbers("cast_ray", "origin", origin, (3,)), numbers("cast_ray", "end", end, (3,))
        result = self.cast_rays(system, origin[None], end[None], **settings)[0]
        return result if result["body"] >= 0 else None

    def intersect_point(
        self, system: int, point, mask: int = ALL_LAYERS, bodies: bool = True, areas: bool = False, exclude=(),
        max_results: int = 32,
    ) -> np.ndarray:  # fmt: skip
        """Find the shapes that contain a point [m]: rows of BODY_HIT, at most `max_results`."""
        call = "intersect_point"
        query, _alive = self.query(call, POINT, mask, bodies, areas, exclude)
        query[0]["position"] = numbers(call, "point", point, (3,))
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
        values = numbers(call, "transform", np.ravel(transform), (3 if size == 3 else 12,))
        if not 0.0 <= margin < np.inf:
            raise ValueError(f"{call}: margin must be at least 0 and finite, got {margin}")
        index = self.world.shape.index(call, shape)
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
        """Find the shapes of bodies that overlap a shape grown by `margin` [m]: rows of BODY_HIT, at most `max_results`."""
        call = "intersect_shape"
        query, _alive = self.query(call, OVERLAP, mask, bodies, areas, exclude)
        hits = self._results(call, query, BODY_HIT, max_results)
        return hits[: self._ask_with_shape(call, system, query, shape, transform, margin)]

    def collide_shape(
        self, system: int, shape: int, transform, margin: float = 0.0, mask: int = ALL_LAYERS, bodies: bool = True,
        areas: bool = False, exclude=(), max_results: int = 32,
    ) -> np.ndarray:  # fmt: skip
        """Find the contacts of a shape grown by `margin` [m]: rows of QUERY_CONTACT, the deepest `max_results` of them."""
        call = "collide_shape"
        query, _alive = self.query(call, CONTACTS, mask, bodies, areas, exclude)
        contacts = self._results(call, query, QUERY_CONTACT, max_results)
        return contacts[: self._ask_with_shape(call, system, query, shape, transform, margin)]

    def rest_info(self, system: int, shape: int, transform, margin: float = 0.0, **settings):
        """Find the deepest contact of a shape, a row of QUERY_CONTACT, or None. Settings as in `collide_shape`."""
        margin = max(margin, SMALLEST_REST_MARGIN)
        contacts = self.collide_shape(system, shape, transform, margin, max_results=1, **settings)
        return contacts[0] if len(contacts) else None

    def cast_motion(
        self, system: int, shape: int, transform, motion, margin: float = 0.0, mask: int = ALL_LAYERS,
        bodies: bool = True, areas: bool = False, exclude=(),
    ) -> tuple[float, float]:  # fmt: skip
        """Find how much of `motion` [m] is free for a shape: (safe fraction, unsafe fraction), (1, 1) if all is. What the shape
        overlaps at the start is ignored."""
        call = "cast_motion"
        query, _alive = self.query(call, CAST, mask, bodies, areas, exclude)
        query[0]["motion"] = numbers(call, "motion", motion, (3,))
        self._ask_with_shape(call, system, query, shape, transform, margin)
        return float(query[0]["safe_fraction"]), float(query[0]["unsafe_fraction"])

    def cast_shape(
        self, system: int, shape: int, transform, motion, collector: str = "closest", margin: float = 0.0,
        mask: int = ALL_LAYERS, bodies: bool = True, areas: bool = False, exclude=(), layers=None, shape_mask: int = 0,
        max_results: int = 32,
    ) -> np.ndarray:  # fmt: skip
        """Find what a shape hits along `motion` [m], nearest first: the closest hit, any hit, one hit a shape ("all") or one a
        body ("closest per body"). Rows of RAY_RESULT, with faces and materials; `fraction` is where it touches. What the shape
        overlaps at the start is ignored."""
        call = "cast_shape"
        query, _alive = self.query(call, CAST, mask, bodies, areas, exclude, layers, shape_mask)
        row = query[0]
        row["motion"], row["collector"] = numbers(call, "motion", motion, (3,)), self._collector(call, collector)
        hits = self._results(call, query, RAY_RESULT, max_results)
        count = self._ask_with_shape(call, system, query, shape, transform, margin)
        if row["collector"] >= ALL:
            return hits[:count][np.lexsort((hits[:count]["instance"], hits[:count]["body"], hits[:count]["fraction"]))]
        if count == 0 or max_results == 0:
            return hits[:0]
        hit = hits[0]
        hit["fraction"], hit["position"], hit["normal"] = row["safe_fraction"], row["hit"], row["hit_normal"]
        for name in ("body", "instance", "part", "face", "material"):
            hit[name] = row[f"hit_{name}"]
        body = self.world.bodies.rows[row["hit_body"]]
        hit["body_id"], hit["user_id"] = body["id"], body["user_id"]
        return hits[:1]

    # Queries of bounds only. Exact for bounds, except that a body moving at this moment may be reported in excess.

    def bodies_in_box(self, system: int, center, half_extents, rotation=(0.0, 0.0, 0.0, 1.0), **settings) -> np.ndarray:
        """Ids of the bodies whose bounds touch a box, turned by a unit quaternion. A point: half extents of zero."""
        half = numbers("bodies_in_box", "half_extents", half_extents, (3,))
        if (half < 0.0).any():
            raise ValueError(f"bodies_in_box: half_extents must not be negative, got {half.tolist()}")
        rotation = numbers("bodies_in_box", "rotation", rotation, (4,))
        size = float(np.linalg.norm(rotation))
        if not 0.5 < size < 2.0:
            raise ValueError(f"bodies_in_box: rotation must be a unit quaternion, got {rotation.tolist()}")
        return self._bodies("bodies_in_box", system, BOUNDS_BOX, center, half, rotation / size, settings)

    def bodies_in_sphere(self, system: int, center, radius: float, **settings) -> np.ndarray:
        """Ids of the bodies whose bounds touch a sphere."""
        if not 0.0 <= radius < np.inf:
            raise ValueError(f"bodies_in_sphere: radius must be at least 0 and finite, got {radius!r}")
        return self._bodies("bodies_in_sphere", system, BOUNDS_SPHERE, center, (radius, 0.0, 0.0), None, settings)

    def bodies_on_ray(self, system: int, origin, end, **settings) -> np.ndarray:
        """Ids of the bodies whose bounds a ray meets."""
        origin, end = numbers("bodies_on_ray", "origin", origin, (3,)), numbers("bodies_on_ray", "end", end, (3,))
        return self._bodies("bodies_on_ray", system, BOUNDS_RAY, origin, (0.0, 0.0, 0.0), None, settings, end - origin)

    def _bodies(self, call, system, operation, center, half, rotation, settings, motion=(0.0, 0.0, 0.0)) -> np.ndarray:
        """Run a query of bounds. `settings`: mask, bodies, areas, layers, max_results (None: all)."""
        settings = {"mask": ALL_LAYERS, "bodies": True, "areas": False, "layers": None, "max_results": None, **settings}
        wanted = settings.pop("max_results")
        query, _alive = self.query(call, operation, exclude=(), **settings)
        row = query[0]
        row["position"], row["half_extents"], row["motion"] = numbers(call, "center", center, (3,)), half, motion
        if rotation is not None:
            row["rotation"] = rotation
        rows = self._as_many_as_there_are(call, system, query, BODY_HIT, wanted)
        return rows["body_id"].copy()

    def _as_many_as_there_are(self, call: str, system: int, query: np.ndarray, dtype, wanted: int | None) -> np.ndarray:
        capacity = 1024 if wanted is None else wanted
        while True:
            rows = self._results(call, query, dtype, capacity)
            count = self._ask(call, system, query_bounds, query)
            if count <= capacity or wanted is not None:
                return rows[: min(count, capacity)]
            capacity = 2 * count

    def collect_shapes(self, system: int, center, half_extents, **settings) -> "ShapeSnapshot":
        """Copy all shapes whose bounds touch a box, with their poses at one moment, for a long job that holds no lock."""
        call = "collect_shapes"
        settings = {"mask": ALL_LAYERS, "bodies": True, "areas": False, "exclude": (), **settings}
        query, _alive = self.query(call, COLLECT_SHAPES, **settings)
        query[0]["position"] = numbers(call, "center", center, (3,))
        query[0]["half_extents"] = numbers(call, "half_extents", half_extents, (3,))
        shapes = self.world.shapes
        with shapes.held():  # settings must not change while they are copied
            rows = self._as_many_as_there_are(call, system, query, PLACED_SHAPE, None)
            used = distinct(rows["shape"]).tolist()
            blocks = [shapes.block_of(row) for row in used] + [self.world.shape_keepers.get(row) for row in used]
        return ShapeSnapshot(rows, blocks)

    def closest_point(self, body: int, point) -> np.ndarray:
        """Find the point of a body or area nearest to a point, world [m]: the point itself if it lies inside; zero for a body
        without shapes. Raises ValueError for a body in no system."""
        call = "closest_point"
        index = self.world.bodies.find(call, body, KIND_BODY, KIND_AREA)
        row = int(self.world.bodies.rows[index]["system"])
        if row < 0:
            raise ValueError(f"{call}: the body is in no system, got {body}")
        system = int(self.world.systems.rows[row]["id"])
        query, _alive = self.query(call, CLOSEST_POINT, ALL_LAYERS, True, True, ())
        query[0]["body"], query[0]["position"] = index, numbers(call, "point", point, (3,))
        self._ask(call, system, query_shapes, query)
        return query[0]["hit"].copy()

    def body_test_motion(
        self, body: int, transform, motion, margin: float = 0.001, max_collisions: int = 1,
        collide_separation_ray: bool = False, recovery_as_collision: bool = False, exclude=(),
    ):  # fmt: skip
        """Find how far a body would get from `transform` (three or twelve numbers; unit scale) by `motion` [m]: a row of MOTION
        and its collisions, rows of QUERY_CONTACT. Nothing moves. Raises ValueError for a body in no system."""
        call = "body_test_motion"
        index = self.world.body.index(call, body)
        system_id = self.world.body.system(body)
        if not system_id:
            raise ValueError(f"{call}: the body is in no system, got {body}")
        if not 0 <= max_collisions <= MAX_COLLISIONS:
            raise ValueError(f"{call}: max_collisions must be 0 to {MAX_COLLISIONS}, got {max_collisions}")
        if not 0.0 <= margin < np.inf:
            raise ValueError(f"{call}: margin must be at least 0 and finite, got {margin}")
        system = self.world.system(system_id)
        install_queries(system.row)
        values = numbers(call, "transform", np.ravel(transform), (3 if np.size(transform) == 3 else 12,))
        excluded = np.ascontiguousarray(list(exclude), dtype=np.int64)
        collisions = np.zeros(max_collisions, dtype=QUERY_CONTACT)
        asked = np.zeros(1, dtype=MOTION)
        row = asked[0]
        row["body"], row["position"], row["motion"] = index, values[-3:], numbers(call, "motion", motion, (3,))
        row["rotation"] = split_basis(values[:9].reshape(3, 3))[0] if len(values) == 12 else (0.0, 0.0, 0.0, 1.0)
        row["flags"] = (COLLIDES_SEPARATION_RAYS if collide_separation_ray else 0) | (
            REPORTS_RECOVERY if recovery_as_collision else 0
        )
        row["margin"], row["max_collisions"], row["collisions"] = margin, max_collisions, collisions.ctypes.data
        row["excluded"], row["excluded_count"] = excluded.ctypes.data, excluded.size
        test_body_motion(system.address, asked.ctypes.data)
        return row, collisions[: int(row["collision_count"])]


class ShapeSnapshot:
    """Copies of shapes as they were when collected, independent of the world since: `rows` of PLACED_SHAPE."""

    def __init__(self, rows: np.ndarray, blocks: list):
        self.rows = rows
        self._blocks = blocks  # vertices and trees of hulls and meshes: they live as long as the snapshot

    def __len__(self) -> int:
        return len(self.rows)

    def cast_rays(self, origins, ends) -> np.ndarray:
        """Find the nearest hit of each ray among these shapes: rows of RAY_RESULT, `body` and `instance` unused, `body_id`
        filled. Tests each shape against each ray."""
        call = "ShapeSnapshot.cast_rays"
        origins, ends = numbers(call, "origins", origins, (-1, 3)), numbers(call, "ends", ends, (-1, 3))
        if len(origins) != len(ends):
            raise ValueError(f"{call}: origins and ends must be of the same number, got {len(origins)} and {len(ends)}")
        results = np.zeros(len(origins), dtype=RAY_RESULT)
        given = np.array(
            [self.rows.ctypes.data, len(self.rows), origins.ctypes.data, ends.ctypes.data, len(origins), results.ctypes.data],
            dtype=np.int64,
        )
        cast_at_placed(given.ctypes.data)
        return results
