"""The loader compiles for every system it is written for. Only Linux's is run by the tests; the others are not."""

import pytest

from scree.tools import build_loader, places
from scree.tools.build_loader import TARGETS, LoaderNotBuilt, build

SOURCE = places.addon_source() / "native" / "loader.c"
FIRST_BYTES = {"linux": b"\x7fELF", "windows": b"MZ", "macos": b"\xcf\xfa\xed\xfe"}


@pytest.mark.parametrize("target", TARGETS, ids="-".join)
def test_the_loader_compiles_for(target, tmp_path):
    library = build(SOURCE, tmp_path / TARGETS[target][0], build_loader.cross_compiler(target), target[0])
    content = library.read_bytes()
    assert content.startswith(FIRST_BYTES[target[0]])
    assert b"scree_init" in content
    assert [path.name for path in tmp_path.iterdir()] == [library.name]


def test_this_machines_compiler_makes_a_library_that_opens(tmp_path):
    import ctypes

    system = build_loader.this_machine()[0]
    library = build(SOURCE, tmp_path / build_loader.library_name(), build_loader.compiler(), system)
    assert ctypes.CDLL(str(library)).scree_init


def test_a_fault_in_the_source_is_said_in_the_compilers_words(tmp_path):
    source = tmp_path / "loader.c"
    source.write_text("int broken(void) { return missing_name; }\n")
    with pytest.raises(LoaderNotBuilt, match="missing_name"):
        build(source, tmp_path / "a.so", build_loader.compiler(), "linux")
    assert [path.name for path in tmp_path.iterdir()] == ["loader.c"]


def test_no_compiler_at_all_is_said(monkeypatch, tmp_path):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(build_loader.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LoaderNotBuilt, match="apt install gcc"):
        build_loader.compiler()


def test_an_addon_without_source_is_said(tmp_path):
    with pytest.raises(LoaderNotBuilt, match="loader.c is missing"):
        build_loader.build_for_this_machine(tmp_path)
