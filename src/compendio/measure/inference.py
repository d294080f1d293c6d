"""Exact and closed-form inference: McNemar's test, Holm's correction, Wilson's interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, ndtri

from compendio.measure.values import MISSING, Form, encode_together


class Discordant(NamedTuple):
    """Documents on which exactly one of two coders is right, of the n that the reference coded."""

    b: int
    """Only the first coder is right."""
    c: int
    """Only the second coder is right."""
    n: int


def _count(number: Any, name: str) -> int:
    if int(number) != number or number < 0:
        raise ValueError(f"{name} deve ser uma contagem (inteiro a partir de 0), e não {number!r}")
    return int(number)


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided p of McNemar's exact test (McNemar 1947; the binomial with p = 1/2).

    p = min(1, 2 P(X <= min(b, c))), X ~ Binomial(b + c, 1/2); 1 where b + c = 0: no document
    tells the two coders apart. `b`, `c`: counts from `mcnemar_counts`.
    """
    b, c = _count(b, "b"), _count(c, "c")
    if abs(b - c) <= 1:
        return 1.0  # the two tails are everything; rounding must not say otherwise
    return min(1.0, 2.0 * float(bdtr(min(b, c), b + c, 0.5)))


def mcnemar_counts(reference: Any, first: Any, second: Any, *, form: Form | None = None) -> Discordant:
    """The counts of McNemar's test for two coders against the reference.

    Documents without a value in the reference are left out; a coder without a value is wrong there.
    Values are compared after cleaning; with `form` by their form (`as_set`: sets compare by equality).
    """
    (truth, one, two), _ = encode_together([reference, first, second], form)
    known = truth != MISSING
    right_one, right_two = (one == truth)[known], (two == truth)[known]
    return Discordant(
        int((right_one & ~right_two).sum()), int((~right_one & right_two).sum()), int(known.sum())
    )


def holm(p_values: Sequence[float] | ArrayLike) -> NDArray[np.float64]:
    """P values adjusted by Holm's step-down method (Holm 1979), in the order given.

    NaN (a test that could not be made) stays NaN and is not counted among the tests.
    """
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or ((p < 0) | (p > 1)).any():
        raise ValueError("os valores de p devem formar uma lista de números entre 0 e 1")
    adjusted = np.full(p.shape, np.nan)
    order = np.argsort(p, kind="stable")[: int((~np.isnan(p)).sum())]  # argsort puts NaN last
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return adjusted


def wilson_interval(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion (Wilson 1927), without continuity correction.

    k successes of n; (NaN, NaN) where n = 0: the only case in which it is undefined. It covers the
    sampling of the n only.
    """
    k, n = _count(k, "k"), _count(n, "n")
    if k > n:
        raise ValueError(f"k ({k}) não pode passar de n ({n})")
    check_level(level)
    if n == 0:
        return float("nan"), float("nan")
    z2 = float(ndtri(0.5 + level / 2)) ** 2
    middle = (k + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
    return (0.0 if k == 0 else middle - half), (1.0 if k == n else middle + half)


def check_level(level: float) -> None:
    """ValueError where the level of confidence is not strictly between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"o nível de confiança deve estar entre 0 e 1 (por exemplo, 0.95), e não {level!r}")
