"""Work that a step leaves out where it is not needed: passes over all active bodies for kinematic ones, for rest, for reports."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import SmallWorld

from scree.bodies.schema import KINEMATIC, RIGID, STATIC

HISTORY = st.lists(
    st.tuples(st.sampled_from(("add", "free", "mode", "move", "report", "leave", "step")), st.integers(0, 4), st.integers(0, 2)),
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(HISTORY)
def test_counts_are_those_of_the_bodies(history):
    small = SmallWorld(sleeps=True)
    shape, bodies, reporting = small.box(0.5, 0.5, 0.5), {}, set()
    for what, which, number in history:
        if what == "add" and which not in bodies:
            bodies[which] = small.add(shape, (3.0 * which, 0.0, 0.0), mode=(STATIC, KINEMATIC, RIGID)[number])
        elif what == "step":
            small.step(1 + number)
        elif which in bodies:
            body = bodies[which]
            if what == "free":
                small.world.body.destroy(bodies.pop(which))
                reporting.discard(body)
            elif what == "mode":
                small.world.body.set_mode(body, (STATIC, KINEMATIC, RIGID)[number])
            elif what == "move":
                small.move(body, (3.0 * which, 0.1 * number, 0.0))
            elif what == "leave":
                small.world.body.set_system(body, small.system if number else 0)
            else:
                small.world.body.set_max_contacts(body, number)
                (reporting.add if number else reporting.discard)(body)
        rows = small.world.bodies.rows[: small.world.bodies.count]
        awake = (rows["id"] != 0) & (rows["active_index"] >= 0)
        assert int(small.row["bodies"]["active_kinematic_count"]) == int((rows["mode"][awake] == KINEMATIC).sum())
        assert int(small.world.record["reporting_count"]) == len(reporting)


def test_without_time_to_sleep_what_moves_goes_on():
    """With a time of 0 s a body sleeps as soon as it rests, not before."""
    small = SmallWorld(sleeps=True)
    small.row["settings"]["time_to_sleep"] = 0.0
    small.floor()
    lies, falls = small.add(small.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0)), small.add(small.sphere(0.5), (9.0, 40.0, 0.0))
    small.throw(falls, (0.0, -5.0, 0.0))
    small.step(60)
    assert not small.is_awake(lies) and small.is_awake(falls)
    np.testing.assert_allclose(small.velocity(falls)[1], -5.0 - 10.0, rtol=0.02)
