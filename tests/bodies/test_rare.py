"""Fields that few bodies use lie in rows that take memory only where they are used: bodies/rare.py."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.bodies.motion import bodies_of
from scree.bodies.rare import own_rare, rare_of
from scree.bodies.schema import BODY_RARE, HAS_RARE, KINEMATIC, STATIC
from scree.profiling.resident import resident_bytes
from scree.runtime.kernel import entry_point
from scree.runtime.memory import PAGE
from scree.shapes.schema import BOX
from scree.core.world import World

SMALL = {"bodies": 4096, "body_shapes": 4096, "shapes": 256, "systems": 2, "pairs": 256, "contacts": 256}


@entry_point("void(int64, int64, float64)")
def add_force(world, index, force):
    own_rare(world, bodies_of(world)[index]).constant_force[0] += force


@entry_point("float64(int64, int64)")
def read_force(world, index):
    return np.float64(rare_of(world, bodies_of(world)[index]).constant_force[0])


@pytest.mark.needs("posix")  # mincore tells which pages have memory
def test_a_plain_body_has_none():
    """A thousand bodies that are made, shaped, moved and put into a space touch no row but that of defaults."""
    world = World(threads=1, **SMALL)
    system, shape = world.create_system(), world.shape.create(BOX)
    world.shapes.set_box(world.shape.index("", shape), (0.5, 0.5, 0.5))
    for k in range(1000):
        body = world.body.create()
        world.body.add_shape(body, shape)
        world.body.set_mode(body, (STATIC, 2, 3)[k % 3])
        world.body.set_param(body, "inertia", (0.0, 0.0, 0.0))
        world.body.set_max_contacts(body, 0)
        world.body.set_transform(body, (1, 0, 0, 0, 1, 0, 0, 0, 1, 3.0 * k, 0, 0))
        world.body.set_system(body, system)
    world.step(system, 1 / 60)
    assert not (world.bodies.flags[:1000] & HAS_RARE).any()
    rare = world.bodies.rare
    assert resident_bytes(rare.address, rare.rows.nbytes) <= 2 * PAGE


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(("make", "free", "add", "python")), st.integers(0, 5), st.integers(1, 9)), max_size=60))
def test_any_history(history):
    """Rows of bodies that come and go, written by compiled code and by Python: each has what was written to it in this life."""
    world = World(threads=1, **SMALL)
    bodies: dict[int, int] = {}
    forces: dict[int, float] = {}
    for what, which, number in history:
        if what == "make":
            if which not in bodies:
                bodies[which], forces[which] = world.body.create(), 0.0
        elif which not in bodies:
            continue
        elif what == "free":
            world.body.destroy(bodies.pop(which))
        else:
            index = world.body.index("", bodies[which])
            if what == "add":
                add_force(world.address, index, float(number))
            else:
                world.bodies.own_rare(index)["constant_force"][0] += number
            forces[which] += number
        for k, body in bodies.items():
            index = world.body.index("", body)
            assert read_force(world.address, index) == forces[k] == world.bodies.rare_of(index)["constant_force"][0]
    defaults = world.bodies.rare.rows[SMALL["bodies"]]
    assert not defaults["constant_force"].any() and defaults["target_rotation"].tolist() == [0, 0, 0, 1]
    np.testing.assert_array_equal(defaults["stretch"].reshape(3, 3), np.eye(3))


def test_a_target_begins_where_the_body_is():
    """A body that has a row for something else, and becomes kinematic, stays where it is."""
    world = World(threads=1, **SMALL)
    system, body = world.create_system(), world.body.create()
    add_force(world.address, world.body.index("", body), 1.0)
    world.body.set_transform(body, (1, 0, 0, 0, 1, 0, 0, 0, 1, 5.0, 6.0, 7.0))
    world.body.set_mode(body, KINEMATIC)
    world.body.set_system(body, system)
    for _ in range(3):
        world.step(system, 1 / 60)
    index = world.body.index("", body)
    assert world.bodies.rows[index]["position"] == pytest.approx((5.0, 6.0, 7.0))
    assert world.bodies.rare_of(index)["target_position"] == pytest.approx((5.0, 6.0, 7.0))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(("add", "remove", "set", "stretch")), st.integers(0, 3), st.integers(0, 2)), max_size=30)
)
def test_shapes_keep_the_users_transforms(history):
    """Whatever was added, moved and removed, and however the body is stretched: each shape tells the transform it was given."""
    transforms = (
        (1, 0, 0, 0, 1, 0, 0, 0, 1, 1.5, 2.5, -3.5), (0, -1, 0, 1, 0, 0, 0, 0, 1, 1.1, 0, 0),
        (2, 0, 0, 0, 3, 1, 0, 0, 1, 0, 0.3, 0),
    )  # fmt: skip
    world = World(threads=1, **SMALL)
    body, shape = world.body.create(), world.shape.create(BOX)
    world.shapes.set_box(world.shape.index("", shape), (0.5, 0.5, 0.5))
    wanted: list[int] = []
    for what, number, which in history:
        if what == "add":
            world.body.add_shape(body, shape, transforms[which])
            wanted.append(which)
        elif what == "stretch":
            scale = (1.0, 2.0, 1.0)[which]
            world.body.set_transform(body, (scale, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0))
        elif number < len(wanted):
            if what == "remove":
                world.body.remove_shape(body, number)
                del wanted[number]
            else:
                world.body.set_shape_transform(body, number, transforms[which])
                wanted[number] = which
        told = [world.body.shape_transform(body, k) for k in range(len(wanted))]
        assert told == [tuple(np.float32(transforms[k]).tolist()) for k in wanted]


def test_rows_lie_on_words():
    """Rows of doubles follow each other without a gap."""
    assert BODY_RARE.itemsize % 8 == 0
