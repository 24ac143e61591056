"""How far a body is at least from each shape of a body that has several: from the walls of the bin or the drum that it lies in.

The box around such a body contains what is inside it, so that box alone tells nothing of their distance.
"""

import numpy as np

from ..bodies.bounds import nodes_of
from ..geometry.vector import add, conjugate, multiply, negate, quaternion, rotate_inverse, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from ..shapes.compound import has_parts
from ..shapes.instance_tree import WALK, begin_walk, next_in_box
from ..shapes.schema import INSTANCE, SHAPE
from .body_sweeps import reach_in_frame
from .passing import box_of_bounds, gap_of_boxes, is_endless

FLOAT64 = np.float64
LOOKS_AS_FAR = 1.0
"""How far shapes are looked for beside a body, in parts of its extent."""


@kernel
def gap_to_shapes(world, a, b, delta):
    """Lower bound of the distance of two bodies of which the larger has several shapes, by the boxes around these [m]; 0 if some
    box overlaps, or if it is not known. `delta`: from A to B [m]."""
    if a.extent >= b.extent:
        return gap_beside(world, a, b, delta)
    return gap_beside(world, b, a, negate(delta))


@kernel
def gap_beside(world, large, small, delta):
    """`gap_to_shapes`, for bodies in this order."""
    keep_as_call()
    if large.instance_count < 2 or is_endless(large) or is_endless(small):
        return 0.0
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    turn_of_large = quaternion(large.rotation)
    turn = multiply(conjugate(turn_of_large), quaternion(small.rotation))
    place = rotate_inverse(turn_of_large, delta)
    gap = LOOKS_AS_FAR * FLOAT64(small.extent)
    place_of_large = negate(rotate_inverse(quaternion(small.rotation), delta))
    low, high = reach_in_frame(small.local_bounds, gap, place_of_large, conjugate(turn))
    middle, half, axes = box_of_bounds(small.local_bounds, turn)
    walk = stack_array(1, WALK)[0]
    begin_walk(walk, large.first_instance, large.instance_count)
    number = next_in_box(walk, nodes_of(world), instances, low, high)
    while number >= 0 and gap > 0.0:
        instance = instances[large.first_instance + number]
        if not instance.is_disabled and instance.shape >= 0:
            if has_parts(shapes, instance):
                return 0.0
            turn_there = quaternion(instance.rotation)
            middle_there, half_there, axes_there = box_of_bounds(shapes[instance.shape].bounds, turn_there)
            start = subtract(add(place, middle), add(vector3(instance.position), middle_there))
            gap = min(gap, gap_of_boxes(axes_there, half_there, axes, half, start))
        number = next_in_box(walk, nodes_of(world), instances, low, high)
    return max(gap, 0.0)
