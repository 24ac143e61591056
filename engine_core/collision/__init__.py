"""From a pair of bodies to contact manifolds, and the queries a user asks."""
