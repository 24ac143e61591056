"""Which tiles should be loaded for viewers at given positions and speeds. Pure functions of numbers; no state, no engine.

A tile is `(x, z)`: the square from `x * size` to `(x + 1) * size` [m], all heights. The ranges are those of the talk on the
streaming of Horizon Forbidden West: 3 x 3 full tiles around the viewer, a ring of medium ones, one more row in the viewer's
heading, and low tiles without collision beyond.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

Tile = tuple[int, int]
Heading = tuple[int, int]
FULL, MEDIUM, LOW, NONE = range(4)
LEVEL_NAMES = ("full", "medium", "low", "none")
STRAIGHT = (0, 0)
"""The heading of a viewer that hardly moves."""
CACHE_SIZE = 64
"""The number of cached answers: viewers ask many times a second and cross a border now and then."""


@dataclass(frozen=True)
class Ranges:
    """The range of each level. Lengths in [m], speeds in [m/s], rings in tiles around the viewer's own."""

    tile_size: float = 256.0
    full_ring: int = 1
    medium_ring: int = 2
    rows_ahead: int = 1
    low_ring: int = 5
    hysteresis: float = 32.0  # how far beyond a border a viewer must be before tiles are dropped
    heading_speed: float = 3.0  # slower viewers have no row ahead
    heading_hysteresis: float = 1.3  # how much faster the other axis must be before the heading turns to it

    def __post_init__(self):
        if not (math.isfinite(self.tile_size) and self.tile_size > 0.0):
            raise ValueError(f"Ranges: tile_size must be above 0, got {self.tile_size}")
        if not 0 <= self.full_ring <= self.medium_ring <= self.low_ring or self.rows_ahead < 0:
            raise ValueError(
                "Ranges: rings must grow from full to medium to low, got "
                f"{self.full_ring}, {self.medium_ring}, {self.low_ring} and {self.rows_ahead} rows ahead"
            )
        if not 0.0 <= self.hysteresis < 0.5 * self.tile_size:
            raise ValueError(f"Ranges: hysteresis must be from 0 to half a tile, got {self.hysteresis}")

    def over_tiles(self, tile_size: float) -> "Ranges":
        """Ranges over tiles of this size [m], otherwise the same; the hysteresis is at most a quarter of a tile."""
        return replace(self, tile_size=tile_size, hysteresis=min(self.hysteresis, 0.25 * tile_size))


@dataclass(frozen=True)
class Viewer:
    """A viewer: a position [m] and a velocity [m/s] on the ground."""

    x: float
    z: float
    velocity_x: float = 0.0
    velocity_z: float = 0.0


def tile_at(x: float, z: float, size: float) -> Tile:
    """The tile that a position lies in."""
    return math.floor(x / size), math.floor(z / size)


def heading_of(viewer: Viewer, before: Heading, ranges: Ranges) -> Heading:
    """The axis a viewer moves along, +-1. `before` is its previous heading, so that it does not flicker on a diagonal."""
    x, z = viewer.velocity_x, viewer.velocity_z
    if max(abs(x), abs(z)) < ranges.heading_speed:
        return STRAIGHT
    favour_x, favour_z = (ranges.heading_hysteresis if before[0] else 1.0), (ranges.heading_hysteresis if before[1] else 1.0)
    if abs(x) * favour_x >= abs(z) * favour_z:
        return (1 if x > 0.0 else -1), 0
    return 0, (1 if z > 0.0 else -1)


def square(tile: Tile, ring: int) -> Iterator[Tile]:
    """All tiles within `ring` of a tile."""
    for x in range(tile[0] - ring, tile[0] + ring + 1):
        for z in range(tile[1] - ring, tile[1] + ring + 1):
            yield x, z


def row_ahead(tile: Tile, heading: Heading, ranges: Ranges) -> Iterator[Tile]:
    """The rows ahead of the medium ring, as wide as the full tiles."""
    if heading == STRAIGHT:
        return
    for step in range(ranges.medium_ring + 1, ranges.medium_ring + 1 + ranges.rows_ahead):
        for side in range(-ranges.full_ring, ranges.full_ring + 1):
            yield (
                tile[0] + heading[0] * step + heading[1] * side,
                tile[1] + heading[1] * step + heading[0] * side,
            )


@lru_cache(CACHE_SIZE)
def wanted_at(own: Tile, heading: Heading, ranges: Ranges) -> Mapping[Tile, int]:
    """The level of each tile that a viewer in a tile wants. Cached: do not change it."""
    wanted = {tile: MEDIUM for tile in row_ahead(own, heading, ranges)}
    for tile in square(own, ranges.medium_ring):
        is_near = max(abs(tile[0] - own[0]), abs(tile[1] - own[1])) <= ranges.full_ring
        wanted[tile] = FULL if is_near else MEDIUM
    return MappingProxyType(wanted)


def wanted_by(viewer: Viewer, heading: Heading, ranges: Ranges) -> Mapping[Tile, int]:
    """The level of each tile with collision that one viewer wants: 28 tiles with the usual ranges, 25 at rest."""
    return wanted_at(tile_at(viewer.x, viewer.z, ranges.tile_size), heading, ranges)


@lru_cache(CACHE_SIZE)
def kept_at(low: Tile, high: Tile, heading: Heading, ranges: Ranges) -> Mapping[Tile, int]:
    """The level of each tile that any viewer from tile `low` to tile `high` wants."""
    return MappingProxyType(merged(wanted_at((x, z), heading, ranges) for x in {low[0], high[0]} for z in {low[1], high[1]}))


def kept_by(viewer: Viewer, heading: Heading, ranges: Ranges) -> Mapping[Tile, int]:
    """The level of each tile to keep if loaded: all that the viewer would want anywhere within the hysteresis."""
    reach, size = ranges.hysteresis, ranges.tile_size
    low, high = tile_at(viewer.x - reach, viewer.z - reach, size), tile_at(viewer.x + reach, viewer.z + reach, size)
    return kept_at(low, high, heading, ranges)


@lru_cache(CACHE_SIZE)
def low_at(own: Tile, ring: int) -> tuple[Tile, ...]:
    """The tiles that are shown at least at the low level to a viewer in a tile."""
    return tuple(square(own, ring))


def low_by(viewer: Viewer, ranges: Ranges) -> tuple[Tile, ...]:
    """The tiles that are shown at least at the low level."""
    return low_at(tile_at(viewer.x, viewer.z, ranges.tile_size), ranges.low_ring)


def merged(of_each: Iterable[Mapping[Tile, int]]) -> dict[Tile, int]:
    """The wishes of several viewers together: the best level of each tile."""
    together: dict[Tile, int] = {}
    for wanted in of_each:
        for tile, level in wanted.items():
            together[tile] = min(level, together.get(tile, NONE))
    return together


def distance_to_tile(x: float, z: float, tile: Tile, size: float) -> float:
    """Distance from a position to the nearest point of a tile [m]."""
    away_x = max(tile[0] * size - x, x - (tile[0] + 1) * size, 0.0)
    away_z = max(tile[1] * size - z, z - (tile[1] + 1) * size, 0.0)
    return math.hypot(away_x, away_z)


def tiles_under(x: float, z: float, radius: float, size: float) -> list[Tile]:
    """The tiles that a circle touches."""
    low, high = tile_at(x - radius, z - radius, size), tile_at(x + radius, z + radius, size)
    return [
        (tile_x, tile_z)
        for tile_x in range(low[0], high[0] + 1)
        for tile_z in range(low[1], high[1] + 1)
        if distance_to_tile(x, z, (tile_x, tile_z), size) <= radius
    ]
