"""Rules for contacts, by the contact classes of the two bodies: bodies that pass through each other, conveyors, one-way
platforms, other friction, mass scales, and user functions.

Flags of a pair say whether it has a rule (PAIR_HAS_RULE) and reports events (PAIR_REPORTS). Without them the cost is the test of
a flag in a cache line that is read anyway.
"""

import numpy as np

from ..bodies.rare import rare_of
from ..bodies.records import world_at
from ..bodies.schema import ALL_CONTACT_EVENTS, CONTACT_CLASSES, HAS_RARE, NO_CONTACT_EVENTS
from ..geometry.vector import add, cross, dot, quaternion, rotate, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_1_result
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, address_of_row, stack_array, view
from ..shapes.schema import NO_PART
from .contact_schema import (
    CONTACT, CONTACT_RULE, REJECT_CONTACT, RULE_A_IS_PLATFORM, RULE_B_IS_PLATFORM, RULE_EXISTS, RULE_IGNORES, RULE_IS_SENSOR,
)  # fmt: skip
from .schema import LINEAR_SLOP, PAIR_HAS_RULE, PAIR_REPORTS, PAIR_REPORTS_ALL

INT64 = np.int64
CARRIES = 0.5
"""A platform carries bodies if the contact normal is at most 60 degrees from the platform's normal (cosine),"""
CARRIED_DEPTH = 2.0 * LINEAR_SLOP
"""... the contact is no deeper than this plus the motion of one step [m], so that the body came from the side of the normal,"""
LEAVES = 0.01
"""... and it does not move away from the platform faster than this [m/s], as a body from the other side does."""


@kernel
def class_of(world_address, body):
    """Contact class of a body."""
    return INT64(rare_of(world_address, body).contact_class) if body.flags & HAS_RARE else INT64(0)


@kernel
def rule_of(world_address, a, b):
    """The rule for two bodies; WORLD.contact_rules must not be 0."""
    rules = view(world_at(world_address).contact_rules, CONTACT_CLASSES * CONTACT_CLASSES, CONTACT_RULE)
    return rules[class_of(world_address, a) * CONTACT_CLASSES + class_of(world_address, b)]


@kernel
def rule_flags(world_address, a, b):
    """Flags of the rule for two bodies; 0: there is none."""
    if world_at(world_address).contact_rules == 0:
        return INT64(0)
    return INT64(rule_of(world_address, a, b).flags)


@kernel
def events_of(world_address, body):
    return INT64(rare_of(world_address, body).contact_events) if body.flags & HAS_RARE else INT64(NO_CONTACT_EVENTS)


@kernel
def terms_of(world_address, a, b):
    """Flags of a pair: whether it has a rule, and which events are reported to users."""
    level = max(events_of(world_address, a), events_of(world_address, b))
    tells = 0 if level == NO_CONTACT_EVENTS else PAIR_REPORTS
    tells |= PAIR_REPORTS_ALL if level == ALL_CONTACT_EVENTS else 0
    return tells | (PAIR_HAS_RULE if rule_flags(world_address, a, b) & RULE_EXISTS else 0)


@kernel
def ignore_each_other(world_address, a, b):
    """Whether a rule keeps two bodies from colliding."""
    return rule_flags(world_address, a, b) & RULE_IGNORES != 0


@kernel
def velocity_between(a, b, arm_a, arm_b):
    """Velocity of B relative to A at a point given by the arms from their centres of mass [m/s]."""
    of_a = add(vector3(a.linear_velocity), cross(vector3(a.angular_velocity), arm_a))
    return subtract(add(vector3(b.linear_velocity), cross(vector3(b.angular_velocity), arm_b)), of_a)


@kernel
def platform_normal(rule, a, b):
    """Up direction of the platform of two bodies, in the sense of contact normals from A to B; world axes."""
    normal = vector3(rule.platform_normal)
    if rule.flags & RULE_A_IS_PLATFORM:
        return rotate(quaternion(a.rotation), normal)
    up = rotate(quaternion(b.rotation), normal)
    return (-up[0], -up[1], -up[2])


@kernel
def is_platform(rule):
    return rule.flags & (RULE_A_IS_PLATFORM | RULE_B_IS_PLATFORM) != 0


@kernel
def platform_carries(rule, contact, a, b, allowed, delta_time):
    """Whether a one-way platform holds a new contact: the normal matches its own, and the other body came from that side, so it
    is no deeper than `allowed` plus the motion of one step. A contact that it held continues; a body that stopped half-way falls
    back."""
    up, normal = platform_normal(rule, a, b), vector3(contact.normal)
    if dot(normal, up) < CARRIES:
        return False
    if contact.was_there != 0:
        return True
    apart = (b.position[0] - a.position[0], b.position[1] - a.position[1], b.position[2] - a.position[2])
    for p in range(contact.point_count):
        arm = vector3(contact.points[p])
        closing = -dot(velocity_between(a, b, arm, subtract(arm, apart)), normal)
        if closing < -LEAVES or -contact.separations[p] > allowed + CARRIED_DEPTH + max(closing, 0.0) * delta_time:
            return False
    return True


@kernel
def describe_bodies(contact, world_address, rule, a, b):
    """Write the bodies of a contact."""
    contact.context, contact.world = rule.context, world_address
    contact.body_a, contact.body_b = address_of_record(a), address_of_record(b)
    contact.id_a, contact.id_b = a.id, b.id
    contact.class_a, contact.class_b = class_of(world_address, a), class_of(world_address, b)


@kernel
def lets_pass(world_address, a, b, motion):
    """Whether a rule lets a swept body pass through the other; `motion` is that of B relative to A in this step [m]. For bodies
    with a rule."""
    keep_as_call()
    rule = rule_of(world_address, a, b)
    if rule.flags & RULE_IS_SENSOR:
        return True
    if is_platform(rule) and dot(motion, platform_normal(rule, a, b)) > 0.0:
        return True
    if rule.validate == 0:
        return False
    contacts = stack_array(1, CONTACT)
    contact = contacts[0]
    describe_bodies(contact, world_address, rule, a, b)
    contact.shape_a, contact.shape_b, contact.face, contact.was_there, contact.point_count = -1, -1, -1, 0, 0
    contact.part_a, contact.part_b = NO_PART, NO_PART
    size = max(dot(motion, motion), 1.0e-30) ** 0.5
    for k in range(3):
        contact.normal[k] = -motion[k] / size
    return call_1_result(rule.validate, address_of_row(contacts, 0)) >= REJECT_CONTACT
