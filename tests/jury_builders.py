"""Small codebooks and votes for the tests of the jury."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from compendio.codebook import Codebook
from compendio.contract import conform


def codebook(**variables: Mapping[str, Any]) -> Codebook:
    """A codebook; each variable by its type and categories, e.g. `cor=categorical("a", "b")`."""
    return Codebook.model_validate({"titulo": "Teste", "versao": "1", "variaveis": variables})


def categorical(*names: str, exempt: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "tipo": "categorica",
        "pergunta": "Qual?",
        "categorias": {name: {"definicao": "d", "dispensa_evidencia": name in exempt} for name in names},
    }


def multiple(*names: str, exempt: Sequence[str] = ()) -> dict[str, Any]:
    return {**categorical(*names, exempt=exempt), "tipo": "multipla"}


def text(valor_ausente: str | None = None) -> dict[str, Any]:
    return {"tipo": "texto", "pergunta": "Qual?", "valor_ausente": valor_ausente}


def vote(fonte: str, valor: str | None, **more: Any) -> dict[str, Any]:
    """One row: document d1, variable `cor`, round 1, with an exact quote at 10, unless said otherwise."""
    row: dict[str, Any] = {
        "documento": "d1",
        "variavel": "cor",
        "rodada": 1,
        "repeticao": 0,
        "fonte": fonte,
        "valor": valor,
        "evidencia": "um trecho",
        "nivel_evidencia": "exata",
        "inicio": 10,
        "fim": 19,
        "falha": None if valor is not None else "json_invalido",
    }
    row.update(more)
    if row["nivel_evidencia"] not in ("exata", "normalizada"):
        row["inicio"] = row["fim"] = None
    if row["nivel_evidencia"] == "ausente" or row["falha"] is not None:
        row["evidencia"] = None
    if row["falha"] is not None:
        row.update(valor=None, nivel_evidencia=None, inicio=None, fim=None)
    return row


def choices(fonte: str, levels: Mapping[str, str] | None, **more: Any) -> dict[str, Any]:
    """One row of the several-choice variable `fontes`: category → level; None for a failure."""
    if levels is None:
        return vote(fonte, None, variavel="fontes", **more)
    row = vote(fonte, json.dumps(list(levels)), variavel="fontes", **more)
    quotes = {name: f"trecho de {name}" for name, nivel in levels.items() if nivel != "ausente"}
    row.update(evidencia=json.dumps(quotes), nivel_evidencia=json.dumps(dict(levels)), inicio=None, fim=None)
    return row


def votes(*rows: dict[str, Any]) -> pd.DataFrame:
    """Contract rows."""
    return conform(pd.DataFrame(rows))
