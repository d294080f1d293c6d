"""The table of claims: what RoPoLL claims, what is found here, and whether it holds.

Every verdict is computed from the studies by a rule that stands in the code; nothing is typed in. A
simulation can contradict or bear out a mechanism; it never confirms a figure that was measured on another
benchmark, so such figures stay `não testável aqui` whatever is simulated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import pandas as pd

from compendio.report.style import intervalo
from compendio.robust import claims_simulated as simulated
from compendio.robust.claims_real import not_testable, real

Studies = Mapping[str, pd.DataFrame]


def claims_table(
    studies: Studies, reais: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]] | None = None
) -> pd.DataFrame:
    """All claims: `id, afirmacao, achado, veredito, valor`.

    Parameters
    ----------
    studies
        The results of `studies.run_all`.
    reais
        Name of a set of real scores → its `evaluation.error_table` and `evaluation.injected_table`; empty or
        None where none is at hand.
    """
    lines = [
        simulated.unbounded(studies["deslocamento"]),
        simulated.more_judges(studies["tamanho"]),
        simulated.independent_failures(studies["tamanho"]),
        simulated.stable(studies["deslocamento"]),
        simulated.orders(studies["contaminacao"]),
        simulated.joint(studies["conjunta"]),
        simulated.trimming(studies["aparada"]),
        simulated.breakdown(studies["ruptura"]),
        simulated.at_half(studies["contaminacao"]),
        simulated.bound(studies["limite"]),
        simulated.rate(studies["premio"]),
        simulated.premium(studies["premio"]),
        simulated.noise(studies["ruido"]),
        simulated.effective(studies["n_efetivo"]),
        simulated.correlated(studies["ruptura"]),
        simulated.weiszfeld(studies["weiszfeld"]),
        *real(reais or {}),
        *not_testable(),
    ]
    return pd.DataFrame([asdict(line) for line in lines])


def intervals(table: pd.DataFrame, casas: int = 3) -> pd.Series:
    """`[baixo; alto]` of each row that has `ic_baixo` and `ic_alto`, for printed tables."""
    return pd.Series(
        [intervalo(low, high, casas) for low, high in zip(table["ic_baixo"], table["ic_alto"], strict=True)],
        index=table.index,
    )
