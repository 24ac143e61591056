"""Loads that are foreseen: a heavy body lands on, or is put on, a light one that stands on something immovable.

A load is known by the impulses that pass through the body under it (see pressed_bodies.py), which takes some steps. Until then
the light body would give way to the heavy one, which would sink in and be lifted again: 1,000 kg that fall from 1 m on 1 kg by a
quarter of a metre. So a multiple of the weight counts as the load as soon as their contact enters the solver: a landing presses
harder than what lies. A load that does not come is forgotten within some steps. Serial, once for each new contact.
"""

import numpy as np

from ..bodies.schema import HAS_JOINT, IS_PRESSED
from ..collision.pairs import lists_of, manifolds_of, pairs_of
from ..collision.schema import LINEAR_SLOP, MANIFOLD_IS_SENSOR
from ..geometry.vector import dot, length, quaternion, rotate, scale, vector3
from ..runtime.kernel import kernel
from .pressed_bodies import HEAVIER, LEAST_COSINE, LEAST_FREE, LEAST_GRIP, MOST_CARRIED, press

FLOAT32 = np.float32
LANDING = 4.0
"""A landing counts as so many times the weight. With 1, 100 kg that fall from 0.3 m on 1 kg win back 9 % of the fall's energy as
they are lifted out of their dip, with 4 they win back 5 %."""


@kernel
def gravity_at(system, body):
    """Gravity at a body [m/s^2], in its first step that of its space."""
    down = vector3(body.gravity)
    if length(down) > 0.0:
        return down
    gravity = system.settings.gravity
    return scale((gravity[0], gravity[1], gravity[2]), float(body.gravity_scale))


@kernel
def pushed_along(bodies, manifold, is_a, down):
    """Cosine between `down` and the direction in which a contact pushes A (`is_a`) or B."""
    normal = rotate(quaternion(bodies[manifold.body_a].rotation), vector3(manifold.normal))
    return -dot(normal, down) if is_a else dot(normal, down)


@kernel
def touches(manifold):
    """Whether the surfaces of a manifold touch, within the tolerance of positions."""
    for p in range(manifold.point_count):
        if manifold.separation[p] < LINEAR_SLOP:
            return not manifold.flags & MANIFOLD_IS_SENSOR
    return False


@kernel
def friction_below(system, bodies, index, down):
    """The largest friction of the contacts by which a body stands on something immovable, -1 if it does not."""
    pairs, all_lists, manifolds = pairs_of(system), lists_of(system), manifolds_of(system)
    friction, key = -1.0, bodies[index].first_pair
    while key >= 0:
        pair, lists, side = pairs[key >> 1], all_lists[key >> 1], key & 1
        if bodies[pair.body_a if side else pair.body_b].inverse_mass == 0.0:
            m = lists.first_manifold
            while m >= 0:
                if touches(manifolds[m]) and pushed_along(bodies, manifolds[m], side == 0, down) <= -LEAST_COSINE:
                    friction = max(friction, float(lists.friction))
                m = manifolds[m].next
        key = lists.next[side]
    return friction


@kernel
def foresee_load(system, bodies, manifold):
    """Let the lighter body of a new contact carry the heavier one, if that is about to press on it."""
    a, b = bodies[manifold.body_a], bodies[manifold.body_b]
    is_a = a.inverse_mass > b.inverse_mass
    light, heavy = a if is_a else b, b if is_a else a
    if heavy.inverse_mass == 0.0 or heavy.inverse_mass * FLOAT32(HEAVIER) > light.inverse_mass:
        return
    gravity = gravity_at(system, light)
    carried = LANDING * length(gravity) * float(light.inverse_mass) / float(heavy.inverse_mass)
    if carried < MOST_CARRIED or light.flags & (HAS_JOINT | IS_PRESSED) or lists_of(system)[manifold.pair].restitution > 0.0:
        return
    down = scale(gravity, 1.0 / length(gravity))
    if pushed_along(bodies, manifold, is_a, down) < LEAST_COSINE:
        return
    friction = friction_below(system, bodies, manifold.body_a if is_a else manifold.body_b, down)
    most = MOST_CARRIED / LEAST_FREE
    if friction < LEAST_GRIP and carried < LANDING * most:
        carried = min(carried, most)  # on something smooth it keeps its own mass across gravity
    if friction >= 0.0:
        press(system.world, light, carried, friction >= LEAST_GRIP)
