"""Tables of notebooks 1 and 2: what was voted, what was found, what failed, what was decided."""

from __future__ import annotations

import json

import pandas as pd

from compendio.codebook import Codebook
from compendio.contract import DECIDIDAS, ENCONTRADA, ESTADOS, NIVEIS
from compendio.report.style import num, pct

#: The line of the failures, among those of the categories.
FALHA = "(falha)"
NOMES_NIVEL = {
    "exata": "exata",
    "normalizada": "normalizada",
    "nao_encontrada": "não encontrada",
    "dispensada": "dispensada",
    "ausente": "ausente",
}
NOMES_ESTADO = {
    "unanime": "unânime",
    "maioria": "maioria",
    "deliberada": "deliberada",
    "sem_evidencia": "sem evidência",
    "sem_maioria": "sem maioria",
    "supervisor": "supervisor",
    "nenhum_adequado": "nenhum adequado",
}

_MEDIDAS = {"fonte": "membro", "encontrada": "achada no texto", "parcela": "iguais (%)"}


def votes_by_category(votos: pd.DataFrame, codebook: Codebook, variavel: str) -> pd.DataFrame:
    """How often each member gave each category (rows, codebook order; columns, members as they come).

    Several choices count each category given; failures stand in the last row, `FALHA`.
    """
    rows = votos[votos["variavel"] == variavel]
    variable = codebook.variaveis[variavel]
    values = rows["valor"]
    if variable.tipo == "multipla":
        values = values.map(json.loads, na_action="ignore")
    values = values.where(rows["falha"].isna(), FALHA)
    long = pd.DataFrame({"fonte": rows["fonte"], "valor": values}).explode("valor")
    long = long[long["valor"].notna()]  # an empty set of choices counts for no category
    table = pd.crosstab(long["valor"], long["fonte"])
    order = [*variable.categorias, FALHA]
    members = list(dict.fromkeys(votos["fonte"]))
    return table.reindex(index=order, columns=members, fill_value=0).rename_axis(index=None, columns=None)


def evidence_levels(votos: pd.DataFrame) -> pd.DataFrame:
    """How many quotes of each member have each level (columns `NIVEIS`, then `encontrada`, a share of all).

    One quote a vote; of several choices, one a category given.
    """
    voted = votos[votos["falha"].isna() & votos["nivel_evidencia"].notna()]
    levels = voted["nivel_evidencia"].map(
        lambda cell: list(json.loads(cell).values()) if cell.startswith("{") else [cell]
    )
    long = pd.DataFrame({"fonte": voted["fonte"], "nivel": levels}).explode("nivel").dropna()
    members = list(dict.fromkeys(votos["fonte"]))
    table = pd.crosstab(long["fonte"], long["nivel"]).reindex(index=members, columns=NIVEIS, fill_value=0)
    found = table[sorted(ENCONTRADA)].sum(axis=1)
    table["encontrada"] = found / table[NIVEIS].sum(axis=1)
    return table.rename_axis(index=None, columns=None)


def failures(votos: pd.DataFrame) -> pd.DataFrame:
    """How many votes of each member are missing, by failure: `fonte, falha, n`, most frequent first."""
    rows = votos[votos["falha"].notna()].groupby(["fonte", "falha"]).size().rename("n").reset_index()
    return rows.sort_values(["fonte", "n"], ascending=[True, False], kind="stable", ignore_index=True)


def states(juri: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """Decisions by variable (rows, codebook order) and `estado` (columns), with how many are fallbacks
    (`recuo`) and how many were decided only through an exemption (`por_isencao`)."""
    table = pd.crosstab(juri["variavel"], juri["estado"])
    table = table.reindex(index=list(codebook.variaveis), columns=ESTADOS, fill_value=0)
    table = table.loc[:, table.sum() > 0]
    by = juri.groupby("variavel")
    table["recuo"] = by["recuo"].sum().reindex(table.index).fillna(0).astype(int)
    table["por_isencao"] = by["por_isencao"].sum().reindex(table.index).fillna(0).astype(int)
    return table.rename_axis(index=None, columns=None)


def exempt_share(juri: pd.DataFrame) -> tuple[int, int]:
    """(decided only through an exemption from evidence, decided)."""
    decided = juri[juri["estado"].isin(DECIDIDAS)]
    return int(decided["por_isencao"].fillna(False).astype(bool).sum()), len(decided)


def fallback_share(juri: pd.DataFrame) -> tuple[int, int]:
    """(decisions whose value is the fallback, decisions)."""
    return int(juri["recuo"].fillna(False).astype(bool).sum()), len(juri)


def stability(votos: pd.DataFrame) -> pd.DataFrame:
    """How many votes of round 1 came out the same when asked again: `fonte, iguais, n, parcela`.

    Of the documents that were repeated; a failure in either run is no equal vote.
    """
    first = votos[(votos["rodada"] == 1) & (votos["repeticao"] == 0)]
    again = votos[(votos["rodada"] == 1) & (votos["repeticao"] == 1)]
    key = ["fonte", "documento", "variavel"]
    both = again[[*key, "valor"]].merge(
        first[[*key, "valor"]], on=key, suffixes=("", "_antes"), validate="one_to_one"
    )
    same = (both["valor"] == both["valor_antes"]).fillna(False).astype(bool)
    table = same.groupby(both["fonte"], sort=False).agg(iguais="sum", n="size").reset_index()
    return table.assign(parcela=table["iguais"] / table["n"])


def printed(table: pd.DataFrame) -> pd.DataFrame:
    """The table as it is shown: readable names, shares as percentages, decimal comma."""
    table = table.apply(
        lambda column: (
            column.map(pct if pd.api.types.is_float_dtype(column) else _count)
            if pd.api.types.is_numeric_dtype(column)
            else column
        )
    )
    names = {**NOMES_ESTADO, **NOMES_NIVEL, "recuo": "recuos", "por_isencao": "só por isenção", **_MEDIDAS}
    return table.rename(columns=names, index=names)


def _count(n: float) -> str:
    return num(n, 0)
