"""Worlds of any size: static bodies are baked into files, one for each tile of ground, and the tiles around viewers are loaded
and unloaded while the game steps. docs/streaming.md says how."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..streaming import baking, planner
from ..streaming.streaming_world import Streaming as CoreStreaming
from ..streaming.streaming_world import StreamingSettings
from ..streaming.tile_file import TileDamaged
from ..streaming.wanted import Ranges, Viewer
from .arrays import NO_TURN, Floats, Vector, Vectors, errors_of_call, rotations, rows, vector
from .materials import Layers, Material
from .new_bodies import DEFAULT_MATERIAL
from .shapes import Compound, Shape
from .space import Space

EVENTS = {
    planner.TILE_LOADED: "tile loaded", planner.TILE_UNLOADED: "tile unloaded", planner.TILE_LEVEL: "tile level",
    planner.TILE_FAILED: "tile failed", planner.SCENE_ACTIVATED: "scene activated",
    planner.SCENE_DEACTIVATED: "scene deactivated",
}  # fmt: skip
"""Names of what happens to tiles and scenes."""


class Bake:
    """Collects static bodies and scenes, and writes them as square tiles with sides of `tile_size` [m]. `layers`: those of the
    world that will load them. One thread at a time may use it. Raises ValueError."""

    def __init__(self, tile_size: float = 256.0, layers: Layers | None = None) -> None:
        self._bake, self._layers = baking.Bake(tile_size), layers or Layers()

    def add_static(
        self, shape: Shape, position: Vector, rotation: Vector = NO_TURN, *, material: Material = DEFAULT_MATERIAL,
        layer: str | None = None,
    ) -> None:  # fmt: skip
        """Add a static body at `position` [m] (3,) with `rotation`, a unit quaternion x, y, z, w (4,), in the first layer or the
        one named. Raises ValueError for a shape that tiles cannot hold (compounds, custom shapes, structures) and for a body
        larger than a tile."""
        self._add("add_static", shape, vector("add_static", "position", position)[None], rotation, material, layer)

    def add_static_many(
        self, shape: Shape, positions: Vectors, rotations: Vectors = NO_TURN, *, material: Material = DEFAULT_MATERIAL,
        layer: str | None = None,
    ) -> None:  # fmt: skip
        """Add static bodies of one shape at `positions` [m] (n, 3) with `rotations`, unit quaternions x, y, z, w (n, 4) or (4,)
        for all. The rest is as in `add_static`."""
        places = rows("add_static_many", "positions", positions, len(np.atleast_2d(np.asarray(positions))))
        self._add("add_static_many", shape, places, rotations, material, layer)

    def _add(self, call: str, shape: Shape, places: Floats, turns: Vectors, material: Material, layer: str | None) -> None:
        if isinstance(shape, Compound):
            raise ValueError(f"{call}: tiles hold no compounds: add a body for each part")
        words = self._layers.table.words(self._layers.number(call, self._layers.names[0] if layer is None else layer))
        with errors_of_call(call):
            number = self._bake.add_shape(shape._settings.checked(*shape._arguments()))
            numbers = np.full(len(places), number)
            self._bake.add_bodies(places, numbers, rotations(call, turns, len(places)), *words[:2], *material.signed())

    def add_scene(self, name: str, position: Vector, encounter_radius: float = 125.0, activation_radius: float = 200.0) -> None:
        """Add a scene: a viewer nearer to `position` [m] (3,) than `activation_radius` [m] activates it, and all tiles within
        `encounter_radius` [m] are loaded before. Raises ValueError."""
        with errors_of_call("add_scene"):
            place = vector("add_scene", "position", position).tolist()
            self._bake.add_scene(name, place, encounter_radius, activation_radius)

    def write(self, folder: Path | str) -> dict[str, int]:
        """Write the tiles and their index into a folder. Files that are up to date stay, others go. Returns how many were
        written, kept and removed, their bytes, and the number of bodies; no quantities. Raises OSError."""
        return dict(self._bake.write(Path(folder)))


@dataclass(frozen=True)
class StreamEvent:
    """An event of a tile or a scene: `kind` is one of "tile loaded", "tile unloaded", "tile level", "tile failed", "scene
    activated" and "scene deactivated"; `tile` its column and row, `level` its level of detail, or `scene` its name; no
    quantities."""

    kind: str
    tile: tuple[int, int] | None
    level: int
    scene: str


class Streaming:
    """Loads and unloads the tiles of a folder around viewers, in a `with` block. `space`: where the bodies go; `ranges`: how far
    tiles are loaded [m]; `budget` [s]: how long a call of `update` may work. One thread calls it, the one that steps.

    Raises ValueError for a folder without a readable index. `errors` has a line for each tile that could not be read."""

    def __init__(self, space: Space, folder: Path | str, ranges: Ranges | None = None, budget: float = 100e-6) -> None:
        self.core: Any = _core_of(space, folder, StreamingSettings(ranges or Ranges(), budget))
        """The core's `Streaming`, for experts."""

    def __enter__(self) -> "Streaming":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    @property
    def errors(self) -> list[str]:
        """A line for each tile that could not be read; no quantities."""
        return list(self.core.errors)

    def update(self, viewers: Sequence[Viewer]) -> None:
        """Say where viewers are ([m], [m/s]), and put tiles in and take tiles out, for at most the budget [s]. Call it before
        each step. Raises ValueError for numbers that are not finite and for too many viewers."""
        self.core.update(viewers)

    def wait_until_idle(self, viewers: Sequence[Viewer], timeout: float = 60.0) -> None:
        """Update until all tiles that these viewers ([m], [m/s]) want are in. Raises TimeoutError after `timeout` [s]."""
        self.core.wait_until_idle(viewers, timeout)

    def events(self) -> Iterator[StreamEvent]:
        """Take the events since the last call, the oldest first; no quantities. A scene that is deactivated counts as left when
        the next event is taken: free what belongs to it in the loop."""
        for event in self.core.events():
            yield StreamEvent(EVENTS[event.kind], event.tile, event.level, event.scene)

    def figures(self) -> dict[str, float]:
        """Figures by name: tiles and bodies that are in and wait, no unit; times in [ms] and [us], as their names say."""
        return dict(self.core.figures())

    def close(self) -> None:
        """Take all tiles out and stop the threads. Any thread may call, no step may run."""
        self.core.close()


def _core_of(space: Space, folder: Path | str, settings: StreamingSettings) -> CoreStreaming:
    try:
        return CoreStreaming(space.core, space.id, Path(folder), settings)
    except TileDamaged as error:
        raise ValueError(f"Streaming: {error}") from error
