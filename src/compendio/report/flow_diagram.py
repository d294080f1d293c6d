"""Bands from a left column of blocks to a right one: what was where, and where it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from compendio.report.style import CORES, barra, num

_WIDTH = 0.08


def flow_diagram(
    ax: Axes, flow: pd.DataFrame, order: Sequence[str], labels: Mapping[str, str], ends: tuple[str, str]
) -> None:
    """Draw a flow on `ax`.

    Parameters
    ----------
    flow
        `antes, depois, n`.
    order
        The blocks from top to bottom, each with the look of its place here.
    labels
        Block → what stands beside it, before its number.
    ends
        Names of the two columns.
    """
    gap = 0.04 * max(int(flow["n"].sum()), 1)
    left = _column(ax, flow.groupby("antes")["n"].sum(), order, labels, 0.0, gap)
    right = _column(ax, flow.groupby("depois")["n"].sum(), order, labels, 1.0, gap)
    place = {name: k for k, name in enumerate(order)}
    rows = sorted(flow.itertuples(index=False), key=lambda row: (place[row.antes], place[row.depois]))
    for row in rows:
        _band(ax, left[row.antes], right[row.depois], row.n, CORES[place[row.antes] % len(CORES)])
        left[row.antes] += row.n
        right[row.depois] += row.n
    ax.set(xlim=(-0.95, 1.95), xticks=[0, 1], xticklabels=list(ends), yticks=[])
    ax.invert_yaxis()
    ax.grid(visible=False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(axis="x", length=0)


def _column(
    ax: Axes, counts: pd.Series, order: Sequence[str], labels: Mapping[str, str], x: float, gap: float
) -> dict[str, float]:
    """Draw one column; where each block begins."""
    starts, y = {}, 0.0
    for k, name in enumerate(order):
        if name not in counts.index:
            continue
        n = float(counts[name])
        ax.bar(x, n, bottom=y, width=_WIDTH, **barra(k))
        side, at = ("right", x - 0.07) if x == 0 else ("left", x + 0.07)
        ax.text(at, y + n / 2, f"{labels[name]}: {num(n, 0)}", ha=side, va="center", fontsize=7)
        starts[name] = y
        # A thin block still needs the room of its label.
        y += max(n, gap) + gap
    return starts


def _band(ax: Axes, y0: float, y1: float, n: float, colour: str) -> None:
    a, b, m = _WIDTH / 2, 1 - _WIDTH / 2, 0.5
    upper = [(a, y0), (m, y0), (m, y1), (b, y1)]
    lower = [(b, y1 + n), (m, y1 + n), (m, y0 + n), (a, y0 + n)]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    shape = Path([*upper, *lower, upper[0]], codes)
    ax.add_patch(PathPatch(shape, facecolor=colour, alpha=0.35, edgecolor="#555555", linewidth=0.4))
