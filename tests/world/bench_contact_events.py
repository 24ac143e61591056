"""Costs of contact events and rules: `python -m tests.world.bench_contact_events`, from the root of the project. 1,200 boxes in
100 stacks, awake, on one thread."""

import sys
import time
from pathlib import Path

import numba
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from small_world import SmallWorld  # noqa: E402

from scree.bodies.schema import ALL_CONTACT_EVENTS, CONTACT_CHANGES, NO_CONTACT_EVENTS  # noqa: E402
from scree.collision.contact_schema import CONTACT  # noqa: E402
from scree.runtime.memory import view  # noqa: E402


@numba.cfunc("void(int64)")
def slippery(address):
    view(address, 1, CONTACT)[0].friction *= 0.9


def measure(what: str, level: int, rule: dict | None = None) -> None:
    """Print the processor time of a step [ms]: the least, and the median of 150."""
    scene = SmallWorld()
    scene.floor()
    shape = scene.box(0.5, 0.5, 0.5)
    for number in range(1200):
        stack, level_in_stack = divmod(number, 12)
        body = scene.add(shape, (stack % 10 * 1.3, 0.5 + 1.001 * level_in_stack, stack // 10 * 1.3))
        scene.world.contact.set_events(body, level)
    if rule:
        scene.world.contact.set_rule(0, 0, **rule)
    scene.step(30)
    times = []
    for _ in range(150):
        start = time.thread_time()
        scene.step()
        times.append(1e3 * (time.thread_time() - start))
    told = len(scene.world.contact.events(scene.system))
    print(f"{what:32} {min(times):.3f} ms, median {np.median(times):.3f} ms, {told} events")


if __name__ == "__main__":
    measure("nobody asks", NO_CONTACT_EVENTS)
    measure("all ask what begins and ends", CONTACT_CHANGES)
    measure("all ask for all", ALL_CONTACT_EVENTS)
    measure("a rule of numbers for all", NO_CONTACT_EVENTS, {"friction": 0.5})
    measure("a function for all", NO_CONTACT_EVENTS, {"modify": slippery})
