"""Bands from a left column of blocks to a right one: what was where, and where it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from compendio.report.style import CORES, barra, num

_WIDTH = 0.08
#: A line of a label takes this part of the height, at 7 points in a figure about 4 inches tall.
_LINE = 0.042


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
    before, after = flow.groupby("antes")["n"].sum(), flow.groupby("depois")["n"].sum()
    line = _line([before, after], labels)
    left = _column(ax, before, order, labels, 0.0, line)
    right = _column(ax, after, order, labels, 1.0, line)
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


def _line(columns: Sequence[pd.Series], labels: Mapping[str, str]) -> float:
    """How many decisions are as tall as a line of a label.

    The room of the labels makes the taller column grow, and a line with it, until the two agree.
    """
    line = 0.0
    for _ in range(30):
        heights = [
            sum(_room(n, labels[name], line) + line for name, n in column.items()) for column in columns
        ]
        line = _LINE * max(heights)
    return line


def _room(n: float, label: str, line: float) -> float:
    """A thin block still needs the room of its label."""
    return max(float(n), line * (label.count("\n") + 1))


def _column(
    ax: Axes, counts: pd.Series, order: Sequence[str], labels: Mapping[str, str], x: float, line: float
) -> dict[str, float]:
    """Draw one column; where each block begins."""
    starts, y = {}, 0.0
    for k, name in enumerate(order):
        if name not in counts.index:
            continue
        n = float(counts[name])
        room = _room(n, labels[name], line)
        starts[name] = y + (room - n) / 2
        ax.bar(x, n, bottom=starts[name], width=_WIDTH, **barra(k))
        side, at = ("right", x - 0.07) if x == 0 else ("left", x + 0.07)
        ax.text(at, y + room / 2, f"{labels[name]}: {num(n, 0)}", ha=side, va="center", fontsize=7)
        y += room + line
    return starts


def _band(ax: Axes, y0: float, y1: float, n: float, colour: str) -> None:
    a, b, m = _WIDTH / 2, 1 - _WIDTH / 2, 0.5
    upper = [(a, y0), (m, y0), (m, y1), (b, y1)]
    lower = [(b, y1 + n), (m, y1 + n), (m, y0 + n), (a, y0 + n)]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    shape = Path([*upper, *lower, upper[0]], codes)
    ax.add_patch(PathPatch(shape, facecolor=colour, alpha=0.35, edgecolor="#555555", linewidth=0.4))
