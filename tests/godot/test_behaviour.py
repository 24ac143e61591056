"""Every GDScript behaviour test in gd/, run in real Godot: one process an engine, one result a test.

SCREE_TEST_ENGINES="Scree Physics,Jolt Physics,GodotPhysics3D" runs them on the built-in engines too; what these are
known to fail is listed, with the reason, in known_failures.json; so is what Scree does not do yet.
"""

import behaviour
import pytest


def test_it_is_the_engine_that_was_asked_for(behaviour_report, engine):
    report = behaviour_report(engine)
    assert report.server_class == behaviour.SERVER_CLASS[engine], report.tail
    assert report.setting == engine


def test_scree_ends_without_a_complaint(behaviour_report, engine):
    if engine != behaviour.SCREE:
        pytest.skip("said of Scree alone")
    report = behaviour_report(engine)
    assert report.returncodes and all(code in (0, 1) for code in report.returncodes), report.tail
    assert "leaked" not in report.tail and "ERROR" not in report.tail


@pytest.mark.parametrize("name", behaviour.test_names())
def test_behaviour(behaviour_report, engine, name):
    report = behaviour_report(engine)
    assert report.server_class == behaviour.SERVER_CLASS[engine], "another engine ran"
    outcome = report.outcomes[name]
    reason = behaviour.known_failures(engine).get(name)
    if reason and outcome.ended != "pass":
        pytest.xfail(reason)
    assert reason is None, f"{engine} passes now; strike it from known_failures.json"
    assert outcome.ended == "pass", outcome.text()
    if engine == behaviour.SCREE:
        assert not outcome.errors, outcome.text()
