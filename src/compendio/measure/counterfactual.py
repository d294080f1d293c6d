"""What another jury would have decided with the same votes of round 1: without a member, with one doubled,
with one vote a family. The rule of the vote is the jury's own (`votar`), evidence included.

Round 1 only: in a deliberation each member answers to what the others said, so another jury would have had
another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from compendio.codebook import Codebook
from compendio.contract import DECIDIDAS
from compendio.jury.decide import PAR, has_vote, round_votes
from compendio.jury.vote import votar
from compendio.measure.coders import same
from compendio.measure.votes_matrix import comparable

REAL = "o júri como é"
POR_FAMILIA = "um voto por família"
#: Juries larger than this are compared only with one vote a family: one member of many changes little.
MAIS = 12


def sem(membro: str) -> str:
    """The name of the jury without a member."""
    return f"sem {membro}"


def em_dobro(membro: str) -> str:
    """The name of the jury in which a member votes twice."""
    return f"{membro} em dobro"


def alternative_juries(
    votos: pd.DataFrame,
    codebook: Codebook,
    familias: Mapping[str, str],
    *,
    dispensada: bool = False,
) -> dict[str, pd.DataFrame]:
    """Decisions of round 1 (as `votar` gives them) of the jury as it is and of each alternative.

    `familias`: member → family, members in the study's order.
    """
    members = list(familias)
    first = round_votes(votos, members, 1)
    juries: dict[str, tuple[pd.DataFrame, list[str]]] = {REAL: (first, members)}
    families = list(dict.fromkeys(familias.values()))
    if 2 <= len(families) < len(members):
        juries[POR_FAMILIA] = (family_votes(first, codebook, familias), families)
    few = members if len(members) <= MAIS else []
    for member in few if len(few) > 2 else []:
        rest = [m for m in members if m != member]
        juries[sem(member)] = (first[first["fonte"] != member], rest)
    for member in few:
        twin = f"{member} (2)"
        copy = first[first["fonte"] == member].assign(fonte=twin)
        juries[em_dobro(member)] = (pd.concat([first, copy], ignore_index=True), [*members, twin])
    return {name: votar(rows, codebook, who, dispensada=dispensada) for name, (rows, who) in juries.items()}


def family_votes(first: pd.DataFrame, codebook: Codebook, familias: Mapping[str, str]) -> pd.DataFrame:
    """One vote a family: the strict majority inside it, with its best quote; a divided family has none.

    Contract rows of round 1, `fonte` = family.
    """
    tables = []
    for family in dict.fromkeys(familias.values()):
        own = [name for name, its in familias.items() if its == family]
        rows = first[first["fonte"].isin(own)]
        if len(own) > 1:  # the gate of evidence is the jury's, not the family's
            rows = votar(rows, codebook, own, dispensada=True).assign(rodada=1, repeticao=0)
            rows["falha"] = pd.array([None] * len(rows), dtype="str")
        tables.append(rows.assign(fonte=family))
    return pd.concat(tables, ignore_index=True)


def counterfactual_table(
    juries: Mapping[str, pd.DataFrame],
    votos: pd.DataFrame,
    truth: pd.Series,
    codebook: Codebook,
    principal: str | None,
) -> pd.DataFrame:
    """How each jury fares: what it decides, what it gets right, in what it differs from the jury as it is.

    Parameters
    ----------
    votos
        The members' contract rows.
    truth
        (decisions,) the reference's values in comparable form, by `documento, variavel`; missing where it
        has none.
    principal
        The main model, whose vote of round 1 fills what is undecided; None where it stays missing. The jury
        without that model has no such fallback.

    Returns
    -------
    DataFrame
        `juri, variavel, n, com_referencia, decididas, acertos, mudam`: decisions, those with a reference
        value, those the jury decides, values (fallback included) equal to the reference's, and values
        (fallback included) that differ from those of the jury as it is.
    """
    main = round_votes(votos, [principal] if principal else [], 1)
    fallback = _column(main[has_vote(main)], truth.index, codebook)
    rows: list[pd.DataFrame] = []
    real: pd.Series | None = None
    for name, table in juries.items():
        decided = _column(table[table["estado"].isin(DECIDIDAS)], truth.index, codebook)
        values = decided if principal and name == sem(principal) else decided.fillna(fallback)
        real = values if real is None else real
        frame = pd.DataFrame(
            {
                "n": 1,
                "com_referencia": truth.notna(),
                "decididas": decided.notna(),
                "acertos": same(values, truth),
                "mudam": ~same(values, real) & (values.notna() | real.notna()),
            }
        )
        counted = frame.groupby(level="variavel", sort=False).sum().astype(int).reset_index()
        counted.insert(0, "juri", name)
        rows.append(counted)
    return pd.concat(rows, ignore_index=True)


def _column(rows: pd.DataFrame, index: pd.Index, codebook: Codebook) -> pd.Series:
    values = comparable(rows["valor"], rows["variavel"], codebook)
    column = pd.Series(values.to_numpy(), index=pd.MultiIndex.from_frame(rows[PAR]), dtype="str")
    return column.reindex(index)


def totals(table: pd.DataFrame, variaveis: Sequence[str] | None = None) -> pd.DataFrame:
    """The table of `counterfactual_table` over all its variables (or those given): one row a jury."""
    used = table if variaveis is None else table[table["variavel"].isin(list(variaveis))]
    return used.drop(columns="variavel").groupby("juri", sort=False).sum().reset_index()
