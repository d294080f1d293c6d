"""Runs of the API mode that are doubled, interrupted or cut off, and batches whose name never came."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import pytest
from api_study import answer, api_study, billed, rows, run, spent, verb
from servidor_anthropic import ServidorAnthropic, servindo

from compendio.erros import ErroDeEstudo
from compendio.jury import api_batches, supervisor
from compendio.models.ledger import Ledger, alone
from compendio.study import Study


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    return api_study(tmp_path, monkeypatch)


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
