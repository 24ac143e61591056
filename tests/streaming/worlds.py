"""Small worlds on disk: rocks on a ground of boxes."""

import numpy as np

from scree.shapes import settings
from scree.streaming.baking import Bake


def rocks(count=4, seed=0):
    random = np.random.default_rng(seed)
    return [settings.Hull.checked(random.normal(size=(14, 3)) * (0.6, 0.4, 0.6)) for _ in range(count)]


def bake_world(folder, side=12, bodies=40, tile_size=64.0, scenes=(), seed=0):
    """`side` x `side` tiles round the origin; a ground box in each, and rocks. Gives what `Bake.write` gives."""
    random = np.random.default_rng(seed)
    bake = Bake(tile_size)
    ground = bake.add_shape(settings.Box.checked((0.5 * tile_size, 1.0, 0.5 * tile_size)))
    kinds = [bake.add_shape(rock) for rock in rocks()]
    for x in range(-side // 2, side // 2):
        for z in range(-side // 2, side // 2):
            bake.add_body(((x + 0.5) * tile_size, -1.0, (z + 0.5) * tile_size), ground)
            for _ in range(bodies - 1):
                place = (random.uniform(x, x + 1) * tile_size, 0.2, random.uniform(z, z + 1) * tile_size)
                turn = random.normal(size=4)
                bake.add_body(place, kinds[int(random.integers(len(kinds)))], turn / np.linalg.norm(turn))
    for name, place, encounter, activation in scenes:
        bake.add_scene(name, place, encounter, activation)
    return bake.write(folder)
