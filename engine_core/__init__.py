"""Scree: a 3D physics engine in NumPy and Numba. `docs/architecture.md` is the plan of its rooms."""
