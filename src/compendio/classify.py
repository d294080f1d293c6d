"""One model codes documents: calls out, replies in, votes (rows of the data contract) from them.

Every member takes the same path, in round 1 and in the deliberation: same prompt, same evidence rule,
same store. What a reply says is read here; whether it is JSON at all was decided by the backend.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from compendio.codebook import LIMITE_EVIDENCIA, Variable, answer_schema
from compendio.evidence import FoldedText, find_evidence
from compendio.models.answers import RespostaInvalida, parse_answer
from compendio.models.base import Call, Message, Reply
from compendio.prompts import classification_messages
from compendio.study import Study


def variable_groups(study: Study, names: Iterable[str] | None = None) -> list[list[Variable]]:
    """The variables asked together: all in one call a document, or one call a variable (`chamadas`)."""
    wanted = set(study.codebook.variaveis if names is None else names)
    variables = [v for v in study.codebook.variaveis.values() if v.nome in wanted]
    return [variables] if study.chamadas == "por_documento" else [[v] for v in variables]


def call_options(study: Study, membro: str) -> dict[str, Any]:
    """The options of a member that change its output, `pensar` included where the study sets it."""
    options = study.options_of(membro)
    return options if study.pensar is None else {**options, "pensar": study.pensar}


def classification_calls(study: Study, membro: str, ids: Sequence[str], repeticao: int = 0) -> list[Call]:
    """Round 1 calls of a member: all documents of one group of variables, then those of the next.

    In that order the prefix (instructions and codebook) changes as seldom as possible.
    """
    texts = study.documents().set_index("id")["texto"]
    options, dispensada = call_options(study, membro), study.evidencia == "dispensada"
    calls = []
    for group in variable_groups(study):
        schema = answer_schema(group)
        for ident in ids:
            messages = classification_messages(group, texts[ident], dispensada)
            names = tuple(v.nome for v in group)
            calls.append(Call(ident, names, 1, messages, schema, options, repeticao))
    return calls


class Reader:
    """Reads replies into votes: knows the codebook and the folded texts of a study."""

    def __init__(self, study: Study) -> None:
        self._variables = study.codebook.variaveis
        self._dispensada = study.evidencia == "dispensada"
        documents = study.documents()
        self._texts = {i: FoldedText(t) for i, t in zip(documents["id"], documents["texto"], strict=True)}

    def votes(self, call: Call, reply: Reply) -> list[dict[str, Any]]:
        """One row of the data contract for each variable of the call (`fonte` left to the caller)."""
        base = {"documento": call.documento, "rodada": call.rodada, "repeticao": call.repeticao}
        falha: str | None = reply.falha
        answer: Mapping[str, Any] = {}
        if reply.conteudo is not None:
            try:
                answer = parse_answer(reply.conteudo)
            except RespostaInvalida:
                falha = "json_invalido"
        rows = []
        for name in call.variaveis:
            row = (
                {"falha": falha}
                if falha
                else self._vote(self._variables[name], answer.get(name), call.documento)
            )
            rows.append({**base, "variavel": name, **row})
        return rows

    def failed(self, call: Call, reply: Reply) -> bool:
        """Whether any variable of the call got no vote."""
        return any(row.get("falha") for row in self.votes(call, reply))

    def _vote(self, variable: Variable, answer: Any, documento: str) -> dict[str, Any]:
        text = self._texts[documento]
        if variable.tipo == "multipla":
            return self._choices(variable, answer, text)
        if not _is_answer(answer, "valor"):
            return {"falha": "json_invalido"}
        valor = answer["valor"].strip()
        outside = variable.tipo == "categorica" and valor not in variable.categorias
        if outside or (len(valor) > variable.limite and variable.tipo == "texto"):
            return {"falha": "fora_do_codebook"}
        match = find_evidence(answer["evidencia"], text, dispensa=variable.dispensa(valor, self._dispensada))
        return {
            "valor": valor,
            "evidencia": answer["evidencia"] or None,
            "nivel_evidencia": match.nivel,
            "inicio": match.inicio,
            "fim": match.fim,
        }

    def _choices(self, variable: Variable, answer: Any, text: FoldedText) -> dict[str, Any]:
        if not isinstance(answer, list) or not all(_is_answer(item, "categoria") for item in answer):
            return {"falha": "json_invalido"}
        if any(item["categoria"] not in variable.categorias for item in answer):
            return {"falha": "fora_do_codebook"}
        quotes: dict[str, str] = {}
        levels: dict[str, str] = {}
        for name in variable.categorias:  # codebook order; small models may name a category twice
            given = [item["evidencia"] for item in answer if item["categoria"] == name]
            found = [
                (find_evidence(q, text, dispensa=variable.dispensa(name, self._dispensada)), q) for q in given
            ]
            if found:
                match, quote = min(found, key=lambda pair: _RANK[pair[0].nivel])
                quotes[name], levels[name] = quote, match.nivel
        return {
            "valor": json.dumps(list(quotes), ensure_ascii=False),
            "evidencia": json.dumps(quotes, ensure_ascii=False),
            "nivel_evidencia": json.dumps(levels, ensure_ascii=False),
        }


_RANK = {"exata": 0, "normalizada": 1, "dispensada": 2, "nao_encontrada": 3, "ausente": 4}


def _is_answer(answer: Any, key: str) -> bool:
    """Whether an answer has the schema's form: a value and a quote, both text, the quote not too long."""
    return (
        isinstance(answer, Mapping)
        and isinstance(answer.get(key), str)
        and bool(answer[key].strip())
        and isinstance(answer.get("evidencia"), str)
        and len(answer["evidencia"]) <= LIMITE_EVIDENCIA
    )


def votes_table(reader: Reader, membro: str, calls: Sequence[Call], replies: Sequence[Reply]) -> pd.DataFrame:
    """The votes of one member, from its calls and replies (same order)."""
    rows = [row for call, reply in zip(calls, replies, strict=True) for row in reader.votes(call, reply)]
    columns = ["documento", "variavel", "rodada", "repeticao", "valor", "evidencia", "nivel_evidencia"]
    columns += ["inicio", "fim", "falha"]
    table = pd.DataFrame(rows, columns=columns).astype({"inicio": "Int64", "fim": "Int64"})
    return table.assign(justificativa=None, fonte=membro)


def own_answer(reply: Reply) -> Message:
    """A member's own answer as it was stored, to be repeated in the second round's conversation."""
    return {"role": "assistant", "content": reply.conteudo or ""}
