"""`scree bench broadphase`: a quad tree after many batches, before and after a rebuild, drawn and counted."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scree.tools import figure_files

BODIES, BATCHES, SIDE = 4000, 16, 600.0  # a smaller world than the one that is measured, so that one sees something
RAYS = 2000


@dataclass(frozen=True)
class TreeState:
    """A tree at one moment: its levels (`Trees.levels`) and what a query costs in it."""

    title: str
    levels: list
    ray: tuple[float, float]  # nodes looked at, bodies given
    box: tuple[float, float]

    def figures(self) -> str:
        """In words; a look at a node tests four bounds."""
        words = [
            f"a {name} looks at {nodes:.1f} nodes ({4 * nodes:.0f} tests) and gives {bodies:.2f} bodies"
            for name, (nodes, bodies) in (("ray", self.ray), ("box", self.box))
        ]
        return f"{self.title}: {len(self.levels)} levels; " + "; ".join(words)


def tree_states() -> list[TreeState]:
    """Batches spread over the whole world, hung into one tree; then the steps that rebuild it; then one built at once."""
    from scree.bodies.schema import BODY, LAYER_NOT_MOVING
    from scree.broad_phase.trees import Trees
    from scree.profiling.tree_costs import build_at_once, hang_batch, query_costs, step_tree
    from scree.runtime.memory import Pool

    generator = np.random.default_rng(1)
    centre = generator.uniform([-SIDE / 2, 0, -SIDE / 2], [SIDE / 2, 20, SIDE / 2], (BODIES, 3))
    half = generator.uniform(0.5, 2.5, (BODIES, 3))
    origins = generator.uniform([-SIDE / 2, 1, -SIDE / 2], [SIDE / 2, 20, SIDE / 2], (RAYS, 3))
    ways = generator.normal(size=(RAYS, 3))
    rays = np.concatenate([origins, 100 * ways / np.linalg.norm(ways, axis=1)[:, None]], 1)
    boxes = np.concatenate([origins - 2, origins + 2], 1)
    pool = Pool("bodies", BODY, BODIES)
    pool.rows["fat_bounds"] = np.concatenate([centre - half, centre + half], 1)
    states = []

    def keep(title: str, trees: Trees) -> None:
        tree = trees.tree_address(LAYER_NOT_MOVING)
        costs = query_costs(tree, rays, False), query_costs(tree, boxes, True)
        states.append(TreeState(title, trees.levels(LAYER_NOT_MOVING), *costs))

    trees = Trees(BODIES)
    tree = trees.tree_address(LAYER_NOT_MOVING)
    for batch in generator.permutation(BODIES).astype(np.int32).reshape(BATCHES, -1):
        hang_batch(tree, pool.address, batch)
    keep(f"{BATCHES} batches, each spread over the world", trees)
    steps = step_tree(tree, pool.address)
    keep(f"after {steps} steps", trees)
    fresh = Trees(BODIES)
    build_at_once(fresh.tree_address(LAYER_NOT_MOVING), pool.address, BODIES)
    keep("built at once", fresh)
    return states


def draw(states: list[TreeState], folder: Path) -> list[Path]:
    """A section from above of each tree: the bounds of its nodes, level by level. Writes broadphase.svg and .png."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    figure, row = plt.subplots(1, len(states), figsize=(6.0 * len(states), 6.6), layout="constrained")
    for axes, state in zip(row, states, strict=True):
        deepest = len(state.levels)
        for level, (bounds, children) in enumerate(state.levels):
            is_node = (children >= 0) & (np.abs(bounds).max(axis=1) < 1e6)
            patches = [Rectangle((b[0], b[2]), b[3] - b[0], b[5] - b[2]) for b in bounds[is_node]]
            shade = plt.cm.viridis(level / max(deepest - 1, 1))
            axes.add_collection(PatchCollection(patches, facecolor="none", edgecolor=shade, linewidth=0.8))
        for bounds, children in state.levels:
            leaves = bounds[children < 0]
            axes.add_collection(
                PatchCollection(
                    [Rectangle((b[0], b[2]), b[3] - b[0], b[5] - b[2]) for b in leaves], facecolor="#e4572e", linewidth=0
                )
            )
        axes.set(xlim=(-SIDE / 2, SIDE / 2), ylim=(-SIDE / 2, SIDE / 2), aspect="equal", xlabel="x [m]", ylabel="z [m]")
        nodes, boxes = state.ray[0], state.box[0]
        axes.set_title(f"{state.title}\na ray: {nodes:.1f} nodes, {4 * nodes:.0f} tests; a box: {boxes:.1f} nodes")
    return figure_files.write(figure, folder, "broadphase", dpi=110)
