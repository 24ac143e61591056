"""The tree of a set of bricks by the rules alone, in plain Python, and the tree that a structure holds, to compare them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scree.structures.schema import CHAIN, LANES, LEAF_SIZE, OVERFLOWED, REACH
from scree.structures.structure import Structure


@dataclass(frozen=True)
class Element:
    """A brick as the tree sees it."""

    number: int
    center: tuple[int, int, int]
    level: int
    low: tuple[float, ...]
    high: tuple[float, ...]
    layers: int


@dataclass
class Node:
    """A node, with all that follows from the elements below it. Children are by lane; empty ones are left out."""

    level: int
    leaf: list[int]
    is_overflowed: bool
    forced: int  # elements forced down into the children
    low: tuple[float, ...]
    high: tuple[float, ...]
    bits: int
    max_level: int
    elements: int
    children: dict[int, Node] = field(default_factory=dict)


def elements_of(rows: np.ndarray, numbers) -> list[Element]:
    """The bricks with these numbers, `rows` beside them."""
    made = []
    for number, row in sorted(zip(numbers, rows, strict=True), key=lambda pair: pair[0]):
        low, high = row["low"].astype(float), row["high"].astype(float)
        level = 0
        while 2**level < max(high - low):
            level += 1
        center = tuple(int(c) + REACH for c in np.floor((low + high) / 2))
        made.append(Element(int(number), center, level, tuple(low), tuple(high), int(row["layers"])))
    return made


def lane_of(element: Element, level: int) -> int:
    """The child of a node of this level that an element goes to."""
    x, y, z = (c >> (level - 1) & 1 for c in element.center)
    return x + 2 * y + 4 * z


def place(level: int, elements: list[Element]) -> Node:
    """The one right tree of a set, in ascending order of numbers."""
    node = Node(
        level, [], False, 0,
        tuple(min(e.low[k] for e in elements) for k in range(3)), tuple(max(e.high[k] for e in elements) for k in range(3)),
        int(np.bitwise_or.reduce([e.layers for e in elements])), max(e.level for e in elements), len(elements),
    )  # fmt: skip
    if len(elements) <= LEAF_SIZE or level == 0:
        node.leaf = [e.number for e in elements]
        return node
    large = [e for e in elements if e.level >= level]
    node.is_overflowed = len(large) > LEAF_SIZE
    node.forced = len(large) if node.is_overflowed else 0
    node.leaf = [] if node.is_overflowed else [e.number for e in large]
    down = elements if node.is_overflowed else [e for e in elements if e.level < level]
    for lane in range(LANES):
        below = [e for e in down if lane_of(e, level) == lane]
        if below:
            node.children[lane] = place(level - 1, below)
    return node


def tree_of(elements: list[Element]) -> Node | None:
    """The tree of a set: its root is the smallest aligned cube that holds all centres."""
    if not elements:
        return None
    level = 0
    while len({tuple(c >> level for c in e.center) for e in elements}) > 1:
        level += 1
    return place(level, elements)


def split_nodes(node: Node | None) -> int:
    """How many nodes are overflowed."""
    return 0 if node is None else node.is_overflowed + sum(split_nodes(child) for child in node.children.values())


class Reader:
    """Reads the tree that queries find, and counts the rows in it."""

    def __init__(self, structure: Structure):
        self.structure, self.clusters, self.leaves = structure, 0, 0

    def tree(self) -> Node | None:
        root = int(self.structure.record[0]["head"]) & 0xFFFFFFFF
        cluster = self.structure.clusters[root]
        self.clusters += 1
        assert cluster["dirty"] == cluster["changed"] == cluster["forced"] == 0
        node = self.node(cluster, 0)
        assert cluster["elements"] == (node.elements if node else 0)
        return node

    def leaf(self, leaf: int, count: int) -> list[int]:
        links = np.frombuffer(self.structure.link_memory, np.int32)
        found: list[int] = []
        while leaf:
            self.leaves += 1
            entries = self.structure.leaves[leaf]["bricks"]
            held = int(np.count_nonzero(entries))
            assert held and not entries[held:].any()
            found += self.structure.bricks["number"][entries[:held]].tolist()
            leaf = int(links[leaf])
            assert not leaf or held == LEAF_SIZE
        assert count == (CHAIN if len(found) > LEAF_SIZE else OVERFLOWED if count == OVERFLOWED else len(found))
        return found

    def node(self, cluster, lane: int) -> Node | None:
        leaf = self.leaf(int(cluster["leaf"][lane]), int(cluster["count"][lane]))
        node = Node(
            int(cluster["level"]), leaf, int(cluster["count"][lane]) == OVERFLOWED, 0,
            tuple(map(float, cluster["low"][:, lane])), tuple(map(float, cluster["high"][:, lane])),
            int(cluster["bits"][lane]), int(cluster["max_level"][lane]), len(leaf),
        )  # fmt: skip
        child = int(cluster["child"][lane])
        if child:
            below = self.structure.clusters[child]
            self.clusters += 1
            assert below["level"] == node.level - 1 and below["dirty"] == below["changed"] == 0
            node.forced = int(below["forced"])
            node.elements += int(below["elements"])
            made = {k: self.node(below, k) for k in range(LANES)}
            node.children = {k: child for k, child in made.items() if child is not None}
            assert int(below["elements"]) == sum(child.elements for child in node.children.values())
        if not node.elements:
            assert node.low > node.high and node.bits == node.max_level == 0
            return None
        return node


def check(structure: Structure, numbers, rows: np.ndarray) -> Node | None:
    """Compare the tree that a structure holds with the one of the set by the rules. No row is lost or left over."""
    reader = Reader(structure)
    expected = tree_of(elements_of(rows, numbers))
    assert reader.tree() == expected
    assert len(structure) == len(numbers)
    record = structure.record[0]
    used = [int(record[name]["used"]) - 1 for name in ("clusters", "leaves", "bricks")]
    waiting = int(record["retired_count"].sum())
    assert sum(used) == reader.clusters + reader.leaves + len(numbers) + waiting
    check_numbers(structure, numbers, rows)
    return expected


def check_numbers(structure: Structure, numbers, rows: np.ndarray) -> None:
    """Compare what is found by numbers with the set: each brick is in the row that the table has for its number."""
    order = np.argsort(numbers)
    held = structure.rows_by_number[np.asarray(numbers, np.int64)]
    assert (structure.numbers() == np.asarray(numbers)[order]).all()
    assert (structure.bricks["number"][held] == numbers).all() and (held < structure.record[0]["brick_end"]).all()
    for name in ("low", "high", "layers", "density", "material", "user_number"):
        assert (structure.bricks[name][held] == rows[name]).all()
