"""Which rigid bodies are near which particles: strips, clusters and single particles are compared with boxes around the bodies.

A particle finds its contacts anew when a step begins, and when it may have come near something else since.
"""

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import BODY, INSTANCE
from ..geometry.vector import add, dot, length, matrix_rows, rotate, scale, store3, store4, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view, view2
from ..shapes.schema import SHAPE
from ..solver.vehicle_wheels import velocity_at
from .contacts import BEHIND, NEAR, meet_body, pose_now
from .schema import CLUSTER, MOST_CANDIDATES, POSE

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64
NOTHING = (0.0, 0.0, 0.0)


@kernel
def box_candidates(system, soft, ahead):
    """Write the poses of the bodies near a soft body, and the boxes in which they are during the next `ahead` [s]."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    candidates, boxes = view(soft.candidates, MOST_CANDIDATES, INT32), view2(soft.boxes, MOST_CANDIDATES, 6, FLOAT64)
    poses = view(soft.poses, MOST_CANDIDATES, POSE)
    for number in range(soft.candidate_count):
        body = bodies[INT64(candidates[number])]
        position, rotation = pose_now(system, body)
        store3(poses[number].position, position)
        store4(poses[number].rotation, rotation)
        row, b, r = INT64(body.active_index) + 1, body.local_bounds, matrix_rows(rotation)
        low, high = vector3(b[0:3]), vector3(b[3:6])
        middle, half = add(position, rotate(rotation, scale(add(low, high), 0.5))), scale(subtract(high, low), 0.5)
        turning = FLOAT64(body.extent) * length(vector3(body.angular_velocity))
        farther = ahead * (length(velocity_at(system, row, NOTHING)) + turning)
        for k in range(3):
            wide = abs(r[k][0]) * half[0] + abs(r[k][1]) * half[1] + abs(r[k][2]) * half[2] + farther
            boxes[number, k], boxes[number, 3 + k] = middle[k] - wide, middle[k] + wide


@kernel
def is_apart(boxes, number, low, high):
    """Whether a box and that of a candidate do not touch. A body without bounds, of which comparisons say nothing, is near."""
    return (
        boxes[number, 0] > high[0] or boxes[number, 3] < low[0] or boxes[number, 1] > high[1] or boxes[number, 4] < low[1]
        or boxes[number, 2] > high[2] or boxes[number, 5] < low[2]
    )  # fmt: skip


@kernel
def box_of_places(soft, begin, end, ahead):
    """The box (low, high) of what the particles of some places reach in the next `ahead` [s]."""
    n, order = soft.particle_count, view(soft.order, soft.particle_count, INT32)
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    low, high, fastest = (1e300, 1e300, 1e300), (-1e300, -1e300, -1e300), 0.0
    for place in range(begin, end):
        i = INT64(order[place])
        x, y, z = positions[i, 0], positions[i, 1], positions[i, 2]
        low = (min(low[0], x), min(low[1], y), min(low[2], z))
        high = (max(high[0], x), max(high[1], y), max(high[2], z))
        v = vector3(velocities[i])
        fastest = max(fastest, dot(v, v))
    wide = np.sqrt(fastest) * ahead + BEHIND * soft.radius + soft.radius + NEAR
    return subtract(low, (wide, wide, wide)), add(high, (wide, wide, wide))


@kernel
def choose(boxes, among, count, low, high, chosen):
    """Write those of some candidates that touch a box. Return their number."""
    found = 0
    for k in range(count):
        if not is_apart(boxes, INT64(among[k]), low, high):
            chosen[found] = among[k]
            found += 1
    return found


@kernel
def find_contacts(system, soft, bodies, instances, shapes, particle, counts, near, count, ahead):
    """Find the contacts of a particle with the bodies of `count` candidates."""
    world, candidates = world_at(system.world), view(soft.candidates, MOST_CANDIDATES, INT32)
    boxes = view2(soft.boxes, MOST_CANDIDATES, 6, FLOAT64)
    at = vector3(view2(soft.positions, soft.particle_count, 3, FLOAT64)[particle])
    wide = length(vector3(view2(soft.velocities, soft.particle_count, 3, FLOAT64)[particle])) * ahead
    wide += BEHIND * soft.radius + soft.radius + NEAR
    low, high = subtract(at, (wide, wide, wide)), add(at, (wide, wide, wide))
    counts[particle] = 0
    for k in range(count):
        number = INT64(near[k])
        if not is_apart(boxes, number, low, high):
            body = bodies[INT64(candidates[number])]
            meet_body(system, world, soft, particle, counts, shapes, instances, number, body, ahead)


@kernel
def renew_contacts(system, soft, strip):
    """Find contacts anew for the particles of a strip that may have come near something else in this sub-step."""
    keep_as_call()
    world, n, h, is_first = world_at(system.world), soft.particle_count, soft.substep, system.step.substep == 0
    bodies = view(world.bodies, world.body_capacity, BODY)
    instances, shapes = view(world.instances, world.instance_capacity, INSTANCE), view(world.shapes, world.shape_capacity, SHAPE)
    counts, order = view(soft.contact_counts, n, INT32), view(soft.order, n, INT32)
    positions, checked = view2(soft.positions, n, 3, FLOAT64), view2(soft.checked, n, 3, FLOAT64)
    velocities, boxes = view2(soft.velocities, n, 3, FLOAT64), view2(soft.boxes, MOST_CANDIDATES, 6, FLOAT64)
    if soft.candidate_count == 0:
        for place in range(strip.place_begin, strip.place_end):
            counts[INT64(order[place])] = 0
        return
    others, ahead = soft.fastest_body * (soft.since_found + h), 2.0 * h
    around, near = stack_array(MOST_CANDIDATES, INT32), stack_array(MOST_CANDIDATES, INT32)
    around_count = -1  # not known yet
    clusters = view(soft.clusters, strip.cluster_end, CLUSTER)
    for c in range(strip.cluster_begin, strip.cluster_end):
        near_count = -1
        for place in range(clusters[c].begin, clusters[c].end):
            i = INT64(order[place])
            moved = length(subtract(vector3(positions[i]), vector3(checked[i])))
            if is_first or moved + h * length(vector3(velocities[i])) + others > NEAR:
                if around_count < 0:
                    for k in range(soft.candidate_count):
                        near[k] = k
                    low, high = box_of_places(soft, strip.place_begin, strip.place_end, ahead)
                    around_count = choose(boxes, near, soft.candidate_count, low, high, around)
                if near_count < 0:
                    low, high = box_of_places(soft, INT64(clusters[c].begin), INT64(clusters[c].end), ahead)
                    near_count = choose(boxes, around, around_count, low, high, near)
                find_contacts(system, soft, bodies, instances, shapes, i, counts, near, near_count, ahead)
                store3(checked[i], vector3(positions[i]))
