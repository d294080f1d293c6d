"""OllamaModel against a server that works: what is sent, and what is kept of the reply."""

from __future__ import annotations

import json
import pickle

import pytest
from model_calls import OPCOES, SCHEMA, VALIDA, call
from servidor_ollama import Resposta, ServidorOllama

from compendio.erros import ErroDeEstudo
from compendio.models.ollama import OllamaModel


def test_the_request_is_what_the_call_says() -> None:
    with ServidorOllama() as server:
        model = OllamaModel("membro", "m", host=server.url)
        reply = model.ask(call().messages, SCHEMA, OPCOES)
        body = server.asked[0]
    assert body["model"] == "m" and body["stream"] is False
    assert body["messages"] == [dict(message) for message in call().messages]
    assert body["format"] == SCHEMA and list(body["format"]["properties"]["a"]["properties"]) == [
        "evidencia",
        "valor",
    ]
    assert body["options"] == OPCOES and "num_ctx" not in body
    assert "think" not in body
    assert json.loads(reply.conteudo or "")["a"]["valor"] in ("sim", "não")


def test_the_reply_keeps_what_the_call_cost() -> None:
    with ServidorOllama(lambda body, n: Resposta(VALIDA, prompt_eval_count=33, eval_count=12)) as server:
        reply = OllamaModel("m", host=server.url).ask(call().messages, SCHEMA, OPCOES)
    assert reply.conteudo == VALIDA and reply.falha is None
    assert (reply.digest, reply.servidor) == ("a" * 64, "0.13.5")
    assert (reply.prompt_tokens, reply.tokens) == (33, 12)
    # The scripted durations: 0.3 s of prompt, 1 s of answer, 1.5 s in all.
    assert (reply.prompt_segundos, reply.geracao_segundos, reply.segundos) == (0.3, 1.0, 1.5)


@pytest.mark.parametrize(
    ("capabilities", "options", "think"),
    [
        (("completion",), {}, None),
        (("completion", "thinking"), {}, False),
        (("completion", "thinking"), {"pensar": True}, True),
        (("completion",), {"pensar": False}, False),
    ],
)
def test_thinking_is_off_where_the_model_could_think_and_unmentioned_elsewhere(
    capabilities: tuple[str, ...], options: dict[str, bool], think: bool | None
) -> None:
    with ServidorOllama(capacidades=capabilities) as server:
        OllamaModel("m", host=server.url).ask(call().messages, SCHEMA, {**OPCOES, **options})
        assert server.asked[0].get("think") is think
        assert "pensar" not in server.asked[0]["options"]


def test_a_server_that_does_not_know_show_still_serves() -> None:
    with ServidorOllama(versao="0.5.0", capacidades=()) as server:
        assert OllamaModel("m", host=server.url).pensa is False


def test_no_server_and_no_model_are_one_clear_sentence_each() -> None:
    with ServidorOllama() as server:
        with pytest.raises(ErroDeEstudo, match="ollama pull gemma3:4b"):
            OllamaModel("g", "gemma3:4b", host=server.url)
        url = server.url
    with pytest.raises(ErroDeEstudo, match=f"não responde em {url}") as caught:
        OllamaModel("m", host=url)
    assert len(caught.value.problemas) == 1 and "OLLAMA_HOST" in str(caught.value)


def test_the_tag_latest_may_be_left_out_or_not() -> None:
    with ServidorOllama() as server:
        assert (
            OllamaModel("x", "m", host=server.url).digest
            == OllamaModel("x", "m:latest", host=server.url).digest
        )


def test_unload_asks_the_server_to_forget_the_model() -> None:
    with ServidorOllama() as server:
        OllamaModel("m", host=server.url).unload()
        assert server.unloaded[0]["model"] == "m" and server.unloaded[0]["keep_alive"] == 0
        assert server.asked == []


def test_a_model_travels_to_a_worker() -> None:
    with ServidorOllama(lambda body, n: Resposta(VALIDA)) as server:
        model = OllamaModel("m", host=server.url)
        model.ask(call().messages, SCHEMA, OPCOES)
        other = pickle.loads(pickle.dumps(model))
        assert other.ask(call().messages, SCHEMA, OPCOES).conteudo == VALIDA
        model.close()
        assert model.ask(call().messages, SCHEMA, OPCOES).conteudo == VALIDA
