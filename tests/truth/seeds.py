"""Random scenes of each kind from a seed. What follows from physics in each is in `invariants.py`."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from tests.truth.scene import Body, Joint, Scene

GRAVITY = np.array((0.0, -10.0, 0.0))
ROOM = 4.0  # half the width of the closed room [m]
NOT_TURNED = np.array((0.0, 0.0, 0.0, 1.0))


def _way(random) -> np.ndarray:
    way = random.normal(size=3)
    return way / np.linalg.norm(way)


def _turn(random) -> np.ndarray:
    return Rotation.random(random_state=int(random.integers(1 << 31))).as_quat()


def solid(random, size: float, **given) -> Body:
    """A body of a random shape, about `size` in radius [m], as light as 0.3 kg and as heavy as 10."""
    kind = random.choice(("box", "sphere", "capsule", "cylinder", "hull"))
    if kind == "box":
        dimensions = tuple(size * random.uniform(0.3, 1.0, 3))
    elif kind == "sphere":
        dimensions = (size * random.uniform(0.3, 1.0),)
    elif kind == "hull":
        points = random.normal(size=(int(random.integers(6, 20)), 3))
        points *= size * random.uniform(0.7, 1.0, (len(points), 1)) / np.linalg.norm(points, axis=1, keepdims=True)
        dimensions = tuple((points * random.uniform(0.5, 1.0, 3)).ravel())
    else:
        radius = size * random.uniform(0.3, 0.6)
        dimensions = (radius, size * random.uniform(0.5, 1.4) + (2.0 * radius if kind == "capsule" else 0.0))
    given.setdefault("mass", float(10.0 ** random.uniform(-0.5, 1.0)))
    given.setdefault("friction", float(random.choice((0.0, 0.3, 0.7, 1.0))))
    given.setdefault("restitution", float(random.choice((0.0, 0.0, 0.4, 0.9))))
    return Body(kind, dimensions, **given)


def thrown(random) -> Scene:
    """Bodies in space, thrown at each other."""
    count, bodies = int(random.integers(2, 9)), []
    only = "sphere" if random.random() < 0.3 else None
    for k in range(count):
        place = 2.5 * (np.array((k & 1, k >> 1 & 1, k >> 2)) - 0.5) + random.uniform(-0.2, 0.2, 3)
        aim = 0.3 * random.normal(size=3) - place / np.linalg.norm(place)
        body = solid(random, 0.9, place=place, rotation=_turn(random), velocity=random.uniform(1.0, 12.0) * aim,
                     spin=random.uniform(0.0, 5.0) * _way(random))  # fmt: skip
        if only:
            body = replace(body, shape="sphere", size=(body.reach(),), rotation=NOT_TURNED)
        bodies.append(body)
    return Scene(tuple(bodies), ticks=90)


def floor(normal: np.ndarray, friction: float, restitution: float = 0.0) -> Body:
    """A large box whose top goes through the origin."""
    turn = Rotation.align_vectors([normal], [(0.0, 1.0, 0.0)])[0]
    return Body("box", (60.0, 2.0, 60.0), -2.0 * normal, turn.as_quat(), mass=0.0, friction=friction, restitution=restitution)


def flat_body(random, friction: float, size: float = 1.0) -> tuple[Body, float]:
    """A body that lies flat on y = 0 and is too broad to be tipped by such friction; and how high its origin lies."""
    kind = random.choice(("box", "cylinder", "hull", "sphere", "capsule"))
    broad = size * random.uniform(0.3, 0.6)
    height = min(2.0 * size, 1.2 * broad / max(friction, 0.1)) * random.uniform(0.3, 0.9)
    if kind == "box":
        return Body("box", (broad, 0.5 * height, broad * random.uniform(1.0, 2.0)), np.zeros(3)), 0.5 * height
    if kind == "cylinder":
        return Body("cylinder", (broad * 1.5, height), np.zeros(3)), 0.5 * height
    if kind == "sphere":
        return Body("sphere", (broad,), np.zeros(3)), broad
    if kind == "capsule":
        lying = Rotation.from_euler("x", 90.0, degrees=True).as_quat()
        return Body("capsule", (0.5 * broad, broad + 3.0 * broad), np.zeros(3), lying), 0.5 * broad
    corners = int(random.integers(4, 10))
    angles = np.arange(corners) * 2.0 * np.pi / corners
    ring = np.stack([np.cos(angles), np.zeros(corners), np.sin(angles)], axis=1)
    middle = 0.5 * height * np.array((0.0, 1.0, 0.0))
    points = np.concatenate([1.7 * broad * ring - middle, 1.5 * broad * ring + middle])
    return Body("hull", tuple(points.ravel()), np.zeros(3)), 0.5 * height


def _laid(body: Body, height: float, normal: np.ndarray, yaw: float, **given) -> Body:
    """The body on the floor of that normal, so high above it, turned about the normal."""
    turn = Rotation.align_vectors([normal], [(0.0, 1.0, 0.0)])[0] * Rotation.from_rotvec((0.0, yaw, 0.0))
    rotation = (turn * Rotation.from_quat(body.rotation)).as_quat()
    return Body(body.shape, body.size, height * normal, rotation, **given)


def _leaning(random, most: float) -> np.ndarray:
    angle, around = np.radians(random.uniform(0.0, most)), random.uniform(0.0, 2.0 * np.pi)
    return np.array((np.sin(angle) * np.cos(around), np.cos(angle), np.sin(angle) * np.sin(around)))


def landed(random) -> Scene:
    """A flat or round body of restitution 0 comes down on a floor, moving along it."""
    friction = float(random.uniform(0.1, 1.0))
    normal = _leaning(random, 25.0)
    body, height = flat_body(random, friction)
    along = np.cross(normal, _way(random)) * random.uniform(1.0, 12.0)
    laid = _laid(body, height + random.uniform(0.005, 0.05), normal, random.uniform(0.0, 6.3), friction=friction,
                 velocity=along - normal * random.uniform(1.0, 10.0), mass=float(10.0 ** random.uniform(-0.5, 1.0)))  # fmt: skip
    return Scene((floor(normal, friction), laid), gravity=GRAVITY, ticks=60)


def bounced(random) -> Scene:
    """A flat or round body hits a floor straight on, without friction and gravity."""
    body, height = flat_body(random, 0.0, random.uniform(0.3, 2.0))
    normal = _leaning(random, 90.0)
    laid = _laid(body, height + random.uniform(0.1, 1.0), normal, random.uniform(0.0, 6.3), friction=0.0,
                 restitution=float(random.uniform(0.0, 1.0)), velocity=-normal * random.uniform(2.0, 20.0),
                 mass=float(10.0 ** random.uniform(-0.5, 1.0)))  # fmt: skip
    return Scene((floor(normal, 0.0, float(random.choice((0.0, 0.2)))), laid), ticks=60)


def stacked(random) -> Scene:
    """Boxes on each other that stand: what is above each is held by a patch that is well under its centre of mass."""
    while True:
        bodies, top, middle = [], 0.0, np.zeros(2)
        for _ in range(int(random.integers(2, 9))):
            size = random.uniform(0.25, 0.6, 3)
            if bodies:
                middle = middle + random.uniform(-0.2, 0.2, 2)
            place = np.array((middle[0], top + size[1], middle[1]))
            bodies.append(Body("box", tuple(size), place, friction=0.8, mass=float(10.0 ** random.uniform(-0.3, 0.7))))
            top += 2.0 * size[1]
        if all(_holds(bodies, k) for k in range(1, len(bodies))):
            return Scene((floor(np.array((0.0, 1.0, 0.0)), 0.8), *bodies), gravity=GRAVITY, ticks=240)


def _holds(bodies: list[Body], above: int) -> bool:
    """Whether the centre of mass of all from `above` on is over the inner two thirds of what the lowest of them stands on."""
    masses = np.array([body.mass for body in bodies[above:]])
    centre = masses @ np.array([body.place for body in bodies[above:]]) / masses.sum()
    pair = bodies[above - 1 : above + 1]
    least = np.max([body.place - body.size for body in pair], axis=0)
    most = np.min([body.place + body.size for body in pair], axis=0)
    margin = (most - least) / 6.0
    return bool(((centre >= least + margin) & (centre <= most - margin))[[0, 2]].all())


def joined(random) -> Scene:
    """A tree of bodies on joints in space. Those that no joint holds together are apart."""
    bodies, joints = [], []
    for k in range(int(random.integers(2, 7))):
        body = solid(random, 0.5, place=np.zeros(3), rotation=_turn(random), velocity=2.0 * random.normal(size=3),
                     spin=2.0 * random.normal(size=3))  # fmt: skip
        if k:
            parent, body = _beside(random, bodies, body)
            kind = str(random.choice(("point", "hinge", "fixed", "slider"), p=(0.4, 0.3, 0.2, 0.1)))
            joints.append(Joint(kind, parent, k, 0.5 * (body.place + bodies[parent].place), _turn(random)))
        bodies.append(body)
    return Scene(tuple(bodies), tuple(joints), ticks=180, meet=False)


def _beside(random, bodies: list[Body], body: Body) -> tuple[int, Body]:
    """The body 1.2 m from one of the others, its parent, and apart from all the rest."""
    while True:
        parent = int(random.integers(0, len(bodies)))
        placed = replace(body, place=bodies[parent].place + 1.2 * _way(random))
        if all(apart(placed, other) for k, other in enumerate(bodies) if k != parent):
            return parent, placed


def apart(first: Body, second: Body) -> bool:
    """Whether the balls around two bodies are, by 5 cm."""
    return bool(np.linalg.norm(first.place - second.place) > first.reach() + second.reach() + 0.05)


def hung(random) -> Scene:
    """Bodies that hang on the world by joints, one at the other, and swing."""
    bodies, joints, at = [], [], np.zeros(3)
    for k in range(int(random.integers(1, 5))):
        way = _way(random) * random.uniform(0.4, 1.0)
        bodies.append(solid(random, 0.4, place=at + 0.5 * way, rotation=_turn(random)))
        kind = str(random.choice(("point", "hinge", "fixed") if k else ("point", "hinge")))
        joints.append(Joint(kind, k - 1, k, at, _turn(random)))
        at = at + way
    return Scene(tuple(bodies), tuple(joints), GRAVITY, ticks=240, meet=False)


def overlapped(random) -> Scene:
    """Bodies made in each other, in space."""
    count, reach = int(random.integers(2, 25)), random.uniform(0.0, 1.0)
    bodies = [
        solid(random, 0.6, place=reach * random.uniform(-1.0, 1.0, 3), rotation=_turn(random), restitution=0.0)
        for _ in range(count)
    ]
    return Scene(tuple(bodies), ticks=180)


def spun(random) -> Scene:
    """One body turns free."""
    body = solid(random, 0.8, place=np.zeros(3), rotation=_turn(random), spin=random.uniform(1.0, 12.0) * _way(random))
    return Scene((body,), ticks=240)


def walls(thick: float) -> list[Body]:
    """Walls of a closed room around the origin."""
    bodies = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            size, place = np.full(3, ROOM + 2.0 * thick), np.zeros(3)
            size[axis], place[axis] = thick, side * (ROOM + thick)
            bodies.append(Body("box", tuple(size), place, mass=0.0, restitution=0.0))
    return bodies


def piled(random) -> Scene:
    """Bodies fall into a heap in a room."""
    bodies = walls(1.0)
    for k in range(int(random.integers(4, 17))):
        place = 1.6 * np.array((k % 3 - 1.0, k // 9, k // 3 % 3 - 1.0)) + random.uniform(-0.15, 0.15, 3)
        bodies.append(solid(random, random.uniform(0.3, 0.7), place=place, rotation=_turn(random),
                            velocity=random.uniform(0.0, 6.0) * _way(random)))  # fmt: skip
    return Scene(tuple(bodies), gravity=GRAVITY, ticks=240)


def tangled(random) -> Scene:
    """A tree of bodies on joints is thrown at the floor of a room."""
    tree, down = joined(random), np.array((random.uniform(-5.0, 5.0), random.uniform(-20.0, 0.0), random.uniform(-5.0, 5.0)))
    middle = np.mean([body.place for body in tree.bodies], axis=0)
    bodies = [replace(body, place=body.place - middle, velocity=down, spin=np.zeros(3)) for body in tree.bodies]
    first = 6  # walls
    joints = [replace(joint, a=joint.a + first, b=joint.b + first, place=joint.place - middle) for joint in tree.joints]
    return Scene((*walls(1.0), *bodies), tuple(joints), GRAVITY, ticks=180)


def rammed(random) -> Scene:
    """A tree of bodies on joints in space is hit by one that is fast."""
    tree = joined(random)
    still = [replace(body, velocity=np.zeros(3), spin=np.zeros(3)) for body in tree.bodies]
    while True:
        way = _way(random)
        ram = solid(random, 0.6, place=still[-1].place - 5.0 * way, rotation=_turn(random),
                    velocity=random.uniform(5.0, 60.0) * way)  # fmt: skip
        if all(apart(ram, body) for body in still):
            return Scene((*still, ram), tree.joints, ticks=150)


def contained(random) -> Scene:
    """Fast bodies in a closed room of walls that may be thin."""
    bodies = walls(float(random.choice((0.05, 0.2, 1.0))))
    speed = 10.0 ** random.uniform(0.7, 2.6)
    for k in range(int(random.integers(1, 9))):
        place = 2.2 * (np.array((k & 1, k >> 1 & 1, k >> 2)) - 0.5)
        bodies.append(solid(random, random.uniform(0.15, 0.8), place=place, rotation=_turn(random), velocity=speed * _way(random),
                            spin=random.uniform(0.0, 10.0) * _way(random), is_fast=bool(random.random() < 0.5)))  # fmt: skip
    return Scene(tuple(bodies), ticks=180)


def mirrored(random) -> Scene:
    """Pairs of bodies, each the other's mirror image in x = 0, thrown at each other over a floor; a lane a pair. Boxes are turned
    about x alone: their sides meet flat, and no axis between them is as good as another."""
    friction = float(random.uniform(0.0, 1.0))
    bodies = [floor(np.array((0.0, 1.0, 0.0)), friction)]
    for lane in range(int(random.integers(1, 5))):
        half = random.uniform(0.2, 0.5, 3)
        pitch = random.uniform(-0.8, 0.8)
        place = np.array((random.uniform(0.8, 2.0), np.hypot(*half[1:]) + random.uniform(0.0, 0.5), 4.0 * lane))
        velocity = random.uniform(-1.0, 1.0, 3) * (2.0, 3.0, 0.5) - (6.0, 0.0, 0.0)
        spin = np.array((random.uniform(-3.0, 3.0), 0.0, 0.0))
        shape, size = ("sphere", (half[1],)) if random.random() < 0.3 else ("box", tuple(half))
        for side in (1.0, -1.0):
            rotation = Rotation.from_rotvec((pitch, 0.0, 0.0)).as_quat()
            flip = np.array((side, 1.0, 1.0))
            bodies.append(Body(shape, size, flip * place, rotation, flip * velocity, spin, friction=friction,
                               restitution=float(0.3 * (lane % 2))))  # fmt: skip
    return Scene(tuple(bodies), gravity=GRAVITY, ticks=45)


def one_on_a_floor(random) -> Scene:
    """A scene that is played twice, as it is and scaled or turned: a body thrown at a floor in any pose."""
    friction, up = float(random.uniform(0.0, 1.0)), np.array((0.0, 1.0, 0.0))
    body = solid(random, 0.6, place=np.array((0.0, 1.2, 0.0)), rotation=_turn(random), friction=friction,
                 velocity=random.uniform(-4.0, 4.0, 3) - 3.0 * up, spin=3.0 * random.normal(size=3))  # fmt: skip
    return Scene((floor(up, friction), body), gravity=GRAVITY, ticks=30)


def flat_on_a_floor(random) -> Scene:
    """A scene played twice, with a body that lands flat."""
    friction, up = float(random.uniform(0.1, 1.0)), np.array((0.0, 1.0, 0.0))
    body, height = flat_body(random, friction)
    laid = _laid(body, height + 0.3, up, random.uniform(0.0, 6.3), friction=friction,
                 restitution=float(random.choice((0.0, 0.5))),
                 velocity=random.uniform(-4.0, 4.0, 3) * (1.0, 0.0, 1.0) - 3.0 * up)  # fmt: skip
    return Scene((floor(up, friction), laid), gravity=GRAVITY, ticks=40)


def pair_in_space(random) -> Scene:
    """A scene played twice, with two bodies that meet in space."""
    bodies = [
        solid(random, 0.6, place=np.array((side, 0.0, 0.0)) + random.uniform(-0.1, 0.1, 3), rotation=_turn(random),
              velocity=np.array((-4.0 * side, 0.0, 0.0)), spin=random.normal(size=3))
        for side in (-1.0, 1.0)
    ]  # fmt: skip
    return Scene(tuple(bodies), ticks=30)
