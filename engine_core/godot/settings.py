"""Project settings of Scree, `physics/scree_3d/...`: their defaults, and what a world and its spaces are given of them."""

import ctypes
from ctypes import c_int64

from .variant import VARIANT_BYTES

# name: (default, smallest, largest)
SETTINGS = {
    "physics/scree_3d/simulation/substeps": (4, 1, 16),
    "physics/scree_3d/simulation/threads": (1, 1, 64),
    "physics/scree_3d/sleep/enabled": (True, None, None),
    "physics/scree_3d/limits/max_bodies": (1 << 18, 64, 1 << 27),
    "physics/scree_3d/limits/max_body_shapes": (1 << 21, 64, 1 << 30),
    "physics/scree_3d/limits/max_shapes": (1 << 19, 64, 1 << 27),
    "physics/scree_3d/limits/max_spaces": (256, 4, 1 << 16),
}
# Settings of the engine that a space starts with.
ENGINE_SETTINGS = {
    "physics/3d/sleep_threshold_linear": (0.1, "sleep_linear_threshold"),
    "physics/3d/sleep_threshold_angular": (0.139626, "sleep_angular_threshold"),
    "physics/3d/time_before_sleep": (0.5, "time_to_sleep"),
}


class Settings:
    """The project's settings, read once at start."""

    def __init__(self, engine):
        self._engine = engine
        self.values = {name: self._read(name, *rule) for name, rule in SETTINGS.items()}
        self.engine_values = {
            field: self._read(name, default, 0.0, None) for name, (default, field) in ENGINE_SETTINGS.items()
        }

    def _read(self, name: str, default, smallest, largest):
        value = read_setting(self._engine, name)
        if value is None:
            return default
        wanted = (bool,) if isinstance(default, bool) else (int, float)
        is_good = isinstance(value, wanted) and (isinstance(default, bool) or not isinstance(value, bool))
        if is_good and smallest is not None:
            is_good = value >= smallest and (largest is None or value <= largest)
        if not is_good:
            limits = "true or false" if smallest is None else f"from {smallest} to {largest}" if largest else "0 or more"
            self._engine.reporter.error(name, f"the project setting must be {limits}, got {value!r}; {default} is used")
            return default
        return type(default)(value)

    def limits(self) -> dict[str, int]:
        """What `World` is given."""
        prefix = "physics/scree_3d/limits/max_"
        return {name.removeprefix(prefix).replace("spaces", "systems"): value for name, value in self.values.items()
                if name.startswith(prefix)}  # fmt: skip

    def system_settings(self) -> dict:
        """What a new space is given."""
        return {
            "substep_count": self.values["physics/scree_3d/simulation/substeps"],
            "is_sleeping_allowed": int(self.values["physics/scree_3d/sleep/enabled"]),
            **self.engine_values,
        }


def read_setting(engine, name: str):
    """A project setting as a Python value; None where the project does not have it."""
    interface, methods = engine.interface, engine.api.classes["ProjectSettings"]
    singleton = interface.singleton("ProjectSettings")
    has = interface.method("ProjectSettings", "has_setting", methods["has_setting"].hash)
    get = interface.method("ProjectSettings", "get_setting", methods["get_setting"].hash)
    nothing, result, found = (c_int64 * 3)(), (c_int64 * 3)(), c_int64()
    result_at = ctypes.addressof(result)
    assert ctypes.sizeof(result) == VARIANT_BYTES

    def ask(text: int):
        interface.call_method(has, singleton, [text], ctypes.addressof(found))
        if not found.value & 0xFF:
            return None
        interface.call_method(get, singleton, [text, ctypes.addressof(nothing)], result_at)
        value = engine.variants.read(result_at)
        engine.variants.destroy(result_at)
        return value

    return interface.with_string(name, ask)
