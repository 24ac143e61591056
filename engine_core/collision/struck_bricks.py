"""Which bricks of a body were pushed in the last step, and how hard: from the impulses of its contacts."""

import numpy as np

from ..bodies.motion import bodies_of, system_of
from ..bodies.records import world_at
from ..bodies.schema import INSTANCE
from ..runtime.kernel import entry_point
from ..runtime.memory import view
from .pairs import brick_of, lists_of, manifolds_of
from .schema import MANIFOLD_HAS_BRICKS

INT64 = np.int64

STRUCK = np.dtype([("brick", "i8"), ("shape", "i8"), ("impulse", "f8")])
"""A manifold with a brick: its number, the index of the user's shape, the sum of the normal impulses of a step [N s]."""


@entry_point("int64(int64, int64, int64, int64)")
def list_struck(world_address, index, rows_address, capacity):
    """Write rows STRUCK for the contacts of a body (by index) that pushed in the last step, up to `capacity` of them. Returns
    how many there are. Merged contacts name the brick of the deepest. For the thread that steps, between steps."""
    record, bodies = world_at(world_address), bodies_of(world_address)
    body = bodies[index]
    system = system_of(world_address, body.system)[0]
    all_lists, manifolds = lists_of(system), manifolds_of(system)
    instances, rows = view(record.instances, record.instance_capacity, INSTANCE), view(rows_address, capacity, STRUCK)
    count, key = INT64(0), INT64(body.first_pair)
    while key >= 0:
        lists, side = all_lists[key >> 1], key & 1
        m = INT64(lists.first_manifold) if lists.active_index >= 0 else INT64(-1)
        while m >= 0:
            manifold = manifolds[m]
            impulse = 0.0
            for p in range(manifold.point_count):
                impulse += manifold.total_normal_impulse[p]
            brick = brick_of(system, manifold, side) if manifold.flags & MANIFOLD_HAS_BRICKS else INT64(0)
            if brick > 0 and impulse > 0.0:
                if count < capacity:
                    instance = instances[body.first_instance + (manifold.instance_a if side == 0 else manifold.instance_b)]
                    rows[count].brick, rows[count].shape, rows[count].impulse = brick, instance.user_shape, impulse
                count += 1
            m = INT64(manifold.next)
        key = INT64(lists.next[side])
    return count
