"""All fast answers, by virtual; see fast_call.py."""

from ..runtime.function_address import store_function_addresses
from ..runtime.kernel import entry_point
from .fast_call import make_fast_virtual, own_area, own_body
from .fast_creation import LIVES
from .fast_shape_data import SHAPE_DATA
from .fast_shapes import shape_answers
from .setting_calls import SETTINGS
from .virtual_table import SERVER as SERVER_TABLE

ANSWERS = {**LIVES, **SETTINGS, **SHAPE_DATA, **shape_answers("body", own_body), **shape_answers("area", own_area)}
KERNELS = tuple(make_fast_virtual(answer, number) for number, answer in enumerate(ANSWERS.values()))


@entry_point("void(int64)")
def fill_fast_calls(table):
    """Write the addresses of KERNELS into a table."""
    store_function_addresses(table, KERNELS)


SERVER_TABLE.fast(fill_fast_calls, ANSWERS)
