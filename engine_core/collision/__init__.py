"""Collision: from a pair of bodies to contact manifolds, and the queries of users."""
