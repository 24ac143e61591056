"""Contacts of particles, solved in each small step: the particle is moved out of the plane, the body gets the reverse impulse.

Positions and impulses are one: a particle that is moved by `w * l` along the normal in a small step of `h` has got the impulse
`l / h`. A rigid body moves on with its velocity until its sub-step ends, so an impulse shifts it by what is left of that.

Several strips may push one body at the same time. Each then pushes a body of its own, with an equal part of the mass; when the
sub-step ends, the body gets the mean of their velocities (R. Tonge and others, "Mass Splitting for Jitter-Free Parallel Rigid
Body Simulation", 2012). So no impulse is lost, and results do not depend on the number of threads.
"""

import numpy as np

from ..bodies.motion import surface_velocity
from ..bodies.records import world_at
from ..bodies.schema import BODY, RIGID
from ..collision.pairs import combine_surfaces
from ..constraints.body_terms import along, scaled, scaled_inertia, scaled_mass, six
from ..constraints.schema import ANGULAR_VELOCITY, LINEAR_VELOCITY, ROW_SIZE
from ..geometry.vector import (
    add, add_scaled, cross, dot, length, quaternion, rotate, scale, store3, subtract, symmetric_times, vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from ..solver.vehicle_wheels import velocity_at
from .contacts import contact_at
from .schema import GRIP, MOST_CANDIDATES, MOST_CONTACTS, PLANE, POSE, PUSHED, STRIP

INT32, INT64, FLOAT32, FLOAT64 = np.int32, np.int64, np.float32, np.float64
PUSH_OUT_SPEED = 1.0
"""A particle that is too deep is pushed out at this speed [m/s]."""
WAKING_CHANGE = 0.01
"""A sleeping body wakes if a push would change its velocity by more than this [m/s]."""
PLANE_SIZE, GRIP_SIZE, PUSHED_SIZE = PLANE.itemsize, GRIP.itemsize, PUSHED.itemsize
NOTHING = (0.0, 0.0, 0.0)


@kernel
def planes_of(soft, strip):
    """The rows of PLANE of a strip."""
    first, last = MOST_CONTACTS * strip.place_begin, MOST_CONTACTS * strip.place_end
    return view(soft.planes + first * PLANE_SIZE, last - first, PLANE)


@kernel
def grips_of(soft, strip):
    """The rows of GRIP of a strip."""
    first, last = MOST_CONTACTS * strip.place_begin, MOST_CONTACTS * strip.place_end
    return view(soft.grips + first * GRIP_SIZE, last - first, GRIP)


@kernel
def pushed_by(soft, strip):
    """The rows of PUSHED of a strip."""
    first, last = MOST_CONTACTS * strip.place_begin, MOST_CONTACTS * strip.place_end
    return view(soft.pushed + first * PUSHED_SIZE, last - first, PUSHED)


@kernel
def list_pushed(system, soft, strip, number):
    """List the rigid bodies that a strip may push in this sub-step."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    order, counts = view(soft.order, soft.particle_count, INT32), view(soft.contact_counts, soft.particle_count, INT32)
    pushed_of = view(soft.pushed_of + number * MOST_CANDIDATES * 4, MOST_CANDIDATES, INT32)
    pushed, count = pushed_by(soft, strip), 0
    for k in range(soft.candidate_count):
        pushed_of[k] = -1
    for place in range(strip.place_begin, strip.place_end):
        particle = INT64(order[place])
        for k in range(counts[particle]):
            contact = contact_at(soft, particle, k)
            if contact.pushes_body != 0 and pushed_of[contact.candidate] < 0:
                row = bodies[INT64(contact.body)].active_index + 1
                if row > 0:
                    pushed_of[contact.candidate] = INT32(count)
                    pushed[count].body, pushed[count].row = contact.body, INT32(row)
                    count += 1
    strip.pushed_count = count


@kernel
def count_sharers(soft, sharers, by):
    """Add `by` to the number of strips that push a body, for all strips of a soft body. `sharers`: int64 by body."""
    strips = view(soft.strips, soft.strip_count, STRIP)
    for s in range(soft.strip_count):
        pushed = pushed_by(soft, strips[s])
        for k in range(strips[s].pushed_count):
            sharers[INT64(pushed[k].body)] += by


@kernel
def take_pushed(system, soft, strip, sharers):
    """Take the velocities of the bodies that a strip pushes from the solver, and an equal part of their masses."""
    world, pushed = world_at(system.world), pushed_by(soft, strip)
    bodies = view(world.bodies, world.body_capacity, BODY)
    for k in range(strip.pushed_count):
        row = pushed[k]
        body, row.sharers = bodies[INT64(row.body)], FLOAT64(sharers[INT64(row.body)])
        values = view(system.solver.rows + INT64(row.row) * ROW_SIZE, 16, FLOAT32)
        velocity, spin = vector3(values[LINEAR_VELOCITY:]), vector3(values[ANGULAR_VELOCITY:])
        store3(row.velocity, velocity)
        store3(row.first_velocity, velocity)
        store3(row.spin, spin)
        store3(row.first_spin, spin)
        store3(row.mass, scaled_mass(body, row.sharers))
        inertia = scaled_inertia(body, row.sharers)
        for i in range(6):
            row.inertia[i] = inertia[i]


@kernel
def give_pushed(system, soft):
    """Give the bodies in the solver what the strips of a soft body have changed, when a sub-step ends."""
    strips = view(soft.strips, soft.strip_count, STRIP)
    for s in range(soft.strip_count):
        pushed = pushed_by(soft, strips[s])
        for k in range(strips[s].pushed_count):
            row = pushed[k]
            part, values = 1.0 / row.sharers, view(system.solver.rows + INT64(row.row) * ROW_SIZE, 16, FLOAT32)
            change = scale(subtract(vector3(row.velocity), vector3(row.first_velocity)), part)
            store3(values[LINEAR_VELOCITY:], add(vector3(values[LINEAR_VELOCITY:]), change))
            change = scale(subtract(vector3(row.spin), vector3(row.first_spin)), part)
            store3(values[ANGULAR_VELOCITY:], add(vector3(values[ANGULAR_VELOCITY:]), change))


@kernel
def write_plane(system, soft, plane, grip, contact, body, pushed, pushed_of):
    """Write a contact as a plane for the small steps of this sub-step."""
    pose = view(soft.poses, MOST_CANDIDATES, POSE)[INT64(contact.candidate)]
    position, rotation = vector3(pose.position), quaternion(pose.rotation)
    arm = rotate(rotation, vector3(contact.local_arm))
    store3(plane.normal, rotate(rotation, vector3(contact.local_normal)))
    store3(grip.arm, arm)
    normal = vector3(plane.normal)  # as it is rounded there
    plane.offset = dot(add(position, arm), normal) + soft.radius
    grip.weight = FLOAT32(1.0 if contact.pushes_particle else 0.0)
    grip.friction = combine_surfaces(soft.friction, 0.0, FLOAT64(body.friction), 0.0)[0]
    plane.pushed, grip.body, grip.share = pushed_of[contact.candidate], contact.body, FLOAT32(0.0)
    if contact.pushes_body == 0:
        plane.pushed = -1
    velocity = surface_velocity(system.world, body, arm)
    if plane.pushed >= 0:
        row, turn = pushed[INT64(plane.pushed)], cross(arm, normal)
        store3(plane.turn, turn)
        grip.share = FLOAT32(along(vector3(row.mass), normal) + dot(turn, symmetric_times(six(row.inertia), turn)))
    else:
        own = velocity_at(system, INT64(body.active_index) + 1, arm)
        plane.speed = FLOAT32(dot(own, normal))
        velocity = add(velocity, own)
    store3(grip.velocity, velocity)


@kernel
def write_planes(system, soft, strip, number):
    """Write the contacts of a strip as planes, in the order of their particles."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    order, counts = view(soft.order, soft.particle_count, INT32), view(soft.contact_counts, soft.particle_count, INT32)
    pushed_of = view(soft.pushed_of + number * MOST_CANDIDATES * 4, MOST_CANDIDATES, INT32)
    planes, grips, pushed, count = planes_of(soft, strip), grips_of(soft, strip), pushed_by(soft, strip), 0
    strip.to_wake = 0
    for place in range(strip.place_begin, strip.place_end):
        particle = INT64(order[place])
        for k in range(counts[particle]):
            contact = contact_at(soft, particle, k)
            body = bodies[INT64(contact.body)]
            write_plane(system, soft, planes[count], grips[count], contact, body, pushed, pushed_of)
            planes[count].place, planes[count].particle = INT32(place), order[place]
            count += 1
    strip.plane_count = count


@kernel
def push(row, arm, impulse):
    """Change the velocities of a body that a strip pushes by an impulse [N s] at an arm [m]."""
    store3(row.velocity, add(vector3(row.velocity), scaled(vector3(row.mass), impulse)))
    store3(row.spin, add(vector3(row.spin), symmetric_times(six(row.inertia), cross(arm, impulse))))


@kernel
def rub(grip, row, is_pushed, normal, at, before, own, pressed, part, h):
    """Friction of a particle that was pressed against a plane by `pressed` [N s^2]. Return where the particle is then."""
    arm, velocity = vector3(grip.arm), vector3(grip.velocity)
    if is_pushed:
        velocity = add(velocity, add(vector3(row.velocity), cross(vector3(row.spin), arm)))
    slid = subtract(subtract(at, before), scale(velocity, h))
    slid = add_scaled(slid, normal, -dot(slid, normal))
    way = length(slid)
    if not way > 0.0:
        return at
    direction, share = scale(slid, 1.0 / way), 0.0
    if is_pushed:
        lever = cross(arm, direction)
        share = part * (along(vector3(row.mass), direction) + dot(lever, symmetric_times(six(row.inertia), lever)))
    hold = min(way / max(own + share, 1e-300), FLOAT64(grip.friction) * pressed)
    if is_pushed:
        push(row, arm, scale(direction, hold / h))
    return add_scaled(at, direction, -own * hold)


@kernel
def solve_planes(system, soft, strip, h, passed):
    """Solve the contacts of a strip in a small step of `h` [s], which begins `passed` [s] after the sub-step."""
    planes, grips, pushed, n = planes_of(soft, strip), grips_of(soft, strip), pushed_by(soft, strip), soft.particle_count
    places, positions = view2(soft.places, n, 4, FLOAT64), view2(soft.positions, n, 3, FLOAT64)
    part = passed / h + 1.0
    for k in range(strip.plane_count):
        plane = planes[k]
        at, normal, is_pushed = vector3(places[INT64(plane.place)]), vector3(plane.normal), plane.pushed >= 0
        row, speed = pushed[max(INT64(plane.pushed), 0)], FLOAT64(plane.speed)
        if is_pushed:
            speed = dot(vector3(row.velocity), normal) + dot(vector3(row.spin), vector3(plane.turn))
        gap = dot(at, normal) - plane.offset - speed * (passed + h)
        if gap >= 0.0:
            continue
        grip, before = grips[k], vector3(positions[INT64(plane.particle)])
        earlier = dot(before, normal) - plane.offset - speed * passed
        missing = (min(earlier + PUSH_OUT_SPEED * h, 0.0) if earlier < 0.0 else 0.0) - gap
        own = FLOAT64(grip.weight) * places[INT64(plane.place), 3]
        total = own + FLOAT64(grip.share) * part
        if missing <= 0.0 or total <= 0.0:
            continue
        pressed = missing / total
        if is_pushed:
            push(row, vector3(grip.arm), scale(normal, -pressed / h))
        else:
            note_waking(system, strip, INT64(grip.body), pressed / h)
        at = add_scaled(at, normal, own * pressed)
        if grip.friction > 0.0:
            at = rub(grip, row, is_pushed, normal, at, before, own, pressed, part, h)
        store3(places[INT64(plane.place)], at)


@kernel
def note_waking(system, strip, index, impulse):
    """Note a sleeping body to be woken before the next step if an impulse [N s] on it is strong enough; one a strip is enough, it
    wakes its island."""
    world = world_at(system.world)
    body = view(world.bodies, world.body_capacity, BODY)[index]
    if body.active_index < 0 and body.mode >= RIGID and impulse * FLOAT64(body.inverse_mass) > WAKING_CHANGE:
        strip.to_wake = index + 1
