"""How full the pools have been: `PhysicsServer3D.call("pool_figures")`, and the debugger's monitors. Nothing is dropped when a
pool is full: the call or the step reports which setting to raise."""

from .schema import DICTIONARY

PREFIX = "physics/scree_3d/limits/max_"
POOLS = ("bodies", "body_shapes", "shapes", "joints", "spaces", "pairs", "contacts")


def pool_figures(server) -> dict:
    """For each pool: the most rows in use at once, the capacity, and its setting. For pools of each space, the fullest space."""
    world = server.world
    spaces = [row for row in world.systems.rows[: int(world.record["system_count"])] if row["id"]]
    # Rows in stock count only if they were in use before: see creation/stock.py.
    at_hand, stock = server.record, server.stock
    most = {
        "bodies": max(world.bodies.count - int(at_hand["stock_count"]), stock.most_bodies),
        "body_shapes": max(world.instances.most_used() - int(at_hand["run_count"]), stock.most_runs),
        "shapes": world.shapes.row_count, "joints": world.joints.count, "spaces": int(world.record["system_count"]),
        "pairs": max((int(row["pairs"]["count"]) for row in spaces), default=0),
        "contacts": max((int(row["manifolds"]["count"]) for row in spaces), default=0),
    }  # fmt: skip
    limits = {name.replace("systems", "spaces"): limit for name, limit in world.limits.items()}
    return {name: {"most": count, "capacity": limits[name], "setting": PREFIX + name} for name, count in most.items()}


def add_figure_methods(methods, engine) -> None:
    """Register the methods with Godot."""

    def answer() -> dict:
        with engine.server.lock:
            return pool_figures(engine.server)

    methods.cold("pool_figures", answer, result=DICTIONARY)
