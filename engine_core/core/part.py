"""The base of the parts of a `World`."""


class Part:
    """The calls of a `World` for things of one kind, `world.body.set_mode(...)`, and the state that only they need. The pools and
    tables of the world are attributes of all parts."""

    def __init__(self, world):
        self._world, self._address, self._record = world, world.address, world.record
        self._bodies, self._instances, self._areas = world.bodies, world.instances, world.areas
        self._shapes, self._shape_users, self._joints = world.shapes, world.shape_users, world.joints
        self._systems, self._exceptions, self._layers = world.systems, world.exceptions, world.layers
        self._group_filters, self._late, self._retirement = world.group_filters, world.late, world.retirement

    @property
    def recorder(self):
        """The writer of a recording of the world, or None."""
        return self._world.recorder
