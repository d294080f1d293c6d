"""Shares over decisions with intervals in which the document, never the decision, is what was sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from compendio.measure.agreement import ratio_bootstrap, wilson_interval

Bools = NDArray[np.bool_]
#: Which interval a share has.
WILSON, REAMOSTRA = "Wilson", "reamostra de documentos"


def shares(documents: Any, columns: Sequence[tuple[Bools, Bools]], B: int, seed: int) -> pd.DataFrame:
    """Shares of decisions, each with the interval that fits it.

    Parameters
    ----------
    documents
        (decisions,) the document of each decision.
    columns
        (numerator, denominator) of each share, (decisions,) truths; the numerator counts inside the
        denominator only.
    B, seed
        Of the resamples, which all shares have in common.

    Returns
    -------
    One row a share, in order: `k, n` (numerator, denominator), `valor, ic_inf, ic_sup`, and `intervalo`:

    - where no document has two decisions in the denominator (one variable), Wilson's;
    - otherwise the percentile interval over resampled documents;
    - where none or all of n count, a resample would claim certainty: Wilson's, over the documents.

    NaN where n is 0.
    """
    codes, uniques = pd.factorize(pd.Series(np.asarray(documents, dtype=object)))
    rows: list[dict[str, Any]] = []
    for numerator, denominator in columns:
        k, n = int((numerator & denominator).sum()), int(denominator.sum())
        most = int(np.bincount(codes[denominator], minlength=len(uniques)).max(initial=0))
        units = len(np.unique(codes[denominator]))
        low, high = wilson_interval(k, n) if most <= 1 else wilson_interval(units * (k == n), units)
        resample = most > 1 and 0 < k < n
        rows.append(
            {
                "k": k,
                "n": n,
                "valor": k / n if n else float("nan"),
                "ic_inf": low,
                "ic_sup": high,
                "intervalo": REAMOSTRA if resample else WILSON,
            }
        )
    table = pd.DataFrame(rows, columns=["k", "n", "valor", "ic_inf", "ic_sup", "intervalo"])
    several = np.flatnonzero(table["intervalo"] == REAMOSTRA)
    if len(several):
        chosen = [columns[i] for i in several.tolist()]
        above = np.column_stack([one & other for one, other in chosen]).astype(float)
        below = np.column_stack([other for _, other in chosen]).astype(float)
        found = ratio_bootstrap(above, below, documents, B, seed=seed)
        for name in ("ic_inf", "ic_sup"):
            table.loc[several, name] = found[name].to_numpy()
    return table
