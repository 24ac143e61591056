"""Softness of Godot's joints: from parameters relative to their defaults to springs, dampers and limits of the core.

Godot has parameters for bias, softness, relaxation, restitution and damping without units; its engines used them as gains of
their own solvers. Here a default means as firm as the solver can hold, and less means a spring: a part `p` of the default is a
spring of p times the frequency of a firm one. docs/differences.md lists the effect of each parameter.
"""

import math

from ..core.joints import LimitFeel
from ..step.physics_system import PhysicsSystem

FIRM_HERTZ = PhysicsSystem.SETTINGS["joint_hertz"]
FIRM_DAMPING = PhysicsSystem.SETTINGS["joint_damping_ratio"]
LEAST_PART = 0.005
NARROWEST = 1e-4
"""Limits closer than this lock [m], [rad]: NARROWEST of core/joints.py."""


def soft_lock(part: float, damping_part: float = 1.0, max_force: float = 0.0) -> tuple[float, float, float] | None:
    """(hertz, damping ratio, max force [N], [N m]) of an axis that is locked by a spring; None if it is firm."""
    if part >= 1.0 and damping_part >= 1.0 and max_force <= 0.0:
        return None
    return FIRM_HERTZ * max(part, LEAST_PART), damping_part, max_force if max_force > 0.0 else math.inf


def split_locks(limits: dict, soft: dict) -> tuple[dict, dict]:
    """Split limits into those without the soft locked axes, and these as `locks` of `World.joint.configure`."""
    firm, locks = {}, {}
    for axis, (lower, upper) in limits.items():
        softness = soft.get(axis)
        if softness is None or not 0.0 <= upper - lower < NARROWEST:
            firm[axis] = (lower, upper)
        else:
            locks[axis] = (softness[0], softness[1], 0.5 * (lower + upper), softness[2])
    return firm, locks


def limit_feel(softness: float, correction: float, damping: float = 1.0, restitution: float = 0.0, max_force: float = 0.0):
    """How springy a limit is, and how fast it brings a body back from beyond it; the arguments are relative to the defaults."""
    most = max_force if max_force > 0.0 else math.inf
    if softness < 1.0:
        hertz = FIRM_HERTZ * max(softness * correction, LEAST_PART)
        return LimitFeel(hertz, damping, True, restitution, most)
    if correction < 1.0 or damping > 1.0:
        return LimitFeel(FIRM_HERTZ * max(correction, LEAST_PART), FIRM_DAMPING * max(damping, 1.0), False, restitution, most)
    return LimitFeel(restitution=restitution, max_force=most)


def damper(axis: int, damping: float) -> dict:
    """Springs of `World.joint.configure` with only a damper [N s/m], [N m s/rad]; none if there is no damping."""
    return {axis: (0.0, damping, 0.0)} if damping > 1e-6 else {}
