"""The readable twin of friction at the centre of pressure, for one manifold; its bodies are those of test_wide_contacts.py."""

import numpy as np
from random_blocks import STEP, SUBSTEPS

from scree.constraints import schema as c
from scree.solver.contact_friction import LEAST_LEVER


def push(a, b, arm_a, arm_b, impulse):
    for side, arm in ((a, arm_a), (b, arm_b)):
        side.v += side.sign * side.mass * impulse
        side.w += side.inertia @ np.cross(arm, side.sign * impulse)


def spin(a, b, impulse):
    for side in (a, b):
        side.w += side.inertia @ (side.sign * impulse)


def relative_velocity(a, b, arm_a, arm_b):
    return b.v + np.cross(b.w, arm_b) - a.v - np.cross(a.w, arm_a)


def frame(fields):
    normal, tangent = fields[c.NORMAL : c.NORMAL + 3], fields[c.TANGENT : c.TANGENT + 3]
    return normal, tangent, np.cross(normal, tangent)


def centre(fields):
    return fields[c.ANCHOR_A : c.ANCHOR_A + 3], fields[c.ANCHOR_B : c.ANCHOR_B + 3]


def arms(point):
    return point[c.POINT_ANCHOR_A : c.POINT_ANCHOR_A + 3], point[c.POINT_ANCHOR_B : c.POINT_ANCHOR_B + 3]


def speeds_of_surfaces(fields, a, b):
    """Relative speeds beyond the wanted ones: along the two tangents, and the spin about the normal."""
    normal, tangent, bitangent = frame(fields)
    centers = [start if side.center is None else side.center for side, start in zip((a, b), centre(fields), strict=True)]
    relative = relative_velocity(a, b, *centers)
    slide = np.array([tangent @ relative, bitangent @ relative]) + fields[c.TANGENT_VELOCITY : c.TANGENT_VELOCITY + 2]
    return slide, normal @ (b.w - a.w) + fields[c.TWIST_VELOCITY]


def to_pressure(fields, points) -> np.ndarray:
    """Matrix from speeds of the surfaces at the middle of the points, along two tangents and the spin, to those at the centre of
    pressure, where the spin is a speed at the lever. Its transpose converts impulses there back."""
    normal, tangent, bitangent = frame(fields)
    middle = centre(fields)[0] - normal * fields[c.ROUND_A]  # from the axis, as points
    weights = np.array([*(max(point[c.POINT_IMPULSE], 0.0) for point in points), max(fields[c.BOUNCED], 1e-12)])
    levers = np.array([*(point[c.POINT_LEVER] for point in points), fields[c.BOUNCED + 1] / weights[-1]])
    if fields[c.BOUNCED] == 0.0:
        levers[-1] = points[0][c.POINT_LEVER]
    ways = np.array([*(arms(point)[0] - middle for point in points), np.zeros(3)])
    x, y = (weights @ ways @ axis / weights.sum() for axis in (tangent, bitangent))
    squares = weights @ levers**2 / weights.sum()
    lever = max(fields[c.SPREAD] * np.sqrt(max(squares - x**2 - y**2, LEAST_LEVER * squares)), 1e-6)
    return np.array([[1.0, 0.0, -y], [0.0, 1.0, x], [0.0, 0.0, lever]])


def at_limit(start, stopping, speeds, answers, limit: float) -> np.ndarray:
    """Friction at its limit: a step of equal length in all directions against the speeds, as large as the easiest direction
    allows, cut at the limit or extended to it towards what would stop the surfaces. It is by the masses against slow motion, and
    straight against what takes 8 times the limit to stop. `answers`: speeds by a unit of each."""
    sliding, twist_mass = np.linalg.inv(answers[:2, :2]), 1.0 / answers[2, 2]
    mean = 0.5 * np.trace(sliding)
    least = min(twist_mass, mean)
    by_mass = np.array((*(sliding @ speeds[:2] * least / mean), least * speeds[2]))
    straight = speeds / max(np.linalg.eigvalsh(answers[:2, :2])[1], answers[2, 2])
    step = start - (by_mass + (straight - by_mass) * np.clip(np.linalg.norm(stopping) / max(limit, 1e-20) / 4.0 - 1.0, 0.0, 1.0))
    if np.linalg.norm(step) > limit:
        return step * limit / np.linalg.norm(step)
    way = stopping - step
    parts = np.roots([way @ way, 2.0 * step @ way, step @ step - limit**2])
    return step + way * min(max(parts), 1.0)


def sweep_sliding(fields, points, a, b, to_there, start):
    """Friction once: two tangents and the twist at the centre of pressure as one block, limited by a ball. `to_there`: see
    `to_pressure`; `start`: the impulses before the pass, there."""
    normal, tangent, bitangent = frame(fields)
    slide, spun = speeds_of_surfaces(fields, a, b)
    speeds = to_there @ (*slide, spun)
    xx, yy, xy = fields[c.TANGENT_MASS : c.TANGENT_MASS + 3]
    moved = np.cross(a.inertia @ normal, fields[c.ANCHOR_A :][:3]) + np.cross(b.inertia @ normal, fields[c.ANCHOR_B :][:3])
    by_twist = np.array((tangent @ moved, bitangent @ moved))
    sliding = np.linalg.inv(np.array([[xx, xy], [xy, yy]]))
    answers = np.block([[sliding, by_twist[:, None]], [by_twist, 1.0 / fields[c.TWIST_MASS]]])
    answers = to_there @ answers @ to_there.T
    before = np.linalg.solve(to_there.T, fields[c.FRICTION_IMPULSE : c.FRICTION_IMPULSE + 3])
    after = before - np.linalg.solve(answers, speeds)
    limit = fields[c.FRICTION] * (sum(point[c.POINT_IMPULSE] for point in points) + fields[c.BOUNCED])
    if np.linalg.norm(after) > limit:
        speeds[:2] -= answers[:2, :2] @ (before - start)[:2]  # each without its own change
        speeds[2] -= answers[2, 2] * (before - start)[2]
        after = at_limit(start, after, speeds, answers, limit)
    fields[c.FRICTION_IMPULSE : c.FRICTION_IMPULSE + 3] = to_there.T @ after
    change = to_there.T @ (after - before)
    push(a, b, *centre(fields), tangent * change[0] + bitangent * change[1])
    spin(a, b, normal * change[2])


def aim_along_arcs(fields, a, b) -> np.ndarray:
    """Aim at the velocity of a turntable where the rider was in the middle of the last sub-step. Return the targets before."""
    normal, tangent, bitangent = frame(fields)
    before = fields[c.TANGENT_VELOCITY : c.TANGENT_VELOCITY + 2].copy()
    way = b.moved - a.moved - 0.5 * STEP / SUBSTEPS * (b.v - a.v)
    turned_on = -fields[c.TABLE_SPIN] * np.cross(normal, way)
    fields[c.TANGENT_VELOCITY : c.TANGENT_VELOCITY + 2] += tangent @ turned_on, bitangent @ turned_on
    return before
