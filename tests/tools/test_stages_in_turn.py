"""Two checkouts that step in turn."""

import pytest

from scree.tools import places, stages_in_turn

pytestmark = pytest.mark.alone


def test_a_checkout_beside_itself_takes_as_long():
    rows = {row.stage: row for row in stages_in_turn.in_turn([places.checkout()] * 2, "chains", 600, 5, 40)}
    assert 0.5 < rows["step"].ratio < 2.0  # 0.99 to 1.01 where nothing else runs


def test_stages_that_take_nothing_are_left_out():
    names = [["a", "b", "step"], ["b", "a", "step"]]
    found = [[[1e-3, 1e-6, 2e-3]] * 3, [[1e-6, 3e-3, 4e-3]] * 3]
    assert stages_in_turn.ratios_of("b", names, found) == []
    (ratio,) = stages_in_turn.ratios_of("a", names, found)
    assert (ratio.base, ratio.now, ratio.ratio) == pytest.approx((1.0, 3.0, 3.0))


def test_a_stage_that_is_new_or_rare_is_shown():
    """Ticks without it on the other side have no ratio."""
    names = [["a", "step"], ["a", "step"]]
    found = [[[0.0, 1.0], [1e-3, 1.0], [1e-6, 1.0]], [[5e-3, 1.0], [5e-3, 1.0], [5e-3, 1.0]]]
    (ratio,) = stages_in_turn.ratios_of("a", names, found)
    assert ratio.now == pytest.approx(5.0) and ratio.ratio == pytest.approx((5.0 + 5000.0) / 2.0)
    assert stages_in_turn.ratios_of("a", names, [[[0.0, 1.0]] * 3, [[0.0, 1.0]] * 3]) == []


def test_a_process_that_ends_is_told():
    with pytest.raises(RuntimeError, match="ended with 1"):
        stages_in_turn.in_turn([places.checkout()] * 2, "no such scene", 10, 0, 1)
    with stages_in_turn.stepping(places.checkout(), "pyramids", 10) as process:
        assert stages_in_turn.answer_of(process)[-1] == "step"
        process.kill()
        process.wait()
        with pytest.raises(RuntimeError, match="ended with -9"):
            stages_in_turn.tick(process)
