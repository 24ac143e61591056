"""Traces of two runs, and where they part."""

import pytest
from scenes_of_state import TICK, random_space
from typer.testing import CliRunner

import scree
from scree.state.traces import TraceError, first_difference, read_trace
from scree.tools.command_line import application


def trace(path, seed: int, kick_at: int = -1, ticks: int = 12):
    space = random_space(seed)
    with scree.Trace(space, path) as written:
        for tick in range(ticks):
            if tick == kick_at:
                list(space.bodies)[5].velocity = (0, 9, 0)
            space.step(TICK)
            written.note()
    return path


@pytest.mark.needs("pydantic_core")  # of typer
def test_equal_runs_do_not_part(tmp_path):
    one, other = trace(tmp_path / "a", 3), trace(tmp_path / "b", 3)
    assert first_difference(read_trace(one), read_trace(other)) == ""
    assert [step.step_count for step in read_trace(one)] == list(range(1, 13))
    answer = CliRunner().invoke(application, ["diverge", str(one), str(other)])
    assert answer.exit_code == 0 and "the two runs are the same" in answer.output


@pytest.mark.needs("pydantic_core")  # of typer
def test_the_step_and_the_body_at_which_runs_part_are_named(tmp_path):
    one, other = trace(tmp_path / "a", 3), trace(tmp_path / "b", 3, kick_at=7)
    found = first_difference(read_trace(one), read_trace(other))
    kicked = list(random_space(3).bodies)[5].id
    assert found.startswith("after 8 steps they differ: ") and f"{kicked} (body 5)" in found and "7 entries before" in found
    answer = CliRunner().invoke(application, ["diverge", str(one), str(other)])
    assert answer.exit_code == 1 and "after 8 steps they differ" in " ".join(answer.output.split())
    shorter = read_trace(one)[:4]
    assert first_difference(shorter, read_trace(other)) == "the same for 4 entries, then one of the two ends"


@pytest.mark.needs("pydantic_core")  # of typer
def test_files_that_are_no_traces_are_named(tmp_path):
    path = trace(tmp_path / "a", 4, ticks=2)
    data = path.read_bytes()
    for cut in (9, 20, len(data) - 3):
        path.write_bytes(data[:cut])
        with pytest.raises(TraceError, match="the file ends within step"):
            read_trace(path)
    path.write_bytes(b"something")
    with pytest.raises(TraceError, match="this is no trace"):
        read_trace(path)
    answer = CliRunner().invoke(application, ["diverge", str(path), str(path)])
    assert answer.exit_code != 0
