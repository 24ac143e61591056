"""Wrong values are refused where users wrote them, by the names that they wrote; so are things of another world."""

import dataclasses
import math

import numpy as np
import pytest

import scree

BALL = scree.Sphere(radius=0.5)
BOX = scree.Box(half_extents=(0.5, 0.5, 0.5))
FLOOR = scree.Mesh(vertices=[(0, 0, 0), (1, 0, 0), (0, 0, 1)], triangles=[(0, 2, 1)])
FIELD = scree.HeightField(heights=np.zeros((3, 3)))
NAN = math.nan


@pytest.mark.parametrize(
    "call",
    [
        lambda space, own, other: space.add_joint(scree.Pin(), own, other),
        lambda space, own, other: space.add_joint(scree.Pin(), other),
        lambda space, own, other: space.add_pulley(scree.Rope(wheel=(0, 5, 0), to_wheel=(1, 5, 0)), own, other),
        lambda space, own, other: space.add_vehicle(other, [scree.Wheel(position=(0, 0, 0))]),
        lambda space, own, other: space.cast_ray((0, 9, 0), (0, -9, 0), exclude=[other]),
        lambda space, own, other: space.cast_rays([(0, 9, 0)], (0, -9, 0), exclude=other.space.bodies),
        lambda space, own, other: space.cast_ray_all((0, 9, 0), (0, -9, 0), exclude=[other]),
        lambda space, own, other: space.cast_shape(BALL, (0, 9, 0), (0, -9, 0), exclude=[other]),
        lambda space, own, other: space.overlaps(BALL, (0, 0, 0), exclude=[other.space.add_area(BALL)]),
        lambda space, own, other: space.at_point((0, 0, 0), exclude=[other]),
        lambda space, own, other: space.closest_point(other, (0, 0, 0)),
        lambda space, own, other: own.ignore(other),
    ],
)  # fmt: skip
def test_things_of_another_world_are_refused(space, call):
    own, other = space.add_rigid(BALL), scree.World(threads=1, bodies=64).add_space().add_rigid(BALL)
    assert own.id == other.id
    with pytest.raises(ValueError, match="belongs? to another World") as raised:
        call(space, own, other)
    assert str(raised.value).split(":")[0] in {name for name in dir(scree.Space) + dir(scree.Body) if name[0] != "_"}


def test_a_joint_holds_bodies_of_one_space(space):
    own, other = space.add_rigid(BALL), space.world.add_space().add_rigid(BALL)
    for call in (lambda: space.add_joint(scree.Pin(), own, other), lambda: space.add_joint(scree.Pin(), other)):
        with pytest.raises(ValueError, match="add_joint: <body .* belongs to another space"):
            call()
    with pytest.raises(ValueError, match="add_joint: body and to must differ"):
        space.add_joint(scree.Pin(), own, own)
    other.remove()
    with pytest.raises(KeyError, match="add_pulley: there is no body"):
        gone = space.add_rigid(BALL)
        gone.remove()
        space.add_pulley(scree.Rope(wheel=(0, 5, 0), to_wheel=(1, 5, 0)), own, gone)
    with pytest.raises(TypeError, match="add_joint: a body is wanted, got 'door'"):
        space.add_joint(scree.Pin(), own, "door")


@pytest.mark.parametrize("shape", [FLOOR, FIELD, scree.Plane(), scree.Compound(parts=[scree.Part(shape=FLOOR)])])
def test_grounds_are_no_shapes_of_rigid_bodies(space, shape):
    message = "Plane, Mesh and HeightField are shapes for static and kinematic bodies"
    body, ground = space.add_rigid(BALL), space.add_static(shape, (0, -5, 0))
    for call in (
        lambda: space.add_rigid(shape), lambda: space.add_rigid_many([BALL, shape], np.zeros((2, 3))),
        lambda: body.add_shape(shape), lambda: setattr(ground, "mode", "rigid"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            call()
    ground.mode = "kinematic"
    assert len(space.bodies) == 2 and body.shapes == [BALL]


@pytest.mark.parametrize("points", [[], [(0, 0, 0)], np.eye(3), [(0, 1, 0), (1, 1, 0), (0, 1, 1), (1, 1, 1)], np.ones((9, 3))])
def test_a_hull_has_a_volume(points):
    with pytest.raises(ValueError, match="Hull: at least 4 points that do not lie in one plane"):
        scree.Hull(points=points)
    assert scree.Hull(points=np.vstack([np.zeros(3), np.eye(3)])) is not None
    assert scree.Hull(points=[(x, y, z) for x in (0, 10) for y in (0, 0.001) for z in (0, 10)]) is not None


LIMITS = [(1, -1), (-10, 10), (0, 4), (-45, 45), (NAN, 1), (0, 1, 2), 3.0]


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize(
    "make",
    [
        lambda limits: scree.Hinge(limits=limits), lambda limits: scree.ConeTwist(twist=limits),
        lambda limits: scree.SixDof(twist=scree.Axis(limits=limits)),
        lambda limits: scree.SixDof(swing_y=scree.Axis(limits=limits)),
    ],
)  # fmt: skip
def test_limits_of_angles_are_radians_in_order(space, make, limits):
    with pytest.raises(ValueError, match="Hinge: limits|ConeTwist: twist|SixDof: (twist|swing_y)|Axis: limits"):
        make(limits)
    hinge = space.add_joint(scree.Hinge(limits=(-math.pi, math.pi)), space.add_rigid(BALL))
    with pytest.raises(ValueError, match="set_limits: limits must"):
        hinge.set_limits(limits)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: scree.Slider(limits=(1, -1)), "Slider: limits must be .* lower <= upper"),
        (lambda: scree.SixDof(linear_x=scree.Axis(limits=(1, -1))), "Axis: limits must be .* lower <= upper"),
        (lambda: scree.ConeTwist(cone=4.0), "ConeTwist: cone must be 0 to pi"),
        (lambda: scree.ConeTwist(cone=-1.0), "ConeTwist: cone must be"),
        (lambda: scree.Distance(shortest=-1.0), "Distance: shortest must be"),
        (lambda: scree.Motor(max_force=-1.0), "Motor: max_force must be one number of at least 0, got -1.0"),
        (lambda: scree.Motor(velocity=math.inf), "Motor: velocity must be one finite number, got inf"),
        (lambda: scree.Spring(frequency=-1.0), "Spring: frequency must be"),
        (lambda: scree.Spring(stiffness=1.0, target=NAN), "Spring: target must be"),
        (lambda: scree.SpaceSettings(substep_count=0), "SpaceSettings: substep_count must be .* of at least 1, got 0"),
        (lambda: scree.SpaceSettings(substep_count=1.5), "SpaceSettings: substep_count must be a whole number"),
        (lambda: scree.SpaceSettings(contact_hertz=NAN), "SpaceSettings: contact_hertz must be one finite number"),
        (lambda: scree.Box(half_extents=0.5), "Box: half_extents must be of shape"),
        (lambda: scree.Box(half_extents=(1, -1, 1)), "Box: half_extents must be positive"),
        (lambda: scree.Sphere(radius=0), "Sphere: radius must be positive"),
        (lambda: scree.Mesh(vertices=[(0, 0, 0)], triangles=[(0, 1, 2)]), "Mesh: triangles must be"),
    ],
)
def test_values_are_checked_where_they_are_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda space, body: space.step("a"), TypeError, "step: seconds must be a number, got 'a'"),
        (lambda space, body: space.step(NAN), ValueError, "step: seconds must be at least 0 and finite, got nan"),
        (lambda space, body: space.step(0.1, 1.5), TypeError, "step: collision_steps must be a whole number, got 1.5"),
        (lambda space, body: setattr(space, "settings", {}), TypeError, "settings: a SpaceSettings is wanted, got {}"),
        (lambda space, body: space.world.add_space(settings={}), TypeError, "add_space: a SpaceSettings is wanted, got {}"),
        (lambda space, body: setattr(space, "gravty", 1), AttributeError, "gravty"),
        (lambda space, body: setattr(space.world, "threds", 1), AttributeError, "threds"),
        (lambda space, body: setattr(body, "mass", -1), ValueError, "^mass: mass must be above 0"),
        (lambda space, body: setattr(body, "gravity_scale", NAN), ValueError, "^gravity_scale: gravity_scale must be one"),
        (lambda space, body: setattr(body, "inertia", (1, 1, 10)), ValueError, "^inertia: none may be larger than the sum"),
        (lambda space, body: setattr(body, "velocity", (1e30, 0, 0)), ValueError, r"^velocity: velocity must be at most 1e\+08"),
        (lambda space, body: setattr(body, "angular_velocity", (0, 1e30, 0)), ValueError, "^angular_velocity: .* at most"),
        (lambda space, body: setattr(body, "position", (1e20, 0, 0)), ValueError, r"at most 1e\+12, got 1e\+20"),
        (lambda space, body: space.add_rigid(BALL, velocity=(1e30, 0, 0)), ValueError, "^add_rigid: velocity must be at most"),
        (lambda space, body: space.add_rigid(BALL, (1, 2)), ValueError, r"^add_rigid: position .* \(3,\), got \(2,\)"),
        (lambda space, body: space.add_rigid(BALL, np.zeros((5, 3))), ValueError, "^add_rigid: position must be of shape"),
        (lambda space, body: space.add_rigid(BALL, (9, 1, 0), 2.0), ValueError, r"^add_rigid: rotation must be .*got \(\)"),
        (lambda space, body: space.add_rigid_many(BALL, np.zeros((5, 2))), ValueError, "^add_rigid_many: positions must be"),
        (lambda space, body: space.add_rigid_many(BALL, [(0, 0, 0)], density=[1, 2]), ValueError, "density must be one finite"),
        (lambda space, body: space.add_rigid_many(BALL, np.zeros((5, 3)), masses=[1, 2]), ValueError, r"masses .* \(5,\), got"),
        (lambda space, body: space.bodies.move((0, 0, 0), (0, 0, 0, 9)), ValueError, "^move: quaternions must be a unit"),
        (lambda space, body: space.overlaps(BALL, (0, 0, 0), most=-1), ValueError, "^overlaps: most must not be negative"),
        (lambda space, body: body.remove_shape(3), ValueError, "^remove_shape: the body has 1 shapes"),
    ],
)
def test_errors_name_what_the_user_wrote(space, call, error, message):
    body = space.add_rigid(BALL)
    before = body.velocity.tolist(), body.position.tolist(), body.inertia.tolist()
    with pytest.raises(error, match=message):
        call(space, body)
    assert before == (body.velocity.tolist(), body.position.tolist(), body.inertia.tolist()) and len(space.bodies) == 1


def test_the_largest_places_and_speeds_are_right(space):
    """x = v t, to single precision, also from the furthest place: a double of 1e12 has 16 digits."""
    space.gravity = (0, 0, 0)
    fast = space.add_rigid(BALL, velocity=(1e8, 0, 0), angular_velocity=(0, 1e8, 0))
    far = space.add_rigid(BALL, (1e12, 0, 0), velocity=(0, 60, 0))
    space.step(1 / 60)
    assert fast.position[0] == pytest.approx(1e8 / 60, rel=1e-5) and fast.velocity[0] == 1e8
    assert fast.angular_velocity[1] == 1e8 and np.isfinite(fast.rotation).all()
    np.testing.assert_allclose(far.position, (1e12, 1, 0), rtol=1e-5)


def test_a_full_world_names_the_argument():
    space = scree.World(threads=1, bodies=2).add_space()
    with pytest.raises(scree.PoolFull, match=r"bodies is full at 2: raise the setting 'World\(bodies=\.\.\.\)'"):
        space.add_rigid_many(BALL, np.zeros((3, 3)))
    assert space.core.system(space.id).limit_warnings._name_limit("pairs") == "World(pairs=...)"


def test_no_places_are_no_bodies(space):
    assert len(space.add_rigid_many(BOX, [])) == 0 and len(space.bodies) == 0


def test_inertia_of_a_body_whose_principal_axes_are_not_its_own(space):
    """A bar turned by 45 degrees about Z: its moments about the body's axes, as a program needs them for a torque."""
    turn = (0.0, 0.0, math.sin(math.pi / 8.0), math.cos(math.pi / 8.0))
    bar = scree.Part(shape=scree.Box(half_extents=(1.0, 0.05, 0.05)), rotation=turn)
    body = space.add_rigid(scree.Compound(parts=[bar]), mass=12.0)
    along, across = 4.0 * (0.05**2 + 0.05**2), 4.0 * (1.0 + 0.05**2)
    assert body.inertia == pytest.approx((0.5 * (along + across), 0.5 * (along + across), across), rel=1e-4)
    body.inertia = body.inertia
    assert body.inertia == pytest.approx((0.5 * (along + across), 0.5 * (along + across), across), rel=1e-4)


def test_inertia_of_a_thin_plate_and_of_single_axes_may_be_given(space):
    body = space.add_rigid(BOX)
    for given in ((1, 2, 3), (1, 1, 2), (0, 0, 0.2)):
        body.inertia = given
        assert body.inertia[2] == pytest.approx(given[2])
    body.inertia = body.inertia


def test_copies_cannot_be_written_to_but_added_to(space):
    boxes = space.add_rigid_many(BOX, [(0, 0, 0), (5, 0, 0)])
    for name in ("positions", "rotations", "velocities", "angular_velocities", "centers_of_mass", "masses", "is_asleep", "ids"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(boxes, name)[0] = 0
    boxes.velocities += (0, 1, 0)
    boxes.velocities *= 3.0
    boxes[0].velocity -= (1, 0, 0)
    boxes[0].velocity /= 2.0
    np.testing.assert_allclose(boxes.velocities, [(-0.5, 1.5, 0), (0, 3, 0)])
    kept = boxes.velocities.copy()
    kept[0] = (9, 9, 9)
    also = kept
    kept += 1
    assert also is kept and kept[0, 0] == 10.0
    assert type(boxes.velocities * 2.0) is np.ndarray and repr(boxes.masses) == "array([1., 1.])"
    assert type(np.linalg.norm(boxes.velocities, axis=1)) is np.ndarray
    for values in (space.cast_rays([(0, 9, 0)], (0, -9, 0)).positions, space.contact_events().normals):
        assert not values.flags.writeable


def test_settings_of_a_space_can_be_replaced(space):
    space.settings = dataclasses.replace(space.settings, substep_count=np.int64(2))
    space.step(1 / 60)
    assert space.settings.substep_count == 2


GONE = [
    ("can_sleep", lambda body: body.can_sleep), ("continuous", lambda body: body.continuous), ("mask", lambda body: body.mask),
    ("set_surface_velocity", lambda body: body.set_surface_velocity((1, 0, 0))), ("is_asleep", lambda body: body.is_asleep),
    ("mode", lambda body: body.mode), ("mode", lambda body: setattr(body, "mode", "static")),
    ("position", lambda body: body.position), ("position", lambda body: setattr(body, "position", (0, 1, 0))),
    ("rotation", lambda body: setattr(body, "rotation", (0, 0, 0, 1))), ("move", lambda body: body.move((0, 0, 0))),
    ("lock_axes", lambda body: body.lock_axes("x")), ("test_motion", lambda body: body.test_motion((1, 0, 0))),
    ("can_sleep", lambda body: setattr(body, "can_sleep", True)), ("continuous", lambda body: setattr(body, "continuous", True)),
    ("mass", lambda body: body.mass), ("mass", lambda body: setattr(body, "mass", 1)),
    ("center_of_mass", lambda body: body.center_of_mass), ("inertia", lambda body: body.inertia),
    ("shapes", lambda body: body.shapes), ("add_shape", lambda body: body.add_shape(BALL)),
    ("remove_shape", lambda body: body.remove_shape(0)), ("material", lambda body: body.material),
    ("material", lambda body: setattr(body, "material", scree.Material())), ("layer", lambda body: body.layer),
    ("layer", lambda body: setattr(body, "layer", "default")), ("mask", lambda body: setattr(body, "mask", "default")),
    ("ignore", lambda body: body.ignore(body.space.add_rigid(BALL))), ("contact_events", lambda body: body.contact_events),
    ("contact_events", lambda body: setattr(body, "contact_events", "all")), ("contact_class", lambda body: body.contact_class),
    ("contact_class", lambda body: setattr(body, "contact_class", "ice")), ("closest_point", lambda body: closest(body)),
    ("remove", lambda body: body.remove()),
]  # fmt: skip


def closest(body: scree.Body) -> np.ndarray:
    return body.space.closest_point(body, (0, 0, 0))


@pytest.mark.parametrize(("name", "call"), GONE, ids=lambda value: value if isinstance(value, str) else "")
def test_a_body_that_is_gone_is_told_by_the_name_of_the_call(space, name, call):
    body = space.add_rigid(BALL)
    body.remove()
    with pytest.raises(KeyError, match=rf"'{name}\w*: there is no body {body.id} .*it was freed"):
        call(body)


def test_an_area_that_is_gone_is_told_by_the_name_of_the_call(space):
    area = space.add_area(BALL)
    area.remove()
    for name, call in (
        ("position", lambda: area.position), ("position", lambda: setattr(area, "position", (0, 0, 0))),
        ("move", lambda: area.move((0, 0, 0), (0, 0, 0, 1))), ("overlaps", area.overlaps), ("watch", area.watch),
        ("set_visible", lambda: area.set_visible(True)), ("set_effect", lambda: area.set_effect(scree.AreaEffect())),
        ("remove", area.remove),
    ):  # fmt: skip
        with pytest.raises(KeyError, match=f"'{name}: there is no area {area.id} .*it was freed"):
            call()


def test_a_space_that_is_gone_is_told_by_the_name_of_the_call(space):
    gone = space.world.add_space()
    listener = gone.on_step(lambda seconds: None)
    gone.remove()
    for name, call in (
        ("gravity", lambda: gone.gravity), ("gravity", lambda: setattr(gone, "gravity", (0, 0, 0))),
        ("settings", lambda: setattr(gone, "settings", scree.SpaceSettings())), ("bodies", lambda: gone.bodies),
        ("shift_origin", lambda: gone.shift_origin((0, 0, 0))), ("add_area", lambda: gone.add_area(BALL)),
        ("contact_events", gone.contact_events), ("contact_points", gone.contact_points), ("area_events", gone.area_events),
        ("on_step", lambda: gone.on_step(print)), ("on_waking", lambda: gone.on_waking(print)), ("remove", gone.remove),
        ("remove", listener.remove), ("triangles", lambda: gone.triangles((0, 0, 0), (1, 1, 1))),
        ("cast_ray", lambda: gone.cast_ray((0, 0, 0), (1, 0, 0))), ("overlaps", lambda: gone.overlaps(BALL, (0, 0, 0))),
        ("cast_shape", lambda: gone.cast_shape(BALL, (0, 0, 0), (1, 0, 0))), ("near_box", lambda: gone.near_box(NONE, NONE)),
        ("at_point", lambda: gone.at_point(NONE)), ("add_rigid", lambda: gone.add_rigid(BALL)), ("step", lambda: gone.step(0.1)),
    ):  # fmt: skip
        with pytest.raises(KeyError, match=f"'{name}: there is no space {gone.id} .*it was freed"):
            call()
    assert not {BALL} & {shape for shape, (_, uses) in space.world.shapes._uses.items() if uses > 1}


NONE = (0, 0, 0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda space: space.on_waking("wake"), ValueError, "^on_waking: a function is wanted, got 'wake'"),
        (lambda space: space.on_step("step"), ValueError, "^on_step: a function, an entry point or an address is wanted"),
        (lambda space: space.triangles((1, 1, 1), NONE), ValueError, "^triangles: the box must not be inside out"),
        (lambda space: space.triangles((1, 1), NONE), ValueError, "^triangles: low must be of shape"),
        (lambda space: space.overlaps("ball", NONE), ValueError, "^overlaps: shape must be a value"),
        (lambda space: space.world.set_contact_rule("a", "b", None), KeyError, "set_contact_rule: there is no rule"),
        (lambda space: space.world.set_contact_rule("a", "b", "ice"), TypeError, "^set_contact_rule: a ContactRule or None"),
        (lambda space: space.world.set_contact_rule("a", "b", scree.ContactRule(friction=-1)), ValueError, "^set_contact_rule: "),
        (lambda space: setattr(space.add_rigid(BALL), "material", 0.5), TypeError, "^material: a Material is wanted, got 0.5"),
    ],
)
def test_errors_of_spaces_and_worlds_name_the_call(space, call, error, message):
    with pytest.raises(error, match=message):
        call(space)


def test_samples_that_do_not_fit_are_told_by_the_name_of_the_call(space):
    space.add_static(FIELD)
    for heights in ("high", [[1.0] * 9], [[1, 2], [3]]):
        with pytest.raises(ValueError, match="^update_height_field: "):
            space.world.update_height_field(FIELD, 0, 0, heights)


def test_a_rule_that_is_not_there_names_no_classes(space):
    with pytest.raises(KeyError, match=r"^.set_contact_rule: there is no rule for .*'mud.*ice"):
        space.world.set_contact_rule("mud", "ice", None)
    assert not space.world._contact_classes.has("mud") and not space.world._contact_classes.has("ice")


def test_a_single_body_is_no_list_of_bodies(space):
    body = space.add_rigid(BALL)
    for name, call in (
        ("cast_ray", lambda: space.cast_ray((0, 9, 0), (0, -9, 0), exclude=body)),
        ("overlaps", lambda: space.overlaps(BALL, (0, 0, 0), exclude=body)),
    ):
        with pytest.raises(TypeError, match=f"^{name}: bodies or areas are wanted, in a list for example, got <body"):
            call()
    with pytest.raises(TypeError, match="^cast_ray: a body is wanted, got 3"):
        space.cast_ray((0, 9, 0), (0, -9, 0), exclude=[3])


def test_joints_and_rules_keep_copies_of_what_they_are_made_from(space):
    place, speed = np.zeros(3), [2.0, 0.0, 0.0]
    pin, rule = scree.Pin(anchor=place), scree.ContactRule(surface_velocity=speed)
    rope = scree.Rope(wheel=place, to_wheel=speed)
    place[:], speed[0] = 9, 9
    assert pin == scree.Pin() and rule == scree.ContactRule(surface_velocity=(2, 0, 0))
    assert rope == scree.Rope(wheel=(0, 0, 0), to_wheel=(2, 0, 0)) and len({pin, scree.Pin()}) == 1
