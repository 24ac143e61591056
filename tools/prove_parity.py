"""Long checks of the behaviour tests in tests/godot: that they notice every virtual that is taken away, and who passes what."""

import datetime
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

from scree.tools.find_godot import Godot
from scree.tools.places import checkout
from scree.tools.prove import Outcome, check

FIRST_TESTS, MORE_TESTS = 6, 60
"""How many of the tests that call a virtual are run without it: first those that call the fewest others."""
LONGEST_RUN = 120.0  # [s]
WITH_THREAD = "3d/run_on_separate_thread=true"
NEEDS_THREAD = ("PhysicsServer3DExtension._sync",)
"""It has something to do only when the step runs beside the main thread."""
# What no test can notice, and why.
UNNOTICEABLE = {
    "PhysicsServer3DExtension._shape_get_custom_solver_bias": "nothing in Godot calls it",
    "PhysicsServer3DExtension._body_set_user_flags": "nothing in Godot calls it",
    "PhysicsServer3DExtension._body_get_user_flags": "nothing in Godot calls it",
    "PhysicsServer3DExtension._body_set_contacts_reported_depth_threshold": "nothing in Godot calls it",
    "PhysicsServer3DExtension._body_get_contacts_reported_depth_threshold": "nothing in Godot calls it",
    "PhysicsServer3DExtension._joint_make_hinge_simple": "nothing in Godot calls it",
    "PhysicsServer3DExtension._custom_shape_create": "answers the null RID anyway, with an error: test_bad_input_tables.gd",
    "PhysicsServer3DExtension._end_sync": "has nothing to do",
    "PhysicsServer3DExtension._finish": "what was not freed is told at the end: tests/godot_bridge/test_in_godot.py",
    "PhysicsServer3DExtension._space_set_debug_contacts": "only drawn: tests/godot_bridge/test_debug_contacts.py",
    "PhysicsServer3DExtension._space_get_contacts": "only drawn: tests/godot_bridge/test_debug_contacts.py",
    "PhysicsServer3DExtension._space_get_contact_count": "only drawn: tests/godot_bridge/test_debug_contacts.py",
}
WORDS = {"pass": "passes", "FAIL": "fails", "crash": "crashes"}
REMOVAL_DOCUMENT, ENGINES_DOCUMENT = "parity_by_removal.md", "behaviour_tests.md"


def behaviour_module() -> ModuleType:
    """tests/godot/behaviour.py of the checkout. Raises FileNotFoundError where there is none."""
    root = checkout()
    if root is None:
        raise FileNotFoundError("the behaviour tests are in the checkout, not in the installed package")
    folder = str(root / "tests" / "godot")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import behaviour

    return behaviour


def all_names(behaviour: ModuleType) -> list[str]:
    return behaviour.test_names() + behaviour.test_names(bad_input=True)


def recorded_calls(behaviour: ModuleType, godot: Godot, settings: str = "") -> dict[str, dict[str, int]]:
    """How often each test calls each virtual, from one run of all of them."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calls.json"
        behaviour.run(godot, behaviour.SCREE, all_names(behaviour), environment={"SCREE_RECORD_VIRTUALS": str(file)},
                      settings=settings)  # fmt: skip
        return json.loads(file.read_text())


def order_of_tests(calls: dict[str, dict[str, int]], virtual: str) -> list[str]:
    """The tests that call a virtual; those that call the fewest others first."""
    others: dict[str, int] = {}
    for tests in calls.values():
        for test in tests:
            others[test] = others.get(test, 0) + 1
    return sorted((test for test in calls[virtual] if test), key=lambda test: (others[test], test))


def noticed_by(behaviour: ModuleType, godot: Godot, virtual: str, tests: list[str], settings: str = "") -> str:
    """Which of the tests fails without a virtual, or how the end of the run tells; empty if none does."""
    report = behaviour.run(godot, behaviour.SCREE, tests, LONGEST_RUN, {"SCREE_REMOVE_VIRTUAL": virtual}, settings, True)
    for name, outcome in report.outcomes.items():
        # Tests of bad input print errors in any case.
        if outcome.ended in ("FAIL", "crash") or (outcome.errors and not name.startswith(behaviour.BAD_INPUT)):
            return name
    if any(outcome.ended == "not run" for outcome in report.outcomes.values()):
        return "the run did not end"
    if "leaked" in report.tail or "ERROR" in report.tail or report.returncodes != [0]:
        return "the end of the run: something leaks"
    return ""


def try_without(behaviour: ModuleType, godot: Godot, calls: dict[str, dict[str, int]], virtual: str, settings: str = "") -> str:
    """The first test that notices that a virtual is gone; empty if none does."""
    tests = order_of_tests(calls, virtual) or behaviour.test_names()[:1]
    for batch in (tests[:FIRST_TESTS], tests[FIRST_TESTS:MORE_TESTS], tests[MORE_TESTS:]):
        found = noticed_by(behaviour, godot, virtual, batch, settings) if batch else ""
        if found:
            return found
    return ""


def removal_document(noticed: dict[str, str], survivors: list[str], count: int) -> str:
    """docs/parity_by_removal.md."""
    lines = [
        "# Every virtual, taken away", "",
        "Made by `scree prove parity_by_removal`; do not edit it. Each virtual of Godot's three physics classes, but those of",
        "soft bodies, is replaced by one that does nothing and answers zero (`SCREE_REMOVE_VIRTUAL`,",
        "engine_core/godot/virtual_trials.py). Then the behaviour tests that call it are run in real Godot, those that call the",
        "fewest others first, until one fails.", "",
        f"Date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d}. Virtuals: {count}. Noticed: {len(noticed)}. Not noticed:"
        f" {len(survivors)}. Not to be noticed by any test: {len(UNNOTICEABLE)}.", "",
    ]  # fmt: skip
    lines += [f"- not noticed: `{name}`" for name in survivors] + ([""] if survivors else [])
    lines += ["| virtual | why no test can notice |", "| --- | --- |"]
    lines += [f"| `{name.split('.')[1]}` | {why} |" for name, why in UNNOTICEABLE.items()]
    lines += ["", "| virtual | the first test that fails without it |", "| --- | --- |"]
    lines += [f"| `{name.split('.')[1]}` | {test} |" for name, test in sorted(noticed.items())]
    return "\n".join(lines) + "\n"


def write_document(name: str, text: str) -> None:
    root = checkout()
    if root is not None:
        (root / "docs" / name).write_text(text, encoding="utf-8")


@check("each virtual in turn answers zero, and some behaviour test fails; writes docs/parity_by_removal.md")
def parity_by_removal(godot: Godot, project: Path) -> Outcome:
    """No virtual can be lost without a behaviour test that says so."""
    return by_removal(godot)


def by_removal(godot: Godot, only: Iterable[str] = ()) -> Outcome:
    """`parity_by_removal`, of the virtuals whose name holds one of `only`; then nothing is written."""
    behaviour = behaviour_module()
    calls = recorded_calls(behaviour, godot)
    threaded = recorded_calls(behaviour, godot, WITH_THREAD)
    chosen = [name for name in calls if "._soft_body_" not in name and name not in UNNOTICEABLE]
    chosen = [name for name in chosen if not only or any(part in name for part in only)]

    def try_one(name: str) -> str:
        settings = WITH_THREAD if name in NEEDS_THREAD else ""
        return try_without(behaviour, godot, threaded if settings else calls, name, settings)

    noticed, survivors = {}, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each waits for a Godot of its own
        for name, tried in [(name, pool.submit(try_one, name)) for name in chosen]:
            failure = tried.exception()
            if failure is None and tried.result():
                noticed[name] = tried.result()
            else:  # a run that failed has noticed nothing
                survivors.append(name)
            print(f"  {name}: {failure or noticed.get(name, 'NOT NOTICED')}", flush=True)
    if not only:
        write_document(REMOVAL_DOCUMENT, removal_document(noticed, survivors, len(chosen) + len(UNNOTICEABLE)))
    lost = ", ".join(survivors) or "none"
    figures = f"{len(noticed)} of {len(chosen)} virtuals are noticed when they are gone; not noticed: {lost}"
    return Outcome(figures, not survivors)


# --- who passes what ---


def reason_of(outcome) -> str:
    """The first thing that a failed test said."""
    said = (line.strip() for line in outcome.lines if re.match(r"    [^ \[]", line))
    return next((line for line in said if "at:" not in line and "backtrace" not in line), outcome.ended)


def renewed_failures(known: dict[str, str], outcomes: dict) -> dict[str, str]:
    """Failures of an engine by test, with the reasons that were written down; what is new has what the test said."""
    failed = {name: outcome for name, outcome in sorted(outcomes.items()) if outcome.ended != "pass"}
    return {name: known.get(name) or reason_of(outcome) for name, outcome in failed.items()}


def engines_document(reports: dict[str, object]) -> str:
    """docs/behaviour_tests.md."""
    engines = list(reports)
    outcomes = {engine: report.outcomes for engine, report in reports.items()}
    names = list(outcomes[engines[0]])
    files = sorted({name.split(".")[0] for name in names})
    row = "| " + " | ".join(["---"] * (2 + len(engines))) + " |"
    lines = [
        "# Who passes which behaviour tests", "",
        "Made by `scree prove behaviour_on_all_engines`; do not edit it. The tests are GDScript in `tests/godot/gd`, run in real",
        "Godot; what they expect comes from mechanics or from Godot's documentation. Why an engine fails one is written in",
        "`tests/godot/known_failures.json`.", "",
        f"Date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d}.", "",
        "| file | tests | " + " | ".join(engines) + " |", row,
    ]  # fmt: skip
    for file in [*files, "all"]:
        own = [name for name in names if file == "all" or name.split(".")[0] == file]
        passed = [str(sum(outcomes[engine][name].ended == "pass" for name in own)) for engine in engines]
        lines.append(f"| {file} | {len(own)} | {' | '.join(passed)} |")
    lines += ["", "Tests that some engine fails:", ""]
    lines += ["| test | " + " | ".join(engines) + " |", row.replace("| --- ", "", 1)]
    for name in names:
        marks = [WORDS.get(outcomes[engine][name].ended, "not run") for engine in engines]
        if set(marks) != {"passes"}:
            lines.append(f"| {name} | {' | '.join(marks)} |")
    return "\n".join(lines) + "\n"


@check("all behaviour tests on Scree, Jolt and GodotPhysics3D; writes docs/behaviour_tests.md and known_failures.json")
def behaviour_on_all_engines(godot: Godot, project: Path) -> Outcome:
    """Scree passes every behaviour test; the table says what the others do."""
    behaviour = behaviour_module()
    reports = {}
    for engine in (behaviour.SCREE, behaviour.JOLT, behaviour.GODOT_PHYSICS):
        reports[engine] = behaviour.run(godot, engine, behaviour.test_names(), timeout=900.0)
        if reports[engine].server_class != behaviour.SERVER_CLASS[engine]:
            return Outcome(f"{engine}: another engine ran: {reports[engine].server_class or reports[engine].tail}", False)
    file = behaviour.FOLDER / "known_failures.json"
    known = json.loads(file.read_text(encoding="utf-8"))
    renewed = {engine: renewed_failures(known.get(engine, {}), report.outcomes) for engine, report in reports.items()}
    failed = {engine: tests for engine, tests in renewed.items() if tests}
    file.write_text(json.dumps(failed, indent=2) + "\n", encoding="utf-8")
    write_document(ENGINES_DOCUMENT, engines_document(reports))
    total = len(reports[behaviour.SCREE].outcomes)
    figures = ", ".join(f"{engine} {total - len(tests)} of {total}" for engine, tests in renewed.items())
    return Outcome(figures, not renewed[behaviour.SCREE])
