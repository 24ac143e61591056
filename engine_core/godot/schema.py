"""The data of the compiled part of the bridge: functions of Godot by address, and what belongs to each body and space.

Records are at addresses that never change. The instance pointer that Godot passes to a virtual is the address of one of them:
SERVER for the server, BODY_BINDING for a body state, SPACE_BINDING for a space state.
"""

import numpy as np

VARIANT_WORDS = 3
"""A Variant is 24 bytes in single precision: its type in the first word, its value in the others."""

# Variant types, as the engine numbers them since 4.0.
NIL, BOOL, INT, FLOAT, STRING, VECTOR3, PLANE, BASIS, TRANSFORM3D = 0, 1, 2, 3, 4, 9, 14, 17, 18
STRING_NAME, RID, OBJECT, CALLABLE, DICTIONARY, ARRAY = 21, 23, 24, 25, 27, 28
PACKED_BYTE_ARRAY, PACKED_INT32_ARRAY, PACKED_INT64_ARRAY, PACKED_FLOAT32_ARRAY, PACKED_FLOAT64_ARRAY = 29, 30, 31, 32, 33
PACKED_STRING_ARRAY, PACKED_VECTOR3_ARRAY, PACKED_COLOR_ARRAY = 34, 36, 37

# The reasons that a compiled function reports to Python when it refuses a call; see errors.py.
NO_SUCH_BODY, NO_SUCH_SPACE, NO_SUCH_SHAPE, NOT_FINITE, WRONG_TYPE, WRONG_NUMBER, NO_SUCH_OBJECT = range(1, 8)
NOT_FINITE_TRANSFORM, STEP_FAILED, WRONG_MARGIN, TOO_MANY_EDITS, NO_SUCH_AREA = 8, 9, 10, 11, 12

SERVER = np.dtype(
    [
        ("world", "i8"),  # address of WORLD
        ("body_bindings", "i8"),  # address of BODY_BINDING (body capacity)
        ("area_bindings", "i8"),  # address of AREA_BINDING (body capacity)
        ("space_bindings", "i8"),  # address of SPACE_BINDING (system capacity)
        ("shape_bindings", "i8"),  # address of SHAPE_BINDING (shape capacity)
        ("object", "i8"),  # the server's Object
        ("is_active", "i8"),
        ("is_flushing", "i8"),
        ("step_function", "i8"),  # address of physics_system.step
        ("tick", "i8"),  # number of the next step, from 1 on
        ("has_impulses", "i8"),  # some were given for the next step, see upward_impulses.py
        ("active_object_count", "i8"),  # for the performance monitors
        ("pair_count", "i8"),
        ("lock", "i8"),  # holder of the lock: 0, or the number of a thread; see server_lock.py
        ("lock_depth", "i8"),
        ("is_stepping", "i8"),  # 1 while `_step` holds the lock
        ("late_count", "i8"),  # calls that wait for the end of the step, see Server.settle_late
        ("settle_late", "i8"),  # void f(0)
        ("has_stale_masses", "i8"),  # shapes on bodies have changed: Server.settle_masses before the next step
        ("settle_masses", "i8"),  # void f(body index; -1: all)
        ("doomed_count", "i8"),  # things to be freed after the flush, see Server.bury
        ("thread_number", "i8"),  # address of the operating system's `current thread` function
        ("yield_thread", "i8"),  # address of its `yield` function
        ("allocate", "i8"), ("free_memory", "i8"),  # addresses of C's malloc and free
        ("exclusion_function", "i8"),  # address of space_state.is_excluded_by_godot
        ("motion_exclusion_function", "i8"),  # address of motion_test.is_excluded_by_motion
        # Python functions for rare events: void f(call number, reason, value address)
        ("report_error", "i8"),
        ("make_body_state", "i8"),  # void f(binding address): makes its Object
        ("set_stretched_transform", "i8"),  # void f(body id, address of 12 float32)
        ("cook_query_shape", "i8"),  # void f(address of SHAPE_REQUEST)
        ("release_query_shape", "i8"),  # void f(cooked shape)
        ("query_rows", "i8"), ("query_row_count", "i8"),  # address of QUERY_ROW, and how many there are
        ("bury", "i8"),  # void f(0): frees things released during the flush
        ("tell_contacts", "i8"),  # void f(space id): the last step of the space has contact events
        ("tell_joints", "i8"),  # void f(space id): some joints of the space broke in the last step
        # Functions and methods of Godot
        ("variant_call", "i8"),
        ("variant_destroy", "i8"),
        ("variant_from_transform", "i8"), ("variant_from_vector3", "i8"), ("variant_from_bool", "i8"),
        ("transform_from_variant", "i8"), ("vector3_from_variant", "i8"), ("bool_from_variant", "i8"),
        ("method_bind_ptrcall", "i8"),
        ("object_from_id", "i8"),
        ("is_body_excluded_from_query", "i8"),  # a method bind, of the space state
        ("is_excluding_body", "i8"), ("is_excluding_object", "i8"),  # method binds, of the server
        ("call_name", "i8"),  # address of StringName("call")
        ("streams", "i8"),  # address of STREAM (MOST_STREAMS): streaming worlds, see server_streaming.py
        ("stream_count", "i8"),  # rows of it that may be in use
        ("advance_stream", "i8"),  # address of body_batches.advance
        ("clock", "i8"),  # address of the C library's clock_gettime while the cost of steps is measured, or 0
        # The step beside the main thread, see step_thread.py
        ("step_thread", "i8"),  # number of the stepping thread; 0: the one that calls `_step`
        ("step_length", "f8"),  # [s]
        ("step_state", "i4"), ("step_padding", "i4"),
        ("worst_step", "i8"),  # [ns] of processor time, the largest of a step on the stepping thread
        # Calls that compiled code answers if it can, see creation/compiled_answer.py
        ("python_answers", "i8"),  # addresses of Python's answers, by number
        ("late_edits", "i8"),  # address of the number of edits that wait in late_edits.LateEdits
        ("has_contact_biases", "i8"),  # contacts of some shape are not of the usual firmness: Python handles those
        ("stock", "i8"), ("stock_count", "i8"),  # int32: free rows of bodies, the next one last; see creation/stock.py
        ("runs", "i8"), ("run_count", "i8"),  # int32: free rows of shapes on bodies, each a run of one
        ("shape_rows", "i8"), ("shape_row_count", "i8"),  # int32: free rows of shapes
        ("notes", "i8"), ("note_count", "i8"),  # NOTE: changes that Python must enter into its tables
        ("new_body", "i8"), ("new_area_body", "i8"), ("new_area", "i8"),  # addresses of BODY, BODY, AREA to copy for new ones
        # Entry points of edit/body_placement.py
        ("enter_system", "i8"), ("leave_system", "i8"), ("renew", "i8"), ("renew_shapes", "i8"),
        # Functions and methods of Godot
        ("callable_is_valid", "i8"), ("variant_from_callable", "i8"), ("variant_from_object", "i8"),
        ("construct_object", "i8"), ("set_instance", "i8"), ("destroy_object", "i8"),
        ("body_state_base", "i8"), ("body_state_class", "i8"),  # addresses of StringNames
        ("variant_copy", "i8"), ("variant_get_keyed", "i8"),
        # Addresses of Variants: the keys of a shape's data
        ("radius_key", "i8"), ("height_key", "i8"), ("faces_key", "i8"), ("backface_key", "i8"), ("width_key", "i8"),
        ("depth_key", "i8"), ("heights_key", "i8"),
        # Of two types of packed arrays addresses of functions: from a Variant, size, first element, destructor
        ("vector3_array", "i8", 4), ("float32_array", "i8", 4),
        # Cooking of hulls, meshes and height fields, see creation/cooked_shapes.py
        ("cooking", "i8"),  # address of COOKING (shapes/compiled_cooking.py)
        ("cook_hull", "i8"), ("cook_mesh", "i8"), ("cook_field", "i8"),  # entry points; 0 until the first of the kind is set
        ("cooked_memory", "i8"),  # int64: address of the memory that a shape's row was cooked into; 0: none, or Python's
        ("noted_memory", "i8"),  # freed memory that the notes hold [byte]
        # Bodies drawn by MultiMeshes, see drawn_sets.py
        ("drawn_keys", "i8"),  # int64 (body capacity): set << 32 | row + 1 of each body; 0: in none
        ("drawn_sets", "i8"), ("drawn_set_count", "i8"),  # DRAWN_SET (MOST_DRAWN_SETS), and how many rows of it may be in use
        ("rendering_server", "i8"),  # its Object; with it method binds of multimeshes (the second may be 0)
        ("set_buffer", "i8"), ("set_buffer_interpolated", "i8"), ("set_custom_aabb", "i8"),
        ("array_to_write", "i8"), ("array_copy", "i8"), ("array_free", "i8"),  # functions of PackedFloat32Array
    ],
    align=True,
)  # fmt: skip

MOST_STREAMS = 64
STREAM = np.dtype([("link", "i8"), ("queue", "i8"), ("system", "i8")], align=True)
"""Addresses of a streaming world's LINK, QUEUE and SYSTEM; 0: a free row."""

BODY_BINDING = np.dtype(
    [
        ("server", "i8"),  # address of SERVER; 0: this row was never used
        ("world", "i8"),
        ("body_index", "i8"),
        ("body_id", "i8"),
        ("object", "i8"),  # the body's PhysicsDirectBodyState3D; 0: not made yet
        ("state_variant", "i8", VARIANT_WORDS),  # as a Variant: the argument of every callback
        ("sync_callback", "i8", VARIANT_WORDS),  # a Callable as a Variant; nil: none
        ("integration_callback", "i8", VARIANT_WORDS),
        ("integration_data", "i8", VARIANT_WORDS),
        ("arguments", "i8", 2),  # addresses of state_variant and integration_data
        # Sums of the impulses of one tick [N s], see upward_impulses.py
        ("impulse", "f8", 3), ("pushed_tick", "i8"), ("pushed_id", "i8"),
    ],
    align=True,
)  # fmt: skip

# Data of an area, in the row of its index: its Callables, as Variants; nil: none.
AREA_BINDING = np.dtype(
    [
        ("body_callback", "i8", VARIANT_WORDS),
        ("area_callback", "i8", VARIANT_WORDS),
        ("has_wind", "i8"),  # some wind parameter differs from the default
    ],
    align=True,
)
AREA_CALLBACKS = ("body_callback", "area_callback")

# The data that Godot has set on a shape, in the row of its index: kept unchanged, because `shape_get_data` returns it.
SHAPE_BINDING = np.dtype(
    [
        ("shape_id", "i8"),  # 0: no shape of Godot's
        ("data", "i8", VARIANT_WORDS),  # a Variant; nil: not set yet
        ("margin", "f8"),
        ("custom_solver_bias", "f8"),
        ("sight", "i8"),  # UNSEEN, SEEN or WRITTEN
    ],
    align=True,
)
UNSEEN, SEEN, WRITTEN = range(3)
"""Values of SHAPE_BINDING.sight: no query has used the shape yet, and no body has it; it was used, so that new
settings go into a fresh row; its row is being written, and a query waits."""

# A change by compiled code that Python must enter into its tables.
NOTE = np.dtype([("kind", "i8"), ("identity", "i8"), ("first", "i8"), ("capacity", "i8"), ("sizes", "f8", 3)], align=True)
SHAPE_USED, SHAPE_DROPPED, MASS_IS_STALE, WAS_FREED, SHAPE_SET, SHAPE_FREED = range(6)  # the first three of bodies that live
"""Values of NOTE.kind: a body (`identity`) has one more or one less of the shape `first` (index); its mass is to be renewed; it,
or an area, was freed, and the `capacity` rows of its shapes from `first` on with it; a shape (`identity`) was given `sizes`
(shapes/solids.py) or a block; it was freed, and its memory (`first`: the address, or 0) with it."""
MOST_NOTES = 4096
MOST_IN_STOCK = 256

# A query shape with a scaled transform that Python must cook.
SHAPE_REQUEST = np.dtype(
    [("call", "i8"), ("shape", "i8"), ("transform", "i8"), ("cooked", "i8"), ("rotation", "f8", 4)], align=True
)

# A spare row of shapes, in which compiled code cooks query shapes itself: see stretched_queries.py.
QUERY_ROW = np.dtype(
    [
        ("is_taken", "i8"),
        ("row", "i8"),  # index
        ("memory", "i8"),  # of the shape's block, from `allocate`; 0: none
        ("generation", "i8"),  # of the tree whose user the query is
        ("padding", "i8", 4),  # one cache line each
    ],
    align=True,
)
MOST_QUERY_ROWS = 32
STEP_CALLBACKS = ("before_step", "after_step")
"""The fields of SPACE_BINDING that hold Callables."""

SPACE_BINDING = np.dtype(
    [
        ("server", "i8"),  # 0: this row was never used
        ("world", "i8"),
        ("system", "i8"),  # address of SYSTEM
        ("system_id", "i8"),
        ("object", "i8"),  # its PhysicsDirectSpaceState3D
        ("pending", "i8"),  # address of int64 (body capacity): ids of the bodies to notify in the next flush
        ("pending_count", "i8"),
        ("moved", "i8"),  # address of int32 (body capacity): rows of drawn bodies that the last step moved,
        ("moved_count", "i8"),
        ("fell_asleep_count", "i8"),  # and how many; the last of them fell asleep in it
        ("is_active", "i8"),
        ("soft_bodies", "i8"),
        ("soft_body_count", "i8"),  # int64: addresses of its soft bodies, SOFT_BODY
        ("shifted", "f8", 3),  # how far the frame has moved along each axis since the last step [m], see frames.py
        ("is_stepped", "i8"),  # 1: a step was made, and no flush has told of it yet
        ("before_step", "i8", VARIANT_WORDS), ("after_step", "i8", VARIANT_WORDS),  # Callables as Variants; nil: none
        # Bodies that woke or fell asleep in the last step, see public_steps.py
        ("sleep_ids", "i8"),  # address of int64 (2, body capacity): ids of those that woke, and of those that fell asleep; or 0
        ("woke_count", "i8"), ("slept_count", "i8"),
    ],
    align=True,
)  # fmt: skip

MOST_DRAWN_SETS = 1024
DRAWN_SET = np.dtype(
    [
        ("is_used", "i8"),
        ("multimesh", "i8"),  # RID
        ("count", "i8"),  # bodies, the first rows of the buffer
        ("capacity", "i8"),  # rows of the buffer: instances of the multimesh
        ("stride", "i8"),  # numbers of a row: 12 of the transform, then those of colour and custom data
        ("ids", "i8"),  # address of int64 (capacity): ids of the bodies
        ("asleep", "i8"), ("asleep_count", "i8"),  # int32 (capacity): rows of the bodies that fell asleep in the last step
        ("fresh", "i8"), ("fresh_count", "i8"),  # int32 (capacity): rows that are not to glide from where they were
        ("to_local", "f8", 12),  # from Godot's coordinates to those of the node that draws
        ("is_placed", "i8"),  # 0: `to_local` is the identity
        ("reach", "f8"),  # how far an instance reaches from its origin [node]; negative: its bounds are not ours to set
        # Box around the origins of the instances [node]: of those written since it was handed over, and how many these are;
        ("written_box", "f8", 6), ("written_count", "i8"),
        ("box", "f8", 6), ("box_age", "i8"),  # of all, or more; for how many ticks it has only grown
        ("interpolates", "i8"),  # Godot draws between the buffers of two ticks
        ("is_fresh", "i8"),  # all rows are fresh
        ("needs_all", "i8"),  # write all rows, not only those of bodies that moved
        ("is_begun", "i8"),  # `rows` may be written
        ("rows", "i8"),  # address of the numbers of `buffer`
        ("buffer", "i8", 2), ("previous", "i8", 2),  # PackedFloat32Array (capacity * stride), of this tick and the one before
    ],
    align=True,
)  # fmt: skip
"""Bodies whose transforms are written into the buffer of a multimesh, see drawn_sets.py."""
