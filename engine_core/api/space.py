"""A space: bodies that may meet, and are simulated together."""

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..bodies.identity import kind_of
from ..bodies.schema import KIND_AREA, KIND_BODY
from ..core.numbers import FARTHEST
from ..core.pose_motors import PoseMotors, motors_between
from ..core.pulleys import Pulley
from ..core.soft_bodies import SoftBody
from ..core.vehicles import AntiRollBar, Differential, Engine, Lean, Track, Vehicle, Wheel
from ..core.water import Water, Wave
from ..step.physics_system import PhysicsSystem
from ..solver.listeners import AFTER_STEP, BEFORE_STEP, SUB_STEP
from . import joint as joint_handle
from .areas import Area, AreaEffect, check_effect
from .arrays import (
    NO_TURN, Floats, Ints, Numbers, Vector, Vectors, basis_of, errors_of_call, number, read_only, rotations, twelve,
    vector,
)  # fmt: skip
from .bodies import Bodies
from .body import Body
from .characters import SpaceCharacters
from .contacts import AreaEvents, ContactEvents
from .drawing import SpaceDrawing
from .joint import Joint
from .joint_values import AnyJoint, Rope
from .materials import Material, Names
from .new_bodies import DEFAULT_MATERIAL, SpaceBodies
from .owners import check_space
from .queries import SpaceQueries
from .ropes import RopeBody, add_rope, break_ropes
from .shapes import Shape
from .states import SpaceSaving

if TYPE_CHECKING:
    from .world import World

MOMENTS = {"before": BEFORE_STEP, "sub-step": SUB_STEP, "after": AFTER_STEP}
MOST_POINTS = 1 << 20


@dataclass(frozen=True, kw_only=True)
class SpaceSettings:
    """How a space is simulated. Times [s], speeds [m/s] and [rad/s], frequencies [1/s], lengths [m]; ratios have no unit.

    `linear_damp`, `angular_damp` [1/s]: rates at which all bodies lose velocity. `substep_count`: sub-steps of a step.
    `contact_hertz` [1/s], `contact_damping_ratio`: stiffness and damping of contacts. `joint_hertz` [1/s],
    `joint_damping_ratio`: the same for locked axes of joints. `joint_iterations`: passes over the joints in each sub-step.
    `push_out_speed` [m/s]: the highest speed at which overlap is resolved. `penetration_slop`, `articulated_penetration_slop`
    [m]: overlap that is tolerated, between free bodies and between bodies on joints. `restitution_threshold` [m/s]: slower
    impacts do not bounce; bodies that bounce well may be slower: what counts is the threshold times
    max(1 - restitution of the two, 0.01). `sleep_linear_threshold` [m/s], `sleep_angular_threshold` [rad/s], `time_to_sleep`
    [s]: a body that stays slower for this time falls asleep, if `is_sleeping_allowed`. Raises ValueError: all numbers are at
    least 0 and finite, `substep_count` and `joint_iterations` whole and at least 1."""

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

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            least = 1 if name in PhysicsSystem.COUNTS else 0
            given = number("SpaceSettings", name, value, least)
            if least and given != int(given):
                raise ValueError(f"SpaceSettings: {name} must be a whole number, got {value!r}")


def check_settings(call: str, settings: object) -> None:
    """Raises TypeError for what are no settings."""
    if not isinstance(settings, SpaceSettings):
        raise TypeError(f"{call}: a SpaceSettings is wanted, got {settings!r}")


class Listener:
    """A function that a space calls: the result of `Space.on_step` and `Space.on_waking`. No quantities."""

    def __init__(self, remove: Callable[[], None]) -> None:
        self._remove = remove

    def remove(self) -> None:
        """Stop calling the function. The thread that steps calls this, between steps. Raises KeyError the second time."""
        with errors_of_call("remove"):
            self._remove()


class Space(SpaceBodies, SpaceCharacters, SpaceQueries, SpaceSaving, SpaceDrawing):
    """Bodies that may meet. Made by `World.add_space`.

        space = scree.World().add_space(gravity=(0, -9.81, 0))
        space.add_static(scree.Plane())
        ball = space.add_rigid(scree.Sphere(radius=0.5), position=(0, 3, 0))
        for _ in range(120):
            space.step(1 / 60)

    Units are SI: [m], [kg], [s], [rad]. Vectors are (3,), quaternions x, y, z, w (4,), arrays of many (n, 3). Axes are
    right-handed, with Y up. Any thread may add, change, remove and ask at any time: changes made while a step runs take
    effect at its end, and nobody waits. One thread at a time steps a space. Calls raise KeyError for a thing that was
    removed, ValueError for bad values, PoolFull at a limit of the world."""

    __slots__ = ("_world", "_id", "_settings_value", "_editing", "_stepping_thread", "_breakable", "__weakref__")

    def __init__(self, world: "World", identity: int, settings: SpaceSettings) -> None:
        self._world, self._id, self._settings_value = world, identity, settings
        self._editing = threading.RLock()
        self._stepping_thread = 0
        self._states = None
        self._breakable: dict[RopeBody, None] = {}  # ropes with a strength, in the order in which they got it

    @property
    def id(self) -> int:
        """The number of the space, as the core's calls take it."""
        return self._id

    @property
    def world(self) -> "World":
        """The world that the space belongs to."""
        return self._world

    @property
    def core(self) -> Any:
        """The low-level interface of the world (`engine_core/core/world.py`), for experts."""
        return self._world.core

    def __repr__(self) -> str:
        return f"<space {self._id}>"

    # Time.

    def step(self, seconds: float, collision_steps: int = 1) -> None:
        """Simulate `seconds` [s], 1/60 for example, in `collision_steps` equal parts. The step is compiled; other Python
        threads run meanwhile. At its end, ropes break whose tension exceeds their strength. Warns with `LimitReached` where a
        limit of the world left something out. Raises ValueError, TypeError, KeyError, the error of an edit that another thread
        made during the step before, and the first error of a listener or of `RopeBody.on_break`: then the step was made to its
        end, and all listeners were called. Raises RuntimeError in a function that a step of this space calls; the step that
        is under way goes on."""
        if not isinstance(seconds, Real):
            raise TypeError(f"step: seconds must be a number, got {seconds!r}")
        if not isinstance(collision_steps, Integral):
            raise TypeError(f"step: collision_steps must be a whole number, got {collision_steps!r}")
        if not 0.0 <= seconds < math.inf:
            raise ValueError(f"step: seconds must be at least 0 and finite, got {seconds}")
        self._check_not_stepping("step")
        with self._editing:
            self.core.system_index("step", self._id)
            self._stepping_thread = threading.get_ident()
            try:
                self.core.step(self._id, float(seconds), int(collision_steps))
            finally:
                self._stepping_thread = 0
                break_ropes(self._breakable)

    def _check_not_stepping(self, call: str) -> None:
        """Raises RuntimeError in a function that a step calls: it would wait for its own step for ever."""
        if self._stepping_thread == threading.get_ident():
            raise RuntimeError(f"{call}: not in a function that a step of this space calls; the step is still under way")

    @contextmanager
    def edits(self) -> Iterator[None]:
        """Group changes between the same two steps, as a `with` block: no step of this space begins before the block ends,
        and the block waits for a step that is running. Changes take effect at once and in order. Queries of other threads see
        each body change as a whole, one body after the other. Any thread may use it; blocks may be nested. Steps that experts
        start through `core` do not wait."""
        with self._editing:
            yield

    @property
    def gravity(self) -> Floats:
        """Gravity [m/s^2], world axes, (3,). Assigning it wakes the bodies, at once or at the end of the step that is running."""
        return read_only(self._row("gravity")["settings"]["gravity"].copy())

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        given = vector("gravity", "gravity", gravity)
        strength = float(np.linalg.norm(given))
        direction = given / strength if strength > 0.0 else (0.0, -1.0, 0.0)

        def set_both() -> None:
            with errors_of_call("gravity"):
                for name, value in (("gravity_vector", direction), ("gravity", strength)):
                    self.core.area.set_space_param(self._id, name, value)

        self.core.late.run(self._id, set_both, self.core.system_index("gravity", self._id))

    @property
    def settings(self) -> SpaceSettings:
        """How the space is simulated ([s], [m/s], [1/s]). Assign it between steps, from `dataclasses.replace` for example.
        Raises TypeError."""
        return self._settings_value

    @settings.setter
    def settings(self, settings: SpaceSettings) -> None:
        check_settings("settings", settings)
        self.core.system_index("settings", self._id)
        for name, value in asdict(settings).items():
            self.core.system_set_param(self._id, name, value)
        self._settings_value = replace(settings)

    def shift_origin(self, position: Vector) -> Floats:
        """Make search trees precise about a place, world [m] (3,), that is far from the origin. Returns the place near it that
        trees are relative to now, world [m] (3,). Positions do not change. The thread that steps calls this, between steps.
        Raises ValueError, KeyError, and RuntimeError in a function that a step calls."""
        self._check_not_stepping("shift_origin")
        self.core.system_index("shift_origin", self._id)
        return read_only(self.core.shift_origin(self._id, vector("shift_origin", "position", position)))

    def _row(self, call: str) -> Any:
        self.core.system_index(call, self._id)
        return self.core.system(self._id).row

    # What is in it.

    def body(self, identity: int) -> Body:
        """The body with an id, as hits, contacts and events report it. No quantities. Never raises; a stale id raises when it
        is used."""
        return Body(self, int(identity))

    @property
    def bodies(self) -> Bodies:
        """All bodies of the space, in the order of their rows."""
        return Bodies(self, self._ids("bodies", KIND_BODY))

    def _ids(self, call: str, kind: int) -> Ints:
        rows = self.core.bodies.rows[: self.core.bodies.count]
        ids = rows["id"][(rows["system"] == self._row(call)["index"]) & (rows["id"] != 0)]
        return np.asarray(ids[kind_of(ids) == kind])

    def add_area(
        self, shape: Shape, position: Vector = (0.0, 0.0, 0.0), rotation: Vector = NO_TURN, *, effect: AreaEffect | None = None,
        layer: str | None = None, sees: Names | None = None, watches_bodies: bool = True, watches_areas: bool = False,
        is_visible: bool = False,
    ) -> Area:  # fmt: skip
        """Add a volume that sees bodies enter and leave, at `position`, world [m] (3,), with `rotation`, a unit quaternion
        (4,). `effect`: its gravity and damping. `layer`: the name of its own layer; `sees`: names of the layers that it looks
        at, by default all. `is_visible`: whether other areas see it. Any thread may call. Raises ValueError, TypeError,
        KeyError, PoolFull; then there is no area."""
        core, layers = self.core, self._world.layers
        core.system_index("add_area", self._id)
        if effect is not None:
            check_effect("add_area", effect)
        place = twelve(basis_of(rotations("add_area", rotation, 1)[0]), vector("add_area", "position", position, most=FARTHEST))
        own, seen = layers.bits("add_area", layer or layers.names[0]), layers.bits("add_area", sees)
        identity = self._world.shapes.take(shape, 1, "add_area")
        with self._world.shapes.given_back_unless_done([identity]):
            area = Area(self, self._area_with(identity, is_visible))
        try:
            core.area.set_transform(area.id, place)
            core.area.set_collision_layer(area.id, own)
            core.area.set_collision_mask(area.id, seen)
            area.watch(watches_bodies, watches_areas)
            if effect is not None:
                area.set_effect(effect)
            core.area.set_system(area.id, self._id)
        except BaseException:
            area.remove()
            raise
        return area

    def _area_with(self, shape: int, is_visible: bool) -> int:
        """The id of a new area of the core with a shape of the core. Raises PoolFull; then there is no area."""
        area = int(self.core.area.create(is_visible))
        try:
            self.core.area.add_shape(area, shape)
        except BaseException:
            self.core.area.destroy(area)
            raise
        return area

    def add_joint(self, joint: AnyJoint, body: Body, to: Body | None = None) -> Joint:
        """Join a body to another, or to the world, as both lie now; places and directions of the joint are world [m] (3,).
        The thread that steps calls this, between steps. Raises ValueError, also for a body of another space, KeyError,
        PoolFull; then there is no joint."""
        self._check_joined("add_joint", body, to)
        return Joint(self, joint_handle.create(self.core, joint, body, to), joint.main_axis)

    def add_pulley(self, rope: Rope, body: Body, to: Body | None = None) -> Pulley:
        """Hang two bodies on one rope [m]. The result has its `length` [m] and `tension` [N]. The thread that steps calls
        this, between steps. Raises ValueError, also for a body of another space, KeyError."""
        self._check_joined("add_pulley", body, to)
        places = rope.point, rope.to_point, rope.wheel, rope.to_wheel
        names = {"point_a": "point", "point_b": "to_point", "fixed_a": "wheel", "fixed_b": "to_wheel"}
        with errors_of_call("add_pulley", **names):
            made: Pulley = self.core.pulley.create(body.id, to.id if to else 0, *places, rope.ratio, rope.shortest, rope.longest)
        return made

    def add_rope(
        self, points: Vectors, *, mass: float = 1.0, radius: float = 0.02, rod_length: float = 0.2,
        material: Material = DEFAULT_MATERIAL, layer: str | None = None, damping: float = 0.5,
        strength: float = math.inf, bending: float = 0.0, twisting: float = 0.0,
    ) -> RopeBody:  # fmt: skip
        """Add a rope, cable or chain along a line of `points`, world [m] (k, 3): rods of at most `rod_length` [m] and of `radius`
        [m] on ball joints, of `mass` [kg] all together. Nothing stretches it, and it meets the world as all bodies do. `damping`
        [1/s]: the rate at which its rods lose velocity. `layer`: the name of its layer, by default the first. `strength` [N]: the
        tension above which it breaks, see `RopeBody.strength`. `bending` EI and `twisting` GJ [N m^2]: what it resists to these,
        from the line along which it was laid. Its ends are loose until `RopeBody.tie_start` and `tie_end`. The
        thread that steps calls this, between steps. Raises ValueError, KeyError, PoolFull; then there is no rope."""
        return add_rope(self, points, mass, radius, rod_length, material, layer, damping, strength, bending, twisting)

    def _check_joined(self, call: str, body: Body, to: Body | None) -> None:
        joined = [body] if to is None else [body, to]
        check_space(call, self, joined)
        for one in joined:
            self.core.body.index(call, one.id)
        if body == to:
            raise ValueError(f"{call}: body and to must differ, got {body!r} twice")

    def add_pose_motors(self, parents: Sequence[Body], bodies: Sequence[Body]) -> PoseMotors:
        """Add motors that turn bodies to a pose, as muscles do: each body against its parent, with which it has a joint. No
        quantities; `PoseMotors.aim` has them. The thread that steps calls this and the methods, between steps. Raises KeyError,
        ValueError for two bodies without a joint."""
        check_space("add_pose_motors", self, [*parents, *bodies])
        if len(parents) != len(bodies):
            raise ValueError(f"add_pose_motors: as many parents as bodies are wanted, got {len(parents)} and {len(bodies)}")
        with errors_of_call("add_pose_motors"):
            return motors_between(self.core, [body.id for body in parents], [body.id for body in bodies])

    def add_vehicle(
        self, body: Body, wheels: Sequence[Wheel], *, engine: Engine | None = None, differentials: Sequence[Differential] = (),
        tracks: Sequence[Track] = (), anti_roll_bars: Sequence[AntiRollBar] = (), lean: Lean | None = None,
        forward: Vector = (0.0, 0.0, -1.0), up: Vector = (0.0, 1.0, 0.0), layers: Names | None = None,
    ) -> Vehicle:  # fmt: skip
        """Put a rigid body on wheels, whose places [m] (3,) and directions are in the frame of the body. It is a tank with
        `tracks`, and a motorcycle with `lean`. `layers`: names of the layers that bear the wheels, by default those that the
        body collides with. The thread that steps calls this, between steps. Raises ValueError, KeyError."""
        check_space("add_vehicle", self, [body])
        mask = None if layers is None else self._world.layers.bits("add_vehicle", layers)
        with errors_of_call("add_vehicle"):
            made: Vehicle = self.core.vehicle.create(
                body.id, wheels, engine, differentials, tracks, anti_roll_bars, lean, forward, up, mask
            )
        return made

    def add_soft_body(
        self, vertices: Vectors, triangles: Vectors, *, mass: float = 1.0, stiffness: float = 500.0, bending: float = 0.0,
        pressure: float = 0.0, damping: float = 0.0, drag: float = 0.0, friction: float = 1.0, radius: float | None = None,
        precision: int = 5, pins: Numbers = (), tethers: float | None = None, layer: str | None = None,
        sees: Names | None = None,
    ) -> SoftBody:  # fmt: skip
        """Add cloth or a soft closed surface of `vertices`, world [m] (n, 3), and `triangles`, numbers of vertices (m, 3),
        counter-clockwise seen from outside. Vertices at one place are one particle. `mass` [kg] of all; `stiffness` of edges
        and `bending` of the corners across them [N/m]; `pressure` inside times volume [J], for closed surfaces; `damping`
        [1/s]; `drag` coefficient; `radius` of the particles [m], by default a quarter of an edge, at most 0.02; `precision`:
        small steps in 1/240 s; `pins`: numbers of particles (k,) that stay; `tethers`: the slack of tethers, which keep each
        particle near its nearest pin, such as 0.02; None: no tethers. `layer`: the name of its own layer; `sees`: names of the
        layers that it collides with, by default all. The thread that steps calls this, between steps; its methods too.
        Raises ValueError, KeyError; then there is no soft body."""
        layers = self._world.layers
        own, seen = layers.bits("add_soft_body", layer or layers.names[0]), layers.bits("add_soft_body", sees)
        with errors_of_call("add_soft_body"):
            made: SoftBody = self.core.soft_body.create(self._id, vertices, triangles, mass, stiffness, bending)
            try:
                settings = {"damping": damping, "drag": drag, "friction": friction, "pressure": pressure}
                for name, value in (settings if radius is None else {**settings, "radius": radius}).items():
                    made.set_setting(name, value)
                made.set_precision(precision)
                made.pin(pins)
                made.set_tethers(tethers)
                made.set_layers(own, seen)
            except BaseException:
                made.remove()
                raise
        return made

    def add_water(
        self, position: Vector, size: Vector, rotation: Vector = NO_TURN, *, density: float = 1000.0, drag: float = 0.5,
        damping: float = 1.0, spin_damping: float = 1.0, flow: Vector = (0.0, 0.0, 0.0), waves: Sequence[Wave] = (),
        layers: Names | None = None, gravity: float | None = None,
    ) -> Water:  # fmt: skip
        """Add water in a box: `position` is the middle of its surface at rest, world [m] (3,), `size` x, depth and z [m] (3,),
        and `rotation` a quaternion (4,) of its axes, of which y is up. It carries rigid bodies of convex shapes and of bricks.
        `density` [kg/m^3]; `drag`: a coefficient, for a force that grows with the square of the speed; `damping`,
        `spin_damping` [1/s]: brake motion and turning, for each mass of displaced water; `flow`: its velocity, world [m/s]
        (3,); `waves`: at most 8; `layers`: names of the layers of the bodies that it carries, by default all; `gravity`
        [m/s^2], by default that of the space. The thread that steps calls this, between steps; its methods too. Raises
        ValueError, KeyError; then there is no water."""
        bits = self._world.layers.bits("add_water", layers)
        with errors_of_call("add_water"):
            made: Water = self.core.water.create(
                self._id, position, size, rotation, bits, gravity, flow, waves, density=density, drag=drag, damping=damping,
                spin_damping=spin_damping,
            )  # fmt: skip
        return made

    # Reports of the last step.

    def contact_events(self) -> ContactEvents:
        """Contacts that began, lasted or ended in the last step, as arrays [m], [N s], of bodies whose `contact_events` is
        not "none". The thread that steps calls this, between steps. Raises KeyError."""
        with errors_of_call("contact_events"):
            return ContactEvents(self.core.contact.events(self._id).copy())

    def contact_points(self, most: int = MOST_POINTS) -> Floats:
        """Points where bodies touched in the last step, world [m], (n, 3), at most `most`. The thread that steps calls this,
        between steps. Raises KeyError."""
        with errors_of_call("contact_points"):
            return np.asarray(self.core.system(self._id).contact_points(most))

    def area_events(self) -> AreaEvents:
        """Bodies and areas that entered or left areas in the last step, as arrays; no quantities. The thread that steps calls
        this, between steps. Raises KeyError."""
        with errors_of_call("area_events"):
            return AreaEvents(self.core.area.events(self._id).copy())

    # Callbacks.

    def on_step(self, function: Any, moment: Literal["before", "sub-step", "after"] = "before") -> Listener:
        """Have `function(seconds)` called in each step, with the length of the step or sub-step [s], on the thread that
        steps. A compiled function, `void(int64, int64, float64)`, gets the address of the core's record of the space and 0 as
        well. An error that a Python function raises does not end the step: `step` raises the first one when it is over, and
        the function is called again in the next step. It must not step the space. Raises ValueError, KeyError, PoolFull."""
        if moment not in MOMENTS:
            raise ValueError(f"on_step: moment must be one of {', '.join(MOMENTS)}, got {moment!r}")
        with errors_of_call("on_step"):
            number = self.core.listener.add(self._id, function, MOMENTS[moment])
        return Listener(lambda: self.core.listener.remove(self._id, number))

    def on_waking(self, function: Callable[[Bodies, Bodies], None]) -> Listener:
        """Have `function(woke, slept)` called with two `Bodies` after each step in which bodies began to move or fell asleep,
        on the thread that steps. A new body counts as woken. `step` raises an error of the function after all functions
        were called. It must not step the space. No quantities. Raises ValueError, KeyError."""

        def report(woke: Any, slept: Any) -> None:
            function(Bodies(self, woke), Bodies(self, slept))

        if not callable(function):
            raise ValueError(f"on_waking: a function is wanted, got {function!r}")
        with errors_of_call("on_waking"):
            self.core.listener.add_activation(self._id, report)
        return Listener(lambda: self.core.listener.remove_activation(self._id, report))

    def remove(self) -> None:
        """Free the space with all its bodies and areas. No step and no query of it may be running. Raises KeyError, and
        RuntimeError in a function that a step calls."""
        self._check_not_stepping("remove")
        for identity in self._ids("remove", KIND_AREA).tolist():
            Area(self, identity).remove()
        self.bodies.remove()
        self.core.destroy_system(self._id)
