"""What the machine offers: atomics, 8-wide vectors, memory that never moves, threads, calls by address."""
