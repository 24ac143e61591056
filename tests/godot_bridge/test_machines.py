"""Descriptions of vehicles as Godot gives them: Dictionaries by number, arrays, and what is wrong with them."""

import numpy as np
import pytest

from scree.godot.server_machines import parts_of

_WHEEL = {"position": (0.0, 0.0, 1.0), "radius": 0.4, "along": np.array([0.0, 0.0, 0.1, 1.0], np.float32)}


def test_a_description_becomes_parts():
    parts = parts_of({
        "wheels": {1: dict(_WHEEL), 0: {"position": (1.0, 0.0, 0.0)}}, "engine": {"gears": np.array([2.5, 1.0], np.float32)},
        "tracks": {0: {"wheels": np.array([0.0, 1.0])}},
    })  # fmt: skip
    assert [wheel.radius for wheel in parts["wheels"]] == [0.3, 0.4]
    assert parts["wheels"][1].along.tolist() == [[0.0, 0.0], [pytest.approx(0.1), 1.0]]
    assert parts["engine"].gears == [2.5, 1.0] and parts["tracks"][0].wheels == [0, 1]
    assert parts["differentials"] == [] and "lean" not in parts


@pytest.mark.parametrize("description, words", [
    ({"wings": {}}, "no 'wings'"), ({"wheels": {0: {"colour": 1, "position": (0, 0, 0)}}}, "a Wheel has no 'colour'"),
    ({"wheels": {1: dict(_WHEEL)}}, "keys 0, 1"), ({"wheels": {0: {}}}, "a Wheel needs more"), ({"wheels": 3}, "keys 0, 1"),
    ({"engine": 5}, "an? Engine must be a Dictionary"), ({7: 1}, "no 7"),
])  # fmt: skip
def test_what_is_wrong_is_named(description, words):
    with pytest.raises(ValueError, match=words):
        parts_of(description)
