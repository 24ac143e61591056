"""Small jobs for the tests of the thread pool."""

import numpy as np

from scree.runtime.atomics import add_int32, add_int64, load_acquire_int64, pause
from scree.runtime.kernel import JOB_SIGNATURE, entry_point
from scree.runtime.memory import view
from scree.runtime.parking import give_way
from scree.runtime.thread_pool import POOL, parallel_range
from scree.runtime.timeline import cycles

INT32, INT64 = np.int32, np.int64


@entry_point(JOB_SIGNATURE)
def count_visits(context, begin, end, worker):
    """Add one to int32 word i of `context` for every item i."""
    for i in range(begin, end):
        add_int32(context + 4 * i, INT32(1))


@entry_point(JOB_SIGNATURE)
def note_worker(context, begin, end, worker):
    """Write the worker's number + 1 to int64 word i."""
    words = view(context, end, INT64)
    for i in range(begin, end):
        words[i] = worker + 1


@entry_point(JOB_SIGNATURE)
def nothing(context, begin, end, worker):
    """No work."""


@entry_point(JOB_SIGNATURE)
def meet(context, begin, end, worker):
    """Wait until as many batches have begun as word 1 says: every thread must take one. Word 0 counts them; word 2 is
    the address of the pool."""
    words = view(context, 3, INT64)
    arrived = add_int64(context, INT64(1))
    wanted = (arrived // words[1] + 1) * words[1]
    tries = 0
    while load_acquire_int64(context) < wanted:
        tries += 1
        if tries < 500:
            pause()
        else:
            give_way(view(words[2], 1, POOL)[0].parking)


@entry_point(JOB_SIGNATURE)
def burn(context, begin, end, worker):
    """About `context` cycles an item."""
    until = cycles() + context * (end - begin)
    while cycles() < until:
        pause()


@entry_point(JOB_SIGNATURE)
def hand_out_another(context, begin, end, worker):
    """Try to use the pool from within a job. Word 0: address of the pool, 1: of a job, 2: counts refusals, 3:
    successes."""
    words = view(context, 4, INT64)
    for _ in range(begin, end):
        if parallel_range(words[0], words[1], 0, 0, 100, 1):
            add_int64(context + 24, INT64(1))
        else:
            add_int64(context + 16, INT64(1))


@entry_point("void(int64, int64, int64, int64, int64, int64)")
def time_jobs(pool, job, context, count, batch, times):
    """Do a job again and again from compiled code; the int64 array `times` (length in its first word) takes cycles
    each."""
    length = view(times, 1, INT64)[0]
    out = view(times, length, INT64)
    for k in range(length):
        began = cycles()
        parallel_range(pool, job, context, 0, count, batch)
        out[k] = cycles() - began
