"""One round of deliberation: who is asked again, about what, with which conversation.

Source: decision record of the jury, decision 2. The conversation repeats the member's classification
byte for byte (system, document, its own answer as stored), then shows the others' answers without names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from compendio.classify import own_answer
from compendio.codebook import answer_schema
from compendio.jury.decide import members_to_ask
from compendio.models.base import Call, Reply
from compendio.prompts import deliberation_message
from compendio.study import Study

Votes = Mapping[tuple[str, str], Sequence[dict[str, Any]]]


def deliberation_calls(
    study: Study,
    membro: str,
    votos: pd.DataFrame,
    pairs: pd.DataFrame,
    first: Sequence[tuple[Call, Reply]],
) -> list[Call]:
    """Round 2 calls of one member.

    Parameters
    ----------
    votos
        Round 1 votes of all members (contract rows, one repetition).
    pairs
        `documento, variavel` of the decisions to deliberate (`decide.to_deliberate`).
    first
        The member's round-1 calls with their replies.

    Returns
    -------
    list of Call
        One for each round-1 call that covers anything to deliberate on. A variable in which the
        member failed, or in which nobody else answered, is left out: there is no vote to revise, or
        nothing to show.
    """
    asked = members_to_ask(votos, pairs, [m.nome for m in study.membros])
    mine = set(
        asked.loc[asked["membro"] == membro, ["documento", "variavel"]].itertuples(index=False, name=None)
    )
    others = _answers(votos[votos["fonte"] != membro])
    calls = []
    for call, reply in first:
        names = [n for n in call.variaveis if (call.documento, n) in mine and others[call.documento, n]]
        if not names or reply.conteudo is None:
            continue
        variables = [study.codebook.variaveis[name] for name in names]
        shown = {name: others[call.documento, name] for name in names}
        messages = (*call.messages, own_answer(reply), deliberation_message(variables, shown))
        calls.append(
            replace(
                call, variaveis=tuple(names), rodada=2, messages=messages, schema=answer_schema(variables)
            )
        )
    return calls


def _answers(votos: pd.DataFrame) -> Votes:
    """(documento, variavel) → the votes given there, as plain values."""
    given: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    rows = votos[votos["falha"].isna() & votos["valor"].notna()]
    columns = ["documento", "variavel", "valor", "evidencia", "nivel_evidencia", "inicio"]
    for documento, variavel, *cells in rows[columns].astype(object).itertuples(index=False, name=None):
        plain = [None if pd.isna(cell) else cell for cell in cells]
        given[documento, variavel].append(dict(zip(columns[2:], plain, strict=True)))
    return given
