"""Linking the intermediate code of all entry points to one module, optimising it as Numba does, and making a library of it.

Everything but the entry points is internal to the module, so that each function is optimised and written once.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm

from scree.runtime.core_library import FORMAT, is_sealed, seal, symbol_of
from scree.tools.lower_core import CoreNotBuilt, Lowered
from scree.tools.places import cache_folder

COUNTING = {"NRT_incref", "NRT_decref"}
"""Functions that Numba has compiled for this processor before they are linked; those of `platform.c` take their place."""
WRAPPER = "cfunc."
"""The beginning of Numba's name of a function with C's calling convention; the rest is the name of the function it calls."""
ADDRESS = "numba.dynamic.globals."
"""The beginning of Numba's names of addresses in code, as those of functions of `ctypes`: they hold in one process only."""
PLATFORM = Path(__file__).parent / "core" / "platform.c"


@dataclass(frozen=True)
class Target:
    """A system and a processor that the library is made for: LLVM's name of it, the least processor, and Zig's name of it."""

    triple: str
    processor: str
    zig: str


TARGETS = {
    # v3: the oldest processors with a fused multiplication and addition in eight lanes; without, the solver is 5 times slower.
    ("linux", "x86_64"): Target("x86_64-unknown-linux-gnu", "x86-64-v3", "x86_64-linux-gnu.2.28"),
    ("linux", "arm64"): Target("aarch64-unknown-linux-gnu", "generic", "aarch64-linux-gnu.2.28"),
    ("windows", "x86_64"): Target("x86_64-pc-windows-gnu", "x86-64-v3", "x86_64-windows-gnu"),
    ("macos", "x86_64"): Target("x86_64-apple-macosx12.0.0", "x86-64-v3", "x86_64-macos.12.0"),
    ("macos", "arm64"): Target("arm64-apple-macosx12.0.0", "apple-m1", "aarch64-macos.12.0"),
}


def _link(lowered: Sequence[Lowered], target: Target, machine: llvm.TargetMachine) -> llvm.ModuleRef:
    """One module with all entry points under their names in the library."""
    layout = str(machine.target_data)
    whole = llvm.parse_assembly(f'target triple = "{target.triple}"\ntarget datalayout = "{layout}"\n')
    entries = set()
    for entry in lowered:
        module = llvm.parse_bitcode(entry.bitcode)
        module.triple, module.data_layout = target.triple, layout
        name = symbol_of(entry.name)
        if name in entries:
            raise CoreNotBuilt(f"two entry points would be called {name} in the library")
        entries.add(name)
        if any(each.name.startswith(ADDRESS) for each in module.global_variables):
            raise CoreNotBuilt(f"{entry.name} holds an address of the process that compiled it")
        module.get_function(entry.function).name = name
        # Two processes may give the insides of two entry points one name, if one function declares both.
        module.get_function(entry.function.removeprefix(WRAPPER)).name = f"{name}.inside"
        for function in module.functions:
            if not function.is_declaration and function.name != name:
                function.linkage = llvm.Linkage.linkonce_odr  # the same kernel comes with each of its callers
        whole.link_in(module)
    for function in whole.functions:
        if not function.is_declaration and function.name in COUNTING:
            function.linkage = llvm.Linkage.available_externally
        elif not function.is_declaration and function.name in entries:
            function.linkage = llvm.Linkage.external
            if target.triple.endswith("windows-gnu"):
                function.storage_class = llvm.StorageClass.dllexport
        elif not function.is_declaration:
            function.linkage = llvm.Linkage.internal
    for variable in whole.global_variables:
        if not variable.is_declaration and variable.linkage != llvm.Linkage.private:
            variable.linkage = llvm.Linkage.internal
    whole.verify()
    return whole


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Numba's two sequences of passes: a short one without vectorising, then the usual one."""
    for level, vectorise, first in ((0, False, True), (3, True, False)):
        tuning = llvm.create_pipeline_tuning_options(speed_level=level)
        tuning.loop_vectorization, tuning.slp_vectorization = vectorise, False
        builder = llvm.create_pass_builder(machine, tuning)
        passes = builder.getModulePassManager()
        if first:
            passes.add_loop_rotate_pass()
            passes.add_instruction_combine_pass()
            passes.add_jump_threading_pass()
        passes.add_refprune_pass()
        passes.run(module, builder)


def machine_code(lowered: Sequence[Lowered], target: Target) -> tuple[bytes, list[str]]:
    """An object file with all entry points, and the names of what it needs from outside."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.processor, opt=3, reloc="pic", codemodel="default"
    )
    module = _link(lowered, target, machine)
    _optimise(module, machine)
    needed = [function.name for function in module.functions if function.is_declaration]
    return machine.emit_object(module), sorted(name for name in needed if not name.startswith("llvm."))


def table(entries: dict[str, str], build_id: str) -> str:
    """The C source of the table that `core_library.py` reads: the hash of the sources of each entry point."""
    text = json.dumps({"format": FORMAT, "id": build_id, "entries": entries})
    rows = "\n".join(f"  {json.dumps(text[at : at + 100])}" for at in range(0, len(text), 100))
    export = '#ifdef _WIN32\n__declspec(dllexport)\n#else\n__attribute__((visibility("default")))\n#endif\n'
    return f"{export}const char scree_core_table[] =\n{rows};\n"


def make_library(lowered: Sequence[Lowered], entries: dict[str, str], build_id: str, target: Target, output: Path) -> list[str]:
    """Make the library `output` for a target; it appears whole or not at all. Returns the names of what it needs from the
    system's libraries. Raises CoreNotBuilt."""
    code, needed = machine_code(lowered, target)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent) as made:
        folder = Path(made)
        (folder / "core.o").write_bytes(code)
        (folder / "table.c").write_text(table(entries, build_id))
        command = [sys.executable, "-m", "ziglang", "cc", "-target", target.zig, "-O2", "-shared", "-s", "-Wall", "-Wextra"]
        command += [] if "windows" in target.zig else ["-fPIC", "-fvisibility=hidden"]
        command += [str(PLATFORM), str(folder / "table.c"), str(folder / "core.o"), "-o", str(folder / output.name)]
        command += ["-lm"] if "linux" in target.zig else []
        environment = {"ZIG_LOCAL_CACHE_DIR": str(cache_folder() / "zig"), **os.environ}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            missing = re.findall(r"undefined symbol: (\S+)", done.stderr)
            raise CoreNotBuilt(f"the library cannot be linked: {', '.join(missing) or done.stderr[-2000:]}")
        made_library = folder / output.name
        if is_sealed(made_library):
            content = made_library.read_bytes()
            made_library.write_bytes(content + seal(content))
        made_library.replace(output)
    return needed
