"""How much a test does: a part of it in every run, all of it where `scree prove` asks for the long form."""

import os

IS_LONG = bool(os.environ.get("SCREE_LONG"))


def size(in_every_run: float, in_full: float) -> float:
    """The size that holds for this run. A file that asks is named in a check of `scree prove`, which runs it in full."""
    return in_full if IS_LONG else in_every_run
