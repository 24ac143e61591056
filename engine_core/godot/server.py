"""The Python side of the server: the world, the records for compiled virtuals, and what belongs to each body and space.

`Server` is made once, when Godot makes its physics server, and closed in `_finish`.
"""

import ctypes
import threading
from collections import deque
from ctypes import c_int64

import numpy as np

from ..bodies.identity import describe_id, index_of, kind_of, make_id
from ..bodies.schema import IS_AREA, KIND_AREA, KIND_BODY, KIND_JOINT, KIND_SHAPE, KIND_SOFT_BODY, KIND_SYSTEM
from ..bodies.system_schema import SYSTEM
from ..core.contact_classes import ContactClasses
from ..core.queries import Queries, install_queries
from ..runtime.c_memory import memory_functions
from ..runtime.memory import Pool
from ..shapes.compiled_cooking import CompiledCooking
from ..soft_bodies.schema import WIND
from . import schema
from .brick_sets import BrickSets
from .call_names import CALLS
from .creation.stock import Stock
from .errors import missing
from .frames import to_world
from .game_recording import end_recording
from .joint_making import settle_broken
from .raw_memory import copy, reader, zero
from .server_areas import free_area
from .server_batches import InstanceBatches
from .server_drawn_sets import DrawnSets
from .server_lock import ServerLock, system_functions
from .server_characters import Characters
from .server_machines import Machines
from .server_states import States
from .server_streaming import Streams
from .shape_bindings import ShapeBindings
from .step_thread import StepThread
from .stretched_queries import StretchedQueries
from .things_by_number import ThingsByNumber
from .virtual_table import BODY_STATE

_REPORT = ctypes.CFUNCTYPE(None, c_int64, c_int64, c_int64)
_BY_INDEX = ctypes.CFUNCTYPE(None, c_int64)
_BY_ID = ctypes.CFUNCTYPE(None, c_int64, c_int64)
_read_transform = reader("12f")


class IdTable:
    """Things of one kind that exist only in the bridge, by id: joints, soft bodies."""

    def __init__(self, kind: int, kind_name: str):
        self.kind, self.kind_name = kind, kind_name
        self.things: dict[int, object] = {}
        self._free: list[tuple[int, int]] = []
        self._used = 0

    def add(self, thing) -> int:
        """Add a thing and return its id."""
        if self._free:
            index, sequence = self._free.pop()
        else:
            index, sequence = self._used, 1
            self._used += 1
        identity = make_id(self.kind, index, sequence)
        self.things[identity] = thing
        return identity

    def get(self, identity: int):
        """The thing with this id. Raises KeyError."""
        thing = self.things.get(identity)
        if thing is None:
            raise KeyError(missing(self.kind, self.kind_name, identity))
        return thing

    def remove(self, identity: int):
        """Remove a thing and return it. Its id is stale from here on."""
        thing = self.get(identity)
        del self.things[identity]
        self._free.append((index_of(identity), ((identity >> 32) + 1) & 0x7FFFFFFF or 1))
        return thing


class Server:
    """The state behind the running engine's physics server."""

    def __init__(self, engine, world, recorder=None):
        self.engine, self.world, self._recorder = engine, world, recorder
        self.interface, self.variants, self.reporter = engine.interface, engine.variants, engine.reporter
        self.cooking = CompiledCooking()
        self.shapes = ShapeBindings(world.shapes, engine.variants)
        self.areas: dict[int, object] = {}  # server_areas.Area by id, of areas with data in Python
        self.joints = IdTable(KIND_JOINT, "joint")
        self.soft_bodies = IdTable(KIND_SOFT_BODY, "soft body")
        self.space_areas: dict[int, object] = {}  # the default area of each space, server_areas.Area by the space's id
        self.space_pending: dict[int, tuple[Pool, Pool]] = {}
        self.space_sleep: dict[int, Pool] = {}  # by the space's id: see public_steps.py
        self.contact_classes = ContactClasses()
        self.contact_rules: dict[tuple[str, str], dict] = {}  # by names of classes: see public_contact_rules.py
        self._body_capacity = int(world.record["body_capacity"])
        self.soft_lists: dict[int, tuple] = {}  # by space: see server_soft_bodies.list_soft_bodies
        self.soft_history: deque = deque(maxlen=64)
        self.winds = Pool("winds of areas", WIND, self._body_capacity)
        self._record = Pool("servers", schema.SERVER, 1)
        self.record, self.address = self._record.rows[0], self._record.address
        self._body_bindings = Pool("body bindings", schema.BODY_BINDING, self._body_capacity)
        self.body_bindings = self._body_bindings.rows
        self._area_bindings = Pool("area bindings", schema.AREA_BINDING, self._body_capacity)
        self.area_bindings = self._area_bindings.rows
        self.scratch_transform = np.zeros(12, np.float32)
        self._space_bindings = Pool("space bindings", schema.SPACE_BINDING, int(world.record["system_capacity"]))
        self.space_bindings = self._space_bindings.rows
        self._callbacks: list = []
        self.stock = Stock(self)
        self.lock = ServerLock(self.address, self.stock.take_over)
        self.streams, self.instance_batches = Streams(self), InstanceBatches(self)
        self.machines, self.waters = Machines(self), ThingsByNumber("water", lambda water: water.remove())
        self.pose_motors = ThingsByNumber("set of motors")
        self.drawn_sets, self.characters = DrawnSets(self), Characters(self)
        self.bricks, self.states = BrickSets(self), States(self)
        self.queries = Queries(world)
        self._stretched_queries = StretchedQueries(self)
        self._doomed_objects, self._doomed_variants = [], []
        self._late: deque = deque()  # calls made while a step ran: name, function, arguments
        self._settling = threading.Lock()
        self.step_thread = StepThread(self)
        self._fill_record()

    def _fill_record(self) -> None:
        """Write all addresses for compiled code."""
        from .motion_test import is_excluded_by_motion
        from .space_state import is_excluded_by_godot

        record, interface, variants = self.record, self.interface, self.variants
        record["world"], record["is_active"] = self.world.address, 0  # until `_init`
        record["body_bindings"], record["space_bindings"] = self._body_bindings.address, self._space_bindings.address
        record["area_bindings"], record["shape_bindings"] = self._area_bindings.address, self.shapes.address
        record["step_function"], record["tick"] = self.world.step_function.address, 1
        record["thread_number"], record["yield_thread"] = system_functions()
        record["allocate"], record["free_memory"] = memory_functions()
        record["exclusion_function"] = is_excluded_by_godot.address
        record["motion_exclusion_function"] = is_excluded_by_motion.address
        record["cook_query_shape"] = self._callback(_BY_INDEX, self._stretched_queries.cook)
        record["release_query_shape"] = self._callback(_BY_INDEX, self._stretched_queries.release)
        record["report_error"] = self._callback(_REPORT, self._refuse)
        record["settle_late"] = self._callback(_BY_INDEX, self.settle_late)
        record["settle_masses"] = self._callback(_BY_INDEX, self.settle_masses)
        self.world.body.on_stale = self._note_stale
        record["tell_joints"] = self._callback(_BY_INDEX, self._tell_joints)
        record["bury"] = self._callback(_BY_INDEX, self._bury)
        record["tell_contacts"] = self._callback(_BY_INDEX, self._tell_contacts)
        record["make_body_state"] = self._callback(_BY_INDEX, self.make_body_state)
        record["set_stretched_transform"] = self._callback(_BY_ID, self._set_stretched_transform)
        record["variant_call"] = interface.address("variant_call")
        record["variant_destroy"] = variants.destroy_address
        record["variant_from_transform"] = variants.from_type_address[schema.TRANSFORM3D]
        record["variant_from_vector3"] = variants.from_type_address[schema.VECTOR3]
        record["variant_from_bool"] = variants.from_type_address[schema.BOOL]
        record["transform_from_variant"] = variants.to_type_address[schema.TRANSFORM3D]
        record["vector3_from_variant"] = variants.to_type_address[schema.VECTOR3]
        record["bool_from_variant"] = variants.to_type_address[schema.BOOL]
        record["method_bind_ptrcall"] = interface.address("object_method_bind_ptrcall")
        record["object_from_id"] = interface.address("object_get_instance_from_id")
        record["call_name"] = interface.name("call")
        record["callable_is_valid"] = self.engine.callable_is_valid_address
        record["variant_from_callable"] = variants.from_type_address[schema.CALLABLE]
        record["variant_from_object"] = variants.from_type_address[schema.OBJECT]
        record["variant_copy"] = interface.address("variant_new_copy")
        record["variant_get_keyed"] = interface.address("variant_get_keyed")
        for field, key in self.shapes.keys.items():
            record[field] = key.address
        record["vector3_array"] = variants.array_functions(schema.PACKED_VECTOR3_ARRAY)
        record["float32_array"] = variants.array_functions(schema.PACKED_FLOAT32_ARRAY)
        record["cooking"], record["cooked_memory"] = self.cooking.address, self.world.shapes.cooked_memory.address
        record["construct_object"] = interface.address("classdb_construct_object2")
        record["set_instance"] = interface.address("object_set_instance")
        record["destroy_object"] = interface.address("object_destroy")
        record["body_state_base"] = interface.name(BODY_STATE.engine_class)
        record["body_state_class"] = interface.name(BODY_STATE.class_name)
        methods = self.engine.api.classes
        for field, class_name, method in (
            ("is_body_excluded_from_query", "PhysicsDirectSpaceState3DExtension", "is_body_excluded_from_query"),
            ("is_excluding_body", "PhysicsServer3DExtension", "body_test_motion_is_excluding_body"),
            ("is_excluding_object", "PhysicsServer3DExtension", "body_test_motion_is_excluding_object"),
        ):
            record[field] = interface.method(class_name, method, methods[class_name][method].hash)

    def _refuse(self, call: int, reason: int, value: int) -> None:
        """Print why compiled code refused a call."""
        try:
            if reason == schema.STEP_FAILED:
                for message in self.world.system(value).limit_warnings.take():
                    self.reporter.warn(CALLS[call], message)
            else:
                self.reporter.refusal(call, reason, value)
        except Exception as error:  # exceptions must not leave a callback
            self.reporter.exception(CALLS[call], error)

    def _callback(self, kind, function) -> int:
        """Address of a C function that calls a Python function."""
        callback = kind(function)
        self._callbacks.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value

    # --- calls made while a step ran ---

    def keeps_late(self, call: str, function, arguments: tuple) -> bool:
        """Defer a call to the end of the step, if one runs or other calls wait; return False if it may act now."""
        if not self.record["is_stepping"] and not self._late:
            return False
        self._late.append((call, function, arguments))
        self.record["late_count"] = len(self._late)
        self.settle_late()
        return True

    def settle_late(self, unused: int = 0) -> None:
        """Do the waiting calls, in order, unless a step runs: its end calls this again."""
        while self._late and self._settling.acquire(blocking=False):
            try:
                if self.lock.enter_unless_stepping():
                    try:
                        self.settle_now()
                    finally:
                        self.lock.leave()
            finally:
                self._settling.release()
            if self._late and self.record["is_stepping"]:
                return

    def settle_now(self) -> None:
        """Do the waiting calls, so that the result of a query includes all calls before it. The caller holds the lock."""
        while self._late:
            call, function, arguments = self._late.popleft()
            self.record["late_count"] = len(self._late)
            try:
                function(self, *arguments)
            except Exception as error:  # exceptions must not leave a callback
                self.reporter.exception(call, error)

    def _note_stale(self) -> None:
        self.record["has_stale_masses"] = 1

    def settle_masses(self, index: int) -> None:
        """Renew the mass of a body whose shapes have changed, by index; -1: of all."""
        try:
            with self.lock:
                if index >= 0:
                    self.world.body.settle(index)
                else:
                    self.record["has_stale_masses"] = 0
                    self.world.body.settle_shapes()
        except Exception as error:  # exceptions must not leave a callback
            self.reporter.exception("step", error)

    # --- ids ---

    def body_index(self, identity: int) -> int:
        """Index of the body with this id. Raises KeyError."""
        return self.world.body.index("body", identity)

    def body_row(self, identity: int):
        """The BODY row of the body with this id. Raises KeyError."""
        return self.world.bodies.rows[self.body_index(identity)]

    # --- what belongs to a body ---

    def binding_of(self, index: int):
        """The BODY_BINDING of a body's row, prepared on first use in this life of the row."""
        row = self.body_bindings[index]
        identity = int(self.world.bodies.rows[index]["id"])
        if int(row["body_id"]) != identity:
            address = self.binding_address(index)
            row["server"], row["world"] = self.address, self.world.address
            row["body_index"], row["body_id"] = index, identity
            row["arguments"] = (
                address + schema.BODY_BINDING.fields["state_variant"][1],
                address + schema.BODY_BINDING.fields["integration_data"][1],
            )
        return row

    def binding_address(self, index: int) -> int:
        return self._body_bindings.address + index * schema.BODY_BINDING.itemsize

    def binding_field(self, index: int, name: str) -> int:
        """Address of a field of a body's binding."""
        return self.binding_address(index) + schema.BODY_BINDING.fields[name][1]

    def make_body_state(self, index: int) -> None:
        """Make the PhysicsDirectBodyState3D of a body, once."""
        with self.lock:
            row = self.binding_of(index)
            if not row["object"]:
                object_ = self.engine.body_state_class.make(self.binding_address(index))
                row["object"] = object_
                self.variants.write_object(self.binding_field(index, "state_variant"), object_)

    def drop_binding(self, index: int, frees_callbacks: bool = True) -> None:
        """Free what belongs to a body: its callbacks and its state object."""
        row = self.body_bindings[index]
        if not row["body_id"]:
            return
        object_ = int(row["object"])
        row["body_id"] = row["object"] = 0
        for name in ("sync_callback", "integration_callback", "integration_data") if frees_callbacks else ():
            self.give_up_variant(self.binding_field(index, name))
        self.give_up_variant(self.binding_field(index, "state_variant"))
        self._give_up_object(object_)

    def area_binding_field(self, index: int, name: str) -> int:
        """Address of a field of an area's binding."""
        return self._area_bindings.address + index * schema.AREA_BINDING.itemsize + schema.AREA_BINDING.fields[name][1]

    def drop_area_binding(self, index: int) -> None:
        """Free the Callables of an area."""
        for name in schema.AREA_CALLBACKS:
            self.give_up_variant(self.area_binding_field(index, name))
        self.area_bindings[index]["has_wind"] = 0

    def give_up_variant(self, address: int) -> None:
        """Free the content of a Variant and leave nil; after the flush, if one runs: the running callback may use it."""
        if self.record["is_flushing"]:
            self.give_up_variant_later(address)
        else:
            self.variants.destroy(address)

    def give_up_variant_later(self, address: int) -> None:
        """Free the content of a Variant after this flush or the next one, and leave nil."""
        kept = (c_int64 * schema.VARIANT_WORDS)()
        copy(ctypes.addressof(kept), address, ctypes.sizeof(kept))
        zero(address, ctypes.sizeof(kept))
        self._doomed_variants.append(kept)
        self.record["doomed_count"] += 1

    def _give_up_object(self, object_: int) -> None:
        """Have Godot delete one of our Objects; after the flush, if one runs."""
        if object_ and self.record["is_flushing"]:
            self._doomed_objects.append(object_)
            self.record["doomed_count"] += 1
        elif object_:
            self.engine.destroy_object(object_)

    def _bury(self, unused: int = 0) -> None:
        """Free things released during a flush."""
        variants, objects = self._doomed_variants, self._doomed_objects
        self._doomed_variants, self._doomed_objects = [], []
        self.record["doomed_count"] = 0
        for kept in variants:
            self.variants.destroy(ctypes.addressof(kept))
        for object_ in objects:
            self.engine.destroy_object(object_)

    def _tell_contacts(self, space: int) -> None:
        """Tell scripts that the last step of a space has contact events."""
        try:
            self.engine.on_contacts(space)
        except Exception as error:  # exceptions must not leave a callback
            self.reporter.exception("contacts_changed", error)

    def _tell_joints(self, space: int) -> None:
        """Tell scripts which joints of a space broke in the last step."""
        try:
            with self.lock:
                broken = settle_broken(self, space)
            for joint in broken:
                self.engine.on_joint_broke(space, joint)
        except Exception as error:  # exceptions must not leave a callback
            self.reporter.exception("joint_broke", error)

    def _set_stretched_transform(self, identity: int, address: int) -> None:
        """Set a transform with scale from compiled code: shapes must be cooked for it."""
        try:
            with self.lock:
                self.world.body.set_transform(identity, to_world(self, identity, _read_transform(address)))
        except Exception as error:  # exceptions must not leave a callback
            self.reporter.exception("area_set_transform" if kind_of(identity) == KIND_AREA else "body_set_state", error)

    def body_of_state(self, instance: int) -> int:
        """The id of the body whose state has this instance address."""
        index, left = divmod(instance - self._body_bindings.address, schema.BODY_BINDING.itemsize)
        return int(self.body_bindings[index]["body_id"]) if left == 0 and 0 <= index < self._body_capacity else 0

    # --- Callables ---

    def is_callable(self, address: int) -> bool:
        """Whether the Callable at an address can be called now."""
        return self.engine.callable_is_valid(address)

    def copy_callable(self, place: int, address: int) -> None:
        """Make a Variant at `place` of the Callable at an address (counted)."""
        self.variants.write_of_type(schema.CALLABLE, place, address)

    # --- what belongs to a space ---

    def add_space(self, identity: int) -> None:
        """Make the binding and the state object of a new space."""
        index = index_of(identity)
        row = self.space_bindings[index]
        pending, moved = Pool("pending callbacks", "i8", self._body_capacity), Pool("moved", "i4", self._body_capacity)
        self.space_pending[index] = pending, moved
        row["server"], row["world"] = self.address, self.world.address
        row["system"] = int(self.world.record["systems"]) + index * SYSTEM.itemsize
        row["system_id"], row["pending"], row["pending_count"], row["is_active"] = identity, pending.address, 0, 0
        row["moved"], row["moved_count"], row["fell_asleep_count"] = moved.address, 0, 0
        install_queries(self.world.systems.rows[index])
        row["object"] = self.engine.space_state_class.make(self.space_address(index))

    def space_address(self, index: int) -> int:
        return self._space_bindings.address + index * schema.SPACE_BINDING.itemsize

    def space_row(self, identity: int):
        """The SPACE_BINDING of the space with this id. Raises KeyError."""
        return self.space_bindings[self.world.system_index("space", identity)]

    def space_binding_field(self, index: int, name: str) -> int:
        """Address of a field of a space's binding."""
        return self.space_address(index) + schema.SPACE_BINDING.fields[name][1]

    def drop_space(self, identity: int, frees_callbacks: bool = True) -> None:
        """Free what belongs to a space: its callbacks and its state object."""
        index = index_of(identity)
        row = self.space_bindings[index]
        object_ = int(row["object"])
        row["server"] = row["object"] = row["system_id"] = row["is_active"] = row["pending_count"] = row["soft_body_count"] = 0
        row["is_stepped"] = row["sleep_ids"] = row["woke_count"] = row["slept_count"] = 0
        self.space_sleep.pop(identity, None)
        self.space_areas.pop(identity, None)
        for name in schema.STEP_CALLBACKS if frees_callbacks else ():
            self.give_up_variant_later(self.space_binding_field(index, name))  # it may be the one that runs
        self._give_up_object(object_)
        # `pending` stays reserved: a flush that runs right now may still read it.

    # --- the end ---

    def free(self, identity: int) -> None:
        """Free a thing of any kind by its id. Raises KeyError for an id of nothing."""
        kind = kind_of(identity) if identity > 0 else 0
        if kind == KIND_SHAPE:
            self.shapes.row(identity)
            self.world.shape.destroy(identity)
            self.shapes.release(identity)
            self.bricks.forget(identity)
        elif kind == KIND_SYSTEM:
            self.world.system_index("free_rid", identity)
            self.streams.close_of(identity)
            for owner in (self.instance_batches, self.machines, self.waters, self.pose_motors):
                owner.remove_of(identity)
            self._leave_space(identity)
            self.drop_space(identity)
            self.world.destroy_system(identity)
        elif kind == KIND_BODY:
            index = self.body_index(identity)
            self.world.body.destroy(identity)
            self.drop_binding(index)
        elif kind == KIND_AREA:
            free_area(self, identity)
        elif kind in (KIND_JOINT, KIND_SOFT_BODY):
            table = {KIND_JOINT: self.joints, KIND_SOFT_BODY: self.soft_bodies}[kind]
            table.remove(identity).release(self)
        else:
            raise KeyError(f"there is nothing with the id {describe_id(identity)}")

    def _leave_space(self, identity: int) -> None:
        """Take soft bodies out of a space that is being freed; the world does the same for bodies and areas."""
        for thing in self.soft_bodies.things.values():
            if thing.space == identity:
                thing.space = 0
                thing.renew(self)

    def _tell_what_is_left(self) -> None:
        """Warn of things that were never freed, as Godot's own servers do."""
        rows = self.world.bodies.rows[: self.world.bodies.count]
        flags = rows["flags"][rows["id"] != 0]
        areas = int((flags & IS_AREA != 0).sum())
        left = {"bodies": len(flags) - areas, "shapes": len(self.shapes.ids()), "areas": areas,
                "joints": len(self.joints.things), "soft bodies": len(self.soft_bodies.things)}  # fmt: skip
        words = ", ".join(f"{count} {name}" for name, count in left.items() if count)
        if words:
            self.reporter.warn_once("finish", f"never freed by the project: {words}")

    def close(self) -> None:
        """Release everything that Godot counts. Objects that the user has not freed are freed too, with a message; but not their
        Callables: the script languages have ended, and freeing what they made would crash."""
        self.step_thread.stop()
        end_recording(self._recorder, self.reporter)
        self.queries.close()
        self.streams.close_all()
        self.instance_batches.remove_all()
        self.drawn_sets.close()
        self._tell_what_is_left()
        self.record["is_active"] = self.record["is_flushing"] = 0
        self._bury()
        for index in range(self.world.bodies.count):
            self.drop_binding(index, frees_callbacks=False)
        self.shapes.close()
        for row in self.space_bindings[: int(self.world.record["system_count"])]:
            if row["object"]:
                self.drop_space(int(row["system_id"]), frees_callbacks=False)
        self.world.job_system.close()
