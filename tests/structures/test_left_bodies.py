"""A query that found a body before it left its space walks on over the shapes that the body had, whatever is done to the body
meanwhile: no row that it may read is cleared."""

import sys
import threading

import numpy as np
import pytest

import scree
from scree.bodies.identity import index_of
from scree.bodies.parts import PARTS, begin_parts, next_part_on_ray
from scree.bodies.records import world_at
from scree.bodies.schema import INSTANCE
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view
from scree.shapes.schema import SHAPE, SPHERE
from tests.sizes import size

from .test_on_bodies import block, new_space

RACE = size(2.0, 60.0)  # [s]
BALL = scree.Sphere(radius=0.3)
PILE = scree.Compound(parts=[scree.Part(shape=BALL, position=(0.0, y, 0.0)) for y in (0.0, 1.0, 2.0)])


@entry_point("int64(int64, int64, int64)")
def go_on(world_address, walk_address, first):
    """The next shape of a body with one, whose row is `first`, on a ray down the Y axis; the first call of a walk begins it."""
    world, walk = world_at(world_address), view(walk_address, 1, PARTS)[0]
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    if walk.outer.count == 0:
        begin_parts(walk, first, np.int64(1))
    return next_part_on_ray(walk, world, instances, shapes, (0.0, 9.0, 0.0), (0.0, -18.0, 0.0), 1.0)


def users_of(space: scree.Space) -> np.ndarray:
    """The counters of queries under way in the space's tree of static bodies."""
    return space.world.core.system(space._id).trees.trees.rows[1]["users"]


@pytest.mark.parametrize("shape", [BALL, PILE, block(4, 1, 4)[0]], ids=["sphere", "compound", "structure"])
def test_the_rows_of_a_removed_body_stay_until_the_query_that_found_it_ends(shape):
    space = new_space()
    body, core = space.add_static(shape), space.world.core
    first = int(core.bodies.rows[index_of(body.id)]["first_instance"])
    before, users = core.instances.rows[first].copy(), users_of(space)
    users[0, 3, 0] += 1  # a query of the space has found the body and its shapes, and not ended
    body.remove()
    core.retirement.reclaim()
    others = [space.add_static(BALL) for _ in range(3)]
    assert core.instances.rows[first] == before
    users[0, 3, 0] -= 1
    core.retirement.reclaim()
    others += [space.add_static(BALL) for _ in range(3)]
    assert first in {int(core.bodies.rows[index_of(other.id)]["first_instance"]) for other in others}


def test_a_walk_over_parts_goes_on_when_a_body_that_left_gets_another_shape():
    space = new_space()
    body, core = space.add_static(PILE), space.world.core
    first = int(core.bodies.rows[index_of(body.id)]["first_instance"])
    walk, users = np.zeros(1, PARTS), users_of(space)
    users[0, 3, 0] += 1
    assert go_on(core.address, address_of(walk), first) == 0
    parts = [int(walk[0]["part"])]
    ball = core.shape.create(SPHERE)
    core.shapes.set_sphere(core.shape.index("ball", ball), 0.3)
    core.body.set_system(body.id, 0)
    core.body.set_shape(body.id, 0, ball)
    while go_on(core.address, address_of(walk), first) >= 0:
        parts.append(int(walk[0]["part"]))
    users[0, 3, 0] -= 1
    assert parts == [0, 1, 2]


def test_bodies_come_and_go_while_rays_walk_over_their_bricks():
    space, stop, errors, asked = new_space(), threading.Event(), [], [0]

    def ask(seed: int) -> None:
        origins = np.random.default_rng(seed).uniform((-2, 9, -2), (2, 9, 2), (2000, 3))
        try:
            while not stop.is_set():
                asked[0] += int(space.cast_rays(origins, (0.0, -20.0, 0.0)).is_hit.sum())
        except BaseException as error:
            errors.append(error)

    structure, made = block(16, 1, 16)[0], 0
    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(3)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        threading.Timer(RACE, stop.set).start()
        while not stop.is_set():
            space.add_static(structure).remove()
            made += 1
    finally:
        stop.set()
        sys.setswitchinterval(interval)
    for thread in threads:
        thread.join()
    assert not errors and asked[0] > 0 and made > 10
