"""Pure functions on vectors, quaternions, boxes, rays and convex sets. No bodies, no state."""
