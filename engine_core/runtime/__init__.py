"""What the machine offers: atomics, 8-wide vectors, memory that never moves, threads, calls by address."""

import engine_core.runtime.kernel  # noqa: F401  (first of all: it chooses the cache folder before Numba is imported)
