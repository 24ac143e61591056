"""Findings of the doctor, where all is well and where something is wrong."""

import pytest

from scree.tools import doctor, find_godot, install_addon


def by_name(findings):
    return {finding.what: finding for finding in findings}


def test_this_machine_is_well(godot):
    found = by_name(doctor.findings())
    names = {"Python", "libpython", "NumPy", "Numba", "C compiler", "Loader's source", "Godot", "Compiled core"}
    assert names <= set(found)
    assert [finding for finding in found.values() if finding.state == "bad"] == []


def test_every_finding_that_is_not_good_says_how_to_mend_it(monkeypatch, tmp_path):
    def missing(fetch):
        raise find_godot.GodotNotFound("none")

    def gone(name):
        raise doctor.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(find_godot, "find_godot", missing)
    monkeypatch.setattr(doctor.importlib.metadata, "version", gone)
    monkeypatch.setattr(doctor.find_python, "libpython_candidates", lambda: [tmp_path / "none.so"])
    (tmp_path / "project.godot").write_text("config_version=5\n")
    found = by_name(doctor.findings(tmp_path))
    bad = {name for name, finding in found.items() if finding.state != "good"}
    assert {"libpython", "NumPy", "Numba", "Godot", "Project's engine", "Project's loader", "Project's Python"} <= bad
    assert all(found[name].mend for name in bad)


def test_an_installed_project_is_well_until_python_goes(tmp_path):
    (tmp_path / "project.godot").write_text("config_version=5\n")
    paths = install_addon.install(tmp_path).paths_file
    assert {finding.state for finding in doctor.project_findings(tmp_path)} == {"good"}
    paths.write_text(paths.read_text().replace("libpython=", "libpython=/none"))
    found = by_name(doctor.project_findings(tmp_path))
    assert found["Project's Python"].state == "bad" and "/none" in found["Project's Python"].found


@pytest.mark.parametrize(("version", "numbers"), [("2.4.6", (2, 4, 6)), ("0.68.0rc1", (0, 68, 0)), ("1.dev3", (1,)), ("", ())])
def test_version_numbers(version, numbers):
    assert doctor.numbers_of(version) == numbers
