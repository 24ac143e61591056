"""Friction and restitution of a contact: of triangles with materials, of parts with their own, or of the bodies."""

import numpy as np

from ..bodies.records import world_at
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.compound import compound_of, is_compound, parts_of, surface_of_part
from ..shapes.mesh_query import material_of, surface_of
from ..shapes.schema import FIRST_BRICK, INSTANCE, NO_PART, SHAPE
from .pairs import combine_surfaces, part_of


@kernel
def surface_on(world_address, body, number, part, face):
    """(friction, restitution) of a body's shape with this number, or of a part of it, at a triangle: those of the triangle, else
    of the part, else of the body."""
    record = world_at(world_address)
    instance = view(record.instances, record.instance_capacity, INSTANCE)[body.first_instance + number]
    shapes = view(record.shapes, record.shape_capacity, SHAPE)
    index, friction, restitution = np.int64(instance.shape), np.float64(body.friction), np.float64(body.restitution)
    if part < NO_PART and is_compound(shapes, instance):
        own_friction, own_restitution = surface_of_part(shapes[index], part)
        if own_friction >= 0.0:
            friction, restitution = own_friction, own_restitution
        index = np.int64(parts_of(compound_of(shapes[index]))[part].shape)
    elif part >= FIRST_BRICK:
        own_friction, own_restitution = surface_of_part(shapes[index], part)
        if own_friction >= 0.0:
            friction, restitution = own_friction, own_restitution
    material = material_of(shapes[index], face)
    return surface_of(shapes[index], material) if material >= 0 else (friction, restitution)


@kernel
def combine_own_surfaces(system, a, b, manifold):
    """(friction, restitution) of a manifold on a triangle with a material, or a part with its own. For merged triangles, those of
    the deepest."""
    keep_as_call()
    world_address, face = system.world, np.int64(manifold.face)
    friction_a, restitution_a = surface_on(world_address, a, np.int64(manifold.instance_a), part_of(system, manifold, 0), face)
    friction_b, restitution_b = surface_on(world_address, b, np.int64(manifold.instance_b), part_of(system, manifold, 1), face)
    return combine_surfaces(friction_a, restitution_a, friction_b, restitution_b)


@kernel
def surfaces_of(world_address, lists, a, b, contact):
    """(friction, restitution) of a CONTACT: those of the pair, unless a triangle or a part has its own."""
    friction_a, restitution_a = surface_on(world_address, a, contact.shape_a, contact.part_a, contact.face)
    friction_b, restitution_b = surface_on(world_address, b, contact.shape_b, contact.part_b, contact.face)
    are_own = friction_a != a.friction or restitution_a != a.restitution
    if are_own or friction_b != b.friction or restitution_b != b.restitution:
        return combine_surfaces(friction_a, restitution_a, friction_b, restitution_b)
    return np.float64(lists.friction), np.float64(lists.restitution)
