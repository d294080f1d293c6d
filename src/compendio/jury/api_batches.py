"""Batches of the API: sent once, followed to their end, taken up again after a kill without paying twice.

The ledger knows a batch before the API does (our name), and by the API's name once it was told. A batch
whose name never arrived (a kill, or a cut connection, between sending and hearing) is looked for among the
API's batches of that time and size, by the custom ids in its results, before anything of it is sent again.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from compendio.erros import ErroDeEstudo
from compendio.jury.api_answers import Cashier
from compendio.jury.api_calls import LIMITE, worst_of
from compendio.jury.api_consent import Plan
from compendio.models.anthropic import PASSAGEIRAS, Batch, Connection, Outcome
from compendio.models.ledger import Entry, Ledger

#: Seconds between two looks at a batch under way.
OLHAR_A_CADA = 30.0
#: Seconds after which a batch that the API does not list was never received.
CHEGADA = 600.0
#: Seconds for which the API keeps the results of a batch (29 days).
GUARDA = 29 * 86_400.0
#: The two clocks may differ by this much (seconds): a clock set to another time zone is hours off.
RELOGIOS = 2 * 86_400.0


def send_batch(
    connection: Connection, ledger: Ledger, cashier: Cashier, plan: Plan, contados: Sequence[int],
    tentativas: Mapping[str, int],
) -> dict[str, str | None]:  # fmt: skip
    """Send what fits under the cap as one batch. Request id → failure of those that are not under way now."""
    ours = uuid.uuid4().hex
    ended: dict[str, str | None] = {}
    sent: list[tuple[Entry, Mapping[str, Any]]] = []
    for request, params, worst in zip(plan.pedidos, plan.mensagens, worst_of(plan, contados), strict=True):
        number = tentativas.get(request.id, 0)
        entry = Entry(
            f"{request.id}-{ours[:12]}", request.id, request.tipo, params["model"], number, worst, ours
        )
        if ledger.admit(entry):
            sent.append((entry, params))
        else:
            ended[request.id] = LIMITE
    if not sent:
        return ended
    answer = connection.create_batch([(entry.chamada, params) for entry, params in sent])
    if isinstance(answer, str):
        ledger.name_batch(ours, answer)
        return ended
    if answer.talvez_cobrada:  # it may be there: the next look finds out
        return {**ended, **{entry.pedido: answer.falha for entry, _ in sent}}
    for entry, _ in sent:
        ended[entry.pedido] = cashier.settle(entry.chamada, entry.pedido, entry.pior, answer, em_lote=True)
    return ended


def collect(
    connection: Connection,
    ledger: Ledger,
    cashier: Cashier,
    *,
    esperar: bool,
    dormir: Callable[[float], None] = time.sleep,
    mostrar: Callable[[str], None] = print,
) -> dict[str, str | None]:
    """Take in the results of every batch of ours that is not settled. Request id → how it ended.

    Parameters
    ----------
    esperar
        Wait for batches that are still under way (Ctrl-C loses nothing); else they stay for the next run.

    Raises ErroDeEstudo where the API does not say how a batch stands.
    """
    ended: dict[str, str | None] = {}
    told: set[str] = set()

    def tell(line: str) -> None:
        if line not in told:  # a batch may take a day, and is looked at twice a minute
            mostrar(line)
        told.add(line)

    while True:
        running = 0
        for rows in ledger.open_batches().values():
            name = rows[0]["lote_da_api"] or _find(connection, ledger, rows)
            if name is None:
                running += 1
                tell(
                    "Procuro na API um lote que saiu daqui e cujo nome não voltou (leva uns dez minutos), antes de "
                    "enviar algo de novo."
                )
                continue
            if name == "":
                for row in rows:
                    nothing = Outcome(falha="nao_enviado", detalhe="o lote não chegou à API")
                    ended[row["pedido"]] = _settle(cashier, row, nothing)
                continue
            batch = connection.batch(name)
            if isinstance(batch, Outcome):
                _check_reached(name, batch)
                if time.time() - rows[0]["quando"] > GUARDA:
                    ended |= _gone(cashier, rows)
                else:  # a key of another workspace does not see it; its answers are not given up
                    tell(
                        f"Lote {name}: a API não o conhece por esta chave. Se a chave mudou, use a do envio; os "
                        f"pedidos dele ({len(rows)}) não são enviados de novo por 29 dias, e podem ser respondidos "
                        "por arquivo."
                    )
            elif batch.arquivado:
                ended |= _gone(cashier, rows)
            elif batch.acabou:
                ended |= _take(connection, cashier, name, rows)
            else:
                running += 1
                tell(f"Lote {name}: em andamento, {batch.pedidos} pedidos.")
        if not running or not esperar:
            return ended
        dormir(OLHAR_A_CADA)


def _take(
    connection: Connection, cashier: Cashier, name: str, rows: Sequence[Mapping[str, Any]]
) -> dict[str, str | None]:
    """Settle what the results say; a stream that is cut leaves the rest for the next look."""
    ended: dict[str, str | None] = {}
    mine = {row["chamada"]: row for row in rows}
    for line in connection.results(name):
        if isinstance(line, Outcome):
            raise ErroDeEstudo(
                f"A leitura do lote {name} foi cortada ({line.falha}: {line.detalhe}); o que chegou está guardado. "
                "O mesmo comando lê o resto, sem pagar de novo."
            )
        custom, outcome = line
        if custom in mine:
            row = mine.pop(custom)
            ended[row["pedido"]] = _settle(cashier, row, outcome)
    for (
        row
    ) in mine.values():  # the API names every request of a batch; one it does not name may have been paid
        lost = Outcome(falha="sem_resposta", detalhe="o lote acabou sem este pedido", talvez_cobrada=True)
        ended[row["pedido"]] = _settle(cashier, row, lost)
    return ended


def _find(connection: Connection, ledger: Ledger, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """The API's name of a batch that we sent and never heard of; "" where it never arrived, None if unclear yet."""
    known = {row["lote_da_api"] for row in ledger.rows("lote_da_api IS NOT NULL")}
    listed = connection.batches(min(row["quando"] for row in rows) - RELOGIOS)
    if isinstance(listed, Outcome):
        raise ErroDeEstudo(
            f"A API não disse que lotes há ({listed.falha}: {listed.detalhe}); nada foi enviado de novo. Rode mais "
            "tarde: o lote que ficou pelo caminho é procurado antes."
        )
    calls = {row["chamada"] for row in rows}
    unclear = False
    for batch in listed:
        if batch.id in known or batch.pedidos != len(rows):
            continue
        if not batch.acabou:
            unclear = True
        elif batch.arquivado or _holds(connection, batch, calls):  # nobody can tell of an archived one
            ledger.name_batch(rows[0]["lote"], batch.id)
            return batch.id
    # Either way: the clock may have been set back since.
    fresh = abs(time.time() - max(row["quando"] for row in rows)) < CHEGADA
    return None if unclear or fresh else ""


def _holds(connection: Connection, batch: Batch, calls: set[str]) -> bool:
    for line in connection.results(batch.id):
        if isinstance(line, Outcome):
            raise ErroDeEstudo(
                f"A leitura do lote {batch.id} foi cortada ({line.falha}); rode de novo: nada foi pago outra vez."
            )
        return line[0] in calls
    return False


def _check_reached(name: str, outcome: Outcome) -> None:
    """Raise ErroDeEstudo unless the API said that it does not know the batch (HTTP 404)."""
    if outcome.falha != "modelo_desconhecido":
        later = "mais tarde" if outcome.falha in PASSAGEIRAS else "depois de conferir a chave"
        raise ErroDeEstudo(
            f"A API não disse como está o lote {name} ({outcome.falha}: {outcome.detalhe}); rode de novo {later}: o "
            "lote continua lá, e nada se paga outra vez."
        )


def _gone(cashier: Cashier, rows: Sequence[Mapping[str, Any]]) -> dict[str, str | None]:
    """Settle a batch whose results the API keeps no longer: it may have been paid."""
    gone = Outcome(falha="lote_expirado", detalhe="a API não tem mais o lote", talvez_cobrada=True)
    return {row["pedido"]: _settle(cashier, row, gone) for row in rows}


def _settle(cashier: Cashier, row: Mapping[str, Any], outcome: Outcome) -> str | None:
    return cashier.settle(row["chamada"], row["pedido"], Decimal(row["pior"]), outcome, em_lote=True)
