"""The supervisor and the audit by API: the verb `supervisor-api`, and a cell of notebook 3.

Same requests, same checks and same source `juri-supervisor` as by files; answers land in
`data/<estudo>/supervisor/api.jsonl`. Source: decision record of the jury, decision 7.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal

from compendio.jury.api_answers import ARQUIVO, Cashier, save_answers
from compendio.jury.api_batches import collect, send_batch
from compendio.jury.api_calls import LIMITE, PARADA, ask_each, count_tokens
from compendio.jury.api_consent import RESPOSTA_MINIMA, Plan, check_api_settings, consent, describe, make_plan
from compendio.jury.batches import PREFIXOS, Request
from compendio.jury.supervisor import Supervision, load_supervision
from compendio.models.anthropic import DO_MODELO, Connection, check_extra, connect, host
from compendio.models.billing import shown_money
from compendio.models.ledger import Ledger, alone
from compendio.study import Study

_EM_PORTUGUES = {
    "sem_resposta": "sem resposta (a conexão caiu; conta pelo pior caso)",
    "tempo_esgotado": "tempo esgotado (conta pelo pior caso)",
    "limite_de_uso": "limite de uso do serviço (nada cobrado)",
    "sobrecarga": "serviço sobrecarregado (nada cobrado)",
    "erro_do_servidor": "erro do servidor",
    "chave_recusada": "chave recusada: confira-a, ou faça outra; a execução parou",
    "sem_saldo": "conta sem saldo; a execução parou",
    "modelo_desconhecido": "modelo desconhecido: confira supervisor.modelo; a execução parou",
    "pedido_invalido": "o serviço recusou o pedido",
    "limite_de_tokens": "resposta cortada em max_tokens (paga)",
    "recusa": "o modelo não quis responder (paga)",
    "json_invalido": "a resposta não é o JSON pedido (paga)",
    "resposta_recusada": "a resposta não passou na conferência (paga)",
    "lote_expirado": "o lote expirou antes deste pedido",
    "lote_cancelado": "o lote foi cancelado",
    "nao_enviado": "o lote não chegou ao serviço",
    LIMITE: "não cabe no limite de gasto: não foi enviado",
    PARADA: "não foi enviado: a execução parou antes",
}


def run_api(
    study: Study,
    *,
    confirmar_envio: bool = False,
    em_lote: bool = False,
    repetir_falhas: bool = False,
    perguntar: Callable[[str], str] | None = None,
    mostrar: Callable[[str], None] = print,
    dormir: Callable[[float], None] = time.sleep,
) -> str:
    """Ask the API what supervisor and audit have not answered yet; what happened, as text (Portuguese).

    Without both consents no client is made and nothing is sent: the text says which one is missing.

    Parameters
    ----------
    em_lote
        Send a batch and wait for it, instead of message by message. A batch already under way is followed
        to its end in any case.
    repetir_falhas
        Ask again what the model itself failed at (refused, cut, unusable answers): it is paid again.
    perguntar
        How to ask the person for the confirmation (`api_consent.asker`); None where nobody is there.

    Raises ErroDeEstudo for whatever the study, the SDK or the key lacks, and where the API does not count.
    """
    check_api_settings(study)
    s = study.supervisor
    assert s.precos is not None and s.limite_gasto is not None
    with (
        alone(study.banco.with_suffix(".trava")),
        Ledger(study.banco, s.limite_gasto, s.precos.moeda) as ledger,
    ):
        situation = load_supervision(study)
        cashier = Cashier(study, ledger, [r for tipo in PREFIXOS for r in situation.pedidos[tipo]])
        if save_answers(study, cashier, _missing(situation)):
            situation = load_supervision(study)
        plan = make_plan(study, _open(situation, ledger, cashier, repetir_falhas), em_lote)
        if not plan.pedidos and not ledger.open_batches():
            return "\n".join(["Nada a enviar por API.", *_standing(study, ledger, cashier, situation)])
        check_extra()
        if plan.pedidos and situation.leitura.problemas:
            mostrar(
                f"Atenção: há respostas em data/{study.nome}/supervisor/ que não contam, e o que elas respondiam seria "
                f"perguntado, e pago, de novo; veja antes o que há: make supervisor-ler ESTUDO={study.nome}."
            )
        if plan.pedidos:
            mostrar(describe(plan, study, ledger.spent(), ledger.pending()))
        else:
            mostrar(f"Há um lote a caminho em {host()}; ler o que ele responde não envia textos.")
        why = consent(study, confirmar_envio, perguntar)
        if why:
            return why
        connection = connect(study.tempo_limite)
        try:
            ended = _ask(connection, study, ledger, plan, cashier, mostrar, dormir)
        finally:
            connection.close()
            save_answers(study, cashier, _missing(situation))
        situation = load_supervision(study)
        return "\n".join([*_told(ended), *_standing(study, ledger, cashier, situation)])


def _ask(
    connection: Connection, study: Study, ledger: Ledger, plan: Plan, cashier: Cashier,
    mostrar: Callable[[str], None], dormir: Callable[[float], None],
) -> dict[str, str | None]:  # fmt: skip
    ended = collect(connection, ledger, cashier, esperar=True, dormir=dormir, mostrar=mostrar)
    if not plan.pedidos:
        return ended
    counted = count_tokens(connection, plan, dormir)
    mostrar(_counted(plan, counted, study, ledger))
    tried = Counter(row["pedido"] for row in ledger.rows())
    if plan.em_lote:
        ended |= send_batch(connection, ledger, cashier, plan, counted, tried)
        return ended | collect(connection, ledger, cashier, esperar=True, dormir=dormir, mostrar=mostrar)
    return ended | ask_each(connection, ledger, cashier, plan, counted, dict(tried), dormir)


def _missing(situation: Supervision) -> list[str]:
    return [request.id for tipo in PREFIXOS for request in situation.missing(tipo)]


def _open(situation: Supervision, ledger: Ledger, cashier: Cashier, repetir_falhas: bool) -> list[Request]:
    """What to send: without a good answer, not under way, not paid, and not failed by the model itself before."""
    under_way = {row["pedido"] for rows in ledger.open_batches().values() for row in rows}
    marks = ", ".join("?" * len(DO_MODELO))
    failed = {row["pedido"] for row in ledger.rows(f"falha IN ({marks})", DO_MODELO)}
    left = under_way | set(cashier.paid(_missing(situation)))
    if not repetir_falhas:
        left |= failed
    return [r for tipo in PREFIXOS for r in situation.missing(tipo) if r.id not in left]


def _counted(plan: Plan, counted: Sequence[int], study: Study, ledger: Ledger) -> str:
    """The estimate again, from the API's own counts, right before the first paid call."""
    limite = study.supervisor.limite_gasto
    assert limite is not None
    tokens, money = Decimal(sum(counted)), plan.precos.moeda
    low = plan.estimate(tokens, RESPOSTA_MINIMA, do_cache=True)
    high = plan.estimate(tokens, study.supervisor.max_tokens)
    left = limite - ledger.spent() - ledger.pending()
    line = (
        f"Contados pela API: {sum(counted)} tokens de entrada. Custo entre {shown_money(low, money)} e "
        f"{shown_money(high, money)}; resta do limite: {shown_money(max(left, Decimal(0)), money)}."
    )
    if plan.worst(counted) > left:
        line += " O pior caso de todos os pedidos não cabe no que resta: para-se antes de passar do limite."
    return line


def _told(ended: dict[str, str | None]) -> list[str]:
    good = sum(falha is None for falha in ended.values())
    lines = [f"Respostas boas nesta execução: {good} de {len(ended)}."]
    failures = Counter(falha for falha in ended.values() if falha is not None)
    lines += [f"- {n} × {falha}: {_EM_PORTUGUES.get(falha, falha)}" for falha, n in failures.most_common()]
    return lines


def _standing(study: Study, ledger: Ledger, cashier: Cashier, situation: Supervision) -> list[str]:
    """Money and answers as they stand, and what to do next."""
    s = study.supervisor
    assert s.precos is not None and s.limite_gasto is not None
    money, pending = s.precos.moeda, ledger.pending()
    lines = [
        f"Gasto até agora: {shown_money(ledger.spent(), money)} de {shown_money(s.limite_gasto, money)}"
        + (f"; talvez gasto, sem conta recebida: {shown_money(pending, money)}." if pending else ".")
    ]
    useless = len(cashier.paid(_missing(situation)))
    if useless:
        lines.append(
            f"De respostas já pagas, {useless} não contam, porque outra linha as contradiz: make "
            f"supervisor-ler ESTUDO={study.nome} diz onde. Não são pagas de novo."
        )
    missing = {tipo: len(situation.missing(tipo)) for tipo in PREFIXOS}
    if any(missing.values()):
        lines.append(
            f"Respostas que faltam: {missing['supervisor']} do supervisor, {missing['auditoria']} da auditoria. Rode "
            "de novo (as que o próprio modelo errou, só com repetir_falhas), ou responda por arquivo, com make "
            f"supervisor-pedidos ESTUDO={study.nome}."
        )
    else:
        lines.append(f"Nada falta; as respostas estão em data/{study.nome}/supervisor/ ({ARQUIVO}).")
    return lines
