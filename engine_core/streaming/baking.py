"""Baking: bodies with shapes, anywhere in the world, cut into tiles and written as tile files.

    bake = Bake(tile_size=256.0)
    rock = bake.add_shape(settings.Hull.checked(points))
    bake.add_body((120.0, 3.0, 40.0), rock)
    bake.write(folder)

Equal shapes are cooked once and stored once a tile. A body belongs to the tile that its origin lies in. A body larger than a tile
is refused, since it would be loaded too late: split it. Unchanged tiles are not written again.
"""

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ..batches.body_batches import NEW_BODY, NEW_SHAPE
from ..runtime.distinct import distinct
from ..shapes.schema import COMPOUND, CUSTOM, STRUCTURE
from . import tile_file
from .tile_limits import LARGEST, LARGEST_PLACE, LARGEST_TURN_ERROR
from .wanted import Tile, tile_at

INDEX = "tiles.json"
INDEX_VERSION = 1
MOST_UNDER_SCENES = 1 << 22
"""Limit on the tiles under the encounter areas of all scenes together, which are listed when the world is opened."""
NO_TURN = (0.0, 0.0, 0.0, 1.0)


class Bake:
    """Collects bodies and scenes; `write` makes the files."""

    def __init__(self, tile_size: float = 256.0):
        if not 0.0 < tile_size <= LARGEST:
            raise ValueError(f"Bake: tile_size must be above 0 and at most {LARGEST:g}, got {tile_size}")
        self.tile_size = tile_size
        self._cooked: list = []
        self._digests: list[bytes] = []
        self._by_digest: dict[bytes, int] = {}
        self._tiles: dict[Tile, list] = {}
        self.scenes: list[dict] = []
        self.body_count = 0

    def add_shape(self, settings) -> int:
        """Add a shape from its settings (`shapes.settings`) and return its number. Equal shapes get the same number."""
        return self.add_cooked(settings.cook())

    def add_cooked(self, cooked) -> int:
        """Add a cooked shape and return its number. Raises ValueError for a static compound (bake its parts as shapes of the
        body), for a custom shape, whose function is code, and for a structure."""
        if cooked.kind == COMPOUND:
            raise ValueError("add_cooked: tiles hold no static compounds: give the body its parts as shapes")
        if cooked.kind == CUSTOM:
            raise ValueError("add_cooked: tiles hold no custom shapes: their function is code, leave the body in the game")
        if cooked.kind == STRUCTURE:
            raise ValueError("add_cooked: tiles hold no structures: their bricks are edited in place, leave the body in the game")
        rows, blocks = tile_file.shape_rows([cooked])
        digest = hashlib.blake2b(rows.tobytes() + blocks, digest_size=16).digest()
        if digest not in self._by_digest:
            self._by_digest[digest] = len(self._cooked)
            self._cooked.append(cooked)
            self._digests.append(digest)
        return self._by_digest[digest]

    def add_body(
        self, position: Sequence[float], shapes, rotation: Sequence[float] = NO_TURN, layer: int = 1, mask: int = 1,
        friction: float = 1.0, restitution: float = 0.0, surface_velocity: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> Tile:  # fmt: skip
        """Add a static body at a position [m] and rotation (x, y, z, w), and return its tile. `shapes`: the number of a shape, or
        a list of (number, position, rotation). Raises ValueError for numbers that are not finite and for a body larger than its
        tile."""
        parts = [(shapes, (0.0, 0.0, 0.0), NO_TURN)] if isinstance(shapes, int) else list(shapes)
        numbers = [*position, *rotation, *(n for _, place, turn in parts for n in (*place, *turn))]
        if not all(map(math.isfinite, numbers)):
            raise ValueError(f"add_body: positions and rotations must be finite, got {list(position)} and {list(rotation)}")
        if not all(map(math.isfinite, (friction, restitution, *surface_velocity))):
            raise ValueError(f"add_body: the surface must be finite, got {friction}, {restitution} and {list(surface_velocity)}")
        for turn in (rotation, *(turn for _, _, turn in parts)):
            if abs(sum(c * c for c in turn) - 1.0) > LARGEST_TURN_ERROR:
                raise ValueError(f"add_body: rotations must be unit quaternions, got {list(turn)}")
        reach = max((self._reach(number, place) for number, place, _ in parts), default=0.0)
        if reach > self.tile_size:
            raise ValueError(
                f"add_body: the body at {[float(c) for c in position]} reaches {reach:.0f} m, more than a tile of "
                f"{self.tile_size:.0f} m: cut it"
            )
        body, used = np.zeros(1, NEW_BODY), np.zeros(len(parts), NEW_SHAPE)
        body["position"], body["rotation"], body["shape_count"] = position, rotation, len(parts)
        body["collision_layer"], body["collision_mask"] = layer & 0xFFFFFFFF, mask & 0xFFFFFFFF
        body["friction"], body["restitution"], body["surface_linear_velocity"] = friction, restitution, surface_velocity
        for row, (number, place, turn) in zip(used, parts, strict=True):
            row["shape"], row["position"], row["rotation"] = number, place, turn
        tile = tile_at(float(position[0]), float(position[2]), self.tile_size)
        self._tiles.setdefault(tile, []).append((body, used))
        self.body_count += 1
        return tile

    def add_bodies(
        self, positions, shapes, rotations=None, layer: int = 1, mask: int = 1, friction: float = 1.0, restitution: float = 0.0
    ) -> None:
        """Add many bodies of one shape each: `positions` (n, 3) [m], `shapes` (n,) numbers, `rotations` (n, 4)."""
        positions = np.asarray(positions, np.float64).reshape(-1, 3)
        bodies, used = np.zeros(len(positions), NEW_BODY), np.zeros(len(positions), NEW_SHAPE)
        bodies["position"], bodies["rotation"] = positions, NO_TURN if rotations is None else rotations
        bodies["shape_count"], bodies["friction"], bodies["restitution"] = 1, friction, restitution
        bodies["collision_layer"], bodies["collision_mask"] = layer & 0xFFFFFFFF, mask & 0xFFFFFFFF
        used["shape"], used["rotation"] = shapes, NO_TURN
        if not (np.isfinite(positions).all() and np.isfinite(bodies["rotation"]).all()):
            raise ValueError("add_bodies: positions and rotations must be finite")
        if (np.abs(np.square(bodies["rotation"]).sum(1) - 1.0) > LARGEST_TURN_ERROR).any():
            raise ValueError("add_bodies: rotations must be unit quaternions")
        if len(used) and max(self._reach(number, 0.0) for number in distinct(used["shape"]).tolist()) > self.tile_size:
            raise ValueError(f"add_bodies: a shape reaches over more than a tile of {self.tile_size:.0f} m: cut it")
        tiles = np.floor(positions[:, [0, 2]] / self.tile_size).astype(np.int64)
        for tile in distinct(tiles, axis=0):
            mine = (tiles == tile).all(1)
            self._tiles.setdefault((int(tile[0]), int(tile[1])), []).append((bodies[mine], used[mine]))
        self.body_count += len(positions)

    def _reach(self, number: int, place) -> float:
        bounds = np.asarray(self._cooked[number].fields.get("bounds", [0.0] * 6), np.float64)
        return float(np.abs(bounds).max() + np.abs(np.asarray(place)).max())

    def add_scene(self, name: str, position: Sequence[float], encounter_radius=125.0, activation_radius=200.0, path="") -> None:
        """Add a scene: the game activates what `path` names when a viewer is near `position`. Raises ValueError."""
        if any(scene["name"] == name for scene in self.scenes):
            raise ValueError(f"add_scene: there is a scene {name!r} already")
        if not (all(map(math.isfinite, position)) and 0.0 <= encounter_radius <= LARGEST and 0.0 <= activation_radius <= LARGEST):
            raise ValueError(f"add_scene: the place and the radii of {name!r} must be finite, and no radius negative")
        self.scenes.append({
            "name": name, "position": [float(c) for c in position], "encounter_radius": float(encounter_radius),
            "activation_radius": float(activation_radius), "path": path,
        })  # fmt: skip

    def tiles(self) -> list[Tile]:
        """The tiles that are not empty."""
        return sorted(self._tiles)

    def _arrays(self, tile: Tile):
        """Return a tile's bodies, relative to its origin, and the shapes they use."""
        origin = np.array([tile[0] * self.tile_size, 0.0, tile[1] * self.tile_size])
        new = np.concatenate([bodies for bodies, _ in self._tiles[tile]])
        used = np.concatenate([shapes for _, shapes in self._tiles[tile]])
        new["position"] -= origin
        new["first_shape"] = np.cumsum(new["shape_count"]) - new["shape_count"]
        numbers, used["shape"] = np.unique(used["shape"], return_inverse=True)
        return origin, new, used, numbers.tolist()

    def encode(self, tile: Tile) -> tuple[bytes, str]:
        """Return the bytes of a tile's file, and the digest of its source data."""
        origin, new, used, numbers = self._arrays(tile)
        digest = hashlib.blake2b(digest_size=16)
        for part in (new.tobytes(), used.tobytes(), *(self._digests[n] for n in numbers), str(tile_file.LAYOUT).encode()):
            digest.update(part)
        source = {"digest": digest.hexdigest()}
        data = tile_file.encode(tile, origin, new, used, [self._cooked[n] for n in numbers], source)
        return data, digest.hexdigest()

    def write(self, folder: Path, report: Callable[[int, int, str], None] = lambda done, total, name: None) -> dict:
        """Write all tiles and the index into a folder. Unchanged files stay, files of tiles that no longer exist are removed.

        `report(done, total, name)` is called for each. Return how many were written, kept and removed, and their bytes."""
        folder.mkdir(parents=True, exist_ok=True)
        result = {"written": 0, "kept": 0, "removed": 0, "bytes": 0, "bodies": self.body_count}
        names = {}
        for done, tile in enumerate(self.tiles()):
            name = tile_file.tile_name(tile)
            report(done, len(self._tiles), name)
            data, digest = self.encode(tile)
            names[name] = {"digest": digest, "bodies": sum(len(bodies) for bodies, _ in self._tiles[tile])}
            if _digest_of(folder / name) == digest:
                result["kept"] += 1
            else:
                tile_file.write_whole(folder / name, data)
                result["written"] += 1
            result["bytes"] += len(data)
        self._write_index(folder, names)
        for path in folder.glob(f"*{tile_file.SUFFIX}"):
            if path.name not in names:
                path.unlink()
                result["removed"] += 1
        for path in folder.glob(".*.unfinished"):
            path.unlink(missing_ok=True)  # left by a bake that was killed
        report(len(self._tiles), len(self._tiles), INDEX)
        return result

    def _write_index(self, folder: Path, names: dict) -> None:
        index = {"version": INDEX_VERSION, "tile_size": self.tile_size, "tiles": names, "scenes": self.scenes}
        tile_file.write_whole(folder / INDEX, json.dumps(index, indent=1, sort_keys=True).encode())


def _digest_of(path: Path) -> str:
    """Digest of the source data of a good tile file; empty if the file is missing or damaged."""
    try:
        return tile_file.read(path).source.get("digest", "")
    except tile_file.TileDamaged:
        return ""


def read_index(folder: Path | tile_file.Place) -> dict:
    """Read the index of a folder of tiles. Raises TileDamaged, which names the file."""
    path = folder / INDEX
    try:
        index = json.loads(path.read_bytes())
        if index["version"] != INDEX_VERSION:
            raise tile_file.TileDamaged(f"the index {path} is of version {index['version']}, not {INDEX_VERSION}: bake it again")
        _check_index(index)
        return index
    except OSError as error:
        raise tile_file.TileDamaged(f"the index {path} cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise tile_file.TileDamaged(f"the index {path} is damaged: {error!r}") from error


def _check_index(index: dict) -> None:
    """Check whether an index may be used. Raises ValueError, KeyError, TypeError or OverflowError."""
    size = index["tile_size"]
    if not 0.0 < size <= LARGEST or not isinstance(index["tiles"], dict) or not isinstance(index["scenes"], list):
        raise ValueError("it lacks its entries")
    for name in index["tiles"]:
        tile = tile_file.tile_of_name(name)
        if tile is None or max(map(abs, tile)) >= 1 << 31:
            raise ValueError(f"{name!r} is no tile")
    under = 0.0
    for scene in index["scenes"]:
        name, place, reach, around = (scene[key] for key in ("name", "position", "encounter_radius", "activation_radius"))
        if not isinstance(name, str) or not isinstance(scene.get("path", ""), str) or len(place) != 3:
            raise ValueError(f"the scene {name!r} lacks its entries")
        if not (all(abs(c) <= LARGEST_PLACE for c in place) and 0.0 <= reach <= LARGEST and 0.0 <= around <= LARGEST):
            raise ValueError(f"the scene {name!r} has a number that is not finite, too large or negative")
        under += (2.0 * reach / size + 2.0) ** 2
    if under > MOST_UNDER_SCENES:
        raise ValueError(f"its scenes lie on {under:.0f} tiles, more than {MOST_UNDER_SCENES}")
