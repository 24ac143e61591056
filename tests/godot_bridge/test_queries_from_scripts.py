"""Many questions to a space in one call, from typed GDScript in real Godot."""

import pytest

pytest.importorskip("scree.tools")
from checked_script import run_checks  # noqa: E402


def test_many_questions_answer_what_formulas_say(tmp_path):
    run_checks(tmp_path, "public_queries.gd", errors=(
        "cast_shapes: there is no shape", "cast_shapes: places must be positions, an Array of Transform3D, or 12 numbers for",
        "cast_shapes: motions must be numbers of shape (1, 3), got shape (0, 3)",
        "overlap_spheres: radii must be one or 1, got an array of shape (0,)",
        "overlap_spheres: radii must be above 0 and finite, got 0.0", "overlap_shapes: the most answers must be 1 to",
        "count_at: place must be from 0 to 0, got 1", "cast_ray_all: mask must be 32 bits, got -1",
    ))  # fmt: skip
