"""Many contacts of one pair as few: those of bricks with similar normals are merged and reduced to four points, as triangles are.

A box that lies on 400 bricks needs four points, not 1,600. Up to MOST_SINGLE contacts of bricks stay as they are; beyond, all of
the pair are merged until there are fewer than LEAST_MERGED. A merged manifold names the bricks of its deepest contact.
"""

import numpy as np

from ..geometry.clipping import POLYGON
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view
from .meshes import CLUSTER, add_to_clusters, name_features, write_clusters
from .schema import CONTACT_RESULT, MAX_RESULTS

INT64 = np.int64
MOST_SINGLE, LEAST_MERGED = 4, 3
"""Numbers of contacts at which a pair begins to merge them, and ends."""
MERGE, WRITE = range(2)

MERGING = np.dtype(
    [
        ("clusters", "i8"),  # address of CLUSTER (MAX_RESULTS)
        ("count", "i8"),  # of clusters
        ("total", "i8"),  # contacts that were merged
        ("brick_a", "i8"), ("brick_b", "i8"),  # of the contact that is merged next; 0: none
        ("is_round", "i8"),  # one of the two shapes is a ball: only the deepest point counts
    ],
    align=True,
)  # fmt: skip


@kernel
def bricks_of_face(face):
    """The bricks of A and B that a result of `merge_contacts` names, 0 for none."""
    return face >> 32, face & 0xFFFFFFFF


@entry_point("int64(int64, int64, int64)")
def merge_contacts(merging_address, results_address, what):
    """MERGE one CONTACT_RESULT into a MERGING, or WRITE what was merged to MAX_RESULTS rows, whose `face` names bricks
    (`bricks_of_face`). Returns the number of clusters."""
    merging = view(merging_address, 1, MERGING)[0]
    results, clusters = view(results_address, MAX_RESULTS, CONTACT_RESULT), view(merging.clusters, MAX_RESULTS, CLUSTER)
    polygon = stack_array(1, POLYGON)[0]
    results[0].has_load = 0  # it is in the frame of a brick
    if what == WRITE:
        write_clusters(clusters, merging.count, results, polygon, results[0])
        return INT64(merging.count)
    face = merging.brick_a << 32 | merging.brick_b
    name_features(results[0], (merging.brick_a * 31 + merging.brick_b) & 0x7FFFFFF)
    is_round, no_triangle = merging.is_round != 0, ((0.0, 0.0, 0.0), 0.0)
    merging.count = add_to_clusters(results[0], no_triangle, face, True, is_round, clusters, merging.count, polygon)
    merging.total += 1
    return INT64(merging.count)
