"""The forecast of compile times, and the order in which progress is told."""

import pytest

from scree_tools import warm_up
from scree_tools.warm_up import Forecast


def test_a_forecast_remembers_and_guesses(tmp_path):
    file = tmp_path / "seconds.json"
    forecast = Forecast.load(file)
    assert forecast.expected("a") == warm_up._FIRST_GUESS
    forecast.seconds.update(a=1.0, b=2.0, c=9.0)
    forecast.save()
    again = Forecast.load(file)
    assert again.expected("c") == 9.0 and again.expected("new") == 2.0


def test_what_is_left_is_shared_by_the_workers_but_no_less_than_the_longest(tmp_path):
    forecast = Forecast(tmp_path / "seconds.json", {"a": 1.0, "b": 2.0, "c": 9.0})
    assert forecast.left(["a", "b", "c"], 1) == 12.0
    assert forecast.left(["a", "b", "c"], 2) == 9.0
    assert forecast.left(["a", "b"], 2) == 2.0
    assert forecast.left([], 2) == 0.0


@pytest.mark.parametrize("text", ["", "[]", '{"a": "x"}', "{"])
def test_a_spoilt_record_is_no_obstacle(tmp_path, text):
    file = tmp_path / "seconds.json"
    file.write_text(text)
    assert Forecast.load(file).seconds == {}
