"""A group of soft bodies in a sub-step: one after the other, or together if they may meet (meeting.py)."""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import view
from .meeting import fill_grid, find_meetings, solve_meetings
from .phases import begin_small_step, begin_substep, end_substep, soft_at
from .schema import MOST_PARTNERS
from .solving import small_steps_of

INT64 = np.int64


@kernel
def most_in_group(head):
    """The most strips that a soft body of a group has, and the most partners that one may meet."""
    strips, partners, address = INT64(0), INT64(0), head
    while address != 0:
        soft = soft_at(address)
        strips, partners = max(strips, INT64(soft.strip_count)), max(partners, INT64(soft.partner_count))
        address = soft.next
    return strips, partners


@kernel
def find_all_meetings(head, h):
    """Find what may meet in a sub-step of `h` [s] in a group."""
    address = head
    while address != 0:
        fill_grid(soft_at(address))
        address = soft_at(address).next
    address = head
    while address != 0:
        soft = soft_at(address)
        partners = view(soft.partners, MOST_PARTNERS, INT64)
        for p in range(soft.partner_count):
            find_meetings(soft, partners[p], h)
        address = soft.next


@kernel
def following(address, is_alone):
    """The address of the next soft body that moves together with one; 0: none."""
    return INT64(0) if is_alone else soft_at(address).next


@kernel
def solve_together(system, head, is_alone, h, is_shared):
    """Move soft bodies for a sub-step of `h` [s], in the same small steps, those of the most precise of them: the group from
    `head` on, or `head` alone. With `is_shared`, each is solved on all threads; meetings are solved by the caller."""
    count, address = INT64(1), head
    while address != 0:
        count = max(count, small_steps_of(soft_at(address), h))
        address = following(address, is_alone)
    address = head
    while address != 0:
        begin_substep(system, address, count, h, is_shared)
        address = following(address, is_alone)
    if not is_alone:
        find_all_meetings(head, h)
    for number in range(count):
        address = head
        while address != 0:
            begin_small_step(system, address, number, is_shared)
            address = following(address, is_alone)
        address = INT64(0) if is_alone else head
        while address != 0:
            solve_meetings(soft_at(address), h / count)
            address = soft_at(address).next
    address = head
    while address != 0:
        end_substep(system, address, count, is_shared)
        address = following(address, is_alone)


@kernel
def solve_group(system, head, h, is_shared):
    """Move the soft bodies of a group for a sub-step of `h` [s]; with `is_shared`, each on all threads."""
    if most_in_group(head)[1] > 0:
        solve_together(system, head, False, h, is_shared)
        return
    address = head
    while address != 0:
        solve_together(system, address, True, h, is_shared)
        address = soft_at(address).next
