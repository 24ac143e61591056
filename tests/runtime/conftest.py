"""Tests of compiling and of its cache start processes that compile, also where the core's library is built."""

import pytest

from scree.runtime import core_library

COMPILING = {"test_code_files", "test_kernel_compiler", "test_plain_numba", "test_source_closure"}

core_library.library()  # this process takes the library where there is one, whichever test comes first


@pytest.fixture(autouse=True, scope="module")
def without_library(request):
    """Processes that these tests start have no library."""
    with pytest.MonkeyPatch.context() as patch:
        if request.module.__name__.rpartition(".")[2] in COMPILING:
            patch.setenv(core_library.CHOSEN, "0")
        yield
