"""Structures: thousands to millions of bricks on one body, edited while the world runs. See docs/structures.md."""
