"""Attacks on the API mode: where texts and key might go, and bills that are none."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from api_study import answer, api_study, billed, rows, run, spent, verb
from servidor_anthropic import CHAVE, ServidorAnthropic, servindo

from compendio.erros import ErroDeEstudo
from compendio.jury import api_calls
from compendio.jury.api_run import run_api
from compendio.models import anthropic as paid
from compendio.models.ledger import Ledger
from compendio.study import Study


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    return api_study(tmp_path, monkeypatch)


# --- where texts and key go ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "http://fulano:senha-7f3@127.0.0.1:9",
        "https://api.anthropic.com@127.0.0.1:9",
        "https://api.anthropic.com\\@127.0.0.1:9",
        "127.0.0.1:9",
        "localhost:9/senha-7f3",
        "ftp://127.0.0.1",
        "http://",
        "http://[::1",
        "http://127.0.0.1:9/?token=senha-7f3",
        "http://127.0.0.1:9\nsenha-7f3",
    ],
)
def test_an_address_that_is_none_is_refused_and_not_repeated(
    study: Study, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    shown: list[str] = []
    with pytest.raises(ErroDeEstudo, match="ANTHROPIC_BASE_URL não traz um endereço que sirva") as caught:
        run_api(study, confirmar_envio=True, mostrar=shown.append)
    assert shown == [] and "7f3" not in str(caught.value) and len(caught.value.problemas) == 1


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("", "api.anthropic.com"),
        (" https://servidor.org:444/v/claude \n", "servidor.org:444"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("http://localhost", "localhost"),
        ("http://localhost.org", "localhost.org (sem criptografia)"),
        ("http://porteiro_2:4000", "porteiro_2:4000 (sem criptografia)"),
    ],
)
def test_to_whom_is_told_and_so_is_a_line_that_anyone_reads(
    monkeypatch: pytest.MonkeyPatch, address: str, told: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    assert paid.host() == told


@pytest.mark.parametrize(
    "key", ["curta-7f3", "sk-ant-chave-\n-quebrada", "sk-ant-chavé-com-acento", "sk ant com espaço no meio",
            "“sk-ant-aspas-tortas”", 'sk-ant-"aspas"-retas-1', "sk-ant-barra\\invertida"],
)  # fmt: skip
def test_what_no_header_can_carry_or_any_text_may_hold_is_no_key(
    study: Study, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with pytest.raises(ErroDeEstudo, match="não é uma chave") as caught:
        run_api(study, confirmar_envio=True, mostrar=lambda text: None)
    assert key not in str(caught.value)
    # Not in what a traceback shows of variables, either.
    frames = [frame for frame, _ in traceback.walk_tb(caught.tb) if frame.f_code.co_filename != __file__]
    assert len(frames) >= 2 and not any(key in repr(list(frame.f_locals.values())) for frame in frames)


@pytest.mark.parametrize(
    ("name", "value"),
    [("ALL_PROXY", "socks9://eu:senha-7f3@127.0.0.1:9"), ("HTTPS_PROXY", "http://eu:senha-7f3@[::1"),
     ("SSL_CERT_FILE", "/nao/existe.pem")],
)  # fmt: skip
def test_a_proxy_or_a_certificate_of_no_use_is_one_sentence(
    study: Study, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ErroDeEstudo, match="Não consegui preparar a conexão") as caught:
        run_api(study, confirmar_envio=True, mostrar=lambda text: None)
    error = caught.value
    assert "senha" not in f"{error} {error.__cause__!r} {error.__context__!r}"


@contextmanager
def listening(status: int, headers: dict[str, str]) -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers everything alike; its address, and the requests that it got."""
    got: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(str(self.headers).encode() + self.rfile.read(int(self.headers["content-length"] or 0)))
            self.send_response(status)
            for name, value in {**headers, "content-length": "0"}.items():
                self.send_header(name, value)
            self.end_headers()

        do_GET = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}", got
    finally:
        http.shutdown()
        http.server_close()


@pytest.mark.parametrize("status", [302, 303, 307, 308])
def test_a_redirect_takes_nothing_to_another_host(
    study: Study, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    with (
        listening(400, {}) as (elsewhere, got),
        listening(status, {"location": elsewhere}) as (here, asked),
    ):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", here)
        with pytest.raises(ErroDeEstudo, match=rf"HTTP {status}, manda para outro endereço"):
            run_api(study, confirmar_envio=True, mostrar=lambda text: None, dormir=lambda s: None)
        assert asked and got == []


def test_the_results_of_a_batch_are_fetched_nowhere_else(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    servidor = ServidorAnthropic(answer)
    state = servidor.estado
    with listening(400, {}) as (elsewhere, got), servindo(servidor):
        monkeypatch.setattr(
            servidor, "estado",
            lambda ident: {**state(ident), "results_url": f"{elsewhere}/v1/messages/batches/{ident}/results"},
        )  # fmt: skip
        with pytest.raises(ErroDeEstudo, match="não disse como está o lote"):
            run(study, servidor, monkeypatch, em_lote=True)
        assert got == []
        monkeypatch.setattr(servidor, "estado", state)
        assert "Nada falta" in run(study, servidor, monkeypatch)
        assert len(servidor.cobradas) == 7


def test_the_log_of_the_sdk_does_not_hold_the_key(study: Study) -> None:
    with servindo(ServidorAnthropic(answer, lambda n, p: "eco_da_chave" if n == 0 else None)) as servidor:
        done = verb(servidor, "--lote", ANTHROPIC_LOG="debug").communicate(timeout=120)
    assert "Sending HTTP Request" in done[1] and CHAVE not in done[0] + done[1]


# --- bills -----------------------------------------------------------------------------------------------------


class Outra(ServidorAnthropic):
    """Changes its first message."""

    def __init__(self, change: Any) -> None:
        super().__init__(answer)
        self.change = change

    def mensagem(self, params: dict[str, Any], falta: str | None) -> dict[str, Any]:
        message = super().mensagem(params, falta)
        return self.change(message) if len(self.cobradas) == 1 else message


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {"input_tokens": -(10**9)},
        {"cache_read_input_tokens": -(10**9)},
        {"input_tokens": float("inf")},
        {"output_tokens": float("nan")},
        {"output_tokens": 10**4200},
        {"output_tokens": 0.9},
        {"output_tokens": True},
        {"input_tokens": "12"},
        {"output_tokens": None},
    ],
    ids=str,
)
def test_a_bill_that_is_none_counts_at_its_worst_and_the_answer_is_kept(
    study: Study, monkeypatch: pytest.MonkeyPatch, usage: dict[str, Any] | None
) -> None:
    monkeypatch.setattr(api_calls, "AO_MESMO_TEMPO", 1)
    servidor = Outra(lambda m: {**m, "usage": usage and {**m["usage"], **usage}})
    with servindo(servidor):
        assert "7 de 7" in run(study, servidor, monkeypatch)
    first, *others = rows(study)
    assert (first["gasto"], first["falha"], first["uso"]) == (first["pior"], None, None)
    servidor.cobradas.pop(0)
    assert sum(Decimal(row["gasto"]) for row in others) == billed(servidor)


@pytest.mark.parametrize(
    "content", [None, "oi", [5], [{"type": "text"}], [{"type": "text", "text": None}]], ids=str
)
def test_an_answer_that_is_none_costs_what_was_billed(
    study: Study, monkeypatch: pytest.MonkeyPatch, content: Any
) -> None:
    servidor = Outra(lambda m: {**m, "content": content})
    with servindo(servidor):
        assert "7 de 7" in run(study, servidor, monkeypatch)  # it was asked again
        assert len(servidor.cobradas) == 8 and spent(study) == billed(servidor)


@pytest.mark.parametrize("status", [408, 502, 504, 524])
def test_a_gateway_that_gave_up_may_have_been_billed(
    study: Study, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    with listening(status, {}) as (here, _):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", here)
        connection = paid.connect(5)
        outcome = connection.ask(
            {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "x"}]}
        )
        connection.close()
    assert outcome.talvez_cobrada and outcome.falha in ("tempo_esgotado", "erro_do_servidor")


def test_money_of_any_length_is_summed_exactly() -> None:
    from compendio.models.ledger import Entry

    # 28 digits, the usual precision, would round 1 + 1e-40 to the cap itself.
    with Ledger(":memory:", Decimal(1), "USD") as book:
        assert book.admit(Entry("a", "p", "supervisor", "m", 0, Decimal("1e-40")))
        assert not book.admit(Entry("b", "p", "supervisor", "m", 0, Decimal(1)))


@pytest.mark.parametrize("money", [".inf", ".nan", "-1", "1e10", "'1,50'", "true"])
def test_money_that_is_none_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, money: str
) -> None:
    with pytest.raises(ErroDeEstudo, match="limite_gasto"):
        api_study(tmp_path, monkeypatch, limite=money)


def test_a_full_disk_is_a_sentence_and_the_call_stays_pending(tmp_path: Path) -> None:
    from compendio.models.ledger import Entry

    with Ledger(tmp_path / "x.sqlite", Decimal(1), "USD") as book:
        book.admit(Entry("a", "p", "supervisor", "m", 0, Decimal("0.5")))
        pages = book._base.execute("PRAGMA page_count").fetchone()[0]
        book._base.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(ErroDeEstudo, match=r"registro de gastos .*full"):
            book.settle("a", Decimal("0.1"), conteudo="x" * 100_000)
        with pytest.raises(ErroDeEstudo, match=r"registro de gastos .*full"):
            for k in range(1000):
                book.admit(Entry(f"b{k}", "p" * 500, "supervisor", "m", 0, Decimal("0.0001")))
        assert book.spent() == 0 and book.pending() >= Decimal("0.5")
