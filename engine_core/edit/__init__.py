"""Edits from any thread: what waits for the end of a step, what is done at once, and what it takes into trees and lists."""
