"""Writing a figure of matplotlib as the two files that pages use."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # who draws chooses matplotlib's backend before it is imported
    from matplotlib.figure import Figure


def write(figure: "Figure", folder: Path, name: str, dpi: int = 130) -> list[Path]:
    """Write `name`.svg and `name`.png to a folder, which is made if it is missing, and close the figure. Returns their paths."""
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    for path in paths:
        figure.savefig(path, dpi=dpi)
    pyplot.close(figure)
    return paths
