"""Nothing bumps where a floor is put together from pieces; and what does stand up is still hit."""

import numpy as np
import pytest
from small_world import UPRIGHT, SmallWorld

from scree.bodies.schema import RIGID, STATIC
from scree.shapes.schema import CAPSULE, CYLINDER, HEIGHT_FIELD, HULL, MESH

LYING = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0)  # Y along Z
YAWED = (0.955336, 0.0, 0.29552, 0.0, 1.0, 0.0, -0.29552, 0.0, 0.955336)
BUMP = 0.05  # [m/s]


def shape(world: SmallWorld, kind: int, call: str, *values) -> int:
    identity = world.world.shape.create(kind)
    getattr(world.world.shapes, f"set_{call}")(world.world.shape.index(call, identity), *values)
    return identity


def tiles(world: SmallWorld) -> None:
    """1,000 boxes of 1 m in five rows, flush."""
    tile = world.box(0.5, 0.5, 0.5)
    for x in range(200):
        for z in range(-2, 3):
            world.add(tile, (x + 0.5, -0.5, z), mode=STATIC)


def compound(world: SmallWorld) -> None:
    """One body of 1,000 such boxes."""
    tile = world.box(0.5, 0.5, 0.5)
    body = world.world.body.create()
    world.world.body.set_mode(body, STATIC)
    for number in range(1000):
        world.world.body.add_shape(body, tile, (*UPRIGHT, number // 5 + 0.5, -0.5, number % 5 - 2.0))
    world.world.body.set_system(body, world.system)


def static_compound(world: SmallWorld) -> None:
    """One shape of 1,000 such boxes, in two compounds in one."""
    tile = world.box(0.5, 0.5, 0.5)
    halves = [
        world.compound([(tile, (*UPRIGHT, number // 5 - 49.5, -0.5, number % 5 - 2.0)) for number in range(500)])
        for _ in range(2)
    ]
    world.add(world.compound([(half, (*UPRIGHT, 50.0 + 100.0 * k, 0.0, 0.0)) for k, half in enumerate(halves)]), mode=STATIC)


def grid(columns: int, rows: int, x: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a flat floor of cells of 1 m from x on."""
    along, across = np.meshgrid(np.arange(columns + 1) + x, np.arange(rows + 1) - 0.5 * rows, indexing="ij")
    vertices = np.stack((along, np.zeros_like(along), across), axis=-1).reshape(-1, 3)
    corner = (np.arange(columns)[:, None] * (rows + 1) + np.arange(rows)).ravel()
    first = np.stack((corner, corner + 1, corner + rows + 2), axis=1)
    second = np.stack((corner, corner + rows + 2, corner + rows + 1), axis=1)
    return vertices, np.concatenate((first, second))


def mesh(world: SmallWorld) -> None:
    """2,000 triangles."""
    world.add(shape(world, MESH, "mesh", *grid(200, 5)), mode=STATIC)


def chunks(world: SmallWorld) -> None:
    """A floor of forty flush bodies."""
    for number in range(40):
        world.add(shape(world, MESH, "mesh", *grid(5, 5, 5.0 * number)), mode=STATIC)


def height_field(world: SmallWorld) -> None:
    world.add(shape(world, HEIGHT_FIELD, "height_field", 201, 11, np.zeros(201 * 11)), (100.0, 0.0, 0.0), mode=STATIC)


SLIDERS = {  # shape, height of its centre, basis, speed, friction, spin
    "box": (lambda w: w.box(0.25, 0.25, 0.25), 0.25, UPRIGHT, 10.0, 0.0, 0.0),
    "turned box": (lambda w: w.box(0.25, 0.25, 0.25), 0.25, YAWED, 10.0, 0.0, 0.0),
    "sphere": (lambda w: w.sphere(0.25), 0.25, UPRIGHT, 10.0, 0.0, 0.0),
    "rolling sphere": (lambda w: w.sphere(0.25), 0.25, UPRIGHT, 10.0, 0.5, -40.0),
    "capsule": (lambda w: shape(w, CAPSULE, "capsule", 0.25, 1.0), 0.5, UPRIGHT, 10.0, 0.0, 0.0),
    "lying capsule": (lambda w: shape(w, CAPSULE, "capsule", 0.25, 1.0), 0.25, LYING, 10.0, 0.0, 0.0),
    "cylinder": (lambda w: shape(w, CYLINDER, "cylinder", 0.25, 0.5), 0.25, UPRIGHT, 10.0, 0.0, 0.0),
    "lying cylinder": (lambda w: shape(w, CYLINDER, "cylinder", 0.25, 0.5), 0.25, LYING, 10.0, 0.0, 0.0),
    "marble": (lambda w: w.sphere(0.01), 0.01, UPRIGHT, 30.0, 0.0, 0.0),
    "rolling marble": (lambda w: w.sphere(0.01), 0.01, UPRIGHT, 30.0, 0.5, -3000.0),
}


FLOORS = (tiles, compound, static_compound, mesh, chunks, height_field)


@pytest.mark.parametrize("overlap", (0.0, 0.005))
@pytest.mark.parametrize("floor", FLOORS, ids=lambda floor: floor.__name__)
def test_nothing_bumps_over_seams(floor, overlap):
    """Each slider alone, on the floor or as deep in it as it may lie. What lies deep meets the side of the next tile as deep."""
    for name, (make, height, basis, speed, friction, spin) in SLIDERS.items():
        world = SmallWorld(penetration_slop=overlap)
        floor(world)
        for row in world.world.bodies.rows[: world.world.bodies.count]:
            row["friction"] = 1.0
        body = world.add(make(world), (2.0, height, 0.13), mode=RIGID, basis=basis, friction=friction)
        if name == "capsule":  # else it falls over by itself
            for axis in range(3, 6):
                world.world.body.set_axis_lock(body, 1 << axis, True)
        world.step(30)
        world.throw(body, (speed, 0.0, 0.2))
        world.turn(body, (0.0, 0.0, spin))
        worst = 0.0
        while world.position(body)[0] < 60.0 and world.row["step"]["count"] < 500:
            world.step()
            worst = max(worst, abs(world.velocity(body)[1]))
        assert world.position(body)[0] >= 60.0, f"{name} was stopped at {world.position(body)}"
        assert worst < BUMP, f"{name} bumped with {worst} m/s"


@pytest.mark.parametrize("floor", FLOORS, ids=lambda floor: floor.__name__)
def test_what_was_pressed_into_a_floor_is_not_stopped_by_seams(floor):
    """Deeper than what passes as flush it comes out of the floor while it crosses one, wherever it starts."""
    for name in ("box", "turned box", "sphere", "lying capsule", "cylinder", "lying cylinder"):
        make, height, basis, speed, _, _ = SLIDERS[name]
        for k in range(8):
            world = SmallWorld()
            floor(world)
            body = world.add(make(world), (2.62 + 0.03 * k, height - 0.01, 0.13), mode=RIGID, basis=basis, friction=0.0)
            world.throw(body, (speed, 0.0, 0.0))
            world.step(12)
            np.testing.assert_allclose(world.velocity(body)[::2], (speed, 0.0), atol=0.05, err_msg=name)
            assert np.linalg.norm(world.spin(body)) < 0.1, name


@pytest.mark.parametrize("overlap", (0.0, 0.005))
def test_a_ball_rolls_from_mesh_to_mesh_wherever_its_steps_end(overlap):
    """A corner of the next mesh beside the ball is a contact with the floor's own normal: turning is not coming closer to it."""
    for k in range(12):
        world = SmallWorld(penetration_slop=overlap)
        chunks(world)
        ball = world.add(world.sphere(0.25), (2.0 + 0.023 * k, 0.25 - overlap, 0.13), mode=RIGID, friction=0.5)
        world.step(30)
        world.throw(ball, (4.0, 0.0, 0.2))
        world.turn(ball, (0.0, 0.0, -16.0))
        worst = 0.0
        while world.position(ball)[0] < 14.0 and world.row["step"]["count"] < 300:
            world.step()
            worst = max(worst, abs(world.velocity(ball)[1]))
        assert world.position(ball)[0] >= 14.0 and worst < BUMP


def run_against(world: SmallWorld, body: int, ticks: int = 60) -> float:
    """Throw a body along X and give how far it comes [m]."""
    world.step(10)
    world.throw(body, (5.0, 0.0, 0.0))
    world.step(ticks)
    return float(world.position(body)[0])


@pytest.mark.parametrize("step", [0.02, 0.1, 1.0])
def test_a_step_up_is_hit(step):
    """A kerb between flush tiles stops a box."""
    world = SmallWorld()
    world.add(world.box(0.5, 0.5, 0.5), (0.5, -0.5, 0.0), mode=STATIC, friction=0.0)
    world.add(world.box(0.5, 0.5, 0.5), (1.5, -0.5 + step, 0.0), mode=STATIC, friction=0.0)
    body = world.add(world.box(0.2, 0.2, 0.2), (0.3, 0.2, 0.0), mode=RIGID, friction=0.0)
    for axis in range(3, 6):
        world.world.body.set_axis_lock(body, 1 << axis, True)
    assert run_against(world, body) == pytest.approx(0.8, abs=0.02)


def test_what_is_widest_at_the_floor_is_hit_there():
    """A wedge touches another one at the height of the floor only: that is no seam."""
    world = SmallWorld()
    world.floor(friction=0.0)
    points = [(x, 0.0, z) for x in (-0.5, 0.5) for z in (-0.5, 0.5)] + [(0.0, 0.8, -0.5), (0.0, 0.8, 0.5)]
    wedge = shape(world, HULL, "hull", points)
    world.add(wedge, (2.0, 0.0, 0.0), mode=STATIC, friction=0.0)
    body = world.add(wedge, (0.0, 0.0, 0.0), mode=RIGID, friction=0.0)
    for axis in range(3, 6):
        world.world.body.set_axis_lock(body, 1 << axis, True)
    farthest = run_against(world, body, 1)
    for _ in range(40):
        world.step()
        farthest = max(farthest, float(world.position(body)[0]))
    assert farthest == pytest.approx(1.0, abs=0.03)


def test_box_tips_into_a_pit():
    """A gap in the floor is no seam: a box that comes over it falls."""
    world = SmallWorld()
    world.add(world.box(2.0, 0.5, 2.0), (-2.0, -0.5, 0.0), mode=STATIC)
    world.add(world.box(2.0, 0.5, 2.0), (4.0, -0.5, 0.0), mode=STATIC)
    body = world.add(world.box(0.3, 0.3, 0.3), (-0.5, 0.3, 0.0), mode=RIGID)
    world.throw(body, (4.0, 0.0, 0.0))
    world.step(60)
    assert world.position(body)[1] < -0.5


@pytest.mark.parametrize("kind", ("boxes", "meshes"))
@pytest.mark.parametrize("step", (0.0055, 0.01, 0.02, 0.03))
@pytest.mark.parametrize("overlap", (0.0, 0.01))
def test_a_step_down_stops_nobody(kind, step, overlap):
    """The edge of what lies lower is left behind, wherever the body's steps end: nothing brakes it, nothing throws it up."""
    for k in range(12):
        world = SmallWorld(penetration_slop=overlap)
        for x, height in ((1.5, 0.0), (7.5, -step)):
            half = 1.5 if x < 3.0 else 4.5
            corners = [(x + a * half, height, b) for a in (-1, 1) for b in (-1, 1)]
            if kind == "meshes":
                world.add(shape(world, MESH, "mesh", corners, [(0, 1, 3), (0, 3, 2)]), mode=STATIC, friction=0.0)
            else:
                world.add(world.box(half, 0.5, 1.0), (x, height - 0.5, 0.0), mode=STATIC, friction=0.0)
        body = world.add(world.box(0.25, 0.25, 0.25), (1.5 + 0.00548 * k, 0.25, 0.03), mode=RIGID, friction=0.0)
        for axis in range(3, 6):
            world.world.body.set_axis_lock(body, 1 << axis, True)
        world.step(20)
        world.throw(body, (4.0, 0.0, 0.0))
        for _ in range(40):
            world.step()
            assert world.velocity(body)[0] == pytest.approx(4.0, abs=1e-3) and world.velocity(body)[1] < 1e-3
        assert world.position(body)[1] == pytest.approx(0.25 - step - overlap, abs=2e-3)


@pytest.mark.parametrize("is_compound", (False, True))
def test_a_room_of_one_mesh_keeps_what_is_widest_at_the_floor(is_compound):
    """The wall's foot lies in the plane of the floor; still it is no seam."""
    world = SmallWorld()
    corners = [(-3, 0, -3), (-3, 0, 3), (2, 0, -3), (2, 0, 3), (2, 2, -3), (2, 2, 3)]
    room = shape(world, MESH, "mesh", corners, [(0, 1, 3), (0, 3, 2), (2, 3, 5), (2, 5, 4)])
    if is_compound:
        room = world.compound([(room, (*UPRIGHT, 0.0, 0.0, 0.0))])
    world.add(room, mode=STATIC, friction=0.0)
    points = [(x, 0.0, z) for x in (-0.5, 0.5) for z in (-0.5, 0.5)] + [(0.0, 0.8, -0.5), (0.0, 0.8, 0.5)]
    body = world.add(shape(world, HULL, "hull", points), (0.0, 0.0, 0.0), mode=RIGID, friction=0.0)
    for axis in range(3, 6):
        world.world.body.set_axis_lock(body, 1 << axis, True)
    assert run_against(world, body) < 1.6
