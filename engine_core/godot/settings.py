"""Reading the project settings of `setting_table.py`, and applying them to a world and its spaces."""

import ctypes
from ctypes import c_int64

from ..bodies.layers import MaskLayers
from ..runtime.cores import default_thread_count
from ..runtime.job_system import JobSystem, SingleThread
from ..runtime.pooled_threads import PooledThreads
from ..runtime.thread_pool import shared_pool
from ..step.limits import DEFAULT_LIMITS
from . import schema
from .setting_table import ENGINE_SETTINGS, SETTINGS, SOLVER_SETTINGS, Setting, setting_of_limit
from .worker_threads import GodotThreads

HINT_RANGE = 1  # PropertyHint.PROPERTY_HINT_RANGE

ONE_THREAD, GODOTS_THREADS = 1, 2
MOST_SUBSTEPS = 64
ITERATIONS, BIAS = "physics/3d/solver/solver_iterations", "physics/3d/solver/default_contact_bias"
SEPARATE_THREAD = "physics/3d/run_on_separate_thread"


class Settings:
    """The project's settings, read once at start. Those of Scree appear in the editor's Project Settings."""

    def __init__(self, engine):
        self._engine = engine
        self._project = ProjectSettings(engine)
        for name, setting in SETTINGS.items():
            self._show(name, setting)
        self.chosen_engine = self._project.read("physics/3d/physics_engine")
        self.values = {name: self._read(name, setting) for name, setting in SETTINGS.items()}
        self.iterations, self.contact_bias, self.runs_on_separate_thread = (
            self._read(name, SOLVER_SETTINGS[name]) for name in (ITERATIONS, BIAS, SEPARATE_THREAD)
        )
        self.engine_values = {field: self._read(name, setting) for name, (setting, field) in ENGINE_SETTINGS.items()}

    def _show(self, name: str, setting: Setting) -> None:
        """Show a setting in the editor: with its default, its limits, and the note that it needs a restart."""
        default, smallest, largest = setting[:3]
        if self._project.read(name) is None:
            self._project.call("set_setting", name, default)
        self._project.call("set_initial_value", name, default)
        self._project.call("set_restart_if_changed", name, True)
        kind = {bool: schema.BOOL, int: schema.INT, float: schema.FLOAT}[type(default)]
        step = 0.001 if kind == schema.FLOAT else 1
        hint = {"hint": HINT_RANGE, "hint_string": f"{smallest},{largest},{step}"} if smallest is not None else {}
        self._project.describe({"name": name, "type": kind, **hint})

    def _read(self, name: str, setting: Setting):
        default, smallest, largest = setting[:3]
        value = self._project.read(name)
        if value is None:
            return default
        wanted = (bool,) if isinstance(default, bool) else (int, float)
        is_good = isinstance(value, wanted) and (isinstance(default, bool) or not isinstance(value, bool))
        if is_good and smallest is not None:
            is_good = value >= smallest and (largest is None or value <= largest)
        if not is_good:
            limits = f"from {smallest} to {largest}" if largest else "0 or more"
            limits = "true or false" if smallest is None else limits
            self._engine.reporter.error(name, f"the project setting must be {limits}, got {value!r}; {default} is used")
            return default
        return type(default)(value)

    def limits(self) -> dict[str, int]:
        """The limits that the project has chosen, for `World`. The defaults depend on the machine."""
        values = {name: self.values[setting_of_limit(name)] for name in DEFAULT_LIMITS}
        return {name: value for name, value in values.items() if value != DEFAULT_LIMITS[name]}

    def layers(self) -> MaskLayers:
        """Godot's masks, with the broad-phase layers of the project."""
        found = {}
        for name in ("bullets", "debris"):
            bits = self.values[f"physics/scree_3d/broad_phase/{name}_layers"]
            found.update({bit: name for bit in range(32) if bits >> bit & 1})
        return MaskLayers(found)

    def thread_count(self) -> int | None:
        """The number of threads of a step; None for all physical cores but one."""
        return self.values["physics/scree_3d/simulation/threads"] or None

    def job_system(self) -> JobSystem:
        """The job system that runs the jobs of a step."""
        kind = self.values["physics/scree_3d/simulation/job_system"]
        if kind == ONE_THREAD:
            return SingleThread()
        if kind == GODOTS_THREADS:
            return GodotThreads(self._engine, self.thread_count() or default_thread_count())
        return PooledThreads(shared_pool(self.thread_count()))

    def system_settings(self) -> dict:
        """Settings of a new space. More iterations in Godot mean more sub-steps; see docs/differences.md."""
        from ..step.physics_system import PhysicsSystem  # not loaded in a project that uses another engine

        substeps = self.values["physics/scree_3d/simulation/substeps"] * self.iterations / SOLVER_SETTINGS[ITERATIONS].default
        return {
            "substep_count": min(max(round(substeps), 1), MOST_SUBSTEPS),
            "contact_hertz": PhysicsSystem.SETTINGS["contact_hertz"] * self.contact_bias / SOLVER_SETTINGS[BIAS].default,
            "penetration_slop": self.values["physics/scree_3d/simulation/penetration_slop"],
            "articulated_penetration_slop": self.values["physics/scree_3d/simulation/articulated_penetration_slop"],
            "is_sleeping_allowed": int(self.values["physics/scree_3d/sleep/enabled"]),
            **self.engine_values,
        }


class ProjectSettings:
    """Calls of Godot's ProjectSettings singleton with Python values."""

    def __init__(self, engine):
        self._engine = engine
        self._object = engine.interface.singleton("ProjectSettings")
        self._methods = engine.api.classes["ProjectSettings"]

    def call(self, method: str, name: str, *values) -> None:
        """Call a method that takes the name of a setting and Variants or a bool."""
        interface, variants = self._engine.interface, self._engine.variants
        bind = interface.method("ProjectSettings", method, self._methods[method].hash)
        memory = (c_int64 * 3)()
        at = ctypes.addressof(memory)

        def use(text: int):
            if values and isinstance(values[0], bool) and self._methods[method].arguments[1] == "bool":
                memory[0] = values[0]
                interface.call_method(bind, self._object, [text, at])
                return
            variants.write(at, values[0])
            interface.call_method(bind, self._object, [text, at])
            variants.destroy(at)

        interface.with_string(name, use)

    def describe(self, description: dict) -> None:
        """Call `add_property_info`."""
        interface, variants = self._engine.interface, self._engine.variants
        bind = interface.method("ProjectSettings", "add_property_info", self._methods["add_property_info"].hash)
        memory, dictionary = (c_int64 * 3)(), c_int64()
        at, dictionary_at = ctypes.addressof(memory), ctypes.addressof(dictionary)
        variants.write(at, description)
        variants.to_type(schema.DICTIONARY, dictionary_at, at)
        interface.call_method(bind, self._object, [dictionary_at])
        variants.destroy_value(schema.DICTIONARY, dictionary_at)
        variants.destroy(at)

    def read(self, name: str):
        """A setting's value; None if the project does not have it."""
        interface, variants = self._engine.interface, self._engine.variants
        has = interface.method("ProjectSettings", "has_setting", self._methods["has_setting"].hash)
        get = interface.method("ProjectSettings", "get_setting", self._methods["get_setting"].hash)
        nothing, result, found = (c_int64 * 3)(), (c_int64 * 3)(), c_int64()
        result_at = ctypes.addressof(result)

        def ask(text: int):
            interface.call_method(has, self._object, [text], ctypes.addressof(found))
            if not found.value & 0xFF:
                return None
            interface.call_method(get, self._object, [text, ctypes.addressof(nothing)], result_at)
            value = variants.read(result_at)
            variants.destroy(result_at)
            return value

        return interface.with_string(name, ask)
