"""A world: the things that spaces share. A program makes it first."""

from dataclasses import asdict
from typing import Any

from ..core.contact_classes import ContactClasses
from ..core.queries import Queries
from ..core.world import World as Core
from ..step.limits import name_of_limit
from .arrays import Vector, errors_of_call, vector
from .contacts import ContactRule
from .materials import Layers
from .shape_table import ShapeTable
from .shapes import HeightField
from .space import Space, SpaceSettings, check_settings


class World:
    """The things that spaces share: threads, layers, shapes, contact rules, limits. Any thread may call, unless said
    otherwise.

        world = scree.World(threads=2, layers=scree.Layers("ground", "player"))
        space = world.add_space(gravity=(0, -9.81, 0))

    `threads`: the number of threads of a step, the calling one included; by default one for each physical core but one. The
    result is the same, bit by bit, for any number. `layers`: names of layers, and which collide. `limits`, counts without a
    unit: `bodies`, `body_shapes`, `shapes`, `systems` (spaces), `joints`, `pairs`, `contacts`, `area_overlaps`,
    `waiting_edits`; room that is not used costs no memory. Raises ValueError."""

    __slots__ = ("layers", "core", "shapes", "queries", "_contact_classes", "__weakref__")

    def __init__(self, threads: int | None = None, layers: Layers | None = None, **limits: int) -> None:
        self.layers = layers or Layers()
        """Names of collision layers."""
        self.core: Any = Core(threads, self.layers.table, None, name_of_limit, **limits)
        """The low-level interface (`engine_core/core/world.py`): ids, rows and addresses, for experts. It is the same world."""
        self.shapes = ShapeTable(self.core)
        """Which shapes of the core stand for which values, for experts."""
        self.queries = Queries(self.core)
        """The low-level interface of all queries (`engine_core/core/queries.py`), for experts."""
        self._contact_classes = ContactClasses()

    def add_space(self, gravity: Vector = (0.0, -9.81, 0.0), settings: SpaceSettings | None = None) -> Space:
        """Make a space with `gravity` [m/s^2] (3,) and settings. Any thread may call. Raises ValueError, PoolFull."""
        settings, given = SpaceSettings() if settings is None else settings, vector("add_space", "gravity", gravity)
        check_settings("add_space", settings)
        space = Space(self, int(self.core.create_system(given, **asdict(settings))), settings)
        space.gravity = given
        return space

    def set_contact_rule(self, class_a: str, class_b: str, rule: ContactRule | None) -> None:
        """Say how bodies of two contact classes (`Body.contact_class`) meet from now on; None removes the rule. Naming a
        class makes it; there may be 64. The thread that steps calls this, between steps. Raises ValueError, and KeyError for
        a rule to remove that is not there."""
        if rule is not None and not isinstance(rule, ContactRule):
            raise TypeError(f"set_contact_rule: a ContactRule or None is wanted, got {rule!r}")
        with errors_of_call("set_contact_rule"):
            if rule is None and not self._contact_classes.has(class_a, class_b):
                raise KeyError(f"there is no rule for {class_a!r} and {class_b!r}")
            numbers = self.contact_class_number(class_a), self.contact_class_number(class_b)
            if rule is None:
                self.core.contact.remove_rule(*numbers)
            else:
                self.core.contact.set_rule(*numbers, **{name: getattr(rule, name) for name in rule.__dataclass_fields__})

    def contact_class_number(self, name: str) -> int:
        """Number of a contact class, 0 to 63, as the core's calls take it. Raises ValueError for the 65th class."""
        return self._contact_classes.number(name)

    def contact_class_name(self, number: int) -> str:
        """Name of the contact class with a number; the number itself if an expert chose it. Never raises."""
        return self._contact_classes.name(number)

    def update_height_field(self, field: HeightField, row: int, column: int, heights: Any, surface_of: Any = None) -> None:
        """Change samples of a height field in place, on all bodies that have it, from a row and a column on: `heights` [m],
        (rows, columns), and if given the index of the surface of each cell from there on. Bodies that lie on it wake. The
        thread that steps calls this, between steps. Raises ValueError."""
        identity = self.shapes.find("update_height_field", field)
        with errors_of_call("update_height_field", materials="surface_of"):
            self.core.shape.update_height_field(identity, column, row, heights, surface_of)
