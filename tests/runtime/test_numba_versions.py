"""The range of Numba's versions: pip, the doctor and the long check that tries its ends tell the same one."""

import re
import subprocess
from pathlib import Path

import pytest

from scree.runtime import numba_versions
from scree.tools import doctor, prove, prove_numba

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_the_project_asks_for_the_range():
    asked = re.findall(r'"(numba[^"]*)"', PYPROJECT.read_text(encoding="utf-8"))
    assert asked == [numba_versions.REQUIREMENT]


@pytest.mark.parametrize(
    ("version", "is_tried"),
    [("0.67.0", True), ("0.68.1", True), ("0.67.0rc1", True), ("0.66.9", False), ("0.69.0", False), ("1.0", False), ("", False)],
)
def test_the_range_holds_its_ends(version, is_tried):
    assert numba_versions.is_tried(version) == is_tried


@pytest.mark.parametrize(("version", "state"), [("0.66.0", "bad"), ("0.67.0", "good"), ("0.68.9", "good"), ("0.69.0", "missing")])
def test_the_doctor_tells_the_range(monkeypatch, version, state):
    monkeypatch.setattr(doctor.importlib.metadata, "version", lambda name: version)
    finding = doctor._package("numba", "Numba")
    assert finding.state == state
    assert state == "good" or numba_versions.REQUIREMENT in finding.mend
    assert state == "bad" or numba_versions.RANGE in finding.found


def test_the_long_check_tries_both_ends(monkeypatch):
    tried = []
    monkeypatch.setattr(prove_numba, "try_one", lambda folder, requirement: (tried.append(requirement), ("fine", []))[1])
    assert prove.run(prove.all_checks()["numba_versions"], None, None).passed
    lowest, newest = (".".join(map(str, end)) for end in (numba_versions.LOWEST, numba_versions.NEWEST))
    assert tried == [f"numba=={lowest}.*", f"numba=={newest}.*"]


def test_the_long_check_fails_where_a_version_cannot_be_installed(monkeypatch):
    def refused(command, **_):
        failed = "pip" in map(str, command)
        return subprocess.CompletedProcess(command, int(failed), "", "no such version" if failed else "")

    monkeypatch.setattr(prove_numba.subprocess, "run", refused)
    outcome = prove.run(prove.all_checks()["numba_versions"], None, None)
    assert not outcome.passed and "cannot be installed" in outcome.figures and "no such version" in outcome.figures


def test_the_long_check_fails_for_other_bits(monkeypatch):
    ways = [("inside", 1.0, "a"), ("plain", 2.0, "b")] * 2
    monkeypatch.setattr(prove_numba, "environment_with", lambda folder, *_: folder)
    monkeypatch.setattr(prove_numba, "run_python", lambda *_, **__: "0.67.0\n1 passed\n")
    monkeypatch.setattr(prove_numba, "small_world", lambda *_: ways.pop(0))
    outcome = prove.run(prove.all_checks()["numba_versions"], None, None)
    assert not outcome.passed and outcome.figures.count("other bits") == 2
