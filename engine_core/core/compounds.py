"""Compounds: groups of shapes, built once from shapes and other compounds and used on many bodies.

    leg = Compound([(box, upright), (foot, at(0, -1, 0))])
    table = Compound([(top, upright), (leg, at(1, 0, 1)), (leg, at(-1, 0, 1)), ...])
    table.add_to(world, body)

On a body a compound is only its shapes, all in one tree however deeply it was nested (shapes/instance_tree.py). The number of a
shape on the body says which one was hit, and each may be moved, switched off or given its own layers. A compound that never
changes and is on many bodies is better one shape: a static compound (`ShapePool.set_compound`).
"""

import numpy as np

from .body_shapes import IDENTITY, finite


def _matrix(call: str, transform) -> np.ndarray:
    """Convert twelve numbers (basis by rows, origin) to a (4, 4) matrix."""
    values = finite(call, "transform", transform, 12)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = values[:9].reshape(3, 3), values[9:]
    return matrix


class Compound:
    """An immutable group of shapes. `parts`: pairs of a shape's id, or another compound, and a transform (twelve numbers). Raises
    ValueError."""

    def __init__(self, parts):
        self.shapes: list[int] = []
        matrices = []
        for part, transform in parts:
            matrix = _matrix("Compound", transform)
            if isinstance(part, Compound):
                self.shapes += part.shapes
                matrices.append(matrix @ part.matrices)
            else:
                self.shapes.append(int(part))
                matrices.append(matrix[None])
        self.matrices = np.concatenate(matrices) if matrices else np.zeros((0, 4, 4))
        """The transform from each shape to the compound, float64 (n, 4, 4)."""

    def __len__(self) -> int:
        return len(self.shapes)

    def add_to(self, world, body: int, transform=IDENTITY) -> range:
        """Put the compound on a body and return the numbers of its shapes there. Cheapest while the body is in no system."""
        first = world.body.shape_count(body)
        for shape, matrix in zip(self.shapes, _matrix("add_to", transform) @ self.matrices, strict=True):
            world.body.add_shape(body, shape, (*matrix[:3, :3].ravel(), *matrix[:3, 3]))
        return range(first, first + len(self))
