"""Crowds: many bodies at one place, as where a game has made them all, and how few of their pairs are enough to part them.

Of n bodies at one place n^2 / 2 pairs overlap, and CROWD for each body are enough. So where more lie in each other, their numbers
choose which become pairs (`pair_finding.py`); they look again in each step until the crowd has dispersed.
"""

import numpy as np

from ..bodies.rare import rare_of
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
"""A body that lies in more others makes pairs with some of these alone. Of balls that touch, none has more than twelve others."""
ALIKE = 2.0
"""Bodies of a crowd are no more than so many times as large as each other: what is large may carry the others, or hold them."""
NUDGE = 1.0e-3
"""Bodies at one place are collided as if so far apart, in parts of the smaller inner radius."""


@kernel
def are_nearer(a, b, delta, part):
    """Whether the centres of two bodies are nearer than `part` of the smaller inner radius."""
    near = part * min(FLOAT64(a.inner_radius), FLOAT64(b.inner_radius))
    return length_squared(delta) < near * near


@kernel
def is_lump(world, body):
    """Whether a body is of one convex shape about its centre of mass. Others, rings for example, may lie in each other without
    touching."""
    if body.instance_count != 1 or body.flags & CUSTOM_CENTER_OF_MASS:
        return False
    instance = view(world.instances, world.instance_capacity, INSTANCE)[body.first_instance]
    return instance.shape >= 0 and not is_compound(view(world.shapes, world.shape_capacity, SHAPE), instance)


@kernel
def are_alike(a, b):
    """Whether two bodies move, and are about as large as each other."""
    low, high = min(a.extent, b.extent), max(a.extent, b.extent)
    return a.mode >= RIGID and b.mode >= RIGID and high <= ALIKE * low


@kernel
def reports(world, body):
    """Whether a body is to report its contacts."""
    return body.flags & HAS_RARE != 0 and rare_of(world, body).max_contacts_reported > 0


@kernel
def is_wanted(world, a, b):
    """Whether a rule, a listener or a report asks for the contacts of two bodies."""
    return terms_of(world, a, b) != 0 or reports(world, a) or reports(world, b)


@kernel
def lie_in_each_other(system, world, a, b):
    """Whether two bodies are of one crowd: they lie in each other so deep that balls of the smaller inner radius about their
    centres overlap, and others may part them."""
    if not (are_alike(a, b) and are_nearer(a, b, relative_position(a, b), 2.0)):
        return False
    return is_lump(world, a) and is_lump(world, b) and not is_wanted(system.world, a, b)


@kernel
def is_left_to_others(low, high, crowd):
    """Whether two bodies, given by their numbers, that lie in each other and in so many make no pair: the other pairs of the
    crowd part them. A pair that was made stays while the crowd disperses. Not by the hash of the table of pairs: that would be
    full in some places and empty in others."""
    return (hash_of(high, low) & 0xFFFF) * crowd > CROWD * 0x10000


@kernel
def gravity_between(system, a, b):
    """The gravity on the one of two bodies that moves, with that of areas; any length."""
    body = a if a.mode >= RIGID else b
    return vector3(body.gravity) if body.flags & IN_AREAS else vector3(system.gravity)


@kernel
def told_apart(system, pair, a, b, delta):
    """From A to B [m]; for bodies at one place a way that their numbers choose, or all of them would part along one line. It is
    level, for what is lifted falls off the others later; out of what does not move it goes up."""
    if not are_nearer(a, b, delta, NUDGE):
        return delta
    number = hash_of(pair.body_a, pair.body_b)
    size = NUDGE * min(FLOAT64(a.inner_radius), FLOAT64(b.inner_radius)) / 512.0
    way = (size * ((number & 1023) - 511.5), size * ((number >> 10 & 1023) - 511.5), size * ((number >> 20 & 1023) - 511.5))
    gravity = gravity_between(system, a, b)
    strength = length(gravity)
    if strength == 0.0:
        return way
    down = scale(gravity, 1.0 / strength)
    up = 0.0 if a.mode >= RIGID and b.mode >= RIGID else 512.0 * size
    return add_scaled(way, down, -dot(way, down) - (up if b.mode >= RIGID else -up))
