"""Bootstrap of kappa, side by side: compendio, loops over scikit-learn, loops over statsmodels.

Run with the benchmarks' own environment (README.md in this folder), from this folder:

    PYTHONPATH=../src .venv/bin/python agreement.py

All sides get the same codings and the same categories in one process, in turns; ratios are taken turn by
turn. The loops are timed over some resamples a turn and extrapolated to B = 10,000 (their cost a resample
does not depend on B); compendio is timed whole: reading the texts, all resamples, intervals, tables. All
sides use one thread. Codings are simulated.

The loops, from what a user would write first to the fastest that we know:

- scikit-learn: `cohen_kappa_score` of the texts, or of integers coded before the loop;
- statsmodels: its own `to_table` of integers coded before the loop, or a table by one `bincount` of cells
  numbered before the loop; then `cohens_kappa(table, return_results=False)`.

The target of scikit-learn is for the texts, as compendio reads them; that of statsmodels, which takes no
texts, for its fastest loop, too.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tracemalloc
from collections.abc import Callable

import numpy as np
import pandas as pd
import scipy
import sklearn
import statsmodels
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, to_table
from targets import Targets, show_times, take_turns

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


def loop(kappa: Callable[[np.ndarray], float], n: int, replicates: int) -> list[float]:
    """Kappas of resamples of n documents, one after the other."""
    rng = np.random.default_rng(2)
    return [kappa(rng.integers(0, n, n)) for _ in range(replicates)]


def kappas_of_a_resample(reference: pd.Series, coder: pd.Series) -> dict[str, Callable[[np.ndarray], float]]:
    """Each way of one loop: the documents drawn -> kappa."""
    a, b = reference.to_numpy(object), coder.to_numpy(object)
    left, right = (np.array([CATEGORIES.index(value) for value in column]) for column in (a, b))
    pairs, cells = np.column_stack([left, right]), left * 8 + right
    numbers = list(range(8))
    return {
        "scikit-learn, texts": lambda d: cohen_kappa_score(a[d], b[d], labels=CATEGORIES),
        "scikit-learn, integers": lambda d: cohen_kappa_score(left[d], right[d], labels=numbers),
        "statsmodels, to_table": lambda d: cohens_kappa(to_table(pairs[d], bins=8)[0], return_results=False),
        "statsmodels, bincount": lambda d: cohens_kappa(
            np.bincount(cells[d], minlength=64).reshape(8, 8), return_results=False
        ),
    }


def same_result(
    reference: pd.Series, coder: pd.Series, ways: dict[str, Callable[[np.ndarray], float]]
) -> None:
    """All must agree before their times mean anything."""
    ours = cohen_kappa(reference, coder, CATEGORIES).value
    theirs = [kappa(np.arange(len(reference))) for kappa in ways.values()]
    assert np.allclose(ours, theirs, atol=1e-12), (ours, theirs)
    row = kappa_bootstrap(reference, {"x": coder}, CATEGORIES, B=B).coders.iloc[0]
    ends = np.quantile(loop(ways["statsmodels, bincount"], len(reference), B), [0.025, 0.975])
    print(
        f"kappa {ours:.6f} by all; interval {row['ic_inf']:.3f} to {row['ic_sup']:.3f}, by a loop over "
        f"statsmodels with draws of its own {ends[0]:.3f} to {ends[1]:.3f} (B = {B:,})\n"
    )


def compare_loops(targets: Targets, turns: int, replicates: int) -> None:
    reference, one = codings(200, 1)
    twenty = codings(200, 20)[1]
    ways = kappas_of_a_resample(reference, one["m0"])
    same_result(reference, one["m0"], ways)
    ours: dict[str, Callable[[], object]] = {
        "compendio, 1 coder": lambda: kappa_bootstrap(reference, one, CATEGORIES, B=B),
        "compendio, 20 coders": lambda: kappa_bootstrap(reference, twenty, CATEGORIES, B=B),
        "compendio, 20 and all 190 differences": lambda: (
            kappa_bootstrap(reference, twenty, CATEGORIES, B=B).differences
        ),
    }
    sides = dict(ours)
    for name, kappa in ways.items():
        sides[name] = lambda kappa=kappa: loop(kappa, 200, replicates)
    times = take_turns(sides, turns)
    for name in ways:
        times[name] *= B / replicates
    print(
        f"n = 200, 8 categories, B = {B:,}; loops of {replicates} resamples extrapolated to B; {turns} turns"
    )
    show_times(times)
    print()
    wall = {name: values[:, 0] for name, values in times.items()}
    targets.head("times as fast as a loop, turn by turn")
    least = dict(zip(ways, [900, None, 40, 40], strict=True))
    for name in ways:
        targets.ratio(f"1 coder: {name}", wall[name] / wall["compendio, 1 coder"], least[name])
    for name in list(ours)[1:]:
        targets.ratio(
            f"{name[11:]}: scikit-learn, texts", 20 * wall["scikit-learn, texts"] / wall[name], 2500
        )
    print()


def million(targets: Targets, turns: int) -> None:
    reference, coders = codings(1_000_000, 1)
    times = take_turns({"": lambda: kappa_bootstrap(reference, coders, CATEGORIES, B=B)}, turns)[""]
    targets.head("seconds")
    targets.below(f"n = 1,000,000, 8 categories, B = {B:,}", times[:, 0], 0.3, "s")
    print()


def memory(targets: Targets) -> None:
    """Peak of what is allocated during a call, beside what the results themselves take (8 B bytes)."""
    print("peak memory during a call, one coder, without the replicates themselves")
    peaks = {}
    for n, replications in ((200, 1_000), (200, 10_000), (200, 100_000), (20_000, 1_000), (1_000_000, 1_000)):
        reference, coders = codings(n, 1)
        tracemalloc.start()
        kappa_bootstrap(reference, coders, CATEGORIES, B=replications)
        peaks[n, replications] = (tracemalloc.get_traced_memory()[1] - 8 * replications) / 2**20
        tracemalloc.stop()
        print(f"  n = {n:>9,}  B = {replications:>7,}   {peaks[n, replications]:8.1f} MiB")
    growth = peaks[200, 100_000] / peaks[200, 1_000]
    targets.head("growth of that peak")
    targets.below("n = 200, from B = 1,000 to B = 100,000", np.array([growth]), 1.5, "times")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--replicates", type=int, default=500, help="resamples of the loops in each turn")
    options = parser.parse_args()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, pandas "
        f"{pd.__version__}, scikit-learn {sklearn.__version__}, statsmodels {statsmodels.__version__}; "
        f"{os.cpu_count()} cores{load}\n"
    )
    targets = Targets()
    compare_loops(targets, options.turns, options.replicates)
    million(targets, options.turns)
    memory(targets)
    return targets.close()


if __name__ == "__main__":
    sys.exit(main())
