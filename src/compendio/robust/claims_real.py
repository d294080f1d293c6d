"""Claims about real scores, and those that nothing at hand can test."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from compendio.report.style import num, pct
from compendio.robust.claim import EM_PARTE, NAO_TESTAVEL, NAO_VALE, VALE, Claim
from compendio.robust.corruption import SHORT


def real(sets: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]]) -> list[Claim]:
    """Two lines a set: nothing injected, and failures injected (`error_table`, `injected_table`)."""
    clean = "Em notas reais sem contaminação, a mediana geométrica perde menos de 6,4% para a média."
    injected = "Em notas reais contaminadas, a mediana geométrica erra menos que a média."
    if not sets:
        missing = "Sem os conjuntos públicos de notas à mão."
        return [
            Claim("reais_limpas", clean, missing, NAO_TESTAVEL),
            Claim("reais_injetadas", injected, missing, NAO_TESTAVEL),
        ]
    lines = []
    for name, (errors, failures) in sets.items():
        error = errors.set_index("agregador")["erro_medio"]
        premium = float(error["mediana_geometrica"] / error["media"] - 1)
        wins = "vence" if premium > 0 else "não vence"
        lines.append(
            Claim(
                f"{name}_limpo",
                clean,
                f"{name}: erro médio da média {num(error['media'], 3)}; da mediana geométrica "
                f"{num(error['mediana_geometrica'], 3)}; da mediana por coordenada "
                f"{num(error['mediana_coordenada'], 3)}. Sem contaminação a média {wins} "
                f"(prêmio de {pct(premium, 1)}).",
                VALE if premium < 0.064 else NAO_VALE,
                premium,
            )
        )
        wide = failures[failures["numero"] > 0].pivot(
            index=["regime", "numero"], columns="agregador", values="erro_medio"
        )
        worse = wide[wide["mediana_geometrica"] >= wide["media"]]
        exceptions = "; ".join(f"{SHORT[regime]}, {number}" for regime, number in worse.index) or "nenhuma"
        lines.append(
            Claim(
                f"{name}_injetado",
                injected,
                f"{name}, falhas injetadas: erra menos que a média em {len(wide) - len(worse)} de "
                f"{len(wide)} "
                f"combinações de regime e número de juízes. Exceções: {exceptions}.",
                VALE if worse.empty else EM_PARTE if len(worse) < len(wide) else NAO_VALE,
                1 - len(worse) / len(wide),
            )
        )
    return lines


def not_testable() -> list[Claim]:
    why = "Depende de juízes e conjuntos que não estão à mão."
    return [
        Claim(f"benchmark_{i}", text, reason, NAO_TESTAVEL)
        for i, (text, reason) in enumerate(
            [
                ("De 1 a 3 ordens de grandeza de vantagem em HelpSteer e UltraFeedback.", why),
                ("Prêmio de no máximo 6,4% sem contaminação, nos três conjuntos.", why),
                ("Três juízes (38B) superam um de 675B em 1,31×, com 30% de contaminação.", why),
                ("Comitês ficam abaixo da lei de escala dos juízes individuais.", why),
                ("Juízes reais falham por desvios enviesados, e não por ruído de cauda leve.",
                 "As notas daqui mostram células que falham, mas não por quê."),
                ("Um corpus de 28.000 notas de 13 juízes é publicado.", "O corpus não está à mão."),
            ],
            start=1,
        )
    ]  # fmt: skip
