"""The messages of a plan, some at a time: each one admitted by the ledger before it is sent."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

from tqdm.auto import tqdm

from compendio.erros import ErroDeEstudo
from compendio.jury.api_answers import Cashier
from compendio.jury.api_consent import Plan
from compendio.jury.batches import Request
from compendio.models.anthropic import FATAIS, PASSAGEIRAS, Connection, Outcome
from compendio.models.billing import prompt_bound, worst_case
from compendio.models.ledger import Entry, Ledger

#: Messages under way at a time.
AO_MESMO_TEMPO = 4
#: Seconds before each new try after a passing failure, where the server asks for nothing else.
ESPERAS = (1.0, 4.0, 15.0)
ESPERA_MAXIMA = 120.0
#: The call was not made: it did not fit under the cap, or the run had stopped before it.
LIMITE, PARADA = "limite_gasto", "parada"


class Gate:
    """Admits calls one at a time; where one does not fit beside those in flight, it waits for them first."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self._flying = ledger, 0
        self._changed = threading.Condition()
        self.parar = False

    def enter(self, entry: Entry) -> bool:
        """Whether the call may be made; False stands for good (nothing in flight can give money back)."""
        with self._changed:
            while not self.parar:
                if self._ledger.admit(entry):
                    self._flying += 1
                    return True
                if not self._flying:
                    return False
                self._changed.wait()
            return False

    def leave(self) -> None:
        """A call came back, and was settled."""
        with self._changed:
            self._flying -= 1
            self._changed.notify_all()

    def stop(self) -> None:
        """No further call is admitted."""
        with self._changed:
            self.parar = True
            self._changed.notify_all()


def count_tokens(
    connection: Connection, plan: Plan, dormir: Callable[[float], None] = time.sleep
) -> list[int]:
    """Prompt tokens of each message as the API counts them (nothing is paid for that).

    Raises ErroDeEstudo, naming the failure, where the API does not count: without a count nothing is sent.
    """

    def one(params: dict[str, Any]) -> int | Outcome:
        for pause in (*ESPERAS, None):
            counted = connection.count(params)
            if isinstance(counted, int) or counted.falha not in PASSAGEIRAS or pause is None:
                return counted
            dormir(_pause(counted, pause))
        raise AssertionError("unreachable")

    counts: list[int] = []
    with ThreadPoolExecutor(AO_MESMO_TEMPO) as pool:
        results = pool.map(one, plan.mensagens)
        for counted in tqdm(results, total=len(plan.mensagens), desc="contagem de tokens", unit="pedido"):
            if isinstance(counted, Outcome):
                pool.shutdown(cancel_futures=True)
                raise ErroDeEstudo(
                    f"A contagem de tokens falhou ({counted.falha}: {counted.detalhe}); nada foi pago. Confira a "
                    "chave, o nome do modelo e a conexão, e rode de novo."
                )
            counts.append(counted)
    return counts


def ask_each(
    connection: Connection,
    ledger: Ledger,
    cashier: Cashier,
    plan: Plan,
    contados: Sequence[int],
    tentativas: dict[str, int],
    dormir: Callable[[float], None] = time.sleep,
) -> dict[str, str | None]:
    """Request id → how it ended: None for a good answer, else the failure's name, `limite_gasto` or `parada`.

    Ctrl-C lets the calls in flight come back and be kept, and sends no more.
    """
    gate = Gate(ledger)

    def one(job: tuple[Request, dict[str, Any], int]) -> tuple[str, str | None]:
        request, params, counted = job
        bound = prompt_bound(params, counted)
        worst = worst_case(plan.precos, bound, params["max_tokens"])
        falha: str | None = PARADA
        for k, pause in enumerate((*ESPERAS, None)):
            if gate.parar:
                return request.id, falha
            number = tentativas.get(request.id, 0) + k
            entry = Entry(uuid.uuid4().hex, request.id, request.tipo, params["model"], number, worst)
            if not gate.enter(entry):
                return request.id, PARADA if gate.parar else LIMITE
            try:
                outcome = connection.ask(params)
                falha = cashier.settle(entry.chamada, request.id, worst, outcome, em_lote=False)
            finally:
                gate.leave()
            if falha in FATAIS:
                gate.stop()
            if falha not in PASSAGEIRAS or pause is None:
                return request.id, falha
            dormir(_pause(outcome, pause))
        raise AssertionError("unreachable")

    ended: dict[str, str | None] = {}
    jobs = list(zip(plan.pedidos, plan.mensagens, contados, strict=True))
    with ThreadPoolExecutor(AO_MESMO_TEMPO) as pool:
        try:
            for ident, falha in tqdm(pool.map(one, jobs), total=len(jobs), desc="supervisor", unit="pedido"):
                ended[ident] = falha
        except BaseException:
            gate.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return ended


def _pause(outcome: Outcome, usual: float) -> float:
    return min(usual if outcome.espera is None else outcome.espera, ESPERA_MAXIMA)


def worst_of(plan: Plan, contados: Sequence[int]) -> list[Decimal]:
    """The worst case of each message of the plan."""
    return [
        worst_case(plan.precos, prompt_bound(m, n), m["max_tokens"], plan.em_lote)
        for m, n in zip(plan.mensagens, contados, strict=True)
    ]
