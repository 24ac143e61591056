"""Bodies and areas: shapes, centres of mass, velocities, bounds."""

import numpy as np

from ..bodies.parts import PARTS, begin_parts, next_part_in_box, part_row
from ..bodies.schema import BODY, INSTANCE, IS_AREA, KINEMATIC as KINEMATIC_MODE, RIGID
from ..broad_phase.query import bounds_query_next, bounds_query_on, query_end, query_enter
from ..broad_phase.schema import CURSOR, TREE
from ..geometry.vector import (
    add, add_scaled, cross, dot, multiply, normalize, perpendicular, quaternion, rotate, rotate_inverse, scale, subtract, vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from ..shapes.compound import has_parts
from ..shapes.schema import BOX, CAPSULE, CYLINDER, ELLIPSOID, EMPTY, PLANE, SEPARATION_RAY, SHAPE, SPHERE
from .colours import AREA, ASLEEP, AWAKE, BOUNDS as BOUNDS_COLOUR, KINEMATIC, SPIN, STATIC, VELOCITY, X_AXIS
from .islands import label_of
from .rows import add_arrow, add_bounds, add_form, add_line, hue, is_near
from .schema import (
    AREAS, BODY_BOUNDS, BOXES, BY_ISLAND, CAPSULES, CENTRES, CYLINDERS, MESHES, ROW_BITS, SHAPES, SPHERES, VELOCITIES,
)  # fmt: skip

INT64, FLOAT64 = np.int64, np.float64
TREE_SIZE = TREE.itemsize
SLACK = 1e-5
"""Relative rounding of bounds in single precision."""
FAR = 1.0e7
"""Shapes on a body farther than this from its centre of mass are not drawn [m]."""
PLANE_REACH, PLANE_LINES = 50.0, 10
"""Half the side of the square that shows an infinite plane [m], and its lines on each side of the middle."""
SECONDS = 0.1
"""A velocity's line is where the centre of mass is after this time [s]."""
LEAST_AXIS, MOST_AXIS = 0.05, 0.5
HUGE = 1.0e6
"""Larger bounds are those of planes; a larger distance reaches everything [m]."""


@kernel
def is_body_drawn(request, system, body):
    """Whether a body or area is near enough, and on a layer that is drawn."""
    if INT64(body.collision_layer) & request.mask == 0:
        return False
    bounds = body.bounds
    return is_near(request, vector3(bounds), vector3(bounds[3:6]), vector3(system.place.origin))


@kernel
def colour_of(request, body, index):
    """The number of a body's colour."""
    if body.flags & IS_AREA:
        return AREA
    if body.mode >= RIGID and request.what & BY_ISLAND:
        label = label_of(request, index)
        if label >= 0:
            return hue(label)
    if body.mode < RIGID:
        return KINEMATIC if body.mode == KINEMATIC_MODE else STATIC
    return AWAKE if body.active_index >= 0 else ASLEEP


@kernel
def add_plane(request, plane, position, rotation, colour):
    """Add a grid of an infinite plane, below or above the place that is looked at."""
    normal = rotate(rotation, vector3(plane))
    around = vector3(request.around)
    height = dot(normal, subtract(around, position)) - FLOAT64(plane[3])
    middle = add_scaled(around, normal, -height)
    reach = min(PLANE_REACH, request.distance)
    u = perpendicular(normalize(normal))
    v = cross(normal, u)
    for k in range(-PLANE_LINES, PLANE_LINES + 1):
        beside = reach * k / PLANE_LINES
        at, across = add_scaled(middle, u, beside), add_scaled(middle, v, beside)
        add_line(request, add_scaled(at, v, -reach), add_scaled(at, v, reach), colour)
        add_line(request, add_scaled(across, u, -reach), add_scaled(across, u, reach), colour)


@kernel
def add_mesh(request, shape, row, position, rotation, colour):
    """Add a shape that is drawn by a mesh of its own, and its key."""
    number = request.counts[MESHES]
    if number < request.capacities[MESHES]:
        keys = view(request.mesh_keys, request.capacities[MESHES], INT64)
        keys[number] = INT64(shape.sequence) << ROW_BITS | INT64(row)
    add_form(request, MESHES, position, rotation, (1.0, 1.0, 1.0), colour)


@kernel
def add_shape(request, shapes, instance, body, colour):
    """Add one shape of a body."""
    turn, row = quaternion(body.rotation), instance.shape
    shape = shapes[row]
    position = add(vector3(body.position), rotate(turn, vector3(instance.position)))
    rotation = multiply(turn, quaternion(instance.rotation))
    radius, half_height = FLOAT64(shape.radius), FLOAT64(shape.half_height)
    if shape.kind == BOX:
        add_form(request, BOXES, position, rotation, vector3(shape.half_extents), colour)
    elif shape.kind == SPHERE:
        add_form(request, SPHERES, position, rotation, (radius, radius, radius), colour)
    elif shape.kind == ELLIPSOID:
        add_form(request, SPHERES, position, rotation, vector3(shape.half_extents), colour)
    elif shape.kind == CAPSULE:
        add_form(request, CAPSULES, position, rotation, (radius, half_height + radius, radius), colour)
    elif shape.kind == CYLINDER:
        add_form(request, CYLINDERS, position, rotation, (radius, half_height, radius), colour)
    elif shape.kind == PLANE:
        add_plane(request, shape.plane, position, rotation, colour)
    elif shape.kind == SEPARATION_RAY:
        add_line(request, position, add(position, rotate(rotation, (0.0, 0.0, FLOAT64(shape.length)))), colour)
    elif shape.kind != EMPTY:
        add_mesh(request, shape, row, position, rotation, colour)


@kernel
def near_box(request, body):
    """The box, in the frame of a body, in which its shapes are drawn: (low, high) from its centre of mass [m]."""
    reach = min(request.distance, FAR)
    bounds, middle = body.local_bounds, (0.0, 0.0, 0.0)
    if request.distance < FAR:
        middle = rotate_inverse(quaternion(body.rotation), subtract(vector3(request.around), vector3(body.position)))
    low = (
        max(FLOAT64(bounds[0]), middle[0] - reach), max(FLOAT64(bounds[1]), middle[1] - reach),
        max(FLOAT64(bounds[2]), middle[2] - reach),
    )  # fmt: skip
    high = (
        min(FLOAT64(bounds[3]), middle[0] + reach), min(FLOAT64(bounds[4]), middle[1] + reach),
        min(FLOAT64(bounds[5]), middle[2] + reach),
    )  # fmt: skip
    return low, high


@kernel
def add_shapes(request, world, body, colour):
    """Add the shapes of a body; of a compound its parts, of a structure its bricks."""
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    first = INT64(body.first_instance)
    if body.instance_count == 1 and not has_parts(shapes, instances[first]):
        if instances[first].shape >= 0 and not instances[first].is_disabled:
            add_shape(request, shapes, instances[first], body, colour)
        return
    low, high = near_box(request, body)
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, first, INT64(body.instance_count))
    while next_part_in_box(walk, world, instances, shapes, low, high) >= 0:
        add_shape(request, shapes, part_row(walk, instances), body, colour)


@kernel
def add_centre(request, body):
    """Add the centre of mass of a body, with its axes."""
    size = min(max(0.3 * FLOAT64(body.extent), LEAST_AXIS), MOST_AXIS)
    position, turn = vector3(body.position), quaternion(body.rotation)
    for k in range(3):
        axis = rotate(turn, (size if k == 0 else 0.0, size if k == 1 else 0.0, size if k == 2 else 0.0))
        add_line(request, position, add(position, axis), X_AXIS + k)


@kernel
def add_body(request, system, world, body, index):
    """Add what is to be drawn of one body or area."""
    what = request.what
    is_area = body.flags & IS_AREA != 0
    if what & (AREAS if is_area else SHAPES) and body.instance_count > 0:
        add_shapes(request, world, body, colour_of(request, body, index))
    if what & BODY_BOUNDS and (not is_area or what & AREAS):
        low, high = vector3(body.fat_bounds), vector3(body.fat_bounds[3:6])
        if high[0] - low[0] < HUGE and high[0] >= low[0]:
            add_bounds(request, low, high, vector3(system.place.origin), BOUNDS_COLOUR)
    if is_area or body.mode < KINEMATIC_MODE:
        return
    if what & CENTRES and body.mode >= RIGID:
        add_centre(request, body)
    if what & VELOCITIES:
        add_arrow(request, vector3(body.position), scale(vector3(body.linear_velocity), SECONDS), VELOCITY)
        add_arrow(request, vector3(body.position), scale(vector3(body.angular_velocity), SECONDS), SPIN)


@kernel
def add_near_bodies(request, system, world):
    """Add the bodies and areas that the trees find near the place that is looked at."""
    bodies, cursor = view(world.bodies, world.body_capacity, BODY), stack_array(1, CURSOR)
    d = request.distance * (1.0 + SLACK)
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        at = subtract(vector3(request.around), query_enter(cursor, tree))
        bounds_query_on(cursor, tree, (at[0] - d, at[1] - d, at[2] - d, at[0] + d, at[1] + d, at[2] + d))
        while True:
            index = bounds_query_next(cursor, tree)
            if index < 0:
                break
            if bodies[index].id != 0 and is_body_drawn(request, system, bodies[index]):
                add_body(request, system, world, bodies[index], index)
        query_end(cursor, tree)


@kernel
def add_bodies(request, system, world):
    """Add the bodies and areas of a system: one pass over the rows of the world, or a query if only near ones are drawn."""
    if request.distance < HUGE:
        add_near_bodies(request, system, world)
        return
    bodies = view(world.bodies, world.body_capacity, BODY)
    for index in range(world.body_count):
        body = bodies[index]
        if body.id != 0 and body.system == system.index and is_body_drawn(request, system, body):
            add_body(request, system, world, body, index)
