"""Recording the steps of a system: the time of each stage, and the timeline of all threads.

    with recorded(world.system(system)) as recording:
        for _ in range(60):
            world.step(system, 1 / 60)
    print(recording.stage_seconds)
    write_chrome_trace("step.json", recording.timeline, recording.names)

`tools/timeline_plot.py` draws a picture of it.
"""

from contextlib import contextmanager

from ..runtime.timeline import Timeline
from ..step.physics_system import PhysicsSystem
from ..step.stages import JOB_COUNT, JOBS, STAGE_NAMES


def step_names() -> dict[int, str]:
    """The names of a step's events: its jobs by address, its serial stages by number."""
    names = {job.address: name for job, name in zip(JOBS, STAGE_NAMES, strict=False)}
    names.update({number: STAGE_NAMES[number] for number in range(JOB_COUNT, len(STAGE_NAMES))})
    return names


class Recording:
    """A recording. `stage_seconds`: time in each stage on the calling thread [s], filled at the end."""

    def __init__(self, timeline: Timeline):
        self.timeline, self.names = timeline, step_names()
        self.stage_seconds: dict[str, float] = {}


@contextmanager
def recorded(system: PhysicsSystem, capacity: int = 1 << 16):
    """Record every step of a system while the block runs; the last `capacity` batches of each thread are kept. No step
    of any system on the same job system may be running at the block's beginning and end."""
    recording = Recording(system.job_system.start_recording(capacity))
    system.measure_stages()
    try:
        yield recording
    finally:
        recording.stage_seconds = system.stage_seconds()
        system.measure_stages(False)
        system.job_system.stop_recording()
