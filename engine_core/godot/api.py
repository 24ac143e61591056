"""The running engine's API description, reduced to what the bridge needs.

Godot writes a description of 6 MB (`--dump-extension-api`). `write_extract` makes a small file of it in the user's cache, named
by the engine's version; `read_extract` reads it at every start. An exported game carries the file beside the loader.

Only an editor build of Godot knows `--dump-extension-api`; the build in an exported game ignores the option and runs the game. So
an exported game never starts itself, and a Godot that was started to describe itself (`CHILD`) starts no other.
"""

import contextlib
import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..runtime.cache_folder import user_cache_folder

EXTENSION_CLASSES = (
    "PhysicsServer3DExtension", "PhysicsDirectBodyState3DExtension", "PhysicsDirectSpaceState3DExtension",
)  # fmt: skip
_CALLED_CLASSES = (
    "PhysicsServer3DManager", "ProjectSettings", "OS", "RenderingServer", "PhysicsServer3DRenderingServerHandler",
    "WorkerThreadPool", "FileAccess", "Engine",
)  # fmt: skip
_CALLED_METHODS = {
    "Engine": ("register_singleton", "unregister_singleton"),
    "FileAccess": ("file_exists", "get_file_as_bytes"),
    "RenderingServer": (
        "mesh_surface_get_arrays",
        "multimesh_set_buffer",
        "multimesh_set_buffer_interpolated",
        "multimesh_set_custom_aabb",
    ),
    "WorkerThreadPool": ("is_group_task_completed", "wait_for_group_task_completion"),
}
_BUILTIN_METHODS = {
    "PackedVector3Array": ("size", "resize"), "PackedInt32Array": ("size", "resize"), "PackedFloat32Array": ("size", "resize"),
    "PackedFloat64Array": ("size", "resize"), "PackedInt64Array": ("size", "resize"),
    "PackedByteArray": ("size", "resize"), "PackedColorArray": ("size", "resize"), "Array": ("append", "size"),
    "Callable": ("is_valid",),
}  # fmt: skip
_FORMAT = 10
SHIPPED = "godot_api.json"
"""The extract's name in a released addon."""
CHILD = "SCREE_DESCRIBES_ITSELF"
"""The environment variable that marks a Godot which was started to describe itself."""


class ApiUnknown(RuntimeError):
    """There is no API description of the running engine."""


class Method(NamedTuple):
    """One method, with types named as in the API description."""

    name: str
    hash: int
    arguments: tuple[str, ...]
    result: str | None
    is_virtual: bool


@dataclass(frozen=True)
class Api:
    """The part of the description of one version of Godot that the bridge needs."""

    version: str  # as the engine prints it, for example "4.6.3.stable.official"
    precision: str
    sizes: dict[str, int]  # bytes of each builtin type
    classes: dict[str, dict[str, Method]]
    builtin_methods: dict[str, dict[str, int]] = field(default_factory=dict)  # hashes

    def virtuals(self, class_name: str) -> dict[str, Method]:
        """The virtual methods of an extension class, by name, in the engine's order."""
        return {name: method for name, method in self.classes[class_name].items() if method.is_virtual}


def _compact_method(method: dict) -> list:
    arguments = [argument["type"] for argument in method.get("arguments", [])]
    return [method["name"], method.get("hash", 0), arguments, method.get("return_value", {}).get("type"),
            int(method.get("is_virtual", False))]  # fmt: skip


def make_extract(description: dict) -> dict:
    """Extract the part of Godot's API description that the bridge needs, ready for JSON."""
    header = description["header"]
    configuration = "double_64" if header.get("precision") == "double" else "float_64"
    sizes = next(s["sizes"] for s in description["builtin_class_sizes"] if s["build_configuration"] == configuration)
    classes, builtins = {}, {}
    for described in description["classes"]:
        if described["name"] in EXTENSION_CLASSES + _CALLED_CLASSES:
            wanted = _CALLED_METHODS.get(described["name"])
            methods = [m for m in described.get("methods", []) if wanted is None or m["name"] in wanted]
            classes[described["name"]] = [_compact_method(method) for method in methods]
    for described in description["builtin_classes"]:
        wanted = _BUILTIN_METHODS.get(described["name"], ())
        methods = described.get("methods", [])
        builtins[described["name"]] = {m["name"]: m["hash"] for m in methods if m["name"] in wanted}
    return {
        "format": _FORMAT,
        "version": header["version_full_name"],
        "precision": header.get("precision", "single"),
        "sizes": {size["name"]: size["size"] for size in sizes},
        "classes": classes,
        "builtin_methods": {name: methods for name, methods in builtins.items() if methods},
    }


def load(extract: dict) -> Api:
    """Convert an extract to objects."""
    classes = {
        name: {m[0]: Method(m[0], m[1], tuple(m[2]), m[3], bool(m[4])) for m in methods}
        for name, methods in extract["classes"].items()
    }
    return Api(extract["version"], extract["precision"], extract["sizes"], classes, extract["builtin_methods"])


def extract_path(version: str) -> Path:
    """The path of the extract for a version ("Godot Engine v4.6.3.stable.official") in the user's cache."""
    return user_cache_folder() / "godot_api" / f"{re.sub(r'[^0-9A-Za-z.+-]+', '_', version)}.{_FORMAT}.json"


def ask_engine(godot: list[str]) -> dict:
    """Have the Godot that the command `godot` starts describe itself. Return the extract.

    Raises ApiUnknown with the engine's output if it gives no description, and in a process that was itself started for one.
    """
    if os.environ.get(CHILD):
        raise ApiUnknown("this Godot was started to describe itself, and starts no other")
    import subprocess  # rarely needed, and slow to import
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        try:
            ran = subprocess.run([*godot, "--headless", "--dump-extension-api"], cwd=folder, capture_output=True,
                                 text=True, timeout=120, env={**os.environ, CHILD: "1"})  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ApiUnknown(f"{' '.join(godot)} --dump-extension-api: {error}") from error
        description = Path(folder, "extension_api.json")
        if not description.is_file():
            raise ApiUnknown(f"{' '.join(godot)} --dump-extension-api wrote nothing: {ran.stderr.strip()[-300:]}")
        return make_extract(json.loads(description.read_text(encoding="utf-8")))


def write_extract(godot: list[str]) -> Path:
    """Run `ask_engine` and store the extract. Return its path. Raises ApiUnknown."""
    return _keep(ask_engine(godot))


def _keep(extract: dict) -> Path:
    """Write an extract to the user's cache. Returns its path."""
    path = extract_path(extract["version"])
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.part")
    partial.write_text(json.dumps(extract, separators=(",", ":")))
    partial.replace(path)
    return path


def own_command() -> list[str]:
    """The command that started this process, without its arguments; empty if the system does not provide it."""
    if sys.platform != "linux":
        return []
    words = [word.decode() for word in Path("/proc/self/cmdline").read_bytes().split(b"\0")[:-1]]
    if not words or not Path(words[0]).name.startswith("ld-"):
        return [os.readlink("/proc/self/exe")]
    end = 1
    while end < len(words) and words[end].startswith("--"):
        end += 2  # the loader's own options take one value each
    return words[: end + 1]


def _read(path: Path, version: str) -> dict | None:
    """The extract in a file if it is for this version; None where it is missing, damaged or for another one."""
    with contextlib.suppress(OSError, ValueError, KeyError, AttributeError):
        extract = json.loads(path.read_text())
        if extract.get("format") == _FORMAT and extract["version"] == version:
            return extract
    return None


def read_extract(version: str, folder: Path | None = None, may_ask: bool = True) -> Api:
    """Read the API of the running engine: from `folder`, from the cache, or, with `may_ask`, by running the engine itself once.

    The file in `folder` is what games are exported with: with `may_ask` it is made one of this version. Raises ApiUnknown if
    there is none, or if it is for double precision.
    """
    shipped = folder / SHIPPED if folder else None
    extract = (_read(shipped, version) if shipped else None) or _read(extract_path(version), version)
    if extract is None:
        command = own_command() if may_ask else []
        if not command:
            raise ApiUnknown(f"no description of the API of {version}")
        extract = ask_engine(command)
        with contextlib.suppress(OSError):  # the next start tries again
            _keep(extract)
        if extract["version"] != version:
            raise ApiUnknown(f"{' '.join(command)} describes {extract['version']}, but {version} is running")
    if may_ask and shipped and shipped.is_file() and _read(shipped, version) is None:
        with contextlib.suppress(OSError):  # games are exported with the one of another version, and say so
            shipped.write_text(json.dumps(extract, separators=(",", ":")))
    if extract["precision"] != "single":
        raise ApiUnknown(f"{version} computes in {extract['precision']} precision, which Scree does not support yet")
    return load(extract)
