"""Two checkouts that step in turn."""

import subprocess
import sys

import pytest

from scree.tools import places, stages_in_turn


def test_a_checkout_beside_itself_takes_as_long():
    """In a process of its own, which stays on one core."""
    code = (
        "from scree.tools import places, stages_in_turn\n"
        "for r in stages_in_turn.in_turn([places.checkout()] * 2, 'chains', 600, 5, 40):\n"
        "    print(r.stage, r.base, r.now, r.ratio)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=places.checkout())
    rows = {name: float(ratio) for name, *_, ratio in map(str.split, done.stdout.splitlines())}
    assert 0.5 < rows["step"] < 2.0  # 0.99 to 1.01 where nothing else runs


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
    process = subprocess.Popen([sys.executable, "-c", "pass"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process, pytest.raises(RuntimeError, match="ended with 0"):
        stages_in_turn.answer_of(process)
