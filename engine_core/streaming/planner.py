"""A plan of what to load, cancel and unload next, and which scenes may be active: a state machine over tiles and scenes that is
independent of the engine. The loader reports to it with `tile_is_in`, `tile_is_out` and `tile_failed`.

A scene has an encounter area, where its script moves and spawns freely. All collision under that area must be loaded before the
scene is active, and stays until the scene has been left. A scene should be active while a viewer is within the activation radius
of the area; it is left when the viewer is some distance beyond.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .wanted import (
    LOW, MEDIUM, NONE, STRAIGHT, Heading, Ranges, Tile, Viewer, distance_to_tile, heading_of, kept_by, low_by, merged,
    tiles_under, wanted_by,
)  # fmt: skip

REQUESTED, IN, LEAVING, FAILED = "requested", "in", "leaving", "failed"
DORMANT, PREPARING, ACTIVE, BEING_LEFT = "dormant", "preparing", "active", "being left"
TILE_LOADED, TILE_UNLOADED, TILE_LEVEL, TILE_FAILED, SCENE_ACTIVATED, SCENE_DEACTIVATED = range(1, 7)


@dataclass(frozen=True)
class Scene:
    """A scene of the world. Radii in [m]."""

    name: str
    x: float
    z: float
    encounter_radius: float = 125.0
    activation_radius: float = 200.0  # from the edge of the encounter area

    def __post_init__(self):
        if not (self.encounter_radius >= 0.0 and self.activation_radius >= 0.0):
            raise ValueError(
                f"Scene {self.name}: radii must be at least 0, got {self.encounter_radius} and {self.activation_radius}"
            )


@dataclass
class Plan:
    """The result of one update. `load`: new tiles, nearest first. `give_up`: tiles that were requested and are no longer wanted.
    `unload`: loaded tiles that are no longer wanted."""

    load: list[Tile] = field(default_factory=list)
    give_up: list[Tile] = field(default_factory=list)
    unload: list[Tile] = field(default_factory=list)
    levels: list[tuple[Tile, int]] = field(default_factory=list)  # changed: LOW and NONE too
    activated: list[str] = field(default_factory=list)
    deactivated: list[str] = field(default_factory=list)


class Planner:
    """The tiles and scenes of one world. `exists(tile)`: whether it has a file; a tile without one counts as loaded."""

    SCENE_HYSTERESIS = 0.15
    """A scene is left this fraction of its activation radius beyond the distance at which it becomes active."""
    LEAD = 64.0
    """How much earlier the collision under a scene is requested [m]; medium tiles are loaded long before."""

    def __init__(self, ranges: Ranges, scenes: Iterable[Scene] = (), exists=lambda tile: True):
        self.ranges, self._exists = ranges, exists
        self.scenes = {scene.name: scene for scene in scenes}
        self._scene_list = list(self.scenes.values())
        self._places = np.array([(s.x, s.z) for s in self._scene_list]).reshape(-1, 2)
        self._encounters = np.array([s.encounter_radius for s in self._scene_list])
        self._activations = np.array([s.activation_radius for s in self._scene_list])
        self.scene_states = dict.fromkeys(self.scenes, DORMANT)
        self._under = {
            s.name: [t for t in tiles_under(s.x, s.z, s.encounter_radius, ranges.tile_size) if exists(t)]
            for s in self._scene_list
        }
        self.tiles: dict[Tile, str] = {}
        self.levels: dict[Tile, int] = {}
        self.wanted: dict[Tile, int] = {}
        self._headings: list[Heading] = []
        self._awake_scenes: set[str] = set()
        self._levels_asked: tuple = ()  # the input of the current levels

    def tiles_under_scene(self, name: str) -> list[Tile]:
        """The tiles whose collision a scene needs."""
        return self._under[name]

    def update(self, viewers: Sequence[Viewer]) -> Plan:
        """Plan the next steps for viewers at these positions."""
        plan = Plan()
        before = self._headings + [STRAIGHT] * (len(viewers) - len(self._headings))
        self._headings = [heading_of(v, h, self.ranges) for v, h in zip(viewers, before, strict=False)]
        pairs = list(zip(viewers, self._headings, strict=True))
        wanted = merged(wanted_by(v, h, self.ranges) for v, h in pairs)
        kept = merged(kept_by(v, h, self.ranges) for v, h in pairs)
        self._update_scenes(viewers, plan, wanted, kept)
        self.wanted = wanted = {tile: level for tile, level in wanted.items() if self._exists(tile)}
        for tile in wanted:
            if tile not in self.tiles:
                self.tiles[tile] = REQUESTED
                plan.load.append(tile)
        for tile in [tile for tile in self.tiles if tile not in kept and tile not in wanted]:
            self._let_go(tile, plan)
        self._update_levels(viewers, plan, wanted, kept)
        plan.load.sort(key=lambda tile: (self.distance(tile, viewers), tile))
        return plan

    def distance(self, tile: Tile, viewers: Sequence[Viewer]) -> float:
        """Distance from a tile to the nearest viewer [m]."""
        size = self.ranges.tile_size
        return min((distance_to_tile(v.x, v.z, tile, size) for v in viewers), default=0.0)

    def _let_go(self, tile: Tile, plan: Plan) -> None:
        state = self.tiles[tile]
        if state == REQUESTED:
            plan.give_up.append(tile)
            self.tiles[tile] = LEAVING
        elif state == IN:
            plan.unload.append(tile)
            self.tiles[tile] = LEAVING
        elif state == FAILED:
            del self.tiles[tile]  # requested again when a viewer comes back

    def _update_scenes(self, viewers, plan: Plan, wanted: dict, kept: dict) -> None:
        if not self._scene_list:
            return
        away = np.full(len(self._scene_list), np.inf)
        for viewer in viewers:
            away = np.minimum(away, np.hypot(self._places[:, 0] - viewer.x, self._places[:, 1] - viewer.z))
        edge = away - self._encounters  # to the edge of the encounter area
        near = set(np.flatnonzero(edge <= self._activations + self.LEAD).tolist())
        awake = {k for k, s in enumerate(self._scene_list) if s.name in self._awake_scenes}
        for k in sorted(near | awake):
            self._update_scene(self._scene_list[k], float(edge[k]), plan)
            name = self._scene_list[k].name
            if self.scene_states[name] != DORMANT:
                for tile in self._under[name]:
                    wanted.setdefault(tile, MEDIUM)
                    kept.setdefault(tile, MEDIUM)

    def _update_scene(self, scene: Scene, edge: float, plan: Plan) -> None:
        name, limit = scene.name, scene.activation_radius
        state = self.scene_states[name]
        if state == DORMANT and edge <= limit + self.LEAD:
            state = PREPARING
        if state == PREPARING:
            if edge > limit + self.LEAD + self.ranges.hysteresis:
                state = DORMANT
            elif edge <= limit and all(self.tiles.get(tile) == IN for tile in self._under[name]):
                state = ACTIVE
                plan.activated.append(name)
        elif state == ACTIVE and edge > limit * (1.0 + self.SCENE_HYSTERESIS):
            state = BEING_LEFT
            plan.deactivated.append(name)
        self.scene_states[name] = state
        (self._awake_scenes.discard if state == DORMANT else self._awake_scenes.add)(name)

    def _update_levels(self, viewers, plan: Plan, wanted: dict, kept: dict) -> None:
        asked = ([low_by(viewer, self.ranges) for viewer in viewers], list(wanted.items()), dict(kept), dict(self.tiles))
        if asked == self._levels_asked:
            return
        self._levels_asked = asked
        levels = {tile: LOW for tiles in asked[0] for tile in tiles if self._exists(tile)}
        for tile, state in self.tiles.items():
            if state == IN:
                level = wanted.get(tile, NONE)
                # Tiles shown in full stay so within the hysteresis, as their collision does.
                best = min(level, kept.get(tile, NONE)) if self.levels.get(tile, NONE) == kept.get(tile) else level
                levels[tile] = min(best, MEDIUM)
        for tile in levels.keys() | self.levels.keys():
            level = levels.get(tile, NONE)
            if self.levels.get(tile, NONE) != level:
                plan.levels.append((tile, level))
        plan.levels.sort()
        self.levels = levels

    # Reports of the loader.

    def tile_is_in(self, tile: Tile) -> None:
        """Report that a requested tile's collision is loaded."""
        if self.tiles.get(tile) == REQUESTED:
            self.tiles[tile] = IN

    def tile_is_out(self, tile: Tile) -> None:
        """Report that a cancelled or unloaded tile is gone; it may be requested again."""
        self.tiles.pop(tile, None)

    def tile_failed(self, tile: Tile) -> None:
        """Report that a tile could not be loaded; it is retried when a viewer comes back to it."""
        if self.tiles.get(tile) == LEAVING:
            del self.tiles[tile]
        else:
            self.tiles[tile] = FAILED

    def scene_was_left(self, name: str) -> None:
        """Report that the game has freed a deactivated scene: the collision under it may be unloaded."""
        if self.scene_states[name] == BEING_LEFT:
            self.scene_states[name] = DORMANT
            self._awake_scenes.discard(name)

    def misses(self) -> list[tuple[str, Tile]]:
        """Active scenes with an unloaded tile under their encounter area. There must never be one."""
        return [
            (name, tile)
            for name in self._awake_scenes
            if self.scene_states[name] in (ACTIVE, BEING_LEFT)
            for tile in self._under[name]
            if self.tiles.get(tile) != IN
        ]
