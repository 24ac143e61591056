"""The site of the project in one folder: the manual (README, CONTRIBUTING, docs/) and the reference of the package."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md")
PICTURES = "docs/pictures"
SITE = "docs/site"  # settings of Sphinx, table of contents, page of types
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


class NotBuilt(Exception):
    """There is no site; the message names the faults, a line each."""


def without_links_to_sources(text: str, page: Path, root: Path, held: set[Path]) -> str:
    """A page whose links to files of `root` that the site does not hold are plain text; a link to nothing stays, and fails."""

    def plain(link: re.Match) -> str:
        words, target = link.groups()
        path = (page.parent / target).resolve()
        if "://" in target or path in held or root not in path.parents or not path.exists():
            return link[0]
        place = path.relative_to(root).as_posix()
        return words if place in words else f"{words} (`{place}`)"

    return _LINK.sub(plain, text)


def copy_pages(root: Path, folder: Path) -> None:
    """Copy the pages of the manual with their pictures into a new folder, and give README the table of contents."""
    shutil.copytree(root / PICTURES, folder / PICTURES)
    (folder / "api").mkdir()
    shutil.copy(root / SITE / "types.rst", folder / "api")
    pages = [path for pattern in PAGES for path in root.glob(pattern)]
    for page in pages:
        text = without_links_to_sources(page.read_text(encoding="utf-8"), page, root, {*pages, *(root / PICTURES).iterdir()})
        (folder / page.relative_to(root)).write_text(text, encoding="utf-8")
    with (folder / "README.md").open("a", encoding="utf-8") as readme:
        readme.write((root / SITE / "contents.md").read_text(encoding="utf-8"))


def _run_sphinx(root: Path, sources: Path, into: Path) -> list[str]:
    """Build the pages with Sphinx. Returns its complaints, which name places as the project does."""
    options = ["-n", "-W", "--keep-going", "-q", "--no-color", "-b", "html", "-c", str(root / SITE), "-d", f"{into}_doctrees"]
    run = subprocess.run([sys.executable, "-m", "sphinx", *options, str(sources), str(into)], capture_output=True, text=True)
    said = run.stderr.replace(f"{sources}{os.sep}", "").replace(f"{root}{os.sep}", "")
    return [line for line in said.splitlines() if line.strip()] if run.returncode else []


def build(root: Path, into: Path) -> None:
    """Build the site of a checkout, whose folder is `root`, into a folder, in place of an older site. Raises NotBuilt; then the
    folder is as it was."""
    if into.exists() and any(into.iterdir()) and not (into / ".buildinfo").is_file():
        raise NotBuilt(f"{into} holds other files than a site")
    try:
        from scree.tools import api_pages
    except ModuleNotFoundError as error:
        raise NotBuilt(f"there is no {error.name} here: python -m pip install 'scree-physics[docs]'") from None

    root = root.resolve()
    with tempfile.TemporaryDirectory() as folder:
        sources, made = Path(folder).resolve() / "sources", Path(folder) / "site"
        copy_pages(root, sources)
        api_pages.write(sources / "api")
        if found := api_pages.faults() + _run_sphinx(root, sources, made):
            raise NotBuilt("\n".join(["the site was not built", *found]))
        shutil.copy(made / "README.html", made / "index.html")
        shutil.rmtree(into, ignore_errors=True)
        shutil.copytree(made, into)
