"""A scene as data: made from a seed, turned, scaled, described, and played in a world of its own."""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial.transform import Rotation

from scree.bodies.schema import RIGID, STATIC
from scree.shapes.schema import CYLINDER, HULL
from tests.world.small_world import SmallWorld


@dataclass(frozen=True)
class Body:
    """A body at rest or thrown. `size`: half extents of a box; (radius,) of a sphere; (radius, height) of a capsule or cylinder
    along y; the points of a hull, one after the other [m]. `rotation`: unit quaternion x, y, z, w. `place` is of its origin."""

    shape: str
    size: tuple[float, ...]
    place: np.ndarray
    rotation: np.ndarray = field(default_factory=lambda: np.array((0.0, 0.0, 0.0, 1.0)))
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [m/s]
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [rad/s], world
    mass: float = 1.0  # [kg]; 0: static
    friction: float = 0.5
    restitution: float = 0.0
    is_fast: bool = False  # continuous collision is asked for

    def reach(self) -> float:
        """Radius of the ball around it [m]."""
        if self.shape == "hull":
            return float(np.linalg.norm(np.reshape(self.size, (-1, 3)), axis=1).max())
        if self.shape == "cylinder":
            return float(np.hypot(self.size[0], 0.5 * self.size[1]))
        return {"box": float(np.linalg.norm(self.size)), "sphere": self.size[0], "capsule": 0.5 * self.size[-1]}[self.shape]

    def words(self) -> str:
        """In one line."""
        size = f"{len(self.size) // 3} points" if self.shape == "hull" else np.round(self.size, 3).tolist()
        return (
            f"{self.shape} {size} at {np.round(self.place, 3).tolist()} turned {np.round(self.rotation, 3).tolist()}, "
            f"{self.mass:.3g} kg, friction {self.friction:.2f}, restitution {self.restitution:.2f}, "
            f"{np.round(self.velocity, 3).tolist()} m/s, {np.round(self.spin, 3).tolist()} rad/s"
        )


@dataclass(frozen=True)
class Joint:
    """Between two bodies by their numbers, -1: the world; at a place of the world, its axis x turned by `rotation`."""

    kind: str
    a: int
    b: int
    place: np.ndarray
    rotation: np.ndarray

    def words(self) -> str:
        """In one line."""
        return f"{self.kind} of {self.a} and {self.b} at {np.round(self.place, 3).tolist()}"


@dataclass(frozen=True)
class Scene:
    """Bodies and joints; the first tick is the first of `ticks`. `meet`: whether bodies collide at all."""

    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...] = ()
    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))  # [m/s^2]
    ticks: int = 120
    meet: bool = True

    def words(self) -> str:
        """A body or joint a line."""
        lines = [f"gravity {np.round(self.gravity, 3).tolist()}, {self.ticks} ticks"]
        return "\n".join([*lines, *(f"  {thing.words()}" for thing in (*self.bodies, *self.joints))])

    def scaled(self, by: float) -> "Scene":
        """All lengths, speeds and gravity times `by`: it does the same in the same time."""
        bodies = [
            replace(body, size=tuple(by * np.asarray(body.size)), place=by * body.place, velocity=by * body.velocity)
            for body in self.bodies
        ]
        joints = [replace(joint, place=by * joint.place) for joint in self.joints]
        return replace(self, bodies=tuple(bodies), joints=tuple(joints), gravity=by * self.gravity)

    def turned(self, turn: Rotation) -> "Scene":
        """All of it turned about the origin, gravity too."""
        bodies = [
            replace(
                body, place=turn.apply(body.place), rotation=(turn * Rotation.from_quat(body.rotation)).as_quat(),
                velocity=turn.apply(body.velocity), spin=turn.apply(body.spin),
            )
            for body in self.bodies
        ]  # fmt: skip
        joints = [
            replace(joint, place=turn.apply(joint.place), rotation=(turn * Rotation.from_quat(joint.rotation)).as_quat())
            for joint in self.joints
        ]
        return replace(self, bodies=tuple(bodies), joints=tuple(joints), gravity=turn.apply(self.gravity))


@dataclass(frozen=True)
class Played:
    """Motion of the moving bodies of a scene: [tick, body, ...], from before the first tick on."""

    scene: Scene
    moving: tuple[Body, ...]
    masses: np.ndarray  # [body]
    inertias: np.ndarray  # [body, 3, 3], body frame
    place: np.ndarray  # of the centre of mass
    rotation: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    def is_finite(self) -> bool:
        """Whether all places and speeds are numbers."""
        return bool(np.isfinite(self.place).all() and np.isfinite(self.velocity).all() and np.isfinite(self.spin).all())

    def turns(self) -> np.ndarray:
        """Rotation matrices [tick, body, 3, 3]."""
        ticks, count = self.rotation.shape[:2]
        return Rotation.from_quat(self.rotation.reshape(-1, 4)).as_matrix().reshape(ticks, count, 3, 3)

    def spin_momentum(self) -> np.ndarray:
        """Angular momentum of each body about its centre of mass [kg m^2/s]."""
        turns = self.turns()
        return np.einsum("tbij,bjk,tblk,tbl->tbi", turns, self.inertias, turns, self.spin)

    def energy(self) -> np.ndarray:
        """Energy of motion, spin and height [tick] [J]."""
        moving = 0.5 * self.masses * np.einsum("tbi,tbi->tb", self.velocity, self.velocity)
        turning = 0.5 * np.einsum("tbi,tbi->tb", self.spin, self.spin_momentum())
        height = -self.masses * (self.place @ self.scene.gravity)
        return (moving + turning + height).sum(axis=1)

    def kinetic_energy(self) -> np.ndarray:
        """Energy of motion and spin [tick] [J]."""
        return self.energy() + (self.masses * (self.place @ self.scene.gravity)).sum(axis=1)

    def momentum(self) -> np.ndarray:
        """[tick, 3]"""
        return (self.masses[:, None] * self.velocity).sum(axis=1)

    def angular_momentum(self) -> np.ndarray:
        """About the origin [tick, 3]."""
        return (self.masses[:, None] * np.cross(self.place, self.velocity) + self.spin_momentum()).sum(axis=1)


def _shape(world: SmallWorld, body: Body) -> int:
    if body.shape == "box":
        return world.box(*body.size)
    if body.shape == "sphere":
        return world.sphere(*body.size)
    if body.shape == "capsule":
        return world.capsule(*body.size)
    shape = world.world.shape.create(CYLINDER if body.shape == "cylinder" else HULL)
    index, shapes = world.world.shape.index("truth", shape), world.world.shapes
    if body.shape == "cylinder":
        shapes.set_cylinder(index, *body.size)
    else:
        shapes.set_hull(index, np.reshape(body.size, (-1, 3)))
    return shape


def _frame(joint: Joint, body: Body | None) -> tuple:
    """Frame of a joint from a body's origin: basis by rows, then the place."""
    turn, place = Rotation.from_quat(joint.rotation), joint.place
    if body is not None:
        inverse = Rotation.from_quat(body.rotation).inv()
        turn, place = inverse * turn, inverse.apply(place - body.place)
    return (*turn.as_matrix().ravel(), *place)


def _tensor(row) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = row["inverse_inertia_local"].astype(np.float64)
    return np.linalg.inv(np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))))


def play(scene: Scene, threads: int = 1) -> Played:
    """Play a scene at 60 ticks a second, without damping and sleep."""
    world = SmallWorld(gravity=tuple(scene.gravity), threads=threads)
    ids = []
    for body in scene.bodies:
        basis = tuple(Rotation.from_quat(body.rotation).as_matrix().ravel())
        params = {"friction": body.friction, "restitution": body.restitution}
        if body.mass > 0.0:
            params["mass"] = body.mass
        mode = RIGID if body.mass > 0.0 else STATIC
        ids.append(world.add(_shape(world, body), tuple(body.place), mode=mode, basis=basis, **params))
        if not scene.meet:
            world.world.body.set_collision_mask(ids[-1], 0)
            world.world.body.set_collision_layer(ids[-1], 0)
        world.world.body.set_continuous(ids[-1], body.is_fast)
    for joint in scene.joints:
        sides = [(ids[k], scene.bodies[k]) if k >= 0 else (0, None) for k in (joint.a, joint.b)]
        world.world.joint.create(joint.kind, sides[0][0], sides[1][0], *(_frame(joint, body) for _, body in sides))
    world.world.body.settle_shapes()
    moving = [k for k, body in enumerate(scene.bodies) if body.mass > 0.0]
    for k in moving:
        world.turn(ids[k], scene.bodies[k].spin)
        world.throw(ids[k], scene.bodies[k].velocity + _of_centre(world, ids[k], scene.bodies[k]))
    rows = np.array([world.index(ids[k]) for k in moving])
    fields = ("position", "rotation", "linear_velocity", "angular_velocity")
    table = world.world.bodies.rows
    seen = [[table[name][rows].astype(np.float64) for name in fields]]
    inertias = np.array([_tensor(world.body(ids[k])) for k in moving])
    for _ in range(scene.ticks):
        world.step()
        seen.append([table[name][rows].astype(np.float64) for name in fields])
    bodies = tuple(scene.bodies[k] for k in moving)
    masses = np.array([body.mass for body in bodies])
    return Played(scene, bodies, masses, inertias, *(np.array(values) for values in zip(*seen, strict=True)))


def _of_centre(world: SmallWorld, identity: int, body: Body) -> np.ndarray:
    """Velocity of the centre of mass relative to the origin, as the body spins [m/s]."""
    return np.cross(body.spin, world.position(identity) - body.place)
