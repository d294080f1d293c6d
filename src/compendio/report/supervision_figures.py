"""Figure of the last source: how each variable's decisions were reached."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from compendio.contract import ESTADOS as ORDEM
from compendio.report.style import CORES, HACHURAS, LARGURA, short_notice
from compendio.report.validation_tables import ESTADOS

#: States that end alike are drawn as one, so that fills stay apart.
_KINDS = {
    "unânime": ["unanime"],
    "maioria, antes ou depois da deliberação": ["maioria", "deliberada"],
    ESTADOS["supervisor"]: ["supervisor"],
    ESTADOS["nenhum_adequado"]: ["nenhum_adequado"],
    "sem decisão": ["sem_evidencia", "sem_maioria"],
}


def states_figure(table: pd.DataFrame, variaveis: list[str], fonte: str, aviso: str = "") -> Figure:
    """Shares of decisions by kind, one bar a variable. `table`: contract rows of a jury source."""
    counts = pd.crosstab(table["variavel"], table["estado"]).reindex(
        index=variaveis, columns=ORDEM, fill_value=0
    )
    shares = counts.div(counts.sum(axis=1), axis=0).fillna(0)
    fig, ax = plt.subplots(figsize=(LARGURA, 1.4 + 0.36 * len(variaveis)))
    left = np.zeros(len(variaveis))
    for i, (label, states) in enumerate(_KINDS.items()):
        width = shares[states].sum(axis=1).to_numpy()
        if width.any():
            edge = "#ffffff" if i < 2 else "#111111"  # the hatch has to show on its fill
            ax.barh(
                variaveis, 100 * width, left=100 * left, label=label, facecolor=CORES[i], edgecolor=edge,
                hatch=HACHURAS[i], linewidth=0.5,
            )  # fmt: skip
        left += width
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel("% das decisões")
    ax.grid(axis="y", visible=False)
    ax.set_title(f"Como se chegou a cada valor em {fonte}")
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    if aviso:
        fig.supxlabel(short_notice(aviso), fontsize=6.5, color="#555555", ha="left", x=0.01, wrap=True)
    return fig
