"""A top view of a streamed world: its tiles by state, its scenes, its viewers."""

from pathlib import Path

STATE_COLOURS = {"in": "#3b8f5a", "requested": "#e0a32e", "leaving": "#8c6bb1", "failed": "#c0392b", "": "#d9d9d9"}
LEVEL_NAMES = ("full", "medium", "low", "none")


def plot(tiles, tile_size: float, file: Path, scenes=(), viewers=()) -> None:
    """Draw `tiles`, rows of x, z, state and level, to a PNG or SVG file. `scenes`: rows of x, z, encounter radius, whether it is
    active; `viewers`: rows of x, z, velocity x, z."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot
    from matplotlib.patches import Circle, Patch, Rectangle

    figure, axes = pyplot.subplots(figsize=(8, 8))
    for x, z, state, level in tiles:
        shade = (1.0, 0.65, 0.3, 0.15)[level]
        axes.add_patch(Rectangle((x * tile_size, z * tile_size), tile_size, tile_size, facecolor=STATE_COLOURS[state],
                                 edgecolor="white", alpha=shade if state in ("in", "") else 1.0))  # fmt: skip
    for x, z, radius, is_active in scenes:
        axes.add_patch(Circle((x, z), radius, fill=is_active, facecolor="#2e6fbb66", edgecolor="#2e6fbb"))
    for x, z, velocity_x, velocity_z in viewers:
        axes.plot([x], [z], "o", color="black")
        axes.arrow(x, z, velocity_x, velocity_z, width=0.02 * tile_size, color="black")
    axes.legend(handles=[Patch(color=colour, label=name or "low, no collision") for name, colour in STATE_COLOURS.items()],
                loc="upper right")  # fmt: skip
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.invert_yaxis()
    axes.set_xlabel("x [m]")
    axes.set_ylabel("z [m]")
    axes.set_title(f"{sum(state == 'in' for _, _, state, _ in tiles)} tiles in; full, medium and low from dark to light")
    figure.savefig(file, dpi=110, bbox_inches="tight")
    pyplot.close(figure)
