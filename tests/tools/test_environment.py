"""The script that makes its own environment, with the standard library alone."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/scree.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("scree_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "engine_core").mkdir()
    return tmp_path


def test_it_needs_the_standard_library_alone_until_it_is_inside():
    tree = ast.parse(SCRIPT.read_text())
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.module for node in top if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    assert "subprocess" in names and {name.split(".")[0] for name in names} <= sys.stdlib_module_names


def test_an_environment_that_is_up_to_date_is_left_alone(script, checkout, monkeypatch, capsys):
    python = script.python_of(checkout / ".venv")
    python.parent.mkdir(parents=True)
    python.touch()
    (checkout / ".venv" / script.STAMP).write_text(script.stamp_of(checkout))
    monkeypatch.setattr(script.subprocess, "run", lambda *_, **__: pytest.fail("nothing is to be run"))
    assert script.make_environment(checkout) == python
    assert capsys.readouterr().out == ""


def test_new_requirements_or_another_place_make_it_out_of_date(script, checkout, tmp_path_factory):
    before = script.stamp_of(checkout)
    (checkout / "pyproject.toml").write_text("[project]\nname='x'\n")
    assert script.stamp_of(checkout) != before
    other = tmp_path_factory.mktemp("other")
    (other / "pyproject.toml").write_text("[project]\n")
    assert script.stamp_of(other) != before


def test_a_failed_installation_is_told_and_tried_again_the_next_time(script, checkout, monkeypatch):
    made = []

    def run(command, **_):
        if "venv" in command:
            made.append(command)
            script.python_of(checkout / ".venv").parent.mkdir(parents=True, exist_ok=True)
            script.python_of(checkout / ".venv").touch()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(script.subprocess, "run", run)
    monkeypatch.setattr(script, "run_quietly", lambda command: (1, "ERROR: No matching distribution found for numba"))
    for _ in range(2):
        with pytest.raises(script.SetUpFailed, match="No matching distribution"):
            script.make_environment(checkout)
    assert len(made) == 1, "what is usable is kept"
    assert not (checkout / ".venv" / script.STAMP).exists()


def test_an_old_python_looks_for_a_newer_one(script, monkeypatch):
    monkeypatch.setattr(script.sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(script.shutil, "which", lambda name: "/opt/python3.12" if name == "python3.12" else None)
    assert script.newest_python() == "/opt/python3.12"
    monkeypatch.setattr(script.shutil, "which", lambda name: None)
    with pytest.raises(script.SetUpFailed, match="3.11 or later"):
        script.newest_python()


def test_ci_calls_the_command_of_the_readme():
    assert "exec python3 tools/scree.py test" in (ROOT / ".ci/run").read_text()
    assert subprocess.run(["bash", "-n", ROOT / ".ci/run"]).returncode == 0
