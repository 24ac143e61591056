import numpy as np
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import TREE
CURSOR = np.dtype([("at", "i8"), ("bounds", "f4", 6)], align=True)
@kernel
def bounds_query_begin(cursor, tree, bounds):
    cursor[0].at = 0
@kernel
def bounds_query_next(cursor, tree):
    t = view(tree, 1, TREE)[0]
    ids = view(t.reserved[0], 100000, np.int32)
    if cursor[0].at >= t.body_count:
        return -1
    cursor[0].at += 1
    return np.int64(ids[cursor[0].at - 1])
@kernel
def query_end(cursor, tree):
    pass
