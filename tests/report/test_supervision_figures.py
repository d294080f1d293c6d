"""The figure of the last source: every state has its place, and the bars add up."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from compendio.contract import ESTADOS
from compendio.report import supervision_figures
from compendio.report.supervision_figures import states_figure


def test_every_state_is_drawn_once() -> None:
    drawn = [state for states in supervision_figures._KINDS.values() for state in states]
    assert sorted(drawn) == sorted(ESTADOS)


def test_bars_add_up_and_the_notice_is_on_the_figure() -> None:
    table = pd.DataFrame(
        {"variavel": ["a"] * len(ESTADOS) + ["b"] * 2, "estado": [*ESTADOS, "unanime", "maioria"]}
    )
    fig = states_figure(table, ["a", "b"], "juri", "Textos fictícios. O resto.")
    bars = [bar for container in fig.axes[0].containers for bar in container]
    ends = {y: max(b.get_x() + b.get_width() for b in bars if round(b.get_y() + 0.4) == y) for y in (0, 1)}
    assert ends == pytest.approx({0: 100, 1: 100})
    # Of the seven states of `a`, two are a majority: 2/7 of the bar.
    majority = fig.axes[0].containers[1][0].get_width()
    assert majority == pytest.approx(200 / 7)
    assert any(text.get_text() == "Textos fictícios." for text in fig.texts)
    plt.close(fig)
