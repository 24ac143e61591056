"""Making, reading, moving and freeing many bodies of Godot's at once, in compiled calls.

Bodies are given by ids, int64 (n); transforms by 12 numbers each, as in the buffer of a MultiMesh: the rows of the basis, each
with a coordinate of the origin. They are in Godot's coordinates.
"""

import numpy as np

from ..batches.adding import add_bodies, rows_of
from ..batches.editing import are_asleep, edit_bodies, free_bodies, motions_of, origin_motions_of
from ..bodies.identity import index_of
from ..bodies.schema import CAN_SLEEP, RAY_PICKABLE, RIGID
from ..edit import motion_edits, setting_edits
from ..edit.setting_edits import PARAMETER_NUMBERS, PARAMETERS
from ..runtime.distinct import distinct
from ..shapes.stretch import quaternions, split_many
from .errors import check_integer
from .frames import frame_of_space
from .server_batches import transform_rows
from .server_colliders import signed_id
from .setting_calls import BODY_PARAMETERS

LAYERS = 0xFFFFFFFF
STRETCHED = 1e-3
"""A stretch that differs from none by less is none."""


def _vectors(call: str, name: str, vectors: np.ndarray, count: int) -> np.ndarray:
    """Vectors as float64 (count, 3): one for each body, or one for all. Raises ValueError."""
    values = np.asarray(vectors, np.float64).reshape(-1, 3)
    if len(values) not in (1, count):
        raise ValueError(f"{call}: {name} must have one vector for each of {count} bodies, or one for all, got {len(values)}")
    if not np.isfinite(values).all():
        raise ValueError(f"{call}: {name} must be finite")
    return np.ascontiguousarray(np.broadcast_to(values, (count, 3)))


def _layers(layer: int, mask: int) -> tuple[int, int]:
    """Collision layer and mask, 32 bits each. Raises ValueError."""
    return check_integer("layer", layer, 0, LAYERS), check_integer("mask", mask, 0, LAYERS)


class ManyBodies:
    """The calls for many bodies of a running server."""

    def __init__(self, server):
        self._server, self._world = server, server.world

    def create(self, space: int, shape: int, transforms, mass: float, layer: int, mask: int, object_id: int) -> np.ndarray:
        """Make rigid bodies of one shape. Bodies with a scale get a shape of their scale, and are made one by one."""
        call = "bodies_create"
        self._server.space_row(space)
        self._server.shapes.row(shape)
        rows = transform_rows(call, transforms)
        if not (np.isfinite(mass) and mass > 0.0):
            raise ValueError(f"{call}: mass must be above 0 kg, got {mass}")
        count = len(rows)
        if count == 0:
            return np.zeros(0, np.int64)
        rotations, stretches = split_many(rows[:, :, :3])
        motions = np.zeros((count, 13))
        motions[:, :3], motions[:, 3:7] = rows[:, :, 3] + frame_of_space(self._server, space), quaternions(rotations)
        template = self._world.bodies.template(RIGID, CAN_SLEEP | RAY_PICKABLE)
        template["collision_layer"], template["collision_mask"] = _layers(layer, mask)
        template["user_id"] = signed_id(object_id)
        with self._server.lock:
            shapes = np.full(count, shape, np.int64)
            ids = add_bodies(self._world, space, template, motions, np.full(count, mass), shapes)
        is_stretched = np.abs(stretches - np.eye(3)).max(axis=(1, 2)) > STRETCHED
        frame = frame_of_space(self._server, space)
        for place in np.flatnonzero(is_stretched).tolist():
            transform = (*rows[place, :, :3].ravel(), *(rows[place, :, 3] + frame))
            with self._server.lock:
                self._world.body.set_transform(int(ids[place]), transform)
        return ids

    def free(self, ids: np.ndarray) -> None:
        """Free bodies, and what Godot has of them."""
        server = self._server
        rows_of(self._world, "bodies_free", ids)
        spaces = self._world.bodies.rows["system"][index_of(ids)]
        with server.lock:
            server.drawn_sets.forget(ids)
            bound = index_of(ids)[server.body_bindings["body_id"][index_of(ids)] == ids]
            for space in distinct(spaces):
                free_bodies(self._world, ids[spaces == space])
            for index in bound.tolist():
                server.drop_binding(index)

    def _frames(self, rows: np.ndarray) -> np.ndarray:
        """The zero of Godot's coordinates for each of the bodies, world [m] (n, 3)."""
        systems, frames = self._world.bodies.rows["system"][rows], np.zeros((len(rows), 3))
        for system in distinct(systems[systems >= 0]):
            frames[systems == system] = frame_of_space(self._server, int(self._world.systems.rows[system]["id"]))
        return frames

    def transforms(self, ids: np.ndarray) -> np.ndarray:
        """Twelve numbers a body, float32 (n, 12)."""
        rows = rows_of(self._world, "transforms_of", ids)
        out = np.empty((len(rows), 12), np.float32)
        self._server.drawn_sets.read_transforms(rows, out)
        return out

    def set_transforms(self, ids: np.ndarray, transforms) -> None:
        """Move bodies. Their scale stays; a scale of the transforms is not looked at."""
        rows = rows_of(self._world, "set_transforms_of", ids)
        given = transform_rows("set_transforms_of", transforms, len(ids))
        if len(ids) == 0:
            return
        rotations, _ = split_many(given[:, :, :3])
        poses = np.concatenate([given[:, :, 3] + self._frames(rows), quaternions(rotations)], axis=1)
        edit_bodies(self._world, "set_transforms_of", ids, motion_edits.set_pose, poses)
        with self._server.lock:
            self._server.drawn_sets.mark(ids)

    def velocities(self, ids: np.ndarray) -> np.ndarray:
        """Velocities of the origins [m/s], (n, 3)."""
        motions, arms = origin_motions_of(self._world, "velocities_of", ids)
        return motions[:, 7:10] - np.cross(motions[:, 10:13], arms)

    def angular_velocities(self, ids: np.ndarray) -> np.ndarray:
        """Angular velocities [rad/s], (n, 3)."""
        return motions_of(self._world, "angular_velocities_of", ids)[:, 10:13]

    def set_velocities(self, ids: np.ndarray, linear, angular) -> None:
        """Set velocities [m/s] and, unless there are none, angular velocities [rad/s]; one for each body, or one for all."""
        given = (("linear", linear, motion_edits.set_linear_velocity), ("angular", angular, motion_edits.set_angular_velocity))
        checked = [(edit, _vectors("set_velocities_of", name, values, len(ids))) for name, values, edit in given if len(values)]
        for edit, values in checked:
            edit_bodies(self._world, "set_velocities_of", ids, edit, values)

    def apply_impulses(self, ids: np.ndarray, impulses) -> None:
        """Apply impulses [N s] at the centres of mass."""
        values = _vectors("apply_impulses_to", "impulses", impulses, len(ids))
        edit_bodies(self._world, "apply_impulses_to", ids, motion_edits.apply_central_impulse, values)

    def are_asleep(self, ids: np.ndarray) -> np.ndarray:
        """Whether each body sleeps, uint8."""
        return are_asleep(self._world, "are_asleep", ids).astype(np.uint8)

    def set_param(self, ids: np.ndarray, number: int, value: float) -> None:
        """Set a parameter that is one number."""
        call = "set_param_of"
        name = BODY_PARAMETERS[number] if 0 <= number < len(BODY_PARAMETERS) else ""
        name = {"bounce": "restitution"}.get(name, name)
        if name not in PARAMETER_NUMBERS:
            raise ValueError(f"{call}: there is no parameter {number} that is one number")
        parameter = PARAMETERS[PARAMETER_NUMBERS[name]]
        if not parameter.least <= value <= parameter.most:
            raise ValueError(f"{call}: {name} must be from {parameter.least} to {parameter.most}, got {value}")
        self._edit(call, ids, setting_edits.set_parameter, PARAMETER_NUMBERS[name], value)

    def set_layers(self, ids: np.ndarray, layer: int, mask: int) -> None:
        """Set collision layer and mask."""
        self._edit("set_layers_of", ids, setting_edits.set_layers, *_layers(layer, mask))

    def set_flag(self, call: str, ids: np.ndarray, is_on: bool) -> None:
        """Set whether bodies may sleep (set_can_sleep_of), sleep (set_asleep), are swept (set_continuous_of)."""
        edits = {"set_can_sleep_of": setting_edits.set_can_sleep, "set_asleep": motion_edits.set_sleeping,
                 "set_continuous_of": setting_edits.set_continuous}  # fmt: skip
        self._edit(call, ids, edits[call], is_on)

    def _edit(self, call: str, ids: np.ndarray, edit, *values) -> None:
        edit_bodies(self._world, call, ids, edit, np.tile(np.array(values, np.float64), (len(ids), 1)))
