"""What only a real server can show. Small models; skipped, saying why, without OLLAMA_HOST."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import pytest
from model_calls import OPCOES, SCHEMA, call

from compendio.erros import ErroDeEstudo
from compendio.models.answers import parse_answer
from compendio.models.base import Reply
from compendio.models.checks import check_models, check_server
from compendio.models.ollama import OllamaModel
from compendio.models.run import ask_all
from compendio.models.server import Server
from compendio.models.store import Store

pytestmark = [pytest.mark.ollama, pytest.mark.lento]
#: Smallest first.
CANDIDATES = ["smollm2-135m", "gemma3-270m", "qwen2.5-0.5b", "qwen2.5:0.5b", "gemma3:270m"]


@pytest.fixture(scope="module")
def model() -> OllamaModel:
    if not os.environ.get("OLLAMA_HOST"):
        pytest.skip("sem OLLAMA_HOST: não há servidor real do Ollama para estes testes")
    there = Server().models()
    named = os.environ.get("COMPENDIO_MODELO_DE_TESTE")
    for name in [named] if named else CANDIDATES:
        if name in there or f"{name}:latest" in there:
            return OllamaModel("real", name, tempo_limite=600)
    pytest.skip(f"o servidor não tem nenhum dos modelos pequenos: {', '.join(CANDIDATES)}")


def test_server_and_model_are_found(model: OllamaModel) -> None:
    assert check_server().startswith("Ollama ")
    assert len(model.digest) == 64 and model.servidor
    assert check_models([model.modelo])[model.modelo].digest == model.digest


def test_structured_output(model: OllamaModel) -> None:
    options = {**OPCOES, "num_ctx": 1024, "num_predict": 200}
    reply = model.ask(call(texto="O gato dorme no telhado. O gato dorme?").messages, SCHEMA, options)
    assert reply.falha is None, reply
    answer = parse_answer(reply.conteudo or "")
    assert answer["a"]["valor"] in ("sim", "não") and list(answer["a"]) == ["evidencia", "valor"]
    assert reply.prompt_tokens and reply.tokens and reply.segundos > 0
    assert reply.prompt_segundos is not None and reply.geracao_segundos is not None


def test_an_over_long_prompt_is_cut_in_silence_and_named(model: OllamaModel) -> None:
    options = {**OPCOES, "num_ctx": 512, "num_predict": 60}
    reply = model.ask(call(texto="O gato dorme no telhado. " * 200).messages, SCHEMA, options)
    assert (reply.falha, reply.prompt_tokens) == ("texto_truncado", 512)


def test_num_predict_reached(model: OllamaModel) -> None:
    reply = model.ask(call().messages, SCHEMA, {**OPCOES, "num_ctx": 512, "num_predict": 4})
    assert (reply.falha, reply.tokens) == ("limite_de_tokens", 4)


def test_a_time_limit_of_almost_nothing(model: OllamaModel) -> None:
    hurried = OllamaModel("real", model.modelo, tempo_limite=0.02)
    assert hurried.ask(call().messages, SCHEMA, OPCOES).falha == "tempo_esgotado"


def test_an_unknown_model(model: OllamaModel) -> None:
    with pytest.raises(ErroDeEstudo, match="ollama pull nao-existe:1b"):
        OllamaModel("x", "nao-existe:1b")
    model_gone = OllamaModel("real", model.modelo)
    model_gone.modelo = "nao-existe:1b"
    reply = model_gone.ask(call().messages, SCHEMA, OPCOES)
    assert reply.falha == "sem_resposta" and "404" in reply.detalhe


def test_an_early_turn_dropped_from_a_conversation_is_named(model: OllamaModel) -> None:
    """Document and answer leave in silence; the count that comes back is far below num_ctx."""
    options = {**OPCOES, "num_ctx": 768, "num_predict": 100}
    first = replace(call(texto="O gato dorme no telhado. " * 55), options=options)
    with Store(":memory:") as store:
        answered = ask_all(model, [first], store, progress=False)[0]
        assert answered.falha is None, answered
        assert answered.prompt_tokens is not None and 384 < answered.prompt_tokens < 668
        turns = (
            {"role": "assistant", "content": answered.conteudo or ""},
            {"role": "user", "content": "É mesmo? " * 60},
        )
        second = replace(first, rodada=2, messages=(*first.messages, *turns))
        raw: Reply = model.ask(second.messages, SCHEMA, options)
        assert raw.prompt_tokens is not None and raw.prompt_tokens < 768
        assert ask_all(model, [second], store, progress=False)[0].falha == "texto_truncado"


def test_unload_empties_the_memory(model: OllamaModel) -> None:
    model.ask(call().messages, SCHEMA, {**OPCOES, "num_ctx": 512, "num_predict": 4})
    with Server().client() as client:
        assert [m.digest for m in client.ps().models if m.digest == model.digest]
        model.unload()
        # The server answers before the model's process is gone.
        for _ in range(100):
            left = [m.digest for m in client.ps().models if m.digest == model.digest]
            if not left:
                break
            time.sleep(0.1)
        assert not left
