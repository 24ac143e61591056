"""Water that carries bodies: how much of a shape is below a surface, waves, drag (docs/water.md)."""
