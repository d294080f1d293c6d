"""Supervisor and exemptions in tables, one row a variable in codebook order, `todas` last."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from compendio.contract import DECIDIDAS
from compendio.jury.batches import Request
from compendio.jury.decide import PAR

TODAS = "todas"


def sent_table(juri: pd.DataFrame, pedidos: Sequence[Request], variaveis: Sequence[str]) -> pd.DataFrame:
    """What goes to the supervisor: `variavel, decisoes, indecisas, sem_voto, enviadas`.

    `indecisas`: without a decided value; `sem_voto`: of these, those in which no member gave a value, so
    that there is nothing to choose from. Free text is undecided without ever being sent.
    """
    open_ = ~juri["estado"].isin(DECIDIDAS)
    # `votos` is a JSON object whose only values are texts and nulls.
    silent = open_ & ~juri["votos"].str.contains(r':\s*"', regex=True).fillna(False).astype(bool)
    sent = {(request.documento, request.variavel) for request in pedidos}
    asked = pd.Series([pair in sent for pair in juri[PAR].itertuples(index=False, name=None)], juri.index)
    return _by_variable(
        juri["variavel"],
        {"decisoes": open_ | True, "indecisas": open_, "sem_voto": silent, "enviadas": asked},
        variaveis,
    )


def effect_table(juri: pd.DataFrame, final: pd.DataFrame, variaveis: Sequence[str]) -> pd.DataFrame:
    """What the supervisor did: `variavel, enviadas, iguais, outras, nenhum_adequado`, variables asked about only.

    `iguais`: chose the value that `juri` had as its fallback; `outras`: another one. `juri` and `final`
    (`juri-supervisor`) hold the same decisions.
    """
    both = juri[[*PAR, "valor"]].merge(
        final[[*PAR, "estado", "valor"]], on=PAR, suffixes=("", "_final"), validate="one_to_one"
    )
    chosen, none = both["estado"] == "supervisor", both["estado"] == "nenhum_adequado"
    same = chosen & (both["valor"] == both["valor_final"]).fillna(False).astype(bool)
    columns = {
        "enviadas": chosen | none,
        "iguais": same,
        "outras": chosen & ~same,
        "nenhum_adequado": none,
    }
    table = _by_variable(both["variavel"], columns, variaveis)
    return table[(table["enviadas"] > 0) | (table["variavel"] == TODAS)].reset_index(drop=True)


def exemption_table(table: pd.DataFrame, variaveis: Sequence[str]) -> pd.DataFrame:
    """What was decided without a quote found in the text: `variavel, decisoes, decididas, por_isencao, parte`.

    `parte`: of the decided ones; NaN where there is none.
    """
    decided = table["estado"].isin(DECIDIDAS)
    exempt = decided & table["por_isencao"].fillna(False).astype(bool)
    counts = _by_variable(
        table["variavel"],
        {"decisoes": decided | True, "decididas": decided, "por_isencao": exempt},
        variaveis,
    )
    share = counts["por_isencao"] / counts["decididas"].where(counts["decididas"] > 0)
    return counts.assign(parte=share.astype("float64"))


def _by_variable(
    variavel: pd.Series, columns: dict[str, pd.Series], variaveis: Sequence[str]
) -> pd.DataFrame:
    there = set(variavel)
    names = [name for name in variaveis if name in there]
    counts = pd.DataFrame(columns).groupby(variavel).sum().astype("int64").reindex(names)
    total = counts.sum().to_frame(TODAS).T
    return pd.concat([counts, total]).rename_axis("variavel").reset_index()
