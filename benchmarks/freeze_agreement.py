"""Write what independent libraries give for seeded codings into tests/measure/frozen_agreement.json.

The tests read that file, so that they need none of these libraries. Run again after a change of the
cases or of requirements.lock; the file must not change otherwise.

Which library is trusted for what:
- krippendorff: nominal alpha, missing values included. Without variation it raises; ours is NaN.
- nltk: MASI-weighted alpha. Two empty sets are a division by zero there, so its cases hold none.
- irrCAC: AC1 of two coders on complete pairs, and nominal alpha, printed to five decimals. Only with the
  list of categories given. Without it, on these versions, it is wrong: it takes the list from the data,
  counts NaN as one more category (AC1 .786 for the published .775 of its own example), and fails on
  text among missing values. Not used for AC1 with missing values, where it averages agreement over the
  pairs that are there (ours: a missing value disagrees), nor where all values are equal, where it
  divides by zero.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.datasets import raw_4raters
from irrCAC.raw import CAC
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import masi_distance

OUTPUT = Path(__file__).resolve().parents[1] / "tests" / "measure" / "frozen_agreement.json"
CATEGORIES = ["a", "b", "c", "d", "e"]  # "e" is never used: the list is the codebook's, not the data's


def check_irrcac() -> None:
    """irrCAC runs outside its declared bounds here: it must still give the published values.

    Krippendorff's twelve units by four observers: alpha .743 (Krippendorff 2011), AC1 .775 (Gwet 2014).
    """
    cac = CAC(raw_4raters(), categories=[1, 2, 3, 4, 5])
    alpha = float(cac.krippendorff()["est"]["coefficient_value"])
    ac1 = float(cac.gwet()["est"]["coefficient_value"])
    if round(alpha, 3) != 0.743 or round(ac1, 3) != 0.775:
        raise SystemExit(f"irrCAC does not give the published values: alpha {alpha}, AC1 {ac1}")


def codings(seed: int, n: int, coders: int, missing: float, agreement: float) -> pd.DataFrame:
    """(n, coders) texts around a hidden truth, some of them missing."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(CATEGORIES[:4], n, p=[0.55, 0.25, 0.15, 0.05])
    columns = {}
    for coder in range(coders):
        values = np.where(rng.random(n) < agreement, truth, rng.choice(CATEGORIES[:4], n)).astype(object)
        values[rng.random(n) < missing] = None
        columns[f"c{coder}"] = values
    return pd.DataFrame(columns)


def nominal_case(frame: pd.DataFrame) -> dict[str, Any]:
    first, second = frame["c0"], frame["c1"]
    pairs = frame[["c0", "c1"]].dropna()
    domain = [[None if pd.isna(v) else v for v in frame[name]] for name in frame]
    cac = CAC(frame.where(frame.notna(), np.nan), categories=CATEGORIES)
    return {
        "codings": {name: [None if pd.isna(v) else v for v in frame[name]] for name in frame},
        "alpha_krippendorff": krippendorff.alpha(
            reliability_data=[[np.nan if v is None else v for v in row] for row in domain],
            level_of_measurement="nominal",
            value_domain=CATEGORIES,
        ),
        "alpha_irrcac": float(cac.krippendorff()["est"]["coefficient_value"]),
        "ac1_answered_irrcac": float(CAC(pairs, categories=CATEGORIES).gwet()["est"]["coefficient_value"]),
        "complete": bool(first.notna().all() and second.notna().all()),
    }


def set_case(seed: int, n: int, coders: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    rows: dict[str, list[list[str] | None]] = {f"c{coder}": [] for coder in range(coders)}
    for _ in range(n):
        truth = rng.random(4) < 0.4
        for values in rows.values():
            chosen = np.where(rng.random(4) < 0.75, truth, rng.random(4) < 0.4)
            if not chosen.any():
                chosen[0] = True
            missing = rng.random() < 0.1
            values.append(None if missing else [c for c, yes in zip(CATEGORIES, chosen, strict=False) if yes])
    # nltk counts only units with two values or more by its own rule; leave the others out of its data.
    triples = [
        (name, str(unit), frozenset(value))
        for name, values in rows.items()
        for unit, value in enumerate(values)
        if value is not None and sum(other[unit] is not None for other in rows.values()) >= 2
    ]
    return {"codings": rows, "masi_alpha_nltk": AnnotationTask(triples, distance=masi_distance).alpha()}


def main() -> None:
    warnings.simplefilter("ignore")
    check_irrcac()
    nominal = [
        codings(seed=1, n=60, coders=2, missing=0.0, agreement=0.8),
        codings(seed=2, n=60, coders=2, missing=0.15, agreement=0.6),
        codings(seed=3, n=80, coders=5, missing=0.0, agreement=0.7),
        codings(seed=4, n=80, coders=5, missing=0.3, agreement=0.7),
        codings(seed=5, n=25, coders=3, missing=0.6, agreement=0.3),
    ]
    frozen = {
        "note": "written by benchmarks/freeze_agreement.py from simulated codings; not edited by hand",
        "categories": CATEGORIES,
        "nominal": [nominal_case(frame) for frame in nominal],
        "sets": [set_case(seed=6, n=40, coders=2), set_case(seed=7, n=40, coders=4)],
    }
    OUTPUT.write_text(json.dumps(frozen, ensure_ascii=False, indent=None) + "\n", encoding="utf-8")
    print(f"{OUTPUT.name}: {len(frozen['nominal'])} nominal cases, {len(frozen['sets'])} of sets")


if __name__ == "__main__":
    main()
