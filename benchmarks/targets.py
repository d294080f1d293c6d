"""What the project requires of a benchmark: measured beside required, and at the end all that was missed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

#: `run.py` collects the lines that begin so, of all scripts.
MISSED = "missed: "

#: Seconds that a side takes in a turn at least, in as many calls as that needs: a single short call would pay
#: for what the other side has left in the processor's caches.
SHORTEST = 0.1


class Targets:
    """Prints each measure with its target; `close` lists what was missed and gives the exit code."""

    def __init__(self) -> None:
        self._missed: list[str] = []

    def ratio(self, what: str, ratios: np.ndarray, least: float | None) -> None:
        """At least `least` times as fast, in the median of several turns; None: shown beside the others."""
        median, lowest = float(np.median(ratios)), float(np.min(ratios))
        target = "no target" if least is None else f"at least {least:,g}"
        self._row(what, f"{lowest:10,.1f} {median:10,.1f}", target, least is None or median >= least)

    def below(self, what: str, values: np.ndarray, most: float, unit: str) -> None:
        """Less than `most`, in the median of several turns."""
        median, lowest = float(np.median(values)), float(np.min(values))
        self._row(what, f"{lowest:10.3g} {median:10.3g}", f"under {most:g} {unit}", median < most)

    def head(self, what: str) -> None:
        """The head of a table of targets."""
        print(f"{what:<52} {'min':>10} {'median':>10}   target")

    def _row(self, what: str, measured: str, target: str, met: bool) -> None:
        print(f"  {what:<50} {measured}   {target}{'' if met else '  MISSED'}")
        if not met:
            self._missed.append(f"{what}: {measured.split()[-1]}, {target}")

    def close(self) -> int:
        """0, or 1 with a line for each target missed."""
        print()
        return close(self._missed)


def close(missed: Sequence[str]) -> int:
    """The last lines of a benchmark and its exit code."""
    print("\n".join(MISSED + line for line in missed) or "all targets met")
    return int(bool(missed))


def take_turns(sides: Mapping[str, Callable[[], object]], turns: int) -> dict[str, np.ndarray]:
    """Seconds of a call of each side, (turns, 2): on the wall and of the processor.

    What else the machine does in a turn slows all sides of it, so that ratios are taken turn by turn. A first
    turn is not counted; it says how often to call a side in each of the others (`SHORTEST`).
    """
    calls = {
        name: max(1, math.ceil(SHORTEST / max(_seconds(call, 1)[0], 1e-6))) for name, call in sides.items()
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for _ in range(turns):
        for name, call in sides.items():
            times[name].append(_seconds(call, calls[name]))
    return {name: np.array(values) for name, values in times.items()}


def _seconds(call: Callable[[], object], number: int) -> tuple[float, float]:
    start = (time.perf_counter(), time.process_time())
    for _ in range(number):
        call()
    return (time.perf_counter() - start[0]) / number, (time.process_time() - start[1]) / number


def show_times(times: Mapping[str, np.ndarray]) -> None:
    """A line for each side: smallest and median milliseconds, wall and processor."""
    print(f"{'milliseconds':<42} {'wall min':>10} {'median':>10} {'processor':>12} {'median':>10}")
    for name, values in times.items():
        low, middle = 1e3 * values.min(axis=0), 1e3 * np.median(values, axis=0)
        print(f"  {name:<40} {low[0]:10,.1f} {middle[0]:10,.1f} {low[1]:12,.1f} {middle[1]:10,.1f}")
