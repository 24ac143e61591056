"""The pack of an exported game: whole, cut off, inside a program, and what is no pack."""

import struct

import pytest

pytest.importorskip("scree.tools")
from scree.tools import game_pack  # noqa: E402

FILES = {"a.txt": b"first", "folder/b.bin": bytes(range(100))}


def pack(layout: int, flags: int = 0) -> bytes:
    """A pack of FILES in one of the two layouts: the directory before the files, or behind them."""
    names = [(name.encode() + bytes(-len(name) % 4), content) for name, content in FILES.items()]
    content = b"".join(FILES.values())
    directory, offset = struct.pack("<I", len(names)), 0
    for name, data in names:
        directory += struct.pack("<I", len(name)) + name + struct.pack("<2Q16xI", offset, len(data), 0)
        offset += len(data)
    first = 40 + 64 if layout == 3 else 32 + 64 + len(directory)
    header = struct.pack("<4s5IQ", b"GDPC", layout, 4, 6, 3, flags, first)
    if layout == 3:
        return header + struct.pack("<Q64x", first + len(content)) + content + directory
    return header + bytes(64) + directory + content


@pytest.fixture(params=[2, 3])
def whole(request, tmp_path):
    file = tmp_path / "game.pck"
    file.write_bytes(pack(request.param))
    return file


def test_it_tells_the_version_of_godot(whole):
    assert game_pack.godot_version(whole) == (4, 6, 3) and not game_pack.is_inside(whole)


def test_every_cut_is_noticed(whole):
    content = whole.read_bytes()
    for end in range(len(content)):
        whole.write_bytes(content[:end])
        with pytest.raises(game_pack.PackDamaged, match="no pack" if end < 32 else "cut off"):
            game_pack.godot_version(whole)


def test_it_may_be_at_the_end_of_a_program(whole):
    content, program = whole.read_bytes(), whole.with_suffix(".x86_64")
    program.write_bytes(b"program" * 50 + content + struct.pack("<Q4s", len(content), b"GDPC"))
    assert game_pack.is_inside(program) and game_pack.godot_version(program) == (4, 6, 3)


@pytest.mark.parametrize("content", [b"", b"GDPC", b"x" * 1000, struct.pack("<Q4s", 2**60, b"GDPC")])
def test_what_is_no_pack(tmp_path, content):
    file = tmp_path / "none"
    file.write_bytes(content)
    assert not game_pack.is_inside(file)
    with pytest.raises(game_pack.PackDamaged, match="no pack"):
        game_pack.godot_version(file)


def test_what_is_encrypted_or_newer_is_believed(tmp_path):
    for layout, flags in ((3, 1), (9, 0)):
        file = tmp_path / "game.pck"
        file.write_bytes(pack(layout, flags)[:120])
        assert game_pack.godot_version(file) == (4, 6, 3)
