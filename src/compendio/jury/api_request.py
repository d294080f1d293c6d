"""A request of the supervisor or the audit as one message for the API: same question, same rules as in a batch.

The instructions are the same for all requests of a kind, so that the API's cache can serve them; the schema
admits nothing but the numbers of the candidates, or `nenhum_adequado`.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from compendio.codebook import Variable
from compendio.jury.batches import NENHUM, Request, Tipo, rules, task
from compendio.jury.choices import read_set
from compendio.models.billing import uses_cache
from compendio.settings import Supervisor


def api_instructions(
    tipo: Tipo, variaveis: Collection[Variable], *, dispensada: bool, textos: bool, aviso: str
) -> str:
    """The system prompt of all requests of one kind (Portuguese)."""
    several = any(variable.tipo == "multipla" for variable in variaveis)
    parts = [
        "# Instruções",
        *([f"> {aviso}"] if aviso else []),
        *task(tipo, variaveis, "mensagem", dispensada=dispensada, textos=textos),
        "## A resposta",
        "Um objeto JSON com `evidencia`, `escolha` e `justificativa`.",
        rules(tipo, several),
    ]
    return "\n\n".join(parts)


def answer_schema(request: Request, variable: Variable) -> dict[str, Any]:
    """JSON schema of the answer: evidence first, then a candidate's number or `nenhum_adequado`.

    Only what structured outputs support is used: no lengths, no other keys, every property required.
    """
    number = {"type": "integer", "enum": [candidate["numero"] for candidate in request.candidatos]}
    choice: dict[str, Any]
    if request.varias:
        choice = {"type": "array", "items": number}
    else:
        choice = {"anyOf": [number, {"type": "string", "enum": [NENHUM]}]}
    return _object({"evidencia": _evidence(request, variable), "escolha": choice, "justificativa": _TEXT})


_TEXT: dict[str, Any] = {"type": "string"}


def _evidence(request: Request, variable: Variable) -> dict[str, Any]:
    """One quote; of several choices, one for each category that a candidate holds ("" for none)."""
    if variable.tipo != "multipla":
        return _TEXT
    values = [value for value in request.valores if value is not None]
    named = set(values) if request.varias else {name for value in values for name in read_set(value)}
    return _object({name: _TEXT for name in variable.categorias if name in named})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def message_params(
    request: Request, variable: Variable, instrucoes: str, supervisor: Supervisor
) -> dict[str, Any]:
    """The parameters of one message.

    Instructions are marked for the API's cache where the study states both of its prices.
    """
    assert supervisor.precos is not None
    system: dict[str, Any] = {"type": "text", "text": instrucoes}
    if uses_cache(supervisor.precos):
        system["cache_control"] = {"type": "ephemeral"}
    question = json.loads(request.line())
    del question["id"]
    return {
        "model": supervisor.modelo,
        "max_tokens": supervisor.max_tokens,
        "system": [system],
        "messages": [{"role": "user", "content": json.dumps(question, ensure_ascii=False)}],
        "output_config": {"format": {"type": "json_schema", "schema": answer_schema(request, variable)}},
    }
