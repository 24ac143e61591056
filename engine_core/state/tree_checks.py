"""Checks of the search trees in an image from outside: every node is reached once, every body is where its word says, and no list
of nodes leads back. So a walk through such a tree ends, and no node is given away twice."""

import numpy as np

from ..bodies.schema import BODY
from ..broad_phase.schema import FIRST_BODY_CHILD, NODE, NODE_INFO, PENDING_NODES
from . import declared

DEEPEST = 200
"""A walk has a stack of 224 entries."""
NOWHERE = -1


class TreeFault(ValueError):
    """A tree of an image is damaged. The message says how."""


class TreeChecker:
    """The check of all trees of a space. `rows(name, record)` and `field(fields, where, name)` read the image."""

    def __init__(self, rows, field, layer_count: int, body_count: int):
        self._rows, self._field, self._layer_count, self._body_count = rows, field, layer_count, body_count
        self._nodes, self._infos = rows("trees.nodes", NODE), rows("trees.infos", NODE_INFO)
        self._used: set[int] = set()
        self._places: dict[int, int] = {}

    def check(self) -> None:
        """Check everything. Raises TreeFault."""
        fresh = int(self._field(declared.OF_ALLOCATOR, "nodes", "fresh")[0])
        if not fresh == len(self._nodes) == len(self._infos) or fresh < self._layer_count * (PENDING_NODES + 1):
            raise TreeFault(f"nodes: {len(self._nodes)} and {len(self._infos)} rows, where {fresh} are told")
        for layer in range(self._layer_count):
            self._check_tree(layer, fresh)
        self._check_free(fresh)
        self._check_words()

    def _of(self, layer: int, name: str) -> int:
        return int(self._field(declared.OF_TREE, f"tree {layer}", name)[0])

    def _check_tree(self, layer: int, fresh: int) -> None:
        if self._of(layer, "phase"):
            raise TreeFault(f"tree {layer} was being rebuilt, which a state from outside must not be: save some steps later")
        for rows in declared.ROWS_OF_TREE:
            count = self._of(layer, rows.count)
            told = len(self._rows(f"tree {layer}.{rows.pool}", rows.row))
            if count < 0 or count > 8 * fresh + 4 * self._body_count + 4096 or (not rows.only_if and count != told):
                raise TreeFault(f"tree {layer}.{rows.count}: {count}, where there are {told} rows")
        head, following = self._of(layer, "head"), self._of(layer, "next_generation")
        generation = head >> 32
        if head < 0 or following not in (generation, generation - 1) and following != generation + 1:
            raise TreeFault(f"tree {layer}: a generation {generation} before {following}")
        for name in ("body_count", "debt", "chain_length"):
            if not 0 <= self._of(layer, name) <= 1 << 40:
                raise TreeFault(f"tree {layer}.{name}: {self._of(layer, name)}")
        first = layer * (PENDING_NODES + 1)
        self._used |= set(range(first, first + PENDING_NODES))
        published, claimed = (self._of(layer, name) & (1 << 64) - 1 for name in ("published_pending", "claimed_pending"))
        if published & ~claimed:
            raise TreeFault(f"tree {layer}: a place is published that nobody has claimed")
        for place in range(4 * PENDING_NODES):
            child = int(self._nodes[first + (place >> 2)]["children"][place & 3])
            if published >> place & 1 and child <= FIRST_BODY_CHILD:
                self._put(child, (first << 2) + place)
        self._walk(layer, head & 0xFFFFFFFF, generation & 1, fresh)
        self._check_retired(layer, fresh)

    def _walk(self, layer: int, root: int, parity: int, fresh: int) -> None:
        level, depth = [root], 0
        while level:
            depth += 1
            if depth > DEEPEST:
                raise TreeFault(f"tree {layer}: deeper than {DEEPEST} nodes")
            below = []
            for node in level:
                if not 0 <= node < fresh or node in self._used:
                    raise TreeFault(f"tree {layer}: node {node} is outside of it, or is reached twice")
                self._used.add(node)
                for slot, child in enumerate(self._nodes[node]["children"].tolist()):
                    if child >= 0:
                        below.append(child)
                        if child < fresh and int(self._nodes[child]["parent"][parity]) != node << 2 | slot:
                            raise TreeFault(f"tree {layer}: node {child} has another parent than the one above it")
                    elif child <= FIRST_BODY_CHILD:
                        self._put(child, node << 2 | slot)
            level = below

    def _put(self, child: int, place: int) -> None:
        body = FIRST_BODY_CHILD - child
        if body >= self._body_count or body in self._places:
            raise TreeFault(f"trees: body {body} is none, or is in two places")
        self._places[body] = place

    def _check_retired(self, layer: int, fresh: int) -> None:
        """Nodes that are given back when their users have left: in no tree, each once."""
        opened = self._rows(f"tree {layer}.opened", declared.INT32)
        kept = self._rows(f"tree {layer}.kept", declared.INT32)
        retired, kept_count = self._of(layer, "retired_count"), self._of(layer, "retired_kept_count")
        if not (0 <= retired <= len(opened) and 0 <= kept_count <= len(kept)):
            raise TreeFault(f"tree {layer}.retired_count: {retired} and {kept_count}, of {len(opened)} and {len(kept)}")
        for node in opened[:retired].tolist():
            if not 0 <= node < fresh or node in self._used:
                raise TreeFault(f"tree {layer}: node {node} is given back while it is in use")
            self._used.add(node)
        if kept_count and not (0 <= int(kept[:kept_count].min()) and int(kept[:kept_count].max()) < fresh):
            raise TreeFault(f"tree {layer}: a sub-tree that was kept is outside of it")

    def _check_free(self, fresh: int) -> None:
        node = (int(self._field(declared.OF_ALLOCATOR, "nodes", "free_head")[0]) & 0xFFFFFFFF) - 1
        while node >= 0:
            if node >= fresh or node in self._used:
                raise TreeFault(f"nodes: {node} is free and in use, or is free twice")
            self._used.add(node)
            node = int(self._infos[node]["next_free"])

    def _check_words(self) -> None:
        """The word of each body has its place, and bodies say whether they are in a tree."""
        bodies, words = self._rows("bodies", BODY), self._rows("trees.words", np.dtype(np.int64))
        numbers = self._rows("numbers of bodies", declared.INT32)
        newer, older = ~words >> 32, (~words << 32) >> 32
        if (older >= 4 * len(self._nodes)).any():
            raise TreeFault("trees.words: an older place is outside of the trees")
        for body, place, is_in_tree in zip(numbers.tolist(), newer.tolist(), bodies["is_in_tree"].tolist(), strict=True):
            if self._places.get(body, NOWHERE) != place or is_in_tree != (place != NOWHERE):
                raise TreeFault(f"trees.words: body {body} is not where its word says")
        if len(self._places) != np.count_nonzero(newer != NOWHERE):
            raise TreeFault("trees: a body is in them that is not of the space")
