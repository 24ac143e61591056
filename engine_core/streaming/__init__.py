"""Tiles and scenes around a viewer, prepared batches."""
