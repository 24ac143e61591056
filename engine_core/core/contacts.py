"""The interface for contacts: which contact events a body reports, and rules for how bodies of two classes collide.

    world.contact.set_events(car, CONTACT_CHANGES)
    world.step(system, 1 / 60)
    for event in world.contact.events(system): ...

    world.contact.set_class(belt, BELT)
    world.contact.set_rule(BELT, 0, surface_velocity=(2.0, 0.0, 0.0))

See docs/contacts.md. Rules hold for all systems of the world; set them on the stepping thread, between steps.
"""

import functools
import math

import numpy as np

from ..bodies.schema import ALL_CONTACT_EVENTS, CONTACT_CLASSES, FILTER_CHANGED, HAS_RARE, NO_CONTACT_EVENTS
from ..collision.contact_schema import (
    CONTACT_RULE, RULE_A_IS_PLATFORM, RULE_A_RUNS, RULE_B_IS_PLATFORM, RULE_B_RUNS, RULE_EXISTS, RULE_HAS_FRICTION,
    RULE_HAS_RESTITUTION, RULE_IGNORES, RULE_IS_SENSOR,
)  # fmt: skip
from ..collision.struck_bricks import STRUCK, list_struck
from ..edit import body_placement, setting_edits
from ..runtime.code_address import checked_address
from ..runtime.memory import address_of
from ..runtime.recorded_calls import recorded
from .body_shapes import finite
from .part import Part

FIRST_ROOM = 64
"""Contacts with bricks that are asked for at once."""


class ContactInterface(Part):
    """The part of a `World` that handles contact events and contact rules."""

    def __init__(self, world):
        super().__init__(world)
        self._contact_functions: dict[tuple[int, int], tuple] = {}  # of rules, by their two classes

    # Events.

    def set_events(self, identity: int, level: int) -> None:
        """Set which contacts of the body are reported after each step: NO_CONTACT_EVENTS, CONTACT_CHANGES (those that began or
        ended) or ALL_CONTACT_EVENTS (also those that last). Existing contacts are reported as added in the next step in which the
        body is awake. Raises KeyError, ValueError."""
        call = "body_set_contact_events"
        self._world.body.index(call, identity)
        if level not in range(NO_CONTACT_EVENTS, ALL_CONTACT_EVENTS + 1):
            raise ValueError(f"{call}: level must be NO_CONTACT_EVENTS, CONTACT_CHANGES or ALL_CONTACT_EVENTS, got {level!r}")
        self._world.body.edit(call, identity, setting_edits.set_contact_events, level)

    def events_of(self, identity: int) -> int:
        """The level that `set_events` set."""
        return int(self._bodies.rare_of(self._world.body.index("body_contact_events", identity))["contact_events"])

    def events(self, system: int) -> np.ndarray:
        """Contact events of the last step of a system: rows of CONTACT_EVENT, a read-only view that is valid until the next step,
        in an order that does not depend on threads. Contacts that ended between the steps come first. Raises KeyError."""
        return self._world.system(system).contact_events()

    def struck_bricks(self, identity: int, shape: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the bricks of a structure on a body (`shape`: id of the shape) that others pushed in the last step, int64
        (n,), ascending, and the sums of the impulses along the normals of their contacts, (n,) [N s]. Merged contacts count for
        the brick of the deepest. The thread that steps calls this, between steps. Raises KeyError."""
        call = "struck_bricks"
        index, wanted = self._world.body.index(call, identity), self._world.shape.index(call, shape)
        if self._bodies.rows[index]["system"] < 0:
            return np.zeros(0, np.int64), np.zeros(0)
        room = FIRST_ROOM
        while True:
            rows = np.zeros(room, STRUCK)
            count = list_struck(self._world.address, index, address_of(rows), room)
            if count <= room:
                break
            room = 2 * count
        rows = rows[:count][rows["shape"][:count] == wanted]
        bricks, which = np.unique(rows["brick"], return_inverse=True)
        return bricks, np.bincount(which, rows["impulse"], len(bricks))

    # Rules.

    def set_class(self, identity: int, contact_class: int) -> None:
        """Set the class whose rules the body's contacts follow, 0 to 63; a new body has 0. Raises KeyError, ValueError."""
        self._world.body.index("body_set_contact_class", identity)
        self._check_class("body_set_contact_class", contact_class)
        self._world.body.edit("body_set_contact_class", identity, setting_edits.set_contact_class, contact_class)

    def class_of(self, identity: int) -> int:
        """The class that `set_class` set."""
        return int(self._bodies.rare_of(self._world.body.index("body_contact_class", identity))["contact_class"])

    @recorded("contact")
    def set_rule(
        self, class_a: int, class_b: int, *, ignore: bool = False, sensor: bool = False, friction: float | None = None,
        restitution: float | None = None, surface_velocity=None, inverse_mass_scale=(1.0, 1.0), platform_normal=None,
        validate=None, modify=None, context: int = 0,
    ) -> None:  # fmt: skip
        """Set how bodies of two classes collide, in place of the previous rule.

        `ignore`: they do not collide. `sensor`: contacts are reported, but the bodies do not push each other. `friction`,
        `restitution`: those of their contacts. `surface_velocity` [m/s]: the velocity of the surface of bodies of `class_a`, in
        their frame. `inverse_mass_scale`: one factor for each side; 0: that side is not pushed. `platform_normal`: the up
        direction of bodies of `class_a`, in their frame; they are solid from above only. `validate`, `modify`: compiled functions
        by entry point, cfunc or address, called with the address of a CONTACT, which has `context`; see docs/contacts.md. Raises
        ValueError."""
        call = "set_contact_rule"
        for number in (class_a, class_b):
            self._check_class(call, number)
        rule = np.zeros((), CONTACT_RULE)
        flags = RULE_EXISTS | (RULE_IGNORES if ignore else 0) | (RULE_IS_SENSOR if sensor else 0)
        flags |= _write_surface(call, rule, friction, restitution)
        of_a, of_b = _write_sides(call, rule, surface_velocity, platform_normal)
        scales = finite(call, "inverse_mass_scale", inverse_mass_scale, 2)
        if (scales < 0.0).any():
            raise ValueError(f"{call}: inverse_mass_scale must not be negative, got {scales.tolist()}")
        if class_a == class_b and (of_a or scales[0] != scales[1]):
            raise ValueError(f"{call}: what is of one side needs two classes, got {class_a} twice")
        if validate is not None:
            rule["validate"] = checked_address(call, "validate", validate, "int64(int64)")
        if modify is not None:
            rule["modify"] = checked_address(call, "modify", modify, "void(int64)")
        if not isinstance(context, int):
            raise ValueError(f"{call}: context must be a whole number, an address perhaps, got {context!r}")
        rule["context"] = context
        self._write_rule(class_a, class_b, rule, flags | of_a, scales)
        self._write_rule(class_b, class_a, rule, flags | of_b, scales[::-1])
        self._contact_functions[min(class_a, class_b), max(class_a, class_b)] = validate, modify
        self._renew_classes(class_a, class_b)

    @recorded("contact")
    def remove_rule(self, class_a: int, class_b: int) -> None:
        """Remove the rule of two classes; their bodies collide as usual. Raises KeyError if there is no rule."""
        key = min(class_a, class_b), max(class_a, class_b)
        if key not in self._contact_functions:
            raise KeyError(f"remove_contact_rule: there is no rule for {class_a!r} and {class_b!r}")
        for first, second in (key, key[::-1]):
            self._write_rule(first, second, np.zeros((), CONTACT_RULE), 0, (0.0, 0.0))
        self._renew_classes(class_a, class_b)
        del self._contact_functions[key]

    @staticmethod
    def _check_class(call: str, contact_class: int) -> None:
        if contact_class not in range(CONTACT_CLASSES):
            raise ValueError(f"{call}: contact classes are 0 to {CONTACT_CLASSES - 1}, got {contact_class!r}")

    def _write_rule(self, first: int, second: int, rule: np.ndarray, flags: int, scales) -> None:
        """Write the rule as a body of class `first` sees one of class `second`."""
        if not self._record["contact_rules"]:
            self._contact_rules = np.zeros((CONTACT_CLASSES, CONTACT_CLASSES), CONTACT_RULE)
            self._record["contact_rules"] = address_of(self._contact_rules)
        self._contact_rules[first, second] = rule
        row = self._contact_rules[first, second]
        row["flags"], row["inverse_mass_scale"] = flags, scales
        self._world.setting_count += 1

    def _renew_classes(self, class_a: int, class_b: int) -> None:
        """Have the pairs between two classes made anew. It is enough to mark the bodies of one of them."""
        count = self._bodies.count
        rows, has_rare = self._bodies.rows[:count], self._bodies.flags[:count] & HAS_RARE != 0
        classes = np.where(has_rare, self._bodies.rare.rows["contact_class"][:count], 0)
        is_meant = (rows["id"] != 0) & (rows["system"] >= 0) & (classes == max(class_a, class_b))
        for index in np.flatnonzero(is_meant).tolist():
            made_anew = functools.partial(body_placement.mark, self._address, index, FILTER_CHANGED)
            self._late.run(int(rows["id"][index]), made_anew)


def _write_surface(call: str, rule: np.ndarray, friction, restitution) -> int:
    """Write what is common to both sides. Return the flags of the rule."""
    flags = 0
    if friction is not None:
        rule["friction"] = _number(call, "friction", friction, math.inf)
        flags |= RULE_HAS_FRICTION
    if restitution is not None:
        rule["restitution"] = _number(call, "restitution", restitution, 1.0)
        flags |= RULE_HAS_RESTITUTION
    return flags


def _write_sides(call: str, rule: np.ndarray, surface_velocity, platform_normal) -> tuple[int, int]:
    """Write what belongs to the first side. Return the flags of the rule where that side is A, and where it is B."""
    of_a = of_b = 0
    if surface_velocity is not None:
        rule["surface_velocity"] = finite(call, "surface_velocity", surface_velocity, 3)
        of_a, of_b = of_a | RULE_A_RUNS, of_b | RULE_B_RUNS
    if platform_normal is not None:
        normal = finite(call, "platform_normal", platform_normal, 3)
        if not np.linalg.norm(normal) > 0.0:
            raise ValueError(f"{call}: platform_normal must not be zero, got {normal.tolist()}")
        rule["platform_normal"] = normal / np.linalg.norm(normal)
        of_a, of_b = of_a | RULE_A_IS_PLATFORM, of_b | RULE_B_IS_PLATFORM
    return of_a, of_b


def _number(call: str, name: str, value, most: float) -> float:
    number = float(finite(call, name, value, 1)[0])
    if not 0.0 <= number <= most:
        raise ValueError(f"{call}: {name} must be 0 {f'to {most:g}' if most < math.inf else 'or more'}, got {number}")
    return number
