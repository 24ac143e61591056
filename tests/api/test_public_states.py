"""Saved states of a space, its hash, and the last ticks, as programs use them."""

import pytest

import scree

CUBE = scree.Box(half_extents=(0.5, 0.5, 0.5))


def heap(space) -> list:
    space.add_static(scree.Plane())
    return [space.add_rigid(CUBE, (0.2 * k, 0.6 + 1.1 * k, 0)) for k in range(6)]


def steps(space, count: int) -> list[int]:
    found = []
    for _ in range(count):
        space.step(1 / 60)
        found.append(space.hash())
    return found


def test_a_space_is_saved_and_restored(space):
    bodies = heap(space)
    steps(space, 10)
    state, place = space.save(), bodies[3].position.copy()
    assert state.step_count == space.step_count == 10 and repr(state) == "<state after 10 steps>"
    first = steps(space, 40)
    space.restore(state)
    assert space.step_count == 10 and bodies[3].position.tolist() == place.tolist()
    assert steps(space, 40) == first
    again = scree.SpaceState.from_bytes(state.to_bytes())
    space.restore(again)
    assert steps(space, 40) == first


def test_the_last_ticks_are_kept(space):
    heap(space)
    history, found = scree.History(space, 8), []
    for _ in range(30):
        history.keep()
        found += steps(space, 1)
    assert history.steps == list(range(22, 30))
    history.restore(25)
    assert steps(space, 5) == found[25:]
    history.restore(24)
    history.keep()
    assert history.steps == [22, 23, 24]
    with pytest.raises(KeyError, match=r"restore: the state after 27 steps is not kept, only \[22, 23, 24\]"):
        history.restore(27)
    with pytest.raises(ValueError, match="History: ticks must be a whole number from 1 on, got 0"):
        scree.History(space, 0)


def test_what_cannot_be_saved_or_restored_says_why(space):
    bodies = heap(space)
    state = space.save()
    with pytest.raises(TypeError, match="restore: a SpaceState is wanted, got 'here'"):
        space.restore("here")
    with pytest.raises(ValueError, match="from_bytes: these 2 bytes are no state of a space"):
        scree.SpaceState.from_bytes(b"no")
    bodies[0].remove()
    with pytest.raises(RuntimeError, match="restore: the space has 6 bodies and areas, the state has 7"):
        space.restore(state)
    bodies[1].remove()
    space.add_rigid(CUBE, (0, 9, 0)), space.add_rigid(CUBE, (3, 9, 0))
    with pytest.raises(RuntimeError, match="restore: the bodies of the space are not those of the state"):
        space.restore(state)
    state = space.save()
    space.world.set_contact_rule("ice", "default", scree.ContactRule(friction=0.0))
    with pytest.raises(RuntimeError, match="the contact rules and height fields of the space are not those of the state"):
        space.restore(state)
    errors = []

    def try_it(seconds: float) -> None:
        for call in (space.hash, space.save, lambda: space.restore(state)):
            with pytest.raises(RuntimeError, match="not in a function that a step of this space calls"):
                call()
            errors.append(call)

    space.on_step(try_it)
    space.step(1 / 60)
    assert len(errors) == 3
    with pytest.raises(RuntimeError, match="save: the space has 1 step listeners, whose own state is not known"):
        space.save()


def test_a_trace_is_written(space, tmp_path):
    heap(space)
    with scree.Trace(space, tmp_path / "run.trace") as trace:
        for _ in range(3):
            space.step(1 / 60)
            trace.note()
    assert (tmp_path / "run.trace").stat().st_size == 8 + 3 * (24 + 7 * 16)


def test_removed_spaces_are_named(space):
    heap(space)
    history = scree.History(space, 3)
    space.remove()
    for call in (space.hash, space.save, history.keep, lambda: space.step_count):
        with pytest.raises(KeyError, match="there is no space"):
            call()


def test_a_recording_is_a_file_and_ends_with_its_block(tmp_path):
    world = scree.World(threads=1, bodies=64, body_shapes=64, shapes=64)
    with scree.Recording(world, tmp_path / "a", hash_every=1) as recording:
        space = world.add_space()
        space.add_rigid(scree.Sphere(radius=0.5), (0, 3, 0)).velocity = (1, 0, 0)
        space.step(1 / 60)
    size = (tmp_path / "a").stat().st_size
    space.step(1 / 60)
    recording.close()  # the second time it does nothing
    assert size == (tmp_path / "a").stat().st_size > 100
