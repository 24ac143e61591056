"""A space: bodies that may meet, simulated together."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engine_core.api import joint as joint_handle
from engine_core.api.adding import SpaceBodies
from engine_core.api.areas import Area, AreaEffect
from engine_core.api.arrays import NO_TURN, Floats, Vector, basis_of, read_only, rotations, twelve, vector
from engine_core.api.bodies import Bodies
from engine_core.api.body import Body
from engine_core.api.contacts import AreaEvents, ContactEvents
from engine_core.api.joint import Joint
from engine_core.api.joints import AnyJoint, Rope
from engine_core.api.materials import Names
from engine_core.api.queries import SpaceQueries
from engine_core.api.shapes import Shape
from engine_core.bodies.identity import kind_of
from engine_core.bodies.schema import KIND_BODY
from engine_core.pulley_interface import Pulley
from engine_core.solver.listeners import AFTER_STEP, BEFORE_STEP, SUB_STEP
from engine_core.vehicle_interface import AntiRollBar, Differential, Engine, Lean, Track, Vehicle, Wheel

if TYPE_CHECKING:
    from engine_core.api.world import World

MOMENTS = {"before": BEFORE_STEP, "sub-step": SUB_STEP, "after": AFTER_STEP}
MOST_POINTS = 1 << 20


@dataclass(frozen=True, kw_only=True)
class SpaceSettings:
    """How a space is simulated. Times [s], speeds [m/s] and [rad/s], frequencies [1/s], damping [1/s], lengths [m].

    `substep_count`: sub-steps of a step. `contact_hertz`, `contact_damping_ratio`: how firm contacts are. `joint_hertz`,
    `joint_damping_ratio`, `joint_iterations`: the same of what joints lock, and passes over joints in a sub-step.
    `push_out_speed` [m/s]: how fast overlap is resolved at most. `penetration_slop`, `articulated_penetration_slop` [m]:
    overlap that is left alone, of free bodies and of those on joints. `restitution_threshold` [m/s]: slower impacts do not
    bounce. `sleep_linear_threshold` [m/s], `sleep_angular_threshold` [rad/s], `time_to_sleep` [s]: who is slower for so long
    falls asleep."""

    linear_damp: float = 0.0
    angular_damp: float = 0.0
    substep_count: int = 4
    contact_hertz: float = 45.0
    contact_damping_ratio: float = 5.0
    joint_hertz: float = 60.0
    joint_damping_ratio: float = 5.0
    joint_iterations: int = 1
    push_out_speed: float = 3.0
    penetration_slop: float = 0.0
    articulated_penetration_slop: float = 0.005
    restitution_threshold: float = 1.0
    sleep_linear_threshold: float = 0.1
    sleep_angular_threshold: float = 0.1396
    time_to_sleep: float = 0.5
    is_sleeping_allowed: bool = True


class Listener:
    """A function that a space calls: what `Space.on_step` and `Space.on_waking` give. No quantities."""

    def __init__(self, remove: Callable[[], None]) -> None:
        self._remove = remove

    def remove(self) -> None:
        """Call it no more. Who may call: the thread that steps, between steps. Raises KeyError the second time."""
        self._remove()


class Space(SpaceBodies, SpaceQueries):
    """Bodies that may meet. Made by `World.add_space`.

        space = scree.World().add_space(gravity=(0, -9.81, 0))
        space.add_static(scree.Plane())
        ball = space.add_rigid(scree.Sphere(radius=0.5), position=(0, 3, 0))
        for _ in range(120):
            space.step(1 / 60)

    Units are SI: [m], [kg], [s], [rad]; vectors are (3,), quaternions x, y, z, w (4,), arrays of many (n, 3). Axes are
    right-handed, Y is up where gravity is as by default. Any thread may add, change, remove and ask at any time: while a step
    runs, changes take effect at its end, and nobody waits. Exceptions are said at each call: KeyError for what was removed,
    ValueError for bad values, PoolFull at a limit of the world. One thread at a time steps a space."""

    def __init__(self, world: "World", identity: int, settings: SpaceSettings) -> None:
        self._world, self._id, self._settings_value = world, identity, settings
        self._editing = threading.RLock()

    @property
    def id(self) -> int:
        """Its number, as the core's calls take it."""
        return self._id

    @property
    def world(self) -> "World":
        """The world it belongs to."""
        return self._world

    @property
    def core(self) -> Any:
        """The compiled face of the world (`engine_core/world.py`), for experts."""
        return self._world.core

    def __repr__(self) -> str:
        return f"<space {self._id}>"

    # Time.

    def step(self, seconds: float, collision_steps: int = 1) -> None:
        """Simulate by `seconds` [s], 1/60 for example, in so many steps of collision and solving. Compiled; other Python
        threads run meanwhile. Warns, `LimitReached`, where a limit of the world left something out. Raises ValueError,
        KeyError, and what was wrong with an edit that another thread asked for during a step, or with a listener."""
        with self._editing:
            self.core.step(self._id, seconds, collision_steps)

    @contextmanager
    def edits(self) -> Iterator[None]:
        """Many changes between the same two steps: no step of this space begins until the block ends, and one that runs is
        waited for. Inside, changes take effect at once and in their order. Queries of other threads see each body change as a
        whole, one body after the other. Any thread; blocks may be nested. Steps of experts by `core` do not wait."""
        with self._editing:
            yield

    @property
    def gravity(self) -> Floats:
        """[m/s^2], world axes, (3,). To set it wakes all bodies that it changes anything for."""
        return read_only(self._row()["gravity"].copy())

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        given = vector("gravity", "gravity", gravity)
        strength = float(np.linalg.norm(given))
        direction = given / strength if strength > 0.0 else (0.0, -1.0, 0.0)
        for name, value in (("gravity_vector", direction), ("gravity", strength)):
            self.core.space_set_area_param(self._id, name, value)

    @property
    def settings(self) -> SpaceSettings:
        """How it is simulated ([s], [m/s], [1/s]); set it between steps, with `dataclasses.replace` for a few of them. Raises
        ValueError."""
        return self._settings_value

    @settings.setter
    def settings(self, settings: SpaceSettings) -> None:
        for name, value in asdict(settings).items():
            self.core.system_set_param(self._id, name, value)
        self._settings_value = replace(settings)

    def shift_origin(self, position: Vector) -> None:
        """Have search trees be precise about a place, world [m] (3,), far from the origin. Positions stay as they are. The
        thread that steps, between steps. Raises ValueError."""
        self.core.shift_origin(self._id, vector("shift_origin", "position", position))

    def _row(self) -> Any:
        return self.core.system(self._id).row

    # What is in it.

    def body(self, identity: int) -> Body:
        """The body with an id, as hits, contacts and events tell it. No quantities; a stale id raises KeyError when it is
        used."""
        return Body(self, int(identity))

    @property
    def bodies(self) -> Bodies:
        """All its bodies, in the order of their rows."""
        core = self.core
        rows = core.bodies.rows[: core.bodies.count]
        ids = rows["id"][(rows["system"] == self._row()["index"]) & (rows["id"] != 0)]
        return Bodies(self, ids[kind_of(ids) == KIND_BODY])

    def add_area(
        self, shape: Shape, position: Vector = (0.0, 0.0, 0.0), rotation: Vector = NO_TURN, *, effect: AreaEffect | None = None,
        layer: str | None = None, sees: Names | None = None, watches_bodies: bool = True, watches_areas: bool = False,
        is_visible: bool = False,
    ) -> Area:  # fmt: skip
        """A volume that sees what enters it, at `position`, world [m] (3,), with `rotation`, a unit quaternion (4,).
        `effect`: what it does to gravity and damping. `sees`: names of the layers it looks at, all by default; `is_visible`:
        to other areas. Any thread, but with an effect. Raises ValueError, PoolFull."""
        core, layers = self.core, self._world.layers
        place = twelve(basis_of(rotations("add_area", rotation, 1)[0]), vector("add_area", "position", position))
        own, seen = layers.bits("add_area", layer or layers.names[0]), layers.bits("add_area", sees)
        identity = self._world.shapes.take(shape)
        area = Area(self, int(core.create_area(is_visible)))
        core.area_set_transform(area.id, place)
        core.area_add_shape(area.id, identity)
        core.area_set_collision_layer(area.id, own)
        core.area_set_collision_mask(area.id, seen)
        area.watch(watches_bodies, watches_areas)
        if effect is not None:
            area.set_effect(effect)
        core.area_set_system(area.id, self._id)
        return area

    def add_joint(self, joint: AnyJoint, body: Body, to: Body | None = None) -> Joint:
        """Join a body to another, or to the world, as both lie now; places and directions of the joint are world [m] (3,).
        The thread that steps, between steps. Raises ValueError, KeyError, PoolFull; then there is no joint."""
        return Joint(self, joint_handle.create(self.core, joint, body, to), joint.main_axis)

    def add_pulley(self, rope: Rope, body: Body, to: Body | None = None) -> Pulley:
        """Hang two bodies on one rope [m]. The pulley tells its `length` [m] and `tension` [N]. The thread that steps,
        between steps. Raises ValueError, KeyError."""
        made: Pulley = self.core.create_pulley(
            body.id, to.id if to else 0, rope.point, rope.to_point, rope.wheel, rope.to_wheel, rope.ratio, rope.shortest,
            rope.longest,
        )  # fmt: skip
        return made

    def add_vehicle(
        self, body: Body, wheels: Sequence[Wheel], *, engine: Engine | None = None, differentials: Sequence[Differential] = (),
        tracks: Sequence[Track] = (), anti_roll_bars: Sequence[AntiRollBar] = (), lean: Lean | None = None,
        forward: Vector = (0.0, 0.0, -1.0), up: Vector = (0.0, 1.0, 0.0), layers: Names | None = None,
    ) -> Vehicle:  # fmt: skip
        """Put a rigid body on wheels, whose places [m] (3,) and directions are in its frame. With `tracks` it is a tank, with
        `lean` a motorcycle. `layers`: names of what bears its wheels, by default what the body collides with. The thread that
        steps, between steps. Raises ValueError, KeyError."""
        mask = None if layers is None else self._world.layers.bits("add_vehicle", layers)
        made: Vehicle = self.core.create_vehicle(
            body.id, wheels, engine, differentials, tracks, anti_roll_bars, lean, forward, up, mask
        )
        return made

    # What the last step told.

    def contact_events(self) -> ContactEvents:
        """Contacts that began, lasted or ended in the last step, of bodies whose `contact_events` is not "none": arrays [m],
        [N s]. The thread that steps, between steps. Raises KeyError."""
        return ContactEvents(self.core.contact_events(self._id).copy())

    def contact_points(self, most: int = MOST_POINTS) -> Floats:
        """Where bodies touched in the last step, world [m], (n, 3), at most `most`. The thread that steps, between steps.
        Raises KeyError."""
        return np.asarray(self.core.system(self._id).contact_points(most))

    def area_events(self) -> AreaEvents:
        """What areas saw coming and going in the last step, as arrays; no quantities. The thread that steps, between steps.
        Raises KeyError."""
        return AreaEvents(self.core.area_events(self._id).copy())

    # Callbacks.

    def on_step(self, function: Any, moment: Literal["before", "sub-step", "after"] = "before") -> Listener:
        """Call `function(seconds)` in each step, with the length of the step or sub-step [s], on the thread that steps.
        Compiled functions, `void(int64, int64, float64)`, get the addresses of the space and 0 before it. What a Python
        function raises, `step` raises. Raises ValueError, PoolFull."""
        if moment not in MOMENTS:
            raise ValueError(f"on_step: moment must be one of {', '.join(MOMENTS)}, got {moment!r}")
        number = self.core.add_step_listener(self._id, function, MOMENTS[moment])
        return Listener(lambda: self.core.remove_step_listener(self._id, number))

    def on_waking(self, function: Callable[[Bodies, Bodies], None]) -> Listener:
        """Call `function(woke, slept)` after each step in which bodies began to move or fell asleep, on the thread that
        steps; one that was added counts as woken. No quantities. Raises ValueError."""

        def told(woke: Any, slept: Any) -> None:
            function(Bodies(self, woke), Bodies(self, slept))

        self.core.add_activation_listener(self._id, told)
        return Listener(lambda: self.core.remove_activation_listener(self._id, told))

    def remove(self) -> None:
        """Free the space with all its bodies. No step and no query of it may run. KeyError from here on."""
        self.bodies.remove()
        self.core.destroy_system(self._id)
