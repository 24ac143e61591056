"""Calls made to a server in real order, all that they leave, and data for shapes: what tests of calls that compiled code answers
share."""

import numpy as np
from fast_server import CALLABLE_WORD, FastServer

from scree.bodies.identity import index_of, kind_of
from scree.bodies.schema import BODY, BODY_RARE, INSTANCE, IS_AREA, KIND_AREA, KIND_BODY
from scree.shapes import schema as shapes
from scree.shapes.schema import SHAPE

# What tells where rows lie and how often they were published, not what they hold.
_ELSEWHERE = {"id", "sequence", "published", "is_in_tree", "first_instance", "instance_capacity", "next_free",
              "next_in_island", "active_index", "contacts", "island_link", "first_pair", "shadow"}  # fmt: skip
_WHO_DID_IT = {"id", "sequence", "current", "block", "was_shared"}  # the same of shapes
PLACES = (
    (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.25, -0.1, 3.0),
    (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0), (2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, float("nan"), 0.0, 0.0), (1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0, 2e9, 0.0, 0.0),
)  # fmt: skip
SHAPES = 3
_KINDS = {"body": KIND_BODY, "area": KIND_AREA}
_CREATED = {"_body_create": "body", "_area_create": "area"}
BLOCK_KINDS = ("convex_polygon", "concave_polygon", "heightmap")
SOLIDS = ("sphere", "box", "capsule", "cylinder")
DATA = (0.5, 0.25, -1.0, float("nan"), 2, (1.0, 2.0, 3.0), (1.0, 2.0, 3.0), (1.0, 0.0, 3.0), {"radius": 0.5, "height": 2.0},
         {"radius": 0.5, "height": 0.5}, {"radius": 1, "height": 3}, {"radius": 1.0}, {"radius": 0.5, "height": (1.0, 1.0, 1.0)},
         {"radius": {}, "height": 1.0}, {})  # fmt: skip


def _arrays():
    """Data of hulls, meshes and height fields: good, changed a little, and bad in all ways there are."""
    rng = np.random.default_rng(5)
    points, heights = rng.normal(size=(12, 3)).astype(np.float32), rng.normal(size=12).astype(np.float32)
    broken, holes = points.copy(), heights.copy()
    broken[3, 1], holes[2:5] = np.nan, np.nan
    yield from (points, 2.0 * points, points[:6], points[:1], points[:0], broken, points[:, :1] * [1.0, 2.0, 3.0], heights)
    for faces in (points, 2.0 * points, points[:6], points[:5], points[:0], broken, points[[0, 0, 1]], heights, 1.0):
        yield {"faces": faces}
    yield from ({"faces": points, "backface_collision": flag} for flag in (True, False, 1, 0.0, {}))
    for width, depth, samples in ((3, 4, heights), (4.0, 3, heights), (3, 4, holes), (3, 4, holes[2:5]), (2.5, 4.8, heights)):
        yield {"width": width, "depth": depth, "heights": samples}
    yield from ({"width": 1, "depth": 12, "heights": heights}, {"width": -3, "depth": -4, "heights": heights})
    yield from ({"width": 2, "depth": 2, "heights": np.full(4, value, np.float32)} for value in (np.nan, np.inf, -0.0))
    yield from ({"width": 3, "heights": heights}, {"width": 3, "depth": 4}, {"width": 3, "depth": 4, "heights": points})


ARRAYS = tuple(_arrays())
GOOD = ARRAYS[0], {"faces": ARRAYS[0]}, {"width": 3, "depth": 4, "heights": ARRAYS[7]}


class Played:
    """A server to which calls were made."""

    def __init__(self, is_fast):
        self.made = FastServer(is_fast)
        self.spaces = [self.made.space(), self.made.space()]
        self.shapes = [self.made.box(0.5 + k) for k in range(SHAPES)]
        self.ids = []
        self.made.call("_free_rid", self.made.call("_box_shape_create"))
        for name in ("_body_create", "_area_create") * 3:
            self.play(name, 0, [])
            self.play(name.replace("create", "add_shape"), len(self.ids) // 2, [("shape", 0), PLACES[0], False])

    def play(self, name, who, values):
        if name == "step":
            with self.made.server.lock:
                self.made.world.step(self.spaces[0], 1 / 60)
        elif name in _CREATED:
            self._create(name)
        elif name.endswith("shape_create"):
            self.shapes.append(self.made.call(name))
        elif name == "_shape_set_data" or (name == "_free_rid" and who in (12, 13)):
            self.made.call(name, 12345 if who == 19 else self.shapes[(who + len(self.ids)) % len(self.shapes)], *values)
        else:
            own = [identity for identity in self.ids if kind_of(identity) == _KINDS.get(name[1:5], KIND_BODY)]
            identity = 12345 if who == 19 else self.ids[who % len(self.ids)] if who >= 16 else own[who % len(own)]
            given = [self._named(*value) if value and isinstance(value, tuple) and isinstance(value[0], str) else value
                     for value in values]  # fmt: skip
            self.made.call(name, identity, *given)

    def _create(self, name):
        """Create a body, or an area, at a place of its own: bodies at one place part in a direction that their rows choose, and
        compiled code takes other rows than Python."""
        identity = self.made.call(name)
        self.ids.append(identity)
        if identity:
            with self.made.server.lock:
                place = 100.0 * sum(kind_of(other) == kind_of(identity) for other in self.ids)
                self.made.world.body.set_transform(identity, (*PLACES[0][:9], place, 0.0, 0.0))

    def _named(self, kind, number):
        if kind == "space":
            return [0, *self.spaces][number]
        return 4711 if number == SHAPES else self.shapes[number % len(self.shapes)]

    def state(self, is_last=False):
        """All that the calls have left, without where it lies. Blocks are compared last: what Python has read of them is no
        longer compiled code's to change."""
        with self.made.server.lock:  # Python takes over what was noted
            world = self.made.world
        alive = [identity for identity in self.ids if world.bodies.rows[index_of(identity)]["id"] == identity]
        numbers = {index_of(identity): self.ids.index(identity) for identity in alive}
        shapes = [identity for identity in self.shapes if world.shapes.rows[index_of(identity)]["id"] == identity]
        return {
            "alive": [self.ids.index(identity) for identity in alive],
            "rows": [self._row(index_of(identity), numbers) for identity in alive],
            "shapes": [(self.shapes.index(identity), *self._shape(identity, numbers, is_last)) for identity in shapes],
            "stale": sorted(numbers[index] for index in world.body._stale if index in numbers),
            "errors": self.made.errors, "variants": self.made.variants.alive, "objects": len(self.made.objects),
            "gates": [int(row["edits"]["gate"]) for row in world.systems.rows[:2]], "lock": int(self.made.server.record["lock"]),
        }  # fmt: skip

    def _shape(self, identity, numbers, is_last):
        world, server, index = self.made.world, self.made.server, index_of(identity)
        row, binding = world.shapes.rows[world.shapes.current_row(index)], server.shapes.row(identity)
        told = [repr(row[name].tolist()) for name in SHAPE.names if name not in _WHO_DID_IT]
        data = self.made.variants.read(server.shapes.data(identity).address)
        users = sorted(numbers[body] for body in world.shape_users.of(index))
        own = told_block = None
        if is_last or row["user_kind"] not in (shapes.HULL, shapes.MESH, shapes.HEIGHT_FIELD):
            own, block = world.shapes.settings_of(index), world.shapes.block_of(world.shapes.current_row(index))
            told_block = _bits(block.arrays) if block and row["kind"] != shapes.EMPTY else None
        return _bits(own), told, _bits(data), float(binding["margin"]), users, told_block

    def _row(self, index, numbers):
        world, row = self.made.world, self.made.world.bodies.rows[index]
        first, count = int(row["first_instance"]), int(row["instance_count"])
        kept = [name for name in BODY.names if name not in _ELSEWHERE]
        rare = [world.bodies.rare_of(index)[name].tobytes() for name in BODY_RARE.names if name not in _ELSEWHERE]
        shapes = [{name: instance[name].tobytes() for name in INSTANCE.names if name not in ("body", "shape", "user_shape")}
                  for instance in world.instances.rows[first : first + count]]  # fmt: skip
        assert all(numbers[int(instance["body"])] == numbers[index] for instance in world.instances.rows[first : first + count])
        binding, area = self.made.server.body_bindings[index], self.made.server.area_bindings[index]
        kept_of_area = world.areas.rows[index].tobytes() if row["flags"] & IS_AREA else b""
        callbacks = [bool(binding["object"]), int(binding["sync_callback"][0]), int(area["body_callback"][0]),
                     int(area["area_callback"][0]), kept_of_area]  # fmt: skip
        places = [world.instances.user_transform(at) for at in range(first, first + count)]
        return {name: row[name].tobytes() for name in kept}, shapes, [callbacks, rare, places]


def _bits(value):
    """A value with its arrays as bytes: NaN is the same as NaN."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {name: _bits(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return type(value).__name__, *map(_bits, value)
    return repr(value)


def differences(one, two):
    """In words, where two states differ."""
    found = [f"{key}: {one[key]} / {two[key]}" for key in one if key != "rows" and one[key] != two[key]]
    for number, (a, b) in enumerate(zip(one["rows"], two["rows"], strict=False)):
        found += [f"row {number}, {name}" for name in a[0] if a[0][name] != b[0][name]]
        found += [f"row {number}, shapes or callbacks"] if a[1:] != b[1:] else []
    return found


def data_of(kind, number):
    """Good data for a shape; what each number gives is other data."""
    points = np.random.default_rng(number).normal(size=(24, 3)).astype(np.float32)
    return {"convex_polygon": points, "concave_polygon": {"faces": points, "backface_collision": number % 2 == 0},
            "heightmap": {"width": 6, "depth": 4, "heights": points[:8].ravel()}}[kind]  # fmt: skip


def _sizes_of(kind, number):
    """Good data for a shape without a block."""
    size = 0.5 + 0.25 * number
    return {"sphere": size, "box": (size, size, 1.0)}.get(kind, {"radius": size, "height": 4.0})


def set_up(played, kinds=SOLIDS):
    """Play the calls of nodes with a shape of their own: made, put into a space and freed; each second one is removed before.
    Return the number of calls that Python had to answer."""
    call, place = played.made.call, PLACES[0]
    before = played.made.handed_over
    for number in range(20):
        kind = kinds[number % len(kinds)]
        shape = call(f"_{kind}_shape_create")
        for version in (0, 1):  # as it is made, and as the user wants it
            call("_shape_set_data", shape, (data_of if kind in BLOCK_KINDS else _sizes_of)(kind, version))
        body = call("_body_create")
        call("_body_attach_object_instance_id", body, 77)
        call("_body_set_mode", body, 2)
        call("_body_set_state_sync_callback", body, CALLABLE_WORD)
        call("_body_add_shape", body, shape, place, False)
        call("_body_set_shape_transform", body, 0, PLACES[1])
        call("_body_set_param", body, 2, 3.0)
        call("_body_set_collision_layer", body, 6)
        call("_body_set_space", body, played.spaces[0])
        call("_body_set_ray_pickable", body, True)
        if number % 2:
            call("_body_set_space", body, 0)
            call("_body_remove_shape", body, 0)
            call("_free_rid", shape)
            call("_free_rid", body)
        else:
            call("_free_rid", body)
            call("_free_rid", shape)
    return played.made.handed_over - before
