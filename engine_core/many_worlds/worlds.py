"""Many copies of one space: their memory, and the calls that run jobs over them."""

import ctypes
import mmap
import time
import warnings

import numpy as np

from ..bodies.schema import HAS_RARE, IS_AREA
from ..bodies.system_schema import LIMIT_KINDS
from ..collision.ray_queries import query_rays
from ..edit.joint_placement import joint_changed
from ..joints.schema import UNLIMITED
from ..runtime.job_system import SingleThread
from ..runtime.memory import PAGE, address_of, reserve, view_rows
from ..runtime.pooled_threads import PooledThreads
from ..runtime.recorded_calls import check_not_recorded
from ..runtime.thread_pool import shared_pool
from ..sensors.change import forget_events
from ..step.limits import LEFT_OUT, SECONDS_BETWEEN_WARNINGS, LimitReached
from ..step.physics_system import step
from . import packing
from .packing import Packed, Room, Scratch
from .rays import cast_rays
from .schema import MANY_WORLDS, STATE_WIDTH
from .stepping import hash_worlds, over_worlds, put_worlds, set_states, step_worlds

MOST_BODIES = 4096
"""The most rows of bodies in a space that is copied."""
PAIRS_OF_BODY, CONTACTS_OF_BODY, LEAST_ROWS = 16, 8, 16
LINE = 64
MOST_HOT_LINES = 512
"""A larger copy is prefetched in part: the caches must hold two."""
TRIAL_SECONDS = 1 / 120


def room_for(world, pairs: int | None, contacts: int | None) -> Room:
    """The room of a copy: all pairs that few bodies can make, some for each of many bodies."""
    bodies, joints = max(int(world.record["body_count"]), 1), max(world.joints.count, 1)
    if pairs is None:
        pairs = max(min(bodies * (bodies - 1) // 2, PAIRS_OF_BODY * bodies), LEAST_ROWS)
    if contacts is None:
        contacts = max(CONTACTS_OF_BODY * bodies, LEAST_ROWS)
    has_areas = bool((world.bodies.rows["flags"][:bodies] & IS_AREA).any())
    overlaps = power_of_two(4 * bodies) if has_areas else 1
    rows, rares = world.bodies.rows[:bodies], world.bodies.rare.rows[:bodies]
    has_reports = bool(((rows["flags"] & HAS_RARE != 0) & (rares["contact_events"] != 0)).any())
    return Room(bodies, joints, power_of_two(pairs), power_of_two(contacts), overlaps, has_reports)


def power_of_two(count: int) -> int:
    return 1 << (count - 1).bit_length()


def check_copied(call: str, world, system) -> None:
    """Raises ValueError or RuntimeError for a space with something that no copy can have."""
    check_not_recorded(world.recorder, call, "copies of a space")
    world.body.settle_shapes()
    world.late.settle()
    if system.listeners:
        raise ValueError(
            f"{call}: the space has vehicles, pulleys, soft bodies, water or functions of its own (on_step): copies have none"
        )
    if system.batches:
        raise ValueError(f"{call}: the space has batches of bodies (tiles), which cannot be copied")
    count = int(world.record["body_count"])
    if count > MOST_BODIES:
        raise ValueError(f"{call}: the world of the space has {count} rows of bodies, at most {MOST_BODIES} can be copied")
    joints = world.joints.rows[: world.joints.count]
    may_break = (joints["id"] != 0) & ((joints["break_force"] < UNLIMITED) | (joints["break_torque"] < UNLIMITED))
    if may_break.any():
        raise ValueError(f"{call}: the joint {int(joints['id'][may_break][0])} may break, those of copies cannot")


class ManyWorlds:
    """`count` copies of a space of `world`, a core's World. `bodies`, `joints`, `axes`: rows int32 that arrays are about.

    The threads of a step are those of a pool of `threads`. The world must live as long, and its bodies, shapes and rules must not
    be changed meanwhile: copies read its shapes. Nothing else is shared."""

    def __init__(self, world, system, count: int, bodies, joints, axes, threads: int | None, pairs, contacts):
        self._world, self.count = world, count
        packed, template, links = packing.pack(world, system, room_for(world, pairs, contacts))
        self._job_system = PooledThreads(shared_pool(threads))
        self._alone = SingleThread()
        self._scratch = Scratch(packed, self._job_system.pool.thread_count)
        self._prepare_template(packed, template, system)
        stride = (packed.size + LINE - 1) // LINE * LINE
        stride += LINE if stride // LINE % 2 == 0 else 0  # else the same line of all copies falls into few sets of a cache
        self._links = links
        self._bodies, self._joints, self._axes = (np.ascontiguousarray(rows, np.int32) for rows in (bodies, joints, axes))
        self.states = np.zeros((count, len(bodies), STATE_WIDTH))
        self.impulses = np.zeros((count, len(bodies)), np.float32)
        self.joint_states = np.zeros((count, len(joints), 2))
        self._left_out = np.zeros((count, LIMIT_KINDS), np.int64)
        self._hashes = np.zeros(count, np.int64)
        self._told_at = -SECONDS_BETWEEN_WARNINGS
        self._memory = np.zeros(1, MANY_WORLDS)
        self.record, self.address = self._memory[0], address_of(self._memory)
        self._copies = reserve(count * stride + PAGE)
        use_large_pages(self._copies)
        base = ctypes.addressof(ctypes.c_char.from_buffer(self._copies))
        for name, value in {
            "base": base, "stride": stride, "count": count, "size": packed.size, "world_at": packed.world_at,
            "system_at": packed.system_at, "row_count": packed.room.bodies, "template": address_of(self._template),
            "links": address_of(links), "link_count": len(links), "scratch_places": address_of(self._scratch.places),
            "scratch_count": len(self._scratch.places), "scratch": address_of(self._scratch.addresses),
            "scratch_sizes": address_of(self._scratch.sizes), "solver_rows": self._scratch.solver_rows,
            "step": step.address, "joint_changed": joint_changed.address, "forget_events": forget_events.address,
            "copy": ctypes.cast(ctypes.memmove, ctypes.c_void_p).value, "job_system": self._job_system.address,
            "bodies": address_of(self._bodies), "body_count": len(bodies), "joints": address_of(self._joints),
            "axes": address_of(self._axes), "joint_count": len(joints), "states": address_of(self.states),
            "impulses": address_of(self.impulses),
            "joint_states": address_of(self.joint_states),
            "left_out": address_of(self._left_out),
            "hashes": address_of(self._hashes),
        }.items():  # fmt: skip
            self.record[name] = value
        self._hot = self._find_hot_lines(packed)
        self.record["hot"], self.record["hot_count"] = address_of(self._hot), len(self._hot)
        self.put(None)

    def _find_hot_lines(self, packed: Packed) -> np.ndarray:
        """The cache lines of a copy that a step uses, offsets int64: records and rows of bodies and joints, and what a trial step
        of world 0 changes."""
        first = np.zeros(self.count, bool)
        first[0] = True
        mask = first.view(np.uint8)
        self.put(mask)
        memory = view_rows(int(self.record["base"]), self.byte_count, np.uint8)
        self.step(TRIAL_SECONDS, 1, {}, mask)
        before = memory.copy()
        self.step(TRIAL_SECONDS, 1, {}, mask)
        lines = set((np.flatnonzero(memory != before) // LINE).tolist())
        for at, byte_count in packed.hot:
            lines.update(range(at // LINE, (at + byte_count + LINE - 1) // LINE))
        return np.array(sorted(lines)[:MOST_HOT_LINES], np.int64) * LINE

    def _prepare_template(self, packed: Packed, template: np.ndarray, system) -> None:
        """Make the template of all copies: they step alone, each on one thread."""
        self._template = template
        at = packed.system_at + packing.place_of(packing.SYSTEM, "step.job_system")
        template[at : at + 8].view(np.int64)[0] = self._alone.address
        self._system = system  # keeps the tables of functions that copies have the addresses of

    @property
    def byte_count(self) -> int:
        """Size of a copy [byte]."""
        return int(self.record["size"])

    def _run(self, job, mask: np.ndarray | None) -> None:
        self.record["mask"] = 0 if mask is None else address_of(mask)
        over_worlds(self.address, job.address)

    def step(self, seconds: float, steps: int, actions: dict[str, np.ndarray | None], mask: np.ndarray | None) -> None:
        """Step the chosen worlds `steps` times by `seconds` [s]. `actions`: by the names of fields of MANY_WORLDS."""
        self.record["seconds"], self.record["step_count"] = seconds, steps
        for name, values in actions.items():
            self.record[name] = 0 if values is None else address_of(values)
        self._run(step_worlds, mask)
        self._warn()

    def put(self, mask: np.ndarray | None, source: int | None = None) -> None:
        """Put the chosen worlds to the template, or to the world `source` as it is now."""
        if source is None:
            self.record["source"] = self.record["template"]
            self._run(put_worlds, mask)
            return
        at = int(self.record["base"]) + source * int(self.record["stride"])
        kept = view_rows(at, self.byte_count, np.uint8).copy()
        self.record["source"] = address_of(kept)
        self._run(put_worlds, mask)

    def set_states(self, states: np.ndarray, mask: np.ndarray | None) -> None:
        """Move the bodies of the chosen worlds to `states`, float64 (count, bodies, 13)."""
        self.record["wanted_states"] = address_of(states)
        self._run(set_states, mask)

    def cast_rays(self, query: np.ndarray, body: int, origins: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """How far each ray goes in each world until it hits something, float64 (count, n) [m]; infinite without a hit. `query`: a
        QUERY of one ray, whose place is not read. `body`: row of the body in whose frame `origins` and `ends`, float64 (n, 3),
        are; -1: the world's."""
        distances = np.empty((self.count, len(origins)))
        for name, value in {
            "query": address_of(query), "ray_body": body, "origins": address_of(origins), "ends": address_of(ends),
            "ray_count": len(origins), "query_rays": query_rays.address, "distances": address_of(distances),
        }.items():  # fmt: skip
            self.record[name] = value
        self._run(cast_rays, None)
        return distances

    def hashes(self) -> np.ndarray:
        """The hash of each world, int64 (count,): that of state/hashing.py."""
        self._run(hash_worlds, None)
        return self._hashes.copy()

    def _warn(self) -> None:
        """Warn, at most once a second, of what limits left out."""
        if not self._left_out.any():
            return
        now = time.monotonic()
        if now - self._told_at >= SECONDS_BETWEEN_WARNINGS:
            self._told_at = now
            for kind, (what, limit) in LEFT_OUT.items():
                worlds = np.flatnonzero(self._left_out[:, kind])
                if len(worlds):
                    total = int(self._left_out[:, kind].sum())
                    message = (
                        f"step: in {len(worlds)} worlds, first in {worlds[0]}, {total} {what}: raise VectorWorld({limit}=...)"
                    )
                    warnings.warn(message, LimitReached, stacklevel=4)
        self._left_out[:] = 0


def use_large_pages(memory) -> None:
    """Ask for large pages, where the system has them: worlds are far apart, and each look-up of a page counts."""
    if isinstance(memory, mmap.mmap) and hasattr(mmap, "MADV_HUGEPAGE"):
        try:
            memory.madvise(mmap.MADV_HUGEPAGE)
        except OSError:
            return
