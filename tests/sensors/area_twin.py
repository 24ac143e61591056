"""A readable twin of what areas see: all against all, by plain geometry, from the rows as they stand."""

import numpy as np

from scree.bodies.schema import IS_AREA
from scree.sensors.schema import ADDED, IS_MONITORABLE, MONITORS_AREAS, MONITORS_BODIES
from scree.shapes.schema import BOX, SPHERE
from tests.bodies.mass_twin import rotation_matrix

CLOSE = 2e-4
"""Surfaces this near to touching may be told either way [m]."""


def placed(world, row, instance):
    """(kind, centre, axes as columns, radius or half extents) of a shape on a body, world."""
    turn = rotation_matrix(row["rotation"])
    shape = world.shapes.rows[int(instance["shape"])]
    centre = row["position"] + turn @ instance["position"].astype(np.float64)
    size = float(shape["radius"]) if shape["kind"] == SPHERE else shape["half_extents"].astype(np.float64)
    return int(shape["kind"]), centre, turn @ rotation_matrix(instance["rotation"]), size


def gap(a, b) -> float:
    """Distance of two shapes [m], or minus the least overlap along an axis."""
    if a[0] == SPHERE and b[0] == SPHERE:
        return float(np.linalg.norm(a[1] - b[1])) - a[3] - b[3]
    if a[0] == BOX and b[0] == BOX:
        return box_gap(a, b)
    ball, box = (a, b) if a[0] == SPHERE else (b, a)
    local = box[2].T @ (ball[1] - box[1])
    outside = local - np.clip(local, -box[3], box[3])
    return float(np.linalg.norm(outside)) - ball[3]


def box_gap(a, b) -> float:
    """The widest gap of two boxes along the fifteen axes that can part them."""
    axes = [*a[2].T, *b[2].T, *(np.cross(u, v) for u in a[2].T for v in b[2].T)]
    widest = -np.inf
    for axis in axes:
        size = np.linalg.norm(axis)
        if size < 1e-6:
            continue
        axis = axis / size
        reach = sum(float(np.abs(box[2].T @ axis) @ box[3]) for box in (a, b))
        widest = max(widest, abs(float((b[1] - a[1]) @ axis)) - reach)
    return widest


def are_far_apart(a, b) -> bool:
    """Whether the balls about two shapes are apart, so that nobody need look closer."""
    away = a[1] - b[1]
    reach = float(np.linalg.norm(a[3]) + np.linalg.norm(b[3])) + CLOSE
    return float(away @ away) > reach * reach


def shapes_of(world, index: int):
    row = world.bodies.rows[index]
    first = int(row["first_instance"])
    for number in range(int(row["instance_count"])):
        instance = world.instances.rows[first + number]
        if not instance["is_disabled"] and instance["shape"] >= 0:
            yield number, placed(world, row, instance)


def sees(world, area: int, other: int) -> bool:
    rows, areas = world.bodies.rows, world.areas.rows
    if not int(rows[area]["collision_mask"]) & int(rows[other]["collision_layer"]):
        return False
    if int(rows[other]["flags"]) & IS_AREA:
        return bool(int(areas[area]["flags"]) & MONITORS_AREAS and int(areas[other]["flags"]) & IS_MONITORABLE)
    return bool(int(areas[area]["flags"]) & MONITORS_BODIES)


def all_overlaps(world, system_index: int):
    """(pairs that surely overlap, pairs that may), as sets of (area id, other id, shape of the other, own shape)."""
    rows = world.bodies.rows[: world.bodies.count]
    here = [int(i) for i in np.flatnonzero((rows["id"] != 0) & (rows["system"] == system_index))]
    shapes = {index: list(shapes_of(world, index)) for index in here}
    surely, maybe = set(), set()
    for area in here:
        if not int(rows[area]["flags"]) & IS_AREA:
            continue
        for other in here:
            if other == area or not sees(world, area, other):
                continue
            for own_number, own in shapes[area]:
                for number, shape in shapes[other]:
                    if are_far_apart(own, shape):
                        continue
                    distance = gap(own, shape)
                    key = (int(rows[area]["id"]), int(rows[other]["id"]), number, own_number)
                    if distance < -CLOSE:
                        surely.add(key)
                    elif distance < CLOSE:
                        maybe.add(key)
    return surely, maybe


def is_acted_on(world, system_index: int, body: int) -> bool | None:
    """Whether some area changes gravity or damping of a body; None where it may be told either way."""
    rows, doubt = world.bodies.rows[: world.bodies.count], False
    for area in np.flatnonzero((rows["id"] != 0) & (rows["system"] == system_index) & (rows["flags"] & IS_AREA != 0)):
        modes = [world.areas.rows[area][name] for name in ("gravity_mode", "linear_damp_mode", "angular_damp_mode")]
        if not any(modes) or not int(rows[area]["collision_mask"]) & int(rows[body]["collision_layer"]):
            continue
        gaps = [gap(a, b) for _, a in shapes_of(world, int(area)) for _, b in shapes_of(world, body)]
        nearest = min(gaps, default=1.0)
        if nearest < -CLOSE:
            return True
        doubt |= nearest < CLOSE
    return None if doubt else False


class Listener:
    """The overlaps that follow from all events that were heard so far. Raises AssertionError for an event that cannot be."""

    def __init__(self):
        self.believed: set[tuple] = set()

    def hear(self, events) -> None:
        for event in events:
            key = (int(event["area_id"]), int(event["other_id"]), int(event["other_shape"]), int(event["own_shape"]))
            if event["status"] == ADDED:
                assert key not in self.believed, f"told twice that {key} began"
                self.believed.add(key)
            else:
                assert key in self.believed, f"told that {key} ended, which had not begun"
                self.believed.remove(key)

    def forget(self, area: int, of_areas: bool | None = None) -> None:
        """The area is gone, or watches bodies (areas) no more: nothing is told of that."""
        kind = 3 if of_areas else 4
        self.believed = {key for key in self.believed if key[0] != area or (of_areas is not None and (key[1] >> 28) & 15 != kind)}
