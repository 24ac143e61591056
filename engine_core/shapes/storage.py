"""A shape as bytes and back, cooked as it is: nothing is computed anew, every bit comes back.

The bytes are an archive of NumPy arrays (`numpy.savez`, no pickled objects): the row, the record and the arrays of its block, and
the settings, from which uses with a scale are cooked. They hold no address, and are the same for the same shape.
"""

import io
import zipfile

import numpy as np

from . import schema, settings
from .cooking import Block, Cooked, pack_block
from .pool import COOKED_FIELDS, ShapePool

VERSION = 1
"""Counts up when rows, blocks or settings change their meaning."""
BLOCKS = {schema.HULL: schema.HULL_BLOCK, schema.MESH: schema.MESH_BLOCK}
SETTINGS = {
    kind.kind: kind for kind in (
        settings.Sphere, settings.Box, settings.Capsule, settings.Cylinder, settings.TaperedCapsule, settings.TaperedCylinder,
        settings.Ellipsoid, settings.Hull, settings.Plane, settings.SeparationRay, settings.Mesh, settings.HeightField,
    )
}  # fmt: skip


def _block_entries(kind: int, block: Block | None) -> dict:
    """The record of a block without its addresses, and its arrays."""
    if block is None:
        return {}
    record = np.zeros((), BLOCKS[kind])
    stored = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_uint8 * BLOCKS[kind].itemsize).from_address(block.address))
    for name in BLOCKS[kind].names:
        if name not in block.arrays:
            record[name] = stored.view(BLOCKS[kind])[0][name]
    return {"record": np.frombuffer(record.tobytes(), np.uint8)} | {f"array {name}": a for name, a in block.arrays.items()}


def _settings_entries(own, block: Block | None) -> dict:
    """The fields of settings; an array that is the block's is only named."""
    entries = {}
    shared = {id(array): name for name, array in (block.arrays if block else {}).items()}
    for name, value in own._asdict().items() if own is not None else ():
        if id(value) in shared:
            entries[f"shared {name}"] = np.array(shared[id(value)])
        else:
            entries[f"setting {name}"] = np.asarray(value)
    return entries


def save_shape(pool: ShapePool, index: int) -> bytes:
    """A shape of the user. Raises ValueError if there is no such shape, or if it is a custom one: its function is code."""
    with pool.held():
        own, row = pool.settings_of(index), pool.rows[index]
        if int(row["user_kind"]) == schema.CUSTOM:
            raise ValueError(f"save_shape: shape {index} is a custom one, its function cannot be saved: set it again")
        block = pool.block_of(index)
        cooked = np.zeros((), schema.SHAPE)
        for name in ("kind", "user_kind", "margin", *COOKED_FIELDS):
            cooked[name] = row[name]
        entries = {"version": np.array(VERSION), "row": np.frombuffer(cooked.tobytes(), np.uint8)}
        entries |= _block_entries(int(row["kind"]), block) | _settings_entries(own, block)
        file = io.BytesIO()
        np.savez(file, **entries)
    return file.getvalue()


def _loaded_settings(kind: int, entries: dict, block: Block | None):
    """Settings out of their entries, or None for a shape that was never set."""
    values = {name[8:]: value for name, value in entries.items() if name.startswith("setting ")}
    values |= {name[7:]: block.arrays[str(value)] for name, value in entries.items() if name.startswith("shared ")}
    if not values:
        return None
    made = SETTINGS[kind]
    for name, type_of in made.__annotations__.items():
        if type_of is tuple:
            values[name] = tuple(values[name].tolist())
        elif type_of is not np.ndarray:
            values[name] = type_of(values[name])
    return made(**values)


def load_shape(pool: ShapePool, data: bytes) -> int:
    """Make a shape of the bytes that `save_shape` gave. Gives its index. Raises ValueError for other bytes, PoolFull."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            entries = {name: archive[name] for name in archive.files}
        version, row = int(entries["version"]), entries["row"].view(schema.SHAPE)[0]
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"load_shape: these bytes are no shape: {error}") from None
    if version != VERSION:
        raise ValueError(f"load_shape: the shape is of version {version}, this program reads {VERSION}")
    block = None
    if "record" in entries:
        dtype = BLOCKS[int(row["kind"])]
        arrays = {name[6:]: array for name, array in entries.items() if name.startswith("array ")}
        record = entries["record"].view(dtype)[0]
        block = pack_block(dtype, {name: record[name] for name in dtype.names if name not in arrays}, arrays)
    own = _loaded_settings(int(row["user_kind"]), entries, block)
    index = pool.create(int(row["user_kind"]))
    fields = {name: row[name] for name in COOKED_FIELDS}
    pool.take_over(index, own, Cooked(int(row["kind"]), fields, block), float(row["margin"]))
    return index
