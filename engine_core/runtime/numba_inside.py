"""Everything of Numba's inside that the engine uses: what Numba's documentation does not offer, in this module only.

A new version of Numba may change any of it. `RELIES_ON` names each thing and says what for; `tests/runtime/test_numba_inside.py`
checks that it is there and does what we rely on. With a version that was not tried (`numba_versions.py`) the names are looked up
when this is imported, and an ImportError says what is gone; then `kernel_compiler.py` takes the plain way (`plain_numba.py`).

Counted as public, and used in any module of `runtime/`, is what the user manual and the chapters on extending Numba describe:
`njit`, `cfunc` (its `address`, `ctypes`), `py_func`, `numba.types`, `numba.errors`, `numba.extending`, `numba.core.cgutils`, the
context and the builder that a generator of code gets, `llvmlite.ir`. The fields of an array's structure (`memory.py`) are not
described there, but have not changed since 2014. The chapter "Customizing the Compiler" warns that passes are for experts and may
break: they are inside.

Why at all: Numba treats every function as callable from Python: it optimises its module with all callees, writes machine code
for it and wraps it for Python, and again for each of its callers. But a kernel is only called from an entry point, which is
optimised as a whole. Skipping the rest saves about two fifths of all compile time (docs/measurements.md).
"""

import importlib
import types as python_types
from pathlib import Path

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import _dynfunc, njit, types
from numba.core import caching, codegen, compiler, serialize, sigutils
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NativeLowering

from . import code_files, numba_versions
from .code_cache import CodeCache
from .compiled_entry import CompiledEntry
from .portable_code import IS_PORTABLE

RELIES_ON = {
    "numba._dynfunc.make_function": "makes the key under which Numba keeps a kernel",
    "numba.core.caching._Cache": "the interface between a dispatcher and its cache",
    "numba.core.caching._Cache.load_overload": "asks the cache for a compiled function",
    "numba.core.caching._Cache.save_overload": "gives the cache a compiled function",
    "numba.core.ccallback.CFunc": "an entry point: `cfunc` itself takes no cache of ours",
    "numba.core.ccallback.CFunc.compile": "compiles the entry point, or loads it from its cache",
    "numba.core.ccallback.CFunc.cache_hits": "tells whether it was loaded",
    "numba.core.codegen.JITCodeLibrary": "the code of a function and its callees",
    "numba.core.codegen.JITCodeLibrary._optimize_final_module": "optimises; a kernel skips it",
    "numba.core.codegen.JITCodeLibrary._finalize_final_module": "makes executable; a kernel skips it",
    "numba.core.codegen.JITCodeLibrary._ensure_finalized": "completes the intermediate code",
    "numba.core.codegen.JITCodeLibrary._finalized": "marks a kernel from the cache as complete",
    "numba.core.codegen.JITCodeLibrary.has_dynamic_globals": "tells that code holds addresses of this process",
    "numba.core.codegen.JITCodeLibrary.add_linking_library": "links a kernel into its caller",
    "numba.core.codegen.JITCPUCodegen.magic_tuple": "describes the processor that code is for",
    "numba.core.compiler.CompilerBase": "the pipeline of passes that kernels replace one of",
    "numba.core.compiler.DefaultPassBuilder.define_nopython_pipeline": "Numba's own list of passes",
    "numba.core.compiler.CompileResult._reduce": "converts a compiled function to what can be pickled",
    "numba.core.compiler.CompileResult._rebuild": "restores it",
    "numba.core.compiler.compile_result": "describes a kernel from the cache as if it had been compiled",
    "numba.core.compiler_lock.global_compiler_lock": "held while an entry point is translated for the library of the core",
    "numba.core.compiler_machinery.register_pass": "registers the lowering of kernels",
    "numba.core.funcdesc.FunctionDescriptor.lookup_module": "the module that a kernel's key is made in",
    "numba.core.registry.CPUDispatcher": "the class of compiled functions, that `Kernel` is one of",
    "numba.core.registry.cpu_target": "types of what compiled code refers to",
    "numba.core.typing.context.BaseContext.refresh": "makes functions known that are written as instructions",
    "numba.core.base.BaseContext.refresh": "makes known how they are compiled",
    "numba.core.typing.context.BaseContext.resolve_value_type": "the type of a function that is written as instructions",
    "numba.core.serialize.dumps": "pickles compiled code",
    "numba.core.serialize.pickle": "unpickles it",
    "numba.core.sigutils.normalize_signature": "takes a signature apart",
    "numba.core.typed_passes.NativeLowering.run_pass": "the pass that kernels replace",
    "numba.core.base.BaseContext.declare_function": "declares a kernel in the module that gives out its address",
    "numba.core.cpu.CPUContext.insert_user_function": "makes a kernel known to its callers",
    "numba.core.cpu.CPUContext.active_code_library": "the library that is being compiled",
    "numba.core.cpu.CPUContext.call_conv": "calls a kernel by Numba's convention",
    "numba.core.types.Dispatcher.dispatcher": "the compiled function of a type",
}
"""Full names of what this module uses, and what for. Fields of objects (`CompileResult.library`, `CodeLibrary._final_module`,
`CPUDispatcher._cache`) are seen by their effect, in the contract test."""

_ENTRY_OPTIONS = {"error_model": "numpy"}
_KERNEL_OPTIONS = {"nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
_C_ARGUMENTS = (types.int64, types.int64, types.int64)


def look_up(name: str):
    """The object of a full name like `numba.core.codegen.JITCodeLibrary`. Raises AttributeError or ImportError."""
    parts = name.split(".")
    found = importlib.import_module(parts[0])
    for count, part in enumerate(parts[1:], 2):
        if isinstance(found, python_types.ModuleType) and not hasattr(found, part):
            importlib.import_module(".".join(parts[:count]))
        found = getattr(found, part)
    return found


def missing_names() -> list[str]:
    """The names of `RELIES_ON` that this Numba does not have."""
    missing = []
    for name in RELIES_ON:
        try:
            look_up(name)
        except (AttributeError, ImportError):
            missing.append(name)
    return missing


if not numba_versions.is_tried(numba.__version__) and (_missing := missing_names()):
    raise ImportError(f"it has no {', '.join(_missing)}")


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


def pack_function(result) -> tuple:
    """Convert a function with machine code to its cached form."""
    return result._reduce()


def unpack_function(target_context, kept: tuple):
    """Restore the function from the form of `pack_function`."""
    return compiler.CompileResult._rebuild(target_context, *kept)


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


class NumbaCache(caching._Cache):
    """The files of one function's code, with the interface of Numba's caches. `pack` and `unpack` as above."""

    def __init__(self, function, folder: Path, pack=pack_function, unpack=unpack_function):
        self.code, self._pack, self._unpack = CodeCache(function, folder, serialize.dumps), pack, unpack
        self.last_file: Path | None = None

    @property
    def cache_path(self):
        return str(self.code.folder)

    def enable(self):
        """Do nothing: Numba calls this, but the cache is always on."""

    def disable(self):
        """Do nothing, as `enable`."""

    def flush(self):
        """Do nothing, as `enable`: outdated code is never found."""

    def _file_of(self, signature, codegen) -> Path | None:
        arguments, result = sigutils.normalize_signature(signature)
        return self.code.file_of(f"{arguments} {result}", ("any",) if IS_PORTABLE else codegen.magic_tuple())

    def load_overload(self, sig, target_context):
        """Load the compiled function, or None if it must be compiled."""
        target_context.refresh()
        path = self.last_file = self._file_of(sig, target_context.codegen())
        content = code_files.read(path) if path else None
        if content is None:
            return None
        try:
            return self._unpack(target_context, serialize.pickle.loads(content))
        except Exception:  # intact, but not usable by this Python and Numba: it is compiled again
            return None

    def save_overload(self, sig, data):
        """Cache a compiled function, unless it contains addresses of this process."""
        path = self._file_of(sig, data.codegen)
        if path is None or data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        self.code.write(path, lambda: serialize.dumps(self._pack(data)))


class Kernel(CPUDispatcher):
    """A compiled function for use by compiled functions.

    If called from Python, as in tests, it is also compiled as a function of its own.
    """

    _from_python = None

    def __call__(self, *arguments):
        if self._from_python is None:
            forward = _forwarding_to(self)
            self._from_python = njit(**_KERNEL_OPTIONS)(forward)
            self._from_python._cache = NumbaCache(forward, self._cache.code.folder)
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


def make_kernel(function, options: dict, folder: Path) -> Kernel:
    """Declare `function` a kernel, with Numba's options beside those of every kernel, with its code cached in a folder."""
    cache = NumbaCache(function, folder, pack_kernel, unpack_kernel)
    # Numba tells functions with one name apart by a number that it counts in each process. Code of several processes is linked
    # here, so the name of a kernel that another function made has to say what it closes over.
    if function.__closure__:
        function.__qualname__ += f"_{cache.code.digest_of_cells()}"
    made = njit(**{**_KERNEL_OPTIONS, **options}, no_cpython_wrapper=True, pipeline_class=KernelPipeline)(function)
    made.__class__ = Kernel
    made._cache = cache
    return made


def compile_entry(function, signature, folder: Path) -> CompiledEntry:
    """Compile `function` with C's calling convention for a signature, or load it from the cache in a folder."""
    compiled = CFunc(function, (signature.args, signature.return_type), {}, _ENTRY_OPTIONS)
    cache = compiled._cache = NumbaCache(function, folder)
    compiled.compile()
    return CompiledEntry(compiled.address, compiled.cache_hits > 0, cache.last_file, compiled)


@global_compiler_lock
def lower_entry(function, signature, folder: Path) -> tuple[bytes, str]:
    """Translate an entry point, with all kernels that it calls, to intermediate code that is not optimised. Returns it as LLVM's
    bitcode, and the name of the function with C's calling convention in it."""
    compiled = CFunc(function, (signature.args, signature.return_type), {}, _ENTRY_OPTIONS, KernelPipeline)
    cache = NumbaCache(function, folder)
    path = cache.code.file_of(f"lowered {signature}", ("any",))
    content = code_files.read(path) if path else None
    if content is None:
        lowered = compiled._compile_uncached()
        lowered.library._ensure_finalized()
        result = lowered.library._final_module.as_bitcode(), lowered.fndesc.llvm_cfunc_wrapper_name
        if path:
            cache.code.write(path, lambda: serialize.dumps(result))
        return result
    return serialize.pickle.loads(content)


def type_of_intrinsic(compiled):
    """Numba's type of a function that is written as instructions. Its module may just have been imported, in the middle of a
    compilation, and Numba looks for new functions only before one."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    return cpu_target.typing_context.resolve_value_type(compiled)


def address_generator(kernel_type):
    """Compile a kernel, given as its type, for three int64. Returns the generator `(context, builder)` of its address as `void
    f(int64, int64, int64)` in C; the function lies in the same module, so the code can be cached. The kernel must not raise."""
    dispatcher = kernel_type.dispatcher
    dispatcher.compile(_C_ARGUMENTS)
    compiled = dispatcher.overloads[_C_ARGUMENTS]

    def generate(context, builder):
        name = f"as_c_function.{compiled.fndesc.mangled_name}"
        function = builder.module.globals.get(name)
        if function is None:
            context.active_code_library.add_linking_library(compiled.library)
            function = _as_c_function(context, builder.module, compiled, name)
        return builder.ptrtoint(function, ir.IntType(64))

    return generate


def _as_c_function(context, module, compiled, name: str):
    """Make a function of the module with C's calling convention that calls a compiled kernel."""
    function_type = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * len(_C_ARGUMENTS))
    function = ir.Function(module, function_type, name)
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block())
    callee = context.declare_function(module, compiled.fndesc)
    context.call_conv.call_function(
        builder, callee, compiled.fndesc.restype, compiled.fndesc.argtypes, list(function.args)
    )
    builder.ret_void()
    return function
