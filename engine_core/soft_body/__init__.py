"""Cloth and volumes."""
