"""The load of a body on its contact: where it presses. Corners are chosen by it (reduce.py).

A pair that is collided anew takes the centre of pressure of its last step, or without one the foot of the lighter body's centre
of mass along gravity and forces. Where the load comes near an open side of the points, beyond which corners were left out, the
pair is collided anew (`asks_for_corners`), although its bodies have not moved: a load may move while they rest. If that finds
the same points, a load asks again only when it has come nearer.
"""

import numpy as np

from ..geometry.vector import add_scaled, cross, dot, length, quaternion, rotate, scale, store3, subtract, vector3
from ..runtime.kernel import kernel
from .pairs import manifolds_of
from .reduce import AT_SIDE, others_of

FLOAT64, INT64 = np.float64, np.int64
LOW_16 = 0xFFFF
STEEPEST = 0.1
"""A line of load that meets the contact more flatly (sine) has no foot."""
SIDE_BITS, NEAREST = 2, 3
"""Bits of `MANIFOLD.answered_sides` for each side; the greatest number in them."""


@kernel
def load_in_plane(result, origin, u, v, n):
    """The load of a result in the plane (origin, u, v, n): (whether it is known, x, y)."""
    if result.has_load == 0:
        return False, 0.0, 0.0
    place, way = subtract(vector3(result.load), origin), vector3(result.load_way)
    steep = dot(n, way)
    if abs(steep) > STEEPEST:
        place = add_scaled(place, way, -dot(n, place) / steep)
    elif dot(way, way) > 0.0:
        return False, 0.0, 0.0
    return True, dot(place, u), dot(place, v)


@kernel
def pass_load(given, target):
    """Give a result the load that a SHAPE_PAIR or another result has."""
    target.has_load = given.has_load
    if given.has_load != 0:
        store3(target.load, vector3(given.load))
        store3(target.load_way, vector3(given.load_way))


@kernel
def pressed_place(manifold):
    """Compute the sum of a manifold's impulses, and that of its points weighted by them, in the frame of A [N s], [N s m]."""
    total, place = 0.0, (0.0, 0.0, 0.0)
    for p in range(manifold.point_count):
        impulse = FLOAT64(manifold.normal_impulse[p])
        total += impulse
        place = add_scaled(place, vector3(manifold.anchor[p]), impulse)
    return total, place


@kernel
def note_load(system, a, b, delta, chain, shape_pair):
    """Write the load of the chain's two shapes to a SHAPE_PAIR: the centre of pressure of their most loaded old manifold, or the
    line of gravity and forces of the lighter body. `delta`: the centre of mass of B from that of A [m]."""
    manifolds, most = manifolds_of(system), 0.0
    index = INT64(chain.remaining[0])
    while index >= 0:
        manifold = manifolds[index]
        is_alike = manifold.instance_a == chain.instances[0] and manifold.instance_b == chain.instances[1]
        if is_alike and manifold.part_a == chain.parts[0] & LOW_16 and manifold.part_b == chain.parts[1] & LOW_16:
            total, place = pressed_place(manifold)
            if total > most:
                most = total
                store3(shape_pair.load, rotate(quaternion(a.rotation), scale(place, 1.0 / total)))
        index = INT64(manifold.next)
    shape_pair.has_load = 1
    store3(shape_pair.load_way, (0.0, 0.0, 0.0))
    if most > 0.0:
        return
    is_a = a.inverse_mass >= b.inverse_mass
    body = a if is_a else b
    pull = add_scaled(vector3(body.gravity), vector3(body.force), FLOAT64(body.inverse_mass))
    if dot(pull, pull) == 0.0:  # its first step
        pull = scale(vector3(system.settings.gravity), FLOAT64(body.gravity_scale))
    size = length(pull)
    if size == 0.0:
        shape_pair.has_load = 0
        return
    store3(shape_pair.load, (0.0, 0.0, 0.0) if is_a else delta)
    store3(shape_pair.load_way, scale(pull, 1.0 / size))


@kernel
def nearness(share):
    """How near a load is to a side, 0 (not near) to `NEAREST`. `share`: its distance from the side, as a part of that of the
    middle."""
    return 0 if share >= AT_SIDE else NEAREST - min(INT64(NEAREST * share / AT_SIDE), NEAREST - 1)


@kernel
def asks_for_corners(manifold):
    """Whether the centre of pressure of a manifold is nearer to an open side of its points than when it last asked for others.
    Notes how near it is."""
    if manifold.open_sides == 0 or manifold.point_count < 3:
        return False
    count = manifold.point_count
    w, normal, total, bit = manifold.normal_impulse, vector3(manifold.normal), 0.0, 1
    for p in range(count):
        total += w[p]
    if total <= 0.0:
        return False
    answered, asked, place = INT64(manifold.answered_sides), INT64(0), 0
    for i in range(3):
        for j in range(i + 1, 4):
            before = answered >> place & NEAREST
            if manifold.open_sides & bit and before < NEAREST:
                k, m = others_of(i, j)
                start = vector3(manifold.anchor[i])
                inward = cross(normal, subtract(vector3(manifold.anchor[j]), start))
                first = dot(inward, subtract(vector3(manifold.anchor[k]), start))
                second = dot(inward, subtract(vector3(manifold.anchor[m]), start)) if count > 3 else 0.0
                beside, middle = abs(w[k] * first + w[m] * second) / total, abs(first + second) / count
                near = nearness(beside / middle) if middle > 0.0 else 0
                if near > before:
                    asked += near - before << place
            bit <<= 1
            place += SIDE_BITS
    manifold.answered_sides = np.uint16(answered + asked)
    return asked != 0
