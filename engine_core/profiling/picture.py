"""A recorded timeline as a picture: one row a thread, one colour a job. Needs matplotlib, which the engine itself does not."""

from ..runtime.timeline import Timeline
from .chrome_trace import spans, thread_name


def draw_timeline(path, timeline: Timeline, names: dict[int, str], begin: float = 0.0, end: float | None = None) -> None:
    """Draw what happened from `begin` to `end` [s, from the first event] to an image file. Raises ValueError if that is nothing,
    RuntimeError without matplotlib."""
    try:
        from matplotlib import colormaps
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch
    except ImportError as error:
        raise RuntimeError("draw_timeline: matplotlib is not installed (pip install matplotlib)") from error
    rows = [row for row in spans(timeline, names) if row[3] > begin and (end is None or row[2] < end)]
    if not rows:
        raise ValueError("draw_timeline: nothing was recorded in that time")
    kinds = sorted({row[1] for row in rows}, key=lambda kind: -sum(row[3] - row[2] for row in rows if row[1] == kind))
    colours = {kind: colormaps["tab20"](k % 20) for k, kind in enumerate(kinds)}
    figure = Figure(figsize=(16, 1.5 + 0.7 * timeline.thread_count), layout="constrained")
    axes = figure.add_subplot()
    for worker in range(timeline.thread_count):
        mine = [row for row in rows if row[0] == worker]
        bars = [(row[2] * 1e3, (row[3] - row[2]) * 1e3) for row in mine]
        axes.broken_barh(bars, (worker - 0.4, 0.8), facecolors=[colours[row[1]] for row in mine])
    axes.set_yticks(range(timeline.thread_count), [thread_name(k) for k in range(timeline.thread_count)])
    axes.invert_yaxis()
    axes.set_xlabel("time [ms]")
    axes.legend(
        handles=[Patch(color=colours[kind], label=kind) for kind in kinds], ncols=6, loc="upper center",
        bbox_to_anchor=(0.5, -0.25), frameon=False, fontsize="small",
    )  # fmt: skip
    figure.savefig(path, dpi=110)
