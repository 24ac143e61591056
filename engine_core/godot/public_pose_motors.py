"""Motors that turn the bones of a ragdoll to a pose, for scripts: the calls behind a ScreeRagdoll3D node.

The thread of Godot's physics calls; a call waits for the end of a step that runs.
"""

import numpy as np

from ..core.pose_motors import motors_between
from .locked_calls import LockedCalls
from .public_class import PublicClass
from .schema import FLOAT, INT, PACKED_FLOAT32_ARRAY, PACKED_INT64_ARRAY

_MOTORS = {"motors": INT}


class _Calls(LockedCalls):
    """The functions behind the methods. `server.pose_motors` holds the motors."""

    def pose_motors_create(self, server, parents, bodies):
        if len(parents) != len(bodies):
            raise ValueError(f"as many parents as bodies are wanted, got {len(parents)} and {len(bodies)}")
        motors = motors_between(server.world, [int(one) for one in parents], [int(one) for one in bodies])
        return server.pose_motors.keep(server.world.body.system(int(bodies[0])) if len(bodies) else 0, motors)

    def pose_motors_aim(self, server, number, rotations, rate, max_torque):
        _, motors = server.pose_motors.get(number)
        if len(rotations) != 4 * len(motors):
            raise ValueError(f"four numbers for each of {len(motors)} bodies are wanted, got {len(rotations)} numbers")
        motors.aim(np.asarray(rotations, np.float64).reshape(-1, 4), rate, max_torque)

    def pose_motors_relax(self, server, number):
        server.pose_motors.get(number)[1].relax()

    def pose_motors_free(self, server, number):
        server.pose_motors.remove(number)


def add_pose_motor_methods(scree: PublicClass, engine) -> None:
    """Add the calls to the class `Scree`."""
    method = _Calls(scree, engine).add
    method("pose_motors_create", {"parents": PACKED_INT64_ARRAY, "bodies": PACKED_INT64_ARRAY}, INT,
           "Adds motors to the joints between bodies and their parents, both ids ([method RID.get_id]), and returns their "
           "number; 0 after an error. A [ScreeRagdoll3D] does this for bones.")  # fmt: skip
    method("pose_motors_aim", {**_MOTORS, "rotations": PACKED_FLOAT32_ARRAY, "rate": FLOAT, "max_torque": FLOAT}, None,
           "Turns each body towards a rotation in its parent's frame, a quaternion of four numbers x, y, z, w for each: call it "
           "in each tick. [param rate]: speed of the motors by the angle that is left [1/s]. [param max_torque]: about each axis "
           "[N m]. Limits of the joints hold.", rate=15.0, max_torque=1e30)  # fmt: skip
    method("pose_motors_relax", _MOTORS, None, "Switches the motors off: the joints are free again.")
    method("pose_motors_free", _MOTORS, None, "Forgets the motors. Relax them before, if the joints are to be free.")
