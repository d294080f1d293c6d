"""Batches for whoever answers (person, chat or program): requests out, one folder a batch, no model named.

A request carries all that is needed to answer it. Its `id` is a hash of what it says, so that an answer
survives a rerun, and stops fitting when the question changes.

    <pasta>/lote-01/INSTRUCOES.md, pedidos.jsonl        decisions for the supervisor
    <pasta>/auditoria-01/INSTRUCOES.md, pedidos.jsonl   decisions for the audit
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from compendio.codebook import Variable
from compendio.prompts import describe_variable, evidence_rule

NENHUM = "nenhum_adequado"
#: What a request is for, and how the folders of its batches are called.
Tipo = Literal["supervisor", "auditoria"]
PREFIXOS: dict[Tipo, str] = {"supervisor": "lote", "auditoria": "auditoria"}
_FILES = ("INSTRUCOES.md", "pedidos.jsonl")


@dataclass(frozen=True)
class Request:
    """One question.

    Attributes
    ----------
    candidatos
        What is shown: `numero` from 1, `valor`, `evidencias`.
    valores
        The value (as the contract writes it) that each candidate stands for, in the order of the numbers;
        None for one that only rejects. Never shown.
    varias
        The answer is a list of numbers: every candidate is a yes/no question of its own.
    """

    tipo: Tipo
    documento: str
    variavel: str
    pergunta: str
    definicoes: str
    texto: str
    candidatos: tuple[Mapping[str, Any], ...]
    valores: tuple[str | None, ...]
    varias: bool = False

    @cached_property
    def id(self) -> str:
        text = json.dumps(self._body(), ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _body(self) -> dict[str, Any]:
        names = ("documento", "variavel", "pergunta", "definicoes", "texto")
        return {name: getattr(self, name) for name in names} | {"candidatos": list(self.candidatos)}

    def line(self) -> str:
        """The request as a line of `pedidos.jsonl`."""
        return json.dumps({"id": self.id, **self._body()}, ensure_ascii=False)


def make_request(
    tipo: Tipo,
    documento: str,
    texto: str,
    variable: Variable,
    candidatos: Sequence[tuple[Any, Sequence[Mapping[str, Any]]]],
    valores: Sequence[str | None],
    *,
    pergunta: str | None = None,
    varias: bool = False,
) -> Request:
    """One request; `candidatos` are pairs of what to show and its quotes, numbered here from 1."""
    numbered = tuple(
        {"numero": k, "valor": shown, "evidencias": list(quotes)}
        for k, (shown, quotes) in enumerate(candidatos, start=1)
    )
    return Request(
        tipo=tipo,
        documento=documento,
        variavel=variable.nome,
        pergunta=pergunta or variable.pergunta,
        definicoes=describe_variable(variable),
        texto=texto,
        candidatos=numbered,
        valores=tuple(valores),
        varias=varias,
    )


def update_batches(
    pasta: Path, tipo: Tipo, abertos: Sequence[Request], tamanho: int, instrucoes: str
) -> list[Path]:
    """Bring the batches of one kind up to date with the requests that still need an answer.

    A batch all of whose requests are open stays as it is. Any other is out of date: its two files go
    away (nothing else in its folder does), and what is still open of it comes in a new batch, whose number
    follows the highest there was. So every open request stands in exactly one batch.

    Returns
    -------
    list of Path
        The folders of the batches there are now, in the order of their numbers.
    """
    ids = {request.id for request in abertos}
    there = _batches(pasta, PREFIXOS[tipo])
    number = max((n for n, _ in there), default=0)
    kept: list[Path] = []
    asked: set[str] = set()
    for _, folder in there:
        held = _ids(folder)
        if held and held <= ids and not held & asked:
            kept.append(folder)
            asked |= held
            (folder / _FILES[0]).write_text(instrucoes, encoding="utf-8")
        else:
            _remove(folder)
    new = [request for request in abertos if request.id not in asked]
    for start in range(0, len(new), tamanho):
        number += 1
        folder = pasta / f"{PREFIXOS[tipo]}-{number:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILES[0]).write_text(instrucoes, encoding="utf-8")
        lines = "".join(f"{request.line()}\n" for request in new[start : start + tamanho])
        (folder / _FILES[1]).write_text(lines, encoding="utf-8")
        kept.append(folder)
    return kept


def _batches(pasta: Path, prefixo: str) -> list[tuple[int, Path]]:
    found = [(re.fullmatch(rf"{prefixo}-(\d+)", path.name), path) for path in pasta.glob(f"{prefixo}-*")]
    return sorted((int(match[1]), path) for match, path in found if match and path.is_dir())


def _ids(folder: Path) -> set[str]:
    """The ids of a batch; none where its file is gone or was changed by hand."""
    try:
        lines = (folder / _FILES[1]).read_text(encoding="utf-8").split("\n")
        return {json.loads(line)["id"] for line in lines if line}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _remove(folder: Path) -> None:
    for name in _FILES:
        (folder / name).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


_TASK = {
    "supervisor": """\
Cada {pedido} é uma pergunta sobre um texto. Os candidatos são respostas já dadas, em ordem fixa,
com os trechos que quem respondeu apontou; `encontrada: false` quer dizer que o trecho não está no texto. Quantos
deram cada resposta não se diz: decida pelo texto e pelas definições. Os candidatos podem estar todos errados.""",
    "auditoria": """\
Cada {pedido} é uma pergunta sobre um texto. Os candidatos são todas as respostas possíveis, em
ordem sorteada: escolha a que o texto sustenta. Onde a resposta é livre, a pergunta traz a que foi dada, e os
candidatos são «certa» e «errada»; uma resposta incompleta ou inventada está errada.""",
}


_BEFORE = (
    "**Antes de tudo: colar este lote num serviço pela internet (um chat, por exemplo) manda os textos para fora "
    "deste computador.** Só faça isso se os textos puderem sair. Responder à mão, ou com um programa daqui, não "
    "envia nada."
)
_BEFORE_WITHOUT_TEXTS = (
    "**Antes de tudo:** este estudo não traz os textos, e o lote leva só perguntas, definições e candidatos. Para "
    "responder é preciso ter os documentos à mão."
)


def instructions(
    tipo: Tipo,
    variaveis: Collection[Variable],
    *,
    destino: str,
    dispensada: bool = False,
    textos: bool = True,
    aviso: str = "",
) -> str:
    """INSTRUCOES.md: first of all what pasting a batch somewhere means, then what to do with it.

    Parameters
    ----------
    variaveis
        Variables of the codebook that the requests are about.
    destino
        Where answers go, as a reader should see it.
    textos
        False for a study without texts, whose quotes nobody can check.
    """
    several = any(variable.tipo == "multipla" for variable in variaveis)
    parts = [
        "# Instruções",
        _BEFORE if textos else _BEFORE_WITHOUT_TEXTS,
        *([f"> {aviso}"] if aviso else []),
        *task(tipo, variaveis, "linha de `pedidos.jsonl`", dispensada=dispensada, textos=textos),
        "## A resposta",
        "Uma linha de JSON por pedido, num arquivo de texto em UTF-8 terminado em `.jsonl`:",
        '    {"id": "o id do pedido", "escolha": 2, "evidencia": "trecho copiado do texto", '
        '"justificativa": "uma frase"}',
        f"{rules(tipo, several)}\n- Um pedido por vez, sem olhar os outros. Não mude o `id`.",
        f"Guarde o arquivo em `{destino}`, com qualquer nome, e confira com `make supervisor-ler`. O que estiver "
        "errado é dito linha a linha; o que estiver certo fica.",
    ]
    return "\n\n".join(parts) + "\n"


def task(
    tipo: Tipo, variaveis: Collection[Variable], pedido: str, *, dispensada: bool, textos: bool
) -> list[str]:
    """What is to be done and what counts as evidence, for whoever answers; `pedido` names one request."""
    rule = evidence_rule(variaveis, dispensada)
    checked = (
        "O trecho é conferido no texto, letra por letra (só a apresentação pode mudar: espaços, aspas, traços, "
        "maiúsculas)."
        if textos
        else "Este estudo não traz os textos: `texto` vem vazio, e a evidência não é conferida."
    )
    free = f"`{NENHUM}`, ou «errada»," if tipo == "auditoria" else f"`{NENHUM}`"
    return [
        "## A tarefa",
        _TASK[tipo].format(pedido=pedido),
        "`definicoes` é o que o livro de códigos diz da variável. Leia o texto inteiro antes de escolher.",
        "## A evidência",
        f"{rule} {checked} Quem responde {free} pode deixá-la vazia.",
    ]


def rules(tipo: Tipo, several: bool) -> str:
    """What each field of an answer may hold (`several`: a variable of several choices is among the requests)."""
    lines = [
        f'- `escolha` é o número de um candidato, ou `"{NENHUM}"` se nenhum serve.',
        "- `justificativa` diz, numa frase, por que o texto cumpre a definição"
        + (" (na auditoria, pode ficar vazia)." if tipo == "auditoria" else "."),
        "- Não invente candidatos.",
    ]
    if several and tipo == "auditoria":
        lines.append(
            "- Em variável de várias escolhas, `escolha` é a lista dos números que se aplicam, como `[1, 3]`; `[]` se "
            "nenhum se aplica."
        )
    if several:
        lines.append(
            "- Em variável de várias escolhas, `evidencia` traz um trecho por categoria: "
            '`{"uma_categoria": "trecho", "outra_categoria": "outro trecho"}`.'
        )
    return "\n".join(lines)
