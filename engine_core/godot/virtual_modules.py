"""The modules that declare virtuals. Importing one fills its class's table."""

import importlib

MODULES = (
    "body_contacts", "body_state", "creation.all_answers", "motion_test", "server_area_motion", "server_areas", "server_bodies",
    "server_colliders", "server_joints", "server_life", "server_motion", "server_shapes", "server_soft_bodies", "server_spaces",
    "space_state", "sync",
)  # fmt: skip


def import_all() -> None:
    """Import all modules that declare virtuals."""
    for name in MODULES:
        importlib.import_module(f"scree.godot.{name}")
