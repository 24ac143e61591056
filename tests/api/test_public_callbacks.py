"""Functions that a step calls: what they may not do raises at once, and what they raise comes out when the step is over."""

import threading

import pytest

import scree

BALL = scree.Sphere(radius=0.5)


def ends(function) -> list:
    """Call a function on a thread of its own, which must end, and return the errors that it raised."""
    raised: list = []

    def run() -> None:
        try:
            function()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive(), "it hangs"
    return raised


@pytest.mark.parametrize("moment", ["before", "sub-step", "after"])
@pytest.mark.parametrize(
    "call",
    [
        lambda space: space.step(1 / 60), lambda space: space.triangles((-1, -1, -1), (1, 1, 1)),
        lambda space: space.shift_origin((1, 2, 3)), lambda space: space.remove(),
    ],
)  # fmt: skip
def test_what_would_wait_for_its_own_step_raises(space, moment, call):
    ball = space.add_rigid(BALL, (0, 100, 0))
    listener = space.on_step(lambda seconds: call(space), moment)
    raised = ends(lambda: space.step(0.1))
    assert [type(error) for error in raised] == [RuntimeError]
    assert "not in a function that a step of this space calls" in str(raised[0])
    assert ball.velocity[1] == pytest.approx(-1.0, rel=1e-5), "the step went on to its end"
    listener.remove()
    assert ends(lambda: space.step(0.1)) == [] and ball.velocity[1] == pytest.approx(-2.0, rel=1e-5)


def test_a_step_of_a_listener_to_waking_raises_and_the_others_are_told(space):
    told = []
    space.on_waking(lambda woke, slept: space.step(1 / 60))
    space.on_waking(lambda woke, slept: told.append(woke.ids.tolist()))
    ball = space.add_rigid(BALL)
    raised = ends(lambda: space.step(1 / 60))
    assert [type(error) for error in raised] == [RuntimeError] and told == [[ball.id]]
    assert ends(lambda: space.step(1 / 60)) == []


def test_another_space_may_be_stepped_but_not_in_a_circle(space):
    other = space.world.add_space(gravity=(0, -10, 0))
    ball = other.add_rigid(BALL)
    space.on_step(lambda seconds: other.step(seconds))
    assert ends(lambda: space.step(0.1)) == [] and ball.velocity[1] == pytest.approx(-1.0, rel=1e-5)
    other.on_step(lambda seconds: space.step(seconds))
    assert [type(error) for error in ends(lambda: space.step(0.1))] == [RuntimeError]


def test_what_a_listener_raises_comes_out_after_the_step(space):
    calls = []

    def fail(seconds: float) -> None:
        calls.append(seconds)
        raise KeyboardInterrupt if len(calls) > 2 else LookupError(f"call {len(calls)}")

    ball = space.add_rigid(BALL, (0, 100, 0))
    space.on_step(fail)
    space.on_step(lambda seconds: calls.append("second"))
    for speed, error in ((-1.0, LookupError), (-2.0, KeyboardInterrupt)):
        raised = ends(lambda: space.step(0.1))
        assert [type(one) for one in raised] == [error] and ball.velocity[1] == pytest.approx(speed, rel=1e-5)
    assert calls.count("second") == 2
