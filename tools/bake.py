"""Cutting a Godot scene into tiles: Godot lists its static bodies, here they are cooked and written.

What is larger than a tile is cut if it is made of triangles, and refused by its node's path if not.
"""

import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from scree.shapes import settings
from scree.shapes.stretch import split_basis
from scree.streaming.baking import Bake
from scree.tools.find_godot import Godot

LISTER = "res://addons/scree/tools/list_static_bodies.gd"
LARGE = 100_000
"""From so many triangles on a mesh tells how far it is cooked: smaller ones take less than a tenth of a second."""

Report = Callable[[int, int, str], None]
"""Told `(done, total, name)`."""


def silent(done: int, total: int, name: str) -> None:
    """Nobody looks."""


class CannotBake(Exception):
    """A scene that cannot be cut into tiles; the message says why and names the node."""


def shape_settings(row: dict):
    """The settings of a listed shape. Raises CannotBake for kinds that no tile can hold."""
    kind = row["kind"]
    if kind == "BoxShape3D":
        return settings.Box.checked([0.5 * c for c in row["size"]])
    if kind == "SphereShape3D":
        return settings.Sphere.checked(row["radius"])
    if kind == "CapsuleShape3D":
        return settings.Capsule.checked(row["radius"], row["height"])
    if kind == "CylinderShape3D":
        return settings.Cylinder.checked(row["radius"], row["height"])
    if kind == "ConvexPolygonShape3D":
        return settings.Hull.checked(np.reshape(row["points"], (-1, 3)))
    if kind == "ConcavePolygonShape3D":
        corners = np.reshape(row["faces"], (-1, 3))
        triangles = np.arange(len(corners)).reshape(-1, 3)[:, ::-1]  # Godot's front is clockwise, the core's is not
        return settings.Mesh.checked(corners, triangles, row["backface"])
    if kind == "HeightMapShape3D":
        heights = [np.nan if height is None else height for height in row["heights"]]
        return settings.HeightField.checked(row["width"], row["depth"], heights)
    raise CannotBake(f"a {kind} reaches everywhere: leave its node in the game")


def add_listing(bake: Bake, rows: Iterable[dict], report: Report = silent) -> int:
    """Add what Godot listed; how many bodies. `report` is told how far a large mesh is cooked, by its body's name. Raises
    CannotBake."""
    shapes: dict[int, object] = {}
    bodies, is_whole = 0, False
    for row in rows:
        if "shape" in row:
            shapes[row["shape"]] = row
        elif "scene" in row:
            bake.add_scene(row["scene"], row["position"], row["encounter_radius"], row["activation_radius"], row["path"])
        elif "body" in row:
            try:
                _add_body(bake, row, shapes, report)
            except (ValueError, CannotBake) as error:
                raise CannotBake(f"{row['body']}: {error}") from error
            bodies += 1
        is_whole = is_whole or "end" in row
    if not is_whole:
        raise CannotBake("Godot did not list the whole scene")
    return bodies


def _cooked(given, name: str, report: Report):
    """Settings of a shape, cooked."""
    if isinstance(given, settings.Mesh) and len(given.triangles) >= LARGE:
        return given.cook(lambda done, total: report(done, total, name))
    return given.cook()


def _add_body(bake: Bake, row: dict, shapes: dict, report: Report) -> None:
    """A body with its scale in its shapes."""
    transform = np.array(row["transform"], np.float64)
    rotation, stretch = split_basis(transform[:9].reshape(3, 3))
    parts, triangles = [], []
    for number, placed in row["shapes"]:
        local = np.array(placed, np.float64)
        turn, rest = split_basis(np.asarray(stretch) @ local[:9].reshape(3, 3))
        place = np.asarray(stretch) @ local[9:]
        given = shape_settings(shapes[number])
        if not np.allclose(rest, np.eye(3), atol=1e-5):
            given, _ = given.stretched(np.asarray(rest))
        cooked = _cooked(given, row["body"], report)
        bounds = np.asarray(cooked.fields.get("bounds", [0.0] * 6), np.float64)
        is_large = np.abs(bounds).max() + np.abs(place).max() > 0.5 * bake.tile_size
        if is_large and cooked.block is not None and "triangles" in cooked.block.arrays:
            triangles.append((cooked, np.asarray(turn), place))
        else:
            parts.append((bake.add_cooked(cooked), tuple(place), tuple(turn)))
    shared = {
        "layer": row["layer"], "mask": row["mask"], "friction": row["friction"], "restitution": row["bounce"],
        "surface_velocity": row["velocity"],
    }  # fmt: skip
    if parts:
        bake.add_body(transform[9:], parts, rotation, **shared)
    for cooked, turn, place in triangles:
        _add_cut_mesh(bake, cooked, turn, place, transform[9:], np.asarray(rotation), shared)


def rotation_matrix(q) -> np.ndarray:
    """Rotation matrix of a unit quaternion (x, y, z, w), shape (3, 3)."""
    x, y, z, w = (float(c) for c in q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def _add_cut_mesh(bake: Bake, cooked, turn, place, origin, rotation, shared: dict) -> None:
    """A large mesh, one body a tile: each triangle goes to the tile its middle lies in."""
    arrays = cooked.block.arrays
    corners = arrays["vertices"].astype(np.float64) @ rotation_matrix(turn).T + place
    corners = corners @ rotation_matrix(rotation).T + origin
    pieces = cut_triangles(corners[arrays["triangles"]], bake.tile_size)
    tiles = np.floor(pieces.mean(1)[:, [0, 2]] / bake.tile_size).astype(np.int64)
    for tile in np.unique(tiles, axis=0):
        mine = pieces[(tiles == tile).all(1)].reshape(-1, 3)
        center = np.array([(tile[0] + 0.5) * bake.tile_size, origin[1], (tile[1] + 0.5) * bake.tile_size])
        faces = np.arange(len(mine)).reshape(-1, 3)
        piece = settings.Mesh.checked(mine - center, faces, bool(cooked.fields["has_backface_collision"]))
        bake.add_body(center, bake.add_shape(piece), **shared)


def cut_triangles(triangles: np.ndarray, tile_size: float) -> np.ndarray:
    """Triangles `(n, 3, 3)` with those that are large beside a tile cut at its borders, so that each piece belongs to one."""
    extents = np.ptp(triangles[:, :, [0, 2]], axis=1).max(1)
    whole = [triangles[extents <= 0.25 * tile_size]]
    for triangle in triangles[extents > 0.25 * tile_size]:
        polygons = [triangle]
        for axis in (0, 2):
            polygons = [piece for polygon in polygons for piece in _slices(polygon, axis, tile_size)]
        for polygon in polygons:
            fan = [polygon[[0, k, k + 1]] for k in range(1, len(polygon) - 1)]
            whole.append(np.array(fan).reshape(-1, 3, 3))
    return np.concatenate(whole)


def _slices(polygon: np.ndarray, axis: int, size: float) -> list[np.ndarray]:
    """A convex polygon cut by the planes at multiples of `size` along an axis (Sutherland and Hodgman 1974)."""
    first, last = np.floor(polygon[:, axis].min() / size), np.ceil(polygon[:, axis].max() / size)
    slices = []
    for number in range(int(first), int(last)):
        piece = _clipped(polygon, axis, number * size, 1.0)
        piece = _clipped(piece, axis, (number + 1) * size, -1.0)
        if len(piece) >= 3:
            slices.append(piece)
    return slices


def _clipped(polygon: np.ndarray, axis: int, border: float, side: float) -> np.ndarray:
    """The part of a convex polygon beyond a border."""
    kept = []
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        away_a, away_b = side * (a[axis] - border), side * (b[axis] - border)
        if away_a >= 0.0:
            kept.append(a)
        if away_a * away_b < 0.0:
            cut = a + (b - a) * (away_a / (away_a - away_b))
            cut[axis] = border
            kept.append(cut)
    return np.array(kept).reshape(-1, 3)


def cook_scene(godot: Godot, project: Path, scene: str, tile_size: float = 256.0, report: Report = silent) -> Bake:
    """The static bodies of a project's scene, cooked and sorted into tiles: its `write` makes the files. `report` as in
    `add_listing`. Raises CannotBake."""
    if not (project / "project.godot").is_file():
        raise CannotBake(f"{project} is no Godot project: it holds no project.godot")
    if not (project / "addons" / "scree" / "tools").is_dir():
        raise CannotBake(f"{project} has no addon, or an old one: run `scree install {project}`")
    with tempfile.TemporaryDirectory() as place:
        listing = Path(place) / "bodies.jsonl"
        run = godot.run("--headless", "--path", project, "-s", LISTER, "--", f"--scene={scene}", f"--out={listing}")
        if run.returncode != 0 or not listing.is_file():
            said = [line.removeprefix("scree bake: ") for line in run.output.splitlines() if line.startswith("scree bake: ")]
            raise CannotBake(said[0] if said else f"Godot could not list {scene}:\n{run.output[-2000:]}")
        bake = Bake(tile_size)
        with open(listing, encoding="utf-8") as lines:
            add_listing(bake, map(json.loads, lines), report)
    return bake
