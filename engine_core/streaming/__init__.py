"""Tiles and scenes around a viewer, prepared batches. Nothing is built here yet."""
