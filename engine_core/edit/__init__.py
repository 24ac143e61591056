"""Edits from any thread: done at once or at the end of a step, and their effects on trees and lists."""
