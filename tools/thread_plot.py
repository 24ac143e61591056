"""The picture of how a step scales with threads: measured, predicted, and as it was published for another engine.

    python -m scree.tools.thread_plot threads.json docs/pictures
The file is one of thread_costs.py. Prints the rows of the table in docs/measurements.md.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from scree.runtime.cores import MAX_THREADS
from scree.tools import figure_files
from scree.tools.thread_model import machine_of, predict, tables_of

PUBLISHED = {1: 82.0, 31: 6.6}  # [ms] of 5,000 bodies mostly in one pile, by threads: Teardown's next engine, talk of 2025
_COLOURS = ("#2e86ab", "#e4572e", "#3a7d44", "#8a5fb0", "#b8860b")


def predictions(found: Mapping, name: str, threads) -> dict[int, float]:
    """Predicted milliseconds a step of a scene, by the number of threads. A recording slows a step down: its times are scaled to
    those of the step on one thread without a recording."""
    scene = found["scenes"][name]
    machine = machine_of(found["machine"], scene)
    scale = tables_of(scene["step"])[1] / predict(scene["work"], 1, machine).total
    return {number: scale * predict(scene["work"], number, machine).total for number in threads}


def gains(times: Mapping[int, float]) -> dict[int, float]:
    """How many times as fast a step is as on one thread."""
    return {number: times[1] / ms for number, ms in times.items()}


def plot(found: Mapping, folder: Path) -> list[Path]:
    """Write threads.svg and threads.png: how many times as fast each scene is by threads. `found`: what thread_costs.py wrote."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.5, 5.0), layout="constrained")
    most = max(found["threads"])
    for colour, (name, scene) in zip(_COLOURS, found["scenes"].items(), strict=False):
        predicted, measured = gains(predictions(found, name, range(1, MAX_THREADS + 1))), gains(tables_of(scene["step"]))
        inside = [number for number in predicted if number <= most]
        label = f"{name.replace('_', ' ')} of {scene['bodies']:,}, predicted"
        axes.plot(inside, [predicted[number] for number in inside], "-", color=colour, label=label)
        beyond = [number for number in predicted if number >= most]
        axes.plot(beyond, [predicted[number] for number in beyond], ":", color=colour)
        axes.plot(list(measured), list(measured.values()), "o", color=colour, label="measured")
    published = gains(PUBLISHED)
    axes.plot(list(published), list(published.values()), "s--", color="#7a7a7a", label="Teardown's next engine, published")
    ticks = (1, 2, 4, 8, 16, 32, 64)
    axes.set(xscale="log", yscale="log", xlabel="threads", ylabel="times as fast as on one thread")
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_yticks(ticks[:5], [str(tick) for tick in ticks[:5]])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure_files.write(figure, folder, "threads")


def table(found: Mapping) -> list[str]:
    """Rows of Markdown: scene, threads, measured and predicted step [ms] and their difference, how many times as fast as one
    thread."""
    lines = []
    for name, scene in found["scenes"].items():
        measured = tables_of(scene["step"])
        predicted = predictions(found, name, measured)
        for number, ms in measured.items():
            difference = f"{predicted[number] / ms - 1.0:+.0%}"
            words = (
                f"{name.replace('_', ' ')} of {scene['bodies']:,}",
                number,
                f"{ms:.2f}",
                f"{predicted[number]:.2f}",
                difference,
            )
            lines.append("| " + " | ".join(map(str, (*words, f"{measured[1] / ms:.2f}"))) + " |")
    return lines


if __name__ == "__main__":
    told = json.loads(Path(sys.argv[1]).read_text())
    print("\n".join([*table(told), *map(str, plot(told, Path(sys.argv[2])))]))
