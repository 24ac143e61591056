"""Numbers of the calls that compiled code may refuse, so that Python can name them. The order is part of
the cached code."""

CALLS = (
    "body_apply_central_impulse", "body_apply_impulse", "body_apply_torque_impulse", "body_apply_central_force",
    "body_apply_force", "body_apply_torque", "body_add_constant_central_force", "body_add_constant_force",
    "body_add_constant_torque", "body_set_constant_force", "body_get_constant_force", "body_set_constant_torque",
    "body_get_constant_torque", "body_set_axis_velocity", "body_set_state", "body_get_state", "body_test_motion",
    "space_get_direct_state", "body_get_collision_layer", "body_get_collision_mask", "intersect_ray", "intersect_point",
    "intersect_shape", "cast_motion", "collide_shape", "rest_info", "get_closest_point_to_object_volume",
    "state_sync_callback", "force_integration_callback", "step", "body_state.apply_central_impulse",
    "body_state.apply_impulse", "body_state.apply_torque_impulse", "body_state.apply_central_force",
    "body_state.apply_force", "body_state.apply_torque", "body_state.add_constant_central_force",
    "body_state.add_constant_force", "body_state.add_constant_torque", "body_state.set_constant_force",
    "body_state.get_constant_force", "body_state.set_constant_torque", "body_state.get_constant_torque",
    "body_state.set_linear_velocity", "body_state.set_angular_velocity", "body_state.set_transform",
    "body_state.get_contact", "body_state.get_linear_velocity", "body_state.get_angular_velocity",
    "body_state.get_total_gravity", "body_state.get_center_of_mass", "body_state.get_center_of_mass_local",
    "body_state.get_inverse_inertia", "area_set_transform", "area_monitor_callback", "area_area_monitor_callback",
    "get_process_info", "body_state.get_velocity_at_local_position", "space_step_listener",
)  # fmt: skip


def number_of(call: str) -> int:
    """The number of a call."""
    return CALLS.index(call)
