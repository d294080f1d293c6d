"""What deliberation and supervisor did to votes and decisions, seen from the reference."""

from __future__ import annotations

import pandas as pd

from compendio.contract import DECIDIDAS
from compendio.jury.decide import PAR
from compendio.jury.flow import moved_votes
from compendio.measure.coders import TODAS, Coders
from compendio.measure.families import SUPERVISIONADO, is_circular, mark_circular
from compendio.measure.kappa_tables import KappaTables
from compendio.measure.pooled import Bools
from compendio.measure.votes_matrix import comparable

#: How a change stands to the reference.
DIRECOES = ["a_favor", "contra", "erro_por_erro", "sem_referencia"]


def vote_moves(coders: Coders) -> pd.DataFrame:
    """Votes changed in the deliberation, per member.

    Returns
    -------
    DataFrame
        A row a member: `membro, circular, mudou` (votes), of which `a_favor` (wrong → right: towards the
        reference), `contra` (right → wrong: away from it), `erro_por_erro`, `sem_referencia` (the reference
        has no value); `saldo` is `a_favor` less `contra`.
    """
    assert coders.reference is not None
    moves = moved_votes(coders.votos, coders.study.codebook, coders.membros)
    truth = coders.truth.reindex(pd.MultiIndex.from_frame(moves[PAR]))
    there = pd.MultiIndex.from_frame(moves[PAR]).isin(coders.values.index)
    old, new = (comparable(moves[name], moves["variavel"], coders.study.codebook) for name in ("de", "para"))
    moves["direcao"] = [_direction(*cells) for cells in zip(old, new, truth, strict=True)]
    counts = pd.crosstab(moves["membro"][there], moves["direcao"][there])
    counts = counts.reindex(index=coders.membros, columns=DIRECOES, fill_value=0).astype(int)
    table = counts.rename_axis(index="membro", columns=None).reset_index()
    table.insert(1, "mudou", counts.sum(axis=1).to_numpy())
    table["saldo"] = table["a_favor"] - table["contra"]
    table = mark_circular(table, coders.reference.codificador, coders.familias, "membro")
    return table[["membro", "circular", "mudou", *DIRECOES, "saldo"]]


def _direction(old: object, new: object, truth: object) -> str:
    if pd.isna(truth):
        return "sem_referencia"
    return "a_favor" if new == truth else "contra" if old == truth else "erro_por_erro"


def decision_moves(coders: Coders) -> pd.DataFrame:
    """What became of the decisions, over all variables (`todas`, first) and by variable.

    Returns
    -------
    DataFrame
        `variavel, circular, decisoes`, of which `unanimes` (round 1), `deliberadas` (asked again: categorical or
        several choices, not unanimous) and `nao_deliberadas` (the rest: free text that is not unanimous);
        `chegaram_a_maioria`, `sem_maioria` (of those deliberated, left undecided), `mudou` (the value of
        `juri` is not that of `juri-r1`, fallbacks included), of which `a_favor, contra, erro_por_erro,
        sem_referencia`; `unanimes_categoricas`: the unanimous without free text.
    """
    assert coders.reference is not None
    before, after = coders.decisions["juri-r1"], coders.decisions["juri"]
    closed = (coders.tipos != "texto").to_numpy()
    first, last = before["estado"], after["estado"]
    unanimous = (first == "unanime").to_numpy()
    deliberated = closed & ~unanimous & coders.study.deliberacao
    decided = last.isin(DECIDIDAS).to_numpy()
    changed = after["mudou"].to_numpy(dtype=bool)
    was, is_now, known = coders.right("juri-r1"), coders.right("juri"), coders.known
    columns: dict[str, Bools] = {
        "decisoes": closed | True,
        "unanimes": unanimous,
        "deliberadas": deliberated,
        "nao_deliberadas": ~unanimous & ~deliberated,
        "chegaram_a_maioria": deliberated & decided,
        "sem_maioria": deliberated & ~decided,
        "mudou": changed,
        "a_favor": changed & known & ~was & is_now,
        "contra": changed & known & was & ~is_now,
        "erro_por_erro": changed & known & ~was & ~is_now,
        "sem_referencia": changed & ~known,
        "unanimes_categoricas": closed & unanimous,
    }
    rows = []
    for name in [TODAS, *(variable.nome for variable in coders.variaveis)]:
        which = coders.rows(name)
        rows.append({"variavel": name, **{key: int((mask & which).sum()) for key, mask in columns.items()}})
    mark = is_circular(coders.familias[coders.reference.codificador], coders.familias["juri"])
    table = pd.DataFrame(rows)
    table.insert(1, "circular", pd.array([mark] * len(table), dtype="boolean"))
    return table


def supervisor_effect(coders: Coders, tables: KappaTables) -> pd.DataFrame:
    """What the supervisor did to the decisions that the jury left open; empty where there is none yet.

    Returns
    -------
    DataFrame
        `variavel` (`todas` first), `circular` (reference and `juri-supervisor`), `enviadas, escolhidas,
        nenhum_adequado`; among those sent with a value in the reference, `com_referencia`, right before
        (`certas_antes`: the fallback) and after (`certas_depois`); `diferenca, ic_inf, ic_sup`: kappa of
        `juri-supervisor` minus kappa of `juri` (categorical variables).
    """
    assert coders.reference is not None
    columns = [
        *["variavel", "circular", "enviadas", "escolhidas", "nenhum_adequado", "com_referencia"],
        *["certas_antes", "certas_depois", "diferenca", "ic_inf", "ic_sup"],
    ]
    if SUPERVISIONADO not in coders.decisions:
        return pd.DataFrame(columns=columns)
    state = coders.decisions[SUPERVISIONADO]["estado"]
    sent = state.isin(["supervisor", "nenhum_adequado"]).to_numpy()
    apart = tables.differences[tables.differences["primeiro"] == SUPERVISIONADO].set_index("variavel")
    reference = coders.familias[coders.reference.codificador]
    rows = []
    for name in [TODAS, *(variable.nome for variable in coders.variaveis)]:
        which = sent & coders.rows(name)
        if not which.any():
            continue
        rows.append(
            {
                "variavel": name,
                "circular": is_circular(reference, coders.familias[SUPERVISIONADO]),
                "enviadas": int(which.sum()),
                "escolhidas": int((which & (state == "supervisor").to_numpy()).sum()),
                "nenhum_adequado": int((which & (state == "nenhum_adequado").to_numpy()).sum()),
                "com_referencia": int((which & coders.known).sum()),
                "certas_antes": int((which & coders.right("juri")).sum()),
                "certas_depois": int((which & coders.right(SUPERVISIONADO)).sum()),
                **{
                    key: float(apart.loc[name, key]) if name in apart.index else float("nan")
                    for key in ("diferenca", "ic_inf", "ic_sup")
                },
            }
        )
    return pd.DataFrame(rows, columns=columns).astype({"circular": "boolean"})
