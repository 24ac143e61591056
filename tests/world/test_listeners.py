"""Step listeners, compiled and of Python; listeners to waking and falling asleep; several collision steps an update."""

import numpy as np
import pytest
from small_world import TICK, SmallWorld

from scree.bodies.schema import KINEMATIC
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view
from scree.solver.listeners import AFTER_STEP, BEFORE_STEP, SUB_STEP


@entry_point("void(int64, int64, float64)")
def add_time(system, context, time):
    view(context, 1, np.float64)[0] += time


def test_a_compiled_listener_is_called_at_its_moments():
    world = SmallWorld()
    world.add(world.sphere(0.5), (0.0, 5.0, 0.0))
    for moments, times in ((BEFORE_STEP, 1), (SUB_STEP, 1), (AFTER_STEP, 1), (BEFORE_STEP | SUB_STEP, 2)):
        total = np.zeros(1)
        number = world.world.listener.add(world.system, add_time, moments, total.ctypes.data)
        world.step(6)
        world.world.listener.remove(world.system, number)
        world.step(1)
        assert total[0] == pytest.approx(6 * TICK * times)


def test_python_listeners_are_called_in_order_and_their_errors_raised():
    world, calls = SmallWorld(), []
    world.add(world.sphere(0.5), (0.0, 5.0, 0.0))
    world.world.listener.add(world.system, lambda time: calls.append(("before", time)), BEFORE_STEP)
    world.world.listener.add(world.system, lambda time: calls.append(("after", time)), AFTER_STEP)
    world.step(2)
    assert calls == [("before", TICK), ("after", TICK)] * 2

    def fail(time):
        raise ArithmeticError("of the listener")

    number = world.world.listener.add(world.system, fail, SUB_STEP)
    with pytest.raises(ArithmeticError, match="of the listener"):
        world.step(1)
    world.world.listener.remove(world.system, number)
    world.step(1)
    assert len(calls) == 8


def test_listeners_push_bodies():
    """A wind, as a force on a body before each step."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    ball = world.add(world.sphere(0.5), mass=2.0)

    def wind(time):
        world.body(ball)["force"] = (4.0, 0.0, 0.0)

    world.world.listener.add(world.system, wind, BEFORE_STEP)
    world.step(60)
    assert world.velocity(ball)[0] == pytest.approx(2.0, rel=1e-3)


def test_bad_listeners_are_refused():
    world = SmallWorld()
    with pytest.raises(ValueError, match="moments"):
        world.world.listener.add(world.system, add_time, 8)
    with pytest.raises(ValueError, match="function"):
        world.world.listener.add(world.system, "wind", BEFORE_STEP)
    with pytest.raises(KeyError, match="listener 7"):
        world.world.listener.remove(world.system, 7)


def test_waking_and_falling_asleep_are_told():
    world, woke, slept = SmallWorld(sleeps=True), [], []
    world.floor()

    def listen(up, down):
        woke.extend(up.tolist())
        slept.extend(down.tolist())

    world.world.listener.add_activation(world.system, listen)
    box = world.add(world.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
    world.step(120)
    assert (woke, slept) == ([box], [box])
    world.throw(box, (0.0, 3.0, 0.0))
    world.step(300)
    assert (woke, slept) == ([box, box], [box, box])
    world.world.listener.remove_activation(world.system, listen)
    world.throw(box, (0.0, 3.0, 0.0))
    world.step(10)
    assert len(woke) == 2


def test_forces_are_for_all_collision_steps():
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    ball = world.add(world.sphere(0.5), mass=1.0)
    world.body(ball)["force"] = (6.0, 0.0, 0.0)
    world.world.step(world.system, 0.1, collision_steps=4)
    assert world.velocity(ball)[0] == pytest.approx(0.6, rel=1e-4)
    world.world.step(world.system, 0.1, collision_steps=4)
    assert world.velocity(ball)[0] == pytest.approx(0.6, rel=1e-4)
    with pytest.raises(ValueError, match="collision_steps"):
        world.world.step(world.system, 0.1, collision_steps=0)


def test_kinematic_bodies_reach_their_target_in_the_last_collision_step():
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    pusher = world.add(world.box(0.5, 0.5, 0.5), (0.0, 0.0, 0.0), mode=KINEMATIC)
    ball = world.add(world.sphere(0.5), (1.2, 0.0, 0.0))
    world.step(1)
    places = []
    world.world.listener.add(world.system, lambda time: places.append(world.position(pusher)[0]), AFTER_STEP)
    world.move(pusher, (0.4, 0.0, 0.0))
    world.world.step(world.system, TICK, collision_steps=4)
    assert places == pytest.approx([0.1, 0.2, 0.3, 0.4], abs=1e-5)
    assert world.position(pusher)[0] == 0.4
    assert world.velocity(pusher)[0] == pytest.approx(0.4 / TICK, rel=1e-4)
    assert world.velocity(ball)[0] > 1.0
    world.step(1)
    assert world.position(pusher)[0] == 0.4 and world.velocity(pusher)[0] == 0.0
