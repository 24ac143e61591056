"""Hashes cover soft bodies, also one that touches nothing: two games whose cloth parts would not notice otherwise."""

import pytest
from soft_world import TICK, grid

import scree


def space_with_flag(threads: int = 1) -> tuple[scree.Space, scree.SoftBody]:
    """A space with a cloth of 0.5 m that hangs by two corners."""
    space = scree.World(threads=threads).add_space(gravity=(0.0, -9.81, 0.0))
    vertices, triangles = grid(6, 6, 0.5, 0.5, is_upright=True)
    return space, space.add_soft_body(vertices, triangles, mass=0.1, stiffness=500.0, pins=[0, 5])


@pytest.mark.parametrize("what", ["positions", "velocities"])
def test_a_particle_that_differs_changes_the_hash(what):
    (one, _), (two, cloth) = space_with_flag(), space_with_flag()
    assert one.hash() == two.hash()
    if what == "positions":
        cloth.move_particles([20], [(0.0, 0.0, 1e-6)])
    else:
        cloth.apply_impulses([20], [(0.0, 0.0, 1e-9)])
    assert one.hash() != two.hash()


def test_hashes_are_the_same_step_by_step_on_any_number_of_threads():
    found = []
    for threads in (1, 2):
        space, _ = space_with_flag(threads)
        hashes = []
        for _ in range(60):
            space.step(TICK)
            hashes.append(space.hash())
        found.append(hashes)
    assert found[0] == found[1]
    assert len(set(found[0])) == 60


def test_a_restored_cloth_has_the_hashes_of_the_first_run():
    space, cloth = space_with_flag()
    for _ in range(10):
        space.step(TICK)
    state, hashes = space.save(), []
    for _ in range(2):
        space.restore(state)
        run = [space.hash()]
        for _ in range(30):
            space.step(TICK)
            run.append(space.hash())
        hashes.append(run)
    assert hashes[0] == hashes[1]


def test_a_removed_cloth_no_longer_counts():
    (one, cloth), bare = space_with_flag(), scree.World(threads=1).add_space(gravity=(0.0, -9.81, 0.0))
    assert one.hash() != bare.hash()
    cloth.remove()
    assert one.hash() == bare.hash()
