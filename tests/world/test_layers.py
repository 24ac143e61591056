"""Collision filters: masks, a matrix, packed object layers, groups, shape filters; and broad-phase layers of one's own."""

import itertools

import numpy as np
import pytest
from small_world import SmallWorld

from scree.bodies.layers import MaskLayers, MatrixLayers, PackedLayers
from scree.core.queries import Queries
from scree.core.world import World


class LayeredWorld(SmallWorld):
    """A small world with a table of layers."""

    def __init__(self, layers):
        self.world = World(threads=1, layers=layers, bodies=1 << 10, body_shapes=1 << 10, shapes=1 << 10)
        self.system = self.world.create_system(gravity=(0.0, 0.0, 0.0), is_sleeping_allowed=0)
        self.row = self.world.system(self.system).row

    def meets(self, first, second) -> bool:
        """Whether two overlapping bodies that `first` and `second` set up push each other."""
        shape = self.sphere(0.5)
        a, b = self.add(shape, (0, 0, 0)), self.add(shape, (0.5, 0, 0))
        first(a)
        second(b)
        self.step(2)
        met = self.live_pairs() > 0
        for body in (a, b):
            self.world.body.destroy(body)
        self.step()
        return met


def test_matrix():
    layers = MatrixLayers(4, {3: "debris"}).collide(0, 0).collide(0, 1).collide(1, 3).collide(2, 2).collide(0, 3)
    layers.collide(0, 3, False)
    small = LayeredWorld(layers)
    wanted = {(0, 0), (0, 1), (1, 3), (2, 2)}
    for a, b in itertools.product(range(4), repeat=2):
        met = small.meets(
            lambda body, layer=a: small.world.body.set_object_layer(body, layer),
            lambda body, layer=b: small.world.body.set_object_layer(body, layer),
        )
        assert met == ((a, b) in wanted or (b, a) in wanted), (a, b)
    with pytest.raises(ValueError, match="object layer must be 0 to 3, got 4"):
        body = small.add(small.sphere(1.0))
        small.world.body.set_object_layer(body, 4)


@pytest.mark.parametrize(
    "a, b, expected",
    [
        (PackedLayers.pack(1), PackedLayers.pack(2), True),
        (PackedLayers.pack(1, has_response=False), PackedLayers.pack(2), False),
        (PackedLayers.pack(1, mask=0b010), PackedLayers.pack(2, mask=0b010), False),  # 1 does not respond to 2
        (PackedLayers.pack(1, mask=0b100), PackedLayers.pack(2, mask=0b010), True),
        (PackedLayers.pack(30), PackedLayers.pack(2), False),  # no mask holds layer 30
    ],
)
def test_packed(a, b, expected):
    small = LayeredWorld(PackedLayers())
    set_a = lambda body: small.world.body.set_object_layer(body, a)  # noqa: E731
    set_b = lambda body: small.world.body.set_object_layer(body, b)  # noqa: E731
    assert small.meets(set_a, set_b) == small.meets(set_b, set_a) == expected


def test_packing_is_32_bits():
    generator = np.random.default_rng(1)
    for layer, mask in zip(generator.integers(0, 32, 50), generator.integers(0, 1 << 26, 50), strict=True):
        packed = PackedLayers.pack(int(layer), True, int(mask))
        assert 0 <= packed < 1 << 32
        assert PackedLayers().words(packed) == (1 << int(layer), int(mask))
    with pytest.raises(ValueError, match="mask must be 26 bits"):
        PackedLayers.pack(0, True, 1 << 26)


def test_masks_are_exact_in_all_32_bits():
    small = LayeredWorld(None)
    for bit in range(32):
        for mask_bit, expected in ((bit, True), ((bit + 1) % 32, False)):

            def layer_only(body, bit=bit):
                small.world.body.set_collision_layer(body, 1 << bit)
                small.world.body.set_collision_mask(body, 0)

            def mask_only(body, bit=mask_bit):
                small.world.body.set_collision_layer(body, 0)
                small.world.body.set_collision_mask(body, 1 << bit)

            assert small.meets(layer_only, mask_only) == small.meets(mask_only, layer_only) == expected, bit


def test_groups():
    """A chain whose neighbours do not collide, other links do, and so do links of two chains."""
    small = LayeredWorld(None)
    chain = small.world.body.create_group_filter([(k, k + 1) for k in range(8)])

    def link(group, number):
        return lambda body: small.world.body.set_group(body, group, number, chain)

    assert not small.meets(link(1, 3), link(1, 4)) and not small.meets(link(1, 4), link(1, 3))
    assert small.meets(link(1, 3), link(1, 5)) and small.meets(link(1, 3), link(2, 4))
    assert small.meets(link(1, 3), lambda body: None)
    with pytest.raises(ValueError, match="no sub-group 64"):
        small.meets(link(1, 64), link(1, 1))


def test_shape_filters():
    """One body of two shapes: which of them a query sees, and which make contacts."""
    small = LayeredWorld(None)
    shape = small.box(0.5, 0.5, 0.5)
    body = small.add(shape, (0, 0, 0), mode=0)
    small.world.body.add_shape(body, shape, (1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 0, 0))
    small.world.body.set_shape_layers(body, 0, query_layers=1, simulation_layers=1)
    small.world.body.set_shape_layers(body, 1, query_layers=2, simulation_layers=2)
    queries, origins = Queries(small.world), np.array([[0, 9.0, 0], [5, 9.0, 0]])
    for mask, seen in ((0, [0, 0]), (1, [0, -1]), (2, [-1, 0]), (3, [0, 0]), (4, [-1, -1])):
        hits = queries.cast_rays(small.system, origins, origins * [1, -1, 1], shape_mask=mask)
        assert hits["body"].tolist() == seen, mask
    for layers, expected in ((0, True), (1, False), (2, True)):
        other = small.add(shape, (5, 0.5, 0))
        small.world.body.set_shape_layers(other, 0, simulation_layers=layers)
        small.step(2)
        assert (small.live_manifolds() > 0) == expected, layers
        small.world.body.destroy(other)
        small.step()


def test_broad_phase_layers_of_ones_own():
    layers = MaskLayers({5: "debris", 6: "bullets"})
    small = LayeredWorld(layers)
    world, trees = small.world, small.world.system(small.system).trees
    assert world.broad_phase_names == ("moving", "not moving", "sensor", "debris", "bullets")
    shape = small.sphere(0.5)
    body = small.add(shape, (0, 0, 0))
    queries = Queries(world)

    def ray(**settings):
        return queries.cast_ray(small.system, (0, 9, 0), (0, -9, 0), **settings) is not None

    assert [trees.body_count(k) for k in range(5)] == [1, 0, 0, 0, 0]
    world.body.set_collision_layer(body, 1 << 5)
    assert [trees.body_count(k) for k in range(5)] == [0, 0, 0, 1, 0]
    assert ray() and ray(layers=["debris"]) and not ray(layers=["moving", "bullets"]) and not ray(mask=1)
    world.body.set_collision_layer(body, 1)
    assert [trees.body_count(k) for k in range(5)] == [1, 0, 0, 0, 0] and ray(mask=1)
    other = small.add(shape, (0.4, 0, 0))
    world.body.set_collision_layer(other, 1 << 6)
    small.step(2)
    assert small.live_pairs() == 1  # body's mask has not layer 6, but the bullet's has layer 0
    world.body.set_collision_mask(other, 0)
    small.step(2)
    assert small.live_pairs() == 0
    with pytest.raises(ValueError, match="no broad-phase layer 'dust'; there are moving"):
        ray(layers=["dust"])
    with pytest.raises(ValueError, match="every world has a broad-phase layer 'not moving'; object layer 3"):
        World(threads=1, layers=MaskLayers({3: "not moving"}), bodies=64)
    with pytest.raises(ValueError, match="at most 8 broad-phase layers"):
        World(threads=1, layers=MaskLayers({k: f"layer {k}" for k in range(9)}), bodies=64)
