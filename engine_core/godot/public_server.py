"""The singleton `Scree`: everything that Godot's own physics calls have no place for, as a real class of the extension.

A script writes `Scree.cast_rays(...)`; the editor completes and checks it. Each room of calls is in a module `public_....py` and
adds its methods, signals and classes here.
"""

import ctypes

from .class_help import Page
from .interface import ENGINE_NAME
from .public_class import PublicClass
from .public_bodies import add_body_methods
from .public_contact_rules import add_contact_rule_methods
from .public_contacts import add_contact_classes
from .public_drawing import add_drawing_classes
from .public_joints import add_joint_methods
from .public_many import add_many_methods
from .public_pose_motors import add_pose_motor_methods
from .public_profile import Profiles, add_profile_classes
from .public_queries import add_query_classes
from .public_settings import add_setting_methods
from .public_shape_queries import add_shape_query_classes
from .public_shapes import add_shape_methods
from .public_spaces import add_space_methods
from .public_steps import add_step_classes
from .public_water import add_water_methods

NAME = "Scree"
_PAGE = Page(
    NAME, "Object", "What Scree Physics can do beyond Godot's physics server.",
    "A singleton, for example [code]Scree.cast_rays(space, from, to)[/code]. It exists where the addon is loaded; "
    "[method is_running] tells whether Scree is the engine that runs. With another engine its calls print one error and return "
    "nothing. A script that must also run without the addon asks [code]Engine.has_singleton(\"Scree\")[/code] and takes "
    "[code]Engine.get_singleton(\"Scree\")[/code].",
)  # fmt: skip


class PublicServer:
    """The singleton and its classes. Keep it as long as Godot runs."""

    def __init__(self, engine):
        self._engine = engine
        self._objects: dict[int, object] = {}
        self.scree = PublicClass(engine, self._objects, _PAGE, make=None)
        self.scree.method("is_running", lambda behind: engine.server is not None, result=1,
                          text="Returns whether Scree is the physics engine that runs.")  # fmt: skip
        add_setting_methods(self.scree)
        self.profiles = Profiles(engine)
        self.classes = [self.scree, *add_profile_classes(self.scree, engine, self._objects, self.profiles)]
        for add_classes in (
            add_query_classes,
            add_shape_query_classes,
            add_drawing_classes,
            add_contact_classes,
            add_step_classes,
        ):
            self.classes += add_classes(self.scree, engine, self._objects)
        for add_methods in (
            add_many_methods, add_contact_rule_methods, add_body_methods, add_shape_methods, add_space_methods,
            add_joint_methods, add_pose_motor_methods, add_water_methods,
        ):  # fmt: skip
            add_methods(self.scree, engine)
        self.object = self.scree.make_object(self)
        """Address of the singleton's Object."""
        self._call_engine("register_singleton", [engine.interface.name(NAME), self._pointer(self.object)])

    def _pointer(self, object_: int) -> int:
        self._place = (ctypes.c_void_p * 1)(object_)
        return ctypes.addressof(self._place)

    def _call_engine(self, method: str, arguments: list[int]) -> None:
        interface = self._engine.interface
        bind = interface.method("Engine", method, self._engine.api.classes["Engine"][method].hash)
        interface.call_method(bind, interface.singleton("Engine"), arguments)

    def publish_help(self) -> None:
        """Give the editor the pages of the classes."""
        for made in self.classes:
            made.publish_help()

    def close(self) -> None:
        """Take the singleton and the classes back."""
        self._call_engine("unregister_singleton", [self._engine.interface.name(NAME)])
        self._engine.destroy_object(self.object)
        for made in reversed(self.classes):
            made.unregister()


def not_running(call: str) -> ValueError:
    """The error of a call while another engine runs."""
    return ValueError(f"{call}: {ENGINE_NAME} is not the engine that runs: choose it as physics/3d/physics_engine, and restart")
