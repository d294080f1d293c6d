"""Where geometric medians go wrong: vertices, 120 degrees, duplicates, a judge 10**12 away, lines, NaN."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from compendio.erros import ErroDeEstudo
from compendio.robust.aggregate import NO_JUDGE, AvisoDePainel, geometric_median
from compendio.robust.geometric_median import subgradient_norm

METHODS = ["exact", "weiszfeld"]


def median(panel: object, method: str = "exact", **options: object) -> np.ndarray:
    return geometric_median(np.asarray(panel, dtype=float)[None], method=method, **options).valor[0]  # type: ignore[arg-type]


def residual(panel: object, z: np.ndarray) -> float:
    return float(subgradient_norm(np.asarray(panel, dtype=float)[None], z[None])[0])


@pytest.mark.parametrize("method", METHODS)
def test_mean_on_a_judges_own_vector(method: str) -> None:
    # The mean is (0,0), which is a judge: 1/distance divides by zero there. It is also the median (symmetry).
    panel = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]]
    np.testing.assert_allclose(median(panel, method), [0, 0], atol=1e-12)


def test_mean_on_a_judge_that_is_not_the_median() -> None:
    # Mean (0,0) is the first judge, but the others pull it with norm above 1: plain Weiszfeld that stops
    # there would be wrong. (-1,-1), (-1,-1), (-1,-1) outweigh (3,3): three of five judges agree.
    panel = [[0, 0], [3, 3], [-1, -1], [-1, -1], [-1, -1]]
    np.testing.assert_allclose(median(panel), [-1, -1], atol=1e-12)


@pytest.mark.parametrize("degrees", [120, 120.0001, 121, 150, 180])
def test_angle_of_120_degrees_or_more_is_the_vertex_itself(degrees: float) -> None:
    t = np.radians(degrees)
    panel = np.array([[1.0, 0], [0, 0], [2 * np.cos(t), 2 * np.sin(t)]])
    for order in ([0, 1, 2], [1, 0, 2], [2, 0, 1]):
        np.testing.assert_allclose(median(panel[order]), [0, 0], atol=1e-9)
        assert residual(panel, median(panel[order])) <= 1e-9


@pytest.mark.parametrize("degrees", [119.9, 119, 100, 60.0])
def test_angle_below_120_degrees_is_inside(degrees: float) -> None:
    t = np.radians(degrees)
    panel = np.array([[1.0, 0], [0, 0], [2 * np.cos(t), 2 * np.sin(t)]])
    z = median(panel)
    assert np.linalg.norm(z) > 1e-4
    assert residual(panel, z) <= 1e-9
    # Seen from the Fermat point, each pair of corners is 120 degrees apart.
    u = (panel - z) / np.linalg.norm(panel - z, axis=1, keepdims=True)
    assert [u[0] @ u[1], u[0] @ u[2], u[1] @ u[2]] == pytest.approx([-0.5] * 3, abs=1e-9)


def test_vertex_test_with_more_judges() -> None:
    # Five judges around (0,0) at 72 degrees and one there: the unit vectors sum to 0 <= 1, the vertex wins,
    # whatever the lengths.
    t = np.radians(72 * np.arange(5))
    arms = np.stack([np.cos(t), np.sin(t)], axis=1) * np.array([1, 2, 3, 4, 50.0])[:, None]
    panel = np.vstack([[0.0, 0.0], arms])
    np.testing.assert_array_equal(median(panel), [0, 0])


@pytest.mark.parametrize("n", [3, 5, 8])
def test_majority_of_duplicates_wins_exactly(n: int) -> None:
    same = np.tile([2.5, 1.0, 3.0], (n // 2 + 1, 1))
    others = np.random.default_rng(n).uniform(0, 4, size=(n - len(same), 3))
    np.testing.assert_array_equal(median(np.vstack([others, same])), [2.5, 1, 3])


def test_duplicates_up_to_rounding_are_duplicates() -> None:
    # 0.1 + 0.2 != 0.3: grades that are means arrive like this. Two against two others: the pair holds with 2.
    panel = [[0.1 + 0.2, 1], [0.3, 1], [5, 2], [-3, 0.5], [0.3, 4]]
    z = median(panel)
    np.testing.assert_allclose(z, [0.3, 1], atol=1e-12)
    assert residual(panel, z) <= 1e-9


@pytest.mark.parametrize("n", [3, 4, 5, 13])
@pytest.mark.parametrize("far", [1e6, 1e12])
def test_one_judge_far_away_moves_little_and_keeps_the_certificate(n: int, far: float) -> None:
    x = np.random.default_rng(n).uniform(0, 4, size=(200, n, 3))
    x[:, 0] = far * np.array([0.6, 0.0, 0.8])
    result = geometric_median(x, certificate=True)
    assert result.residuo is not None and result.residuo.max() <= 1e-9
    # Any point inside the ball of the honest: they are n - 1 of n, so the median stays within a few of their
    # spreads (for n = 3 the honest two and a direction: within their segment's reach).
    assert np.abs(result.valor).max() < 4 * 3
    # Where along the ray the far judge is no longer matters: only its direction does.
    x[:, 0] *= 10
    np.testing.assert_allclose(geometric_median(x).valor, result.valor, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 13])
def test_all_judges_alike(method: str, n: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AvisoDePainel)
        np.testing.assert_allclose(
            median(np.tile([1.1, 2.2, 3.3], (n, 1)), method), [1.1, 2.2, 3.3], rtol=1e-15
        )


def test_two_judges_give_their_mean_and_a_warning() -> None:
    with pytest.warns(AvisoDePainel, match="só dois juízes"):
        z = median([[0, 0, 0], [1, 2, 4]])
    np.testing.assert_array_equal(z, [0.5, 1, 2])


@pytest.mark.parametrize("n", [4, 6])
def test_even_panels_of_grades_that_are_wildly_apart(n: int) -> None:
    # Two pairs far from each other: Newton's full step overshoots, Weiszfeld's crawls.
    x = np.random.default_rng(1).standard_cauchy((3000, n, 3)) ** 3
    result = geometric_median(x, certificate=True)
    assert result.residuo is not None and result.residuo.max() <= 1e-6
    assert (result.residuo > 1e-9).mean() < 0.01


def test_even_number_on_a_line_gives_the_midpoint_of_the_segment() -> None:
    # 0, 1, 4, 9 along (3, 4) from (1, 1): every point between 1 and 4 is a minimum; 2.5 is the middle.
    along = np.array([9, 1, 0, 4.0])
    panel = np.array([1.0, 1.0]) + along[:, None] * np.array([3.0, 4.0])
    np.testing.assert_allclose(median(panel), np.array([1, 1]) + 2.5 * np.array([3, 4]), rtol=1e-12)


def test_duplicates_at_both_ends_of_the_segment() -> None:
    # Two judges at each of two points: all between them is minimal; six on a line the same.
    np.testing.assert_allclose(median([[0, 0], [0, 0], [2, 4], [2, 4]]), [1, 2], atol=1e-12)
    np.testing.assert_allclose(
        median([[-5, -10], [0, 0], [0, 0], [2, 4], [2, 4], [3, 6]]), [1, 2], atol=1e-12
    )


def test_odd_number_on_a_line_gives_the_middle_judge() -> None:
    along = np.array([0.1, 0.7, 0.2, 5.0, 0.9])
    panel = np.array([0.3, -1, 2]) + along[:, None] * np.array([1, 0.3, -2])
    np.testing.assert_array_equal(median(panel), panel[1])


@pytest.mark.parametrize("offset", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
def test_nearly_on_a_line(offset: float) -> None:
    panel = np.array([[0, 0], [1, offset], [4, -offset], [9, 0]])
    z = median(panel)
    assert residual(panel, z) <= 1e-8
    assert 0.9 <= z[0] <= 4.1


def test_missing_judges_are_left_out_query_by_query() -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 4, size=(300, 6, 3))
    holed = x.copy()
    holed[rng.random(x.shape) < 0.15] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AvisoDePainel)
        together = geometric_median(holed, certificate=True)
        for q in range(300):
            there = np.isfinite(holed[q]).all(axis=1)
            assert together.juizes[q] == there.sum()
            if there.any():
                np.testing.assert_allclose(together.valor[q], median(holed[q][there]), atol=1e-12)
                assert together.motivo[q] is None
            else:
                assert np.isnan(together.valor[q]).all() and together.motivo[q] == NO_JUDGE
    assert together.residuo is not None and np.nanmax(together.residuo) <= 1e-9


def test_query_with_no_judge_says_why() -> None:
    x = np.array([[[np.nan, 1.0], [2.0, np.nan], [np.nan, np.nan]], [[1, 1], [1, 1], [3, 3]]])
    result = geometric_median(x, certificate=True)
    assert np.isnan(result.valor[0]).all() and result.juizes.tolist() == [0, 3]
    assert result.motivo.tolist() == [NO_JUDGE, None]
    assert result.residuo is not None and np.isnan(result.residuo[0]) and result.residuo[1] == 0


def test_no_query_at_all() -> None:
    assert geometric_median(np.empty((0, 3, 2)), certificate=True).valor.shape == (0, 2)


def test_different_scales_are_refused_unless_rescaled() -> None:
    x = np.random.default_rng(0).uniform(0, 1, size=(20, 5, 2)) * [4, 100]
    scales = [(0.0, 4.0), (0.0, 100.0)]
    with pytest.raises(ErroDeEstudo, match="escalas diferentes"):
        geometric_median(x, scales=scales)
    rescaled = geometric_median(x, scales=scales, rescale=True, certificate=True)
    # By hand: put both on 0..1, take the median there, go back.
    by_hand = geometric_median(x / [4, 100]).valor * [4, 100]
    np.testing.assert_allclose(rescaled.valor, by_hand, rtol=1e-12)
    assert rescaled.residuo is not None and rescaled.residuo.max() <= 1e-9
    # The same grades in other units mean the same.
    np.testing.assert_allclose(
        geometric_median(x * [1, 10], scales=[(0, 4), (0, 1000)], rescale=True).valor,
        rescaled.valor * [1, 10],
        rtol=1e-9,
    )
    geometric_median(x, scales=[(0.0, 4.0), (0.0, 4.0)])  # equal scales need no rescaling


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (np.zeros((3, 2)), {}, "três eixos"),
        (np.zeros((3, 0, 2)), {}, "três eixos"),
        (np.full((1, 3, 2), np.inf), {}, "infinita"),
        (np.full((1, 3, 2), -1e120), {}, "infinita"),
        (np.zeros((1, 3, 2)), {"method": "exata"}, "desconhecido"),
        (np.zeros((1, 3, 2)), {"rescale": True}, "diga a escala"),
        (np.zeros((1, 3, 2)), {"scales": [(0, 4)]}, "são 2 dimensões"),
        (np.zeros((1, 3, 2)), {"scales": [(0, 4), (4, 0)]}, "menor nota"),
    ],
)
def test_what_a_user_gets_wrong(scores: np.ndarray, options: dict[str, object], message: str) -> None:
    with pytest.raises(ErroDeEstudo, match=message):
        geometric_median(scores, **options)  # type: ignore[arg-type]
