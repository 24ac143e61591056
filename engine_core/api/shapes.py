"""Shapes as values: made once, used for as many bodies and queries as one likes, in any world. Lengths [m], in the shape's
frame.

A bad size raises ValueError when the value is made. Equal values of the simple kinds are one shape in the engine. Any thread.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine_core.api.arrays import NO_TURN, Vector, basis_of, rotations, twelve, vector
from engine_core.api.materials import Material
from engine_core.shapes import schema, settings


class Shape:
    """What all shapes are: values that cannot change, so they have no quantities to set. Make a `Box`, a `Sphere`..."""

    kind = schema.EMPTY

    def checked(self) -> Any:
        """The settings of this shape as the core keeps them. Raises ValueError."""
        raise NotImplementedError

    def write(self, pool: Any, index: int) -> None:
        """Give the settings to an empty shape of a `ShapePool`."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, list | np.ndarray) and np.ndim(value) == 1 and np.size(value) == 3:
                object.__setattr__(self, name, tuple(np.asarray(value).tolist()))
        self.checked()


@dataclass(frozen=True, kw_only=True)
class Box(Shape):
    """A box about its origin. `half_extents`: half of each side [m], shape (3,)."""

    half_extents: Vector
    kind = schema.BOX

    def checked(self) -> Any:
        return settings.Box.checked(self.half_extents)

    def write(self, pool: Any, index: int) -> None:
        pool.set_box(index, self.half_extents)


@dataclass(frozen=True, kw_only=True)
class Sphere(Shape):
    """A ball about its origin. `radius` [m]."""

    radius: float
    kind = schema.SPHERE

    def checked(self) -> Any:
        return settings.Sphere.checked(self.radius)

    def write(self, pool: Any, index: int) -> None:
        pool.set_sphere(index, self.radius)


@dataclass(frozen=True, kw_only=True)
class Capsule(Shape):
    """A cylinder with half balls at its ends, along Y. `radius` [m]; `height` [m] with both caps, at least twice the radius."""

    radius: float
    height: float
    kind = schema.CAPSULE

    def checked(self) -> Any:
        return settings.Capsule.checked(self.radius, self.height)

    def write(self, pool: Any, index: int) -> None:
        pool.set_capsule(index, self.radius, self.height)


@dataclass(frozen=True, kw_only=True)
class Cylinder(Shape):
    """A cylinder along Y. `radius` [m], `height` [m]."""

    radius: float
    height: float
    kind = schema.CYLINDER

    def checked(self) -> Any:
        return settings.Cylinder.checked(self.radius, self.height)

    def write(self, pool: Any, index: int) -> None:
        pool.set_cylinder(index, self.radius, self.height)


@dataclass(frozen=True, kw_only=True)
class TaperedCapsule(Shape):
    """The hull of two balls on Y, of `top_radius` [m] at +`half_height` [m] and of `bottom_radius` [m] at -`half_height`."""

    half_height: float
    top_radius: float
    bottom_radius: float
    kind = schema.TAPERED_CAPSULE

    def checked(self) -> Any:
        return settings.TaperedCapsule.checked(self.half_height, self.top_radius, self.bottom_radius)

    def write(self, pool: Any, index: int) -> None:
        pool.set_tapered_capsule(index, self.half_height, self.top_radius, self.bottom_radius)


@dataclass(frozen=True, kw_only=True)
class TaperedCylinder(Shape):
    """A cone frustum along Y, from -`half_height` to +`half_height` [m]. One of `top_radius` and `bottom_radius` [m] may be
    0."""

    half_height: float
    top_radius: float
    bottom_radius: float
    kind = schema.TAPERED_CYLINDER

    def checked(self) -> Any:
        return settings.TaperedCylinder.checked(self.half_height, self.top_radius, self.bottom_radius)

    def write(self, pool: Any, index: int) -> None:
        pool.set_tapered_cylinder(index, self.half_height, self.top_radius, self.bottom_radius)


@dataclass(frozen=True, kw_only=True)
class Ellipsoid(Shape):
    """An ellipsoid about its origin. `half_axes`: half of each axis [m], shape (3,)."""

    half_axes: Vector
    kind = schema.ELLIPSOID

    def checked(self) -> Any:
        return settings.Ellipsoid.checked(self.half_axes)

    def write(self, pool: Any, index: int) -> None:
        pool.set_ellipsoid(index, self.half_axes)


@dataclass(frozen=True, kw_only=True)
class Plane(Shape):
    """A half space, for static bodies: solid where `normal` . x <= `distance` [m]. `normal` (3,) need not be of length 1."""

    normal: Vector = (0.0, 1.0, 0.0)
    distance: float = 0.0
    kind = schema.PLANE

    def checked(self) -> Any:
        return settings.Plane.checked(self.normal, self.distance)

    def write(self, pool: Any, index: int) -> None:
        pool.set_plane(index, self.normal, self.distance)


@dataclass(frozen=True, kw_only=True, eq=False)
class Hull(Shape):
    """The convex hull of `points` [m], shape (n, 3). It keeps 256 vertices at most."""

    points: Any
    kind = schema.HULL

    def checked(self) -> Any:
        return settings.Hull.checked(self.points)

    def write(self, pool: Any, index: int) -> None:
        pool.set_hull(index, self.points)


@dataclass(frozen=True, kw_only=True, eq=False)
class Mesh(Shape):
    """Triangles, for static and kinematic bodies. `vertices` [m] (n, 3); `triangles` (m, 3): whole numbers that count in
    them, counter-clockwise seen from the front. `two_sided`: what comes from behind collides too. `surfaces`: up to 256
    materials, and `surface_of` (m,): which of them each triangle has."""

    vertices: Any
    triangles: Any
    two_sided: bool = False
    surfaces: Sequence[Material] | None = None
    surface_of: Any = None
    kind = schema.MESH

    def checked(self) -> Any:
        return settings.Mesh.checked(self.vertices, self.triangles, self.two_sided, self.surface_of, _table(self.surfaces))

    def write(self, pool: Any, index: int) -> None:
        pool.set_mesh(index, self.vertices, self.triangles, self.two_sided, self.surface_of, _table(self.surfaces))


@dataclass(frozen=True, kw_only=True, eq=False)
class HeightField(Shape):
    """Ground from samples, for static bodies. `heights` [m], shape (rows along Z, columns along X): one sample a metre,
    centred on the origin; NaN is a hole. Scale it as a `Part` of a `Compound`. `surfaces`: materials, and `surface_of` (rows
    - 1, columns - 1): which of them each cell has. `World.update_height_field` changes a region in place."""

    heights: Any
    surfaces: Sequence[Material] | None = None
    surface_of: Any = None
    kind = schema.HEIGHT_FIELD

    def checked(self) -> Any:
        return settings.HeightField.checked(*self._samples(), self.surface_of, _table(self.surfaces))

    def write(self, pool: Any, index: int) -> None:
        pool.set_height_field(index, *self._samples(), self.surface_of, _table(self.surfaces))

    def _samples(self) -> tuple[int, int, Any]:
        """Columns, rows, samples row by row."""
        samples = np.asarray(self.heights, np.float64)
        if samples.ndim != 2:
            raise ValueError(f"HeightField: heights must be of shape (rows, columns), got {samples.shape}")
        return samples.shape[1], samples.shape[0], samples.ravel()


@dataclass(frozen=True, kw_only=True, eq=False)
class SeparationRay(Shape):
    """A leg for characters: a ray from the origin along +Z that keeps its body `length` [m] above what it meets. With
    `slides_on_slope` it pushes along the normal of the ground instead of along itself."""

    length: float
    slides_on_slope: bool = False
    kind = schema.SEPARATION_RAY

    def checked(self) -> Any:
        return settings.SeparationRay.checked(self.length, self.slides_on_slope)

    def write(self, pool: Any, index: int) -> None:
        pool.set_separation_ray(index, self.length, self.slides_on_slope)


@dataclass(frozen=True, kw_only=True, eq=False)
class Custom(Shape):
    """A convex shape told by a compiled support function, an `entry_point("int64(int64, int64)")` of
    `engine_core.runtime.kernel`: see `engine_core/shapes/custom.py`. `data`: numbers for it, shape (k,), in units of its own;
    points it tells are [m]."""

    function: Any
    data: Any = ()
    kind = schema.CUSTOM

    def checked(self) -> Any:
        return settings.Custom.checked(self.function, self.data)

    def write(self, pool: Any, index: int) -> None:
        pool.set_custom(index, self.function, self.data)


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """One shape of a `Compound`: where it stands in the compound's frame. `position` [m] (3,), `rotation` unit quaternion x,
    y, z, w (4,), `scale` along the axes of the shape (3,). `material`: None for that of the body; `tag`: a whole number of
    one's own."""

    shape: Shape
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = NO_TURN
    scale: Vector = (1.0, 1.0, 1.0)
    material: Material | None = None
    tag: int = 0

    def transform(self) -> list[float]:
        """Twelve numbers: basis by rows, then origin [m]. Raises ValueError."""
        turn = rotations("Part", self.rotation, 1)[0]
        return twelve(basis_of(turn) * vector("Part", "scale", self.scale), vector("Part", "position", self.position))

    def surface(self) -> tuple[float, float] | None:
        """Friction and restitution, no units, or None."""
        return None if self.material is None else (self.material.friction, self.material.restitution)


@dataclass(frozen=True, kw_only=True, eq=False)
class Compound(Shape):
    """Several shapes as one rigid shape: `parts`, each with its place [m]. Hits and contacts tell the number of the part."""

    parts: Sequence[Part] = field(default_factory=tuple)
    kind = schema.COMPOUND

    def checked(self) -> Any:
        if not self.parts:
            raise ValueError("Compound: at least one part is wanted")
        return [part.transform() for part in self.parts]


def _table(surfaces: Sequence[Material] | None) -> list[tuple[float, float]] | None:
    return None if surfaces is None else [(surface.friction, surface.restitution) for surface in surfaces]
