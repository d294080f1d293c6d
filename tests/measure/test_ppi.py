"""Shares of a category: worked out by hand, and against values of ppi_py (benchmarks/freeze_ppi.py)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pytest import approx

from compendio.measure.inference import wilson_interval
from compendio.measure.ppi import (
    SEM_MAQUINA,
    SEM_OUTROS,
    SEM_PAR,
    SEM_REFERENCIA,
    UM_PAR,
    corrected_share,
    hand_share,
    naive_share,
)

FROZEN = json.loads((Path(__file__).parent / "frozen_ppi.json").read_text(encoding="utf-8"))
#: A corpus so large that what is drawn from it is nothing.
ENDLESS = 10**15
NAN = math.nan


def codings(
    both: int, hand: int, machine: int, none: int, yes: int, no: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Machine and hand codes: by counts where there are both, then of the machine alone."""
    y = np.repeat([1.0, 1, 0, 0, NAN, NAN], [both, hand, machine, none, yes, no])
    f = np.repeat([1.0, 0, 1, 0, 1, 0], [both, hand, machine, none, yes, no])
    return f, y


# Hand and machine agree on 2 yes and 2 no, differ on 1 and 1; of 4 others the machine says yes to 3.
F, Y = codings(2, 1, 1, 2, 3, 1)


def test_the_corrected_share_by_hand() -> None:
    share = corrected_share(F, Y, corpus=10)
    # By hand 3/6, by the machine 3/6 there; covariance 2/6 - 1/4 = 1/12 over variance 1/4: weight 1/3.
    assert share.weight == approx(1 / 3)
    # The machine says yes to 6 of 10: 1/2 + 1/3 (6/10 - 1/2).
    assert (share.value, share.n) == (approx(1 / 2 + 1 / 30), 6)
    # Variance of hand - weight * machine: 1/4 - (1/12)²/(1/4) = 2/9; all 10 coded: (1/6 - 1/10) 2/9, times 6/5.
    assert share.se == approx(math.sqrt(6 / 5 * (1 / 6 - 1 / 10) * 2 / 9))
    # With half a document in each cell: 2.5, 1.5, 1.5, 2.5 of 8: covariance 1/16, weight 1/4, variance of the
    # rest 1/4 - 1/64 = 15/64; 1/4 over (1/6 - 1/10) 15/64 = 1/64: sixteen documents.
    assert share.effective == approx(16)
    # Wilson with 16 documents and z² = 3.841459: middle (16 (8/15) + 1.920729)/19.841459 = 0.526880; half
    # sqrt(3.841459 (16 (8/15)(7/15) + 0.960365))/19.841459 = 4.357377/19.841459 = 0.219610.
    assert (share.low, share.high) == (approx(0.307270, abs=1e-6), approx(0.746490, abs=1e-6))


def test_a_larger_corpus_adds_the_draw_of_the_documents_that_the_machine_coded() -> None:
    share = corrected_share(F, Y, corpus=40)
    # (1/10 - 1/40) (1/2)(1/2) + (1/6 - 1/10) 2/9, times 6/5.
    assert share.se == approx(math.sqrt(6 / 5 * (3 / 40 / 4 + (1 / 6 - 1 / 10) * 2 / 9)))
    # With the halves: 1/4 over 3/40 (1/4) + 1/64.
    assert share.effective == approx(0.25 / (3 / 160 + 1 / 64))
    assert share.value == corrected_share(F, Y, corpus=10).value


def test_the_corrected_share_is_that_of_double_sampling() -> None:
    # Tenenbein (1970): 30% yes by hand among the machine's yes (3 of 10), 10% among its no (4 of 40), weighted by
    # the machine's yes and no everywhere (40 and 160 of 200).
    f, y = codings(3, 4, 7, 36, 30, 120)
    assert corrected_share(f, y, corpus=200).value == approx(0.3 * 40 / 200 + 0.1 * 160 / 200)


def test_each_interval_without_end_is_wilsons() -> None:
    assert (hand_share(Y, ENDLESS).low, hand_share(Y, ENDLESS).high) == approx(wilson_interval(3, 6))
    naive = naive_share(F, ENDLESS)
    assert (naive.value, naive.n, naive.low, naive.high) == approx((0.6, 10, *wilson_interval(6, 10)))
    assert naive.se == approx(math.sqrt(0.6 * 0.4 / 9))


def test_a_small_corpus_makes_intervals_narrow_and_a_whole_one_makes_them_points() -> None:
    # Of 12 documents 6 were coded: half of what an endless corpus leaves to chance, so 12 documents' worth.
    half = hand_share(Y, corpus=12)
    assert half.effective == approx(12)
    assert (half.low, half.high) == approx(wilson_interval(6, 12))
    assert half.se == approx(math.sqrt((1 - 6 / 12) * 0.25 / 5))
    whole = hand_share(Y, corpus=6)
    assert (whole.low, whole.value, whole.high, whole.se) == (0.5, 0.5, 0.5, 0)
    # The machine's share of a whole corpus has no sampling error either, however wrong it is.
    assert (naive_share(F, 10).low, naive_share(F, 10).high) == (0.6, 0.6)


def test_probabilities_weigh_the_hand_codes() -> None:
    # Four disputed documents all coded (3 yes), two of eight others drawn (one yes): 3 + 4·1 of 4 + 4·2.
    hand, probability = [1, 1, 1, 0, 1, 0], [1, 1, 1, 1, 0.25, 0.25]
    share = hand_share(hand, 12, probability)
    assert share.value == approx(7 / 12)
    # Only the two drawn are left to chance: 3/4 · 16 · ((5/12)² + (7/12)²) / 12², times 6/5.
    assert share.se == approx(math.sqrt(6 / 5 * 12 * (25 + 49) / 144 / 144))
    assert share.effective == approx(144 / (2 * 12))
    # The machine says yes to the first two and to five of the eight, one of them coded yes by hand: 7 of 12;
    # of the coded, weighted, 2 + 4 of 12. Weight: only the two drawn tell (hand 5/12, -7/12; machine 1/2,
    # -1/2 from their means): (5/24 + 7/24) / (1/4 + 1/4) = 1.
    machine = [1, 1, 0, 0, 1, 0] + [1] * 4 + [0] * 2
    coded = [*hand, *[NAN] * 6]
    found = corrected_share(machine, coded, 12, [*probability, *[NAN] * 6])
    assert (found.weight, found.value) == (approx(1), approx(7 / 12 + 1 * (7 / 12 - 6 / 12)))
    # e = 1 or 0 less weighted mean 1/12: both drawn have e = 0; e - mean = -1/12 each.
    assert found.se == approx(math.sqrt(6 / 5 * 12 * 2 / 144 / 144))


def test_equal_probabilities_are_a_simple_random_sample() -> None:
    plain, said = corrected_share(F, Y, 40), corrected_share(F, Y, 40, np.full(10, 0.6))
    for name in ("value", "low", "high", "effective", "se", "weight"):
        assert getattr(said, name) == approx(getattr(plain, name))
    assert hand_share(Y, 12, np.full(10, 0.5)).effective == approx(12)


def test_a_machine_that_is_of_no_use_gives_the_share_by_hand() -> None:
    for counts in ((0, 3, 3, 0, 4, 0), (3, 3, 3, 3, 4, 4), (0, 3, 0, 3, 0, 4), (3, 0, 3, 0, 4, 0)):
        f, y = codings(*counts)
        share, hand = corrected_share(f, y, len(f)), hand_share(y, len(f))
        assert (share.weight, share.value) == (0, approx(hand.value))
        assert (share.low, share.high) == approx((hand.low, hand.high))


def test_a_sample_without_errors_does_not_give_certainty() -> None:
    f, y = codings(10, 0, 0, 90, 90, 810)
    share = corrected_share(f, y, 1000)
    assert (share.value, share.weight, share.se) == (approx(0.1), approx(1), approx(0, abs=1e-9))
    assert share.low < 0.09 and share.high > 0.11
    # Nor does a category that neither has seen.
    f, y = codings(0, 0, 0, 100, 0, 900)
    share, hand = corrected_share(f, y, 1000), hand_share(y, 1000)
    assert share.value == share.low == 0 and 0 < share.high < hand.high


def test_what_cannot_be_estimated_says_why() -> None:
    cases = [
        (naive_share([NAN, NAN], 5), SEM_MAQUINA, 0),
        (hand_share([], 5), SEM_REFERENCIA, 0),
        (corrected_share([1, 0], [NAN, NAN], 5), SEM_PAR, 0),
        (corrected_share([], [], 5), SEM_PAR, 0),
        (corrected_share([1, 0], [NAN, 1], 5), UM_PAR, 1),
        (corrected_share([1, 0], [1, 1], 5), SEM_OUTROS, 2),
        (corrected_share([1, 0, 1], [1, 1, NAN], 3, [1, 1, NAN]), SEM_OUTROS, 2),
    ]
    for share, reason, n in cases:
        assert (share.reason, share.n) == (reason, n)
        assert all(math.isnan(x) for x in (share.value, share.low, share.high))
    one = hand_share([1], 5)
    assert one.reason is None and one.low < 1 and math.isnan(one.se)


def test_codes_that_are_none_are_refused() -> None:
    for call in (
        lambda: naive_share([0, 2], 5),
        lambda: hand_share([0, 1], 1),
        lambda: hand_share([0, 1], 5, [0.5, 0]),
        lambda: hand_share([0, 1], 5, [0.5]),
        lambda: corrected_share([0, NAN], [0, 1], 5),
        lambda: corrected_share([0, 1], [0, 1, NAN], 5),
        lambda: corrected_share([0, 1, 1], [0, 1, NAN], 2),
        lambda: naive_share([0, 1], 5, level=1),
    ):
        with pytest.raises(ValueError):
            call()


def _frozen(case: dict[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.float64], float, int]:
    """Machine and hand codes of all documents, our weight for its lambda, and the labelled."""
    n, others = len(case["hand"]), len(case["others"])
    machine = np.array(case["machine"] + case["others"])
    hand = np.array(case["hand"] + [NAN] * others)
    return machine, hand, case["lam"] * (n + others) / others, n


@pytest.mark.parametrize("case", FROZEN["equal"])
def test_ppi_py_where_the_machine_says_the_category_equally_often(case: dict[str, Any]) -> None:
    machine, hand, _, n = _frozen(case)
    m, share = len(machine), corrected_share(machine, hand, ENDLESS)
    assert share.value == approx(case["point"], abs=1e-12)
    # Its variance of the machine's codes is over m - 1.
    assert share.weight * len(case["others"]) / m * (m - 1) / m == approx(case["lam"], abs=1e-12)
    weighted = corrected_share(machine, hand, ENDLESS, weight=case["lam"] * m / len(case["others"]))
    assert weighted.se * math.sqrt((n - 1) / n) == approx(case["se"], abs=1e-9)
    assert share.se * math.sqrt((n - 1) / n) == approx(case["se"], rel=1e-5)


@pytest.mark.parametrize("case", FROZEN["given"] + FROZEN["tuned"])
def test_ppi_py_on_drawn_codings(case: dict[str, Any]) -> None:
    machine, hand, weight, n = _frozen(case)
    share = corrected_share(machine, hand, ENDLESS, weight=weight)
    assert share.value == approx(case["point"], abs=1e-12)
    assert share.se * math.sqrt((n - 1) / n) == approx(case["se"], rel=0.01)
    assert corrected_share(machine, hand, ENDLESS).se <= share.se + 1e-12  # ours is the tightest


@pytest.mark.parametrize("case", FROZEN["tuned"])
def test_the_weight_found_is_near_that_of_ppi_py(case: dict[str, Any]) -> None:
    machine, hand, _, _ = _frozen(case)
    assert corrected_share(machine, hand, ENDLESS).value == approx(case["point"], abs=0.002)


@pytest.mark.parametrize("case", FROZEN["weighted"])
def test_ppi_py_with_weights(case: dict[str, Any]) -> None:
    machine, n = np.array(case["others"]), len(case["hand"])
    hand = np.array(case["hand"] + [NAN] * (len(machine) - n))
    probability = np.full(len(machine), NAN)
    probability[:n] = 0.9 / np.array(case["weights"])
    share = corrected_share(machine, hand, ENDLESS, probability, weight=case["lam"])
    assert share.value == approx(case["point"], abs=1e-12)


counts = st.lists(st.integers(0, 40), min_size=6, max_size=6)


@settings(max_examples=200, deadline=None)
@given(counts, st.integers(0, 1000))
@example([4, 0, 0, 1, 0, 1], 0)  # the machine is right each time: the weight is 1, give or take a rounding
def test_shares_and_intervals_are_within_bounds(numbers: list[int], further: int) -> None:
    both, hand, machine, none, yes, no = numbers
    assume(both + hand + machine + none >= 2 and yes + no >= 1)
    f, y = codings(both, hand, machine, none, yes, no)
    share = corrected_share(f, y, len(f) + further)
    assert 0 <= share.low <= share.value <= share.high <= 1 and 0 <= share.weight <= 1 + 1e-12
    assert share.low < share.high and share.se >= 0 and share.effective > 0
    # Yes and no are one question: the share of no is what is left.
    other = corrected_share(1 - f, 1 - y, len(f) + further)
    assert (other.value, other.low, other.high) == approx((1 - share.value, 1 - share.high, 1 - share.low))
