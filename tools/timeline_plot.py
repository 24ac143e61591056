"""A recorded timeline as a picture: one row a thread, one colour a job."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
from matplotlib.patches import Patch  # noqa: E402

from scree.profiling.chrome_trace import spans, thread_name  # noqa: E402
from scree.runtime.timeline import Timeline  # noqa: E402


def plot_timeline(path: Path, timeline: Timeline, names: dict[int, str], begin: float = 0.0, end: float = float("inf")) -> None:
    """Draw what happened from `begin` to `end` [s, from the first event] to an image file. Raises ValueError if that is
    nothing."""
    rows = [row for row in spans(timeline, names) if row[3] > begin and row[2] < end]
    if not rows:
        raise ValueError("plot_timeline: nothing was recorded in that time")
    totals: dict[str, float] = {}
    for _, name, starts, ends, _, _ in rows:
        totals[name] = totals.get(name, 0.0) + ends - starts
    kinds = sorted(totals, key=totals.get, reverse=True)
    colours = {kind: matplotlib.colormaps["tab20"](k % 20) for k, kind in enumerate(kinds)}
    figure, axes = plt.subplots(figsize=(16.0, 1.8 + 0.6 * timeline.thread_count), layout="constrained")
    for worker in range(timeline.thread_count):
        mine = [row for row in rows if row[0] == worker]
        bars = [(row[2] * 1e3, (row[3] - row[2]) * 1e3) for row in mine]
        axes.broken_barh(bars, (worker - 0.4, 0.8), facecolors=[colours[row[1]] for row in mine], edgecolor="none")
    axes.set_yticks(range(timeline.thread_count), [thread_name(worker) for worker in range(timeline.thread_count)])
    axes.set_xlim(max(begin, rows[0][2]) * 1e3, min(end, max(row[3] for row in rows)) * 1e3)
    axes.invert_yaxis()
    axes.set_xlabel("time [ms]")
    figure.legend(
        handles=[Patch(color=colours[kind], label=f"{kind} {totals[kind] * 1e3:.2f} ms") for kind in kinds],
        ncols=7, loc="outside lower center", frameon=False, fontsize="small",
    )  # fmt: skip
    figure.savefig(path, dpi=110)
    plt.close(figure)
