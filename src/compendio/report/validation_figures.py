"""Figures of the validation: kappas with intervals, agreement by kind of decision, selective reliance."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from compendio.measure.coders import TODAS
from compendio.report.style import CORES, LARGURA, barra, eixo_com_virgula, num, pct, serie, short_notice
from compendio.report.validation_tables import ESTADOS

#: More coders than this in one panel cannot be told apart.
MAIS = 6


def kappa_figure(kappas: pd.DataFrame, aviso: str = "") -> Figure:
    """Kappa of each coder with its interval, one group a variable.

    Where there are more than six coders, the juries and the first members are drawn; the title says so. A
    hollow marker is a circular comparison.
    """
    coders = list(dict.fromkeys(kappas["codificador"]))
    juries = [name for name in coders if name.startswith("juri")]
    drawn = coders
    if len(coders) > MAIS:
        keep = [name for name in coders if name not in juries][: MAIS - len(juries)] + juries
        drawn = [name for name in coders if name in keep]
    variables = list(dict.fromkeys(kappas["variavel"]))
    fig, ax = plt.subplots(figsize=(LARGURA, 1.1 + 0.17 * len(variables) * (len(drawn) + 1)))
    step = 1 / (len(drawn) + 1)
    for i, coder in enumerate(drawn):
        rows = kappas[kappas["codificador"] == coder].set_index("variavel").reindex(variables)
        y = np.arange(len(variables)) + (i - (len(drawn) - 1) / 2) * step
        look = serie(i)
        # The lightest colour is meant for fills; an outline keeps its line and mark visible on white.
        outline = [withStroke(linewidth=2, foreground="#777777")] if look["color"] == CORES[-1] else None
        ax.hlines(y, rows["ic_inf"], rows["ic_sup"], color=look["color"], linewidth=1, path_effects=outline)
        circular = rows["circular"].fillna(False).to_numpy(dtype=bool)
        fills = ["#ffffff" if mark else look["color"] for mark in circular]
        ax.scatter(
            rows["kappa"],
            y,
            marker=look["marker"],
            facecolor=fills,
            edgecolor=look["color"],
            label=coder,
            s=22,
            zorder=3,
            path_effects=outline,
        )
    ax.set_yticks(range(len(variables)), variables)
    ax.set_ylim(len(variables) - 0.5, -0.5)
    hollow = "; marca vazia: circular" if kappas["circular"].fillna(False).any() else ""
    ax.set_xlabel(f"kappa de Cohen com a referência (intervalo de 95%{hollow})")
    ax.grid(axis="y", visible=False)
    title = "Concordância com a referência, além do acaso"
    ax.set_title(title if len(drawn) == len(coders) else f"{title} (primeiros membros e júris)")
    eixo_com_virgula(ax, casas_x=1)
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return _warned(fig, aviso)


def reliance_figure(kinds: pd.DataFrame, reliance: pd.DataFrame, aviso: str = "") -> Figure:
    """Left: agreement by kind of decision. Right: agreement of what is accepted, kind after kind."""
    kinds = kinds[kinds["variavel"] == TODAS]
    reliance = reliance[reliance["variavel"] == TODAS]
    fig, (left, right) = plt.subplots(1, 2, figsize=(LARGURA, 2.9), sharey=True)
    x = np.arange(len(kinds))
    left.bar(x, kinds["concordancia"], width=0.6, **barra(5))
    errors = [kinds["concordancia"] - kinds["ic_inf"], kinds["ic_sup"] - kinds["concordancia"]]
    left.errorbar(x, kinds["concordancia"], yerr=np.clip(errors, 0, None), fmt="none", ecolor=CORES[0])
    labels = [f"{_words(row.estado)}\nn = {num(row.n, 0)}" for row in kinds.itertuples()]
    left.set_xticks(x, labels, fontsize=7)
    left.set_ylabel("concordância com a referência")
    left.set_xlabel("espécie, e quantas decisões")
    left.set_title("Por espécie de decisão")
    errors = [reliance["concordancia"] - reliance["ic_inf"], reliance["ic_sup"] - reliance["concordancia"]]
    steps = np.arange(len(reliance))
    right.errorbar(steps, reliance["concordancia"], yerr=np.clip(errors, 0, None), capsize=3, **serie(1))
    labels = [f"{_words(row.aceitar)}\n{pct(row.parte)}" for row in reliance.itertuples()]
    right.set_xticks(steps, labels, fontsize=7)
    right.set_xlim(-0.5, len(steps) - 0.5)
    right.set_xlabel("última espécie aceita, e parte das decisões")
    right.set_title("Aceitando espécie após espécie")
    left.set_ylim(0, 1.04)
    eixo_com_virgula(left, casas_y=1)
    return _warned(fig, aviso)


def _words(estado: str) -> str:
    return ESTADOS[estado].replace(" ", "\n")


def _warned(fig: Figure, aviso: str) -> Figure:
    """The first sentence of the study's `aviso` at the foot: a figure travels without its page."""
    if aviso:
        fig.supxlabel(short_notice(aviso), fontsize=6.5, color="#555555", ha="left", x=0.01, wrap=True)
    return fig
