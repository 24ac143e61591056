"""Bad input in real Godot: one error a call, that names the call and the value; the world stays whole."""

import re

import behaviour
import pytest

_CASE = re.compile(r"^\[case\] (\S+) \| (.*)$")


def cases(outcome: behaviour.Outcome) -> list[tuple[str, str, list[str]]]:
    """Each bad call of a test: its name, the pattern its error must match, and the errors it printed."""
    found, errors = [], None
    for line in outcome.lines:
        start = _CASE.match(line)
        if start:
            errors = []
            found.append((start[1], start[2], errors))
        elif line == "[done]":
            errors = None
        elif errors is not None and line.startswith(("ERROR: ", "USER ERROR: ", "SCRIPT ERROR: ")):
            errors.append(line.split(": ", 1)[1])
    return found


def complaints(outcome: behaviour.Outcome) -> list[str]:
    """Faults in the errors of a test's bad calls."""
    wrong = []
    for number, (call, pattern, errors) in enumerate(cases(outcome)):
        head = f"case {number}, {call}"
        if len(errors) != 1:
            wrong.append(f"{head}: {len(errors)} errors instead of one: {errors}")
        elif not errors[0].startswith(f"scree: {call}: "):
            wrong.append(f"{head}: does not name the call: {errors[0]}")
        elif not re.search(pattern, errors[0].removeprefix(f"scree: {call}: ")):
            wrong.append(f"{head}: does not name the value ({pattern}): {errors[0]}")
    return wrong


@pytest.mark.parametrize("name", behaviour.test_names(bad_input=True))
def test_bad_input(bad_input_report, name):
    report = bad_input_report(behaviour.SCREE)
    outcome = report.outcomes[name]
    assert report.server_class == behaviour.SERVER_CLASS[behaviour.SCREE], "another engine ran"
    assert outcome.ended == "pass", outcome.text()
    assert cases(outcome), "the test made no bad call"
    assert not complaints(outcome), "\n".join(complaints(outcome))


@pytest.mark.parametrize(
    "printed, fault",
    [
        ([], "0 errors"),
        (["ERROR: scree: body_set_state: got nan", "ERROR: scree: body_set_state: got nan"], "2 errors"),
        (["ERROR: something else"], "does not name the call"),
        (["ERROR: scree: body_set_state: it is bad"], "does not name the value"),
    ],
)
def test_the_judge_can_fail(printed, fault):
    lines = ["[case] body_set_state | (?i)nan|inf", *printed, "[done]"]
    found = complaints(behaviour.Outcome("pass", lines))
    assert len(found) == 1 and fault in found[0]


def test_the_judge_can_pass():
    lines = ["[case] body_set_state | (?i)nan|inf", "ERROR: scree: body_set_state: got (nan, 0, 0)", "[done]"]
    assert complaints(behaviour.Outcome("pass", lines)) == []
