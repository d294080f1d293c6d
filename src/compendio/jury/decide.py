"""From the votes of two rounds to the jury's two sources, `juri-r1` and `juri`, fallback included.

Round 1 decides by majority with evidence (`votar`). What is not unanimous there was deliberated once,
and is decided anew from each member's second vote. What stays undecided falls back to the main model's
round-1 vote, or stays missing, as the study says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from compendio.codebook import Codebook
from compendio.contract import DECIDIDAS, conform
from compendio.jury.choices import read_set
from compendio.jury.vote import votar

PAR = ["documento", "variavel"]
_OF_THE_VOTE = ["valor", "evidencia", "nivel_evidencia", "inicio", "fim", "justificativa"]


def decide(
    votos: pd.DataFrame,
    codebook: Codebook,
    membros: Sequence[str],
    principal: str,
    *,
    deliberacao: bool = True,
    sem_maioria: Literal["principal", "ausente"] = "principal",
    dispensada: bool = False,
    repeticao: int = 0,
) -> dict[str, pd.DataFrame]:
    """The jury's decisions before (`juri-r1`) and after (`juri`) the deliberation.

    Parameters
    ----------
    votos
        Contract rows of the members, rounds 1 and 2, any repetitions; `fonte` = member.
    membros, principal
        The configured members, and the one whose round-1 vote is the fallback.
    deliberacao
        False: `juri` keeps what round 1 decided, and second votes are left out.
    sem_maioria
        What an undecided value becomes: the main model's vote (`principal`; missing if it has none), or
        missing (`ausente`).
    dispensada
        The study exempts all values from evidence.
    repeticao
        Which repetition to count.

    Returns
    -------
    dict
        `"juri-r1"` and `"juri"`: contract rows with the columns of decisions, at `rodada` 1 (where the
        validation reads every source), and `por_isencao` (decided, and only through an exemption). In
        `juri`: `estado` `deliberada` where a deliberated decision was decided; a decision nobody was
        asked about again (no row in round 2) and free text keep their state; `mudou` where the value
        is not that of `juri-r1`, fallbacks included. A fallback row carries the main model's own evidence.
    """
    if principal not in membros:
        raise ValueError(f"the main model {principal} is no member: {list(membros)}")
    if sem_maioria not in ("principal", "ausente"):
        raise ValueError(f"sem_maioria: {sem_maioria}")
    first = round_votes(votos, membros, 1, repeticao)
    main = first[(first["fonte"] == principal) & has_vote(first)]
    fallback = main if sem_maioria == "principal" else main.iloc[:0]

    decisions = votar(first, codebook, membros, dispensada=dispensada)
    before = _with_fallback(decisions, fallback)
    after = before
    if deliberacao:
        pairs = to_deliberate(decisions, codebook)
        effective = effective_votes(first, round_votes(votos, membros, 2, repeticao), pairs)
        if len(effective):
            again = votar(effective, codebook, membros, dispensada=dispensada)
            again["estado"] = again["estado"].where(~again["estado"].isin(DECIDIDAS), "deliberada")
            kept = decisions[~_belongs(decisions, again)]
            after = _with_fallback(pd.concat([kept, again]).sort_values(PAR, ignore_index=True), fallback)
    before, after = before.assign(mudou=False), after.assign(mudou=_changed(before, after, codebook))
    return {
        "juri-r1": _as_source(before, "juri-r1", repeticao),
        "juri": _as_source(after, "juri", repeticao),
    }


def round_votes(votos: pd.DataFrame, membros: Sequence[str], rodada: int, repeticao: int = 0) -> pd.DataFrame:
    """The members' rows of one round and repetition."""
    mine = (
        (votos["rodada"] == rodada) & (votos["repeticao"] == repeticao) & votos["fonte"].isin(list(membros))
    )
    return votos[mine.fillna(False).to_numpy(dtype=bool)]


def has_vote(rows: pd.DataFrame) -> pd.Series:
    """Whether each row is a vote: a value and no failure."""
    return rows["falha"].isna() & rows["valor"].notna()


def to_deliberate(decisions: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """The (documento, variavel) to deliberate: categorical and several choices, not unanimous in round 1.

    `decisions` is what `votar` gives for round 1, or the source `juri-r1`.
    """
    asked = decisions["variavel"].map(lambda name: codebook.variaveis[name].tipo != "texto").astype(bool)
    return decisions.loc[asked & (decisions["estado"] != "unanime"), PAR].reset_index(drop=True)


def members_to_ask(
    votos: pd.DataFrame, pairs: pd.DataFrame, membros: Sequence[str], repeticao: int = 0
) -> pd.DataFrame:
    """Who is asked again: `documento, variavel, membro` for every member with a vote in round 1.

    A member that failed there is not asked. Sorted by document and variable; members in their order.
    """
    first = round_votes(votos, membros, 1, repeticao)
    asked = first[has_vote(first) & _belongs(first, pairs)]
    order = {name: k for k, name in enumerate(membros)}
    asked = asked.sort_values([*PAR, "fonte"], key=lambda c: c.map(order) if c.name == "fonte" else c)
    return asked[[*PAR, "fonte"]].rename(columns={"fonte": "membro"}).reset_index(drop=True)


def effective_votes(first: pd.DataFrame, second: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """The votes that count after the deliberation, for those of `pairs` about which anyone was asked again.

    A member's second vote replaces its first. A failed second round leaves the first vote; a member
    that failed in round 1 was not asked, so a second row of it does not count.
    """
    key = [*PAR, "fonte"]
    asked = second[_belongs(second, first[has_vote(first)], key) & _belongs(second, pairs)]
    heard = asked[has_vote(asked)]
    kept = first[_belongs(first, asked) & ~_belongs(first, heard, key)]
    return pd.concat([kept, heard], ignore_index=True)


def _belongs(rows: pd.DataFrame, others: pd.DataFrame, key: Sequence[str] = PAR) -> pd.Series:
    """Whether each row's key is among the keys of `others`."""
    known = pd.MultiIndex.from_frame(others[list(key)])
    return pd.Series(pd.MultiIndex.from_frame(rows[list(key)]).isin(known), index=rows.index, dtype=bool)


def _with_fallback(decisions: pd.DataFrame, fallback: pd.DataFrame) -> pd.DataFrame:
    """Undecided values filled from the main model's rows; `recuo` says where."""
    table = decisions.assign(justificativa=pd.array([pd.NA] * len(decisions), dtype="str"))
    other = decisions[PAR].merge(fallback[[*PAR, *_OF_THE_VOTE]], on=PAR, how="left", validate="one_to_one")
    falls = ~table["estado"].isin(DECIDIDAS) & other["valor"].notna()
    for name in _OF_THE_VOTE:
        table[name] = table[name].where(~falls, other[name])
    return table.assign(recuo=falls)


def _changed(before: pd.DataFrame, after: pd.DataFrame, codebook: Codebook) -> np.ndarray:
    """Where two values differ: missing equals missing, and several choices compare as sets."""
    old, new = before["valor"], after["valor"]
    changed = (old.isna() != new.isna()) | (old.notna() & new.notna() & (old != new))
    for k in np.flatnonzero(changed.to_numpy()):
        multiple = codebook.variaveis[before["variavel"].iloc[k]].tipo == "multipla"
        if multiple and pd.notna(old.iloc[k]) and pd.notna(new.iloc[k]):
            changed.iloc[k] = set(read_set(old.iloc[k])) != set(read_set(new.iloc[k]))
    return changed.to_numpy()


def _as_source(table: pd.DataFrame, fonte: str, repeticao: int) -> pd.DataFrame:
    ready = table.assign(rodada=1, repeticao=repeticao).sort_values(PAR, kind="stable")
    return conform(ready, fonte)
