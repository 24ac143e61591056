"""Springs as soft rows with the period and decay of the exact spring, for any sub-step.

A sub-step changes the speed v of a row first, then moves the bodies by it: v' = v + k Q, x' = x + h v', with k the inverse of the
effective mass and Q the spring's impulse. A spring that pulls by its position, and slightly resists every change of speed,
    k Q = -(w^2 / h) x + (E - 1) v - (D - 1) v',   w^2 = stiffness k h^2,
has det = E / D and trace = 1 + (E - w^2) / D. They equal those of the exact motion, e^(-2 g) and 2 e^-g cos(sqrt(w^2 - g^2)) with
g = damping k h / 2, if
    D = w^2 / (1 - 2 e^-g cos(sqrt(w^2 - g^2)) + e^(-2 g)),   E = D e^(-2 g).
At rest it pulls by Hooke's law. Where only joints act on its bodies, the first half of it acts before they move, and the second
after, as half of gravity does (tree_passes.py): with the x of the time,
    D v' = v - (w^2 / 2 h) x,   v'' = E v' - (w^2 / 2 h) x':
the same motion, but v'' is the speed at x', not between. The scheme is the leapfrog of a mass D times as large, which is stable
for w <= 2 of that mass.
"""

import math

import numpy as np

from ..geometry.angles import exponential, hyperbolic_sine, sine_cosine
from ..runtime.kernel import kernel

FLOAT32, FLOAT64 = np.float32, np.float64
MOST_TURN, MOST_SHARED = 2.5, 1.0
"""w of the stiffest spring that sub-steps can follow: two and a half sub-steps a period. The second value is for springs with
another joint on one of their bodies, since springs that act on each other are not solved together. A stiffer one is damped."""
MOST_DECAY = 0.5
"""g of the strongest damper that sub-steps can follow."""
LEAST_TURN = 1.0e-4
ALONE, SHARED = 2.0, 1.0 / 6.0
"""Springs that act on each other vibrate faster than each alone, by a factor unknown here: D is at least 1 + w^2 / 4 minus half
of this. If no other joint is on the bodies, it is divided among the springs of the joint."""


@kernel
def follow(w2, g, spare):
    """(D, E) of a spring."""
    decay, beyond = exponential(-g), w2 - g * g
    half = 0.5 * math.sqrt(abs(beyond))
    wave = sine_cosine(half)[0] if beyond > 0.0 else hyperbolic_sine(half)
    d = w2 / ((1.0 - decay) ** 2 + 4.0 * decay * (wave * wave if beyond > 0.0 else -wave * wave))
    d = max(d, 1.0 + g + 0.25 * w2 - 0.5 * spare)
    return d, d * decay * decay


@kernel
def spring_count(joint):
    """The number of springs of a joint."""
    count = 0
    for axis in range(32):
        count += joint.sprung >> axis & 1
    return count


@kernel
def spare_of(joint):
    """How far above 2 the square of w of a spring of this joint may be for it to stay stable beside others."""
    for side in range(2):
        if joint.pushes[side] and (joint.next[side] >= 0 or joint.previous[side] >= 0):
            return SHARED
    return ALONE / spring_count(joint)


@kernel
def stiffness_of(joint, axis, free):
    """(stiffness [N/m], [N m/rad], damping [N s/m], [N m s/rad]) of a spring; `free`: inverse of its effective mass for free
    bodies."""
    stiffness, damping = FLOAT64(joint.spring_stiffness[axis]), FLOAT64(joint.spring_damping[axis])
    if joint.by_frequency >> axis & 1:
        omega = 2.0 * math.pi * stiffness
        mass = 1.0 / free if free > 0.0 else 0.0
        return mass * omega * omega, 2.0 * mass * damping * omega
    return stiffness, damping


@kernel
def weigh_spring(joint, row, axis, stretch, speed, h, free, k):
    """Write a spring as a soft row: speed + bias + softness x impulse = 0 after its impulse. `stretch`, `speed`: current values
    of its axis [m], [m/s]; `free`, `k`: inverses of its effective mass, for free bodies and with the locked axes held.

    A joint that was made just now begins with half a pull, as if coming from the other side: a body released from rest then
    swings no farther. A spring that is too stiff or too strongly damped for the sub-steps loses energy (Catto, Soft
    Constraints, GDC 2011), and is solved with its tree (held_rows.py)."""
    stiffness, damping = stiffness_of(joint, axis, free)
    w2, g = stiffness * k * h * h, 0.5 * damping * k * h
    spare = spare_of(joint)
    most = MOST_TURN if spare > SHARED else MOST_SHARED
    row.late = FLOAT32(0.0)
    if w2 > LEAST_TURN * LEAST_TURN and w2 < most * most and g < MOST_DECAY:
        d, e = follow(w2, g, spare)
        half = 0.5 * w2 / h * stretch
        if joint.is_split:
            row.late = FLOAT32(((e - 1.0) * speed - half) / k)
            pull = half
        else:
            pull = 2.0 * half - (e - 1.0) * speed if joint.total_time > 0.0 else half
        row.softness = FLOAT32(k / (d - 1.0))
        row.bias = FLOAT32(pull / (d - 1.0))
        row.mass = FLOAT32((d - 1.0) / (k * d))
        return
    if w2 >= most * most or g >= MOST_DECAY:
        joint.is_stiff = np.int32(1)
    size = h * (damping + h * stiffness)
    softness = 1.0 / size if size > 0.0 else 0.0
    row.softness = FLOAT32(softness)
    row.bias = FLOAT32(stretch * h * stiffness * softness)
    row.mass = FLOAT32(1.0 / (k + softness)) if size > 0.0 and k > 0.0 else FLOAT32(0.0)
