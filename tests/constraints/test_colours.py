"""Colours of manifolds, against a naive twin."""

from itertools import combinations

import numpy as np
import pytest

from scree.bodies.records import system_at
from scree.bodies.schema import BODY, KINEMATIC, RIGID, STATIC, WORLD
from scree.bodies.system_schema import SYSTEM
from scree.collision.schema import MANIFOLD
from scree.constraints.colours import add_to_colour, lay_out_blocks, remove_from_colour
from scree.constraints.schema import COLOUR_COUNT, COLOURS, IMMOVABLE, MOVING_COLOURS, OVERFLOW
from scree.runtime.kernel import entry_point
from scree.runtime.memory import Pool, address_of, view

INT32 = np.int32
CAPACITY = 2048


@entry_point("void(int64, int64, int64)")
def add(system_address, bodies_address, index):
    system = system_at(system_address)
    manifolds = view(system.manifolds.rows, system.manifolds.capacity, MANIFOLD)
    add_to_colour(system, view(bodies_address, CAPACITY, BODY), manifolds, index)


@entry_point("void(int64, int64, int64)")
def remove(system_address, bodies_address, index):
    system = system_at(system_address)
    manifolds = view(system.manifolds.rows, system.manifolds.capacity, MANIFOLD)
    remove_from_colour(system, view(bodies_address, CAPACITY, BODY), manifolds, index)


@entry_point("int64(int64)")
def lay_out(system_address):
    return lay_out_blocks(system_at(system_address))


class Colouring:
    """A system with nothing but bodies, manifolds and colours."""

    def __init__(self, body_count: int):
        self.body_pool, self.manifold_pool = Pool("bodies", BODY, CAPACITY), Pool("manifolds", MANIFOLD, CAPACITY)
        self.bodies, self.manifolds = self.body_pool.rows, self.manifold_pool.rows
        self.bodies["mode"][:body_count] = RIGID
        self.manifolds["colour"] = self.manifolds["colour_slot"] = -1
        self.lists = [Pool("colour", np.int32, CAPACITY) for _ in range(COLOUR_COUNT + 1)]
        self.keys = [Pool("keys", np.int32, CAPACITY) for _ in range(COLOUR_COUNT + 1)]
        self.spare = Pool("spare list", np.int32, 2 * CAPACITY)
        self.colours = np.zeros(1, dtype=COLOURS)
        self.colours[0]["lists"] = [pool.address for pool in self.lists]
        self.colours[0]["keys"] = [pool.address for pool in self.keys]
        self.system = np.zeros(1, dtype=SYSTEM)
        record = self.system[0]
        record["constraints"]["colours"], record["manifolds"]["rows"] = address_of(self.colours), self.manifold_pool.address
        record["manifolds"]["capacity"], record["step"]["spare_list"] = CAPACITY, self.spare.address
        self.blocks, self.lanes = Pool("blocks", np.int32, 8 * CAPACITY), Pool("lanes", np.int32, CAPACITY)
        self.colours[0]["overflow_blocks"], self.colours[0]["overflow_lanes"] = self.blocks.address, self.lanes.address
        self.scratch, self.world = Pool("scratch", np.int32, CAPACITY), np.zeros(1, dtype=WORLD)
        self.world[0]["bodies"], self.world[0]["body_capacity"] = self.body_pool.address, CAPACITY
        record["world"], record["step"]["scratch"] = address_of(self.world), self.scratch.address
        record["bodies"]["active_count"] = body_count
        self.bodies["active_index"] = np.arange(CAPACITY)
        self.live: dict[int, int] = {}

    def moving(self, index: int) -> set[int]:
        """The moving bodies of a manifold."""
        row = self.manifolds[index]
        return {body for body in (int(row["body_a"]), int(row["body_b"])) if self.bodies[body]["mode"] >= RIGID}

    def first_fit(self, index: int) -> int:
        """Naive: look at every other manifold for the colours that are taken."""
        mine = self.moving(index)
        taken = {colour for other, colour in self.live.items() if colour != OVERFLOW and mine & self.moving(other)}
        masses = sorted(float(self.bodies[body]["inverse_mass"]) for body in mine)
        wanted = range(MOVING_COLOURS) if len(mine) == 2 else range(COLOUR_COUNT - 1, 0, -1)
        if len(mine) == 2 and IMMOVABLE * masses[0] < masses[1]:
            wanted = wanted[::-1]
        return next((colour for colour in wanted if colour not in taken), OVERFLOW)

    def add(self, index: int, a: int, b: int) -> int:
        self.manifolds[index]["body_a"], self.manifolds[index]["body_b"] = a, b
        wanted = self.first_fit(index)
        add(address_of(self.system), self.body_pool.address, index)
        self.live[index] = int(self.manifolds[index]["colour"])
        assert self.live[index] == wanted
        return wanted

    def remove(self, index: int) -> None:
        remove(address_of(self.system), self.body_pool.address, index)
        del self.live[index]
        assert self.manifolds[index]["colour"] == self.manifolds[index]["colour_slot"] == -1

    def check(self) -> None:
        """Lists, slots and masks say the same, and no colour has a moving body twice."""
        listed = {}
        masks = np.zeros(CAPACITY, dtype=np.uint32)
        for colour in range(COLOUR_COUNT + 1):
            members = self.lists[colour].rows[: self.colours[0]["counts"][colour]]
            seen: set[int] = set()
            for slot, member in enumerate(members.tolist()):
                assert self.manifolds[member]["colour_slot"] == slot
                key = sum(self.moving(member)) if colour == OVERFLOW else min(self.moving(member), default=0)
                assert self.keys[colour].rows[slot] == key
                listed[member] = colour
                if colour != OVERFLOW:
                    bodies = self.moving(member)
                    assert not bodies & seen
                    seen |= bodies
                    masks[list(bodies)] |= np.uint32(1 << colour)
        assert listed == self.live
        np.testing.assert_array_equal(self.bodies["colour_mask"], masks)


@pytest.mark.parametrize("seed", range(4))
def test_random_adds_and_removes(seed):
    random = np.random.default_rng(seed)
    scene = Colouring(30)
    scene.bodies["mode"][:6] = random.choice([STATIC, KINEMATIC], 6)
    scene.bodies["inverse_mass"][6:30] = random.choice([1.0, 0.2, 0.02], 24)
    for step in range(500):
        index = int(random.integers(200))
        if index in scene.live:
            scene.remove(index)
        else:
            a, b = sorted(int(k) for k in random.choice(30, 2, replace=False))
            if b >= 6:
                scene.add(index, a, b)
        if step % 50 == 0:
            scene.check()
    scene.check()
    for index in list(scene.live):
        scene.remove(index)
    scene.check()
    assert not scene.colours[0]["counts"].any()


def test_a_second_add_and_a_second_remove_do_nothing():
    scene = Colouring(4)
    scene.add(0, 0, 1)
    add(address_of(scene.system), scene.body_pool.address, 0)
    scene.check()
    scene.remove(0)
    remove(address_of(scene.system), scene.body_pool.address, 0)
    scene.check()


@pytest.mark.parametrize(("mode", "room"), ((RIGID, MOVING_COLOURS), (STATIC, COLOUR_COUNT - 1)))
def test_a_hub_overflows(mode, room):
    scene = Colouring(60)
    scene.bodies["mode"][1:60] = mode
    colours = [scene.add(k, 0, 1 + k) for k in range(40)]
    assert colours[:room] == (list(range(room)) if mode == RIGID else list(range(COLOUR_COUNT - 1, 0, -1)))
    assert colours[room:] == [OVERFLOW] * (40 - room)
    scene.check()
    scene.remove(3)
    scene.remove(35)
    assert scene.add(50, 0, 50) == colours[3]
    scene.check()


def test_contacts_with_an_immovable_body_are_solved_after_the_lighter_ones_others():
    """In whichever order they are made, and before those with static bodies."""
    scene = Colouring(5)
    scene.bodies["mode"][4], scene.bodies["inverse_mass"][:4] = STATIC, (1.0, 1.0, 0.1, 0.2)
    heavy, light, floor = scene.add(0, 1, 2), scene.add(1, 0, 1), scene.add(2, 1, 4)
    assert light < heavy < floor
    assert scene.add(3, 1, 3) < heavy  # five times as heavy is not immovable
    scene.check()


def test_two_moving_bodies_on_one_static_body_share_a_colour():
    scene = Colouring(3)
    scene.bodies["mode"][0] = STATIC
    assert scene.add(0, 0, 1) == scene.add(1, 0, 2) == COLOUR_COUNT - 1
    scene.check()


def test_colours_are_put_in_the_order_of_bodies():
    """Once enough has changed, and not before."""
    body_count = 1000
    scene, random = Colouring(body_count), np.random.default_rng(4)
    for index in range(400):
        a, b = sorted(int(k) for k in random.choice(body_count, 2, replace=False))
        add_unchecked(scene, index, a, b)
    last = COLOUR_COUNT - 1
    lay_out(address_of(scene.system))
    keys = [scene.keys[colour].rows[: int(scene.colours[0]["counts"][colour])].copy() for colour in range(last)]
    assert (np.diff(keys[0]) >= 0).all() and len(keys[0]) > 200 and scene.colours[0]["disorder"][0] == 0
    scene.check()
    scene.remove(int(scene.lists[0].rows[3]))
    lay_out(address_of(scene.system))
    assert scene.colours[0]["disorder"][0] == 1 and scene.keys[0].rows[3] == keys[0][-1]
    scene.check()


def add_unchecked(scene: Colouring, index: int, a: int, b: int) -> None:
    """Without the naive first fit, which looks at all pairs."""
    scene.manifolds[index]["body_a"], scene.manifolds[index]["body_b"] = a, b
    add(address_of(scene.system), scene.body_pool.address, index)
    scene.live[index] = int(scene.manifolds[index]["colour"])


def test_blocks_hold_eight_and_in_the_overflow_one_of_each_body():
    scene = Colouring(60)
    for k in range(30):
        scene.add(k, 0, 1 + k)
    for k in range(10):  # colour 0 has nine more that share no body
        scene.add(100 + k, 40 + 2 * k, 41 + 2 * k)
    count = lay_out(address_of(scene.system))
    colours, first = scene.colours[0], 0
    for colour in range(COLOUR_COUNT + 1):
        members = int(colours["counts"][colour])
        blocks = members if colour == OVERFLOW else -(-members // 8)  # all in the overflow are of one body
        assert colours["first_block"][colour] == first and colours["block_count"][colour] == blocks
        first += blocks
    assert count == first and colours["block_count"][0] == 2 and colours["block_count"][OVERFLOW] == 10


def check_overflow(scene: Colouring) -> int:
    """Every manifold of the overflow has the lane that is noted for it, and no block a moving body twice. Gives the blocks."""
    lay_out(address_of(scene.system))
    colours = scene.colours[0]
    count, block_count = int(colours["counts"][OVERFLOW]), int(colours["block_count"][OVERFLOW])
    members, lanes = scene.lists[OVERFLOW].rows[:count], scene.lanes.rows[:count]
    blocks = scene.blocks.rows[: 8 * block_count]
    np.testing.assert_array_equal(blocks[lanes], members)
    assert np.count_nonzero(blocks >= 0) == count
    for block in blocks.reshape(-1, 8).tolist():
        used = [member for member in block if member >= 0]
        assert used and block[: len(used)] == used, "free lanes come last"
        bodies = [body for member in used for body in scene.moving(member)]
        assert len(bodies) == len(set(bodies))
    return block_count


def test_hubs_share_the_blocks_of_the_overflow():
    """Five plates under 30 boxes each: as many blocks as one of them needs."""
    scene = Colouring(5 * 31)
    for k in range(30):
        for plate in range(5):
            add_unchecked(scene, 30 * plate + k, 31 * plate, 31 * plate + 1 + k)
    assert scene.colours[0]["counts"][OVERFLOW] == 5 * (30 - MOVING_COLOURS)
    assert check_overflow(scene) == 30 - MOVING_COLOURS


@pytest.mark.parametrize("is_shuffled", (False, True))
def test_a_heap_where_all_touch_all_fills_the_blocks_of_the_overflow(is_shuffled):
    """In whatever order its contacts come."""
    count = 50
    scene = Colouring(count)
    pairs = np.array(list(combinations(range(count), 2)))
    for index, pair in enumerate(np.random.default_rng(1).permutation(pairs) if is_shuffled else pairs):
        add_unchecked(scene, index, *pair.tolist())
    in_overflow = int(scene.colours[0]["counts"][OVERFLOW])
    assert in_overflow > 600
    assert check_overflow(scene) < 1.4 * in_overflow / 8


@pytest.mark.parametrize("seed", range(3))
def test_any_overflow_is_laid_out(seed):
    random = np.random.default_rng(seed)
    scene = Colouring(40)
    scene.bodies["mode"][:4] = random.choice([STATIC, KINEMATIC], 4)
    pairs = sorted({tuple(sorted(random.choice(40, 2, replace=False).tolist())) for _ in range(700)})
    for index, (a, b) in enumerate(pairs):
        if b >= 4:
            add_unchecked(scene, index, a, b)
    check_overflow(scene)
    for index in list(scene.live)[::3]:
        scene.remove(index)
    check_overflow(scene)
