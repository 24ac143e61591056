"""The stages of a step and their order within a sub-step. step/physics_system.py shows the whole step on one page."""
