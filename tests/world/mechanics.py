"""Laws of mechanics for bodies: energy, angular momentum, and how a free body turns."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation


def inertia_of(row) -> np.ndarray:
    """Inertia of a body in world axes [kg m^2]."""
    xx, yy, zz, xy, xz, yz = row["inverse_inertia_local"].astype(np.float64)
    turn = Rotation.from_quat(row["rotation"].astype(np.float64)).as_matrix()
    return turn @ np.linalg.inv([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T


def mass_of(row) -> float:
    return 1.0 / float(row["inverse_mass"])


def energy(world, bodies, gravity: float = 0.0) -> float:
    """Energy of some bodies [J]. On joints: what falls free gets all of gravity before it is moved, and its velocity is that of
    the middle of a sub-step."""
    total = 0.0
    for body in bodies:
        row, v, w = world.body(body), world.velocity(body), world.spin(body)
        total += 0.5 * mass_of(row) * (v @ v) + 0.5 * w @ inertia_of(row) @ w + mass_of(row) * gravity * row["position"][1]
    return total


def angular_momentum(world, bodies) -> np.ndarray:
    """About the world's origin [kg m^2/s]."""
    rows = [world.body(body) for body in bodies]
    return sum(
        inertia_of(row) @ world.spin(body) + np.cross(row["position"], mass_of(row) * world.velocity(body))
        for row, body in zip(rows, bodies, strict=True)
    )


def turn_freely(inertias, spin, times) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (quaternions) and spins in world axes at some times [s] of a free body that starts upright: Euler's equations, to
    ten digits. `inertias`: about its own axes [kg m^2]; `spin` at first [rad/s]."""
    inertias = np.asarray(inertias, dtype=np.float64)

    def rates(_, state):
        q, w = state[:4], state[4:]
        change = 0.5 * np.array([
            q[3] * w[0] + q[1] * w[2] - q[2] * w[1], q[3] * w[1] + q[2] * w[0] - q[0] * w[2],
            q[3] * w[2] + q[0] * w[1] - q[1] * w[0], -q[0] * w[0] - q[1] * w[1] - q[2] * w[2],
        ])  # fmt: skip
        return np.concatenate([change, np.cross(inertias * w, w) / inertias])

    start = np.concatenate([[0.0, 0.0, 0.0, 1.0], spin])
    found = solve_ivp(rates, (0.0, times[-1]), start, "DOP853", times, rtol=1e-11, atol=1e-12).y.T
    turns = Rotation.from_quat(found[:, :4])
    return turns.as_quat(), turns.apply(found[:, 4:])
