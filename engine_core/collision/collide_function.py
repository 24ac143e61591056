"""`collide_shapes` as one function called by address: it is by far the largest kernel of the engine, and every entry point that
included it would compile it again."""

import numpy as np

from ..geometry.vector import quaternion, store3, vector3
from ..runtime.kernel import entry_point
from ..runtime.memory import view
from ..shapes.schema import SHAPE
from .leaning import pass_load
from .schema import CONTACT_RESULT, MAX_RESULTS
from .shapes import collide_shapes

SHAPE_PAIR = np.dtype(
    [
        ("shapes", "i8"),  # address of SHAPE rows
        ("shape_a", "i8"),
        ("shape_b", "i8"),
        ("position_a", "f8", 3),  # from any common origin near both, world axes [m]
        ("rotation_a", "f8", 4),
        ("position_b", "f8", 3),
        ("rotation_b", "f8", 4),
        ("distance", "f8"),  # surfaces up to this far apart make contacts [m]
        ("slide", "f8", 3),  # of the lighter body on the other (`slide_on` in contacts.py), world axes; 0 for queries [m/s]
        ("has_load", "i8"), ("load", "f8", 3), ("load_way", "f8", 3),  # as in CONTACT_RESULT, in these axes; 0 for queries
        ("axis_cache", "i8"),  # in and out
        ("results", "i8"),  # address of MAX_RESULTS rows of CONTACT_RESULT
    ],
    align=True,
)  # fmt: skip


@entry_point("int64(int64)")
def collide_shape_pair(address):
    """Collide the two shapes of a SHAPE_PAIR; return the number of results."""
    pair = view(address, 1, SHAPE_PAIR)[0]
    results = view(pair.results, MAX_RESULTS, CONTACT_RESULT)
    shapes = view(pair.shapes, max(pair.shape_a, pair.shape_b) + 1, SHAPE)
    store3(results[0].slide, vector3(pair.slide))
    pass_load(pair, results[0])
    count, cache = collide_shapes(
        shapes, pair.shape_a, vector3(pair.position_a), quaternion(pair.rotation_a), pair.shape_b,
        vector3(pair.position_b), quaternion(pair.rotation_b), pair.distance, pair.axis_cache, results,
    )  # fmt: skip
    pair.axis_cache = cache
    return np.int64(count)
