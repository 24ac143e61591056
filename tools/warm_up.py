"""Compiling the engine's entry points ahead of time, in several processes, with a forecast of how long is left."""

import contextlib
import importlib
import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from scree.tools.places import cache_folder

_FIRST_GUESS = 2.0  # [s] for an entry point nobody has compiled here yet
RECORD = "compile_seconds.json"
SHIPPED = Path(__file__).with_name(RECORD)  # of some machine: on a first start better than no forecast
DONE = "warm.json"  # in the folder of the compiled code: written when all of it is there


class WarmUpFailed(Exception):
    """An entry point does not compile, or what is compiled cannot be kept; the message says which and why."""


@dataclass
class Forecast:
    """How long each entry point took to compile the last time, kept in the user's cache.

    Times in [s] of one processor, so that a record made on a busy machine is no worse.
    """

    file: Path
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def load(cls, file: Path | None = None, shipped: Path = SHIPPED) -> "Forecast":
        """The record kept in `file` over the one that is shipped; a file that cannot be read counts as empty."""
        file = file or cache_folder() / RECORD
        seconds: dict[str, float] = {}
        for source in (shipped, file):
            with contextlib.suppress(OSError, ValueError, AttributeError, TypeError):
                seconds |= {str(name): float(value) for name, value in json.loads(source.read_text()).items()}
        return cls(file, seconds)

    def expected(self, name: str) -> float:
        """How long `name` will take [s]: what it took last, else what the others took in the middle."""
        guess = statistics.median(self.seconds.values()) if self.seconds else _FIRST_GUESS
        return self.seconds.get(name, guess)

    def left(self, names: list[str], workers: int) -> float:
        """How long is left [s] when `names` are still to be done by `workers` processes at once."""
        times = [self.expected(name) for name in names]
        return max(sum(times) / max(workers, 1), max(times, default=0.0))

    def save(self) -> None:
        """Keep the record; replaced in one step."""
        unfinished = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        unfinished.write_text(json.dumps(self.seconds, indent=1, sort_keys=True))
        unfinished.replace(self.file)


@dataclass(frozen=True)
class Step:
    """One message of progress: what is done, what is being compiled, how long is left [s]."""

    done: int
    total: int
    running: tuple[str, ...]
    left: float
    finished: str = ""
    seconds: float = 0.0
    was_cached: bool = False


@dataclass(frozen=True)
class WarmUp:
    """The result of a warm-up. Times in [s]."""

    compiled: int
    loaded: int
    seconds: float
    processor_seconds: float  # of all processes


def _stop(problem: Exception) -> None:
    raise problem


def _make_ready(name: str) -> tuple[str, float, bool, str]:
    """In a worker process: compile or load one entry point; its name, seconds of processor time, if it was loaded, its file in
    the folder of compiled code. Raises CodeNotKept as soon as something cannot be kept: the rest would be in vain."""
    importlib.import_module("scree.entry_points")
    from scree.runtime import code_cache, code_files, kernel

    code_cache.CodeCache.on_not_kept = staticmethod(_stop)
    entry = next(entry for entry in kernel.registry() if entry.name == name)
    begin = time.process_time()
    _ = entry.address
    file = entry.code_file.relative_to(code_files.CACHE_FOLDER.parent).as_posix() if entry.code_file else ""
    return name, time.process_time() - begin, entry.is_cached, file


def _fingerprint() -> dict:
    """Everything that compiled code depends on besides the engine's sources, which name its folder."""
    import llvmlite.binding
    import numba

    return {"numba": numba.__version__, "cpu": llvmlite.binding.get_host_cpu_name()}


def _end(pool: ProcessPoolExecutor) -> None:
    """Stop the worker processes in the middle of what they do: a compilation may take a minute."""
    workers = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()


def is_in_library() -> bool:
    """Whether the core's library has every entry point of the engine, built from these sources."""
    from scree.runtime import core_library, kernel
    from scree.runtime.source_closure import is_of_engine

    if core_library.library() is None:
        return False
    importlib.import_module("scree.entry_points")
    own = [entry for entry in kernel.registry() if is_of_engine(entry.function.__module__)]
    return all(core_library.find(entry.name, entry.function, str(entry.signature)) for entry in own)


def is_warm() -> bool:
    """Whether everything is compiled for these sources: in the core's library, or for this Numba and this processor in files that
    are all whole."""
    if is_in_library():
        return True
    from scree.runtime import code_files

    try:
        record = json.loads((code_files.CACHE_FOLDER / DONE).read_text())
        needed = {code_files.CACHE_FOLDER.parent / name for name in record.pop("files")}
        if record != _fingerprint():
            return False
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    return needed <= set(code_files.files()) and not code_files.damaged_files()


def _note_warm(files: list[str]) -> None:
    """Note that everything is compiled, in these files."""
    from scree.runtime import code_files

    unfinished = code_files.CACHE_FOLDER / f"{DONE}.{os.getpid()}"
    try:
        code_files.CACHE_FOLDER.mkdir(mode=0o755, exist_ok=True)
        unfinished.write_text(json.dumps({**_fingerprint(), "files": sorted(filter(None, files))}))
        unfinished.replace(code_files.CACHE_FOLDER / DONE)
    except OSError:  # a cache that may only be read is complete all the same
        return


def warm_up(report: Callable[[Step], None] = lambda step: None, workers: int | None = None) -> WarmUp:
    """Compile or load every entry point of the engine in `workers` processes (as many as cores where not given); what is damaged
    is made anew.

    Numba compiles one function at a time in a process, hence processes. Raises WarmUpFailed.
    """
    begin = time.perf_counter()
    try:
        importlib.import_module("scree.entry_points")
    except Exception as error:
        raise WarmUpFailed(f"the engine cannot be imported: {type(error).__name__}: {error}") from error
    from scree.runtime import kernel
    from scree.runtime.code_files import CodeNotKept, lack_of_room, remove_damaged

    remove_damaged()
    if problem := lack_of_room():
        raise WarmUpFailed(problem)
    names = [entry.name for entry in kernel.registry()]
    forecast = Forecast.load()
    # Taken from the end: first what nobody has timed yet, then the longest.
    waiting = sorted(names, key=lambda name: forecast.seconds.get(name, float("inf")))
    workers = max(1, min(workers or os.cpu_count() or 1, len(names)))
    compiled = loaded = 0
    worked, files = 0.0, []
    all_of_it = forecast.left(names, workers)

    def left(unfinished: list[str]) -> float:
        """The forecast, slowed down by as much as the work so far was slower than its own."""
        share, passed = forecast.left(unfinished, workers), time.perf_counter() - begin
        foreseen = max(all_of_it - share, 1.0)
        return share * max(1.0, passed / foreseen if passed > 5.0 else 1.0)

    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        running: dict = {}
        while waiting or running:
            while waiting and len(running) < workers:
                name = waiting.pop()
                running[pool.submit(_make_ready, name)] = name
            unfinished = [*waiting, *running.values()]
            report(Step(len(names) - len(unfinished), len(names), tuple(running.values()), left(unfinished)))
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                name = running.pop(future)
                try:
                    _, seconds, was_cached, file = future.result()
                except CodeNotKept as error:
                    _end(pool)
                    raise WarmUpFailed(str(error)) from error
                except Exception as error:
                    pool.shutdown(cancel_futures=True)
                    raise WarmUpFailed(f"{name} does not compile: {type(error).__name__}: {error}") from error
                files.append(file)
                compiled, loaded, worked = compiled + (not was_cached), loaded + was_cached, worked + seconds
                if not was_cached:
                    forecast.seconds[name] = round(seconds, 3)
                    with contextlib.suppress(OSError):
                        forecast.save()
                unfinished = [*waiting, *running.values()]
                report(
                    Step(
                        len(names) - len(unfinished),
                        len(names),
                        tuple(running.values()),
                        left(unfinished),
                        name,
                        seconds,
                        was_cached,
                    )
                )
    _note_warm(files)
    return WarmUp(compiled, loaded, time.perf_counter() - begin, worked)
