"""`scree bench structures`: both trees find the same, the structure's needs fewer box tests, and the picture is drawn."""

import pytest

from scree.tools import structure_costs, structure_picture


@pytest.fixture(scope="module")
def tests() -> dict:
    """Box tests of both trees; `compare_tests` asserts that they find the same neighbours and hits."""
    return structure_costs.compare_tests(structure_costs.town(20_000))


def test_a_structures_tree_needs_fewer_box_tests_than_a_loose_octree(tests):
    assert tests["loading_ratio"] < 0.5 and tests["ray_ratio"] < 0.35  # less with more bricks
    assert 0.2 < tests["hit"] < 0.9


def test_the_picture_is_drawn(tests, tmp_path):
    bricks, drawn = structure_picture.sections(1500)
    assert len(bricks) > 20 and [len(section.bounds) > 20 for section in drawn] == [True, True]
    paths = structure_picture.draw(bricks, drawn, tests, tmp_path)
    assert [path.name for path in paths] == ["structures.svg", "structures.png"]
    assert all(path.stat().st_size > 10_000 for path in paths)


def test_costs_are_measured():
    rays = structure_costs.ray_costs(1000)
    assert rays["million_rays_a_second"] > 0 and 0 < rays["hit"] < 1
    memory = structure_costs.memory_costs(20_000)
    assert 40 < memory["random"]["bytes_a_brick"] < 200
