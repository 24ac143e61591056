"""The sub-commands of `scree`. Each is a few lines over functions that are tested elsewhere."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
import typer.core
from rich.table import Table

from scree.tools import install_addon, places, scenes, shipping_commands, show
from scree.tools.command_console import EXPECTED, console, fail, godot_at_hand, plain, say_error

NO_TESTS = 5
"""The exit code of pytest if it found no tests."""
MOST_TEST_PROCESSES = 4
"""Processes in which `scree test` runs tests: most of them step worlds with several threads of their own."""


class _Commands(typer.core.TyperGroup):
    """The list of commands with the first sentence of each, which Click would cut off at the end of a line. A wrong argument is
    told in one line."""

    def main(self, *arguments, standalone_mode: bool = True, **options):
        if not standalone_mode:
            return super().main(*arguments, standalone_mode=False, **options)
        try:
            sys.exit(super().main(*arguments, standalone_mode=False, **options))
        except typer.Abort:
            say_error("ended by the user")
            sys.exit(1)
        except Exception as error:
            if not hasattr(error, "format_message"):  # Click's, which Typer brings under several names
                raise
            if "NoArgs" in type(error).__name__:
                error.show()  # the list of commands
            else:
                say_error(_wrong_argument(error))
            sys.exit(error.exit_code)

    def format_commands(self, ctx: typer.Context, formatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_sentence(self.commands[name].help or "")) for name in self.list_commands(ctx)])


def _wrong_argument(error: Exception) -> str:
    """One line about an argument that a command does not take, or lacks."""
    context = getattr(error, "ctx", None)
    command = [context.info_name] if context is not None and context.parent is not None else []
    message = error.format_message().rstrip(".")
    return f"{': '.join([*command, message[0].lower() + message[1:]])}; see `{' '.join(['scree', *command, '--help'])}`"


def _first_sentence(text: str) -> str:
    words = " ".join(text.split())
    return re.split(r"(?<=\.) (?=[A-Z])", words)[0]


application = typer.Typer(
    name="scree", cls=_Commands, add_completion=False, no_args_is_help=True, rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Scree, a 3D physics server for Godot 4 written in Python.",
)  # fmt: skip


class _PassOn(typer.core.TyperCommand):
    """A command whose arguments all go to another program, as they are: Click would swallow a `--`."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        ctx.args = list(args)
        return ctx.args


def main() -> None:
    """The entry of the script and the console command. One line tells of a full disk or a folder that may not be written to."""
    try:
        application()
    except OSError as error:
        if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
            message = error.args[0][0][2]  # of a folder that was copied: (from, to, why) of each file
        else:
            message = f"{error.strerror}: {error.filename}" if error.filename else error.strerror or error
        say_error(message)
        sys.exit(1)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        plain(f"Scree {importlib.metadata.version('scree-physics')}")
        raise typer.Exit()


@application.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Scree, a 3D physics server for Godot 4 written in Python."""


def _warm_up() -> None:
    from scree.runtime.cache_folder import CacheRefused
    from scree.tools import warm_up

    try:
        if warm_up.is_warm():
            return
        with show.compiling(console) as report:
            result = warm_up.warm_up(report)
    except (warm_up.WarmUpFailed, CacheRefused) as error:
        fail(error)
    console.print(
        f"Compiled {result.compiled} entry points ({result.loaded} were there) in {result.seconds:.0f} s, "
        f"{result.processor_seconds:.0f} s of processor time"
    )


def _project(name: str) -> Path:
    """A fresh copy of the demo project with the addon, beside the output."""
    return scenes.copy_demo_project(places.output_folder(name) / "project")


@application.command()
def demo(
    scene: Annotated[list[str] | None, typer.Argument(help="Scenes; all demo scenes where none is named.")] = None,
    pictures: Annotated[bool, typer.Option(help="Also draw a picture of each scene.")] = True,
    all_pictures: Annotated[bool, typer.Option("--all-pictures", help="Draw several moments of each scene.")] = False,
) -> None:
    """Run the demo scenes in Godot on Scree, print their figures and draw them."""
    from scree.tools import demo as demo_runs

    godot = godot_at_hand()
    _warm_up()
    try:
        chosen = scenes.named_scenes(scene or [], "demo")
        project = _project("demo")
        done = []
        for figures in demo_runs.figures(godot, project, chosen):
            plain("; ".join((f"{figures.scene}: {figures.ticks} ticks done", *figures.missed())))
            done.append(figures)
    except EXPECTED as error:
        fail(error)
    console.print(show.demo_table(done))
    if pictures:
        folder = places.output_folder("demo")
        drawn = demo_runs.pictures(godot, project, chosen if all_pictures else demo_runs.covers(chosen), folder, plain)
        plain(f"{len(drawn)} pictures are in {folder}")


@application.command()
def sheets(
    scene: Annotated[list[str] | None, typer.Argument(help="Scenes; all played scenes where none is named.")] = None,
) -> None:
    """Draw the scenes that a script plays, each as one sheet of pictures."""
    from scree.tools import contact_sheet
    from scree.tools import demo as demo_runs

    godot = godot_at_hand()
    _warm_up()
    folder = places.output_folder("sheets")
    try:
        project = _project("sheets")
        for chosen in scenes.named_scenes(scene or [], "play"):
            drawn = demo_runs.pictures(godot, project, [chosen], folder, plain)
            if drawn:
                plain(f"{contact_sheet.make(drawn, folder / f'scene_{chosen.name}.jpg')}")
    except EXPECTED as error:
        fail(error)


@application.command()
def bench(
    scene: Annotated[list[str] | None, typer.Argument(help="Scenes; all bench scenes where none is named")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often every engine runs each scene.")] = 7,
    threads: Annotated[int, typer.Option(min=0, help="Worker threads of every engine; 0: as many as cores.")] = 0,
    ticks: Annotated[int, typer.Option(min=0, help="Physics ticks of a run; 0: the scene's own number.")] = 0,
    bodies: Annotated[int, typer.Option(min=0, help="Bodies in a scene; 0: the scene's own number.")] = 0,
    server: Annotated[bool, typer.Option(help="Make the bodies without nodes.")] = False,
    engine: Annotated[list[str] | None, typer.Option(help="Engines; by default Scree, Jolt, GodotPhysics")] = None,
) -> None:
    """Compare Scree with Jolt and GodotPhysics3D in the same scenes in Godot. `broadphase` draws the quad tree instead, and
    `structures` the tree over bricks."""
    from scree.tools import bench as benches, tree_pictures

    if scene == ["broadphase"]:
        tree_pictures.draw_broad_phase(plain)
        return
    if scene == ["structures"]:
        tree_pictures.draw_structures(console, plain)
        return
    unknown = [name for name in engine or [] if name not in benches.ENGINES]
    if unknown:  # Godot would take its own in silence
        fail(f"there is no engine {', '.join(unknown)}; there are {', '.join(benches.ENGINES)}")
    godot = godot_at_hand()
    if not engine or scenes.SCREE in engine:
        _warm_up()
    options = (*((f"--bodies={bodies}",) if bodies else ()), *(("--server",) if server else ()))
    try:
        plan = benches.Plan(
            tuple(scenes.named_scenes(scene or [], "bench")),
            tuple(engine or benches.ENGINES),
            rounds,
            threads or os.cpu_count() or 1,
            ticks or None,
            options=options,
        )
        results = benches.run(godot, _project("bench"), plan, plain)
    except EXPECTED as error:
        fail(error)
    folder = places.output_folder("bench")
    benches.write_json(folder / "bench.json", results, plan, godot)
    for result in results:
        console.print(show.bench_table(result))
    from scree.tools import bench_plot  # Matplotlib is slow to import

    bench_plot.plot(results, folder, plan.skip)
    plain(f"bench.json, bench.svg and bench.png are in {folder}")


@application.command()
def prove(
    name: Annotated[list[str] | None, typer.Argument(help="Checks to run; all where none is named.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Only list the checks.")] = False,
) -> None:
    """Run the long checks: each prints its figures; exit code 1 if any is not met."""
    from scree.tools import prove as proofs

    checks = proofs.all_checks()

    if listed:
        for check in checks.values():
            plain(f"{check.name}: {check.shows}")
        return
    unknown = [one for one in name or [] if one not in checks]
    if unknown:
        fail(f"there is no check {', '.join(unknown)}; there are {', '.join(checks)}")
    godot = godot_at_hand()
    _warm_up()
    failed = []
    try:
        project = _project("prove")
        for check in [checks[one] for one in name or checks]:
            outcome = proofs.run(check, godot, project)
            console.print("[green]holds[/]" if outcome.passed else "[red]does not hold[/]", end=" ")
            plain(f"{check.name} ({check.shows})\n  {outcome.figures}")
            failed += [] if outcome.passed else [check.name]
    except EXPECTED as error:
        fail(error)
    raise typer.Exit(1 if failed else 0)


@application.command()
def compare(
    commit: Annotated[str, typer.Argument(help="The commit to compare with, as git names it.")],
    part: Annotated[list[str] | None, typer.Argument(help="Parts to run; all where none is named.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each side, in turn.")] = 7,
    threads: Annotated[int, typer.Option(min=1, help="Threads of a step.")] = 2,
) -> None:
    """Compare this checkout with a commit in turn: piles, hulls, chains, nodes, rays, streaming, and the bits. Exit code 1 if it
    is slower by more than 2 % or the bits differ."""
    from scree.tools import compare as comparison

    unknown = [one for one in part or [] if one not in comparison.PARTS]
    if unknown:
        fail(f"there is no part {', '.join(unknown)}; there are {', '.join(comparison.PARTS)}")
    godot = godot_at_hand()
    _warm_up()
    try:
        faults = comparison.compare(godot, commit, part or [*comparison.PARTS], rounds, threads, plain)
    except EXPECTED as error:
        fail(error)
    for fault in faults:
        say_error(f"does not hold: {fault}")
    raise typer.Exit(1 if faults else 0)


@application.command()
def bake(
    project_dir: Annotated[Path, typer.Argument(help="The folder of a Godot project.")],
    scene: Annotated[str, typer.Argument(help="Its scene, as res://world.tscn.")],
    folder: Annotated[Path | None, typer.Option(help="Where the tiles go; by default tiles/ in the project.")] = None,
    tile_size: Annotated[float, typer.Option(min=1.0, help="A tile's side in metres.")] = 256.0,
) -> None:
    """Cut the static bodies of a scene into tiles for StreamingWorld3D; writes only what has changed."""
    from scree.tools import bake as baking

    godot = godot_at_hand()
    place = folder or project_dir / "tiles"
    try:
        with show.counting(console, "Cooking") as report:
            made = baking.cook_scene(godot, project_dir, scene, tile_size, report)
        with show.counting(console, "Baking") as report:
            done = made.write(place, report)
    except baking.CannotBake as error:
        fail(error)
    plain(_baked(done, place))


@application.command()
def diverge(
    one: Annotated[Path, typer.Argument(help="A trace: what scree.Trace has written.")],
    other: Annotated[Path, typer.Argument(help="The trace of another run.")],
) -> None:
    """Say after how many steps two runs part, and which bodies part first; the exit code is 1 if they do."""
    from scree.state import traces

    try:
        found = traces.first_difference(*(traces.read_trace(path) for path in (one, other)))
    except (OSError, traces.TraceError) as error:
        fail(error)
    plain(found or "the two runs are the same")
    raise typer.Exit(1 if found else 0)


@application.command()
def replay(
    file: Annotated[Path, typer.Argument(help="What scree.Recording, or a game with SCREE_RECORD, has written.")],
    to_step: Annotated[int | None, typer.Option("--to-step", min=1, help="Stop before a space makes more steps.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of a step; the result is the same.")] = 1,
) -> None:
    """Run a recording again, without Godot, and compare its hashes; the exit code is 1 if a step differs."""
    from scree.state import recording_files, replays

    try:
        answer = replays.Replay(file, threads).run(to_step)
    except (OSError, recording_files.RecordingError) as error:
        fail(error)
    if answer.ending:
        plain(answer.ending)
    plain(answer.difference or f"{answer.steps} steps, the same hashes ({answer.compared} compared)")
    raise typer.Exit(1 if answer.difference else 0)


@application.command("open-world")
def open_world(
    folder: Annotated[Path, typer.Argument(help="Where the tiles go.")],
    side: Annotated[int, typer.Option(min=1, help="Tiles on a side; 32 are 8 km.")] = 32,
    bodies: Annotated[int, typer.Option(min=1, help="Bodies in a tile.")] = 714,
    with_nodes: Annotated[bool, typer.Option(help="Lists for flights with nodes on other engines, too.")] = False,
) -> None:
    """Make the demo project's open world: rocks on 8 x 8 km, baked into tiles."""
    from scree.tools import open_world as worlds

    with show.counting(console, "Baking") as report:
        done = worlds.make(folder, side, bodies, with_nodes, report)
    plain(_baked(done, folder))


def _baked(done: dict, folder: Path) -> str:
    return (
        f"{done['bodies']} bodies in {done['written'] + done['kept']} tiles ({done['bytes'] / max(done['bodies'], 1):.0f} "
        f"bytes a body): {done['written']} written, {done['kept']} unchanged, {done['removed']} removed, in {folder}"
    )


@application.command()
def install(project_dir: Annotated[Path, typer.Argument(help="The folder of a Godot project.")]) -> None:
    """Put the addon into a Godot project and select its engine there."""
    try:
        done = install_addon.install(project_dir)
    except EXPECTED as error:
        fail(error)
    console.print(
        f"Installed into {done.addon}; {done.project.name} now runs on {install_addon.ENGINE_NAME}.",
        highlight=False,
        soft_wrap=True,
    )


@application.command()
def new(folder: Annotated[Path, typer.Argument(help="Where the project goes: a folder that is empty or missing.")]) -> None:
    """Make a Godot project on Scree to begin a game with: floor, character, crates, goal."""
    from scree.tools import new_project

    try:
        done = new_project.make(folder)
    except EXPECTED as error:
        fail(error)
    plain(f"Made {done.project}: open its project.godot in Godot's editor, and press F5.")


@application.command()
def uninstall(project_dir: Annotated[Path, typer.Argument(help="The folder of a Godot project.")]) -> None:
    """Take the addon out of a Godot project, which then runs on Godot's default physics engine."""
    try:
        done = install_addon.uninstall(project_dir)
    except install_addon.CannotInstall as error:
        fail(error)
    for line in done or [f"{project_dir} has nothing of Scree"]:
        plain(line)


@application.command(cls=_PassOn)
def godot(context: typer.Context) -> None:
    """Run the Godot that Scree uses with the given arguments."""
    raise typer.Exit(subprocess.run([*godot_at_hand().command, *context.args]).returncode)


@application.command()
def warmup() -> None:
    """Compile the engine's core ahead of its first use."""
    _warm_up()
    console.print("The core is compiled.")


for _name, _command in shipping_commands.COMMANDS.items():
    application.command(_name)(_command)


def _need_library() -> None:
    """Build the core's library of this machine where there is none of these sources."""
    from scree.tools import build_core as building
    from scree.tools import warm_up

    if warm_up.is_in_library():
        return
    try:
        with show.counting(console, "Compiling") as report:
            building.build(building.targets([]), report=report)
    except building.CoreNotBuilt as error:
        fail(error)


@application.command(cls=_PassOn)
def test(context: typer.Context) -> None:
    """Set everything up and run all tests, files side by side on all cores, those that measure time after them, alone; further
    arguments go to pytest. With --from-library the engine's code comes from the core's library alone, and Godot has a released
    addon."""
    root = places.checkout()
    if root is None:
        fail("the tests are in the checkout, not in the installed package")
    godot_at_hand()
    if "--from-library" in context.args:
        _need_library()
    _warm_up()
    runs = _test_runs(context.args)
    codes = [subprocess.run([sys.executable, "-m", "pytest", *options, *context.args], cwd=root).returncode for options in runs]
    failed = [code for code in codes if code not in (0, NO_TESTS)]
    raise typer.Exit(failed[0] if failed else min(codes))


def _test_runs(arguments: list[str]) -> list[list[str]]:
    """The options of each run of pytest: files in several processes, then what is marked as alone; one run without options where
    the arguments say how, or need a terminal."""
    if any(one.startswith(("-n", "--numprocesses", "--pdb", "--trace", "-m")) or one == "-s" for one in arguments):
        return [[]]
    processes = str(min(os.cpu_count() or 1, MOST_TEST_PROCESSES))
    return [["-n", processes, "--dist", "loadfile", "-m", "not alone"], ["-m", "alone"]]


@application.command()
def docs(
    into: Annotated[Path | None, typer.Option(help="Where the site goes; by default build/docs in the checkout.")] = None,
) -> None:
    """Build the manual and the reference of the Python package as one site."""
    from scree.tools import make_docs

    root = places.checkout()
    if root is None:
        fail("the pages of the manual are in the checkout, not in the installed package")
    folder = (into or root / "build" / "docs").resolve()
    try:
        make_docs.build(root, folder)
    except make_docs.NotBuilt as error:
        fail(error)
    plain(f"The site is in {folder}: open {folder / 'index.html'}")


@application.command()
def doctor(
    project_dir: Annotated[Path | None, typer.Argument(help="A Godot project to look into too.")] = None,
) -> None:
    """Say what was found on this machine and what is wrong with it."""
    from scree.tools.doctor import findings

    signs = {"good": "[green]good[/]", "missing": "[yellow]missing[/]", "bad": "[red]bad[/]"}
    table = Table("", "State")
    for title in ("Found", "How to mend it"):
        table.add_column(title, overflow="fold")  # a path that is cut off helps nobody
    bad = 0
    for finding in findings(project_dir):
        bad += finding.state == "bad"
        table.add_row(finding.what, signs[finding.state], finding.found, finding.mend)
    console.print(table)
    raise typer.Exit(1 if bad else 0)
