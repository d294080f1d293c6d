"""Mean, coordinate median and trimmed mean: by hand, with one mask for all."""

from __future__ import annotations

import numpy as np
import pytest

from compendio.erros import ErroDeEstudo
from compendio.robust import aggregate
from compendio.robust.aggregate import NO_JUDGE, coordinate_median, mean, trimmed_mean


def test_three_aggregators_by_hand() -> None:
    # One query, five judges. First dimension 0 1 2 3 10: mean 16/5 = 3.2, median 2, without the ends 6/3 = 2.
    # Second 5 5 5 5 0: mean 4, median 5, without the ends (0 and one 5) 5.
    x = np.array([[[0, 5], [10, 5], [1, 5], [2, 5], [3, 0]]])
    np.testing.assert_allclose(mean(x).valor, [[3.2, 4]])
    np.testing.assert_allclose(coordinate_median(x).valor, [[2, 5]])
    np.testing.assert_allclose(trimmed_mean(x, 0.2).valor, [[2, 5]])


def test_even_panel_has_the_mean_of_the_middle_two() -> None:
    np.testing.assert_allclose(coordinate_median([[[1.0], [9], [2], [4]]]).valor, [[3]])


def test_trimmed_mean_with_too_few_judges_to_trim_is_the_mean() -> None:
    x = np.random.default_rng(0).normal(size=(20, 3, 2))
    np.testing.assert_allclose(trimmed_mean(x, 0.25).valor, mean(x).valor)
    np.testing.assert_allclose(trimmed_mean(x, 1 / 3).valor, np.median(x, axis=1))


def test_share_to_trim_survives_floating_point() -> None:
    # 0.29 * 100 is 28.999999999999996: all 29 huge grades must go, so that only zeros stay.
    x = np.zeros((1, 100, 1))
    x[0, -29:] = 1e9
    assert trimmed_mean(x, 0.29).valor[0, 0] == 0
    assert trimmed_mean(x, 0.28).valor[0, 0] > 0


@pytest.mark.filterwarnings("ignore::compendio.robust.aggregate.AvisoDePainel")
def test_a_judge_with_one_missing_dimension_is_out_in_every_aggregator() -> None:
    x = np.array([[[1, 1], [3, 3], [100, np.nan]]], dtype=float)
    for result in aggregate.all_aggregates(x).values():
        np.testing.assert_allclose(result.valor, [[2, 2]])
        assert result.juizes.tolist() == [2]


def test_no_judge_is_nan_with_its_reason() -> None:
    x = np.full((2, 3, 2), np.nan)
    x[1] = 1
    for function in (mean, coordinate_median, trimmed_mean):
        result = function(x)
        assert np.isnan(result.valor[0]).all() and result.motivo.tolist() == [NO_JUDGE, None]
        np.testing.assert_array_equal(result.valor[1], [1, 1])


@pytest.mark.filterwarnings("ignore::compendio.robust.aggregate.AvisoDePainel")
def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(size=(700, 5, 3))
    x[rng.random(x.shape) < 0.05] = np.nan
    whole = {name: r.valor for name, r in aggregate.all_aggregates(x).items()}
    monkeypatch.setattr(aggregate, "CHUNK_VALUES", {"small": 1, "large": 1})  # the smallest chunk: 64 queries
    for name, result in aggregate.all_aggregates(x).items():
        np.testing.assert_allclose(result.valor, whole[name], atol=1e-12, err_msg=name)


@pytest.mark.parametrize("beta", [-0.1, 0.5, 1])
def test_share_that_leaves_nobody_is_refused(beta: float) -> None:
    with pytest.raises(ErroDeEstudo, match="média aparada"):
        trimmed_mean(np.zeros((1, 3, 1)), beta)
