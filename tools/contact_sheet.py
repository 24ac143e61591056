"""Pictures of a scene on one sheet, for the docs."""

import re
from collections.abc import Sequence
from pathlib import Path

COLUMNS, CELL = 2, (480, 270)  # [pixels]
QUALITY = 72  # of a JPEG
TICK_RATE = 60


def make(pictures: Sequence[Path], file: Path, columns: int = COLUMNS) -> Path:
    """Write all pictures, each with its time, as one JPEG, row by row; returns it. Names end in `_TICK.png`."""
    from PIL import Image, ImageDraw  # comes with Matplotlib, and is slow to import

    width, height = CELL
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * width, rows * height))
    for number, path in enumerate(pictures):
        with Image.open(path) as picture:
            cell = picture.convert("RGB").resize(CELL, Image.Resampling.LANCZOS)
        tick = re.search(r"_(\d+)$", path.stem)
        if tick:
            label = f"{int(tick[1]) / TICK_RATE:.1f} s"
            ImageDraw.Draw(cell).text((width - 52, height - 22), label, fill=(255, 255, 255))
        sheet.paste(cell, (number % columns * width, number // columns * height))
    file.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(file, quality=QUALITY, optimize=True)
    return file
