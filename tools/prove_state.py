"""Long checks of saved states. They need a checkout, for the tests under tests/."""

from pathlib import Path

from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, long_tests


@check("100 random worlds and every kind of thing, on 1, 2 and 4 threads: 300 steps after a restore have the same hashes")
def states(godot: Godot, project: Path) -> Outcome:
    """A restored space goes on as it did, also after everything that a step should write first was filled with rubbish."""
    return long_tests(("worlds",), "tests/state/test_spaces.py")


@check("100,000 damaged states are refused; 1,000 wrong ones with a right checksum are refused or harmless")
def damaged_states(godot: Godot, project: Path) -> Outcome:
    """No damaged file changes a world or ends the process."""
    return long_tests(("mutants",), "tests/state/test_files.py")
