"""Every call that changes a world is marked for recordings, and is replayed."""

import inspect
import math

import numpy as np
import scenes_of_state as scenes
from test_recordings import TICK, Recorded, check_same

import scree
from scree.batches.adding import add_bodies
from scree.batches.editing import free_bodies
from scree.bodies.schema import CAN_SLEEP, RIGID
from scree.core.body_shapes import IDENTITY
from scree.core.joints import LimitFeel
from scree.core.listeners import ListeningConstraint
from scree.edit.edit_log import CALL
from scree.joints.schema import DISTANCE, LINEAR_X, TWIST
from scree.runtime.recorded_calls import RECORDED
from scree.shapes import schema
from scree.state.recorded_values import decode
from scree.state.recording_files import RecordingFile

ONLY_EDITS = {
    "area": "set_collision_layer set_collision_mask set_monitorable set_monitoring set_param",
    "body": "edit set_axis_lock set_can_sleep set_collision_layer set_collision_mask set_continuous set_group set_mode "
    "set_object_layer set_param",
    "contact": "set_class set_events",
}
"""Calls that only give edits of the table, which are recorded by themselves."""
BY_OTHERS = {
    "area": "add_shape destroy remove_shape set_shape_disabled set_space_param set_system set_transform",
    "body": "bricks_changed forget_reports keep_density leave_system note_stale_mass put_into set_flag set_system settle "
    "settle_shapes settled_row shape_changed",
    "joint": "release_all retire_broken",
    "listener": "set_state",
    "shape": "settle_bricks settle_stand_ins structure_changed",
}
"""Calls that marked ones or a step call, or that call marked ones and change nothing else."""
REFUSED = {"listener": "add"}
NOT_OF_THE_FUTURE = {"listener": "add_activation call_python remove remove_activation"}
"""Calls that change nothing of what a world does next. (`remove` takes away what `add` added.)"""
READS = {
    "area": "events index overlaps system",
    "body": "exceptions finite group_filter_count index instance max_contacts own_index param recorder shape shape_count "
    "shape_transform system system_of",
    "contact": "class_of events events_of recorder struck_bricks",
    "joint": "force index is_broken is_connected kind position row torque",
    "shape": "id_of index",
}
PARTS = ("area", "body", "contact", "joint", "listener", "pulley", "shape", "soft_body", "vehicle", "water")


def test_every_call_of_the_parts_of_a_world_is_marked_or_known_to_need_no_mark():
    """A new call that changes a world belongs into one of the two."""
    world = scree.World(bodies=64, body_shapes=64, shapes=64).core
    for part in PARTS:
        names = {name for name, _ in inspect.getmembers(type(getattr(world, part)), inspect.isfunction) if name[0] != "_"}
        marked = {name.rpartition(".")[2] for name in RECORDED if name.startswith(f"{part}.")}
        known = " ".join(table.get(part, "") for table in (ONLY_EDITS, BY_OTHERS, REFUSED, NOT_OF_THE_FUTURE, READS)).split()
        assert names - marked - set(known) == set(), part
    kinds = ListeningConstraint.__subclasses__()
    assert {kind.__name__ for kind in kinds} == {"Vehicle", "Pulley", "SoftBody", "Water"}
    for kind in kinds:
        for name, function in inspect.getmembers(kind, inspect.isfunction):
            is_setter = name.startswith(("set", "apply", "move", "pin", "unpin", "lead", "drive", "place", "wake", "remove"))
            assert not is_setter or function in RECORDED.values(), (kind, name)


def joints(space: scree.Space) -> None:
    core, joint = space.core, space.core.joint
    places = [(k, 3.0, 0.0) for k in range(12)]
    ids = [body.id for body in space.add_rigid_many(scree.Sphere(radius=0.2), places)]
    hinge, slider, rod = (joint.create(kind, *ids[2 * k : 2 * k + 2], collides=True) for k, kind in
                          enumerate(("hinge", "slider", "distance")))  # fmt: skip
    six, gear = joint.create("six_dof", *ids[6:8]), joint.create("gear", *ids[8:10])
    joint.set_limits(hinge, TWIST, -0.5, 0.5)
    joint.set_limit_feel(hinge, TWIST, LimitFeel(restitution=0.3))
    joint.set_motor(hinge, TWIST, 1.0, 20.0)
    joint.set_spring(slider, LINEAR_X, 50.0, 2.0)
    joint.set_distance(rod, 0.5, 1.5)
    joint.set_ratio(gear, 2.0)
    joint.configure(six, {TWIST: (-1.0, 1.0)}, springs={LINEAR_X: (30.0, 1.0, 0.2)}, feel={TWIST: LimitFeel(hertz=20.0)})
    joint.limit_impulses(six, True)
    joint.set_max_impulse(hinge, 50.0)
    joint.set_break(slider, 1e5, 1e5)
    joint.set_collides(hinge, False)
    joint.set_frames(hinge, frame_b=(1, 0, 0, 0, 1, 0, 0, 0, 1, -0.5, 0, 0))
    space.step(TICK)
    joint.clear_motor(hinge, TWIST)
    joint.clear_spring(slider, LINEAR_X)
    joint.free_axis(six, DISTANCE)
    joint.set_enabled(gear, False)
    joint.destroy(rod)
    core.body.destroy(ids[6])


def shapes(space: scree.Space) -> list[int]:
    """A shape of every kind; ids of those that bodies can have and that move."""
    core, pool = space.core, space.core.shapes
    tetrahedron = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], np.float64)
    settings = {
        schema.SPHERE: lambda at: pool.set_sphere(at, 0.5), schema.BOX: lambda at: pool.set_box(at, (0.4, 0.5, 0.6)),
        schema.CAPSULE: lambda at: pool.set_capsule(at, 0.3, 1.5), schema.CYLINDER: lambda at: pool.set_cylinder(at, 0.3, 1.0),
        schema.TAPERED_CAPSULE: lambda at: pool.set_tapered_capsule(at, 0.5, 0.2, 0.4),
        schema.TAPERED_CYLINDER: lambda at: pool.set_tapered_cylinder(at, 0.5, 0.2, 0.4),
        schema.ELLIPSOID: lambda at: pool.set_ellipsoid(at, (0.3, 0.4, 0.5)),
        schema.HULL: lambda at: pool.set_hull(at, tetrahedron),
    }  # fmt: skip
    ids = []
    for kind, set_up in settings.items():
        ids.append(core.shape.create(kind))
        set_up(core.shape.index("test", ids[-1]))
    compound = core.shape.create(schema.COMPOUND)
    pool.set_compound(core.shape.index("test", compound), [(core.shape.index("test", ids[0]), IDENTITY)])
    for kind, set_up in (
        (schema.PLANE, lambda at: pool.set_plane(at, (0, 1, 0), -9.0)),
        (schema.MESH, lambda at: pool.set_mesh(at, tetrahedron, [(0, 1, 2), (0, 2, 3)])),
        (schema.SEPARATION_RAY, lambda at: pool.set_separation_ray(at, 0.7, True)),
        (schema.HEIGHT_FIELD, lambda at: pool.set_height_field(at, 4, 4, np.zeros(16))),
    ):
        other = core.shape.create(kind)
        set_up(core.shape.index("test", other))
    field = other
    ground = core.body.create()
    core.body.set_mode(ground, 0)
    core.body.add_shape(ground, field)
    core.body.set_system(ground, space.id)
    core.shape.update_height_field(field, 1, 1, np.full((2, 2), 0.3))
    return [*ids, compound]


def bodies(space: scree.Space) -> None:
    core, ids = space.core, shapes(space)
    made = []
    for k, shape in enumerate(ids):
        body = core.body.create()
        core.body.add_shape(body, shape)
        core.body.set_transform(body, (1, 0, 0, 0, 1, 0, 0, 0, 1, 2.0 * k, 6, 0))
        core.body.set_system(body, space.id)
        made.append(body)
    a, b, c, d = made[:4]
    core.body.add_shape(a, ids[1], (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0))
    core.body.set_shape(b, 0, ids[2])
    core.body.set_shape_transform(a, 1, (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5, 0))
    core.body.set_shape_disabled(b, 0, False)
    core.body.set_shape_layers(b, 0, 3, 5)
    core.body.remove_shape(a, 0)
    core.body.set_transform(c, (2, 0, 0, 0, 1, 0, 0, 0, 1, 4, 8, 0))  # stretched
    core.body.set_param(c, "center_of_mass", (0.1, 0, 0))
    core.body.reset_mass(c)
    core.body.follow_density(d, 700.0)
    core.body.keep_density([d], 800.0)
    core.body.add_exception(a, b)
    core.body.add_exception(a, c)
    core.body.remove_exception(a, c)
    core.body.set_max_contacts(b, 4)
    core.body.set_contact_bias(core.shape.index("test", ids[2]), 2.0)
    core.body.set_group(b, 3, 1, core.body.create_group_filter([(0, 1)]))
    core.body.set_mode(d, 1)
    core.body.teleport(d, (3, 9, 3), (0, 0, 0, 1))
    core.body.shape_changed(core.shape.index("test", ids[1]))
    core.body.param(a, "inertia")
    space.step(TICK)
    core.body.clear_shapes(made[5])
    core.shape.destroy(ids[4])
    core.body.destroy(made[6])
    core.contact.set_rule(1, 2, friction=0.1, surface_velocity=(1, 0, 0))
    core.contact.set_rule(1, 3, ignore=True)
    core.contact.remove_rule(1, 3)
    core.contact.set_class(a, 1)
    many = add_bodies(core, space.id, core.bodies.template(RIGID, CAN_SLEEP), _motions(10), np.ones(10), np.full(10, ids[0]))
    free_bodies(core, many[:7])


def _motions(count: int) -> np.ndarray:
    motions = np.zeros((count, 13))
    motions[:, 0], motions[:, 1], motions[:, 6] = 2.0 * np.arange(count), 12.0, 1.0
    return motions


def constraints(space: scree.Space) -> None:
    scenes_car = space.add_rigid(scree.Box(half_extents=(0.8, 0.2, 1.6)), (0, 0.9, 20), mass=1200.0)
    wheels = [scree.Wheel(position=(x, 0.0, z)) for z in (-1.3, 1.3) for x in (-0.8, 0.8)]
    car = space.add_vehicle(scenes_car, wheels, engine=scree.Engine(), differentials=[scree.Differential(2, 3)])
    tank_body = space.add_rigid(scree.Box(half_extents=(0.8, 0.2, 1.6)), (9, 0.9, 20), mass=1200.0)
    tracks = [scree.Track(wheels=(0, 2)), scree.Track(wheels=(1, 3))]
    tank = space.add_vehicle(tank_body, wheels, engine=scree.Engine(), tracks=tracks)
    car.drive(throttle=1.0)
    tank.drive_tracks(1.0, 0.5, 1.0)
    car.set_gear(1)
    one, other = (space.add_rigid(scree.Sphere(radius=0.4), (x, 3, 30), mass=2.0) for x in (5, 7))
    pulley = space.add_pulley(scree.Rope(wheel=(5, 6, 30), to_wheel=(7, 6, 30)), one, other)
    pulley.set_length(1.0, 9.0)
    soft = space.add_soft_body([(8, 4, 0), (9, 4, 0), (8, 4, 1), (8, 5, 0)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    soft.set_mass(2.0)
    soft.move_particles([1], [(9.1, 4, 0)])
    soft.move(np.eye(3), (0, 0.1, 0))
    soft.set_velocities(np.ones((4, 3)))
    soft.apply_impulses([0], [(0, 1, 0)])
    soft.apply_forces([0], [(0, 1, 0)])
    soft.pin([0])
    soft.lead_pins([0], [(8, 4.2, 0)])
    soft.set_tethers(0.05)
    soft.skin(soft.positions + (0.1, 0, 0), [math.inf, 0.2, math.inf, 0.3])
    soft.set_stiffness(300.0, 1.0)
    soft.set_setting("friction", 0.3)
    soft.set_layers(2, 3)
    soft.set_precision(4)
    soft.set_meets(True, itself=True)
    soft.set_exceptions([one.id])
    soft.wake()
    water = space.add_water((20, 1, 0), (6, 2, 6), waves=[scree.Wave()])
    water.place((20, 1.1, 0), (6, 2, 6))
    water.set(drag=0.4)
    water.flow = (1, 0, 0)
    water.set_waves([scree.Wave(height=0.3)])
    water.set_enabled(True)
    upper, lower = (space.add_rigid(scenes.ROD, (-6, y, 0)) for y in (4, 2.6))
    space.add_joint(scree.Pin(anchor=(-6, 3.3, 0)), upper, lower)
    motors = space.add_pose_motors([upper], [lower])
    motors.aim([(0.0, 0.0, 0.38268343, 0.92387953)], rate=10.0, most_torque=[50.0])
    for _ in range(3):
        space.step(TICK)
    motors.relax()
    soft.unpin([0])
    soft.set_enabled(False)
    for thing in (car, pulley, water):
        thing.remove()


def test_every_marked_call_is_replayed_to_the_same_hash(tmp_path):
    with Recorded(tmp_path / "a") as space:
        space.add_static(scree.Box(half_extents=(40, 1, 40)), (0, -1, 0))
        space.gravity = (0, -9, 0)
        space.settings = scree.SpaceSettings(substep_count=5)
        joints(space)
        bodies(space)
        constraints(space)
        space.shift_origin((100, 0, 0))
        space.add_area(scree.Sphere(radius=3.0), (0, 3, 0))
        space.world.add_space().remove()
        for _ in range(20):
            space.step(TICK)
        new_body = space.core.bodies.template
    calls = [row.call for row in RecordingFile(tmp_path / "a").rows() if row.record["edit"] == CALL]
    names = {decode(call[4 : 4 + int.from_bytes(call[:4], "little")], new_body)["name"] for call in calls}
    inside = {"body.lose_shape", "shapes.set_structure", "shapes.set_custom"}  # called by others only
    assert set(RECORDED) - names <= inside
    check_same(tmp_path / "a", 25)
