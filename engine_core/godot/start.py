"""The start: Godot's loader calls `initialize`; the classes and the engine's name are registered at the SERVERS level; the server
itself is made when Godot requests it, which happens only in a project that has chosen this engine.
"""

import ctypes
import gc
import sys
import time
from ctypes import c_int, c_int64, c_void_p
from pathlib import Path

from ..runtime import core_library
from . import api as godot_api
from . import schema
from .busy_thread import BusyThread
from .errors import Reporter
from .interface import ENGINE_NAME, SERVERS_LEVEL, Interface
from .methods import Methods
from .variant import Variants
from .virtual_trials import Trials

PARTS = "scree"
"""The folder beside the loader with all parts of a released addon."""
_LEVEL_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_int)
_CALL = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_void_p, c_void_p)


class Initialization(ctypes.Structure):
    """GDExtensionInitialization."""

    _fields_ = [("minimum_level", c_int), ("userdata", c_void_p), ("initialize", c_void_p), ("deinitialize", c_void_p)]


class CallableInfo(ctypes.Structure):
    """GDExtensionCallableCustomInfo2."""

    _fields_ = [
        ("userdata", c_void_p), ("token", c_void_p), ("object_id", ctypes.c_uint64),
        *((name, c_void_p) for name in (
            "call", "is_valid", "free", "hash", "equal", "less_than", "to_string", "argument_count",
        )),
    ]  # fmt: skip


class Engine:
    """The running Godot: its interface, its API, the registered classes, and the server once it is made."""

    def __init__(self, get_proc_address: int, library: int, is_exported_game: bool):
        self.interface = Interface(get_proc_address, library)
        version = self.interface.version()
        core_library.library()  # a released addon without its core is of no use, and this is where its loader can still say so
        beside = Path(self.interface.library_path()).parent
        parts = beside / PARTS if (beside / PARTS).is_dir() else beside
        self.api = godot_api.read_extract(version.string.decode(), parts, may_ask=not is_exported_game)
        self.variants = self.reporter = self.settings = self.server = None
        self.classes = []
        self._kept = []
        self.trials = Trials()
        self._destroy = self.interface.function("object_destroy", None, c_void_p)

    def destroy_object(self, object_: int) -> None:
        """Have Godot delete one of our Objects."""
        self._destroy(object_)

    def callable_is_valid(self, address: int) -> bool:
        """Whether the Callable at an address can be called."""
        valid = ctypes.c_uint8()
        self._is_valid(address, None, ctypes.addressof(valid), 0)
        return bool(valid.value)

    def enter(self, level: int) -> None:
        """Handle that Godot reached an initialization level."""
        if level != SERVERS_LEVEL:
            return
        from .settings import Settings

        self.variants = Variants(self.interface, self.api)
        self.reporter = Reporter(self.interface, self.variants)
        self.callable_is_valid_address = self._builtin_method(schema.CALLABLE, "Callable", "is_valid")
        self._is_valid = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, ctypes.c_int32)(self.callable_is_valid_address)
        self.settings = Settings(self)
        if self.settings.chosen_engine == ENGINE_NAME:
            self.register_classes()
        self._register_engine()

    def _builtin_method(self, kind: int, type_name: str, method: str) -> int:
        """Address of a method of a built-in type."""
        get = self.interface.function("variant_get_ptr_builtin_method", c_void_p, c_int, c_void_p, c_int64)
        return get(kind, self.interface.name(method), self.api.builtin_methods[type_name][method])

    def register_classes(self) -> None:
        """Register our three classes, once."""
        if self.classes:
            return
        if core_library.library() is None:
            _say_that_it_compiles()
        import numpy as np

        from . import virtual_table
        from .classes import ExtensionClass

        size = max(record.itemsize for record in (schema.BODY_BINDING, schema.SPACE_BINDING, schema.SERVER))
        nobody = np.zeros(size, np.uint8)
        self._kept.append(nobody)  # instance of objects without an owner: all zeros
        for table in virtual_table.TABLES:
            made = ExtensionClass(self.interface, self.api, table, nobody.ctypes.data)
            made.register()
            self.classes.append(made)
        self.server_class, self.body_state_class, self.space_state_class = self.classes
        self._methods = Methods(self, self.server_class.table.class_name)
        self._busy_thread = BusyThread(self._methods)
        from .brick_sets import add_brick_methods
        from .frames import add_frame_methods
        from .server_batches import add_batch_methods
        from .server_characters import add_character_methods
        from .server_figures import add_figure_methods
        from .server_machines import add_machine_methods
        from .server_navigation import add_navigation_methods
        from .server_states import add_state_methods
        from .server_streaming import add_streaming_methods

        add_streaming_methods(self._methods, self)
        add_batch_methods(self._methods, self)
        add_frame_methods(self._methods, self)
        add_navigation_methods(self._methods, self)
        add_figure_methods(self._methods, self)
        add_machine_methods(self._methods, self)
        add_character_methods(self._methods, self)
        add_brick_methods(self._methods, self)
        add_state_methods(self._methods, self)

    def _register_engine(self) -> None:
        """Register our name, and how to make the server, with Godot's PhysicsServer3DManager."""
        interface = self.interface
        make = _CALL(self._make_server)
        info = CallableInfo(token=interface.library, call=ctypes.cast(make, c_void_p))
        memory = (c_int64 * 2)()
        self._kept.extend([make, info, memory])
        interface.function("callable_custom_create2", None, c_void_p, c_void_p)(ctypes.addressof(memory), ctypes.addressof(info))
        register = self.api.classes["PhysicsServer3DManager"]["register_server"]
        bind = interface.method("PhysicsServer3DManager", "register_server", register.hash)
        manager = interface.singleton("PhysicsServer3DManager")
        interface.with_string(ENGINE_NAME, lambda name: interface.call_method(bind, manager, [name, ctypes.addressof(memory)]))
        destroy = interface.function("variant_get_ptr_destructor", c_void_p, c_int)(schema.CALLABLE)
        ctypes.CFUNCTYPE(None, c_void_p)(destroy)(ctypes.addressof(memory))

    def _make_server(self, userdata, arguments, count, result, error) -> None:
        """Answer Godot's request for its physics server: make the world, link the virtuals, return the Object."""
        ctypes.memset(error, 0, 12)  # Godot leaves it unset and treats anything but zero as a failure
        try:
            self._open(result)
        except BaseException as problem:
            known = isinstance(problem, (ValueError, RuntimeError, MemoryError))
            what = str(problem) if known else f"{type(problem).__name__}: {problem}"
            self.reporter.error("start", f"{what}. Godot's default physics engine runs instead")

    def _open(self, result: int) -> None:
        """Make the world and the server, and write the server's Object to the Variant at `result`."""
        self.register_classes()
        begin = time.perf_counter()
        from ..core.world import World
        from .server import Server
        from .setting_table import setting_of_limit
        from .virtual_modules import import_all

        import_all()

        layers, job_system = self.settings.layers(), self.settings.job_system()
        world = World(layers=layers, job_system=job_system, name_limit=setting_of_limit, **self.settings.limits())
        # A space that has no room is found out now, while Godot can still take its default engine.
        world.destroy_system(world.create_system(is_active=False))
        self.server = Server(self, world)
        for made in self.classes:
            made.link(self.server, self.reporter, self.server.lock, self.variants, self.trials)
        if self.settings.runs_on_separate_thread:
            self.server.step_thread.start()
        object_ = self.server_class.make(self.server.address)
        self.server.record["object"] = object_
        self.variants.write_object(result, object_)
        gc.freeze()  # permanent objects need no garbage collection during a game
        taken = time.perf_counter() - begin
        if taken > 5.0:
            print(f"scree: the core was compiled in {taken:.0f} s; next time it is ready", flush=True)

    def leave(self, level: int) -> None:
        """Handle that Godot left an initialization level."""
        if level != SERVERS_LEVEL:
            return
        for made in reversed(self.classes):
            made.unregister()
        self.classes.clear()
        self.interface.release_names()
        self.trials.finish()
        sys.stdout.flush()  # Python is not finalised: its last output would be lost
        sys.stderr.flush()


def _say_that_it_compiles() -> None:
    """Say what takes so long, unless the code is cached."""
    from ..runtime.code_files import SUFFIX, cache_folder_of, lack_of_room

    if any(cache_folder_of("scree.step.physics_system").rglob(f"*{SUFFIX}")):
        return
    print("scree: compiling the core for this machine: this happens once and takes some minutes "
          "(`scree warmup` does it ahead of time)", flush=True)  # fmt: skip
    if problem := lack_of_room():
        print(f"scree: {problem}: the next start may have to compile again", file=sys.stderr, flush=True)


_engine: Engine | None = None
_callbacks: list = []


def initialize(get_proc_address: int, library: int, initialization: int, is_exported_game: bool) -> None:
    """Entry point for the loader, which calls it once, with addresses; `is_exported_game`: this Godot has no editor in it. Raises
    RuntimeError with one clear line if Scree cannot run here."""
    global _engine
    engine = _engine = Engine(get_proc_address, library, is_exported_game)

    def enter(userdata, level):
        try:
            engine.enter(level)
        except BaseException as error:
            print(f"scree: start at level {level}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)

    def leave(userdata, level):
        try:
            engine.leave(level)
        except BaseException as error:
            print(f"scree: end at level {level}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)

    _callbacks[:] = [_LEVEL_CALLBACK(enter), _LEVEL_CALLBACK(leave)]
    record = Initialization.from_address(initialization)
    record.minimum_level = SERVERS_LEVEL
    record.initialize, record.deinitialize = (ctypes.cast(callback, c_void_p) for callback in _callbacks)
