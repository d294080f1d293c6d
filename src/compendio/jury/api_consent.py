"""Before anything leaves the machine: what would be sent, to whom, at what price; and the two consents.

Nothing here makes a client or opens a socket. Source: decision record of the jury, decision 7.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from compendio.erros import ErroDeEstudo
from compendio.jury.api_request import api_instructions, message_params
from compendio.jury.batches import PREFIXOS, Request, Tipo
from compendio.models.anthropic import host
from compendio.models.billing import (
    CARACTERES_POR_TOKEN,
    Usage,
    cost,
    prompt_bound,
    shown_money,
    uses_cache,
    worst_case,
)
from compendio.settings import Prices
from compendio.study import Study

#: Tokens of an answer: fewest and usual. An assumption, told beside the estimate.
RESPOSTA_MINIMA, RESPOSTA_USUAL = 60, 150
#: Days after which prices are told to be old.
PRECOS_VELHOS = 90
#: What to type to confirm.
PALAVRA = "ENVIAR"


@dataclass(frozen=True)
class Plan:
    """What would be sent.

    Attributes
    ----------
    pedidos, mensagens
        The requests without a good answer, and the parameters of each one's message.
    em_lote
        They would go as a batch.
    """

    pedidos: list[Request]
    mensagens: list[dict[str, Any]]
    precos: Prices
    em_lote: bool

    @property
    def caracteres(self) -> int:
        """Characters of all messages, instructions included."""
        return sum(len(m["system"][0]["text"]) + len(m["messages"][0]["content"]) for m in self.mensagens)

    def estimate(self, tokens: Decimal, resposta: int, do_cache: bool = False) -> Decimal:
        """What all messages cost with this many prompt tokens in all, and answers of `resposta` tokens.

        `do_cache` supposes that every message reads its instructions from the API's cache, where the study
        uses it: the least they can cost.
        """
        read = 0
        if do_cache and uses_cache(self.precos):
            instructions = sum(len(m["system"][0]["text"]) for m in self.mensagens)
            read = int(tokens * instructions / max(self.caracteres, 1))
        uso = Usage(entrada=int(tokens) - read, cache_leitura=read, saida=resposta * len(self.pedidos))
        return cost(self.precos, uso, self.em_lote)

    def worst(self, contados: Sequence[int] | None = None) -> Decimal:
        """The sum of the calls' worst cases: what the cap is held against."""
        counted = contados or [0] * len(self.mensagens)
        cases = (
            worst_case(self.precos, prompt_bound(m, n), m["max_tokens"], self.em_lote)
            for m, n in zip(self.mensagens, counted, strict=True)
        )
        return sum(cases, Decimal(0))


def check_api_settings(study: Study) -> None:
    """Raise ErroDeEstudo for whatever estudo.yaml lacks for the API mode, all at once."""
    s, where = study.supervisor, study.pasta / "estudo.yaml"
    if s.modo != "api":
        raise ErroDeEstudo(
            f"{where}: supervisor.modo é «{s.modo}»; para usar a API, escreva modo: api (e modelo, precos, "
            "limite_gasto e enviar_textos), ou siga por arquivos com make supervisor-pedidos."
        )
    problems = []
    for key, missing in (("modelo", not s.modelo), ("familia", not s.familia)):
        if missing:
            problems.append(f"{where}: falta supervisor.{key}, que o modo api exige.")
    if s.precos is None:
        problems.append(
            f"{where}: falta supervisor.precos (entrada, saida, moeda, data); sem preço conhecido nada é enviado. "
            "Consulte a página de preços do serviço e escreva o dia em que olhou."
        )
    else:
        for name in ("entrada", "saida"):
            if not getattr(s.precos, name):
                problems.append(
                    f"{where}: supervisor.precos.{name} é zero; um preço zero deixaria o limite sem efeito. "
                    "Escreva o preço por milhão de tokens."
                )
        if s.precos.data > datetime.date.today():
            problems.append(
                f"{where}: supervisor.precos.data ({s.precos.data:%d/%m/%Y}) está no futuro; corrija-a."
            )
    if not s.limite_gasto:
        problems.append(
            f"{where}: falta supervisor.limite_gasto maior que zero, o máximo a gastar neste estudo, na moeda dos "
            "preços."
        )
    if not study.textos:
        problems.append(
            f"{where}: este estudo não traz os textos, e um modelo por API não teria o que ler; responda por arquivos "
            "(modo: arquivos), com os documentos à mão."
        )
    if problems:
        raise ErroDeEstudo(problems)


def make_plan(study: Study, abertos: Sequence[Request], em_lote: bool) -> Plan:
    """The messages of the open requests, those of one kind and one schema together (the API's cache)."""
    assert study.supervisor.precos is not None
    order = {tipo: k for k, tipo in enumerate(PREFIXOS)}
    variables = study.codebook.variaveis
    requests = sorted(abertos, key=lambda r: (order[r.tipo], r.varias, len(r.candidatos)))
    texts: dict[Tipo, str] = {}
    for tipo in PREFIXOS:
        names = {request.variavel for request in requests if request.tipo == tipo}
        texts[tipo] = api_instructions(
            tipo,
            [v for v in variables.values() if v.nome in names],
            dispensada=study.evidencia == "dispensada",
            textos=study.textos,
            aviso=study.aviso,
        )
    messages = [
        message_params(request, variables[request.variavel], texts[request.tipo], study.supervisor)
        for request in requests
    ]
    return Plan(requests, messages, study.supervisor.precos, em_lote)


def describe(plan: Plan, study: Study, gasto: Decimal, pendente: Decimal) -> str:
    """What would be sent, to whom, the estimate with its error, and the cap (Portuguese)."""
    s, precos = study.supervisor, plan.precos
    assert s.limite_gasto is not None
    kinds = {tipo: sum(r.tipo == tipo for r in plan.pedidos) for tipo in PREFIXOS}
    few, usual, many = (Decimal(plan.caracteres) / c for c in reversed(CARACTERES_POR_TOKEN))
    low, mid = plan.estimate(few, RESPOSTA_MINIMA, do_cache=True), plan.estimate(usual, RESPOSTA_USUAL)
    high = plan.estimate(many, s.max_tokens)
    age = (datetime.date.today() - precos.data).days
    money = precos.moeda
    lines = [
        f"Supervisor por API: {_count(len(plan.pedidos), 'pedido')} ({kinds['supervisor']} do supervisor, "
        f"{kinds['auditoria']} da auditoria), sobre {_count(len({r.documento for r in plan.pedidos}), 'texto')}; "
        f"{_thousands(plan.caracteres)} caracteres ao todo, instruções incluídas.",
        f"Para quem: {host()}, modelo {s.modelo}{', em lote' if plan.em_lote else ''}.",
        f"Preços de {precos.data:%d/%m/%Y}: {money} {_plain(precos.entrada)} por milhão de tokens de entrada, "
        f"{money} {_plain(precos.saida)} de saída."
        + (f" Foram vistos há {age} dias: confira se ainda valem." if age > PRECOS_VELHOS else ""),
        f"Estimativa pelos caracteres: {shown_money(mid, money)} (entre {shown_money(low, money)} e "
        f"{shown_money(high, money)}). Supõe 3 caracteres por token (em português, de 2 a 4,5) e respostas de "
        f"{RESPOSTA_USUAL} tokens (de {RESPOSTA_MINIMA} a {s.max_tokens}); depois da confirmação, a API conta.",
        f"Limite do estudo: {shown_money(s.limite_gasto, money)}; já gasto: {shown_money(gasto, money)}"
        + (f"; talvez gasto, sem conta recebida: {shown_money(pendente, money)}" if pendente else "")
        + f"; resta: {shown_money(max(s.limite_gasto - gasto - pendente, Decimal(0)), money)}.",
    ]
    if plan.em_lote and precos.fator_lote is None:
        lines.append("Sem supervisor.precos.fator_lote, o lote é contado pelo preço cheio.")
    if high > s.limite_gasto - gasto - pendente:
        lines.append(
            "O que não couber no limite não é enviado: fica para outra vez, ou para os lotes em arquivo."
        )
    return "\n".join(lines)


def consent(study: Study, confirmar_envio: bool, perguntar: Callable[[str], str] | None) -> str | None:
    """Why nothing may be sent (Portuguese), or None where both consents are there.

    Parameters
    ----------
    confirmar_envio
        The confirmation of this run.
    perguntar
        How to ask for it where it was not given (see `asker`); None where nobody can be asked.
    """
    if not study.supervisor.enviar_textos:
        return (
            f"Nada foi enviado: falta a primeira autorização. Se os textos podem sair deste computador, escreva "
            f"enviar_textos: true em supervisor, em {study.pasta / 'estudo.yaml'}."
        )
    if confirmar_envio is True:
        return None
    if perguntar is not None:
        try:
            answer = perguntar(
                f"Os textos sairão deste computador, para {host()}. Digite {PALAVRA} para enviar: "
            )
        except EOFError:  # Ctrl-D, or nobody there after all
            answer = ""
        if answer.strip() == PALAVRA:
            return None
        return "Nada foi enviado: a confirmação não veio."
    return (
        "Nada foi enviado: falta a confirmação desta execução (parâmetro confirmar_envio = True no notebook; "
        "no terminal, make supervisor-api CONFIRMAR_ENVIO=sim)."
    )


def asker() -> Callable[[str], str] | None:
    """How to ask the person in front of the screen: in JupyterLab or a terminal; None under papermill and Make."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell else None
    kernel = getattr(running, "kernel", None)
    if kernel is not None:
        return input if getattr(kernel, "_allow_stdin", False) else None
    return input if sys.stdin is not None and sys.stdin.isatty() else None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _thousands(number: int) -> str:
    return f"{number:,}".replace(",", ".")


def _plain(price: Decimal) -> str:
    return f"{price:f}".replace(".", ",")
