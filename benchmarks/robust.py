"""Geometric median of 10,000 panels, side by side: compendio, geom-median, hdmedians, 100 Weiszfeld steps.

Run with the benchmarks' own environment (see README.md in this folder). Same grades, same process, same
minute: every library is timed on the same arrays, compendio several times in between, and the ratios are of
the best times. The two libraries take one panel at a time; they are timed on the first `--paineis-outros`
panels and the time is scaled to all (their cost for a panel does not depend on the number of panels).
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable

import hdmedians
import numpy as np
from geom_median.numpy import compute_geometric_median
from targets import close

from compendio.robust.aggregate import geometric_median
from compendio.robust.geometric_median import subgradient_norm

# Required by the project: at least so many times as fast as (geom-median, hdmedians).
TARGETS = {3: (4000.0, 100.0), 13: (60.0, 1.0)}


def best_time(work: Callable[[], object], repeats: int) -> float:
    """Smallest wall time of `repeats` runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(scores: np.ndarray, others: int) -> dict[str, float]:
    """Times for all panels (seconds), and the largest residual and distance from the exact median."""
    queries = len(scores)
    few = scores[:others]
    times: dict[str, float] = {"compendio": np.inf, "geom-median": np.inf, "hdmedians": np.inf}
    found: dict[str, np.ndarray] = {}
    for _ in range(3):
        times["compendio"] = min(times["compendio"], best_time(lambda: geometric_median(scores), 10))
        scale = queries / others
        start = time.perf_counter()
        found["geom-median"] = np.array([compute_geometric_median(list(panel)).median for panel in few])
        times["geom-median"] = min(times["geom-median"], (time.perf_counter() - start) * scale)
        start = time.perf_counter()
        found["hdmedians"] = np.array([np.asarray(hdmedians.geomedian(panel, axis=0)) for panel in few])
        times["hdmedians"] = min(times["hdmedians"], (time.perf_counter() - start) * scale)
    exact = geometric_median(scores, certificate=True)
    hundred = geometric_median(scores, method="weiszfeld", steps=100).valor
    assert exact.residuo is not None
    result = {f"t {name}": value for name, value in times.items()}
    result["residual compendio"] = float(exact.residuo.max())
    for name, value in found.items():
        result[f"residual {name}"] = float(subgradient_norm(few, value).max())
        result[f"away {name}"] = float(np.linalg.norm(value - exact.valor[:others], axis=1).max())
    result["residual weiszfeld-100"] = float(subgradient_norm(scores, hundred).max())
    result["away weiszfeld-100"] = float(np.linalg.norm(hundred - exact.valor, axis=1).max())
    return result


def peak_memory(queries: int, judges: int, dimensions: int) -> float:
    """Largest memory beyond the scores themselves during one call, less its result, in megabytes."""
    scores = np.random.default_rng(0).uniform(0, 4, size=(queries, judges, dimensions))
    tracemalloc.start()
    result = geometric_median(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    kept = result.valor.nbytes + result.juizes.nbytes + result.motivo.nbytes
    return (peak - kept) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paineis", type=int, default=10_000, help="panels (queries)")
    parser.add_argument(
        "--paineis-outros", type=int, default=1_000, help="panels timed with the other libraries"
    )
    options = parser.parse_args()
    missed = []
    for judges in (3, 13):
        for kind in ("continuous", "integer"):
            rng = np.random.default_rng(20_260_928)
            scores = rng.uniform(0, 4, size=(options.paineis, judges, 5))
            scores = np.round(scores) if kind == "integer" else scores
            r = measure(scores, options.paineis_outros)
            ours = r["t compendio"]
            print(f"\n{options.paineis} panels x {judges} judges x 5 dimensions, {kind} grades on 0 to 4")
            print(
                f"  compendio        {ours * 1e3:10.2f} ms   largest residual {r['residual compendio']:.1e}"
            )
            for name, target in zip(("geom-median", "hdmedians"), TARGETS[judges], strict=True):
                ratio, total = r[f"t {name}"] / ours, r[f"t {name}"] * 1e3
                print(
                    f"  {name:<12} {total:14.0f} ms   {ratio:9.1f} times ours (target {target:g})"
                    f"   largest residual {r[f'residual {name}']:.1e}, distance {r[f'away {name}']:.1e}"
                )
                if ratio < target:
                    missed.append(f"{judges} judges, {kind}: {name} {ratio:.1f} < {target:g}")
            print(
                f"  100 Weiszfeld steps: largest residual {r['residual weiszfeld-100']:.1e}, "
                f"distance from the exact median {r['away weiszfeld-100']:.3f} grades"
            )
            if r["residual compendio"] > 1e-9:
                missed.append(f"{judges} judges, {kind}: residual {r['residual compendio']:.1e} > 1e-9")
    print("\nMemory beyond scores and result, 13 judges x 5 dimensions:")
    for queries in (10_000, 40_000, 160_000):
        print(f"  {queries:7d} panels: {peak_memory(queries, 13, 5):6.1f} MB")
    print()
    raise SystemExit(close(missed))


if __name__ == "__main__":
    main()
