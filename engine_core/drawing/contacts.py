"""Contacts: a mark at each point, and a line along the normal as long as the force, half of it on either side: both bodies are
pushed alike."""

import numpy as np

from ..bodies.schema import BODY
from ..collision.contact_points import contact_frames, contact_normal, surface_points
from ..collision.pairs import manifolds_of, pairs_of
from ..geometry.vector import add, add_scaled, perpendicular, scale, subtract, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .bodies import is_body_drawn
from .colours import CONTACT, IMPULSE
from .rows import LONGEST, SHORTEST, add_line, hue, is_near
from .schema import BY_SOLVER

HALF_MARK = 0.03
"""Half the length of a mark across the normal [m]."""
WORLD = (0.0, 0.0, 0.0)


@kernel
def add_manifold(request, system, manifold, pair, a, b):
    """Add the points of a manifold."""
    frames = contact_frames(pair, a, b)
    normal = contact_normal(frames, manifold)
    side = perpendicular(normal)
    colour = hue(np.int64(manifold.colour)) if request.what & BY_SOLVER and manifold.colour >= 0 else np.int64(CONTACT)
    seconds = system.step.last_delta_time
    per_impulse = request.force_scale / seconds if seconds > 0.0 else 0.0
    for p in range(manifold.point_count):
        on_a, on_b = surface_points(frames, a, b, manifold, normal, p)
        at = scale(add(add(vector3(a.position), on_a), add(vector3(b.position), on_b)), 0.5)
        if not is_near(request, at, at, WORLD):
            continue
        add_line(request, add_scaled(at, side, -HALF_MARK), add_scaled(at, side, HALF_MARK), colour)
        force = per_impulse * np.float64(manifold.total_normal_impulse[p])
        if force > SHORTEST:
            half = scale(normal, 0.5 * min(force, LONGEST))
            add_line(request, subtract(at, half), add(at, half), IMPULSE)


@kernel
def add_contacts(request, system, world):
    """Add the contacts of a system: those of sleeping bodies as they were when these fell asleep."""
    bodies = view(world.bodies, world.body_capacity, BODY)
    manifolds, pairs = manifolds_of(system), pairs_of(system)
    for number in range(system.manifolds.count):
        manifold = manifolds[number]
        if manifold.pair < 0 or manifold.point_count == 0:
            continue
        a, b = bodies[manifold.body_a], bodies[manifold.body_b]
        if is_body_drawn(request, system, a) or is_body_drawn(request, system, b):
            add_manifold(request, system, manifold, pairs[manifold.pair], a, b)
