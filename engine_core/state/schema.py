"""The data of saving: the table of what a state of a space holds, and the header of one.

An image is a copy of all that decides how a space moves on: a HEADER, then for each REGION the number of its rows, int64, and the
rows, each part rounded up to eight bytes. Regions of bodies and joints have the numbers of their rows first, int32.
"""

import numpy as np

# What kind of rows a region has.
ROWS = 0  # all of a list
BODIES = 1  # of the space's bodies; the numbers stand in front
OF_BODIES = 2  # those of these bodies that have a flag
JOINTS = 3  # of the joints of these bodies; the numbers stand in front
BESIDE_MANIFOLDS = 4  # those whose manifolds have a flag
REPORTS = 5  # the contacts that each body reports

REGION = np.dtype(
    [
        ("kind", "i8"),
        ("base", "i8"),  # address of a word with the address of row 0
        ("size", "i8"),  # of a row [byte], a multiple of four
        ("count", "i8"),  # address of a word with the number of rows
        ("capacity", "i8"),  # the most rows
        ("only_if", "i8"),  # address of a word that is 0 while there are no rows; 0: always
        ("flag", "i8"),  # of the bodies or manifolds that have a row
        ("runs", "i8"), ("run_count", "i8"),  # address of int64 pairs: parts of a row that are put back [byte], if not all
    ],
    align=True,
)  # fmt: skip

KINDS_OF_PARTS = 6
PART_BODIES, PART_SHAPES_ON_BODIES, PART_SHAPES, PART_JOINTS, PART_EXCEPTIONS, PART_SETTINGS = range(KINDS_OF_PARTS)
"""Numbers in the population: what must be the same when a state is restored, since a restore makes and frees nothing."""

SPACE = np.dtype(
    [
        ("system", "i8"),  # address of SYSTEM
        ("regions", "i8"), ("region_count", "i8"),  # REGION
        ("joint_count", "i8"),  # rows of joints in use lie below it
        ("setting_count", "i8"),  # World.setting_count
        ("copy", "i8"),  # address of C's memcpy
    ],
    align=True,
)  # fmt: skip

HEADER = np.dtype(
    [
        ("byte_count", "i8"),  # of the image, this header included
        ("region_count", "i8"),
        ("body_count", "i8"),  # bodies and areas of the space
        ("step_count", "i8"),
        ("population", "i8", KINDS_OF_PARTS),  # hashes of its parts
        ("listener_count", "i8"),
    ],
    align=True,
)
