"""What the deliberation moved: from state to state, and whose votes towards whom."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pandas as pd

from compendio.codebook import Codebook
from compendio.contract import ESTADOS
from compendio.jury.choices import read_set
from compendio.jury.decide import PAR, has_vote, round_votes


def state_flow(juri_r1: pd.DataFrame, juri: pd.DataFrame) -> pd.DataFrame:
    """How many decisions went from each state of round 1 (`estado_r1`) to each of `juri` (`estado`): `n`."""
    both = juri_r1[[*PAR, "estado"]].merge(
        juri[[*PAR, "estado"]], on=PAR, suffixes=("_r1", ""), validate="one_to_one"
    )
    counts = both.groupby(["estado_r1", "estado"]).size().rename("n").reset_index()
    place = {estado: k for k, estado in enumerate(ESTADOS)}
    return counts.sort_values(["estado_r1", "estado"], key=lambda c: c.map(place), ignore_index=True)


def moved_votes(
    votos: pd.DataFrame, codebook: Codebook, membros: Sequence[str], repeticao: int = 0
) -> pd.DataFrame:
    """The votes that changed between the rounds, and who held the new one before.

    Returns `documento, variavel, membro, de, para, com`: `com` is a JSON list of the members that gave
    `para` in round 1, in the order of `membros`; empty where nobody did. Several choices compare as
    sets. Votes of a member that failed in either round are no change.
    """
    rounds = []
    for rodada in (1, 2):
        rows = round_votes(votos, membros, rodada, repeticao)
        rounds.append(rows.loc[has_vote(rows), [*PAR, "fonte", "valor"]])
    both = rounds[0].merge(rounds[1], on=[*PAR, "fonte"], suffixes=("_1", "_2"), validate="one_to_one")
    both = both[both["valor_1"] != both["valor_2"]]
    holders: dict[tuple[str, str], dict[str, str]] = {}
    for doc, var, member, value in rounds[0].itertuples(index=False, name=None):
        holders.setdefault((doc, var), {})[member] = value

    moves = []
    for doc, var, member, old, new in both.itertuples(index=False, name=None):
        same = _same_sets if codebook.variaveis[var].tipo == "multipla" else str.__eq__
        if not same(old, new):
            given = holders[doc, var]
            allies = [name for name in membros if name in given and same(given[name], new)]
            moves.append((doc, var, member, old, new, json.dumps(allies, ensure_ascii=False)))
    columns = [*PAR, "membro", "de", "para", "com"]
    return pd.DataFrame(moves, columns=columns, dtype="str").sort_values(columns[:3], ignore_index=True)


def _same_sets(one: str, other: str) -> bool:
    return set(read_set(one)) == set(read_set(other))
