"""The comparison of the core's library with code that was compiled at start: both in turn, each in its own environment."""

import os

import pytest

from scree.runtime import core_library
from scree.tools import compare, prove_shipping, scenes


def measured(monkeypatch, costs: dict[str, list[float]], ends: dict[str, tuple]) -> list[compare.Ratio]:
    """The ratios of a part whose costs and end states are given for `compiled` and `library`: three rounds, and two more where
    there are costs for five."""
    calls = []

    def measure(godot, project, threads) -> compare.Round:
        calls.append("compiled" if os.environ.get(core_library.CHOSEN) == "0" else "library")
        return compare.Round({"ms": [costs[calls[-1]][(len(calls) - 1) // 2]]}, ends[calls[-1]])

    monkeypatch.setitem(compare.PARTS, "part", measure)
    monkeypatch.setattr(prove_shipping, "MORE_ROUNDS", 2)
    ratios = prove_shipping.cost_ratios(None, None, "part", 3, 2)
    assert calls == ["compiled", "library"] * len(costs["library"])
    return ratios


def test_both_ways_in_turn(monkeypatch):
    monkeypatch.delenv(core_library.CHOSEN, raising=False)
    same = {"compiled": (1.0,), "library": (1.0,)}
    (ratio,) = measured(monkeypatch, {"compiled": [4.0, 5.0, 6.0], "library": [3.0, 2.0, 9.0]}, same)
    assert (ratio.base, ratio.now, ratio.times) == (4.0, 2.0, 0.5)
    assert core_library.CHOSEN not in os.environ


def test_another_end_does_not_hold(monkeypatch):
    monkeypatch.delenv(core_library.CHOSEN, raising=False)
    with pytest.raises(scenes.SceneFailed, match="another state"):
        measured(monkeypatch, {"compiled": [1.0] * 3, "library": [1.0] * 3}, {"compiled": (1.0,), "library": (2.0,)})


def test_a_part_above_the_limit_takes_more_rounds(monkeypatch):
    """A clock that was slow for the library's first rounds alone is no cost; a library that is slower stays so."""
    same = {"compiled": (1.0,), "library": (1.0,)}
    (ratio,) = measured(monkeypatch, {"compiled": [4.0] * 5, "library": [7.0, 7.0, 7.0, 4.0, 7.0]}, same)
    assert ratio.holds()
    (ratio,) = measured(monkeypatch, {"compiled": [4.0] * 5, "library": [5.0] * 5}, same)
    assert not ratio.holds()
