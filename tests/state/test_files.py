"""States as bytes: into another world and another process, and what becomes of damaged ones."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scenes_of_state import KINDS, TICK, new_space, random_space
from test_spaces import hashes, states_of

import scree
from scree.state import files
from scree.state.schema import HEADER
from scree.state.spaces import State, StateError
from tests.sizes import size

MUTANTS, RESEALED = int(size(300, in_full=100_000)), int(size(30, in_full=1_000))
HERE = Path(__file__).resolve().parent
IN_ANOTHER_PROCESS = """
import sys
from scenes_of_state import random_space
from test_spaces import hashes, states_of
from scree.state.spaces import State
space = random_space(int(sys.argv[1]), 2)
states = states_of(space)
with open(sys.argv[2], "rb") as file:
    states.restore(State.from_bytes(file.read()))
print(*hashes(space, states, int(sys.argv[3])))
"""


@pytest.mark.parametrize("kind", KINDS)
def test_another_world_goes_on_from_the_bytes(kind):
    one, other = KINDS[kind](1), KINDS[kind](2)
    states, others = states_of(one), states_of(other)
    hashes(one, states, 40)
    data = states.save().to_bytes()
    hashes(other, others, 7)
    others.restore(State.from_bytes(data))
    assert hashes(other, others, 60) == hashes(one, states, 60)


def test_another_process_goes_on_from_a_file(tmp_path):
    space = random_space(17)
    states = states_of(space)
    hashes(space, states, 50)
    path = tmp_path / "a.state"
    path.write_bytes(states.save().to_bytes())
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS, "17", str(path), "40"]
    told = subprocess.run(command, cwd=HERE, capture_output=True, text=True, env=environment(), check=False)
    assert told.returncode == 0, told.stderr
    assert [int(word) for word in told.stdout.split()] == hashes(space, states, 40)


def environment() -> dict[str, str]:
    import os

    folders = (str(HERE), str(HERE.parent.parent), os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


@pytest.fixture(scope="module")
def saved():
    space = random_space(29)
    states = states_of(space)
    hashes(space, states, 25)
    return space, states, states.save()


def mutant(data: bytes, rng: np.random.Generator) -> bytes:
    """A copy that was cut, lengthened, or had bits or bytes changed."""
    kind = rng.integers(5)
    if kind == 0:
        return data[: int(rng.integers(len(data)))]
    if kind == 1:
        return data + bytes(int(rng.integers(1, 64)))
    changed = bytearray(data)
    places = rng.integers(0, 256 if kind == 2 else len(data), int(rng.integers(1, 8)))
    for place in places:
        changed[place] ^= 1 << int(rng.integers(8)) if kind < 4 else int(rng.integers(1, 256))
    return bytes(changed)


def test_damaged_bytes_give_one_clear_error(saved):
    space, states, state = saved
    data, rng, before = state.to_bytes(), np.random.default_rng(1), states.hash()
    for _ in range(MUTANTS):
        changed = mutant(data, rng)
        if changed == data:
            continue
        with pytest.raises(files.NoState, match=r"^from_bytes: "):
            State.from_bytes(changed)
    assert states.hash() == before
    print(f"{MUTANTS} mutants, each refused")


def resealed(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A copy of an image with some words changed, as somebody might who makes a checksum for it."""
    changed = image.copy()
    end = int(image[: HEADER.itemsize].view(HEADER)[0]["byte_count"])
    words = changed[: end // 4 * 4].view(np.int32)
    for place in rng.integers(HEADER.itemsize // 4, len(words), int(rng.integers(1, 6))):
        any_number, power = int(rng.integers(-(1 << 31), 1 << 31)), 1 << int(rng.integers(31))
        words[place] = rng.choice([-1, 0, 1, 0x7FFFFFFF, -0x80000000, any_number, power])
    return changed


def test_what_no_space_has_saved_is_refused_or_harmless(saved):
    """With a right checksum: refused, and the space is as it was, or put back, and the space can be stepped. It is no promise for
    every image that can be made: see state/checks.py."""
    space, states, state = saved
    rng, refused = np.random.default_rng(2), 0
    own = State.from_bytes(state.to_bytes())
    for _ in range(RESEALED):
        image = resealed(own.image, rng)
        before = states.hash()
        try:
            states.restore(State.from_bytes(files.to_bytes(image)))
        except StateError as error:
            assert str(error).startswith("restore: ")
            assert states.hash() == before
            refused += 1
        else:
            hashes(space, states, 2)
            states.restore(state)
    print(f"{RESEALED} mutants with a right checksum: {refused} refused, the others harmless")
    assert refused
    states.restore(state)


def test_another_version_and_another_world_are_named(saved):
    _, _, state = saved
    data = state.to_bytes()
    preamble = np.frombuffer(data, files.PREAMBLE, 1).copy()
    preamble["version"] = files.VERSION + 1
    with pytest.raises(files.NoState, match=f"of version {files.VERSION + 1}, this program reads {files.VERSION}"):
        State.from_bytes(preamble.tobytes() + data[preamble.nbytes :])
    preamble["version"], preamble["layout"] = files.VERSION, 0
    with pytest.raises(files.NoState, match="by another release"):
        State.from_bytes(preamble.tobytes() + data[preamble.nbytes :])
    with pytest.raises(files.NoState, match="these 5 bytes are no state"):
        State.from_bytes(b"hello")
    with pytest.raises(TypeError, match="bytes are wanted, got str"):
        State.from_bytes("hello")
    other = new_space()
    other.add_rigid(scree.Sphere(radius=1.0), (0, 3, 0))
    other.step(TICK)
    before = states_of(other).hash()
    with pytest.raises(StateError, match="bodies and areas, the state has"):
        states_of(other).restore(state)
    assert states_of(other).hash() == before


@pytest.mark.parametrize("count", [1, 3])
def test_a_space_with_a_joint_to_the_world_is_restored_elsewhere(count):
    """The world has no list of joints: its side of a joint was taken for a link to joint 0, and the file refused."""

    def chain() -> scree.Space:
        space, before = scree.World(threads=1).add_space(), None
        for k in range(count):
            body = space.add_rigid(scree.Box(half_extents=(0.15, 0.02, 0.02)), (0.15 + 0.3 * k, 1.0, 0.0))
            space.add_joint(scree.Pin(anchor=(0.3 * k, 1.0, 0.0)), body, before)
            before = body
        return space

    first, second = chain(), chain()
    for _ in range(5):
        first.step(TICK)
    second.restore(scree.SpaceState.from_bytes(first.save().to_bytes()))
    first.step(TICK)
    second.step(TICK)
    assert first.hash() == second.hash()
