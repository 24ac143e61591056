"""Questions to a space: rays, shapes, places. One question is answered by a value or None, many by arrays."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.queries import Queries
from ..core.snapshot import Snapshot
from .areas import Area, thing_of
from .arrays import (
    NO_TURN, Floats, Ints, Vector, Vectors, basis_of, doubles, errors_of_call, read_only, rotations, rows, twelve, vector,
)  # fmt: skip
from .body import Body, ids_of
from .materials import Names
from .owners import check_world
from .shapes import Shape

if TYPE_CHECKING:
    from .world import World


@dataclass(frozen=True, eq=False)
class Hit:
    """One hit. `body`: the body or area. `position`: world [m], (3,). `normal`: unit vector of the surface, (3,), zero if the
    ray began inside. `distance` [m]: from the beginning of the ray, or the way that a cast shape went. `shape`: number of the
    shape on the body. `part` of a compound, `face` of a mesh, `surface` in its list: -1 if there is none. Hits with the same
    numbers are equal, and can be keys."""

    body: Body | Area
    position: Floats
    normal: Floats
    distance: float
    shape: int
    part: int
    face: int
    surface: int

    def _values(self) -> tuple[Any, ...]:
        where = *self.position.tolist(), *self.normal.tolist(), self.distance
        return self.body, where, self.shape, self.part, self.face, self.surface

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hit) and other._values() == self._values()

    def __hash__(self) -> int:
        return hash(self._values())


class Hits:
    """The nearest hits of n rays, as arrays with one row per ray. `rows` holds everything (`RAY_RESULT`), for experts."""

    def __init__(self, rows: NDArray[Any], lengths: Floats) -> None:
        self.rows, self._lengths = rows, lengths

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_hit(self) -> NDArray[np.bool_]:
        """Whether each ray hit something, (n,). The other arrays mean nothing where this is False, unless they say so."""
        return read_only(np.asarray(self.rows["body"] >= 0))

    @property
    def positions(self) -> Floats:
        """World positions [m], (n, 3)."""
        return read_only(np.array(self.rows["position"]))

    @property
    def normals(self) -> Floats:
        """Unit vectors of the surfaces, (n, 3); zero if a ray began inside."""
        return read_only(self.rows["normal"].astype(np.float64))

    @property
    def distances(self) -> Floats:
        """Distances from the beginnings of the rays [m], (n,); infinite without a hit."""
        return read_only(np.where(self.is_hit, self.rows["fraction"] * self._lengths, np.inf))

    @property
    def body_ids(self) -> Ints:
        """Ids of the bodies or areas, (n,); 0 without a hit."""
        return read_only(np.where(self.is_hit, self.rows["body_id"], 0))

    @property
    def shapes(self) -> Ints:
        """Numbers of the shapes on the bodies, (n,)."""
        return read_only(self.rows["instance"].astype(np.int64))

    @property
    def faces(self) -> Ints:
        """Numbers of the triangles of meshes, (n,); -1 for other shapes."""
        return read_only(self.rows["face"].astype(np.int64))

    @property
    def surfaces(self) -> Ints:
        """Indices of the surfaces of meshes and height fields, (n,); -1 if there is none."""
        return read_only(self.rows["material"].astype(np.int64))


class SpaceQueries:
    """The part of a `Space` that answers questions. Lengths [m]. Any thread may ask at any time, also while a step runs;
    nobody waits.

    `layers`: names of the layers to look at, by default all. `bodies`, `areas`: whether to look for those. `exclude`: bodies
    and areas of this World to leave out. Raises ValueError for bad numbers, unknown names and things of another World,
    KeyError for a space that was removed."""

    __slots__ = ()
    _id: int
    _world: "World"
    _check_not_stepping: Callable[[str], None]

    @property
    def queries(self) -> Queries:
        """The low-level interface of all queries (`engine_core/core/queries.py`), for experts."""
        return self._world.queries

    def _settings(
        self, call: str, layers: Names | None, areas: bool, bodies: bool, exclude: Iterable[Body | Area]
    ) -> dict[str, Any]:
        mask = self._world.layers.bits(call, layers)
        return {"mask": mask, "areas": areas, "bodies": bodies, "exclude": ids_of(call, self, exclude)}  # type: ignore[arg-type]

    def _hit(self, row: Any, length: float) -> Hit:
        return Hit(
            thing_of(self, int(row["body_id"])), read_only(row["position"].copy()),  # type: ignore[arg-type]
            read_only(row["normal"].astype(np.float64)), float(row["fraction"]) * length, int(row["instance"]),
            int(row["part"]), int(row["face"]), int(row["material"]),
        )  # fmt: skip

    def cast_ray(
        self, origin: Vector, end: Vector, *, layers: Names | None = None, bodies: bool = True, areas: bool = False,
        exclude: Iterable[Body | Area] = (), from_inside: bool = False,
    ) -> Hit | None:  # fmt: skip
        """Find the nearest hit of a ray from `origin` to `end`, world [m] (3,), or None. With `from_inside`, a ray that
        starts in a solid hits it at once. Any thread may ask. Raises ValueError, KeyError."""
        settings = self._settings("cast_ray", layers, areas, bodies, exclude)
        begin, last = vector("cast_ray", "origin", origin), vector("cast_ray", "end", end)
        hits = self._cast("cast_ray", begin[None], last[None], settings, hit_from_inside=from_inside)
        return self._hit(hits.rows[0], float(hits._lengths[0])) if hits.is_hit[0] else None

    def cast_rays(
        self, origins: Vectors, ends: Vectors, *, layers: Names | None = None, bodies: bool = True, areas: bool = False,
        exclude: Iterable[Body | Area] = (), from_inside: bool = False, any_hit: bool = False, threads: int = 1,
    ) -> Hits:  # fmt: skip
        """Find the nearest hits of n rays from `origins` to `ends`, world [m] (n, 3); one of the two may be (3,). `any_hit`:
        take the first hit that is found, which is cheaper. `threads`: the number of threads that share the work. Any thread
        may ask. Raises ValueError, KeyError."""
        given = [doubles("cast_rays", *one) for one in (("origins", origins), ("ends", ends))]
        given = [one.reshape(0, 3) if one.shape == (0,) else one for one in given]
        count = max([len(one) for one in given if one.ndim != 1], default=1)
        begin, end = (rows("cast_rays", name, one, count) for name, one in zip(("origins", "ends"), given, strict=True))
        settings = self._settings("cast_rays", layers, areas, bodies, exclude)
        collector = "any" if any_hit else "closest"
        return self._cast("cast_rays", begin, end, settings, hit_from_inside=from_inside, collector=collector, threads=threads)

    def _cast(self, call: str, begin: Floats, end: Floats, settings: dict[str, Any], **how: Any) -> Hits:
        with errors_of_call(call):
            found = self.queries.cast_rays(self._id, begin, end, **settings, **how)
        return Hits(found, np.linalg.norm(end - begin, axis=1))

    def cast_ray_all(
        self, origin: Vector, end: Vector, *, layers: Names | None = None, bodies: bool = True, areas: bool = False,
        exclude: Iterable[Body | Area] = (), most: int = 32,
    ) -> list[Hit]:  # fmt: skip
        """Find all hits of a ray from `origin` to `end`, world [m] (3,): one for each shape, nearest first, at most `most`.
        Any thread may ask. Raises ValueError, KeyError."""
        settings = self._settings("cast_ray_all", layers, areas, bodies, exclude)
        begin, last = vector("cast_ray_all", "origin", origin), vector("cast_ray_all", "end", end)
        with errors_of_call("cast_ray_all", max_results="most"):
            found = self.queries.cast_ray_all(self._id, begin, last, max_results=most, **settings)
        return [self._hit(row, float(np.linalg.norm(last - begin))) for row in found]

    def cast_shape(
        self, shape: Shape, position: Vector, motion: Vector, rotation: Vector = NO_TURN, *, layers: Names | None = None,
        bodies: bool = True, areas: bool = False, exclude: Iterable[Body | Area] = (), margin: float = 0.0,
    ) -> Hit | None:  # fmt: skip
        """Move a shape from `position` [m] (3,), with `rotation`, a unit quaternion (4,), by `motion` [m] (3,), and find its
        first hit, or None; `distance` says how far it went. It keeps `margin` [m]. It ignores what it overlaps at the start.
        Any thread may ask. Raises ValueError, KeyError."""
        place, way = self._place("cast_shape", position, rotation), vector("cast_shape", "motion", motion)
        settings = self._settings("cast_shape", layers, areas, bodies, exclude)
        with errors_of_call("cast_shape"), self._world.shapes.for_query("cast_shape", shape) as used:
            found = self.queries.cast_shape(self._id, used, place, way, margin=margin, **settings)
        return self._hit(found[0], float(np.linalg.norm(way))) if len(found) else None

    def overlaps(
        self, shape: Shape, position: Vector, rotation: Vector = NO_TURN, *, layers: Names | None = None, bodies: bool = True,
        areas: bool = False, exclude: Iterable[Body | Area] = (), margin: float = 0.0, most: int = 1024,
    ) -> list[Body | Area]:  # fmt: skip
        """Find the bodies and areas that a shape at `position` [m] (3,) with `rotation`, a unit quaternion (4,), overlaps
        when it is grown by `margin` [m]: at most `most`, each once. Any thread may ask. Raises ValueError, KeyError."""
        settings = self._settings("overlaps", layers, areas, bodies, exclude)
        place = self._place("overlaps", position, rotation)
        with errors_of_call("overlaps", max_results="most"), self._world.shapes.for_query("overlaps", shape) as used:
            found = self.queries.intersect_shape(self._id, used, place, margin=margin, max_results=most, **settings)
        return self._things(found["body_id"])

    def at_point(
        self, point: Vector, *, layers: Names | None = None, bodies: bool = True, areas: bool = False,
        exclude: Iterable[Body | Area] = (), most: int = 1024,
    ) -> list[Body | Area]:  # fmt: skip
        """Find the bodies and areas that hold a point, world [m] (3,): at most `most`, each once. Any thread may ask. Raises
        ValueError, KeyError."""
        settings = self._settings("at_point", layers, areas, bodies, exclude)
        place = vector("at_point", "point", point)
        with errors_of_call("at_point", max_results="most"):
            found = self.queries.intersect_point(self._id, place, max_results=most, **settings)
        return self._things(found["body_id"])

    def near_box(
        self, center: Vector, half_extents: Vector, *, layers: Names | None = None, bodies: bool = True, areas: bool = False
    ) -> list[Body | Area]:
        """Find the bodies and areas whose bounds touch a box about `center`, world [m] (3,), with `half_extents` [m] (3,):
        cheap, and some of them are only near. Any thread may ask. Raises ValueError, KeyError."""
        settings = self._settings("near_box", layers, areas, bodies, ())
        settings.pop("exclude")
        with errors_of_call("near_box"):
            return self._things(self.queries.bodies_in_box(self._id, center, half_extents, **settings))

    def closest_point(self, body: Body, point: Vector) -> Floats:
        """Find the point of a body nearest to `point`, both world [m] (3,); a point inside the body is its own answer. Any
        thread may ask. Raises ValueError, KeyError."""
        check_world("closest_point", self, [body])
        with errors_of_call("closest_point"):
            return np.asarray(self.queries.closest_point(body.id, vector("closest_point", "point", point)))

    def triangles(self, low: Vector, high: Vector, *, layers: Names | None = None) -> Floats:
        """The surfaces of all bodies in a box from `low` to `high`, world [m] (3,), as triangles float32 (n, 3, 3) [m]: for
        pictures and navigation meshes. Any thread may ask; it waits for a step that is running. Raises ValueError,
        KeyError, and RuntimeError in a function that the step calls."""
        self._check_not_stepping("triangles")
        self._world.core.system_index("triangles", self._id)
        box = vector("triangles", "low", low), vector("triangles", "high", high)
        with errors_of_call("triangles"):
            snapshot = Snapshot(self._world.core, self._id, *box, self._world.layers.bits("triangles", layers))
        with snapshot:
            return np.asarray(snapshot.triangles())

    def _place(self, call: str, position: Vector, rotation: Vector) -> list[float]:
        return twelve(basis_of(rotations(call, rotation, 1)[0]), vector(call, "position", position))

    def _things(self, ids: Any) -> list[Body | Area]:
        found = dict.fromkeys(ids.tolist())
        return [thing_of(self, identity) for identity in found]  # type: ignore[arg-type]
