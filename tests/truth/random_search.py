"""Random scenes against what follows from physics: `python -m tests.truth.random_search --count 1000`.

`--seed 17` plays one again and describes it. The last line is JSON: how many seeds, and those with faults by kind.
"""

import argparse
import json
import sys
import time

from tests.truth import invariants


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


def grouped(found: dict[int, list[invariants.Fault]]) -> dict[str, dict]:
    """By kind of scene and fault: how many seeds, the worst value and its seed."""
    groups: dict[str, dict] = {}
    for seed, faults in found.items():
        for fault in faults:
            name = f"{invariants.kind_of(seed)}: {fault.name}"
            group = groups.setdefault(name, {"seeds": [], "worst": -1.0, "worst_seed": seed})
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
    told = {"seeds": chosen.count, "seconds": round(time.perf_counter() - begin, 1), "failing": len(found), "groups": groups}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
