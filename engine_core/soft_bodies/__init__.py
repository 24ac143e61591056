"""Soft bodies: particles and the constraints between them, solved in the sub-steps of rigid bodies (docs/soft_bodies.md)."""
