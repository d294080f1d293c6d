"""Simulated panels and failures: shapes, moments, and each regime's definition."""

from __future__ import annotations

import numpy as np
import pytest

from compendio.erros import ErroDeEstudo
from compendio.robust.corruption import REGIMES, Failure, corrupt, honest_panel, who_fails


def panel(seed: int = 0, **options: float) -> tuple[np.ndarray, np.ndarray]:
    return honest_panel(4000, 4, 2, np.random.default_rng(seed), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("gamma", [0.0, 0.3, 0.9])
def test_honest_errors_have_the_deviation_and_correlation_asked_for(gamma: float) -> None:
    truth, scores = panel(sigma=0.5, correlation=gamma)
    error = (scores - truth[:, None, :]).transpose(1, 0, 2).reshape(4, -1)
    assert error.mean() == pytest.approx(0, abs=0.02)
    assert error.std(axis=1) == pytest.approx(np.full(4, 0.5), abs=0.02)
    assert np.corrcoef(error)[np.triu_indices(4, 1)] == pytest.approx(np.full(6, gamma), abs=0.04)
    assert truth.min() >= 0 and truth.max() <= 4


def test_rate_and_number_of_those_who_fail() -> None:
    rng = np.random.default_rng(0)
    assert who_fails(5000, 6, rng, rate=0.3).mean() == pytest.approx(0.3, abs=0.01)
    exact = who_fails(5000, 6, rng, number=2)
    assert (exact.sum(axis=1) == 2).all()
    assert exact.mean(axis=0) == pytest.approx(np.full(6, 2 / 6), abs=0.03)  # nobody is favoured
    assert not who_fails(10, 3, rng, rate=0).any() and who_fails(10, 3, rng, rate=1).all()
    with pytest.raises(ErroDeEstudo, match="taxa"):
        who_fails(10, 3, rng, rate=1.5)


def test_regimes_by_definition() -> None:
    truth, scores = panel()
    failing = who_fails(4000, 4, np.random.default_rng(1), number=1)
    made = {
        name: corrupt(scores, failing, Failure(name), np.random.default_rng(2), truth=truth)
        for name in REGIMES
    }
    for name, wrong in made.items():
        np.testing.assert_array_equal(wrong[~failing], scores[~failing], err_msg=name)
    assert (made["zeros"][failing] == 0).all()
    np.testing.assert_allclose(made["invertido"][failing], 4 - scores[failing])
    assert set(np.unique(made["bimodal"][failing])) == {0, 4}
    assert made["bimodal"][failing].mean() == pytest.approx(2, abs=0.1)
    # A standard Cauchy has median 0 and half of its absolute values below 1: here 40 grades, and 4.
    jump = (made["cauchy"] - scores)[failing]
    assert np.median(jump) == pytest.approx(40, abs=0.3)
    assert np.median(np.abs(jump - 40)) == pytest.approx(4, abs=0.3)
    noise = (made["ruido"] - truth[:, None, :])[failing]
    assert noise.mean() == pytest.approx(0, abs=0.1) and noise.std() == pytest.approx(2, abs=0.1)


def test_scales_by_dimension_and_missing_grades() -> None:
    scores = np.array([[[1.0, 20.0], [np.nan, np.nan]]])
    everyone = np.ones((1, 2), dtype=bool)
    scale = (np.array([0.0, 0.0]), np.array([4.0, 100.0]))
    wrong = corrupt(scores, everyone, Failure("invertido"), np.random.default_rng(0), scale=scale)
    np.testing.assert_array_equal(wrong, [[[3, 80], [np.nan, np.nan]]])


def test_the_same_seed_gives_the_same_panel() -> None:
    np.testing.assert_array_equal(panel(3)[1], panel(3)[1])
    assert (panel(3)[1] != panel(4)[1]).any()


def test_what_a_user_gets_wrong() -> None:
    with pytest.raises(ErroDeEstudo, match="regime de falha"):
        Failure("zero")
    with pytest.raises(ErroDeEstudo, match="ruido"):
        corrupt(np.zeros((1, 2, 1)), np.ones((1, 2), bool), Failure("ruido"), np.random.default_rng(0))
