"""Where Scree keeps what it made or fetched for this user. Needs nothing but the standard library."""

import os
import platform
from pathlib import Path


def user_cache_folder() -> Path:
    """The folder that holds everything Scree keeps for this user: compiled code and Godot itself."""
    if os.environ.get("SCREE_CACHE"):
        return Path(os.environ["SCREE_CACHE"])
    if platform.system() == "Windows":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "scree"
    if platform.system() == "Darwin":
        return Path.home() / "Library" / "Caches" / "scree"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "scree"
