"""The data of a soft body: one record, and arrays of its particles, edges and triangles at addresses that never change."""

import numpy as np

MOST_CONTACTS = 3
"""Contacts of a particle: the corner of a room has three walls."""
MOST_CANDIDATES = 1024
"""Rigid bodies near a soft body that one step looks at."""
MOST_AREAS = 32
"""Areas around a soft body that one step looks at."""

EDGE = np.dtype([("a", "i4"), ("b", "i4"), ("rest", "f8"), ("compliance", "f8")], align=True)
"""A distance between two particles: the rest length [m] and the length gained by 1 N [m/N]."""

PLACE_SIZE = 32
"""A place in memory: x, y, z of a particle in the small step under way, world [m], and its inverse mass [1/kg]; float64."""

FOUR_EDGES = np.dtype(
    [
        ("rest", "f4", 4),  # [m]
        ("ease", "f4", 4),  # what divides the missing length: inverse masses of the ends, and compliance over time squared [1/kg]
        ("a", "i4", 4), ("b", "i4", 4),  # numbers of the places
    ],
    align=True,
)  # fmt: skip
"""Up to four edges of one colour: one line of the processor's cache, as memory limits how fast edges are solved. Free lanes join
a spare place with itself."""

EDGE_RANGE = np.dtype([("first", "i4"), ("count", "i4")], align=True)
"""The edges that are in the lanes of a row of FOUR_EDGES."""

CLUSTER = np.dtype([("begin", "i4"), ("end", "i4")], align=True)
"""Places of particles near each other."""

STRIP = np.dtype(
    [
        # Ranges of rows that it has; `next`: of what lies between it and the next strip.
        ("place_begin", "i8"), ("place_end", "i8"), ("cluster_begin", "i8"), ("cluster_end", "i8"),
        ("own_begin", "i8"), ("own_end", "i8"), ("next_begin", "i8"), ("next_end", "i8"),  # of FOUR_EDGES
        ("face_begin", "i8"), ("face_end", "i8"), ("next_face_begin", "i8"), ("next_face_end", "i8"),
        # Within a sub-step.
        ("plane_count", "i8"), ("pushed_count", "i8"),  # rows of PLANE and PUSHED, from MOST_CONTACTS * place_begin on
        ("to_wake", "i8"),  # as that of SOFT_BODY
        ("volume", "f8"),  # part of the enclosed volume [m^3]
    ],
    align=True,
)  # fmt: skip
"""A part of a soft body; see strips.py."""

CONTACT = np.dtype(
    [
        ("local_arm", "f8", 3),  # from the centre of mass to the point on the surface, body frame [m]
        ("local_normal", "f4", 3),  # unit, out of the body
        ("gap", "f4"),  # to the particle when it was found [m]
        ("body", "i4"),
        ("candidate", "i4"),  # number of the body among those near the soft body in this step
        ("pushes_particle", "i2"),  # the soft body's mask has the layer of the body
        ("pushes_body", "i2"),  # the body's mask has the layer of the soft body, and the body can be moved
    ],
    align=True,
)
"""A contact, as a plane that moves with a body. Little memory, as all are read in each sub-step."""

PLANE = np.dtype(
    [
        ("offset", "f8"),  # of the plane of the particle's centre along the normal, as the sub-step begins, world [m]
        ("normal", "f4", 3),  # unit, out of the body
        ("speed", "f4"),  # along the normal, of a body that is not moved by it [m/s]
        ("turn", "f4", 3),  # arm x normal [m]
        ("pushed", "i4"),  # row of PUSHED; -1: the body is not moved by it
        ("place", "i4"), ("particle", "i4"),
    ],
    align=True,
)  # fmt: skip
"""A contact as the small steps of one sub-step need it to see whether it acts: little memory, as most do not."""

GRIP = np.dtype(
    [
        ("arm", "f4", 3),  # from the centre of mass [m]
        ("velocity", "f4", 3),  # of the surface at the arm, but for the motion of a body that is pushed [m/s]
        ("share", "f4"),  # change of velocity along the normal by an impulse of 1 N s [1/kg]
        ("weight", "f4"),  # part of the particle's inverse mass: 1, or 0 if only the body is pushed
        ("friction", "f4"),
        ("body", "i4"),
    ],
    align=True,
)  # fmt: skip
"""The part of a contact that is read only where its PLANE acts."""

POSE = np.dtype([("position", "f8", 3), ("rotation", "f8", 4)], align=True)
"""Position of a body's centre of mass, world [m], and its rotation."""

PUSHED = np.dtype(
    [
        ("body", "i4"), ("row", "i4"),  # of the solver
        ("sharers", "f8"),  # number of strips that push the body: each moves that part of its mass
        ("velocity", "f8", 3), ("spin", "f8", 3),  # [m/s], [rad/s]
        ("first_velocity", "f8", 3), ("first_spin", "f8", 3),  # as the sub-step began
        ("mass", "f8", 3),  # inverse, along x, y, z [1/kg]
        ("inertia", "f8", 6),  # inverse, world axes [1/(kg m^2)]
    ],
    align=True,
)  # fmt: skip
"""A rigid body as one strip pushes it in a sub-step."""

MOST_MEETINGS = 4
"""Faces of soft bodies that a particle meets."""
MOST_PARTNERS = 64
"""Soft bodies that one soft body meets in a step."""

MEETING = np.dtype(
    [
        ("other", "i8"),  # address of the SOFT_BODY of the face
        ("a", "i4"), ("b", "i4"), ("c", "i4"),  # the corners
        ("side", "i4"),  # where the particle belongs: 1 in front of the face, -1 behind it; 0: beside it
        ("corners", "f8", 3),  # shares of the corners in the nearest point
        ("normal", "f8", 3),  # unit, from the face to where the particle belongs, world
        ("gap", "f8"),  # as the sub-step began [m]
    ],
    align=True,
)  # fmt: skip
"""A particle that may meet a face of a soft body in a sub-step."""

SOFT_SPACE = np.dtype(
    [
        ("sharers", "i8"),  # int64 by rigid body: how many strips push it; 0 outside of a sub-step
        ("owners", "i8"),  # int64 by rigid body: address of the first SOFT_BODY near it; 0 outside of `find_groups`
        ("members", "i8"),  # int64 (MOST_LISTENERS,): addresses of the soft bodies that the job under way prepares
        ("heads", "i8"),  # int64 (MOST_LISTENERS,): addresses of the first soft bodies of the groups that it solves
        ("system", "i8"),  # address of SYSTEM
        ("time", "f8"),  # of the step or the sub-step [s]
        ("prepare_job", "i8"), ("solve_job", "i8"), ("strip_job", "i8"),  # addresses
    ],
    align=True,
)  # fmt: skip
"""Memory that the soft bodies of a space share. Nothing in it lasts from one stage of a step to the next."""

SOFT_BODY = np.dtype(
    [
        ("is_enabled", "i8"),
        ("space", "i8"),  # address of SOFT_SPACE
        ("group", "i8"),  # address of a soft body of its group, in this step; its own: it is the root
        ("next", "i8"), ("last", "i8"),  # addresses: the next of its group to be solved; of a root: the last so far
        ("id", "i8"), ("user_id", "i8"),  # as hits report them; numbers of the host
        ("is_pickable", "i8"),
        ("layer", "u4"), ("mask", "u4"),
        # Arrays: float64 (n, 3) unless stated. Positions and the like are in world axes [m].
        ("particle_count", "i8"), ("positions", "i8"), ("velocities", "i8"),
        ("targets", "i8"),  # where pinned particles are to be at the end of the step
        ("inverse_masses", "i8"),  # float64 (n,) [1/kg]; 0: pinned
        ("forces", "i8"),  # on each particle, for the next step [N]
        ("accelerations", "i8"),  # of this step: gravity and forces [m/s^2]
        # Tethers.
        ("anchors", "i8"), ("tether_lengths", "i8"),  # int32 (n,): the nearest pin; float64 (n,) [m]; infinite: none
        ("skins", "i8"), ("skin_starts", "i8"),  # targets of a skin at the end of the step, and at its beginning
        ("reaches", "i8"),  # float64 (n,): how far from its target a particle may be [m]; 0: it is pinned there; infinite: free
        ("damps", "i8"),  # float64 (n,): of this step, areas included [1/s]
        ("winds", "i8"),  # pressure of the wind at each particle, along the wind [N/m^2]
        ("airs", "i8"),  # accelerations by wind and drag [m/s^2]
        ("checked", "i8"),  # where the particle was when its contacts were found
        ("contact_counts", "i8"),  # int32 (n,)
        ("contacts", "i8"),  # CONTACT (MOST_CONTACTS, n): the first ones of all particles, then the second ones
        ("edges", "i8"), ("edge_count", "i8"),  # EDGE, by strip and colour
        ("triangles", "i8"), ("triangle_count", "i8"),  # int32 (m, 3)
        ("faces", "i8"),  # the same, by strip and colour
        # Strips. Rows of PLANE, GRIP and PUSHED: MOST_CONTACTS for each particle.
        ("strips", "i8"), ("strip_count", "i8"),
        ("order", "i8"),  # int32 (n,): the particle at each place
        ("places", "i8"),  # float64 (n + 2 * strip_count, 4): see PLACE_SIZE; the last ones are spare
        ("clusters", "i8"),  # CLUSTER, by strip
        ("fours", "i8"), ("four_count", "i8"),  # FOUR_EDGES, by strip and colour
        ("ranges", "i8"),  # EDGE_RANGE of these
        ("planes", "i8"), ("grips", "i8"), ("pushed", "i8"),  # PLANE, GRIP, PUSHED
        ("pushed_of", "i8"),  # int32 (strip_count, MOST_CANDIDATES): row of PUSHED; -1: none
        ("boxes", "i8"),  # float64 (MOST_CANDIDATES, 6): where bodies may be until contacts are found anew, world [m]
        ("poses", "i8"),  # POSE (MOST_CANDIDATES,): of these bodies in the sub-step under way
        ("phase", "i8"), ("small_step", "i8"),  # under way
        # Meetings with soft bodies, found anew in each sub-step.
        ("partners", "i8"),  # int64 (MOST_PARTNERS,): addresses of soft bodies that it may meet
        ("partner_count", "i8"), ("partners_before", "i8"),  # in this step and in the one before
        ("place_of", "i8"),  # int32 (n,): the place of each particle
        ("slots", "i8"), ("slot_count", "i8"),  # int32 (slot_count,), a power of two: the first particle of a cell; -1: none
        ("following", "i8"),  # int32 (n,): the next particle of the cell
        ("cell_size", "f8"), ("mean_edge", "f8"),  # [m]
        ("meeting_counts", "i8"),  # int32 (n,)
        ("meetings", "i8"),  # MEETING (n, MOST_MEETINGS)
        ("reach", "f8"),  # how far from its bounds it may meet something in this step [m]
        ("fastest", "f8"),  # speed of its fastest particle [m/s]
        ("small", "f8"), ("substep", "f8"),  # the lengths of the small step and of the sub-step [s]
        ("candidates", "i8"), ("candidate_count", "i8"),  # int32 (MOST_CANDIDATES,): bodies near it in this step
        ("exceptions", "i8"), ("exception_count", "i8"),  # int64: ids of bodies that it does not meet
        ("wind_areas", "i8"),  # WIND, by index of the area; 0: no area has wind
        # Settings.
        ("meets_soft_bodies", "i8"), ("meets_itself", "i8"),
        ("radius", "f8"),  # of the particles in contacts [m]
        ("friction", "f8"),
        ("precision", "i8"),  # small steps in 1/240 s
        ("damping", "f8"),  # [1/s]
        ("drag", "f8"),  # drag coefficient of the triangles
        ("pressure", "f8"),  # pressure times volume [J]
        ("gravity_scale", "f8"),
        ("slack", "f8"),  # part of the way to its nearest pin by which a particle may be farther from it; below 0: no tethers
        ("is_skinned", "i8"),  # some reach is not infinite
        ("can_sleep", "i8"),
        ("orientation", "f8"),  # 1: triangles are counter-clockwise seen from outside, -1: clockwise; 0: the surface is open
        ("least_volume", "f8"),  # the pressure does not rise beyond that of this volume [m^3]
        # State.
        ("is_asleep", "i8"),
        ("still_time", "f8"),  # how long all particles have been slow [s]
        ("surroundings", "i8"),  # hash of the bodies near it and of gravity when it fell asleep
        ("to_wake", "i8"),  # 1 + index of a sleeping body that a particle pushed; 0: none
        ("fastest_body", "f8"),  # speed of the fastest body near it [m/s]
        ("since_found", "f8"),  # time since contacts were last found [s]
        ("left_out", "i8"),  # bodies, areas and soft bodies near it that this step does not look at
        ("is_even", "i8"),  # acceleration and damping are the same for all particles
        ("has_wind", "i8"),  # some particle is in wind
        ("bounds", "f8", 6),  # of all particles: min x, y, z, max x, y, z, world [m]
        ("time", "f8"),  # of the step under way [s]
        ("volume", "f8"),  # enclosed by the triangles, as of the last small step; 0 if nothing needed it [m^3]
    ],
    align=True,
)  # fmt: skip

WIND = np.dtype(
    [
        ("magnitude", "f8"),  # pressure at the source [N/m^2]
        ("attenuation", "f8"),  # exponent: the pressure falls with distance ** -attenuation
        ("source", "f8", 3),  # world [m]
        ("direction", "f8", 3),  # world, unit
    ],
    align=True,
)
"""The wind of an area; 0 everywhere: none."""
