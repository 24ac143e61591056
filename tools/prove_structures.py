"""Long checks of structures: the tree over bricks after a million edits. It needs a checkout, for what is under tests/."""

import json
from pathlib import Path

from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, long_tests, run_python

EDITS, SEEDS = 1_000_000, 100
LEAST_UNDONE = 10_000


@check(f"{EDITS} random edits over {SEEDS} seeds: the tree is the one built at once; at least {LEAST_UNDONE} force-splits undone")
def structures(godot: Godot, project: Path) -> Outcome:
    """The tree of a structure depends on the set of its bricks alone."""
    found = json.loads(run_python("-m", "tests.structures.long_edits", EDITS, SEEDS, shows_errors=True).splitlines()[-1])
    figures = (
        f"{found['edits']} edits of up to {found['most']} bricks, {found['trees']} trees compared, {found['clusters']} clusters; "
        f"{found['splits']} force-splits, {found['undone']} undone"
    )
    return Outcome(figures, found["edits"] == EDITS and found["undone"] >= LEAST_UNDONE)


@check("a batch of edits parked in 3,000 of its places, and raced for a minute: queries see the bricks before it or after it")
def structure_readers(godot: Godot, project: Path) -> Outcome:
    """Every test run parks it too, in fewer places; here also copies of the edits that are broken on purpose, which must fail."""
    return long_tests(("queries",), "tests/structures/test_publication.py", "tests/structures/test_explored.py")
