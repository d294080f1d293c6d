"""A study that runs from its recorded replies, with no server."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_calls import VALIDA, call, calls

from compendio.erros import ErroDeEstudo
from compendio.models.base import Reply
from compendio.models.files import RecordedModel
from compendio.models.run import ask_all
from compendio.models.scripted import ScriptedModel
from compendio.models.store import Store

ANSWERS = [VALIDA, Reply(None, "json_invalido", "não é JSON"), Reply(None, "sem_resposta", "cortada")]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    with Store(":memory:") as store:
        ask_all(ScriptedModel("m", ANSWERS, digest="d" * 64), calls(3), store, progress=False)
        store.export_jsonl(tmp_path / "respostas.jsonl")
    return tmp_path / "respostas.jsonl"


def test_all_is_served_as_it_was_failures_and_the_unheard_included(recorded: Path) -> None:
    with Store(":memory:") as store:
        store.load_jsonl(recorded)
        model = RecordedModel("m", store)
        assert model.digest == "d" * 64
        for repeat in (False, True):
            replies = ask_all(model, calls(3), store, repetir_falhas=repeat, progress=False)
            assert [reply.falha for reply in replies] == [None, "json_invalido", "sem_resposta"]
        assert replies[0].conteudo == VALIDA and replies[0].segundos == 1.0


def test_what_is_missing_is_one_sentence_with_the_count(recorded: Path) -> None:
    with Store(":memory:") as store:
        store.load_jsonl(recorded)
        changed = [*calls(2), call("d3", texto="outro texto"), call("d4")]
        with pytest.raises(ErroDeEstudo, match="Faltam 2 de 4 respostas gravadas do membro «m»"):
            ask_all(RecordedModel("m", store), changed, store, progress=False)
        with pytest.raises(ErroDeEstudo, match="Faltam 1"):
            RecordedModel("m", store).ask(call().messages, {}, {})


def test_a_member_that_was_not_recorded_is_one_sentence(recorded: Path) -> None:
    with Store(":memory:") as store:
        store.load_jsonl(recorded)
        with pytest.raises(ErroDeEstudo, match="«outro»"):
            RecordedModel("outro", store)


def test_two_versions_of_a_model_are_told_not_mixed(recorded: Path) -> None:
    with Store(":memory:") as store:
        store.load_jsonl(recorded)
        ask_all(ScriptedModel("m", [VALIDA], digest="e" * 64), calls(1), store, progress=False)
        assert store.digests("m") == ["d" * 64, "e" * 64]
        with pytest.raises(ErroDeEstudo, match="2 versões"):
            RecordedModel("m", store)
        assert RecordedModel("m", store, digest="e" * 64).digest == "e" * 64
