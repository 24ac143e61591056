"""One quad tree per broad-phase layer: batch insert, widen, remove, rebuild, queries on boxes."""
