"""The Monte Carlo machinery: known values recovered, intervals that cover, settings that pair."""

from __future__ import annotations

import numpy as np
import pytest

from compendio.robust.experiment import (
    Setting,
    compare,
    effective_judges,
    effective_judges_simulated,
    median_interval,
    run,
    simulate,
    summarise,
    vary,
)

SMALL = Setting(consultas=50, replicas=20, dimensoes=3)


def test_mean_of_independent_judges_errs_by_sigma_over_root_n() -> None:
    # 0.5 / sqrt(10) = 0.1581.
    table = summarise(run([SMALL], 1), ["juizes"]).set_index("agregador")
    assert table.loc["media", "rmse"] == pytest.approx(0.1581, abs=0.01)
    assert table.loc["media", "ic_baixo"] <= 0.1581 <= table.loc["media", "ic_alto"]


def test_bias_of_the_mean_is_share_times_shift() -> None:
    # 2 of 10 judges 10 scales (40 grades) away: 0.2 * 40 = 8 grades of bias, against an error of 0.16.
    setting = vary(SMALL, regime=["cauchy"], numero=[2], dispersao=[0.0])
    table = summarise(run(setting, 1), ["numero"]).set_index("agregador")["rmse"]
    assert table["media"] == pytest.approx(8, abs=0.05)
    assert table["mediana_geometrica"] < 0.5


def test_order_statistics_of_the_median() -> None:
    # n = 20: P(Binomial(20, 1/2) <= 5) = 0.0207, P(<= 6) = 0.0577: the 6th and the 15th cover 95.9%.
    assert median_interval(np.arange(1.0, 21)) == (10.5, 6, 15)
    # n = 6: only the whole range covers 95% (96.9%).
    assert median_interval(np.array([3.0, 1, 2, 6, 5, 4])) == (3.5, 1, 6)


def test_interval_of_the_median_covers_as_it_says() -> None:
    rng = np.random.default_rng(0)
    hits = [
        low <= 0 <= high for _, low, high in (median_interval(rng.standard_cauchy(20)) for _ in range(1000))
    ]
    assert np.mean(hits) == pytest.approx(0.959, abs=0.02)


def test_settings_share_their_honest_grades() -> None:
    clean, spoiled = vary(SMALL, numero=[0, 3])
    np.testing.assert_array_equal(simulate(clean, 5)[1], simulate(spoiled, 5)[1])
    assert simulate(spoiled, 5)[3].sum() == 3 * 1000


def test_vary_takes_every_combination() -> None:
    made = vary(SMALL, juizes=[3, 5], taxa=[0.0, 0.1, 0.2])
    assert len(made) == 6 and {(s.juizes, s.taxa) for s in made} == {
        (n, t) for n in (3, 5) for t in (0, 0.1, 0.2)
    }


def test_compare_pairs_replicates() -> None:
    runs = run([SMALL], 3)
    by_hand = np.median(
        runs[runs["agregador"] == "mediana_geometrica"]["rmse"].to_numpy()
        / runs[runs["agregador"] == "media"]["rmse"].to_numpy()
    )
    assert compare(runs, ["juizes"], "mediana_geometrica", "media")["razao"].iloc[0] == pytest.approx(by_hand)


def test_effective_judges_by_hand_and_by_simulation() -> None:
    # 13 / (1 + 12 * 0.5) = 1.857; independent judges count in full, identical ones as one.
    assert effective_judges(13, 0.5) == pytest.approx(13 / 7)
    assert effective_judges(7, 0) == 7 and effective_judges(7, 1) == 1
    table = effective_judges_simulated(vary(SMALL, juizes=[4], correlacao=[0.0, 0.5]), 2)
    assert table["simulado"].to_numpy() == pytest.approx([4, 4 / 2.5], rel=0.1)
