"""Recordings: whatever changes a world is in the file, and a replay makes the same world of it."""

import threading
from collections import deque

import numpy as np
import pytest
import scenes_of_state as scenes
from typer.testing import CliRunner

import scree
from scree.batches.editing import edit_bodies
from scree.edit import integration_edits, motion_edits, setting_edits
from scree.edit.commands import COMMAND
from scree.edit.edit_log import CALL, LOG, STEP, note_edit, take_rows
from scree.edit.edit_table import EDITS
from scree.runtime.memory import address_of
from scree.runtime.recorded_calls import NotRecorded
from scree.state.recorded_values import NoValue, decode, encode
from scree.state.recording_files import BLOCK, MARK, ROW, RecordingError, RecordingFile, first_bytes, rows_bytes
from scree.state.replays import Replay
from scree.tools.command_line import application

TICK = 1 / 60
LIMITS = {"bodies": 1 << 12, "body_shapes": 1 << 13, "shapes": 1 << 12}


class Recorded:
    """A world of small limits that is recorded."""

    def __init__(self, path, threads: int = 1, hash_every: int = 1):
        self.world = scree.World(threads=threads, **LIMITS)
        self.recording = scree.Recording(self.world, path, hash_every)
        self.space = self.world.add_space()

    def __enter__(self) -> scree.Space:
        return self.space

    def __exit__(self, *unused) -> None:
        self.recording.close()


def check_same(path, steps: int, threads: int = 1) -> Replay:
    """Check that a recording with a hash for each step and one at the end is replayed to the same hashes."""
    replay = Replay(path, threads)
    answer = replay.run()
    assert (answer.steps, answer.difference, answer.ending) == (steps, "", "")
    assert answer.compared >= steps
    return replay


def pile(space: scree.Space, count: int = 30) -> scree.Bodies:
    space.add_static(scree.Box(half_extents=(20, 1, 20)), (0, -1, 0))
    places = [(0.3 * (k % 5), 0.5 + k, 0.2 * (k % 3)) for k in range(count)]
    return space.add_rigid_many(scree.Box(half_extents=(0.4, 0.4, 0.4)), places)


@pytest.fixture
def recorded_scenes(monkeypatch, tmp_path):
    """Has the scenes of states begin with a recording; gives the recordings that were begun."""
    begun = []

    def new_space(threads: int = 1, **limits: int) -> scree.Space:
        world = scree.World(threads=threads, **{**LIMITS, **limits})
        begun.append(scree.Recording(world, tmp_path / "scene", hash_every=1))
        space = world.add_space()
        space.add_static(scree.Box(half_extents=(40, 1, 40)), (0, -1, 0))
        return space

    monkeypatch.setattr(scenes, "new_space", new_space)
    return begun


@pytest.mark.parametrize("kind", ["ragdolls", "car", "rules", "shapes"])
def test_scenes_of_every_kind_are_replayed(kind, recorded_scenes, tmp_path):
    space = scenes.KINDS[kind]()
    for _ in range(60):
        space.step(TICK)
    recorded_scenes[0].close()
    check_same(tmp_path / "scene", 60)


@pytest.mark.parametrize("seed", range(4))
def test_random_worlds_are_replayed_on_any_number_of_threads(seed, recorded_scenes, tmp_path):
    space = scenes.random_space(seed)
    for _ in range(60):
        space.step(TICK)
    recorded_scenes[0].close()
    for threads in (1, 2):
        check_same(tmp_path / "scene", 60, threads)


OF_AREAS = (setting_edits.set_monitoring, setting_edits.set_monitorable, setting_edits.set_area_parameter)
LEGAL = {
    "rotation": (0.6, 0.0, 0.8, 0.0), "is_sleeping": 1.0, "system": 0.0, "mode": 1.0, "axis": 2.0, "layer": 6.0, "mask": 5.0,
    "group": 3.0, "sub_group": 2.0, "group_filter": 0.0, "level": 2.0, "contact_class": 4.0, "kind": 1.0, "parameter": 1.0,
}  # fmt: skip


def values_of(edit) -> list:
    return [(0.5, 1.5, 2.5) if count == 3 else LEGAL.get(name, 1.0) for name, count in edit.arguments]


@pytest.mark.parametrize("edit", EDITS, ids=[edit.name for edit in EDITS])
@pytest.mark.parametrize("way", ["one", "many", "within an edit", "in no space"])
def test_every_edit_of_the_table_is_recorded_and_replayed(edit, way, tmp_path):
    """However it is given. All that the world holds of its bodies is the same afterwards."""
    if way == "many" and edit in OF_AREAS:
        return  # arrays are of bodies
    with Recorded(tmp_path / "a") as space:
        bodies, core = pile(space, 12), space.core
        area = space.add_area(scree.Sphere(radius=3.0))
        space.step(TICK)
        body = next(iter(bodies))
        target = area.id if edit in OF_AREAS else body.id
        if way == "in no space" or edit is motion_edits.put_in:
            core.body.put_into(target, target & 0x7FFFFFF, -1)
        if way == "many":
            flat = np.concatenate([np.ravel(value) for value in values_of(edit)]) if edit.arguments else np.zeros(0)
            edit_bodies(core, "test", np.array([target]), edit, flat[None])
        elif way == "within an edit":
            core.late.run(target, lambda: core.body.edit("test", target, edit, *values_of(edit)), 0)
        else:
            core.body.edit("test", target, edit, *values_of(edit))
        for _ in range(3):
            space.step(TICK)
    names = [row.record["edit"] for row in RecordingFile(tmp_path / "a").rows()]
    assert names.count(edit.number) >= 1
    replay = check_same(tmp_path / "a", 4)
    ours, theirs = (one.bodies.rows[: one.bodies.count] for one in (core, replay.world))
    for name in set(ours.dtype.names) - {"shadow", "published", "padding"}:
        assert ours[name].tobytes() == theirs[name].tobytes(), name


def test_what_comes_and_goes_has_the_same_ids(tmp_path):
    rng = np.random.default_rng(4)
    with Recorded(tmp_path / "a") as space:
        pile(space)
        for step in range(60):
            bodies = [body for body in space.bodies if body.mode == "rigid"]
            if step % 3 == 0:
                for k in rng.choice(len(bodies), 4, replace=False):
                    bodies[k].remove()
            if step % 4 == 0:
                space.add_rigid_many(
                    scree.Sphere(radius=float(rng.uniform(0.2, 0.5))), rng.uniform((-3, 5, -3), (3, 9, 3), (5, 3))
                )
            bodies = [body for body in space.bodies if body.mode == "rigid"]
            if step % 5 == 0 and len(bodies) > 9:
                joint = space.add_joint(scree.Pin(anchor=bodies[7].position), bodies[7], bodies[8])
                if step % 10 == 0:
                    joint.remove()
            if step % 7 == 0:
                some = scree.Bodies(space, space.bodies.ids[1:9])
                (some.remove if step == 28 else some.wake)()
            space.cast_ray((0, 20, 0), (0, -40, 0))
            space.step(TICK)
        other = space.world.add_space()
        other.add_rigid(scree.Sphere(radius=1.0), (0, 0, 0))
        other.step(TICK)
        other.remove()
        again = space.world.add_space()
        again.add_rigid(scree.Sphere(radius=1.0), (0, 0, 0))
        again.step(TICK)
        ids = space.bodies.ids
    replay = check_same(tmp_path / "a", 62)
    assert set(ids.tolist()) <= set(replay.world.bodies.ids[: replay.world.bodies.count].tolist())


def test_edits_of_other_threads_are_replayed_in_the_order_in_which_they_took_effect(tmp_path):
    with Recorded(tmp_path / "a", threads=2) as space:
        bodies, is_over = pile(space, 60), threading.Event()

        def push(seed: int) -> None:
            rng = np.random.default_rng(seed)
            while not is_over.is_set():
                bodies.apply_impulses(rng.normal(size=(len(bodies), 3)) * 0.1)
                one = bodies[int(rng.integers(len(bodies)))]
                one.velocity = rng.normal(size=3)
                one.mass = float(rng.uniform(0.5, 2.0))
                made = space.add_rigid(scree.Sphere(radius=0.3), rng.uniform((-3, 9, -3), (3, 12, 3)))
                made.remove()

        threads = [threading.Thread(target=push, args=(seed,)) for seed in (1, 2)]
        for thread in threads:
            thread.start()
        for _ in range(40):
            space.step(TICK)
        is_over.set()
        for thread in threads:
            thread.join()
    check_same(tmp_path / "a", 40)


def test_motors_vehicles_soft_bodies_water_and_characters_are_replayed(tmp_path):
    with Recorded(tmp_path / "a") as space:
        pile(space, 6)
        water = space.add_water((6, 1, 0), (6, 2, 6))
        space.add_rigid(scree.Sphere(radius=0.4), (6, 2, 0), density=400.0)
        soft = space.add_soft_body([(8, 4, 0), (9, 4, 0), (8, 4, 1), (8, 5, 0)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
        upper, lower = (space.add_rigid(scenes.ROD, (-6, y, 0)) for y in (4, 2.6))
        space.add_joint(scree.Pin(anchor=(-6, 3.3, 0)), upper, lower)
        motors = space.add_pose_motors([upper], [lower])
        hero = space.add_character(scree.Capsule(radius=0.3, height=1.8), position=(-3, 0.91, 0), step_height=0.3)
        for step in range(40):
            hero.move((2.0, 0, 0), TICK)
            if step == 5:
                motors.aim([(0.0, 0.0, 0.38268343, 0.92387953)], rate=10.0, most_torque=50.0)
                soft.apply_impulses([0], [(0, 1, 0)])
                water.flow = (1, 0, 0)
            if step == 20:
                motors.relax()
                water.set(density=500.0)
                hero.position = (-3, 3, 2)
            if step == 30:
                soft.set_enabled(False)
                water.remove()
            space.step(TICK)
    check_same(tmp_path / "a", 40)


def record_a_world_that_changes(path):
    """Record ten steps of a pile, of which one body gets faster before the sixth by no call."""
    with Recorded(path, hash_every=2) as space:
        bodies = pile(space)
        for step in range(10):
            if step == 5:
                index = int(bodies.ids[3]) & 0x7FFFFFF
                space.core.bodies.rows["linear_velocity"][index] += 1.0
            space.step(TICK)


def test_a_world_that_changes_beside_its_calls_is_found(tmp_path):
    """The first step whose hash differs is named."""
    path = tmp_path / "a"
    record_a_world_that_changes(path)
    answer = Replay(path).run()
    assert answer.difference.startswith("after 6 steps the space ") and answer.difference.endswith("after 4 steps it is the same")
    assert Replay(path).run(to_step=5).difference == ""


@pytest.mark.needs("pydantic_core")
def test_the_command_shows_where_a_world_changed(tmp_path):
    path = tmp_path / "a"
    record_a_world_that_changes(path)
    shown = CliRunner().invoke(application, ["replay", str(path)])
    assert shown.exit_code == 1 and "after 6 steps the space" in " ".join(shown.output.split())
    shown = CliRunner().invoke(application, ["replay", str(path), "--to-step", "4"])
    assert shown.exit_code == 0 and "4 steps, the same hashes" in " ".join(shown.output.split())


def test_a_cut_file_is_replayed_to_its_last_whole_block_and_a_damaged_one_is_refused(tmp_path):
    path, cut = tmp_path / "a", tmp_path / "cut"
    with Recorded(path) as space:
        pile(space)
        for step in range(30):
            space.step(TICK)
            if step % 10 == 0:
                space.world.core.recorder.write()
    data, steps = path.read_bytes(), []
    for size in np.linspace(0, len(data) - 1, 40).astype(int):
        cut.write_bytes(data[:size])
        try:
            answer = Replay(cut).run()
        except RecordingError as error:
            assert "this is no recording" in str(error) or "cut before its first block ends" in str(error)
        else:
            assert answer.difference == "" and "the file was cut" in answer.ending
            steps.append(answer.steps)
    assert steps == sorted(steps) and len(set(steps)) > 2
    rng = np.random.default_rng(1)
    for at in rng.integers(0, len(data), 60):
        bad = bytearray(data)
        bad[at] ^= 1 << int(rng.integers(8))
        cut.write_bytes(bad)
        try:
            answer = Replay(cut).run()
        except RecordingError as error:
            assert str(cut) in str(error)
        else:  # a size that became larger than the rest of the file reads like a cut
            assert "the file was cut" in answer.ending and answer.difference == ""


def test_rows_that_no_world_wrote_are_refused(tmp_path):
    """With a checksum that is right."""
    path = tmp_path / "a"
    with Recorded(path) as space:
        body = space.add_rigid(scree.Sphere(radius=0.5), (0, 1, 0))
        space.step(TICK)
        identity = body.id
    file = RecordingFile(path)
    rows = list(file.rows())
    good, calls = np.array([row.record for row in rows], ROW), [row.call for row in rows if row.record["edit"] == CALL]
    head = first_bytes({"limits": file.world["limits"], "layers": file.world["layers"]})

    def run(edit: int, body: int, *values: float, added: tuple = ()) -> None:
        row = np.zeros(1, ROW)
        row["body"], row["edit"], row["values"][0, : len(values)] = body, edit, values
        path.write_bytes(head + rows_bytes(np.concatenate([good, row]), [*calls, *added]))
        Replay(path).run()

    for edit, values, why in (
        (setting_edits.set_mode, (9,), "mode must be a whole number"), (setting_edits.set_mode, (np.nan,), "must be finite"),
        (setting_edits.set_parameter, (77, 1), "there is no parameter 77"), (setting_edits.set_group, (1, 99), "sub_group"),
        (setting_edits.set_group, (1, 2, 5), "there is no group filter 5"), (motion_edits.put_in, (200,), "there is no space"),
        (setting_edits.set_area_parameter, (1, 1), "no edit of this kind"), (motion_edits.set_pose, (0, 0, 0), "unit quaternion"),
        (setting_edits.set_contact_class, (64,), "contact_class"), (setting_edits.set_parameter, (8, -1), "mass must not be"),
    ):  # fmt: skip
        with pytest.raises(RecordingError, match=why):
            run(edit.number, identity, *values)
    with pytest.raises(RecordingError, match="there is no edit 99"):
        run(99, identity)
    with pytest.raises(RecordingError, match="there is no body"):
        run(0, identity + 1)
    with pytest.raises(RecordingError, match="there is no space"):
        run(STEP, 5, 0.1)
    for name, told in (
        ("body.nothing", "there is no call"), ("body.destroy", "there is no body"), ("Vehicle.drive", "Vehicle"),
        ("os.system", "there is no call"),
    ):  # fmt: skip
        call = encode("x", {"name": name, "target": 3 if "drive" in name else None, "arguments": [5], "named": {}})
        data = len(call).to_bytes(4, "little") + call + encode("x", {"result": None})
        with pytest.raises(RecordingError, match=told):
            run(CALL, len(data), added=(data,))
    with pytest.raises(RecordingError, match="these bytes are no call"):
        run(CALL, 12, added=(bytes(12),))
    path.write_bytes(MARK[:-1] + b"\x63")
    with pytest.raises(RecordingError, match="a recording of another version"):
        Replay(path)
    path.write_bytes(first_bytes({"limits": {}, "layers": {}}))
    with pytest.raises(RecordingError, match="layers are wrong"):
        Replay(path)
    path.write_bytes(first_bytes({"limits": {"bodies": 1 << 60}, "layers": file.world["layers"]}))
    with pytest.raises(RecordingError, match="limits are wrong"):
        Replay(path)
    assert CliRunner().invoke(application, ["replay", str(path)]).exit_code == 1


def test_what_a_recording_cannot_hold_is_refused_by_name(tmp_path):
    with Recorded(tmp_path / "a") as space:
        pile(space, 3)
        for call, what in (
            (lambda: space.on_step(lambda time: None), "add: .*step listeners of your own"),
            (lambda: space.add_rigid(_structure(), (0, 5, 0)), "set_structure: .*structures of bricks"),
            (lambda: space.restore(space.save()), "restore: .*restored states"),
        ):
            with pytest.raises(RuntimeError, match=what):
                call()
        with pytest.raises(NotRecorded):
            space.on_step(lambda time: None)
        with pytest.raises(RuntimeError, match="the world is recorded already"):
            scree.Recording(space.world, tmp_path / "b")
        space.step(TICK)
    check_same(tmp_path / "a", 1)
    space.on_step(lambda time: None).remove()  # as before
    with pytest.raises(RuntimeError, match="before anything is made, and the world has 4 bodies"):
        scree.Recording(space.world, tmp_path / "b")
    with pytest.raises(TypeError, match="Recording: a World is wanted"):
        scree.Recording(space, tmp_path / "b")
    with pytest.raises(ValueError, match="hash_every must be a whole number from 0 on, got -1"):
        scree.Recording(scree.World(**LIMITS), tmp_path / "b", -1)
    with pytest.raises(OSError):
        scree.Recording(scree.World(**LIMITS), tmp_path / "none" / "b")


def test_a_game_goes_on_when_its_recording_cannot(tmp_path, monkeypatch):
    """A full disk, and more edits than can be written."""
    world = Recorded(tmp_path / "a")
    with pytest.raises(OSError, match="no room"), world as space:
        pile(space, 3)
        recorder = space.core.recorder
        monkeypatch.setattr(recorder, "_write_all", _raise_no_room)
        recorder.write()
        space.step(TICK)
        space.add_rigid(scree.Sphere(radius=0.5), (0, 9, 0))
    assert space.core.recorder is None and space.step(TICK) is None
    with pytest.raises(RuntimeError, match="more came at once than could be written"), Recorded(tmp_path / "b") as space:
        pile(space, 3)
        space.step(TICK)
        space.core.recorder.log["lost"] = 1
        space.step(TICK)
    answer = Replay(tmp_path / "b").run()
    assert answer.steps == 1 and answer.difference == "" and "the recording ends early" in answer.ending


def _raise_no_room() -> None:
    raise OSError("no room")


def _structure() -> scree.Structure:
    structure = scree.Structure()
    structure.insert([(0, 0, 0)], [(1, 1, 1)])
    return structure


def test_the_ring_gives_rows_back_in_order_like_a_queue(tmp_path):
    """The twin of `leave` and `take_rows` is a deque."""
    world = scree.World(**LIMITS).core
    ring, log, twin, rng = np.zeros(8, COMMAND), np.zeros(1, LOG), deque(), np.random.default_rng(2)
    log["ring"], log["capacity"] = address_of(ring), 8
    world.memory[0]["log"] = address_of(log)

    number, lost = 0, False
    for _ in range(200):
        if rng.random() < 0.8:
            row = np.zeros(1, COMMAND)
            row["body"], row["edit"], row["values"] = number, number % 5, number + np.arange(7)
            note_edit(world.address, address_of(row))
            if len(twin) == 8:
                assert log["lost"][0] == 1
                lost, log["lost"] = True, 0
            else:
                twin.append(number)
            number += 1
        else:
            out = np.zeros(3, COMMAND)
            count = take_rows(address_of(log), address_of(out), 3)
            wanted = [twin.popleft() for _ in range(min(3, len(twin)))]
            assert out["body"][:count].tolist() == wanted and (out["values"][:count, 2] == np.array(wanted) + 2.0).all()
    assert lost
    world.memory[0]["log"] = 0


def test_values_of_calls_come_back_as_they_were():
    new_body = scree.World(**LIMITS).core.bodies.template
    told = {
        "whole": 1 << 62, "number": 0.1, "text": "ü", "nothing": None, "list": [1, (2, 3)], "map": {3: (1.0, 2.0), "a": True},
        "array": np.arange(6, dtype=np.float32).reshape(2, 3), "empty": np.zeros((0, 3)),
        "wheel": scree.Wheel(position=(1, 2, 3)),
        "infinite": float("inf"), "single": np.float64(0.1),
    }  # fmt: skip
    found = decode(encode("call", told), new_body)
    assert found["list"] == [1, [2, 3]] and found["map"] == {3: [1.0, 2.0], "a": True} and found["wheel"].position == [1, 2, 3]
    assert found["array"].dtype == np.float32 and (found["array"] == told["array"]).all() and found["empty"].shape == (0, 3)
    assert all(found[name] == told[name] for name in ("whole", "number", "text", "nothing", "infinite", "single"))
    with pytest.raises(NoValue, match="call: .*cannot hold <function"):
        encode("call", {"f": test_values_of_calls_come_back_as_they_were})
    for bad in (b"", b"\x05\x00\x00\x00hello", encode("x", {"a": np.zeros(4)})[:-1]):
        with pytest.raises(NoValue):
            decode(bad, new_body)
    assert BLOCK.itemsize == 32 and integration_edits.integrate_forces in EDITS
