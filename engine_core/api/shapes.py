"""Shapes as values: made once, used for any number of bodies and queries, in any world. Lengths are in [m], in the shape's
frame.

A bad size raises ValueError when the value is made. Equal values of the simple kinds share one shape in the engine. Any
thread may make them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..shapes import schema, settings
from .arrays import NO_TURN, Vector, Vectors, basis_of, errors_of_call, keep_own, rotations, twelve, vector
from .materials import Material

Whole: TypeAlias = Sequence[int] | Sequence[Sequence[int]] | NDArray[Any]
"""Whole numbers, indices for example; the call that takes them says their shape."""
GROUNDS = {schema.PLANE, schema.MESH, schema.HEIGHT_FIELD}
"""Kinds of shapes that have no inside to move: for static and kinematic bodies."""
FLAT = 1e-6
"""Points lie in one plane if they are so much thinner than wide, in parts: the resolution of single precision."""


class Shape:
    """The base of all shapes, which are values that never change: arrays and lists are copied when a shape is made. No
    quantities. Make a `Box`, a `Sphere` and so on."""

    kind: ClassVar[int] = schema.EMPTY
    """Number of the kind in the core, for experts."""
    _settings: ClassVar[Any] = None
    """The core's settings for this kind, which check the numbers."""
    _setter: ClassVar[str] = ""
    """Name of the method of the core's `ShapePool` that takes them."""

    def _arguments(self) -> tuple[Any, ...]:
        """The fields in the order in which the core takes them, [m] as they are."""
        return tuple(vars(self).values())

    def _check(self) -> None:
        """Check all numbers. Raises ValueError."""
        if self._settings is None:
            raise ValueError("Shape: make a Box, a Sphere or another kind of shape")
        with errors_of_call(type(self).__name__, material_table="surfaces", materials="surface_of"):
            self._settings.checked(*self._arguments())

    def _write(self, pool: Any, index: int) -> None:
        """Give the numbers to an empty shape, by its index in a `ShapePool` of the core. Raises ValueError."""
        getattr(pool, self._setter)(index, *self._arguments())

    def __post_init__(self) -> None:
        keep_own(self)
        self._check()


@dataclass(frozen=True, kw_only=True)
class Box(Shape):
    """A box about its origin. `half_extents`: half of each side [m], shape (3,)."""

    half_extents: Vector
    kind, _settings, _setter = schema.BOX, settings.Box, "set_box"


@dataclass(frozen=True, kw_only=True)
class Sphere(Shape):
    """A ball about its origin. `radius` [m]."""

    radius: float
    kind, _settings, _setter = schema.SPHERE, settings.Sphere, "set_sphere"


@dataclass(frozen=True, kw_only=True)
class Capsule(Shape):
    """A cylinder with a half ball at each end, along Y. `radius` [m]; `height` [m] includes both caps and is at least twice the
    radius."""

    radius: float
    height: float
    kind, _settings, _setter = schema.CAPSULE, settings.Capsule, "set_capsule"


@dataclass(frozen=True, kw_only=True)
class Cylinder(Shape):
    """A cylinder along Y. `radius` [m], `height` [m]."""

    radius: float
    height: float
    kind, _settings, _setter = schema.CYLINDER, settings.Cylinder, "set_cylinder"


@dataclass(frozen=True, kw_only=True)
class TaperedCapsule(Shape):
    """The hull of two balls on Y: one of `top_radius` [m] at +`half_height` [m], one of `bottom_radius` [m] at
    -`half_height`."""

    half_height: float
    top_radius: float
    bottom_radius: float
    kind, _settings, _setter = schema.TAPERED_CAPSULE, settings.TaperedCapsule, "set_tapered_capsule"


@dataclass(frozen=True, kw_only=True)
class TaperedCylinder(Shape):
    """A frustum of a cone along Y, from -`half_height` to +`half_height` [m]. One of `top_radius` and `bottom_radius` [m] may
    be 0."""

    half_height: float
    top_radius: float
    bottom_radius: float
    kind, _settings, _setter = schema.TAPERED_CYLINDER, settings.TaperedCylinder, "set_tapered_cylinder"


@dataclass(frozen=True, kw_only=True)
class Ellipsoid(Shape):
    """An ellipsoid about its origin. `half_axes`: half of each axis [m], shape (3,)."""

    half_axes: Vector
    kind, _settings, _setter = schema.ELLIPSOID, settings.Ellipsoid, "set_ellipsoid"


@dataclass(frozen=True, kw_only=True)
class Plane(Shape):
    """A half space, for static bodies: solid where `normal` . x <= `distance` [m]. `normal` (3,) may have any length but 0."""

    normal: Vector = (0.0, 1.0, 0.0)
    distance: float = 0.0
    kind, _settings, _setter = schema.PLANE, settings.Plane, "set_plane"


@dataclass(frozen=True, kw_only=True, eq=False)
class Hull(Shape):
    """The convex hull of `points` [m], shape (n, 3): at least 4 that do not lie in one plane. It keeps at most 256 vertices."""

    points: Vectors
    kind, _settings, _setter = schema.HULL, settings.Hull, "set_hull"

    def _check(self) -> None:
        super()._check()
        points = np.asarray(self.points, np.float64).reshape(-1, 3)
        sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) if len(points) >= 4 else np.zeros(3)
        if sizes[2] <= FLAT * sizes[0]:
            raise ValueError(f"Hull: at least 4 points that do not lie in one plane are wanted, got {len(points)}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Mesh(Shape):
    """Triangles, for static and kinematic bodies. `vertices` [m] (n, 3); `triangles` (m, 3): indices of vertices,
    counter-clockwise seen from the front. With `two_sided`, bodies and rays collide with the back too. `surfaces`: up to 256
    materials, none of them rough or absorbent; `surface_of` (m,): the index of the material of each triangle."""

    vertices: Vectors
    triangles: Whole
    two_sided: bool = False
    surfaces: Sequence[Material] | None = None
    surface_of: Whole | None = None
    kind, _settings, _setter = schema.MESH, settings.Mesh, "set_mesh"

    def _arguments(self) -> tuple[Any, ...]:
        return self.vertices, self.triangles, self.two_sided, self.surface_of, surface_table("Mesh", self.surfaces)


@dataclass(frozen=True, kw_only=True, eq=False)
class HeightField(Shape):
    """Ground from samples, for static bodies. `heights` [m], shape (rows along Z, columns along X): one sample per metre,
    centred on the origin; NaN makes a hole. A `Part` of a `Compound` can scale it. `surfaces`: up to 256 materials, none of
    them rough or absorbent; `surface_of` (rows - 1, columns - 1): the index of the material of each cell.
    `World.update_height_field` changes a region in place."""

    heights: Sequence[Sequence[float]] | NDArray[Any]
    surfaces: Sequence[Material] | None = None
    surface_of: Whole | None = None
    kind, _settings, _setter = schema.HEIGHT_FIELD, settings.HeightField, "set_height_field"

    def _arguments(self) -> tuple[Any, ...]:
        try:
            samples = np.asarray(self.heights, np.float64)
        except (TypeError, ValueError):
            raise ValueError("HeightField: heights must be numbers of shape (rows, columns)") from None
        if samples.ndim != 2:
            raise ValueError(f"HeightField: heights must be of shape (rows, columns), got {samples.shape}")
        return samples.shape[1], samples.shape[0], samples.ravel(), self.surface_of, surface_table("HeightField", self.surfaces)


@dataclass(frozen=True, kw_only=True, eq=False)
class SeparationRay(Shape):
    """A leg for characters: a ray from the origin along +Z that keeps its body `length` [m] above the ground. With
    `slides_on_slope` it pushes along the normal of the ground instead of along itself."""

    length: float
    slides_on_slope: bool = False
    kind, _settings, _setter = schema.SEPARATION_RAY, settings.SeparationRay, "set_separation_ray"


@dataclass(frozen=True, kw_only=True, eq=False)
class Custom(Shape):
    """A convex shape given by a compiled support function [m]. `function`: an `entry_point("int64(int64, int64)")` of
    `scree.runtime.kernel`; `engine_core/shapes/custom.py` says how to write one. `data`: numbers for it, shape (k,)."""

    function: Any
    data: Sequence[float] | NDArray[Any] = ()
    kind, _settings, _setter = schema.CUSTOM, settings.Custom, "set_custom"


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """One `shape` of a `Compound` and its place in the compound's frame: `position` [m] (3,), `rotation`, a unit quaternion x,
    y, z, w (4,), `scale` along the axes of the shape (3,); a sphere takes the mean of the three, other round shapes the mean
    across their axis. `material`: None for that of the body, not rough or absorbent;
    `tag`: a whole number of the user's."""

    shape: Shape
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = NO_TURN
    scale: Vector = (1.0, 1.0, 1.0)
    material: Material | None = None
    tag: int = 0

    def __post_init__(self) -> None:
        keep_own(self)

    def _transform(self) -> list[float]:
        """Twelve numbers: basis by rows, then origin [m]. Raises ValueError."""
        turn = rotations("Part", self.rotation, 1)[0]
        return twelve(basis_of(turn) * vector("Part", "scale", self.scale), vector("Part", "position", self.position))

    def _surface(self) -> tuple[float, float] | None:
        """Friction and restitution, no units, or None. Raises ValueError."""
        return None if self.material is None else _surface("Part", "material", self.material)


@dataclass(frozen=True, kw_only=True, eq=False)
class Compound(Shape):
    """Several shapes as one rigid shape: `parts`, each with its place [m]. Hits and contacts report the number of the part."""

    parts: Sequence[Part]
    kind = schema.COMPOUND

    def _check(self) -> None:
        if not self.parts:
            raise ValueError("Compound: at least one part is wanted")
        for part in self.parts:
            if not isinstance(part, Part):
                raise ValueError(f"Compound: parts must be scree.Part values, got {part!r}")
            part._transform()
            part._surface()


def check_moves(call: str, shape: Shape | None) -> None:
    """Check that a rigid body may have a shape. Raises ValueError for grounds, also as parts of a compound."""
    if isinstance(shape, Compound):
        for part in shape.parts:
            check_moves(call, part.shape)
    elif isinstance(shape, Shape) and shape.kind in GROUNDS:
        name = type(shape).__name__
        raise ValueError(f"{call}: Plane, Mesh and HeightField are shapes for static and kinematic bodies, got a {name}")


def surface_table(call: str, surfaces: Sequence[Material] | None) -> list[tuple[float, float]] | None:
    """Friction and restitution of each material, no units; None for None. Raises ValueError."""
    return None if surfaces is None else [_surface(call, "surfaces", surface) for surface in surfaces]


def _surface(call: str, name: str, material: Material) -> tuple[float, float]:
    """Friction and restitution of a part of a shape. Raises ValueError for what only the surface of a whole body can be."""
    if not isinstance(material, Material):
        raise ValueError(f"{call}: {name} must be of scree.Material, got {material!r}")
    if material.rough or material.absorbent:
        raise ValueError(f"{call}: {name} cannot be rough or absorbent yet, only the material of a body can, got {material}")
    return material.friction, material.restitution
