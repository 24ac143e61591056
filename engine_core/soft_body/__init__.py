"""Cloth and volumes. Nothing is built here yet."""
