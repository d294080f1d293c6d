"""Is everything there? The checks before a long run, and those for a newcomer (`make verificar`)."""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from compendio.erros import ErroDeEstudo
from compendio.models.answers import max_context
from compendio.models.base import Call
from compendio.models.limits import characters
from compendio.models.server import Installed, Server
from compendio.models.store import Store

#: First Ollama that takes a JSON schema as the format of an answer.
VERSAO_MINIMA = (0, 5, 0)
#: Characters a token: no text of a language that the models know has more, nor commonly fewer.
FOLGADO, APERTADO = 6.0, 2.5
GIGA = 1e9
#: Bytes kept for the operating system and for the context, beside the weights.
SISTEMA, CONTEXTO = 2 * GIGA, 1 * GIGA
DISCO = 2 * GIGA


class Item(NamedTuple):
    """One line of `make verificar`: is it there, what was seen, and how to mend it ("" when it is there)."""

    ok: bool
    texto: str
    como_consertar: str = ""


class _Member(Protocol):
    @property
    def modelo(self) -> str: ...


class _Study(Protocol):
    """What is needed of a study here."""

    @property
    def nome(self) -> str: ...
    @property
    def pasta(self) -> Path: ...
    @property
    def membros(self) -> Sequence[_Member]: ...
    @property
    def avisos(self) -> Sequence[str]: ...


def check_server(host: str | None = None) -> str:
    """A sentence with version and address; ErroDeEstudo when the server is silent or too old."""
    server = Server(host)
    version = server.version()
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    # A server built from source calls itself 0.0.0: it is not called old.
    if (0, 0, 0) < numbers < VERSAO_MINIMA:
        raise ErroDeEstudo(
            f"O Ollama em {server.url} é a versão {version}, que não aceita um esquema JSON; instale a "
            f"{'.'.join(map(str, VERSAO_MINIMA))} ou mais nova (https://ollama.com/download)."
        )
    return f"Ollama {version} em {server.url}"


def check_models(
    modelos: Sequence[str], host: str | None = None, pensar: bool | None = None
) -> dict[str, Installed]:
    """The models by name; ErroDeEstudo for those that are missing or cannot think as asked."""
    server = Server(host)
    found = server.require(modelos)
    if pensar:
        mute = [name for name in found if "thinking" not in server.capabilities(name)]
        if mute:
            raise ErroDeEstudo(
                [
                    f"estudo.yaml, pensar: o modelo «{name}» não sabe pensar; tire a chave ou mude o modelo."
                    for name in mute
                ]
            )
    return found


def check_prompts(calls: Sequence[Call], store: Store | None = None, digest: str | None = None) -> str:
    """A sentence on whether the longest prompt fits `num_ctx`.

    Tokens are estimated from characters: at the rate that the server counted for this model, where the
    store holds replies of it, else between FOLGADO and APERTADO characters a token.

    Raises
    ------
    ErroDeEstudo
        When the longest prompt cannot fit.
    """
    limited = [call for call in calls if max_context(call.options) is not None]
    if not limited:
        return "O tamanho dos textos não foi conferido: as opções não trazem num_ctx."
    longest = max(limited, key=lambda call: characters(call.messages))
    size, num_ctx = characters(longest.messages), max_context(longest.options) or 0
    rate = _characters_a_token(store, digest) if store is not None and digest is not None else None
    least, most = math.ceil(size / (rate or FOLGADO)), math.ceil(size / (rate or APERTADO))
    answer = int(longest.options.get("num_predict", 0))
    where = f"O texto mais longo ({longest.documento}, {size} caracteres com as instruções)"
    wanted = 1024 * math.ceil((most + answer) / 1024)
    if least >= num_ctx:
        raise ErroDeEstudo(
            f"{where} tem pelo menos {least} tokens e não cabe em num_ctx {num_ctx}; em estudo.yaml, ponha "
            f"opcoes.num_ctx: {wanted}, ou encurte o texto."
        )
    if most + answer > num_ctx:
        return (
            f"{where} tem de {least} a {most} tokens, mais {answer} da resposta: pode não caber em num_ctx "
            f"{num_ctx}. Com opcoes.num_ctx: {wanted} em estudo.yaml cabe com certeza."
        )
    return f"{where} tem no máximo uns {most} tokens, mais {answer} da resposta: cabe em num_ctx {num_ctx}."


def _characters_a_token(store: Store, digest: str) -> float | None:
    """The fewest characters a token that the server counted for this model; None before the first reply."""
    rates = [
        row["prompt_caracteres"] / row["prompt_tokens"]
        for row in store.rows()
        if row["digest"] == digest
        and row.get("prompt_tokens")
        and row.get("prompt_caracteres")
        and row.get("falha") != "texto_truncado"
    ]
    return min(rates, default=None)


def verificar(carregar: Callable[[], _Study], host: str | None = None) -> list[Item]:
    """What is there and what is missing, each with how to mend it. Never raises ErroDeEstudo.

    Parameters
    ----------
    carregar
        Loads the study; its problems become lines of the list.
    """
    items = [_python()]
    try:
        study = carregar()
        items.append(
            Item(True, f"Estudo «{study.nome}»: configuração, livro de códigos e textos sem problemas")
        )
        items += [Item(True, f"  atenção: {remark}") for remark in study.avisos]
    except ErroDeEstudo as error:
        items += [Item(False, "Estudo sem problemas", problem) for problem in error.problemas]
        study = None
    if study is not None and (study.pasta / "respostas.jsonl").exists():
        items.append(Item(True, "Há respostas gravadas: o que elas cobrem roda também sem o Ollama"))
    items += _ollama([] if study is None else [member.modelo for member in study.membros], host)
    return [*items, _disk(Path.cwd() if study is None else study.pasta)]


def _python() -> Item:
    seen = ".".join(map(str, sys.version_info[:3]))
    if (3, 11) <= sys.version_info[:2] < (3, 14):
        return Item(True, f"Python {seen}")
    return Item(False, f"Python {seen}", "instale o Python 3.11, 3.12 ou 3.13 e apague a pasta .venv")


def _ollama(modelos: Sequence[str], host: str | None) -> list[Item]:
    try:
        items = [Item(True, check_server(host))]
        there = Server(host).models()
    except ErroDeEstudo as error:
        absent = "" if shutil.which("ollama") else " Ele não está instalado: https://ollama.com/download."
        memory = total_memory()
        return [
            Item(False, "Ollama", f"{error}{absent}"),
            *([] if memory is None else [Item(True, f"Memória: {_gigabytes(memory)}")]),
        ]
    largest: Installed | None = None
    for name in dict.fromkeys(modelos):
        model = there.get(name) or there.get(f"{name}:latest")
        if model is None:
            items.append(Item(False, f"Modelo {name}", f"ollama pull {name}"))
            continue
        items.append(Item(True, f"Modelo {name} ({_gigabytes(model.tamanho)})"))
        if largest is None or model.tamanho > largest.tamanho:
            largest = model
    return items if largest is None else [*items, _memory(largest, total_memory())]


def _memory(model: Installed, total: float | None) -> Item:
    need = model.tamanho + CONTEXTO + SISTEMA
    if total is None:
        return Item(
            True, f"Memória: não sei quanta há; o maior modelo, {model.nome}, pede {_gigabytes(need)}"
        )
    text = (
        f"Memória: {_gigabytes(total)}; o maior modelo, {model.nome}, pede {_gigabytes(need)} com o sistema"
    )
    return Item(total >= need, text, "" if total >= need else "troque-o, em estudo.yaml, por um modelo menor")


def total_memory() -> float | None:
    """Bytes of this machine's memory; None where the system does not say (Windows)."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _disk(folder: Path) -> Item:
    free = float(shutil.disk_usage(folder).free)
    text = f"Disco: {_gigabytes(free)} livres"
    return Item(
        free >= DISCO, text, "" if free >= DISCO else f"libere espaço: pelo menos {_gigabytes(DISCO)}"
    )


def _gigabytes(size: float) -> str:
    return f"{size / GIGA:.1f} GB".replace(".", ",")
