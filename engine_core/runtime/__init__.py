"""Low-level services: atomics, 8-wide vectors, memory that never moves, threads, calls by address."""
