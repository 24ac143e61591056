"""Imports every module that declares entry points, so that `runtime.kernel.registry()` lists all compiled functions of the house.

For the warm-up and for tests; nothing at run time needs it.
"""

import importlib

MODULES = (
    "body_placement",
    "collision.contacts",
    "constraints.contact_preparation",
    "geometry.hull_building",
    "geometry.mass",
    "physics_system",
    "shapes.mesh_building",
    "solver.integration",
    "solver.wide_contacts",
    "godot.body_contacts",
    "godot.body_state",
    "godot.classes",
    "godot.server_lock",
    "godot.server_motion",
    "godot.space_state",
    "godot.sync",
)

for _name in MODULES:
    importlib.import_module(f"engine_core.{_name}")
