"""Ropes, cables and chains of rods: capsules on ball joints, which meet the world as all bodies do.

The joints of a rope are solved exactly, all together, so it does not stretch whatever hangs on it. Its rods lie between points
that follow each other; the first and the last point can be tied to bodies or to the world.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bodies.schema import INDEX_MASK
from ..geometry.turning import dot, inverse, size_of, turn_from_y, turned
from .arrays import Floats, Vectors, doubles, errors_of_call, number, read_only, twelve
from .bodies import Bodies
from .body import Body
from .joint import Joint
from .joint_values import FREE, AnyJoint, Axis, Pin, SixDof, Spring
from .materials import Material
from .shapes import Capsule, Sphere

if TYPE_CHECKING:
    from .space import Space

MOST_RODS = 1 << 12
ALONG = (0.0, 1.0, 0.0)
"""The axis of a rod in its own frame, from its first point to its second."""
INSIDE = 0.8
"""A rope that is tied ends in the bodies within this part of its radius: they reach into its rod. It only touches others."""
NEAR = 1e-9
"""A part of a line [m] that counts as nothing."""


def _next_at(line: Floats, index: int, along: float, start: Floats, step: float) -> tuple[int, float] | None:
    """The first place on a line after (index, along) that is `step` [m] away from `start`: the number of a part of the line and
    how much of it lies before the place, 0 to 1. None: the line ends first."""
    while index < len(line) - 1:
        way, back = line[index + 1] - line[index], line[index] - start
        square, half, rest = dot(way, way), dot(way, back), dot(back, back) - step * step
        root = half * half - square * rest
        if square > NEAR * NEAR and root >= 0.0:
            found = (math.sqrt(root) - half) / square
            if along <= found <= 1.0:
                return index, found
        index, along = index + 1, 0.0
    return None


def _walk(line: Floats, step: float, count: int) -> tuple[Floats, bool]:
    """Points (at most count + 1, 3) on a line, each `step` [m] from the one before, and whether the line was long enough."""
    points, at = [line[0]], (0, 0.0)
    for _ in range(count):
        found = _next_at(line, *at, points[-1], step)
        if found is None:
            return np.array([*points, line[-1]]), False
        at = found
        points.append(line[at[0]] + at[1] * (line[at[0] + 1] - line[at[0]]))
    return np.array(points), True


def evenly(line: Floats, count: int) -> tuple[Floats, float]:
    """Points (count + 1, 3) on a line of points (k, 3), equally far from each other [m], from its first to its last point, and
    how far that is. At sharp corners the last point can be left out by less than that."""
    short, long = 0.0, _length_of(line) / count
    for _ in range(50):
        middle = 0.5 * (short + long)
        short, long = (middle, long) if _walk(line, middle, count)[1] else (short, middle)
    return _walk(line, short, count)[0], short


@dataclass(frozen=True)
class Stiffness:
    """Stiffness of a rope: what it resists, `bending` EI and `twisting` GJ [N m^2], 0 for nothing; and the length [m] and mass
    [kg] of its rods."""

    bending: float
    twisting: float
    rod: float
    mass: float

    def _axis(self, stiffness: float, parts: float) -> Axis:
        """A free or sprung axis for `parts` of a rod on each side of a joint. The damping is critical for a rod alone."""
        if stiffness == 0.0:
            return FREE
        hooke = stiffness / (parts * self.rod)
        return Axis(spring=Spring(stiffness=hooke, damping=2.0 * math.sqrt(hooke * self.mass * self.rod**2 / 12.0)))

    def joint(self, place: Floats, along: Floats, is_clamped: bool = False) -> AnyJoint:
        """The joint between two rods at a place, world [m] (3,), where the rope leads along a direction (3,); or that of an end
        whose direction is held, too: half a rod bends there."""
        if self.bending == self.twisting == 0.0:
            return Pin(anchor=place)
        parts = 0.5 if is_clamped else 1.0
        swing, twist = self._axis(self.bending, parts), self._axis(self.twisting, parts)
        return SixDof(anchor=place, axis=along, twist=twist, swing_y=swing, swing_z=swing)


def _length_of(line: Floats) -> float:
    """Length of a line of points (k, 3) [m]."""
    return sum(size_of(way) for way in np.diff(line, axis=0))


@dataclass
class _Tie:
    """The tie of an end of a rope: the joint, the body (None: the world), the place in its frame [m], and the bodies in which the
    rope ends there. Its rods next to the end do not collide with these."""

    joint: Joint
    body: Body | None
    place: Floats
    around: list[Body]
    is_clamped: bool

    def position(self) -> Floats:
        """Where the end is tied, world [m]."""
        return self.place if self.body is None else self.body.position + turned(self.body.rotation, self.place)


class RopeBody:
    """A rope, cable or chain of rods [m]: the result of `Space.add_rope`.

        rope = space.add_rope([(0, 5, 0), (0, 1, 0)], mass=2.0)
        rope.tie_start()
        rope.tie_end(crate)

    `on_break`: a function that is called as `function(place, other)` after a step in which the rope broke, by the thread that
    steps, or None. `place` counts the rods that the rope keeps and `other` is what came off; at its ties, 0 and all rods, it
    is None.

    The thread that steps calls this, between steps. Calls raise KeyError after the rope or one of its rods was removed."""

    __slots__ = (
        "_broken_off", "_end", "_joints", "_layers", "_reeled", "_rod", "_rods", "_space", "_start", "_stiffness", "_strength",
        "_values", "on_break",
    )  # fmt: skip

    def __init__(
        self, space: "Space", rods: list[Body], joints: list[Joint], stiffness: Stiffness, layers: tuple[int, int],
        values: dict[str, Any],
    ) -> None:  # fmt: skip
        self._space, self._rods, self._joints, self._layers, self._values = space, rods, joints, layers, values
        self._stiffness, self._rod = stiffness, stiffness.rod
        self._start: _Tie | None = None
        self._end: _Tie | None = None
        self._reeled = 0.0
        self._strength = math.inf
        self._broken_off: list[RopeBody] = []
        self.on_break: Callable[[int, RopeBody | None], object] | None = None

    def __len__(self) -> int:
        return len(self._rods)

    def __repr__(self) -> str:
        return f"<rope of {len(self)} rods>"

    # What there is.

    @property
    def bodies(self) -> Bodies:
        """Its rods, from the start to the end: capsules along their own Y. Contacts and hits report their ids."""
        return Bodies(self._space, np.array([rod.id for rod in self._rods], np.int64))

    @property
    def joints(self) -> Sequence[Joint]:
        """The joints between its rods, for `Joint.force` [N] and the like."""
        return tuple(self._joints)

    @property
    def points(self) -> Floats:
        """Points along the rope from the start to the end, world [m] (n + 1, 3): where it is tied, and the joints of its rods."""
        rods = self.bodies
        middles, axes = np.asarray(rods.positions), turned(np.asarray(rods.rotations), np.tile(ALONG, (len(rods), 1)))
        begins, ends = middles - 0.5 * self._rod * axes, middles + 0.5 * self._rod * axes
        return read_only(np.concatenate((begins[:1] + self._reeled * axes[:1], 0.5 * (begins[1:] + ends[:-1]), ends[-1:])))

    @property
    def length(self) -> float:
        """Length [m], without what is reeled in."""
        return len(self._rods) * self._rod - self._reeled

    @property
    def tensions(self) -> Floats:
        """Tension in the last step [N] (n + 1,): where the start is tied, between the rods, and where the end is tied; 0 at a
        loose end."""
        ties = [tie.joint for tie in (self._start, self._end) if tie is not None]
        sizes = self._sizes_of_forces([*self._joints, *ties])
        between, tied = sizes[: len(self._joints)], iter(sizes[len(self._joints) :])
        first, last = (0.0 if tie is None else next(tied) for tie in (self._start, self._end))
        return read_only(np.array([first, *between, last]))

    def _sizes_of_forces(self, joints: list[Joint]) -> Floats:
        """Sizes of the forces of joints in the last step [N] (n,), all in one read. Raises KeyError."""
        ids = np.array([joint.id for joint in joints], np.int64)
        rows, at = self._space.core.joints.rows, ids & INDEX_MASK
        is_gone = rows["id"][at] != ids
        if is_gone.any():
            raise KeyError(f"tensions: the joint {ids[is_gone][0]} was removed")
        times, impulses = rows["total_time"][at].astype(np.float64), rows["total_impulse"][at].astype(np.float64)
        sizes: Floats = np.sqrt((impulses * impulses).sum(axis=1))
        forces = np.zeros(len(ids))  # of joints that no step has seen yet
        np.divide(sizes, times, out=forces, where=times > 0.0)
        return forces

    # Its strength.

    @property
    def strength(self) -> float:
        """Tension above which it breaks [N]; infinite: never. `Space.step` breaks it at the one place that bore most in the step,
        between two rods or at a tie: what bears as much elsewhere is relieved by that. It keeps the part at its start. Can be
        assigned. Raises ValueError unless above 0."""
        return self._strength

    @strength.setter
    def strength(self, strength: float) -> None:
        self._strength = _checked_strength("strength", strength)
        if self._strength < math.inf:
            self._space._breakable[self] = None
        else:
            self._space._breakable.pop(self, None)

    @property
    def broken_off(self) -> "tuple[RopeBody, ...]":
        """Ropes that broke off this one, in that order; those that were cut off are not among them. No quantities."""
        return tuple(self._broken_off)

    def _break(self) -> "tuple[int, RopeBody | None] | None":
        """Break where the tension exceeded the strength most in the last step. Returns the place and what came off, as
        `on_break` gets them; None where it holds."""
        try:
            tensions = self.tensions
        except KeyError:  # one of its joints was removed by a handle of that: it is no rope any more
            self._space._breakable.pop(self)
            return None
        place = int(np.argmax(tensions))
        if not tensions[place] > self._strength:
            return None
        if 0 < place < len(self._rods):
            self._broken_off.append(self.cut(place))
            return place, self._broken_off[-1]
        if place == 0:
            self.untie_start()
        else:
            self.untie_end()
        return place, None

    # Its ends.

    def tie_start(self, body: Body | None = None, *, clamped: bool = False) -> None:
        """Tie the start to a body, or to the world, where it is now; a tie that it had is undone. `clamped`: its direction is
        held, too, by what the rope resists to bending and twisting [N m^2]. Raises ValueError for a body of another space, for a
        rod of this rope, and for a clamp of a rope that resists no bending, KeyError, PoolFull."""
        tie = self._tied("tie_start", self._rods[0], body, self.points[0], clamped)
        reeled = self._reeled
        self.untie_start()
        self._start, self._reeled = tie, reeled
        self._spare(tie, (0, 1))

    def tie_end(self, body: Body | None = None, *, clamped: bool = False) -> None:
        """Tie the end to a body, or to the world, where it is now; a tie that it had is undone. `clamped`: its direction is
        held, too, by what the rope resists to bending and twisting [N m^2]. Raises ValueError for a body of another space, for a
        rod of this rope, and for a clamp of a rope that resists no bending, KeyError, PoolFull."""
        tie = self._tied("tie_end", self._rods[-1], body, self.points[-1], clamped)
        self.untie_end()
        self._end = tie
        self._spare(tie, (len(self._rods) - 1, len(self._rods) - 2))

    def _tied(self, call: str, rod: Body, body: Body | None, place: Floats, clamped: bool) -> _Tie:
        if body is not None and body in self._rods:
            raise ValueError(f"{call}: the rope cannot be tied to itself, got {body!r}")
        if clamped and self._stiffness.bending == 0.0:
            raise ValueError(f"{call}: a rope without bending cannot be clamped, got {clamped}")
        value = self._stiffness.joint(place, turned(rod.rotation, np.array(ALONG)), True) if clamped else Pin(anchor=place)
        with errors_of_call(call):
            joint = self._space.add_joint(value, rod, to=body)
            around = self._space.overlaps(Sphere(radius=INSIDE * self._values["shape"].radius), place, exclude=self._rods)
        bodies = [found for found in around if isinstance(found, Body)]
        return _Tie(
            joint, body, place if body is None else turned(inverse(body.rotation), place - body.position), bodies, clamped
        )

    def _spare(self, tie: _Tie | None, rods: Sequence[int], is_spared: bool = True) -> None:
        """Let rods of these numbers pass through what a tie ends in, or no longer."""
        for at in rods:
            if tie is not None and 0 <= at < len(self._rods):
                for other in tie.around:
                    if other.exists:
                        self._rods[at].ignore(other, is_spared)

    def untie_start(self) -> None:
        """Let the start go. What is reeled in comes out of the winch with it. Raises KeyError."""
        if self._start is not None:
            self._spare(self._start, (0, 1), False)
            self._start.joint.remove()
            self._start, self._reeled = None, 0.0
            self._show(self._rods[0], True)

    def untie_end(self) -> None:
        """Let the end go. Raises KeyError."""
        if self._end is not None:
            self._spare(self._end, (len(self._rods) - 1, len(self._rods) - 2), False)
            self._end.joint.remove()
            self._end = None

    # Its length.

    def reel(self, way: float) -> float:
        """Draw `way` [m] of the rope in where its start is tied, or let more out with a negative one. A winch calls it before
        each step, with speed times time. What is reeled in collides with nothing. Returns the length that is left [m], at least
        that of one rod. Raises ValueError, also for a rope whose start is not tied or clamped, KeyError, PoolFull."""
        given = number("reel", "way", way)
        if self._tie().is_clamped:
            raise ValueError("reel: the start of the rope must not be clamped")
        reeled = min(self._reeled + given, (len(self._rods) - 1) * self._rod)
        if len(self._rods) - reeled / self._rod > MOST_RODS:
            raise ValueError(f"reel: a rope has at most {MOST_RODS} rods, got a way of {given:g} m")
        while reeled >= self._rod:
            self._take_in()
            reeled -= self._rod
        while reeled < 0.0:
            self._let_out()
            reeled += self._rod
        self._reeled = reeled
        self._show(self._rods[0], reeled == 0.0)
        self._hold_start()
        return self.length

    def _tie(self) -> _Tie:
        """The tie of the start. Raises ValueError."""
        if self._start is None:
            raise ValueError("reel: the start of the rope must be tied")
        return self._start

    def _hold_start(self) -> None:
        """Have the start's joint hold the place on the first rod up to which it is reeled in."""
        at = twelve(np.eye(3), np.array((0.0, self._reeled - 0.5 * self._rod, 0.0)))
        with errors_of_call("reel"):
            self._space.core.joint.set_frames(self._tie().joint.id, None, at)

    def _show(self, rod: Body, is_seen: bool) -> None:
        """Have a rod collide, or not: one that is partly reeled in is inside of the winch."""
        own, seen = self._layers if is_seen else (0, 0)
        with errors_of_call("reel"):
            self._space.core.body.set_collision_layer(rod.id, own)
            self._space.core.body.set_collision_mask(rod.id, seen)

    def _move_start(self, rod: Body) -> None:
        """Tie the start to another rod, whose joint is set by `_hold_start`."""
        tie = self._tie()
        joint = self._space.add_joint(Pin(anchor=tie.position()), rod, to=tie.body)
        tie.joint.remove()
        tie.joint = joint

    def _take_in(self) -> None:
        self._move_start(self._rods[1])
        self._joints.pop(0).remove()
        self._rods.pop(0).remove()
        self._spare(self._start, (1,))

    def _let_out(self) -> None:
        first = self._rods[0]
        way = -self._rod * turned(first.rotation, np.array(ALONG))
        velocity = first.velocity + np.cross(first.angular_velocity, way)
        rod = self._space.add_rigid(
            position=first.position + way, rotation=first.rotation, velocity=velocity, angular_velocity=first.angular_velocity,
            **self._values,
        )  # fmt: skip
        self._joints.insert(0, self._space.add_joint(self._stiffness.joint(first.position + 0.5 * way, -way), first, to=rod))
        self._move_start(rod)
        self._show(first, True)
        self._rods.insert(0, rod)
        self._spare(self._start, (0,))
        self._spare(self._start, (2,), False)

    def cut(self, place: int) -> "RopeBody":
        """Cut the rope between the rods `place` - 1 and `place`. It keeps the part at its start; returns the other one. Raises
        ValueError, KeyError."""
        if not 0 < place < len(self._rods):
            raise ValueError(f"cut: place must be 1 to {len(self._rods) - 1}, got {place!r}")
        if place == 1:  # its other rod that passes through what a tie ends in is not next to that any more
            self._spare(self._start, (1,), False)
        if place == len(self._rods) - 1:
            self._spare(self._end, (place - 1,), False)
        self._joints[place - 1].remove()
        other = RopeBody(self._space, self._rods[place:], self._joints[place:], self._stiffness, self._layers, self._values)
        other.strength = self._strength
        other._end, self._end = self._end, None
        self._rods, self._joints = self._rods[:place], self._joints[: place - 1]
        return other

    def remove(self) -> None:
        """Free the rope, its joints and ties. Raises KeyError."""
        for joint in (*self._joints, *(tie.joint for tie in (self._start, self._end) if tie is not None)):
            joint.remove()
        self.bodies.remove()
        self._space._breakable.pop(self, None)
        self._rods, self._joints, self._start, self._end = [], [], None, None


def break_ropes(ropes: Iterable[RopeBody]) -> None:
    """Break those of some ropes whose tension exceeded their strength in the last step, then call their functions `on_break`.
    Raises the first error of these, after all of them were called."""
    broken = [(rope, found) for rope in tuple(ropes) if (found := rope._break()) is not None]
    errors: list[BaseException] = []
    for rope, found in broken:
        try:
            if rope.on_break is not None:
                rope.on_break(*found)
        except BaseException as error:
            errors.append(error)
    if errors:
        raise errors[0]


def _checked_strength(call: str, strength: float) -> float:
    """A strength [N]. Raises ValueError unless it is above 0; it may be infinite."""
    given = number(call, "strength", strength, 0.0, may_be_infinite=True)
    if given == 0.0:
        raise ValueError(f"{call}: strength must be above 0, got {strength!r}")
    return given


def add_rope(
    space: "Space", points: Vectors, mass: float, radius: float, rod_length: float, material: Material, layer: str | None,
    damping: float, strength: float, bending: float, twisting: float,
) -> RopeBody:  # fmt: skip
    """Add a rope along a line; see `Space.add_rope`."""
    call = "add_rope"
    line = doubles(call, "points", points)
    if line.ndim != 2 or line.shape[1] != 3 or len(line) < 2 or not np.isfinite(line).all():
        raise ValueError(f"{call}: points must be finite and of shape (k, 3) with k of at least 2, got shape {line.shape}")
    whole = _length_of(line)
    least = 2.0 * number(call, "radius", radius, NEAR)
    if number(call, "rod_length", rod_length) <= least or whole <= least:
        raise ValueError(f"{call}: rods must be longer than they are thick, {least:g} m, got {min(rod_length, whole):g}")
    count = max(math.ceil(whole / rod_length - NEAR), 1)
    if count > MOST_RODS:
        raise ValueError(f"{call}: a rope has at most {MOST_RODS} rods, got {whole:g} m in rods of {rod_length:g} m")
    places, rod = evenly(line, count)
    ways = np.diff(places, axis=0) / rod
    turns = np.array([turn_from_y(way) for way in ways])
    values: dict[str, Any] = {
        "shape": Capsule(radius=radius, height=rod + 2.0 * radius), "material": material, "layer": layer,
        "linear_damp": damping, "angular_damp": damping,
    }  # fmt: skip
    share = number(call, "mass", mass) / count
    strongest = _checked_strength(call, strength)
    stiffness = Stiffness(number(call, "bending", bending, 0.0), number(call, "twisting", twisting, 0.0), rod, share)
    with errors_of_call(call):
        made = space.add_rigid_many(positions=places[:-1] + 0.5 * rod * ways, rotations=turns, masses=share, **values)
        layers = int(made.field(call, "collision_layer")[0]), int(made.field(call, "collision_mask")[0])
        rods = list(made)
        try:
            joints = [
                space.add_joint(stiffness.joint(place, way), after, to=before)
                for before, after, place, way in zip(rods[:-1], rods[1:], places[1:-1], ways[1:], strict=True)
            ]
        except BaseException:
            made.remove()  # with the joints that there are
            raise
    rope = RopeBody(space, rods, joints, stiffness, layers, {**values, "mass": share})
    rope.strength = strongest
    return rope
