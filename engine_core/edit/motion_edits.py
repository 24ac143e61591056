"""Edits of pose, velocity, forces, sleep and system of a body; see edit/edit_table.py. Vectors are in world axes; offsets are
from the body's origin."""

from ..bodies import motion
from ..bodies.motion import bodies_of
from ..bodies.rare import own_rare
from ..geometry.vector import add, quaternion, store3, vector3
from . import body_placement
from .edit_table import edit_of_body

# Pose and velocities.


@edit_of_body(origin=3, rotation=4)
def set_pose(world_address, index, values):
    """Set origin [m] and rotation (unit quaternion x, y, z, w). A kinematic body arrives in the next step."""
    body_placement.place(world_address, index, vector3(values), quaternion(values[3:7]))


@edit_of_body(origin=3)
def set_origin(world_address, index, values):
    """Set the origin [m]. The rotation stays as it is when the edit is executed."""
    rotation = body_placement.wanted_pose(world_address, bodies_of(world_address)[index])[1]
    body_placement.place(world_address, index, vector3(values), rotation)


@edit_of_body(rotation=4)
def set_rotation(world_address, index, values):
    """Set the rotation (unit quaternion x, y, z, w). The origin stays as it is when the edit is executed."""
    origin = body_placement.wanted_pose(world_address, bodies_of(world_address)[index])[0]
    body_placement.place(world_address, index, origin, quaternion(values))


@edit_of_body(velocity=3)
def set_linear_velocity(world_address, index, values):
    """Set the velocity of the origin [m/s]; for a static or kinematic body that of its surface."""
    motion.set_linear_velocity(world_address, index, vector3(values))


@edit_of_body(velocity=3)
def set_center_velocity(world_address, index, values):
    """Set the velocity of the centre of mass [m/s]; for a static or kinematic body that of its surface."""
    motion.set_center_velocity(world_address, index, vector3(values))


@edit_of_body(velocity=3)
def set_angular_velocity(world_address, index, values):
    """Set the angular velocity [rad/s]; for a static or kinematic body that of its surface."""
    motion.set_angular_velocity(world_address, index, vector3(values))


@edit_of_body(velocity=3)
def set_axis_velocity(world_address, index, values):
    """Replace the velocity along the direction of `velocity` [m/s] by `velocity`."""
    motion.set_axis_velocity(world_address, index, vector3(values))


# Impulses and forces.


@edit_of_body(impulse=3)
def apply_central_impulse(world_address, index, values):
    """Apply an impulse [N s] at the centre of mass. No effect unless the body is rigid."""
    motion.apply_central_impulse(world_address, index, vector3(values))


@edit_of_body(impulse=3, offset=3)
def apply_impulse(world_address, index, values):
    """Apply an impulse [N s] at `offset` [m] from the origin. No effect unless the body is rigid."""
    motion.apply_impulse(world_address, index, vector3(values), vector3(values[3:6]))


@edit_of_body(impulse=3)
def apply_torque_impulse(world_address, index, values):
    """Apply an angular impulse [N m s]. No effect unless the body is rigid."""
    motion.apply_torque_impulse(world_address, index, vector3(values))


@edit_of_body(force=3)
def apply_central_force(world_address, index, values):
    """Apply a force [N] at the centre of mass during the next step. No effect unless the body is rigid."""
    motion.apply_central_force(world_address, index, vector3(values))


@edit_of_body(force=3, offset=3)
def apply_force(world_address, index, values):
    """Apply a force [N] at `offset` [m] from the origin during the next step. No effect unless the body is rigid."""
    motion.apply_force(world_address, index, vector3(values), vector3(values[3:6]))


@edit_of_body(torque=3)
def apply_torque(world_address, index, values):
    """Apply a torque [N m] during the next step. No effect unless the body is rigid."""
    motion.apply_torque(world_address, index, vector3(values))


@edit_of_body(force=3)
def add_constant_central_force(world_address, index, values):
    """Add a force [N] at the centre of mass to those of every step from now on."""
    rare = own_rare(world_address, bodies_of(world_address)[index])
    store3(rare.constant_force, add(vector3(rare.constant_force), vector3(values)))
    motion.wake(world_address, index)


@edit_of_body(force=3, offset=3)
def add_constant_force(world_address, index, values):
    """Add a force [N] at `offset` [m] from the current origin to those of every step from now on."""
    motion.add_constant_force(world_address, index, vector3(values), vector3(values[3:6]))


@edit_of_body(torque=3)
def add_constant_torque(world_address, index, values):
    """Add a torque [N m] to those of every step from now on."""
    rare = own_rare(world_address, bodies_of(world_address)[index])
    store3(rare.constant_torque, add(vector3(rare.constant_torque), vector3(values)))
    motion.wake(world_address, index)


@edit_of_body(force=3)
def set_constant_force(world_address, index, values):
    """Set the force [N] of every step from now on."""
    store3(own_rare(world_address, bodies_of(world_address)[index]).constant_force, vector3(values))
    motion.wake(world_address, index)


@edit_of_body(torque=3)
def set_constant_torque(world_address, index, values):
    """Set the torque [N m] of every step from now on."""
    store3(own_rare(world_address, bodies_of(world_address)[index]).constant_torque, vector3(values))
    motion.wake(world_address, index)


# Sleep and system.


@edit_of_body(is_sleeping=1)
def set_sleeping(world_address, index, values):
    """Put a body to sleep, its velocities become zero; or wake it and everything that sleeps with it."""
    motion.set_sleeping(world_address, index, values[0] != 0.0)


@edit_of_body(system=1)
def put_in(world_address, index, values):
    """Put a body with up-to-date mass and bounds into the system with a number. No effect if it is in one."""
    if bodies_of(world_address)[index].system < 0:
        body_placement.put_in(world_address, int(values[0]), index)


@edit_of_body()
def take_out(world_address, index, values):
    """Take a body out of its system. No effect if it is in none."""
    if bodies_of(world_address)[index].system >= 0:
        body_placement.take_out(world_address, index)
