"""Statements of README.md and docs/ that can be tried: their examples run, and their links lead to files."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scree.tools import command_line, prove

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def page(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def run_example(path: Path) -> None:
    """Run the one piece of Python on a page."""
    (code,) = re.findall(r"```python\n(.*?)```", page(path), re.DOTALL)
    exec(compile(code, str(path), "exec"), {"__name__": "example"})


def test_the_example_of_the_readme_runs(capsys):
    run_example(ROOT / "README.md")
    numbers = [float(number) for number in capsys.readouterr().out.strip("[]\n").split()]
    assert numbers == pytest.approx([0.0, 0.5, 0.0], abs=1e-3)


def test_the_example_of_streaming_runs(capsys):
    run_example(ROOT / "docs" / "streaming.md")
    printed = capsys.readouterr().out
    assert "at a height of 1.00 m" in printed and "scene='camp'" in printed
    assert "relative to [1024." in printed
    assert int(re.search(r"(\d+) triangles", printed)[1]) > 100


def test_the_example_of_contacts_runs(capsys):
    run_example(ROOT / "docs" / "contacts.md")
    landed, carried, trapdoor = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"landed in step \d+ at \d\.\d m/s, \d\.\d N s", landed)
    assert carried == "carried at 2.0 m/s, jumped to 0.3 m"
    assert trapdoor == "light at 0.3 m, heavy below: True"


def test_the_example_of_structures_runs(capsys):
    run_example(ROOT / "docs" / "structures.md")
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["199 bricks; a hit at 4.5 m, then None", "179 bricks stay, 10 fall, 2250 kg"]


def test_the_example_of_saved_states_runs(capsys):
    run_example(ROOT / "docs" / "state.md")
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["30 steps again: the same", "another world, from bytes: the same", "damaged: its checksum is another"]


def test_the_example_of_recordings_runs(capsys):
    run_example(ROOT / "docs" / "recordings.md")
    assert capsys.readouterr().out == "SCREERC\n"


def test_the_example_of_many_worlds_runs(capsys):
    run_example(ROOT / "docs" / "many_worlds.md")
    assert capsys.readouterr().out.splitlines() == ["(1000, 2, 13)", "the fastest cart: 2.3 m/s", "begin anew: 560"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_and_pictures_are_there(path):
    targets = re.findall(r"\]\(([^)#\s]+)", page(path))
    assert [target for target in targets if "://" not in target and not (path.parent / target).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_files_that_are_named_are_there(path):
    named = re.findall(r"`((?:tests|tools|docs|engine_core|addons|demo_project)/[\w./]+)`", page(path))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_modules_that_architecture_names_are_there():
    """Also those that it names without their folder, or by the end of it."""
    sources = [path.as_posix() for path in ROOT.rglob("*.py") if ".venv" not in path.parts]
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", page(ROOT / "docs" / "architecture.md")))
    assert len(named) > 20
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in sources)] == []


def programs_named(path: Path) -> set[str]:
    return set(re.findall(r"python -m (scree\.tools\.\w+)", page(path)))


@pytest.mark.parametrize("path", [*PAGES, *sorted((ROOT / "tools").glob("*.py"))], ids=lambda path: path.name)
def test_programs_that_are_named_run(path):
    """They can be imported by that name, and no page calls one by its file: then `import scree` finds tools/scree.py."""
    assert re.findall(r"python3? tools/(?!scree\.py)\w+\.py", page(path)) == []
    for module in programs_named(path):
        subprocess.run([sys.executable, "-c", f"import {module} as program; program.__name__"], cwd=ROOT, check=True)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_and_checks_that_are_named_are_there(path):
    commands = {command.name or command.callback.__name__ for command in command_line.application.registered_commands}
    said = page(path)
    assert set(re.findall(r"(?:tools/scree\.py|`scree) ([a-z-]+)", said)) <= commands
    assert set(re.findall(r"\bprove ([a-z]+(?:_[a-z]+)*)`", said)) <= set(prove.all_checks())


def test_no_picture_lies_about():
    """Each is shown on some page, or is the large form of one that is."""
    shown = {(path.parent / target).stem for path in PAGES for target in re.findall(r"\]\(([^)#\s]+)", page(path))}
    assert {picture.stem for picture in (ROOT / "docs" / "pictures").iterdir()} <= shown


def test_measurements_name_commands_that_are_there():
    said = page(ROOT / "docs" / "measurements.md")
    paths = re.findall(r"\b((?:tests|tools|demo_project)/[\w/]+\.(?:py|gd))", said)
    modules = [f"{name.replace('.', '/')}.py" for name in re.findall(r"python -m (tests[\w.]+)", said)]
    assert modules and [name for name in [*paths, *modules] if not (ROOT / name).is_file()] == []
    for name, word in re.findall(r"pytest(?: -s)? (tests/[\w/]+\.py) -k (\w+)", said):
        assert word in (ROOT / name).read_text(encoding="utf-8"), f"{name} has no test {word}"
