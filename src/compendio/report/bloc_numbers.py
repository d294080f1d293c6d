"""The numbers of the blocs, each with the name under which an article takes it and its printed form.

    blocos.<variavel>.<etapa>.<padrao>             decisions; todos_iguais, todos_diferentes, bloco.<familia>
    blocos.<variavel>.<etapa>.<familia>.<contra>.{n, com_referencia, contra_com_a_referencia,
                                                  familia_com_a_referencia}
    blocos.<variavel>.{correlacao_media, jurados_efetivos}       `todas` over all variables
    blocos.familias.<medida>.{dentro, entre, diferenca, p, menor_p}
    blocos.modelos.<medida>.{dentro, entre, diferenca, p, menor_p}      every model of modelos.csv
    blocos.modelos.<medida>.entre_iguais.{diferenca, esperada, p}       labels shuffled inside strata of accuracy
    blocos.modelos.<medida>.sem_copias.{diferenca, esperada, p}         the same without near copies
    blocos.modelos.familia.<familia>.{membros, dentro, entre}           correlation of errors
    blocos.modelos.{modelos, familias, distintos, correlacao_media, jurados_efetivos}
    blocos.conformidade.<membro>.{contra_a_maioria, mudou, para_a_maioria, maioria_certa, maioria_errada}
    blocos.juri.<juri>.{decididas, acertos, mudam}               over all variables

`<etapa>`: `rodada_1`, `apos_deliberacao`. What needs a reference is left out where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from compendio.measure.blocs import DIFERENTES, IGUAIS, Blocs
from compendio.measure.counterfactual import POR_FAMILIA, REAL
from compendio.measure.error_correlation import FamilyTest, effective_jurors, error_matrix
from compendio.report.style import num, p_valor
from compendio.report.validation_numbers import Number, count, number

RODADA_1, DEPOIS = "rodada_1", "apos_deliberacao"


def pattern_numbers(table: pd.DataFrame, etapa: str, celula: str) -> list[Number]:
    """How many decisions are alike, all different, or show a family alone (`blocs.pattern_table`)."""
    numbers = []
    for variavel, rows in table.groupby("variavel", sort=False):
        name = f"blocos.{variavel}.{etapa}"
        for pattern, ident in ((IGUAIS, "todos_iguais"), (DIFERENTES, "todos_diferentes")):
            numbers.append(count(f"{name}.{ident}", rows.loc[rows["padrao"] == pattern, "n"].sum(), celula))
        alone = rows[rows["bloco"] != ""].groupby("bloco")["n"].sum()
        numbers += [
            count(f"{name}.bloco.{bloc}", n, celula) for bloc, n in alone.items() if "," not in str(bloc)
        ]
    return numbers


def outvoted_numbers(table: pd.DataFrame, etapa: str, referencia: bool, celula: str) -> list[Number]:
    """Every row of `blocs.outvoted`."""
    names = ["n", "com_referencia", "contra_com_a_referencia", "familia_com_a_referencia"]
    return [
        count(f"blocos.{row['variavel']}.{etapa}.{row['familia']}.{row['contra']}.{name}", row[name], celula)
        for row in table.to_dict("records")
        for name in (names if referencia else names[:1])
    ]


def juror_numbers(table: pd.DataFrame, celula: str) -> list[Number]:
    """γ̄ and the effective number of jurors, per variable and over all."""
    numbers = []
    for row in table.itertuples():
        name = f"blocos.{row.variavel}"
        mean, jurors = row.correlacao_media, row.n_efetivo
        numbers.append(number(f"{name}.correlacao_media", mean, num(mean), celula))
        numbers.append(number(f"{name}.jurados_efetivos", jurors, num(jurors, 1), celula))
    return numbers


def family_numbers(
    tests: Mapping[str, FamilyTest], celula: str, prefixo: str = "blocos.familias"
) -> list[Number]:
    """The permutation test, measure by measure."""
    numbers = []
    for measure, test in tests.items():
        name = f"{prefixo}.{measure}"
        for part in ("dentro", "entre", "diferenca"):
            numbers.append(number(f"{name}.{part}", getattr(test, part), num(getattr(test, part)), celula))
        numbers.append(number(f"{name}.p", test.p, p_valor(test.p), celula))
        numbers.append(number(f"{name}.menor_p", test.menor_p, p_valor(test.menor_p), celula))
    return numbers


def model_numbers(blocs: Blocs, celula: str) -> list[Number]:
    """How many models and families there are, and how many independent jurors the models are worth."""
    mean, jurors = effective_jurors(error_matrix(blocs.first, blocs.truth))
    return [
        count("blocos.modelos.modelos", len(blocs.familias), celula),
        count("blocos.modelos.familias", len(set(blocs.familias.values())), celula),
        number("blocos.modelos.correlacao_media", mean, num(mean), celula),
        number("blocos.modelos.jurados_efetivos", jurors, num(jurors, 1), celula),
    ]


def like_with_like_numbers(tests: Mapping[str, FamilyTest], quais: str, celula: str) -> list[Number]:
    """The test inside strata of accuracy, measure by measure; `quais`: `entre_iguais` or `sem_copias`."""
    numbers = []
    for measure, test in tests.items():
        name = f"blocos.modelos.{measure}.{quais}"
        for part in ("diferenca", "esperada"):
            numbers.append(number(f"{name}.{part}", getattr(test, part), num(getattr(test, part)), celula))
        numbers.append(number(f"{name}.p", test.p, p_valor(test.p), celula))
    return numbers


def family_means_numbers(table: pd.DataFrame, celula: str) -> list[Number]:
    """Each family's correlation of errors (`family_blocs.family_table`)."""
    numbers = []
    for row in table.to_dict("records"):
        name = f"blocos.modelos.familia.{row['familia']}"
        numbers.append(count(f"{name}.membros", row["membros"], celula))
        numbers += [
            number(f"{name}.{part}", row[part], num(row[part]), celula) for part in ("dentro", "entre")
        ]
    return numbers


def conformity_numbers(table: pd.DataFrame, referencia: bool, celula: str) -> list[Number]:
    """Moves to the majority, per member."""
    names = ["contra_a_maioria", "mudou", "para_a_maioria"]
    names += ["maioria_certa", "maioria_errada"] if referencia else []
    return [
        count(f"blocos.conformidade.{row['membro']}.{name}", row[name], celula)
        for row in table.to_dict("records")
        for name in names
    ]


def jury_numbers(table: pd.DataFrame, referencia: bool, celula: str) -> list[Number]:
    """What each jury that might have been decides (`counterfactual.totals`)."""
    known = {REAL: "real", POR_FAMILIA: "um_voto_por_familia"}
    names = ["decididas", "mudam", *(["acertos"] if referencia else [])]
    return [
        count(
            f"blocos.juri.{known.get(row['juri'], row['juri'].replace(' ', '_'))}.{name}", row[name], celula
        )
        for row in table.to_dict("records")
        for name in names
    ]
