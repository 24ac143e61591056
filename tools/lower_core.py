"""Translating every entry point of the engine to LLVM's intermediate code, once for all systems and processors."""

import importlib
import multiprocessing
import os
import pickle
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass

from scree.runtime.portable_code import PORTABLE


class CoreNotBuilt(Exception):
    """The core's library cannot be built; the message says why."""


@dataclass(frozen=True)
class Lowered:
    """An entry point as intermediate code: its name, LLVM's bitcode of it and all that it calls, and the name in there of its
    function with C's calling convention."""

    name: str
    bitcode: bytes
    function: str


def _lower(name: str) -> bytes:
    """In a worker process: translate one entry point; pickled."""
    importlib.import_module("scree.entry_points")
    from scree.runtime import kernel

    return translated(next(entry for entry in kernel.registry() if entry.name == name), name)


def translated(entry, name: str) -> bytes:
    """In a worker process: translate an entry point, which is to be called `name`; pickled."""
    from scree.runtime import kernel_compiler, numba_inside
    from scree.runtime.code_files import cache_folder_of

    signature = kernel_compiler.numba_signature(entry.signature)
    bitcode, function = numba_inside.lower_entry(entry.function, signature, cache_folder_of(entry.function.__module__))
    return pickle.dumps(Lowered(name, bytes(bitcode), function))


def lower(
    names: Iterable[str], report: Callable[[int, str], None] = lambda done, name: None, workers: int | None = None,
    translate: Callable[[str], bytes] = _lower,
) -> list[Lowered]:  # fmt: skip
    """Translate entry points, by their names, in `workers` processes (as many as cores where not given); sorted by name. What was
    translated before and has not changed comes from the cache of compiled code. `report` gets the number done and the last name.
    `translate` does one of them in a worker process: by default one of the engine. Raises CoreNotBuilt."""
    done: list[Lowered] = []
    os.environ[PORTABLE] = "1"  # for the worker processes, which are spawned
    try:
        with ProcessPoolExecutor(workers or os.cpu_count(), mp_context=multiprocessing.get_context("spawn")) as pool:
            running = {pool.submit(translate, name): name for name in names}
            while running:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    name = running.pop(future)
                    try:
                        done.append(pickle.loads(future.result()))
                    except Exception as error:
                        pool.shutdown(cancel_futures=True)
                        raise CoreNotBuilt(f"{name} cannot be translated: {type(error).__name__}: {error}") from error
                    report(len(done), name)
    finally:
        del os.environ[PORTABLE]
    return sorted(done, key=lambda lowered: lowered.name)
