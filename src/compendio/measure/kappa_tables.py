"""Kappa of every coder with the reference, per categorical variable, with what helps to read it.

All coders of a variable share one resample of documents, so that differences have intervals, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from compendio.contract import DECIDIDAS
from compendio.measure.agreement import (
    gwet_ac1,
    kappa_bootstrap,
    krippendorff_alpha,
    observed_agreement,
    prevalence,
)
from compendio.measure.coders import Coders
from compendio.measure.families import JURIS, mark_circular

#: From this share of one category on, kappa needs AC1 beside it: chance agreement is then above one half.
DOMINA = 0.7
NENHUMA = "o júri não decidiu nenhuma"


@dataclass(frozen=True)
class KappaTables:
    """Kappas of a study.

    Attributes
    ----------
    kappas
        A row a variable and coder: `variavel, codificador, circular, n, kappa, ic_inf, ic_sup, indefinidas,
        motivo, kappa_respondidos, n_respondidos, concordancia, ac1, alfa`. `n` counts the documents with a
        value in the reference; `alfa` is Krippendorff's, of reference and coder.
    decided
        A row a variable and jury, over decided rows alone: `variavel, codificador, circular, parte` (share
        of the reference's documents that are decided), `n, kappa, ic_inf, ic_sup, indefinidas, motivo`.
    differences
        A row a variable and pair: `variavel, primeiro, segundo, n, diferenca` (kappa of the first minus that
        of the second, where both answered), `ic_inf, ic_sup, indefinidas, motivo`.
    variables
        A row a variable: `variavel, categorias` (in the codebook), `categoria_dominante, prevalencia` (its
        share in the reference), `domina` (at least `DOMINA`), `alfa_membros` (Krippendorff's alpha among the
        members, which needs no reference).
    """

    kappas: pd.DataFrame
    decided: pd.DataFrame
    differences: pd.DataFrame
    variables: pd.DataFrame


def kappa_tables(coders: Coders) -> KappaTables:
    """The kappas of all categorical variables. The study must have a reference."""
    assert coders.reference is not None
    kappas, decided, differences, variables = [], [], [], []
    check = coders.study.validacao
    for variable in coders.variaveis:
        if variable.tipo != "categorica":
            continue
        rows, categories = coders.rows(variable.nome), list(variable.categorias)
        truth, values = coders.truth[rows], coders.values[rows]
        columns = {name: values[name] for name in values}
        found = kappa_bootstrap(
            truth, columns, categories, check.reamostras, seed=check.semente, pairs=_pairs(coders)
        )
        kappas.append(_with_others(found.coders, truth, values, categories).assign(variavel=variable.nome))
        differences.append(found.differences.assign(variavel=variable.nome))
        decided += [
            _decided(coders, name, rows, categories).assign(variavel=variable.nome) for name in coders.juris
        ]
        variables.append(_variable_row(variable.nome, coders, rows, categories))
    reference, families = coders.reference.codificador, coders.familias
    return KappaTables(
        mark_circular(_joined(kappas, KAPPAS), reference, families)[KAPPAS],
        mark_circular(_joined(decided, DECIDED), reference, families)[DECIDED],
        _joined(differences, DIFFERENCES)[DIFFERENCES],
        pd.DataFrame(variables, columns=VARIABLES),
    )


_INTERVAL = ["ic_inf", "ic_sup", "indefinidas", "motivo"]
KAPPAS = [
    *["variavel", "codificador", "circular", "n", "kappa", *_INTERVAL],
    *["kappa_respondidos", "n_respondidos", "concordancia", "ac1", "alfa"],
]
DECIDED = ["variavel", "codificador", "circular", "parte", "n", "kappa", *_INTERVAL]
DIFFERENCES = ["variavel", "primeiro", "segundo", "n", "diferenca", *_INTERVAL]
VARIABLES = ["variavel", "categorias", "categoria_dominante", "prevalencia", "domina", "alfa_membros"]


def _joined(tables: Sequence[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


def _pairs(coders: Coders) -> list[tuple[str, str]]:
    """The jury against each member, and each jury against the one before it."""
    pairs = [("juri", member) for member in coders.membros]
    return pairs + [(second, first) for first, second in zip(JURIS, coders.juris[1:], strict=False)]


def _with_others(
    table: pd.DataFrame, truth: pd.Series, values: pd.DataFrame, categories: list[str]
) -> pd.DataFrame:
    names = table["codificador"]
    return table.assign(
        concordancia=[observed_agreement(truth, values[c]).value for c in names],
        ac1=[gwet_ac1(truth, values[c], categories).value for c in names],
        alfa=[krippendorff_alpha([truth, values[c]]).value for c in names],
    )


def _decided(coders: Coders, juri: str, rows: np.ndarray, categories: list[str]) -> pd.DataFrame:
    decided = coders.decisions[juri]["estado"].isin(DECIDIDAS).to_numpy()
    known = int((rows & coders.known).sum())
    kept = rows & decided
    check = coders.study.validacao
    found = kappa_bootstrap(
        coders.truth[kept],
        {juri: coders.values.loc[kept, juri]},
        categories,
        check.reamostras,
        seed=check.semente,
        pairs=[],
    ).coders
    share = float((kept & coders.known).sum() / known) if known else float("nan")
    return found.assign(parte=share, **({"motivo": NENHUMA} if share == 0 else {}))


def _variable_row(nome: str, coders: Coders, rows: np.ndarray, categories: list[str]) -> dict[str, object]:
    shares = prevalence(coders.truth[rows], categories)
    top = shares.loc[shares["proporcao"].idxmax()] if shares["proporcao"].notna().any() else None
    votes = coders.values.loc[rows, coders.membros]
    return {
        "variavel": nome,
        "categorias": len(categories),
        "categoria_dominante": None if top is None else top["categoria"],
        "prevalencia": float("nan") if top is None else float(top["proporcao"]),
        "domina": top is not None and bool(top["proporcao"] >= DOMINA),
        "alfa_membros": krippendorff_alpha(votes).value,
    }


def prevalence_notes(variables: pd.DataFrame) -> list[str]:
    """One sentence (Portuguese) for each variable in which one category dominates the reference."""
    return [
        f"`{row.variavel}`: a referência põe {100 * row.prevalencia:.0f}% dos documentos em "
        f"«{row.categoria_dominante}». Boa parte do acordo se espera do acaso, e poucos erros baixam muito o "
        "kappa; leia o AC1 ao lado."
        for row in variables.itertuples()
        if row.domina
    ]
