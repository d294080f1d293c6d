"""The ledger, and the cap that no run passes: whatever the prices, sizes, concurrency, retries and cuts."""

from __future__ import annotations

import datetime
import random
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compendio.erros import ErroDeEstudo
from compendio.jury import api_calls
from compendio.jury.api_answers import Cashier
from compendio.jury.api_batches import collect, send_batch
from compendio.jury.api_calls import ask_each
from compendio.jury.api_consent import Plan
from compendio.models.anthropic import Batch, Outcome
from compendio.models.billing import Usage, cost, prompt_bound, worst_case
from compendio.models.ledger import Entry, Ledger
from compendio.settings import Prices


def entry(name: str, worst: str, lote: str | None = None) -> Entry:
    return Entry(name, f"p-{name}", "supervisor", "m", 0, Decimal(worst), lote)


def test_a_call_is_admitted_only_if_its_worst_case_fits_beside_spent_and_pending() -> None:
    with Ledger(":memory:", Decimal("1.00"), "USD") as book:
        assert book.admit(entry("a", "0.60"))
        assert not book.admit(entry("b", "0.41"))  # .60 + .41 > 1
        assert book.admit(entry("c", "0.40"))  # exactly the cap
        assert (book.spent(), book.pending()) == (Decimal(0), Decimal("1.00"))
        book.settle("a", Decimal("0.10"), conteudo="{}")  # .90 may still be spent, .40 of it pending
        assert book.admit(entry("d", "0.50")) and not book.admit(entry("e", "0.01"))
        assert (book.spent(), book.pending()) == (Decimal("0.10"), Decimal("0.90"))


def test_a_settled_call_stays_as_it_is() -> None:
    with Ledger(":memory:", Decimal(1), "USD") as book:
        book.admit(entry("a", "0.5"))
        book.settle("a", Decimal("0.2"), conteudo="primeira")
        book.settle("a", Decimal("0.0"), falha="sem_resposta")
        (row,) = book.rows()
        assert (row["gasto"], row["conteudo"], row["falha"]) == ("0.2", "primeira", None)


def test_what_was_spent_and_what_may_have_been_outlive_the_process(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with Ledger(path, Decimal(1), "USD") as book:
        book.admit(entry("a", "0.5"))
        book.settle("a", Decimal("0.2"))
        book.admit(entry("b", "0.5"))  # never settled
    with Ledger(path, Decimal(1), "USD") as book:
        assert (book.spent(), book.pending()) == (Decimal("0.2"), Decimal("0.5"))
        assert not book.admit(entry("c", "0.4"))


def test_two_processes_cannot_both_take_the_last_of_the_money(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    books = [Ledger(path, Decimal(10), "USD") for _ in range(4)]  # a connection each, as processes have
    taken: list[str] = []

    def take(number: int) -> None:
        for k in range(10):
            if books[number].admit(entry(f"{number}-{k}", "1")):
                taken.append(f"{number}-{k}")

    threads = [threading.Thread(target=take, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 10 and books[0].pending() == 10
    for book in books:
        book.close()


def test_another_currency_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with Ledger(path, Decimal(1), "USD") as book:
        book.admit(entry("a", "0.5"))
    with pytest.raises(ErroDeEstudo, match=r"já gastou está em USD, e supervisor\.precos está em BRL"):
        Ledger(path, Decimal(1), "BRL")


def test_a_file_that_is_no_database_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"isto nao e um banco de dados, e tem mais de dezesseis bytes" * 20)
    with pytest.raises(ErroDeEstudo, match="não consigo abrir o registro de gastos"):
        Ledger(path, Decimal(1), "USD")


# --- the cap, 1,000 times ---------------------------------------------------------------------------------------


class Morte(BaseException):
    """The process dies here."""


class Service:
    """A service that bills whatever it likes within a call's true bounds, answers, fails, cuts and kills.

    `cobrado` is the truth, kept apart from the ledger; no call may be made that could lift it over the cap.
    """

    def __init__(self, rng: random.Random, precos: Prices, limite: Decimal) -> None:
        self.rng, self.precos, self.limite = rng, precos, limite
        self.cobrado, self.chamadas = Decimal(0), 0
        self.lotes: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self.greedy = rng.random() < 0.5
        self.lock = threading.Lock()

    def _bill(self, params: dict[str, Any], em_lote: bool) -> Usage:
        tokens, out = prompt_bound(params, 0), params["max_tokens"]
        if not self.greedy:
            tokens, out = self.rng.randint(1, tokens), self.rng.randint(0, out)
        write = self.rng.randint(0, tokens)
        read = self.rng.randint(0, tokens - write)
        uso = Usage(tokens - write - read, write, read, out)
        self.cobrado += cost(self.precos, uso, em_lote)
        assert self.cobrado <= self.limite
        return uso

    def ask(self, params: dict[str, Any]) -> Outcome:
        with self.lock:
            self.chamadas += 1
            draw = self.rng.random()
            if draw < 0.55:
                return Outcome(conteudo="{}", uso=self._bill(params, False))
            if draw < 0.65:  # paid and useless
                return Outcome(falha="limite_de_tokens", uso=self._bill(params, False))
            if draw < 0.80:  # refused, not paid
                return Outcome(falha="limite_de_uso", espera=0.0)
            if draw < 0.90:  # paid, and nobody heard
                self._bill(params, False)
                return Outcome(falha="tempo_esgotado", talvez_cobrada=True)
            if draw < 0.97:  # not paid, and nobody heard
                return Outcome(falha="sem_resposta", talvez_cobrada=True)
            if draw < 0.98:
                return Outcome(falha="sem_saldo")
            self._bill(params, False)
            raise Morte

    def create_batch(self, requests: list[tuple[str, dict[str, Any]]]) -> str | Outcome:
        if self.rng.random() < 0.2:
            return Outcome(falha="sobrecarga")
        ident = f"l{len(self.lotes)}"
        self.lotes[ident] = list(requests)
        return ident

    def batch(self, ident: str) -> Batch:
        return Batch(ident, True, len(self.lotes[ident]), datetime.datetime.now(datetime.UTC))

    def results(self, ident: str) -> Iterator[tuple[str, Outcome] | Outcome]:
        for name, params in self.lotes[ident]:
            draw = self.rng.random()
            if draw < 0.2:
                yield name, Outcome(falha="lote_expirado")
            elif draw < 0.9:
                yield name, Outcome(conteudo="{}", uso=self._bill(params, True))
            else:  # billed, and left out of the results
                self._bill(params, True)


def one_run(seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Service, Ledger]:
    """Up to four runs of one study, one after the other, under one cap."""
    rng = random.Random(seed)

    def money(low: float, high: float) -> Decimal:
        return Decimal(str(round(rng.uniform(low, high), rng.choice([0, 2, 9])) or low))

    precos = Prices(
        entrada=money(0.01, 20), saida=money(0.01, 90), moeda="USD", data=datetime.date(2026, 11, 1),
        cache_escrita=money(0.01, 30) if rng.random() < 0.5 else None,
        cache_leitura=money(0.01, 3) if rng.random() < 0.5 else None,
        fator_lote=Decimal("0.5") if rng.random() < 0.5 else None,
    )  # fmt: skip
    messages = [
        {
            "model": "m",
            "max_tokens": rng.choice([64, 300, 4096]),
            "system": [{"type": "text", "text": "ã" * rng.randint(0, 3000)}],
            "messages": [{"role": "user", "content": "x" * rng.randint(0, 6000)}],
        }
        for _ in range(rng.randint(1, 12))
    ]
    everything = sum(worst_case(precos, prompt_bound(m, 0), m["max_tokens"]) for m in messages)
    limite = everything * Decimal(rng.choice(["0", "0.05", "0.3", "0.7", "1", "3"])) + Decimal("0.000001")
    monkeypatch.setattr(api_calls, "AO_MESMO_TEMPO", rng.randint(1, 6))
    service: Any = Service(rng, precos, limite)
    book = Ledger(":memory:", limite, "USD")
    study: Any = SimpleNamespace(supervisor=SimpleNamespace(precos=precos))
    cashier = Cashier(study, book, [])
    for _ in range(rng.randint(1, 4)):
        requests: list[Any] = [SimpleNamespace(id=f"r{k}", tipo="supervisor") for k in range(len(messages))]
        em_lote = rng.random() < 0.3
        plan = Plan(requests, messages, precos, em_lote)
        counted = [0] * len(messages)
        try:
            if em_lote:
                send_batch(service, book, cashier, plan, counted, {})
                collect(service, book, cashier, esperar=False, mostrar=lambda text: None)
            else:
                ask_each(service, book, cashier, plan, counted, {}, dormir=lambda s: None)
        except Morte:
            pass  # the next run goes on with the same ledger
        # Never a cent over: not what was billed, and not what the ledger says may have been.
        assert service.cobrado <= book.spent() + book.pending() <= limite
    return service, book


@pytest.mark.lento
def test_the_cap_is_never_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = full = 0
    for seed in range(1000):
        service, book = one_run(seed, monkeypatch)
        calls += service.chamadas
        full += service.cobrado > service.limite / 2
        book.close()
    # The runs did spend: a cap that admits nothing would pass as well.
    assert calls > 5000 and full > 100
