"""Calls that several tests of the models use."""

from __future__ import annotations

from typing import Any

from compendio.models.base import Call

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {
            "type": "object",
            "properties": {
                "evidencia": {"type": "string", "maxLength": 300},
                "valor": {"type": "string", "enum": ["sim", "não"]},
            },
            "required": ["evidencia", "valor"],
            "additionalProperties": False,
        }
    },
    "required": ["a"],
    "additionalProperties": False,
}
OPCOES: dict[str, Any] = {"num_ctx": 4096, "num_predict": 100, "temperature": 0, "seed": 1}
VALIDA = '{"a": {"evidencia": "o gato", "valor": "sim"}}'


def call(documento: str = "d1", texto: str | None = None, **other: Any) -> Call:
    """One call about one document."""
    messages = (
        {"role": "system", "content": "Responda em JSON."},
        {"role": "user", "content": texto if texto is not None else f"Texto de {documento}."},
    )
    given: dict[str, Any] = {
        "documento": documento,
        "variaveis": ("a",),
        "rodada": 1,
        "messages": messages,
        "schema": SCHEMA,
        "options": OPCOES,
    }
    return Call(**{**given, **other})


def calls(n: int, **other: Any) -> list[Call]:
    """Calls about documents d1 … dn."""
    return [call(f"d{i}", **other) for i in range(1, n + 1)]
