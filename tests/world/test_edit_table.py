"""The table of edits: every edit has one body, and does the same at once, at the end of a step, and for many bodies."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_world import SmallWorld

from scree.batches.editing import edit_bodies
from scree.edit import commands, integration_edits, motion_edits, setting_edits
from scree.edit.body_locks import NonLockingBodyInterface
from scree.edit.commands import STEPPING
from scree.edit.edit_table import EDITS
from scree.edit.setting_edits import AREA_PARAMETERS, PARAMETERS
from scree.sensors.schema import MONITORS_BODIES

ENGINE = Path(__file__).resolve().parent.parent.parent / "engine_core"
OF_AREAS = (setting_edits.set_monitoring, setting_edits.set_monitorable, setting_edits.set_area_parameter)
LEGAL = {
    "rotation": (0.6, 0.0, 0.8, 0.0), "is_sleeping": 0.0, "system": 0.0, "mode": 1.0, "axis": 2.0, "is_locked": 1.0, "layer": 6.0,
    "mask": 5.0, "group": 3.0, "sub_group": 2.0, "group_filter": 0.0, "level": 2.0, "contact_class": 4.0, "can_sleep": 0.0,
    "is_continuous": 1.0, "omits_forces": 1.0, "is_pickable": 0.0, "kind": float(MONITORS_BODIES), "is_on": 1.0,
    "is_monitorable": 1.0, "parameter": 1.0,
}  # fmt: skip
"""A value for each argument that not every number is legal for."""


def values_of(edit) -> list:
    """Legal values of an edit's arguments."""
    up = 1.5 if edit is integration_edits.spread_impulse else -1.5  # only what acts against gravity is spread
    return [(0.5, up, 2.5) if count == 3 else LEGAL.get(name, 0.25) for name, count in edit.arguments]


class Scene(SmallWorld):
    """A box on the floor, a falling ball in no layer of the floor's, an area about them, and a ball in no system."""

    def __init__(self):
        super().__init__()
        self.floor()
        self.ball = self.add(self.sphere(0.5), (0.0, 3.0, 0.0))
        box = self.add(self.box(0.5, 0.5, 0.5), (0.0, 0.5, 0.0))
        self.area = self.world.area.create()
        self.world.body.add_shape(self.area, self.sphere(4.0))
        self.world.area.set_system(self.area, self.system)
        self.loose = self.add(self.sphere(0.5), (5.0, 3.0, 0.0))
        self.world.body.set_system(self.loose, 0)
        self.bodies = self.ball, box
        self.step(3)

    def target(self, edit) -> int:
        return self.area if edit in OF_AREAS else self.loose if edit is motion_edits.put_in else self.ball

    def state(self) -> bytes:
        """All that the world holds of its bodies, but addresses and what is written in no order."""
        rows = self.world.bodies.rows[: self.world.bodies.count]
        names = [name for name in rows.dtype.names if name not in ("shadow", "published", "padding")]
        rare = self.world.bodies.rare.rows[: self.world.bodies.count]
        areas = self.world.areas.rows[: self.world.bodies.count]
        return b"".join(rows[name].tobytes() for name in names) + rare.tobytes() + areas.tobytes()


def give_at_once(scene: Scene, edit, values) -> None:
    scene.world.body.edit("test", scene.target(edit), edit, *values)


def give_beside_a_step(scene: Scene, edit, values) -> None:
    before = scene.state()
    scene.row["edits"]["gate"] = STEPPING
    scene.world.body.edit("test", scene.target(edit), edit, *values)
    assert scene.state() == before  # it waits
    commands.edit(scene.world.address, 0, scene.world.system(scene.system).address)


def give_within_an_edit(scene: Scene, edit, values) -> None:
    """By a thread that holds the gate."""
    scene.world.late.run(scene.target(edit), lambda: give_at_once(scene, edit, values), 0)


def give_to_many(scene: Scene, edit, values) -> None:
    flat = np.concatenate([np.ravel(value) for value in values]) if values else np.zeros(0)
    edit_bodies(scene.world, "test", np.array([scene.target(edit)]), edit, flat[None].astype(np.float64))


@pytest.mark.parametrize("edit", EDITS, ids=[edit.name for edit in EDITS])
def test_every_edit_does_the_same_however_it_is_given(edit):
    ways = (give_at_once, give_beside_a_step, give_within_an_edit, give_to_many)
    states = []
    for give in ways:
        if give is give_to_many and edit in OF_AREAS:
            continue  # arrays of the public package are of bodies
        scene = Scene()
        before = scene.state()
        give(scene, edit, values_of(edit))
        scene.step(2)
        states.append(scene.state())
        assert states[-1] != before
    assert len(set(states)) == 1


@pytest.mark.parametrize("edit", EDITS, ids=[edit.name for edit in EDITS])
def test_every_edit_has_an_effect(edit):
    """It changes the bodies, so that the test above compares something."""
    if edit is motion_edits.set_sleeping:
        return  # waking a body that is awake
    one, other = Scene(), Scene()
    assert one.state() == other.state()
    give_at_once(one, edit, values_of(edit))
    assert one.state() != other.state() or one.row["bodies"]["changed_count"] != other.row["bodies"]["changed_count"]


def test_edits_are_numbered_in_order_and_say_what_they_do():
    assert [edit.number for edit in EDITS] == list(range(len(EDITS)))
    assert len({edit.name for edit in EDITS}) == len(EDITS)
    assert all(edit.apply.__doc__ for edit in EDITS)
    assert NonLockingBodyInterface.apply_force.__doc__ == motion_edits.apply_force.apply.__doc__
    assert str(motion_edits.apply_force.signature) == "(self, identity, force, offset) -> bool"


@pytest.mark.parametrize("first", ["edit.motion_edits", "edit.setting_edits", "edit.integration_edits", "godot.setting_calls"])
def test_numbers_do_not_depend_on_what_is_imported_first(first):
    """Compiled code has the numbers, and is kept from one program for the next."""
    lines = f"import scree.{first}, scree.edit.commands", "print([e.name for e in scree.edit.edit_table.EDITS])"
    answer = subprocess.run([sys.executable, "-c", "; ".join(lines)], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == str([edit.name for edit in EDITS])


def test_wrong_arguments_name_the_call_and_the_argument():
    scene = Scene()
    with pytest.raises(TypeError, match="test: arguments are force, offset, got 1"):
        scene.world.body.edit("test", scene.ball, motion_edits.apply_force, (1, 2, 3))
    with pytest.raises(ValueError, match="test: offset must be 3 numbers, got 7"):
        scene.world.body.edit("test", scene.ball, motion_edits.apply_force, (1, 2, 3), 7)
    with pytest.raises(ValueError, match="test: values must be finite"):
        scene.world.body.edit("test", scene.ball, motion_edits.apply_torque, (1, np.inf, 3))


def test_every_parameter_of_bodies_and_areas_is_a_field():
    scene = Scene()
    for parameter in PARAMETERS:
        scene.world.body.set_param(scene.ball, parameter.field, 1)
        assert scene.world.body.param(scene.ball, parameter.field) == 1.0
    for name in AREA_PARAMETERS:
        value = (1.0, 2.0, 3.0) if name == "gravity_vector" else 1
        scene.world.area.set_param(scene.area, name, value)
        assert np.all(scene.world.areas.rows[scene.world.area.index("test", scene.area)][name] == value)


# No edit has two bodies: what an edit of the table writes is written nowhere else, but where bodies are made.

MAKERS = {
    "core/areas.py": {"mode", "broad_phase_layer"},  # create_area
    "godot/creation/stock.py": {"broad_phase_layer"},  # rows of new areas
    "godot/server_batches.py": {"friction", "collision_layer", "collision_mask"},  # bodies of a batch
    "godot/server_many.py": {"collision_layer", "collision_mask"},  # the template of bodies that are made
    "api/new_bodies.py": {"friction", "restitution", "collision_layer", "collision_mask"},
    "core/queries.py": {"collision_mask"},  # rows of queries
    "core/snapshot.py": {"collision_mask"},
    "core/soft_bodies.py": {"friction", "gravity_scale"},  # of a soft body
    "godot/server_joints.py": {"priority"},  # of a joint
}
OTHER_ROWS = {"rule", "vehicle", "query", "helpers", "space", "self"}
"""Names of records that have fields of the same name."""


def stored(tree: ast.AST):
    """(Name of a record, name of a field) of each assignment to a field."""
    for node in ast.walk(tree):
        given = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        for target in [part for one in given for part in (one.elts if isinstance(one, ast.Tuple) else [one])]:
            if isinstance(target, ast.Attribute):
                yield ast.unparse(target.value), target.attr
            elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                yield ast.unparse(target.value), target.slice.value


def fields_of_edits() -> set[str]:
    modules = ("edit/setting_edits.py", "edit/motion_edits.py")
    return {field for module in modules for _, field in stored(ast.parse((ENGINE / module).read_text()))} - {"flags", "gravity"}


def written_twice(name: str, source: str, fields: set[str]) -> list[str]:
    found = [(record, field) for record, field in stored(ast.parse(source)) if field in fields - MAKERS.get(name, set())]
    return [f"{record}.{field}" for record, field in found if record.split(".")[0].split("[")[0] not in OTHER_ROWS]


def test_no_field_that_an_edit_sets_is_written_in_python_or_in_answers_to_godot():
    fields, faults = fields_of_edits(), {}
    assert {"friction", "mode", "collision_layer", "axis_locks", "priority"} <= fields
    for room in ("core", "api", "godot"):
        for path in sorted((ENGINE / room).rglob("*.py")):
            name = path.relative_to(ENGINE).as_posix()
            if found := written_twice(name, path.read_text("utf-8"), fields):
                faults[name] = found
    assert faults == {}


def test_a_second_body_of_an_edit_is_found():
    source = 'def _set(row, value):\n    row["friction"] = value\n    body.mode = 3\n    rule["friction"] = 1\n'
    assert written_twice("core/new.py", source, fields_of_edits()) == ["row.friction", "body.mode"]
