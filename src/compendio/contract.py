"""The data contract, version 1.5: columns, states, and the files of classification results.

The same table serves a person, a model and the three synthetic sources of a jury, so that the
validation measures a jury with no code of its own.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

CONTRATO = "1.5"

CHAVE = ["documento", "variavel", "rodada", "repeticao"]
COLUNAS = [
    *CHAVE,
    "valor",
    "evidencia",
    "nivel_evidencia",
    "inicio",
    "fim",
    "justificativa",
    "falha",
    "fonte",
    "contrato",
]
COLUNAS_DECISAO = [*COLUNAS, "estado", "recuo", "votos", "mudou", "por_isencao"]
ESTADOS = [
    "unanime",
    "maioria",
    "deliberada",
    "sem_evidencia",
    "sem_maioria",
    "supervisor",
    "nenhum_adequado",
]
#: States in which a value was decided (not a fallback).
DECIDIDAS = frozenset({"unanime", "maioria", "deliberada", "supervisor"})
NIVEIS = ["exata", "normalizada", "nao_encontrada", "dispensada", "ausente"]
#: Levels that count as evidence found in the text.
ENCONTRADA = frozenset({"exata", "normalizada"})

_TIPOS = {
    "rodada": "Int64",
    "repeticao": "Int64",
    "inicio": "Int64",
    "fim": "Int64",
    "recuo": "boolean",
    "mudou": "boolean",
    "por_isencao": "boolean",
}


def nome_de_arquivo(fonte: str) -> str:
    """The file name of a source: every character outside `[A-Za-z0-9._-]` becomes `-`."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", fonte)


def conform(table: pd.DataFrame, fonte: str | None = None) -> pd.DataFrame:
    """A copy with the contract's columns, order and types, sorted by key.

    Columns the table lacks are added as missing; `fonte` and `contrato` are filled in. Raises
    ValueError where a key is repeated: that is an error of the program, not of the user.
    """
    table = table.copy()
    if fonte is not None:
        table["fonte"] = fonte
    table["contrato"] = CONTRATO
    table["repeticao"] = table.get("repeticao", 0)
    columns = COLUNAS_DECISAO if "estado" in table else COLUNAS
    for name in columns:
        if name not in table:
            table[name] = pd.NA
    table = table[columns].astype({name: _TIPOS.get(name, "str") for name in columns})
    if table.duplicated(["fonte", *CHAVE]).any():
        raise ValueError(
            f"repeated key in {fonte}: {table[table.duplicated(['fonte', *CHAVE])].iloc[0].to_dict()}"
        )
    return table.sort_values(["fonte", *CHAVE], kind="stable").reset_index(drop=True)


def write_classification(table: pd.DataFrame, pasta: Path, fonte: str, sufixo: str = "") -> Path:
    """Write `<pasta>/<fonte><sufixo>.parquet` (contract order, same bytes for the same rows); give its path."""
    pasta.mkdir(parents=True, exist_ok=True)
    path = pasta / f"{nome_de_arquivo(fonte + sufixo)}.parquet"
    part = path.with_suffix(".part")
    conform(table, fonte).to_parquet(part, index=False)
    part.replace(path)
    return path


def read_classification(path: Path) -> pd.DataFrame:
    """Read one file of classification results, with the contract's types."""
    return conform(pd.read_parquet(path))
