"""Ids, pools, exceptions and mass of bodies, and what bad input does: one clear error, and nothing else."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.bodies.exceptions import are_excepted
from scree.bodies.identity import body_of, describe_id, index_of, kind_of, make_id
from scree.bodies.pool import BodyPool, InstancePool
from scree.bodies.schema import KIND_AREA, KIND_BODY, KIND_SHAPE, KIND_SYSTEM, KINEMATIC, RIGID, STATIC
from scree.runtime.kernel import entry_point
from scree.runtime.memory import NoAddressSpace, Pool, PoolFull
from scree.shapes.schema import BOX, CAPSULE, HULL, SPHERE
from scree.core.world import World

PLAIN = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@entry_point("int64(int64, int64)")
def find_body(world, identity):
    return body_of(world, identity)


@entry_point("int64(int64, int64, int64)")
def is_excepted(world, a, b):
    return 1 if are_excepted(world, a, b) else 0


def small_world(**limits) -> World:
    return World(threads=1, **{"bodies": 256, "body_shapes": 512, "shapes": 256, "systems": 4, **limits})


@pytest.fixture
def world() -> World:
    return small_world()


def box(world: World, *half_extents) -> int:
    shape = world.shape.create(BOX)
    world.shapes.set_box(world.shape.index("box", shape), half_extents)
    return shape


# Ids.


@given(st.integers(1, 15), st.integers(0, (1 << 28) - 1), st.integers(1, (1 << 31) - 1))
def test_an_id_says_what_was_put_in(kind, index, sequence):
    identity = make_id(kind, index, sequence)
    assert 0 < identity < 1 << 63
    assert (kind_of(identity), index_of(identity), identity >> 32) == (kind, index, sequence)


def test_describe_names_kind_and_row():
    assert describe_id(0) == "the null id"
    assert "body 7" in describe_id(make_id(KIND_BODY, 7, 3)) and "shape 2" in describe_id(make_id(KIND_SHAPE, 2, 1))
    assert "not one of this server" in describe_id(make_id(15, 1, 1))


def test_a_freed_body_is_gone_and_its_row_comes_back_with_another_id(world):
    keeps, first = world.body.create(), world.body.create()
    world.body.set_param(first, "mass", 7.0)
    world.body.destroy(first)
    with pytest.raises(KeyError, match=rf"body_set_mode: there is no body {first} .*it was freed"):
        world.body.set_mode(first, STATIC)
    second = world.body.create()
    assert index_of(second) == index_of(first) and second != first
    assert world.body.param(second, "mass") == 1.0
    assert find_body(world.address, first) == -1
    assert find_body(world.address, second) == index_of(second)
    with pytest.raises(KeyError, match="it was freed"):
        world.body.destroy(first)
    assert world.body.param(keeps, "mass") == 1.0


def test_wrong_kinds_and_foreign_ids(world):
    body, shape, system = world.body.create(), box(world, 1, 1, 1), world.create_system()
    unused = (make_id(KIND_AREA, 0, 1), make_id(KIND_BODY, 200, 1), make_id(KIND_BODY, 1 << 27, 1))
    strangers = (0, -1, 1, shape, system, *unused)
    for stranger in strangers:
        assert find_body(world.address, stranger) == -1
        with pytest.raises(KeyError, match="body_param: there is no body"):
            world.body.param(stranger, "mass")
    for stranger in (0, -1, body, system, make_id(KIND_SHAPE, 200, 1)):
        with pytest.raises(KeyError, match="body_add_shape: there is no shape"):
            world.body.add_shape(body, stranger)
    for stranger in (-1, body, shape, make_id(KIND_SYSTEM, 3, 1)):
        with pytest.raises(KeyError, match="body_set_system: there is no space"):
            world.body.set_system(body, stranger)
    assert world.body.shape_count(body) == 0 and world.body.system(body) == 0


def test_freed_spaces_and_shapes_are_told_apart(world):
    system, shape = world.create_system(), box(world, 1, 1, 1)
    world.destroy_system(system)
    world.shape.destroy(shape)
    assert world.create_system() != system
    with pytest.raises(KeyError, match="there is no space .*freed"):
        world.step(system, 0.1)
    with pytest.raises(KeyError, match="free: there is no shape .*freed"):
        world.shape.destroy(shape)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 40), max_size=120))
def test_bodies_against_a_dict(choices):
    """Even numbers make a body, odd ones free one: what lives is what a dict says, and no id comes twice."""
    world, alive, used = small_world(bodies=64), {}, set()
    for number, choice in enumerate(choices):
        if choice % 2 == 0 and len(alive) < 64:
            body = world.body.create()
            assert body not in used
            used.add(body)
            world.body.set_param(body, "mass", number + 1.0)
            alive[body] = number + 1.0
        elif choice % 2 and alive:
            body = sorted(alive)[choice % len(alive)]
            world.body.destroy(body)
            del alive[body]
    assert {body: world.body.param(body, "mass") for body in alive} == alive
    assert len({index_of(body) for body in alive}) == len(alive)
    assert all(find_body(world.address, body) == -1 for body in used - set(alive))


@pytest.mark.parametrize(
    ("setting", "way_out"), (("World(bodies=...)", r"'World\(bodies=\.\.\.\)'"), ("", "limits of the world"))
)
def test_a_pool_without_address_space_says_which_limit_to_lower(setting, way_out):
    with pytest.raises(NoAddressSpace, match=f"the pool of bodies has no room: .* MiB .*: lower the .*{way_out}"):
        Pool("bodies", np.int64, 1 << 52, setting=setting)


def test_a_full_pool_says_which_setting_to_raise():
    world = small_world(bodies=3, body_shapes=4, systems=1, shapes=16)
    bodies = [world.body.create() for _ in range(3)]
    with pytest.raises(PoolFull, match=r"World\(bodies=\.\.\.\)"):
        world.body.create()
    shape = box(world, 1, 1, 1)
    world.body.add_shape(bodies[0], shape)
    world.body.add_shape(bodies[0], shape)
    world.body.add_shape(bodies[1], shape)  # the run of one that body 0 has left
    with pytest.raises(PoolFull, match=r"World\(body_shapes=\.\.\.\)"):
        world.body.add_shape(bodies[0], shape)
    assert [world.body.shape_count(body) for body in bodies] == [2, 1, 0]
    world.create_system()
    with pytest.raises(PoolFull, match=r"World\(systems=\.\.\.\)"):
        world.create_system()
    world.body.destroy(bodies[0])
    assert index_of(world.body.create()) == 0


def test_the_sequence_number_goes_round():
    pool = BodyPool(2)
    index = pool.take()
    pool.rows[index]["sequence"] = 0x7FFFFFFF
    pool.give_back(index)
    assert pool.rows[index]["sequence"] == 1
    assert pool.rows[pool.take()]["id"] == make_id(KIND_BODY, index, 1)


@given(st.lists(st.tuples(st.sampled_from((1, 2, 4, 8)), st.booleans()), max_size=60))
def test_runs_never_overlap(wishes):
    pool, taken = InstancePool(1024), []
    for capacity, gives_back in wishes:
        taken.append((pool.take(capacity), capacity))
        if gives_back:
            pool.give_back(*taken.pop(0))
        rows = [row for first, count in taken for row in range(first, first + count)]
        assert len(rows) == len(set(rows)) and max(rows, default=0) < 1024


def test_shapes_of_a_body_against_a_list(world):
    """Random choices of add, remove, replace and clear on three bodies: what is there is what a list says."""
    random = np.random.default_rng(4)
    shapes = [box(world, 0.5 + 0.1 * k, 1, 1) for k in range(6)]
    bodies = [world.body.create() for _ in range(3)]
    wanted: dict[int, list[int]] = {body: [] for body in bodies}
    for _ in range(400):
        body = bodies[random.integers(3)]
        shape, listed, what = shapes[random.integers(6)], wanted[body], random.random()
        if what < 0.6 and len(listed) < 40:
            world.body.add_shape(body, shape)
            listed.append(shape)
        elif what < 0.85 and listed:
            number = int(random.integers(len(listed)))
            world.body.remove_shape(body, number)
            del listed[number]
        elif what < 0.97 and listed:
            number = int(random.integers(len(listed)))
            world.body.set_shape(body, number, shape)
            listed[number] = shape
        elif what >= 0.99:
            world.body.clear_shapes(body)
            listed.clear()
        for each in bodies:
            assert [world.body.shape(each, k) for k in range(world.body.shape_count(each))] == wanted[each]
    world.shape.destroy(shapes[0])
    for body in bodies:
        left = [world.body.shape(body, k) for k in range(world.body.shape_count(body))]
        assert left == [shape for shape in wanted[body] if shape != shapes[0]]


# Exceptions.


CHANGES = ("add", "add", "add", "remove", "forget")


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 11), st.integers(0, 11)), max_size=60))
def test_exceptions_against_a_set(steps):
    world, named = small_world(), set()
    for what, a, b in steps:
        if what == "add" and a != b:
            world.exceptions.add(a, b)
            named.add((a, b))
        elif what == "remove":
            world.exceptions.remove(a, b)
            named.discard((a, b))
        elif what == "forget":
            world.exceptions.forget(a)
            named = {pair for pair in named if a not in pair}
    for a in range(12):
        assert world.exceptions.of(a) == sorted(other for body, other in named if body == a)
        for b in range(12):
            if a != b:
                assert is_excepted(world.address, a, b) == ((a, b) in named or (b, a) in named)


def test_many_exceptions_are_all_found(world):
    random = np.random.default_rng(1)
    pairs = {tuple(sorted(pair)) for pair in random.integers(0, 1 << 18, (300, 2)).tolist() if pair[0] != pair[1]}
    for a, b in pairs:
        world.exceptions.add(b, a)
    assert all(is_excepted(world.address, a, b) and is_excepted(world.address, b, a) for a, b in pairs)
    others = {tuple(sorted(pair)) for pair in random.integers(0, 1 << 18, (300, 2)).tolist()} - pairs
    assert not any(is_excepted(world.address, a, b) for a, b in others)


def test_a_destroyed_body_takes_its_exceptions_along(world):
    a, b = world.body.create(), world.body.create()
    world.body.add_exception(a, b)
    world.body.destroy(b)
    again = world.body.create()
    assert index_of(again) == index_of(b)
    assert world.body.exceptions(a) == [] and not is_excepted(world.address, index_of(a), index_of(again))


# Mass.


def inverse_inertia(world: World, body: int) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = world.bodies.rows[index_of(body)]["inverse_inertia_local"].astype(float)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def transform(angle: float, axis: int, place) -> np.ndarray:
    """A turn about one axis, then a place, as twelve numbers."""
    turn = np.eye(3)
    i, k = [(1, 2), (2, 0), (0, 1)][axis]
    turn[i, i] = turn[k, k] = math.cos(angle)
    turn[k, i], turn[i, k] = math.sin(angle), -math.sin(angle)
    return np.concatenate([turn.ravel(), np.asarray(place, dtype=float)])


@pytest.mark.parametrize("seed", range(6))
def test_boxes_and_spheres_by_the_formula(world, seed):
    """Uniform density over all shapes (Steiner), each part by its textbook formula."""
    random = np.random.default_rng(seed)
    body, mass, parts = world.body.create(), random.uniform(0.5, 9), []
    for number in range(4):
        values = transform(random.uniform(-3, 3), number % 3, random.uniform(-2, 2, 3))
        turn, center = values[:9].reshape(3, 3), values[9:]
        if number % 2:
            radius = random.uniform(0.2, 1)
            shape = world.shape.create(SPHERE)
            world.shapes.set_sphere(world.shape.index("sphere", shape), radius)
            volume, inertia = 4 / 3 * math.pi * radius**3, 0.4 * radius**2 * np.eye(3)
        else:
            half = random.uniform(0.2, 1, 3)
            shape, volume = box(world, *half), 8 * half.prod()
            inertia = np.diag((half @ half - half**2) / 3)
        world.body.add_shape(body, shape, values)
        parts.append((volume, center, turn @ inertia @ turn.T))
    world.body.add_shape(body, box(world, 3, 3, 3), PLAIN, is_disabled=True)
    world.body.set_param(body, "mass", mass)
    total = sum(volume for volume, _, _ in parts)
    center = sum(volume * at for volume, at, _ in parts) / total
    inertia = np.zeros((3, 3))
    for volume, at, own in parts:
        d = at - center
        inertia += mass * volume / total * (own + d @ d * np.eye(3) - np.outer(d, d))
    assert world.body.param(body, "center_of_mass") == pytest.approx(center.tolist(), abs=1e-5)
    assert world.bodies.rows[index_of(body)]["inverse_mass"] == pytest.approx(1 / mass)
    np.testing.assert_allclose(inverse_inertia(world, body), np.linalg.inv(inertia), rtol=1e-3, atol=1e-4)


def test_a_hull_and_a_capsule_against_trimesh(world):
    trimesh = pytest.importorskip("trimesh")
    points = np.random.default_rng(3).uniform(-1, 1, (20, 3))
    hull = world.shape.create(HULL)
    world.shapes.set_hull(world.shape.index("hull", hull), points)
    capsule = world.shape.create(CAPSULE)
    world.shapes.set_capsule(world.shape.index("capsule", capsule), 0.5, 2.0)
    body, place = world.body.create(), transform(0.7, 0, (3.0, 0.5, -1.0))
    world.body.add_shape(body, hull)
    world.body.add_shape(body, capsule, place)
    solid = trimesh.convex.convex_hull(points)
    other = trimesh.creation.capsule(height=1.0, radius=0.5, count=(96, 96))  # along z, its height without the caps
    other.apply_translation(-other.center_mass)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = place[:9].reshape(3, 3) @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]), place[9:]
    other.apply_transform(matrix)
    total = solid.volume + other.volume
    center = (solid.volume * solid.center_mass + other.volume * other.center_mass) / total
    inertia = np.zeros((3, 3))
    for part in (solid, other):
        d = part.center_mass - center
        inertia += (part.moment_inertia + part.volume * (d @ d * np.eye(3) - np.outer(d, d))) / total
    assert world.body.param(body, "center_of_mass") == pytest.approx(center.tolist(), abs=2e-3)
    np.testing.assert_allclose(inverse_inertia(world, body), np.linalg.inv(inertia), rtol=1e-2, atol=5e-3)


def test_custom_inertia_and_back(world):
    body = world.body.create()
    world.body.add_shape(body, box(world, 0.5, 0.5, 0.5))
    world.body.set_param(body, "inertia", (2.0, 0.0, 4.0))
    assert world.body.param(body, "inertia") == pytest.approx((2.0, 1 / 6, 4.0), rel=1e-5)
    world.body.set_param(body, "center_of_mass", (0.0, 1.0, 0.0))
    world.body.reset_mass(body)
    assert world.body.param(body, "inertia") == pytest.approx((1 / 6,) * 3, rel=1e-5)
    assert world.body.param(body, "center_of_mass") == pytest.approx((0, 0, 0), abs=1e-6)


def test_modes_have_the_mass_they_should(world):
    body = world.body.create()
    world.body.add_shape(body, box(world, 0.5, 0.5, 0.5))
    row = world.bodies.rows[index_of(body)]
    for mode, mass, turns in ((STATIC, 0, 0), (RIGID, 1, 1), (KINEMATIC, 0, 0), (3, 1, 0)):
        world.body.set_mode(body, mode)
        assert row["inverse_mass"] == mass
        assert bool(row["inverse_inertia_local"].any()) == bool(turns)


# Bad input.

NAN, INFINITY = float("nan"), float("inf")
BAD = [
    ("body_set_mode", (4,), "mode.*4"),
    ("body_set_mode", (-1,), "mode.*-1"),
    ("body_set_param", ("mass", 0.0), r"mass.*0\.0"),
    ("body_set_param", ("mass", -2.0), r"mass.*-2\.0"),
    ("body_set_param", ("mass", NAN), "mass.*nan"),
    ("body_set_param", ("mass", "heavy"), "mass.*heavy"),
    ("body_set_param", ("mass", None), "mass"),
    ("body_set_param", ("friction", INFINITY), "friction.*inf"),
    ("body_set_param", ("linear_damp_mode", -1), "linear_damp_mode.*-1"),
    ("body_set_param", ("inertia", (1, -1, 1)), r"inertia.*-1\.0"),
    ("body_set_param", ("inertia", (1, 1)), "inertia must be 3 numbers"),
    ("body_set_param", ("center_of_mass", (0, NAN, 0)), "center_of_mass.*nan"),
    ("body_set_param", ("colour", 1), "colour"),
    ("body_set_axis_lock", (3, True), "axis.*3"),
    ("body_set_transform", ((*PLAIN[:11], NAN),), "transform.*nan"),
    ("body_set_transform", (PLAIN[:11],), "12 numbers, got 11"),
    ("body_set_transform", ((1, 0, 0, 0, 1, 0, 0, 0, 0, 5, 5, 5),), "basis"),
    ("body_set_max_contacts", (-1,), "-1"),
    ("body_set_max_contacts", (5000,), "5000"),
    ("body_set_shape_transform", (0, (INFINITY,) * 12), "transform.*inf"),
    ("body_set_shape_transform", (1, PLAIN), "no number 1"),
    ("body_remove_shape", (1,), "no number 1"),
    ("body_remove_shape", (-1,), "no number -1"),
    ("body_set_shape_disabled", (7, True), "no number 7"),
]


def memory_of(world: World) -> tuple[bytes, ...]:
    """The rows that the tests of bad input use, bit for bit."""
    return tuple(pool.rows[:8].tobytes() for pool in (world.bodies, world.instances, world.shapes))


@pytest.mark.parametrize(("call", "arguments", "text"), BAD)
@pytest.mark.parametrize("is_in_system", (True, False))
def test_bad_input_names_call_and_value_and_changes_nothing(world, call, arguments, text, is_in_system):
    body = world.body.create()
    world.body.add_shape(body, box(world, 0.5, 0.6, 0.7))
    world.body.set_transform(body, (*PLAIN[:9], 1, 2, 3))
    if is_in_system:
        world.body.set_system(body, world.create_system())
    world.body.param(body, "inertia")  # whatever is pending is done
    before = memory_of(world)
    with pytest.raises(ValueError, match=text) as raised:
        getattr(world.body, call.removeprefix("body_"))(body, *arguments)
    assert str(raised.value).startswith(call)
    assert before == memory_of(world)


def test_a_shape_that_does_not_fit_leaves_the_body_whole(world):
    body, shape = world.body.create(), box(world, 1, 1, 1)
    with pytest.raises(ValueError, match="body_add_shape: transform"):
        world.body.add_shape(body, shape, (NAN,) * 12)
    assert world.body.shape_count(body) == 0
    world.shape.destroy(shape)


@pytest.mark.parametrize("value", (1e-60, 1e60))
@pytest.mark.parametrize("name", ("mass", "inertia"))
def test_what_single_precision_cannot_hold_is_bad_input(world, name, value):
    """Rows are single precision: such a number would be stored as 0 or infinity."""
    body = world.body.create()
    world.body.add_shape(body, box(world, 0.5, 0.6, 0.7))
    world.body.param(body, "mass")
    before = memory_of(world)
    with pytest.raises(ValueError, match=f"body_set_param: {name}"):
        world.body.set_param(body, name, value if name == "mass" else (value,) * 3)
    assert before == memory_of(world)


@pytest.mark.parametrize(
    ("name", "value"),
    (("gravity", (0, NAN, 0)), ("gravity", (1, 2)), ("linear_damp", INFINITY), ("colour", 1), ("substep_count", 0),
     ("substep_count", -4)),
)  # fmt: skip
def test_bad_settings_of_a_space(world, name, value):
    system = world.create_system()
    before = world.systems.rows[:1].tobytes()
    with pytest.raises(ValueError, match=f"space_set_param: .*{name}"):
        world.system_set_param(system, name, value)
    assert before == world.systems.rows[:1].tobytes()


@pytest.mark.parametrize(("name", "value"), (("gravity", (NAN, 0, 0)), ("colour", 1), ("linear_damp", NAN)))
def test_a_space_that_cannot_be_made_costs_nothing(name, value):
    world = small_world(systems=1)
    with pytest.raises(ValueError, match=name):
        world.create_system(**{name: value})
    world.create_system()
