"""pydantic's findings about a YAML file, said in Portuguese with file, line and key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from compendio.suggestion import did_you_mean
from compendio.yaml_file import Loc, YamlFile

M = TypeVar("M", bound=BaseModel)

_WANTED = {
    "int_type": "um número inteiro",
    "int_from_float": "um número inteiro",
    "int_parsing": "um número inteiro",
    "float_type": "um número",
    "decimal_type": "um número, como 0.80",
    "decimal_parsing": "um número, como 0.80 (com ponto)",
    "list_type": "uma lista (itens com - na frente, ou entre colchetes)",
    "dict_type": "chaves com valores (nome: …)",
    "model_type": "chaves com valores (nome: …)",
    "model_attributes_type": "chaves com valores (nome: …)",
    "date_type": "uma data, como 2026-01-31",
    "date_parsing": "uma data, como 2026-01-31",
    "date_from_datetime_parsing": "uma data, como 2026-01-31",
    "date_from_datetime_inexact": "uma data, como 2026-01-31",
    "finite_number": "um número finito",
}
_LIMITS = {
    "greater_than": ("gt", "maior que"),
    "greater_than_equal": ("ge", "no mínimo"),
    "less_than": ("lt", "menor que"),
    "less_than_equal": ("le", "no máximo"),
}


def validate(model: type[M], file: YamlFile, problemas: list[str]) -> M | None:
    """The file as a `model`, or None with a sentence for each problem in `problemas`."""
    try:
        return model.model_validate(file.data)
    except ValidationError as error:
        problemas.extend(_say(model, file, found) for found in error.errors())
        return None


def _say(model: type[BaseModel], file: YamlFile, error: Mapping[str, Any]) -> str:
    loc: Loc = tuple(error["loc"])
    kind, where = error["type"], file.where(loc)
    written = file.scalars.get(loc)
    words = f"«{written.escrito}»" if written else "isto"
    if kind == "missing":
        return f"{where}: falta esta chave; acrescente-a."
    if kind == "extra_forbidden":
        return f"{where}: chave desconhecida; {did_you_mean(str(loc[-1]), known_keys(model, loc[:-1]))}"
    if written and written.lido_como == "vazio":
        return f"{where}: está vazia; preencha-a ou apague a linha."
    if kind == "string_type" and written:
        return (
            f"{where}: o YAML lê {words} como {written.lido_como}, não como texto; "
            f'ponha entre aspas: "{written.escrito}".'
        )
    if kind == "string_type":
        return f"{where}: deve ser um texto, e não uma lista ou chaves; escreva-o numa linha só."
    if kind in ("bool_type", "bool_parsing"):
        return f"{where}: {words} não é verdadeiro nem falso para o YAML; escreva true ou false."
    if kind == "literal_error":
        options = [str(option) for option in _options(error["ctx"]["expected"])]
        return f"{where}: {words} não é uma das opções; {did_you_mean(words.strip('«»'), options)}"
    if kind in _LIMITS:
        bound, phrase = _LIMITS[kind]
        return f"{where}: {words} está fora do limite; o número deve ser {phrase} {error['ctx'][bound]}."
    if kind in ("string_too_short", "too_short"):
        return f"{where}: está vazia; preencha-a ou apague a linha."
    if kind == "value_error":  # raised by our own validators, in Portuguese
        return f"{where}: {error['ctx']['error']}"
    wanted = _WANTED.get(kind, "um valor do tipo que o modelo mostra")
    return f"{where}: {words} não serve aqui; escreva {wanted}."


def _options(expected: str) -> list[str]:
    return [part for part in expected.split("'")[1::2]]


def known_keys(model: type[BaseModel], loc: Loc) -> list[str]:
    """The keys that may stand at a path of a model."""
    current: type[BaseModel] | None = model
    skip = False  # the position in a list, or the key of a mapping, is no field of a model
    for step in loc:
        if skip or current is None:
            skip = False
            continue
        info = current.model_fields.get(str(step))
        current = _inner(info.annotation) if info else None
        skip = info is not None and get_origin(info.annotation) in (list, dict)
    return (
        [name for name, info in current.model_fields.items() if info.exclude is not True] if current else []
    )


def _inner(annotation: Any) -> type[BaseModel] | None:
    """The model inside `list[M]`, `dict[str, M]` or `M | None`; the annotation itself where it is one."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _inner(arg)) is not None), None)
