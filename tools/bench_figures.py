"""From the tick times of many rounds to the figures that are compared. All times in [ms]."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TickTimes:
    """Times of an engine's ticks in one scene."""

    floor: float  # mean over the counted ticks of each tick's smallest time over the rounds
    median: float  # of all counted ticks of all rounds
    percentile_95: float  # of the same
    spread: float  # how far apart the rounds' means lie: (largest - smallest) / smallest


def counted(rounds: Sequence[Sequence[float]], skip: int) -> np.ndarray:
    """The rounds' times as an array (round, tick), without the first `skip` ticks. Raises ValueError if none is."""
    lengths = {len(times) for times in rounds}
    if len(lengths) != 1:
        raise ValueError(f"rounds of different lengths: {sorted(lengths)}")
    times = np.asarray(rounds, dtype=np.float64)[:, skip:]
    if times.size == 0:
        raise ValueError(f"no ticks are left of {lengths.pop()} after the first {skip}")
    return times


def tick_floors(rounds: Sequence[Sequence[float]], skip: int = 0) -> np.ndarray:
    """Each tick's smallest time over the rounds: a tick does the same work in every round, all else is disturbance."""
    return counted(rounds, skip).min(axis=0)


def tick_times(rounds: Sequence[Sequence[float]], skip: int = 0) -> TickTimes:
    """The figures of an engine's rounds, each a list of tick times."""
    times = counted(rounds, skip)
    means = times.mean(axis=1)
    return TickTimes(
        floor=float(times.min(axis=0).mean()),
        median=float(np.median(times)),
        percentile_95=float(np.percentile(times, 95.0)),
        spread=float((means.max() - means.min()) / means.min()),
    )


def ratios(floors: dict[str, float], peer: str) -> dict[str, float | None]:
    """Each engine's floor divided by the peer's; None where the peer did not run."""
    return {engine: floor / floors[peer] if floors.get(peer) else None for engine, floor in floors.items()}
