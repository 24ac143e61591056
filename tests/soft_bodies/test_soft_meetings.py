"""Soft bodies that meet each other, or themselves: faces within reach against a twin; momentum, friction, sub-steps, layers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from soft_world import SoftWorld, ball, energy, grid

from scree.runtime.kernel import entry_point
from scree.soft_bodies.meeting import fill_grid, find_meetings
from scree.soft_bodies.phases import soft_at
from scree.soft_bodies.schema import MOST_MEETINGS
from scree.state.spaces import SpaceStates


@entry_point("void(int64, int64, float64)")
def ask_meetings(soft, other, h):
    fill_grid(soft_at(soft))
    find_meetings(soft_at(soft), other, h)


def distance_to_triangle(p: np.ndarray, corners: np.ndarray) -> float:
    """The twin: inside the prism of the triangle the height, else the least distance to an edge."""
    a, b, c = corners
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    sides = [np.dot(np.cross(e - s, p - s), normal) for s, e in ((a, b), (b, c), (c, a))]
    if min(sides) >= 0.0:
        return abs(np.dot(p - a, normal))
    ways = [s + np.clip(np.dot(p - s, e - s) / np.dot(e - s, e - s), 0.0, 1.0) * (e - s) for s, e in ((a, b), (b, c), (c, a))]
    return min(np.linalg.norm(p - q) for q in ways)


@settings(max_examples=10, deadline=None)
@given(
    shift=st.tuples(*[st.floats(-0.6, 0.6)] * 3), turn=st.floats(-3.0, 3.0), far=st.sampled_from([0.0, 1e3, -1e5]),
    speed=st.floats(0.0, 20.0), seed=st.integers(0, 99),
)  # fmt: skip
def test_particles_find_the_faces_within_reach(shift, turn, far, speed, seed):
    world, dice = SoftWorld(gravity=(0.0, 0.0, 0.0)), np.random.default_rng(seed)
    first = world.soft(grid(6, 5, 1.0, 0.8), (far, 0.0, 0.0))
    vertices, triangles = grid(4, 6, 0.7, 1.0)
    turned = vertices @ np.array([(np.cos(turn), -np.sin(turn), 0), (np.sin(turn), np.cos(turn), 0), (0, 0, 1.0)])
    second = world.soft((turned + dice.normal(0.0, 0.02, vertices.shape), triangles), np.add(shift, (far, 0.0, 0.0)))
    first.set_velocities((0.0, speed, 0.0))
    first.row["time"] = h = 1.0 / 240.0
    ask_meetings(first.address, second.address, h)
    thickness = first.row["radius"] + second.row["radius"]
    reach = thickness + min((speed + 0.1) * h, 8.0 * first.row["cell_size"])
    rows = first._arrays["meetings"].reshape(-1, MOST_MEETINGS)
    for number, at in enumerate(first.positions):
        distances = [distance_to_triangle(at, second.positions[corners]) for corners in second.layout.triangles]
        gaps = sorted(d - thickness for d in distances if d <= reach)
        count = int(first._arrays["meeting_counts"][number])
        assert count == min(len(gaps), MOST_MEETINGS) or abs(min(np.array(distances) - reach, key=abs)) < 1e-6
        if count == min(len(gaps), MOST_MEETINGS):
            assert sorted(rows[number]["gap"][:count]) == pytest.approx(gaps[:count], abs=1e-6)
        for row in rows[number][:count]:
            corners = second.positions[[row["a"], row["b"], row["c"]]]
            assert at - row["corners"] @ corners == pytest.approx(row["normal"] * (row["gap"] + thickness), abs=3e-4)


def momentum(softs) -> np.ndarray:
    return sum((soft.masses[:, None] * soft.velocities).sum(axis=0) for soft in softs)


def spin(softs) -> np.ndarray:
    return sum((soft.masses[:, None] * np.cross(soft.positions, soft.velocities)).sum(axis=0) for soft in softs)


def colliding_balls(**options) -> tuple[SoftWorld, list]:
    world = SoftWorld(gravity=(0.0, 0.0, 0.0), **options)
    sides = ((-1, 1.0), (1, 3.0))
    softs = [world.soft(ball(0.4, 8), (side * 0.6, side * 0.1, 0.0), mass=mass, stiffness=300.0) for side, mass in sides]
    for soft, speed in zip(softs, (3.0, -1.0), strict=True):
        soft.set_setting("pressure", 20.0)
        soft.set_velocities((speed, 0.0, 0.0))
    return world, softs


def test_two_balls_part_and_keep_their_momentum():
    """Angular momentum is kept to a few parts in a hundred: edges turn it a little in each small step."""
    world, softs = colliding_balls()
    for soft in softs:
        soft.set_setting("friction", 0.0)  # it acts on both surfaces, which are as far apart as they are thick
    before, turning = momentum(softs), spin(softs)
    world.step(120)
    assert softs[0].positions[:, 0].mean() < softs[1].positions[:, 0].mean() - 0.7
    assert momentum(softs) == pytest.approx(before, abs=1e-9) and spin(softs) == pytest.approx(turning, abs=0.1)
    assert softs[0].velocities[:, 0].mean() < softs[1].velocities[:, 0].mean()


def test_two_balls_win_no_energy():
    world, softs = colliding_balls()
    for soft in softs:
        soft.set_setting("pressure", 0.0)
    start = sum(energy(soft, 0.0) for soft in softs)
    for _ in range(60):
        world.step(2)
        assert sum(energy(soft, 0.0) for soft in softs) <= start * (1.0 + 1e-6)


@pytest.mark.parametrize("speed", [1.0, 10.0, 50.0])
def test_a_cloth_is_held_by_a_pinned_one(speed):
    world = SoftWorld()
    net = world.soft(grid(13, 13, 1.5, 1.5), mass=1.0, stiffness=2000.0)
    at = net.layout.positions
    net.pin(np.flatnonzero(np.abs(at[:, [0, 2]]).max(axis=1) > 0.74))
    sheet = world.soft(grid(7, 7, 0.4, 0.4), (0.03, 0.4, 0.02), mass=0.1, stiffness=500.0)
    sheet.set_velocities((0.0, -speed, 0.0))
    world.step(90)
    middle = net.positions[np.abs(at[:, [0, 2]]).max(axis=1) < 0.3, 1].min()
    assert sheet.positions[:, 1].min() > middle - 0.01 and (speed > 1.0 or sheet.positions[:, 1].max() < 0.1)


def stacked(substep_count: int) -> float:
    """How high a ball lies on a pinned sheet [m]."""
    world = SoftWorld(substep_count=substep_count)
    sheet = world.soft(grid(9, 9, 1.0, 1.0), mass=1.0, stiffness=3000.0)
    sheet.pin(np.flatnonzero(np.abs(sheet.layout.positions[:, [0, 2]]).max(axis=1) > 0.49))
    top = world.soft(ball(0.3, 6), (0.0, 0.35, 0.0), mass=1.0, stiffness=500.0)
    top.set_setting("pressure", 30.0)
    for soft in (sheet, top):
        soft.set_setting("damping", 3.0)
    world.step(300)
    return float(top.positions[:, 1].mean())


def test_a_ball_lies_on_a_sheet_for_1_4_and_16_substeps():
    heights = [stacked(count) for count in (1, 4, 16)]
    assert 0.1 < min(heights) and max(heights) < 1.03 * min(heights)


def test_friction_carries_along_and_its_lack_lets_slide():
    speeds = []
    for friction in (1.0, 0.0):
        world = SoftWorld(gravity=(0.0, -10.0, 0.0))
        belt = world.soft(grid(15, 5, 3.0, 1.0), mass=1.0, stiffness=5000.0)
        belt.pin(np.arange(75))
        sheet = world.soft(grid(5, 5, 0.3, 0.3), (0.01, 0.045, 0.02), mass=0.1, stiffness=500.0)
        for soft in (belt, sheet):
            soft.set_setting("friction", friction)
        for _ in range(40):
            belt.lead_pins(np.arange(75), belt.positions + (0.5 / 60.0, 0.0, 0.0))
            world.step(1)
        speeds.append(sheet.velocities[:, 0].mean())
        assert sheet.positions[:, 1].min() > 0.0
    assert speeds == pytest.approx([0.5, 0.0], abs=0.02)


@pytest.mark.parametrize("change", ["none", "mask", "exception", "setting"])
def test_layers_and_exceptions_between_soft_bodies(change):
    world = SoftWorld()
    net = world.soft(grid(9, 9, 1.0, 1.0), mass=1.0, stiffness=3000.0)
    net.pin(np.arange(81))
    sheet = world.soft(grid(5, 5, 0.3, 0.3), (0.01, 0.2, 0.02), mass=0.1)
    if change == "mask":
        net.set_layers(2, 2)
        sheet.set_layers(1, 1)
    elif change == "exception":
        net.row["id"] = 77
        sheet.set_exceptions([77])
    elif change == "setting":
        sheet.set_meets(False)
    world.step(60)
    assert (sheet.positions[:, 1].max() < -1.0) == (change != "none")


def folded(meets_itself: bool) -> float:
    """A strip with a pinned end falls on its other, pinned end: the least height of its free middle above the lower part [m]."""
    world = SoftWorld()
    vertices, triangles = grid(21, 4, 2.0, 0.3)
    turned = np.where(vertices[:, :1] > 0.0, vertices * (-1.0, 1.0, 1.0) + (0.0, 0.3, 0.0), vertices)
    cloth = world.soft((turned, triangles), mass=0.5, stiffness=500.0)
    cloth.set_meets(True, itself=meets_itself)
    cloth.set_setting("damping", 1.0)
    lower = np.flatnonzero(vertices[:, 0] < -0.05)
    cloth.pin(lower)
    world.step(120)
    above = (vertices[:, 0] > 0.3) & (turned[:, 0] > -0.9)
    return float(cloth.positions[above, 1].min())


def test_a_folded_cloth_lies_on_itself_only_if_it_is_asked_to():
    assert folded(True) > 0.01 and folded(False) < -0.1


def heap(threads: int) -> tuple[SoftWorld, list]:
    world = SoftWorld(threads=threads)
    world.floor()
    softs = []
    for k in range(12):
        at = (4.0 * (k % 4) + 0.1 * (k // 4), 0.5 + 0.8 * (k // 4), 0.0)
        softs.append(world.soft(ball(0.35, 5), at, mass=0.5, stiffness=200.0))
        softs[-1].set_setting("pressure", 10.0)
    return world, softs


@pytest.mark.parametrize("threads", [2, 4])
def test_heaps_give_the_same_bits_on_any_number_of_threads(threads):
    ends = []
    for count in (1, threads):
        world, softs = heap(count)
        world.step(60)
        ends.append([soft.positions.tobytes() for soft in softs])
        assert {int(soft.row["partner_count"]) for soft in softs} == {1, 2}
    assert ends[0] == ends[1]


def test_a_soft_body_wakes_when_the_one_below_goes():
    world = SoftWorld(sleeps=True)
    net = world.soft(grid(5, 5, 1.0, 1.0), mass=1.0, stiffness=3000.0)
    net.pin(np.arange(25))
    sheet = world.soft(grid(4, 4, 0.3, 0.3), (0.01, 0.05, 0.02), mass=0.1)
    sheet.set_setting("damping", 5.0)
    world.step(240)
    assert sheet.is_sleeping
    net.remove()
    world.step(30)
    assert not sheet.is_sleeping and sheet.positions[:, 1].max() < -0.5


def test_a_restored_heap_goes_on_with_the_same_bits():
    world, softs = heap(1)
    softs[0].set_meets(True, itself=True)
    world.step(40)
    states = SpaceStates(world.world, world.system)
    state, hashed, ends = states.save(), states.hash(), []
    for _ in range(2):
        states.restore(state)
        assert states.hash() == hashed
        world.step(30)
        ends.append([soft.positions.tobytes() for soft in softs])
    assert ends[0] == ends[1]


def test_bodies_that_touch_are_found_whatever_their_order():
    """The sweep along one axis against all pairs."""
    dice = np.random.default_rng(3)
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    softs = [world.soft(grid(3, 3, 0.5, 0.5), dice.uniform(-1.5, 1.5, 3)) for _ in range(40)]
    for soft in softs:
        soft.pin(np.arange(9))  # so that none moves
    world.step(1)
    reach = [(soft.row["bounds"][:3] - soft.row["reach"], soft.row["bounds"][3:] + soft.row["reach"]) for soft in softs]
    for number, soft in enumerate(softs):
        low, high = reach[number]
        near = {
            softs[k].address for k in range(40)
            if k != number and (reach[k][0] <= high + 1e-3).all() and (reach[k][1] >= low - 1e-3).all()
        }  # fmt: skip
        surely = {
            softs[k].address for k in range(40)
            if k != number and (reach[k][0] <= high - 1e-3).all() and (reach[k][1] >= low + 1e-3).all()
        }  # fmt: skip
        found = set(soft._arrays["partners"][: soft.row["partner_count"]].tolist())
        assert surely <= found <= near


def test_a_huge_face_over_a_fine_cloth_is_met_soon():
    """It covers more cells than could be looked into."""
    world = SoftWorld()
    ground = world.soft(grid(2, 2, 1e4, 1e4), mass=1.0)
    ground.pin(np.arange(4))
    sheet = world.soft(grid(4, 4, 0.06, 0.06), (0.01, 0.1, 0.02), mass=0.1)
    ground.set_setting("radius", 0.01)
    world.step(60)
    assert 0.0 < sheet.positions[:, 1].min() and sheet.positions[:, 1].max() < 0.05
