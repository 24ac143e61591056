"""Every kind of shape x every operation: a kind that an operation forgets fails here by name.

Who adds a kind adds a row to `traits.TRAITS` and an example to `kind_examples.EXAMPLES`; what is missing then, these tests say.
"""

from collections import Counter

import numpy as np
import pytest
from kind_examples import FAR, MADE, NAMES, example_of

import scree
from scree.collision.schema import SPECULATIVE_DISTANCE
from scree.godot import server_shapes
from scree.godot.creation.shapes import SHAPE_DATA, SHAPE_TYPES
from scree.godot.virtual_table import SERVER
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view
from scree.shapes import schema
from scree.shapes.bounds import shape_bounds
from scree.shapes.core import core_bounds
from scree.shapes.schema import SHAPE
from scree.shapes.storage import load_shape, save_shape
from scree.shapes.traits import TRAITS

every_kind = pytest.mark.parametrize("kind", MADE, ids=NAMES.get)
UPRIGHT, TURNED = (0.0, 0.0, 0.0, 1.0), (0.18257419, 0.36514837, 0.54772256, 0.73029674)
TO_DOWN, TO_UP = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)), (-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # +Z to -Y, to +Y
BALL, BOX = scree.Sphere(radius=0.25), scree.Box(half_extents=(2.0, 0.5, 2.0))
EVERYWHERE = ((-50.0, -50.0, -50.0), (50.0, 50.0, 50.0))


def new_space() -> scree.Space:
    return scree.World(threads=1, bodies=1 << 10, body_shapes=1 << 10, shapes=1 << 10).add_space(gravity=(0, -10, 0))


@pytest.fixture
def space() -> scree.Space:
    """10 m/s^2 downwards, one thread."""
    return new_space()


def row_of(space: scree.Space, body: scree.Body) -> tuple:
    """The pool of shapes, and the row of the first shape on a body."""
    core = space.world.core
    return core.shapes, int(core.shape.index("", core.body.shape(body.id, 0)))


def triangles_of(space: scree.Space) -> np.ndarray:
    return space.triangles(*EVERYWHERE).astype(np.float64)


def integrals(triangles: np.ndarray) -> tuple:
    """Volume [m^3], centre [m] and inertia of 1 kg about it (3, 3) [m^2] of what triangles enclose."""
    six = np.einsum("ni,ni->n", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2]))
    volume, sums = six.sum() / 6.0, triangles.sum(axis=1)
    center = (six[:, None] * sums).sum(axis=0) / 24.0 / volume
    squares = np.einsum("nki,nkj->nij", triangles, triangles) + np.einsum("ni,nj->nij", sums, sums)
    spread = (six[:, None, None] * squares).sum(axis=0) / 120.0 / volume - np.outer(center, center)
    return volume, center, np.trace(spread) * np.eye(3) - spread


def is_closed(triangles: np.ndarray) -> bool:
    """Whether each edge is there as often one way as the other."""
    corners = np.unique(np.round(triangles.reshape(-1, 3), 4), axis=0, return_inverse=True)[1].reshape(-1, 3)
    edges = [(int(t[k]), int(t[(k + 1) % 3])) for t in corners for k in range(3)]
    return Counter(edges) == Counter((b, a) for a, b in edges)


@every_kind
def test_a_value_of_the_public_api_makes_it(kind):
    value = example_of(kind).value
    assert type(value).kind == kind
    assert type(value).__name__ in scree.__all__


@every_kind
def test_settings_are_cooked(kind, space):
    shape = row_of(space, space.add_static(example_of(kind).value))
    own = shape[0].settings_of(shape[1])
    assert own.kind == kind
    cooked = own.cook()
    is_like_it = TRAITS[cooked.kind].block is TRAITS[kind].block  # a height field's row is of kind MESH
    assert (cooked.kind == kind or is_like_it) and (cooked.block is None) == (TRAITS[kind].block is None)


@entry_point("void(int64, int64, int64)")
def bounds_at(row, numbers, of_core):
    """Bounds of a row of SHAPE, or by its core, at a pose of seven numbers; six numbers behind it are written."""
    shapes, n = view(row, 1, SHAPE), view(numbers, 13, np.float64)
    position, rotation = (n[0], n[1], n[2]), (n[3], n[4], n[5], n[6])
    found = core_bounds(shapes[0], position, rotation) if of_core else shape_bounds(shapes, 0, position, rotation)
    for k in range(6):
        n[7 + k] = found[k]


def bounds_of(shape: tuple, rotation=UPRIGHT, of_core: bool = False) -> np.ndarray:
    """(2, 3) [m]."""
    numbers = np.array([0.0, 0.0, 0.0, *rotation, *np.zeros(6)])
    bounds_at(address_of(shape[0].rows[shape[1] : shape[1] + 1]), address_of(numbers), int(of_core))
    return numbers[7:].reshape(2, 3)


@every_kind
def test_bounds(kind, space):
    """Bounds are as the formula says; those of turned shapes hold all triangles."""
    known = example_of(kind)
    shape = row_of(space, body := space.add_static(known.value))
    np.testing.assert_allclose(bounds_of(shape), known.bounds, atol=1e-5)
    body.rotation = TURNED
    low, high = bounds_of(shape, TURNED)
    corners = triangles_of(space).reshape(-1, 3)
    if TRAITS[kind].can_be_met and high[0] < FAR:
        assert (low - 1e-5 <= corners.min(axis=0)).all() and (corners.max(axis=0) <= high + 1e-5).all()


@every_kind
def test_support(kind, space):
    """A convex shape has a core that reaches as far as its bounds."""
    if TRAITS[kind].is_convex:
        shape = row_of(space, space.add_static(example_of(kind).value))
        np.testing.assert_allclose(bounds_of(shape, of_core=True), example_of(kind).bounds, atol=1e-5)
        np.testing.assert_allclose(bounds_of(shape, TURNED, of_core=True), bounds_of(shape, TURNED), atol=1e-5)


@every_kind
def test_triangles_mass_and_inertia(kind, space):
    """A shape with an inside is closed by its triangles, which lie on its surface; volume, centre and inertia fit them."""
    known = example_of(kind)
    shape = row_of(space, space.add_static(known.value))
    row, triangles = shape[0].rows[shape[1]], triangles_of(space)
    assert (len(triangles) > 0) == TRAITS[kind].can_be_met, f"a {NAMES[kind]} has {len(triangles)} triangles in a snapshot"
    assert row["volume"] == pytest.approx(known.volume, rel=2e-2)  # 258 points stand for a custom shape
    if known.volume > 0.0:
        volume, center, inertia = integrals(triangles)
        assert is_closed(triangles)
        assert 0.9 * known.volume < volume < 1.001 * known.volume
        np.testing.assert_allclose(row["center_of_mass"], center, atol=0.03)
        xx, yy, zz, xy, xz, yz = row["inertia"]
        np.testing.assert_allclose([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], inertia, rtol=0.12, atol=0.005)


@every_kind
def test_rays(kind, space):
    known = example_of(kind)
    body = space.add_static(known.value)
    hit = space.cast_ray((0.01, known.top + 1.0, 0.02), (0.01, known.top - 0.6, 0.02))
    assert (hit is not None) == TRAITS[kind].can_be_met
    if hit is not None:
        assert hit.body == body and hit.position[1] == pytest.approx(known.top, abs=0.04) and hit.normal[1] > 0.5
    assert space.cast_ray((0.01, known.top + 2.0, 0.02), (0.01, known.top + 1.0, 0.02)) is None


@every_kind
def test_points(kind, space):
    """A shape with an inside, or a half space, holds points; the nearest point to one above the top is the top."""
    known = example_of(kind)
    body = space.add_static(known.value)
    is_solid = known.volume > 0.0 or kind == schema.PLANE
    assert (space.at_point((0.01, known.top - 0.2, 0.02)) == [body]) == is_solid
    assert space.at_point((0.01, known.top + 0.01, 0.02)) == []
    if TRAITS[kind].can_be_met:
        np.testing.assert_allclose(space.closest_point(body, (0.0, known.top + 1.0, 0.0)), (0.0, known.top, 0.0), atol=2e-3)


@every_kind
def test_a_ball_is_cast_at_it_and_overlaps_it(kind, space):
    known = example_of(kind)
    body = space.add_static(known.value)
    hit = space.cast_shape(BALL, (0.0, known.top + 2.0, 0.0), (0.0, -3.0, 0.0))
    assert (hit is not None) == TRAITS[kind].can_be_met
    if hit is not None:
        assert hit.body == body and hit.distance == pytest.approx(1.75, abs=5e-3)
    for height, is_there in ((0.2, TRAITS[kind].can_be_met), (0.3, False)):
        assert (space.overlaps(BALL, (0.0, known.top + height, 0.0)) == [body]) == is_there


@every_kind
def test_it_is_cast_at_a_box_and_overlaps_it(kind, space):
    """Ground, whose front is above, is moved up; a separation ray points down."""
    known = example_of(kind)
    is_ray, is_ground = kind == schema.SEPARATION_RAY, TRAITS[kind].is_surface
    body, rotation = space.add_static(BOX), TO_DOWN if is_ray else UPRIGHT
    lowest = -1.0 if is_ray else known.bottom
    start, way = (-2.0, 3.0) if is_ground else (2.0 - lowest, -3.0)
    hit = space.cast_shape(known.value, (0.0, start, 0.0), (0.0, way, 0.0), rotation)
    assert hit is not None and hit.body == body and hit.distance == pytest.approx(1.5, abs=5e-3)
    touching = -0.45 if is_ground else 0.45 - lowest
    assert space.overlaps(known.value, (0.0, touching, 0.0), rotation) == [body]
    assert space.overlaps(known.value, (0.0, 1.3 * touching, 0.0), rotation) == []


@every_kind
def test_scaled_uses(kind, space):
    """A shape works as a part of a compound, three times as large. A kind that cannot be one is refused, and scaled on a body."""
    known = example_of(kind)
    compound = scree.Compound(parts=[scree.Part(shape=known.value, scale=(3.0, 3.0, 3.0))])
    if TRAITS[kind].can_be_part:
        pool, index = row_of(space, space.add_static(compound))
        parts = pool.rows[pool.part_rows(index)]
    else:
        with pytest.raises(ValueError, match=f"a {NAMES[kind]} cannot be a part of a compound"):
            space.add_static(compound)
        body, core = space.add_static(known.value), space.world.core
        core.body.set_shape_transform(body.id, 0, (3.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0))
        _, _, at = core.body.instance("", body.id, 0)
        parts = core.shapes.rows[core.instances.rows["shape"][at : at + 1]]
    assert parts["length"].max() == (3.0 if kind == schema.SEPARATION_RAY else 0.0)
    assert parts["volume"].sum() == pytest.approx(27.0 * known.volume, rel=2e-2)
    hit = space.cast_ray((0.01, 3.0 * known.top + 1.0, 0.02), (0.01, 3.0 * known.top - 0.6, 0.02))
    assert (hit is not None) == TRAITS[kind].can_be_met
    if hit is not None:
        assert hit.position[1] == pytest.approx(3.0 * known.top, abs=0.04)


@every_kind
def test_bytes(kind, space):
    """A shape is saved and loaded bit by bit; one that cannot be says so."""
    pool, index = row_of(space, space.add_static(example_of(kind).value))
    if not TRAITS[kind].is_stored:
        with pytest.raises(ValueError, match="cannot be saved"):
            save_shape(pool, index)
        return
    saved = save_shape(pool, index)
    loaded = load_shape(pool, saved)
    assert save_shape(pool, loaded) == saved
    assert pool.rows[loaded]["kind"] == pool.rows[index]["kind"]


@every_kind
def test_godot_reaches_it_where_godot_has_it(kind):
    types = [name for name, own in SHAPE_TYPES.items() if own == kind]
    assert len(types) == int(example_of(kind).is_in_godot), f"Godot's type of a {NAMES[kind]}: see SHAPE_TYPES of godot/creation"
    created = {f"_{name}_shape_create" for name in types}
    assert created <= SERVER.cold_functions.keys() and created <= SHAPE_DATA.keys()
    assert len(server_shapes._SETTERS) == len(server_shapes.TYPES) == len(SHAPE_TYPES)


def put_side_by_side(space: scree.Space, under: int, gap: float, **settings) -> list:
    """A body of each kind that can move, none turning, each `gap` [m] above the top of a body of kind `under` of its own:
    (kind, body, height [m])."""
    below, put = example_of(under), []
    lift = 1.0 if under == schema.SEPARATION_RAY else below.top
    ground = TO_UP if under == schema.SEPARATION_RAY else UPRIGHT
    for kind in MADE:
        if TRAITS[kind].is_surface:
            continue
        known, is_ray = example_of(kind), kind == schema.SEPARATION_RAY
        x = 30.0 * len(put)
        if under != schema.PLANE or not put:
            space.add_static(below.value, (x, 0.0, 0.0), ground)
        height = lift + gap + (1.0 if is_ray else -known.bottom)
        body = space.add_rigid(known.value, (x, height, 0.0), TO_DOWN if is_ray else UPRIGHT, mass=1.0, **settings)
        body.lock_axes(angular="xyz")
        put.append((kind, body, height))
    return put


@every_kind
def test_every_other_kind_rests_on_it(kind, space):
    """None falls by more than 5 cm in a third of a second, which would be 56 cm freely; only rays do not meet rays."""
    put = put_side_by_side(space, kind, SPECULATIVE_DISTANCE)
    for _ in range(20):
        space.step(1.0 / 60.0)
    fallen = [NAMES[other] for other, body, height in put if body.position[1] < height - 0.05]
    assert fallen == (["separation ray"] if kind == schema.SEPARATION_RAY else []), f"through a {NAMES[kind]} fall: {fallen}"


@every_kind
def test_no_other_kind_is_shot_through_it(kind, space):
    """At 300 m/s, which is 5 m a step. A ray is not swept, nor is what flies against one."""
    if not TRAITS[kind].can_be_met:
        return
    put = put_side_by_side(space, kind, 2.0, velocity=(0.0, -300.0, 0.0), continuous=True)
    for _ in range(3):
        space.step(1.0 / 60.0)
    through = [NAMES[other] for other, body, height in put if body.position[1] < height - 2.5 and other != schema.SEPARATION_RAY]
    assert through == [], f"through a {NAMES[kind]} fly: {through}"
