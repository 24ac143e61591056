"""The stages of a step and their order within a sub-step. The step as a whole is on the page of physics_system.py."""
