"""Many queries in one call. Any thread may call at any time; nothing is allocated, no lock is taken."""

import numpy as np

from ..runtime.call import call_2_result
from ..runtime.kernel import entry_point
from ..runtime.memory import view
from .query_schema import QUERY

QUERY_SIZE = QUERY.itemsize
MANY_QUERIES = np.dtype(
    [
        ("function", "i8"),  # address of the entry point that answers one: `query_shapes`, `query_rays`
        ("system", "i8"),  # address of SYSTEM
        ("queries", "i8"),  # address of QUERY (count)
        ("count", "i8"),
        ("answers", "i8"),  # address of int64 (count): what the function returns for each
    ]
)


@entry_point("void(int64)")
def ask_many(address):
    """Answer the queries of the MANY_QUERIES at an address, one after the other."""
    many = view(address, 1, MANY_QUERIES)[0]
    answers = view(many.answers, many.count, np.int64)
    for i in range(many.count):
        answers[i] = call_2_result(many.function, many.system, many.queries + i * QUERY_SIZE)
