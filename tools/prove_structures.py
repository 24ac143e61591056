"""Long checks of structures: the tree over bricks after a million edits. They run what lies under tests/, so they need a checkout."""

import json
from pathlib import Path

from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python

EDITS, SEEDS = 1_000_000, 100
LEAST_UNDONE = 10_000


@check(f"{EDITS} random edits over {SEEDS} seeds: the tree of bricks is the one built at once; {LEAST_UNDONE} force-splits undone")
def structures(godot: Godot, project: Path) -> Outcome:
    """The tree of a structure depends on the set of its bricks alone."""
    found = json.loads(run_python("-m", "tests.structures.long_edits", EDITS, SEEDS, shows_errors=True).splitlines()[-1])
    figures = (
        f"{found['edits']} edits of up to {found['most']} bricks, {found['trees']} trees compared, {found['clusters']} clusters; "
        f"{found['splits']} force-splits, {found['undone']} undone"
    )
    return Outcome(figures, found["edits"] == EDITS and found["undone"] >= LEAST_UNDONE)
