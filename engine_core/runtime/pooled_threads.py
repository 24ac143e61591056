"""The job system on threads of our own."""

from .job_system import JobSystem
from .thread_pool import ThreadPool, begin_elevation, end_elevation, run, start, wait
from .timeline import Timeline


class PooledThreads(JobSystem):
    """The job system on threads of our own: those of a thread pool."""

    name = "own threads"

    def __init__(self, pool: ThreadPool):
        self.pool = pool
        functions = {"begin": begin_elevation, "run": run, "start": start, "wait": wait, "finish": end_elevation}
        super().__init__(pool.address, pool.thread_count, functions)

    def start_recording(self, capacity: int = 1 << 16) -> Timeline:
        """Write down every batch from now on, `capacity` events a thread; the oldest go."""
        self.timeline = self.pool.start_recording(capacity)
        self.record["timeline"] = self.timeline.address
        return self.timeline

    def stop_recording(self) -> Timeline | None:
        """Stop writing down. No job may be running. Returns what was recorded, or None."""
        self.pool.stop_recording()
        return super().stop_recording()

    def close(self) -> None:
        """Send the workers home. No job may be running; what comes later is done by its caller alone."""
        self.pool.close()
        self.record["thread_count"] = 1
