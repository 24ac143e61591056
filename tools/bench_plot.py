"""The bench's picture: each tick's floor over the run, and the floors beside one another."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

from scree.tools import figure_files  # noqa: E402
from scree.tools.bench import SceneResult  # noqa: E402
from scree.tools.bench_figures import tick_floors  # noqa: E402

_COLOURS = {"Scree Physics": "#e4572e", "Jolt Physics": "#2e86ab", "GodotPhysics3D": "#7a7a7a"}


def plot(results: Sequence[SceneResult], folder: Path, skip: int = 0, name: str = "bench") -> list[Path]:
    """Write `name`.svg and `name`.png into `folder`, one row a scene; returns their paths."""
    figure, rows = plt.subplots(
        len(results),
        2,
        figsize=(11.0, 3.2 * len(results)),
        squeeze=False,
        gridspec_kw={"width_ratios": [3, 1]},
        layout="constrained",
    )
    for (over_time, bars), result in zip(rows, results, strict=True):
        for engine in result.engines:
            floors = tick_floors(engine.rounds, skip)
            over_time.plot(
                range(skip, skip + len(floors)),
                floors,
                label=engine.engine,
                linewidth=1.1,
                color=_COLOURS.get(engine.engine),
            )
        over_time.set(title=f"{result.scene}: {result.bodies} bodies", xlabel="tick", ylabel="least time [ms]")
        over_time.set_ylim(bottom=0.0)
        over_time.legend(frameon=False)
        names = [engine.engine.split()[0] for engine in result.engines]
        drawn = bars.bar(
            names,
            [engine.times.floor for engine in result.engines],
            color=[_COLOURS.get(engine.engine) for engine in result.engines],
        )
        labels = [f"{engine.times.floor:.2f}" + (f"\n{engine.ratio:.2f}x" if engine.ratio else "") for engine in result.engines]
        bars.bar_label(drawn, labels, fontsize=8)
        bars.set(ylabel="floor [ms], times Jolt's")
        bars.margins(y=0.25)
        bars.tick_params(axis="x", labelsize=8)
        for axes in (over_time, bars):
            axes.spines[["top", "right"]].set_visible(False)
    return figure_files.write(figure, folder, name)
