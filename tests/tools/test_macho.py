"""Reading libraries of macOS: those that Zig makes here, which are signed as its linker does."""

import struct
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ziglang")
from scree.tools import macho  # noqa: E402
from scree.tools.build_loader import cross_compiler  # noqa: E402


@pytest.fixture(scope="module", params=["arm64", "x86_64"])
def library(request, tmp_path_factory) -> tuple[str, bytes]:
    """A processor, and a library for it."""
    folder: Path = tmp_path_factory.mktemp("macho")
    (folder / "code.c").write_text('#include <stdio.h>\nint say(void) { return puts("yes"); }\n')
    command = [*cross_compiler(("macos", request.param)), "-shared", str(folder / "code.c"), "-o", str(folder / "code.dylib")]
    subprocess.run(command, check=True)
    return request.param, (folder / "code.dylib").read_bytes()


def test_what_it_loads(library):
    assert macho.loaded_libraries(library[1]) == ["/usr/lib/libSystem.B.dylib"]


def test_a_change_breaks_the_signature(library):
    """Macs of x86-64 need none."""
    architecture, data = library
    assert macho.has_whole_signature(data) == (architecture == "arm64")
    changed = bytearray(data)
    changed[40] ^= 0
    assert macho.has_whole_signature(bytes(changed)) == (architecture == "arm64")
    changed[data.index(b"yes")] ^= 1
    assert not macho.has_whole_signature(bytes(changed))


def test_one_processor_of_several(library):
    architecture, data = library
    other = "x86_64" if architecture == "arm64" else "arm64"
    head = struct.pack(">2I", 0xCAFEBABE, 2)
    head += struct.pack(">5I", macho.PROCESSORS[other], 0, 4096, 8, 12) + struct.pack(
        ">5I", macho.PROCESSORS[architecture], 0, 8192, len(data), 12
    )
    several = head.ljust(8192, b"\0") + data
    assert macho.part_of(several, architecture) == macho.part_of(data, architecture) == data
    for wrong in (several, data, b"", b"\xca\xfe\xba\xbe\0\0\0\0", Path(sys.executable).resolve().read_bytes()):
        with pytest.raises(macho.NoLibrary, match=other):
            macho.part_of(wrong, other)
