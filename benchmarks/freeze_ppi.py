"""Write what ppi_py (Angelopoulos et al.) gives for made codings into tests/measure/frozen_ppi.json.

The tests read that file, so that they need no ppi_py. It is not in the benchmarks' lock; from this folder:

    python3 -m venv somewhere && somewhere/bin/pip install -r requirements-ppi.txt && somewhere/bin/python freeze_ppi.py

What can be expected to agree, and how (`compendio.measure.ppi`, a corpus without end):
- ppi_py gives the unlabelled documents alone a mean, and ours is over all that the machine coded: with n labelled
  and r others, its lambda is our weight times r / (n + r). The point is then the same number.
- Its standard error takes the variance of the machine's codes from the others, and the best lambda takes it from
  both; ours take it from the labelled alone, as Tenenbein's estimator does. Where the machine says the category
  equally often in both, all are the same but for n against n - 1; elsewhere they differ as two samples do.
- With weights, the mean of the machine's codes over all documents is what ours uses: so all are given as the others.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from ppi_py.ppi import _calc_lam_glm

OUTPUT = Path(__file__).resolve().parents[1] / "tests" / "measure" / "frozen_ppi.json"
Codes = NDArray[np.float64]


def case(y: Codes, f: Codes, others: Codes, lam: float | None, w: Codes | None = None) -> dict[str, Any]:
    """One case: hand codes and machine codes of the labelled, machine codes of the others, and the results."""
    if lam is None:
        columns = [part[:, None] for part in (y, f, others)]
        lam = float(_calc_lam_glm(*columns, np.eye(1), clip=True))
    point = ppi_mean_pointestimate(y, f, others, lam=lam, w=w)
    low, high = ppi_mean_ci(y, f, others, alpha=0.05, lam=lam, w=w)
    return {
        "hand": y.tolist(),
        "machine": f.tolist(),
        "others": others.tolist(),
        "weights": None if w is None else w.tolist(),
        "lam": lam,
        "point": float(np.squeeze(point)),
        "se": float(np.squeeze(high - low)) / (2 * NormalDist().inv_cdf(0.975)),
    }


def cells(both: int, hand: int, machine: int, none: int) -> tuple[Codes, Codes]:
    """Hand and machine codes with these counts of yes by both, by one alone, and by none."""
    counts = [both, hand, machine, none]
    return np.repeat([1.0, 1, 0, 0], counts), np.repeat([1.0, 0, 1, 0], counts)


def drawn(seed: int, n: int, others: int) -> tuple[Codes, Codes, Codes]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n + others) < 0.3).astype(float)
    f = np.where(y == 1, rng.random(n + others) < 0.75, rng.random(n + others) < 0.1).astype(float)
    return y[:n], f[:n], f[n:]


def main() -> None:
    equal = [
        case(*cells(32, 6, 8, 54), np.repeat([1.0, 0.0], [120, 180]), None),
        case(*cells(5, 2, 1, 42), np.repeat([1.0, 0.0], [96, 704]), None),
        # A machine against the hand: lambda is cut off at 0.
        case(*cells(4, 26, 16, 4), np.repeat([1.0, 0.0], [120, 180]), None),
    ]
    y, f, others = drawn(1, 60, 340)
    rng = np.random.default_rng(2)
    hand, machine, rest = drawn(3, 50, 250)
    everything = np.concatenate([machine, rest])
    frozen = {
        "note": "written by benchmarks/freeze_ppi.py from made codings; not edited by hand",
        "source": f"ppi-python {version('ppi-python')}",
        "equal": equal,
        "given": [case(y, f, others, lam) for lam in (0.0, 0.3, 0.7)],
        "tuned": [case(y, f, others, None)],
        "weighted": [case(hand, machine, everything, 0.5, rng.choice([1.0, 2.0, 5.0], 50))],
    }
    OUTPUT.write_text(json.dumps(frozen) + "\n", encoding="utf-8")
    print(f"{OUTPUT.name}: {sum(len(v) for v in frozen.values() if isinstance(v, list))} cases")


if __name__ == "__main__":
    main()
