"""Rays that are alike in many worlds, seen from a body of each: what a robot or an animal sees."""

import numpy as np

from ..bodies.motion import bodies_of, origin_of
from ..collision.query_schema import QUERY, RAY_RESULT
from ..geometry.vector import add, length, quaternion, rotate, store3, subtract, vector3
from ..runtime.call import call_2_result
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view, view2
from .stepping import many_at

INT64, FLOAT64 = np.int64, np.float64


@kernel
def place_of(many, world_address, point):
    """A point of the frame that rays are in, world [m]."""
    if many.ray_body < 0:
        return point
    body = bodies_of(world_address)[many.ray_body]
    return add(origin_of(body), rotate(quaternion(body.rotation), point))


@entry_point(JOB_SIGNATURE)
def cast_rays(address, begin, end, worker):
    """Job: write how far each ray goes in the worlds `begin` to `end - 1` until it hits something; infinite without a hit."""
    many = many_at(address)
    query, result = stack_array(1, QUERY), stack_array(1, RAY_RESULT)
    query[0] = view(many.query, 1, QUERY)[0]
    query[0].results, query[0].max_results = address_of_row(result, 0), 1
    origins, ends = view2(many.origins, many.ray_count, 3, FLOAT64), view2(many.ends, many.ray_count, 3, FLOAT64)
    for w in range(begin, end):
        copy = many.base + w * many.stride
        distances = view(many.distances + 8 * w * many.ray_count, many.ray_count, FLOAT64)
        for k in range(many.ray_count):
            first = place_of(many, copy + many.world_at, vector3(origins[k]))
            way = subtract(place_of(many, copy + many.world_at, vector3(ends[k])), first)
            store3(query[0].position, first)
            store3(query[0].motion, way)
            is_hit = call_2_result(many.query_rays, copy + many.system_at, address_of_row(query, 0)) != 0
            distances[k] = result[0].fraction * length(way) if is_hit else np.inf
