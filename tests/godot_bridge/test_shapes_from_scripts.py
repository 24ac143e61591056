"""Shapes and settings of bodies that Godot has no calls for, from typed GDScript in real Godot."""

import pytest

pytest.importorskip("scree.tools")
from checked_script import run_checks  # noqa: E402


def test_shapes_and_bodies_are_what_formulas_say(tmp_path):
    run_checks(tmp_path, "public_shapes.gd", errors=(
        "tapered_capsule_create: ", "compound_create: a place for each shape is wanted, got 0 shapes and 0 places",
        "compound_create: a place for each shape is wanted, got 1 shapes and 0 places", "mesh_create: triangles must be three",
        "mesh_create: surface_of must be 1 numbers, got 0", "heightmap_create: heights must hold width x depth = 3 x 3 numbers",
        "heightmap_update: ", "body_set_surface_velocity: only a static or kinematic body has a running surface",
        "body_set_density: density must be at least 0",
        "body_set_max_linear_velocity: max_linear_velocity must be from 0 to 3e+38, got -1",
        "body_set_max_angular_velocity: max_angular_velocity must be finite, got [nan]",
        "body_set_max_linear_velocity: there is no body", "body_get_max_angular_velocity: there is no body",
        "body_set_group: there is no sub-group 64",
        "body_set_shape_layers: layers must be a whole number from 0 to 4294967295, got -1",
        "group_filter_create: pairs_apart must be two numbers for each pair, got 1", "body_get_exact_position: there is no body",
        "shape_set_data: Godot has no data for a shape of this kind, which was made by Scree",
    ))  # fmt: skip
