"""The data of areas: their effects, the bodies and areas that overlap them, and events.

An area is a row of the body pool with the flag IS_AREA and an id of kind KIND_AREA; `AREA` has what a body does not. Overlaps
persist from step to step, as pairs do: an overlap is a pair of an area and a body or area it may see, while their fat bounds
overlap. It has one row for each pair of shapes that overlaps or that was reported.
"""

import numpy as np

# How an area changes gravity or damping, numbered as Godot does.
DISABLED, COMBINE, COMBINE_REPLACE, REPLACE, REPLACE_COMBINE = range(5)

# AREA.flags
MONITORS_BODIES = 1
MONITORS_AREAS = 2
IS_MONITORABLE = 4

AREA = np.dtype(
    [
        ("flags", "u4"),
        ("gravity_mode", "i4"),
        ("linear_damp_mode", "i4"),
        ("angular_damp_mode", "i4"),
        ("priority", "i8"),  # higher ones are applied first
        ("gravity", "f8"),  # strength [m/s^2]; negative pushes away
        ("gravity_vector", "f8", 3),  # direction, world axes; or the point, in the area's frame [m]
        ("is_point", "i8"),  # gravity pulls towards a point
        ("unit_distance", "f8"),  # distance from the point at which gravity has its strength [m]; inverse square; 0: constant
        ("linear_damp", "f8"),  # [1/s]
        ("angular_damp", "f8"),
    ],
    align=True,
)

# OVERLAP.flags
IS_DUE = 1  # in the list of those to be measured
IS_TO_REPORT = 2  # in the list of those with something to report
IS_INSIDE = 4  # some of their shapes overlap

OVERLAP = np.dtype(
    [
        ("area", "i4"),  # index of the seeing area; -1: a free row
        ("other", "i4"),  # index of the body or area it may see
        ("flags", "u4"),
        ("first", "i4"),  # its rows of SHAPE_OVERLAP, in ascending order of shapes
        ("next", "i4", 2),  # the lists of overlaps of area and other: overlap << 1 | side; next[0] doubles as the free list
        ("previous", "i4", 2),
    ],
    align=True,
)

# SHAPE_OVERLAP.flags
OVERLAPS = 1
IS_REPORTED = 2  # the beginning was reported to the user

SHAPE_OVERLAP = np.dtype([("next", "i4"), ("own_shape", "i4"), ("other_shape", "i4"), ("flags", "u4")], align=True)

# AREA_EVENT.status, numbered as Godot does.
ADDED, REMOVED = 0, 1

AREA_EVENT = np.dtype(
    [
        ("status", "i4"),
        ("is_area", "i4"),  # whether the other is an area
        ("own_shape", "i4"),  # number of the shape on the area, when the overlap began
        ("other_shape", "i4"),
        ("area", "i4"),
        ("other", "i4"),
        ("area_id", "i8"),  # 0: dropped, the area is gone or no longer monitors
        ("other_id", "i8"),
        ("other_user_id", "i8"),
    ],
    align=True,
)

SENSORS = np.dtype(
    [
        ("area_count", "i8"),  # areas in the system; if 0, nothing is done
        ("default_area", "i8"),  # address of AREA: the space's own point gravity
        ("overlaps", "i8"), ("overlap_capacity", "i8"), ("overlap_count", "i8"), ("first_free_overlap", "i8"),
        ("shape_overlaps", "i8"), ("shape_overlap_capacity", "i8"), ("shape_overlap_count", "i8"),
        ("first_free_shape_overlap", "i8"),
        ("table", "i8"), ("table_capacity", "i8"),  # int32 hash table from area and other to their overlap
        ("first_overlap", "i8"),  # int32 by body: 1 + (overlap << 1 | side); 0: none
        ("due", "i8"), ("due_count", "i8"),  # int32: overlaps to be measured
        ("due_depths", "i8"),  # int32: their keys of runtime/selection.py, where there are too many
        ("measure_limit", "i8"), ("chosen_count", "i8"),  # most measured at once; number of the first ones chosen this time
        ("measured_count", "i8"),  # how many were measured in the last step
        ("to_report", "i8"), ("to_report_count", "i8"),  # int32: overlaps with something to report
        ("events", "i8"), ("event_count", "i8"), ("event_capacity", "i8"),  # AREA_EVENT: not read yet
        ("reported_count", "i8"),  # the first of them, sorted by the last step
        ("spare_events", "i8"),  # the same memory again, for sorting
        ("event_order", "i8"),  # int32 (event_capacity)
    ],
    align=True,
)  # fmt: skip
