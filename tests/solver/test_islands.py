"""Islands of bodies, against a naive twin."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.bodies.records import system_at
from scree.bodies.schema import BODY, RIGID
from scree.bodies.system_schema import SYSTEM
from scree.runtime.kernel import entry_point
from scree.runtime.memory import Pool, address_of, view
from scree.solver.islands import begin_islands, finish_islands, link

INT32 = np.int32
CAPACITY = 2048


@entry_point("void(int64, int64)")
def begin(system_address, bodies_address):
    system = system_at(system_address)
    begin_islands(system, view(bodies_address, CAPACITY, BODY), view(system.bodies.active, CAPACITY, INT32))


@entry_point("void(int64, int64, int64, int64, int64)")
def link_edges(active_address, bodies_address, edges_address, first, last):
    bodies, active = view(bodies_address, CAPACITY, BODY), view(active_address, CAPACITY, INT32)
    edges = view(edges_address, 2 * last, INT32)
    for k in range(first, last):
        link(bodies, active, edges[2 * k], edges[2 * k + 1])


@entry_point("int64(int64, int64)")
def finish(system_address, bodies_address):
    system = system_at(system_address)
    return finish_islands(system, view(bodies_address, CAPACITY, BODY), view(system.bodies.active, CAPACITY, INT32))


class Islands:
    """Active bodies in a shuffled order, so that slots and bodies differ."""

    def __init__(self, count: int, seed: int = 0):
        self.count = count
        self.body_pool, self.active_pool = Pool("bodies", BODY, CAPACITY), Pool("active", np.int32, CAPACITY)
        self.scratch = Pool("scratch", np.float32, CAPACITY)
        self.bodies, self.active = self.body_pool.rows, self.active_pool.rows
        self.active[:count] = np.random.default_rng(seed).permutation(CAPACITY)[:count]
        self.bodies["mode"] = RIGID
        self.system = np.zeros(1, dtype=SYSTEM)
        record = self.system[0]
        record["bodies"]["active"], record["bodies"]["active_count"] = self.active_pool.address, count
        record["step"]["scratch"] = self.scratch.address
        begin(address_of(self.system), self.body_pool.address)

    def link(self, edges: np.ndarray, first: int, last: int) -> None:
        link_edges(self.active_pool.address, self.body_pool.address, edges.ctypes.data, first, last)

    def finish(self) -> tuple[int, list[int]]:
        islands = finish(address_of(self.system), self.body_pool.address)
        return islands, self.bodies["island_link"][self.active[: self.count]].tolist()


def naive_islands(count: int, edges) -> list[int]:
    """The lowest member of everyone's island: paint until nothing changes."""
    lowest = list(range(count))
    has_changed = True
    while has_changed:
        has_changed = False
        for a, b in edges:
            low = min(lowest[a], lowest[b])
            if lowest[a] != low or lowest[b] != low:
                lowest[a] = lowest[b] = low
                has_changed = True
    return lowest


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 60))
    node = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(node, node), max_size=120))


@settings(deadline=None, max_examples=150)
@given(graphs(), st.lists(st.floats(0, 4, width=32), min_size=60, max_size=60))
def test_islands_are_the_naive_ones(graph, rests):
    count, edges = graph
    scene = Islands(count)
    scene.bodies["sleep_time"][scene.active[:count]] = rests[:count]
    scene.link(np.array(edges, dtype=np.int32).reshape(-1, 2), 0, len(edges))
    islands, links = scene.finish()
    wanted = naive_islands(count, edges)
    assert links == wanted
    assert islands == len(set(wanted))
    for root in set(wanted):
        members = [k for k in range(count) if wanted[k] == root]
        assert scene.scratch.rows[root] == min(np.float32(rests[k]) for k in members)


@pytest.mark.parametrize("seed", range(10))
def test_two_threads_link_at_once(seed):
    random = np.random.default_rng(seed)
    count, edge_count = 2000, 4000 if seed % 2 else 1500
    edges = random.integers(0, count, (edge_count, 2)).astype(np.int32)
    scene = Islands(count, seed)
    together = threading.Barrier(2)

    def work(first: int, last: int) -> None:
        together.wait()
        scene.link(edges, first, last)

    half = edge_count // 2
    threads = [threading.Thread(target=work, args=ends) for ends in ((0, half), (half, edge_count))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    islands, links = scene.finish()
    wanted = naive_islands(count, edges.tolist())
    assert links == wanted
    assert islands == len(set(wanted)) < count
