"""Tiles from anywhere: whatever stands in a file whose checksums are right, nobody dies, nothing hangs, the world goes on."""

import json
import os
import select
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from scree.shapes import schema, settings
from scree.shapes.cooking import Cooked
from scree.streaming import tile_file
from scree.streaming.baking import INDEX, Bake, read_index
from tests.sizes import size
from tests.streaming import tile_mutants
from tests.streaming.tile_mutants import Mutant

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = int(size(500, in_full=100_000))
FIRST = int(os.environ.get("SCREE_FIRST_MUTANT", 0))
AT_A_TIME = 2000
LONGEST = 10.0  # [s] that a mutant may take on a busy machine; they take milliseconds


class Players:
    """The process that plays mutants, and what it says."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.streaming.tile_mutants"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.unread = b""
        assert self.line(600.0) == "ready"

    def line(self, timeout: float) -> str | None:
        """The next line, or None: nothing was said for so long [s]."""
        while b"\n" not in self.unread:
            if not select.select([self.process.stdout], [], [], timeout)[0]:
                return None
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            assert got, "the process that plays mutants has ended"
            self.unread += got
        line, self.unread = self.unread.split(b"\n", 1)
        return line.decode()

    def play(self, first: int, last: int, verdicts: Counter) -> list[str]:
        """Play the mutants of these seeds; what should not have been."""
        faults, child, seed = [], 0, first
        while seed < last:
            self.process.stdin.write(f"{seed} {last}\n".encode())
            self.process.stdin.flush()
            while True:
                line = self.line(LONGEST)
                if line is None:
                    faults.append(f"mutant {seed} hangs")
                    os.kill(child, signal.SIGKILL)
                    continue
                if line.startswith("ended"):
                    if line != "ended 0" and not (faults and faults[-1].endswith("hangs")):
                        faults.append(f"mutant {seed} {line}")
                    seed += 1
                    break
                if line.startswith("begin"):
                    _, child, seed = (int(word) if word.isdigit() else word for word in line.split())
                else:
                    verdicts[line.split()[0].rstrip(":")] += 1
                    if line.startswith("raised"):
                        faults.append(f"mutant {seed} {line}")
        return faults

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait(30)


@pytest.mark.needs("posix")  # it waits for a pipe with select
def test_mutants_with_right_checksums_harm_nobody():
    players, verdicts, faults = Players(), Counter(), []
    for first in range(FIRST, FIRST + MUTANTS, AT_A_TIME):
        faults += players.play(first, min(first + AT_A_TIME, FIRST + MUTANTS), verdicts)
    players.end()
    print(f"{MUTANTS} mutants of tiles with right checksums: {dict(verdicts)}, {len(faults)} crash, hang or raise")
    assert faults == []
    assert verdicts["played"] > MUTANTS // 20 and verdicts["refused"] > MUTANTS // 5


def a_tile(*shapes) -> bytes:
    bake = Bake()
    for number in [bake.add_shape(shape) for shape in shapes]:
        bake.add_body((10.0, 0.0, 10.0), number)
    return bake.encode((0, 0))[0]


def refusal(tile: bytes, change) -> str:
    """Why a tile is refused after `change(mutant)`, with checksums that are right again; its sections are views by name."""
    mutant = object.__new__(Mutant)
    mutant.lay_open(tile)
    change(mutant)
    with pytest.raises(tile_file.TileDamaged) as error:
        tile_file.decode(mutant.bytes(), "some/tile")
    assert "some/tile" in str(error.value) and "\n" not in str(error.value)
    return str(error.value)


def shape_row(mutant, number=0):
    return mutant.sections["shapes"].view(schema.SHAPE)[number]


def block_of(mutant, dtype, number=0):
    begin = int(shape_row(mutant, number)["block"])
    return mutant.sections["blocks"][begin : begin + dtype.itemsize].view(dtype)[0]


@pytest.mark.parametrize("kind", [-1, schema.TRIANGLE, schema.PLANE, schema.HEIGHT_FIELD, schema.COMPOUND, schema.CUSTOM, 16, 99])
def test_kinds_that_no_tile_holds(kind):
    def change(mutant):
        shape_row(mutant)["kind"] = shape_row(mutant)["user_kind"] = kind

    random = np.random.default_rng(1)
    assert "shape 0 is of a kind" in refusal(a_tile(settings.Hull.checked(random.normal(size=(9, 3)))), change)


def test_two_shapes_cannot_share_a_block():
    def change(mutant):
        shape_row(mutant, 1)["block"] = shape_row(mutant, 0)["block"]

    random = np.random.default_rng(1)
    hulls = [settings.Hull.checked(random.normal(size=(9, 3))) for _ in range(2)]
    assert "the block of shape 1" in refusal(a_tile(*hulls), change)


def test_nodes_in_a_ring_or_shared_are_no_tree():
    random = np.random.default_rng(1)
    mesh = a_tile(settings.Mesh.checked(random.uniform(0, 50, (300, 3)), random.integers(0, 300, (900, 3)), False))

    def nodes(mutant):
        block = block_of(mutant, schema.MESH_BLOCK)
        begin = int(shape_row(mutant)["block"]) + int(block["nodes"])
        end = begin + int(block["node_count"]) * schema.MESH_NODE.itemsize
        return mutant.sections["blocks"][begin:end].view(schema.MESH_NODE)

    def in_a_ring(mutant):
        nodes(mutant)["entries"][1, 0] = 0

    def shared(mutant):
        entries = nodes(mutant)["entries"]
        assert entries[0, 1] > 0
        entries[0, 0] = entries[0, 1]

    for change in (in_a_ring, shared):
        assert "are no tree" in refusal(mesh, change)


def test_bodies_cannot_have_the_same_shapes_over_and_over():
    def change(mutant):
        bodies = mutant.sections["bodies"].view(tile_file.NEW_BODY)
        bodies["first_shape"], bodies["shape_count"] = 0, len(bodies)

    boxes = [settings.Box.checked((1.0, 1.0, 1.0 + k)) for k in range(5)]
    assert "body 1 has shapes that are not its own" in refusal(a_tile(*boxes), change)


def test_a_height_field_in_a_tile_carries():
    """Its block holds addresses as those of meshes do."""
    stage = tile_mutants.Stage()
    flat = settings.HeightField.checked(9, 9, np.full(81, 2.0))
    data = tile_file.decode(tile_mutants.aligned(a_tile(flat)), "a tile")
    batch = tile_mutants.BodyBatch(stage.queue, data.bodies, data.new_shapes, data.cooked, data.origin, keeps=data)
    batch.push()
    stage.queue.advance()
    ball = stage.small.add(stage.small.sphere(0.5), (10.3, 3.0, 10.2))
    stage.small.step(60)
    assert abs(stage.small.position(ball)[1] - 2.5) < 0.02
    batch.remove()


@pytest.mark.parametrize(("name", "value"), [
    ("tile_size", float("inf")), ("tile_size", 1e300), ("tiles", {"../x": {}}), ("tiles", {f"tile_{1 << 40}_0.screetile": {}}),
    ("scenes", [3]), ("scenes", [{"name": "a", "position": [0, 0, 0], "encounter_radius": 1e8, "activation_radius": 1}]),
    ("scenes", [{"name": "a", "position": [0, None, 0], "encounter_radius": 1, "activation_radius": 1}]),
    ("scenes", [{"name": "a", "position": [0, 0, 0], "encounter_radius": -1, "activation_radius": 1}]),
])  # fmt: skip
def test_an_index_from_anywhere(tmp_path, name, value):
    index = {"version": 1, "tile_size": 64.0, "tiles": {}, "scenes": [], name: value}
    (tmp_path / INDEX).write_text(json.dumps(index))
    with pytest.raises(tile_file.TileDamaged, match=INDEX):
        read_index(tmp_path)


def test_an_index_nested_without_end(tmp_path):
    (tmp_path / INDEX).write_text("[" * 100_000)
    with pytest.raises(tile_file.TileDamaged, match=INDEX):
        read_index(tmp_path)


def test_what_a_tile_cannot_hold_is_not_baked():
    bake = Bake()
    box = bake.add_shape(settings.Box.checked((1.0, 1.0, 1.0)))
    with pytest.raises(ValueError, match="unit quaternions"):
        bake.add_body((0, 0, 0), box, (0.0, 0.0, 0.0, 2.0))
    with pytest.raises(ValueError, match="finite"):
        bake.add_body((0, 0, 0), box, friction=float("nan"))
    with pytest.raises(ValueError, match="custom"):
        bake.add_cooked(Cooked(schema.CUSTOM, {}))
