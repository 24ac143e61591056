import numpy as np
from ..runtime.kernel import kernel
from .schema import TREE
class Trees:
    def __init__(self, capacity):
        self.t = np.zeros(3, TREE)
        self.ids = np.zeros((3, 100000), np.int32)
        for k in range(3):
            self.t[k]["reserved"][0] = self.ids[k].ctypes.data
        self.address = self.t.ctypes.data
@kernel
def update_trees(system):
    pass
