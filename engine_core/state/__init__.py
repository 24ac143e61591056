"""Save, restore, hash, record and replay a world."""
