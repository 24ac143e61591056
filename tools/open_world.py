"""The open world of the demo project: 8 x 8 km of ground, rocks and boulders, baked into tiles; the same each time. The command
`scree open-world FOLDER` makes it.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from scree.shapes import settings
from scree.streaming.baking import Bake

TILE = 256.0
GROUND_PATCHES = 8  # a side of a tile
ROCK_FORMS = 12
SCENE_SPACING = 400.0


def rock_points(number: int) -> np.ndarray:
    """The corners of one form of rock [m]."""
    random = np.random.default_rng(1000 + number)
    points = random.normal(size=(16, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return points * random.uniform(0.7, 1.0, (16, 1)) * (1.2, 0.8, 1.2) * (0.5 + 0.25 * number)


def tile_bodies(tile: tuple[int, int], bodies: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, rotations and forms (0: ground, then rocks) of a tile."""
    random = np.random.default_rng((tile[0] + 1000, tile[1] + 1000, 7))
    step = TILE / GROUND_PATCHES
    x, z = np.meshgrid(np.arange(GROUND_PATCHES) + 0.5, np.arange(GROUND_PATCHES) + 0.5)
    ground = np.stack([x.ravel() * step, np.full(x.size, -1.0), z.ravel() * step], 1)
    count = bodies - len(ground)
    rocks = random.uniform(0.0, TILE, (count, 3))
    rocks[:, 1] = random.uniform(-0.2, 0.4, count)
    turns = random.normal(size=(count, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    flat = np.tile((0.0, 0.0, 0.0, 1.0), (len(ground), 1))
    forms = np.concatenate([np.zeros(len(ground), int), random.integers(1, ROCK_FORMS + 1, count)])
    places = np.concatenate([ground, rocks]) + (tile[0] * TILE, 0.0, tile[1] * TILE)
    return places, np.concatenate([flat, turns]), forms


def scene_places(half: float) -> list[tuple[float, float]]:
    """Where scenes lie: on a wavy grid."""
    along = np.arange(-half + SCENE_SPACING, half - SCENE_SPACING + 1.0, SCENE_SPACING)
    return [(float(x), float(z + 80.0 * np.sin(0.01 * x))) for x in along for z in along]


def make(
    folder: Path, side: int = 32, bodies: int = 714, with_nodes: bool = False,
    report: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> dict:  # fmt: skip
    """Bake `side` x `side` tiles of `bodies` bodies; `with_nodes`: lists too, from which other engines make nodes."""
    bake = Bake(TILE)
    patch = 0.5 * TILE / GROUND_PATCHES
    numbers = [bake.add_shape(settings.Box.checked((patch, 1.0, patch)))]
    numbers += [bake.add_shape(settings.Hull.checked(rock_points(number))) for number in range(ROCK_FORMS)]
    numbers = np.array(numbers)
    folder.mkdir(parents=True, exist_ok=True)
    for x in range(-side // 2, side // 2):
        for z in range(-side // 2, side // 2):
            places, turns, forms = tile_bodies((x, z), bodies)
            bake.add_bodies(places, numbers[forms], turns)
            if with_nodes:
                rows = np.concatenate([places, turns, forms[:, None]], 1).astype(np.float32)
                (folder / f"nodes_{x}_{z}.bin").write_bytes(rows.tobytes())
    for number, (x, z) in enumerate(scene_places(0.5 * side * TILE)):
        radius = (60.0, 90.0, 125.0)[number % 3]
        bake.add_scene(f"camp {number}", (x, 0.0, z), radius, 200.0, "res://streaming/camp.tscn")
    if with_nodes:
        forms = {"patch": patch, "rocks": [rock_points(number).tolist() for number in range(ROCK_FORMS)]}
        (folder / "forms.json").write_text(json.dumps(forms))
    return bake.write(folder, report)
