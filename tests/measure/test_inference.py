"""McNemar, Holm, Wilson against statsmodels, scipy, and values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from compendio.measure.inference import holm, mcnemar_counts, mcnemar_exact, wilson_interval
from compendio.measure.values import as_set


def test_mcnemar_by_hand() -> None:
    # b = 1, c = 4: 2 (C(5,0) + C(5,1)) / 2^5 = 12/32
    assert mcnemar_exact(1, 4) == pytest.approx(0.375, abs=1e-15)
    assert mcnemar_exact(0, 5) == pytest.approx(2 / 32, abs=1e-15)
    assert mcnemar_exact(0, 0) == 1
    assert mcnemar_exact(3, 3) == 1
    assert mcnemar_exact(3, 4) == 1  # twice the tail is 1 exactly


@pytest.mark.parametrize(("b", "c"), [(0, 1), (2, 7), (7, 2), (12, 30), (40, 41), (300, 391), (5000, 5201)])
def test_mcnemar_against_statsmodels_and_scipy(b: int, c: int) -> None:
    p = mcnemar_exact(b, c)
    assert p == mcnemar_exact(c, b)
    assert p == pytest.approx(mcnemar([[0, b], [c, 0]], exact=True).pvalue, rel=1e-9)
    assert p == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-9)


@pytest.mark.parametrize(("b", "c"), [(-1, 2), (1.5, 2), (2, -3)])
def test_mcnemar_refuses_what_is_no_count(b: float, c: float) -> None:
    with pytest.raises(ValueError, match="contagem"):
        mcnemar_exact(b, c)  # type: ignore[arg-type]


def test_mcnemar_counts_missing_is_wrong_and_no_reference_is_left_out() -> None:
    #            1    2    3     4     5     6    7
    reference = ["a", "a", "a", "a", None, "b", "b"]
    first = ["a", "b", "a", None, "a", "b", None]
    second = ["a", "a", None, "a", "b", "a", None]
    # only the first right: 3, 6; only the second right: 2, 4; 5 left out; 1 both right, 7 both wrong
    assert mcnemar_counts(reference, first, second) == (2, 2, 6)
    counts = mcnemar_counts(reference, second, ["a"] * 7)
    assert (counts.b, counts.c, counts.n) == (0, 1, 6)


def test_mcnemar_counts_sets_by_equality() -> None:
    reference = ['["a", "b"]', "[]"]
    assert mcnemar_counts(reference, ['["b", "a"]', None], ['["a"]', "[]"], form=as_set) == (1, 1, 2)
    assert mcnemar_counts(reference, ['["b", "a"]', None], ['["a"]', "[]"]) == (0, 1, 2)


def test_holm_by_hand() -> None:
    # sorted .01 .02 .03 .04 times 4 3 2 1 = .04 .06 .06 .04, then never falling
    assert holm([0.04, 0.01, 0.03, 0.02]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]).tolist() == [1, 1]
    assert holm([]).tolist() == []


def test_holm_leaves_nan_out() -> None:
    adjusted = holm([0.04, np.nan, 0.01])
    assert adjusted[[0, 2]].tolist() == pytest.approx([0.04, 0.02])
    assert math.isnan(adjusted[1])
    assert np.isnan(holm([np.nan])).all()


def test_holm_against_statsmodels() -> None:
    p = np.random.default_rng(5).random(30) ** 3
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], atol=1e-15)


@pytest.mark.parametrize("p", [[-0.1], [1.1], [[0.1]]])
def test_holm_refuses(p: list) -> None:
    with pytest.raises(ValueError):
        holm(p)


def test_wilson_by_hand() -> None:
    # k = n/2: the middle is 1/2, and half the width is z / (2 sqrt(n + z^2)); z = 1.959964
    z = 1.959963984540054
    low, high = wilson_interval(50, 100)
    assert high - 0.5 == pytest.approx(z / (2 * math.sqrt(100 + z * z)), abs=1e-12)
    assert low == pytest.approx(1 - high)
    # k = 0: from 0 to z^2 / (n + z^2)
    assert wilson_interval(0, 40) == (0.0, pytest.approx(z * z / (40 + z * z)))
    assert wilson_interval(40, 40) == (pytest.approx(40 / (40 + z * z)), 1.0)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (3, 40), (39, 40), (700, 720), (1, 10**6)])
def test_wilson_against_statsmodels(k: int, n: int, level: float) -> None:
    expected = proportion_confint(k, n, alpha=1 - level, method="wilson")
    assert wilson_interval(k, n, level) == pytest.approx(expected, abs=1e-12)


def test_wilson_undefined_and_refused() -> None:
    assert all(math.isnan(end) for end in wilson_interval(0, 0))
    for k, n in ((-1, 3), (4, 3), (1, 2.5)):
        with pytest.raises(ValueError):
            wilson_interval(k, n)  # type: ignore[arg-type]
    for level in (0, 1, 95):
        with pytest.raises(ValueError, match="nível"):
            wilson_interval(1, 3, level)


def test_numpy_counts_are_counts() -> None:
    assert mcnemar_exact(np.int64(1), np.int64(4)) == pytest.approx(0.375)
    assert wilson_interval(np.int64(1), np.int64(2)) == wilson_interval(1, 2)
