"""Spaces from scripts: stepping by hand, saving and restoring, hashes, a movable zero, settings of one space. The calls by name
of server_states.py, frames.py and server_figures.py do the same.

The thread of Godot's physics calls, not from a callback.
"""

from ..step.physics_system import PhysicsSystem
from .frames import frame_of_space, shift_space
from .locked_calls import LockedCalls
from .schema import BOOL, DICTIONARY, FLOAT, INT, PACKED_BYTE_ARRAY, PACKED_FLOAT64_ARRAY, RID, STRING, VECTOR3
from .server_figures import pool_figures

_OTHERS = {"gravity", "is_active", "is_warm_starting"}
"""Settings of the core that have a call of Godot's, or are for its tests."""
SETTINGS = tuple(name for name in PhysicsSystem.SETTINGS if name not in _OTHERS)
"""Names of the settings of one space."""


class _Calls(LockedCalls):
    """The functions behind the methods."""

    def space_step(self, server, space, seconds):
        return server.states.step(space, seconds)

    def space_save(self, server, space):
        return server.states.save(space)

    def space_restore(self, server, space, state):
        return server.states.restore(space, state)

    def space_hash(self, server, space):
        return server.states.hash(space)

    def space_get_step_count(self, server, space):
        return int(server.world.system(self._known(server, space)).row["step"]["count"])

    def space_shift_origin(self, server, space, by):
        shift_space(server, space, by)
        return True

    def space_get_origin(self, server, space):
        return frame_of_space(server, self._known(server, space))

    def space_set_setting(self, server, space, name, value):
        if name not in SETTINGS:
            raise ValueError(f"a setting of a space is one of {', '.join(SETTINGS)}, got {name!r}")
        server.world.system_set_param(self._known(server, space), name, value)

    def space_get_setting(self, server, space, name):
        if name not in SETTINGS:
            raise ValueError(f"a setting of a space is one of {', '.join(SETTINGS)}, got {name!r}")
        value = server.world.system(self._known(server, space)).row["settings"][name]
        return float(str(value))  # 0.005, not what single precision makes of it

    def pool_figures(self, server):
        return pool_figures(server)

    @staticmethod
    def _known(server, space: int) -> int:
        """The id of a space that exists. Raises KeyError."""
        server.space_row(space)
        return space


def add_space_methods(scree, engine) -> None:
    """Add the calls to the class `Scree`."""
    method, space = _Calls(scree, engine).add, {"space": RID}
    method("space_step", {**space, "seconds": FLOAT}, BOOL,
           "Steps a space that Godot does not step ([method PhysicsServer3D.space_set_active] with false). Returns "
           "whether it did.")  # fmt: skip
    # Without the lock: what it calls may call the server.
    scree.method("space_flush", lambda _, given: engine.running_server("space_flush").states.flush(given), space, BOOL,
                 text="Has the nodes of a space's bodies and areas follow its last step. Returns whether it did.")  # fmt: skip
    method("space_save", space, PACKED_BYTE_ARRAY, "Returns the state of a space, from which it continues bit for bit.")
    method("space_restore", {**space, "state": PACKED_BYTE_ARRAY}, BOOL,
           "Puts a space back to a state of [method space_save]; its nodes follow with the next flush. Returns "
           "whether it did.")  # fmt: skip
    method("space_hash", space, INT, "Returns a number that is equal for spaces that are equal bit for bit.")
    method("space_get_step_count", space, INT, "Returns the number of steps that a space has made.")
    method("space_shift_origin", {**space, "by": VECTOR3}, BOOL,
           "Moves the zero of global coordinates in a space: the place [param by] is at zero from now on. Nothing "
           "moves or wakes; nodes are to be moved by the same way. For worlds larger than single precision allows. "
           "Returns whether it did.")  # fmt: skip
    method("space_get_origin", space, PACKED_FLOAT64_ARRAY,
           "Returns where the zero of global coordinates is, against where it was before all shifts: x, y, z [m].")  # fmt: skip
    names = ", ".join(f"[code]{name}[/code]" for name in SETTINGS)
    method("space_set_setting", {**space, "name": STRING, "value": FLOAT}, None,
           f"Changes a setting of one space, which begins with that of the project. Settings: {names}.")  # fmt: skip
    method("space_get_setting", {**space, "name": STRING}, FLOAT,
           "Returns a setting of one space; see [method space_set_setting].")  # fmt: skip
    method("pool_figures", {}, DICTIONARY,
           "Returns how full the pools have been: for each a Dictionary with the most rows in use, the capacity and "
           "the setting.")  # fmt: skip
