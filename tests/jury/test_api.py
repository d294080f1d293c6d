"""Supervisor and audit by API, through the real SDK, against the local server of `servidor_anthropic.py`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from api_study import answer, api_study, billed, run
from servidor_anthropic import CHAVE, ServidorAnthropic, servindo
from supervised_study import good, save_answers

from compendio.erros import ErroDeEstudo
from compendio.jury import api_batches, api_calls, supervisor
from compendio.jury.api_run import run_api
from compendio.models import anthropic as paid
from compendio.models.ledger import Ledger
from compendio.study import Study, load_study


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    return api_study(tmp_path, monkeypatch)


def ledger(study: Study) -> Ledger:
    assert study.supervisor.limite_gasto is not None
    return Ledger(study.banco, study.supervisor.limite_gasto, "USD")


def spent(study: Study) -> Decimal:
    with ledger(study) as book:
        return book.spent()


def failures(study: Study) -> list[str | None]:
    with ledger(study) as book:
        return [row["falha"] for row in book.rows()]


# --- consent ---------------------------------------------------------------------------------------------------


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every socket that is asked for; none is given."""
    opened: list[str] = []

    def refuse(*args: Any, **options: Any) -> Any:
        opened.append("socket")
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return opened


@pytest.mark.parametrize(
    ("enviar", "confirmar", "reply", "told"),
    [
        ("false", False, None, "falta a primeira autorização"),
        ("false", True, None, "falta a primeira autorização"),
        ("false", True, "ENVIAR", "falta a primeira autorização"),
        ("true", False, None, "falta a confirmação desta execução"),
        ("true", False, "sim", "a confirmação não veio"),
        ("true", False, "", "a confirmação não veio"),
    ],
)
def test_without_both_consents_there_is_no_client_and_no_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sockets: list[str],
    enviar: str, confirmar: bool, reply: str | None, told: str,
) -> None:  # fmt: skip
    import anthropic

    made: list[str] = []
    monkeypatch.setattr(anthropic.Anthropic, "__init__", lambda *a, **k: made.append("client"))
    study = api_study(tmp_path, monkeypatch, enviar=enviar)
    shown: list[str] = []
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return reply or ""

    result = run_api(
        study, confirmar_envio=confirmar, perguntar=None if reply is None else ask, mostrar=shown.append
    )
    assert told in result and (made, sockets) == ([], [])
    # What would be sent was shown all the same: how many texts, characters, to whom.
    assert "7 pedidos (3 do supervisor, 4 da auditoria), sobre 3 textos" in shown[0]
    assert "caracteres ao todo" in shown[0] and "api.anthropic.com, modelo modelo-de-teste" in shown[0]
    assert bool(asked) == (reply is not None and enviar == "true")
    with ledger(study) as book:
        assert book.rows() == []


def test_both_consents_open_the_way_and_the_block_is_real(
    study: Study, monkeypatch: pytest.MonkeyPatch, sockets: list[str]
) -> None:
    # The same block, with both consents: now a client is made, and its sockets are seen (and refused).
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    with pytest.raises(ErroDeEstudo, match="A contagem de tokens falhou"):
        run_api(study, confirmar_envio=True, mostrar=lambda text: None, dormir=lambda s: None)
    assert sockets


# --- the ordinary way ------------------------------------------------------------------------------------------


def test_all_requests_are_answered_billed_and_written(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        text = run(study, servidor, monkeypatch)
        assert "Respostas boas nesta execução: 7 de 7." in text and "Nada falta" in text
        assert (servidor.contagens, len(servidor.mensagens), len(servidor.cobradas)) == (7, 7, 7)
        assert spent(study) == billed(servidor)
        # A second run has nothing to ask, and opens nothing.
        before = len(servidor.pedidos)
        assert "Nada a enviar" in run(study, servidor, monkeypatch)
        assert len(servidor.pedidos) == before
    situation = supervisor.load_supervision(study)
    assert situation.leitura.problemas == [] and not situation.missing("supervisor")
    table = supervisor.write_source(study, situation)
    assert table is not None
    states = table.set_index(["documento", "variavel"])["estado"]
    assert states["d1", "abordagem"] == "supervisor" and states["d2", "abordagem"] == "nenhum_adequado"


def test_the_same_answers_by_file_give_the_same_source(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        run(study, servidor, monkeypatch)
    by_api = supervisor.write_source(study, supervisor.load_supervision(study))
    path = study.pasta / "supervisor" / "api.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.unlink()
    save_answers(study, *[{k: v for k, v in line.items() if k != "modelo"} for line in lines])
    by_file = supervisor.write_source(study, supervisor.load_supervision(study))
    assert by_api is not None and by_file is not None
    assert by_api.equals(by_file)


def test_only_what_is_missing_is_sent(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = supervisor.load_supervision(study).pedidos["supervisor"]
    save_answers(study, good(asked[0], 1))
    with servindo(ServidorAnthropic(answer)) as servidor:
        assert "6 pedidos (2 do supervisor, 4 da auditoria)" in run(study, servidor, monkeypatch)
        assert len(servidor.mensagens) == 6


def test_a_message_holds_the_request_and_admits_only_its_candidates(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        run(study, servidor, monkeypatch)
    sent = {
        (q["documento"], q["variavel"], len(q["candidatos"])): m
        for m in servidor.mensagens
        for q in [json.loads(m["messages"][0]["content"])]
    }
    one = sent["d1", "abordagem", 2]
    assert one["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert "pedidos.jsonl" not in one["system"][0]["text"]
    assert "alfa" not in json.dumps(one) and "id" not in json.loads(one["messages"][0]["content"])
    schema = one["output_config"]["format"]["schema"]
    assert schema["properties"]["escolha"] == {
        "anyOf": [{"type": "integer", "enum": [1, 2]}, {"type": "string", "enum": ["nenhum_adequado"]}]
    }
    assert schema["additionalProperties"] is False and schema["required"][0] == "evidencia"
    # Several choices: a set of the members' for the supervisor, each category for the audit.
    sets = sent["d1", "fontes", 2]["output_config"]["format"]["schema"]["properties"]
    assert list(sets["evidencia"]["properties"]) == ["falas", "midia"]
    audit = sent["d3", "fontes", 3]["output_config"]["format"]["schema"]["properties"]
    assert audit["escolha"] == {"type": "array", "items": {"type": "integer", "enum": [1, 2, 3]}}


def test_the_estimate_holds_what_the_server_bills(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        text = run(study, servidor, monkeypatch)
        bill = billed(servidor)
    by_characters = next(line for line in text.splitlines() if line.startswith("Estimativa"))
    low, high = (Decimal(x.replace(",", ".")) for x in _amounts(by_characters)[1:3])
    counted = next(line for line in text.splitlines() if line.startswith("Contados"))
    assert low <= bill <= high
    low, high = (Decimal(x.replace(",", ".")) for x in _amounts(counted)[:2])
    assert low <= bill <= high
    total = sum(u["entrada"] + u["cache_escrita"] + u["cache_leitura"] for u in servidor.cobradas)
    assert f"Contados pela API: {total} tokens" in counted


def _amounts(line: str) -> list[str]:
    return [word.strip(").;,") for word in line.split() if word[:1].isdigit() and "," in word]


# --- failures --------------------------------------------------------------------------------------------------

#: fault of the first call → (its failures in the ledger, good answers in the end, what the run says)
FAULTS = {
    "429": (["limite_de_uso", None], 7, None),
    "529": (["sobrecarga", None], 7, None),
    "503": (["sobrecarga", None], 7, None),
    "500": (["erro_do_servidor", None], 7, None),
    "corta": (["sem_resposta", None], 7, "talvez"),
    "demora": (["tempo_esgotado", None], 7, None),
    "lixo": (["erro_do_servidor", None], 7, None),
    "400": (["pedido_invalido"], 6, "o serviço recusou o pedido"),
    "413": (["pedido_invalido"], 6, "o serviço recusou o pedido"),
    "recusa": (["recusa"], 6, "o modelo não quis responder"),
    "max_tokens": (["limite_de_tokens"], 6, "resposta cortada em max_tokens"),
    "json_quebrado": (["json_invalido"], 6, "a resposta não é o JSON pedido"),
    "vazio": (["json_invalido"], 6, "a resposta não é o JSON pedido"),
    "401": (["chave_recusada"], 0, "chave recusada"),
    "403": (["chave_recusada"], 0, "chave recusada"),
    "402": (["sem_saldo"], 0, "conta sem saldo"),
    "404": (["modelo_desconhecido"], 0, "modelo desconhecido"),
}


@pytest.mark.parametrize("falta", FAULTS)
def test_every_fault_has_a_name_and_nothing_paid_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, falta: str
) -> None:
    named, good_answers, told = FAULTS[falta]
    monkeypatch.setattr(api_calls, "AO_MESMO_TEMPO", 1)
    study = api_study(tmp_path, monkeypatch, extra="tempo_limite: 1\n")
    with servindo(ServidorAnthropic(answer, lambda n, p: falta if n == 0 else None)) as servidor:
        text = run(study, servidor, monkeypatch)
        assert failures(study)[: len(named)] == named
        assert f"Respostas boas nesta execução: {good_answers} de 7." in text
        if told == "talvez" or falta in ("demora", "lixo"):
            # Nobody said what it cost: it counts at its worst case.
            assert spent(study) > billed(servidor)
        else:
            assert spent(study) == billed(servidor)
            assert told is None or told in text
        paid_for = len(servidor.cobradas)
        # The next run asks only what is missing, and never what the model itself failed at.
        servidor.falta = lambda n, p: None
        run(study, servidor, monkeypatch)
        own = falta in ("recusa", "max_tokens", "json_quebrado", "vazio")
        assert len(servidor.cobradas) == paid_for + (0 if own else 7 - good_answers)
        if own:
            run(study, servidor, monkeypatch, repetir_falhas=True)
            assert len(servidor.cobradas) == paid_for + 1
        assert not supervisor.load_supervision(study).missing("supervisor")


def test_an_answer_without_evidence_in_the_text_is_kept_and_does_not_count(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(params: dict[str, Any]) -> str:
        given = json.loads(answer(params))
        question = json.loads(params["messages"][0]["content"])
        if (question["documento"], question["variavel"]) == ("d1", "abordagem"):
            given["evidencia"] = "palavras que não estão lá"
        return json.dumps(given)

    with servindo(ServidorAnthropic(wrong)) as servidor:
        text = run(study, servidor, monkeypatch)
        assert spent(study) == billed(servidor)
    assert "1 × resposta_recusada" in text and "6 de 7" in text
    with ledger(study) as book:
        (row,) = book.rows("falha IS NOT NULL")
    assert "não está no texto" in row["detalhe"] and row["conteudo"]


def test_a_key_that_expires_in_the_middle_stops_the_run_and_keeps_what_is_paid(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_calls, "AO_MESMO_TEMPO", 1)
    with servindo(ServidorAnthropic(answer, lambda n, p: "401" if n >= 3 else None)) as servidor:
        text = run(study, servidor, monkeypatch)
        assert len(servidor.mensagens) == 4 and spent(study) == billed(servidor)
    assert "3 de 7" in text and "1 × chave_recusada" in text and "3 × parada" in text
    path = study.pasta / "supervisor" / "api.jsonl"
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


def test_a_wrong_key_pays_nothing(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    with servindo(ServidorAnthropic(answer)) as servidor:
        servidor.chave = "outra"
        with pytest.raises(ErroDeEstudo, match=r"chave_recusada.*nada foi pago"):
            run(study, servidor, monkeypatch)
        assert servidor.cobradas == [] and servidor.mensagens == []


def test_every_retry_is_admitted_and_the_sdk_makes_none_of_its_own(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with servindo(ServidorAnthropic(answer, lambda n, p: "529")) as servidor:
        run(study, servidor, monkeypatch)
        with ledger(study) as book:
            assert len(book.rows()) == len(servidor.mensagens) == 7 * 4
        assert spent(study) == 0


# --- the cap ---------------------------------------------------------------------------------------------------


def test_the_run_stops_before_the_call_that_could_pass_the_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = api_study(tmp_path, monkeypatch, limite="0.015")
    with servindo(ServidorAnthropic(answer)) as servidor:
        text = run(study, servidor, monkeypatch)
        made = len(servidor.mensagens)
        assert 0 < made < 7 and f"{7 - made} × limite_gasto" in text
        assert "não cabe no que resta" in text
        assert spent(study) == billed(servidor) <= Decimal("0.015")
        # The cap holds over runs: what was spent counts.
        run(study, servidor, monkeypatch)
        assert spent(study) == billed(servidor) <= Decimal("0.015")
        # More money, and the rest is asked.
        raised = load_study("meu").model_copy(
            update={"supervisor": study.supervisor.model_copy(update={"limite_gasto": Decimal("1")})}
        )
        raised._documents, raised._references, raised._votes = (
            study._documents,
            study._references,
            study._votes,
        )
        assert "Nada falta" in run(raised, servidor, monkeypatch)


# --- kill and resume -------------------------------------------------------------------------------------------

DRIVER = """
import sys
from compendio.jury import api_batches, api_calls
from compendio.jury.api_run import run_api
from compendio.study import load_study
api_batches.OLHAR_A_CADA = 0.05
api_batches.CHEGADA = 0.0
api_calls.ESPERAS = (0.0, 0.0, 0.0)
print(run_api(load_study("meu"), confirmar_envio=True, em_lote="lote" in sys.argv))
"""


def drive(servidor: ServidorAnthropic, *args: str) -> subprocess.Popen[str]:
    env = {**os.environ, "ANTHROPIC_BASE_URL": servidor.endereco}
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, *args],
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for(condition: Any) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.lento
def test_a_killed_run_of_messages_keeps_what_it_paid(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    with servindo(ServidorAnthropic(answer, lambda n, p: "demora" if n == 3 else None)) as servidor:
        process = drive(servidor)
        wait_for(lambda: len(servidor.cobradas) >= 3)
        time.sleep(0.3)
        process.send_signal(signal.SIGKILL)
        process.wait()
        paid_for = len(servidor.cobradas)
        with ledger(study) as book:
            kept = len(book.rows("conteudo IS NOT NULL"))
            assert book.pending() > 0  # the call that was under way counts at its worst case
        servidor.falta = lambda n, p: None
        run(study, servidor, monkeypatch)
        assert len(servidor.cobradas) <= paid_for + 7 - kept
        assert not supervisor.load_supervision(study).missing("supervisor")
        assert not supervisor.load_supervision(study).missing("auditoria")


@pytest.mark.lento
@pytest.mark.parametrize("when", ["before the name came", "under way"])
def test_a_killed_batch_is_taken_up_again_and_paid_once(
    study: Study, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    monkeypatch.setattr(api_batches, "CHEGADA", 0.0)
    servidor = ServidorAnthropic(answer)
    servidor.olhadas_ate_acabar = 10**6
    servidor.engolir_resposta_do_lote = when == "before the name came"
    with servindo(servidor):
        process = drive(servidor, "lote")
        wait_for(lambda: servidor.lotes)
        if when == "under way":
            wait_for(lambda: next(iter(servidor.lotes.values()))["olhadas"] >= 2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        servidor.olhadas_ate_acabar, servidor.engolir_resposta_do_lote = 0, False
        text = run(study, servidor, monkeypatch, em_lote=True)
        assert "Nada falta" in text and len(servidor.lotes) == 1
        assert len(servidor.cobradas) == 7 and spent(study) == billed(servidor, "0.5")


# --- batches ---------------------------------------------------------------------------------------------------


def test_a_batch_costs_its_share_and_waits_for_its_end(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    servidor = ServidorAnthropic(answer)
    servidor.olhadas_ate_acabar = 3
    with servindo(servidor):
        text = run(study, servidor, monkeypatch, em_lote=True)
        assert "em andamento" in text and "Nada falta" in text
        assert servidor.mensagens == [] and spent(study) == billed(servidor, "0.5")


def test_a_batch_that_failed_in_part_keeps_the_rest_and_asks_it_again(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = iter(["errored", "expired", "canceled", "some", None, None, None])
    servidor = ServidorAnthropic(answer, falta_no_lote=lambda name, params: next(order))
    with servindo(servidor):
        text = run(study, servidor, monkeypatch, em_lote=True)
        assert "Respostas boas nesta execução: 3 de 7." in text
        for name in ("erro_do_servidor", "lote_expirado", "lote_cancelado", "sem_resposta"):
            assert f"1 × {name}" in text
        # The one that the results did not name may have been paid; the other three were not.
        with ledger(study) as book:
            lost = Decimal(book.rows("falha = 'sem_resposta'")[0]["pior"])
        assert spent(study) == billed(servidor, "0.5") + lost
        servidor.falta_no_lote = lambda name, params: None
        assert "4 de 4" in run(study, servidor, monkeypatch, em_lote=True)
        assert len(servidor.lotes) == 2 and len(servidor.cobradas) == 7


def test_results_cut_in_the_middle_are_read_to_the_end_by_the_next_run(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    servidor = ServidorAnthropic(answer)
    servidor.cortar_resultados_em = 2
    with servindo(servidor):
        with pytest.raises(ErroDeEstudo, match="foi cortada"):
            run(study, servidor, monkeypatch, em_lote=True)
        with ledger(study) as book:  # the SDK holds a line back until the next one comes
            assert 1 <= len(book.rows("conteudo IS NOT NULL")) <= 2
        servidor.cortar_resultados_em = None
        assert "Nada falta" in run(study, servidor, monkeypatch)
        assert len(servidor.lotes) == 1 and len(servidor.cobradas) == 7 and servidor.mensagens == []


def test_a_batch_the_api_no_longer_has_counts_at_its_worst(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    servidor = ServidorAnthropic(answer)
    servidor.cortar_resultados_em = 0
    with servindo(servidor):
        with pytest.raises(ErroDeEstudo):
            run(study, servidor, monkeypatch, em_lote=True)
        servidor.lotes.clear()
        # Young as it is, another key would see it: it is neither given up nor paid again.
        assert "a API não o conhece por esta chave" in run(study, servidor, monkeypatch, em_lote=True)
        assert failures(study) == [None] * 7 and len(servidor.cobradas) == 7
        monkeypatch.setattr(api_batches, "GUARDA", 0.0)
        run(study, servidor, monkeypatch)
        assert failures(study)[:7] == ["lote_expirado"] * 7
        with ledger(study) as book:
            assert book.spent() == sum(Decimal(row["pior"]) for row in book.rows())


def test_a_batch_takes_only_what_fits_under_the_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = api_study(tmp_path, monkeypatch, limite="0.02")
    with servindo(ServidorAnthropic(answer)) as servidor:
        text = run(study, servidor, monkeypatch, em_lote=True)
        (lote,) = servidor.lotes.values()
        assert 0 < len(lote["requests"]) < 7 and f"{7 - len(lote['requests'])} × limite_gasto" in text
        assert spent(study) <= Decimal("0.02")


# --- the key ---------------------------------------------------------------------------------------------------


def test_the_key_reaches_nothing_that_is_written(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    faults = ["eco_da_chave", None, "400", "recusa", "corta", None]
    monkeypatch.setattr(api_calls, "AO_MESMO_TEMPO", 1)
    shown = []
    with servindo(ServidorAnthropic(answer, lambda n, p: faults[n] if n < len(faults) else None)) as servidor:
        shown += [run(study, servidor, monkeypatch), run(study, servidor, monkeypatch)]
        shown.append(run(study, servidor, monkeypatch, em_lote=True, repetir_falhas=True))
        connection = paid.connect(5)
        shown += [repr(connection), str(connection)]
        connection.close()
        with ledger(study) as book:  # the API sent the key back, and it was struck out
            assert "[chave]" in book.rows("falha = 'chave_recusada'")[0]["detalhe"]
        servidor.chave = "outra"
        for path in (study.pasta / "supervisor" / "api.jsonl", study.banco):
            path.rename(tmp_path / path.name)
        with pytest.raises(ErroDeEstudo) as caught:
            run(study, servidor, monkeypatch)
        shown.append(repr(caught.value) + repr(caught.value.__cause__) + repr(caught.value.__context__))
    out, err = capfd.readouterr()
    for text in (*shown, out, err):
        assert CHAVE not in text
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"api.jsonl", "meu.sqlite"} <= {path.name for path in files}
    for path in files:
        assert CHAVE.encode() not in path.read_bytes(), path
