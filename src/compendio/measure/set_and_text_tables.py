"""Agreement where kappa over one list of categories does not apply: several choices, and free text."""

from __future__ import annotations

import pandas as pd

from compendio.measure.agreement import (
    kappa_bootstrap,
    kappa_by_choice,
    masi_alpha,
    membership,
    wilson_interval,
)
from compendio.measure.coders import Coders
from compendio.measure.families import mark_circular

CHOICES = [
    *["variavel", "categoria", "codificador", "circular", "n", "n_referencia", "n_codificador"],
    *["concordancia", "kappa", "ic_inf", "ic_sup", "motivo"],
]
EQUAL = ["variavel", "codificador", "circular", "n", "iguais", "concordancia", "ic_inf", "ic_sup"]


def choice_table(coders: Coders) -> pd.DataFrame:
    """Several-choice variables, category by category: "chosen or not" against the reference.

    Returns
    -------
    DataFrame
        `variavel, categoria, codificador, circular, n, n_referencia, n_codificador` (how often chosen),
        `concordancia, kappa, ic_inf, ic_sup, motivo`; one shared resample of documents per category.
    """
    assert coders.reference is not None
    check, parts = coders.study.validacao, []
    for variable in coders.variaveis:
        if variable.tipo != "multipla":
            continue
        rows, categories = coders.rows(variable.nome), list(variable.categorias)
        truth, values = coders.truth[rows], coders.values[rows]
        wanted = membership(truth, categories)
        given = {name: membership(values[name], categories) for name in values}
        counts = {name: kappa_by_choice(truth, values[name], categories) for name in values}
        for k, category in enumerate(categories):
            found = kappa_bootstrap(
                wanted[category],
                {name: table[category] for name, table in given.items()},
                ("sim", "nao"),
                check.reamostras,
                seed=check.semente,
                pairs=[],
            ).coders
            plain = pd.DataFrame([counts[name].iloc[k] for name in found["codificador"]])
            for column in ("n_referencia", "n_codificador", "concordancia"):
                found[column] = plain[column].to_numpy()
            parts.append(found.assign(variavel=variable.nome, categoria=category))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=CHOICES)
    return mark_circular(table, coders.reference.codificador, coders.familias)[CHOICES]


def set_table(coders: Coders) -> pd.DataFrame:
    """Several-choice variables whole: equal sets with Wilson's interval, and MASI-weighted alpha (`alfa_masi`).

    Columns of `equality_table`, then `alfa_masi` of reference and coder.
    """
    table = equality_table(coders, "multipla")
    alphas = []
    for variavel, coder in zip(table["variavel"], table["codificador"], strict=True):
        rows = coders.rows(variavel)
        alphas.append(masi_alpha([coders.truth[rows], coders.values.loc[rows, coder]]).value)
    return table.assign(alfa_masi=pd.Series(alphas, dtype=float))


def text_table(coders: Coders) -> pd.DataFrame:
    """Free-text variables: agreement of normal forms with the reference. Columns of `equality_table`."""
    return equality_table(coders, "texto")


def equality_table(coders: Coders, tipo: str) -> pd.DataFrame:
    """Share of the reference's documents on which a coder gives the same value, for variables of one type.

    Returns
    -------
    DataFrame
        `variavel, codificador, circular, n, iguais, concordancia, ic_inf, ic_sup` (Wilson: inside one
        variable each document is one decision).
    """
    assert coders.reference is not None
    rows = []
    for variable in coders.variaveis:
        if variable.tipo != tipo:
            continue
        there = coders.rows(variable.nome) & coders.known
        n = int(there.sum())
        for name in coders.values:
            equal = int((coders.right(name) & there).sum())
            low, high = wilson_interval(equal, n)
            rows.append(
                {
                    "variavel": variable.nome,
                    "codificador": name,
                    "n": n,
                    "iguais": equal,
                    "concordancia": equal / n if n else float("nan"),
                    "ic_inf": low,
                    "ic_sup": high,
                }
            )
    table = pd.DataFrame(rows, columns=[c for c in EQUAL if c != "circular"])
    return mark_circular(table, coders.reference.codificador, coders.familias)[EQUAL]
