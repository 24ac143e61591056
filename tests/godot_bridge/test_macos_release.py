"""The release for macOS as far as it can be looked at without a Mac: every part is there, for the right processor, loads nothing
that a Mac does not have, and is signed where that is needed."""

import functools
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from scree.tools import find_godot, macho, other_system, release, release_python, release_source  # noqa: E402
from tests.built_libraries import need_library, need_system  # noqa: E402


@pytest.fixture(scope="module", params=["arm64", "x86_64"])
def released(request, tmp_path_factory) -> tuple[str, Path]:
    """A processor, and the folder of the system in a released addon."""
    target = ("macos", request.param)
    need_system(functools.partial(other_system.macos, request.param))
    need_library(target)
    made = release.make(tmp_path_factory.mktemp("macos"), find_godot.find_godot(fetch=False), [target])
    assert made.packed < 10e6 and made.unpacked < 30e6
    assert f'macos.{request.param} = "res://addons/scree/bin/macos' in (made.folder / "scree.gdextension").read_text()
    return request.param, made.folder / "bin" / ".".join(target)


def test_every_library_can_be_loaded_there(released):
    architecture, folder = released
    libraries = [file for file in folder.rglob("*") if file.suffix in (".so", ".dylib")]
    assert {"libscree.macos", "libscree_core.macos", "libpython3", "math"} <= {
        file.name.rpartition(f".{architecture}")[0] or file.name.split(".")[0] for file in libraries
    }
    for file in libraries:
        data = file.read_bytes()
        assert macho.part_of(data, architecture) == data, file
        assert architecture != "arm64" or macho.has_whole_signature(data), file
        for name in macho.loaded_libraries(data):
            beside = Path(name.replace("@loader_path", str(file.parent)))
            assert name.startswith(("/usr/lib/", "/System/")) or beside.resolve().is_file(), (file, name)


def test_it_has_the_modules_of_the_release_for_linux(released):
    architecture, folder = released
    of_linux = release_python.modules(release_source.of_this_machine())
    there = {file.name.removesuffix(".so") for file in (folder / "scree" / "modules").glob("*.so")}
    assert set(of_linux.extensions) <= there
