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
ESPERA_MAXIMA, PEDACO = 120.0, 0.5
#: The call was not made: it did not fit under the cap, or the run had stopped before it.
LIMITE, PARADA = "limite_gasto", "parada"


class Gate:
    """Admits calls one at a time; where one does not fit beside those in flight, it waits for them first."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self.flying = ledger, 0
        self._changed = threading.Condition()
        self.parar = False

    def enter(self, entry: Entry) -> bool:
        """Whether the call may be made; False stands for good (nothing in flight can give money back)."""
        with self._changed:
            while not self.parar:
                if self._ledger.admit(entry):
                    self.flying += 1
                    return True
                if not self.flying:
                    return False
                self._changed.wait()
            return False

    def leave(self) -> None:
        """A call came back, and was settled."""
        with self._changed:
            self.flying -= 1
            self._changed.notify_all()

    def wait_out(self) -> None:
        """Wait for the calls in flight, however often Ctrl-C is pressed: they are paid, and would be lost."""
        while True:
            try:
                with self._changed:
                    self._changed.wait_for(lambda: not self.flying)
                return
            except KeyboardInterrupt:
                continue

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

    stopped = threading.Event()

    def one(params: dict[str, Any]) -> int | Outcome:
        for pause in (*ESPERAS, None):
            counted = connection.count(params)
            if isinstance(counted, int) or counted.falha not in PASSAGEIRAS or pause is None:
                return counted
            _rest(counted, pause, dormir, stopped.is_set)
            if stopped.is_set():
                return counted
        raise AssertionError("unreachable")

    counts: list[int] = []
    with ThreadPoolExecutor(AO_MESMO_TEMPO) as pool:
        try:
            results = pool.map(one, plan.mensagens)
            for counted in tqdm(results, total=len(plan.mensagens), desc="contagem de tokens", unit="pedido"):
                if isinstance(counted, Outcome):
                    asked = plan.pedidos[len(counts)]
                    raise ErroDeEstudo(
                        f"A contagem de tokens falhou em {asked.documento}, {asked.variavel} ({counted.falha}: "
                        f"{counted.detalhe}); nada foi pago. Confira a chave, o nome do modelo e a conexão, e rode de "
                        "novo."
                    )
                counts.append(counted)
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
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

    Ctrl-C lets the calls in flight come back and be kept, says so, and sends no more.
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
            _rest(outcome, pause, dormir, lambda: gate.parar)
        raise AssertionError("unreachable")

    ended: dict[str, str | None] = {}
    jobs = list(zip(plan.pedidos, plan.mensagens, contados, strict=True))
    with ThreadPoolExecutor(AO_MESMO_TEMPO) as pool:
        try:
            for ident, falha in tqdm(pool.map(one, jobs), total=len(jobs), desc="supervisor", unit="pedido"):
                ended[ident] = falha
        except BaseException:
            gate.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            if gate.flying:
                tqdm.write(
                    f"Paro: espero as respostas que já foram pedidas ({gate.flying}), que se pagam; outro Ctrl-C não "
                    "as apressa."
                )
            gate.wait_out()
            raise
    return ended


def _rest(
    outcome: Outcome, usual: float, dormir: Callable[[float], None], stopped: Callable[[], bool]
) -> None:
    """Wait before the next try, in short pieces, so that a run that stops does not sleep on."""
    left = min(usual if outcome.espera is None else outcome.espera, ESPERA_MAXIMA)
    while left > 0 and not stopped():
        dormir(min(left, PEDACO))
        left -= PEDACO


def worst_of(plan: Plan, contados: Sequence[int]) -> list[Decimal]:
    """The worst case of each message of the plan."""
    return [
        worst_case(plan.precos, prompt_bound(m, n), m["max_tokens"], plan.em_lote)
        for m, n in zip(plan.mensagens, contados, strict=True)
    ]
