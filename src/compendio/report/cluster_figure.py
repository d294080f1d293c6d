"""A heat map of many members, those that err together side by side, readable with a hundred rows."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import dendrogram

from compendio.measure.family_blocs import error_tree
from compendio.report.bloc_figures import NOMES, heat, notice, square
from compendio.report.style import LARGURA, eixo_com_virgula, num

_ROW = 0.098  # inches a row with many members: labels of 5.8 points stand apart, and 83 rows fit a page
_TALL = 0.36  # and with few
_NAME = 34  # characters of a name; the middle of a longer one is left out


def cluster_figure(pairs: pd.DataFrame, familias: Mapping[str, str], column: str, aviso: str = "") -> Figure:
    """The pairs' `column` as a clustered heat map with its tree; a dot marks each pair of one family.

    Columns come in the order of the rows, which are named `family · member`. For two members or more.
    """
    names = list(familias)
    tree = error_tree(square(pairs, column, names))
    row = float(np.clip(3.2 / len(names), _ROW, _TALL))
    height = 1.2 + row * len(names)
    fig, (ax, side) = plt.subplots(
        1, 2, figsize=(LARGURA, height), gridspec_kw={"width_ratios": (7, 1), "wspace": 0.01}
    )
    drawn = dendrogram(
        tree, ax=side, orientation="right", color_threshold=0, above_threshold_color="#444444", no_labels=True
    )
    for line in side.collections:
        line.set_linewidth(0.6)
    side.axis("off")
    members = [names[k] for k in drawn["leaves"]]
    matrix = square(pairs, column, members)
    image = heat(ax, matrix, aspect="auto")
    side.set_ylim(10 * len(members), 0)  # scipy draws a leaf every 10; the first goes to the top
    same = np.array([[familias[a] == familias[b] and a != b for b in members] for a in members])
    y, x = np.nonzero(same)
    edge = ["#ffffff" if matrix[i, j] > 0.5 else "#111111" for i, j in zip(y, x, strict=True)]
    ax.scatter(x, y, s=(72 * row / 3) ** 2, c=edge, marker="o", linewidths=0)
    labels = [f"{familias[name]} · {_short(name)}" for name in members]
    ax.set_yticks(range(len(members)), labels, fontsize=min(8.0, 72 * row * 0.82))
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0, pad=2)
    low = float(np.nanmin(matrix)) if np.isfinite(matrix).any() else 0.0
    bar = fig.colorbar(
        image, ax=(ax, side), orientation="horizontal", shrink=0.5, aspect=30, pad=0.1 / height,
        extend="min" if low < 0 else "neither",
    )  # fmt: skip
    bar.set_label(
        f"{NOMES[column]}; ponto: mesma família" + (f"; mínimo {num(low)}" if low < 0 else ""), fontsize=8
    )
    eixo_com_virgula(bar.ax, casas_x=1)
    fig.suptitle(f"{len(members)} modelos, os mais parecidos lado a lado", fontsize=10, x=0.01, ha="left")
    return notice(fig, aviso)


def _short(name: str) -> str:
    """The name, or its ends where it is long: versions differ at the end."""
    half = (_NAME - 1) // 2
    return name if len(name) <= _NAME else f"{name[:half]}…{name[-half:]}"
