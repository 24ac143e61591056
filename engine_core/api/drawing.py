"""Pictures of a space for debugging, as lines: for matplotlib, or for a viewer of one's own."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core import drawing as core_drawing
from ..drawing.schema import FLAG_NAMES, KIND_NAMES
from .arrays import errors_of_call, number, read_only, vector
from .materials import Names

if TYPE_CHECKING:
    from .world import World

WHAT = {name: 1 << bit for bit, name in enumerate(FLAG_NAMES)}


class Drawing:
    """How a space looked at one moment: the result of `Space.drawing`. `lines` [m], float32 (n, 2, 3), are the ends of all lines
    in the world; `colours`, float32 (n, 4), their red, green, blue and opacity, 0 to 1. The arrays are copies."""

    __slots__ = ("lines", "colours", "_drawing")

    def __init__(self, drawing: core_drawing.Drawing, lines: NDArray[np.float32], colours: NDArray[np.float32]) -> None:
        self.lines, self.colours, self._drawing = read_only(lines), read_only(colours), drawing

    def __len__(self) -> int:
        return len(self.lines)

    def forms(self, kind: str) -> NDArray[np.float32]:
        """Instances of one form for a renderer, float32 (n, 16): the three rows of a transform [m], four numbers each, then the
        colour. `kind`: "boxes", "spheres", "capsules", "cylinders", "meshes", "bounds" or "lines"; forms reach from -1 to 1 along
        each axis, a line from 0 to 1 along x. Raises ValueError for another word."""
        if kind not in KIND_NAMES:
            raise ValueError(f"forms: kind must be one of {', '.join(KIND_NAMES)}, got {kind!r}")
        return self._drawing.rows(KIND_NAMES.index(kind)).copy()


class SpaceDrawing:
    """The part of a `Space` that shows what is in it. Lengths [m]. Any thread may ask; while a step runs it waits for its end."""

    __slots__ = ()
    _id: int
    _world: "World"

    def drawing(
        self, *what: str, around: Any = (0.0, 0.0, 0.0), distance: float = 0.0, layers: Names | None = None,
        force_scale: float = core_drawing.USUAL_FORCE_SCALE,
    ) -> Drawing:  # fmt: skip
        """Gather a picture of the space. `what`: "shapes" (without any word), "contacts", "joints", "areas", "centres",
        "velocities", "bounds", "tree"; "by_island" colours bodies by islands, "by_solver" contacts by the solver's groups.
        Nothing farther from `around` (3,) [m] than `distance` [m] is drawn; 0: everything is. `layers`: names of the collision
        layers that are drawn, by default all. `force_scale` [m/N]: length of lines for forces. Raises ValueError, KeyError for a
        space that was removed."""
        flags = 0
        for word in what or ("shapes",):
            if word not in WHAT:
                raise ValueError(f"drawing: what must be of {', '.join(WHAT)}, got {word!r}")
            flags |= WHAT[word]
        mask = self._world.layers.bits("drawing", layers)
        place, reach = vector("drawing", "around", around), number("drawing", "distance", distance, 0)
        drawings = self._world.core.drawing
        with errors_of_call("drawing"):
            found = drawings.draw(self._id, flags, place, reach, mask, force_scale=force_scale)
        return Drawing(found, *drawings.all_lines(found))
