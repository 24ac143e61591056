"""Drawings from Python: everything as lines with colours, and forms for renderers."""

import numpy as np
import pytest

import scree

CUBE = scree.Box(half_extents=(0.5, 0.5, 0.5))


def test_everything_comes_as_lines(space):
    space.add_static(CUBE, (1, 2, 3))
    drawing = space.drawing()
    assert isinstance(drawing, scree.Drawing) and len(drawing) == 12
    assert drawing.lines.shape == (12, 2, 3) and drawing.colours.shape == (12, 4)
    corners = {tuple(point) for point in drawing.lines.reshape(-1, 3).tolist()}
    assert corners == {(x, y, z) for x in (0.5, 1.5) for y in (1.5, 2.5) for z in (2.5, 3.5)}
    assert np.isclose(np.linalg.norm(drawing.lines[:, 1] - drawing.lines[:, 0], axis=1), 1.0).all()


@pytest.mark.parametrize(("shape", "distance"), [
    (scree.Sphere(radius=0.7), lambda p: np.linalg.norm(p, axis=1) - 0.7),
    (scree.Capsule(radius=0.25, height=2.0),
     lambda p: np.linalg.norm(p - np.clip(p[:, 1:2], -0.75, 0.75) * (0, 1, 0), axis=1) - 0.25),
    (scree.Cylinder(radius=0.5, height=1.0),
     lambda p: np.maximum(np.hypot(p[:, 0], p[:, 2]) - 0.5, np.abs(p[:, 1]) - 0.5)),
    (scree.Hull(points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
     lambda p: np.maximum(-p.min(axis=1), p.sum(axis=1) - 1.0)),
])  # fmt: skip
def test_lines_lie_on_the_surface(space, shape, distance):
    space.add_static(shape, (10, 0, 0))
    points = space.drawing("shapes").lines.reshape(-1, 3).astype(np.float64) - (10, 0, 0)
    assert len(points) and np.abs(distance(points)).max() < 1e-5


def test_forms_and_filters(space):
    space.add_rigid_many(scree.Sphere(radius=0.5), [(0, 0, 0), (50, 0, 0)], velocities=(1, 0, 0))
    space.add_area(CUBE, (0, 5, 0))
    assert space.drawing().forms("spheres").shape == (2, 16)
    near = space.drawing("shapes", "areas", "velocities", around=(0, 0, 0), distance=10.0)
    assert [len(near.forms(kind)) for kind in ("spheres", "boxes", "lines", "meshes")] == [1, 1, 1, 0]
    np.testing.assert_allclose(near.forms("lines")[0, [0, 4, 8]], (0.1, 0, 0), atol=1e-6)
    with pytest.raises(ValueError, match="what must be of shapes, .*got 'shadows'"):
        space.drawing("shadows")
    with pytest.raises(ValueError, match="kind must be one of boxes, .*got 'cones'"):
        near.forms("cones")
    with pytest.raises(ValueError, match="distance"):
        space.drawing(distance=-1.0)
    with pytest.raises(ValueError, match="around"):
        space.drawing(around=(0, 0))


def test_layers_are_named():
    space = scree.World(threads=1, layers=scree.Layers("ground", "crates")).add_space()
    space.add_static(CUBE, layer="ground")
    space.add_rigid(CUBE, (0, 1, 0), layer="crates")
    assert len(space.drawing(layers="crates").forms("boxes")) == 1 and len(space.drawing().forms("boxes")) == 2
