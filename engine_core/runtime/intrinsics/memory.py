"""How the functions of `runtime/memory.py` are compiled."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _array(context, builder, array_type, data, shape, item_size: int):
    """The LLVM value of a contiguous array that owns no memory, from a pointer to its first element, its lengths, and the size of
    an element [byte]."""
    array = cgutils.create_struct_proxy(array_type)(context, builder)
    item_size = context.get_constant(types.intp, item_size)
    strides = [item_size]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(length, strides[0]))
    count = context.get_constant(types.intp, 1)
    for length in shape:
        count = builder.mul(count, length, flags=["nsw"])
    array.data, array.itemsize, array.nitems = data, item_size, count
    array.shape, array.strides = cgutils.pack_array(builder, shape), cgutils.pack_array(builder, strides)
    array.meminfo = array.parent = ir.Constant(cgutils.voidptr_t, None)
    return array._getvalue()


def _size_of(element) -> int:
    """The size of a Numba type in an array [byte]."""
    return element.size if isinstance(element, types.Record) else element.bitwidth // 8


@intrinsic
def view(typing_context, address, length, dtype):
    """Compiled: the one-dimensional array of `length` rows of the constant `dtype` at `address`."""
    element = dtype.dtype
    array_type = types.Array(element, 1, "C")
    signature = array_type(types.int64, types.intp, dtype)

    def generate(context, builder, signature, arguments):
        data = builder.inttoptr(arguments[0], context.get_data_type(element).as_pointer())
        return _array(context, builder, array_type, data, [arguments[1]], _size_of(element))

    return signature, generate


@intrinsic
def view2(typing_context, address, rows, columns, dtype):
    """Compiled: the array of shape `(rows, columns)` of the constant scalar `dtype` at `address`, row by row."""
    element = dtype.dtype
    array_type = types.Array(element, 2, "C")
    signature = array_type(types.int64, types.intp, types.intp, dtype)

    def generate(context, builder, signature, arguments):
        data = builder.inttoptr(arguments[0], context.get_data_type(element).as_pointer())
        return _array(context, builder, array_type, data, [arguments[1], arguments[2]], _size_of(element))

    return signature, generate


@intrinsic
def stack_array(typing_context, length, dtype):
    """Compiled: an uninitialised array of a constant `length` on the stack of the calling function. It is gone when that function
    returns: never return it."""
    if not isinstance(length, types.IntegerLiteral):
        return None
    element = dtype.dtype
    count = length.literal_value
    array_type = types.Array(element, 1, "C")
    signature = array_type(length, dtype)

    def generate(context, builder, signature, arguments):
        data_type, length = context.get_data_type(element), context.get_constant(types.intp, count)
        # Not cgutils.alloca_once: it stores zeros to the first row, which costs seconds of compile time for a large record.
        with builder.goto_entry_block():
            slot = builder.alloca(data_type, size=length)
        slot.align = 64
        data = builder.bitcast(slot, data_type.as_pointer())
        return _array(context, builder, array_type, data, [length], _size_of(element))

    return signature, generate


@intrinsic
def address_of_row(typing_context, array, index):
    """Compiled: the address of `array[index]` of a one-dimensional contiguous array."""
    signature = types.int64(array, types.intp)

    def generate(context, builder, signature, arguments):
        native = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        base = builder.ptrtoint(native.data, cgutils.intp_t)
        return builder.add(base, builder.mul(arguments[1], native.itemsize))

    return signature, generate


@intrinsic
def address_of_record(typing_context, record):
    """Compiled: the address of a record, that is of one row of an array of them."""
    signature = types.int64(record)

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(arguments[0], cgutils.intp_t)

    return signature, generate
