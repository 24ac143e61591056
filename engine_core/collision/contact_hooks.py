"""The effect of contact rules on the contacts of the narrow phase: some are dropped, others get their own settings.

Called by the job `collide`, only for pairs with a rule, on any worker, with the state of the bodies before the solver.
"""

import numpy as np

from ..bodies.overlap import allowed_overlap
from ..geometry.vector import negate, quaternion, rotate, store3, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_1, call_1_result
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view
from .contact_rules import describe_bodies, is_platform, platform_carries
from .contact_schema import (
    ACCEPT_CONTACT, CONTACT_SETTINGS, REJECT_CONTACT, RULE_A_RUNS, RULE_B_RUNS, RULE_HAS_FRICTION,
    RULE_HAS_RESTITUTION, RULE_IS_SENSOR,
)  # fmt: skip
from .schema import MANIFOLD_HAS_SETTINGS, MANIFOLD_IS_SENSOR
from .surfaces import surfaces_of

INT64, FLOAT32 = np.int64, np.float32
MOST = 1.0e6
"""Larger numbers are errors of a user's function: numbers with a range are clamped, others are ignored."""


@kernel
def describe_contact(contact, result, was_there):
    """Write the result of the narrow phase for two shapes, whose numbers are already set."""
    contact.face, contact.was_there = result.face, was_there
    contact.point_count = result.point_count
    store3(contact.normal, vector3(result.normal))
    for p in range(result.point_count):
        store3(contact.points[p], vector3(result.points[p]))
        contact.separations[p] = result.separations[p]


@kernel
def propose_settings(contact, rule, friction, restitution, a, b):
    """Write the settings that the rule's numbers give the contact."""
    contact.friction = np.float64(rule.friction) if rule.flags & RULE_HAS_FRICTION else np.float64(friction)
    contact.restitution = np.float64(rule.restitution) if rule.flags & RULE_HAS_RESTITUTION else np.float64(restitution)
    running = (0.0, 0.0, 0.0)
    if rule.flags & RULE_B_RUNS:
        running = rotate(quaternion(b.rotation), vector3(rule.surface_velocity))
    elif rule.flags & RULE_A_RUNS:
        running = negate(rotate(quaternion(a.rotation), vector3(rule.surface_velocity)))
    store3(contact.surface_velocity, running)
    for side in range(2):
        contact.inverse_mass_scale[side] = np.float64(rule.inverse_mass_scale[side])
    contact.is_sensor = 1 if rule.flags & RULE_IS_SENSOR else 0


@kernel
def judge(system, rule, a, b, lists, contact, result, was_there):
    """Decide on a contact by the rule for its bodies: ACCEPT_CONTACT (`contact` then has its settings), REJECT_CONTACT or
    REJECT_PAIR."""
    keep_as_call()
    world_address = system.world
    describe_bodies(contact, world_address, rule, a, b)
    describe_contact(contact, result, INT64(1) if was_there else INT64(0))
    if is_platform(rule):
        if not platform_carries(rule, contact, a, b, allowed_overlap(system, a, b), system.step.last_delta_time):
            return INT64(REJECT_CONTACT)
    friction, restitution = surfaces_of(world_address, lists, a, b, contact)
    propose_settings(contact, rule, friction, restitution, a, b)
    if rule.validate != 0:
        answer = call_1_result(rule.validate, address_of_record(contact))
        if answer != ACCEPT_CONTACT:
            return answer
    if rule.modify != 0:
        call_1(rule.modify, address_of_record(contact))
        for p in range(result.point_count):
            if abs(contact.separations[p]) <= MOST:
                result.separations[p] = contact.separations[p]
    return INT64(ACCEPT_CONTACT)


@kernel
def held(value, least, most):
    """Clamp to two bounds; NaN becomes the lower one."""
    return min(value, most) if value >= least else least


@kernel
def settings_of(system, index):
    """The settings of the manifold with this number, valid if it has MANIFOLD_HAS_SETTINGS."""
    return view(system.manifolds.settings, system.manifolds.capacity, CONTACT_SETTINGS)[index]


@kernel
def keep_settings(system, index, manifold, contact):
    """Store the settings of an accepted contact beside its manifold, where they stay while it is recycled."""
    settings = settings_of(system, index)
    settings.friction = FLOAT32(held(contact.friction, 0.0, MOST))
    settings.restitution = FLOAT32(held(contact.restitution, 0.0, 1.0))
    velocity = vector3(contact.surface_velocity)
    size = velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]
    store3(settings.surface_velocity, velocity if size <= MOST * MOST else (0.0, 0.0, 0.0))
    for side in range(2):
        settings.inverse_mass_scale[side] = FLOAT32(held(contact.inverse_mass_scale[side], 0.0, MOST))
    manifold.flags |= MANIFOLD_HAS_SETTINGS
    if contact.is_sensor != 0:
        manifold.flags |= MANIFOLD_IS_SENSOR
