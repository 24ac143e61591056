"""One body: a small value that names it."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..batches.editing import edit_bodies
from ..bodies.schema import CAN_SLEEP, CONTINUOUS, KIND_BODY, RIGID
from ..core.numbers import FARTHEST, FASTEST
from ..edit import motion_edits
from ..edit.setting_edits import LARGEST
from .arrays import (
    NO_TURN, Floats, Vector, basis_of, errors_of_call, number, read_only, rotations, twelve, vector,
)  # fmt: skip
from .bodies import Bodies
from .handle import Handle
from .materials import Material, Names
from .owners import check_world
from .shapes import Shape, check_moves
from .structures import Piece, break_apart

if TYPE_CHECKING:
    from .areas import Area
    from .space import Space

MODES = ("static", "kinematic", "rigid", "rigid linear")
MOST_OF_SUM = 1.0 + 1e-5
"""How much the largest moment of inertia may pass the sum of the other two: single precision of a thin plate."""
CONTACT_EVENTS = ("none", "changes", "all")
AXES = {"x": 1, "y": 2, "z": 4}


class Body(Handle):
    """A body of a space: the result of `Space.add_rigid`, `add_static` and `add_kinematic`. Two handles of one body are
    equal.

    Positions and velocities are those of the body's origin, which is the origin of its shape, in world axes. Vectors are
    (3,); values that are read are copies. Positions are at most 1e12 m,
    velocities 1e8 m/s and 1e8 rad/s along an axis. Any thread may call; a change takes effect at once, or at the end of the
    step that is running. Every call raises KeyError after the body was removed and ValueError for bad numbers, naming the call
    and the value."""

    __slots__ = ("_many",)

    def __init__(self, space: "Space", identity: int) -> None:
        super().__init__(space, identity)
        self._many = Bodies(space, np.array([identity], np.int64))

    @property
    def exists(self) -> bool:
        """Whether the body was not removed yet."""
        return bool(self._space.core.bodies.has(self._id, KIND_BODY))

    @property
    def mode(self) -> str:
        """How the body moves: "static", "kinematic" or "rigid". Can be assigned. Raises ValueError for a rigid body with a
        `Plane`, `Mesh` or `HeightField`."""
        return MODES[int(self._one("mode"))]

    @mode.setter
    def mode(self, mode: Literal["static", "kinematic", "rigid"]) -> None:
        if mode not in MODES:
            raise ValueError(f"mode: it must be one of {', '.join(MODES[:3])}, got {mode!r}")
        if MODES.index(mode) >= RIGID:
            for shape in self.shapes:
                check_moves("mode", shape)
        self._edit("mode", self._space.core.body.set_mode, MODES.index(mode))

    def _one(self, name: str, call: str = "") -> Any:
        """A field of the core's record of the body; errors name `call`, by default the name of the field."""
        return self._many.field(call or name, name)[0]

    # Motion.

    @property
    def position(self) -> Floats:
        """World position of the origin [m], (3,). Assigning it is a jump, and leaves how the body is turned; a kinematic body
        arrives in the next step."""
        return read_only(self._many.positions[0])

    @position.setter
    def position(self, position: Vector) -> None:
        self._many.positions = vector("position", "position", position, most=FARTHEST)

    @property
    def rotation(self) -> Floats:
        """Unit quaternion x, y, z, w, (4,). Assigning turns the body about its origin, which stays where it is or is on its way
        to."""
        return read_only(self._many.rotations[0])

    @rotation.setter
    def rotation(self, rotation: Vector) -> None:
        self._many.rotations = rotations("rotation", rotation, 1)[0]

    @property
    def basis(self) -> Floats:
        """The rotation as a matrix (3, 3), whose columns are the axes of the body in the world."""
        return read_only(basis_of(self.rotation))

    def move(self, position: Vector, rotation: Vector | None = None) -> None:
        """Put the origin to `position` [m] (3,) and turn the body to `rotation`, a unit quaternion (4,); None leaves it.
        Velocities do not change. A kinematic body arrives in the next step, at the velocity which that takes, and pushes
        bodies out of its way. Raises ValueError, KeyError."""
        place = vector("move", "position", position, most=FARTHEST)
        if rotation is None:
            edit_bodies(self._space.core, "move", self._many._ids, motion_edits.set_origin, place[None])
        else:
            self._many.move(place, rotations("move", rotation, 1)[0])

    @property
    def velocity(self) -> Floats:
        """World velocity of the origin [m/s], (3,). Only a rigid body accepts one."""
        return read_only(self._many.velocities[0])

    @velocity.setter
    def velocity(self, velocity: Vector) -> None:
        self._many.velocities = vector("velocity", "velocity", velocity, most=FASTEST)

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity, world axes [rad/s], (3,). Assigning leaves the velocity of the centre of mass as it is; only a
        rigid body accepts one."""
        return read_only(self._many.angular_velocities[0])

    @angular_velocity.setter
    def angular_velocity(self, velocity: Vector) -> None:
        self._many.angular_velocities = vector("angular_velocity", "angular_velocity", velocity, most=FASTEST)

    def set_surface_velocity(self, linear: Vector, angular: Vector = (0.0, 0.0, 0.0)) -> None:
        """Let the surface of a static or kinematic body run, as on a conveyor: `linear` [m/s] (3,) and `angular` [rad/s] (3,)
        about its centre of mass, world axes. Raises ValueError for a rigid body, KeyError."""
        call = "set_surface_velocity"
        if self._one("mode", call) >= RIGID:
            raise ValueError(f"{call}: only a static or kinematic body has a running surface, this one is rigid")
        for edit, value in ((motion_edits.set_linear_velocity, linear), (motion_edits.set_angular_velocity, angular)):
            self._many._give(call, edit, value)

    def apply_impulse(self, impulse: Vector, offset: Vector | None = None) -> None:
        """Apply an impulse [N s] (3,), world axes, at the centre of mass, or at `offset` [m] (3,) from the origin, world
        axes. The velocity changes at once; a body that is not rigid ignores it. Raises ValueError, KeyError."""
        self._many.apply_impulses(impulse, offset)

    def apply_torque_impulse(self, impulse: Vector) -> None:
        """Apply an angular impulse [N m s] (3,), world axes. Raises ValueError, KeyError."""
        self._many.apply_torque_impulses(impulse)

    def apply_force(self, force: Vector, offset: Vector | None = None) -> None:
        """Apply a force [N] (3,), world axes, during the next step, at the centre of mass, or at `offset` [m] (3,) from the
        origin. Raises ValueError, KeyError."""
        self._many.apply_forces(force, offset)

    def apply_torque(self, torque: Vector) -> None:
        """Apply a torque [N m] (3,), world axes, during the next step. Raises ValueError, KeyError."""
        self._many.apply_torques(torque)

    def set_constant_force(self, force: Vector, torque: Vector = (0.0, 0.0, 0.0)) -> None:
        """Apply a force [N] and a torque [N m], (3,) each, world axes, in every step from now on. Raises ValueError,
        KeyError."""
        self._many.set_constant_forces(force, torque)

    def lock_axes(self, linear: str = "", angular: str = "") -> None:
        """Keep the body from moving along some world axes and from turning about some: letters of "xyz", in any order; it is
        free along and about all others. Raises ValueError, KeyError."""
        wanted = sum({AXES.get(axis, 64) for axis in linear}) | sum({AXES.get(axis, 64) for axis in angular}) << 3
        if wanted >= 64:
            raise ValueError(f"lock_axes: axes are x, y and z, got {linear!r} and {angular!r}")

        def lock() -> None:
            for axis in (1, 2, 4, 8, 16, 32):
                self._space.core.body.set_axis_lock(self._id, axis, bool(wanted & axis))

        self._late("lock_axes", lock)

    def test_motion(self, motion: Vector, margin: float = 0.001) -> tuple[Floats, Floats]:
        """Find how far the body would get by `motion` [m] (3,) from its place, keeping `margin` [m]. Gives the way that is
        free, which includes the way out of an overlap, and the rest of the motion, (3,) each [m]. Nothing moves. Raises
        ValueError, KeyError."""
        self._space.core.body.index("test_motion", self._id)
        place = twelve(basis_of(self.rotation), self.position)
        with errors_of_call("test_motion"):
            answer, _ = self._space.queries.body_test_motion(self._id, place, motion, margin)
        return answer["travel"].copy(), answer["remainder"].copy()

    # Sleep.

    @property
    def is_asleep(self) -> bool:
        """Whether the body sleeps: it costs nothing until something touches it."""
        return bool(self._many.is_asleep[0])

    def wake(self) -> None:
        """Wake the body, and all bodies that sleep with it. Raises KeyError."""
        self._many.wake()

    def sleep(self) -> None:
        """Put the body to sleep; its velocities become zero. Raises KeyError."""
        self._many.sleep()

    @property
    def can_sleep(self) -> bool:
        """Whether the body may fall asleep. Can be assigned."""
        return bool(self._one("flags", "can_sleep") & np.uint32(CAN_SLEEP))

    @can_sleep.setter
    def can_sleep(self, can_sleep: bool) -> None:
        self._edit("can_sleep", self._space.core.body.set_can_sleep, can_sleep)

    @property
    def continuous(self) -> bool:
        """Whether the body is swept against others at any speed, and not only when it is fast for its size. Can be assigned."""
        return bool(self._one("flags", "continuous") & np.uint32(CONTINUOUS))

    @continuous.setter
    def continuous(self, is_continuous: bool) -> None:
        self._edit("continuous", self._space.core.body.set_continuous, is_continuous)

    # Mass and damping.

    @property
    def mass(self) -> float:
        """Mass [kg], above 0. Can be assigned."""
        return self._number("mass")

    @mass.setter
    def mass(self, mass: float) -> None:
        self._set("mass", number("mass", "mass", mass))

    @property
    def center_of_mass(self) -> Floats:
        """Centre of mass in the frame of the body, from its origin [m], (3,). It follows from the shapes unless one is
        assigned."""
        return read_only(np.array(self._param("center_of_mass"), np.float64))

    @center_of_mass.setter
    def center_of_mass(self, center: Vector) -> None:
        self._set("center_of_mass", vector("center_of_mass", "center_of_mass", center))

    @property
    def inertia(self) -> Floats:
        """Moments of inertia about the axes of the body through its centre of mass [kg m^2], (3,). They follow from mass and
        shapes unless some are assigned; 0 lets an axis follow again. Raises ValueError where one is larger than the sum of the
        other two, which no body has."""
        return read_only(np.array(self._param("inertia"), np.float64))

    @inertia.setter
    def inertia(self, inertia: Vector) -> None:
        given = vector("inertia", "inertia", inertia)
        if (given > 0.0).all() and 2.0 * given.max() > given.sum() * MOST_OF_SUM:
            raise ValueError(f"inertia: none may be larger than the sum of the other two, got {given.tolist()}")
        self._set("inertia", given)

    @property
    def gravity_scale(self) -> float:
        """How many times gravity acts on the body; no unit. Can be assigned."""
        return self._number("gravity_scale")

    @gravity_scale.setter
    def gravity_scale(self, scale: float) -> None:
        self._set("gravity_scale", number("gravity_scale", "gravity_scale", scale))

    @property
    def linear_damp(self) -> float:
        """Rate at which the body loses velocity, added to that of the space [1/s]. Can be assigned."""
        return self._number("linear_damp")

    @linear_damp.setter
    def linear_damp(self, damp: float) -> None:
        self._set("linear_damp", number("linear_damp", "linear_damp", damp))

    @property
    def angular_damp(self) -> float:
        """Rate at which the body loses angular velocity, added to that of the space [1/s]. Can be assigned."""
        return self._number("angular_damp")

    @angular_damp.setter
    def angular_damp(self, damp: float) -> None:
        self._set("angular_damp", number("angular_damp", "angular_damp", damp))

    @property
    def max_linear_velocity(self) -> float:
        """The highest speed of the centre of mass [m/s], at least 0; `math.inf`, as at first, for no limit. Can be assigned.

        A higher velocity keeps its direction and is cut down in the next step, whatever it comes from: gravity, forces,
        impulses, contacts, joints or an assignment. No velocity takes the body farther in a step, and none that is higher is
        read after it. Forces on a limited body press on what it touches in full. Faster bodies come into it, and joints to them
        open, as it stays behind. A kinematic or static body ignores it. Raises ValueError for NaN and negative numbers."""
        return self._number("max_linear_velocity")

    @max_linear_velocity.setter
    def max_linear_velocity(self, most: float) -> None:
        self._set_limit("max_linear_velocity", most)

    @property
    def max_angular_velocity(self) -> float:
        """The highest angular velocity [rad/s], at least 0; `math.inf`, as at first, for no limit. Can be assigned. The axis is
        kept; the rest is as for `max_linear_velocity`. A joint about which the body swings opens where this limit is the only
        one: limit the speed too. Raises ValueError for NaN and negative numbers."""
        return self._number("max_angular_velocity")

    @max_angular_velocity.setter
    def max_angular_velocity(self, most: float) -> None:
        self._set_limit("max_angular_velocity", most)

    def _set_limit(self, name: str, most: float) -> None:
        self._set(name, min(number(name, name, most, least=0.0, may_be_infinite=True), LARGEST))

    def _number(self, name: str) -> float:
        return float(self._param(name))

    def _param(self, name: str) -> Any:
        with errors_of_call(name):
            return self._space.core.body.param(self._id, name)

    def _set(self, name: str, value: Any) -> None:
        self._edit(name, self._space.core.body.set_param, name, value)

    # Shapes.

    @property
    def shapes(self) -> list[Shape | None]:
        """The shapes of the body, by number; None stands for a shape that an expert made through the core."""
        core, table = self._space.core, self._space.world.shapes
        with errors_of_call("shapes"):
            ids = [core.body.shape(self._id, number) for number in range(core.body.shape_count(self._id))]
            return [table.value(core.shape.index("shapes", identity)) for identity in ids]

    def add_shape(self, shape: Shape, position: Vector = (0.0, 0.0, 0.0), rotation: Vector = NO_TURN) -> None:
        """Add a shape at `position` [m] (3,) with `rotation`, a unit quaternion (4,), in the frame of the body. The mass is
        spread over all shapes by volume. Raises ValueError, KeyError, PoolFull."""
        turn, origin = rotations("add_shape", rotation, 1)[0], vector("add_shape", "position", position)
        core, table = self._space.core, self._space.world.shapes
        core.body.index("add_shape", self._id)
        if int(self._one("mode")) >= RIGID:
            check_moves("add_shape", shape)
        identity = table.take(shape, 1, "add_shape")

        def add() -> None:
            with table.given_back_unless_done([identity]):
                core.body.add_shape(self._id, identity, twelve(basis_of(turn), origin))

        self._late("add_shape", add)

    def remove_shape(self, number: int) -> None:
        """Remove the shape with a number; the numbers of the shapes after it go down by one. Raises ValueError, KeyError."""
        core = self._space.core

        def remove() -> None:
            index = core.shape.index("remove_shape", core.body.shape(self._id, number))
            core.body.remove_shape(self._id, number)
            self._space.world.shapes.drop(index)

        self._late("remove_shape", remove)

    def break_apart(
        self, budget: int | None = None, density: float | None = None, most: int | None = None
    ) -> list[Piece]:  # fmt: skip
        """Make bodies of the pieces of the body's `Structure` that came apart, since bricks were removed: rigid ones at the same
        place, whose matter moves on as it did, so that momentum and angular momentum are kept. The last or largest piece
        stays with this body. `budget`: look at this many bricks at most, and then move as many to new bodies, or one piece of
        more; go on with the next call. Nothing breaks before the search is over. `most`: make so many bodies at most, and the
        others with the next calls; until then they stay with this body. Pieces have room for four times their bricks, and for
        4,096. `density` [kg/m^3] of the new bodies: by default that of this one. The thread that steps calls this, between
        steps. Raises ValueError unless the structure is this body's only shape and `breaks`; KeyError, PoolFull."""
        return break_apart(self, budget, density, most)

    def _late(self, call: str, action: Callable[[], None]) -> None:
        """Do several edits as one: now, or at the end of the step that is running. Errors name `call`."""
        self._space.core.body.index(call, self._id)

        def edit() -> None:
            with errors_of_call(call):
                action()

        self._space.core.late.run(self._id, edit)

    def _edit(self, call: str, change: Callable[..., None], *arguments: Any) -> None:
        """Have a method of the core change the body: now, or at the end of the step that is running. Errors name `call`."""
        self._late(call, lambda: change(self._id, *arguments))

    # Surface and collision filters.

    @property
    def material(self) -> Material:
        """Friction and restitution (no units) of the surface. Can be assigned."""
        # By way of text: 0.8 comes back as 0.8, not as what single precision makes of it.
        friction, restitution = (float(str(self._one(name, "material"))) for name in ("friction", "restitution"))
        return Material(friction=abs(friction), restitution=abs(restitution), rough=friction < 0.0, absorbent=restitution < 0.0)

    @material.setter
    def material(self, material: Material) -> None:
        if not isinstance(material, Material):
            raise TypeError(f"material: a Material is wanted, got {material!r}")

        def set_both() -> None:
            for name, value in zip(("friction", "restitution"), material.signed(), strict=True):
                self._space.core.body.set_param(self._id, name, value)

        self._late("material", set_both)

    @property
    def layer(self) -> str:
        """Name of the collision layer (`Layers`). Assigning one also sets `mask` to the layers that it collides with."""
        return self._space.world.layers.named(int(self._one("collision_layer", "layer")))[0]

    @layer.setter
    def layer(self, name: str) -> None:
        self._edit("layer", self._space.core.body.set_object_layer, self._space.world.layers.number("layer", name))

    @property
    def mask(self) -> tuple[str, ...]:
        """Names of the layers that the body collides with. Two bodies collide if each one's mask has the other's layer. Can
        be assigned."""
        return self._space.world.layers.named(int(self._one("collision_mask", "mask")))

    @mask.setter
    def mask(self, names: Names) -> None:
        self._edit("mask", self._space.core.body.set_collision_mask, self._space.world.layers.bits("mask", names))

    def ignore(self, other: "Body", is_ignored: bool = True) -> None:
        """Let the body pass through another one whatever their layers are, or no longer. Raises KeyError, and
        ValueError for a body of another World."""
        check_world("ignore", self._space, [other])
        core = self._space.core
        core.body.index("ignore", other.id)
        self._edit("ignore", core.body.add_exception if is_ignored else core.body.remove_exception, other.id)

    @property
    def contact_events(self) -> str:
        """The contacts of the body that `Space.contact_events` reports: "none", "changes" (those that begin or end) or "all". Can
        be assigned."""
        with errors_of_call("contact_events"):
            return CONTACT_EVENTS[int(self._space.core.contact.events_of(self._id))]

    @contact_events.setter
    def contact_events(self, level: Literal["none", "changes", "all"]) -> None:
        if level not in CONTACT_EVENTS:
            raise ValueError(f"contact_events: it must be one of {', '.join(CONTACT_EVENTS)}, got {level!r}")
        self._edit("contact_events", self._space.core.contact.set_events, CONTACT_EVENTS.index(level))

    @property
    def contact_class(self) -> str:
        """Name of the class whose rules the contacts of the body follow (`World.set_contact_rule`); "default" for a new body.
        Can be assigned."""
        with errors_of_call("contact_class"):
            return self._space.world.contact_class_name(self._space.core.contact.class_of(self._id))

    @contact_class.setter
    def contact_class(self, name: str) -> None:
        self._space.core.body.index("contact_class", self._id)
        number = self._space.world.contact_class_number(name)
        self._edit("contact_class", self._space.core.contact.set_class, number)

    def remove(self) -> None:
        """Free the body and its joints; bodies that lay on it wake. Raises KeyError."""
        self._many.remove()


def ids_of(call: str, space: "Space", things: "Iterable[Body | Area]") -> list[int]:
    """The ids of bodies or areas of the world of a space, given as `Bodies` or one by one. Raises ValueError."""
    if isinstance(things, Bodies):
        if things.space.world is not space.world:
            raise ValueError(f"{call}: {things!r} belong to another World")
        return [int(identity) for identity in things.ids]
    try:
        given = list(things)
    except TypeError:
        raise TypeError(f"{call}: bodies or areas are wanted, in a list for example, got {things!r}") from None
    check_world(call, space, given)
    return [one.id for one in given]
