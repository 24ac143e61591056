"""Drops a few boxes on a plane, casts a ray, and prints how it was compiled, the seconds to the end of the first step, and the
hash of all that came of it. A process of its own, for versions of Numba and ways to compile.
"""

import hashlib
import time

BEGIN = time.perf_counter()


def main() -> None:
    import scree
    from scree.runtime.kernel_compiler import IS_PLAIN

    space = scree.World(threads=1).add_space(gravity=(0.0, -9.81, 0.0))
    space.add_static(scree.Plane(normal=(0.0, 1.0, 0.0)))
    places = [(0.0, 1.0, 0.0), (0.3, 2.2, 0.1), (3.0, 0.6, 0.0)]
    boxes = space.add_rigid_many(scree.Box(half_extents=(0.5, 0.5, 0.5)), places, density=600.0)
    digest, seconds = hashlib.sha256(), 0.0
    for _ in range(120):
        space.step(1.0 / 60.0)
        seconds = seconds or time.perf_counter() - BEGIN
        digest.update(boxes.positions.tobytes() + boxes.velocities.tobytes())
    hit = space.cast_ray((0.1, 9.0, 0.2), (0.1, -9.0, 0.2))
    digest.update(repr((hit.position, hit.normal)).encode())
    print("plain" if IS_PLAIN else "inside", f"{seconds:.1f}", digest.hexdigest())


if __name__ == "__main__":
    main()
