"""The contract with Numba's inside: everything that `numba_inside.py` uses is there and does what the engine relies on. Where a
new version of Numba breaks a test, its message names the thing.

Imports nothing of the tests' packages, so that `scree prove numba_versions` can run it with other versions of Numba.
"""

import ast
import ctypes
import inspect
import math
from pathlib import Path

import numba
import pytest
from numba import float64, int64, types
from numba.core import caching, codegen, compiler, datamodel, serialize, sigutils
from numba.core.ccallback import CFunc
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NativeLowering

from scree.runtime import numba_inside, numba_versions
from scree.runtime.function_address import store_function_addresses
from scree.runtime.memory import view

NEEDED_FIELDS = {
    compiler.CompileResult: {
        "typing_context", "target_context", "entry_point", "signature", "objectmode", "lifted", "fndesc", "library",
        "environment", "reload_init", "referenced_envs",
    },
}  # fmt: skip
_absolute = ctypes.CDLL(None).abs
_absolute.argtypes, _absolute.restype = [ctypes.c_int32], ctypes.c_int32


@pytest.mark.parametrize("name", numba_inside.RELIES_ON)
def test_it_is_there(name):
    """Every name of `RELIES_ON`."""
    try:
        numba_inside.look_up(name)
    except (AttributeError, ImportError) as error:
        pytest.fail(f"Numba {numba.__version__} has no {name} ({error}); it {numba_inside.RELIES_ON[name]}")


def test_everything_imported_is_named():
    tree = ast.parse(Path(numba_inside.__file__).read_text(encoding="utf-8"))
    public = {"numba.njit", "numba.types"}
    imported = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level and node.module.startswith("numba")
        for alias in node.names
    }
    known = [f"{name}." for name in numba_inside.RELIES_ON]
    unnamed = [name for name in imported - public if not any(each.startswith(f"{name}.") for each in known)]
    assert unnamed == []
    assert len(imported) > 8


def test_a_name_that_is_gone_is_found(monkeypatch):
    assert numba_inside.missing_names() == []
    monkeypatch.delattr(codegen.JITCodeLibrary.__mro__[1], "_optimize_final_module")
    assert numba_inside.missing_names() == ["numba.core.codegen.JITCodeLibrary._optimize_final_module"]


@pytest.mark.parametrize("kind", NEEDED_FIELDS, ids=lambda kind: kind.__name__)
def test_fields(kind):
    gone = NEEDED_FIELDS[kind] - set(kind._fields)
    assert not gone, f"{kind.__module__}.{kind.__name__} has lost {gone}"


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (CFunc.__init__, ("self", "pyfunc", "sig", "locals", "options")),
        (caching._Cache.load_overload, ("self", "sig", "target_context")),
        (caching._Cache.save_overload, ("self", "sig", "data")),
        (compiler.CompileResult._reduce, ("self",)),
        (codegen.CPUCodeLibrary.__init__, ("self", "codegen", "name")),
        (codegen.JITCodeLibrary._optimize_final_module, ("self",)),
        (codegen.JITCodeLibrary._finalize_final_module, ("self",)),
        (NativeLowering.run_pass, ("self", "state")),
        (cpu_target.target_context.insert_user_function, ("func", "fndesc", "libs")),
        (cpu_target.target_context.declare_function, ("module", "fndesc")),
    ],
    ids=lambda value: getattr(value, "__qualname__", None),
)
def test_signature(function, arguments):
    has = tuple(inspect.signature(function).parameters)
    assert has[: len(arguments)] == arguments, f"{function.__qualname__} takes {has}, not {arguments}"
    optional = [p.default is not p.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in
                list(inspect.signature(function).parameters.values())[len(arguments):]]  # fmt: skip
    assert all(optional), f"{function.__qualname__} needs more than {arguments}: {has}"


def test_the_abstract_methods_of_a_cache_are_those_that_are_written():
    needed = set(caching._Cache.__abstractmethods__)
    assert needed == {"cache_path", "load_overload", "save_overload", "enable", "disable", "flush"}, (
        f"numba.core.caching._Cache wants {needed}"
    )


def test_one_pass_lowers():
    """`DefaultPassBuilder.define_nopython_pipeline` gives a list of (pass, why), NativeLowering once in it."""
    state = compiler.StateDict(flags=compiler.Flags(), func_ir=None)
    passes = compiler.DefaultPassBuilder.define_nopython_pipeline(state)
    assert isinstance(passes, PassManager), "define_nopython_pipeline gives no PassManager"
    assert sum(step is NativeLowering for step, why in passes.passes) == 1, "NativeLowering is not in Numba's pipeline once"
    (own,) = numba_inside.KernelPipeline.define_pipelines(type("Compiler", (), {"state": state}))
    assert sum(step is numba_inside.KernelLowering for step, why in own.passes) == 1
    assert not any(step is NativeLowering for step, why in own.passes)
    assert own.finalized, "PassManager.finalize does not set `finalized`"


def inner(x):
    return math.sqrt(x) + 1.0


def make(folder):
    return numba_inside.make_kernel(inner, {}, folder)


def entry_of(kernel):
    def entry(x):
        return kernel(x) * 2.0

    return entry


FLOAT_TO_FLOAT = float64(float64)


def call(entry, *numbers):
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(entry.address)(*numbers)


def test_a_kernel_is_a_dispatcher_with_a_cache_of_ours(tmp_path):
    """`njit(pipeline_class=..., no_cpython_wrapper=..., no_cfunc_wrapper=...)`, `__class__`, `_cache`, `py_func`."""
    kernel = make(tmp_path)
    assert isinstance(kernel, CPUDispatcher) and type(kernel) is numba_inside.Kernel, "njit makes no CPUDispatcher"
    assert kernel.py_func is inner
    assert kernel(4.0) == 3.0, "a kernel that Python calls is not compiled by its own __call__"
    assert isinstance(numba.typeof(kernel), types.Dispatcher) and numba.typeof(kernel).dispatcher is kernel


def test_a_kernel_is_intermediate_code_only(tmp_path, monkeypatch):
    """JITCodeLibrary: `_optimize_final_module` and `_finalize_final_module` are what optimises and makes executable, and a
    lowering with `no_compile` needs nothing else."""
    done = []
    for name in ("_optimize_final_module", "_finalize_final_module"):
        usual = getattr(codegen.JITCodeLibrary, name)
        monkeypatch.setattr(
            codegen.JITCodeLibrary, name, lambda self, name=name, usual=usual: (done.append(name), usual(self))[1]
        )
    kernel = make(tmp_path)
    kernel.compile((float64,))
    assert done == [], "a kernel goes through JITCodeLibrary's own"
    numba.njit(inner).compile((float64,))
    assert {"_optimize_final_module", "_finalize_final_module"} <= set(done), f"Numba's own functions go through {done} only"
    compiled = kernel.overloads[(float64,)]
    assert type(compiled.library) is numba_inside.KernelLibrary, "CompileResult.library is not the state's library"
    assert compiled.library._finalized, "CodeLibrary._finalized is not set when a kernel is complete"
    engine = cpu_target.target_context.codegen()._engine
    assert not engine.is_symbol_defined(compiled.fndesc.mangled_name), "a kernel was made executable"
    text = str(compiled.library._final_module)
    assert compiled.fndesc.mangled_name in text, "CodeLibrary._final_module does not hold the kernel"


def test_an_entry_point_links_and_calls_a_kernel(tmp_path):
    """CFunc, `add_linking_library` by way of `insert_user_function`, `active_code_library`."""
    entry = numba_inside.compile_entry(entry_of(make(tmp_path)), FLOAT_TO_FLOAT, tmp_path)
    assert call(entry, 9.0) == 8.0
    assert isinstance(entry.owner, CFunc) and entry.owner.address == entry.address


def test_kernels_and_entry_points_come_back_from_files(tmp_path):
    """`_reduce`, `_rebuild`, `compile_result`, `serialize`, bitcode, `cache_hits`, `stats`."""
    first = numba_inside.compile_entry(entry_of(make(tmp_path)), FLOAT_TO_FLOAT, tmp_path)
    assert not first.is_cached and first.file.is_file()
    second = numba_inside.compile_entry(entry_of(make(tmp_path)), FLOAT_TO_FLOAT, tmp_path)
    assert second.is_cached, "CFunc.compile does not ask its cache, or CompileResult._rebuild fails"
    assert call(second, 9.0) == 8.0

    second.file.unlink()
    kernel = make(tmp_path)
    third = numba_inside.compile_entry(entry_of(kernel), FLOAT_TO_FLOAT, tmp_path)
    assert not third.is_cached and call(third, 9.0) == 8.0
    assert sum(kernel.stats.cache_hits.values()) == 1, "a kernel does not come back from its bitcode"


def test_code_with_addresses_of_this_process_is_not_kept(tmp_path):
    """`CodeLibrary.has_dynamic_globals`."""

    def absolute(x):
        return _absolute(x)

    entry = numba_inside.compile_entry(absolute, types.int32(types.int32), tmp_path)
    assert ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(entry.address)(-7) == 7
    assert not list(tmp_path.rglob("*.code")), "has_dynamic_globals does not see an address of this process"


def test_division_by_zero_does_not_raise(tmp_path):
    """`error_model="numpy"` of CFunc and njit."""

    def divide(x):
        return 1.0 / x

    kernel = numba_inside.make_kernel(divide, {}, tmp_path)
    for function in (divide, entry_of(kernel)):
        assert call(numba_inside.compile_entry(function, FLOAT_TO_FLOAT, tmp_path), 0.0) == math.inf


def test_the_processor_is_described_the_same_each_time():
    described = cpu_target.target_context.codegen().magic_tuple()
    assert isinstance(described, tuple) and "0x" not in repr(described), f"magic_tuple gives {described!r}"
    assert repr(described) == repr(cpu_target.target_context.codegen().magic_tuple())


def test_signatures_come_apart():
    signature = types.void(int64, int64)
    assert signature.args == (int64, int64) and signature.return_type == types.void
    assert types.int64().args == ()
    assert sigutils.normalize_signature(signature) == ((int64, int64), types.void)
    assert sigutils.normalize_signature((int64,)) == ((int64,), None)


def test_pickles_come_back():
    value = (1, "name", types.Array(float64, 1, "C"))
    assert serialize.pickle.loads(memoryview(serialize.dumps(value))) == value
    assert serialize.dumps(value) == serialize.dumps(value), "the pickle of one value differs from time to time"


def first(table, value, unused):
    view(table, 2, int64)[0] = value


def second(table, value, unused):
    view(table, 2, int64)[1] = value


def test_addresses_of_kernels_as_c_functions(tmp_path):
    """Dispatcher.dispatcher, `declare_function`, `call_conv`."""
    kernels = tuple(numba_inside.make_kernel(function, {}, tmp_path) for function in (first, second, first))

    def fill(table):
        store_function_addresses(table, kernels)

    entry = numba_inside.compile_entry(fill, types.void(int64), tmp_path)
    table, words = (ctypes.c_int64 * 3)(), (ctypes.c_int64 * 2)()
    ctypes.CFUNCTYPE(None, ctypes.c_int64)(entry.address)(ctypes.addressof(table))
    for number, place in enumerate((0, 1, 0)):
        function = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(table[number])
        function(ctypes.addressof(words), 7 + number, 0)
        assert words[place] == 7 + number


def test_the_structure_of_an_array():
    """memory.py fills it field by field."""
    model = datamodel.default_manager.lookup(types.Array(float64, 1, "C"))
    assert set(model._fields) == {"meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides"}, (
        f"the structure of an array has the fields {model._fields}"
    )


def test_this_numba_was_tried():
    assert numba_versions.is_tried(numba.__version__), f"Numba {numba.__version__} is not in {numba_versions.RANGE}"
