"""A world with one system, and the meshes of the tests of soft bodies."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "world"))
from small_world import TICK, SmallWorld  # noqa: E402

__all__ = ["TICK", "SoftWorld", "ball", "grid", "strip"]


def grid(columns: int, rows: int, width: float, height: float, is_upright: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) of a rectangle: lying with its front up, or standing with its first row at the
    top."""
    x, y = np.meshgrid(np.linspace(-width / 2, width / 2, columns), np.linspace(height / 2, -height / 2, rows))
    zeros = np.zeros(x.size)
    vertices = np.stack((x.ravel(), y.ravel(), zeros) if is_upright else (x.ravel(), zeros, -y.ravel()), axis=1)
    a = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    triangles = np.concatenate((np.stack((a, a + columns, a + 1), 1), np.stack((a + 1, a + columns, a + columns + 1), 1)))
    return vertices, triangles


def strip(count: int, length: float) -> tuple[np.ndarray, np.ndarray]:
    """A hanging ladder of `count` rungs, two particles each."""
    return grid(2, count, length / (count - 1), length, is_upright=True)


def ball(radius: float, rings: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """A closed sphere, its triangles counter-clockwise seen from outside."""
    sides = 2 * rings
    vertices = [(0.0, radius, 0.0)]
    for i in range(1, rings):
        angle = np.pi * i / rings
        for j in range(sides):
            turn = 2.0 * np.pi * j / sides
            vertices.append(
                (radius * np.sin(angle) * np.cos(turn), radius * np.cos(angle), radius * np.sin(angle) * np.sin(turn))
            )
    vertices.append((0.0, -radius, 0.0))
    last, triangles = len(vertices) - 1, []
    for j in range(sides):
        k = (j + 1) % sides
        triangles += [(0, 1 + k, 1 + j), (last, last - sides + j, last - sides + k)]
        for i in range(rings - 2):
            a, b = 1 + i * sides + j, 1 + i * sides + k
            triangles += [(a, b, a + sides), (b, b + sides, a + sides)]
    return np.array(vertices), np.array(triangles)


class SoftWorld(SmallWorld):
    """Gravity 10 m/s^2 downwards, no damping and no sleep unless asked for."""

    def soft(self, mesh, at=(0.0, 0.0, 0.0), **settings):
        """Add a soft body."""
        vertices, triangles = mesh
        return self.world.soft_body.create(self.system, np.asarray(vertices) + at, triangles, **settings)

    def step_shared(self) -> bool:
        """Step once, on all threads if there is enough to do, even if other programs slowed the pool's last steps. Return whether
        threads shared it."""
        self.world.job_system.pool.record["retreat"] = 0
        self.step(1)
        return bool(self.row["step"]["is_shared"])

    def trimesh(self, vertices, faces, at=(0.0, 0.0, 0.0), **params) -> int:
        """Add a static mesh of triangles."""
        from scree.bodies.schema import STATIC
        from scree.shapes.schema import MESH

        shape = self.world.shape.create(MESH)
        self.world.shapes.set_mesh(self.world.shape.index("mesh", shape), vertices, faces, False)
        return self.add(shape, at, mode=STATIC, **params)


def energy(soft, gravity: float = 10.0) -> float:
    """Kinetic, potential and elastic energy [J]."""
    rows, at, v = soft._arrays["edges"], soft.positions, soft.velocities
    lengths = np.linalg.norm(at[rows["a"]] - at[rows["b"]], axis=1)
    stiff = np.isfinite(rows["compliance"]) & (rows["compliance"] > 0.0)
    elastic = 0.5 * ((lengths - rows["rest"])[stiff] ** 2 / rows["compliance"][stiff]).sum()
    return float((0.5 * soft.masses * (v * v).sum(1) + soft.masses * gravity * at[:, 1]).sum() + elastic)
