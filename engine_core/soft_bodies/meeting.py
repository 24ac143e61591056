"""Soft bodies that meet each other, or themselves: particles against faces.

Before a sub-step, faces look for particles near them, in a grid of the particles. In each small step, the particle and the
corners of the face are moved apart until they are as far from each other as both are thick, with friction; both sides get the
same impulse. So soft bodies that may meet take the same small steps: those of the most precise of them.
"""

import math

import numpy as np

from ..collision.pairs import combine_surfaces
from ..geometry.segments import nearest_on_triangle
from ..geometry.vector import add, add_scaled, cross, dot, length, scale, store3, subtract, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from .phases import soft_at
from .pushes import PUSH_OUT_SPEED
from .schema import MEETING, MOST_MEETINGS

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64
FASTEST_FALL = 0.1
"""Velocity that particles may gain before they are looked for again [m/s]."""
FARTHEST_CELLS = 8.0
"""Particles are looked for at most this many cells farther away than surfaces are thick."""
LEAST_CELLS = 64
"""A triangle over fewer cells looks into them, however few particles there are."""
DEEPEST = 3.0
"""A particle inside a closed surface is brought out if it is less than this many times the thickness deep."""
SHORTEST_WAY = 1e-9
"""A shorter way has no direction [m]."""
MEETING_SIZE = MEETING.itemsize


@kernel
def cell_along(soft, x):
    """The number of the cell at a coordinate [m]."""
    return INT64(math.floor(x / soft.cell_size))


@kernel
def slot_of(soft, i, j, k):
    """The slot of a cell in the table of cells."""
    return (i * 73856093 ^ j * 19349663 ^ k * 83492791) & (soft.slot_count - 1)


@kernel
def fill_grid(soft):
    """Put all particles into the cells of the grid. Write their bounds and their highest speed."""
    n = soft.particle_count
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    slots, following = view(soft.slots, soft.slot_count, INT32), view(soft.following, n, INT32)
    counts = view(soft.meeting_counts, n, INT32)
    for k in range(soft.slot_count):
        slots[k] = -1
    fastest = 0.0
    for i in range(n):
        at, v = vector3(positions[i]), vector3(velocities[i])
        slot = slot_of(soft, cell_along(soft, at[0]), cell_along(soft, at[1]), cell_along(soft, at[2]))
        following[i], slots[slot], counts[i] = slots[slot], i, 0
        fastest = max(fastest, dot(v, v))
    soft.fastest = math.sqrt(fastest)


@kernel
def shares_of_corners(a, b, c, point):
    """The shares of the corners of a triangle in a point of it."""
    first, second, way = subtract(b, a), subtract(c, a), subtract(point, a)
    ff, fs, ss = dot(first, first), dot(first, second), dot(second, second)
    fw, sw = dot(first, way), dot(second, way)
    size = ff * ss - fs * fs
    if size <= 0.0:
        return 1.0, 0.0, 0.0
    v, w = (ss * fw - fs * sw) / size, (ff * sw - fs * fw) / size
    return 1.0 - v - w, v, w


@kernel
def meetings_of(soft, particle):
    """The rows of MEETING of a particle."""
    return view(soft.meetings + particle * MOST_MEETINGS * MEETING_SIZE, MOST_MEETINGS, MEETING)


@kernel
def thickness_of(soft, other):
    """Distance that two surfaces keep [m]. Faces of one body are as near to each other as its mesh is fine."""
    return min(2.0 * soft.radius, 0.5 * soft.mean_edge) if soft.positions == other.positions else soft.radius + other.radius


@kernel
def place_for(rows, counts, particle, gap):
    """The row for a new meeting: a free one, or that with the largest gap if it is larger; -1: none."""
    count = INT64(counts[particle])
    if count < MOST_MEETINGS:
        counts[particle] += 1
        return count
    place, widest = -1, gap
    for k in range(MOST_MEETINGS):
        if rows[k].gap > widest:
            place, widest = k, rows[k].gap
    return place


@kernel
def note_meeting(soft, particle, other_address, triangle, a, b, c, reach):
    """Note that a particle may meet a triangle of a soft body, if it is within reach."""
    other = soft_at(other_address)
    at = vector3(view2(soft.positions, soft.particle_count, 3, FLOAT64)[particle])
    nearest, front = nearest_on_triangle(a, b, c, at), cross(subtract(b, a), subtract(c, a))
    way, size = subtract(at, nearest), length(front)
    distance = length(way)
    if distance > reach or size <= 0.0:
        return
    front = scale(front, 1.0 / size)
    height, thickness = dot(way, front), thickness_of(soft, other)
    is_over = abs(abs(height) - distance) <= 1e-6 * distance
    side = (1 if height >= 0.0 else -1) if is_over else 0
    normal, gap = scale(way, 1.0 / distance) if side == 0 else scale(front, FLOAT64(side)), distance - thickness
    if other.orientation * height < 0.0 and soft.positions != other.positions:  # behind a face of a closed surface
        if side == 0 or distance > DEEPEST * thickness:
            return
        side, normal, gap = -side, scale(normal, -1.0), -distance - thickness
    rows = meetings_of(soft, particle)
    place = place_for(rows, view(soft.meeting_counts, soft.particle_count, INT32), particle, gap)
    if place < 0:
        return
    meeting = rows[place]
    meeting.other, meeting.gap, meeting.side = other_address, gap, INT32(side)
    meeting.a, meeting.b, meeting.c = triangle[0], triangle[1], triangle[2]
    store3(meeting.corners, shares_of_corners(a, b, c, nearest))
    store3(meeting.normal, normal)


@kernel
def meet_particles(soft, other_address, triangle, a, b, c, reach, cell, first):
    """Note the particles of a chain, from `first` on, that are in a cell and may meet a triangle of a soft body."""
    positions, following = (
        view2(soft.positions, soft.particle_count, 3, FLOAT64),
        view(soft.following, soft.particle_count, INT32),
    )
    is_own, p = soft.positions == soft_at(other_address).positions, INT64(first)
    while p >= 0:
        at = vector3(positions[p])
        # Other cells may be in the same slot.
        is_there = (
            cell[0] == cell_along(soft, at[0]) and cell[1] == cell_along(soft, at[1]) and cell[2] == cell_along(soft, at[2])
        )
        if is_there and not (is_own and (p == triangle[0] or p == triangle[1] or p == triangle[2])):
            note_meeting(soft, p, other_address, triangle, a, b, c, reach)
        p = INT64(following[p])


@kernel
def meet_triangle(soft, other_address, triangle, a, b, c, reach):
    """Note the particles of a soft body that may meet a triangle of another, or of itself. A triangle over more cells than there
    are particles looks at the particles one by one."""
    slots = view(soft.slots, soft.slot_count, INT32)
    low = (min(a[0], b[0], c[0]) - reach, min(a[1], b[1], c[1]) - reach, min(a[2], b[2], c[2]) - reach)
    high = (max(a[0], b[0], c[0]) + reach, max(a[1], b[1], c[1]) + reach, max(a[2], b[2], c[2]) + reach)
    wide = (high[0] - low[0]) / soft.cell_size + 1.0
    cells = wide * ((high[1] - low[1]) / soft.cell_size + 1.0) * ((high[2] - low[2]) / soft.cell_size + 1.0)
    if not cells < soft.particle_count + LEAST_CELLS:
        is_own = soft.positions == soft_at(other_address).positions
        for p in range(soft.particle_count):
            if not (is_own and (p == triangle[0] or p == triangle[1] or p == triangle[2])):
                note_meeting(soft, p, other_address, triangle, a, b, c, reach)
        return
    for i in range(cell_along(soft, low[0]), cell_along(soft, high[0]) + 1):
        for j in range(cell_along(soft, low[1]), cell_along(soft, high[1]) + 1):
            for k in range(cell_along(soft, low[2]), cell_along(soft, high[2]) + 1):
                first = slots[slot_of(soft, i, j, k)]
                if first >= 0:
                    meet_particles(soft, other_address, triangle, a, b, c, reach, (i, j, k), first)


@kernel
def is_beside(soft, a, b, c, reach):
    """Whether a triangle is farther than `reach` from the bounds of a soft body, as of this step's beginning."""
    for k in range(3):
        if min(a[k], b[k], c[k]) > soft.bounds[3 + k] + reach or max(a[k], b[k], c[k]) < soft.bounds[k] - reach:
            return True
    return False


@kernel
def find_meetings(soft, other_address, h):
    """Find what may meet in a sub-step of `h` [s]: particles of a soft body, which are in its grid, and faces of another one."""
    other = soft_at(other_address)
    n, triangles = other.particle_count, view2(other.triangles, other.triangle_count, 3, INT32)
    positions = view2(other.positions, n, 3, FLOAT64)
    travel = (soft.fastest + other.fastest + FASTEST_FALL) * h
    reach = thickness_of(soft, other) + min(travel, FARTHEST_CELLS * soft.cell_size)
    slack = reach + soft.fastest * soft.time  # its bounds are as old as the step
    for t in range(other.triangle_count):
        triangle = (INT64(triangles[t, 0]), INT64(triangles[t, 1]), INT64(triangles[t, 2]))
        a, b, c = vector3(positions[triangle[0]]), vector3(positions[triangle[1]]), vector3(positions[triangle[2]])
        if not is_beside(soft, a, b, c, slack):
            meet_triangle(soft, other_address, triangle, a, b, c, reach)


@kernel
def before_at(soft, particle):
    """Where a particle was when the small step began, world [m]."""
    return vector3(view2(soft.positions, soft.particle_count, 3, FLOAT64)[particle])


@kernel
def place_at(soft, particle):
    """The row of `places` of a particle of a soft body that is awake."""
    place = INT64(view(soft.place_of, soft.particle_count, INT32)[particle])
    return view2(soft.places, soft.particle_count, 4, FLOAT64)[place]


@kernel
def now_at(soft, particle):
    """Where a particle is in the small step under way, world [m]."""
    return before_at(soft, particle) if soft.is_asleep != 0 else vector3(place_at(soft, particle))


@kernel
def corners_of(meeting):
    """The numbers of the corners of a meeting's face."""
    return INT64(meeting.a), INT64(meeting.b), INT64(meeting.c)


@kernel
def move_by(soft, particle, way):
    """Move a particle by a way [m]. Its velocity is computed from its motion in the small step."""
    place = place_at(soft, particle)
    store3(place, add(vector3(place), way))


@kernel
def share_of_particle(soft, index, is_pushed):
    """Inverse mass of a particle for a meeting [1/kg]; 0: it does not give way."""
    if not is_pushed or soft.is_asleep != 0:
        return 0.0
    return view(soft.inverse_masses, soft.particle_count, FLOAT64)[index]


@kernel
def push_apart(soft, other, particle, meeting, shares, way):
    """Move both sides of a meeting apart by the weighted way `way` [kg m]."""
    if shares[0] > 0.0:
        move_by(soft, particle, scale(way, shares[0]))
    corners, numbers = vector3(meeting.corners), corners_of(meeting)
    for k in range(3):
        if shares[1 + k] > 0.0:  # nothing else is written: it may sleep, and belong to another group
            move_by(other, numbers[k], scale(way, -shares[1 + k] * corners[k]))


@kernel
def mixed(corners, a, b, c):
    """The point of a triangle with the shares `corners` of its corners."""
    return add_scaled(add_scaled(scale(a, corners[0]), b, corners[1]), c, corners[2])


@kernel
def shares_of(soft, other, particle, meeting):
    """The inverse masses of the particle and the corners of a meeting, and that of both sides together [1/kg]."""
    is_pushed, pushes, u = soft.mask & other.layer != 0, other.mask & soft.layer != 0, vector3(meeting.corners)
    shares = (
        share_of_particle(soft, particle, is_pushed), share_of_particle(other, INT64(meeting.a), pushes),
        share_of_particle(other, INT64(meeting.b), pushes), share_of_particle(other, INT64(meeting.c), pushes),
    )  # fmt: skip
    return shares, shares[0] + u[0] * u[0] * shares[1] + u[1] * u[1] * shares[2] + u[2] * u[2] * shares[3]


@kernel
def aim_meeting(meeting, point, a, b, c):
    """Compute the normal of a meeting with a particle at `point`, and, if it is over the face, the point below it. `a`, `b`, `c`:
    the corners."""
    if meeting.side == 0:
        way = subtract(point, mixed(vector3(meeting.corners), a, b, c))
        size = length(way)
        if size > SHORTEST_WAY and dot(way, vector3(meeting.normal)) > 0.0:
            store3(meeting.normal, scale(way, 1.0 / size))
        return
    front = cross(subtract(b, a), subtract(c, a))
    size = length(front)
    if size > 0.0:
        store3(meeting.normal, scale(front, FLOAT64(meeting.side) / size))
        store3(meeting.corners, shares_of_corners(a, b, c, point))


@kernel
def solve_meeting(soft, particle, meeting, h):
    """Solve one meeting in a small step of `h` [s]."""
    other, numbers = soft_at(meeting.other), corners_of(meeting)
    at = now_at(soft, particle)
    a, b, c = now_at(other, numbers[0]), now_at(other, numbers[1]), now_at(other, numbers[2])
    aim_meeting(meeting, at, a, b, c)
    normal, corners, thickness = vector3(meeting.normal), vector3(meeting.corners), thickness_of(soft, other)
    way = subtract(at, mixed(corners, a, b, c))
    gap = dot(way, normal) - thickness
    if gap >= 0.0:
        return
    a, b, c = before_at(other, numbers[0]), before_at(other, numbers[1]), before_at(other, numbers[2])
    way_before = subtract(before_at(soft, particle), mixed(corners, a, b, c))
    missing = min(dot(way_before, normal) - thickness + PUSH_OUT_SPEED * h, 0.0) - gap
    shares, total = shares_of(soft, other, particle, meeting)
    if missing <= 0.0 or total <= 0.0:
        return
    push = missing / total
    push_apart(soft, other, particle, meeting, shares, scale(normal, push))
    slid = subtract(way, way_before)
    slid = add_scaled(slid, normal, -dot(slid, normal))
    size, friction = length(slid), FLOAT64(combine_surfaces(soft.friction, 0.0, other.friction, 0.0)[0])
    if size > 0.0 and friction > 0.0:
        hold = min(size / total, friction * push)
        push_apart(soft, other, particle, meeting, shares, scale(slid, -hold / size))


@kernel
def solve_meetings(soft, h):
    """Solve the meetings of all particles in a small step of `h` [s]. Over a face, a particle does not meet edges beside it."""
    counts = view(soft.meeting_counts, soft.particle_count, INT32)
    for i in range(soft.particle_count):
        rows, has_face = meetings_of(soft, i), False
        for k in range(counts[i]):
            has_face = has_face or rows[k].side != 0
        for k in range(counts[i]):
            if rows[k].side != 0 or not has_face:
                solve_meeting(soft, i, rows[k], h)
