"""Tests that need a library of the core, which takes minutes to build: they run where `scree build-core` has built it."""

import pytest

from scree.tools import build_core, other_system, prove_platforms


def need_library(*targets: tuple[str, str]) -> None:
    """Skip the test unless the libraries of the core for some targets, by default that of this machine, are of these sources."""
    for target in targets or build_core.targets([]):
        if not prove_platforms.is_built(target):
            pytest.skip(f"the core's library for {'.'.join(target)} is not built for these sources: `scree build-core`")


def need_system(get):
    """Another system by its function of tools/other_system.py. Skip the test where it is not on this machine."""
    try:
        return get(fetch=False)
    except other_system.NotThere as missing:
        pytest.skip(str(missing))
