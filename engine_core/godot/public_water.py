"""Water for scripts: the calls behind a ScreeWater3D node. A body of water has a number, not an RID.

The thread of Godot's physics calls; a call waits for the end of a step that runs.
"""

import numpy as np

from ..core.water import ALL_LAYERS, Wave
from ..shapes.stretch import quaternion_of
from .frames import frame_of_space
from .locked_calls import LockedCalls
from .public_class import PublicClass
from .schema import FLOAT, INT, PACKED_FLOAT32_ARRAY, PACKED_VECTOR3_ARRAY, RID, TRANSFORM3D, VECTOR3

_WATER = {"water": INT}
WAVE_NUMBERS = 6
"""Numbers of a wave in a packed array: direction along x and z, length, height, speed (0: that of deep water), phase."""


def waves_of(numbers: np.ndarray) -> list[Wave]:
    """Waves from a packed array. Raises ValueError."""
    if len(numbers) % WAVE_NUMBERS:
        raise ValueError(f"waves must be {WAVE_NUMBERS} numbers for each wave, got {len(numbers)} numbers")
    rows = np.asarray(numbers, np.float64).reshape(-1, WAVE_NUMBERS).tolist()
    return [Wave((x, z), length, height, speed or None, phase) for x, z, length, height, speed, phase in rows]


class _Calls(LockedCalls):
    """The functions behind the methods."""

    @staticmethod
    def _place(server, space: int, surface) -> tuple[np.ndarray, np.ndarray]:
        basis = np.asarray(surface[:9], np.float64).reshape(3, 3)
        basis = basis / np.linalg.norm(basis, axis=0)
        return np.asarray(surface[9:]) + frame_of_space(server, space), quaternion_of(basis)

    def water_create(self, server, space, surface, size, layers):
        server.world.system_index("water_create", space)
        position, rotation = self._place(server, space, surface)
        return server.waters.keep(space, server.world.water.create(space, position, size, rotation, layers & ALL_LAYERS))

    def water_place(self, server, number, surface, size):
        space, water = server.waters.get(number)
        position, rotation = self._place(server, space, surface)
        water.place(position, size, rotation)

    def water_set(self, server, number, density, drag, damping, spin_damping):
        _, water = server.waters.get(number)
        water.set(density=density, drag=drag, damping=damping, spin_damping=spin_damping)

    def water_set_flow(self, server, number, velocity):
        _, water = server.waters.get(number)
        water.flow = velocity

    def water_set_waves(self, server, number, waves):
        _, water = server.waters.get(number)
        water.set_waves(waves_of(waves))

    def water_heights(self, server, number, points):
        space, water = server.waters.get(number)
        return water.heights(np.asarray(points, np.float64).reshape(-1, 3) + frame_of_space(server, space)).astype(np.float32)

    def water_get_time(self, server, number):
        return server.waters.get(number)[1].time

    def water_get_floating_count(self, server, number):
        return server.waters.get(number)[1].floating_count

    def water_free(self, server, number):
        server.waters.remove(number)


def add_water_methods(scree: PublicClass, engine) -> None:
    """Add the calls to the class `Scree`."""
    method = _Calls(scree, engine).add
    placed = {"surface": TRANSFORM3D, "size": VECTOR3}
    method("water_create", {"space": RID, **placed, "layers": INT}, INT,
           "Adds water to a space and returns its number; 0 after an error. [param surface]: the middle of the surface at rest, "
           "global, with y up; its scale does not count. [param size]: x, depth and z [m]. It carries rigid bodies in one of "
           "the collision [param layers]. A [ScreeWater3D] does all of this.", layers=ALL_LAYERS)  # fmt: skip
    method("water_place", {**_WATER, **placed}, None, "Moves water, or changes its size. Bodies in it wake.")
    method("water_set", {**_WATER, **dict.fromkeys(("density", "drag", "damping", "spin_damping"), FLOAT)}, None,
           "Sets the density [kg/m^3], the coefficient of the drag that grows with the square of the speed, and the two that "
           "grow with speed and spin, for each mass of displaced water [1/s].",
           density=1000.0, drag=0.5, damping=1.0, spin_damping=1.0)  # fmt: skip
    method("water_set_flow", {**_WATER, "velocity": VECTOR3}, None, "Sets the velocity of the water, global [m/s].")
    method("water_set_waves", {**_WATER, "waves": PACKED_FLOAT32_ARRAY}, None,
           "Replaces all waves, at most 8. Six numbers for each: direction along the water's x and z, length and height [m], "
           "speed [m/s] (0: that of waves in deep water), phase [rad]. The waves begin anew.")  # fmt: skip
    method("water_heights", {**_WATER, "points": PACKED_VECTOR3_ARRAY}, PACKED_FLOAT32_ARRAY,
           "Returns how far the surface over each of the points, global, is above the surface at rest [m].")  # fmt: skip
    method("water_get_time", _WATER, FLOAT, "Returns for how long the waves have moved [s].")
    method("water_get_floating_count", _WATER, INT, "Returns how many awake bodies were in the water in the last step.")
    method("water_free", _WATER, None, "Takes water out of its space. Bodies in it wake.")
