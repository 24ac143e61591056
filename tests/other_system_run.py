"""A plugin of pytest for runs on another system (`scree prove platform_tests`): leaves out tests that need Godot, a quiet
machine, or Numba where that is not there; the tools are imported from the checkout."""

import errno
import functools
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

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
ABSENT = ("numba", "resource", "pwd", "matplotlib", "mypy")
"""Modules that another system may lack: Numba, POSIX's limits and users, packages for pictures and types."""


@functools.cache
def _has_command_line() -> bool:
    try:
        importlib.import_module("pydantic_core")  # typer uses it; it needs a Windows that is newer than Debian 12's wine
    except ImportError:
        return False
    return True


def _why_not(item: pytest.Item) -> str:
    if FIXTURES & set(getattr(item, "fixturenames", ())):
        return "it runs Godot, which has no build here"
    if item.get_closest_marker("alone"):
        return "it measures time"
    if hasattr(item, "module") and hasattr(item.module, "CliRunner") and not _has_command_line():
        return "it runs a command, and a package for commands does not load here"
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if why := _why_not(item):
            item.add_marker(pytest.mark.skip(reason=why))


def _what_is_absent(error: BaseException | None) -> str:
    """The thing that is absent according to an error, or to one that it comes from; empty if it says something else."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, CannotCompile):
            return ABSENT[0]
        if isinstance(error, ModuleNotFoundError) and error.name in ABSENT:
            return error.name
        if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
            return "a second process under the emulator"
        if isinstance(error, BaseExceptionGroup):
            absent = list(map(_what_is_absent, error.exceptions))
            return absent[0] if all(absent) else ""
        error = error.__cause__ or error.__context__
    return ""


def _leave_out(report: pytest.CollectReport | pytest.TestReport, path: object, absent: str) -> None:
    report.outcome = "skipped"
    report.longrepr = (str(path), 0, f"Skipped: it needs what is not there: {absent}")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    absent = next((name for name in ABSENT if f"No module named {name!r}" in str(report.longrepr)), "")
    if report.outcome == "failed" and absent:
        _leave_out(report, collector.path, absent)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = yield
    absent = _what_is_absent(call.excinfo.value) if call.excinfo is not None else ""
    if absent:
        _leave_out(report, item.path, absent)
    return report
