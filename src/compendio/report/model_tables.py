"""What notebook 6 says of many models: the test of families made like with like, and family by family."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from compendio.measure.error_correlation import FamilyTest
from compendio.report.bloc_tables import HEADINGS
from compendio.report.style import num, p_valor


def like_with_like_table(tests: Mapping[str, FamilyTest]) -> pd.DataFrame:
    """One row a measure: `medida, diferenca, esperada, p, menor_p`, of tests inside strata of accuracy."""
    names = ["diferenca", "esperada", "p", "menor_p"]
    rows = [[measure, *(getattr(test, name) for name in names)] for measure, test in tests.items()]
    return pd.DataFrame(rows, columns=["medida", *names])


def like_with_like_sentence(test: FamilyTest, medida: str, quais: str = "entre iguais") -> str:
    """What is left of the families' difference once their accuracy is allowed for; `quais`: among which models."""
    name = f"{HEADINGS[medida].capitalize()}, {quais}"
    if pd.isna(test.p):
        return f"**{name}:** não há pares das duas espécies, e por isso não há o que comparar."
    if not test.tem_poder:
        return (
            f"**{name}:** há poucos modelos de exatidão parecida e famílias diferentes; o menor p "
            f"possível seria {p_valor(test.menor_p)}, e por isso o p da tabela não diz nada."
        )
    p = p_valor(test.p)
    given = f"(p {p if p.startswith('<') else '= ' + p})"
    alone = f"a exatidão sozinha já daria uma diferença de {num(test.esperada)}"
    if test.p > 0.05:
        return f"**{name}:** {alone}; a observada, {num(test.diferenca)}, não se distingue dela {given}."
    return (
        f"**{name}:** {alone}; a observada é {num(test.diferenca)}, mais do que a exatidão explica {given}."
    )


def family_sentence(table: pd.DataFrame) -> str:
    """In how many families the errors of the members go together more than with those of others."""
    defined = table[table["diferenca"].notna()]
    if defined.empty:
        return "Nenhuma família tem dois modelos cujos erros se possam correlacionar."
    more = int((defined["diferenca"] > 0).sum())
    first, last = defined.iloc[0], defined.iloc[-1]
    return (
        f"Famílias com dois modelos ou mais: {len(defined)}; com os erros mais correlacionados dentro do que fora: "
        f"{more}. A maior diferença é a de {first['familia']} ({num(first['diferenca'])}), a menor a de "
        f"{last['familia']} ({num(last['diferenca'])}). Com poucos modelos por família, cada linha é só uma descrição."
    )
