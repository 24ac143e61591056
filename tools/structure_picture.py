"""`scree bench structures`: sections of a loose octree and of a structure's tree over the same bricks, and box tests of both."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scree.tools import figure_files

BRICKS, HEIGHT = 7000, 4.5  # in the picture, and where it is cut [unit]
COUNTED = 1_000_000


@dataclass(frozen=True)
class Section:
    """The nodes of a tree that a horizontal plane cuts: their levels and bounds (min x, y, z, max x, y, z), shape (n, 6)."""

    title: str
    levels: np.ndarray
    bounds: np.ndarray


def _section(title: str, nodes: list[tuple[int, list[float]]]) -> Section:
    levels, bounds = np.array([level for level, _ in nodes]), np.array([bounds for _, bounds in nodes])
    is_cut = (bounds[:, 1] < HEIGHT) & (bounds[:, 4] > HEIGHT)
    return Section(title, levels[is_cut], bounds[is_cut])


def _nodes_of_structure(structure) -> list[tuple[int, list[float]]]:
    """Level and tight bounds of each node of a structure's tree."""
    nodes, waiting = [], [int(structure.record[0]["root"])]
    while waiting:
        cluster = structure.clusters[waiting.pop()]
        for lane in np.nonzero(cluster["low"][0] <= cluster["high"][0])[0]:
            nodes.append((int(cluster["level"]), [*cluster["low"][:, lane], *cluster["high"][:, lane]]))
        waiting += [int(child) for child in cluster["child"] if child]
    return nodes


def _nodes_of_octree(octree) -> list[tuple[int, list[float]]]:
    """Level and loose bounds of each node of a loose octree."""
    nodes = []
    for row in octree.nodes.rows[1 : int(octree.record[0]["node_count"]) + 1]:
        width = 2.0 ** int(row["level"])
        low = row["low"] - 0.5 * width
        nodes.append((int(row["level"]), [*low, *(low + 2.0 * width)]))
    return nodes


def sections(count: int = BRICKS) -> tuple[np.ndarray, list[Section]]:
    """Bricks of a small town, and a section of each tree over them."""
    from scree.structures.structure import Structure
    from scree.tools.loose_octree import LooseOctree, insert_bricks
    from scree.tools.structure_costs import town

    rows = town(count)
    structure, octree = Structure(count), LooseOctree(rows)
    structure.insert(rows)
    insert_bricks(octree.address, 0, count)
    made = [_section("Loose octree", _nodes_of_octree(octree)), _section("Structure's tree", _nodes_of_structure(structure))]
    is_cut = (rows["low"][:, 1] < HEIGHT) & (rows["high"][:, 1] > HEIGHT)
    return rows[is_cut], made


def in_words(tests: dict) -> list[str]:
    """The counts of `compare_tests`, one string a tree, and the ratios."""
    words = [
        f"loading {tests['bricks']} bricks: {tests['loading'][name] / 1e6:.0f} million tests; a ray: {tests['ray'][name]:.0f}"
        for name in ("octree", "tree")
    ]
    return [*words, f"{tests['loading_ratio']:.3f} of the tests while loading, {tests['ray_ratio']:.3f} of a ray's"]


def draw(bricks: np.ndarray, drawn: list[Section], tests: dict, folder: Path) -> list[Path]:
    """Sections from above, nodes by level. Writes structures.svg and structures.png."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    def rectangles(low, high):
        return [Rectangle((a[0], a[2]), b[0] - a[0], b[2] - a[2]) for a, b in zip(low, high, strict=True)]

    figure, row = plt.subplots(1, 2, figsize=(14.0, 7.6), layout="constrained")
    deepest = max(int(section.levels.max()) for section in drawn)
    low, high = bricks["low"].min(0) - 5, np.quantile(bricks["high"], 0.995, axis=0) + 5
    for axes, section, words in zip(row, drawn, in_words(tests), strict=False):
        axes.add_collection(PatchCollection(rectangles(bricks["low"], bricks["high"]), facecolor="#e4572e", linewidth=0))
        for level in range(deepest, -1, -1):
            chosen = section.bounds[section.levels == level]
            shade = plt.cm.viridis(1.0 - level / max(deepest, 1))
            boxes = rectangles(chosen[:, :3], chosen[:, 3:])
            axes.add_collection(PatchCollection(boxes, facecolor="none", edgecolor=shade, linewidth=0.7))
        axes.set(xlim=(low[0], high[0]), ylim=(low[2], high[2]), aspect="equal", xlabel="x [unit]", ylabel="z [unit]")
        axes.set_title(f"{section.title}: {len(section.bounds)} nodes cut\n{words}", fontsize=10)
    return figure_files.write(figure, folder, "structures", dpi=110)
