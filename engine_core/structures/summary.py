"""A whole structure in a few numbers: mass, centre, inertia and bounds, in constant time from the sums and the root."""

import numpy as np

from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from .nodes import clusters_of
from .schema import STRUCTURE, SUMMARY

TWO_TO_64 = 18446744073709551616.0


@kernel
def double_of(wide):
    """A 128-bit whole number in double precision."""
    return np.float64(wide.high) * TWO_TO_64 + np.float64(wide.low)


@kernel
def moments(sums, k):
    """Sums of m x x (k 0 to 2) and of m x y, m y z, m z x (3 to 5) of boxes with whole corners, own parts included."""
    return double_of(sums.second[k]) / (12.0 if k < 3 else 4.0)


@kernel
def set_mass(sums, summary):
    """Write mass, centre of mass and inertia."""
    free = sums.free
    mass = double_of(sums.mass) + free[0]
    summary.mass = mass
    for k in range(3):
        summary.center_of_mass[k] = 0.0
        summary.inertia[k], summary.inertia[3 + k] = 1.0, 0.0
    if not mass > 0.0:
        return
    for k in range(3):
        summary.center_of_mass[k] = (0.5 * double_of(sums.first[k]) + free[1 + k]) / mass
    x, y, z = summary.center_of_mass[0], summary.center_of_mass[1], summary.center_of_mass[2]
    xx = max((moments(sums, 0) + free[4]) / mass - x * x, 0.0)
    yy = max((moments(sums, 1) + free[5]) / mass - y * y, 0.0)
    zz = max((moments(sums, 2) + free[6]) / mass - z * z, 0.0)
    inertia = summary.inertia
    inertia[0], inertia[1], inertia[2] = yy + zz, xx + zz, xx + yy
    inertia[3] = x * y - (moments(sums, 3) + free[7]) / mass
    inertia[4] = x * z - (moments(sums, 5) + free[9]) / mass
    inertia[5] = y * z - (moments(sums, 4) + free[8]) / mass


@entry_point("void(int64, int64)")
def summarize(structure, summary_address):
    """Write the SUMMARY of the structure at an address. For the thread that edits it."""
    s, summary = view(structure, 1, STRUCTURE)[0], view(summary_address, 1, SUMMARY)[0]
    root = clusters_of(s)[s.root]
    for k in range(3):
        summary.low[k], summary.high[k] = root.low[k, 0], root.high[k, 0]
    summary.thinnest = s.thinnest
    set_mass(s.sums, summary)
