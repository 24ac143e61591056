"""The folder in which Scree keeps compiled and fetched files for this user. Uses the standard library only."""

import os
import platform
import stat
from pathlib import Path


class CacheRefused(Exception):
    """Another user may have written to the cache; the message names the folder and says what to do."""


def user_cache_folder() -> Path:
    """The folder that holds everything Scree keeps for this user: compiled code and Godot itself."""
    if os.environ.get("SCREE_CACHE"):
        return Path(os.environ["SCREE_CACHE"]).absolute()
    if platform.system() == "Windows":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "scree"
    if platform.system() == "Darwin":
        return Path.home() / "Library" / "Caches" / "scree"
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # An empty or relative path counts as not set (XDG Base Directory Specification).
    return (chosen if chosen.is_absolute() else Path.home() / ".cache") / "scree"


def why_not_own(status: os.stat_result) -> str:
    """Return who else may have written a file, or may replace a file in a folder, with this status; empty: only this user and
    root. In a sticky folder such as /tmp everybody may write, but only owners may replace. Without POSIX owners, as on Windows,
    the result is empty."""
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid not in (0, os.geteuid()):
        return f"belongs to another user ({status.st_uid})"
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & stat.S_IWOTH:
        return "may be written by everybody"
    if status.st_mode & stat.S_IWGRP and not _is_private_group(status.st_gid):
        return f"may be written by its group ({status.st_gid})"
    return ""


def _is_private_group(group: int) -> bool:
    """Whether a group is this user's alone, as on systems where new files are writable by the group."""
    import grp
    import pwd

    try:
        found, name = grp.getgrgid(group), pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return False
    return found.gr_name == name and not set(found.gr_mem) - {name}


def check_own(folder: Path) -> None:
    """Raise CacheRefused if another user may write in a folder. A missing folder passes."""
    try:
        why = why_not_own(folder.stat())
    except OSError:
        return
    if why:
        raise CacheRefused(
            f"the cache folder {folder} {why}, and what lies there is run as code: make it your own (chown, chmod go-w), or set "
            "SCREE_CACHE to a folder that is"
        )
