"""Ground that moves: a character goes and turns with it exactly, and takes its velocity along when it leaves.

A character walks while the ground is where the last step left it. After that it goes to where the ground will be after the next
step: to the target of a kinematic body that was already told, else as far as its velocity takes it. Its place in the frame of the
ground is kept, so that nothing adds up; if the ground got elsewhere, the next move corrects that first.
"""

from ..bodies.identity import body_of
from ..bodies.motion import bodies_of, surface_velocity
from ..bodies.publication import read_pose
from ..bodies.rare import rare_of
from ..bodies.schema import KINEMATIC, STATIC, TARGET_SET
from ..geometry.angles import arctangent2, sine_cosine
from ..geometry.vector import (
    add, add_scaled, conjugate, dot, length, multiply, normalize_quaternion, quaternion, rotate, rotate_inverse, scale, store3,
    store4, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from .asking import across
from .floor import tangent
from .schema import TURNS
from .sweeping import sweep

LEAST_CARRY = 1e-4
"""A shorter way with the ground is gone without a cast [m]."""


@kernel
def turn_of(spin, seconds):
    """The quaternion of a turn at an angular velocity [rad/s] for a time."""
    angle = length(spin) * seconds
    if angle < 1e-12:
        return (0.0, 0.0, 0.0, 1.0)
    sine, cosine = sine_cosine(0.5 * angle)
    s = sine * seconds / angle
    return (spin[0] * s, spin[1] * s, spin[2] * s, cosine)


@kernel
def expected_pose(walk, body):
    """Where the centre of mass of a body will be after the next step, and its rotation."""
    position, rotation = read_pose(body)
    if body.mode == STATIC:
        return position, rotation
    if body.mode == KINEMATIC and body.flags & TARGET_SET:
        rare = rare_of(walk.world, body)
        return vector3(rare.target_position), quaternion(rare.target_rotation)
    turn = turn_of(vector3(body.angular_velocity), walk.seconds)
    moved = add_scaled(position, vector3(body.linear_velocity), walk.seconds)
    return moved, normalize_quaternion(multiply(turn, rotation))


@kernel
def angle_about(rotation, up):
    """How far a rotation turns about `up` [rad], the short way round."""
    sine, cosine = dot((rotation[0], rotation[1], rotation[2]), up), rotation[3]
    return 2.0 * (arctangent2(-sine, -cosine) if cosine < 0.0 else arctangent2(sine, cosine))


@kernel
def turn_with(row, angle):
    """Turn the character about `up`, unless it keeps its direction."""
    if not row.flags & TURNS:
        return
    up = vector3(row.up)
    sine, cosine = sine_cosine(0.5 * angle)
    turn = (up[0] * sine, up[1] * sine, up[2] * sine, cosine)
    store4(row.rotation, normalize_quaternion(multiply(turn, quaternion(row.rotation))))
    row.turned += angle


@kernel
def go_along(walk, row, queries, position, way):
    """Go a way with the ground, as far as walls let the character. Return the position."""
    if length(way) < LEAST_CARRY:
        return add(position, way)
    query = queries[0]
    walk.excluded, query.excluded_count = row.ground_id, 1
    for _ in range(2):
        position, free = sweep(walk, row, queries, position, way, True)
        position = add_scaled(position, way, free)
        if walk.is_hit == 0:
            break
        normal = vector3(walk.hit_normal)
        way = scale(way, 1.0 - free)
        way = add_scaled(way, normal, -min(dot(way, normal), 0.0))
    query.excluded_count = 0
    return position


@kernel
def follow_ground(walk, row, queries, position):
    """Go to where the ground got in the last step. Return the position."""
    keep_as_call()
    index = body_of(walk.world, row.ground_id)
    if index < 0:
        return position
    body = bodies_of(walk.world)[index]
    if body.mode == STATIC:
        return position
    at, rotation = read_pose(body)
    up = vector3(row.up)
    turn_with(row, angle_about(multiply(rotation, conjugate(quaternion(row.ground_rotation))), up))
    way = subtract(add(at, rotate(rotation, vector3(row.place))), position)
    store3(row.floor_point, add(vector3(row.floor_point), way))
    return go_along(walk, row, queries, position, way)


@kernel
def ride(walk, row, queries, position):
    """Go with the ground to where it will be after the next step, and with its running surface. Return the position."""
    keep_as_call()
    index = body_of(walk.world, row.ground_id)
    if index < 0:
        return position
    body = bodies_of(walk.world)[index]
    at, rotation = read_pose(body)
    running = scale(surface_velocity(walk.world, body, subtract(vector3(row.floor_point), at)), walk.seconds)
    new_at, new_rotation = expected_pose(walk, body)
    if body.mode == STATIC and length(running) == 0.0:
        return position
    way = subtract(add(new_at, rotate(new_rotation, rotate_inverse(rotation, subtract(position, at)))), position)
    up = vector3(row.up)
    running = tangent(across(running, up), vector3(row.floor_normal), up)
    position = go_along(walk, row, queries, position, add(way, running))
    turn_with(row, angle_about(multiply(new_rotation, conjugate(rotation)), up))
    store4(row.ground_rotation, new_rotation)
    store3(row.ground_position, new_at)
    store3(row.place, rotate_inverse(new_rotation, subtract(position, new_at)))
    return position
