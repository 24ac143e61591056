"""The surface of a body of water: a sum of sine waves."""

from ..geometry.angles import sine_cosine
from ..runtime.kernel import kernel


@kernel
def surface_at(water, x, z, time):
    """The surface at a place, in the water's frame: its height above the surface at rest [m], and its slopes along x and z."""
    height, along_x, along_z = 0.0, 0.0, 0.0
    for k in range(water.wave_count):
        wave = water.waves[k]
        way = wave.direction[0] * x + wave.direction[1] * z
        sine, cosine = sine_cosine(wave.wave_number * way - wave.frequency * time + wave.phase)
        height += wave.amplitude * sine
        slope = wave.amplitude * wave.wave_number * cosine
        along_x += slope * wave.direction[0]
        along_z += slope * wave.direction[1]
    return height, along_x, along_z


@kernel
def highest_crest(water):
    """No wave rises or falls farther than this [m]."""
    height = 0.0
    for k in range(water.wave_count):
        height += abs(water.waves[k].amplitude)
    return height
