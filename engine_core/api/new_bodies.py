"""How bodies get into a space: one or thousands, by the same compiled call."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..batches.adding import add_bodies
from ..batches.editing import edit_bodies
from ..bodies.schema import CAN_SLEEP, CONTINUOUS, KINEMATIC, RAY_PICKABLE, RIGID, STATIC
from ..core.numbers import FARTHEST, FASTEST
from ..edit.setting_edits import LARGEST, PARAMETER_NUMBERS, SPEED_LIMITS, set_parameter
from ..shapes.schema import STRUCTURE
from .arrays import (
    NO_TURN, Floats, Ints, Numbers, Vector, Vectors, checked, errors_of_call, number, numbers, rotations,
)  # fmt: skip
from .bodies import Bodies
from .body import Body
from .materials import Material
from .shapes import Shape, check_moves

if TYPE_CHECKING:
    from .world import World

ZERO = (0.0, 0.0, 0.0)
DEFAULT_MATERIAL = Material()
ONE_NAMES = "position", "rotation", "velocity", "angular_velocity"
MANY_NAMES = "positions", "rotations", "velocities", "angular_velocities"
Shapes = Shape | Sequence[Shape]
"""One shape for all bodies, or one for each."""


class SpaceBodies:
    """The part of a `Space` that makes bodies. Lengths [m], masses [kg], damping [1/s]. Any thread may call; bodies enter the
    space at once, or at the end of the step that is running. Positions are at most 1e12 m, velocities 1e8 m/s and 1e8 rad/s
    along an axis. Raises ValueError for bad numbers, PoolFull at a limit of the world; then no body was made."""

    __slots__ = ()
    _id: int
    _world: "World"

    def add_rigid(
        self, shape: Shape, position: Vector = ZERO, rotation: Vector = NO_TURN, *, velocity: Vector = ZERO,
        angular_velocity: Vector = ZERO, mass: float | None = None, density: float | None = None,
        material: Material = DEFAULT_MATERIAL, layer: str | None = None, gravity_scale: float = 1.0, linear_damp: float = 0.0,
        angular_damp: float = 0.0, max_linear_velocity: float = math.inf, max_angular_velocity: float = math.inf,
        can_sleep: bool = True, continuous: bool = False,
    ) -> Body:  # fmt: skip
        """Add a body that moves by forces: at `position`, world [m] (3,), with `rotation`, a unit quaternion x, y, z, w (4,),
        `velocity` [m/s] and `angular_velocity` [rad/s], world axes (3,). `mass` [kg], or `density` [kg/m^3], which is
        multiplied by the volume of the shape; 1 kg without either. `layer`: a name of the world's `Layers`, by default the
        first. `gravity_scale`: how many times gravity acts on the body. `linear_damp`, `angular_damp` [1/s]: added to those
        of the space. `max_linear_velocity` [m/s], `max_angular_velocity` [rad/s]: see `Body`. `continuous`: sweep the body at
        any speed. Any thread may call. Raises ValueError, also for a `Plane`, `Mesh` or `HeightField`, which are for bodies
        that stand still or are moved; KeyError, PoolFull."""
        return self._add(
            RIGID, "add_rigid", shape, position, rotation, velocity, angular_velocity, mass, density, material, layer,
            gravity_scale, linear_damp, angular_damp, max_linear_velocity, max_angular_velocity, can_sleep, continuous,
        )[0]  # fmt: skip

    def add_rigid_many(
        self, shape: Shapes, positions: Vectors, rotations: Vectors = NO_TURN, *, velocities: Vectors = ZERO,
        angular_velocities: Vectors = ZERO, masses: Numbers | None = None, density: float | None = None,
        material: Material = DEFAULT_MATERIAL, layer: str | None = None, gravity_scale: float = 1.0, linear_damp: float = 0.0,
        angular_damp: float = 0.0, max_linear_velocity: float = math.inf, max_angular_velocity: float = math.inf,
        can_sleep: bool = True, continuous: bool = False,
    ) -> Bodies:  # fmt: skip
        """Add n bodies that move by forces, in one compiled call: `positions`, world [m] (n, 3); `rotations`, unit
        quaternions (n, 4); `velocities` [m/s] and `angular_velocities` [rad/s] (n, 3); `masses` [kg] (n,). A single value
        serves for all of them. `shape`: one for all, or a list of n. `density` [kg/m^3]: one number for all; for several give
        `masses`. The rest is as in `add_rigid`. Any thread may call. Raises ValueError, KeyError, PoolFull."""
        return self._add(
            RIGID, "add_rigid_many", shape, positions, rotations, velocities, angular_velocities, masses, density, material,
            layer, gravity_scale, linear_damp, angular_damp, max_linear_velocity, max_angular_velocity, can_sleep, continuous,
        )  # fmt: skip

    def add_static(
        self, shape: Shape, position: Vector = ZERO, rotation: Vector = NO_TURN, *, material: Material = DEFAULT_MATERIAL,
        layer: str | None = None,
    ) -> Body:  # fmt: skip
        """Add a body that stands still: at `position`, world [m] (3,), with `rotation`, a unit quaternion (4,). Any thread
        may call. Raises ValueError, KeyError, PoolFull."""
        return self._add(STATIC, "add_static", shape, position, rotation, material=material, layer=layer)[0]

    def add_static_many(
        self, shape: Shapes, positions: Vectors, rotations: Vectors = NO_TURN, *, material: Material = DEFAULT_MATERIAL,
        layer: str | None = None,
    ) -> Bodies:  # fmt: skip
        """Add n bodies that stand still, in one compiled call: `positions`, world [m] (n, 3); `rotations`, unit quaternions
        (n, 4). `shape`: one for all, or a list of n. Any thread may call. Raises ValueError, KeyError, PoolFull."""
        return self._add(STATIC, "add_static_many", shape, positions, rotations, material=material, layer=layer)

    def add_kinematic(
        self, shape: Shape, position: Vector = ZERO, rotation: Vector = NO_TURN, *, material: Material = DEFAULT_MATERIAL,
        layer: str | None = None,
    ) -> Body:  # fmt: skip
        """Add a body that goes where it is told (`Body.move`) and pushes others out of its way: at `position`, world [m]
        (3,), with `rotation`, a unit quaternion (4,). Any thread may call. Raises ValueError, KeyError, PoolFull."""
        return self._add(KINEMATIC, "add_kinematic", shape, position, rotation, material=material, layer=layer)[0]

    def add_kinematic_many(
        self, shape: Shapes, positions: Vectors, rotations: Vectors = NO_TURN, *, material: Material = DEFAULT_MATERIAL,
        layer: str | None = None,
    ) -> Bodies:  # fmt: skip
        """Add n bodies that go where they are told (`Bodies.move`), in one compiled call: `positions`, world [m] (n, 3);
        `rotations`, unit quaternions (n, 4). `shape`: one for all, or a list of n. Any thread may call. Raises ValueError,
        KeyError, PoolFull."""
        return self._add(KINEMATIC, "add_kinematic_many", shape, positions, rotations, material=material, layer=layer)

    def _add(
        self, mode: int, call: str, shape: Shapes, positions: Any, quaternions: Any, velocities: Any = ZERO, spins: Any = ZERO,
        masses: Any = None, density: float | None = None, material: Material = DEFAULT_MATERIAL, layer: str | None = None,
        gravity_scale: float = 1.0, linear_damp: float = 0.0, angular_damp: float = 0.0, most_speed: float = math.inf,
        most_spin: float = math.inf, can_sleep: bool = True, continuous: bool = False,
    ) -> Bodies:  # fmt: skip
        """Add bodies of a motion mode; errors name `call`."""
        many = call.endswith("_many")
        place, turn, velocity, spin = MANY_NAMES if many else ONE_NAMES
        if many and np.size(positions) == 0:
            positions = np.empty((0, 3))
        count = len(positions) if many and np.ndim(positions) == 2 else 1
        motions = np.empty((count, 13))
        motions[:, :3] = checked(call, place, positions, count, most=FARTHEST)
        motions[:, 3:7] = rotations(call, quaternions, count, turn)
        motions[:, 7:10] = checked(call, velocity, velocities, count, most=FASTEST)
        motions[:, 10:] = checked(call, spin, spins, count, most=FASTEST)
        template = self._template(call, mode, material, layer, can_sleep, continuous)
        for name, value in (("gravity_scale", gravity_scale), ("linear_damp", linear_damp), ("angular_damp", angular_damp)):
            template[name] = number(call, name, value)
        limits = {
            name: number(call, name, value, least=0.0, may_be_infinite=True)
            for name, value in zip(SPEED_LIMITS, (most_speed, most_spin), strict=True)
        }
        if mode == RIGID:
            for one in shape if isinstance(shape, list | tuple) else (shape,):
                check_moves(call, one)
        shapes = self._take_shapes(call, shape, count)
        try:
            weights = self._masses(call, masses, density, shapes)
            with errors_of_call(call):
                ids = add_bodies(self._world.core, self._id, template, motions, weights, shapes)
                self._follow_density(density, shapes, ids)
        except BaseException:
            self._drop_shapes(shapes)
            raise
        self._limit_speeds(call, ids, limits)
        space: Any = self
        return Bodies(space, ids)

    def _limit_speeds(self, call: str, ids: Ints, limits: dict[str, float]) -> None:
        """Set parameters of SPEED_LIMITS that are finite."""
        for name, most in limits.items():
            if most < LARGEST:
                values = np.tile((PARAMETER_NUMBERS[name], most), (len(ids), 1))
                edit_bodies(self._world.core, call, ids, set_parameter, values)

    def _template(self, call: str, mode: int, material: Material, layer: str | None, can_sleep: bool, continuous: bool) -> Any:
        layers = self._world.layers
        flags = (CAN_SLEEP if can_sleep else 0) | (CONTINUOUS if continuous else 0) | RAY_PICKABLE
        template = self._world.core.bodies.template(mode, flags)
        template["friction"], template["restitution"] = material.signed()
        number = layers.number(call, layers.names[0] if layer is None else layer)
        template["collision_layer"], template["collision_mask"] = layers.table.words(number)
        return template

    def _take_shapes(self, call: str, shape: Shapes, count: int) -> Ints:
        """Ids of the core's shapes (count,), each counted as used once more."""
        table = self._world.shapes
        if not isinstance(shape, list | tuple):
            return np.full(count, table.take(shape, count, call) if count else 0, np.int64)  # type: ignore[arg-type]
        if len(shape) != count or not all(isinstance(one, Shape) for one in shape):
            raise ValueError(f"{call}: {count} shapes are wanted, or one for all, got {len(shape)}: {shape[:3]}")
        return np.array(table.take_all(shape, call), np.int64)

    def _follow_density(self, density: float | None, shapes: Ints, ids: Any) -> None:
        """Have the masses of bodies that are structures follow edits of their bricks."""
        core = self._world.core
        if density is not None and core.record["brick_function"]:
            indices = [core.shape.index("density", shape) for shape in shapes.tolist()]
            are_structures = core.shapes.rows["user_kind"][indices] == STRUCTURE
            core.body.keep_density(ids[are_structures].tolist(), density)

    def _drop_shapes(self, shapes: Ints) -> None:
        for identity, count in zip(*(part.tolist() for part in np.unique(shapes, return_counts=True)), strict=True):
            self._world.shapes.drop(self._world.core.shape.index("drop", identity), count)

    def _masses(self, call: str, masses: Any, density: float | None, shapes: Ints) -> Floats:
        """Masses [kg] (n,). Raises ValueError unless they are above 0 in single precision."""
        if masses is not None and density is not None:
            raise ValueError(f"{call}: either mass or density is wanted, got both")
        if masses is None and density is None:
            return np.ones(len(shapes))
        if density is None:
            found = numbers(call, "masses" if call.endswith("_many") else "mass", masses, len(shapes))
        else:
            kinds, which = np.unique(shapes, return_inverse=True)
            core = self._world.core
            volumes = [float(core.shapes.rows["volume"][core.shape.index(call, int(kind))]) for kind in kinds]
            found = number(call, "density", density) * np.array(volumes)[which]
        with np.errstate(over="ignore"):
            kept = found.astype(np.float32)
        wrong = ~((kept > 0.0) & np.isfinite(kept))
        if wrong.any():
            raise ValueError(f"{call}: mass must be above 0 and below 1e38 kg, got {found[wrong][0]}")
        return found
