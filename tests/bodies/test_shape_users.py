"""The users of a shape, against a naive look at all bodies."""

from hypothesis import given, settings
from hypothesis import strategies as st

from scree.bodies.shape_users import LEAST
from scree.shapes.schema import SPHERE
from scree.core.world import World

SMALL = {"bodies": 64, "body_shapes": 1024, "shapes": 64, "systems": 2, "pairs": 256, "contacts": 256}
KINDS = ("make", "free", "add", "remove", "replace", "clear", "lose")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 4), st.integers(0, 2)), max_size=80))
def test_any_history(history):
    world = World(threads=1, **SMALL)
    shapes = [world.shape.create(SPHERE) for _ in range(3)]
    for shape in shapes:
        world.shapes.set_sphere(world.shape.index("", shape), 0.5)
    bodies: dict[int, int] = {}
    for what, which, number in history:
        if what == "make" and which not in bodies:
            bodies[which] = world.body.create()
        if which not in bodies:
            continue
        body, shape = bodies[which], shapes[number]
        count = world.body.shape_count(body)
        if what == "free":
            world.body.destroy(bodies.pop(which))
        elif what == "add":
            world.body.add_shape(body, shape)
        elif what == "remove" and count:
            world.body.remove_shape(body, number % count)
        elif what == "replace" and count:
            world.body.set_shape(body, which % count, shape)
        elif what == "clear":
            world.body.clear_shapes(body)
        elif what == "lose":
            world.shape.destroy(shape)
            shapes[number] = world.shape.create(SPHERE)
            world.shapes.set_sphere(world.shape.index("", shapes[number]), 0.5)
        for shape in shapes:
            users = [b for b in bodies.values() if shape in [world.body.shape(b, k) for k in range(world.body.shape_count(b))]]
            assert world.shape_users.of(world.shape.index("", shape)) == sorted(world.body.index("", b) for b in users)


def test_lists_are_tidied():
    """A shape that comes and goes a thousand times leaves no list of a thousand."""
    world = World(threads=1, **SMALL)
    shape = world.shape.create(SPHERE)
    world.shapes.set_sphere(world.shape.index("", shape), 0.5)
    keeps = world.body.create()
    world.body.add_shape(keeps, shape)
    for _ in range(1000):
        body = world.body.create()
        world.body.add_shape(body, shape)
        world.body.destroy(body)
    index = world.shape.index("", shape)
    assert len(world.shape_users._got[index]) <= LEAST + 4
    assert world.shape_users.of(index) == [world.body.index("", keeps)]
