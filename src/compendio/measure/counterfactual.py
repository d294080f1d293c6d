"""What another jury would have decided with the same votes of round 1: without a member, with one doubled,
with one vote a family. The rule of the vote is the jury's own (`votar`), evidence included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from compendio.codebook import Codebook
from compendio.contract import DECIDIDAS
from compendio.jury.decide import PAR, round_votes
from compendio.jury.vote import votar
from compendio.measure.votes_matrix import comparable

REAL = "o júri como é"
POR_FAMILIA = "um voto por família"


def alternative_juries(
    votos: pd.DataFrame,
    codebook: Codebook,
    membros: Sequence[str],
    familias: Mapping[str, str],
    *,
    dispensada: bool = False,
) -> dict[str, pd.DataFrame]:
    """Decisions of round 1 (as `votar` gives them) of the jury as it is and of each alternative."""
    first = round_votes(votos, membros, 1)
    juries: dict[str, tuple[pd.DataFrame, list[str]]] = {REAL: (first, list(membros))}
    families = list(dict.fromkeys(familias[m] for m in membros))
    if 2 <= len(families) < len(membros):
        juries[POR_FAMILIA] = (family_votes(first, codebook, membros, familias), families)
    if len(membros) > 2:
        for member in membros:
            rest = [m for m in membros if m != member]
            juries[f"sem {member}"] = (first[first["fonte"] != member], rest)
    for member in membros:
        twin = f"{member} (2)"
        copy = first[first["fonte"] == member].assign(fonte=twin)
        juries[f"{member} em dobro"] = (pd.concat([first, copy], ignore_index=True), [*membros, twin])
    return {name: votar(rows, codebook, who, dispensada=dispensada) for name, (rows, who) in juries.items()}


def family_votes(
    first: pd.DataFrame, codebook: Codebook, membros: Sequence[str], familias: Mapping[str, str]
) -> pd.DataFrame:
    """One vote a family: the strict majority inside it, with its best quote; a divided family has none."""
    tables = []
    for family in dict.fromkeys(familias[m] for m in membros):
        own = [m for m in membros if familias[m] == family]
        rows = first[first["fonte"].isin(own)]
        if len(own) > 1:  # the gate of evidence is the jury's, not the family's
            rows = votar(rows, codebook, own, dispensada=True).assign(falha=None, rodada=1, repeticao=0)
        tables.append(rows.assign(fonte=family))
    return pd.concat(tables, ignore_index=True)


def counterfactual_table(
    juries: Mapping[str, pd.DataFrame], reference: pd.DataFrame, main: pd.DataFrame, codebook: Codebook
) -> pd.DataFrame:
    """How each jury fares against the reference.

    Parameters
    ----------
    reference, main
        Contract rows of the reference, and of the main model at round 1 (the fallback of what is undecided).

    Returns
    -------
    DataFrame
        `juri, variavel, n, decididas, acertos, mudam`: decisions with a reference value, how many of them
        the jury decides, how many values (fallback included) equal the reference's, and how many values
        differ from those of the jury as it is.
    """
    truth = _values(reference, codebook)
    fallback = _values(main, codebook)
    values, decided = {}, {}
    for name, table in juries.items():
        own = _values(table.assign(valor=table["valor"].where(table["estado"].isin(DECIDIDAS))), codebook)
        values[name] = own.reindex(truth.index).fillna(fallback.reindex(truth.index))
        decided[name] = own.reindex(truth.index).notna()
    rows = []
    for name in juries:
        frame = pd.DataFrame(
            {
                "n": 1,
                "decididas": decided[name],
                "acertos": values[name].eq(truth).fillna(False),
                "mudam": values[name].fillna("").ne(values[REAL].fillna("")),
            }
        ).astype(int)
        rows.append(frame.groupby(level="variavel").sum().reset_index().assign(juri=name))
    table = pd.concat(rows, ignore_index=True)
    return table[["juri", "variavel", "n", "decididas", "acertos", "mudam"]]


def _values(rows: pd.DataFrame, codebook: Codebook) -> pd.Series:
    values = comparable(rows["valor"], rows["variavel"], codebook)
    column = pd.Series(values.to_numpy(), index=pd.MultiIndex.from_frame(rows[PAR]), dtype="str")
    return column[column.notna()]
