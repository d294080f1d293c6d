"""Coverage of the intervals by simulation, against known truth, at the sample sizes that people use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from compendio.measure.ppi import Share, corrected_share, hand_share, naive_share

REPLICATES = 2000
#: Standard error of a coverage of 95% over that many replicates: 0.5%.
Codes = NDArray[np.float64]


def corpus(size: int, share: float, found: float, spared: float) -> tuple[Codes, Codes]:
    """What is true, and what a machine says that finds `found` of the yes and spares `spared` of the no."""
    yes = round(size * share)
    right, wrong = round(yes * found), round((size - yes) * (1 - spared))
    truth = np.repeat([1.0, 1, 0, 0], [right, yes - right, wrong, size - yes - wrong])
    machine = np.repeat([1.0, 0, 1, 0], [right, yes - right, wrong, size - yes - wrong])
    return truth, machine


def covered(truth: float, shares: list[Share]) -> float:
    return float(np.mean([share.low <= truth <= share.high for share in shares]))


def shares_of_draws(size: int, m: int, n: int, of: tuple[float, float, float], seed: int) -> dict[str, float]:
    """Coverage of each interval where m of `size` documents are coded by the machine, n of these by hand."""
    truth, said = corpus(size, *of)
    rng = np.random.default_rng(seed)
    found: dict[str, list[Share]] = {"naive": [], "hand": [], "corrected": []}
    for _ in range(REPLICATES):
        drawn = rng.choice(size, m, replace=False) if m < size else rng.permutation(size)
        machine, hand = said[drawn], truth[drawn].copy()
        hand[n:] = math.nan
        found["naive"].append(naive_share(machine, size))
        found["hand"].append(hand_share(hand, size))
        found["corrected"].append(corrected_share(machine, hand, size))
    return {name: covered(float(truth.mean()), shares) for name, shares in found.items()}


@pytest.mark.lento
@pytest.mark.parametrize(
    ("size", "m", "of"),
    [
        (4000, 4000, (0.3, 0.8, 0.9)),
        (4000, 4000, (0.1, 0.7, 0.95)),
        (4000, 4000, (0.05, 0.8, 0.98)),
        (4000, 400, (0.3, 0.8, 0.9)),
        (300, 300, (0.3, 0.8, 0.9)),
        (300, 300, (0.05, 0.8, 0.98)),
    ],
)
def test_coverage_at_two_hundred(size: int, m: int, of: tuple[float, float, float]) -> None:
    found = shares_of_draws(size, m, 200, of, seed=2026)
    assert 0.93 <= found["corrected"] <= 0.97
    assert 0.93 <= found["hand"] <= 0.97
    # The naive share says 31%, 11.5% or 5.9% where 30%, 10% or 5% are: only where few documents were coded is its
    # interval wide enough to hold the truth at all.
    assert found["naive"] == 0 if m == size else found["naive"] > 0.9


@pytest.mark.lento
def test_coverage_with_few_documents_and_with_a_machine_that_hardly_errs() -> None:
    # Wald's interval would hold the truth in 71% and 25% of these (n = 50).
    assert shares_of_draws(4000, 4000, 50, (0.05, 0.8, 0.98), seed=1)["corrected"] >= 0.93
    assert shares_of_draws(4000, 4000, 50, (0.2, 0.99, 0.995), seed=2)["corrected"] >= 0.93


@pytest.mark.lento
def test_coverage_where_the_disputed_documents_are_all_coded_by_hand() -> None:
    # 100 disputed documents of 1000, in which the machine errs more; of the other 900, 150 drawn.
    disputed, said_there = corpus(100, 0.5, 0.6, 0.6)
    agreed, said_here = corpus(900, 0.2, 0.9, 0.95)
    truth, said = np.concatenate([disputed, agreed]), np.concatenate([said_there, said_here])
    probability = np.repeat([1, 150 / 900], [100, 900])
    rng = np.random.default_rng(2026)
    found = []
    for _ in range(REPLICATES):
        hand = np.full(1000, math.nan)
        drawn = np.concatenate([np.arange(100), 100 + rng.choice(900, 150, replace=False)])
        hand[drawn] = truth[drawn]
        found.append((corrected_share(said, hand, 1000, probability), hand_share(hand, 1000, probability)))
    corrected, by_hand = ([pair[k] for pair in found] for k in (0, 1))
    assert np.mean([share.value for share in corrected]) == pytest.approx(truth.mean(), abs=0.002)
    assert np.mean([share.value for share in by_hand]) == pytest.approx(truth.mean(), abs=0.002)
    # Poisson's form of the variance does not know that the strata are of fixed size: cautious.
    assert 0.94 <= covered(float(truth.mean()), corrected) <= 0.99
