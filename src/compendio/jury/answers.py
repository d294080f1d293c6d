"""Answers to batches, checked one by one: good ones are kept, each bad one gets a sentence with its line.

Supervisor and audit share the protocol and this reader; whoever asks by another way than files checks
with `check_answer`, too.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compendio.codebook import Codebook, Variable
from compendio.codings import Findings, with_evidence
from compendio.evidence import FoldedText
from compendio.jury.answer_lines import read_lines
from compendio.jury.batches import NENHUM, Request
from compendio.jury.choices import read_set
from compendio.text_file import read_text


class Recusada(ValueError):
    """An answer that does not count; the message is one sentence in Portuguese."""


@dataclass(frozen=True)
class Answer:
    """A good answer.

    Attributes
    ----------
    valor
        What was chosen, as the contract writes it; None for `nenhum_adequado`, and for an answer in free
        text that was rejected.
    evidencia, nivel_evidencia, inicio, fim
        As in the contract; missing where nothing was chosen.
    por_isencao
        A value was chosen without a quote found in the text, by exemption.
    onde
        File and line.
    """

    valor: str | None
    evidencia: str | None
    nivel_evidencia: str | None
    inicio: int | None
    fim: int | None
    por_isencao: bool
    justificativa: str | None
    onde: str = ""


@dataclass
class Reading:
    """What the files of a study answer.

    Attributes
    ----------
    respostas
        Good answers by the id of their request.
    problemas
        One sentence (Portuguese, file and line) for each thing that keeps an answer from counting.
    avisos
        What was noticed and takes nothing away.
    arquivos, linhas
        How many files and answers were read, good or not.
    """

    respostas: dict[str, Answer] = field(default_factory=dict)
    problemas: list[str] = field(default_factory=list)
    avisos: list[str] = field(default_factory=list)
    arquivos: int = 0
    linhas: int = 0

    def missing(self, pedidos: Iterable[Request]) -> list[Request]:
        """The requests without a good answer."""
        return [request for request in pedidos if request.id not in self.respostas]


def read_answers(pasta: Path, pedidos: Sequence[Request], codebook: Codebook, dispensada: bool) -> Reading:
    """Read every `*.jsonl` of a folder against the requests of now.

    Of two good answers to one request that say the same, the first counts; if they differ, neither does.
    A bad answer does not count against a good one to the same request.
    """
    reading = Reading()
    known = {request.id: request for request in pedidos}
    texts = {request.texto: FoldedText(request.texto) for request in pedidos}
    good: dict[str, list[Answer]] = defaultdict(list)
    bad: list[tuple[str, int, str | None, str]] = []
    for path in _files(pasta, reading.avisos):
        reading.arquivos += 1
        rotulo = f"{pasta.name}/{path.name}"
        text = read_text(path, rotulo, reading.problemas, reading.avisos)
        for line in read_lines(text or ""):
            reading.linhas += 1
            try:
                if line.objeto is None:
                    raise Recusada(line.problema)
                ident = _ident(line.objeto, known)
                request = known[ident]
                answer = check_answer(
                    request,
                    line.objeto,
                    codebook.variaveis[request.variavel],
                    texts[request.texto],
                    dispensada,
                    onde=f"{rotulo}, linha {line.numero}",
                )
                good[ident].append(answer)
            except Recusada as refused:
                bad.append((rotulo, line.numero, line.id, str(refused)))
    _settle(reading, good)
    for rotulo in dict.fromkeys(name for name, *_ in bad):
        told, passed = Findings(rotulo), Findings(rotulo)
        for _, number, about, sentence in (entry for entry in bad if entry[0] == rotulo):
            if about in reading.respostas:
                passed.add(number, f"{sentence} O mesmo pedido tem outra resposta, que conta.")
            else:
                told.add(number, sentence)
        reading.problemas += told.sentences()
        reading.avisos += passed.sentences()
    return reading


def _files(pasta: Path, avisos: list[str]) -> list[Path]:
    files = sorted(p for p in pasta.glob("*") if p.is_file() and not p.name.startswith((".", "~")))
    for path in files:
        if path.suffix not in (".jsonl", ".csv", ".md"):
            avisos.append(f"{pasta.name}/{path.name}: não é lido; se traz respostas, renomeie-o para .jsonl.")
    return [path for path in files if path.suffix == ".jsonl"]


def _ident(given: Mapping[str, Any], known: Mapping[str, Request]) -> str:
    ident = given.get("id")
    if not isinstance(ident, str) or not ident.strip():
        raise Recusada("falta o «id» do pedido; copie-o de pedidos.jsonl.")
    if ident.strip() not in known:
        raise Recusada(
            "o «id» não é de nenhum pedido de agora; confira se foi copiado inteiro (se o júri ou o livro de "
            "códigos mudou depois do lote, a pergunta é outra, e a linha pode ser apagada)."
        )
    return ident.strip()


def _settle(reading: Reading, good: Mapping[str, Sequence[Answer]]) -> None:
    for ident, answers in good.items():
        first, again = answers[0], answers[1:]
        others = " e em ".join(answer.onde for answer in again)
        if any(answer.valor != first.valor for answer in again):
            reading.problemas.append(
                f"{first.onde}: o mesmo pedido ({ident}) tem outra escolha em {others}; nenhuma conta: apague a "
                "que não vale."
            )
            continue
        reading.respostas[ident] = first
        if again:
            reading.avisos.append(f"{first.onde}: a mesma resposta está repetida em {others}; conta uma vez.")


def check_answer(
    request: Request,
    given: Mapping[str, Any],
    variable: Variable,
    text: FoldedText,
    dispensada: bool,
    onde: str = "",
) -> Answer:
    """One answer (`escolha, evidencia, justificativa`) against its request.

    The quote is looked up in the text, unless the request has none, as in a study without texts. Raises
    Recusada where the answer does not count.
    """
    reason = given.get("justificativa")
    if reason is not None and not isinstance(reason, str):
        raise Recusada("«justificativa» deve ser uma frase entre aspas.")
    if request.tipo == "supervisor" and not (reason or "").strip():
        raise Recusada("falta «justificativa»: diga, numa frase, por que o texto cumpre a definição.")
    valor = _chosen(request, given.get("escolha"), variable)
    row: dict[str, Any] = dict.fromkeys(("evidencia", "nivel_evidencia", "inicio", "fim"))
    exempt = False
    if valor is not None:
        chosen = list(read_set(valor)) if variable.tipo == "multipla" else [valor]
        quotes = _quotes(given.get("evidencia"), chosen, variable, dispensada)
        row |= with_evidence(variable, chosen, quotes, text if text.texto else None, dispensada)
        levels = json.loads(row["nivel_evidencia"]) if variable.tipo == "multipla" else None
        found = levels if levels is not None else {valor: row["nivel_evidencia"]}
        if text.texto:
            _check_levels(found, dict(zip(chosen, quotes, strict=True)))
        exempt = "dispensada" in found.values()
    return Answer(
        valor=valor, por_isencao=exempt, justificativa=(reason or "").strip() or None, onde=onde, **row
    )


def _chosen(request: Request, choice: Any, variable: Variable) -> str | None:
    """The value behind `escolha`."""
    if choice is None or choice == "":
        raise Recusada(f"falta «escolha»: o número de um candidato, ou «{NENHUM}».")
    if isinstance(choice, str) and choice.strip().lower().replace(" ", "_") == NENHUM:
        return "[]" if request.varias else None
    if not request.varias:
        return request.valores[_number(choice, request) - 1]
    if not isinstance(choice, list):
        choice = [choice]
    numbers = [_number(item, request) for item in choice]
    if len(set(numbers)) < len(numbers):
        raise Recusada("«escolha» repete um número; escreva cada um uma vez.")
    named = {request.valores[k - 1] for k in numbers}
    return json.dumps([name for name in variable.categorias if name in named], ensure_ascii=False)


def _number(choice: Any, request: Request) -> int:
    if isinstance(choice, str) and choice.strip().isascii() and choice.strip().isdecimal():
        choice = int(choice.strip()[:9])
    last = len(request.candidatos)
    if isinstance(choice, bool) or not isinstance(choice, int) or not 1 <= choice <= last:
        shown = json.dumps(choice, ensure_ascii=False)
        raise Recusada(
            f"a escolha {shown if len(shown) <= 60 else shown[:60] + '…'} não existe nesse pedido; use o número de "
            f"um candidato (de 1 a {last}), ou «{NENHUM}»."
        )
    return choice


def _quotes(given: Any, chosen: Sequence[str], variable: Variable, dispensada: bool) -> list[str]:
    """The quote for each chosen value, "" for none."""
    if given is None or (isinstance(given, str) and not given.strip()):
        return [""] * len(chosen)
    if isinstance(given, str) and len(chosen) == 1:
        return [given]
    if variable.tipo != "multipla" or not isinstance(given, str | dict):
        raise Recusada("«evidencia» deve ser um trecho do texto, entre aspas.")
    if isinstance(given, str):
        needed = [name for name in chosen if not variable.dispensa(name, dispensada)]
        if len(needed) != 1:
            raise Recusada(
                f"a escolha tem {len(chosen)} categorias; em «evidencia», escreva um trecho para cada uma: "
                '{"categoria": "trecho"}.'
            )
        given = {needed[0]: given}
    if not all(isinstance(quote, str | None) for quote in given.values()):
        raise Recusada("em «evidencia», o trecho de cada categoria deve estar entre aspas.")
    others = [name for name, quote in given.items() if quote and name not in chosen]
    if others:
        raise Recusada(f"«evidencia» traz «{others[0]}», que não está na escolha; tire-a, ou mude a escolha.")
    return [given.get(name) or "" for name in chosen]


def _check_levels(levels: Mapping[str, str], quotes: Mapping[str, str]) -> None:
    for name, level in levels.items():
        if level == "ausente":
            raise Recusada(
                f"falta a evidência de «{name}»: copie do texto, letra por letra, o trecho que a mostra."
            )
        if level == "nao_encontrada":
            quote = quotes[name] if len(quotes[name]) <= 60 else f"{quotes[name][:60]}…"
            raise Recusada(
                f"a evidência «{quote}» não está no texto, ou é curta ou longa demais para mostrar algo; copie "
                "de lá, letra por letra, de 3 a 15 palavras seguidas."
            )


def answers_for(
    pedidos: Iterable[Request], escolhas: Mapping[tuple[str, str], str], justificativa: str
) -> list[str]:
    """Lines of answers from values that are known already, for studies that ask for no evidence.

    Parameters
    ----------
    escolhas
        (documento, variavel) → value as the contract writes it, or `nenhum_adequado`. In the audit of free
        text any other value than the jury's rejects it.

    Raises KeyError where a request has no choice, ValueError where the value is no candidate of it.
    """
    lines = []
    for request in pedidos:
        valor = escolhas[request.documento, request.variavel]
        values = list(request.valores)
        choice: Any
        if valor == NENHUM:
            choice = NENHUM
        elif request.varias:
            choice = [values.index(name) + 1 for name in read_set(valor)]
        else:
            choice = values.index(valor if valor in values or None not in values else None) + 1
        answer = {"id": request.id, "escolha": choice, "evidencia": "", "justificativa": justificativa}
        lines.append(json.dumps(answer, ensure_ascii=False))
    return lines
