"""Long checks of many worlds for learning. They need a checkout, for the example."""

import re
import time
from pathlib import Path

from scree.tools import world_costs
from scree.tools.find_godot import Godot
from scree.tools.prove import Outcome, check, run_python

LEAST_CART_POLES = 200_000  # world steps a second on two threads
LONGEST_LESSON = 180.0  # [s]


@check(f"{world_costs.CART_POLES} cart-poles: at least {LEAST_CART_POLES:,} world steps a second; walkers beside MuJoCo")
def worlds(godot: Godot, project: Path) -> Outcome:
    """How many small worlds are stepped in a second. MuJoCo's figures are shown where it is installed, and not judged."""
    costs = world_costs.measure(threads=2, rounds=15)
    return Outcome("\n  ".join(map(str, costs)), costs[0].best >= LEAST_CART_POLES)


@check(f"the example learns the cart-pole within {LONGEST_LESSON:.0f} s: episodes of 475 steps on average")
def lesson(godot: Godot, project: Path) -> Outcome:
    """Proximal policy optimisation in NumPy, from nothing to 475 steps."""
    began = time.perf_counter()
    said = run_python("examples/learning/cart_pole.py")
    seconds = time.perf_counter() - began
    lasted = re.findall(r"last ([\d.]+) steps", said)
    return Outcome(f"{said.splitlines()[-2]}; {seconds:.0f} s with the start", bool(lasted) and seconds <= LONGEST_LESSON)
