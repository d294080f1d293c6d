"""The draws themselves, the percentiles, and ratios pooled over decisions."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

from compendio.measure.resample import pattern_counts, percentile_intervals, ratio_bootstrap, resampled_counts


@pytest.mark.parametrize("n", [1, 2, 7, 200, 65_536, 65_537])
def test_every_replicate_draws_n_documents(n: int) -> None:
    counts = np.concatenate(list(resampled_counts(n, 5, seed=1)))
    assert counts.shape == (5, n)
    assert (counts.sum(axis=1) == n).all()


def test_replicates_are_all_there_across_pieces() -> None:
    pieces = list(resampled_counts(200, 10_000, seed=1))
    assert len(pieces) > 1
    assert sum(map(len, pieces)) == 10_000


def test_draws_are_uniform_and_independent() -> None:
    counts = np.concatenate(list(resampled_counts(20, 20_000, seed=2)))
    assert chisquare(counts.sum(axis=0)).pvalue > 0.001
    # counts of one draw of 20 among 20: Poisson-like, variance 1 - 1/20, covariance -1/20
    covariance = np.cov(counts.T)
    assert np.diag(covariance).mean() == pytest.approx(0.95, abs=0.01)
    assert covariance[~np.eye(20, dtype=bool)].mean() == pytest.approx(-0.05, abs=0.005)
    lagged = np.mean((counts[1:] - 1) * (counts[:-1] - 1))  # rows after each other
    assert abs(lagged) < 0.005


def test_same_seed_same_draws() -> None:
    one, two, other = (next(resampled_counts(50, 10, seed)) for seed in (3, 3, 4))
    assert (one == two).all() and (one != other).any()


def test_patterns_are_drawn_by_their_share() -> None:
    multiplicity = np.array([700, 200, 99, 1])
    counts = np.concatenate(list(pattern_counts(multiplicity, 20_000, seed=2))).astype(float)
    assert (counts.sum(axis=1) == 1000).all()
    np.testing.assert_allclose(counts.mean(axis=0), multiplicity, rtol=0.03)
    shares = multiplicity / 1000
    np.testing.assert_allclose(counts.var(axis=0), 1000 * shares * (1 - shares), rtol=0.05)


def test_memory_does_not_grow_with_replications() -> None:
    peaks = []
    for replications in (3_000, 30_000):
        tracemalloc.start()
        for counts in resampled_counts(1_000, replications, seed=1):
            del counts
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]
    assert peaks[1] < 10 * 2**20


def test_percentiles_by_hand() -> None:
    # 0, 1, ..., 100: the 2.5th and 97.5th percentiles are 2.5 and 97.5
    values = np.arange(101.0)
    with_holes = np.concatenate([values, [np.nan] * 101])
    low, high, undefined = percentile_intervals(np.stack([with_holes, np.concatenate([values, values])]))
    assert (low[0], high[0], undefined[0]) == (pytest.approx(2.5), pytest.approx(97.5), 0.5)
    assert undefined[1] == 0
    low, high, undefined = percentile_intervals(np.full((1, 4), np.nan))
    assert math.isnan(low[0]) and math.isnan(high[0]) and undefined[0] == 1


def test_ratio_of_one_decision_a_document_is_the_plain_bootstrap() -> None:
    hits = np.array([1] * 30 + [0] * 20)
    row = ratio_bootstrap(hits, np.ones(50), np.arange(50), B=20_000, seed=1).iloc[0]
    assert row["valor"] == 0.6
    # binomial(50, .6)/50: 2.5% and 97.5% quantiles are 23/50 and 37/50 (scipy binom.ppf)
    assert (row["ic_inf"], row["ic_sup"]) == (pytest.approx(0.46), pytest.approx(0.74))
    assert (row["indefinidas"], row["denominador"], row["documentos"]) == (0, 50, 50)


def test_documents_are_drawn_not_decisions() -> None:
    # Five decisions a document, all alike within it: as wide as one decision a document.
    hits = np.repeat([1] * 30 + [0] * 20, 5)
    documents = np.repeat(np.arange(50), 5)
    clustered = ratio_bootstrap(hits, np.ones(250), documents, B=20_000, seed=1).iloc[0]
    by_decision = ratio_bootstrap(hits, np.ones(250), np.arange(250), B=20_000, seed=1).iloc[0]
    assert (clustered["ic_inf"], clustered["ic_sup"]) == (pytest.approx(0.46), pytest.approx(0.74))
    width = clustered["ic_sup"] - clustered["ic_inf"]
    assert (by_decision["ic_sup"] - by_decision["ic_inf"]) / width == pytest.approx(1 / math.sqrt(5), rel=0.1)


def test_ratio_columns_share_their_resamples() -> None:
    hits = np.array([1, 0, 1, 1, 0, 1])
    table = ratio_bootstrap(np.stack([hits, hits, 1 - hits], axis=1), np.ones(6), list("aabbcc"), B=500)
    assert table.loc[0].equals(table.loc[1])
    assert table.loc[0, "ic_inf"] == pytest.approx(1 - table.loc[2, "ic_sup"])


def test_ratio_of_a_rare_kind_reports_undefined_replicates() -> None:
    # The kind occurs in one document of four: absent from (3/4)^4 of the resamples.
    kind = np.array([[1, 0], [0, 0], [0, 0], [0, 0]])
    table = ratio_bootstrap(kind, kind, list("abcd"), B=20_000, seed=3)
    assert table.loc[0, "valor"] == 1
    assert table.loc[0, "indefinidas"] == pytest.approx(0.75**4, abs=0.01)
    assert math.isnan(table.loc[1, "valor"]) and "denominador" in table.loc[1, "motivo"]
    assert math.isnan(table.loc[1, "indefinidas"])
    assert table.loc[0, "motivo"] is None


def test_ratio_refuses_what_it_cannot_read() -> None:
    with pytest.raises(ValueError, match="ausentes"):
        ratio_bootstrap([1, np.nan], [1, 1], ["a", "b"])
    with pytest.raises(ValueError, match="documento"):
        ratio_bootstrap([1, 1], [1, 1], ["a"])
    with pytest.raises(ValueError, match="documento"):
        ratio_bootstrap([1, 1], [1, 1], ["a", None])
    with pytest.raises(ValueError, match="réplicas"):
        ratio_bootstrap([1], [1], ["a"], B=0)
    with pytest.raises(ValueError, match="nível"):
        ratio_bootstrap([1], [1], ["a"], level=95)


def test_ratio_takes_columns_of_a_frame() -> None:
    frame = pd.DataFrame({"documento": ["a", "a", "b"], "acerto": [True, False, True]})
    assert (
        ratio_bootstrap(frame["acerto"], frame["acerto"] * 0 + 1, frame["documento"], B=50)["valor"][0]
        == 2 / 3
    )
