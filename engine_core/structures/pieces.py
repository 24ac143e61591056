"""Is a structure still one piece? Searched from the neighbours of removed bricks, all at once, one brick of each in turn.

Searches that meet are joined (union-find). One that runs out of bricks before it met the others has found a piece that came
apart; the smallest is found first, and the last search need not end: it is in the rest. So the cost is that of the pieces that
came apart, times the number of searches, not that of the structure. Two bricks hold together if their bounds overlap or touch in
an area: an edge or a corner is not enough.
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.call import load_int32, load_int64, store_int32, store_int64
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view, view2
from .nodes import bricks_of, number_in
from .queries import CURSOR, begin_query, end_query, next_in_box, set_box
from .schema import STRUCTURE

INT32, INT64 = np.int32, np.int64
ALL_LAYERS = 0xFFFFFFFF

# The bricks of a search are in two lists, linked by row: those looked at, and those to be looked at.
GROUP = np.dtype(
    [
        ("parent", "i4"),  # the group that it was joined to; itself: none
        ("first_seen", "i4"), ("last_seen", "i4"),  # rows of bricks; 0: none
        ("first_next", "i4"), ("last_next", "i4"),
        ("count", "i4"),  # bricks in both lists
        ("is_apart", "i4"),  # it ran out of bricks: a piece
        ("place", "i4"),  # in the list of open groups
    ]
)  # fmt: skip

SEARCH = np.dtype(
    [
        ("structure", "i8"),
        ("removed", "i8"), ("removed_count", "i8"),  # float32 (n, 6): bounds of the removed bricks [unit]
        ("groups", "i8"), ("group_count", "i8"), ("group_capacity", "i8"),
        ("open", "i8"), ("open_count", "i8"),  # int32: groups under way
        ("turn", "i8"),  # place in that list
        ("marks", "i8"),  # int64 by row of a brick: stamp << 32 | group
        ("links", "i8"),  # int32 by row of a brick: the next one in its list
        ("stamp", "i8"),  # number of this search
        ("head", "i8"),  # the state of the structure that is searched
        ("budget", "i8"),  # how many bricks may still be looked at in this call
        ("is_begun", "i8"), ("is_over", "i8"),
    ]
)  # fmt: skip


@kernel
def root_of_group(groups, g):
    """The group that a group was joined to at last."""
    while groups[g].parent != g:
        groups[g].parent = groups[groups[g].parent].parent
        g = INT64(groups[g].parent)
    return INT64(g)


@kernel
def append(search, first, last, row):
    """Append a brick to a list. Returns its new ends."""
    store_int32(search.links + 4 * row, INT32(0))
    if first == 0:
        return row, row
    store_int32(search.links + 4 * last, INT32(row))
    return first, row


@kernel
def join_lists(search, first, last, other_first, other_last):
    """Append a list to another. Returns the ends of the whole."""
    if first == 0:
        return other_first, other_last
    if other_first == 0:
        return first, last
    store_int32(search.links + 4 * INT64(last), INT32(other_first))
    return first, other_last


@kernel
def move_group(groups, open_groups, begin, end):
    """Move an open group to another place of the list."""
    if begin != end:
        moved = open_groups[begin]
        open_groups[end] = moved
        groups[moved].place = INT32(end)


@kernel
def close_group(search, groups, g):
    """Take a group out of the list of open ones. Groups before `turn` had their turn in this round; no other loses its own."""
    open_groups = view(search.open, search.group_capacity, INT32)
    place = INT64(groups[g].place)
    if place < search.turn:
        search.turn -= 1
        move_group(groups, open_groups, search.turn, place)
        place = INT64(search.turn)
    search.open_count -= 1
    move_group(groups, open_groups, search.open_count, place)


@kernel
def join_groups(search, groups, a, b):
    """Join two open groups. Returns the one that stays."""
    if groups[a].count < groups[b].count:
        a, b = b, a
    x, y = groups[a], groups[b]
    x.first_seen, x.last_seen = join_lists(search, x.first_seen, x.last_seen, y.first_seen, y.last_seen)
    x.first_next, x.last_next = join_lists(search, x.first_next, x.last_next, y.first_next, y.last_next)
    x.count += y.count
    y.parent = INT32(a)
    close_group(search, groups, b)
    return INT64(a)


@kernel
def hold_together(brick, low, high):
    """Whether a brick and bounds that touch it do so in an area, or overlap."""
    edges = 0
    for axis in range(3):
        if brick.high[axis] <= low[axis] or brick.low[axis] >= high[axis]:
            edges += 1
    return edges <= 1


@kernel
def add_group(search, groups, row):
    """Begin a search at a brick."""
    g = search.group_count
    search.group_count += 1
    group = groups[g]
    group.parent, group.count, group.is_apart = INT32(g), INT32(1), INT32(0)
    group.first_seen = group.last_seen = INT32(0)
    group.first_next, group.last_next = append(search, INT64(0), INT64(0), row)
    group.place = INT32(search.open_count)
    view(search.open, search.group_capacity, INT32)[search.open_count] = INT32(g)
    search.open_count += 1
    store_int64(search.marks + 8 * row, search.stamp << 32 | g)


@kernel
def begin(search, s, groups):
    """Begin a search at each neighbour of each removed brick."""
    keep_as_call()
    cursor = stack_array(1, CURSOR)[0]
    removed = view2(search.removed, search.removed_count, 6, np.float32)
    search.group_count = search.open_count = search.turn = 0
    for k in range(search.removed_count):
        low, high = removed[k, 0:3], removed[k, 3:6]
        begin_query(cursor, search.structure, INT64(ALL_LAYERS))
        set_box(cursor, low, high)
        row = next_in_box(cursor, s, None)
        while row != 0:
            is_new = load_int64(search.marks + 8 * row) >> 32 != search.stamp
            if is_new and hold_together(bricks_of(s)[row], low, high) and search.group_count < search.group_capacity:
                add_group(search, groups, row)
            row = next_in_box(cursor, s, None)
        end_query(cursor, search.structure)
    search.is_begun = 1


@kernel
def look_at_next(search, s, groups, g, cursor):
    """Look at the next brick of an open group: its neighbours join, or join the group to others."""
    group = groups[g]
    row = INT64(group.first_next)
    group.first_next = load_int32(search.links + 4 * row)
    if group.first_next == 0:
        group.last_next = INT32(0)
    group.first_seen, group.last_seen = append(search, INT64(group.first_seen), INT64(group.last_seen), row)
    brick = bricks_of(s)[row]
    begin_query(cursor, search.structure, INT64(ALL_LAYERS))
    set_box(cursor, brick.low, brick.high)
    found = next_in_box(cursor, s, None)
    while found != 0:
        if found != row and hold_together(bricks_of(s)[found], brick.low, brick.high):
            mark = load_int64(search.marks + 8 * found)
            if mark >> 32 != search.stamp:
                store_int64(search.marks + 8 * found, search.stamp << 32 | g)
                group = groups[g]
                group.first_next, group.last_next = append(search, INT64(group.first_next), INT64(group.last_next), found)
                group.count += 1
            else:
                other = root_of_group(groups, mark & 0xFFFFFFFF)
                if other != g:
                    g = join_groups(search, groups, g, other)
        found = next_in_box(cursor, s, None)
    end_query(cursor, search.structure)
    if groups[g].first_next == 0:
        groups[g].is_apart = INT32(1)
        close_group(search, groups, g)


@entry_point("void(int64)")
def search_pieces(address):
    """Go on with the SEARCH at an address until it is over or its budget is spent. For the thread that holds the lock of the
    structure. If the structure was edited since it began, it begins anew."""
    search = view(address, 1, SEARCH)[0]
    s = view(search.structure, 1, STRUCTURE)[0]
    groups = view(search.groups, search.group_capacity, GROUP)
    if search.is_begun == 0 or search.head != s.batch:
        search.head = s.batch
        search.stamp += 1
        begin(search, s, groups)
    cursor = stack_array(1, CURSOR)[0]
    while search.open_count > 1 and search.budget > 0:
        search.budget -= 1
        if search.turn >= search.open_count:
            search.turn = 0
        g = INT64(view(search.open, search.group_capacity, INT32)[search.turn])
        search.turn += 1
        look_at_next(search, s, groups, g, cursor)
    search.is_over = INT64(search.open_count <= 1)


@entry_point("void(int64, int64, int64)")
def list_bricks(address, group, out):
    """Write the numbers of the bricks of a group that ran out of bricks, int32, as many as it counts."""
    search = view(address, 1, SEARCH)[0]
    s = view(search.structure, 1, STRUCTURE)[0]
    found = view(search.groups, search.group_capacity, GROUP)[group]
    numbers, row = view(out, found.count, INT32), INT64(found.first_seen)
    for k in range(found.count):
        numbers[k] = number_in(s, row)
        row = INT64(load_int32(search.links + 4 * row))
