"""Long checks of queries: what a ray costs a script in real Godot, beside Jolt."""

import json
from pathlib import Path

from scree.tools import scenes
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, long_tests

DEAREST_RAY, DEAREST_IN_TURN = 1.0, 2.0  # times Jolt's; times adding all and asking all
ROUNDS = 3
LEAST_RATE = 2.5e6


def ray_cost(godot: Godot, project: Path, engine: str) -> dict:
    """One run of measure/ray_cost.gd on an engine. Raises SceneFailed."""
    scenes.choose_engine(project, engine)
    figures = json.loads(scenes.report_of(godot, project, ("-s", "res://measure/ray_cost.gd"), timeout=600))
    if (figures["engine"] == "ScreePhysicsServer3D") != (engine == scenes.SCREE) or figures["setting"] != engine:
        raise scenes.SceneFailed(f"it ran on {figures['engine']} ({figures['setting']}) instead of {engine}")
    return figures


@check(
    f"closest-hit rays from GDScript among 20,000 boxes, the empty space's cost subtracted: at most {DEAREST_RAY} times "
    f"Jolt's; 2,500 times add one, ask one: at most {DEAREST_IN_TURN} times all then all"
)
def rays_against_jolt(godot: Godot, project: Path) -> Outcome:
    """The cost of a ray from a script, and of adding bodies one by one with a ray after each."""
    runs = {scenes.SCREE: [], scenes.JOLT: []}
    for _ in range(ROUNDS):
        for engine, done in runs.items():
            done.append(ray_cost(godot, project, engine))
    least = {
        engine: {name: min(run[name] for run in done) for name in done[0] if name.endswith("_us")}
        for engine, done in runs.items()
    }
    added = {engine: floors["full_us"] - floors["empty_us"] for engine, floors in least.items()}
    ratio = added[scenes.SCREE] / added[scenes.JOLT]
    in_turn = least[scenes.SCREE]["add_in_turn_us"] / least[scenes.SCREE]["add_all_us"]
    share = {engine: done[0]["hit"] / done[0]["rays"] for engine, done in runs.items()}
    figures = (
        f"Scree {added[scenes.SCREE]:.3f} us a ray ({share[scenes.SCREE]:.1%} hit; the call itself "
        f"{least[scenes.SCREE]['empty_us']:.3f}), Jolt {added[scenes.JOLT]:.3f} us ({share[scenes.JOLT]:.1%} hit; the call "
        f"{least[scenes.JOLT]['empty_us']:.3f}): {ratio:.2f} times; add one, ask one {in_turn:.2f} times all then all "
        f"(Jolt {least[scenes.JOLT]['add_in_turn_us'] / least[scenes.JOLT]['add_all_us']:.2f}); floors of {ROUNDS} runs"
    )
    good = ratio <= DEAREST_RAY and in_turn <= DEAREST_IN_TURN and abs(share[scenes.SCREE] - share[scenes.JOLT]) < 0.002
    return Outcome(figures, good and 0.3 <= share[scenes.SCREE] <= 0.7)


@check(
    f"10,000 rays of a script among 5,000 boxes in one call of Scree.cast_rays, one thread, the arrays given: at least "
    f"{LEAST_RATE / 1e6} million a second"
)
def many_rays(godot: Godot, project: Path) -> Outcome:
    """Rays in one call from GDScript, beside rays one by one on both engines."""
    least: dict[str, dict] = {}
    for engine in (scenes.SCREE, scenes.JOLT) * 2:
        scenes.choose_engine(project, engine)
        figures = json.loads(scenes.report_of(godot, project, ("-s", "res://measure/many_rays.gd"), timeout=600))
        if (figures["engine"] == "ScreePhysicsServer3D") != (engine == scenes.SCREE) or figures["setting"] != engine:
            raise scenes.SceneFailed(f"it ran on {figures['engine']} ({figures['setting']}) instead of {engine}")
        before = least.setdefault(engine, figures)
        least[engine] = {k: min(v, before[k]) if k.endswith("_us") else v for k, v in figures.items()}
    own, jolt = least[scenes.SCREE], least[scenes.JOLT]
    rate = own["rays"] / own["given_us"]
    text = (
        f"{rate:.2f} million a second ({own['given_us']} us a call; {own['made_us']} us with the arrays made in GDScript each "
        f"time); one by one {own['one_by_one_us']} us, Jolt {jolt['one_by_one_us']} us: "
        f"{jolt['one_by_one_us'] / own['given_us']:.1f} times as long; {own['hit']} hit, Jolt {jolt['hit']}"
    )
    return Outcome(text, rate * 1e6 >= LEAST_RATE and own["hit"] == own["hit_at_once"] and abs(own["hit"] - jolt["hit"]) <= 10)


@check("writers parked for 1 s in the middle of each job of a step and of each change of a tree: rays go on, with right answers")
def nobody_waits(godot: Godot, project: Path) -> Outcome:
    """Every test run parks them too, but in fewer places, and only until the rays are done."""
    step = "tests/world/test_threads.py::test_a_step_parked_in_each_of_its_jobs"
    trees = ("tests/broad_phase/test_nobody_waits.py", "tests/broad_phase/test_explored.py")
    return long_tests(("parked", "percentile"), step, *trees)
