"""Tile files as nobody baked them: parts of good ones changed at random, with checksums that are right again.

    python -m tests.streaming.tile_mutants

reads lines of two seeds from its input, plays the mutants from the first to before the second in a process of their own, and
prints each seed before it is played and what became of it. Whoever reads notices who dies or hangs, and at which seed.
"""

import os
import sys
import zlib
from pathlib import Path

import numpy as np

from scree.core.batches import BatchQueue, BodyBatch
from scree.bodies.schema import STATIC
from scree.batches.body_batches import NEW_BODY, NEW_SHAPE
from scree.core.queries import Queries
from scree.shapes import schema, settings
from scree.streaming import tile_file
from scree.streaming.baking import Bake

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "world"))
from small_world import SmallWorld  # noqa: E402

TILE = 64.0
FLOATS = (
    np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, 1e-38, 1e-20, 1.0, -1.0, 1e3, -1e6, 1e9, -1e9, 1.1e9, 1e15, -1e15,
    3e38, -3e38, 1e300,
)  # fmt: skip
INTS = (0, 1, -1, 2, 7, 8, 9, 15, 16, 63, 64, 127, 128, 255, 256, 511, 512, 1 << 15, 1 << 16, 1 << 24, (1 << 31) - 1, -(1 << 31),
        1 << 32, (1 << 62), (1 << 63) - 1, -(1 << 63))  # fmt: skip
ROWS = {"bodies": NEW_BODY, "new_shapes": NEW_SHAPE, "shapes": schema.SHAPE}


def good_tiles() -> list[bytes]:
    """Small tiles of every kind of shape that a tile holds: hulls, meshes and height fields with and without materials, round
    ones, and a body of many shapes."""
    random = np.random.default_rng(11)
    table = [[0.1, 0.9], [1.0, 0.0], [0.5, 0.5]]
    x, z = np.meshgrid(np.arange(9.0), np.arange(9.0))
    ground = np.stack((x, 0.2 * np.sin(x + z), z), -1).reshape(-1, 3)
    corner = (np.arange(8)[:, None] * 9 + np.arange(8)).ravel()
    halves = (corner, corner + 9, corner + 1), (corner + 1, corner + 9, corner + 10)
    triangles = np.concatenate([np.stack(half, 1) for half in halves])
    heights = 0.3 * random.normal(size=7 * 6)
    heights[9] = np.nan
    hulls = [settings.Hull.checked(random.normal(size=(count, 3))) for count in (6, 16)]
    meshes = [
        settings.Mesh.checked(ground, triangles, False),
        settings.Mesh.checked(ground, triangles, True, random.integers(0, 3, len(triangles)), table),
    ]
    fields = [
        settings.HeightField.checked(7, 6, heights),
        settings.HeightField.checked(7, 6, heights, random.integers(0, 3, (5, 6)), table),
    ]
    plain = [
        settings.Sphere.checked(0.7), settings.Box.checked((0.5, 0.6, 0.7)), settings.Capsule.checked(0.4, 2.0),
        settings.Cylinder.checked(0.5, 1.0), settings.TaperedCapsule.checked(0.5, 0.3, 0.6),
        settings.TaperedCylinder.checked(0.5, 0.3, 0.6), settings.Ellipsoid.checked((0.4, 0.6, 0.9)),
        settings.SeparationRay.checked(1.0, True), settings.Hull.checked(np.empty((0, 3))),
    ]  # fmt: skip
    tiles = []
    groups = ((*hulls, *plain[:2]), (*meshes, plain[1]), (*fields, plain[0]), (*plain, hulls[0]), (*hulls, meshes[1], fields[1]))
    for chosen in groups:
        bake = Bake(TILE)
        numbers = [bake.add_shape(one) for one in chosen]
        for k in range(8):
            turn = random.normal(size=4)
            place = (4.0 + 6.0 * (k % 4), 0.0, 4.0 + 6.0 * (k // 4))
            bake.add_body(place, numbers[k % len(numbers)], turn / np.linalg.norm(turn) if k % 2 else (0.0, 0.0, 0.0, 1.0))
        parts = [(numbers[k % len(numbers)], (1.5 * k, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)) for k in range(10)]
        bake.add_body((4.0, 0.0, 20.0), parts)
        tiles.append(bake.encode((0, 0))[0])
    return tiles


class Mutant:
    """A copy of a tile's bytes that is changed step by step."""

    def __init__(self, tile: bytes, seed: int):
        self.random = np.random.default_rng(seed)
        self.lay_open(tile)
        ways = (
            self.flip_bits, self.set_word, self.set_field, self.set_block_field, self.nudge, self.copy_piece, self.change_kind,
            self.move_vertex, self.change_head,
        )  # fmt: skip
        for _ in range(self.pick((1, 1, 1, 2, 3))):
            self.pick(ways)()

    def lay_open(self, tile: bytes) -> None:
        """Copy the bytes of a tile; `sections` are views of them by name."""
        self.memory = aligned(tile)
        self.header = self.memory[: tile_file.HEADER.itemsize].view(tile_file.HEADER)
        self.head_bytes = tile_file.HEADER.itemsize + int(self.header["section_count"][0]) * tile_file.SECTION.itemsize
        self.table = self.memory[tile_file.HEADER.itemsize : self.head_bytes].view(tile_file.SECTION)
        self.sections = {
            section["name"].decode(): self.memory[int(section["offset"]) : int(section["offset"]) + int(section["size"])]
            for section in self.table
        }

    def pick(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def below(self, count: int) -> int:
        return int(self.random.integers(count))

    def section(self) -> np.ndarray:
        """One of the sections, those that hold something; small ones as often as large ones."""
        return self.pick([data for data in self.sections.values() if len(data) >= 8])

    def flip_bits(self) -> None:
        data = self.section()
        for _ in range(self.pick((1, 1, 4, 64))):
            data[self.below(len(data))] ^= np.uint8(1 << self.below(8))

    def write(self, data: np.ndarray, at: int, dtype: np.dtype) -> None:
        """An extreme value to a place."""
        values = FLOATS if dtype.kind == "f" else INTS
        with np.errstate(over="ignore"):
            if dtype.kind == "f":
                word = np.array([self.pick(values)]).astype(dtype)
            else:
                word = np.array([self.pick(values)], np.int64).astype(dtype)
        data[at : at + dtype.itemsize] = word.view(np.uint8)

    def set_word(self) -> None:
        data, dtype = self.section(), np.dtype(self.pick(("f4", "i4", "i8", "f8", "u1")))
        self.write(data, self.below(len(data) // 8) * 8, dtype)

    def row_of(self, dtype: np.dtype, data: np.ndarray, at: int) -> None:
        """An extreme value in a field of a row that begins at a place."""
        name = self.pick(dtype.names)
        field, offset = dtype.fields[name][:2]
        element = field.base
        count = max(field.itemsize // element.itemsize, 1)
        self.write(data, at + offset + element.itemsize * self.below(count), element)

    def set_field(self) -> None:
        name = self.pick(tuple(ROWS))
        data, size = self.sections[name], ROWS[name].itemsize
        self.row_of(ROWS[name], data, self.below(len(data) // size) * size)

    def block(self) -> tuple[np.void, np.ndarray, np.dtype] | None:
        """Some shape with a block, where it begins, and the type of its record."""
        rows = self.sections["shapes"].view(schema.SHAPE)
        with_block = np.flatnonzero((rows["block"] >= 0) & (rows["block"] < len(self.sections["blocks"]) - 256))
        if not len(with_block):
            return None
        row = rows[self.pick(with_block)]
        record = schema.HULL_BLOCK if row["kind"] == schema.HULL else schema.MESH_BLOCK
        return row, self.sections["blocks"][int(row["block"]) :], record

    def set_block_field(self) -> None:
        found = self.block()
        if found:
            self.row_of(found[2], found[1], 0)

    def nudge(self) -> None:
        """A number a little larger or smaller: what is off by one."""
        data, dtype = self.section(), np.dtype(self.pick(("i4", "i8", "f4")))
        at = self.below(len(data) // 8) * 8
        word = data[at : at + dtype.itemsize].view(dtype)
        with np.errstate(all="ignore"):
            word[0] += dtype.type(self.pick((1, -1, 2, 8, 16, 64, -64, 128)))

    def copy_piece(self) -> None:
        source, target, size = self.section(), self.section(), self.pick((4, 8, 32, 128))
        size = min(size, len(source), len(target))
        begin, to = self.below((len(source) - size) // 4 + 1) * 4, self.below((len(target) - size) // 4 + 1) * 4
        target[to : to + size] = source[begin : begin + size].copy()

    def change_kind(self) -> None:
        rows = self.sections["shapes"].view(schema.SHAPE)
        row = rows[self.below(len(rows))]
        row["kind"] = self.below(18) - 1
        row["user_kind"] = row["kind"] if self.below(2) else self.below(18) - 1
        if self.below(2):
            row["block"] = self.pick((-1, 0, 64, 256))
        if self.below(2):
            row["radius"] = row["half_height"] = row["length"] = self.pick((1.0, 1e-15, 1e9))
            row["half_extents"] = self.pick((1.0, 1e-15, 1e9))

    def move_vertex(self) -> None:
        """A corner of a hull or mesh somewhere else, and what tells of it made to agree: what no comparison can see."""
        found = self.block()
        if found is None:
            return
        row, data, record = found
        head = data[: record.itemsize].view(record)[0]
        count, begin = int(head["vertex_count"]), int(head["vertices"])
        if not (0 < count < 10_000 and 0 < begin <= len(data) - 12 * count):
            return
        vertices = data[begin : begin + 12 * count].view(np.float32).reshape(-1, 3)
        values = (0.0, 1e-30, 1e-9, 1.0, -5.0, 1e4, -1e9, 1e9)
        for _ in range(self.pick((1, 3, 10))):
            vertices[self.below(count), self.below(3)] = self.pick(values)
        with np.errstate(invalid="ignore"):
            row["bounds"] = np.concatenate((vertices.min(0), vertices.max(0)))
            if record is schema.MESH_BLOCK:
                head["reach"] = np.abs(vertices).max()

    def change_head(self) -> None:
        if self.below(2):
            section = self.table[self.below(len(self.table))]
            other = self.table[self.below(len(self.table))]
            name = self.pick(("offset", "size", "name"))
            if name == "name":
                section["name"] = self.pick((other["name"], b"bodies", b"", b"\xff\xfe"))
            else:
                a_little_more = int(section[name]) + 64 & (1 << 64) - 1
                section[name] = self.pick((other[name], 0, 64, len(self.memory), 1 << 40, (1 << 64) - 64, a_little_more))
        else:
            self.header["origin"][0, self.below(3)] = self.pick(FLOATS)

    def bytes(self) -> np.ndarray:
        """The mutant with right checksums, at an aligned address."""
        for section in self.table:
            begin, size = int(section["offset"]), int(section["size"])
            if begin + size <= len(self.memory):
                section["checksum"] = zlib.crc32(self.memory[begin : begin + size])
        self.header["checksum"] = 0
        self.header["checksum"] = zlib.crc32(self.memory[: self.head_bytes])
        return self.memory


def aligned(data: bytes) -> np.ndarray:
    """A copy of bytes at an address as a file's."""
    memory = np.zeros(len(data) + tile_file.ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % tile_file.ALIGNMENT
    memory[start : start + len(data)] = np.frombuffer(data, np.uint8)
    return memory[start : start + len(data)]


class Stage:
    """A world on which mutants are played: each comes in, is fallen on, asked about in every way, and goes."""

    def __init__(self):
        self.small = SmallWorld(sleeps=True)
        self.world, self.system = self.small.world, self.small.system
        self.queue = BatchQueue(self.world, self.system, tends=True)
        self.queries = Queries(self.world)
        points = np.random.default_rng(2).normal(size=(12, 3)) * 0.4
        hull = self.world.shape.create(schema.HULL)
        self.world.shapes.set_hull(self.world.shape.index("hull", hull), points)
        self.shapes = [self.small.sphere(0.4), self.small.box(0.4, 0.3, 0.5), self.small.capsule(0.3, 1.2), hull]
        self.anchor = self.small.add(self.shapes[1], (-200.0, 0.0, -200.0), mode=STATIC)

    def play(self, mutant: np.ndarray) -> str:
        """The fate of a mutant: "refused" with the reason, or "played". Raises what should not be."""
        try:
            data = tile_file.decode(mutant, "the mutant")
        except tile_file.TileDamaged as error:
            return f"refused: {error}"
        batch = BodyBatch(self.queue, data.bodies, data.new_shapes, data.cooked, data.origin, keeps=data)
        batch.push()
        self.queue.advance()
        places = (data.bodies["position"] + data.origin)[np.abs(data.bodies["position"] + data.origin).max(1) < 1e6]
        guests = [self.small.add(self.shapes[k % 4], tuple(place + (0.1, 0.6, 0.2))) for k, place in enumerate(places[:9])]
        for guest in guests[::3]:
            self.world.body.set_continuous(guest, True)
            self.small.throw(guest, (1.0, -60.0, 2.0))
        try:
            for _ in range(3):
                self.world.step(self.system, 1 / 60)
            where = np.array([self.small.position(guest) for guest in guests]).reshape(-1, 3)
            assert np.isfinite(where).all(), f"a body that met it is at {where[~np.isfinite(where).all(1)][0]}"
            self.ask(places[:9], guests)
        finally:
            for guest in guests:
                self.world.body.destroy(guest)
            batch.remove()
        self.world.step(self.system, 1 / 60)
        hit = self.queries.cast_ray(self.system, (-200.0, 5.0, -200.0), (-200.0, -5.0, -200.0))
        assert hit is not None and hit["body_id"] == self.anchor, "the world is not as it was"
        return "played"

    def ask(self, places: np.ndarray, guests: list) -> None:
        queries, system = self.queries, self.system
        queries.cast_rays(system, places + (0.1, 30.0, 0.2), places - (0.3, 30.0, 0.1))
        queries.cast_rays(system, places + (30.0, 0.1, 0.2), places - (30.0, 0.1, 0.3), hit_from_inside=True)
        for k, place in enumerate(places):
            shape = self.shapes[k % 4]
            queries.cast_shape(system, shape, place + (0.0, 5.0, 0.0), (0.0, -10.0, 0.0), "all")
            queries.cast_motion(system, shape, place + (0.0, 5.0, 0.0), (0.1, -10.0, 0.0))
            queries.intersect_shape(system, shape, place)
            queries.collide_shape(system, shape, place)
            queries.intersect_point(system, place)
        for guest in guests:
            queries.body_test_motion(guest, self.small.position(guest), (0.0, -1.0, 0.0))
        queries.collect_shapes(system, (12.0, 0.0, 12.0), (20.0, 20.0, 20.0))


def main() -> None:
    tiles, stage = good_tiles(), Stage()
    for tile in tiles:
        assert stage.play(aligned(tile)) == "played"
    print("ready", flush=True)
    for line in sys.stdin:
        first, last = map(int, line.split())
        child = os.fork()  # starting Python anew is what would take long
        if child == 0:
            for seed in range(first, last):
                print(f"begin {os.getpid()} {seed}", flush=True)
                try:
                    said = stage.play(Mutant(tiles[seed % len(tiles)], seed).bytes())
                except Exception as error:
                    said = f"raised {type(error).__name__}: {error}".replace("\n", " ")
                print(said, flush=True)
            os._exit(0)
        print(f"ended {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}", flush=True)


if __name__ == "__main__":
    main()
