"""A body whose support goes falls, also if it was about to fall asleep: in its first ticks it is slower than what sleeps."""

import pytest
from public_words import block, empty, surface, turned

import scree

SIZE = 0.2  # half of a box's size [m]
LONGEST = 2.0  # [s]


def at_rest(support):
    """A space with a box at rest on a floor, `static` or `kinematic`, or on another box."""
    space = empty()
    add = space.add_kinematic if support == "kinematic" else space.add_static
    things = {"floor": add(block(5, 1, 5), (0, -1, 0)), "space": space}
    height = SIZE
    if support == "box":
        things["lower"] = space.add_rigid(block(SIZE, SIZE, SIZE), (0, SIZE, 0))
        height = 3 * SIZE
    things["body"] = space.add_rigid(block(SIZE, SIZE, SIZE), (0, height, 0))
    return things


def ticks_to_sleep(support, rate):
    things = at_rest(support)
    for tick in range(int(LONGEST * rate)):
        if things["body"].is_asleep:
            return tick
        things["space"].step(1.0 / rate)
    pytest.fail("the box never fell asleep")


def sink(things, tick, rate):
    things["floor"].move((0.0, -1.0 - 3.0 * (tick + 1) / rate, 0.0))


EDITS = {  # support, what is done once, what in each tick of the next half second, how far the box goes at least [m]
    "the floor is removed": ("static", lambda t: t["floor"].remove(), None, 4.0),
    "the floor is moved aside": ("static", lambda t: t["floor"].move((99.0, -1.0, 0.0)), None, 4.0),
    "the floor is ignored": ("static", lambda t: t["body"].ignore(t["floor"]), None, 4.0),
    "the mask is empty": ("static", lambda t: setattr(t["body"], "mask", ()), None, 4.0),
    "the floor becomes a belt": ("static", lambda t: t["floor"].set_surface_velocity((1.0, 0.0, 0.0)), None, 0.9),
    "a lift sinks": ("kinematic", lambda t: None, sink, 1.4),
    "a lift jumps": ("kinematic", lambda t: t["floor"].move((0.0, -1.5, 0.0)), None, 0.49),
    "the lower box is removed": ("box", lambda t: t["lower"].remove(), None, 0.39),
    "the lower box is placed elsewhere": ("box", lambda t: setattr(t["lower"], "position", (3.0, SIZE, 0.0)), None, 0.39),
    "the box is lifted": ("static", lambda t: setattr(t["body"], "position", (0.0, 3.0, 0.0)), None, -0.01),
}


@pytest.mark.parametrize("rate", (30, 60, 240))
@pytest.mark.parametrize("edit", EDITS)
def test_a_body_falls_though_its_support_goes_as_it_falls_asleep(edit, rate):
    support, once, always, least = EDITS[edit]
    last = ticks_to_sleep(support, rate)
    for begin in range(last - 8, last + 3):
        things = at_rest(support)
        for _ in range(begin):
            things["space"].step(1.0 / rate)
        before = things["body"].position[1]
        once(things)
        for tick in range(int(1.5 * rate)):
            if always and tick < rate // 2:
                always(things, tick, rate)
            things["space"].step(1.0 / rate)
        after = things["body"].position
        way = after[0] if "belt" in edit else before - after[1]
        assert way > least, f"{last - begin} ticks before it sleeps"
        if edit == "the box is lifted":
            assert after[1] == pytest.approx(SIZE, abs=0.01), f"{last - begin} ticks before it sleeps"


def test_a_lift_that_speeds_up_downwards_drops_a_box_at_any_time():
    """The box rests on the moving lift for longer than it needs to fall asleep."""
    for steady in range(60, 90, 3):
        things, height = at_rest("kinematic"), -1.0
        for tick in range(steady + 30):
            height += 0.02 / 60.0 if tick < steady else -6.0 / 60.0
            things["floor"].move((0.0, height, 0.0))
            things["space"].step(1.0 / 60.0)
        for _ in range(30):
            things["space"].step(1.0 / 60.0)
        assert things["body"].position[1] < height + 1.0 + SIZE + 0.01


@pytest.mark.parametrize("which", ("floor", "body"))
def test_what_sleeps_on_a_slope_slides_when_its_friction_goes(which):
    space = empty()
    slope = turned((0.0, 0.0, 1.0), 0.35)
    things = {"floor": space.add_static(block(20, 1, 5), (0, -1, 0), slope, material=surface(1.0))}
    things["body"] = space.add_rigid(block(SIZE, SIZE, SIZE), (-0.0686, 0.19, 0.0), slope, material=surface(1.0))
    for _ in range(120):
        space.step(1.0 / 60.0)
    assert things["body"].is_asleep
    place = things["body"].position
    things[which].material = surface(1.0)  # nothing new
    space.step(1.0 / 60.0)
    assert things["body"].is_asleep
    things[which].material = surface(0.0)
    for _ in range(60):
        space.step(1.0 / 60.0)
    way = sum((a - b) ** 2 for a, b in zip(things["body"].position, place, strict=True)) ** 0.5
    assert way == pytest.approx(0.5 * 10.0 * 0.3429, rel=0.05)


@pytest.mark.parametrize("rate", (30, 60, 240))
def test_a_threshold_of_0_lets_slow_bodies_bounce(rate):
    """It took all of the speed of a body on smooth ground: the moment of its bounce was 0 / 0."""
    space = empty(restitution_threshold=0.0)
    space.add_static(scree.Plane(), material=surface(0.0))
    bouncing = surface(0.0, 0.5)
    box = space.add_rigid(block(1.0, 0.1, 0.2), (0, 2, 0), (0.3, 0.1, 0.2, 0.9), velocity=(3, 0, 0), material=bouncing)
    ball = space.add_rigid(scree.Sphere(radius=0.5), (0, 0.52, 20), velocity=(3, 0, 0), material=bouncing)
    for _ in range(2 * rate):
        space.step(1.0 / rate)
    assert box.velocity[0] == pytest.approx(3.0, abs=1e-3)
    assert ball.velocity[0] == pytest.approx(3.0, abs=1e-3)
