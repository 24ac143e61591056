"""The table of truth: what its verdicts mean, and that an engine tells rows."""

import pytest

from scree.tools import prove_truth
from scree.tools.prove_truth import Row
from scree.tools.scenes import GODOT_PHYSICS, JOLT, SCREE


def row(ours, jolt, godot_physics, expected=None, allowed=0.1, factor=1.0) -> Row:
    return Row("a test", "m", expected, allowed, factor, {SCREE: ours, JOLT: jolt, GODOT_PHYSICS: godot_physics})


@pytest.mark.parametrize(
    "values, verdict",
    [
        ((1.05, 2.0, 2.0), "holds"), ((1.3, 2.0, 2.0), "off"), ((1.3, 1.0, 2.0), "worse"), ((0.5, 2.0, 1.2), "worse"),
        ((None, 2.0, 2.0), "worse"), ((1.0, None, None), "holds"),
    ],
)  # fmt: skip
def test_a_formula_is_kept_to_its_tolerance(values, verdict):
    assert row(*values, expected=1.0).verdict() == verdict


@pytest.mark.parametrize(
    "values, factor, verdict",
    [
        ((1.0, 2.0, 3.0), 1.0, "holds"), ((2.05, 2.0, 3.0), 1.0, "holds"), ((2.2, 2.0, 3.0), 1.0, "worse"),
        ((2.2, 3.0, 2.0), 1.25, "holds"), ((None, 2.0, 2.0), 1.0, "worse"), ((1.0, None, 2.0), 1.0, "holds"),
    ],
)  # fmt: skip
def test_where_less_is_better_the_better_of_the_others_counts(values, factor, verdict):
    assert row(*values, factor=factor).verdict() == verdict


def test_rows_of_engines_come_side_by_side():
    told = {"name": "a", "unit": "m", "expected": 1.0, "allowed": 0.1, "factor": 1.0}
    table = prove_truth.table_of({SCREE: [{**told, "value": 1.0}], JOLT: [{**told, "value": 3.0}], GODOT_PHYSICS: []})
    assert [row.cells() for row in table] == [("a", "1 ± 0.1 m", "1", "3", "-", "holds")]
    assert "| a | 1 ± 0.1 m | 1 | 3 | - | holds |" in prove_truth.as_markdown(table, "4.6")


def test_one_row_that_does_not_hold_is_enough():
    table = [row(1.0, 2.0, 3.0), row(9.0, 2.0, 3.0)]
    outcome = prove_truth.verdict_of(table)
    assert not outcome.passed and outcome.figures.startswith("1 of 2 rows hold") and "worse: a test" in outcome.figures
    assert not prove_truth.verdict_of([]).passed and prove_truth.verdict_of(table[:1]).passed


def test_free_fall_is_that_of_mechanics(godot):
    """On each engine, in real Godot."""
    table = prove_truth.measure(godot, ["truth_motion"], only="rows_free_fall")
    assert len(table) == 4
    for fallen in table:
        assert None not in fallen.values.values() and set(fallen.values) == set(prove_truth.ENGINES)
        assert fallen.verdict() == "holds", fallen.cells()
