"""The picture of how a step's cost grows with the number of bodies."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

from scree.tools import figure_files  # noqa: E402

_COLOURS = {1: "#2e86ab", 2: "#e4572e"}


def plot(found: dict[int, dict[int, float]], slopes: dict[int, float], folder: Path) -> list[Path]:
    """Write scaling.svg and scaling.png: milliseconds a step by threads and bodies, with the power it grows with."""
    figure, axes = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
    for threads, times in found.items():
        label = f"{threads} thread{'s' if threads > 1 else ''}: power {slopes[threads]:.2f} from 500 on"
        axes.plot(list(times), list(times.values()), "o-", label=label, color=_COLOURS.get(threads))
    first = next(iter(found.values()))
    largest = max(first)
    axes.plot(list(first), [first[largest] * n / largest for n in first], ":", color="#7a7a7a", label="in proportion")
    axes.set(xscale="log", yscale="log", xlabel="boxes in a settled pile", ylabel="median step, its thread's time [ms]")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure_files.write(figure, folder, "scaling")
