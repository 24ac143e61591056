"""Some rows of the table of truth: `python -m tests.truth.measure_rows truth_landing --only rows_a --engine "Scree Physics"`."""

import argparse

from scree.tools import prove_truth
from scree.tools.find_godot import find_godot


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("files", nargs="*", default=prove_truth.row_files())
    words.add_argument("--only", default="", help="one function of the files")
    words.add_argument("--engine", action="append", help="engines; all three where none is named")
    words.add_argument("--csv", help="where the rows are written too")
    chosen = words.parse_args()
    unknown = sorted(set(chosen.files) - set(prove_truth.row_files()))
    if unknown:
        words.error(f"no file of rows is called {', '.join(unknown)}; there are {', '.join(prove_truth.row_files())}")
    table = prove_truth.measure(find_godot(fetch=False), chosen.files, chosen.engine or prove_truth.ENGINES, chosen.only)
    if chosen.csv:
        prove_truth.write_csv(chosen.csv, table)
    print(prove_truth.as_text(table))
    print(prove_truth.verdict_of(table).figures.splitlines()[0])


if __name__ == "__main__":
    main()
