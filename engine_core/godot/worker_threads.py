"""The job system on the threads of Godot's WorkerThreadPool, without threads of our own.

A group task a job would cost tens of microseconds, some three hundred times a step. So one group task a step brings Godot's
threads into the loop of `runtime/thread_pool.py`, where they take batches until the step is over. While they are busy elsewhere,
the step continues without them: its caller takes all remaining batches.
"""

import ctypes
from ctypes import c_int64

import numpy as np

from ..runtime.atomics import compare_exchange_int64, load_acquire_int32, store_release_int64
from ..runtime.call import call_4, call_7_result, load_uint8
from ..runtime.job_system import JobSystem
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, address_of_row, stack_array, view
from ..runtime.thread_pool import (
    ELEVATED, GENERATION, POOL, ThreadPool, await_change, call_workers, elevate, release, run, start, wait, work_on_batches,
)  # fmt: skip
from ..runtime.timeline import cycles

INT64 = np.int64
HELPERS = np.dtype(
    [
        ("group", "i8"),  # of the last step, not waited for yet; -1: none
        ("is_taken", "i8"),  # some step is requesting threads, or has them
        ("add_group", "i8"), ("object", "i8"), ("task", "i8"), ("description", "i8"),
        ("call", "i8"), ("is_completed", "i8"), ("wait_for", "i8"),  # object_method_bind_ptrcall, and two methods
    ],
    align=True,
)  # fmt: skip
IS_TAKEN = HELPERS.fields["is_taken"][1]


@entry_point("void(int64, uint32)")
def help_in_step(pool, index):
    """Run one of Godot's threads in one step: take batches until it is over."""
    worker = INT64(index) + 1
    while True:
        seen = load_acquire_int32(pool + GENERATION)
        if load_acquire_int32(pool + ELEVATED) <= 0:
            break
        work_on_batches(pool, worker)
        await_change(pool, seen)


@kernel
def call_pool_method(helpers, method):
    """Call a method of Godot's pool that takes the group; return the first byte of its result."""
    words = stack_array(3, INT64)
    words[0], words[1], words[2] = helpers.group, address_of_row(words, 0), 0
    call_4(helpers.call, method, helpers.object, address_of_row(words, 1), address_of_row(words, 2))
    return load_uint8(address_of_row(words, 2))


@kernel
def have_left(helpers):
    """Whether Godot's threads have left the previous step. If so, Godot may forget it."""
    if helpers.group < 0:
        return True
    if call_pool_method(helpers, helpers.is_completed) == 0:
        return False
    call_pool_method(helpers, helpers.wait_for)
    helpers.group = -1
    return True


@entry_point("int64(int64)")
def begin_with_helpers(pool):
    """Begin a step: request Godot's threads. Return 0 if they are not available."""
    address = view(pool, 1, POOL)[0].helpers
    helpers = view(address, 1, HELPERS)[0]
    view(pool, 1, POOL)[0].began = cycles()
    if compare_exchange_int64(address + IS_TAKEN, INT64(0), INT64(1)) != 0:
        return 0
    if not have_left(helpers) or not elevate(pool):
        store_release_int64(address + IS_TAKEN, INT64(0))
        return 0
    count = INT64(view(pool, 1, POOL)[0].thread_count) - 1
    helpers.group = call_7_result(
        helpers.add_group, helpers.object, helpers.task, pool, count, count, INT64(1), helpers.description
    )
    return 1


@entry_point("void(int64, int64)")
def finish_with_helpers(pool, is_shared):
    """End a step: Godot's threads leave. Does not wait for that."""
    release(pool, is_shared != 0)
    if not is_shared:
        return
    call_workers(pool)
    store_release_int64(view(pool, 1, POOL)[0].helpers + IS_TAKEN, INT64(0))


@entry_point("void(int64)")
def await_helpers(pool):
    """Wait, for Python, until no thread of Godot is, or will be, in a step."""
    helpers = view(view(pool, 1, POOL)[0].helpers, 1, HELPERS)[0]
    if helpers.group >= 0:
        call_pool_method(helpers, helpers.wait_for)
        helpers.group = -1


class GodotThreads(JobSystem):
    """Runs steps on the threads of Godot's WorkerThreadPool, `thread_count` including the caller."""

    name = "Godot's WorkerThreadPool"

    def __init__(self, engine, thread_count: int):
        self.pool = ThreadPool(thread_count, has_own_threads=False)
        interface, methods = engine.interface, engine.api.classes["WorkerThreadPool"]
        self._memory, self._description = np.zeros(1, dtype=HELPERS), (c_int64 * 1)()
        new_string = interface.function("string_new_with_utf8_chars", None, ctypes.c_void_p, ctypes.c_char_p)
        new_string(ctypes.addressof(self._description), b"Scree physics step")
        self._destroy_string = interface.destroy_string
        helpers = self._memory[0]
        helpers["group"] = -1
        helpers["add_group"] = interface.address("worker_thread_pool_add_native_group_task")
        helpers["object"] = interface.singleton("WorkerThreadPool")
        helpers["task"], helpers["description"] = help_in_step.address, ctypes.addressof(self._description)
        helpers["call"] = interface.address("object_method_bind_ptrcall")
        for field, method in (("is_completed", "is_group_task_completed"), ("wait_for", "wait_for_group_task_completion")):
            helpers[field] = interface.method("WorkerThreadPool", method, methods[method].hash)
        self.pool.record["helpers"] = address_of(self._memory)
        functions = {"begin": begin_with_helpers, "run": run, "start": start, "wait": wait, "finish": finish_with_helpers}
        super().__init__(self.pool.address, thread_count, functions)

    def start_recording(self, capacity: int = 1 << 16):
        """Record every batch from now on."""
        timeline = super().start_recording(capacity)
        self.pool.record["timeline"] = timeline.address
        return timeline

    def stop_recording(self):
        """Stop recording."""
        self.pool.record["timeline"] = 0
        return super().stop_recording()

    def close(self) -> None:
        """Wait until Godot's threads have left. Later jobs are run by their caller alone."""
        await_helpers(self.pool.address)
        self.pool.close()
        if self._description[0]:
            self._destroy_string(ctypes.addressof(self._description))
            self._description[0] = 0
