"""All compiled answers, by virtual; see compiled_answer.py."""

from ...runtime.function_address import store_function_addresses
from ...runtime.kernel import entry_point
from ..setting_calls import SETTINGS
from ..virtual_table import SERVER as SERVER_TABLE
from .bodies import LIVES
from .body_shapes import shape_answers
from .compiled_answer import make_virtual, own_area, own_body
from .shapes import SHAPE_DATA

ANSWERS = {**LIVES, **SETTINGS, **SHAPE_DATA, **shape_answers("body", own_body), **shape_answers("area", own_area)}
KERNELS = tuple(make_virtual(answer, number) for number, answer in enumerate(ANSWERS.values()))


@entry_point("void(int64)")
def fill_compiled_answers(table):
    """Write the addresses of KERNELS into a table."""
    store_function_addresses(table, KERNELS)


SERVER_TABLE.compiled(fill_compiled_answers, ANSWERS)
