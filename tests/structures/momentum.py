"""The momentum of bodies, from their rows."""

import numpy as np


def momenta(bodies) -> tuple[np.ndarray, np.ndarray]:
    """Momentum [kg m/s] and angular momentum about the origin [kg m^2/s] of bodies."""
    linear, angular = np.zeros(3), np.zeros(3)
    for body in bodies:
        core = body.space.world.core
        row = core.bodies.rows[core.body.index("", body.id)]
        xx, yy, zz, xy, xz, yz = row["inverse_inertia_world"].astype(float)
        spin = np.linalg.solve([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], row["angular_velocity"].astype(float))
        p = float(row["mass"]) * row["linear_velocity"].astype(float)
        linear, angular = linear + p, angular + np.cross(row["position"], p) + spin
    return linear, angular
