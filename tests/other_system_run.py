"""A plugin of pytest for runs on another system (`scree prove platform_tests`): leaves out tests that need Godot, a quiet
machine, or Numba where that is not there; the tools are imported from the checkout."""

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
COMPILER = "numba"


def _why_not(item: pytest.Item) -> str:
    if FIXTURES & set(getattr(item, "fixturenames", ())):
        return "it runs Godot, which has no build here"
    if item.get_closest_marker("alone"):
        return "it measures time"
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if why := _why_not(item):
            item.add_marker(pytest.mark.skip(reason=why))


def _lacks_compiler(error: BaseException | None) -> bool:
    """Whether an error, or one that it comes from, says that there is nothing that compiles."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, CannotCompile) or isinstance(error, ModuleNotFoundError) and error.name == COMPILER:
            return True
        if isinstance(error, BaseExceptionGroup):
            return all(map(_lacks_compiler, error.exceptions))
        error = error.__cause__ or error.__context__
    return False


def _leave_out(report: pytest.CollectReport | pytest.TestReport, path: object) -> None:
    report.outcome = "skipped"
    report.longrepr = (str(path), 0, "Skipped: it calls a function that is in no library, and Numba is not there")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    if report.outcome == "failed" and f"No module named {COMPILER!r}" in str(report.longrepr):
        _leave_out(report, collector.path)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = yield
    if call.excinfo is not None and _lacks_compiler(call.excinfo.value):
        _leave_out(report, item.path)
    return report
