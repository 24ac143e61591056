"""The filter of bodies and shapes that all queries share."""

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
    """Whether a query must search the tree of a broad-phase layer: some body in it could pass the filter."""
    if layer == LAYER_SENSOR:
        return query.flags & WITH_AREAS != 0
    if query.layer_mask != 0 and (query.layer_mask >> np.uint32(layer)) & 1 == 0:
        return False
    return query.flags & WITH_BODIES != 0 and load_int64(tree + LAYER_UNION) & np.int64(query.collision_mask) != 0


@kernel
def is_shape_seen(query, instance):
    """Whether the shape filter of a query accepts a shape of a body. A shape or a query without shape layers matches all."""
    if instance.is_disabled or instance.shape < 0:
        return False
    return query.shape_mask == 0 or instance.query_layers == 0 or query.shape_mask & instance.query_layers != 0


@kernel
def is_seen(query, body):
    """Whether a body passes a query's layers and kinds. Calls no filter function."""
    if body.id == 0 or not body.collision_layer & query.collision_mask:
        return False
    if not query.flags & (WITH_AREAS if body.flags & IS_AREA else WITH_BODIES):
        return False
    return not query.flags & ONLY_PICKABLE or body.flags & RAY_PICKABLE != 0


@kernel
def is_met(world_address, query, bodies, index):
    """Whether a body passes `is_seen` and, in the query of a moving body, is neither that body nor one of its exceptions."""
    body = bodies[index]
    if not is_seen(query, body):
        return False
    if query.body < 0:
        return True
    if index == query.body:
        return False
    if body.flags & bodies[query.body].flags & HAS_EXCEPTIONS:
        return not are_excepted(world_address, np.int64(query.body), index)
    return True


@kernel
def is_excluded(query, body_id):
    """Whether the query excludes this body, by its list, then by its function. Only called for bodies that would be hit."""
    excluded = view(query.excluded, query.excluded_count, np.int64)
    for k in range(query.excluded_count):
        if excluded[k] == body_id:
            return True
    if query.exclusion_function != 0:
        return call_2_result(query.exclusion_function, query.exclusion_context, body_id) & 255 != 0
    return False
