"""Where things lie: the checkout or the installed package, the user's cache, the output folder."""

from pathlib import Path

from scree.runtime.cache_folder import user_cache_folder

MADE_BY_RUNNING = (".godot", "__pycache__", "*.pyc")
"""Files that Godot and Python leave in a folder; they are never copied from it."""
_HERE = Path(__file__).resolve().parent


def checkout() -> Path | None:
    """The checkout this code runs from; None where it was installed as a package."""
    root = _HERE.parent
    return root if (root / "pyproject.toml").is_file() and (root / "addons" / "scree").is_dir() else None


def addon_source() -> Path:
    """The addon's files, as they are copied into a project."""
    root = checkout()
    return root / "addons" / "scree" if root else _HERE / "addon"


def demo_project_source() -> Path:
    """The demo project as it is shipped; run it from a copy (`scenes.copy_demo_project`)."""
    root = checkout()
    return root / "demo_project" if root else _HERE / "demo_project"


def template_project_source() -> Path:
    """The project that `scree new` copies."""
    root = checkout()
    return root / "examples" / "template_project" if root else _HERE / "template_project"


def cache_folder() -> Path:
    """The user's cache folder for Scree, outside every checkout; made when missing."""
    folder = user_cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def output_folder(name: str) -> Path:
    """`out/<name>` in the checkout, or in the working directory of an installed package; made when missing."""
    folder = (checkout() or Path.cwd()) / "out" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder
