"""Which bodies a query sees, and where: the part that all queries share."""

import numpy as np

from ..bodies.exceptions import are_excepted
from ..bodies.schema import (
    HAS_EXCEPTIONS, IS_AREA, LAYER_SENSOR, RAY_PICKABLE,
)  # fmt: skip
from ..broad_phase.schema import TREE
from ..runtime.call import call_2_result, load_int64
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .query_schema import ONLY_PICKABLE, WITH_AREAS, WITH_BODIES

TREE_SIZE = TREE.itemsize
LAYER_UNION = TREE.fields["layer_union"][1]


@kernel
def looks_in(query, layer, tree):
    """Whether a query has to look in the tree of a broad-phase layer: some body in it could pass."""
    if layer == LAYER_SENSOR:
        return query.flags & WITH_AREAS != 0
    if query.layer_mask != 0 and (query.layer_mask >> np.uint32(layer)) & 1 == 0:
        return False
    return query.flags & WITH_BODIES != 0 and load_int64(tree + LAYER_UNION) & np.int64(query.collision_mask) != 0


@kernel
def is_shape_seen(query, instance):
    """The shape filter: whether a query sees a shape of a body. A shape or a query without shape layers sees all."""
    if instance.is_disabled or instance.shape < 0:
        return False
    return query.shape_mask == 0 or instance.query_layers == 0 or query.shape_mask & instance.query_layers != 0


@kernel
def is_seen(query, body):
    """Whether a body passes a query's layers and kinds. Asks nobody."""
    if body.id == 0 or not body.collision_layer & query.collision_mask:
        return False
    if not query.flags & (WITH_AREAS if body.flags & IS_AREA else WITH_BODIES):
        return False
    return not query.flags & ONLY_PICKABLE or body.flags & RAY_PICKABLE != 0


@kernel
def is_met(world, query, bodies, index):
    """`is_seen`, and for a body that moves: it does not meet itself nor what it is excepted from."""
    body = bodies[index]
    if not is_seen(query, body):
        return False
    if query.body < 0:
        return True
    if index == query.body:
        return False
    if body.flags & bodies[query.body].flags & HAS_EXCEPTIONS:
        return not are_excepted(world, np.int64(query.body), index)
    return True


@kernel
def is_excluded(query, body_id):
    """Whether the asker leaves this body out: looked up in the list, then asked of the function. Only for what would be
    hit."""
    excluded = view(query.excluded, query.excluded_count, np.int64)
    for k in range(query.excluded_count):
        if excluded[k] == body_id:
            return True
    if query.exclusion_function != 0:
        return call_2_result(query.exclusion_function, query.exclusion_context, body_id) & 255 != 0
    return False
