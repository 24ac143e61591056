"""One quad tree per broad-phase layer: batch insert, widen, remove, rebuild, queries on boxes.

`trees` owns the memory. Adding is in `add`; moving, removing and the protocol of all threads in `change`; the work of the step in
`rebuild`; queries in `query`; the rest is internal.
"""
