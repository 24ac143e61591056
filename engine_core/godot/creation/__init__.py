"""Calls of Godot that create bodies, areas and shapes, set them up and free them: compiled answers (compiled_answer.py)."""
