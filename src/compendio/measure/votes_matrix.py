"""Votes as a matrix: one row a decision, one column a member, cells comparable by equality.

Free text stands in its normal form and several choices as a sorted JSON list, so that two cells agree
exactly when the data contract says that two votes agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from compendio.codebook import Codebook
from compendio.evidence import normal_form
from compendio.jury.decide import PAR, effective_votes, has_vote, round_votes, to_deliberate
from compendio.measure.values import clean


def comparable(valores: pd.Series, variaveis: pd.Series, codebook: Codebook) -> pd.Series:
    """Values in the form in which they are compared (missing stays missing)."""
    keys = pd.MultiIndex.from_arrays([variaveis, valores])
    forms = {}
    for name, value in keys.unique():
        if pd.isna(value):
            continue
        tipo = codebook.variaveis[name].tipo
        forms[name, value] = normal_form(value) if tipo == "texto" else clean(value)
    return pd.Series([forms.get(key) for key in keys], index=valores.index, dtype="str")


def votes_matrix(rows: pd.DataFrame, codebook: Codebook, membros: Sequence[str]) -> pd.DataFrame:
    """Contract rows of one round → values by decision (index documento, variavel) and member (columns).

    A failure, and a member without a row, is missing.
    """
    votes = rows[has_vote(rows)]
    votes = votes.assign(valor=comparable(votes["valor"], votes["variavel"], codebook))
    wide = votes.pivot(index=PAR, columns="fonte", values="valor").reindex(columns=list(membros))
    every = pd.MultiIndex.from_frame(rows[PAR].drop_duplicates())
    return wide.reindex(every).sort_index()


def effective_rows(
    votos: pd.DataFrame, codebook: Codebook, membros: Sequence[str], juri_r1: pd.DataFrame
) -> pd.DataFrame:
    """The votes that stand after the deliberation: second votes where there are any, else the first."""
    first = round_votes(votos, membros, 1)
    second = round_votes(votos, membros, 2)
    pairs = to_deliberate(juri_r1, codebook)
    revised = effective_votes(first, second, pairs)
    if revised.empty:
        return first
    asked = pd.MultiIndex.from_frame(revised[PAR])
    kept = first[~pd.MultiIndex.from_frame(first[PAR]).isin(asked)]
    return pd.concat([kept, revised], ignore_index=True)


def reference_column(reference: pd.DataFrame, matrix: pd.DataFrame, codebook: Codebook) -> pd.Series:
    """The reference's value for each row of a votes matrix, comparable (missing where it has none)."""
    values = comparable(reference["valor"], reference["variavel"], codebook)
    index = pd.MultiIndex.from_frame(reference[PAR])
    return pd.Series(values.to_numpy(), index=index, dtype="str").reindex(matrix.index)


def family_codes(membros: Sequence[str], familias: Mapping[str, str]) -> NDArray[np.intp]:
    """One number a member, the same for members of one family."""
    return pd.factorize(np.array([familias[name] for name in membros], dtype=object))[0]
