"""Saving a shape as bytes and loading it, in its cooked form: nothing is computed again, every bit is restored.

The bytes are an archive of NumPy arrays (`numpy.savez`, no pickled objects): the row, the record and the arrays of its block, and
the settings, from which scaled uses are cooked. They hold no address, and are the same for the same shape. In a compound, the
names of each cooked part, and of the settings of each shape that parts use, begin with its number. Of a structure they hold the
bricks; numbers of bricks are given anew.
"""

import io
import zipfile

import numpy as np

from . import compound_settings, schema, settings
from .compound_settings import StaticCompound
from .cooking import COOKED_FIELDS, Block, Cooked, pack_block
from .pool import ShapePool
from .structure_settings import StructureSettings
from .traits import TRAITS

VERSION = 3
"""Increased when rows, blocks or settings change their meaning."""
BLOCKS = {kind: traits.block for kind, traits in TRAITS.items() if traits.block is not None and traits.is_stored}
SETTINGS = {own.kind: own for module in (settings, compound_settings) for own in vars(module).values() if hasattr(own, "cook")}


def _block_entries(kind: int, block: Block | None) -> dict:
    """Entries for the record of a block without its addresses, and its arrays."""
    if block is None:
        return {}
    record = np.zeros((), BLOCKS[kind])
    stored = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_uint8 * BLOCKS[kind].itemsize).from_address(block.address))
    for name in BLOCKS[kind].names:
        if name not in block.arrays:
            record[name] = stored.view(BLOCKS[kind])[0][name]
    return {"record": np.frombuffer(record.tobytes(), np.uint8)} | {f"array {name}": a for name, a in block.arrays.items()}


def _settings_entries(own, block: Block | None) -> dict:
    """Entries for the fields of settings. An array of the block is only referred to by name."""
    entries = {}
    shared = {id(array): name for name, array in (block.arrays if block else {}).items()}
    for name, value in own._asdict().items() if own is not None else ():
        if name == "shapes":  # of a compound: nested settings
            continue
        if id(value) in shared:
            entries[f"shared {name}"] = np.array(shared[id(value)])
        else:
            entries[f"setting {name}"] = np.asarray(value)
    return entries


def _named(prefix: str, entries: dict) -> dict:
    return {f"{prefix} {name}": value for name, value in entries.items()}


def _under(prefix: str, entries: dict) -> dict:
    """The entries whose names have this prefix, without it."""
    return {name[len(prefix) + 1 :]: value for name, value in entries.items() if name.startswith(f"{prefix} ")}


def _row_entries(row, block: Block | None) -> dict:
    """Entries for a cooked shape."""
    cooked = np.zeros((), schema.SHAPE)
    for name in ("kind", "user_kind", "margin", *COOKED_FIELDS):
        cooked[name] = row[name]
    return {"row": np.frombuffer(cooked.tobytes(), np.uint8)} | _block_entries(int(row["kind"]), block)


def _part_entries(pool: ShapePool, row: int) -> dict:
    """Entries for the cooked parts of a compound. Rows of parts hold the number of a cooked part instead of its row."""
    part_rows = pool.part_rows(row)
    parts = pool.block_of(row).arrays["parts"].copy()
    number_of = {part: number for number, part in enumerate(part_rows)}
    parts["shape"] = [number_of[part] for part in parts["shape"].tolist()]
    entries = {"array parts": parts}
    for number, part in enumerate(part_rows):
        if not TRAITS[int(pool.rows[part]["user_kind"])].is_stored:
            raise ValueError("save_shape: a part of the compound is a custom shape, its function cannot be saved: set it again")
        entries |= _named(f"part {number}", _row_entries(pool.rows[part], pool.block_of(part)))
    return entries


def _shape_entries(own: StaticCompound) -> dict:
    """Entries for the settings of the shapes that the parts of a compound use."""
    entries = {}
    for number, shape in enumerate(own.shapes):
        entries |= _named(f"shape {number}", {"kind": np.array(shape.kind)} | _settings_entries(shape, None))
    return entries


def save_shape(pool: ShapePool, index: int) -> bytes:
    """Save a user's shape. Raises ValueError if there is no such shape, or for a custom shape: its function is code."""
    with pool.held():
        own = pool.settings_of(index)
        current = pool.current_row(index)
        row = pool.rows[current].copy()
        if not TRAITS[int(row["user_kind"])].is_stored:
            raise ValueError(f"save_shape: shape {index} is a custom one, its function cannot be saved: set it again")
        block = pool.block_of(current)
        row["margin"] = pool.rows[index]["margin"]
        if isinstance(own, StructureSettings):  # the set of bricks; all else follows from it
            entries = {"version": np.array(VERSION), "row": _bare_row(row)} | _named("structure", own.entries())
        else:
            entries = {"version": np.array(VERSION)} | _row_entries(row, block) | _settings_entries(own, block)
        if int(row["kind"]) == schema.COMPOUND:
            entries |= _part_entries(pool, current)
        if isinstance(own, StaticCompound):
            entries |= _shape_entries(own)
        file = io.BytesIO()
        np.savez(file, **entries)
    return file.getvalue()


def _loaded_settings(kind: int, entries: dict, block: Block | None):
    """Load settings from their entries; None for a shape that was never set."""
    values = _under("setting", entries)
    values |= {name: block.arrays[str(value)] for name, value in _under("shared", entries).items()}
    if not values:
        return None
    made = SETTINGS[kind]
    if made is StaticCompound:
        values["shapes"] = _loaded_shapes(entries)
    for name, type_of in made.__annotations__.items():
        if isinstance(values[name], tuple):
            continue
        if type_of is tuple:
            values[name] = tuple(values[name].tolist())
        elif type_of is not np.ndarray:
            values[name] = type_of(values[name])
    return made(**values)


def _loaded_shapes(entries: dict) -> tuple:
    """Load the settings of the shapes of a compound."""
    shapes = []
    while found := _under(f"shape {len(shapes)}", entries):
        shapes.append(_loaded_settings(int(found["kind"]), found, None))
    return tuple(shapes)


def _loaded_row(entries: dict) -> tuple[np.void, Cooked]:
    """Load the row of a cooked shape, and its cooked content."""
    row, block, parts = entries["row"].view(schema.SHAPE)[0], None, []
    if "record" in entries:
        dtype, arrays = BLOCKS[int(row["kind"])], _under("array", entries)
        record = entries["record"].view(dtype)[0]
        block = pack_block(dtype, {name: record[name] for name in dtype.names if name not in arrays}, arrays)
    while found := _under(f"part {len(parts)}", entries):
        parts.append(_loaded_row(found)[1])
    return row, Cooked(int(row["kind"]), {name: row[name] for name in COOKED_FIELDS}, block, tuple(parts))


def _bare_row(row) -> np.ndarray:
    """The bytes of a row with what does not follow from settings."""
    bare = np.zeros((), schema.SHAPE)
    for name in ("kind", "user_kind", "margin"):
        bare[name] = row[name]
    return np.frombuffer(bare.tobytes(), np.uint8)


def _load_structure(pool: ShapePool, row, entries: dict) -> int:
    """Load a structure of its own. Raises ValueError for bricks that are not valid."""
    own = StructureSettings.from_entries(entries)
    index = pool.create(schema.STRUCTURE)
    pool.take_over(index, own, own.cook(), float(row["margin"]))
    return index


def load_shape(pool: ShapePool, data: bytes) -> int:
    """Load a shape from the bytes of `save_shape` and return its index. Raises ValueError for other bytes, PoolFull."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            entries = {name: archive[name] for name in archive.files}
        version, _ = int(entries["version"]), entries["row"]
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"load_shape: these bytes are no shape: {error}") from None
    if version != VERSION:
        raise ValueError(f"load_shape: the shape is of version {version}, this program reads {VERSION}")
    structure = _under("structure", entries)
    if structure:
        return _load_structure(pool, entries["row"].view(schema.SHAPE)[0], structure)
    row, cooked = _loaded_row(entries)
    own = _loaded_settings(int(row["user_kind"]), entries, cooked.block)
    index = pool.create(int(row["user_kind"]))
    pool.take_over(index, own, cooked, float(row["margin"]))
    return index
