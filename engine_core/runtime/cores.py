"""The number of processor cores available to this process."""

import os
import platform
from pathlib import Path

MAX_THREADS = 64
"""The most threads that a step may use."""


def physical_core_count() -> int:
    """Physical cores that this process may use, by its affinity and by the CPU limit of its container."""
    if hasattr(os, "sched_getaffinity"):
        allowed = os.sched_getaffinity(0)
    else:
        allowed = set(range(os.cpu_count() or 1))
    cores = {_core_of(processor) for processor in allowed}
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(min(len(cores), round(int(quota) / int(period))), 1)
    except (OSError, ValueError):
        return max(len(cores), 1)


def _core_of(processor: int) -> tuple:
    """A key that identifies a physical core; if unknown, every processor counts as one."""
    folder = Path(f"/sys/devices/system/cpu/cpu{processor}/topology")
    try:
        return folder.joinpath("physical_package_id").read_text(), folder.joinpath("core_id").read_text()
    except OSError:
        # Two threads a core are usual on desktops where this cannot be queried.
        return ("unknown", processor if platform.machine() in ("arm64", "aarch64") else processor // 2)


def default_thread_count() -> int:
    """All physical cores but one, which is left to the rest of the game; at least 1."""
    return max(physical_core_count() - 1, 1)
