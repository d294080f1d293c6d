"""Agreement of one coder with the reference: Cohen's kappa, Gwet's AC1, observed agreement, per category.

All measures share one denominator: the documents for which the reference has a value. A coder without
a value there disagrees, and enters no category's marginal. With `answered_only=True` the denominator is
the documents that both answered, as in the textbooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from compendio.measure.inference import wilson_interval
from compendio.measure.values import (
    MISSING,
    NO,
    YES,
    Codes,
    Form,
    category_list,
    encode,
    encode_together,
    membership,
    same_length,
    texts,
)

NO_DOCUMENT = "nenhum documento com valor na referência"
NO_PAIR = "nenhum documento com valor nos dois"
ONE_CATEGORY = "os dois usam uma só categoria, a mesma: a concordância esperada é 1"
ONE_IN_LIST = "a lista tem uma só categoria: não há concordância a medir"


@dataclass(frozen=True)
class Estimate:
    """A number with the count it rests on; where it is undefined, NaN and the reason (Portuguese)."""

    value: float
    n: int
    reason: str | None = None

    def __float__(self) -> float:
        return self.value


def paired(reference: Codes, coder: Codes, answered_only: bool) -> tuple[Codes, Codes]:
    """The documents that count, by the rule at the head of this module."""
    same_length(reference, coder)
    keep = reference != MISSING
    if answered_only:
        keep &= coder != MISSING
    return reference[keep], coder[keep]


def _empty(answered_only: bool) -> Estimate:
    return Estimate(float("nan"), 0, NO_PAIR if answered_only else NO_DOCUMENT)


def kappa_of_codes(reference: Codes, coder: Codes, size: int, answered_only: bool = False) -> Estimate:
    """Cohen's kappa of codes from `values.encode`; `size` is the number of categories. See `cohen_kappa`."""
    reference, coder = paired(reference, coder, answered_only)
    n = len(reference)
    if n == 0:
        return _empty(answered_only)
    hits = int((reference == coder).sum())
    of_reference = np.bincount(reference, minlength=size)
    of_coder = np.bincount(coder[coder != MISSING], minlength=size)
    # Whole numbers as long as possible: "expected agreement is 1" is then exact, not a matter of rounding.
    chance = int((of_reference * of_coder).sum())
    if chance == n * n:
        return Estimate(float("nan"), n, ONE_CATEGORY)
    return Estimate((n * hits - chance) / (n * n - chance), n)


def cohen_kappa(
    reference: Any, coder: Any, categories: Sequence[str], *, answered_only: bool = False
) -> Estimate:
    """Cohen's kappa of a coder with the reference (Cohen 1960).

    Over the n documents where the reference has a value, with r_k and c_k the counts of category k:

        observed  p_o = hits / n
        expected  p_e = sum_k (r_k / n) (c_k / n)
        kappa         = (p_o - p_e) / (1 - p_e)

    A document that the coder left without a value counts in n, is no hit, and enters no c_k, so that
    sum_k c_k may be less than n. Without missing values this is the ordinary kappa. Of a coder that
    answered nothing kappa is 0 by this formula: it agrees nowhere, and nothing is expected of it.

    Parameters
    ----------
    reference, coder
        (n,) texts by position, missing as None, NaN or pd.NA.
    categories
        The codebook's list. Categories that nobody used change nothing, but a value outside it is an error.
    answered_only
        True: over the documents that both answered.

    Returns
    -------
    Estimate; NaN with a reason where no document counts or p_e = 1.
    """
    size = len(category_list(categories))
    return kappa_of_codes(encode(reference, categories), encode(coder, categories), size, answered_only)


def gwet_ac1(
    reference: Any, coder: Any, categories: Sequence[str], *, answered_only: bool = False
) -> Estimate:
    """Gwet's AC1 (Gwet 2008), which stays high where one category dominates and kappa falls.

    Over the same n documents as kappa, and K categories of the codebook (used or not):

        pi_k = mean over documents of the share of its values that are k (one value or two)
        p_e  = sum_k pi_k (1 - pi_k) / (K - 1)
        AC1  = (hits / n - p_e) / (1 - p_e)

    A missing value of the coder is no hit and enters no pi_k. Parameters and result as in `cohen_kappa`;
    NaN with a reason where no document counts or K = 1.
    """
    size = len(category_list(categories))
    left, right = paired(encode(reference, categories), encode(coder, categories), answered_only)
    n = len(left)
    if n == 0:
        return _empty(answered_only)
    if size == 1:
        return Estimate(float("nan"), n, ONE_IN_LIST)
    second = np.where(right == MISSING, left, right)  # the one value there counts whole, not by half
    pi = (np.bincount(left, minlength=size) + np.bincount(second, minlength=size)) / (2 * n)
    expected = float((pi * (1 - pi)).sum()) / (size - 1)
    observed = float((left == right).mean())
    return Estimate((observed - expected) / (1 - expected), n)


def observed_agreement(
    reference: Any, coder: Any, *, form: Form | None = None, answered_only: bool = False
) -> Estimate:
    """Share of the reference's documents on which the coder gives the same value.

    `form` says what is compared: for free text pass the function that normalises it (agreement of
    normal forms), for several choices `as_set` (equality of sets); without it, the cleaned text.
    """
    (left, right), _ = encode_together([reference, coder], form)
    left, right = paired(left, right, answered_only)
    if len(left) == 0:
        return _empty(answered_only)
    return Estimate(float((left == right).mean()), len(left))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def per_category(
    reference: Any, coder: Any, categories: Sequence[str], *, answered_only: bool = False
) -> pd.DataFrame:
    """Precision, recall and F1 of a coder in each category of the codebook.

    Returns
    -------
    One row a category, in the codebook's order: `categoria`, `n_referencia`, `n_codificador`, `acertos`,
    `precisao` (hits / the coder's uses), `revocacao` (hits / the reference's uses; a missing value of the
    coder lowers it), `f1` (2 hits / all uses), `motivo`. What has a zero below the line is NaN, and
    `motivo` says so.
    """
    names = category_list(categories)
    left, right = paired(encode(reference, categories), encode(coder, categories), answered_only)
    rows: list[dict[str, Any]] = []
    for code, name in enumerate(names):
        wanted, given = int((left == code).sum()), int((right == code).sum())
        hits = int(((left == code) & (right == code)).sum())
        reason = {
            (True, True): "a referência e o codificador não usam a categoria",
            (True, False): "a referência não usa a categoria",
            (False, True): "o codificador não usa a categoria",
        }.get((wanted == 0, given == 0))
        rows.append(
            {
                "categoria": name,
                "n_referencia": wanted,
                "n_codificador": given,
                "acertos": hits,
                "precisao": _share(hits, given),
                "revocacao": _share(hits, wanted),
                "f1": _share(2 * hits, wanted + given),
                "motivo": reason,
            }
        )
    return pd.DataFrame(rows).assign(motivo=texts([row["motivo"] for row in rows]))


def kappa_by_choice(
    reference: Any, coder: Any, categories: Sequence[str], *, answered_only: bool = False
) -> pd.DataFrame:
    """A several-choice variable, category by category: kappa of "chosen or not", and observed agreement.

    Returns one row a category: `categoria`, `n`, `n_referencia` and `n_codificador` (how often chosen),
    `concordancia`, `kappa`, `motivo` (why kappa is NaN).
    """
    left, right = membership(reference, categories), membership(coder, categories)
    rows: list[dict[str, Any]] = []
    for name in left.columns:
        kappa = cohen_kappa(left[name], right[name], (YES, NO), answered_only=answered_only)
        agreement = observed_agreement(left[name], right[name], answered_only=answered_only)
        counts = per_category(left[name], right[name], (YES, NO), answered_only=answered_only).iloc[0]
        rows.append(
            {
                "categoria": name,
                "n": kappa.n,
                "n_referencia": int(counts["n_referencia"]),
                "n_codificador": int(counts["n_codificador"]),
                "concordancia": agreement.value,
                "kappa": kappa.value,
                "motivo": kappa.reason,
            }
        )
    return pd.DataFrame(rows).assign(motivo=texts([row["motivo"] for row in rows]))


def prevalence(values: Any, categories: Sequence[str], *, level: float = 0.95) -> pd.DataFrame:
    """Share of each category among the documents with a value, with Wilson's interval.

    Returns one row a category, in the codebook's order: `categoria`, `n`, `total` (documents with a
    value), `proporcao`, `ic_inf`, `ic_sup`; NaN where no document has a value. For several choices, take
    the `sim` row of each column of `membership`.
    """
    names = category_list(categories)
    codes = encode(values, categories)
    counts = np.bincount(codes[codes != MISSING], minlength=len(names))
    total = int(counts.sum())
    rows = []
    for name, count in zip(names, counts.tolist(), strict=True):
        low, high = wilson_interval(count, total, level)
        rows.append((name, count, total, _share(count, total), low, high))
    return pd.DataFrame(rows, columns=["categoria", "n", "total", "proporcao", "ic_inf", "ic_sup"])
