"""Random scenes against what follows from physics: `python -m tests.truth.random_search --count 1000`.

`--seed 17` plays one again and describes it. The last line is JSON: how many seeds, and those with faults by kind.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from tests.truth import invariants

KNOWN = Path(__file__).resolve().parent / "known_faults.json"


def search(first: int, count: int, kinds: tuple[str, ...] = ()) -> dict[int, list[invariants.Fault]]:
    """Faults of the seeds from `first` on that have any; of some kinds of scenes alone where these are named."""
    found = {}
    for seed in range(first, first + count):
        if not kinds or invariants.kind_of(seed) in kinds:
            faults = invariants.faults_of(seed)
            if faults:
                found[seed] = faults
                print(f"seed {seed} {invariants.kind_of(seed)}: {'; '.join(fault.words() for fault in faults)}", flush=True)
    return found


def known_faults() -> dict[str, dict]:
    """Faults that are listed as not mended: {"kind of scene: fault": {"worst": largest value of 1,000 seeds, "why": reason}}."""
    return json.loads(KNOWN.read_text(encoding="utf-8"))


def is_listed(name: str, value: float) -> bool:
    """Whether a fault is listed, and no worse than it was when it was listed; a twentieth is for other processors."""
    known = known_faults().get(name)
    return known is not None and value <= 1.05 * known["worst"]


def group_of(seed: int, fault: invariants.Fault) -> str:
    """The name under which a fault is listed."""
    return f"{invariants.kind_of(seed)}: {fault.name}"


def grouped(found: dict[int, list[invariants.Fault]]) -> dict[str, dict]:
    """By kind of scene and fault: how many seeds, the worst value and its seed."""
    groups: dict[str, dict] = {}
    for seed, faults in found.items():
        for fault in faults:
            group = groups.setdefault(group_of(seed, fault), {"seeds": [], "worst": -1.0, "worst_seed": seed})
            group["seeds"].append(seed)
            if not fault.value <= group["worst"]:
                group["worst"], group["worst_seed"] = fault.value, seed
    return groups


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--first", type=int, default=0)
    words.add_argument("--count", type=int, default=1000)
    words.add_argument("--kind", action="append", default=[], choices=invariants.KINDS)
    words.add_argument("--seed", type=int)
    chosen = words.parse_args()
    if chosen.seed is not None:
        print(invariants.scene_of(chosen.seed)[0].words())
        found = search(chosen.seed, 1)
        sys.exit(bool(found))
    begin = time.perf_counter()
    found = search(chosen.first, chosen.count, tuple(chosen.kind))
    groups = grouped(found)
    for name, group in sorted(groups.items()):
        print(f"{len(group['seeds']):4d} seeds, {name}: worst {group['worst']:.3g}, seed {group['worst_seed']}")
    told = {
        "seeds": chosen.count, "seconds": round(time.perf_counter() - begin, 1), "failing": len(found), "groups": groups,
        "not_listed": sorted(name for name, group in groups.items() if not is_listed(name, group["worst"])),
        "not_found": sorted(set(known_faults()) - set(groups)),
    }  # fmt: skip
    print(json.dumps(told))


if __name__ == "__main__":
    main()
