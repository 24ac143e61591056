"""Results have the same bits with any number of threads: chains and rag dolls of all kinds of joints fall onto a floor."""

import hashlib

import numpy as np
import pytest

from scree.bodies.schema import STATIC
from scree.core.world import World
from scree.joints.schema import CONE, TWIST
from scree.shapes.schema import BOX, PLANE

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
KINDS = ("point", "hinge", "swing_twist", "fixed", "six_dof")
STEPS = 150


def make(threads: int):
    world = World(threads=threads, bodies=1 << 12)
    system = world.create_system()
    ground = world.shape.create(PLANE)
    world.shapes.set_plane(world.shape.index("plane", ground), (0.0, 1.0, 0.0), 0.0)
    box = world.shape.create(BOX)
    world.shapes.set_box(world.shape.index("box", box), (0.2, 0.08, 0.08))
    floor = world.body.create()
    world.body.set_mode(floor, STATIC)
    world.body.add_shape(floor, ground)
    world.body.set_system(floor, system)
    hub = None
    for chain in range(60):
        previous = 0
        for link in range(6):
            body = world.body.create()
            world.body.add_shape(body, box)
            place = (0.5 * link + 0.02 * (chain % 7), 1.0 + 0.3 * (chain // 8), 0.6 * (chain % 8))
            world.body.set_transform(body, (*UPRIGHT, *place))
            world.body.set_system(body, system)
            if previous:
                kind = KINDS[(chain + link) % len(KINDS)]
                joint = world.joint.create(kind, previous, body, (*UPRIGHT, 0.25, 0, 0), (*UPRIGHT, -0.25, 0, 0))
                if kind == "swing_twist":
                    world.joint.set_limits(joint, CONE, -1.0, 0.5)
                    world.joint.set_limits(joint, TWIST, -0.3, 0.3)
                if kind == "hinge":
                    world.joint.set_motor(joint, TWIST, 3.0, 1.0)
            previous = body
        hub = hub or previous
        if previous != hub:  # more joints than there are colours on one body
            world.joint.set_distance(world.joint.create("distance", hub, previous), 0.0, 9.0)
    return world, system


def run(threads: int) -> list[str]:
    world, system = make(threads)
    hashes = []
    for _ in range(STEPS):
        world.step(system, 1.0 / 60.0)
        rows = world.bodies.rows[: world.bodies.count]
        bits = b"".join(rows[field].tobytes() for field in ("position", "rotation", "linear_velocity", "angular_velocity"))
        hashes.append(hashlib.sha256(bits).hexdigest())
    assert np.isfinite(world.bodies.rows[: world.bodies.count]["position"]).all()
    if threads > 1:
        assert world.job_system.pool.record["jobs"] > 0
    return hashes


@pytest.fixture(scope="module")
def alone() -> list[str]:
    return run(1)


@pytest.mark.parametrize("threads", (2, 3))
def test_the_same_bits_with_any_number_of_threads(alone, threads):
    hashes = run(threads)
    different = [k for k in range(STEPS) if hashes[k] != alone[k]]
    assert not different, f"first difference in step {different[0]}"
