"""A heap of 200 structures of 500 bricks against 200 convex hulls of the same forms: the costs of a step while it falls and at
rest, and how deep the bricks are in each other. Prints a line of JSON.

    python -m tests.structures.long_heap [built rubble angle:40]

A name is that of a mix or of one form, with the number of structures after a colon.
"""

import json
import sys
import time

import numpy as np

import scree

STEP, STEPS, FALLING = 1.0 / 60.0, 480, 180
UNIT, COUNT, BRICKS = 0.1, 200, 500
KINDS = {"built": ("block", "angle", "shell", "frame", "stairs"), "rubble": ("rubble",)}


def cells_of(kind: str, random: np.random.Generator) -> np.ndarray:
    """Low corners of BRICKS cells (n, 3), about the origin [unit]."""

    def filled(*size: int) -> np.ndarray:
        return np.stack(np.meshgrid(*(np.arange(n) for n in size), indexing="ij"), axis=-1).reshape(-1, 3)

    if kind == "block":
        found = filled(10, 5, 10)
    elif kind == "angle":  # an L of two slabs
        found = np.concatenate((filled(10, 3, 10), filled(4, 5, 10) + (0, 3, 0)))
    elif kind == "shell":  # a box without a top
        found = filled(12, 7, 12)
        inside = ((found[:, [0, 2]] > 0) & (found[:, [0, 2]] < 11)).all(axis=1) & (found[:, 1] > 1)
        found = found[~inside]  # 288 of the floor, 220 of the walls
    elif kind == "frame":  # a window
        found = filled(14, 14, 4)
        found = found[(np.abs(found[:, :2] - 6.5) > 4).any(axis=1)]
    elif kind == "stairs":
        found = np.concatenate([filled(10, 2, 10 - 2 * k) + (0, 2 * k, 0) for k in range(5)])[:BRICKS]
    else:
        found = filled(9, 8, 9)
        found = found[random.permutation(len(found))[:BRICKS]]
    found = found[:BRICKS]
    return found - np.round(found.mean(axis=0)).astype(int)


def corners_of(cells: np.ndarray) -> np.ndarray:
    picks = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    return np.unique((cells[:, None] + picks).reshape(-1, 3), axis=0)


def rotated(quaternion: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    axis, w = quaternion[:3], quaternion[3]
    return vectors + 2.0 * np.cross(axis, np.cross(axis, vectors) + w * vectors)


def fall(forms: list[np.ndarray], as_hulls: bool) -> dict[str, float]:
    """Let the bodies fall into a pit, and give their costs [ms] and places."""
    space = scree.World(threads=1, bodies=1 << 11, body_shapes=1 << 12, shapes=1 << 13).add_space(gravity=(0, -10, 0))
    space.add_static(scree.Box(half_extents=(20, 1, 20)), (0.0, -1.0, 0.0))
    for x, z in ((4.6, 0), (-4.6, 0), (0, 4.6), (0, -4.6)):
        space.add_static(scree.Box(half_extents=(0.5 + 4.6 * (x == 0), 6, 0.5 + 4.6 * (z == 0))), (x, 6.0, z))
    random, bodies = np.random.default_rng(2), []
    for k, cells in enumerate(forms):
        if as_hulls:
            shape = scree.Hull(points=corners_of(cells) * UNIT)
        else:
            shape = scree.Structure(unit=UNIT, capacity=1 << 12)
            shape.insert(cells, cells + 1)
        place = (2.0 * (k % 4) - 3.0 + random.uniform(-0.05, 0.05), 1.1 + 2.0 * (k // 16), 2.0 * (k // 4 % 4) - 3.0)
        turn = random.normal(size=4)
        bodies.append(space.add_rigid(shape, place, turn / np.linalg.norm(turn), density=500.0, can_sleep=False))
    steps = []
    for _ in range(STEPS):
        begin = time.process_time()
        space.step(STEP)
        steps.append(1000.0 * (time.process_time() - begin))
    places = np.array([body.position for body in bodies])
    figures = {
        "falling": float(np.mean(steps[:FALLING])), "resting": float(np.median(steps[FALLING:])), "most": max(steps),
        "lost": int((places[:, 1] < -0.5).sum()),
    }  # fmt: skip
    if not as_hulls:
        turns = np.array([body.rotation for body in bodies])
        figures["deepest"] = 1000.0 * deepest(forms, places, turns)
        figures["joined"] = len(space.world.core.shapes._joined)
    return figures


def deepest(forms: list[np.ndarray], places: np.ndarray, turns: np.ndarray) -> float:
    """How far the deepest corner of a brick is inside of another structure [m]: the way out along the axes of that one."""
    taken = [set(map(tuple, cells.tolist())) for cells in forms]
    corners = [corners_of(cells) * UNIT for cells in forms]
    radii = np.array([np.linalg.norm(points, axis=1).max() for points in corners])
    worst = 0.0
    for a in range(len(forms)):
        world = rotated(turns[a], corners[a]) + places[a]
        near = np.flatnonzero(np.linalg.norm(places - places[a], axis=1) < radii + radii[a])
        for b in near[near != a].tolist():
            back = turns[b] * (-1, -1, -1, 1)
            local = rotated(back, world - places[b]) / UNIT
            for point in local[(local > forms[b].min(axis=0)).all(axis=1) & (local < forms[b].max(axis=0) + 1).all(axis=1)]:
                worst = max(worst, UNIT * way_out(taken[b], point, worst / UNIT))
    return worst


def way_out(taken: set, point: np.ndarray, least: float) -> float:
    """The shortest way from a point out of cells, along an axis [unit]; 0 if it is at most `least`."""
    cell = np.floor(point).astype(int)
    if tuple(cell.tolist()) not in taken:
        return 0.0
    best = np.inf
    for axis in range(3):
        for side in (1, -1):
            at, way = cell.copy(), point[axis] - cell[axis] if side < 0 else cell[axis] + 1 - point[axis]
            while way < best:
                at[axis] += side
                if tuple(at.tolist()) not in taken:
                    best = way
                    break
                way += 1.0
            if best <= least:
                return 0.0
    return float(best)


def heap(name: str, count: int) -> None:
    random = np.random.default_rng(1)
    kinds = KINDS.get(name, (name,))
    forms = [cells_of(kinds[k % len(kinds)], random) for k in range(count)]
    found = {"bricks": fall(forms, False), "hulls": fall(forms, True)}
    ratios = {f"{what} ratio": found["bricks"][what] / found["hulls"][what] for what in ("falling", "resting", "most")}
    lines = {f"{what}, {kind}": value for kind, values in found.items() for what, value in values.items()}
    told = {"heap": name, "count": count, "least": min(map(len, forms))} | {k: round(v, 4) for k, v in (lines | ratios).items()}
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or KINDS:
        form, _, number = chosen.partition(":")
        heap(form, int(number or COUNT))
