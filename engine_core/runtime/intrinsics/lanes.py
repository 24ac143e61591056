"""Vectors as types of compiled code: some numbers of one kind in one register, with arithmetic lane by lane."""

import operator

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

ARITHMETIC = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul"}
"""Instructions of LLVM by the operators of Python."""
DIVISION = {operator.truediv: "fdiv"}
IN_PLACE = {operator.iadd: "fadd", operator.isub: "fsub", operator.imul: "fmul"}


class LanesType(types.Type):
    """A vector for Numba. Each has a class of its own in the module that gives it its functions: kept code names the class, so
    that module is imported before the code is used."""

    name_of_vector: str
    vector: ir.VectorType

    def __init__(self):
        super().__init__(self.name_of_vector)


class _LanesModel(models.PrimitiveModel):
    def __init__(self, data_model_manager, frontend_type):
        super().__init__(data_model_manager, frontend_type, frontend_type.vector)


def _binary(kind, python_operator, instruction):
    @type_callable(python_operator)
    def _type(typing_context):
        return lambda a, b: kind if a == kind and b == kind else None

    @lower_builtin(python_operator, kind, kind)
    def _lower(context, builder, signature, arguments):
        return getattr(builder, instruction)(*arguments)


def declare(vector_class, operators):
    """Make a class of vectors known to Numba. `operators`: its instructions by the operators of Python. Return the type."""
    register_model(vector_class)(_LanesModel)
    kind = vector_class()
    for python_operator, instruction in operators.items():
        _binary(kind, python_operator, instruction)
    return kind
