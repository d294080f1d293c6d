"""Figures of the robust panel. Each function draws one figure from a table; saving is the caller's."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from compendio.report.style import LARGURA, barra, eixo_com_virgula, num, serie
from compendio.robust.aggregate import NAMES
from compendio.robust.corruption import REGIMES, SHORT
from compendio.robust.evaluation import LABELS
from compendio.robust.experiment import compare, effective_judges, summarise


def _lines(ax: Axes, table: pd.DataFrame, x: str) -> None:
    """One line an aggregator, with its Monte Carlo interval as a band."""
    for i, (key, label) in enumerate(NAMES.items()):
        group = table[table["agregador"] == key].sort_values(x)
        style = serie(i)
        ax.plot(group[x], group["rmse"], label=label, **style)
        ax.fill_between(group[x], group["ic_baixo"], group["ic_alto"], color=style["color"], alpha=0.18, lw=0)


def contamination(runs: pd.DataFrame) -> Figure:
    """RMSE against the share of failing judges, one panel a regime; logarithmic error."""
    fig, axes = plt.subplots(2, 3, figsize=(LARGURA + 0.4, LARGURA * 0.72), sharex=True)
    table = summarise(runs, ["regime", "numero", "juizes"])
    table["parcela"] = 100 * table["numero"] / table["juizes"]
    for ax, regime in zip(axes.flat, REGIMES, strict=False):
        _lines(ax, table[table["regime"] == regime], "parcela")
        ax.set_yscale("log")
        ax.yaxis.set_minor_formatter("")
        ax.set_yticks([0.2, 1, 10] if regime == "cauchy" else [0.2, 0.5, 1, 2])
        ax.yaxis.set_major_formatter(lambda v, _: num(v, 1 if v < 1 else 0))
        if regime != "cauchy":  # one scale for the four that share an order of magnitude
            ax.set_ylim(0.13, 2.8)
        ax.set_title(SHORT[regime])
        ax.set_xticks(range(0, 51, 10))
    axes[0, 2].tick_params(labelbottom=True)
    axes[1, 2].axis("off")
    axes[1, 2].legend(
        *axes[0, 0].get_legend_handles_labels(), loc="center", title="Agregador", handlelength=2.4
    )
    fig.supylabel("Raiz do erro quadrático médio (notas, escala 0 a 4, log)", fontsize=9)
    fig.supxlabel("Juízes que falham em cada item (%)", fontsize=9)
    return fig


def shift(runs: pd.DataFrame) -> Figure:
    """RMSE against the distance of the failing judges, both logarithmic."""
    fig, ax = plt.subplots(figsize=(LARGURA, LARGURA * 0.52))
    _lines(ax, summarise(runs, ["deslocamento"]), "deslocamento")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.xaxis.set_major_formatter(lambda v, _: num(v, 0))
    ax.yaxis.set_major_formatter(lambda v, _: num(v, 0 if v >= 1 else 1))
    ax.set_xlabel("Deslocamento dos 3 juízes que falham, de 10 (larguras da escala, log)")
    ax.set_ylabel("Erro (notas, log)")
    ax.legend()
    return fig


def size_and_correlation(sizes: pd.DataFrame, effective: pd.DataFrame) -> Figure:
    """Left: error against panel size under independent failures. Right: N_eff, formula and simulation."""
    fig, (left, right) = plt.subplots(1, 2, figsize=(LARGURA, LARGURA * 0.46))
    _lines(left, summarise(sizes, ["juizes"]), "juizes")
    left.set_xlabel("Juízes no painel")
    left.set_ylabel("Raiz do erro quadrático médio (notas)")
    left.set_title("Cada juiz falha (zeros) com\nprobabilidade 0,3", fontsize=9)
    left.set_ylim(bottom=0)
    left.legend(fontsize=7)
    eixo_com_virgula(left, casas_x=0, casas_y=1)
    gamma = np.linspace(0, 0.8, 60)
    for i, (judges, group) in enumerate(effective.groupby("juizes")):
        style = serie(i)
        right.plot(
            gamma,
            [effective_judges(int(str(judges)), g) for g in gamma],
            color=style["color"],
            linestyle=style["linestyle"],
        )
        spread = [group["simulado"] - group["ic_baixo"], group["ic_alto"] - group["simulado"]]
        right.errorbar(
            group["correlacao"], group["simulado"], yerr=spread, fmt=style["marker"], color=style["color"],
            capsize=2, label=f"{judges} juízes",
        )  # fmt: skip
    right.set_xlabel("Correlação dos erros entre juízes")
    right.set_ylabel("Juízes independentes equivalentes")
    right.set_title("Linha: N/(1+(N−1)γ). Pontos: simulação", fontsize=9)
    right.set_ylim(bottom=0)
    right.legend()
    eixo_com_virgula(right, casas_x=1, casas_y=0)
    return fig


def premium(runs: pd.DataFrame) -> Figure:
    """What robustness costs with no failure: geometric median over mean, by dimensions and panel size."""
    fig, ax = plt.subplots(figsize=(LARGURA, LARGURA * 0.5))
    table = compare(runs, ["juizes", "dimensoes"], "mediana_geometrica", "media")
    for i, (judges, group) in enumerate(table.groupby("juizes")):
        cost = 100 * (group["razao"] - 1)
        spread = [100 * (group["razao"] - group["ic_baixo"]), 100 * (group["ic_alto"] - group["razao"])]
        offset = (i - 1.5) * 0.07
        ax.errorbar(
            group["dimensoes"] + offset, cost, yerr=spread, capsize=2, label=f"{judges} juízes", **serie(i)
        )
    ax.set_xticks(sorted(table["dimensoes"].unique()))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("Dimensões da nota")
    ax.set_ylabel("Erro a mais que o da média (%)")
    ax.legend()
    return fig


def real_errors(tables: dict[str, pd.DataFrame]) -> Figure:
    """Mean absolute error of every aggregator and of the best judge, one panel a set, with its interval."""
    fig, axes = plt.subplots(
        1, len(tables), figsize=(LARGURA, LARGURA * 0.4), squeeze=False, sharey=True, sharex=True
    )
    for ax, (title, table) in zip(axes.flat, tables.items(), strict=True):
        for i, row in enumerate(table.itertuples()):
            ax.barh(i, row.erro_medio, **barra(i))
            spread = [[row.erro_medio - row.ic_baixo], [row.ic_alto - row.erro_medio]]
            ax.errorbar(row.erro_medio, i, xerr=spread, color="#777777", capsize=3)
            ax.text(row.ic_alto + 0.012, i, num(row.erro_medio, 3), va="center", fontsize=8)
        ax.set_yticks(range(len(table)), [LABELS[name] for name in table["agregador"]])
        ax.set_xlim(0, 1.25 * max(t["ic_alto"].max() for t in tables.values()))
        ax.grid(axis="y", visible=False)
        ax.set_title(title, fontsize=9)
        eixo_com_virgula(ax, casas_x=1)
    axes[0, 0].invert_yaxis()
    fig.supxlabel("Erro absoluto médio contra a referência (notas)", fontsize=9)
    return fig


def injected(table: pd.DataFrame, titulo: str) -> Figure:
    """Mean absolute error with failing judges injected: one group of bars a regime, one panel a number."""
    numbers = [n for n in sorted(table["numero"].unique()) if n > 0]
    fig, axes = plt.subplots(
        len(numbers), 1, figsize=(LARGURA, LARGURA * 0.34 * len(numbers)), squeeze=False, sharex=True
    )
    for ax, number in zip(axes[:, 0], numbers, strict=True):
        wide = table[table["numero"] == number].pivot(
            index="regime", columns="agregador", values="erro_medio"
        )
        top = 1.25 * wide.drop(index="cauchy").to_numpy().max()
        for i, (key, label) in enumerate(NAMES.items()):
            where = np.arange(len(REGIMES)) + (i - 1.5) * 0.2
            height = wide.loc[list(REGIMES), key].to_numpy()
            ax.bar(where, np.minimum(height, top), width=0.19, label=label, **barra(i))
            for x, h in zip(where, height, strict=True):
                if h > top:  # cut bars say their height
                    ax.text(x, top, num(h, 1), ha="center", va="bottom", fontsize=7)
        ax.set_ylim(0, top * 1.02)
        ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        fail = "1 juiz falha" if number == 1 else f"{number} juízes falham"
        ax.set_title(f"{titulo}: {fail} em cada item", fontsize=9)
        ax.set_xticks(range(len(REGIMES)), [SHORT[r].replace(" ", "\n", 1) for r in REGIMES])
        ax.grid(axis="x", visible=False)
        ax.set_ylabel("Erro médio (notas)")
        eixo_com_virgula(ax, casas_y=1)
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return fig
