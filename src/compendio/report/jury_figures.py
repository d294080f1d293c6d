"""Figures of notebooks 1 and 2: votes by variable, evidence found, and what the deliberation moved."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from compendio.contract import ESTADOS, NIVEIS
from compendio.report.jury_tables import FALHA, NOMES_ESTADO, NOMES_NIVEL
from compendio.report.style import CORES, LARGURA, barra, num, pct, short_notice


def _notice(fig: Figure, aviso: str) -> Figure:
    if aviso:
        fig.supxlabel(short_notice(aviso), fontsize=7, x=0.01, ha="left")
    return fig


def votes_figure(tables: Mapping[str, pd.DataFrame], aviso: str = "") -> Figure:
    """One panel a variable: how many documents each member put in each category (grouped bars).

    All panels have one scale. Failures have a line only in the variables that have any. Where no variable has
    categories, the figure says so.
    """
    if not tables:
        fig = plt.figure(figsize=(LARGURA, 0.8))
        fig.text(0.01, 0.6, "Nenhuma variável tem categorias: não há votos a desenhar.", fontsize=9)
        return _notice(fig, aviso)
    columns = 2
    tables = {name: table[(table.index != FALHA) | table.any(axis=1)] for name, table in tables.items()}
    most = max(int(table.to_numpy().max(initial=0)) for table in tables.values())
    rows = -(-len(tables) // columns)
    height = sum(
        max(len(t) for t in list(tables.values())[i : i + columns]) for i in range(0, len(tables), columns)
    )
    fig, axes = plt.subplots(
        rows, columns, figsize=(LARGURA, 0.32 * height + 0.7 * rows + 0.5), squeeze=False
    )
    for ax, (name, table) in zip(axes.flat, tables.items(), strict=False):
        members = list(table.columns)
        wide = 0.8 / len(members)
        for k, member in enumerate(members):
            place = np.arange(len(table)) + (k - (len(members) - 1) / 2) * wide
            drawn = ax.barh(place, table[member], height=wide, label=member, **barra(k))
            for bar, n in zip(drawn, table[member], strict=True):
                bar.set_visible(bool(n))  # the edge of nothing would look like something
        ax.set(title=name, yticks=np.arange(len(table)), yticklabels=table.index)
        ax.set_xlim(0, 1.05 * max(most, 1))
        ax.invert_yaxis()
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", labelsize=7.5)
        ax.xaxis.get_major_locator().set_params(integer=True)
    for ax in axes.flat[len(tables) :]:
        ax.set_visible(False)
    for ax in axes[-1]:
        ax.set_xlabel("documentos")
    # Handles of their own: those taken from the bars are as invisible as a first bar of length 0.
    members = list(next(iter(tables.values())).columns)
    handles = [Patch(label=member, **barra(k)) for k, member in enumerate(members)]
    fig.legend(handles=handles, loc="outside upper center", ncols=min(4, len(handles)))
    return _notice(fig, aviso)


def evidence_figure(levels: pd.DataFrame, aviso: str = "") -> Figure:
    """One bar a member: its quotes by level, as shares; the share found in the text stands at the end."""
    fig, ax = plt.subplots(figsize=(LARGURA, 0.45 * len(levels) + 1.2))
    shares = levels[NIVEIS].div(levels[NIVEIS].sum(axis=1), axis=0).fillna(0)
    left = np.zeros(len(levels))
    for k, level in enumerate(NIVEIS):
        ax.barh(levels.index, shares[level], left=left, label=NOMES_NIVEL[level], height=0.6, **barra(k))
        left += shares[level].to_numpy()
    for place, found in enumerate(levels["encontrada"]):
        ax.text(1.01, place, f"{pct(found)} achada", va="center", fontsize=8)
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set(xlim=(0, 1), xlabel="parte das evidências")
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    fig.legend(loc="outside upper center", ncols=len(NIVEIS))
    return _notice(fig, aviso)


def flow_figure(flow: pd.DataFrame, aviso: str = "") -> Figure:
    """Decisions before (left) and after (right) the deliberation, by `estado`; bands as wide as their number.

    `flow` is what `jury.flow.state_flow` gives: `estado_r1, estado, n`.
    """
    fig, ax = plt.subplots(figsize=(LARGURA, 3.4))
    total = max(int(flow["n"].sum()), 1)
    gap = 0.06 * total
    before, after = flow.groupby("estado_r1")["n"].sum(), flow.groupby("estado")["n"].sum()
    colours = {state: k for k, state in enumerate(ESTADOS)}
    left, right = _column(ax, before, 0.0, gap, colours), _column(ax, after, 1.0, gap, colours)
    for state, target, n in flow[["estado_r1", "estado", "n"]].itertuples(index=False, name=None):
        _band(ax, left[state], right[target], n, CORES[colours[state] % len(CORES)])
        left[state] += n
        right[target] += n
    ax.set(xlim=(-0.55, 1.55), xticks=[0, 1], xticklabels=["rodada 1", "depois da deliberação"], yticks=[])
    ax.invert_yaxis()
    ax.grid(visible=False)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(axis="x", length=0)
    ax.set_title(f"{num(flow['n'].sum(), 0)} decisões, antes e depois da deliberação", pad=12)
    return _notice(fig, aviso)


def _column(
    ax: Axes, counts: pd.Series, x: float, gap: float, colours: Mapping[str, int]
) -> dict[str, float]:
    """Draw one column of blocks with their labels; where each block begins."""
    starts, y, free = {}, 0.0, -float("inf")
    for state in [s for s in ESTADOS if s in counts.index]:
        n = float(counts[state])
        # Without a line around it, a block of one decision keeps its colour.
        ax.bar(x, n, bottom=y, width=0.08, **barra(colours[state] % len(CORES)), linewidth=0)
        side, place = ("right", x - 0.07) if x == 0 else ("left", x + 0.07)
        free = max(y + n / 2, free)
        ax.text(place, free, f"{NOMES_ESTADO[state]}: {num(n, 0)}", ha=side, va="center", fontsize=8.5)
        free += 1.2 * gap  # labels of thin blocks stay apart
        starts[state] = y
        y += n + gap
    return starts


def _band(ax: Axes, y0: float, y1: float, n: float, colour: str) -> None:
    a, b, m = 0.045, 0.955, 0.5
    vertices = [
        (a, y0),
        (m, y0),
        (m, y1),
        (b, y1),
        (b, y1 + n),
        (m, y1 + n),
        (m, y0 + n),
        (a, y0 + n),
        (a, y0),
    ]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    ax.add_patch(
        PathPatch(Path(vertices, codes), facecolor=colour, alpha=0.35, edgecolor="#555555", linewidth=0.4)
    )
