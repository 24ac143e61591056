"""One shape of each kind that users can make, with what is known of it from its formula: for tests that go through all kinds.

The axis of symmetry is Y and the top lies above the origin, so that a body can be put onto it and a ray shot at it.
"""

import math
from typing import NamedTuple

import numpy as np

import scree
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view
from scree.shapes import schema
from scree.shapes.traits import TRAITS

MADE = [kind for kind, traits in TRAITS.items() if traits.is_made]
NAMES = {kind: schema.KIND_NAMES[kind] for kind in MADE}
FAR = 1e30


@entry_point("int64(int64, int64)")
def double_cone(data, words):
    """Two cones with a common circle of radius 1 m about the origin, each as high as the number given [m]."""
    direction, point = view(words, 3, np.float64), view(words + 24, 3, np.float64)
    height = view(data, 1, np.float64)[0]
    across = math.sqrt(direction[0] * direction[0] + direction[2] * direction[2])
    point[0] = point[1] = point[2] = 0.0
    if abs(direction[1]) * height > across:
        point[1] = height if direction[1] > 0.0 else -height
    elif across > 0.0:
        point[0], point[2] = direction[0] / across, direction[2] / across
    return 0


def four_bricks() -> scree.Structure:
    """Four flush bricks in the shape of BOX, in units of half a metre."""
    structure = scree.Structure(unit=0.5, capacity=100)
    low = np.array([(-2, -1, -2), (0, -1, -2), (-2, -1, 0), (0, -1, 0)])
    structure.insert(low, low + 2)
    return structure


class Example(NamedTuple):
    value: scree.Shape
    high: tuple  # its bounds [m]; those below are the same but for the sign, unless `low` is given
    volume: float = 0.0  # [m^3]
    low: tuple | None = None
    is_in_godot: bool = True  # Godot has a shape of this kind

    @property
    def bounds(self) -> np.ndarray:
        """Low and high, (2, 3) [m]."""
        return np.array([[-h for h in self.high] if self.low is None else self.low, self.high], np.float64)

    @property
    def top(self) -> float:
        """How high the surface above the origin lies [m]."""
        return self.high[1] if self.high[1] < FAR else 0.0

    @property
    def bottom(self) -> float:
        return float(self.bounds[0][1])


OCTAHEDRON = np.concatenate((np.eye(3), -np.eye(3)))
SQUARE = {"vertices": [(-5, 0, -5), (-5, 0, 5), (5, 0, 5), (5, 0, -5)], "triangles": [(0, 1, 2), (0, 2, 3)]}
BOX, BALL = scree.Box(half_extents=(1, 0.5, 1)), scree.Sphere(radius=0.5)
CONE = math.pi / 3.0
# Of a tapered capsule whose cone leans by asin(1/3): it touches each sphere a third of its radius above the centre.
FRUSTUM = CONE * (1.2 - 0.4 / 3.0) * 8.0 / 9.0 * (0.6**2 + 0.6 * 0.2 + 0.2**2)
CAPS = CONE * (0.6**3 * (4.0 / 3.0) ** 2 * (5.0 / 3.0) + 0.2**3 * (2.0 / 3.0) ** 2 * (7.0 / 3.0))
EXAMPLES = {
    schema.SPHERE: Example(BALL, (0.5, 0.5, 0.5), math.pi / 6.0),
    schema.CAPSULE: Example(scree.Capsule(radius=0.5, height=2.0), (0.5, 1.0, 0.5), math.pi * 5.0 / 12.0),
    schema.BOX: Example(BOX, (1.0, 0.5, 1.0), 4.0),
    schema.HULL: Example(scree.Hull(points=OCTAHEDRON), (1.0, 1.0, 1.0), 4.0 / 3.0),
    schema.CYLINDER: Example(scree.Cylinder(radius=1.0, height=1.0), (1.0, 0.5, 1.0), math.pi),
    schema.PLANE: Example(scree.Plane(), (FAR, FAR, FAR)),
    schema.MESH: Example(scree.Mesh(**SQUARE), (5.0, 0.0, 5.0)),
    schema.HEIGHT_FIELD: Example(scree.HeightField(heights=np.zeros((11, 11))), (5.0, 0.0, 5.0)),
    schema.SEPARATION_RAY: Example(scree.SeparationRay(length=1.0), (0.0, 0.0, 1.0), low=(0.0, 0.0, 0.0)),
    schema.COMPOUND: Example(
        scree.Compound(parts=[scree.Part(shape=BOX), scree.Part(shape=BALL, position=(0, 1, 0))]),
        (1.0, 1.5, 1.0), 4.0 + math.pi / 6.0, (-1.0, -0.5, -1.0), is_in_godot=False,
    ),
    schema.TAPERED_CAPSULE: Example(
        scree.TaperedCapsule(half_height=0.6, top_radius=0.2, bottom_radius=0.6), (0.6, 0.8, 0.6),
        FRUSTUM + CAPS, (-0.6, -1.2, -0.6), is_in_godot=False,
    ),
    schema.TAPERED_CYLINDER: Example(
        scree.TaperedCylinder(half_height=0.5, top_radius=0.5, bottom_radius=1.0), (1.0, 0.5, 1.0), CONE * 1.75,
        is_in_godot=False,
    ),
    schema.ELLIPSOID: Example(scree.Ellipsoid(half_axes=(1.0, 0.5, 0.7)), (1.0, 0.5, 0.7), 4.0 * CONE * 0.35, is_in_godot=False),
    schema.CUSTOM: Example(
        scree.Custom(function=double_cone, data=(0.8,)), (1.0, 0.8, 1.0), 2.0 * CONE * 0.8, is_in_godot=False
    ),
    schema.STRUCTURE: Example(four_bricks(), (1.0, 0.5, 1.0), 4.0, is_in_godot=False),
}  # fmt: skip


def example_of(kind: int) -> Example:
    """Fails by name for a kind that has none."""
    assert kind in EXAMPLES, f"a {schema.KIND_NAMES[kind]} has no example: add one to EXAMPLES in tests/shapes/kind_examples.py"
    return EXAMPLES[kind]
