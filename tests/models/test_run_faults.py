"""Whole runs against a server that fails: they complete, say what failed, and go on where they stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_calls import VALIDA, calls
from servidor_ollama import Resposta, ServidorOllama, faulty

from compendio.models.base import NAO_OUVIDAS, Reply
from compendio.models.ollama import OllamaModel
from compendio.models.run import RECUSAS_SEGUIDAS, ask_all
from compendio.models.scripted import ScriptedModel
from compendio.models.store import Store


def asked_documents(server: ServidorOllama) -> list[str]:
    return [body["messages"][-1]["content"].removeprefix("Texto de ").rstrip(".") for body in server.asked]


@pytest.mark.parametrize("workers", [1, 4])
def test_ten_per_cent_of_faults(workers: int, capsys: pytest.CaptureFixture[str]) -> None:
    n = 150
    with ServidorOllama(faulty(0.1, 7)) as server, Store(":memory:") as store:
        model = OllamaModel("m", host=server.url)
        replies = ask_all(model, calls(n), store, workers=workers)
        failed = {f"d{i}": reply.falha for i, reply in enumerate(replies, start=1) if reply.falha}
        unheard = {name for name, failure in failed.items() if failure in NAO_OUVIDAS}
        assert len(replies) == n and 5 < len(failed) < 30 and 0 < len(unheard) < len(failed)
        said = capsys.readouterr().out
        assert f"falhas: {len(failed)} = " in said
        assert all(name in said for name in unheard)

        server.asked.clear()
        server.roteiro = lambda body, number: Resposta()
        replies = ask_all(model, calls(n), store, workers=workers, progress=False)
        assert set(asked_documents(server)) == unheard and len(server.asked) == len(unheard)
        assert {reply.falha for reply in replies} & NAO_OUVIDAS == set()

        server.asked.clear()
        replies = ask_all(model, calls(n), store, repetir_falhas=True, workers=workers, progress=False)
        assert set(asked_documents(server)) == set(failed) - unheard
        assert {body["options"]["seed"] for body in server.asked} == {2}
        assert all(reply.falha is None for reply in replies)

        server.asked.clear()
        assert ask_all(model, calls(n), store, repetir_falhas=True, progress=False) == replies
        assert server.asked == []


def test_a_server_that_dies_is_given_up_after_a_few_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    with Store(":memory:") as store:
        with ServidorOllama() as server:
            model = OllamaModel("m", host=server.url)
            ask_all(model, calls(3), store, progress=False)
        replies = ask_all(model, calls(50), store)
        assert [reply.falha for reply in replies] == [None] * 3 + ["sem_resposta"] * 47
        assert sum("não perguntado" in reply.detalhe for reply in replies) == 47 - RECUSAS_SEGUIDAS
        assert len(store) == 3 + RECUSAS_SEGUIDAS  # what was not asked is not stored
        assert f"perguntas por fazer: {47 - RECUSAS_SEGUIDAS}" in capsys.readouterr().out
        with ServidorOllama(port=server.port) as server:
            replies = ask_all(model, calls(50), store, progress=False)
            assert all(reply.falha is None for reply in replies) and len(server.asked) == 47


def test_faults_of_a_server_that_is_there_never_end_a_run() -> None:
    with ServidorOllama(lambda body, n: Resposta(status=500)) as server, Store(":memory:") as store:
        replies = ask_all(OllamaModel("m", host=server.url), calls(12), store, progress=False)
        assert [reply.falha for reply in replies] == ["sem_resposta"] * 12 and len(server.asked) == 12


def test_refusals_that_alternate_with_answers_are_not_given_up() -> None:
    gone = Reply(None, "sem_resposta", "sem ligação com o servidor: recusada")
    with Store(":memory:") as store:
        model = ScriptedModel("m", [gone, gone, gone, gone, VALIDA] * 4)
        ask_all(model, calls(20), store, progress=False)
        assert len(model.asked) == 20


def test_the_export_is_the_same_with_and_without_an_interruption(tmp_path: Path) -> None:
    with ServidorOllama() as server:
        model = OllamaModel("m", host=server.url)
        with Store(":memory:") as store:
            ask_all(model, calls(20), store, progress=False)
            store.export_jsonl(tmp_path / "1.jsonl")

        def stops(body: dict[str, Any], number: int) -> Resposta:
            return Resposta(status=500) if number % 3 == 0 else Resposta()

        with Store(tmp_path / "b.sqlite") as store:
            server.roteiro = stops
            ask_all(model, calls(9), store, workers=3, progress=False)
            server.roteiro = lambda body, number: Resposta()
            ask_all(model, calls(20), store, workers=2, progress=False)
            store.export_jsonl(tmp_path / "2.jsonl")
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    assert len([json.loads(line) for line in (tmp_path / "1.jsonl").open(encoding="utf-8")]) == 20
