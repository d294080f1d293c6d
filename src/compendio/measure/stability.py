"""Stability of execution: how many votes and decisions change when the same question is asked again.

It is not reliability: a model that repeats the same error is perfectly stable. The repetition asks the same
questions in another order, which changes the server's cache, and with it the answers of small models.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from compendio.jury.decide import PAR, round_votes
from compendio.measure.coders import TODAS, Coders, same
from compendio.measure.pooled import Bools, shares
from compendio.measure.votes_matrix import votes_matrix
from compendio.pipeline import decisions

STABILITY = [
    *["codificador", "variavel", "documentos", "n", "sem_voto", "mudaram", "parte"],
    *["ic_inf", "ic_sup", "intervalo"],
]


def stability_table(coders: Coders, repeticao: int = 1) -> pd.DataFrame:
    """Votes and decisions that change between the first asking and a repetition.

    Members: votes of round 1. The jury (`juri-r1`): decided again from the repetition's votes of all members,
    without deliberation; fallback included on both sides.

    Returns
    -------
    DataFrame
        A row a member (then `juri-r1`) and variable (`todas` first): `codificador, variavel, documentos`
        (asked twice), `n` (decisions with a vote in either asking), `sem_voto` (without one in both, left
        out), `mudaram` (another value, or a value only once), `parte, ic_inf, ic_sup, intervalo` (which one:
        `pooled.shares`; Wilson's for each variable). Empty where nothing was repeated.
    """
    again = round_votes(coders.votos, coders.membros, 1, repeticao)
    if again.empty:
        return pd.DataFrame(columns=STABILITY)
    first = round_votes(coders.votos, coders.membros, 1)
    first = first[_both(first, again)]
    once = votes_matrix(first, coders.study.codebook, coders.membros)
    twice = votes_matrix(again, coders.study.codebook, coders.membros).reindex(once.index)
    pairs = {member: (once[member], twice[member]) for member in coders.membros}
    pairs["juri-r1"] = _jury(coders, first, again, repeticao, once.index)
    names = np.asarray(once.index.get_level_values("variavel"))
    groups, columns, silent, asked_documents = [], [], [], []
    for coder, (one, two) in pairs.items():
        voted = one.notna().to_numpy() | two.notna().to_numpy()
        # A member asked about fewer documents than another is only compared on its own.
        asked = _asked(coder, first, again, once.index) if coder in coders.membros else voted | True
        for variavel in [TODAS, *(v.nome for v in coders.variaveis)]:
            which = asked & ((names == variavel) | (variavel == TODAS))
            groups.append((coder, variavel))
            columns.append((~same(one, two), which & voted))
            silent.append(int((which & ~voted).sum()))
            asked_documents.append(once.index[which].get_level_values("documento").nunique())
    check = coders.study.validacao
    found = shares(once.index.get_level_values("documento"), columns, check.reamostras, check.semente)
    table = pd.DataFrame(groups, columns=["codificador", "variavel"])
    table = table.assign(documentos=asked_documents, sem_voto=silent)
    found = found.rename(columns={"k": "mudaram", "valor": "parte"})
    return pd.concat([table, found], axis=1)[STABILITY]


def _both(first: pd.DataFrame, again: pd.DataFrame) -> Bools:
    return np.asarray(pd.MultiIndex.from_frame(first[PAR]).isin(pd.MultiIndex.from_frame(again[PAR])))


def _asked(coder: str, first: pd.DataFrame, again: pd.DataFrame, index: pd.MultiIndex) -> Bools:
    there = np.ones(len(index), dtype=bool)
    for rows in (first, again):
        there &= index.isin(pd.MultiIndex.from_frame(rows.loc[rows["fonte"] == coder, PAR]))
    return there


def _jury(
    coders: Coders, first: pd.DataFrame, again: pd.DataFrame, repeticao: int, index: pd.MultiIndex
) -> tuple[pd.Series, pd.Series]:
    """The jury's values on the repeated decisions, in comparable form, from each asking."""
    columns = []
    for rows, number in ((first, 0), (again, repeticao)):
        table = decisions(coders.study, rows, repeticao=number)["juri-r1"]
        wide = votes_matrix(table, coders.study.codebook, ["juri-r1"])
        columns.append(wide["juri-r1"].reindex(index))
    return columns[0], columns[1]
