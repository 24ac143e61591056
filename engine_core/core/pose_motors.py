"""The interface for turning the bodies of many joints to a pose, as muscles do: a ragdoll that stands, walks or waves.

    motors = motors_between(world, parents, bodies)
    motors.aim(rotations, rate=15.0, most_torque=80.0)     # before each step: rotations (n, 4) of each body in its parent's frame

Each free angle of a joint gets a motor, solved with the joint, which runs towards the angle of the pose. Torques act on both
bodies, equal and opposite. Call it on the thread that steps the bodies' system, between steps. Bad input raises ValueError (a
value) or KeyError (an id), naming the call and the value, and changes nothing.
"""

import math

import numpy as np

from ..batches.pose_motors import AIM, aim_joints
from ..edit import joint_placement
from ..geometry.turning import inverse
from ..joints.schema import ANGULAR_AXES, IS_CONNECTED, UNLIMITED
from ..runtime.memory import address_of
from ..runtime.recorded_calls import recorded
from .numbers import finite, number


class PoseMotors:
    """The motors of some joints, in the order in which their joints were given."""

    def __init__(self, world, joints: list[int], is_reversed: list[bool]):
        """`joints`: ids. `is_reversed`: for which of them rotations are of body A in the frame of B, not of B in that of A."""
        indices = [world.joint.index("pose_motors", joint) for joint in joints]
        self._world, self._ids = world, np.array(joints, np.int64)
        self._aims = np.zeros(len(indices), AIM)
        self._aims["joint"], self._aims["rotation"] = indices, (0.0, 0.0, 0.0, 1.0)
        self._is_reversed = np.array(is_reversed, bool)

    @property
    def recorder(self):
        """The writer of a recording of the world, or None."""
        return self._world.recorder

    @property
    def joints(self) -> tuple[list[int], list[bool]]:
        """The ids of its joints, and for which of them rotations are of body A in the frame of B."""
        return self._ids.tolist(), self._is_reversed.tolist()

    def __len__(self) -> int:
        return len(self._ids)

    def _check(self, call: str) -> None:
        gone = self._ids[self._world.joints.rows["id"][self._aims["joint"]] != self._ids]
        if len(gone):
            raise KeyError(f"{call}: the joint {gone[0]} was removed")

    @recorded("PoseMotors")
    def aim(self, rotations, rate: float = 15.0, most_torque=math.inf) -> None:
        """Turn each body towards a rotation in its parent's frame: unit quaternions x, y, z, w (n, 4). Call it before each step:
        the motors keep the speeds that it gives them. `rate` [1/s]: these speeds by the angles that are left now; at most the
        number of steps in a second. `most_torque` [N m] about each axis, one for all or (n,). Limits of the joints hold. Raises
        ValueError, KeyError."""
        call = "aim"
        self._check(call)
        turns = finite(call, "rotations", rotations, (len(self), 4))
        sizes = np.linalg.norm(turns, axis=1)
        if (np.abs(sizes - 1.0) > 0.01).any():
            raise ValueError(f"{call}: rotations must be unit quaternions, got {turns[np.abs(sizes - 1.0) > 0.01][0]}")
        torque = np.asarray(most_torque, np.float64)
        if torque.shape not in ((), (len(self),)) or not (torque >= 0.0).all():
            raise ValueError(f"{call}: most_torque must be at least 0, one or {len(self)} of them, got {most_torque!r}")
        turns = turns / sizes[:, None]
        aims = self._aims
        aims["rotation"] = np.where(self._is_reversed[:, None], inverse(turns), turns)
        aims["rate"], aims["torque"] = number(call, "rate", rate, 0.0), np.minimum(torque, UNLIMITED)
        if aim_joints(self._world.address, address_of(aims), len(aims)):
            self._renew()

    @recorded("PoseMotors")
    def relax(self) -> None:
        """Switch the motors off: the joints are free again. Raises KeyError."""
        self._check("relax")
        rows = self._world.joints.rows
        for index in self._aims["joint"]:
            rows[index]["driven"] = int(rows[index]["driven"]) & ~ANGULAR_AXES
        self._renew()

    def _renew(self) -> None:
        for index in self._aims["joint"]:
            joint_placement.joint_changed(self._world.address, int(index))


def motors_between(world, parents: list[int], bodies: list[int]) -> PoseMotors:
    """The motors of the joints between bodies and their parents, ids. Raises KeyError, ValueError for two without a joint."""
    ids, is_reversed = [], []
    rows = world.joints.rows[: world.joints.count]
    there = (rows["id"] > 0) & (rows["flags"] & IS_CONNECTED != 0)
    for parent, body in zip(parents, bodies, strict=True):
        pair = world.body.index("pose_motors", parent), world.body.index("pose_motors", body)
        for order in (pair, pair[::-1]):
            found = np.flatnonzero(there & (rows["bodies"][:, 0] == order[0]) & (rows["bodies"][:, 1] == order[1]))
            if len(found):
                ids.append(int(rows["id"][found[0]]))
                is_reversed.append(order is not pair)
                break
        else:
            raise ValueError(f"pose_motors: there is no joint between the bodies {parent} and {body}")
    return PoseMotors(world, ids, is_reversed)
