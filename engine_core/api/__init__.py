"""Scree: a 3D physics engine in Python, NumPy and Numba.

    space = scree.World().add_space(gravity=(0, -9.81, 0))
    space.add_static(scree.Plane())
    boxes = space.add_rigid_many(scree.Box(half_extents=(0.5, 0.5, 0.5)), positions)   # (n, 3) [m]
    space.step(1 / 60)                                                                  # [s]
    boxes.positions, boxes.velocities                                                   # (n, 3) [m], [m/s]

Shapes, joints, motors, materials and rules are values; `Body`, `Area` and `Joint` are small handles with an `id`. Units are
SI: [m], [kg], [s], [rad], [N]; quaternions are x, y, z, w; axes are right-handed. `World.core` is the compiled face for
experts. Soft bodies, saved state and recording are not there yet.
"""

from engine_core.api.areas import Area, AreaEffect
from engine_core.api.bodies import Bodies
from engine_core.api.body import Body
from engine_core.api.contacts import AreaEvents, ContactEvents, ContactRule
from engine_core.api.joint import Joint
from engine_core.api.joint_values import (
    FREE, LOCKED, Axis, ConeTwist, Distance, Fixed, Gear, Hinge, Motor, Pin, RackAndPinion, Rope, SixDof, Slider, Spring,
)  # fmt: skip
from engine_core.api.materials import Layers, Material
from engine_core.api.queries import Hit, Hits
from engine_core.api.shapes import (
    Box, Capsule, Compound, Custom, Cylinder, Ellipsoid, HeightField, Hull, Mesh, Part, Plane, SeparationRay, Shape, Sphere,
    TaperedCapsule, TaperedCylinder,
)  # fmt: skip
from engine_core.api.space import Listener, Space, SpaceSettings
from engine_core.api.world import World
from engine_core.limits import LimitReached
from engine_core.pulley_interface import Pulley
from engine_core.runtime.memory import PoolFull
from engine_core.vehicle_interface import AntiRollBar, Differential, Engine, Lean, Track, Vehicle, Wheel

__all__ = [
    "FREE", "LOCKED", "AntiRollBar", "Area", "AreaEffect", "AreaEvents", "Axis", "Bodies", "Body", "Box", "Capsule",
    "Compound", "ConeTwist", "ContactEvents", "ContactRule", "Custom", "Cylinder", "Differential", "Distance",
    "Ellipsoid", "Engine", "Fixed", "Gear", "HeightField", "Hinge", "Hit", "Hits", "Hull", "Joint", "Layers", "Lean",
    "LimitReached", "Listener", "Material", "Mesh", "Motor", "Part", "Pin", "Plane", "PoolFull", "Pulley",
    "RackAndPinion", "Rope", "SeparationRay", "Shape", "SixDof", "Slider", "Space", "SpaceSettings", "Sphere",
    "Spring", "TaperedCapsule", "TaperedCylinder", "Track", "Vehicle", "Wheel", "World",
]  # fmt: skip
