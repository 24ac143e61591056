"""Structures for the tests of stability and for `prove`: functions that build them and return their bodies."""

import numpy as np

from scree.bodies.schema import RIGID
from scree.shapes.schema import HULL


def stack(world, count: int) -> list[int]:
    """Boxes of 1 m."""
    world.floor()
    box = world.box(0.5, 0.5, 0.5)
    return [world.add(box, (0.0, 0.5 + k, 0.0), mode=RIGID) for k in range(count)]


def pyramid(world, base: int) -> list[int]:
    """A wall of boxes of 1 m, each on two."""
    world.floor()
    box = world.box(0.5, 0.5, 0.5)
    places = [(k - 0.5 * (base - row - 1), row) for row in range(base) for k in range(base - row)]
    return [world.add(box, (1.0001 * x, 0.5 + row, 0.0), mode=RIGID) for x, row in places]


def leaning(angle: float) -> tuple:
    c, s = np.cos(angle), np.sin(angle)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)


def card_house(world, floors: int) -> list[int]:
    """Plates of 1 m by 2 cm leaning by 25 degrees, on each floor flat ones."""
    world.floor(friction=0.8)
    half, thick, angle = 0.5, 0.01, np.radians(25.0)
    height = 2.0 * (half * np.cos(angle) + thick * np.sin(angle))
    width = 2.0 * (half * np.sin(angle) + thick * np.cos(angle))
    card, flat = world.box(thick, half, 0.3), world.box(0.97 * width, thick, 0.3)
    bodies, y = [], 0.0
    for floor in range(floors):
        for k in range(floors - floor):
            x = (2 * k - (floors - floor - 1)) * width
            for side in (-1, 1):
                place = (x + 0.5 * side * width, y + 0.5 * height, 0.0)
                bodies.append(world.add(card, place, mode=RIGID, basis=leaning(side * angle), friction=0.8))
        y += height
        for k in range(floors - floor - 1):
            place = ((2 * k - (floors - floor - 2)) * width, y + thick, 0.0)
            bodies.append(world.add(flat, place, mode=RIGID, friction=0.8))
        y += 2.0 * thick
    return bodies


def arch(world, count: int) -> list[int]:
    """Half a ring of wedges, 2.0 to 2.6 m from its centre; nothing but friction holds it."""
    world.floor(friction=0.8)
    bodies = []
    for k in range(count):
        angles = (np.pi * k / count, np.pi * (k + 1) / count)
        points = np.array([(r * np.cos(a), r * np.sin(a), z) for r in (2.0, 2.6) for a in angles for z in (-0.4, 0.4)])
        middle = points.mean(axis=0)
        wedge = world.world.shape.create(HULL)
        world.world.shapes.set_hull(world.world.shape.index("arch", wedge), points - middle)
        bodies.append(world.add(wedge, tuple(middle), mode=RIGID, friction=0.8))
    return bodies


def heavy_on_light(world, light: int = 1) -> list[int]:
    """100 kg on so many boxes of 1 kg each, one on the other."""
    world.floor()
    box = world.box(0.5, 0.5, 0.5)
    return [world.add(box, (0.0, 0.5 + k, 0.0), mode=RIGID, mass=mass) for k, mass in enumerate([1.0] * light + [100.0])]


def dice(world, count: int) -> list[int]:
    """Cubes of 1 cm that fell in a heap."""
    world.floor()
    die, generator, bodies = world.box(0.005, 0.005, 0.005), np.random.default_rng(0), []
    for k in range(count):
        turn, _ = np.linalg.qr(generator.normal(size=(3, 3)))
        turn *= np.sign(np.linalg.det(turn))
        place = (k % 4 * 0.014, 0.02 + k // 16 * 0.02, k // 4 % 4 * 0.014)
        bodies.append(world.add(die, place, mode=RIGID, basis=tuple(turn.ravel()), mass=0.002))
    world.step(120)
    return bodies
