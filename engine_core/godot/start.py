"""The start: Godot's loader calls `initialize`; the engine's name is registered at the SERVERS level; the classes are registered
and the server is made when Godot requests it, which happens only in a project that has chosen this engine.
"""

import contextlib
import ctypes
import gc
import importlib
import sys
import threading
import time
from ctypes import c_int, c_int64, c_void_p
from pathlib import Path

from ..runtime import core_library
from . import api as godot_api
from . import schema
from .busy_thread import BusyThread
from .callables import PythonCallable
from .errors import Reporter
from .interface import EDITOR_LEVEL, ENGINE_NAME, SCENE_LEVEL, SERVERS_LEVEL, Interface
from .methods import Methods
from .variant import Variants
from .virtual_trials import Trials

PARTS = "scree"
"""The folder beside the loader with all parts of a released addon."""
_SERVER = (
    "core.world", "godot.brick_sets", "godot.classes", "godot.frames", "godot.server", "godot.server_batches",
    "godot.server_figures", "godot.server_machines", "godot.server_navigation", "godot.server_states", "godot.server_streaming",
    "godot.public_server", "godot.virtual_table",
)  # fmt: skip
"""Modules that making the server imports."""
_LEVEL_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_int)


class Initialization(ctypes.Structure):
    """GDExtensionInitialization."""

    _fields_ = [("minimum_level", c_int), ("userdata", c_void_p), ("initialize", c_void_p), ("deinitialize", c_void_p)]


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
        self.public = self.debugger_link = None
        # Functions that emit the singleton's signals: of a space's id, whose last step has contact events (public_contacts.py);
        # of a space's id and a joint's (public_joints.py).
        self.on_contacts = self.on_joint_broke = None
        self.classes = []
        self._imports = threading.Thread(target=_import_server, name="scree imports")
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
        if level == SCENE_LEVEL:
            self._publish()
        if level == EDITOR_LEVEL and self.public:
            self.public.publish_help()
        if level != SERVERS_LEVEL:
            return
        from .settings import Settings

        self.variants = Variants(self.interface, self.api)
        self.reporter = Reporter(self.interface, self.variants)
        self.callable_is_valid_address = self._builtin_method(schema.CALLABLE, "Callable", "is_valid")
        self._is_valid = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, ctypes.c_int32)(self.callable_is_valid_address)
        self.settings = Settings(self)
        if self.settings.chosen_engine == ENGINE_NAME:
            self._imports.start()
        else:
            gc.enable()
        self._register_engine()

    def _publish(self) -> None:
        """Register the singleton and its classes. Later, scripts could not make Objects of these classes: Godot would take them
        for parts of the editor."""
        self._finish_imports()
        from .public_server import PublicServer

        self.public = PublicServer(self)

    def running_server(self, call: str):
        """The server, for a call of a public class. Raises ValueError while another engine runs."""
        if self.server is None:
            from .public_server import not_running

            raise not_running(call)
        return self.server

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

    def _finish_imports(self) -> None:
        """Wait until what was begun is imported."""
        if self._imports.ident is not None:
            self._imports.join()

    def _register_engine(self) -> None:
        """Register our name, and how to make the server, with Godot's PhysicsServer3DManager."""
        interface = self.interface
        make = PythonCallable(self, "start", self._make_server)
        self._kept.append(make)
        register = self.api.classes["PhysicsServer3DManager"]["register_server"]
        bind = interface.method("PhysicsServer3DManager", "register_server", register.hash)
        manager = interface.singleton("PhysicsServer3DManager")
        interface.with_string(ENGINE_NAME, lambda name: interface.call_method(bind, manager, [name, make.address]))
        make.release()

    def _make_server(self, arguments: list[int], result: int) -> None:
        """Answer Godot's request for its physics server: make the world, link the virtuals, return the Object."""
        try:
            self._open(result)
        except BaseException as problem:
            known = isinstance(problem, (ValueError, RuntimeError, MemoryError))
            what = str(problem) if known else f"{type(problem).__name__}: {problem}"
            self.reporter.error("start", f"{what}. Godot's default physics engine runs instead")
        gc.enable()  # the loader disables it

    def _open(self, result: int) -> None:
        """Make the world and the server, and write the server's Object to the Variant at `result`."""
        self._finish_imports()
        self.register_classes()
        begin = time.perf_counter()
        from ..core.world import World
        from .server import Server
        from .game_recording import begin_recording
        from .setting_table import setting_of_limit
        from .virtual_modules import import_all

        import_all()

        layers, job_system = self.settings.layers(), self.settings.job_system()
        world = World(layers=layers, job_system=job_system, name_limit=setting_of_limit, **self.settings.limits())
        # A space that has no room is found out now, while Godot can still take its default engine.
        world.destroy_system(world.create_system(is_active=False))
        self.server = Server(self, world, begin_recording(world, self.reporter))
        for made in self.classes:
            made.link(self.server, self.reporter, self.server.lock, self.variants, self.trials)
        if self.settings.runs_on_separate_thread:
            self.server.step_thread.start()
        object_ = self.server_class.make(self.server.address)
        self.server.record["object"] = object_
        self.variants.write_object(result, object_)
        from .debugger_link import DebuggerLink

        self.debugger_link = DebuggerLink(self)
        gc.freeze()  # permanent objects need no garbage collection during a game
        taken = time.perf_counter() - begin
        if taken > 5.0:
            print(f"scree: the core was compiled in {taken:.0f} s; next time it is ready", flush=True)

    def leave(self, level: int) -> None:
        """Handle that Godot left an initialization level."""
        if level == SCENE_LEVEL and self.debugger_link:
            self.debugger_link.close()
        if level != SERVERS_LEVEL:
            return
        self._finish_imports()
        if self.public:
            self.public.close()
        for made in reversed(self.classes):
            made.unregister()
        self.classes.clear()
        self.interface.release_names()
        self.trials.finish()
        sys.stdout.flush()  # Python is not finalised: its last output would be lost
        sys.stderr.flush()


def _import_server() -> None:
    """Import what the server needs, in a thread beside Godot, which has other parts to start before it requests the server. An
    error is said when that happens: these modules are then imported again."""
    with contextlib.suppress(Exception):
        for name in _SERVER:
            importlib.import_module(f"scree.{name}")
        from . import virtual_modules

        virtual_modules.import_all()


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
    """Entry point for the loader, which calls it once, with addresses; `is_exported_game`: this Godot has no editor in it. Does
    nothing for a second copy of the addon but say so. Raises RuntimeError with one clear line if Scree cannot run here."""
    global _engine
    record = Initialization.from_address(initialization)
    record.minimum_level = SERVERS_LEVEL
    if _engine is not None:
        _stay_out(_engine, Interface(get_proc_address, library), record)
        return
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
    record.initialize, record.deinitialize = (ctypes.cast(callback, c_void_p) for callback in _callbacks)


def _stay_out(engine: Engine, second: Interface, record: Initialization) -> None:
    """Let a second copy of the addon do nothing, and say which of the two runs. Usually both name the libraries of one copy: the
    paths in `scree.gdextension` begin at the project."""
    ours, other = (Path(interface.library_path()).parent for interface in (engine.interface, second))
    which = "" if other == ours else f", that in {other}"
    print(f"scree: the addon is in this project twice. The libraries in {ours} run: remove the other copy{which}",
          file=sys.stderr, flush=True)  # fmt: skip
    nothing = _LEVEL_CALLBACK(lambda userdata, level: None)
    _callbacks.append(nothing)
    record.initialize = record.deinitialize = ctypes.cast(nothing, c_void_p)
