"""Scree's command line: set-up, fetching Godot, installing, demo, bench, long checks. Imported as `scree.tools`."""
