"""Tile files: what is written is read; what is damaged in any way is refused with one clear error that names the file."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from scree.shapes import schema, settings
from scree.streaming import tile_file
from scree.streaming.baking import INDEX, Bake, read_index
from tests.sizes import size
from tests.streaming.worlds import bake_world, rocks

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tile(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tile")
    bake = Bake()
    numbers = [bake.add_shape(rock) for rock in rocks()]
    random = np.random.default_rng(3)
    flat = settings.Mesh.checked(random.uniform(0, 50, (60, 3)), random.integers(0, 60, (80, 3)), False)
    numbers.append(bake.add_shape(flat))
    for k in range(60):
        bake.add_body(random.uniform(0, 255, 3), numbers[k % len(numbers)])
    bake.add_body((1.0, 2.0, 3.0), [(0, (0, 1, 0), (0, 0, 0, 1)), (1, (2, 0, 0), (0, 1, 0, 0))])
    bake.write(folder)
    return folder / tile_file.tile_name((0, 0))


def test_what_was_baked_is_read(tile):
    data = tile_file.read(tile)
    assert data.tile == (0, 0) and len(data.bodies) == 61 and len(data.cooked) == 5
    for row, rock in zip(data.cooked[:4], rocks(), strict=True):
        cooked = rock.cook()
        np.testing.assert_array_equal(row["bounds"], np.float32(cooked.fields["bounds"]))
        block = _record(int(row["block"]), schema.HULL_BLOCK)
        vertices = _record(int(block["vertices"]), np.dtype("f4"), 3 * int(block["vertex_count"]))
        np.testing.assert_array_equal(vertices.reshape(-1, 3), cooked.block.arrays["vertices"])
        planes = _record(int(block["planes"]), np.dtype("f4"), 4 * int(block["face_count"]))
        np.testing.assert_array_equal(planes.reshape(-1, 4), cooked.block.arrays["planes"])
    mesh = _record(int(data.cooked[4]["block"]), schema.MESH_BLOCK)
    assert mesh["node_count"] > 0 and mesh["materials"] == 0


def _record(address, dtype, count=1):
    memory = (ctypes.c_char * (dtype.itemsize * count)).from_address(address)
    rows = np.frombuffer(memory, dtype)
    return rows if count > 1 else rows[0]


def refusal(path: Path) -> str:
    """The error of reading a file; the error must name it."""
    with pytest.raises(tile_file.TileDamaged) as error:
        tile_file.read(path)
    assert str(path) in str(error.value) and "\n" not in str(error.value)
    return str(error.value)


def test_cut_at_every_hundredth_byte(tile, tmp_path):
    whole, cut = tile.read_bytes(), tmp_path / "cut.screetile"
    for length in range(0, len(whole), 100):
        cut.write_bytes(whole[:length])
        assert "cut off" in refusal(cut)


def test_any_flipped_bit_is_seen(tile, tmp_path):
    """Every byte of header and table, and every 17th of the rest: no flip passes, but in the gaps between sections."""
    whole = bytearray(tile.read_bytes())
    table = np.frombuffer(bytes(whole), tile_file.SECTION, 5, tile_file.HEADER.itemsize)
    inside = np.zeros(len(whole), bool)
    inside[: tile_file.HEADER.itemsize + table.nbytes] = True
    for section in table:
        inside[int(section["offset"]) : int(section["offset"]) + int(section["size"])] = True
    flipped, head = tmp_path / "flipped.screetile", tile_file.HEADER.itemsize + table.nbytes
    for at in [*range(head), *range(head, len(whole), 17)]:
        whole[at] ^= 1 << (at % 8)
        flipped.write_bytes(whole)
        if inside[at]:
            refusal(flipped)
        whole[at] ^= 1 << (at % 8)


def test_other_versions_say_what_to_do(tile, tmp_path):
    other = tmp_path / "other.screetile"
    for field, value, words in (("version", 7, "version 7"), ("layout", 1, "another version"), ("magic", b"GIF89a", "no tile")):
        whole = np.frombuffer(tile.read_bytes(), np.uint8).copy()
        header = whole[: tile_file.HEADER.itemsize].view(tile_file.HEADER)
        header[field], header["checksum"] = value, 0
        size = tile_file.HEADER.itemsize + int(header["section_count"][0]) * tile_file.SECTION.itemsize
        header["checksum"] = zlib.crc32(whole[:size])
        other.write_bytes(whole)
        assert words in refusal(other)
    assert "cannot be read" in refusal(tmp_path / "none.screetile")
    other.unlink()
    other.mkdir()
    assert "cannot be read" in refusal(other)


def test_a_file_cut_short_while_it_is_in_use_harms_nothing(tile, tmp_path):
    copy = tmp_path / "copy.screetile"
    copy.write_bytes(tile.read_bytes())
    data = tile_file.read(copy)
    os.truncate(copy, 100)
    again = tile_file.read(tile)
    np.testing.assert_array_equal(data.bodies, again.bodies)
    assert data.memory.sum() > 0


def test_a_file_cut_and_grown_while_it_is_read_is_whole_or_refused(tile, tmp_path):
    copy, whole, stop = tmp_path / "copy.screetile", tile.read_bytes(), threading.Event()
    copy.write_bytes(whole)

    def cut() -> None:
        random = np.random.default_rng(1)
        with open(copy, "r+b", buffering=0) as file:
            while not stop.is_set():
                file.truncate(int(random.integers(len(whole))))
                file.seek(0)
                file.write(whole)

    cutter = threading.Thread(target=cut)
    cutter.start()
    answers = set()
    try:
        for _ in range(400):
            try:
                answers.add(len(tile_file.read(copy).bodies))
            except tile_file.TileDamaged as error:
                assert str(copy) in str(error)
                answers.add("refused")
    finally:
        stop.set()
        cutter.join()
    assert answers <= {61, "refused"} and "refused" in answers


def test_a_body_larger_than_a_tile_is_refused():
    bake = Bake(64.0)
    box = bake.add_shape(settings.Box.checked((100.0, 1.0, 1.0)))
    with pytest.raises(ValueError, match="cut it"):
        bake.add_body((0, 0, 0), box)
    with pytest.raises(ValueError, match="finite"):
        bake.add_body((float("nan"), 0, 0), bake.add_shape(settings.Sphere.checked(1.0)))


def test_a_second_bake_writes_only_what_changed(tmp_path):
    first = bake_world(tmp_path, side=4)
    assert first["written"] == 16
    again = bake_world(tmp_path, side=4)
    assert again["written"] == 0 and again["kept"] == 16
    path = tmp_path / tile_file.tile_name((0, 0))
    path.write_bytes(path.read_bytes()[:-1])
    assert bake_world(tmp_path, side=4)["written"] == 1, "a damaged file is made anew"
    assert bake_world(tmp_path, side=2)["removed"] == 12
    assert len(read_index(tmp_path)["tiles"]) == 4


def test_a_damaged_index_is_named(tmp_path):
    for text in ("", "{", "[]", '{"version": 99}', '{"version": 1, "tile_size": -1, "tiles": {}, "scenes": []}'):
        (tmp_path / INDEX).write_text(text)
        with pytest.raises(tile_file.TileDamaged, match=INDEX):
            read_index(tmp_path)


NURSERY = """
import os, sys
from pathlib import Path
from tests.streaming.worlds import bake_world
folder = Path(sys.argv[1])
bake_world(folder, side=6, bodies=12)
print("begin", flush=True)
for line in sys.stdin:
    child = os.fork()  # starting Python anew is what would take long
    if child == 0:
        seed = int(line)
        while True:
            bake_world(folder, side=6, bodies=12, seed=seed % 2)
            seed += 1
    print(child, flush=True)
    os.waitpid(child, 0)
"""


def check_folder(folder: Path) -> int:
    """Every file that is there under its name is whole; how many."""
    files = list(folder.glob(f"*{tile_file.SUFFIX}"))
    for path in files:
        tile_file.read(path)
    return len(files)


KILLS = size(25, in_full=100)


def wait_for_a_file_being_written(folder: Path, seconds: float) -> None:
    """At most this long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not any(".unfinished" in name for name in os.listdir(folder)):
        pass


@pytest.mark.needs("posix")  # the bakers are forked
def test_bakers_killed_at_any_moment_leave_whole_files(tmp_path):
    """Every second one is killed at any moment, the others as soon as a file is seen that is being written."""
    random = np.random.default_rng(5)
    unfinished = 0
    with subprocess.Popen([sys.executable, "-c", NURSERY, str(tmp_path)], cwd=ROOT, stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=1) as nursery:  # fmt: skip
        assert nursery.stdout.readline() == "begin\n"
        for kill in range(KILLS):
            for left in tmp_path.glob(".*.unfinished"):
                left.unlink()
            nursery.stdin.write(f"{kill}\n")
            baker = int(nursery.stdout.readline())
            time.sleep(float(random.uniform(0.0, 0.12)))
            if kill % 2:
                wait_for_a_file_being_written(tmp_path, 2.0)
            os.kill(baker, signal.SIGKILL)
            assert check_folder(tmp_path) == 36
            unfinished += bool(list(tmp_path.glob(".*.unfinished")))
        nursery.stdin.close()
    print(f"{KILLS} bakers killed, {unfinished} of them in the middle of a file")
    assert unfinished >= KILLS // 20
    bake_world(tmp_path, side=6, bodies=12)
    assert not list(tmp_path.glob(".*.unfinished")), "the next bake clears away what the dead one left"
    assert len(read_index(tmp_path)["tiles"]) == check_folder(tmp_path) == 36


@pytest.mark.needs("posix")
def test_a_baker_out_of_disk_space_says_so_and_keeps_what_was_there(tmp_path):
    bake_world(tmp_path, side=2, bodies=12)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
        with pytest.raises(OSError, match="File too large"):
            bake_world(tmp_path, side=2, bodies=60)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
