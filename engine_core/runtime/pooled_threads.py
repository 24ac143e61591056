"""The job system with its own threads."""

from .job_system import JobSystem
from .thread_pool import ThreadPool, begin_elevation, end_elevation, run, start, wait
from .timeline import Timeline


class PooledThreads(JobSystem):
    """A job system that uses the threads of a thread pool."""

    name = "own threads"

    def __init__(self, pool: ThreadPool):
        self.pool = pool
        functions = {"begin": begin_elevation, "run": run, "start": start, "wait": wait, "finish": end_elevation}
        super().__init__(pool.address, pool.thread_count, functions)

    def start_recording(self, capacity: int = 1 << 16) -> Timeline:
        """Record every batch from now on, `capacity` events a thread; the oldest are overwritten."""
        self.timeline = self.pool.start_recording(capacity)
        self.record["timeline"] = self.timeline.address
        return self.timeline

    def stop_recording(self) -> Timeline | None:
        """Stop recording. No job may be running. Return the recording, or None."""
        self.pool.stop_recording()
        return super().stop_recording()

    def close(self) -> None:
        """End the workers. No job may be running; later jobs are run by their caller alone."""
        self.pool.close()
        self.record["thread_count"] = 1
