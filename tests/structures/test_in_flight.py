"""Bodies inside a structure that flies and turns: what counts is how they move beside it."""

import numpy as np
import pytest

import scree

from .long_bodies import STEP, hull_of_ship, up_of

BOUNCY = scree.Material(friction=0.1, restitution=0.9)


def ship(velocity, spin) -> tuple[scree.Space, scree.Body]:
    """A hull of one layer of bricks of half a metre, 20 x 6 x 12 m, in a space without gravity."""
    space = scree.World(threads=1, bodies=1 << 10, body_shapes=1 << 11, shapes=1 << 11).add_space(gravity=(0, 0, 0))
    cells = hull_of_ship(40, 24, 12)
    bricks = scree.Structure(unit=0.5)
    bricks.insert(cells, cells + 1)
    return space, space.add_rigid(bricks, velocity=velocity, angular_velocity=spin, density=5000.0, can_sleep=False)


def velocity_at(vessel: scree.Body, place) -> np.ndarray:
    """Velocity of the matter of a ship at a place, world [m/s]."""
    return vessel.velocity + np.cross(vessel.angular_velocity, np.subtract(place, vessel.position))


def has_inside(vessel: scree.Body, body: scree.Body) -> bool:
    """Whether a body is inside the hull."""
    local = place_in(vessel, body)
    return bool(((local > 0.0) & (local < (20.0, 6.0, 12.0))).all())


@pytest.mark.parametrize("velocity, spin", [((0, 0, 0), (0, 0, 0)), ((80, 0, 0), (0, 0, 0)), ((80, 20, 0), (0.3, 1.5, 0.2))])
def test_what_is_thrown_in_a_ship_stays_inside(velocity, spin):
    """60 m/s beside the ship: a metre in a step, through half a metre of bricks, if it were not swept."""
    space, vessel = ship(velocity, spin)
    random, balls = np.random.default_rng(3), []
    for k in range(20):
        place = vessel.position + (3.0 + k % 5 * 3.0, 1.0 + k // 5, 3.0 + k // 5 * 1.5)
        throw = random.normal(size=3)
        throw *= 60.0 / np.linalg.norm(throw)
        balls.append(space.add_rigid(
            scree.Sphere(radius=0.12), place, velocity=velocity_at(vessel, place) + throw, material=BOUNCY, can_sleep=False,
        ))  # fmt: skip
    for _ in range(90):
        space.step(STEP)
    assert [k for k, ball in enumerate(balls) if not has_inside(vessel, ball)] == []


def test_a_ship_is_not_held_back_by_what_is_thrown_in_it():
    """A ball that hits a wall in flight stops there and is taken along: the ship is far heavier and covers its whole way."""
    space, vessel = ship((80, 0, 0), (0, 0, 0))
    start, mass = vessel.position, vessel.mass
    balls = []
    for k in range(20):
        place = start + (3.0 + k % 5 * 3.0, 1.0 + k // 5, 3.0 + k // 5 * 1.5)
        throw = 60.0 * np.array((1.0 if k % 2 else -1.0, 0.0, 0.0))
        balls.append(space.add_rigid(
            scree.Sphere(radius=0.12), place, velocity=velocity_at(vessel, place) + throw, material=BOUNCY, can_sleep=False,
        ))  # fmt: skip
    way = 0.0
    for _ in range(60):
        space.step(STEP)
        way += vessel.velocity[0] * STEP
    assert all(has_inside(vessel, ball) for ball in balls) and mass > 1000.0 * balls[0].mass
    assert vessel.position[0] - start[0] == pytest.approx(way, abs=0.01)


def test_what_rides_in_a_ship_lies_as_still_as_in_one_at_rest():
    """Boxes that are pressed onto the deck: beside it they move no more at 60 m/s and half a turn in ten seconds."""
    creeps = {}
    for name, velocity, spin in (("at rest", (0, 0, 0), (0, 0, 0)), ("in flight", (60, 0, 0), (0, 0.3, 0))):
        space, vessel = ship(velocity, spin)
        middle = vessel.center_of_mass
        boxes, places = [], []
        for k in range(8):
            place = np.array((4.0 + 1.5 * k, 0.905, 6.0))
            spot = np.cross(spin, place - middle) + velocity
            boxes.append(space.add_rigid(scree.Box(half_extents=(0.4, 0.4, 0.4)), place, velocity=spot, angular_velocity=spin,
                                         density=500.0, can_sleep=False))  # fmt: skip
        for tick in range(180):
            for box in boxes:
                box.apply_force(-10.0 * box.mass * up_of(vessel))
            space.step(STEP)
            if tick == 60:
                places = [place_in(vessel, box) for box in boxes]
        creeps[name] = max(np.linalg.norm(place_in(vessel, box) - place) for box, place in zip(boxes, places, strict=True))
    assert creeps["in flight"] < creeps["at rest"] + 0.02


def place_in(vessel: scree.Body, body: scree.Body) -> np.ndarray:
    """Place of a body in the frame of a ship [m]."""
    x, y, z, w = vessel.rotation
    u, d = np.array([-x, -y, -z]), body.position - vessel.position
    return d + 2.0 * np.cross(u, np.cross(u, d) + w * d)
