"""How many worlds a second a VectorWorld steps: cart-poles, and walkers beside MuJoCo where that package is installed.

    python -m scree.tools.world_costs [--threads N] [--rounds N]

`scree prove worlds` runs it and judges the figures. Rounds of both engines alternate; the least time of each counts, since other
programs only add time.
"""

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scree.learning import CartPole, Walker, walker

CART_POLES, WALKERS = 1024, 256
CART_POLE_STEPS = 20
"""Steps in a round of cart-poles, which begins with a reset of all: with random actions an episode lasts about as long."""
ACTIONS = 20
"""Actions in a round of walkers: one second of a walker's life."""


@dataclass(frozen=True)
class Cost:
    """The time of some rounds of one kind."""

    name: str
    unit: str
    count: int  # things in a round
    seconds: list[float]
    processor_seconds: list[float]  # of all threads

    def __str__(self) -> str:
        least, median = self.count / min(self.seconds), self.count / sorted(self.seconds)[len(self.seconds) // 2]
        used = 1e6 * min(self.processor_seconds) / self.count
        return (
            f"{self.name}: {least:,.0f} {self.unit} a second at best, {median:,.0f} in the median of {len(self.seconds)} rounds; "
            f"each takes at least {used:.1f} us of processor time"
        )

    @property
    def best(self) -> float:
        return self.count / min(self.seconds)


def cart_pole_round(threads: int) -> Callable[[], None]:
    """A round of steps of all cart-poles from new starts, each with a random force on its cart."""
    task, forces = CartPole(CART_POLES, threads=threads), np.zeros((CART_POLE_STEPS, CART_POLES, 2, 3))
    forces[:, :, 0, 0] = np.random.default_rng(0).choice((-10.0, 10.0), (CART_POLE_STEPS, CART_POLES))

    def run() -> None:
        task.reset()
        for k in range(CART_POLE_STEPS):
            task.worlds.step(0.02, forces=forces[k])

    return run


def random_torques() -> np.ndarray:
    """Torques of all walkers, -1 to 1, of each action: (WALKERS, ACTIONS, 8)."""
    return np.random.default_rng(1).uniform(-1.0, 1.0, (WALKERS, ACTIONS, 8))


def walker_round(threads: int) -> Callable[[], None]:
    """A round of actions of all walkers, from the start."""
    task, torques = Walker(WALKERS, threads=threads), walker.MOST_TORQUE * random_torques()

    def run() -> None:
        task.worlds.reset()
        for k in range(ACTIONS):
            task.worlds.step(walker.SECONDS, walker.STEPS, joint_forces=torques[:, k])

    return run


def leg_of_model(corner: int) -> str:
    """A leg of the walker for MuJoCo, whose z is up; its y is minus Scree's z."""
    angle, bend, radius = (0.25 + 0.5 * corner) * math.pi, walker.KNEE_BEND, walker.LEG_RADIUS
    out, down = np.array((math.cos(angle), math.sin(angle), 0.0)), np.array((0.0, 0.0, -math.sin(bend)))
    along = out * math.cos(bend) + down
    ends = [radius * out, (walker.UPPER - radius) * out, radius * along, (walker.LOWER - radius) * along]
    one, two, three, four = (" ".join(f"{number:.9g}" for number in end) for end in ends)
    shoulder, knee = (" ".join(f"{number:.9g}" for number in size * out) for size in (0.2, walker.UPPER))
    (low_hip, high_hip), (low_knee, high_knee) = walker.HIP_LIMITS, walker.KNEE_LIMITS
    return f"""<body pos="{shoulder}"><joint name="hip{corner}" axis="0 0 1" range="{low_hip} {high_hip}"/>
        <geom type="capsule" mass="{walker.UPPER_MASS}" size="{radius}" fromto="{one} {two}"/>
        <body pos="{knee}"><joint name="knee{corner}" axis="{out[1]:.9g} {-out[0]:.9g} 0" range="{low_knee} {high_knee}"/>
        <geom type="capsule" mass="{walker.LOWER_MASS}" size="{radius}" fromto="{three} {four}"/></body></body>"""


def walker_model(step_seconds: float) -> str:
    """The walker as a model of MuJoCo: the same bodies, places, masses, limits and torques."""
    names = [f"{kind}{corner}" for corner in range(4) for kind in ("hip", "knee")]
    motors = "".join(f'<motor joint="{name}" gear="{walker.MOST_TORQUE}"/>' for name in names)
    return f"""<mujoco><compiler angle="radian" autolimits="true"/><option timestep="{step_seconds:.9g}"/>
        <worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 {walker.HEIGHT:.9g}"><freejoint/>
        <geom type="sphere" size="{walker.TRUNK_RADIUS}" mass="{walker.TRUNK_MASS}"/>
        {"".join(leg_of_model(corner) for corner in range(4))}</body></worldbody><actuator>{motors}</actuator></mujoco>"""


def mujoco_round(threads: int, steps: int) -> Callable[[], None]:
    """A round of the same actions by MuJoCo's `rollout`, with `steps` steps of MuJoCo for each of Scree. Raises ImportError."""
    import mujoco
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_string(walker_model(walker.SECONDS / steps))
    data = [mujoco.MjData(model) for _ in range(threads)]
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data[0], start, kind)
    states, control = np.tile(start, (WALKERS, 1)), np.repeat(random_torques(), walker.STEPS * steps, axis=1)
    pool = rollout.Rollout(nthread=threads)

    def run() -> None:
        pool.rollout(model, data, states, control)

    return run


def measure(threads: int, rounds: int) -> list[Cost]:
    """All costs, by rounds that alternate. Those of MuJoCo are left out where it is not installed."""
    made = [
        (f"{CART_POLES} cart-poles", "world steps", CART_POLES * CART_POLE_STEPS, cart_pole_round(threads)),
        (f"{WALKERS} walkers", "actions", WALKERS * ACTIONS, walker_round(threads)),
    ]
    try:
        for steps in (walker.SETTINGS.substep_count, 1):  # as many of its own as Scree takes sub-steps, and fewer
            name = f"{WALKERS} walkers by MuJoCo, steps of 1/{round(steps / walker.SECONDS)} s"
            made.append((name, "actions", WALKERS * ACTIONS, mujoco_round(threads, steps)))
    except ImportError:
        pass
    costs = [Cost(name, unit, count, [], []) for name, unit, count, _ in made]
    for number in range(rounds + 1):
        for cost, (_, _, _, run) in zip(costs, made, strict=True):
            began, used = time.perf_counter(), time.process_time()
            run()
            if number:  # the first round warms caches up
                cost.seconds.append(time.perf_counter() - began)
                cost.processor_seconds.append(time.process_time() - used)
    return costs


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="World steps a second of a VectorWorld, and of MuJoCo if it is installed.")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    print(*measure(given.threads, given.rounds), sep="\n")


if __name__ == "__main__":
    main()
