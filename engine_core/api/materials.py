"""Materials, which say how surfaces rub and bounce, and named collision layers, which say which bodies collide."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ..bodies.layers import BITS, MatrixLayers

Names: TypeAlias = str | Iterable[str]
"""One name of a layer (`Layers`), or several."""
ALL_LAYERS = 0xFFFFFFFF


@dataclass(frozen=True, kw_only=True)
class Material:
    """The surface of a body, or of triangles of a mesh.

    `friction`: coefficient of Coulomb friction, 0 or more. Of two surfaces the smaller one counts, unless one is `rough`:
    then that one counts. `restitution`: part of the speed of an impact that comes back, 0 to 1. The two are added, up to 1;
    an `absorbent` one is subtracted instead. Both have no unit. Raises ValueError."""

    friction: float = 1.0
    restitution: float = 0.0
    rough: bool = False
    absorbent: bool = False

    def __post_init__(self) -> None:
        if not (0.0 <= self.friction < float("inf") and 0.0 <= self.restitution <= 1.0):
            raise ValueError(f"Material: friction must be at least 0 and restitution 0 to 1, got {self}")

    def signed(self) -> tuple[float, float]:
        """Friction and restitution as the core keeps them, no units: negative for rough, and for absorbent."""
        friction = -self.friction if self.rough else self.friction
        return friction, -self.restitution if self.absorbent else self.restitution


class Layers:
    """Names of collision layers, at most 32. All of them collide with each other, except for the pairs in `apart`.

        layers = scree.Layers("ground", "player", "debris", apart=[("debris", "debris")])
        world = scree.World(layers=layers)
        space.add_rigid(shape, layer="debris")

    `own_tree`: layers that have a search tree of their own, which pays for thousands of bodies that most queries leave out.
    No quantities. Raises ValueError for an unknown name and for a name that is given twice."""

    def __init__(self, *names: str, apart: Iterable[tuple[str, str]] = (), own_tree: Iterable[str] = ()) -> None:
        self.names = names or ("default",)
        """The names, in the order of the layers' numbers."""
        if len(set(self.names)) < len(self.names) or len(self.names) > BITS:
            raise ValueError(f"Layers: up to {BITS} different names are wanted, got {names}")
        trees = {self.number("Layers", name): name for name in own_tree}
        self.table = MatrixLayers(len(self.names), trees)
        """The core's table, for experts."""
        for a in range(len(self.names)):
            for b in range(len(self.names)):
                self.table.collide(a, b)
        for one, other in apart:
            self.table.collide(self.number("Layers", one), self.number("Layers", other), False)

    def number(self, call: str, name: str) -> int:
        """Number of a layer, from 0 on, in the order of the names. Raises ValueError, naming the call."""
        if name not in self.names:
            raise ValueError(f"{call}: there is no layer {name!r}; there are {', '.join(self.names)}")
        return self.names.index(name)

    def bits(self, call: str, names: Names | None) -> int:
        """The layers with these names as 32 bits; None stands for all. Raises ValueError, naming the call."""
        if names is None:
            return ALL_LAYERS
        given = (names,) if isinstance(names, str) else tuple(names)
        return sum({1 << self.number(call, name) for name in given})

    def named(self, bits: int) -> tuple[str, ...]:
        """Names of the layers in a word of 32 bits."""
        return tuple(name for number, name in enumerate(self.names) if bits >> number & 1)
