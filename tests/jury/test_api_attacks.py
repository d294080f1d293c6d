"""Attacks on the API mode: where texts and key might go, bills that are none, and runs that are cut or doubled."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from api_study import answer, api_study, billed, run
from servidor_anthropic import CHAVE, ServidorAnthropic, servindo

from compendio.erros import ErroDeEstudo
from compendio.jury import api_batches, api_calls, supervisor
from compendio.jury.api_run import run_api
from compendio.models import anthropic as paid
from compendio.models.ledger import Ledger, alone
from compendio.study import Study


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    return api_study(tmp_path, monkeypatch)


def rows(study: Study, where: str = "1") -> list[dict[str, Any]]:
    with Ledger(study.banco, Decimal(1), "USD") as book:
        return book.rows(where)


def spent(study: Study) -> Decimal:
    with Ledger(study.banco, Decimal(1), "USD") as book:
        return book.spent()


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
    "key", ["texto", "sk-ant-chave-\n-quebrada", "sk-ant-chavé-com-acento", "sk ant com espaço no meio",
            "“sk-ant-aspas-tortas”", 'sk-ant-"aspas"-retas-1', "sk-ant-barra\\invertida"],
)  # fmt: skip
def test_what_no_header_can_carry_or_any_text_may_hold_is_no_key(
    study: Study, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with pytest.raises(ErroDeEstudo, match="não é uma chave") as caught:
        run_api(study, confirmar_envio=True, mostrar=lambda text: None)
    assert key not in str(caught.value)


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


# --- runs that are doubled, cut or interrupted -----------------------------------------------------------------


def test_a_second_run_at_the_same_time_is_refused(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys, pathlib; from compendio.models.ledger import alone\n"
        "with alone(pathlib.Path(sys.argv[1])): print('ok', flush=True); sys.stdin.read()"
    )
    lock = study.banco.with_suffix(".trava")
    with servindo(ServidorAnthropic(answer)) as servidor:
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert other.stdout is not None and other.stdout.readline() == "ok\n"
        with pytest.raises(ErroDeEstudo, match="Outra execução do supervisor por API está em curso"):
            run(study, servidor, monkeypatch)
        assert servidor.pedidos == []
        other.kill()  # the lock dies with its process
        other.wait()
        assert "Nada falta" in run(study, servidor, monkeypatch)
    with alone(lock), pytest.raises(ErroDeEstudo, match="em curso"), alone(lock):
        pass


def verb(servidor: ServidorAnthropic, *options: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "compendio", "supervisor-api", "--estudo", "meu", "--confirmar-envio", *options],
        env={**os.environ, "ANTHROPIC_BASE_URL": servidor.endereco, **environment},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.lento
@pytest.mark.parametrize("when", ["a call under way", "a pause before a new try", "a batch under way"])
def test_ctrl_c_ends_with_a_sentence_and_keeps_what_is_paid(
    study: Study, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    faults = {"a call under way": "lenta", "a pause before a new try": "pausa"}
    servidor = ServidorAnthropic(answer, lambda n, p: faults.get(when) if n == 3 else None)
    servidor.olhadas_ate_acabar = 10**6
    with servindo(servidor):
        process = verb(servidor, *(["--lote"] if when == "a batch under way" else []))
        end = time.monotonic() + 120
        while len(servidor.mensagens) < 7 and not any(x["olhadas"] for x in servidor.lotes.values()):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        time.sleep(0.5)
        began = time.monotonic()
        for _ in range(2 if when == "a call under way" else 1):  # whoever is impatient loses nothing, either
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        out, err = process.communicate(timeout=60)
        assert time.monotonic() - began < 30  # the pause asked for two minutes
        assert process.returncode == 130
        assert err.strip().splitlines()[-1].startswith("Interrompido.") and "Traceback" not in err
        assert ("espero as respostas" in out) == (when == "a call under way")
        servidor.falta, servidor.olhadas_ate_acabar = lambda n, p: None, 0
        assert "Nada falta" in run(study, servidor, monkeypatch)
        assert len(servidor.cobradas) == 7 and not supervisor.load_supervision(study).missing("auditoria")


def test_ctrl_d_at_the_question_sends_nothing(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(question: str) -> str:
        raise EOFError

    with servindo(ServidorAnthropic(answer)) as servidor:
        told = run(study, servidor, monkeypatch, confirmar_envio=False, perguntar=leave)
        assert "a confirmação não veio" in told and servidor.pedidos == []


def test_a_variable_left_in_the_environment_is_no_confirmation_of_this_run(tmp_path: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip("sem make neste computador")
    root = Path(__file__).parents[2]
    environment = {**os.environ, "CONFIRMAR_ENVIO": "sim"}
    for given, confirmed in ((), False), (("CONFIRMAR_ENVIO=sim",), True):
        done = subprocess.run(
            ["make", "-n", "supervisor-api", *given],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert "supervisor-api" in done.stdout and ("--confirmar-envio" in done.stdout) == confirmed


# --- batches whose name never came -----------------------------------------------------------------------------


def lost_batch(study: Study, servidor: ServidorAnthropic, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that arrived, and whose name did not."""
    servidor.engolir_resposta_do_lote = True

    def stop(seconds: float) -> None:
        raise KeyboardInterrupt

    servidor.olhadas_ate_acabar = 10**6
    with pytest.raises(KeyboardInterrupt):
        run(study, servidor, monkeypatch, em_lote=True, dormir=stop)
    servidor.engolir_resposta_do_lote, servidor.olhadas_ate_acabar = False, 0
    assert len(servidor.lotes) == 1 and all(row["lote_da_api"] is None for row in rows(study))


@pytest.mark.parametrize("case", ["page 3", "our clock ahead", "our clock behind", "like ours"])
def test_a_lost_batch_is_found_again(study: Study, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    monkeypatch.setattr(api_batches, "CHEGADA", 0.0)
    with servindo(ServidorAnthropic(answer)) as servidor:
        lost_batch(study, servidor, monkeypatch)
        (ours,) = servidor.lotes.values()
        size = {"page 3": 1, "like ours": 7}.get(case, 0)
        for k in range({"page 3": 250, "like ours": 2}.get(case, 0)):
            request = {**ours["requests"][0], "custom_id": f"de-outrem-{k}"}
            servidor.lotes[f"outro_{k}"] = {**ours, "requests": [request] * size}
        shift = {"our clock ahead": 5 * 3600, "our clock behind": -5 * 3600}.get(case, 0)
        with Ledger(study.banco, Decimal(1), "USD") as book:
            book._base.execute("UPDATE gastos SET quando = quando + ?", (shift,))
        before = len(servidor.cobradas)
        assert "Nada falta" in run(study, servidor, monkeypatch)
        sent = [path for method, path in servidor.pedidos if method == "POST" and path.endswith("/batches")]
        assert len(sent) == 1 and servidor.mensagens == []
        assert {row["lote_da_api"] for row in rows(study)} == {"msgbatch_1"}
        assert before == 0 and spent(study) == sum(Decimal(row["gasto"]) for row in rows(study))


def test_a_lost_batch_whose_results_are_gone_counts_at_its_worst_and_does_not_block(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_batches, "CHEGADA", 0.0)
    with servindo(ServidorAnthropic(answer)) as servidor:
        lost_batch(study, servidor, monkeypatch)
        next(iter(servidor.lotes.values()))["arquivado"] = True
        run(study, servidor, monkeypatch)
        gone = rows(study, "lote IS NOT NULL")
        assert [row["falha"] for row in gone] == ["lote_expirado"] * 7
        assert all(row["gasto"] == row["pior"] for row in gone)
        assert "Nada falta" in run(study, servidor, monkeypatch)


def test_a_server_that_breaks_down_may_hold_the_batch(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_batches, "CHEGADA", 0.0)
    servidor = ServidorAnthropic(answer)
    servidor.quebrar_depois_do_lote, servidor.olhadas_ate_acabar = True, 0
    with servindo(servidor):
        assert "Nada falta" in run(study, servidor, monkeypatch, em_lote=True)
        assert len(servidor.lotes) == 1 and len(servidor.cobradas) == 7
        assert spent(study) == billed(servidor, "0.5")


def test_a_batch_without_a_name_is_looked_for(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_batches, "CHEGADA", 0.0)
    servidor = ServidorAnthropic(answer)
    servidor.olhadas_ate_acabar = 0
    state = servidor.estado
    with servindo(servidor):
        first = iter([True])
        monkeypatch.setattr(
            servidor, "estado", lambda ident: {**state(ident), **({"id": None} if next(first, False) else {})}
        )
        assert "Nada falta" in run(study, servidor, monkeypatch, em_lote=True)
        assert len(servidor.lotes) == 1 and json.dumps(rows(study)).count('"msgbatch_1"') == 7
