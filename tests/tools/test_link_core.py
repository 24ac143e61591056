"""Linking intermediate code of several processes to one library."""

import ctypes

import pytest

pytest.importorskip("ziglang")
import llvmlite.binding as llvm  # noqa: E402
from scree.runtime import core_library  # noqa: E402
from scree.tools import build_core, link_core  # noqa: E402
from scree.tools.lower_core import Lowered  # noqa: E402

(HERE,) = build_core.targets([])
SOURCE = """
define i64 @shared(i64 %x) {{
  %y = mul i64 %x, 10
  ret i64 %y
}}
define i64 @maker.function() {{
  %x = call i64 @shared(i64 {number})
  ret i64 %x
}}
define i64 @cfunc.maker.function() {{
  %x = call i64 @maker.function()
  ret i64 %x
}}
"""


def lowered(name: str, number: int) -> Lowered:
    """An entry point that returns ten times a number. Its functions have names that do not tell the number, as those that one
    Python function makes in two processes."""
    return Lowered(name, llvm.parse_assembly(SOURCE.format(number=number)).as_bitcode(), "cfunc.maker.function")


def test_entry_points_whose_insides_have_one_name_keep_their_own_code(tmp_path):
    file = tmp_path / core_library.file_name(*HERE)
    entries = {"one": "made of 1", "two": "made of 2"}
    link_core.make_library([lowered("one", 1), lowered("two", 2)], entries, "test", link_core.TARGETS[HERE], file)
    library = core_library.CoreLibrary(file)
    assert [ctypes.CFUNCTYPE(ctypes.c_int64)(library.address(name))() for name in entries] == [10, 20]
