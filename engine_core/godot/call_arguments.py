"""Reading the arguments and writing the result of a virtual in compiled code.

Godot passes an array of addresses, one an argument, and the address of the result. In single precision: bool 1
byte, all integers and enums 8, float a double, Vector3 3 float32, Basis 9 by rows, Transform3D 12, ids and object
pointers 8.
"""

import math

import numpy as np

from ..runtime.call import (
    call_4,
    load_address,
    load_float32,
    load_float64,
    load_int64,
    load_uint8,
    store_float32,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array

FLOAT32 = np.float32


@kernel
def argument(arguments, number):
    """Address of an argument's value."""
    return load_address(arguments + 8 * number)


@kernel
def int_argument(arguments, number):
    """Read an integer, an enum, an id or a pointer."""
    return load_int64(load_address(arguments + 8 * number))


@kernel
def bool_argument(arguments, number):
    return load_uint8(load_address(arguments + 8 * number)) != 0


@kernel
def float_argument(arguments, number):
    return load_float64(load_address(arguments + 8 * number))


@kernel
def load_vector3(address):
    """Read three float32 as a vector of doubles."""
    return (float(load_float32(address)), float(load_float32(address + 4)), float(load_float32(address + 8)))


@kernel
def vector3_argument(arguments, number):
    return load_vector3(load_address(arguments + 8 * number))


@kernel
def store_vector3(address, v):
    """Write a vector as three float32."""
    store_float32(address, FLOAT32(v[0]))
    store_float32(address + 4, FLOAT32(v[1]))
    store_float32(address + 8, FLOAT32(v[2]))


@kernel
def store_zeros(address, count):
    """Write `count` float32 zeros."""
    for i in range(count):
        store_float32(address + 4 * i, FLOAT32(0.0))


@kernel
def store_identity(address):
    """Write the identity Transform3D; its first nine numbers are the identity Basis."""
    store_zeros(address, 12)
    for i in range(3):
        store_float32(address + 16 * i, FLOAT32(1.0))


@kernel
def store_symmetric(address, m):
    """Write a symmetric matrix (xx, yy, zz, xy, xz, yz) as a Basis."""
    store_float32(address, FLOAT32(m[0]))
    store_float32(address + 4, FLOAT32(m[3]))
    store_float32(address + 8, FLOAT32(m[4]))
    store_float32(address + 12, FLOAT32(m[3]))
    store_float32(address + 16, FLOAT32(m[1]))
    store_float32(address + 20, FLOAT32(m[5]))
    store_float32(address + 24, FLOAT32(m[4]))
    store_float32(address + 28, FLOAT32(m[5]))
    store_float32(address + 32, FLOAT32(m[2]))


@kernel
def is_finite3(v):
    return math.isfinite(v[0]) and math.isfinite(v[1]) and math.isfinite(v[2])


@kernel
def is_finite_transform(address):
    """Whether the numbers of a Transform3D are finite and not too large."""
    total = 0.0
    for i in range(12):
        total += abs(float(load_float32(address + 4 * i)))
    return total < 1e30


@kernel
def ask_object(call, method, target, value):
    """Call a method of a Godot Object that takes one 64-bit word and returns a bool. `call`: address of
    object_method_bind_ptrcall; `method`: the bind."""
    words = stack_array(3, np.int64)
    words[0] = value
    words[1] = 0
    words[2] = address_of_row(words, 0)
    call_4(call, method, target, address_of_row(words, 2), address_of_row(words, 1))
    return load_uint8(address_of_row(words, 1)) != 0
