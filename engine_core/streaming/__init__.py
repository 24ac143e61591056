"""Tiles and scenes around a viewer: which are wanted, their files, and loading them in batches without stalling the step."""
