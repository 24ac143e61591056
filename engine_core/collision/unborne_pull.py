"""Gravity and forces on a body less what its contacts bear: on a floor they speed up nothing."""

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import BODY
from ..geometry.vector import add_scaled, dot, negate, quaternion, rotate, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .pairs import lists_of, manifolds_of, pairs_of

ALIKE = 0.7
"""Contacts whose normals are at a smaller angle (cosine) to that of a curve are with the curve itself."""


@kernel
def borne_along(manifold, turn, is_a, normal, pull, impulse_to_change):
    """The part of `pull` that a manifold bears, along its normal from the body, and that normal. `turn`: of A; `normal`: of a
    curve."""
    outward = rotate(turn, vector3(manifold.normal))
    outward = outward if is_a else negate(outward)
    pressing, borne = dot(pull, outward), 0.0
    if pressing > 0.0 and dot(outward, normal) < ALIKE:
        for p in range(manifold.point_count):
            borne += manifold.normal_impulse[p] * impulse_to_change
    return min(borne, max(pressing, 0.0)), outward


@kernel
def unborne_pull(system, body, normal):
    """Acceleration of a body by gravity and forces [m/s^2] less what its contacts bear along their own normals, by their impulses
    as the last step ended. Contacts along `normal`, that of a curve from the body, are left out."""
    pull = add_scaled(vector3(body.gravity), vector3(body.force), np.float64(body.inverse_mass))
    pairs, all_lists, manifolds = pairs_of(system), lists_of(system), manifolds_of(system)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    impulse_to_change = np.float64(body.inverse_mass) * system.settings.substep_count / system.step.last_delta_time
    key = np.int64(body.first_pair)
    while key >= 0:
        turn, m = quaternion(bodies[pairs[key >> 1].body_a].rotation), np.int64(all_lists[key >> 1].first_manifold)
        while m >= 0:
            borne, outward = borne_along(manifolds[m], turn, key & 1 == 0, normal, pull, impulse_to_change)
            pull = add_scaled(pull, outward, -borne)
            m = np.int64(manifolds[m].next)
        key = np.int64(all_lists[key >> 1].next[key & 1])
    return pull
