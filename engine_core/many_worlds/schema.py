"""The data of many copies of one space: where they lie, what a step gives to them and takes from them."""

import numpy as np

MANY_WORLDS = np.dtype(
    [
        # The copies: world w lies at `base + w * stride`, as packing.py lays it out.
        ("base", "i8"), ("stride", "i8"), ("count", "i8"),
        ("size", "i8"),  # of a copy [byte], at most `stride`
        ("world_at", "i8"), ("system_at", "i8"),  # offsets of WORLD and SYSTEM in a copy
        ("row_count", "i8"),  # rows of bodies in a copy
        ("template", "i8"),  # address of the copy that a reset puts back
        ("links", "i8"), ("link_count", "i8"),  # int64 (link_count, 2): offset of an address in a copy, and of what it means
        # Scratch of the threads: what a step writes before it reads it, shared by all worlds of a thread.
        ("scratch_places", "i8"), ("scratch_count", "i8"),  # int64: offsets of these addresses in a copy
        ("scratch", "i8"), ("scratch_sizes", "i8"),  # int64 (threads, scratch_count): addresses; (scratch_count): sizes [byte]
        ("solver_rows", "i8"),  # the number of the list of solver rows among them
        ("hot", "i8"), ("hot_count", "i8"),  # int64: offsets of the cache lines of a copy that a step uses
        # Compiled functions by address.
        ("step", "i8"), ("joint_changed", "i8"), ("forget_events", "i8"), ("copy", "i8"),
        ("job_system", "i8"),  # of the threads that share the worlds
        # What a step gives.
        ("bodies", "i8"), ("body_count", "i8"),  # int32: rows of the bodies, in the order of the arrays
        ("joints", "i8"), ("axes", "i8"), ("joint_count", "i8"),  # int32: rows of the joints, and the axes meant
        ("seconds", "f8"), ("step_count", "i8"),
        ("mask", "i8"),  # uint8 (count): worlds to be handled; 0: all
        # float64, or 0 for none: (count, body_count, 3) the first two, (count, joint_count) the others.
        ("forces", "i8"), ("torques", "i8"), ("motor_velocities", "i8"), ("motor_forces", "i8"), ("joint_forces", "i8"),
        ("source", "i8"),  # address of the copy that is put to the masked worlds
        ("wanted_states", "i8"),  # float64 (count, body_count, 13)
        # What comes out.
        ("states", "i8"),  # float64 (count, body_count, 13)
        ("impulses", "i8"),  # float32 (count, body_count)
        ("joint_states", "i8"),  # float64 (count, joint_count, 2): place and speed along or about the axis
        ("left_out", "i8"),  # int64 (count, LIMIT_KINDS)
        ("hashes", "i8"),  # int64 (count)
        # Rays: a QUERY that all of them follow, the row of the body in whose frame they are, or -1; float64 (ray_count, 3)
        ("query", "i8"), ("ray_body", "i8"), ("origins", "i8"), ("ends", "i8"), ("ray_count", "i8"),
        ("query_rays", "i8"),  # a compiled function by address
        ("distances", "i8"),  # float64 (count, ray_count)
    ],
    align=True,
)  # fmt: skip

STATE_WIDTH = 13
"""Numbers of a body's state: position [m], quaternion x, y, z, w, velocity [m/s], angular velocity [rad/s]."""
