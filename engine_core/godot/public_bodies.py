"""Bodies beyond Godot's own calls: running surfaces, masses that follow from a density, limits of velocity, filters by groups
and by shapes, exact places. `body.get_rid()` is the RID of a node.

The thread of Godot's physics calls; a call waits for the end of a step that runs.
"""

import numpy as np

from ..bodies.schema import RIGID
from ..edit import motion_edits
from .errors import check_integer
from .joint_frames import basis_of
from .locked_calls import LockedCalls
from .schema import FLOAT, INT, PACKED_FLOAT64_ARRAY, PACKED_INT32_ARRAY, RID, VECTOR3

MOST_BITS, MOST_GROUPS = (1 << 32) - 1, (1 << 31) - 1


class _Calls(LockedCalls):
    """The functions behind the methods."""

    def body_set_surface_velocity(self, server, body, linear, angular):
        bodies = server.world.body
        if int(server.body_row(body)["mode"]) >= RIGID:
            raise ValueError("only a static or kinematic body has a running surface, this one is rigid")
        for edit, value in ((motion_edits.set_linear_velocity, linear), (motion_edits.set_angular_velocity, angular)):
            bodies.edit("body_set_surface_velocity", body, edit, value)

    def body_set_density(self, server, body, density):
        server.world.body.follow_density(body, density)

    def body_set_max_linear_velocity(self, server, body, speed):
        server.world.body.set_param(body, "max_linear_velocity", speed)

    def body_get_max_linear_velocity(self, server, body):
        return server.world.body.param(body, "max_linear_velocity")

    def body_set_max_angular_velocity(self, server, body, speed):
        server.world.body.set_param(body, "max_angular_velocity", speed)

    def body_get_max_angular_velocity(self, server, body):
        return server.world.body.param(body, "max_angular_velocity")

    def body_get_exact_position(self, server, body):
        row = server.body_row(body)
        turn = np.asarray(basis_of(row["rotation"])).reshape(3, 3)
        return row["position"] - turn @ row["center_of_mass"].astype(np.float64)

    def group_filter_create(self, server, pairs_apart):
        if pairs_apart.size % 2:
            raise ValueError(f"pairs_apart must be two numbers for each pair, got {pairs_apart.size}")
        return server.world.body.create_group_filter(pairs_apart.reshape(-1, 2).tolist())

    def body_set_group(self, server, body, group, sub_group, group_filter):
        check_integer("group", group, 0, MOST_GROUPS)
        server.world.body.set_group(body, group, sub_group, group_filter)

    def body_set_shape_layers(self, server, body, shape, layers):
        check_integer("layers", layers, 0, MOST_BITS)
        server.world.body.set_shape_layers(body, shape, 0, layers)


def add_body_methods(scree, engine) -> None:
    """Add the calls to the class `Scree`."""
    method, body = _Calls(scree, engine).add, {"body": RID}
    method("body_set_surface_velocity", {**body, "linear": VECTOR3, "angular": VECTOR3}, None,
           "Lets the surface of a static or kinematic body run, as on a conveyor: [m/s], and [rad/s] about its centre "
           "of mass, global axes.", angular=(0.0, 0.0, 0.0))  # fmt: skip
    method("body_set_density", {**body, "density": FLOAT}, None,
           "Lets the mass of a body follow from its shapes, now and whenever they change: density [kg/m^3] times "
           "their volume. With 0, or when its mass is set, the mass stays as it is.")  # fmt: skip
    _add_limits(method, body)
    method("body_get_exact_position", body, PACKED_FLOAT64_ARRAY,
           "Returns the place of a body in double precision: x, y, z [m], against the zero before all calls of "
           "[method space_shift_origin].")  # fmt: skip
    method("group_filter_create", {"pairs_apart": PACKED_INT32_ARRAY}, INT,
           "Makes a filter for the bodies of a group, the parts of a ragdoll for example: all sub-groups (0 to 63) "
           "collide, except the pairs given, two numbers each. Returns its number; it is kept until the game ends.")  # fmt: skip
    method("body_set_group", {**body, "group": INT, "sub_group": INT, "group_filter": INT}, None,
           "Puts a body into a group (0: none). Two bodies of one group collide as its filter says of their "
           "sub-groups; bodies of different groups as usual.", sub_group=0, group_filter=0)  # fmt: skip
    method("body_set_shape_layers", {**body, "shape": INT, "layers": INT}, None,
           "Lets one shape of a body make contacts only with shapes that have a bit of [param layers] in common, or "
           "that have none. 0: with all.")  # fmt: skip


def _add_limits(method, body) -> None:
    """Add the calls about the highest velocities of a body."""
    method("body_set_max_linear_velocity", {**body, "speed": FLOAT}, None,
           "Sets the highest speed of a rigid body's centre of mass [m/s], at least 0; [constant @GDScript.INF]: no limit. A "
           "higher velocity keeps its direction and is cut down in the next step, whatever it comes from. Faster bodies come "
           "into the body, and joints to them open, as it stays behind.")  # fmt: skip
    method("body_get_max_linear_velocity", body, FLOAT,
           "Returns the highest speed of a body [m/s]; [constant @GDScript.INF] without a limit.")  # fmt: skip
    method("body_set_max_angular_velocity", {**body, "speed": FLOAT}, None,
           "Sets the highest angular velocity of a rigid body [rad/s], at least 0; [constant @GDScript.INF]: no limit. The axis "
           "is kept. A joint about which the body swings opens where this limit is the only one: limit the speed "
           "too.")  # fmt: skip
    method("body_get_max_angular_velocity", body, FLOAT,
           "Returns the highest angular velocity of a body [rad/s]; [constant @GDScript.INF] without a limit.")  # fmt: skip
