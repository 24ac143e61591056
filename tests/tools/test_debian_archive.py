"""Reading apt's sources, and fetching that never leaves half of something behind."""

import json
import shutil
import subprocess

import pytest

from scree.tools import debian_archive
from scree.tools.debian_archive import FetchFailed, Source, fetch, keyring, mirrors, sources

ONE_LINE = """
# deb http://off.example/debian bookworm main
deb [arch=amd64 signed-by=/keys/a.gpg] http://mirror.example/debian bookworm main contrib # near
deb-src http://mirror.example/debian bookworm main
deb http://security.example/debian-security bookworm-security main
deb [arch=amd64] https://vendor.example/apt stable main
"""
STANZAS = """# a comment
Types: deb deb-src
# http://old.example/debian
URIs: http://mirror.example/debian
 http://second.example/debian
Suites: trixie trixie-updates
Components: main
Signed-By: /keys/b.gpg

Types: deb
URIs: http://disabled.example/debian
Suites: trixie
Components: main
Enabled: no

Types: deb
URIs: http://vendor.example/x
Suites: nodistro
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
"""


@pytest.fixture
def apt_folder(tmp_path):
    (tmp_path / "sources.list.d").mkdir()
    return tmp_path


def test_one_line_entries(apt_folder):
    (apt_folder / "sources.list").write_text(ONE_LINE)
    assert sources(apt_folder) == [
        Source("http://mirror.example/debian", ("bookworm",), ("main", "contrib"), "/keys/a.gpg"),
        Source("http://security.example/debian-security", ("bookworm-security",), ("main",)),
        Source("https://vendor.example/apt", ("stable",), ("main",)),
    ]


def test_stanzas(apt_folder):
    (apt_folder / "sources.list.d/debian.sources").write_text(STANZAS)
    suites = ("trixie", "trixie-updates")
    assert sources(apt_folder) == [
        Source("http://mirror.example/debian", suites, ("main",), "/keys/b.gpg"),
        Source("http://second.example/debian", suites, ("main",), "/keys/b.gpg"),
        Source("http://vendor.example/x", ("nodistro",), ("main",), ""),
    ]


def test_the_distributions_own_mirror_comes_first(apt_folder):
    (apt_folder / "sources.list").write_text(ONE_LINE)
    found = mirrors(sources(apt_folder), "bookworm")
    assert [source.uri for source in found] == ["http://mirror.example/debian", "https://vendor.example/apt"]
    assert mirrors(sources(apt_folder / "nothing"), "bookworm") == []


def test_the_whole_archives_keyring_is_preferred(tmp_path):
    source = Source("http://mirror.example/debian", ("bookworm",), ("main",), "/keys/one-release.gpg")
    assert keyring(source, tmp_path) == "/keys/one-release.gpg"
    (tmp_path / "debian-archive-keyring.gpg").touch()
    assert keyring(source, tmp_path) == str(tmp_path / "debian-archive-keyring.gpg")


@pytest.fixture
def package(tmp_path):
    """A package file of one small program."""
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        "Package: small\nVersion: 1\nArchitecture: all\nMaintainer: Nobody <nobody@example.org>\nDescription: small\n"
    )
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "usr/bin/small").write_text("#!/bin/sh\necho small\n")
    archive = tmp_path / "small_1_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, archive], check=True, capture_output=True)
    return archive


@pytest.fixture
def local_mirror(tmp_path, package, monkeypatch):
    """A mirror in a folder, signed by nobody, as the machine's only one."""
    mirror = tmp_path / "mirror"
    pool = mirror / "pool"
    packages = mirror / "dists/testing/main/binary-amd64"
    pool.mkdir(parents=True)
    packages.mkdir(parents=True)
    shutil.copy(package, pool)
    (packages / "Packages").write_text(
        "Package: small\nVersion: 1\nArchitecture: all\nMaintainer: Nobody <nobody@example.org>\n"
        f"Filename: pool/{package.name}\nSize: {package.stat().st_size}\n\n"
    )
    (mirror / "dists/testing/Release").write_text("Suite: testing\nArchitectures: amd64\nComponents: main\n")
    source = Source(f"file:{mirror}", ("testing",), ("main",))
    monkeypatch.setattr(debian_archive, "sources", lambda: [source])
    return mirror


def test_what_nobody_signed_is_refused(tmp_path, local_mirror):
    cache = tmp_path / "cache"
    cache.mkdir()
    with pytest.raises(FetchFailed, match="not signed|NO_PUBKEY") as failure:
        fetch("godot", ["small"], cache, lambda line: None)
    assert str(local_mirror) in str(failure.value) and "unstable" in str(failure.value)
    assert not (cache / "godot").exists()


def test_a_fetch_is_whole_and_done_once(tmp_path, package, local_mirror, monkeypatch):
    calls = []
    monkeypatch.setattr(debian_archive, "_download", lambda *arguments: calls.append(arguments) or [package])
    folder = fetch("godot", ["small"], tmp_path, lambda line: None)
    assert (folder / "usr/bin/small").read_text().startswith("#!/bin/sh")
    assert json.loads((folder / debian_archive.COMPLETE).read_text())["suite"] == "testing"
    assert fetch("godot", ["small"], tmp_path, lambda line: None) == folder
    assert len(calls) == 1


def test_a_broken_package_leaves_nothing_and_the_next_suite_is_tried(tmp_path, package, local_mirror, monkeypatch):
    broken = tmp_path / "broken_1_all.deb"
    broken.write_bytes(package.read_bytes()[:200])
    archives = {"testing": [package, broken], "unstable": [package]}
    monkeypatch.setattr(debian_archive, "_download", lambda packages, mirror, suite, *rest: archives[suite])
    folder = fetch("godot", ["small"], tmp_path, lambda line: None)
    assert json.loads((folder / debian_archive.COMPLETE).read_text())["suite"] == "unstable"
    assert not broken.exists() and not list(tmp_path.glob("*unfinished*"))


def test_half_a_folder_does_not_count(tmp_path, package, local_mirror, monkeypatch):
    (tmp_path / "godot/usr/bin").mkdir(parents=True)
    (tmp_path / "godot/usr/bin/half").touch()
    monkeypatch.setattr(debian_archive, "_download", lambda *arguments: [package])
    folder = fetch("godot", ["small"], tmp_path, lambda line: None)
    assert (folder / "usr/bin/small").exists() and not (folder / "usr/bin/half").exists()


def test_a_machine_without_mirrors_is_told_so(tmp_path, monkeypatch):
    monkeypatch.setattr(debian_archive, "sources", lambda: [])
    with pytest.raises(FetchFailed, match="no Debian mirror"):
        fetch("godot", ["small"], tmp_path, lambda line: None)
