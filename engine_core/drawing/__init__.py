"""Pictures of a space for debugging: one compiled pass over it fills flat arrays of what a renderer draws."""
