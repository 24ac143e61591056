"""One quad tree per broad-phase layer: batch insert, widen, remove, rebuild, queries on boxes.

`trees` owns the memory. Adding is in `add`; moving, removing and the protocol of it all in `change`; what the step
does in `rebuild`; asking in `query`; the rest is inside.
"""
