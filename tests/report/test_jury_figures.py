"""Figures of notebooks 1 and 2: what they draw, not how many pixels."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle

from compendio.contract import NIVEIS
from compendio.report.jury_figures import evidence_figure, flow_figure, votes_figure
from compendio.report.style import aplicar

TABLES = {
    "cor": pd.DataFrame({"A": [2, 0, 1], "B": [0, 3, 0]}, index=["azul", "verde", "(falha)"]),
    "fontes": pd.DataFrame({"A": [1, 4], "B": [2, 2]}, index=["jornais", "(falha)"]),
    "tom": pd.DataFrame({"A": [1, 1], "B": [1, 1]}, index=["alto", "(falha)"]),
}


@pytest.fixture(autouse=True)
def _look() -> Iterator[None]:
    aplicar()
    yield
    plt.close("all")


def words(fig: Figure) -> str:
    """All text of a figure."""
    fig.canvas.draw()
    return " | ".join(t.get_text() for t in fig.findobj(lambda a: hasattr(a, "get_text")) if t.get_visible())  # type: ignore[attr-defined]


def bars(ax: object) -> list[Rectangle]:
    return [p for p in ax.patches if isinstance(p, Rectangle)]  # type: ignore[attr-defined]


def test_the_legend_shows_a_member_whose_first_bar_has_no_length() -> None:
    # B put no document in the first category of the first panel, so its first bar is not drawn.
    (legend,) = votes_figure(TABLES).legends
    assert [text.get_text() for text in legend.get_texts()] == ["A", "B"]
    assert all(patch.get_visible() for patch in legend.get_patches()) and len(legend.get_patches()) == 2


def test_one_panel_a_variable_one_bar_a_member_and_category() -> None:
    fig = votes_figure(TABLES)
    shown = [ax for ax in fig.axes if ax.get_visible()]
    assert [ax.get_title(loc="left") for ax in shown] == list(TABLES)
    for ax, table in zip(shown, TABLES.values(), strict=True):
        assert [bar.get_width() for bar in bars(ax)] == [*table["A"], *table["B"]]
        assert [t.get_text() for t in ax.get_yticklabels()] == list(table.index)
        lower, upper = ax.get_ylim()
        assert lower > upper  # the first category on top
    # Members differ in more than colour, and the legend names them once.
    first, second = bars(shown[0])[0], bars(shown[0])[3]
    assert first.get_hatch() != second.get_hatch()
    (legend,) = fig.legends
    assert [t.get_text() for t in legend.get_texts()] == ["A", "B"]


def test_bars_of_one_category_do_not_overlap_those_of_the_next() -> None:
    (ax, *_) = votes_figure(TABLES).axes
    spans = sorted((bar.get_y(), bar.get_y() + bar.get_height()) for bar in bars(ax))
    assert all(end <= start + 1e-9 for (_, end), (start, _) in itertools.pairwise(spans))


def test_evidence_bars_fill_the_line_and_say_the_share_found() -> None:
    levels = pd.DataFrame(
        [[2, 1, 0, 1, 1, 0.6], [0, 0, 3, 0, 0, 0.0]], index=["A", "B"], columns=[*NIVEIS, "encontrada"]
    )
    fig = evidence_figure(levels)
    (ax,) = fig.axes
    by_line: dict[float, float] = {}
    for bar in bars(ax):
        middle = round(bar.get_y() + bar.get_height() / 2, 6)
        by_line[middle] = by_line.get(middle, 0) + bar.get_width()
    assert by_line == pytest.approx({0: 1.0, 1: 1.0})
    assert "60% achada" in words(fig) and "0% achada" in words(fig)
    assert len({bar.get_hatch() for bar in bars(ax)}) == len(NIVEIS)


def test_evidence_of_a_member_that_always_failed() -> None:
    levels = pd.DataFrame([[0, 0, 0, 0, 0, np.nan]], index=["A"], columns=[*NIVEIS, "encontrada"])
    assert "— achada" in words(evidence_figure(levels))


FLOW = pd.DataFrame(
    {
        "estado_r1": ["unanime", "maioria", "sem_maioria", "sem_maioria"],
        "estado": ["unanime", "deliberada", "deliberada", "sem_maioria"],
        "n": [10, 4, 3, 2],
    }
)


def test_flow_bands_are_as_wide_as_their_number() -> None:
    fig = flow_figure(FLOW)
    (ax,) = fig.axes
    bands = [p for p in ax.patches if isinstance(p, PathPatch)]
    heights = []
    for band in bands:
        y = band.get_path().vertices[:, 1]
        heights.append((y[-2] - y[0], y[4] - y[3]))  # at the left end, at the right end
    assert np.allclose(heights, [(n, n) for n in FLOW["n"]])
    # Every block is filled by its bands: 10 + 4 + 5 on the left, 10 + 7 + 2 on the right.
    assert sorted(bar.get_height() for bar in bars(ax)) == [2, 4, 5, 7, 10, 10]
    text = words(fig)
    assert "19 decisões" in text and "sem maioria: 5" in text and "deliberada: 7" in text
    assert "sem_maioria" not in text


def test_flow_bands_stay_inside_their_blocks() -> None:
    (ax,) = flow_figure(FLOW).axes
    blocks = [(b.get_x() > 0.5, b.get_y(), b.get_y() + b.get_height()) for b in bars(ax)]
    for band in (p for p in ax.patches if isinstance(p, PathPatch)):
        y = band.get_path().vertices[:, 1]
        for right, low, high in ((False, y[0], y[-2]), (True, y[3], y[4])):
            assert any(r == right and a - 1e-9 <= low and high <= b + 1e-9 for r, a, b in blocks)


@pytest.mark.parametrize(
    "draw",
    [
        lambda aviso: votes_figure(TABLES, aviso),
        lambda aviso: flow_figure(FLOW, aviso),
        lambda aviso: evidence_figure(
            pd.DataFrame([[1, 0, 0, 0, 0, 1.0]], index=["A"], columns=[*NIVEIS, "encontrada"]), aviso
        ),
    ],
    ids=["votes", "flow", "evidence"],
)
def test_a_notice_is_on_every_figure(draw: object) -> None:
    aviso = "Textos fictícios, escritos para este teste. O resto não cabe numa figura."
    assert "Textos fictícios" in words(draw(aviso))  # type: ignore[operator]
    assert "fictícios" not in words(draw(""))  # type: ignore[operator]


def test_a_study_of_free_text_has_no_votes_to_draw_and_the_figure_says_so() -> None:
    assert "não há votos a desenhar" in words(votes_figure({}))
