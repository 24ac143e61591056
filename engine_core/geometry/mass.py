"""Volume, centre of mass and inertia of solids of uniform density.

Inertia is about the centre of mass for a mass of 1 kg: (xx, yy, zz, xy, xz, yz) [m^2]; the off-diagonal words are the
elements of the tensor (negative products of inertia).
"""

import math

import numpy as np

from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view, view2


@kernel
def sphere_mass(radius):
    """`(volume [m^3], inertia)` of a sphere about its centre."""
    moment = 0.4 * radius * radius
    return 4.0 / 3.0 * math.pi * radius * radius * radius, (moment, moment, moment, 0.0, 0.0, 0.0)


@kernel
def box_mass(half_extents):
    """`(volume [m^3], inertia)` of a box about its centre; three doubles."""
    x, y, z = half_extents
    xx, yy, zz = x * x, y * y, z * z
    return 8.0 * x * y * z, ((yy + zz) / 3.0, (xx + zz) / 3.0, (xx + yy) / 3.0, 0.0, 0.0, 0.0)


@kernel
def cylinder_mass(radius, half_height):
    """`(volume [m^3], inertia)` of a cylinder along Y about its centre."""
    across = radius * radius / 4.0 + half_height * half_height / 3.0
    return 2.0 * math.pi * radius * radius * half_height, (across, radius * radius / 2.0, across, 0.0, 0.0, 0.0)


def ellipsoid_mass(half_axes):
    """`(volume [m^3], inertia)` of an ellipsoid about its centre."""
    x, y, z = (float(h) * float(h) for h in half_axes)
    volume = 4.0 / 3.0 * math.pi * math.sqrt(x * y * z)
    return volume, (0.2 * (y + z), 0.2 * (x + z), 0.2 * (x + y), 0.0, 0.0, 0.0)


def turned_mass(pieces):
    """`(volume [m^3], height of the centre of mass, inertia about it)` of a solid of revolution about Y. `pieces`: (from, to,
    function from heights to squared radii); exact where that is a polynomial of degree 2 (Gauss and Legendre, five points)."""
    places, weights = np.polynomial.legendre.leggauss(5)
    volume = first = second = disc = 0.0
    for low, high, squared_radius in pieces:
        y, w = 0.5 * (high - low) * places + 0.5 * (high + low), 0.5 * (high - low) * weights
        area = math.pi * np.maximum(squared_radius(y), 0.0)
        volume, first, second = volume + w @ area, first + w @ (area * y), second + w @ (area * y * y)
        disc += w @ (area * area) / math.pi
    center = first / volume
    across = 0.25 * disc / volume + second / volume - center * center
    return float(volume), float(center), (float(across), float(0.5 * disc / volume), float(across), 0.0, 0.0, 0.0)


@kernel
def capsule_mass(radius, half_height):
    """`(volume [m^3], inertia)` of a capsule along Y about its centre; `half_height` [m] without the caps."""
    cylinder_volume, cylinder = cylinder_mass(radius, half_height)
    sphere_volume, sphere = sphere_mass(radius)
    volume = cylinder_volume + sphere_volume
    # The half spheres are pushed apart: parallel axes from the centre of each half (3/8 r from its flat side).
    shift = half_height * half_height + 0.75 * half_height * radius
    across = (cylinder_volume * cylinder[0] + sphere_volume * (sphere[0] + shift)) / volume
    along = (cylinder_volume * cylinder[1] + sphere_volume * sphere[1]) / volume
    return volume, (across, along, across, 0.0, 0.0, 0.0)


def polyhedron_mass(vertices, face_starts, face_vertices):
    """`(volume [m^3], center_of_mass (3,) [m], inertia (6,))` of a closed polyhedron: vertices float32 `(n, 3)`, faces
    int32 as in `hull_building.Hull`. Sums over tetrahedra, in double (D. Eberly, "Polyhedral Mass Properties
    (Revisited)", 2009)."""
    result = np.zeros(10)
    addresses = np.array([a.ctypes.data for a in (vertices, face_starts, face_vertices, result)], dtype=np.int64)
    polyhedron_mass_job(addresses.ctypes.data, len(vertices), len(face_starts) - 1)
    return float(result[0]), result[1:4], result[4:]


@kernel
def _add_tetrahedron(sums, a, b, c):
    """Add six times the volume, the first moments and the second moments of the tetrahedron of the origin, a, b and
    c."""
    volume = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    total = (a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2])
    sums[0] += volume
    for i in range(3):
        sums[1 + i] += volume * total[i]
        j = (i + 1) % 3
        sums[4 + i] += volume * (total[i] * total[i] + a[i] * a[i] + b[i] * b[i] + c[i] * c[i])
        sums[7 + i] += volume * (total[i] * total[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j])


@entry_point("void(int64, int64, int64)")
def polyhedron_mass_job(addresses, vertex_count, face_count):
    """See `polyhedron_mass`. `addresses`: int64 words, the addresses of vertices, face starts, face vertices,
    result."""
    table = view(addresses, 4, np.int64)
    vertices = view2(table[0], vertex_count, 3, np.float32)
    face_starts = view(table[1], face_count + 1, np.int32)
    face_vertices = view(table[2], face_starts[face_count], np.int32)
    result = view(table[3], 10, np.float64)
    mx = my = mz = 0.0
    for i in range(vertex_count):
        mx += vertices[i, 0]
        my += vertices[i, 1]
        mz += vertices[i, 2]
    mx, my, mz = mx / vertex_count, my / vertex_count, mz / vertex_count
    sums = np.zeros(10)
    for face in range(face_count):
        begin, end = face_starts[face], face_starts[face + 1]
        p = vertices[face_vertices[begin]]
        a = (p[0] - mx, p[1] - my, p[2] - mz)
        for i in range(begin + 1, end - 1):
            q, r = vertices[face_vertices[i]], vertices[face_vertices[i + 1]]
            _add_tetrahedron(sums, a, (q[0] - mx, q[1] - my, q[2] - mz), (r[0] - mx, r[1] - my, r[2] - mz))
    if sums[0] <= 0.0:
        return
    x, y, z = sums[1] / (4.0 * sums[0]), sums[2] / (4.0 * sums[0]), sums[3] / (4.0 * sums[0])
    xx, yy, zz = (
        sums[4] / (20.0 * sums[0]) - x * x,
        sums[5] / (20.0 * sums[0]) - y * y,
        sums[6] / (20.0 * sums[0]) - z * z,
    )
    xy, yz, zx = (
        sums[7] / (20.0 * sums[0]) - x * y,
        sums[8] / (20.0 * sums[0]) - y * z,
        sums[9] / (20.0 * sums[0]) - z * x,
    )
    result[0] = sums[0] / 6.0
    result[1], result[2], result[3] = x + mx, y + my, z + mz
    result[4], result[5], result[6] = yy + zz, xx + zz, xx + yy
    result[7], result[8], result[9] = -xy, -zx, -yz
