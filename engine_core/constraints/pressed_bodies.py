"""Light bodies under loads far above their own weight, such as a box of 1 kg under one of 1,000 kg.

A pass of the solver changes an impulse at most by as much as stops the lighter body. A load of a thousand times its weight would
need a thousand passes to follow the slightest rocking of what lies on top, and the softness of contacts lets go of more in each
sub-step than a pass regains: the load sinks in and slips off. So a body that is pressed between something heavy above and what
carries it below counts as heavier in the contacts that carry the load, as a part of the load. Forces act on that mass too, since
these contacts have to hold them. Its other contacts and joints see its true mass. So do these contacts across gravity, where it
lies on something smooth: on ice a plank and its load share the momentum that the plank had (not under loads of more than 2,000
times its mass, nor if gravity points along no axis of the world).

The load is what passes through the body along gravity: the lesser of the impulses that push it down and up. An impact from one
side passes nothing through. Impulses take some steps to grow to a load: until then it is foreseen (foreseen_loads.py). A body
that is squeezed by one and the same body, as a crate by the decks of a ship, carries nothing: as a part of the ship's mass it
would hold the ship back.
"""

import math

import numpy as np

from ..bodies.rare import own_rare, rare_of
from ..bodies.schema import HAS_JOINT, IS_GRIPPED, IS_LOADED, IS_PRESSED
from ..geometry.vector import dot, length, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .blocks import put_vector
from .body_terms import scaled_inertia, scaled_mass
from .schema import (
    IMMOVABLE_NUMBER, LOAD_ABOVE, LOAD_BELOW, LOAD_DOWN, LOAD_FLOATS, LOAD_GRIP, LOAD_HEAVIEST, LOAD_SIZE, LOAD_UP,
)  # fmt: skip

FLOAT32 = np.float32
MOST_CARRIED = 100.0
"""A body carries impulses that would accelerate it by up to this as it is [m/s^2], ten times its weight. Under larger loads it
counts as a tenth of the load. With a twentieth, a load on four light boxes sways by 5 cm (tests/world/test_pressed_bodies.py)."""
LEAST_CARRIED = 50.0
"""A contact carries a heavy load from this on [m/s^2]."""
EASE = 12.0
"""The load that counts falls by at most this part of itself in a second [1/s]: a load that shakes does not change the mass all
the time. It rises by half of the difference in each step."""
LEAST_COSINE = 0.5
"""Contacts carry loads up to this cosine between their normal and gravity. All of these see one mass, also one that is hardly
pressed in a step: with two masses of a body the solver would win energy."""
HEAVIER = 4.0
"""A body is relieved only if something that moves and is so many times as heavy, or as heavy in its contacts, lies on it: in a
pile of equal bodies the solver hands loads on as they are."""
ALONG_AXIS = 0.9999
"""Gravity points along a world axis from this cosine on."""
LEAST_GRIP = 0.05
"""Friction grips from this coefficient on."""
LEAST_FREE = 0.005
"""The least relief at which the mass across gravity is the true one, of a load of 2,000 times the mass on Earth. Larger loads
would push the body aside as they tilt by a hair on their soft contacts."""
SLOW = 0.5
"""Elastic contacts that close or part faster [m/s] bounce: they are no loads."""


@kernel
def relief_of(world_address, body):
    """The factor on the inverse mass and inertia of a body by which it is heavier under its load, 1 unless it is pressed."""
    if not body.flags & IS_PRESSED:
        return 1.0
    return MOST_CARRIED / float(rare_of(world_address, body).carried)


@kernel
def relief_along(world_address, body, normal):
    """`relief_of` in a contact with this normal, 1 in contacts across gravity."""
    if not body.flags & IS_PRESSED:
        return 1.0
    down = vector3(body.gravity)
    return relief_of(world_address, body) if abs(dot(normal, down)) >= LEAST_COSINE * length(down) else 1.0


@kernel
def free_axis(body, relief):
    """The world axis along which the gravity of a pressed body points, if its mass across that is its true one; else -1: friction
    grips it, its load is too large, or gravity points along no axis."""
    if body.flags & IS_GRIPPED or relief < LEAST_FREE:
        return -1
    down = vector3(body.gravity)
    least = ALONG_AXIS * length(down)
    for k in range(3):
        if abs(down[k]) > least:
            return k
    return -1


@kernel
def relieved_mass(body, factor, relief):
    """Inverse mass of a body along x, y and z times a factor, and times its `relief` along gravity. Across gravity it is the true
    one if nothing grips the body, so that it keeps its momentum there; if something does, it is times its `relief` too, as
    friction hands on a heavy pull no better than normals a heavy load."""
    mass, axis, across = scaled_mass(body, factor), free_axis(body, relief), 1.0
    if axis < 0:
        across = relief
    x, y, z = relief if axis == 0 else across, relief if axis == 1 else across, relief if axis == 2 else across
    return mass[0] * x, mass[1] * y, mass[2] * z


@kernel
def relieved_inertia(body, factor, relief):
    """Inverse inertia of a body times a factor and its `relief`, which tilting sees, but a turn about gravity only if
    something grips it."""
    m, axis, root = scaled_inertia(body, factor), free_axis(body, relief), math.sqrt(relief)
    x, y, z = 1.0 if axis == 0 else root, 1.0 if axis == 1 else root, 1.0 if axis == 2 else root
    return m[0] * x * x, m[1] * y * y, m[2] * z * z, m[3] * x * y, m[4] * x * z, m[5] * y * z


@kernel
def press(world_address, body, carried, grips):
    """Let a body count as one that carries a load [m/s^2]. `grips`: whether friction holds it from below."""
    own_rare(world_address, body).carried = FLOAT32(carried)
    body.flags |= IS_PRESSED | (IS_GRIPPED if grips else 0)


@kernel
def put_pressed(lane, mass, inertia, body, factor, relief):
    """Write the mass and inertia of a pressed body to these fields of a lane, times a factor."""
    keep_as_call()
    put_vector(lane, mass, relieved_mass(body, factor, relief))
    of_body = relieved_inertia(body, factor, relief)
    for k in range(6):
        lane[(inertia + k) * 8] = FLOAT32(of_body[k])


@kernel
def pressure_of(manifold):
    """The sum of last sub-step's impulses of a manifold along its normal [N s]."""
    impulse = 0.0
    for p in range(manifold.point_count):
        impulse += float(manifold.normal_impulse[p])
    return impulse


@kernel
def carries(manifold, a, b, h):
    """Whether a contact carried a heavy load for the lighter body in the last step. Few are asked: those with one body much
    heavier, or with a body that is pressed."""
    if not (a.flags | b.flags) & (IS_LOADED | IS_PRESSED):
        least, most = min(a.inverse_mass, b.inverse_mass), max(a.inverse_mass, b.inverse_mass)
        if least == 0.0 or least * FLOAT32(HEAVIER) > most:
            return False
    return pressure_of(manifold) * max(float(a.inverse_mass), float(b.inverse_mass)) >= LEAST_CARRIED * h


@kernel
def load_row(system, row):
    """The load noted for one solver row: see schema.py."""
    return view(system.solver.loads + row * LOAD_SIZE, LOAD_FLOATS, FLOAT32)


@kernel
def add_load(system, body, other, impulse, normal, sign, friction):
    """Note a contact impulse [N s] on a body, along `sign` times `normal`, by another body, with the coefficient of friction."""
    if body.inverse_mass == 0.0 or body.flags & HAS_JOINT or body.active_index < 0:
        return
    load = load_row(system, body.active_index + 1)
    if not body.flags & IS_LOADED:
        body.flags |= IS_LOADED
        for k in range(LOAD_FLOATS):
            load[k] = FLOAT32(0.0)
    down = vector3(body.gravity)
    along = sign * impulse * dot(normal, down) / max(length(down), 1.0e-9)
    load[LOAD_DOWN if along > 0.0 else LOAD_UP] += FLOAT32(abs(along))
    number = IMMOVABLE_NUMBER if other.inverse_mass == 0.0 else IMMOVABLE_NUMBER + 1.0 + max(other.active_index, 0)
    load[LOAD_ABOVE if along > 0.0 else LOAD_BELOW] = FLOAT32(number)
    if along < 0.0:
        load[LOAD_GRIP] = max(load[LOAD_GRIP], FLOAT32(friction))
    seen = other.inverse_mass * relief_of(system.world, other)
    if 0.0 < seen and seen * HEAVIER <= body.inverse_mass:
        load[LOAD_HEAVIEST] = max(load[LOAD_HEAVIEST], FLOAT32(1.0 / seen))


@kernel
def note_load(system, manifold, normal, a, b, pushes, friction, restitution):
    """Note last step's impulses of a manifold that `carries`. `pushes`: whether A is pushed, and B. Called while contacts are
    prepared: blocks of one colour share no moving body, and colours follow one another."""
    impulse = pressure_of(manifold)
    closing = dot(normal, subtract(vector3(a.linear_velocity), vector3(b.linear_velocity)))
    if abs(closing) < SLOW or restitution <= 0.0:
        if pushes[0]:
            add_load(system, a, b, impulse, normal, -1.0, friction)
        if pushes[1]:
            add_load(system, b, a, impulse, normal, 1.0, friction)


@kernel
def settle_load(system, body, row, h):
    """Compute the load of a body for the next step from what was noted. Called once a step if a flag of it is set, by the thread
    that changes the body."""
    carried, least, grips = 0.0, 0.0, body.flags & IS_GRIPPED != 0
    if body.flags & IS_LOADED:
        load = load_row(system, row)
        through, heaviest = min(float(load[LOAD_DOWN]), float(load[LOAD_UP])), float(load[LOAD_HEAVIEST])
        if heaviest > 0.0 and load[LOAD_ABOVE] != load[LOAD_BELOW]:
            least = MOST_CARRIED  # its other contacts are looked at in the next step
            if load[LOAD_UP] > 0.0:
                grips = load[LOAD_GRIP] >= LEAST_GRIP
            carried = through * float(body.inverse_mass) / h
    before = float(rare_of(system.world, body).carried) if body.flags & IS_PRESSED else 0.0
    if carried > before > MOST_CARRIED:
        carried = 0.5 * (carried + before)
    else:
        carried = max(carried, before * (1.0 - min(EASE * system.step.last_delta_time, 1.0)))
    carried = max(carried, least)
    body.flags &= ~np.uint32(IS_LOADED | IS_PRESSED | IS_GRIPPED)
    if carried >= MOST_CARRIED:
        press(system.world, body, carried, grips)
