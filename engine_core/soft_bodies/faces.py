"""Pressure inside, drag and wind on the triangles of a soft body."""

import numpy as np

from ..geometry.vector import add, cross, dot, length, scale, store3, subtract, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64
AIR_DENSITY = 1.2
"""Density of the air that a drag coefficient is about [kg/m^3]."""
THIRD = 1.0 / 3.0


@kernel
def volume_under(soft, begin, end):
    """The part of the enclosed volume that is under the faces `begin` to `end - 1`, by the divergence theorem about the first
    particle [m^3]."""
    positions = view2(soft.positions, soft.particle_count, 3, FLOAT64)
    triangles, origin, total = view2(soft.faces, soft.triangle_count, 3, INT32), vector3(positions[0]), 0.0
    for t in range(begin, end):
        a = subtract(vector3(positions[INT64(triangles[t, 0])]), origin)
        b = subtract(vector3(positions[INT64(triangles[t, 1])]), origin)
        c = subtract(vector3(positions[INT64(triangles[t, 2])]), origin)
        total += dot(a, cross(b, c))
    return soft.orientation * total / 6.0


@kernel
def push_particle(velocities, shares, index, impulse):
    """Change the velocity of one particle by an impulse [N s], or its acceleration by a force [N]."""
    share = shares[index]
    velocities[index, 0] += share * impulse[0]
    velocities[index, 1] += share * impulse[1]
    velocities[index, 2] += share * impulse[2]


@kernel
def air_force(soft, velocity, wind, area_vector, share, h):
    """Force of wind and drag on a triangle [N]. `area_vector`: its normal times its area [m^2]; `share`: the inverse of its mass.
    Drag is taken at the end of the time `h` [s], so that it never turns a motion around."""
    area = length(area_vector)
    if area <= 0.0:
        return (0.0, 0.0, 0.0)
    normal = scale(area_vector, 1.0 / area)
    across = dot(velocity, normal)
    rate = 0.5 * AIR_DENSITY * soft.drag * area * abs(across)
    force = dot(wind, normal) * area - rate * across / (1.0 + rate * share * h)
    return scale(normal, force)


@kernel
def has_air(soft):
    """Whether wind or drag acts on a soft body in this step."""
    return soft.drag > 0.0 or soft.has_wind != 0


@kernel
def area_of(positions, i, j, k):
    """The normal of a triangle times its area [m^2]."""
    a, b, c = vector3(positions[i]), vector3(positions[j]), vector3(positions[k])
    return scale(cross(subtract(b, a), subtract(c, a)), 0.5)


@kernel
def calm_air(soft, begin, end):
    """Write 0 for the accelerations by wind and drag of the particles at some places."""
    order, airs = view(soft.order, soft.particle_count, INT32), view2(soft.airs, soft.particle_count, 3, FLOAT64)
    for place in range(begin, end):
        store3(airs[INT64(order[place])], (0.0, 0.0, 0.0))


@kernel
def find_air(soft, begin, end, h):
    """Add the accelerations of particles by wind and drag on the faces `begin` to `end - 1`, for the next `h` [s]. They change
    slowly, and are found 240 times a second, not in each small step."""
    n, has_wind = soft.particle_count, soft.has_wind != 0
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    airs, winds = view2(soft.airs, n, 3, FLOAT64), view2(soft.winds, n, 3, FLOAT64)
    shares, triangles = view(soft.inverse_masses, n, FLOAT64), view2(soft.faces, soft.triangle_count, 3, INT32)
    for t in range(begin, end):
        i, j, k = INT64(triangles[t, 0]), INT64(triangles[t, 1]), INT64(triangles[t, 2])
        velocity = scale(add(add(vector3(velocities[i]), vector3(velocities[j])), vector3(velocities[k])), THIRD)
        wind = (0.0, 0.0, 0.0)
        if has_wind:
            wind = scale(add(add(vector3(winds[i]), vector3(winds[j])), vector3(winds[k])), THIRD)
        share = (shares[i] + shares[j] + shares[k]) * THIRD
        force = scale(air_force(soft, velocity, wind, area_of(positions, i, j, k), share, h), THIRD)
        push_particle(airs, shares, i, force)
        push_particle(airs, shares, j, force)
        push_particle(airs, shares, k, force)


@kernel
def has_pressure(soft):
    """Whether there is pressure inside."""
    return soft.pressure != 0.0 and soft.orientation != 0.0


@kernel
def press_faces(soft, begin, end, h):
    """Apply the pressure inside to the faces `begin` to `end - 1` for a small step of `h` [s]."""
    n, triangles = soft.particle_count, view2(soft.faces, soft.triangle_count, 3, INT32)
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    pressure = THIRD * h * soft.orientation * soft.pressure / max(soft.volume, soft.least_volume)
    shares = view(soft.inverse_masses, n, FLOAT64)
    for t in range(begin, end):
        i, j, k = INT64(triangles[t, 0]), INT64(triangles[t, 1]), INT64(triangles[t, 2])
        impulse = scale(area_of(positions, i, j, k), pressure)
        push_particle(velocities, shares, i, impulse)
        push_particle(velocities, shares, j, impulse)
        push_particle(velocities, shares, k, impulse)
