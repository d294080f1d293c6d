"""A reader's suggestions for the codebook: read line by line, put into a proposal, never applied.

A suggestion that cannot be carried out (a category that is not there, a change already asked for) is told
with its line and left out; the others make up the proposed codebook.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compendio.codebook import SEPARADOR, Codebook, Variable
from compendio.jury.answer_lines import read_lines
from compendio.measure.codebook_requests import MUDANCAS, Request
from compendio.suggestion import did_you_mean
from compendio.text_file import read_text

#: Changes of a whole variable; all others are about a category.
_DA_VARIAVEL = frozenset({"orientacao", "meta"})
_COM_TEXTO = frozenset({"orientacao", "definicao", "fronteira", "exemplo", "nova_categoria", "meta"})
#: Changes that add to what is there, so that several of them may meet.
_SOMAM = frozenset({"exemplo", "fundir"})


@dataclass(frozen=True)
class Suggestion:
    """One good line of a reader. `com`: the category that is merged into `categoria`."""

    variavel: str
    mudanca: str
    categoria: str
    texto: str
    com: str
    motivo: str
    casos: tuple[str, ...]
    onde: str


@dataclass(frozen=True)
class Proposal:
    """The proposed codebook with what led to it; `problemas` say which lines were left out and why."""

    codebook: Codebook
    sugestoes: list[Suggestion]
    problemas: list[str]

    @property
    def metas(self) -> dict[str, str]:
        """Variable → the kappa its reader expects."""
        return {s.variavel: s.texto for s in self.sugestoes if s.mudanca == "meta"}


def read_suggestions(
    pasta: Path, requests: Sequence[Request], codebook: Codebook
) -> tuple[list[Suggestion], list[str]]:
    """The good suggestions of every `*.jsonl` of a folder, and one sentence for every other line."""
    by_id = {request["id"]: request for request in requests}
    found: list[Suggestion] = []
    problems: list[str] = []
    for path in sorted(pasta.glob("*.jsonl")) if pasta.is_dir() else ():
        text = read_text(path, path.name, problems, [])
        for line in read_lines(text) if text is not None else ():
            where = f"{path.name}, linha {line.numero}"
            try:
                if line.objeto is None:
                    raise ValueError(line.problema)
                found.append(_suggestion(line.objeto, by_id, where))
            except ValueError as error:
                problems.append(f"{where}: {error}")
    return found, problems


def _suggestion(line: Mapping[str, Any], requests: Mapping[str, Request], where: str) -> Suggestion:
    fields = {}
    for name in ("id", "mudanca", "categoria", "texto", "com", "motivo"):
        value = line.get(name) or ""
        if not isinstance(value, str):
            raise ValueError(f"«{name}» deve ser texto, entre aspas.")
        fields[name] = value.strip()
    ident, change = fields.pop("id"), fields["mudanca"]
    if ident not in requests:
        raise ValueError(
            f"o id «{ident}» não é de nenhum pedido de agora; copie-o de pedidos.jsonl (ou o codebook mudou)."
        )
    if change not in MUDANCAS:
        raise ValueError(f"a mudança «{change}» não existe; {did_you_mean(change, MUDANCAS)}")
    if change in _COM_TEXTO and not fields["texto"]:
        raise ValueError(f"falta «texto», que {change} precisa.")
    if change not in _DA_VARIAVEL and not fields["categoria"]:
        raise ValueError(f"falta «categoria», que {change} precisa.")
    if not fields["motivo"] and change != "meta":
        raise ValueError("falta «motivo»: por que a mudança ajuda.")
    cases = line.get("casos") or []
    if not isinstance(cases, list) or not all(isinstance(item, str) for item in cases):
        raise ValueError("«casos» deve ser uma lista de documentos, entre colchetes.")
    request = requests[ident]
    known = {case["documento"] for case in request["casos"]}
    unknown = [item for item in cases if item not in known]
    if unknown:
        raise ValueError(f"«{unknown[0]}» não é documento deste pedido.")
    return Suggestion(request["variavel"], casos=tuple(cases), onde=where, **fields)


def propose(codebook: Codebook, suggestions: Sequence[Suggestion], problemas: Sequence[str] = ()) -> Proposal:
    """The codebook with every suggestion that can be carried out, in order; the one in force is left as it is."""
    body = {name: _body(variable) for name, variable in codebook.variaveis.items()}
    done: set[tuple[str, str, str]] = set()
    kept: list[Suggestion] = []
    left_out = list(problemas)
    for item in suggestions:
        key = (item.variavel, item.mudanca, item.categoria)
        problem = (
            "a mesma mudança já foi sugerida antes; fica a primeira."
            if key in done and item.mudanca not in _SOMAM
            else _apply(body[item.variavel], item)
        )
        if problem:
            left_out.append(f"{item.onde}: {problem}")
        else:
            done.add(key)
            kept.append(item)
    changed = any(item.mudanca != "meta" for item in kept)
    version = f"{codebook.versao}-sugerido" if changed else codebook.versao
    new = Codebook.model_validate({"titulo": codebook.titulo, "versao": version, "variaveis": body})
    return Proposal(new, kept, left_out)


def _body(variable: Variable) -> dict[str, Any]:
    """A variable as it is written in a codebook.yaml: without what is not said."""
    return copy.deepcopy(variable.model_dump(exclude_defaults=True))


def _apply(variable: dict[str, Any], item: Suggestion) -> str | None:
    """Carry out one suggestion; a sentence where it cannot be."""
    if item.mudanca == "meta":
        return None
    if item.mudanca == "orientacao":
        variable["orientacao"] = item.texto
        return None
    categories: dict[str, Any] = variable.get("categorias", {})
    name = item.categoria
    if item.mudanca == "nova_categoria":
        if not categories:
            return "esta variável é de texto livre e não tem categorias."
        if name in categories:
            return f"a categoria «{name}» já existe."
        if SEPARADOR in name or "\n" in name:
            return f"o nome «{name}» não pode ter «{SEPARADOR}» nem quebra de linha."
        categories[name] = {"definicao": item.texto}
        return None
    if name not in categories:
        return f"não há a categoria «{name}»; {did_you_mean(name, categories)}"
    category = categories[name]
    if item.mudanca == "fundir":
        return _merge(categories, item)
    if item.mudanca == "exemplo":
        category["exemplos"] = [*category.get("exemplos", []), item.texto]
    elif item.mudanca == "exigir_evidencia":
        category["dispensa_evidencia"] = False
    elif item.mudanca == "dispensar_evidencia":
        category["dispensa_evidencia"] = True
    else:
        category[item.mudanca] = item.texto
    return None


def _merge(categories: dict[str, Any], item: Suggestion) -> str | None:
    if item.com not in categories or item.com == item.categoria:
        return f"não há outra categoria «{item.com}» que fundir; {did_you_mean(item.com, categories)}"
    if len(categories) == 2:
        return "só há duas categorias: fundi-las deixaria a pergunta sem escolha."
    del categories[item.com]
    if item.texto:
        categories[item.categoria]["definicao"] = item.texto
    return None
