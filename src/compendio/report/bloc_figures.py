"""Figures of the blocs: patterns before and after, heat maps of pairs, readable in grey print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from compendio.measure.blocs import DIFERENTES, IGUAIS
from compendio.measure.error_correlation import DENTRO, ENTRE
from compendio.report.flow_diagram import flow_diagram
from compendio.report.style import LARGURA, barra, eixo_com_virgula, num, short_notice

#: Up to so many members a heat map prints its numbers; more are clustered (`cluster_figure`).
COM_NUMEROS = 12
#: Patterns drawn by name; the rest is one block.
PADROES = 5
OUTROS = "outros padrões"

NOMES = {
    "concordancia": "concordância entre votos",
    "correlacao_erros": "correlação dos erros (fi)",
    "mesmo_erro": "mesmo valor, quando ambos erram",
}


def notice(fig: Figure, aviso: str) -> Figure:
    """The figure with the study's notice under it."""
    if aviso:
        fig.supxlabel(short_notice(aviso), fontsize=7, x=0.01, ha="left")
    return fig


def pattern_order(labels: Sequence[str]) -> list[str]:
    """The patterns in the order in which they are drawn: agreement, the most frequent splits, the rest.

    Splits stand by name, not by frequency, so that each has one colour in all figures of a jury of three.
    """
    counts = pd.Series(list(labels), dtype="str").value_counts(sort=False)
    counts = counts.sort_values(ascending=False, kind="stable")
    fixed = [name for name in (IGUAIS, DIFERENTES) if name in counts.index]
    split = [name for name in counts.index if name not in fixed][: PADROES - len(fixed)]
    order = [name for name in (IGUAIS, *sorted(split), DIFERENTES) if name in counts.index]
    return order if len(order) == len(counts) else [*order, OUTROS]


def _kept(labels: pd.Series, order: Sequence[str]) -> pd.Series:
    return labels.where(labels.isin(list(order)), OUTROS)


def pattern_figure(first: pd.Series, after: pd.Series, aviso: str = "") -> Figure:
    """One pair of bars a variable: how its decisions split the members, before and after the deliberation.

    `first, after`: what `pattern_labels` gives (index `documento, variavel`).
    """
    order = pattern_order([*first, *after])
    variables = list(dict.fromkeys(first.index.get_level_values("variavel")))
    fig, ax = plt.subplots(figsize=(LARGURA, 1.3 + 0.55 * len(variables) + 0.15 * len(order)))
    for offset, labels in ((-0.2, first), (0.2, after)):
        names = labels.index.get_level_values("variavel")
        counts = pd.crosstab(names, _kept(labels, order).to_numpy())
        counts = counts.reindex(index=variables, columns=order, fill_value=0)
        left = np.zeros(len(variables))
        for k, name in enumerate(order):
            label = name if offset < 0 else None
            place = np.arange(len(variables)) + offset
            ax.barh(place, counts[name], left=left, height=0.36, label=label, **barra(k))
            left += counts[name].to_numpy()
    ticks = [place + offset for place in range(len(variables)) for offset in (-0.2, 0.2)]
    texts = [text for name in variables for text in (f"{name}  antes", "depois")]
    ax.set_yticks(ticks, texts)
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    ax.set(xlabel="decisões")
    ax.set_title("Quem vota com quem, antes e depois da deliberação")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper left", ncols=1, fontsize=7)
    return notice(fig, aviso)


def bloc_flow_figure(flow: pd.DataFrame, variavel: str, aviso: str = "") -> Figure:
    """How the decisions about one variable split the members before (left) and after (right).

    `flow`: what `blocs.pattern_flow` gives.
    """
    weights = [name for end in ("antes", "depois") for name in flow[end].repeat(flow["n"])]
    order = list(
        dict.fromkeys([IGUAIS, *pattern_order(weights)])
    )  # its colour is taken even where it is absent
    drawn = flow.assign(antes=_kept(flow["antes"], order), depois=_kept(flow["depois"], order))
    drawn = drawn.groupby(["antes", "depois"])["n"].sum().reset_index()
    fig, ax = plt.subplots(figsize=(LARGURA, 3.8))
    labels = {name: name.replace(" | ", "\ncontra ", 1).replace(" + ", " +\n") for name in order}
    flow_diagram(ax, drawn, order, labels, ("rodada 1", "depois da deliberação"))
    ax.set_title(f"{variavel}: {num(int(flow['n'].sum()), 0)} decisões, antes e depois da deliberação")
    return notice(fig, aviso)


def square(pairs: pd.DataFrame, column: str, members: Sequence[str]) -> NDArray[np.float64]:
    """(N, N) the pairs' `column` as a symmetric matrix in the order of `members`; NaN on the diagonal."""
    place = {name: k for k, name in enumerate(members)}
    matrix = np.full((len(members), len(members)), np.nan)
    i, j = pairs["a"].map(place).to_numpy(), pairs["b"].map(place).to_numpy()
    matrix[i, j] = matrix[j, i] = pairs[column].to_numpy(dtype=float)
    return matrix


def heat_figure(
    pairs: pd.DataFrame,
    familias: Mapping[str, str],
    columns: Sequence[str],
    aviso: str = "",
    title: str = "",
) -> Figure:
    """Heat maps of pairs, members of a family side by side, with their numbers (for up to 12 members)."""
    families = list(dict.fromkeys(familias.values()))
    members = sorted(familias, key=lambda name: families.index(familias[name]))
    side = (LARGURA - 1.25) / len(columns)  # beside the names of the members
    height = side + (1.3 if title else 1.05)
    fig, axes = plt.subplots(1, len(columns), figsize=(LARGURA, height), squeeze=False)
    for ax, column in zip(axes.flat, columns, strict=True):
        heat(ax, square(pairs, column, members))
        _numbers(ax, square(pairs, column, members))
        ax.set_title(NOMES[column], fontsize=8.5)
        ax.set_xticks(range(len(members)), members, rotation=35, ha="right", fontsize=7)
        labels = [f"{name} ({familias[name]})" for name in members] if ax is axes.flat[0] else []
        ax.set_yticks(range(len(members)) if labels else [], labels, fontsize=7)
        _family_lines(ax, [familias[name] for name in members])
    if title:
        fig.suptitle(title, fontsize=10, x=0.01, ha="left")
    return notice(fig, aviso)


def relation_figure(pairs: pd.DataFrame, columns: Sequence[str], aviso: str = "") -> Figure:
    """Pairs of one family beside pairs of two: median, quartiles, and the middle 90%."""
    fig, axes = plt.subplots(1, len(columns), figsize=(LARGURA, 1.9), sharey=True, squeeze=False)
    for ax, column in zip(axes.flat, columns, strict=True):
        kinds = [pairs.loc[pairs["relacao"] == kind, column].dropna() for kind in (ENTRE, DENTRO)]
        ax.boxplot(
            kinds,
            orientation="horizontal",
            whis=(5, 95),
            widths=0.5,
            medianprops={"color": "#111111"},
            sym=".",
        )
        ax.set_yticks(
            [1, 2], [f"{kind} ({num(len(k), 0)})" for kind, k in zip((ENTRE, DENTRO), kinds, strict=True)]
        )
        ax.set_xlabel(NOMES[column], fontsize=8)
        ax.grid(axis="y", visible=False)
        eixo_com_virgula(ax, casas_x=1)
    return notice(fig, aviso)


def heat(ax: Axes, matrix: NDArray[np.float64], aspect: Literal["equal", "auto"] = "equal") -> AxesImage:
    """A symmetric matrix in grey, from 0 (white; below it, too) to 1 (black)."""
    ax.set_facecolor("#ffffff")  # the diagonal, and what is undefined
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return ax.imshow(matrix, cmap="Greys", vmin=0, vmax=1, interpolation="nearest", aspect=aspect)


def _numbers(ax: Axes, matrix: NDArray[np.float64]) -> None:
    for (i, j), value in np.ndenumerate(matrix):
        if i != j:
            colour = "#ffffff" if value > 0.55 else "#111111"
            ax.text(j, i, num(value), ha="center", va="center", color=colour, fontsize=8)


def _family_lines(ax: Axes, families: Sequence[str]) -> None:
    for k in range(1, len(families)):
        if families[k] != families[k - 1]:
            ax.axhline(k - 0.5, color="#b8400f", linewidth=1.2)
            ax.axvline(k - 0.5, color="#b8400f", linewidth=1.2)
