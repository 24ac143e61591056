"""Many queries with one shape in one call: casts, overlaps, contacts, one per place. The work is compiled; Python only lays out
the queries and packs the answers.

    many = ManyQueries(Queries(world))
    casts = many.cast_shapes(system, shape, places, motions)      # rows of QUERY: "safe_fraction", "hit", "hit_normal", ...
    found = many.overlap_spheres(system, centers, radii)          # rows of BODY_HIT, query after query
    found.rows[found.firsts[k] : found.firsts[k + 1]]             # those of query k

`places`: (n, 3) positions [m], or (n, 12) transforms (basis by rows, then origin [m]). Any thread may call at any time; what the
calls raise is said in core/queries.py.
"""

from dataclasses import dataclass

import numpy as np

from ..collision.collide_function import collide_shape_pair
from ..collision.many_queries import MANY_QUERIES, ask_many
from ..collision.query_schema import BODY_HIT, CAST, CONTACTS, OVERLAP, QUERY_CONTACT
from ..collision.shape_queries import query_shapes
from ..shapes.schema import BOX, SPHERE
from ..shapes.stretch import quaternions, split_many
from .queries import ALL_LAYERS, Queries, numbers

SMALLEST_BALL = 1e-6
"""Radius of the ball that is grown by margins to the spheres of `overlap_spheres` [m]."""
LARGEST_ANSWER = 1 << 26
"""The most rows that one call makes room for."""


@dataclass(frozen=True)
class Found:
    """Answers of n queries. `rows`: all of them, query after query; `firsts`: int64 (n + 1), where those of each query begin."""

    rows: np.ndarray
    firsts: np.ndarray


class ManyQueries:
    """Many queries of one kind to one system. `queries`: the world's."""

    def __init__(self, queries: Queries):
        self._queries, self._world = queries, queries.world

    def cast_shapes(
        self, system: int, shape: int, places, motions, margin: float = 0.0, mask: int = ALL_LAYERS, bodies: bool = True,
        areas: bool = False, exclude=(), threads: int = 1,
    ) -> np.ndarray:  # fmt: skip
        """Move a shape from each place by its motion, (n, 3) [m], and find the first thing that it hits: rows of QUERY (n,),
        where `is_hit`, `safe_fraction`, `unsafe_fraction`, `hit`, `hit_normal`, `hit_body`, ... say so. A cast ignores what the
        shape overlaps at its start. `threads`: how many share the work."""
        call = "cast_shapes"
        rows, _alive = self._laid_out(call, CAST, places, margin, mask, bodies, areas, exclude)
        rows["motion"] = numbers(call, "motions", motions, (len(rows), 3))
        self._ask(call, system, shape, places, rows, threads)
        return rows

    def overlap_shapes(
        self, system: int, shape: int, places, margin=0.0, mask: int = ALL_LAYERS, bodies: bool = True, areas: bool = False,
        exclude=(), most: int = 32, threads: int = 1, call: str = "overlap_shapes",
    ) -> Found:  # fmt: skip
        """Find the shapes of bodies that overlap a shape at each place, grown by `margin` [m], one number or (n,): rows of
        BODY_HIT, at most `most` for each place."""
        rows, _alive = self._laid_out(call, OVERLAP, places, margin, mask, bodies, areas, exclude)
        return self._collect(call, system, shape, places, rows, BODY_HIT, most, threads)

    def overlap_spheres(self, system: int, centers, radii, **settings) -> Found:
        """Find the shapes of bodies that overlap each sphere. `centers`: (n, 3) world [m]; `radii`: one number or (n,) [m], above
        0. Settings as in `overlap_shapes`."""
        call = "overlap_spheres"
        centers = numbers(call, "centers", centers, (-1, 3))
        sizes = _sizes(call, "radii", radii, (), len(centers))
        with _Temporary(self._world, SPHERE, SMALLEST_BALL) as ball:  # grown by a margin, it is a sphere of any radius
            margins = np.maximum(sizes - SMALLEST_BALL, 0.0)
            return self.overlap_shapes(system, ball, centers, margins, call=call, **settings)

    def overlap_boxes(self, system: int, centers, half_extents, **settings) -> Found:
        """Find the shapes of bodies that overlap each box along the world's axes. `centers`: (n, 3) world [m]; `half_extents`:
        (3,) or (n, 3) [m], above 0; each size is cooked once. Settings as in `overlap_shapes`."""
        call = "overlap_boxes"
        centers = numbers(call, "centers", centers, (-1, 3))
        sizes = _sizes(call, "half_extents", half_extents, (3,), len(centers))
        kinds, which = np.unique(sizes, axis=0, return_inverse=True)
        parts, which = [], which.ravel()
        for kind in range(len(kinds)):
            asked = np.flatnonzero(which == kind)
            with _Temporary(self._world, BOX, kinds[kind]) as box:
                parts.append((asked, self.overlap_shapes(system, box, centers[asked], call=call, **settings)))
        return _merged(parts, len(centers))

    def collide_shapes(
        self, system: int, shape: int, places, margin=0.0, mask: int = ALL_LAYERS, bodies: bool = True, areas: bool = False,
        exclude=(), most: int = 32, threads: int = 1,
    ) -> Found:  # fmt: skip
        """Find the contacts of a shape at each place, grown by `margin` [m]: rows of QUERY_CONTACT, the deepest `most` for each
        place."""
        call = "collide_shapes"
        rows, _alive = self._laid_out(call, CONTACTS, places, margin, mask, bodies, areas, exclude)
        return self._collect(call, system, shape, places, rows, QUERY_CONTACT, most, threads)

    def _laid_out(self, call: str, operation: int, places, margin, mask, bodies, areas, exclude) -> tuple:
        """One QUERY for each place, without shapes and poses; and what must live as long as they."""
        count = len(places)
        query, alive = self._queries.query(call, operation, mask, bodies, areas, exclude)
        rows = np.repeat(query, count)
        margins = numbers(call, "margin", np.broadcast_to(margin, (count,)), (-1,))
        if (margins < 0.0).any():
            raise ValueError(f"{call}: margin must be at least 0, got {margins.min()}")
        rows["margin"] = margins
        return rows, alive

    def _collect(self, call: str, system: int, shape: int, places, rows, dtype, most: int, threads: int) -> Found:
        """Ask, with room for `most` answers a query, and pack them."""
        count = len(rows)
        if not 0 < most <= LARGEST_ANSWER // max(count, 1):
            raise ValueError(f"{call}: the most answers must be 1 to {LARGEST_ANSWER // max(count, 1)}, got {most}")
        room = np.zeros((count, most), dtype)
        rows["results"] = room.ctypes.data + np.arange(count) * (most * dtype.itemsize)
        rows["max_results"] = most
        answers = np.minimum(self._ask(call, system, shape, places, rows, threads), most)
        firsts = np.concatenate([[0], np.cumsum(answers)])
        asked = np.repeat(np.arange(count), answers)
        return Found(room[asked, np.arange(len(asked)) - firsts[asked]], firsts)

    def _ask(self, call: str, system: int, shape: int, places, rows, threads: int) -> np.ndarray:
        """Ask the queries at their places. Return the numbers that they answer, int64 (n,)."""
        index = self._world.shape.index(call, shape)
        self._world.system_index(call, system)
        owner = self._world.system(system)
        if owner.row["functions"]["collide_shapes"] == 0:
            owner.row["functions"]["collide_shapes"] = collide_shape_pair.address
        answers = np.zeros(len(rows), np.int64)
        used = self._place(call, index, places, rows)

        def ask(begin: int, end: int) -> None:
            asked = np.zeros(1, MANY_QUERIES)
            addresses = rows[begin:].ctypes.data, answers[begin:].ctypes.data
            asked[0] = query_shapes.address, owner.address, addresses[0], end - begin, addresses[1]
            ask_many(asked.ctypes.data)

        try:
            self._queries.share(call, ask, len(rows), threads)
        finally:
            for row in used:
                self._world.shapes.release(row)
        return answers

    def _place(self, call: str, index: int, places, rows) -> list[int]:
        """Write poses and the rows of the shape, as stretched as each place wants it. Return those rows, to be released."""
        shapes = self._world.shapes
        width = np.shape(places)[1] if np.ndim(places) == 2 else 3
        places = numbers(call, "places", places, (-1, 12 if width == 12 else 3))
        rows["position"] = places[:, -3:]
        if width == 3:
            used = [shapes.derive(index)]
            rows["shape"] = used[0]
            return used
        try:
            turns, stretches = split_many(places[:, :9].reshape(-1, 3, 3))
        except ValueError as error:
            raise ValueError(f"{call}: {error}") from None
        rows["rotation"] = quaternions(turns)
        used, which = shapes.derive_each(index, stretches)
        rows["shape"] = np.asarray(used, np.int64)[which] if used else 0
        return used


class _Temporary:
    """A shape that lives as long as the context."""

    def __init__(self, world, kind: int, size):
        self._world, self._identity = world, world.shape.create(kind)
        pool, index = world.shapes, world.shape.index("shape", self._identity)
        (pool.set_sphere if kind == SPHERE else pool.set_box)(index, size)

    def __enter__(self) -> int:
        return self._identity

    def __exit__(self, *error) -> None:
        self._world.shape.destroy(self._identity)


def _sizes(call: str, name: str, given, shape: tuple, count: int) -> np.ndarray:
    """One size for all, or one for each of `count`. Raises ValueError."""
    sizes = np.asarray(given, np.float64)
    if sizes.shape == (1, *shape) and count != 1:
        sizes = sizes[0]
    if sizes.shape not in (shape, (count, *shape)):
        raise ValueError(f"{call}: {name} must be one or {count}, got an array of shape {sizes.shape}")
    if not (np.isfinite(sizes) & (sizes > 0.0)).all():
        raise ValueError(f"{call}: {name} must be above 0 and finite, got {sizes[~(np.isfinite(sizes) & (sizes > 0.0))][0]}")
    return np.ascontiguousarray(np.broadcast_to(sizes, (count, *shape)))


def _merged(parts: list[tuple[np.ndarray, Found]], count: int) -> Found:
    """The answers of groups of queries, given by the numbers of these, in the order of all queries."""
    counts, owners = np.zeros(count, np.int64), [np.zeros(0, np.int64)]
    for asked, found in parts:
        counts[asked] = np.diff(found.firsts)
        owners.append(np.repeat(asked, counts[asked]))
    rows = np.concatenate([found.rows for _, found in parts]) if parts else np.zeros(0, BODY_HIT)
    order = np.argsort(np.concatenate(owners), kind="stable")
    return Found(rows[order], np.concatenate([[0], np.cumsum(counts)]))
