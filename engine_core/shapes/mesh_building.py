"""Cooking of triangle meshes: equal vertices welded, degenerate triangles dropped, a bounding tree, active edges.

An edge is active if a body that slides over it may catch on it: it is a border, or more convex than `COS_ACTIVE`, or shared by
more than two triangles. In a mesh with two sides it is so for each of them: what bends outwards seen from the front bends inwards
seen from behind. Where every triangle is there twice, once wound each way, each of the two surfaces has its own edges. Contacts
at other edges use the normal of the triangle.

Compiled code counts finished work in a word: every triangle once when it is in a leaf and once when its edges are known. Another
thread may read it meanwhile.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

import numpy as np

from ..geometry.vector import cross, dot, length, normalize, scale, subtract
from ..runtime.atomics import add_int64
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, view, view2
from . import schema
from .cooking import Cooked, pack_block
from .mesh_tree import ITEM_WORDS, build_tree, make_items, pack_nodes
from .schema import COS_ACTIVE

LOOK_EVERY = 0.05
"""How often progress is reported [s]."""
_COUNT_EVERY = 1024  # vertices whose edges are known


def cook_mesh(
    vertices, triangles, has_backface_collision: bool = False, faces=None, materials=(), material_table=(),
    progress: Callable[[int, int], None] | None = None,
) -> Cooked:  # fmt: skip
    """Cook triangles int32 `(m, 3)` over vertices float32 `(n, 3)` [m], all indices in range. `faces` int32 `(m,)` are
    the user's numbers of the triangles, by default 0 to m - 1; `materials` uint8 are, by these numbers, rows of `material_table`
    `(k, 2)`, friction and restitution. A mesh without a triangle that has an area is EMPTY.

    `progress(done, total)`, if given, is called by this thread while another one cooks, the last time with `done` equal to
    `total`."""
    finished = np.zeros(1, dtype=np.int64)
    cook = partial(_cook, finished, vertices, triangles, has_backface_collision, faces, materials, material_table)
    if progress is None:
        return cook()
    total = 2 * len(triangles)
    with ThreadPoolExecutor(1, "mesh cooking") as thread:
        cooking = thread.submit(cook)
        while wait((cooking,), LOOK_EVERY).not_done:
            progress(int(finished[0]), total)
    cooked = cooking.result()
    progress(total, total)
    return cooked


def _cook(finished, vertices, triangles, has_backface_collision: bool, faces, materials, material_table) -> Cooked:
    """Cook as `cook_mesh` says. Finished work is added to `finished` int64 `(1,)`: in the end twice the number of triangles."""
    if faces is None:
        faces = np.arange(len(triangles), dtype=np.int32)
    vertices = np.ascontiguousarray(vertices, dtype=np.float32) + np.float32(0.0)  # -0 becomes 0: they weld
    triangles, faces = triangles.astype(np.int32), faces.astype(np.int32)
    vertex_count, triangle_count = _weld(vertices, triangles, faces)
    if triangle_count == 0:
        return Cooked(schema.EMPTY, {})
    finished += 2 * (len(triangles) - triangle_count)  # the dropped ones
    vertices, triangles, faces = vertices[:vertex_count], triangles[:triangle_count], faces[:triangle_count]
    order, nodes = _build_tree(vertices, triangles, finished)
    vertices, triangles = _reorder(vertices, triangles[order])
    active_edges = _find_active_edges(vertices, triangles, has_backface_collision, finished)
    counts = {
        "vertex_count": len(vertices), "triangle_count": triangle_count, "node_count": len(nodes),
        "face_count": len(materials), "material_count": len(material_table), "reach": np.abs(vertices).max(),
    }  # fmt: skip
    arrays = {
        "vertices": vertices,
        "triangles": triangles,
        "faces": faces[order],
        "active_edges": active_edges,
        "nodes": nodes,
        "materials": np.asarray(materials, np.uint8),
        "material_table": np.asarray(material_table, np.float32).reshape(-1, 2),
    }
    block = pack_block(schema.MESH_BLOCK, counts, arrays)
    fields = {
        "bounds": np.concatenate((vertices.min(axis=0), vertices.max(axis=0))),
        "has_backface_collision": has_backface_collision,
    }
    return Cooked(schema.MESH, fields, block)


def _weld(vertices, triangles, faces) -> tuple[int, int]:
    """Merge equal vertices and drop triangles without area, in place. Return the new counts."""
    if len(triangles) == 0:
        return 0, 0
    table_size = 1 << max(int(len(vertices) * 2 - 1).bit_length(), 4)
    table = np.full(table_size, -1, dtype=np.int32)
    numbers = np.array([len(vertices), len(triangles), table_size], dtype=np.int64)
    addresses = np.array([address_of(a) for a in (numbers, vertices, triangles, faces, table)], dtype=np.int64)
    weld_mesh(address_of(addresses))
    return int(numbers[0]), int(numbers[1])


def _build_tree(vertices, triangles, finished) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles in the order of the leaves, and the nodes."""
    count = len(triangles)
    items = np.empty((count, ITEM_WORDS), dtype=np.float32)
    nodes = np.empty(count // 2 + 4, dtype=schema.MESH_CHILDREN)
    arrays = (vertices, triangles, items, nodes, finished)
    addresses = np.array([len(vertices), count, len(nodes), *(address_of(a) for a in arrays)], dtype=np.int64)
    build_mesh_tree(address_of(addresses))
    packed = np.zeros(addresses[2], dtype=schema.MESH_NODE)
    pack_mesh_nodes(address_of(nodes), len(packed), address_of(packed))
    return items.view(np.int32)[:, 6].copy(), packed


def _reorder(vertices, triangles) -> tuple[np.ndarray, np.ndarray]:
    """Number the vertices in the order the triangles use them, so that neighbours in the tree are neighbours in memory."""
    new_vertices = np.empty_like(vertices)
    new_numbers = np.full(len(vertices), -1, dtype=np.int32)
    arrays = (vertices, triangles, new_vertices, new_numbers)
    addresses = np.array([len(vertices), len(triangles), *(address_of(a) for a in arrays)], dtype=np.int64)
    renumber_vertices(address_of(addresses))
    return new_vertices[: addresses[0]], triangles


def _find_active_edges(vertices, triangles, has_backface_collision: bool, finished) -> np.ndarray:
    active_edges = np.zeros(len(triangles), dtype=np.uint8)
    arrays = (vertices, triangles, active_edges, finished)
    addresses = np.array([len(vertices), len(triangles), *(address_of(a) for a in arrays)], dtype=np.int64)
    find_active_edges(address_of(addresses), int(has_backface_collision))
    return active_edges


@kernel
def _mix(a, b, c):
    """A hash of three 32-bit words."""
    h = a * 0x9E3779B1 + b * 0x85EBCA77 + c * 0xC2B2AE3D
    h = (h ^ (h >> 15)) * 0x2C1B3C6D
    return (h ^ (h >> 29)) & 0x7FFFFFFF


@kernel
def _corner(vertices, vertex):
    return (np.float64(vertices[vertex, 0]), np.float64(vertices[vertex, 1]), np.float64(vertices[vertex, 2]))


@kernel
def _has_area(vertices, a, b, c):
    """Whether a triangle has an area, relative to its sides."""
    if a == b or b == c or c == a:
        return False
    u = subtract(_corner(vertices, b), _corner(vertices, a))
    v = subtract(_corner(vertices, c), _corner(vertices, a))
    return length(cross(u, v)) > 1e-7 * max(dot(u, u), dot(v, v))


@entry_point("void(int64)")
def weld_mesh(addresses):
    """Compiled `_weld`. int64 words: addresses of the numbers (vertices, triangles, table size), vertices, triangles, faces, hash
    table."""
    words = view(addresses, 5, np.int64)
    numbers = view(words[0], 3, np.int64)
    vertices = view2(words[1], numbers[0], 3, np.float32)
    bits = view2(words[1], numbers[0], 3, np.int32)
    triangles = view2(words[2], numbers[1], 3, np.int32)
    faces = view(words[3], numbers[1], np.int32)
    table = view(words[4], numbers[2], np.int32)
    mask = numbers[2] - 1
    new_numbers = np.empty(numbers[0], dtype=np.int32)
    vertex_count = 0
    for i in range(numbers[0]):
        a, b, c = bits[i, 0], bits[i, 1], bits[i, 2]
        place = _mix(np.int64(a), np.int64(b), np.int64(c)) & mask
        while True:
            other = table[place]
            if other < 0:
                table[place] = vertex_count
                bits[vertex_count, 0], bits[vertex_count, 1], bits[vertex_count, 2] = a, b, c
                new_numbers[i] = vertex_count
                vertex_count += 1
                break
            if bits[other, 0] == a and bits[other, 1] == b and bits[other, 2] == c:
                new_numbers[i] = other
                break
            place = (place + 1) & mask
    kept = 0
    for i in range(numbers[1]):
        p, q, r = new_numbers[triangles[i, 0]], new_numbers[triangles[i, 1]], new_numbers[triangles[i, 2]]
        if _has_area(vertices, p, q, r):
            triangles[kept, 0], triangles[kept, 1], triangles[kept, 2] = p, q, r
            faces[kept] = faces[i]
            kept += 1
    numbers[0], numbers[1] = vertex_count, kept


@entry_point("void(int64)")
def build_mesh_tree(addresses):
    """Compiled `_build_tree`. int64 words: vertex, triangle and node count (out), addresses of vertices, triangles, items, nodes,
    and the count of finished work."""
    words = view(addresses, 8, np.int64)
    vertices = view2(words[3], words[0], 3, np.float32)
    triangles = view2(words[4], words[1], 3, np.int32)
    items = view2(words[5], words[1], ITEM_WORDS, np.float32)
    numbers = view2(words[5], words[1], ITEM_WORDS, np.int32)
    make_items(vertices, triangles, words[1], items, numbers)
    words[2] = build_tree(words[5], words[1], words[6], words[2], words[7])


@entry_point("void(int64, int64, int64)")
def pack_mesh_nodes(nodes, count, packed):
    """Compiled `pack_nodes`."""
    pack_nodes(nodes, count, packed)


@entry_point("void(int64)")
def renumber_vertices(addresses):
    """Compiled `_reorder`. int64 words: vertex count (in and out), triangle count, addresses of vertices, triangles, new
    vertices, new numbers (all -1)."""
    words = view(addresses, 6, np.int64)
    vertices = view2(words[2], words[0], 3, np.float32)
    triangles = view(words[3], 3 * words[1], np.int32)
    new_vertices = view2(words[4], words[0], 3, np.float32)
    new_numbers = view(words[5], words[0], np.int32)
    count = 0
    for i in range(len(triangles)):
        vertex = triangles[i]
        if new_numbers[vertex] < 0:
            new_numbers[vertex] = count
            for k in range(3):
                new_vertices[count, k] = vertices[vertex, k]
            count += 1
        triangles[i] = new_numbers[vertex]
    words[0] = count


@kernel
def _normal(vertices, triangles, t):
    """Unit normal of triangle t."""
    a = _corner(vertices, triangles[t, 0])
    return normalize(
        cross(
            subtract(_corner(vertices, triangles[t, 1]), a), subtract(_corner(vertices, triangles[t, 2]), a)
        )
    )  # fmt: skip


@kernel
def _active_sides(vertices, triangles, first, second, is_two_sided):
    """Bits of the sides of a triangle from which its edge with another is active: 1 its front, 2 its back, if that is a side.
    `first` and `second` are triangle << 2 | edge."""
    t, k, u, j = first >> 2, first & 3, second >> 2, second & 3
    n, m = _normal(vertices, triangles, t), _normal(vertices, triangles, u)
    is_turned_over = triangles[t, k] == triangles[u, j]  # one is wound the other way
    if is_turned_over:
        m = scale(m, -1.0)
    alignment = dot(n, m)
    if alignment >= COS_ACTIVE:
        return 0
    opposite = _corner(vertices, triangles[u, (j + 2) % 3])
    height = dot(n, subtract(opposite, _corner(vertices, triangles[t, k])))
    is_folded = alignment < -0.999
    if is_two_sided != 0:
        return (1 if height < 0.0 or is_folded else 0) | (2 if height > 0.0 or is_folded else 0)
    return 1 if is_turned_over or height < 0.0 or is_folded else 0


@kernel
def _across(triangles, keys, begin, end, place):
    """The place on the other side of an edge that four triangles share, two of them the backs of the other two: of the triangle
    that is wound alike and is not its own back. -1 if the four are not so."""
    t, k = place >> 2, place & 3
    back, beside = 0, np.int64(-1)
    for i in range(begin, end):
        other = keys[i] & 0xFFFFFFFF
        u, j = other >> 2, other & 3
        if triangles[t, k] != triangles[u, j]:
            if triangles[t, (k + 2) % 3] == triangles[u, (j + 2) % 3]:
                back += 1
            else:
                beside = other
    return beside if end - begin == 4 and back == 1 else np.int64(-1)


@kernel
def _mark_edge(vertices, triangles, keys, begin, end, is_two_sided, active_edges):
    """Mark an edge, which the triangles of `keys[begin:end]` share, where it is active."""
    for i in range(begin, end):
        place = keys[i] & 0xFFFFFFFF
        beside = np.int64(keys[begin + end - 1 - i] & 0xFFFFFFFF)
        if end - begin != 2:
            beside = _across(triangles, keys, begin, end, place)
        sides = 3 if is_two_sided != 0 else 1
        if beside >= 0:
            sides = _active_sides(vertices, triangles, place, beside, is_two_sided)
        active_edges[place >> 2] |= np.uint8((sides & 1) << (place & 3) | (sides >> 1) << 3 + (place & 3))


@kernel
def _sort_keys(keys, begin, end):
    """Shell sort; most ranges have only a few entries."""
    gap = 1
    while gap < (end - begin) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(begin + gap, end):
            key, j = keys[i], i
            while j >= begin + gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key
        gap //= 3


@entry_point("void(int64, int64)")
def find_active_edges(addresses, is_two_sided):
    """Compiled `_find_active_edges`. int64 words: vertex count, triangle count, addresses of vertices, triangles, active edges
    (all 0), and the count of finished work. Edges are collected at their lower vertex."""
    words = view(addresses, 6, np.int64)
    vertices = view2(words[2], words[0], 3, np.float32)
    triangles = view2(words[3], words[1], 3, np.int32)
    active_edges = view(words[4], words[1], np.uint8)
    starts = np.zeros(words[0] + 2, dtype=np.int64)
    for t in range(words[1]):
        for k in range(3):
            starts[min(triangles[t, k], triangles[t, (k + 1) % 3]) + 2] += 1
    for vertex in range(words[0]):
        starts[vertex + 2] += starts[vertex + 1]
    keys = np.empty(3 * words[1], dtype=np.int64)  # upper vertex << 32 | triangle << 2 | edge
    for t in range(words[1]):
        for k in range(3):
            a, b = np.int64(triangles[t, k]), np.int64(triangles[t, (k + 1) % 3])
            place = min(a, b) + 1
            keys[starts[place]] = max(a, b) << 32 | t << 2 | k
            starts[place] += 1
    counted = 0
    for vertex in range(words[0]):
        begin, end = starts[vertex], starts[vertex + 1]
        if vertex % _COUNT_EVERY == 0:  # three edges count as one triangle
            add_int64(words[5], begin // 3 - counted)
            counted = begin // 3
        _sort_keys(keys, begin, end)
        while begin < end:
            after = begin + 1
            while after < end and keys[after] >> 32 == keys[begin] >> 32:
                after += 1
            _mark_edge(vertices, triangles, keys, begin, after, is_two_sided, active_edges)
            begin = after
    add_int64(words[5], words[1] - counted)
