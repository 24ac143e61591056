"""Compilation of kernels to intermediate code only, which is linked and optimised once in an entry point.

Numba treats every function as callable from Python: it optimises its module with all callees, writes machine code for it and
wraps it for Python, and again for each of its callers. But a kernel is only called from an entry point, which is optimised as a
whole. Skipping the rest saves about two fifths of all compile time (docs/measurements.md).

Relies on Numba's compiler pipeline ("Customizing the Compiler" in its documentation) and on its library classes.
"""

import types as python_types

import llvmlite.binding as llvm
from numba import _dynfunc, njit
from numba.core import codegen, compiler
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from .code_cache import CodeCache


class KernelLibrary(codegen.JITCodeLibrary):
    """The intermediate code of a kernel and all its callees, to be linked into its callers. It has no addresses."""

    def _optimize_final_module(self):
        """Do nothing: the entry point that this is linked into is optimised as a whole."""

    def _finalize_final_module(self):
        self._finalized = True


def _stand_in(fndesc, environment, library):
    """The object that Numba keeps in place of the compiled function's Python object: a key, never called (see
    `Kernel.__call__`)."""
    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "", 0, environment, (library,))


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """Numba's lowering, into a library that is not made executable."""

    _name = "kernel_lowering"

    def run_pass(self, state):
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state.cr
        stand_in = _stand_in(lowered.fndesc, lowered.env, state.library)
        state.targetctx.insert_user_function(stand_in, lowered.fndesc, [state.library])
        state.cr = lowered._replace(cfunc=stand_in)
        return True


class KernelPipeline(compiler.CompilerBase):
    """Numba's pipeline for compiled functions, with the lowering of kernels."""

    def define_pipelines(self):
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(KernelLowering if step is NativeLowering else step, why) for step, why in passes.passes]
        passes.finalize()
        return [passes]


def pack_kernel(result) -> tuple:
    """Convert a kernel, that is its intermediate code, to its cached form."""
    fndesc = result.fndesc
    fndesc.typemap = fndesc.calltypes = None  # large, and not needed by callers
    library = result.library
    library._ensure_finalized()
    return library.name, library._final_module.as_bitcode(), fndesc, result.environment, result.signature


def unpack_kernel(target_context, kept: tuple):
    """Restore the kernel from the form of `pack_kernel`."""
    name, bitcode, fndesc, environment, signature = kept
    library = KernelLibrary(target_context.codegen(), name)
    library._final_module = llvm.parse_bitcode(bitcode)
    library._finalized = True
    return compiler.compile_result(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=_stand_in(fndesc, environment, library),
        signature=signature,
        library=library,
        environment=environment,
        fndesc=fndesc,
        objectmode=False,
        lifted=(),
        reload_init=[],
        referenced_envs=(),
    )


class Kernel(CPUDispatcher):
    """A compiled function for use by compiled functions.

    If called from Python, as in tests, it is also compiled as a function of its own.
    """

    _from_python = None

    def __call__(self, *arguments):
        if self._from_python is None:
            forward = _forwarding_to(self)
            self._from_python = njit(nogil=True, no_cfunc_wrapper=True, error_model="numpy")(forward)
            self._from_python._cache = CodeCache(forward, self._cache.folder)
        return self._from_python(*arguments)


def _forwarding_to(kernel):
    """Make a Python function that calls the kernel, with the kernel's source location, so that it is cached beside it."""
    origin = kernel.py_func

    def forward(*arguments):
        return target(*arguments)  # noqa: F821  (in the globals below)

    code = forward.__code__.replace(co_filename=origin.__code__.co_filename, co_firstlineno=origin.__code__.co_firstlineno)
    function = python_types.FunctionType(code, {"target": kernel, "__name__": origin.__module__})
    function.__module__, function.stands_for = origin.__module__, origin
    function.__qualname__ = function.__name__ = f"{origin.__name__}_from_python"
    return function


def make_kernel(function, options: dict, folder) -> Kernel:
    """Declare `function` a kernel, with Numba's options, with its code cached in a folder."""
    kernel = njit(**options, no_cpython_wrapper=True, pipeline_class=KernelPipeline)(function)
    kernel.__class__ = Kernel
    kernel._cache = CodeCache(function, folder, pack_kernel, unpack_kernel)
    return kernel
