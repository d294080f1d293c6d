"""Answers as people and programs save them: JSON objects one a line, and the usual accidents around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from compendio.models.answers import has_surrogate

_ID = re.compile(r'"id"\s*:\s*"\s*([0-9a-f]{16})\s*"')
_FENCE = re.compile(r"(?m)^[ \t]*(?:```|~~~)[ \t]*\w*[ \t]*(?=$|[{\[])")
_BETWEEN = re.compile(r"[\s,`\[\]]*")
#: Where to go on after what cannot be read: a line that begins like an answer.
_NEXT = re.compile(r"\n(?=[ \t]*(?:\[[ \t]*)?\{)")


class Line(NamedTuple):
    """What stands at one place of a file.

    Attributes
    ----------
    numero
        Line of the file on which it begins, from 1.
    objeto
        The JSON object; None where there is none that can be read.
    problema
        Why not (Portuguese); None where there is one.
    id
        The id it seems to be about, even where it cannot be read.
    """

    numero: int
    objeto: dict[str, Any] | None
    problema: str | None
    id: str | None


def read_lines(text: str) -> Iterator[Line]:
    """Every answer of a file's text, whatever is around it.

    Objects may stand one a line, over several lines, in a JSON array, or in a code fence; empty lines,
    fences, commas and brackets between them are passed over. Anything else is a problem of its line.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
    # No line is added or taken away, so that numbers hold.
    text = _FENCE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    at = 0
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        if at >= len(text):
            return
        number = text.count("\n", 0, at) + 1
        try:
            if text[at] != "{":
                raise ValueError("não é uma resposta em JSON; apague-a, ou escreva a resposta entre chaves")
            found, end = decoder.raw_decode(text, at)
            if has_surrogate(json.dumps(found, ensure_ascii=False)):
                raise ValueError("tem um caractere incompleto (meio par substituto); escreva-o de novo")
        except json.JSONDecodeError as error:
            end, said = _resume(text, at), f"o JSON está quebrado ({_reason(error)}); corrija a linha"
        except (ValueError, RecursionError) as error:
            end, said = (
                _resume(text, at),
                str(error) if type(error) is ValueError else "o JSON não se deixa ler",
            )
        else:
            ident = found.get("id")
            yield Line(number, found, None, ident.strip() if isinstance(ident, str) else None)
            at = end
            continue
        named = _ID.search(text, at, end)
        yield Line(number, None, f"{said}.", named[1] if named else None)
        at = end


def _resume(text: str, at: int) -> int:
    following = _NEXT.search(text, at + 1)
    return following.end() if following else len(text)


def _reason(error: json.JSONDecodeError) -> str:
    for english, portuguese in (
        ("Unterminated string", "as aspas não fecham na mesma linha"),
        ("Expecting ',' delimiter", "falta uma vírgula ou a chave do fim"),
        ("Expecting property name", "falta um nome de campo entre aspas duplas"),
        ("Expecting ':' delimiter", "faltam os dois-pontos"),
        ("Expecting value", "falta um valor"),
        ("Invalid control character", "as aspas não fecham na mesma linha"),
        ("Invalid \\", "há uma barra invertida fora de lugar"),
        ("Illegal trailing comma", "sobra uma vírgula"),
    ):
        if error.msg.startswith(english):
            return portuguese
    return "não se deixa ler"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"o campo «{repeated}» está repetido; deixe um")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"«{name}» não é um valor de JSON")
