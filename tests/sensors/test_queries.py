"""Areas as queries see them."""

import pytest
from small_world import SmallWorld

from scree.bodies.schema import RAY_PICKABLE
from scree.core.queries import Queries


class QueryScene(SmallWorld):
    """A ball of 1 m radius about the origin that is an area."""

    def __init__(self):
        super().__init__()
        self.area = self.world.area.create()
        self.world.area.add_shape(self.area, self.sphere(1.0))
        self.world.area.set_system(self.area, self.system)
        self.queries = Queries(self.world)


def test_rays_hit_areas_only_when_asked_to():
    scene = QueryScene()
    way = (scene.system, (-5, 0, 0), (5, 0, 0))
    assert scene.queries.cast_ray(*way) is None
    hit = scene.queries.cast_ray(*way, areas=True)
    assert hit["body_id"] == scene.area and hit["position"] == pytest.approx((-1, 0, 0), abs=1e-6)
    assert scene.queries.cast_ray(*way, areas=True, exclude=[scene.area]) is None
    assert scene.queries.cast_ray(*way, areas=True, mask=2) is None


def test_rays_that_pick_skip_areas_that_are_not_pickable():
    scene = QueryScene()
    way = (scene.system, (-5, 0, 0), (5, 0, 0))
    assert scene.queries.cast_ray(*way, areas=True, only_pickable=True) is not None
    row = scene.world.bodies.rows[scene.world.area.index("test", scene.area)]
    row["flags"] = int(row["flags"]) & ~RAY_PICKABLE
    assert scene.queries.cast_ray(*way, areas=True, only_pickable=True) is None
    assert scene.queries.cast_ray(*way, areas=True) is not None


def test_points_shapes_and_casts():
    scene = QueryScene()
    ball = scene.sphere(0.5)
    assert len(scene.queries.intersect_point(scene.system, (0.5, 0, 0))) == 0
    assert scene.queries.intersect_point(scene.system, (0.5, 0, 0), areas=True)["body_id"].tolist() == [scene.area]
    found = scene.queries.intersect_shape(scene.system, ball, (1.4, 0, 0), areas=True, bodies=False)
    assert found["body_id"].tolist() == [scene.area]
    safe, _ = scene.queries.cast_motion(scene.system, ball, (5, 0, 0), (-5, 0, 0), areas=True)
    assert safe == pytest.approx(0.7, abs=1e-3)


def test_closest_point_of_an_area():
    scene = QueryScene()
    assert scene.queries.closest_point(scene.area, (3, 0, 0)) == pytest.approx((1, 0, 0), abs=1e-6)
    scene.world.area.set_system(scene.area, 0)
    with pytest.raises(ValueError, match="closest_point: the body is in no system"):
        scene.queries.closest_point(scene.area, (3, 0, 0))


def test_a_moved_area_is_found_at_once():
    scene = QueryScene()
    scene.world.area.set_transform(scene.area, (1, 0, 0, 0, 1, 0, 0, 0, 1, 30, 0, 0))
    assert scene.queries.intersect_point(scene.system, (30, 0, 0), areas=True)["body_id"].tolist() == [scene.area]
    assert len(scene.queries.intersect_point(scene.system, (0, 0, 0), areas=True)) == 0


def test_contact_points_for_the_debug_view():
    scene = SmallWorld()
    scene.floor()
    scene.add(scene.box(0.5, 0.5, 0.5), (3.0, 0.5, -2.0))
    scene.step(30)
    points = scene.world.system(scene.system).contact_points(100)
    corners = [(x, 0.0, z) for x in (2.5, 3.5) for z in (-2.5, -1.5)]
    assert sorted(map(tuple, points.round(1).tolist())) == corners
    assert len(scene.world.system(scene.system).contact_points(3)) == 3
    assert len(scene.world.system(scene.system).contact_points(0)) == 0
