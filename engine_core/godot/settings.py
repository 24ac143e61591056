"""Project settings of Scree, `physics/scree_3d/...`: their defaults, and what a world and its spaces are given of
them."""

import ctypes
from ctypes import c_int64

from ..bodies.layers import MaskLayers
from ..limits import DEFAULT_LIMITS
from ..runtime.cores import default_thread_count
from ..runtime.job_system import JobSystem, SingleThread
from ..runtime.pooled_threads import PooledThreads
from ..runtime.thread_pool import shared_pool
from . import schema
from .worker_threads import GodotThreads

HINT_RANGE = 1  # PropertyHint.PROPERTY_HINT_RANGE

# name: (default, smallest, largest)
SETTINGS = {
    "physics/scree_3d/simulation/substeps": (4, 1, 16),
    "physics/scree_3d/simulation/threads": (0, 0, 64),  # 0: all physical cores but one
    # Who runs the jobs of a step: 0: threads of Scree, 1: the thread that steps, 2: Godot's WorkerThreadPool.
    "physics/scree_3d/simulation/job_system": (0, 0, 2),
    # Overlap that is left alone [m], and the same of rag dolls and chains; see bodies/overlap.py.
    "physics/scree_3d/simulation/penetration_slop": (0.0, 0.0, 1.0),
    "physics/scree_3d/simulation/articulated_penetration_slop": (0.005, 0.0, 1.0),
    "physics/scree_3d/sleep/enabled": (True, None, None),
    "physics/scree_3d/joints/world_node": (0, 0, 1),  # which node of a joint with one body the world is: 0: A, 1: B
    "physics/scree_3d/limits/max_bodies": (DEFAULT_LIMITS["bodies"], 64, 1 << 27),
    "physics/scree_3d/limits/max_body_shapes": (DEFAULT_LIMITS["body_shapes"], 64, 1 << 30),
    "physics/scree_3d/limits/max_shapes": (DEFAULT_LIMITS["shapes"], 64, 1 << 27),
    "physics/scree_3d/limits/max_spaces": (DEFAULT_LIMITS["systems"], 4, 1 << 16),
    "physics/scree_3d/limits/max_joints": (DEFAULT_LIMITS["joints"], 64, 1 << 24),
    "physics/scree_3d/limits/max_pairs": (DEFAULT_LIMITS["pairs"], 64, 1 << 27),
    "physics/scree_3d/limits/max_contacts": (DEFAULT_LIMITS["contacts"], 64, 1 << 26),
    "physics/scree_3d/limits/max_waiting_edits": (DEFAULT_LIMITS["waiting_edits"], 64, 1 << 24),
    # Collision layers, as bits, whose bodies get a quad tree of their own: many small things, fast things.
    "physics/scree_3d/broad_phase/debris_layers": (0, 0, 0xFFFFFFFF),
    "physics/scree_3d/broad_phase/bullets_layers": (0, 0, 0xFFFFFFFF),
    "physics/scree_3d/limits/max_area_overlaps": (DEFAULT_LIMITS["area_overlaps"], 64, 1 << 26),
}
ONE_THREAD, GODOTS_THREADS = 1, 2
# Settings of the engine that a space starts with.
ENGINE_SETTINGS = {
    "physics/3d/sleep_threshold_linear": (0.1, "sleep_linear_threshold"),
    "physics/3d/sleep_threshold_angular": (0.139626, "sleep_angular_threshold"),
    "physics/3d/time_before_sleep": (0.5, "time_to_sleep"),
}


USUAL_ITERATIONS, USUAL_BIAS = 16, 0.8
"""What Godot's solver settings are unless a project sets them."""
MOST_SUBSTEPS = 64


class Settings:
    """The project's settings, read once at start. Those of Scree are shown in the editor's Project Settings."""

    def __init__(self, engine):
        self._engine = engine
        self._project = ProjectSettings(engine)
        for name, rule in SETTINGS.items():
            self._show(name, *rule)
        self.chosen_engine = self._project.read("physics/3d/physics_engine")
        self.values = {name: self._read(name, *rule) for name, rule in SETTINGS.items()}
        self.iterations = self._read("physics/3d/solver/solver_iterations", USUAL_ITERATIONS, 1, 1024)
        self.contact_bias = self._read("physics/3d/solver/default_contact_bias", USUAL_BIAS, 0.0, 1000.0)
        self.runs_on_separate_thread = self._read("physics/3d/run_on_separate_thread", False, None, None)
        self.engine_values = {
            field: self._read(name, default, 0.0, None) for name, (default, field) in ENGINE_SETTINGS.items()
        }

    def _show(self, name: str, default, smallest, largest) -> None:
        """Let the editor show a setting: with its default, its limits, and that it acts after a restart."""
        if self._project.read(name) is None:
            self._project.call("set_setting", name, default)
        self._project.call("set_initial_value", name, default)
        self._project.call("set_restart_if_changed", name, True)
        kind = {bool: schema.BOOL, int: schema.INT, float: schema.FLOAT}[type(default)]
        step = 0.001 if kind == schema.FLOAT else 1
        hint = {"hint": HINT_RANGE, "hint_string": f"{smallest},{largest},{step}"} if smallest is not None else {}
        self._project.describe({"name": name, "type": kind, **hint})

    def _read(self, name: str, default, smallest, largest):
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
        """What `World` is given: what the project has chosen. The defaults depend on the machine."""
        prefix = "physics/scree_3d/limits/max_"
        return {name.removeprefix(prefix).replace("spaces", "systems"): value for name, value in self.values.items()
                if name.startswith(prefix) and value != SETTINGS[name][0]}  # fmt: skip

    def layers(self) -> MaskLayers:
        """Godot's masks, with the broad-phase layers that the project asks for."""
        found = {}
        for name in ("bullets", "debris"):
            bits = self.values[f"physics/scree_3d/broad_phase/{name}_layers"]
            found.update({bit: name for bit in range(32) if bits >> bit & 1})
        return MaskLayers(found)

    def thread_count(self) -> int | None:
        """How many threads a step uses; None for as many as there are physical cores, but one."""
        return self.values["physics/scree_3d/simulation/threads"] or None

    def job_system(self) -> JobSystem:
        """Who runs the jobs of a step."""
        kind = self.values["physics/scree_3d/simulation/job_system"]
        if kind == ONE_THREAD:
            return SingleThread()
        if kind == GODOTS_THREADS:
            return GodotThreads(self._engine, self.thread_count() or default_thread_count())
        return PooledThreads(shared_pool(self.thread_count()))

    def system_settings(self) -> dict:
        """What a new space is given. More of Godot's iterations are more sub-steps; see docs/differences.md."""
        from ..physics_system import PhysicsSystem  # not for a project that has chosen another engine

        substeps = self.values["physics/scree_3d/simulation/substeps"] * self.iterations / USUAL_ITERATIONS
        return {
            "substep_count": min(max(round(substeps), 1), MOST_SUBSTEPS),
            "contact_hertz": PhysicsSystem.SETTINGS["contact_hertz"] * self.contact_bias / USUAL_BIAS,
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
        """`add_property_info`."""
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
        """A setting's value; None where the project does not have it."""
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
