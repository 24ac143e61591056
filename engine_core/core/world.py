"""A world: the pools of bodies and shapes, and the physics systems that share them. The low-level interface of the engine, with
ids, rows and addresses, for experts and hosts; other programs use `scree.api`.

    world = World()
    system = world.create_system(gravity=(0, -9.81, 0))
    ball = world.body.create()
    shape = world.shape.create(SPHERE)
    world.shapes.set_sphere(world.shape.index("", shape), 0.5)
    world.body.add_shape(ball, shape)
    world.body.set_system(ball, system)
    world.step(system, 1 / 60)
"""

import threading
from collections.abc import Callable

import numpy as np

from ..bodies.bricks import walk_bricks
from ..bodies.exceptions import Exceptions
from ..bodies.identity import describe_id, index_of, kind_of, make_id
from ..bodies.layers import SUB_GROUPS, MaskLayers, fill_layers
from ..bodies.pool import BodyPool, InstancePool
from ..bodies.schema import KIND_SHAPE, KIND_SYSTEM, LAYERS, SHADOW, WALK_ROW_WORDS
from ..bodies.system_schema import SYSTEM
from ..bodies.shape_users import ShapeUsers
from ..collision.brick_names import name_brick
from ..collision.inner_faces import is_inner_contact
from ..collision.merged_contacts import merge_contacts
from ..edit.body_locks import BodyLocks
from ..edit.commands import edit, execute_now
from ..edit.edit_log import WORLD_AND_LOG
from ..edit.late_edits import LateEdits
from ..edit.origin import shift
from ..edit.retirement import Retirement
from ..edit.single_brick_edits import follow_single
from ..runtime.cores import MAX_THREADS
from ..runtime.job_system import JobSystem
from ..runtime.memory import Pool, PoolFull, address_of
from ..runtime.parking import PARKING, system_functions
from ..runtime.pooled_threads import PooledThreads
from ..runtime.recorded_calls import recorded
from ..runtime.thread_pool import shared_pool
from ..sensors.change import forget_events
from ..sensors.pools import AreaPool
from ..shapes.pool import ShapePool
from ..step.limits import limits_for, name_of_limit
from ..step.physics_system import PhysicsSystem, step
from ..structures.single_edits import edit_single
from .areas import AreaInterface
from .bodies import BodyInterface
from .characters import CharacterInterface
from .contacts import ContactInterface
from .drawing import Drawings
from .joints import JointInterface, JointPool
from .listeners import ListenerInterface
from .pulleys import PulleyInterface
from .shapes import ShapeInterface
from .soft_bodies import SoftBodyInterface
from .vehicles import VehicleInterface
from .water import WaterInterface

MOST_GROUP_FILTERS = 1024


class World:
    """The pools shared by the systems. Compiled code gets their `address`. Calls are in parts: `body`, `shape`, `area`, `joint`,
    `contact`, `listener`, `vehicle`, `pulley`, `soft_body`, `water`, `character`, `drawing`; the pools of rows have plural names.

    `threads`: how many threads its steps may use, the caller's included; by default all physical cores but one.
    `job_system`: runs the jobs of its steps (runtime/job_system.py); by default a pool of its own threads.
    `layers`: which layers collide, and the broad-phase layers: a table of bodies/layers.py; by default Godot's masks.
    `name_limit`: how errors and warnings name a limit; by default as an argument of this class.
    `limits`: names and numbers of `step/limits.py`."""

    def __init__(
        self, threads: int | None = None, layers=None, job_system: JobSystem | None = None,
        name_limit: Callable[[str], str] = name_of_limit, **limits: int,
    ):  # fmt: skip
        self.job_system = PooledThreads(shared_pool(threads)) if job_system is None else job_system
        self.limits, self.usual_limits = limits_for(limits)
        self.name_limit, limits = name_limit, self.limits
        self.memory = np.zeros(1, dtype=WORLD_AND_LOG)
        self.record = self.memory["world"][0]
        self.recorder = None
        """The writer of a recording of this world (state/recordings.py), or None."""
        self.log_memory = None
        """The memory of the log of the last recording: an edit of another thread may be leaving a row in it."""
        self.edit, self.execute_now, self.step_function = edit, execute_now, step
        self.address = address_of(self.memory)
        self.bodies = BodyPool(limits["bodies"], name_limit("bodies"))
        self.areas = AreaPool(limits["bodies"])
        self.instances = InstancePool(limits["body_shapes"], name_limit("body_shapes"))
        self.shapes = ShapePool(
            lambda index, sequence: make_id(KIND_SHAPE, index, sequence), limits["shapes"], name_limit("shapes")
        )
        self._system_pool = Pool("spaces", SYSTEM, limits["systems"], setting=name_limit("systems"))
        self.systems = self._system_pool
        self._systems: dict[int, PhysicsSystem] = {}
        self._free_systems: list[tuple[int, int]] = []
        self._system_count = 0
        self.setting_count = 0
        """Counts the changes that no saved state holds: of contact rules, and of height fields in place."""
        self._lock = threading.RLock()
        self.shape_users = ShapeUsers(self.bodies, self.instances)
        self.shape_keepers: dict[int, object] = {}
        """The owners of the memory of shapes that batches brought, by index of the shape."""
        record = self.record
        self.bodies.world_record = record
        record["bodies"], record["body_capacity"] = self.bodies.pool.address, self.bodies.pool.capacity
        record["rare_bodies"] = self.bodies.rare.address
        self._shadows = Pool("bodies that are being changed", SHADOW, limits["systems"] * MAX_THREADS)
        record["shadows"] = self._shadows.address
        record["instances"], record["instance_capacity"] = self.instances.pool.address, self.instances.pool.capacity
        record["instance_nodes"] = self.instances.nodes.address
        record["shapes"], record["shape_capacity"] = self.shapes.pool.address, self.shapes.pool.capacity
        self._walk_rows = np.zeros(WALK_ROW_WORDS, np.int64)
        record["first_walk_row"], record["walk_row_words"] = self.shapes.pool.capacity, address_of(self._walk_rows)
        self.joints = JointPool(limits["joints"], name_limit("joints"))
        record["joints"], record["joint_capacity"] = self.joints.pool.address, self.joints.pool.capacity
        record["systems"], record["system_capacity"] = self._system_pool.address, self._system_pool.capacity
        record["areas"] = self.areas.pool.address
        self.exceptions = Exceptions(record)
        self.layers = MaskLayers() if layers is None else layers
        self._layers_memory = np.zeros(1, dtype=LAYERS)
        self.broad_phase_names = fill_layers(self._layers_memory[0], self.layers)
        self.group_filters = Pool("group filters", np.uint64, MOST_GROUP_FILTERS, (SUB_GROUPS,))
        self._parking = np.zeros(1, dtype=PARKING)
        for name, function in system_functions().items():
            self._parking[name] = function
        record["layers"], record["group_filters"] = address_of(self._layers_memory), self.group_filters.address
        record["edit_function"], record["parking"] = edit.address, address_of(self._parking)
        self.body_locks = BodyLocks(self)
        self.late = LateEdits(self)
        self.retirement = Retirement(self)
        self.bodies.reclaim = self.instances.reclaim = self.shapes.reclaim = self.retirement.reclaim
        self.shapes.on_retire = self.retirement.look_now_and_then
        self.shapes.on_structure = self._load_bricks
        self.body, self.shape, self.area = BodyInterface(self), ShapeInterface(self), AreaInterface(self)
        self.joint, self.contact, self.listener = JointInterface(self), ContactInterface(self), ListenerInterface(self)
        self.vehicle, self.pulley = VehicleInterface(self), PulleyInterface(self)
        self.soft_body, self.water, self.character = SoftBodyInterface(self), WaterInterface(self), CharacterInterface(self)
        self.drawing = Drawings(self)
        self.shapes.on_structure_changed = self.shape.structure_changed

    def _load_bricks(self) -> None:
        """Load the compiled code that only worlds with structures need."""
        self.record["inner_function"], self.record["merge_function"] = is_inner_contact.address, merge_contacts.address
        self.record["name_function"] = name_brick.address
        self.record["brick_function"], self.record["stand_ins_wanted"] = walk_bricks.address, 1
        self._code = [edit_single.address, follow_single.address]  # the first edit of a brick must not wait for them

    def edits_full(self, call: str) -> PoolFull:
        """The error for a call that no step can take up any more."""
        setting = self.name_limit("waiting_edits")
        return PoolFull(f"{call}: too many edits wait for a step to end: raise the setting '{setting}'")

    # Systems.

    @recorded("world")
    def create_system(self, gravity=(0.0, -9.8, 0.0), is_active: bool = True, **settings) -> int:
        """Create a physics system and return its id. `settings` are names of `PhysicsSystem.SETTINGS`. Raises ValueError,
        PoolFull, NoAddressSpace."""
        settings = {"gravity": gravity, "is_active": is_active, **settings}
        for name, value in settings.items():
            self._check_setting("create_system", name, value)
        with self._lock:
            if self._free_systems:
                index, sequence = self._free_systems.pop()
            elif self._system_count < self._system_pool.capacity:
                index, sequence = self._system_count, 1
                self._system_count += 1
                self.record["system_count"] = self._system_count
            else:
                raise self._system_pool.full()
            self._system_pool.rows[index] = np.zeros((), dtype=SYSTEM)
            row = self._system_pool.rows[index]
            try:
                system = PhysicsSystem(self, index, row, self._system_pool.address + index * SYSTEM.itemsize)
            except BaseException:
                self._free_systems.append((index, sequence))
                raise
            for name, value in settings.items():
                row["settings"][name] = value
            row["id"] = make_id(KIND_SYSTEM, index, sequence)
            self._systems[index] = system
            return int(row["id"])

    def system(self, identity: int) -> PhysicsSystem:
        """The physics system with this id."""
        return self._systems[self.system_index("system", identity)]

    def system_ids(self) -> list[int]:
        """The ids of all systems, in the order of their numbers."""
        return [int(self._system_pool.rows[index]["id"]) for index in sorted(self._systems)]

    def system_numbers(self) -> list[int]:
        """The numbers of all systems, ascending."""
        return sorted(self._systems)

    def prefer_system(self, identity: int) -> None:
        """Have the next system that is made get this id: for a replay. Raises ValueError if its number is in use."""
        index = index_of(identity)
        with self._lock:
            if index in self._systems or not 0 <= index < self._system_pool.capacity:
                raise ValueError(f"prefer_system: the number of {describe_id(identity)} is in use")
            free = [one for one in self._free_systems if one[0] != index]
            free += [(number, 1) for number in range(self._system_count, index)]
            self._free_systems = [*free, (index, identity >> 32)]
            self._system_count = max(self._system_count, index + 1)
            self.record["system_count"] = self._system_count

    def has_system(self, identity: int) -> bool:
        """Whether there is a system with this id."""
        index = index_of(identity)
        is_one = kind_of(identity) == KIND_SYSTEM and index < self._system_count
        return is_one and bool(self._system_pool.rows[index]["id"] == identity)

    def system_index(self, call: str, identity: int) -> int:
        """Index of the system with this id. Raises KeyError for a freed, foreign or wrong id."""
        index = index_of(identity)
        if not self.has_system(identity):
            why = "it was freed" if kind_of(identity) == KIND_SYSTEM and index < self._system_count else "it is no space"
            raise KeyError(f"{call}: there is no space {describe_id(identity)}: {why}")
        return index

    @recorded("world")
    def system_set_param(self, identity: int, name: str, value) -> None:
        """Set a setting of a system: a field of SYSTEM.settings, a number or a vector."""
        row = self._system_pool.rows[self.system_index("space_set_param", identity)]
        self._check_setting("space_set_param", name, value)
        row["settings"][name] = value

    @staticmethod
    def _check_setting(call: str, name: str, value) -> None:
        if name not in PhysicsSystem.SETTINGS:
            raise ValueError(f"{call}: there is no setting {name!r}")
        numbers, shape = np.asarray(value, dtype=np.float64), np.shape(PhysicsSystem.SETTINGS[name])
        if numbers.shape != shape:
            raise ValueError(f"{call}: {name} must be {'a number' if not shape else f'{shape[0]} numbers'}, got {value!r}")
        if not np.isfinite(numbers).all():
            raise ValueError(f"{call}: {name} must be finite, got {value!r}")
        least = 1 if name in PhysicsSystem.COUNTS else 0
        if not shape and numbers < least:
            raise ValueError(f"{call}: {name} must be at least {least}, got {value!r}")
        if name in PhysicsSystem.COUNTS and numbers != int(numbers):
            raise ValueError(f"{call}: {name} must be a whole number, got {value!r}")

    @recorded("world")
    def shift_origin(self, identity: int, position) -> np.ndarray:
        """Make the bounds in a system relative to a place near `position` (world [m], double precision): far from the origin,
        bounds are coarse, some 1e-7 of the distance. Return the new origin. Positions do not change, nothing wakes, and queries
        under way go on. Not from within an edit. Raises KeyError, ValueError, PoolFull, TimeoutError."""
        system = self.system(identity)
        if self.late.holds(int(system.row["index"])):
            raise RuntimeError("shift_origin: this thread is in the middle of an edit of the same space")
        return shift(system, position)

    @recorded("world")
    def destroy_system(self, identity: int) -> None:
        """Free a system with its characters. Bodies still in it stay alive, in no system."""
        index = self.system_index("free", identity)
        for character in self.character.ids_in("free", identity).tolist():
            self.character.destroy(character)
        rows = self.bodies.rows[: self.bodies.count]
        for body in np.flatnonzero((rows["id"] != 0) & (rows["system"] == index)):
            self.body.leave_system(int(body))
        with self._lock:
            self._systems.pop(index).close()
            sequence = (identity >> 32) + 1
            self._system_pool.rows[index]["id"] = 0
            self._free_systems.append((index, sequence & 0x7FFFFFFF or 1))

    def step(self, identity: int, delta_time: float, collision_steps: int = 1) -> None:
        """Step a system by `delta_time` [s], divided into `collision_steps` steps of collision and solving. Forces and targets of
        kinematic bodies are for all of them; contacts are reported for the last. Warns, LimitReached, once a second where a limit
        left something out. Raises errors of edits that other threads made during a step."""
        if not 0.0 <= delta_time < float("inf"):
            raise ValueError(f"step: delta_time must be at least 0 and finite, got {delta_time}")
        if collision_steps < 1:
            raise ValueError(f"step: collision_steps must be at least 1, got {collision_steps}")
        system = self.system(identity)
        if self.late.holds(int(system.row["index"])):
            raise RuntimeError("step: this thread is in the middle of an edit of the same space")
        self.prepare_step(system)
        try:
            for number in range(collision_steps):
                self.step_once(identity, delta_time / collision_steps, number, collision_steps - 1 - number)
        finally:
            self.late.settle()
        self.listener.call_python(system)
        if self.late.errors:
            raise self.late.errors.popleft()

    def prepare_step(self, system: PhysicsSystem) -> None:
        """Prepare a step, once for all of its `collision_steps`: masses follow shapes, old events are dropped."""
        if system.sensors.record["reported_count"]:
            forget_events(system.address)
        self.body.settle_shapes()

    def step_once(self, identity: int, delta_time: float, steps_done: int = 0, steps_left: int = 0) -> None:
        """One of the `collision_steps` of a step, of `delta_time` [s]; so many of them were made, so many follow."""
        system = self.system(identity)
        step = system.row["step"]
        step["steps_done"], step["steps_left"] = steps_done, steps_left
        try:
            system.step(delta_time, self.step_function)
        finally:
            step["steps_left"] = step["steps_done"] = 0
        if not steps_left:
            self.joint.retire_broken(system.row)
