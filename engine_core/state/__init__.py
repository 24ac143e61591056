"""Saved state: the hash of a space, saving and restoring it, and the files of saved states."""
