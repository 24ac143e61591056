"""Strips of a soft body: parts that threads solve side by side. NumPy, when a soft body is made.

Particles have levels: how many edges they are from an outermost one. An edge joins particles of one level or of two that follow
each other. A strip is some levels that follow each other, two at least. So each edge lies within a strip, or between a strip and
the next one, and the edges between different strips have no particle in common: all strips are solved at once, then all that is
between them. Strips depend on the mesh alone, so that results do not depend on the number of threads.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..runtime.distinct import distinct
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of, view, view2
from .schema import CLUSTER, EDGE_RANGE, FOUR_EDGES, STRIP

INT64 = np.int64
MOST_COLOURS = 63
STRIP_PARTICLES = 512
"""A strip has at least this many particles: threads meet three times in each small step, which costs some microseconds."""
LEAST_LEVELS = 2
CLUSTER_PARTICLES = 16
"""Particles that look for bodies near them together."""


def neighbours_of(pairs: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(begins, others): the neighbours of particle i are `others[begins[i]:begins[i + 1]]`."""
    both = np.concatenate((pairs, pairs[:, ::-1]))
    both = both[np.argsort(both[:, 0], kind="stable")]
    return np.searchsorted(both[:, 0], np.arange(count + 1)), both[:, 1]


def rows_around(begins: np.ndarray, front: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows of `others` with the neighbours of some particles, one particle after the other, and how many each has."""
    counts = begins[front + 1] - begins[front]
    starts = np.repeat(begins[front] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
    return starts + np.arange(counts.sum()), counts


def spread(begins: np.ndarray, others: np.ndarray, first: int, levels: np.ndarray, level: int) -> int:
    """Write the levels of all particles that edges join to a first one, which has `level`. Return the last particle found."""
    front = np.array([first])
    levels[first] = level
    while True:
        found = distinct(others[rows_around(begins, front)[0]])
        found = found[levels[found] < 0]
        if not len(found):
            return int(front[0])
        level += 1
        levels[found] = level
        front = found


def levels_of(pairs: np.ndarray, count: int) -> np.ndarray:
    """The level of each particle, int64 (count,), from an outermost one on. Parts that no edge joins follow each other."""
    begins, others = neighbours_of(pairs, count)
    levels, next_level = np.full(count, -1), 0
    for particle in range(count):
        if levels[particle] < 0:
            outermost = spread(begins, others, particle, levels.copy(), next_level)
            spread(begins, others, outermost, levels, next_level)
            next_level = int(levels.max()) + 1
    return levels


def strips_of(pairs: np.ndarray, count: int) -> np.ndarray:
    """The strip of each particle, int64 (count,)."""
    if count < 2 * STRIP_PARTICLES:
        return np.zeros(count, np.int64)
    levels = levels_of(pairs, count)
    sizes = np.bincount(levels)
    strip_of_level, strip, particles, level_count, left = np.zeros(len(sizes), np.int64), 0, 0, 0, count
    for level, size in enumerate(sizes.tolist()):
        is_full = particles >= STRIP_PARTICLES and level_count >= LEAST_LEVELS
        if is_full and left >= STRIP_PARTICLES and len(sizes) - level >= LEAST_LEVELS:
            strip, particles, level_count = strip + 1, 0, 0
        strip_of_level[level] = strip
        particles, level_count, left = particles + size, level_count + 1, left - size
    return strip_of_level[levels]


def in_clusters(positions: np.ndarray, chosen: np.ndarray) -> list[np.ndarray]:
    """Particles in groups of at most CLUSTER_PARTICLES that lie near each other: halved along their longest side again and
    again."""
    if len(chosen) <= CLUSTER_PARTICLES:
        return [np.sort(chosen)]
    own = positions[chosen]
    axis = int(np.argmax(own.max(axis=0) - own.min(axis=0)))
    parts = -(-len(chosen) // CLUSTER_PARTICLES)
    order, half = np.argsort(own[:, axis], kind="stable"), parts // 2 * len(chosen) // parts
    return in_clusters(positions, chosen[order[:half]]) + in_clusters(positions, chosen[order[half:]])


@entry_point("void(int64, int64, int64, int64, int64)")
def find_colours(rows_address, row_count, width, taken_address, colours_address):
    """Give each row of particles, int64 (row_count, width), the first colour that no row with one of its particles has. `taken`:
    int64 by particle, zeros; the colours are int64 by row. The last colour is for rows that find none free."""
    rows, colours = view2(rows_address, row_count, width, INT64), view(colours_address, row_count, INT64)
    taken = view(taken_address, INT64(1) << 40, INT64)
    for k in range(row_count):
        used, colour = INT64(0), INT64(0)
        for i in range(width):
            used |= taken[rows[k, i]]
        while colour < MOST_COLOURS - 1 and used >> colour & 1:
            colour += 1
        for i in range(width):
            taken[rows[k, i]] |= INT64(1) << colour
        colours[k] = colour


def colours_of(rows: np.ndarray, is_between: np.ndarray, particle_count: int) -> np.ndarray:
    """The colours, int64 (k,), of edges (k, 2) or triangles (k, 3) within strips, and of those between: two of one colour share
    no particle, but of the last colour. So the processor need not wait for what the one before has written."""
    colours = np.zeros(len(rows), np.int64)
    for chosen in (~is_between, is_between):
        own = np.ascontiguousarray(rows[chosen], np.int64)
        taken, found = np.zeros(max(particle_count, 1), np.int64), np.zeros(len(own), np.int64)
        find_colours(address_of(own), len(own), rows.shape[1], address_of(taken), address_of(found))
        colours[chosen] = found
    return colours


@dataclass(frozen=True)
class Parts:
    """Strips of a soft body, and what is in them."""

    order: np.ndarray
    """The particle at each place, int32 (n,): strip by strip, cluster by cluster."""
    strips: np.ndarray
    """STRIP."""
    clusters: np.ndarray
    """CLUSTER, strip by strip."""
    edge_order: np.ndarray
    """Numbers of the edges in the order in which they are solved, int64 (edges,)."""
    fours: np.ndarray
    """FOUR_EDGES."""
    ranges: np.ndarray
    """EDGE_RANGE of each of these."""
    face_order: np.ndarray
    """Numbers of the triangles: those within strips, by strip and colour; then those between."""


def fours_of(parts: np.ndarray, colours: np.ndarray, ends: np.ndarray, spares: np.ndarray) -> tuple[np.ndarray, ...]:
    """FOUR_EDGES of edges in their order, EDGE_RANGE and the part of each row. Edges of a row have one part and one colour; free
    lanes are at the spare place of the part. `ends`: the places of the edges, int64 (k, 2)."""
    starts = np.flatnonzero(np.r_[True, (np.diff(parts) != 0) | (np.diff(colours) != 0)]) if len(parts) else np.zeros(0, int)
    begins: list[int] = []
    counts: list[int] = []
    for begin, end in pairwise([*starts.tolist(), len(parts)]):
        step = 4 if colours[begin] < MOST_COLOURS - 1 else 1
        begins += range(begin, end, step)
        counts += [min(step, end - at) for at in range(begin, end, step)]
    rows, ranges = np.zeros(len(begins), FOUR_EDGES), np.zeros(len(begins), EDGE_RANGE)
    first, count = np.array(begins, np.int64), np.array(counts, np.int64)
    ranges["first"], ranges["count"], rows["ease"] = first, count, np.inf
    for lane in range(4):
        is_used = lane < count
        edge = np.where(is_used, first + lane, first)
        for side, name in enumerate("ab"):
            rows[name][:, lane] = np.where(is_used, ends[edge, side], spares[parts[first]])
    return rows, ranges, parts[first]


def parted(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The begins and ends of the parts 0 to `count - 1` in ascending values."""
    return np.searchsorted(values, np.arange(count), "left"), np.searchsorted(values, np.arange(count), "right")


def part(positions: np.ndarray, pairs: np.ndarray, triangles: np.ndarray) -> Parts:
    """Divide a soft body of positions (n, 3), edges (k, 2) and triangles (m, 3) into strips."""
    n = len(positions)
    strip_of = strips_of(pairs, n)
    count = int(strip_of.max()) + 1
    strips, orders, clusters, place = np.zeros(count, STRIP), [], [], 0
    for number in range(count):
        strips[number]["place_begin"], strips[number]["cluster_begin"] = place, len(clusters)
        for group in in_clusters(positions, np.flatnonzero(strip_of == number)):
            orders.append(group)
            clusters.append((place, place + len(group)))
            place += len(group)
        strips[number]["place_end"], strips[number]["cluster_end"] = place, len(clusters)
    order = np.concatenate(orders)
    place_of = np.empty(n, np.int64)
    place_of[order] = np.arange(n)

    own = strip_of[pairs] if len(pairs) else np.zeros((0, 2), np.int64)
    between = own[:, 0] != own[:, 1]
    part_of = own.min(axis=1) + count * between
    colours = colours_of(pairs, between, n)
    edge_order = np.lexsort((np.arange(len(pairs)), colours, part_of))
    fours, ranges, four_parts = fours_of(
        part_of[edge_order], colours[edge_order], place_of[pairs[edge_order]].reshape(-1, 2), n + np.arange(2 * count)
    )
    begins, ends = parted(four_parts, 2 * count)
    strips["own_begin"], strips["own_end"] = begins[:count], ends[:count]
    strips["next_begin"], strips["next_end"] = begins[count:], ends[count:]

    corners = strip_of[triangles] if len(triangles) else np.zeros((0, 3), np.int64)
    is_between = corners.min(axis=1) != corners.max(axis=1)
    face_part = corners.min(axis=1) + count * is_between
    face_order = np.lexsort((np.arange(len(triangles)), colours_of(triangles, is_between, n), face_part))
    begins, ends = parted(face_part[face_order], 2 * count)
    strips["face_begin"], strips["face_end"] = begins[:count], ends[:count]
    strips["next_face_begin"], strips["next_face_end"] = begins[count:], ends[count:]
    rows = np.zeros(len(clusters), CLUSTER)
    rows["begin"], rows["end"] = np.array(clusters).T
    return Parts(order.astype(np.int32), strips, rows, edge_order, fours, ranges, face_order)
