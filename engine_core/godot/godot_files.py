"""Files that only Godot can open: in an exported game those of `res://` lie in its pack, which may be encrypted, embedded or one
of several. Any thread may read.
"""

import ctypes
from ctypes import c_int64, c_uint8

from . import schema

PREFIXES = ("res://", "user://")
"""How paths begin that Godot resolves."""


class GodotFiles:
    """Godot's access to files. Made on the main thread; any thread may read."""

    def __init__(self, engine):
        self._interface, self._variants = engine.interface, engine.variants
        methods = engine.api.classes["FileAccess"]
        self._exists, self._read = (
            self._interface.method("FileAccess", name, methods[name].hash) for name in ("file_exists", "get_file_as_bytes")
        )

    def read(self, path: str) -> bytes:
        """The content of a file. Raises FileNotFoundError."""
        return self._interface.with_string(path, lambda text: self._read_named(text, path))

    def _read_named(self, text: int, path: str) -> bytes:
        exists = c_uint8()
        self._interface.call_method(self._exists, 0, [text], ctypes.addressof(exists))
        if not exists.value:
            raise FileNotFoundError(f"Godot has no file {path}")
        content = (c_int64 * 2)()
        self._interface.call_method(self._read, 0, [text], ctypes.addressof(content))
        return self._variants.take_packed(schema.PACKED_BYTE_ARRAY, ctypes.addressof(content)).tobytes()


class GodotPath:
    """A file or a folder of Godot's, used like a `pathlib.Path` by what reads tiles (`tile_file.Place`)."""

    def __init__(self, files: GodotFiles, text: str):
        self._files, self._text = files, text.rstrip("/") if not text.endswith("://") else text

    def __truediv__(self, name: str) -> "GodotPath":
        separator = "" if self._text.endswith("/") else "/"
        return GodotPath(self._files, f"{self._text}{separator}{name}")

    def __str__(self) -> str:
        return self._text

    def read_bytes(self) -> bytes:
        """The content of the file. Raises FileNotFoundError."""
        return self._files.read(self._text)
