"""The shapes of a body that asks where it can go, one by one, as the shape of a query."""

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import INSTANCE
from ..geometry.vector import add, multiply, quaternion, rotate, store3, store4, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.schema import SHAPE


@kernel
def place_shape(world_address, body, number, position, rotation, query):
    """Put shape `number` of a body into a query, with the body's centre of mass at `position`. Return its kind, or -1 for a shape
    that is disabled."""
    record = world_at(world_address)
    instance = view(record.instances, record.instance_capacity, INSTANCE)[body.first_instance + number]
    if instance.is_disabled or instance.shape < 0:
        return np.int64(-1)
    query.shape = np.int64(instance.shape)
    query.own_instance = number
    store3(query.position, add(position, rotate(rotation, vector3(instance.position))))
    store4(query.rotation, multiply(rotation, quaternion(instance.rotation)))
    return np.int64(view(record.shapes, record.shape_capacity, SHAPE)[instance.shape].kind)
