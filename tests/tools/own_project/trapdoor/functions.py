"""The program's compiled functions."""

import math

import numpy as np

from scree.bodies.schema import BODY
from scree.collision.contact_schema import ACCEPT_CONTACT, CONTACT, REJECT_CONTACT
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view

from .limits import is_too_heavy


@entry_point("int64(int64)")
def heavy_ones_fall_through(address):
    contact = view(address, 1, CONTACT)[0]
    a, b = view(contact.body_a, 1, BODY)[0], view(contact.body_b, 1, BODY)[0]
    return REJECT_CONTACT if is_too_heavy(max(a.mass, b.mass)) else ACCEPT_CONTACT


@entry_point("void(int64)")
def slippery(address):
    contact = view(address, 1, CONTACT)[0]
    contact.friction = 0.1 * contact.friction


@entry_point("int64(int64, int64)")
def lens(data, words):
    """The farthest point of an ellipsoid whose half axes [m] are `data`."""
    axes, direction, point = view(data, 3, np.float64), view(words, 3, np.float64), view(words + 24, 3, np.float64)
    size = 0.0
    for k in range(3):
        size += (axes[k] * direction[k]) ** 2
    for k in range(3):
        point[k] = axes[k] ** 2 * direction[k] / math.sqrt(size)
    return 0


def bounded(most):
    """A function that tells whether a number, whose address it gets, is at most `most`."""

    @entry_point("int64(int64)")
    def is_bounded(address):
        return 1 if view(address, 1, np.float64)[0] <= most else 0

    return is_bounded


at_most_one, at_most_two = bounded(1.0), bounded(2.0)
