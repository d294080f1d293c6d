"""Krippendorff's alpha for any number of coders, nominal or over sets (MASI)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from compendio.measure.kappa import Estimate
from compendio.measure.values import MISSING, Codes, Form, as_set, encode_together

NO_UNIT = "nenhum documento com valor de dois codificadores ou mais"
NO_VARIATION = "todos os valores comparáveis são iguais: não há desacordo esperado"


def masi_distance(a: Collection[str], b: Collection[str]) -> float:
    """MASI distance of two sets (Passonneau 2006): 1 - Jaccard x monotonicity, from 0 to 1.

    Monotonicity is 1 for equal sets, 2/3 where one holds the other, 1/3 where they only overlap, and 0
    where they share nothing. Two empty sets are equal (distance 0); an empty set shares nothing with a
    set that is not empty (distance 1).
    """
    a, b = frozenset(a), frozenset(b)
    if a == b:
        return 0.0
    common = len(a & b)
    if common == 0:
        return 1.0
    monotonicity = 2 / 3 if a < b or b < a else 1 / 3
    return 1.0 - common / len(a | b) * monotonicity


def _columns(codings: Any) -> list[Any]:
    if isinstance(codings, pd.DataFrame):
        return [codings[name] for name in codings.columns]
    return list(codings.values() if isinstance(codings, Mapping) else codings)


def _alpha(columns: list[Codes], distance: NDArray[np.float64] | None, size: int) -> Estimate:
    """Alpha from codes; `distance` is (L, L), None for nominal (0 where equal, else 1)."""
    table = np.stack(columns) if columns else np.empty((0, 0), dtype=np.intp)
    given = (table != MISSING).sum(axis=0)
    table, given = table[:, given >= 2], given[given >= 2]
    units = table.shape[1]
    if units == 0:
        return Estimate(float("nan"), 0, NO_UNIT)
    counts = np.bincount(table[table != MISSING], minlength=size).astype(float)
    total = counts.sum()
    expected = total**2 - (counts**2).sum() if distance is None else counts @ distance @ counts
    if expected == 0:
        return Estimate(float("nan"), units, NO_VARIATION)
    # Disagreement within each unit over ordered pairs of its values, a unit of m values weighing 1/(m-1).
    within = np.zeros(units)
    for i in range(len(table)):
        for j in range(i + 1, len(table)):
            left, right = table[i], table[j]
            apart = (left != right) if distance is None else distance[left, right]
            within += 2 * np.where((left != MISSING) & (right != MISSING), apart, 0)
    observed = (within / (given - 1)).sum()
    return Estimate(float(1 - (total - 1) * observed / expected), units)


def krippendorff_alpha(
    codings: Sequence[Any] | Mapping[str, Any] | pd.DataFrame, *, form: Form | None = None
) -> Estimate:
    """Krippendorff's alpha for nominal data (Krippendorff 2011), with missing values.

    It treats coders as interchangeable: no reference among them. Documents with fewer than two values do
    not count. Categories nobody used change nothing, which is why there is no list of them here. With
    two coders and no missing value it is Scott's pi with a correction for small samples.

    Parameters
    ----------
    codings
        One (n,) column of texts a coder: a list, a mapping by name, or the columns of a frame.
    form
        What is compared, as in `observed_agreement`; by default the cleaned text.

    Returns
    -------
    Estimate, `n` being the documents that count; NaN with a reason where none does, or where all their
    values are equal (observed and expected disagreement are both 0).
    """
    columns, forms = encode_together(_columns(codings), form)
    return _alpha(columns, None, len(forms))


def masi_alpha(codings: Sequence[Any] | Mapping[str, Any] | pd.DataFrame) -> Estimate:
    """Krippendorff's alpha over sets, disagreement weighed by the MASI distance (Passonneau 2006).

    For several-choice variables: sets that overlap disagree less than sets that share nothing. Values
    are collections of texts or JSON lists; otherwise as `krippendorff_alpha`. (Passonneau 2006 weighs
    alpha by this distance itself, not by its square.)
    """
    columns, forms = encode_together(_columns(codings), as_set)
    sets: list[Any] = list(forms)
    distance = np.array([[masi_distance(a, b) for b in sets] for a in sets], dtype=float)
    return _alpha(columns, distance.reshape(len(sets), len(sets)), len(sets))
