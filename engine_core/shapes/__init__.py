"""Shapes: settings cooked into arrays; bounds, mass, support function, rays."""
