"""The arithmetic of the checks of threads."""

import pytest

from scree.tools.prove import all_checks
from scree.tools.prove_threads import slope_of
from scree.tools.scaling_plot import plot


def test_slopes_are_powers():
    assert slope_of({10: 9.0, 100: 1.0, 1000: 10.0, 10_000: 100.0}, 100) == pytest.approx(1.0)
    assert slope_of({n: 0.01 * n**1.5 for n in (500, 1000, 5000)}, 1) == pytest.approx(1.5)


def test_checks_are_registered_and_the_picture_is_drawn(tmp_path):
    assert {"barrier_cost", "islands_of_a_pile", "busy_neighbour", "scaling", "same_bits_in_godot"} <= set(all_checks())
    found = {threads: {n: 0.001 * n / threads for n in (100, 1000, 10_000)} for threads in (1, 2)}
    assert all(path.stat().st_size > 5000 for path in plot(found, {1: 1.0, 2: 1.0}, tmp_path))
