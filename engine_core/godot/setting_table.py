"""The table of project settings: defaults, ranges, units, the effect of each one, and what goes wrong with a bad value.

`settings.py` reads the values by this table; `tools/make_settings.py` writes docs/settings.md from it.
"""

from typing import NamedTuple

from ..step.limits import DEFAULT_LIMITS


class Setting(NamedTuple):
    """One project setting. Settings without a range are switches or have no upper end (`largest` None)."""

    default: bool | int | float
    smallest: int | float | None
    largest: int | float | None
    unit: str
    does: str
    breaks: str


def setting_of_limit(name: str) -> str:
    """The project setting of a limit of the core."""
    return f"physics/scree_3d/limits/max_{'spaces' if name == 'systems' else name}"


def _limit(name: str, smallest: int, largest: int, unit: str, does: str, breaks: str) -> Setting:
    """A limit setting; the default is that of systems where unused address space costs nothing."""
    return Setting(DEFAULT_LIMITS[name], smallest, largest, unit, does, breaks)


REFUSED = "Too low: the call that makes one more fails with an error that names this setting."
WAITS = ("Too low: a step takes what overlaps with a body that does not move first, then the deepest; the rest waits for the "
         "next step. One warning a second says so.")  # fmt: skip
TAKEN = "Too high: only address space, memory is taken where it is used."

SETTINGS = {
    "physics/scree_3d/simulation/substeps": Setting(
        4, 1, 16, "sub-steps a tick",
        "How many times contacts and joints are solved in one physics tick, multiplied by `solver_iterations` / 16 and then kept "
        "between 1 and 64.",
        "Too low: tall stacks lean, landing piles overlap, joints under heavy loads give way. Too high: the time of a tick grows "
        "nearly as much as the number.",
    ),
    "physics/scree_3d/simulation/threads": Setting(
        0, 0, 64, "threads",
        "How many threads work on a step. 0: all physical cores but one, at least 1.",
        "Too high: the step competes with the game and the renderer for cores and takes longer. The results are the same bits "
        "with any number.",
    ),
    "physics/scree_3d/simulation/job_system": Setting(
        0, 0, 2, "0, 1 or 2",
        "Threads that run the jobs of a step. 0: those of Scree; 1: only the thread that steps; 2: Godot's WorkerThreadPool.",
        "With 1 other cores stay idle. With 2 a step gets no help while the pool is busy with other tasks. The results are the "
        "same bits with each.",
    ),
    "physics/scree_3d/simulation/penetration_slop": Setting(
        0.0, 0.0, 1.0, "m",
        "Overlap of bodies that is not corrected, at most a sixteenth of the inner radius of the smaller body. A space takes it "
        "when it is made.",
        "Too high: bodies sink visibly into each other and into floors.",
    ),
    "physics/scree_3d/simulation/articulated_penetration_slop": Setting(
        0.005, 0.0, 1.0, "m",
        "The same for bodies with joints (rag dolls, chains) among each other.",
        "Too high: limbs sink visibly into each other. At 0 heaps of chains stand some per cent higher than in Jolt.",
    ),
    "physics/scree_3d/sleep/enabled": Setting(
        True, None, None, "switch",
        "Whether bodies at rest may fall asleep.",
        "Off: bodies at rest are solved in every tick for ever.",
    ),
    "physics/scree_3d/joints/world_node": Setting(
        0, 0, 1, "0 or 1",
        "Which node of a joint with only one body the world stands for. 0: node A; 1: node B.",
        "The wrong one turns round the sign of positions, limits and motors of such joints.",
    ),
    "physics/scree_3d/limits/max_bodies": _limit(
        "bodies", 64, 1 << 27, "bodies", "How many bodies and areas there may be in all spaces together.", f"{REFUSED} {TAKEN}",
    ),
    "physics/scree_3d/limits/max_body_shapes": _limit(
        "body_shapes", 64, 1 << 30, "shapes on bodies",
        "How many shapes there may be on all bodies and areas together; a shape that two bodies share counts twice.",
        f"{REFUSED} {TAKEN}",
    ),
    "physics/scree_3d/limits/max_shapes": _limit(
        "shapes", 64, 1 << 27, "shapes", "How many shapes there may be.", f"{REFUSED} {TAKEN}",
    ),
    "physics/scree_3d/limits/max_spaces": _limit(
        "systems", 4, 1 << 16, "spaces", "How many spaces there may be; each World3D has one.", f"{REFUSED} {TAKEN}",
    ),
    "physics/scree_3d/limits/max_joints": _limit(
        "joints", 64, 1 << 24, "joints", "How many joints there may be in all spaces together.", f"{REFUSED} {TAKEN}",
    ),
    "physics/scree_3d/limits/max_pairs": _limit(
        "pairs", 64, 1 << 27, "pairs of bodies",
        "How many pairs of bodies whose bounds overlap a step of one space deals with.", f"{WAITS} {TAKEN}",
    ),
    "physics/scree_3d/limits/max_contacts": _limit(
        "contacts", 64, 1 << 26, "contact manifolds",
        "How many contact manifolds (up to four points each) a step of one space deals with.", f"{WAITS} {TAKEN}",
    ),
    "physics/scree_3d/limits/max_waiting_edits": _limit(
        "waiting_edits", 64, 1 << 24, "edits",
        "How many edits of bodies from other threads one space keeps while it steps; they take effect when the step ends.",
        "Too low: further edits are lost, each with an error that names this setting.",
    ),
    "physics/scree_3d/broad_phase/debris_layers": Setting(
        0, 0, 0xFFFFFFFF, "bits of collision layers",
        "Collision layers whose bodies get a quad tree of their own: many small bodies that few queries look for. The lowest "
        "layer of a body that is in one of these two settings decides.",
        "Wrong layers cost time only: queries and pairs that want these bodies enter one tree more. A layer in both settings "
        "counts as debris.",
    ),
    "physics/scree_3d/broad_phase/bullets_layers": Setting(
        0, 0, 0xFFFFFFFF, "bits of collision layers",
        "The same for fast bodies, whose bounds are long.",
        "As above.",
    ),
    "physics/scree_3d/limits/max_area_overlaps": _limit(
        "area_overlaps", 64, 1 << 26, "overlaps",
        "How many overlaps of areas with bodies and with areas a step of one space deals with.",
        f"Too low: the deepest come first, the others wait for a later step. One warning a second says so. {TAKEN}",
    ),
}  # fmt: skip

SOLVER_SETTINGS = {
    "physics/3d/solver/solver_iterations": Setting(
        16, 1, 1024, "iterations",
        "Sub-steps of new spaces: 16 means `substeps` sub-steps a tick, 32 twice as many; never more than 64.",
        "As `substeps`.",
    ),
    "physics/3d/solver/default_contact_bias": Setting(
        0.8, 0.0, 1000.0, "none",
        "How fast overlap is corrected: contacts are as stiff as by default at 0.8, half as stiff (in Hz) at 0.4.",
        "Too low: stacks fall over and bodies sink in while they land. Too high: contacts are stiffer than the sub-steps can "
        "resolve, and stacks drift.",
    ),
    "physics/3d/run_on_separate_thread": Setting(
        False, None, None, "switch",
        "Whether a step runs beside the main thread. The results are the same bits.",
        "On: calls that answer something wait for the step; queries and readings of motion do not, and see bodies as before or "
        "after it.",
    ),
}  # fmt: skip
"""Settings of the engine itself that are read once at start, in addition to `ENGINE_SETTINGS`."""

# With the field of a space that gets the value.
ENGINE_SETTINGS = {
    "physics/3d/sleep_threshold_linear": (
        Setting(0.1, 0.0, None, "m/s", "A body slower than this may fall asleep.",
                "Too high: slow bodies stop in the middle of a motion. Too low: bodies that tremble stay awake longer, "
                "until they are found to have stayed in place."),
        "sleep_linear_threshold",
    ),
    "physics/3d/sleep_threshold_angular": (
        Setting(0.139626, 0.0, None, "rad/s", "A body that turns more slowly than this may fall asleep.",
                "As `sleep_threshold_linear`."),
        "sleep_angular_threshold",
    ),
    "physics/3d/time_before_sleep": (
        Setting(0.5, 0.0, None, "s", "How long all bodies of an island must be slow before it falls asleep.",
                "Too low: bodies fall asleep at the turning point of a swing. Too high: piles at rest cost time for longer."),
        "time_to_sleep",
    ),
}  # fmt: skip
