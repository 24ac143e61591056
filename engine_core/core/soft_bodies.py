"""The interface for soft bodies: particles with edges between them, made of vertices and triangles.

    cloth = world.soft_body.create(system, vertices, triangles, mass=1.0, stiffness=500.0)
    cloth.pin([0, 9])
    world.step(system, 1 / 60)
    print(cloth.positions)

Call it on the thread that steps the system, between steps. Bad input raises ValueError, naming the call and the value, and
changes nothing.
"""

import math

import numpy as np

from ..runtime.memory import Pool, address_of
from ..runtime.recorded_calls import recorded
from ..solver.listeners import MOST_LISTENERS
from ..soft_bodies.layout import Layout, lay_out, masses_of
from ..soft_bodies.nearest_pins import nearest_pins
from ..soft_bodies.phases import run_strips
from ..soft_bodies.rays import SOFT_RAY, ray_soft_body
from ..soft_bodies.schema import (
    CONTACT, GRIP, MEETING, MOST_CANDIDATES, MOST_CONTACTS, MOST_MEETINGS, MOST_PARTNERS, PLANE, POSE, PUSHED, SOFT_BODY,
    SOFT_SPACE,
)  # fmt: skip
from ..soft_bodies.strips import Parts
from ..soft_bodies.side_by_side import begin_soft_bodies, prepare_members, solve_groups, solve_soft_bodies
from .listeners import ListeningConstraint
from .numbers import FASTEST, finite, lengths, number
from .part import Part

MOST_PARTICLES = 1 << 20
THICKEST, RADIUS_OF_EDGE = 0.02, 0.25
"""By default the radius of particles is a quarter of the mean edge, at most 2 cm [m]."""
LEAST_VOLUME = 0.05
"""The pressure of a body that is squeezed below this part of its volume rises no further."""
NO_TETHERS = -1.0
"""The slack of a soft body without tethers."""
LINE = 64
"""A line of the processor's cache [byte]."""
NOT_SAVED = (
    "accelerations", "damps", "winds", "airs", "candidates", "triangles", "faces", "exceptions",
    "strips", "order", "places", "clusters", "fours", "ranges", "planes", "grips", "pushed", "pushed_of", "boxes", "poses",
    "partners", "place_of", "slots", "following", "meeting_counts", "meetings",
)  # fmt: skip
"""Arrays that a step writes before it reads them, or that no step changes."""
ADDRESSES = (
    "space", "group", "next", "last", "id", "user_id", "is_pickable",
    "positions", "velocities", "targets", "inverse_masses", "forces", "anchors", "tether_lengths", "skins", "skin_starts",
    "reaches", "accelerations", "damps", "winds", "airs", "checked", "contact_counts", "contacts", "edges", "triangles", "faces",
    "candidates", "exceptions",
    "exception_count", "wind_areas", "strips", "order", "places", "clusters", "fours", "ranges", "planes", "grips", "pushed",
    "pushed_of", "boxes", "poses", "left_out", "phase", "small_step", "small", "substep", "is_even",
    "partners", "place_of", "slots", "following", "meeting_counts", "meetings", "reach",
)  # fmt: skip


# The settings that are one number of the record: least value, and whether it must be above that.
SETTINGS = {
    "radius": (0.0, True), "friction": (0.0, False), "damping": (0.0, False), "drag": (0.0, False),
    "pressure": (0.0, False), "gravity_scale": (-math.inf, False),
}  # fmt: skip


def aligned_copy(rows: np.ndarray) -> np.ndarray:
    """A copy of an array that begins with a line of the processor's cache."""
    room = np.zeros(rows.nbytes + LINE, np.uint8)
    begin = -address_of(room) % LINE
    copied = room[begin : begin + rows.nbytes].view(rows.dtype).reshape(rows.shape)
    copied[:] = rows
    return copied


class SoftSpace:
    """Memory that the soft bodies of a system share: it lives as long as one of them."""

    def __init__(self, system, address: int):
        self._sharers = Pool("rigid bodies that soft ones push", np.int64, system.bodies.pool.capacity)
        self._owners = Pool("soft bodies near rigid ones", np.int64, system.bodies.pool.capacity)
        self._lists = np.zeros((2, MOST_LISTENERS), np.int64)
        self._record = np.zeros(1, SOFT_SPACE)
        row, self.address = self._record[0], address_of(self._record)
        row["owners"], row["sharers"], row["system"] = self._owners.address, self._sharers.address, address
        row["members"], row["heads"] = (address_of(numbers) for numbers in self._lists)
        row["prepare_job"], row["solve_job"] = prepare_members.address, solve_groups.address
        row["strip_job"] = run_strips.address


class SoftBody(ListeningConstraint):
    """A soft body in a space: particles (n, 3), world [m], with edges between them. Made by `Space.add_soft_body`, or by
    `soft_body.create` of the core's World. See docs/soft_bodies.md."""

    def __init__(self, world, system: int, space: SoftSpace, layout: Layout, mass: float):
        record = np.zeros(1, SOFT_BODY)
        self.layout, self._space = layout, space
        n, row = len(layout.positions), record[0]
        vectors = ("velocities", "forces", "accelerations", "winds", "airs", "checked", "skins", "skin_starts")
        self._arrays = {name: np.zeros((n, 3)) for name in vectors}
        self._arrays |= {
            "positions": layout.positions.copy(), "targets": layout.positions.copy(), "inverse_masses": np.zeros(n),
            "anchors": np.zeros(n, np.int32), "tether_lengths": np.full(n, np.inf), "reaches": np.full(n, np.inf),
            "damps": np.zeros(n), "contact_counts": np.zeros(n, np.int32), "contacts": np.zeros(n * MOST_CONTACTS, CONTACT),
            "edges": layout.edges.copy(), "triangles": layout.triangles, "faces": layout.faces,
            "candidates": np.zeros(MOST_CANDIDATES, np.int32), "exceptions": np.zeros(0, np.int64),
            "boxes": np.zeros((MOST_CANDIDATES, 6)), "poses": np.zeros(MOST_CANDIDATES, POSE),
            "partners": np.zeros(MOST_PARTNERS, np.int64),
            "place_of": np.argsort(layout.parts.order).astype(np.int32), "slots": np.zeros(1 << n.bit_length(), np.int32),
            "following": np.zeros(n, np.int32), "meeting_counts": np.zeros(n, np.int32),
            "meetings": np.zeros(n * MOST_MEETINGS, MEETING),
        } | self._rows_of_strips(layout.parts, n)  # fmt: skip
        for name, rows in self._arrays.items():
            row[name] = address_of(rows)
        row["particle_count"], row["edge_count"], row["triangle_count"] = n, len(layout.edges), len(layout.triangles)
        row["strip_count"], row["four_count"] = len(layout.parts.strips), len(layout.parts.fours)
        row["space"] = space.address
        row["is_enabled"], row["can_sleep"], row["layer"], row["mask"] = 1, 1, 1, 0xFFFFFFFF
        row["orientation"], row["least_volume"] = layout.orientation, LEAST_VOLUME * layout.volume
        row["volume"], row["gravity_scale"], row["precision"], row["friction"] = layout.volume, 1.0, 5, 1.0
        row["meets_soft_bodies"], row["slack"] = 1, NO_TETHERS
        rests = layout.edges["rest"][~layout.is_bend]
        row["slot_count"], row["mean_edge"] = 1 << n.bit_length(), float(rests.mean()) if len(rests) else THICKEST
        row["cell_size"] = max(float(row["mean_edge"]), 1e-3)
        row["radius"] = max(min(THICKEST, RADIUS_OF_EDGE * float(rests.mean())) if len(rests) else THICKEST, 1e-4)
        self._masses = masses_of(layout.positions, layout.triangles, mass)
        super().__init__(world, system, [], record, begin_soft_bodies, solve_soft_bodies, is_together=True)
        world.listener.set_state(system, self.first_listener, self._arrays["positions"], self._arrays["velocities"])
        self._arrays["inverse_masses"][:] = 1.0 / self._masses
        self._write_bounds()

    @staticmethod
    def _rows_of_strips(parts: Parts, n: int) -> dict[str, np.ndarray]:
        """The arrays that strips of `n` particles need in a step, by the names of SOFT_BODY."""
        count = len(parts.strips)
        return {
            "strips": parts.strips.copy(), "order": parts.order, "clusters": parts.clusters,
            "fours": aligned_copy(parts.fours), "ranges": parts.ranges,
            "places": aligned_copy(np.zeros((n + 2 * count, 4))),
            "planes": np.zeros(n * MOST_CONTACTS, PLANE), "grips": np.zeros(n * MOST_CONTACTS, GRIP),
            "pushed": np.zeros(n * MOST_CONTACTS, PUSHED), "pushed_of": np.zeros((count, MOST_CANDIDATES), np.int32),
        }  # fmt: skip

    def records(self) -> list[tuple[str, np.ndarray, tuple[str, ...]]]:
        """The record and the arrays; see ListeningConstraint."""
        arrays = [(name, rows, ()) for name, rows in self._arrays.items() if name not in NOT_SAVED]
        return [("record", self._record, ADDRESSES), *arrays]

    # Particles.

    @property
    def address(self) -> int:
        """The address of its SOFT_BODY, for experts and hosts."""
        return address_of(self._record)

    @property
    def positions(self) -> np.ndarray:
        """Positions of the particles, world [m] (n, 3): a view, which steps change."""
        view = self._arrays["positions"].view()
        view.flags.writeable = False
        return view

    @property
    def velocities(self) -> np.ndarray:
        """Velocities of the particles, world [m/s] (n, 3): a view, which steps change."""
        view = self._arrays["velocities"].view()
        view.flags.writeable = False
        return view

    def mean_spin(self) -> tuple[float, float, float]:
        """The angular velocity [rad/s] of a rigid body with the same particles and angular momentum."""
        masses = self._masses[:, None]
        arms = self.positions - (masses * self.positions).sum(axis=0) / self.mass
        momentum = (masses * np.cross(arms, self.velocities)).sum(axis=0)
        inertia = (masses * (arms * arms).sum(axis=1, keepdims=True)).sum() * np.eye(3) - (masses * arms).T @ arms
        # Points on a line have no spin about it, and points at one place none: what moments they have is rounding. (A released
        # addon has no least squares of LAPACK.)
        moments, axes = np.linalg.eigh(inertia)
        least = max(1e-9 * moments[-1], 1e-20 * (masses * self.positions**2).sum())
        x, y, z = ((axes / np.where(moments > least, moments, np.inf)) @ (axes.T @ momentum)).tolist()
        return x, y, z

    @property
    def masses(self) -> np.ndarray:
        """Masses of the particles [kg] (n,), also of pinned ones."""
        return self._masses.copy()

    @property
    def mass(self) -> float:
        """Mass of all particles [kg]."""
        return float(self._masses.sum())

    @recorded("SoftBody")
    def set_mass(self, mass: float) -> None:
        """Set the mass of all particles together [kg]. Raises ValueError, KeyError."""
        self._check_there("set_mass")
        pins = self.pins
        self._masses *= number("set_mass", "mass", mass, 0.0, is_above=True) / self._masses.sum()
        self._arrays["inverse_masses"][:] = 1.0 / self._masses
        self._arrays["inverse_masses"][pins] = 0.0
        self.wake()

    @recorded("SoftBody")
    def move_particles(self, particles, positions) -> None:
        """Put particles, numbers (k,), at positions, world [m] (k, 3), at once; they keep their velocities. Raises ValueError,
        KeyError."""
        self._check_there("move_particles")
        chosen = self._numbers("move_particles", particles)
        places = finite("move_particles", "positions", positions, (-1, 3))
        if len(places) != len(chosen):
            raise ValueError(f"move_particles: as many positions as particles are wanted, got {len(places)} and {len(chosen)}")
        for name in ("positions", "targets", "skin_starts"):
            self._arrays[name][chosen] = places
        self._arrays["velocities"][chosen[self._is_pinned()[chosen]]] = 0.0
        self._write_bounds()
        self.wake()

    @recorded("SoftBody")
    def move(self, basis, offset) -> None:
        """Turn and move all particles: by the matrix `basis` (3, 3), then by `offset` [m] (3,). Raises ValueError, KeyError."""
        self._check_there("move")
        turn, way = finite("move", "basis", basis, (3, 3)), finite("move", "offset", offset, (3,))
        for name in ("positions", "targets", "skins", "skin_starts"):
            self._arrays[name][:] = self._arrays[name] @ turn.T + way
        self._write_bounds()
        self.wake()

    @recorded("SoftBody")
    def set_velocities(self, velocities) -> None:
        """Set the velocities of all particles, world [m/s] (n, 3), or (3,) for all. Raises ValueError, KeyError."""
        self._check_there("set_velocities")
        shape = (3,) if np.ndim(velocities) == 1 else self._arrays["velocities"].shape
        self._arrays["velocities"][:] = finite("set_velocities", "velocities", velocities, shape, FASTEST)
        self.wake()

    @recorded("SoftBody")
    def apply_impulses(self, particles, impulses) -> None:
        """Apply impulses [N s] (k, 3) to particles, numbers (k,). Raises ValueError, KeyError."""
        self._check_there("apply_impulses")
        chosen, given = self._pushes("apply_impulses", particles, impulses)
        changes = given * self._arrays["inverse_masses"][chosen, None]
        np.add.at(self._arrays["velocities"], chosen, changes)
        self.wake()

    @recorded("SoftBody")
    def apply_forces(self, particles, forces) -> None:
        """Apply forces [N] (k, 3) to particles, numbers (k,), during the next step. Raises ValueError, KeyError."""
        self._check_there("apply_forces")
        chosen, given = self._pushes("apply_forces", particles, forces)
        np.add.at(self._arrays["forces"], chosen, given)
        self.wake()

    def _pushes(self, call: str, particles, vectors) -> tuple[np.ndarray, np.ndarray]:
        chosen = self._numbers(call, particles)
        return chosen, np.broadcast_to(finite(call, "vectors", vectors, (3,) if np.ndim(vectors) == 1 else (len(chosen), 3)),
                                       (len(chosen), 3))  # fmt: skip

    def _numbers(self, call: str, particles) -> np.ndarray:
        """Numbers of particles, int64 (k,). Raises ValueError."""
        chosen, count = np.atleast_1d(np.asarray(particles)), len(self._masses)
        if chosen.size == 0:
            return np.zeros(0, np.int64)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= count:
            raise ValueError(f"{call}: particles must be whole numbers from 0 to {count - 1}, got {particles!r}")
        return chosen.astype(np.int64)

    # Pins.

    @property
    def pins(self) -> np.ndarray:
        """Numbers of the pinned particles (k,)."""
        return np.flatnonzero(self._is_pinned())

    @recorded("SoftBody")
    def pin(self, particles) -> None:
        """Pin particles, numbers (k,), where they are: nothing moves them but `lead_pins`. Raises ValueError, KeyError."""
        self._check_there("pin")
        chosen = self._numbers("pin", particles)
        self._arrays["inverse_masses"][chosen] = 0.0
        self._arrays["targets"][chosen] = self._arrays["positions"][chosen]
        self._arrays["velocities"][chosen] = 0.0
        self._renew_tethers()
        self.wake()

    @recorded("SoftBody")
    def unpin(self, particles) -> None:
        """Let pinned particles, numbers (k,), go. Raises ValueError, KeyError."""
        self._check_there("unpin")
        chosen = self._numbers("unpin", particles)
        self._arrays["inverse_masses"][chosen] = 1.0 / self._masses[chosen]
        self._renew_tethers()
        self.wake()

    @recorded("SoftBody")
    def lead_pins(self, particles, positions) -> None:
        """Have pinned particles, numbers (k,), reach positions, world [m] (k, 3), by the end of the next step, pushing what is in
        their way. Raises ValueError, KeyError."""
        self._check_there("lead_pins")
        chosen, places = self._numbers("lead_pins", particles), finite("lead_pins", "positions", positions, (-1, 3))
        if len(places) != len(chosen) or not self._is_pinned()[chosen].all():
            raise ValueError(f"lead_pins: one position for each of some pinned particles is wanted, got {particles!r}")
        self._arrays["targets"][chosen] = places

    # Tethers.

    @property
    def tethers(self) -> float | None:
        """The slack of the tethers to pins [no unit], a part of their lengths; None: there are none."""
        return None if self.row["slack"] < 0.0 else float(self.row["slack"])

    @recorded("SoftBody")
    def set_tethers(self, slack: float | None) -> None:
        """Tether each particle to its nearest pin: it may be as far from it as the way along the edges there at rest, times 1 +
        `slack` [no unit], which is at least 0. None or False: no tethers, as at first. Raises ValueError, KeyError."""
        self._check_there("tethers")
        if slack is True:
            raise ValueError("tethers: a slack such as 0.02 is wanted, or None, got True")
        is_off = slack is None or slack is False
        self.row["slack"] = NO_TETHERS if is_off else number("tethers", "tethers", slack, 0.0)
        self._renew_tethers()
        self.wake()

    @recorded("SoftBody")
    def skin(self, targets, reach) -> None:
        """Keep each particle within `reach` [m] (n,) of its target, world [m] (n, 3), which moves there evenly during the next
        step: from where the last call had it, or from the particle if that was free. A reach of 0 pins the particle to the
        target until it gets another reach; an infinite one leaves it free. Raises ValueError, KeyError."""
        self._check_there("skin")
        arrays, count = self._arrays, len(self._masses)
        places, reaches = finite("skin", "targets", targets, (count, 3)), lengths("skin", "reach", reach, count)
        before, pins = arrays["reaches"].copy(), self.pins
        is_new, is_held = np.isinf(before), reaches == 0.0
        is_freed = (before == 0.0) & ~is_held
        if not (np.array_equal(places, arrays["skins"]) and np.array_equal(reaches, before)):
            self.wake()
        arrays["skin_starts"][is_new] = arrays["positions"][is_new]
        arrays["skins"][:], arrays["reaches"][:], arrays["targets"][is_held] = places, reaches, places[is_held]
        arrays["inverse_masses"][is_freed], arrays["inverse_masses"][is_held] = 1.0 / self._masses[is_freed], 0.0
        self.row["is_skinned"] = int(np.isfinite(reaches).any())
        if not np.array_equal(pins, self.pins):
            self._renew_tethers()

    def _renew_tethers(self) -> None:
        """Find the nearest pins, and how far from them particles may be."""
        if self.tethers is None:
            return
        is_edge = ~self.layout.is_bend
        edges = self._arrays["edges"][is_edge]
        pairs = np.stack((edges["a"], edges["b"]), axis=1).astype(np.int64)
        anchors, ways = nearest_pins(pairs, edges["rest"], self.pins, len(self._masses))
        self._arrays["anchors"][:], self._arrays["tether_lengths"][:] = anchors, ways * (1.0 + self.tethers)

    # Settings.

    @recorded("SoftBody")
    def set_stiffness(self, edges: float, bends: float, scale: float = 1.0) -> None:
        """Set how stiff edges and bends are [N/m], infinite for rigid ones, 0 for none; `scale`: their rest lengths, as parts of
        those of the mesh. Raises ValueError, KeyError."""
        self._check_there("set_stiffness")
        compliances = []
        for name, value in (("edges", edges), ("bends", bends)):
            if value != math.inf:
                value = number("set_stiffness", name, value, 0.0)
            compliances.append(1.0 / value if value > 0.0 else math.inf)
        factor = number("set_stiffness", "scale", scale, 0.0)
        rows = self._arrays["edges"]
        rows["compliance"] = np.where(self.layout.is_bend, compliances[1], compliances[0])
        rows["rest"] = self.layout.edges["rest"] * factor
        self._renew_tethers()
        self.wake()

    @recorded("SoftBody")
    def set_setting(self, name: str, value: float) -> None:
        """Set "radius" [m], "friction", "damping" [1/s], "drag", "pressure" [J] or "gravity_scale". Raises ValueError,
        KeyError."""
        self._check_there(name)
        least, is_above = SETTINGS[name]
        value = number(name, name, value, least, is_above=is_above)
        if name == "pressure" and value != 0.0 and not self.layout.orientation:
            raise ValueError(f"pressure: the surface must be closed, its edges have not two triangles each; got {value!r}")
        self.row[name] = value
        self.wake()

    @recorded("SoftBody")
    def set_layers(self, layer: int, mask: int) -> None:
        """Set its own layers and those that it collides with, 32 bits each, no quantities. Raises ValueError, KeyError."""
        self._check_there("set_layers")
        for name, bits in (("layer", layer), ("mask", mask)):
            self.row[name] = int(number("set_layers", name, bits, 0.0, 0xFFFFFFFF))
        self.wake()

    @recorded("SoftBody")
    def set_precision(self, precision: int) -> None:
        """Set the number of small steps in 1/240 s, at least 1 and at most 50, no unit. Raises ValueError, KeyError."""
        self._check_there("precision")
        self.row["precision"] = int(number("precision", "precision", precision, 1.0, 50.0))

    @recorded("SoftBody")
    def set_exceptions(self, bodies) -> None:
        """Set the bodies, ids (k,), that it passes through. Raises KeyError."""
        self._check_there("set_exceptions")
        self._arrays["exceptions"] = np.array(list(bodies), np.int64).reshape(-1)
        self.row["exception_count"] = 0
        self.row["exceptions"] = address_of(self._arrays["exceptions"])
        self.row["exception_count"] = len(self._arrays["exceptions"])
        self.wake()

    @recorded("SoftBody")
    def set_meets(self, soft_bodies: bool, itself: bool = False) -> None:
        """Set whether it meets other soft bodies, as layers and masks say, which it does at first; and whether its particles
        meet its own faces. No quantities. Raises KeyError."""
        self._check_there("set_meets")
        self.row["meets_soft_bodies"], self.row["meets_itself"] = int(bool(soft_bodies)), int(bool(itself))
        self.wake()

    @recorded("SoftBody")
    def wake(self) -> None:
        """Let it move from the next step on, if it is asleep."""
        self.row["is_asleep"], self.row["still_time"] = 0, 0.0

    @property
    def is_sleeping(self) -> bool:
        """Whether it rests and is not simulated until something around it changes."""
        return bool(self.row["is_asleep"])

    @property
    def volume(self) -> float:
        """The volume enclosed by the triangles [m^3]; 0 if they are not closed."""
        a, b, c = (self.positions[self.layout.triangles[:, k]] - self.positions[:1] for k in range(3))
        return float((a * np.cross(b, c)).sum() / 6.0) * self.layout.orientation

    def cast_ray(self, origin, vector) -> tuple[float, np.ndarray, int] | None:
        """The nearest hit of a ray from `origin`, world [m] (3,), along `vector` [m] (3,) with its triangles: (fraction of the
        vector, unit normal against the ray (3,), number of the triangle), or None. Raises ValueError, KeyError."""
        self._check_there("cast_ray")
        ray = np.zeros(1, SOFT_RAY)
        ray[0]["origin"], ray[0]["vector"] = (
            finite("cast_ray", "origin", origin, (3,)),
            finite("cast_ray", "vector", vector, (3,)),
        )
        ray[0]["fraction"], ray[0]["face"] = 2.0, -1
        if not ray_soft_body(address_of(self._record), address_of(ray)):
            return None
        return float(ray[0]["fraction"]), ray[0]["normal"].copy(), int(ray[0]["face"])

    def _is_pinned(self) -> np.ndarray:
        return self._arrays["inverse_masses"] == 0.0

    def _write_bounds(self) -> None:
        positions = self._arrays["positions"]
        self.row["bounds"] = np.concatenate((positions.min(axis=0), positions.max(axis=0)))


class SoftBodyInterface(Part):
    """The part of a `World` that handles soft bodies."""

    @recorded("soft_body")
    def create(
        self, system: int, vertices, triangles, mass: float = 1.0, stiffness: float = 500.0, bending: float = 0.0
    ) -> SoftBody:
        """Make a soft body of `vertices`, world [m] (n, 3), and `triangles`, numbers of vertices (m, 3). Vertices at one place
        are one particle. `mass` [kg] of all; `stiffness` of edges and `bending` of the corners across them [N/m]. Raises
        ValueError, KeyError."""
        self._world.system_index("create_soft_body", system)
        places = finite("create_soft_body", "vertices", vertices, (-1, 3))
        corners = np.asarray(triangles)
        if corners.size == 0:
            corners = np.zeros((0, 3), np.int64)
        if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu":
            raise ValueError(f"create_soft_body: triangles must be whole numbers of shape (m, 3), got {triangles!r}")
        if not 1 <= len(places) <= MOST_PARTICLES:
            raise ValueError(f"create_soft_body: 1 to {MOST_PARTICLES} vertices are wanted, got {len(places)}")
        if corners.size and not 0 <= corners.min() <= corners.max() < len(places):
            wrong = corners[(corners < 0) | (corners >= len(places))].flat[0]
            raise ValueError(f"create_soft_body: triangles must name vertices from 0 to {len(places) - 1}, got {wrong}")
        mass = number("create_soft_body", "mass", mass, 0.0, is_above=True)
        for name, value in (("stiffness", stiffness), ("bending", bending)):
            if value != math.inf:
                number("create_soft_body", name, value, 0.0)
        made = SoftBody(self._world, system, self._space(system), lay_out(places, corners.astype(np.int64)), mass)
        made.set_stiffness(stiffness, bending)
        return made

    def _space(self, system: int) -> SoftSpace:
        """The memory that the soft bodies of a system share; it is made with the first of them."""
        owner = self._world.system(system)
        space = next((part._space for part in owner.kept if isinstance(part, SoftBody)), None)
        return space or SoftSpace(self._world, owner.address)
