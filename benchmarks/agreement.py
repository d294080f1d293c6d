"""Bootstrap of kappa, side by side: compendio, a loop over scikit-learn, a loop over statsmodels.

Run with the benchmarks' own environment (README.md in this folder), from this folder:

    PYTHONPATH=../src .venv/bin/python agreement.py

All sides get the same texts and the same categories in one process, in turns, several rounds; the
ratios are of the medians over the rounds, once by the clock on the wall and once by processor time (all
sides use one thread; on a machine that does other work only the second means anything). The loops are
timed over `--replicates` resamples a round and extrapolated to B = 10,000 (their cost a resample does
not depend on B); compendio is timed whole: reading the texts, all resamples, intervals, tables.
Codings are simulated.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pandas as pd
import scipy
import sklearn
import statsmodels
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from compendio.measure.agreement import cohen_kappa, kappa_bootstrap

B = 10_000
CATEGORIES = [f"c{k}" for k in range(8)]


def codings(n: int, coders: int, seed: int = 1) -> tuple[pd.Series, dict[str, pd.Series]]:
    """Reference and coders, 70% of whose answers repeat it, 8 categories."""
    rng = np.random.default_rng(seed)
    names = np.array(CATEGORIES)
    truth = rng.integers(0, 8, n)
    members = {}
    for coder in range(coders):
        answer = np.where(rng.random(n) < 0.7, truth, rng.integers(0, 8, n))
        members[f"m{coder}"] = pd.Series(names[answer])
    return pd.Series(names[truth]), members


def seconds(call: Callable[[], object]) -> np.ndarray:
    """Wall and processor time of a call."""
    start = np.array([time.perf_counter(), time.process_time()])
    call()
    return np.array([time.perf_counter(), time.process_time()]) - start


def sklearn_loop(reference: np.ndarray, coder: np.ndarray, replicates: int) -> list[float]:
    rng = np.random.default_rng(2)
    n, kappas = len(reference), []
    for _ in range(replicates):
        drawn = rng.integers(0, n, n)
        kappas.append(cohen_kappa_score(reference[drawn], coder[drawn], labels=CATEGORIES))
    return kappas


def statsmodels_loop(cells: np.ndarray, replicates: int) -> list[float]:
    """The fastest way to its table that we know: the cell of each document, counted by bincount."""
    rng = np.random.default_rng(2)
    n, kappas = len(cells), []
    for _ in range(replicates):
        table = np.bincount(cells[rng.integers(0, n, n)], minlength=64).reshape(8, 8)
        kappas.append(cohens_kappa(table, return_results=False))
    return kappas


def same_result(reference: pd.Series, coder: pd.Series) -> None:
    """The three must agree before their times mean anything."""
    ours = cohen_kappa(reference, coder, CATEGORIES).value
    table = pd.crosstab(
        pd.Categorical(reference, CATEGORIES), pd.Categorical(coder, CATEGORIES), dropna=False
    )
    theirs = [
        cohen_kappa_score(reference, coder, labels=CATEGORIES),
        cohens_kappa(table, return_results=False),
    ]
    assert np.allclose(ours, theirs, atol=1e-12), (ours, theirs)
    row = kappa_bootstrap(reference, {"x": coder}, CATEGORIES, B=B).coders.iloc[0]
    loop = np.quantile(
        sklearn_loop(reference.to_numpy(object), coder.to_numpy(object), 1_000), [0.025, 0.975]
    )
    print(
        f"kappa {ours:.6f} by all three; interval {row['ic_inf']:.3f} to {row['ic_sup']:.3f} (B = {B:,}), "
        f"by the scikit-learn loop {loop[0]:.3f} to {loop[1]:.3f} (B = 1,000)\n"
    )


def compare_loops(rounds: int, replicates: int) -> None:
    reference, one = codings(200, 1)
    twenty = codings(200, 20)[1]
    coder = one["m0"]
    same_result(reference, coder)
    a, b = reference.to_numpy(object), coder.to_numpy(object)
    integers = [np.array([CATEGORIES.index(v) for v in column]) for column in (a, b)]
    cells = integers[0] * 8 + integers[1]
    sides: dict[str, tuple[float, Callable[[], object]]] = {
        "one": (1, lambda: kappa_bootstrap(reference, one, CATEGORIES, B=B)),
        "twenty": (1, lambda: kappa_bootstrap(reference, twenty, CATEGORIES, B=B, pairs=[])),
        "twenty, all 190 differences": (
            1,
            lambda: kappa_bootstrap(reference, twenty, CATEGORIES, B=B).differences,
        ),
        "sklearn": (B / replicates, lambda: sklearn_loop(a, b, replicates)),
        "sklearn on integers": (B / replicates, lambda: sklearn_loop_integers(*integers, replicates)),
        "statsmodels": (B / (5 * replicates), lambda: statsmodels_loop(cells, 5 * replicates)),
    }
    times: dict[str, list[np.ndarray]] = {name: [] for name in sides}
    for _, call in sides.values():
        call()  # warm
    for _ in range(rounds):
        for name, (factor, call) in sides.items():
            times[name].append(factor * seconds(call))
    median = {name: np.median(values, axis=0) for name, values in times.items()}
    print(
        f"n = 200, 8 categories, B = {B:,}; loops extrapolated from {replicates} resamples "
        f"(statsmodels: {5 * replicates}); milliseconds, median of {rounds} rounds"
    )
    print(f"  {'':<28} {'wall':>11} {'processor':>11}")
    for name, (wall, processor) in median.items():
        print(f"  {name:<28} {1e3 * wall:11.1f} {1e3 * processor:11.1f}")
    print(f"ratios {'':<38} {'wall':>8} {'processor':>10}   target")
    twenty_loops = 20 * median["sklearn"]
    show = [
        ("one coder: scikit-learn loop on texts", median["sklearn"] / median["one"], 900),
        ("one coder: scikit-learn loop on integers", median["sklearn on integers"] / median["one"], 900),
        ("one coder: statsmodels loop", median["statsmodels"] / median["one"], 40),
        ("20 coders: scikit-learn loop", twenty_loops / median["twenty"], 2500),
        (
            "20 coders and all their differences",
            twenty_loops / median["twenty, all 190 differences"],
            2500,
        ),
    ]
    for name, (wall, processor), target in show:
        print(f"  {name:<43} {wall:8.0f} {processor:10.0f}   {target}")
    print()


def sklearn_loop_integers(reference: np.ndarray, coder: np.ndarray, replicates: int) -> list[float]:
    rng = np.random.default_rng(2)
    n, labels, kappas = len(reference), list(range(8)), []
    for _ in range(replicates):
        drawn = rng.integers(0, n, n)
        kappas.append(cohen_kappa_score(reference[drawn], coder[drawn], labels=labels))
    return kappas


def million(rounds: int) -> None:
    reference, coders = codings(1_000_000, 1)
    times = [seconds(lambda: kappa_bootstrap(reference, coders, CATEGORIES, B=B)) for _ in range(rounds)]
    wall, processor = np.median(times, axis=0)
    print(
        f"n = 1,000,000, 8 categories, B = {B:,}: {wall:.3f} s wall, {processor:.3f} s processor "
        "(target: under 0.3 s)"
    )


def memory() -> None:
    """Peak of what is allocated during a call, beside what the results themselves take (8 B bytes)."""
    print("peak memory during a call, one coder, without the replicates themselves")
    for n, replications in ((200, 1_000), (200, 10_000), (200, 100_000), (20_000, 1_000), (1_000_000, 1_000)):
        reference, coders = codings(n, 1)
        tracemalloc.start()
        kappa_bootstrap(reference, coders, CATEGORIES, B=replications)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"  n = {n:>9,}  B = {replications:>7,}   {(peak - 8 * replications) / 2**20:8.1f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--replicates", type=int, default=200, help="resamples of the loops in each round")
    options = parser.parse_args()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, pandas "
        f"{pd.__version__}, scikit-learn {sklearn.__version__}, statsmodels {statsmodels.__version__}; "
        f"{os.cpu_count()} cores{load}\n"
    )
    compare_loops(options.rounds, options.replicates)
    million(options.rounds)
    memory()


if __name__ == "__main__":
    main()
