"""Votes as a matrix: one row a decision, one column a member, cells comparable by equality.

Free text stands in its normal form and several choices as a JSON list in codebook order, so that two cells
agree exactly when the data contract says that two votes agree.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from compendio.codebook import Codebook
from compendio.folding import normal_form
from compendio.jury.decide import PAR, has_vote
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
    return wide.reindex(every).sort_index().astype("str")  # so is the column of a member that never answers
