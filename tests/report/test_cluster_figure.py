"""The clustered map stays readable from two members to many."""

from __future__ import annotations

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from compendio.measure.error_correlation import DENTRO, ENTRE
from compendio.report.cluster_figure import cluster_figure
from compendio.report.style import LARGURA, aplicar


def pairs_of(familias: dict[str, str], matrix: np.ndarray) -> pd.DataFrame:
    names = list(familias)
    rows = [
        (names[i], names[j], DENTRO if familias[names[i]] == familias[names[j]] else ENTRE, matrix[i, j])
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]
    return pd.DataFrame(rows, columns=["a", "b", "relacao", "correlacao_erros"])


@pytest.mark.parametrize("n", [2, 5, 14, 83])
def test_labels_of_rows_stand_apart_and_on_the_page(n: int) -> None:
    aplicar()
    familias = {f"modelo-com-nome-de-tamanho-comum-{k}": f"f{k % 9}" for k in range(n)}
    noise = np.random.default_rng(n).random((n, n))
    fig = cluster_figure(pairs_of(familias, (noise + noise.T) / 2), familias, "correlacao_erros", "Um aviso.")
    fig.canvas.draw()
    width, height = fig.get_size_inches()
    assert width == LARGURA and height < 9.7  # an A4 page with margins of 2.5 cm
    labels = fig.axes[0].get_yticklabels()
    boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.y0)
    assert len(boxes) == n and min(label.get_fontsize() for label in labels) >= 5.5
    assert all(lower.y1 <= upper.y0 + 0.5 for lower, upper in pairwise(boxes))
    assert min(box.x0 for box in boxes) >= 0
    plt.close(fig)


def test_rows_follow_the_tree_and_dots_mark_families() -> None:
    aplicar()
    familias = {"a1": "a", "b1": "b", "a2": "a", "c": "c"}
    matrix = np.full((4, 4), 0.1)
    matrix[0, 2] = matrix[2, 0] = 0.9
    matrix[1, 3] = matrix[3, 1] = -0.2
    fig = cluster_figure(pairs_of(familias, matrix), familias, "correlacao_erros")
    ax, _, bar = fig.axes
    rows = [label.get_text() for label in ax.get_yticklabels()]
    place = {name: k for k, name in enumerate(rows)}
    assert abs(place["a · a1"] - place["a · a2"]) == 1
    dots = {tuple(map(int, point)) for point in ax.collections[0].get_offsets()}
    one, two = place["a · a1"], place["a · a2"]
    assert dots == {(one, two), (two, one)}
    assert ax.images[0].get_array()[one, two] == pytest.approx(0.9)
    assert "mínimo −0,20" in bar.get_xlabel()
    assert [t.get_text() for t in bar.get_xticklabels()][1:3] == ["0,2", "0,4"]
    plt.close(fig)


def test_long_names_keep_both_ends_and_undefined_correlations_are_drawn() -> None:
    aplicar()
    familias = {"xlm-roberta-large-portuguese-legislative-cap-v3": "x", "b": "b"}
    fig = cluster_figure(pairs_of(familias, np.full((2, 2), np.nan)), familias, "correlacao_erros")
    texts = {label.get_text() for label in fig.axes[0].get_yticklabels()}
    assert texts == {"x · xlm-roberta-larg…gislative-cap-v3", "b · b"}
    plt.close(fig)
