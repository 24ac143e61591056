"""Crowds: many bodies at one place, for example where a game has created them. A few of their pairs are enough to separate them.

Of n bodies at one place n^2 / 2 pairs overlap; some CROWD pairs of each body are enough. Where more bodies overlap each other
deeply, hashes of the numbers of two bodies choose which of them become a pair (`pair_finding.py`). The bodies of a crowd look for
pairs again in each step until the crowd has dispersed.
"""

import numpy as np

from ..bodies.rare import rare_of
from ..bodies.records import world_at
from ..bodies.schema import CUSTOM_CENTER_OF_MASS, HAS_RARE, IN_AREAS, INSTANCE, RIGID
from ..geometry.vector import add_scaled, dot, length, length_squared, scale, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..runtime.pair_table import hash_of
from ..shapes.compound import is_compound
from ..shapes.schema import SHAPE
from .contact_points import relative_position
from .contact_rules import terms_of

FLOAT64 = np.float64
CROWD = 32
"""A body that overlaps more bodies deeply makes pairs with only some of them. A ball that does not overlap others touches at most
twelve of its own size."""
ALIKE = 2.0
"""Bodies of one crowd differ in size by at most this factor: a larger body may carry or enclose the others."""
NUDGE = 1.0e-3
"""Bodies at one place are collided as if this far apart, in inner radii of the smaller one."""


@kernel
def are_nearer(a, b, delta, part):
    """Whether the centres of two bodies are nearer than `part` of the smaller inner radius."""
    near = part * min(FLOAT64(a.inner_radius), FLOAT64(b.inner_radius))
    return length_squared(delta) < near * near


@kernel
def is_compact(system, body):
    """Whether a body has one convex shape, and its centre of mass in the middle of it. Other bodies, for example rings, may have
    their centres at one place without touching."""
    if body.instance_count != 1 or body.flags & CUSTOM_CENTER_OF_MASS:
        return False
    world = world_at(system.world)
    instance = view(world.instances, world.instance_capacity, INSTANCE)[body.first_instance]
    return instance.shape >= 0 and not is_compound(view(world.shapes, world.shape_capacity, SHAPE), instance)


@kernel
def are_alike(a, b):
    """Whether two bodies are rigid and of similar size."""
    low, high = min(a.extent, b.extent), max(a.extent, b.extent)
    return a.mode >= RIGID and b.mode >= RIGID and high <= ALIKE * low


@kernel
def reports(world_address, body):
    """Whether a body reports its contacts."""
    return body.flags & HAS_RARE != 0 and rare_of(world_address, body).max_contacts_reported > 0


@kernel
def may_be_in_crowd(system, body):
    """Whether a body may belong to a crowd: it needs no pair of its own, because other pairs of the crowd can separate it."""
    return body.mode >= RIGID and not reports(system.world, body) and is_compact(system, body)


@kernel
def crowd_each_other(system, body, other):
    """Whether `other` belongs to one crowd with a body that may be in one: balls of the smaller inner radius about their centres
    overlap, and neither a rule nor a listener needs their contacts."""
    if not (are_alike(body, other) and are_nearer(body, other, relative_position(body, other), 2.0)):
        return False
    return may_be_in_crowd(system, other) and terms_of(system.world, body, other) == 0


@kernel
def is_left_to_others(low, high, crowd):
    """Whether two bodies of a crowd, given by their numbers, make no pair; `crowd`: number of bodies that one of them overlaps. A
    pair that exists stays while the crowd disperses, for the fewer bodies, the more pairs. The hash is not that of the table of
    pairs, `hash_of(low, high)`: the chosen pairs would fill one part of the table and leave the rest empty."""
    return (hash_of(high, low) & 0xFFFF) * crowd > CROWD * 0x10000


@kernel
def gravity_between(system, a, b):
    """Gravity on that of two bodies that moves, including gravity of areas [m/s^2]."""
    body = a if a.mode >= RIGID else b
    return vector3(body.gravity) if body.flags & IN_AREAS else vector3(system.settings.gravity)


@kernel
def separate_centers(system, pair, a, b, delta):
    """Position of B relative to A for a collision, world axes [m]. For bodies at one place, NUDGE inner radii in a direction that
    their numbers choose: in one and the same direction a crowd would become a line. The direction is horizontal, because lifted
    bodies fall off the others later; out of a body that does not move it is upward."""
    if not are_nearer(a, b, delta, NUDGE):
        return delta
    number = hash_of(pair.body_a, pair.body_b)
    size = NUDGE * min(FLOAT64(a.inner_radius), FLOAT64(b.inner_radius)) / 512.0
    apart = (size * ((number & 1023) - 511.5), size * ((number >> 10 & 1023) - 511.5), size * ((number >> 20 & 1023) - 511.5))
    gravity = gravity_between(system, a, b)
    strength = length(gravity)
    if strength == 0.0:
        return apart
    down = scale(gravity, 1.0 / strength)
    up = 0.0 if a.mode >= RIGID and b.mode >= RIGID else 512.0 * size
    return add_scaled(apart, down, -dot(apart, down) - (up if b.mode >= RIGID else -up))
