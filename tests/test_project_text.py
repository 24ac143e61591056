"""Rules that hold for all text of the project, read from the files that git knows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 500  # lines
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "manager", "managers", "common", "misc", "stuff", "tool_functions"}
MACHINE_PATHS = re.compile(r"(?<![\w.}/])/(?:root|home/[a-z]\w*|work|tmp/[a-z]\w*|Users/[a-z]\w*)/")
REGISTRY_HOSTS = re.compile(r"(?:deb|ftp)\.debian\.org|(?:files\.)?pypi\.org|pythonhosted\.org|registry\.npmjs")
TEXT = {".py", ".gd", ".c", ".h", ".md", ".toml", ".cfg", ".godot", ".tscn", ".gdextension", ".json", ".sh", ""}


def project_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file() and path.suffix in TEXT]


def too_long(path: Path) -> bool:
    return path.suffix in (".py", ".gd", ".c") and len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE


def test_no_file_is_longer_than_one_job():
    assert [str(path.relative_to(ROOT)) for path in project_files() if too_long(path)] == []


def test_the_linter_finds_nothing():
    run = subprocess.run([sys.executable, "-m", "ruff", "check", "--quiet", "."], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_files_are_formatted():
    run = subprocess.run([sys.executable, "-m", "ruff", "format", "--check", "."], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, f"{run.stdout}: run `ruff format` on them"


def test_names_say_what_is_inside():
    vague = [path for path in project_files() if VAGUE_NAMES & {part.split(".")[0] for part in path.relative_to(ROOT).parts}]
    assert vague == []


def lines_with(pattern: re.Pattern) -> list[str]:
    found = []
    for path in project_files():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}")
    return found


def test_no_path_of_one_machine():
    assert lines_with(MACHINE_PATHS) == []


def test_no_host_of_a_registry():
    assert lines_with(REGISTRY_HOSTS) == []


# Put together here, so that no search for such paths finds them in this file.


@pytest.mark.parametrize("parts", [("root",), ("work",), ("tmp", "lab"), ("home", "me"), ("Users", "me")])
def test_a_path_of_one_machine_is_found(parts):
    assert MACHINE_PATHS.search(f'open("{"/".join(("", *parts, "file"))}")')


OTHERS = [("res:", "", "work", "file"), ("a", "root", "b"), ("https:", "", "x.org", "work", ""), ("", "usr", "lib")]


@pytest.mark.parametrize("parts", OTHERS)
def test_other_paths_pass(parts):
    assert not MACHINE_PATHS.search("/".join(parts))
