"""Answers to batches, checked line by line: good ones are kept, each bad one gets a sentence with its line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compendio.codebook import Codebook
from compendio.evidence import FoldedText, find_evidence
from compendio.jury.batches import NENHUM, Request

CONFIRMA, REJEITA = "confirma", "rejeita"
_CERCA = "```"


@dataclass
class Answers:
    """Good answers by request id, and what is wrong with the other lines (Portuguese)."""

    boas: dict[str, dict[str, Any]] = field(default_factory=dict)
    problemas: list[str] = field(default_factory=list)
    avisos: list[str] = field(default_factory=list)
    linhas: int = 0

    def missing(self, requests: Mapping[str, Request]) -> list[str]:
        """Ids of the requests without a good answer, in their order."""
        return [ident for ident in requests if ident not in self.boas]


def read_answers(
    pasta: Path, requests: Mapping[str, Request], codebook: Codebook, dispensada: bool
) -> Answers:
    """Read every `*.jsonl` of a folder against the requests (by id) that are open or answered now.

    A byte-order mark, Windows line ends, empty lines and code fences are passed over. Evidence is checked in
    the request's text, by the rule of the codebook; a request with an empty text has none to check.
    """
    answers = Answers()
    first: dict[str, str] = {}
    for path in sorted(pasta.glob("*.jsonl")) if pasta.is_dir() else ():
        try:
            content = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError:
            answers.problemas.append(f"{path.name}: não está em UTF-8; salve-o de novo em UTF-8.")
            continue
        for number, text in _lines(content):
            where = f"{path.name}, linha {number}"
            answers.linhas += 1
            try:
                answer = _parse(text)
            except ValueError as error:
                answers.problemas.append(f"{where}: {error}")
                continue
            ident = answer["id"]
            if ident not in requests:
                answers.avisos.append(
                    f"{where}: o id «{ident}» não é de nenhum pedido de agora; copie-o do pedido "
                    "(ou é resposta a uma pergunta que mudou, e pode ficar)."
                )
                continue
            if ident in first:
                answers.problemas.append(
                    f"{where}: o id «{ident}» já foi respondido em {first[ident]}; fica a primeira."
                )
                continue
            if problem := _problem(answer, requests[ident], codebook, dispensada):
                answers.problemas.append(f"{where}: {problem}")
                continue
            first[ident], answers.boas[ident] = where, answer
    return answers


def _lines(content: str) -> list[tuple[int, str]]:
    """Line numbers and answers; of a JSON list, one answer an item (its number in the list for the line)."""
    if content.lstrip().startswith("["):
        try:
            items = json.loads(content)
        except json.JSONDecodeError:
            items = []
        if items:
            return [(k, json.dumps(item, ensure_ascii=False)) for k, item in enumerate(items, start=1)]
    lines = [(k, line.strip()) for k, line in enumerate(content.split("\n"), start=1)]
    return [(k, line) for k, line in lines if line and not line.startswith(_CERCA)]


def _parse(text: str) -> dict[str, Any]:
    try:
        answer = json.loads(text.strip("`").rstrip(","))
    except (json.JSONDecodeError, RecursionError):
        raise ValueError("não é JSON; escreva uma resposta por linha, entre chaves.") from None
    if not isinstance(answer, dict) or not isinstance(answer.get("id"), str):
        raise ValueError("falta o «id» do pedido; copie-o de pedidos.jsonl.")
    if "escolha" not in answer:
        raise ValueError(f"falta «escolha»: o número de um candidato ou «{NENHUM}».")
    for key in ("evidencia", "justificativa"):
        answer[key] = answer.get(key) or ""
        if not isinstance(answer[key], str):
            raise ValueError(f"«{key}» deve ser texto, entre aspas.")
    return answer


def _problem(answer: dict[str, Any], request: Request, codebook: Codebook, dispensada: bool) -> str | None:
    choice = answer["escolha"]
    if choice == NENHUM:
        return None
    if isinstance(choice, str) and choice.strip().isdecimal():
        choice = answer["escolha"] = int(choice)
    numbers = [candidate["numero"] for candidate in request["candidatos"]]
    if isinstance(choice, bool) or not isinstance(choice, int) or choice not in numbers:
        return f"a escolha «{choice}» não existe; use de 1 a {len(numbers)}, ou «{NENHUM}»."
    valor = chosen_value(answer, request)
    assert valor is not None
    if not request["texto"] or valor == REJEITA or not needs_evidence(valor, request, codebook, dispensada):
        return None
    if not answer["evidencia"].strip():
        return "falta a evidência: copie do texto, letra por letra, um trecho que sustente a escolha."
    if find_evidence(answer["evidencia"], FoldedText(request["texto"])).nivel == "nao_encontrada":
        quote = answer["evidencia"][:60]
        return f"a evidência «{quote}» não está no texto (ou é curta ou longa demais); copie-a de lá."
    return None


def needs_evidence(valor: str, request: Request, codebook: Codebook, dispensada: bool) -> bool:
    """Whether the choice of a value needs a quote, by the codebook's rule."""
    variable = codebook.variaveis[request["variavel"]]
    if valor == CONFIRMA:
        valor = request["resposta"]
    if variable.tipo != "multipla":
        return not variable.dispensa(valor, dispensada)
    return not all(variable.dispensa(name, dispensada) for name in json.loads(valor))


def chosen_value(answer: Mapping[str, Any], request: Request) -> str | None:
    """The value of the chosen candidate; None for `nenhum_adequado`."""
    if answer["escolha"] == NENHUM:
        return None
    valor: str = request["candidatos"][answer["escolha"] - 1]["valor"]
    return valor
