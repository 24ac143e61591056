"""PhysicsDirectSpaceState3D: the questions users ask of a space. Compiled; the instance is a SPACE_BINDING."""
