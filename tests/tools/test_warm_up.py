"""The forecast of compile times, and the order in which progress is told."""

import importlib
import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from scree.runtime import code_files, core_library
from scree.tools import doctor, show, warm_up
from scree.tools.warm_up import Forecast

NONE = Path("no such record")


def test_a_forecast_remembers_and_guesses(tmp_path):
    file = tmp_path / "seconds.json"
    forecast = Forecast.load(file, NONE)
    assert forecast.expected("a") == warm_up._FIRST_GUESS
    forecast.seconds.update(a=1.0, b=2.0, c=9.0)
    forecast.save()
    again = Forecast.load(file, NONE)
    assert again.expected("c") == 9.0 and again.expected("new") == 2.0


def test_what_is_left_is_shared_by_the_workers_but_no_less_than_the_longest(tmp_path):
    forecast = Forecast(tmp_path / "seconds.json", {"a": 1.0, "b": 2.0, "c": 9.0})
    assert forecast.left(["a", "b", "c"], 1) == 12.0
    assert forecast.left(["a", "b", "c"], 2) == 9.0
    assert forecast.left(["a", "b"], 2) == 2.0
    assert forecast.left([], 2) == 0.0


@pytest.mark.parametrize("text", ["", "[]", '{"a": "x"}', "{"])
def test_a_spoilt_record_is_no_obstacle(tmp_path, text):
    file = tmp_path / "seconds.json"
    file.write_text(text)
    assert Forecast.load(file, NONE).seconds == {}


def test_what_was_seen_here_counts_more_than_what_is_shipped(tmp_path):
    shipped, own = tmp_path / "shipped.json", tmp_path / "own.json"
    shipped.write_text('{"a": 1.0, "b": 2.0}')
    own.write_text('{"b": 5.0}')
    assert Forecast.load(own, shipped).seconds == {"a": 1.0, "b": 5.0}


def test_every_compiled_function_of_the_house_is_warmed_up():
    engine = Path(importlib.import_module("scree").__file__).parent
    declaring = {
        ".".join(("scree", *path.relative_to(engine).with_suffix("").parts))
        for path in engine.rglob("*.py")
        if any(line.startswith(("@entry_point", "@kernel.entry_point")) for line in path.read_text().splitlines())
    }
    call = "import sys, scree.entry_points; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=True).stdout.split()
    assert declaring and declaring - set(loaded) == set()


def test_a_log_names_what_is_compiled_and_not_what_was_there():
    console = Console(file=io.StringIO(), width=140)
    with show.compiling(console) as report:
        report(warm_up.Step(1, 3, (), 9.0, "a", 0.1, was_cached=True))
        report(warm_up.Step(2, 3, ("c",), 4.0, "b", 5.0))
    assert console.file.getvalue() == "[2/3] compiled b in 5.0 s, about 4 s left\n"


@pytest.fixture
def kept(tmp_path, monkeypatch) -> Path:
    """A cache in which all that is needed is one small file, warmed up, and no library of the core."""
    monkeypatch.setattr(core_library, "library", lambda: None)
    monkeypatch.setattr(code_files, "CACHE_FOLDER", tmp_path / "compiled" / "all")
    file = tmp_path / "compiled" / "all" / "f-1.abc.code"
    code_files.write(file, b"code")
    warm_up._note_warm(["all/f-1.abc.code"])
    assert warm_up.is_warm() and doctor._compiled_core().state == "good"
    return file


@pytest.mark.parametrize("content", [b"", b"SCREECODE1", bytes(1000)])
def test_a_damaged_file_is_found_by_the_doctor_and_not_taken_for_compiled(kept, content):
    kept.write_bytes(content)
    found = doctor._compiled_core()
    assert found.state == "bad" and kept.name in found.found and "warmup" in found.mend
    assert not warm_up.is_warm()
    code_files.remove_damaged()
    assert not kept.exists() and not warm_up.is_warm() and doctor._compiled_core().state == "missing"


def test_a_file_that_is_gone_is_not_taken_for_compiled(kept):
    kept.unlink()
    assert not warm_up.is_warm()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 3}', '{"files": ["all/f-1.abc.code"]}'])
def test_a_spoilt_note_of_what_is_compiled_is_none(kept, text):
    (code_files.CACHE_FOLDER / warm_up.DONE).write_text(text)
    assert not warm_up.is_warm()


def test_a_disk_without_room_is_told_before_anything_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(code_files, "CACHE_FOLDER", tmp_path / "compiled" / "all")
    assert code_files.lack_of_room() == ""
    monkeypatch.setattr(code_files, "LEAST_ROOM", 1 << 62)
    assert "MB left" in code_files.lack_of_room()
    with pytest.raises(warm_up.WarmUpFailed, match="MB left"):
        warm_up.warm_up()
