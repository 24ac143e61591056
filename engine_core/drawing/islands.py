"""Which island each body is in: bodies that touch or are joined, directly or by others, and sleep and wake together.

The label is the lowest number of a body in the island. A step finds islands only when some body may fall asleep
(solver/islands.py), so those of awake bodies are found here; sleeping bodies keep theirs as a ring.
"""

import numpy as np

from ..bodies.schema import BODY, RIGID
from ..collision.pairs import manifolds_of
from ..joints.schema import JOINT
from ..runtime.kernel import kernel
from ..runtime.memory import view

INT32 = np.int32
NONE = -1


@kernel
def label_of(request, index):
    """The label of a body; -1 if it is in no island."""
    if index >= request.label_count:
        return np.int64(NONE)
    return np.int64(view(request.labels, request.label_count, INT32)[index])


@kernel
def _root(labels, index):
    """The lowest known body of an island. Every second link of the path is shortened."""
    while labels[index] != index:
        labels[index] = labels[labels[index]]
        index = np.int64(labels[index])
    return index


@kernel
def _join(labels, count, a, b):
    """Make one island of those of two bodies, if both are in one."""
    if a < 0 or b < 0 or a >= count or b >= count or labels[a] < 0 or labels[b] < 0:
        return
    first, second = _root(labels, np.int64(a)), _root(labels, np.int64(b))
    labels[max(first, second)] = INT32(min(first, second))


@kernel
def _label_ring(bodies, labels, count, index):
    """Label the bodies that wake together with one that sleeps; `index` is the lowest of them, since it comes first."""
    member = np.int64(index)
    while 0 <= member < count and labels[member] < 0:
        labels[member] = INT32(index)
        member = np.int64(bodies[member].next_in_island)


@kernel
def label_islands(request, system, world):
    """Write the labels of all bodies of a system."""
    bodies, count = view(world.bodies, world.body_capacity, BODY), request.label_count
    labels, manifolds = view(request.labels, count, INT32), manifolds_of(system)
    joints = view(world.joints, world.joint_capacity, JOINT)
    for index in range(count):
        body = bodies[index]
        is_awake = body.id != 0 and body.system == system.index and body.mode >= RIGID and body.active_index >= 0
        labels[index] = INT32(index if is_awake else NONE)
    for number in range(system.manifolds.count):
        manifold = manifolds[number]
        if manifold.pair >= 0 and manifold.colour >= 0:
            _join(labels, count, manifold.body_a, manifold.body_b)
    for number in range(request.joint_count):
        joint = joints[number]
        if joint.id != 0 and joint.colour >= 0:
            _join(labels, count, joint.bodies[0], joint.bodies[1])
    for index in range(count):
        if labels[index] >= 0:
            labels[index] = INT32(_root(labels, np.int64(index)))
    for index in range(count):
        body = bodies[index]
        if labels[index] < 0 and body.id != 0 and body.system == system.index and body.mode >= RIGID:
            _label_ring(bodies, labels, count, index)
