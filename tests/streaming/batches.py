"""Batches for tests: random rocks, boxes and hulls, and the same world made body by body."""

import numpy as np

from scree.batches.body_batches import NEW_BODY, NEW_SHAPE
from scree.shapes import schema, settings


def cooked_shapes(*cooked):
    """An array of SHAPE as a loader gives it, and what must be kept alive."""
    rows = np.zeros(len(cooked), schema.SHAPE)
    for row, one in zip(rows, cooked, strict=True):
        for name, value in one.fields.items():
            row[name] = value
        row["kind"] = row["user_kind"] = one.kind
        row["block"] = one.block.address if one.block else 0
    return rows, cooked


def box(*half_extents):
    return settings.Box.checked(half_extents).cook()


def sphere(radius):
    return settings.Sphere.checked(radius).cook()


def hull(points):
    return settings.Hull.checked(points).cook()


def bodies(positions, shapes=None, rotations=None, layer=1, mask=1):
    """NEW_BODY and NEW_SHAPE for one shape a body."""
    positions = np.asarray(positions, np.float64)
    count = len(positions)
    new, used = np.zeros(count, NEW_BODY), np.zeros(count, NEW_SHAPE)
    new["position"] = positions
    new["rotation"] = (0, 0, 0, 1) if rotations is None else rotations
    new["first_shape"], new["shape_count"] = np.arange(count), 1
    new["collision_layer"], new["collision_mask"], new["friction"] = layer, mask, 1
    used["shape"] = 0 if shapes is None else shapes
    used["rotation"] = (0, 0, 0, 1)
    return new, used
