"""The stages of a step and their order within a sub-step. The step as a whole is on the page of step/physics_system.py."""
