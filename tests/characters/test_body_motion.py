"""Testing the motion of a body: recovery, cast and collisions, derived from geometry and from the rules move_and_slide
rests on."""

import numpy as np
import pytest
from collision.query_twins import Solid, create_shape, new_world, place, random_rotation

from scree.bodies.schema import IS_AREA, KINEMATIC, RIGID
from scree.core.queries import Queries
from scree.shapes.schema import BOX, CAPSULE, CYLINDER, MESH, PLANE, SEPARATION_RAY, SPHERE

FAR_AWAY = np.array((8_000.0, 1_000.0, -11_000.0))
MARGIN = 0.001


@pytest.fixture
def stage():
    world, system = new_world()
    return world, system, Queries(world)


def character(world, system, solid=None, position=(0, 50, 0)) -> int:
    solid = Solid(SPHERE, (0.5,)) if solid is None else solid
    solid.position = np.asarray(position, dtype=float)
    return place(world, system, solid, KINEMATIC)


def test_a_free_motion_is_gone_in_full(stage):
    world, system, queries = stage
    body = character(world, system)
    place(world, system, Solid(BOX, (1, 1, 1), (0, -5, 0)))
    answer, collisions = queries.body_test_motion(body, (0, 0, 0), (3, 1, 2), recovery_as_collision=True)
    np.testing.assert_array_equal(answer["travel"], (3, 1, 2))
    np.testing.assert_array_equal(answer["remainder"], 0.0)
    assert (answer["safe_fraction"], answer["unsafe_fraction"], len(collisions)) == (1.0, 1.0, 0)


@pytest.mark.parametrize("origin", [np.zeros(3), FAR_AWAY])
@pytest.mark.parametrize("kind", [SPHERE, BOX, CAPSULE, CYLINDER])
def test_stopped_by_a_wall(stage, origin, kind):
    world, system, queries = stage
    body = character(world, system, Solid(kind, (0.5, 0.5, 0.5)))
    wall = place(world, system, Solid(BOX, (1, 3, 3), origin + (4, 0, 0)))
    motion = np.array((6.0, 0.5, 0.25))
    answer, collisions = queries.body_test_motion(body, origin, motion, MARGIN, max_collisions=6)
    contact = 2.5 / 6.0
    length = np.linalg.norm(motion)
    assert 0 <= (contact - answer["safe_fraction"]) * length < 1e-3
    assert 0 <= (answer["unsafe_fraction"] - contact) * length < 1e-3
    np.testing.assert_allclose(answer["travel"], motion * answer["safe_fraction"], atol=1e-9)
    np.testing.assert_allclose(answer["travel"] + answer["remainder"], motion, atol=1e-9)
    assert len(collisions) == (4 if kind == BOX else len(collisions)) and len(collisions) >= 1
    for collision in collisions:
        np.testing.assert_allclose(collision["normal"], (-1, 0, 0), atol=1e-6)
        assert collision["other_position"][0] == pytest.approx(origin[0] + 3.0, abs=1e-5)
        assert (collision["body_id"], collision["instance"], collision["own_instance"]) == (wall, 0, 0)
        assert MARGIN <= collision["depth"] < MARGIN + 5e-4
    assert answer["depth"] == collisions[0]["depth"] == collisions["depth"].max()


def test_the_body_itself_stays_and_its_own_pose_does_not_matter(stage):
    world, system, queries = stage
    body = character(world, system, position=(3, 0, 0))
    place(world, system, Solid(BOX, (1, 3, 3), (4, 0, 0)))
    before = world.bodies.rows[world.body.index("", body)].copy()
    answer, collisions = queries.body_test_motion(body, (-3, 0, 0), (1, 0, 0))
    assert len(collisions) == 0 and answer["travel"].tolist() == [1, 0, 0]
    assert world.bodies.rows[world.body.index("", body)] == before


def test_recovery_resolves_four_tenths_four_times(stage):
    world, system, queries = stage
    body = character(world, system)
    place(world, system, Solid(PLANE, (0, 1, 0, 0)))
    overlap = 0.01
    answer, collisions = queries.body_test_motion(body, (0, 0.5 - overlap, 0), (0, 0, 0), MARGIN)
    excess = overlap + MARGIN - 0.05 * MARGIN
    assert answer["travel"][1] == pytest.approx(excess * (1.0 - 0.6**4), rel=1e-4)
    assert len(collisions) == 0  # not asked for
    left = excess * 0.6**4 + 0.05 * MARGIN
    answer, collisions = queries.body_test_motion(body, (0, 0.5 - overlap, 0), (0, 0, 0), MARGIN, recovery_as_collision=True)
    assert len(collisions) == 1 and collisions[0]["depth"] == pytest.approx(left, rel=1e-3)
    np.testing.assert_allclose(collisions[0]["normal"], (0, 1, 0), atol=1e-9)


def test_recovery_leaves_a_body_at_rest_alone(stage):
    world, system, queries = stage
    body = character(world, system, Solid(BOX, (0.5, 0.5, 0.5)))
    place(world, system, Solid(BOX, (5, 1, 5)))
    height = 1.5 + 0.96 * MARGIN  # within the margin, less than the slop deep
    answer, _ = queries.body_test_motion(body, (0, height, 0), (0, 0, 0), MARGIN)
    assert answer["travel"].tolist() == [0, 0, 0]


def test_priority_decides_who_pushes_more(stage):
    world, system, queries = stage
    body = character(world, system)
    place(world, system, Solid(PLANE, (1, 0, 0, -0.49)))
    strong = place(world, system, Solid(PLANE, (-1, 0, 0, -0.49)))
    world.body.set_param(strong, "collision_priority", 3.0)
    answer, _ = queries.body_test_motion(body, (0, 0, 0), (0, 0, 0), MARGIN)
    assert answer["travel"][0] < -1e-4


def test_who_is_met(stage):
    world, system, queries = stage
    body = character(world, system)
    wall = place(world, system, Solid(BOX, (1, 3, 3), (4, 0, 0)))

    def is_stopped(**settings):
        answer, collisions = queries.body_test_motion(body, (0, 0, 0), (6, 0, 0), **settings)
        assert (len(collisions) > 0) == (answer["safe_fraction"] < 1.0)
        return len(collisions) > 0

    assert is_stopped()
    assert not is_stopped(exclude=[wall])
    world.body.set_collision_mask(wall, 0)
    assert is_stopped()  # only the mask of the one that moves counts
    world.body.set_collision_layer(wall, 2)
    assert not is_stopped()
    world.body.set_collision_mask(body, 2)
    world.body.set_collision_layer(body, 0)
    assert is_stopped()
    for one, other in ((wall, body), (body, wall)):
        world.body.add_exception(one, other)
        assert not is_stopped()
        world.body.remove_exception(one, other)
        assert is_stopped()
    world.body.set_shape_disabled(wall, 0, True)
    assert not is_stopped()
    world.body.set_shape_disabled(wall, 0, False)
    world.body.set_shape_disabled(body, 0, True)
    assert not is_stopped()
    world.body.set_shape_disabled(body, 0, False)
    for mode in (KINEMATIC, RIGID):
        world.body.set_mode(wall, mode)
        assert is_stopped()
    world.body.set_system(wall, 0)
    assert not is_stopped()
    row = world.bodies.rows[world.body.index("", wall)]
    row["flags"] = int(row["flags"]) | IS_AREA
    world.body.set_system(wall, system)
    assert not is_stopped()


def test_sliding_along_the_floor_and_leaving_it(stage):
    world, system, queries = stage
    body = character(world, system, Solid(BOX, (0.5, 0.5, 0.5)))
    place(world, system, Solid(BOX, (5, 1, 5)))
    at = (0, 1.5 + 0.9 * MARGIN, 0)
    answer, collisions = queries.body_test_motion(body, at, (0.1, 0, 0), MARGIN)
    assert len(collisions) == 0 and answer["travel"][0] == 0.1
    _, collisions = queries.body_test_motion(body, at, (0.1, 0, 0), MARGIN, 8, recovery_as_collision=True)
    assert len(collisions) == 4
    np.testing.assert_allclose(collisions["normal"], [[0, 1, 0]] * 4, atol=1e-6)
    _, collisions = queries.body_test_motion(body, at, (0, 0.0002, 0), MARGIN, 8, recovery_as_collision=True)
    assert len(collisions) == 0  # it goes away from the floor


def test_stuck_deep_inside_but_free_to_leave(stage):
    world, system, queries = stage
    body = character(world, system)
    place(world, system, Solid(PLANE, (0, 1, 0, 0)))
    answer, collisions = queries.body_test_motion(body, (0, 0.1, 0), (0, -1, 0), MARGIN)
    assert (answer["safe_fraction"], answer["unsafe_fraction"]) == (0.0, 0.0) and len(collisions) == 1
    assert answer["travel"][1] > 0.3 and answer["remainder"].tolist() == [0, -1, 0]
    answer, collisions = queries.body_test_motion(body, (0, 0.1, 0), (0, 1, 0), MARGIN)
    assert len(collisions) == 0 and answer["travel"][1] > 1.3


def test_wall_and_floor_at_once_and_the_limit(stage):
    world, system, queries = stage
    body = character(world, system, Solid(BOX, (0.5, 0.5, 0.5)))
    floor = place(world, system, Solid(BOX, (9, 1, 9)))
    wall = place(world, system, Solid(BOX, (1, 3, 3), (3, 3, 0)))
    at = (0, 1.5 + 0.9 * MARGIN, 0)
    answer, collisions = queries.body_test_motion(body, at, (5, 0, 0), MARGIN, 32)
    assert set(collisions["body_id"].tolist()) == {floor, wall} and len(collisions) == 8
    assert collisions[0]["body_id"] == wall  # run into: the deepest
    assert answer["safe_fraction"] == pytest.approx(1.5 / 5.0, abs=1e-3)
    for limit in (1, 3):
        _, some = queries.body_test_motion(body, at, (5, 0, 0), MARGIN, limit)
        assert len(some) == limit and some[0]["body_id"] == wall
    with pytest.raises(ValueError, match="max_collisions must be 0 to 32, got 33"):
        queries.body_test_motion(body, at, (5, 0, 0), MARGIN, 33)


def test_what_the_floor_moves_with(stage):
    world, system, queries = stage
    body = character(world, system)
    belt = place(world, system, Solid(BOX, (5, 1, 5)))
    row = world.bodies.own_rare(world.body.index("", belt))
    row["surface_linear_velocity"], row["surface_angular_velocity"] = (2, 0, 1), (0, 0.5, 0)
    _, collisions = queries.body_test_motion(body, (2, 3, 0), (0, -3, 0), MARGIN)
    np.testing.assert_allclose(collisions[0]["velocity"], (2, 0, 1 - 0.5 * 2), atol=1e-3)
    np.testing.assert_allclose(collisions[0]["angular_velocity"], (0, 0.5, 0))


def test_which_of_its_shapes_hits(stage):
    world, system, queries = stage
    body = world.body.create()
    world.body.set_mode(body, KINEMATIC)
    ball = create_shape(world, Solid(SPHERE, (0.25,)))
    for k in range(3):
        world.body.add_shape(body, ball, [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, k, 0])
    world.body.set_param(body, "center_of_mass", (3, 2, 1))  # must not matter
    world.body.set_transform(body, [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 99, 0])
    world.body.set_system(body, system)
    place(world, system, Solid(BOX, (1, 0.2, 1), (4, 1, 0)))
    answer, collisions = queries.body_test_motion(body, (0, 0, 0), (5, 0, 0), MARGIN)
    assert collisions[0]["own_instance"] == 1
    assert answer["safe_fraction"] == pytest.approx(2.75 / 5.0, abs=1e-3)
    quarter = [0, -1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0]  # about Z: its shapes now lie along -X
    answer, collisions = queries.body_test_motion(body, quarter, (5, 1, 0), MARGIN)
    assert collisions[0]["own_instance"] == 0


def test_a_separation_ray_holds_up_but_does_not_stop(stage):
    world, system, queries = stage
    body = character(world, system)
    feeler = world.shape.create(SEPARATION_RAY)
    world.shapes.set_separation_ray(world.shape.index("", feeler), 1.0)
    world.body.add_shape(body, feeler, [1, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0])  # its +Z points down
    place(world, system, Solid(BOX, (1, 0.5, 5), (2, 0, 0)))  # a step of 0.5 m
    answer, _ = queries.body_test_motion(body, (2, 1.4, 0), (0, 0, 0), MARGIN)
    excess = 0.1 + MARGIN - 0.05 * MARGIN
    assert answer["travel"][1] == pytest.approx(excess * (1.0 - 0.6**4), rel=1e-3)
    np.testing.assert_allclose(answer["travel"][[0, 2]], 0.0, atol=1e-7)
    _, collisions = queries.body_test_motion(body, (0, 1.2, 0), (2, 0, 0), MARGIN, 4)
    assert len(collisions) == 0  # the ray walks into the step unhindered
    answer, collisions = queries.body_test_motion(body, (2, 3, 0), (0, -2, 0), MARGIN, 4, collide_separation_ray=True)
    assert answer["safe_fraction"] == pytest.approx(1.5 / 2.0, abs=1e-3)
    assert collisions[0]["own_instance"] == 1
    np.testing.assert_allclose(collisions[0]["normal"], (0, 1, 0), atol=1e-6)


def test_a_walk_over_tiles_to_a_wall(stage):
    """Sliding as a character does, over flush boxes and a mesh: no seam may stop it, and it neither sinks nor
    climbs."""
    world, system, queries = stage
    for k in range(6):
        place(world, system, Solid(BOX, (0.5, 0.5, 2), (k, -0.5, 0)))
    square = np.array([[5.5, 0, -2], [5.5, 0, 2], [9, 0, 2], [9, 0, -2]], dtype=float), np.array([[0, 1, 2], [0, 2, 3]])
    place(world, system, Solid(MESH, (0,), vertices=square[0], triangles=square[1]))
    place(world, system, Solid(BOX, (0.5, 2, 2), (8.5, 0, 0)))
    body = character(world, system, Solid(BOX, (0.3, 0.8, 0.3)))
    position = np.array((0.0, 0.8005, 0.0))
    velocity = np.array((3.0, -1.0, 0.0)) / 60.0
    for _ in range(200):
        motion = velocity.copy()
        for _ in range(4):
            answer, collisions = queries.body_test_motion(body, position, motion, MARGIN, 6, recovery_as_collision=True)
            position = position + answer["travel"]
            if not len(collisions):
                break
            motion = answer["remainder"].copy()
            for collision in collisions:
                motion -= min(motion @ collision["normal"], 0.0) * collision["normal"]
            if np.linalg.norm(motion) < 1e-9:
                break
        assert abs(position[1] - 0.8) < 0.003
    assert position[0] == pytest.approx(8.0 - 0.3, abs=0.003)


def test_bad_input_is_named(stage):
    world, system, queries = stage
    body = character(world, system)
    with pytest.raises(ValueError, match="body_test_motion: motion must be finite, got nan"):
        queries.body_test_motion(body, (0, 0, 0), (np.nan, 0, 0))
    with pytest.raises(ValueError, match="body_test_motion: margin"):
        queries.body_test_motion(body, (0, 0, 0), (1, 0, 0), np.nan)
    world.body.set_system(body, 0)
    with pytest.raises(ValueError, match="body_test_motion: the body is in no system"):
        queries.body_test_motion(body, (0, 0, 0), (1, 0, 0))
    with pytest.raises(KeyError, match="there is no body"):
        queries.body_test_motion(12, (0, 0, 0), (1, 0, 0))


def crossing_boxes(rng, half: float, depth: float):
    """Rotation and place of a box whose edge crosses one of a box in the middle of the world at an angle, `depth` inside it, and
    the normal of both edges, towards the turned box."""
    while True:
        rotation, (i, j) = random_rotation(rng), rng.integers(3, size=2)
        along, other = np.eye(3)[i], rotation[:, j]
        normal = np.cross(along, other)
        if np.linalg.norm(normal) < 0.5:
            continue
        normal /= np.linalg.norm(normal)
        on_it, on_other = half * np.sign(normal), -half * np.sign(normal @ rotation)
        on_it[i] = on_other[j] = 0.0
        s, t = rng.uniform(-0.8, 0.8, 2) * half
        place_of_other = on_it + s * along - depth * normal - rotation @ on_other - t * other
        axes = np.concatenate((np.eye(3), rotation.T))
        edges = np.cross(np.eye(3)[:, None], rotation.T[None]).reshape(9, 3)
        axes = np.concatenate((axes, edges / np.linalg.norm(edges, axis=1)[:, None]))
        gaps = np.abs(axes @ place_of_other) - half * (np.abs(axes).sum(1) + np.abs(axes @ rotation).sum(1))
        if np.sort(gaps)[-2] < -0.01:  # no other axis is nearly as good
            return rotation, place_of_other, normal


def test_edges_that_cross_are_met_along_the_normal_of_both(stage):
    """0.1 mm inside: the faces beside the edges, nearly parallel or not, are not what touches."""
    world, system, queries = stage
    half, rng = 0.5, np.random.default_rng(5)
    body = character(world, system, Solid(BOX, (half,) * 3))
    place(world, system, Solid(BOX, (half,) * 3))
    off = []
    for _ in range(300):
        rotation, position, normal = crossing_boxes(rng, half, 1e-4)
        pose = np.concatenate((rotation.ravel(), position))
        _, collisions = queries.body_test_motion(body, pose, (0, 0, 0), MARGIN, max_collisions=4, recovery_as_collision=True)
        off.append(np.degrees(np.arccos(min(collisions["normal"][0] @ normal, 1.0))))
    assert np.max(off) < 0.1
