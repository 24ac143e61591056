"""A plugin of pytest for runs on another system (`scree prove platform_tests`): leaves out tests that need Godot, a quiet
machine, or Numba where that is not there, and those that take too long on an emulated processor; the tools are imported from the
checkout."""

import errno
import functools
import importlib.util
import platform
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

import scree
from scree.runtime.kernel import CannotCompile

TOOLS = Path(__file__).resolve().parents[1] / "tools"


def _find_tools() -> None:
    """Let `scree.tools` be imported from the checkout, as from an installed package."""
    if importlib.util.find_spec("scree.tools") is None:
        init, folders = TOOLS / "__init__.py", [str(TOOLS)]
        spec = importlib.util.spec_from_file_location("scree.tools", init, submodule_search_locations=folders)
        sys.modules["scree.tools"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


_find_tools()

FIXTURES = {"godot", "project"}
COMPILER = "numba"
LONGEST, AGAIN = 5.0, 0.01
"""A test that takes more of an emulated processor's time than the first [s] is left out: some would take an hour, all of them
most of a day. It is ended where it is outside of the engine, looked for at intervals of the second [s]: half an edit would leave
the world damaged for later tests."""
ENGINE, TESTS = str(Path(scree.__file__).parent), str(Path(__file__).parent)
IS_EMULATED = platform.machine() == "aarch64"
RAN_OUT = pytest.StashKey[bool]()
"""Whether an item took more than `LONGEST`. Hypothesis may tell that as a fault of another kind."""


class TakesTooLong(BaseException):  # hypothesis would take an Exception for a failure, and look for a simpler one
    """A test has taken more than `LONGEST`."""


@functools.cache
def _is_there(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def _why_not(item: pytest.Item) -> str:
    if FIXTURES & set(getattr(item, "fixturenames", ())):
        return "it runs Godot, which has no build here"
    if item.get_closest_marker("alone"):
        return "it measures time"
    absent = [name for mark in item.iter_markers("needs") for name in mark.args if not _is_there(name)]
    return f"it needs {', '.join(absent)}" if absent else ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if why := _why_not(item):
            item.add_marker(pytest.mark.skip(reason=why))


def _what_is_absent(error: BaseException | None) -> str:
    """The thing that is absent according to an error, or to its cause; empty if it says something else."""
    if error is None:
        return ""
    if isinstance(error, CannotCompile) or (isinstance(error, ModuleNotFoundError) and error.name == COMPILER):
        return "" if _is_there(COMPILER) else COMPILER
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        return "a second process under the emulator"
    if isinstance(error, BaseExceptionGroup):
        absent = list(map(_what_is_absent, error.exceptions))
        return absent[0] if all(absent) else ""
    return _what_is_absent(error.__cause__)


def _leave_out(report: pytest.CollectReport | pytest.TestReport, path: object, absent: str) -> None:
    report.outcome = "skipped"
    report.longrepr = (str(path), 0, f"Skipped: it needs what is not there: {absent}")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    if report.outcome == "failed" and f"No module named {COMPILER!r}" in str(report.longrepr) and not _is_there(COMPILER):
        _leave_out(report, collector.path, COMPILER)
    return report


def is_in_engine(frame: FrameType | None) -> bool:
    """Whether a test has called the engine and waits for it, where `frame` runs."""
    while frame is not None and not frame.f_code.co_filename.startswith(TESTS):
        if frame.f_code.co_filename.startswith(ENGINE):
            return True
        frame = frame.f_back
    return False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    if not IS_EMULATED:
        return (yield)

    def end_test(number: int, frame: FrameType | None) -> None:
        if is_in_engine(frame):
            signal.setitimer(signal.ITIMER_PROF, AGAIN)
            return
        item.stash[RAN_OUT] = True
        raise TakesTooLong

    signal.signal(signal.SIGPROF, end_test)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = yield
    absent = ""
    if call.excinfo is not None:
        ran_out = item.stash.get(RAN_OUT, False)
        absent = f"more time than {LONGEST:g} s under the emulator" if ran_out else _what_is_absent(call.excinfo.value)
    if absent:
        _leave_out(report, item.path, absent)
    return report
