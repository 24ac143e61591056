"""Runs a few kernels and entry points and prints, as JSON, the way they were compiled and what they computed:
`print_plain_figures.py`. A process of its own for each way to compile.
"""

import ctypes
import json
import sys

import numpy as np

from scree.geometry import vector
from scree.runtime import atomics
from scree.runtime.function_address import store_function_addresses
from scree.runtime.kernel import entry_point, kernel
from scree.runtime.kernel_compiler import IS_PLAIN
from scree.runtime.memory import address_of, address_of_row, stack_array, view, view2
from scree.runtime.vector4 import load4, store4
from scree.runtime.vector8 import fused_multiply_add, load8, square_root8, store8, transpose8

PAIR = np.dtype([("count", "i8"), ("weight", "f4"), ("place", "f4", (3,))], align=True)


@kernel
def weigh(pair, by):
    pair.count += 1
    pair.weight = pair.weight / by
    for axis in range(3):
        pair.place[axis] *= pair.weight


@entry_point("void(int64, int64)")
def weigh_all(address, count):
    """Divide by zero once on the way."""
    pairs = view(address, count, PAIR)
    for i in range(count):
        weigh(pairs[i], np.float32(i))


@entry_point("void(int64)")
def use_vectors(address):
    """Work on 64 floats with all operators of both widths."""
    a, b = load8(address), load8(address + 32)
    c = -(a + b) * (a - b) / fused_multiply_add(a, b, square_root8(b))
    c += a
    c -= b
    c *= a
    rows = transpose8(a, b, c, a, b, c, a, b)
    for i in range(8):
        store8(address + 32 * i, rows[i])
    d, e = load4(address), load4(address + 16)
    store4(address, (d + e) * (d - e))


@entry_point("float64(int64)")
def use_stack(count):
    """Sum squares by way of an array on the stack and a table of two dimensions."""
    squares = stack_array(16, np.float64)
    for i in range(count):
        squares[i] = float(i) ** 2 / 3.0
    table = view2(address_of_row(squares, 0), 4, 4, np.float64)
    total = 0.0
    for row in range(4):
        for column in range(4):
            total += table[row, column] * (row + 1)
    return total


@kernel
def add_to(word, value, unused):
    atomics.add_int64(word, value)


@kernel
def exchange_with(word, value, unused):
    atomics.exchange_int64(word, value)


KERNELS = (add_to, exchange_with, add_to)


@entry_point("void(int64)")
def fill(table):
    """Write the addresses of three kernels."""
    store_function_addresses(table, KERNELS)


def by_address() -> list[int]:
    table, word = np.zeros(3, np.int64), np.array([5], np.int64)
    fill(address_of(table))
    seen = []
    for address in table.tolist():
        ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(address)(address_of(word), 7, 0)
        seen.append(int(word[0]))
    return seen


def main() -> None:
    pairs = np.zeros(3, PAIR)
    pairs["weight"], pairs["place"] = 2.0, np.arange(9.0).reshape(3, 3) + 1.0
    weigh_all(address_of(pairs), len(pairs))
    floats = np.random.default_rng(1).uniform(0.5, 2.0, 64).astype(np.float32)
    use_vectors(address_of(floats))
    figures = {
        "pairs": pairs.tobytes().hex(),
        "floats": floats.tobytes().hex(),
        "stack": use_stack(16).hex(),
        "by_address": by_address(),
        "cross": [value.hex() for value in vector.cross((1.0, 0.1, 0.2), (0.3, 1.0, 0.7))],
    }
    inside = "scree.runtime.numba_inside" in sys.modules
    print(json.dumps({"plain": IS_PLAIN, "inside_imported": inside, "file": bool(fill.code_file), "figures": figures}))


if __name__ == "__main__":
    main()
