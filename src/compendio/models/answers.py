"""What a reply's text must be before anyone reads values from it: one JSON object, nothing around it.

Nothing is repaired here. `<think>…</think>`, a code fence or a sentence around the JSON are failures:
the schema was sent as the format, so such a text shows that the server did not hold to it, and a
silent repair would hide that. What a *value* may be is a question of the codebook, asked elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

#: Longest `detalhe`, in characters: enough to keep a whole ordinary answer.
LIMITE_DETALHE = 2000

_SURROGATE = re.compile("[\ud800-\udfff]")


class RespostaInvalida(ValueError):
    """The text is not one JSON object; the message (Portuguese) says why."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise RespostaInvalida(f"chave repetida: {repeated}")
    return result


def _constant(name: str) -> Any:
    raise RespostaInvalida(f"{name} não é JSON")


def parse_answer(texto: str) -> dict[str, Any]:
    """The one JSON object in a reply's text.

    Raises
    ------
    RespostaInvalida
        When the text is not JSON, not an object, repeats a key, holds a lone surrogate or is nested
        beyond measure.
    """
    if "<think>" in texto.split("{", 1)[0]:
        raise RespostaInvalida("o texto começa com <think>: o modelo pensou dentro da resposta")
    try:
        answer = json.loads(texto, object_pairs_hook=_object, parse_constant=_constant)
    except RespostaInvalida:
        raise
    except json.JSONDecodeError as error:
        raise RespostaInvalida(f"não é JSON (caractere {error.pos}: {error.msg})") from None
    except (RecursionError, ValueError) as error:  # nested too deep; a number of thousands of digits
        raise RespostaInvalida(f"JSON fora de medida ({type(error).__name__})") from None
    if not isinstance(answer, dict):
        raise RespostaInvalida(f"não é um objeto JSON, e sim {type(answer).__name__}")
    if has_surrogate(texto) or has_surrogate(json.dumps(answer, ensure_ascii=False)):
        raise RespostaInvalida("contém meio par substituto (caractere Unicode incompleto)")
    return answer


def has_surrogate(texto: str) -> bool:
    """Whether the text holds a lone surrogate, which no UTF-8 file can keep."""
    return _SURROGATE.search(texto) is not None


def printable(texto: str) -> str:
    """The text with lone surrogates written as \\udXXX, so that any file and any screen takes it."""
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", texto)


def detail(motivo: str, texto: str = "") -> str:
    """`detalhe` of a failure: the reason, then the raw text, at most LIMITE_DETALHE characters, printable."""
    whole = f"{motivo} | {texto}" if texto else motivo
    return printable(whole)[:LIMITE_DETALHE]


def max_context(options: Mapping[str, Any]) -> int | None:
    """`num_ctx` of a call's options, or None when the study leaves it to the server."""
    value = options.get("num_ctx")
    return int(value) if value is not None else None
