"""The public names of Scree: what `import scree` gives. The package itself imports them when they are first asked for."""

from ..core.pose_motors import PoseMotors
from ..core.pulleys import Pulley
from ..core.soft_bodies import SoftBody
from ..core.vehicles import AntiRollBar, Differential, Engine, Lean, Track, Vehicle, Wheel
from ..core.water import Water, Wave
from ..runtime.memory import PoolFull
from ..step.limits import LimitReached
from ..streaming.wanted import Ranges, Viewer
from .areas import Area, AreaEffect
from .bodies import Bodies
from .body import Body
from .characters import Character, Characters
from .contacts import AreaEvents, ContactEvents, ContactRule
from .drawing import Drawing
from .joint import Joint
from .joint_values import (
    FREE, LOCKED, Axis, ConeTwist, Distance, Fixed, Gear, Hinge, Motor, Pin, RackAndPinion, Rope, SixDof, Slider, Spring,
)  # fmt: skip
from .materials import Layers, Material
from .queries import Hit, Hits
from .recordings import Recording
from .ropes import RopeBody
from .shapes import (
    Box, Capsule, Compound, Custom, Cylinder, Ellipsoid, HeightField, Hull, Mesh, Part, Plane, SeparationRay, Shape, Sphere,
    TaperedCapsule, TaperedCylinder,
)  # fmt: skip
from .space import Listener, Space, SpaceSettings
from .streaming import Bake, Streaming, StreamEvent
from .states import History, SpaceState, Trace
from .structures import Piece, Structure
from .vector_world import VectorWorld
from .world import World

__all__ = [
    "FREE", "LOCKED", "AntiRollBar", "Area", "AreaEffect", "AreaEvents", "Axis", "Bake", "Bodies", "Body", "Box", "Capsule",
    "Character", "Characters", "Compound", "ConeTwist", "ContactEvents", "ContactRule", "Custom", "Cylinder", "Differential",
    "Distance", "Drawing", "Ellipsoid",
    "Engine", "Fixed", "Gear", "HeightField", "Hinge", "History", "Hit", "Hits", "Hull", "Joint", "Layers", "Lean",
    "LimitReached", "Listener", "Material", "Mesh", "Motor", "Part", "Piece", "Pin", "Plane", "PoolFull", "PoseMotors", "Pulley",
    "RackAndPinion", "Ranges", "Recording", "Rope", "RopeBody", "SeparationRay", "Shape", "SixDof", "Slider", "SoftBody", "Space",
    "SpaceSettings", "SpaceState", "Sphere", "Spring", "StreamEvent", "Streaming", "Structure", "TaperedCapsule",
    "TaperedCylinder", "Trace", "Track", "VectorWorld", "Vehicle", "Viewer", "Water", "Wave", "Wheel", "World",
]  # fmt: skip
