"""Save, restore, hash, record and replay a world. Nothing is built here yet."""
