"""The surface of a body of water: a sum of sine waves."""

from ..geometry.angles import exponential, sine_cosine
from ..runtime.kernel import kernel


@kernel
def surface_at(water, x, z, time, reach_x, reach_z):
    """The mean surface around a place, in the water's frame: its height above the surface at rest [m], and its slopes along x and
    z. The mean is over a shape that reaches by `reach_x` and `reach_z` from there [m]: waves shorter than a shape pass under it.
    That of a sine over a length 2 r is sin(k r) / (k r), which e^(-(k r)^2 / 6) follows for all waves that count."""
    height, along_x, along_z = 0.0, 0.0, 0.0
    for k in range(water.wave_count):
        wave = water.waves[k]
        way = wave.direction[0] * x + wave.direction[1] * z
        sine, cosine = sine_cosine(wave.wave_number * way - wave.frequency * time + wave.phase)
        across = wave.wave_number * (abs(wave.direction[0]) * reach_x + abs(wave.direction[1]) * reach_z)
        amplitude = wave.amplitude * exponential(-across * across / 6.0)
        height += amplitude * sine
        slope = amplitude * wave.wave_number * cosine
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
