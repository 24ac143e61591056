"""The versions of Numba that Scree was tried with, told here only: `pyproject.toml`, the doctor and `scree prove numba_versions`
agree with it, which `tests/runtime/test_numba_versions.py` checks.

Imports neither Numba nor the engine, so that the doctor can tell the range where Numba is missing or broken.
"""

LOWEST = (0, 67)
"""The lowest series that was tried; older ones are not supported."""
NEWEST = (0, 68)
"""The newest series that was tried. `scree prove numba_versions` tries the newest release of it."""

_BEYOND = (NEWEST[0], NEWEST[1] + 1)


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


RANGE = f"{_text(LOWEST)} to {_text(NEWEST)}"
"""The range in words."""
REQUIREMENT = f"numba>={_text(LOWEST)},<{_text(_BEYOND)}"
"""The range as pip takes it."""
LOWEST_REQUIREMENT = f"numba=={_text(LOWEST)}.*"
NEWEST_REQUIREMENT = f"numba=={_text(NEWEST)}.*"


def series(version: str) -> tuple[int, ...]:
    """The first two numbers of a version text: (0, 68) for `0.68.1rc1`. Shorter where they are no numbers."""
    numbers = []
    for part in version.split(".")[:2]:
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def is_tried(version: str) -> bool:
    """Whether a version of Numba lies in the range."""
    return LOWEST <= series(version) <= NEWEST
