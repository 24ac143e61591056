"""Recording a world: everything that is done to it, in a file that `scree replay` runs again."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..state.recordings import HASH_EVERY, Recorder
from .arrays import errors_of_call

if TYPE_CHECKING:
    from .world import World


class Recording:
    """A file with everything that changes a world: what is made, set, pushed and freed, and all steps. `scree replay FILE` makes
    the same world again, without the program, and compares hashes. No quantities.

        world = scree.World()
        with scree.Recording(world, "game.screerec"):
            space = world.add_space()
            ...

    It begins before anything is made in the world. `hash_every`: the number of steps from one hash of a space to the next; 0:
    only one at the end. Any thread may change and step the world meanwhile; a thread of its own writes. A call whose effect
    cannot be recorded raises RuntimeError meanwhile and changes nothing: `Space.on_step`, `Space.restore`, tiles, `Structure`,
    `Custom`. Raises OSError, TypeError, ValueError, and RuntimeError for a world with something in it."""

    __slots__ = ("_recorder",)

    def __init__(self, world: "World", path: Path | str, hash_every: int = HASH_EVERY) -> None:
        core: Any = getattr(world, "core", None)
        if core is None or hasattr(world, "world"):
            raise TypeError(f"Recording: a World is wanted, got {world!r}")
        if isinstance(hash_every, bool) or not isinstance(hash_every, int) or not 0 <= hash_every < 1 << 31:
            raise ValueError(f"Recording: hash_every must be a whole number from 0 on, got {hash_every!r}")
        with errors_of_call("Recording"):
            self._recorder = Recorder(core, path, hash_every)

    def close(self) -> None:
        """Write what is left and end; the end of a `with` block does it too. Raises OSError, and RuntimeError if more came at
        once than could be written: then the file ends before."""
        self._recorder.close()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()
