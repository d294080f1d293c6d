"""The flow of patterns: labels never run into each other, and a pattern keeps its colour."""

from __future__ import annotations

from itertools import pairwise

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from compendio.measure.blocs import DIFERENTES, IGUAIS
from compendio.report.bloc_figures import bloc_flow_figure, pattern_order
from compendio.report.style import aplicar

PATTERNS = [IGUAIS, "a + b | c", "a + c | b", "b + c | a", DIFERENTES]


@pytest.mark.parametrize(
    "counts",
    [[86, 36, 20, 39, 19], [196, 1, 1, 1, 1], [5, 1, 1, 1, 2], [1000, 0, 3, 0, 2]],
    ids=["piloto", "thin", "few", "two empty"],
)
def test_labels_of_the_flow_stand_apart(counts: list[int]) -> None:
    aplicar()
    rows = [(name, IGUAIS if n > 30 else name, n) for name, n in zip(PATTERNS, counts, strict=True) if n]
    fig = bloc_flow_figure(pd.DataFrame(rows, columns=["antes", "depois", "n"]), "v", "Um aviso.")
    fig.canvas.draw()
    texts = fig.axes[0].texts
    assert len(texts) == len({row[0] for row in rows}) + len({row[1] for row in rows})
    for side in ("right", "left"):
        boxes = [text.get_window_extent() for text in texts if text.get_ha() == side]
        boxes.sort(key=lambda box: box.y0)
        assert all(lower.y1 <= upper.y0 for lower, upper in pairwise(boxes))
    plt.close(fig)


def test_a_split_has_its_place_and_so_its_colour_whatever_its_frequency() -> None:
    often = ["todos iguais", *["b + c | a"] * 3, "a + b | c", "todos diferentes"]
    rarely = ["todos iguais", "b + c | a", *["a + b | c"] * 3, "todos diferentes"]
    order = ["todos iguais", "a + b | c", "b + c | a", "todos diferentes"]
    assert pattern_order(often) == pattern_order(rarely) == order
