"""Batches of static bodies for Python users: a queue to the stepping thread, and the life cycle of one batch.

    queue = BatchQueue(world, system)
    batch = BodyBatch(queue, new_bodies, new_shapes, cooked)   # on any thread
    batch.push()
    queue.advance()                                            # on the stepping thread, before each step
    ...
    batch.begin_removal()                                      # on any thread
    while not batch.continue_removal(): ...                    # until it is out; the queue must be advanced meanwhile

Tiles of a streaming world are such batches (streaming/loader.py).
"""

import time
from weakref import WeakKeyDictionary

import numpy as np

from ..batches import body_batches
from ..batches.body_batches import BATCH, DROPPED, FAILED, HIDDEN, IS_IN, IS_OUT, NEW_BODY, NEW_SHAPE, PREPARED, QUEUE, TOUCHED
from ..bodies.schema import BODY, CAN_SLEEP, HAS_EXCEPTIONS, HAS_RARE, IS_IN_BATCH, LAYER_NOT_MOVING, RAY_PICKABLE, STATIC
from ..broad_phase.schema import USER_STRIPES
from ..broad_phase.trees import BUDGET
from ..runtime.memory import address_of
from ..runtime.recorded_calls import check_not_recorded
from ..runtime.timeline import cycles_per_second
from ..step.stages import STAGES, UPDATE_TREES

ALL_COUNTERS = (1 << 2 * USER_STRIPES) - 1
STEP_BUDGET = 512
"""How much of its tree of static bodies a step may rebuild while loaders tend that tree (see `Trees`): some 20 us."""


_tenders: WeakKeyDictionary = WeakKeyDictionary()
"""The number of queues that tend its tree, by system."""


class BatchQueue:
    """Batches on their way into one system. `budget` [s]: how long a call of `advance` may take. `tends`: the owner calls
    `tend_tree` now and then, so that the step does little to the tree of static bodies."""

    def __init__(self, world, system_id: int, budget: float = 100e-6, tends: bool = False):
        self.world, self.system = world, world.system(system_id)
        self._record = np.zeros(1, QUEUE)
        self.address = address_of(self._record)
        self.row = self._record[0]
        self.row["budget"] = int(budget * cycles_per_second())
        self.template = world.bodies.template(STATIC, CAN_SLEEP | RAY_PICKABLE | IS_IN_BATCH)
        self.template["broad_phase_layer"] = LAYER_NOT_MOVING
        self._tree = self.system.trees.trees.rows[LAYER_NOT_MOVING]
        self._tends = tends
        if tends:
            _tenders[self.system] = _tenders.get(self.system, 0) + 1
            self._tree["budget"] = STEP_BUDGET
        self.hold_back = None  # rows -> those that a host still uses and gives back itself
        assert BODY.itemsize % 8 == 0

    def close(self) -> None:
        """Leave the tree to the step again. All batches must have been removed."""
        if self._tends:
            self._tends = False
            _tenders[self.system] -= 1
            if _tenders[self.system] == 0:
                self._tree["budget"] = BUDGET
        if self.row["tree_counter"]:
            self.system.measure_stages(False)

    def advance(self) -> None:
        """Insert and remove waiting batches, within the budget. Call it on the stepping thread, between steps."""
        body_batches.advance(self.address)

    def tend_tree(self, slices: int = 8) -> int:
        """Rebuild the tree of static bodies on this thread; return the number of slices done."""
        return body_batches.tend_tree(self.system.address, slices)

    def waiting(self) -> int:
        """The number of batches that wait for `advance`."""
        return int(self.row["waiting"])

    def figures(self) -> dict[str, float]:
        """The cost of `advance` since `reset_figures` [us], and what it did."""
        to_us = 1e6 / cycles_per_second()
        return {
            "last_us": self.row["last_cycles"] * to_us,
            "worst_us": self.row["worst_cycles"] * to_us,
            "worst_tick_us": self.row["worst_tick_cycles"] * to_us,  # with the trees of the step, since `measure_trees`
            "total_us": self.row["total_cycles"] * to_us,
            "calls": int(self.row["call_count"]),
            "put_in": int(self.row["finalized_count"]),
            "taken_out": int(self.row["removed_count"]),
            "waiting": self.waiting(),
        }

    def measure_trees(self) -> None:
        """From now on, also count what each step does to all trees, those of moving bodies among them."""
        self.system.measure_stages()
        stages = self.system._stages
        self.row["tree_counter"] = address_of(stages) + STAGES.fields["cycles"][1] + 8 * UPDATE_TREES
        self.row["tree_before"] = 0

    def reset_figures(self) -> None:
        """Reset the figures."""
        counted = ("worst_tick_cycles", "last_cycles", "worst_cycles", "total_cycles", "call_count", "finalized_count")
        for name in (*counted, "removed_count"):
            self.row[name] = 0


class BodyBatch:
    """Static bodies that are inserted and removed together. Any thread may make one: the bodies exist and their sub-tree is
    prepared, but nothing finds them until `push` was called and the queue was advanced.

    `new_bodies`: NEW_BODY. `new_shapes`: NEW_SHAPE, whose `shape` is an index into `cooked`: rows of SHAPE with addresses that
    stay valid as long as the batch. `origin` [m] is added to positions; `user_id` is reported by queries. Raises PoolFull, and
    then nothing was taken."""

    def __init__(self, queue: BatchQueue, new_bodies, new_shapes, cooked, origin=(0.0, 0.0, 0.0), user_id: int = 0, keeps=None):
        check_not_recorded(queue.world.recorder, "BodyBatch", "batches of bodies (tiles)")
        self.queue, self.count, self._keeps = queue, len(new_bodies), keeps
        world = queue.world
        self._arrays = (np.ascontiguousarray(new_bodies, NEW_BODY), np.ascontiguousarray(new_shapes, NEW_SHAPE))
        instance_count = int(self._arrays[0]["shape_count"].sum())
        self._run = 1 << max(instance_count - 1, 0).bit_length()
        self.rows = self._shapes = np.empty(0, np.int32)
        self._first = -1
        self._seen = 0
        self._record = np.zeros(1, BATCH)
        self.address = address_of(self._record)
        queue.system.batches.add(self.address)
        try:
            self._shapes = world.shapes.adopt(cooked)
            world.shape_keepers.update(dict.fromkeys(self._shapes.tolist(), keeps))
            self._first = world.instances.take(self._run)
            self.rows = world.bodies.take_many(self.count)
            self._touched = np.empty(self.count, np.int32)
            self._fill(np.asarray(origin, np.float64), user_id)
            if self.count and not body_batches.make_batch(self.address):
                raise queue.system.trees.full()
        except BaseException:
            self._give_back()
            raise

    def _fill(self, origin, user_id: int) -> None:
        row, queue = self._record[0], self.queue
        row["state"] = PREPARED
        row["world"], row["system"] = queue.world.address, queue.system.address
        row["system_index"], row["count"] = int(queue.system.row["index"]), self.count
        row["rows"], row["touched"] = address_of(self.rows), address_of(self._touched)
        row["new_bodies"], row["new_shapes"] = map(address_of, self._arrays)
        row["shape_rows"], row["first_instance"] = address_of(self._shapes), self._first
        row["template"], row["user_id"], row["origin"] = address_of(queue.template), user_id, origin

    @property
    def state(self) -> int:
        return int(self._record[0]["state"])

    @property
    def is_in(self) -> bool:
        """Whether queries find its bodies."""
        return self.state == IS_IN

    @property
    def ids(self) -> np.ndarray:
        """The ids of its bodies, in their order."""
        return self.queue.world.bodies.rows["id"][self.rows]

    def missing(self) -> int:
        """The number of its bodies that no query would find."""
        return body_batches.missing_bodies(self.address)

    def push(self) -> None:
        """Hand it to the stepping thread."""
        if self.count:
            body_batches.push(self.queue.address, self.address)
        else:
            self._record[0]["state"] = IS_IN

    def drop(self) -> None:
        """Free a batch that was never pushed."""
        if self.count:
            body_batches.drop_subtree(self.address)
        self._give_back()

    def begin_removal(self) -> None:
        """Begin the removal: finished at once if the batch is not in yet, else step by step. New queries do not find its bodies
        any more. If another thread is inserting the batch at this moment, that holds from the next `continue_removal` on."""
        self._seen = 0
        if self.count and not body_batches.abort_batch(self.address) and self.state == IS_IN:
            body_batches.hide_batch(self.address)

    def continue_removal(self) -> bool:
        """Continue a removal without waiting. Return whether the batch is out and everything it took was given back."""
        if self.count == 0 or self.state == IS_OUT:
            self._give_back()
            return True
        if self.state in (DROPPED, FAILED):
            self.drop()
            return True
        if self.state == IS_IN:  # it was ENTERING when its removal began
            body_batches.hide_batch(self.address)
        if self.state == HIDDEN:
            self._seen = body_batches.quiet_counters(self.address, self._seen)
            if self._seen == ALL_COUNTERS:
                body_batches.find_touched(self.address)
                if self.state == TOUCHED:
                    body_batches.push(self.queue.address, self.address)
                else:
                    return self.continue_removal()
        return False

    def remove(self, timeout: float = 10.0) -> None:
        """Remove the batch, advancing the queue, on the stepping thread. For use where time does not matter."""
        self.begin_removal()
        until = time.monotonic() + timeout
        while not self.continue_removal():
            self.queue.advance()
            if time.monotonic() > until:
                raise TimeoutError(f"BodyBatch.remove: a query holds the tree for more than {timeout} s")

    def _give_back(self) -> None:
        world = self.queue.world
        if len(self.rows):
            self._forget_extras(world)
            body_batches.retire_rows(self.address)
            held = self.queue.hold_back(self.rows) if self.queue.hold_back else self.rows[:0]
            world.bodies.give_back_many(np.setdiff1d(self.rows, held) if len(held) else self.rows)
        if self._first >= 0:
            world.instances.give_back(self._first, self._run)
        with world.shapes.held():  # a thread that copies shapes now finds their owners
            for index in self._shapes.tolist():
                world.shape_keepers.pop(index, None)
            world.shapes.disown(self._shapes)
        self.rows = self._shapes = np.empty(0, np.int32)
        self._first, self._keeps = -1, None
        self.count = 0
        self.queue.system.batches.discard(self.address)

    def _forget_extras(self, world) -> None:
        """Forget what users may have attached to single bodies."""
        rows = world.bodies.rows
        for index in self.rows[rows["flags"][self.rows] & np.uint32(HAS_RARE) != 0].tolist():
            world.body.forget_reports(index)
        named = self.rows[rows["flags"][self.rows] & np.uint32(HAS_EXCEPTIONS) != 0]
        for index in named.tolist():
            world.exceptions.forget(index)
