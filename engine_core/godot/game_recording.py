"""Recording a game from its start, for `scree replay`: the environment variable SCREE_RECORD names the file.

    SCREE_RECORD=$PWD/game.screerec godot --path my_game

The file holds all spaces. What a recording cannot hold is refused with an error that names the call, and the game goes on.
"""

import os

RECORD = "SCREE_RECORD"
"""The environment variable with the path of the file."""


def begin_recording(world, reporter):
    """Begin the recording that the environment asks for. Return what ends it by `close`, or None."""
    path = os.environ.get(RECORD)
    if not path:
        return None
    from ..state.recordings import Recorder

    try:
        return Recorder(world, path)
    except OSError as error:
        reporter.error(RECORD, f"the game is not recorded: {error}")
        return None


def end_recording(recorder, reporter) -> None:
    """Write the end of a recording."""
    if recorder is None:
        return
    try:
        recorder.close()
    except (OSError, RuntimeError) as error:
        reporter.error(RECORD, str(error))
