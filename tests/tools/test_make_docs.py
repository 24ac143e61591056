"""The site: every public name has an entry, all that pages point to is in the folder, and faults fail the build by name."""

import re
import shutil
from dataclasses import is_dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

import scree
from scree.tools import api_pages, command_line, make_docs

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs") / "site"
    said = CliRunner().invoke(command_line.application, ("docs", "--into", str(folder)))
    assert said.exit_code == 0, said.stderr
    return folder


def test_every_public_name_has_an_entry(site):
    entries = {
        entry for page in site.glob("api/*.html") for entry in re.findall(r'id="scree\.([\w.]+)"', page.read_text("utf-8"))
    }
    wanted = set(scree.__all__)
    for name in scree.__all__:
        value = getattr(scree, name)
        told = vars(value) if is_dataclass(value) else api_pages.members(value)  # what values share stands with their base
        wanted |= {f"{name}.{member}" for member, one in api_pages.members(value).items() if member in told and one.__doc__}
    assert len(wanted) > 200 and wanted - entries == set()


def test_all_that_pages_point_to_is_in_the_folder(site):
    pages = sorted(site.rglob("*.html"))
    assert {"index.html", "search.html", "CONTRIBUTING.html"} <= {page.name for page in pages}
    assert {f"{page.stem}.html" for page in (ROOT / "docs").glob("*.md")} <= {page.name for page in site.glob("docs/*.html")}
    for page in pages:
        text = page.read_text("utf-8")
        targets = re.findall(r'(?:href|src)="([^"#?:]+)[#?"]', text)
        assert [target for target in targets if not (page.parent / target).exists()] == [], page
        assert re.findall(r'<(?:script|img|link)[^>]+"(?:https?:)?//[^"]+', text) == [], f"{page} needs a network"
    assert "set_contact_rule" in (site / "searchindex.js").read_text("utf-8")
    assert len(list(site.glob("_images/*"))) >= 8


def test_text_of_docstrings_stays_as_it_is(site):
    joints = re.sub(r"<[^>]+>", "", (site / "api/joints.html").read_text("utf-8"))
    assert "|point - wheel| + ratio x |to_point - to_wheel| stays\nbetween shortest and longest [m]" in joints
    assert "limits: Range | None = None" in joints and "`" not in joints


def test_links_to_sources_are_text(site):
    page, held = ROOT / "docs/contacts.md", {ROOT / "README.md"}
    text = "[up](../README.md#python) [a test](../tests/test_docs.py) [tests/](../tests) [none](no.md) ![wall](pictures/wall.png)"
    told = "[up](../README.md#python) a test (`tests/test_docs.py`) tests/ [none](no.md) ![wall](pictures/wall.png)"
    assert make_docs.without_links_to_sources(text, page, ROOT, held) == told
    assert "examples/ has nine" in re.sub(r"\s+", " ", (site / "index.html").read_text("utf-8"))


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with two pages and without a reference."""
    for folder in ("docs/site", "docs/pictures"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "docs/site/conf.py", tmp_path / "docs/site")
    (tmp_path / "docs/site/contents.md").write_text("\n```{toctree}\n:hidden:\ndocs/page\napi/types\n```\n")
    (tmp_path / "docs/site/types.rst").write_text("Types\n=====\n")
    (tmp_path / "README.md").write_text("# Scree\n\n[A page](docs/page.md#of-two-words)\n")
    monkeypatch.setattr(api_pages, "write", lambda folder: None)
    return tmp_path


def test_each_fault_fails_the_build_and_names_its_place(checkout, monkeypatch):
    (checkout / "docs/page.md").write_text("# Page\n\n[No page](nowhere.md)\n\n[No heading](../README.md#nothing)\n")
    monkeypatch.setattr(scree.Box, "weigh", lambda self: 0.0, raising=False)
    with pytest.raises(make_docs.NotBuilt) as failure:
        make_docs.build(checkout, checkout / "build")
    said = str(failure.value)
    for place, what in (("docs/page.md:3", "nowhere.md"), ("docs/page.md:5", "nothing"), ("README.md:3", "of-two-words")):
        assert re.search(rf"^{place}: WARNING: .*{what}", said, re.MULTILINE), said
    assert "engine_core/api/shapes.py: scree.Box.weigh has no docstring" in said
    assert not (checkout / "build").exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "mine").touch()
    said = CliRunner().invoke(command_line.application, ("docs", "--into", str(tmp_path)))
    assert said.exit_code == 1 and said.stderr == f"scree: {tmp_path} holds other files than a site\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
