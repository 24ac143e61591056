import numpy as np
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import TREE
@kernel
def tree_add(tree, bodies, index):
    t = view(tree, 1, TREE)[0]
    ids = view(t.reserved[0], 100000, np.int32)
    ids[t.body_count] = index
    t.body_count += 1
@kernel
def tree_remove(tree, bodies, index):
    t = view(tree, 1, TREE)[0]
    ids = view(t.reserved[0], 100000, np.int32)
    for k in range(t.body_count):
        if ids[k] == index:
            ids[k] = ids[t.body_count - 1]
            t.body_count -= 1
            break
@kernel
def tree_widen(tree, bodies, index):
    pass
