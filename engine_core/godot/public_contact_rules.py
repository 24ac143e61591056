"""Contact classes and contact rules for scripts: a rule is a ScreeContactRule, a Resource of the addon whose properties are read
here, so that it can also be opened without Scree."""

from .locked_calls import answered_call, late_call
from .objects_by_name import ObjectsByName
from .public_class import PublicClass
from .schema import BOOL, RID, STRING_NAME
from .typed_values import object_of

_FLAGS = {"pass_through": "ignore", "sensor": "sensor"}
_OVERRIDES = {"friction": "friction", "bounce": "restitution"}
_VECTORS = {"surface_velocity": "surface_velocity", "platform_normal": "platform_normal"}
_SCALES = ("inverse_mass_scale_a", "inverse_mass_scale_b")
PROPERTIES = (*_FLAGS, *_OVERRIDES, *_VECTORS, *_SCALES)
"""The properties of a ScreeContactRule that are read."""


def rule_of(given: dict) -> dict:
    """Arguments of the core's `set_rule` for the properties of a ScreeContactRule. Raises ValueError for one that is missing."""
    missing = [name for name in PROPERTIES if name not in given]
    if missing:
        raise ValueError(f"set_contact_rule: rule must be a ScreeContactRule or null, got a Resource without {missing[0]}")
    rule = {name: given[key] for key, name in _FLAGS.items()}
    if not given["bounce"] <= 1.0:
        raise ValueError(f"set_contact_rule: bounce must be at most 1, got {given['bounce']}")
    rule |= {name: given[key] if given[key] >= 0.0 else None for key, name in _OVERRIDES.items()}
    rule |= {name: given[key] if any(given[key]) else None for key, name in _VECTORS.items()}
    return {**rule, "inverse_mass_scale": tuple(given[key] for key in _SCALES)}


def _check_name(call: str, name: str) -> str:
    if not name:
        raise ValueError(f"{call}: a contact class needs a name, got an empty one")
    return name


def set_class(server, body: int, name: str) -> None:
    """Put a body into a contact class. Raises KeyError, ValueError."""
    call = "body_set_contact_class"
    server.world.body.index(call, body)
    server.world.contact.set_class(body, server.contact_classes.number(_check_name(call, name)))


def _is_of_one_side(rule: dict) -> bool:
    scale_a, scale_b = rule["inverse_mass_scale"]
    return scale_a != scale_b or rule["surface_velocity"] is not None or rule["platform_normal"] is not None


def has_rule(server, class_a: str, class_b: str) -> bool:
    """Whether there is a rule for two classes."""
    return (class_a, class_b) in server.contact_rules or (class_b, class_a) in server.contact_rules


def set_rule(server, class_a: str, class_b: str, rule: dict | None) -> None:
    """Set or remove (None) the rule of two classes. One that is there already costs nothing. Raises KeyError, ValueError."""
    call, names, rules = "set_contact_rule", server.contact_classes, server.contact_rules
    for name in (class_a, class_b):
        _check_name(call, name)
    if rule is not None and class_a == class_b and _is_of_one_side(rule):
        raise ValueError(f"{call}: surface_velocity, platform_normal and two mass scales need two classes, got {class_a!r} twice")
    if rule is not None and rules.get((class_a, class_b)) == rule:
        return
    if rule is None and not has_rule(server, class_a, class_b):
        raise KeyError(f"{call}: there is no rule for {class_a!r} and {class_b!r} to remove")
    numbers = names.number(class_a), names.number(class_b)
    if rule is None:
        server.world.contact.remove_rule(*numbers)
    else:
        server.world.contact.set_rule(*numbers, **rule)
    rules.pop((class_b, class_a), None)
    rules.pop((class_a, class_b), None)
    if rule is not None:
        rules[class_a, class_b] = rule


def add_contact_rule_methods(scree: PublicClass, engine) -> None:
    """Add contact classes and rules to the class `Scree`."""
    objects = ObjectsByName(engine.interface, engine.variants)
    set_it = late_call(engine, "set_contact_rule", set_rule)

    def set_contact_rule(behind, class_a: str, class_b: str, rule: int | None) -> None:
        engine.running_server("set_contact_rule")
        set_it(behind, class_a, class_b, None if rule is None else rule_of(objects.properties(rule, PROPERTIES)))

    scree.method(
        "set_contact_rule", set_contact_rule,
        {"class_a": STRING_NAME, "class_b": STRING_NAME, "rule": object_of("Resource", is_resource=True)},
        text="Sets how bodies of two contact classes collide, in all spaces; [param rule] is a [code]ScreeContactRule[/code] of "
        "the addon, or [code]null[/code] to remove the rule. What it says about one side is about [param class_a]. The rule is "
        "copied: after a change of the resource call this again. Naming a class makes it; there may be 64.",
    )  # fmt: skip
    scree.method(
        "has_contact_rule", answered_call(engine, "has_contact_rule", has_rule),
        {"class_a": STRING_NAME, "class_b": STRING_NAME}, BOOL, text="Returns whether there is a rule for two contact classes.",
    )  # fmt: skip
    scree.method(
        "body_set_contact_class", late_call(engine, "body_set_contact_class", set_class), {"body": RID, "name": STRING_NAME},
        text="Puts a body into a contact class, whose rules its contacts follow ([method set_contact_rule]). A new body is in "
        "[code]&\"default\"[/code]. Naming a class makes it; there may be 64.",
    )  # fmt: skip
    scree.method(
        "body_get_contact_class",
        answered_call(engine, "body_get_contact_class",
                      lambda server, body: server.contact_classes.name(server.world.contact.class_of(body))),
        {"body": RID}, STRING_NAME, text="Returns the contact class of a body.",
    )  # fmt: skip
