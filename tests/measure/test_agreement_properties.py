"""What must hold for any codings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compendio.measure.agreement import (
    cohen_kappa,
    gwet_ac1,
    holm,
    kappa_bootstrap,
    krippendorff_alpha,
    masi_distance,
    mcnemar_counts,
    mcnemar_exact,
    observed_agreement,
    per_category,
    wilson_interval,
)

CATEGORIES = ["a", "b", "c"]
VALUE = st.sampled_from([*CATEGORIES, None])
PAIRS = st.lists(st.tuples(VALUE, VALUE), max_size=40)
TRIPLES = st.lists(st.tuples(VALUE, VALUE, VALUE), min_size=1, max_size=30)
SETS = st.frozensets(st.sampled_from(CATEGORIES))


def columns(rows: list[tuple], width: int) -> list[list]:
    return [[row[k] for row in rows] for k in range(width)]


def same(one: float, two: float) -> bool:
    return (math.isnan(one) and math.isnan(two)) or one == pytest.approx(two, abs=1e-12)


@given(PAIRS)
def test_range_and_reasons(rows: list[tuple]) -> None:
    reference, coder = columns(rows, 2)
    for measure in (cohen_kappa, gwet_ac1):
        for answered_only in (False, True):
            estimate = measure(reference, coder, CATEGORIES, answered_only=answered_only)
            assert math.isnan(estimate.value) == (estimate.reason is not None)
            assert math.isnan(estimate.value) or -1 <= estimate.value <= 1


@given(PAIRS, st.randoms(use_true_random=False), st.permutations(CATEGORIES))
def test_order_of_documents_and_categories_does_not_matter(
    rows: list[tuple], random, names: list[str]
) -> None:
    reference, coder = columns(rows, 2)
    shuffled = list(rows)
    random.shuffle(shuffled)
    renamed = dict(zip([*CATEGORIES, None], [*names, None], strict=True))
    other = [[renamed[value] for value in column] for column in columns(shuffled, 2)]
    for measure in (cohen_kappa, gwet_ac1):
        assert same(measure(reference, coder, CATEGORIES).value, measure(*other, CATEGORIES).value)


@given(PAIRS)
def test_answered_pairs_are_symmetric(rows: list[tuple]) -> None:
    reference, coder = columns(rows, 2)
    for measure in (cohen_kappa, gwet_ac1):
        one = measure(reference, coder, CATEGORIES, answered_only=True)
        two = measure(coder, reference, CATEGORIES, answered_only=True)
        assert same(one.value, two.value) and one.n == two.n


@given(PAIRS)
def test_losing_a_right_answer_never_raises_agreement(rows: list[tuple]) -> None:
    reference, coder = columns(rows, 2)
    right = [i for i, (a, b) in enumerate(rows) if a is not None and a == b]
    if right:
        fewer = list(coder)
        fewer[right[0]] = None
        assert observed_agreement(reference, fewer).value < observed_agreement(reference, coder).value
        assert observed_agreement(reference, fewer).n == observed_agreement(reference, coder).n


@given(PAIRS)
def test_per_category_adds_up(rows: list[tuple]) -> None:
    reference, coder = columns(rows, 2)
    table = per_category(reference, coder, CATEGORIES)
    agreement = observed_agreement(reference, coder)
    assert table["n_referencia"].sum() == agreement.n
    if agreement.n:
        assert table["acertos"].sum() / agreement.n == pytest.approx(agreement.value)


@given(TRIPLES)
def test_mcnemar_counts_mirror(rows: list[tuple]) -> None:
    reference, first, second = columns(rows, 3)
    b, c, n = mcnemar_counts(reference, first, second)
    assert mcnemar_counts(reference, second, first) == (c, b, n)
    hits = [
        sum(r == v for r, v in zip(reference, coder, strict=True) if r is not None)
        for coder in (first, second)
    ]
    assert b - c == hits[0] - hits[1]
    assert 0 < mcnemar_exact(b, c) <= 1


@given(TRIPLES)
def test_alpha_is_at_most_one(rows: list[tuple]) -> None:
    alpha = krippendorff_alpha(columns(rows, 3))
    assert math.isnan(alpha.value) == (alpha.reason is not None)
    assert math.isnan(alpha.value) or alpha.value <= 1


@given(SETS, SETS)
def test_masi_is_a_distance_from_0_to_1(a: frozenset, b: frozenset) -> None:
    assert masi_distance(a, b) == masi_distance(b, a)
    assert 0 <= masi_distance(a, b) <= 1
    assert (masi_distance(a, b) == 0) == (a == b)
    assert (masi_distance(a, b) == 1) == (not a & b and a != b)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_lowers_and_keeps_the_order(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= np.array(p)).all() and (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_mirrors(counts: tuple[int, int]) -> None:
    k, n = counts
    low, high = wilson_interval(k, n)
    assert 0 <= low <= k / n <= high <= 1
    assert wilson_interval(n - k, n) == (
        pytest.approx(1 - high, abs=1e-12),
        pytest.approx(1 - low, abs=1e-12),
    )


@settings(max_examples=50, deadline=None)
@given(TRIPLES, st.integers(0, 2**32 - 1))
def test_bootstrap_says_what_the_single_measures_say(rows: list[tuple], seed: int) -> None:
    reference, first, second = columns(rows, 3)
    result = kappa_bootstrap(reference, {"x": first, "y": second}, CATEGORIES, B=30, seed=seed)
    for row, coder in zip(result.coders.itertuples(), (first, second), strict=True):
        main = cohen_kappa(reference, coder, CATEGORIES)
        assert same(row.kappa, main.value) and row.n == main.n and row.motivo == main.reason
        assert math.isnan(row.ic_inf) or -1 <= row.ic_inf <= row.ic_sup <= 1
        assert math.isnan(row.indefinidas) == (row.n == 0)
    both = [row for row in rows if None not in row]
    reference, first, second = columns(both, 3)
    one, two = (cohen_kappa(reference, coder, CATEGORIES).value for coder in (first, second))
    assert same(result.differences.loc[0, "diferenca"], one - two)
    assert result.differences.loc[0, "n"] == len(both)
