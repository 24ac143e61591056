"""Edges of a soft body, solved four at once.

The particles of a strip (strips.py) lie one behind the other in `places`: x, y, z and the inverse mass, which is one load. Four
edges of one colour share no particle, so that they are solved together.
"""

import numpy as np

from ..runtime.double4 import (
    columns_of_double4, lane_of_double4, load_double4, load_float4, max_double4, root_double4, splat_double4, store_double4,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view
from .schema import EDGE, EDGE_RANGE, FOUR_EDGES, PLACE_SIZE

INT64, FLOAT32, FLOAT64 = np.int64, np.float32, np.float64
SHORTEST = 1e-9
"""An edge shorter than this has no direction [m]."""
REST, EASE = FOUR_EDGES.fields["rest"][1], FOUR_EDGES.fields["ease"][1]


@kernel
def renew_edges(soft, begin, end, h):
    """Write the rest lengths and the ease of the rows `begin` to `end - 1` of FOUR_EDGES for small steps of `h` [s].

    A single pass stretches more than the compliance says: what an edge has set right, those after it move again. Where forces
    are in balance, half of the others at its ends come after it, and pull back half of what it moved. So half of the inverse
    masses is left out again."""
    edges, fours = view(soft.edges, soft.edge_count, EDGE), view(soft.fours, soft.four_count, FOUR_EDGES)
    ranges = view(soft.ranges, soft.four_count, EDGE_RANGE)
    shares, softer = view(soft.inverse_masses, soft.particle_count, FLOAT64), 1.0 / (h * h)
    for k in range(begin, end):
        four = fours[k]
        for lane in range(ranges[k].count):
            edge = edges[INT64(ranges[k].first) + lane]
            total = shares[INT64(edge.a)] + shares[INT64(edge.b)]
            four.rest[lane] = FLOAT32(edge.rest)
            four.ease[lane] = FLOAT32(max(0.5 * total + edge.compliance * softer, total)) if total > 0.0 else FLOAT32(np.inf)


@kernel
def _ends(places, four, lane):
    """The addresses of the two places of an edge."""
    return places + INT64(four.a[lane]) * PLACE_SIZE, places + INT64(four.b[lane]) * PLACE_SIZE


@kernel
def _pull(at_a, at_b, a, b, way):
    """Move two places towards each other by their inverse masses times `way`, whose last lane is 0."""
    store_double4(at_a, a + lane_of_double4(a, 3, a) * way)
    store_double4(at_b, b - lane_of_double4(b, 3, b) * way)


@kernel
def solve_edges(soft, begin, end):
    """Solve the edges of the rows `begin` to `end - 1` of FOUR_EDGES once, in their order."""
    fours, places = view(soft.fours, soft.four_count, FOUR_EDGES), soft.places
    nothing, shortest = splat_double4(0.0), splat_double4(SHORTEST)
    for k in range(begin, end):
        four = fours[k]
        at_a, at_b = _ends(places, four, 0)
        at_c, at_d = _ends(places, four, 1)
        at_e, at_f = _ends(places, four, 2)
        at_g, at_h = _ends(places, four, 3)
        a, b, c, d = load_double4(at_a), load_double4(at_b), load_double4(at_c), load_double4(at_d)
        e, f, g, h = load_double4(at_e), load_double4(at_f), load_double4(at_g), load_double4(at_h)
        ab, cd, ef, gh = b - a, d - c, f - e, h - g
        x, y, z = columns_of_double4(ab, cd, ef, gh)
        size = max_double4(root_double4(x * x + y * y + z * z), shortest)
        row = address_of_record(four)
        pull = (size - load_float4(row + REST)) / (load_float4(row + EASE) * size)
        _pull(at_a, at_b, a, b, ab * lane_of_double4(pull, 0, nothing))
        _pull(at_c, at_d, c, d, cd * lane_of_double4(pull, 1, nothing))
        _pull(at_e, at_f, e, f, ef * lane_of_double4(pull, 2, nothing))
        _pull(at_g, at_h, g, h, gh * lane_of_double4(pull, 3, nothing))
